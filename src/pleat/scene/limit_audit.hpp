// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// How far written frames are strained beyond the limits of their fabrics. Measured on the meshes,
// as the audit of crossings is, so that `pleat check` can recompute it from the files of a run.
//
// What is measured is what the scene's limiter limits: principal strains of faces, stretch along
// warp and weft ("measure": "components"), or strains of edges ("edge_velocity").
#pragma once

#include "pleat/scene/run_folder.hpp"
#include "pleat/scene/scene_file.hpp"
#include "pleat/sim/frame_stats.hpp"
#include "pleat/sim/frames.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pleat {

/// Strain beyond the limits that does not cause a warning. A limiter stops at its own tolerance
/// (0.001), and impacts and remeshing after it may add a little.
inline constexpr double default_limit_tolerance = frame_limit_tolerance;

/// Whether the scene limits strains at all: fabrics with limits, and a limiter.
[[nodiscard]] bool limits_strain(const SceneDescription& scene);

/// Of one frame.
struct LimitExcess {
    double strain = 0;     // of the worst face, beyond its limits
    std::size_t faces = 0; // beyond by more than the tolerance
    std::string cloth;     // of the worst face
    std::uint32_t face = 0;
};

/// \param face_material by mesh, the fabric of each face counted among those of the cloth; empty
///     where that is not known: then the loosest limits of the cloth's fabrics count
[[nodiscard]] LimitExcess limit_excess(const SceneDescription& scene,
                                       std::span<const ObjectMesh> meshes,
                                       std::span<const std::vector<std::uint16_t>> face_material,
                                       double tolerance);

/// Of a frame of a run, read back; nothing where its scene is not known. Fabrics of faces are in
/// the attributes of a frame, where the run wrote them.
[[nodiscard]] LimitExcess written_limit_excess(const RunFolder& folder, int frame,
                                               std::span<const ObjectMesh> meshes,
                                               double tolerance);

/// Of a simulation as it is now, measured on the meshes that are written of it.
[[nodiscard]] LimitExcess current_limit_excess(const SceneDescription& scene, const World& world,
                                               const Simulation& sim, double tolerance);

/// Of a run.
struct LimitSummary {
    double tolerance = default_limit_tolerance;
    int frames_beyond = 0, first_beyond = -1;
    int worst_frame = -1;
    LimitExcess worst;

    void add(int frame, const LimitExcess& excess);
};

/// "3 of the frames have strains more than 0.02 beyond ..."; for a warning. \pre frames_beyond > 0
[[nodiscard]] std::string to_string(const LimitSummary& summary);

} // namespace pleat
