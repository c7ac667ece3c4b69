// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/render/loop_surface.hpp"

#include <stdexcept>

namespace pleat {

bool loop_surface_available()
{
    return false;
}

LoopSurface loop_surface(const ControlMesh&, int)
{
    throw std::runtime_error("this build of Pleat has no Loop surfaces: it was made without "
                             "OpenSubdiv (CMake option PLEAT_OPENSUBDIV)");
}

} // namespace pleat
