// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A glTF file as a body that deforms, in the scene's axes and in metres. Private to this folder.
#pragma once

#include "pleat/core/vec.hpp"
#include "pleat/scene/scene_file.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pleat {

struct GltfBody {
    std::vector<std::array<std::uint32_t, 3>> faces;
    std::vector<std::vector<Vec3>> frames; // at least one; one alone where nothing moves
    std::vector<std::string> notes;        // how it was turned and scaled, and what was ignored
};

/// The number of the axis that points up.
[[nodiscard]] std::size_t up_axis(const Vec3& up);
/// The quarter turn that takes one axis to another and leaves the third.
[[nodiscard]] Vec3 quarter_turned(const Vec3& p, std::size_t from, std::size_t to);

/// \throw InputError where the file is bad, has no triangles, or not that animation or those nodes.
[[nodiscard]] GltfBody load_gltf_body(const GltfDescription& description, const Vec3& scene_up);

} // namespace pleat
