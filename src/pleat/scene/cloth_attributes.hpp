// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The data of a simulation that viewer and pictures show in addition to its meshes.
#pragma once

#include "pleat/export/frame_attributes.hpp"
#include "pleat/export/frame_files.hpp"
#include "pleat/model/world.hpp"
#include "pleat/remeshing/sizing.hpp"
#include "pleat/scene/scene_file.hpp"
#include "pleat/sim/simulation.hpp"

#include <filesystem>
#include <utility>
#include <vector>

namespace pleat {

/// The attributes of each cloth, in the order and numbering of object_meshes().
/// \param sizing that the last remeshing of the frame used; null: there was none. It shows in
/// cloths that are sized: what each metric asked for, and the bounded sum.
[[nodiscard]] std::vector<FrameAttributes> cloth_attributes(const SceneDescription& description,
                                                            const World& world,
                                                            const Simulation& sim,
                                                            const FaceSizing* sizing);

/// Writes the attributes of each frame of a run beside its meshes.
class AttributeFiles {
public:
    /// \throw FileError
    explicit AttributeFiles(const std::filesystem::path& folder, NamePattern names = {})
        : files_(folder, "attributes", std::move(names))
    {}
    /// \throw FileError
    void write(const SceneDescription& description, const World& world, const Simulation& sim,
               const FaceSizing* sizing);

private:
    FrameFiles files_;
};

} // namespace pleat
