// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Reads OBJ meshes, with the extra keywords that cloth files carry:
//   v x y z          node, world space [m]
//   vt u v, ms u v w material point [m]; w is not used
//   nv x y z         velocity of the last node [m/s]
//   nl int           label of the last node
//   f n/t n/t n/t    polygon, cut into triangles; also n, n//vn, n/t/vn; -1: the last one
//   tm int           material index of the last face
//   e a b            edge between two nodes
//   ea float, ep 1   its rest angle [rad]; keeps it from edits
// Indices may point forward in the file. Lines may be continued with a backslash and may end in
// LF, CR LF or CR. Everything else (vn, g, o, s, usemtl, mtllib, l, p, ...) is ignored.
#pragma once

#include "pleat/core/error.hpp"
#include "pleat/mesh/mesh_input.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pleat {

/// A mesh with the lines its elements came from (1-based, one an element). The optional arrays of
/// `mesh` are empty where the file gives none of that kind; where it gives some, nodes without
/// velocity or label and faces without material index have 0.
struct ObjFile {
    MeshInput mesh;
    std::vector<std::uint32_t> node_line, point_line, face_line;
    std::vector<std::string> notes; // ignored content that might matter, each once
};

/// \throw InputError with up to 50 problems in the order of the lines: numbers that are missing,
/// malformed or not finite, indices that are zero or out of range, faces with fewer than three
/// corners or a node twice, faces with material points beside faces without, keywords that refer
/// to an element before there is one, no faces at all, a file that is missing or no text.
[[nodiscard]] ObjFile read_obj(const std::filesystem::path& path);

/// The same for a text in memory. \param name stands for the file in messages.
[[nodiscard]] ObjFile parse_obj(std::string_view text, const std::string& name);

/// Names the lines of problems found in `obj.mesh`: "line 12 (face 3), line 13 (face 4)". Elements
/// are counted from 1 as in the file: a face is an `f` line, so all triangles of a polygon are the
/// same face. An edge is shown at the first face that has it.
[[nodiscard]] std::vector<Problem> locate(const std::vector<MeshProblem>& problems,
                                          const ObjFile& obj, const std::string& file);

} // namespace pleat
