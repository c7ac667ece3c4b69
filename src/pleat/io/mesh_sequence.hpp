// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Numbered mesh files: a deforming body, one OBJ a frame ("body_%04d.obj").
#pragma once

#include "pleat/core/vec.hpp"
#include "pleat/io/obj.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pleat {

/// Whether the path has a place for a number (%d, %4d, %04d; also with i or u), so that it means
/// many files. "%%" stands for a percent sign and is none.
[[nodiscard]] bool is_sequence_pattern(std::string_view pattern);

/// The file of one number: ("body_%04d.obj", 7) -> "body_0007.obj".
/// \pre index >= 0
/// \throw InputError where the pattern has no place for a number, more than one, or another kind.
[[nodiscard]] std::string sequence_file(std::string_view pattern, int index);

struct SequenceFiles {
    std::vector<std::filesystem::path> files; // from the first index on, without gaps
    std::vector<std::string> notes;           // a file behind the first gap, if there is one
};

/// Lists the files from index `first` until one is missing. Relative patterns are relative to the
/// working directory.
/// \throw InputError where the pattern is bad or not even the first file is there.
[[nodiscard]] SequenceFiles find_sequence(const std::filesystem::path& pattern, int first = 0);

/// A mesh whose nodes move. All frames have the node count and the faces of the first.
struct MeshSequence {
    std::vector<std::filesystem::path> files;
    ObjFile first;
    std::vector<std::vector<Vec3>> frame_x; // world [m], one array a file
    std::vector<std::string> notes;
};

/// Reads all files. \pre not empty
/// \throw InputError for what read_obj() refuses, and for the first file with another number of
/// nodes or other faces than the first: names that file and the line.
[[nodiscard]] MeshSequence read_sequence(std::vector<std::filesystem::path> files);

} // namespace pleat
