// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Writes VTK's XML PolyData (.vtp), and the collection (.pvd) by which ParaView finds the files of
// a run with their times. A VTK point is a vert: position and velocity of its node, material point
// as texture coordinate, and node, the index of its node. A mesh without material points has its
// nodes as points.
#pragma once

#include "pleat/core/vec.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace pleat {

/// A view of the arrays to write. Only x and the faces are required.
struct VtpMesh {
    std::span<const Vec3> x;                             // nodes, world [m]
    std::span<const Vec3> v;                             // [m/s], empty or one a node
    std::span<const Vec2> u;                             // verts, material [m]
    std::span<const std::uint32_t> vert_node;            // the node of each vert; with u
    std::span<const std::array<std::uint32_t, 3>> faces; // into the verts; without u the nodes
    std::span<const std::uint32_t> face_panel;           // may be empty
    double time = 0;                                     // [s]
};

/// Cells have `strain`, the two principal strains (larger first), where there are material points,
/// and `panel`. Everything is in double precision. Replaces the file as a whole. \throw FileError
void write_vtp(const std::filesystem::path& path, const VtpMesh& mesh);

struct PvdEntry {
    double time = 0; // [s]
    int part = 0;
    std::string name;           // of the part
    std::filesystem::path file; // relative to the collection
};
void write_pvd(const std::filesystem::path& path, const std::vector<PvdEntry>& entries);

} // namespace pleat
