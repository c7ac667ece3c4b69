// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// From a scene's description to a running simulation: meshes are read and checked, parts are
// chosen.
#pragma once

#include "pleat/core/error.hpp"
#include "pleat/model/world.hpp"
#include "pleat/remeshing/sizing_metric.hpp"
#include "pleat/scene/mesh_file.hpp"
#include "pleat/scene/scene_file.hpp"
#include "pleat/sim/run.hpp"
#include "pleat/sim/simulation.hpp"

#include <string>
#include <vector>

namespace pleat {

struct Scene {
    World world;
    Simulation start;
    RunSettings settings;
    std::vector<std::string> notes; // warnings, each once
};

/// Reads the meshes, motions and sequences that the description names.
/// \param found_before problems of a description that was read in part; they come first
/// \param in_memory meshes of cloths and obstacles that are no files
/// \throw InputError with every problem of every file.
[[nodiscard]] Scene load_scene(const SceneDescription& description,
                               std::vector<Problem> found_before = {},
                               const NamedMeshes& in_memory = {});

/// Fresh parts as the description names them; one pipeline a run.
/// \param own_sizing metrics of a program, asked after those of the scene
[[nodiscard]] Pipeline make_pipeline(const SceneDescription& description,
                                     const std::vector<NamedSizingMetric>& own_sizing = {});

} // namespace pleat
