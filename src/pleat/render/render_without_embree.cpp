// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/render/render.hpp"

#include <stdexcept>

namespace pleat {

bool render_available()
{
    return false;
}

Image render(std::span<const RenderMesh>, const Camera&, const RenderOptions&)
{
    throw std::runtime_error("this build of Pleat cannot render pictures: it was made without "
                             "Embree (CMake option PLEAT_EMBREE)");
}

} // namespace pleat
