// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Where frames go: files, a viewer, a test.
#pragma once

#include "pleat/core/vec.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pleat {

/// A view of one object of a frame; the arrays belong to the simulation.
struct FrameMesh {
    std::string name;
    bool is_cloth = false;
    bool is_static = false;  // the same in every frame
    std::span<const Vec3> x; // nodes, world [m]
    std::span<const Vec2> u; // verts, material [m]; may be empty
    std::span<const std::array<std::uint32_t, 3>> face_nodes;
    std::span<const std::array<std::uint32_t, 3>> face_verts; // empty with u
    std::span<const Vec3> v;                                  // [m/s], empty or one a node
    std::span<const std::uint32_t> vert_node;                 // the node of each vert
    std::span<const std::uint32_t> face_panel; // counted in the object; empty with u, or not known
};

struct Frame {
    int number = 0;
    double time = 0.0; // [s]
    std::vector<FrameMesh> meshes;
};

/// Takes the frames of a run one after the other.
class FrameSink {
public:
    virtual ~FrameSink() = default;
    /// \throw FileError where the operating system refuses.
    virtual void write(const Frame& frame) = 0;
    /// Called once, after the last frame, also where a run was stopped before its end.
    /// \throw FileError
    virtual void finish() {}
};

} // namespace pleat
