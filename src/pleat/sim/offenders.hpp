// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The crossing faces as an OBJ file that any viewer can show.
#pragma once

#include "pleat/sim/audit.hpp"
#include "pleat/sim/frames.hpp"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace pleat {

/// Gathers the crossing faces of any number of moments. Every face is written once, under an object
/// (`o`) of its mesh and in the groups (`g`) of its mesh and of every pair that it is part of; the
/// pairs are numbered from 1 through the file and listed with their face numbers at its head.
class OffenderFile {
public:
    /// \param moment goes before the objects' names, as in 00012_sheet; may be empty
    void add(const std::string& moment, std::span<const ObjectMesh> meshes, const MeshAudit& found);

    [[nodiscard]] std::size_t pair_count() const { return pairs_; }
    [[nodiscard]] std::size_t face_count() const { return faces_; }
    /// Replaces the file as a whole. \throw FileError where the operating system refuses.
    void write(const std::filesystem::path& path) const;

private:
    std::size_t pairs_ = 0, faces_ = 0, points_ = 0;
    std::string head_; // lines behind #
    std::string body_;
};

} // namespace pleat
