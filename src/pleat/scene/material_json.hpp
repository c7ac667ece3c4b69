// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Materials as JSON. Private to this folder.
#pragma once

#include "pleat/materials/material.hpp"
#include "pleat/scene/json_reader.hpp"
#include "pleat/scene/material_file.hpp"

#include <filesystem>

namespace pleat {

/// A material of a scene: the name of a shipped fabric, the path of a material file (relative to
/// `folder`), or an object that defines one or changes a "base". Problems go to the reader's file.
[[nodiscard]] Material read_material(const Json& json, const std::string& path, JsonFile& file,
                                     const std::filesystem::path& folder);

/// The object that read_material turns back into the same material.
[[nodiscard]] Json material_to_json(const Material& material);

/// A whole entry, with aliases and the like.
[[nodiscard]] FabricEntry read_fabric(const Json& json, JsonFile& file);

/// "strain_limits": [lowest, highest].
[[nodiscard]] std::optional<StrainLimits>
read_strain_limits(JsonReader& reader, const std::string& key = "strain_limits");

} // namespace pleat
