// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Reads PLY meshes (ascii, binary of either byte order). Taken from the vertices: x y z [m]; s t,
// u v or texture_u texture_v as the material point [m]; vx vy vz [m/s]; and node, the index of the
// world point of a material vertex, by which files written by Pleat keep their seams. Taken from
// the faces: the list vertex_indices (or vertex_index), polygons cut into fans. Everything else is
// skipped.
#pragma once

#include "pleat/core/error.hpp"
#include "pleat/mesh/mesh_input.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pleat {

/// A mesh with the rows its elements came from (from 0, as PLY files count).
struct PlyFile {
    MeshInput mesh;
    std::vector<std::uint32_t> node_vertex, point_vertex; // the first row with that node, point
    std::vector<std::uint32_t> face_row;
    std::vector<std::string> notes; // skipped content that might matter, each once
};

/// \throw InputError: a header that is not PLY's, types or counts that cannot be, more elements
/// than the file has room for, data that end early or go on too long, numbers that are not finite,
/// indices out of range, faces with fewer than three corners or a vertex twice, vertices of one
/// node that lie apart, no faces.
[[nodiscard]] PlyFile read_ply(const std::filesystem::path& path);

/// The same for bytes in memory. \param name stands for the file in messages.
[[nodiscard]] PlyFile parse_ply(std::string_view bytes, const std::string& name);

/// Names the rows of problems found in `ply.mesh`: "vertex 12", "face 3", "face 2 (edge 4-7)".
[[nodiscard]] std::vector<Problem> locate(const std::vector<MeshProblem>& problems,
                                          const PlyFile& ply, const std::string& file);

} // namespace pleat
