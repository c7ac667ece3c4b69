// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// What the viewer and the pictures show of a simulation beside its meshes.
#pragma once

#include "pleat/export/frame_attributes.hpp"
#include "pleat/export/frame_files.hpp"
#include "pleat/model/world.hpp"
#include "pleat/scene/scene_file.hpp"
#include "pleat/sim/simulation.hpp"

#include <filesystem>
#include <vector>

namespace pleat {

/// The attributes of each cloth, in the order and numbering of object_meshes(). Sizing is there for
/// cloths that the scene remeshes by a metric: what each driver asks for now, and the metric that
/// follows.
[[nodiscard]] std::vector<FrameAttributes>
cloth_attributes(const SceneDescription& description, const World& world, const Simulation& sim);

/// Writes the attributes of each frame of a run beside its meshes.
class AttributeFiles {
public:
    /// \throw FileError
    explicit AttributeFiles(const std::filesystem::path& folder) : files_(folder, "attributes") {}
    /// \throw FileError
    void write(const SceneDescription& description, const World& world, const Simulation& sim);

private:
    FrameFiles files_;
};

} // namespace pleat
