// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Stacks of sheets that fall onto a body: scenes made from a seed, written as files that `pleat
// run` takes too, played and measured.
#pragma once

#include "pleat/scene/scene_file.hpp"

#include <cstddef>
#include <filesystem>
#include <string>

namespace pleat::test {

/// Four knits, 1 cm apart, meet a box at 2.2 m/s; the second and the last have limits of 5 %, the
/// others have none. Two are adaptive.
[[nodiscard]] SceneDescription limited_between_unlimited(const std::filesystem::path& folder);

/// One to four layers of any fabric, adaptive or not, with or without limits and wind, on a ball, a
/// box or a torus that moves and turns. Nothing is held or pulled.
/// \param folder gets the meshes and scene.json.
[[nodiscard]] SceneDescription random_layers(unsigned seed, const std::filesystem::path& folder);

/// The worst that any written frame had, and which.
struct Worst {
    double value = 0;
    int frame = 0;

    void note(double v, int f)
    {
        if (v > value) *this = {v, f};
    }
};

struct LayersOutcome {
    bool ok = true;
    std::string trouble;
    std::size_t intersections = 0, unresolved = 0; // summed
    Worst stretch;                                 // largest principal strain
    Worst excess;                                  // beyond the strain limits, as strain
    Worst acceleration;                            // of a node in any step [m/s^2]
    Worst jolt; // change of a node's velocity in a step, by the most that meeting can do: see below
    Worst cost; // CPU time by the median of its neighbours'
    double seconds = 0;    // CPU time of all
    std::size_t faces = 0; // in the last frame
};

/// Plays the scene from its first to its last frame as `pleat run` does.
///
/// The bound on accelerations: cloth and body meet at no more than the speed of a free fall that
/// begins as the sheets do, plus that of the fastest point of the body, plus the wind's. The most
/// elastic of collisions turns that speed round, so that no node changes its velocity by more than
/// twice as much in a step. `jolt` is what it does change by, as a share of this.
[[nodiscard]] LayersOutcome play(const SceneDescription& description);

/// One line of a table, and its head.
[[nodiscard]] std::string table_head();
[[nodiscard]] std::string table_line(const std::string& name, const LayersOutcome& outcome);

} // namespace pleat::test
