// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Values that replace those of a scene file, by the path of their key: "cloths.0.material=denim".
#pragma once

#include <string>
#include <vector>

namespace pleat {

/// A key is reached through objects by their keys, and through arrays by number or by the "name" of
/// the item: cloths.0.remeshing.type, cloths.sheet.remeshing.type, cloths[0].remeshing.type.
struct SceneOverride {
    std::string key;
    std::string value; // JSON; text without quotes is text
    bool operator==(const SceneOverride&) const = default;
};
using SceneOverrides = std::vector<SceneOverride>;

/// \param text KEY=VALUE \throw InputError where there is no = or no key
[[nodiscard]] SceneOverride parse_override(const std::string& text);

/// The texts between commas that are not inside quotes, brackets or braces.
[[nodiscard]] std::vector<std::string> split_values(const std::string& text);

} // namespace pleat
