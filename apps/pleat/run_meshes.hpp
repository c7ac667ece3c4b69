// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The frames of a run as pictures and the viewer want them: meshes with looks and attributes, and
// the scene's camera.
#pragma once

#include "pleat/render/camera.hpp"
#include "pleat/render/render_mesh.hpp"
#include "pleat/scene/run_folder.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pleat::app {

/// A look for each fabric of each cloth of a run.
struct RunLooks {
    std::vector<std::string> fabrics; // names, each once; indices are RenderMesh::face_material
    struct ClothLooks {
        std::string object;              // its file stem
        std::vector<std::size_t> fabric; // number of each of its materials in `fabrics`
        std::vector<FabricLook> looks;   // by number in `fabrics`
        float longest_edge = 0;          // that remeshing allows [m]
    };
    std::vector<ClothLooks> cloths;
    std::vector<std::string> drivers; // names of the sizing metrics of all cloths
};

/// Fabrics look as their names say; cloths that share a fabric get colours of their own, so that
/// they are told apart.
[[nodiscard]] RunLooks looks_of(const RunFolder& folder);

/// One object of a frame. `mesh` and `attributes` are as the files have them.
struct FrameObject {
    ObjectMesh mesh;
    std::optional<FrameAttributes> attributes;
};
[[nodiscard]] std::vector<FrameObject> read_objects(const RunFolder& folder, int frame);

/// The edges [m] that sizing metrics asked for, RunLooks::drivers a face; infinite where the cloth
/// does not have the metric. Empty where the object has no sizing.
[[nodiscard]] std::vector<float> face_drivers(const FrameObject& object, const RunLooks& looks);

/// Velocities from the attributes, else from the frame before where the mesh is the same one.
[[nodiscard]] std::vector<RenderMesh> render_meshes(const RunFolder& folder, const RunLooks& looks,
                                                    int frame);

/// The camera of the scene, if it has one. \param name of one of several; empty: the first
/// \throw InputError where no camera has that name
[[nodiscard]] std::optional<CameraTrack> scene_camera(const RunFolder& folder,
                                                      const std::string& name = "");
/// A camera of pictures at a time [s].
[[nodiscard]] Camera camera_of(const CameraTrack& track, double time);

/// Frames a second, 25 where no scene says.
[[nodiscard]] double fps_of(const RunFolder& folder);

} // namespace pleat::app
