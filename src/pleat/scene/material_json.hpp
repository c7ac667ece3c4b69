// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Materials as JSON. Private to this folder.
#pragma once

#include "pleat/materials/material.hpp"
#include "pleat/scene/keys.hpp"
#include "pleat/scene/material_file.hpp"

namespace pleat {

/// A material of a scene: the name of a shipped fabric, the path of a material file, or an object
/// that defines one or changes a "base". Problems go to the file that is read.
[[nodiscard]] Material read_material(const Json& json, const std::string& path, JsonFile& file);
/// The object that read_material turns back into the same material.
[[nodiscard]] OrderedJson material_to_json(const Material& material);

/// The same as the value of a key. Brief: a shipped fabric as its name and what differs from it.
[[nodiscard]] Value fabric_value(Material& field);
// The keys of each law.
void describe(Keys& keys, MembraneMeasured& law);
void describe(Keys& keys, MembraneIsotropicSheet& law);
void describe(Keys& keys, MembraneOrthotropic& law);
void describe(Keys& keys, MembraneBaraffWitkin& law);
void describe(Keys& keys, BendingMeasured& law);
void describe(Keys& keys, BendingIsotropicSheet& law);
void describe(Keys& keys, BendingPlate& law);
void describe(Keys& keys, BendingHinge& law);
void describe(Keys& keys, BendingIsometric& law);
void describe(Keys& keys, BendingBaraffWitkin& law);

/// [lowest, highest] strain.
[[nodiscard]] Value strain_limits(std::optional<StrainLimits>& field);

} // namespace pleat
