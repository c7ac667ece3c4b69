// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/export/ply_writer.hpp"

#include "pleat/core/atomic_file.hpp"
#include "pleat/core/error.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <string_view>

namespace pleat {

namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 18;

/// Packs little-endian values and hands them to the file in blocks.
class ByteBlock {
public:
    explicit ByteBlock(AtomicFile& file) : file_(file) { bytes_.reserve(block_bytes + 64); }

    template <class T> void put(T value)
    {
        auto raw = std::bit_cast<std::array<char, sizeof(T)>>(value);
        if constexpr (std::endian::native == std::endian::big) std::reverse(raw.begin(), raw.end());
        bytes_.append(raw.data(), raw.size());
        if (bytes_.size() >= block_bytes) flush();
    }
    void put_real(double value, PlyPrecision precision)
    {
        if (precision == PlyPrecision::float64)
            put(value);
        else
            put(static_cast<float>(value));
    }
    void flush()
    {
        file_.append(bytes_);
        bytes_.clear();
    }

private:
    AtomicFile& file_;
    std::string bytes_;
};

std::string make_header(const PlyMesh& mesh, std::size_t vertex_count, PlyPrecision precision)
{
    const std::string real = precision == PlyPrecision::float64 ? "double" : "float";
    std::string text = "ply\nformat binary_little_endian 1.0\n";
    for (std::string_view rest = mesh.comment; !rest.empty();) {
        const std::size_t length = std::min(rest.find_first_of("\r\n"), rest.size());
        if (length > 0) text += "comment " + std::string(rest.substr(0, length)) + "\n";
        rest.remove_prefix(std::min(length + 1, rest.size()));
    }
    const auto property = [&](const std::string& type, const char* name) {
        text += "property " + type + " " + name + "\n";
    };
    text += "element vertex " + std::to_string(vertex_count) + "\n";
    for (const char* name : {"x", "y", "z"}) property(real, name);
    if (!mesh.v.empty())
        for (const char* name : {"vx", "vy", "vz"}) property(real, name);
    if (!mesh.u.empty()) {
        for (const char* name : {"s", "t"}) property(real, name);
        property("int", "node");
    }
    text += "element face " + std::to_string(mesh.faces.size()) + "\n";
    return text + "property list uchar int vertex_indices\nend_header\n";
}

} // namespace

void write_ply(const std::filesystem::path& path, const PlyMesh& mesh, PlyPrecision precision)
{
    PLEAT_ASSERT(mesh.u.size() == mesh.vert_node.size(), "one node a vert");
    PLEAT_ASSERT(mesh.v.empty() || mesh.v.size() == mesh.x.size(), "one velocity a node");
    const bool has_verts = !mesh.u.empty();
    const std::size_t vertex_count = has_verts ? mesh.u.size() : mesh.x.size();
    PLEAT_ASSERT(vertex_count <= std::numeric_limits<std::int32_t>::max(), "indices fit in int");

    AtomicFile file(path);
    file.append(make_header(mesh, vertex_count, precision));
    ByteBlock out(file);
    for (std::size_t i = 0; i < vertex_count; ++i) {
        const std::size_t node = has_verts ? mesh.vert_node[i] : i;
        for (const double c : mesh.x[node].e) out.put_real(c, precision);
        if (!mesh.v.empty())
            for (const double c : mesh.v[node].e) out.put_real(c, precision);
        if (!has_verts) continue;
        for (const double c : mesh.u[i].e) out.put_real(c, precision);
        out.put(static_cast<std::int32_t>(node));
    }
    for (const auto& face : mesh.faces) {
        out.put(std::uint8_t{3});
        for (const std::uint32_t vertex : face) out.put(static_cast<std::int32_t>(vertex));
    }
    out.flush();
    file.commit();
}

} // namespace pleat
