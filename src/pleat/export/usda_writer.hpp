// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Writes Universal Scene Description as text (.usda): one mesh at one frame, and the frames of a
// run put together into one file with time samples.
#pragma once

#include "pleat/core/vec.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace pleat {

/// What a stage says about itself.
struct UsdStage {
    double fps = 25; // frames and time codes a second
    Vec3 up{0, 0, 1};
};

/// A view of the arrays to write. Only x and face_nodes are required.
struct UsdMesh {
    std::string name; // any text; becomes an identifier
    std::span<const Vec3> x;
    std::span<const Vec3> v; // [m/s], empty or one a node
    std::span<const std::array<std::uint32_t, 3>> face_nodes;
    std::span<const Vec2> u;                                  // verts, material [m]; primvars:st
    std::span<const std::array<std::uint32_t, 3>> face_verts; // into u; empty with it
    std::span<const std::uint32_t> face_panel;                // a subset each; may be empty
    bool is_fixed = false;  // faces, verts and panels are the same in all frames
    bool is_static = false; // positions too: there are no time samples
    std::string comment;
};

/// Names as USD takes them: letters, digits and _, not starting with a digit.
[[nodiscard]] std::string usd_identifier(const std::string& name);

/// Writes one mesh; its time sample is that of the frame. Replaces the file as a whole.
/// \throw FileError
void write_usda(const std::filesystem::path& path, const UsdMesh& mesh, int frame,
                const UsdStage& stage);

/// An object of a run: the files that write_usda() made of it, by frame.
struct UsdFrames {
    std::string name;
    std::map<int, std::filesystem::path> files;
};

/// One file with all objects and all frames below the prim "run". An object is invisible in frames
/// without a file of it, unless it is static. \throw FileError; InputError where a file is not one
/// of write_usda().
void join_usda(const std::filesystem::path& path, const std::vector<UsdFrames>& objects,
               const UsdStage& stage);

} // namespace pleat
