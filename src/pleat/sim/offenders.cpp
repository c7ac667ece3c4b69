// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/sim/offenders.hpp"

#include "pleat/core/atomic_file.hpp"
#include "pleat/export/frame_files.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <map>
#include <vector>

namespace pleat {

namespace {

/// The shortest digits that read back as the same bits.
void append_real(std::string& text, double value)
{
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    text += ' ';
    text.append(digits.data(), end);
}

} // namespace

void OffenderFile::add(const std::string& moment, std::span<const ObjectMesh> meshes,
                       const MeshAudit& found)
{
    std::vector<std::string> names;
    for (const ObjectMesh& m : meshes)
        names.push_back((moment.empty() ? "" : moment + "_") + file_stem(m.name));
    // Which pairs each face is in; faces in ascending order.
    std::vector<std::map<std::uint32_t, std::string>> groups(meshes.size());
    for (const CrossingPair& p : found.crossings) {
        const std::string pair = "pair" + std::to_string(++pairs_);
        head_ += "# " + pair + ": " + names[p.object_a] + " face " + std::to_string(p.face_a) +
                 " intersects " + names[p.object_b] + " face " + std::to_string(p.face_b) + "\n";
        groups[p.object_a][p.face_a] += " " + pair;
        groups[p.object_b][p.face_b] += " " + pair;
    }
    for (std::size_t m = 0; m < meshes.size(); ++m) {
        if (groups[m].empty()) continue;
        body_ += "o " + names[m] + "\n";
        std::map<std::uint32_t, std::size_t> place; // of the mesh's nodes in the file, from 1
        for (const auto& [face, pairs] : groups[m])
            for (const std::uint32_t n : meshes[m].face_nodes[face])
                if (place.try_emplace(n, points_ + 1).second) {
                    ++points_;
                    body_ += "v";
                    for (const double c : meshes[m].x[n].e) append_real(body_, c);
                    body_ += "\n";
                }
        for (const auto& [face, pairs] : groups[m]) {
            body_ += "g " + names[m] + pairs + "\nf";
            for (const std::uint32_t n : meshes[m].face_nodes[face])
                body_ += " " + std::to_string(place.at(n));
            body_ += "\n";
        }
        faces_ += groups[m].size();
    }
}

void OffenderFile::write(const std::filesystem::path& path) const
{
    AtomicFile file(path);
    file.append("# Pleat: intersecting faces, " + std::to_string(pairs_) + " pairs\n");
    file.append(head_);
    file.append(body_);
    file.commit();
}

} // namespace pleat
