// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Fabrics by name, from files, and written out in a scene.
#pragma once

#include "pleat/materials/material.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pleat {

/// A fabric that is shipped with Pleat.
struct FabricEntry {
    std::string name;
    std::vector<std::string> aliases;
    std::string use;
    std::string composition;
    std::string source;
    Material material;
};

/// All of them, by name. They are part of the program: no file is read.
[[nodiscard]] std::vector<FabricEntry> shipped_fabrics();

/// Every name and alias.
[[nodiscard]] std::vector<std::string> fabric_names();

/// A shipped fabric by name or alias. \throw InputError naming the nearest.
[[nodiscard]] Material fabric(const std::string& name);

/// \throw InputError listing everything that is wrong with the file.
[[nodiscard]] Material read_material_file(const std::filesystem::path& path);
[[nodiscard]] Material parse_material(std::string_view text, const std::string& file_name);

} // namespace pleat
