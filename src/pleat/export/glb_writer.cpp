// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/export/glb_writer.hpp"

#include "pleat/core/atomic_file.hpp"
#include "pleat/core/error.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace pleat {

namespace {

static_assert(std::endian::native == std::endian::little, "files are little-endian");

constexpr int float_type = 5126, uint_type = 5125;          // component types of the format
constexpr int array_target = 34962, element_target = 34963; // of buffer views
constexpr std::uint32_t json_chunk = 0x4e4f534a, binary_chunk = 0x004e4942;

std::string shortest(float value)
{
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value);
    return std::string(text, end.ptr);
}

std::string json_text(const std::string& text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return out + "\"";
}

/// The binary buffer with the views and accessors into it.
class Buffer {
public:
    /// \param components numbers of one element
    /// \return the number of the accessor
    std::size_t add(const std::vector<float>& values, std::size_t components, bool is_vertex_data,
                    bool with_bounds)
    {
        static constexpr const char* types[] = {"", "SCALAR", "VEC2", "VEC3"};
        std::string more;
        if (with_bounds) more = bounds(values, components);
        return add_bytes(values.data(), values.size() * sizeof(float), float_type,
                         values.size() / components, types[components],
                         is_vertex_data ? array_target : 0, more);
    }
    std::size_t add_indices(const std::vector<std::uint32_t>& values)
    {
        return add_bytes(values.data(), values.size() * sizeof(std::uint32_t), uint_type,
                         values.size(), "SCALAR", element_target, "");
    }

    [[nodiscard]] const std::string& bytes() const { return bytes_; }
    [[nodiscard]] std::string json() const
    {
        return "\"buffers\":[{\"byteLength\":" + std::to_string(bytes_.size()) +
               "}],\"bufferViews\":[" + views_ + "],\"accessors\":[" + accessors_ + "]";
    }

private:
    static std::string bounds(const std::vector<float>& values, std::size_t components)
    {
        std::string low = ",\"min\":[", high = ",\"max\":[";
        for (std::size_t k = 0; k < components; ++k) {
            float least = std::numeric_limits<float>::max(), most = -least;
            for (std::size_t i = k; i < values.size(); i += components) {
                least = std::min(least, values[i]);
                most = std::max(most, values[i]);
            }
            low += (k > 0 ? "," : "") + shortest(least);
            high += (k > 0 ? "," : "") + shortest(most);
        }
        return low + "]" + high + "]";
    }
    std::size_t add_bytes(const void* data, std::size_t size, int component, std::size_t count,
                          const char* type, int target, const std::string& more)
    {
        const std::string comma = count_ > 0 ? "," : "";
        views_ += comma + "{\"buffer\":0,\"byteOffset\":" + std::to_string(bytes_.size()) +
                  ",\"byteLength\":" + std::to_string(size);
        if (target != 0) views_ += ",\"target\":" + std::to_string(target);
        views_ += "}";
        accessors_ += comma + "{\"bufferView\":" + std::to_string(count_) +
                      ",\"componentType\":" + std::to_string(component) +
                      ",\"count\":" + std::to_string(count) + ",\"type\":\"" + type + "\"" + more +
                      "}";
        bytes_.append(static_cast<const char*>(data), size); // sizes are multiples of four
        return count_++;
    }

    std::string bytes_, views_, accessors_;
    std::size_t count_ = 0;
};

/// Which nodes the vertices are, and arrays by node as arrays by vertex.
struct Vertices {
    explicit Vertices(const GlbMesh& mesh)
    {
        if (!mesh.u.empty()) {
            node.assign(mesh.vert_node.begin(), mesh.vert_node.end());
            return;
        }
        for (std::size_t i = 0; i < mesh.x.size(); ++i) node.push_back(std::uint32_t(i));
    }
    [[nodiscard]] std::vector<float> of(std::span<const Vec3> values) const
    {
        std::vector<float> out;
        for (const std::uint32_t n : node)
            for (const double c : values[n].e) out.push_back(float(c));
        return out;
    }
    std::vector<std::uint32_t> node;
};

std::vector<Vec3> node_normals(const GlbMesh& mesh)
{
    std::vector<Vec3> normals(mesh.x.size(), Vec3{});
    for (const auto& f : mesh.face_nodes) {
        const Vec3 area = cross(mesh.x[f[1]] - mesh.x[f[0]], mesh.x[f[2]] - mesh.x[f[0]]);
        for (const std::uint32_t n : f) normals[n] += area;
    }
    for (Vec3& n : normals) {
        n = normalized(n);
        if (norm2(n) == 0) n = mesh.up; // of faces of no area; the format asks for unit length
    }
    return normals;
}

std::string rotation_of(const Vec3& up)
{
    const std::string half = shortest(float(std::sqrt(0.5)));
    if (up[2] == 1) return ",\"rotation\":[-" + half + ",0,0," + half + "]";
    if (up[0] == 1) return ",\"rotation\":[0,0," + half + "," + half + "]";
    return "";
}

/// Morph targets: how far vertices are from the positions of the mesh, one a time.
std::string add_targets(Buffer& buffer, const Vertices& vertices, const GlbMesh& mesh,
                        const GlbAnimation& animation)
{
    std::string targets;
    std::vector<Vec3> moved(mesh.x.size());
    for (const std::vector<Vec3>& positions : animation.positions) {
        PLEAT_ASSERT(positions.size() == mesh.x.size(), "one position a node");
        for (std::size_t i = 0; i < moved.size(); ++i) moved[i] = positions[i] - mesh.x[i];
        targets += (targets.empty() ? "{\"POSITION\":" : ",{\"POSITION\":") +
                   std::to_string(buffer.add(vertices.of(moved), 3, true, true)) + "}";
    }
    return ",\"targets\":[" + targets + "]";
}

/// One target after the other, at its time all of it.
std::string animation_json(Buffer& buffer, const GlbAnimation& animation)
{
    const std::size_t count = animation.times.size();
    std::vector<float> weights(count * count, 0);
    for (std::size_t i = 0; i < count; ++i) weights[i * count + i] = 1;
    const std::size_t input = buffer.add(animation.times, 1, false, true);
    const std::size_t output = buffer.add(weights, 1, false, false);
    return ",\"animations\":[{\"name\":\"frames\",\"channels\":[{\"sampler\":0,\"target\":{"
           "\"node\":0,\"path\":\"weights\"}}],\"samplers\":[{\"input\":" +
           std::to_string(input) + ",\"output\":" + std::to_string(output) +
           ",\"interpolation\":\"LINEAR\"}]}]";
}

void append_chunk(AtomicFile& file, std::uint32_t type, std::string bytes, char padding)
{
    while (bytes.size() % 4 != 0) bytes += padding;
    const std::uint32_t head[] = {std::uint32_t(bytes.size()), type};
    file.append({reinterpret_cast<const char*>(head), sizeof head});
    file.append(bytes);
}

} // namespace

void write_glb(const std::filesystem::path& path, const GlbMesh& mesh,
               const GlbAnimation& animation)
{
    PLEAT_ASSERT(mesh.u.size() == mesh.vert_node.size(), "one node a vert");
    PLEAT_ASSERT(mesh.v.empty() || mesh.v.size() == mesh.x.size(), "one velocity a node");
    PLEAT_ASSERT(animation.times.size() == animation.positions.size(), "a time for all positions");
    const Vertices vertices(mesh);
    Buffer buffer;
    std::string attributes =
        "\"POSITION\":" + std::to_string(buffer.add(vertices.of(mesh.x), 3, true, true)) +
        ",\"NORMAL\":" +
        std::to_string(buffer.add(vertices.of(node_normals(mesh)), 3, true, false));
    if (!mesh.u.empty()) {
        std::vector<float> texture;
        for (const Vec2& u : mesh.u) {
            texture.push_back(float(u[0]));
            texture.push_back(float(1 - u[1]));
        }
        attributes += ",\"TEXCOORD_0\":" + std::to_string(buffer.add(texture, 2, true, false));
    }
    if (!mesh.v.empty())
        attributes +=
            ",\"_VELOCITY\":" + std::to_string(buffer.add(vertices.of(mesh.v), 3, true, false));
    std::vector<std::uint32_t> corners;
    for (const auto& f : mesh.u.empty() ? mesh.face_nodes : mesh.face_verts)
        corners.insert(corners.end(), f.begin(), f.end());
    const std::size_t indices = buffer.add_indices(corners);
    std::string primitive = "{\"attributes\":{" + attributes +
                            "},\"indices\":" + std::to_string(indices) + ",\"material\":0";
    std::string more;
    if (!animation.times.empty()) {
        primitive += add_targets(buffer, vertices, mesh, animation);
        more = animation_json(buffer, animation);
    }
    const std::string name = json_text(mesh.name);
    std::string json = "{\"asset\":{\"version\":\"2.0\",\"generator\":\"Pleat\"},\"scene\":0,"
                       "\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"name\":" +
                       name + ",\"mesh\":0" + rotation_of(mesh.up) +
                       "}],\"meshes\":[{\"name\":" + name + ",\"primitives\":[" + primitive +
                       "}]}],";
    json += "\"materials\":[{\"name\":\"cloth\",\"doubleSided\":true,\"pbrMetallicRoughness\":{"
            "\"baseColorFactor\":[0.6,0.6,0.65,1],\"metallicFactor\":0,\"roughnessFactor\":0.9}}],";
    json += buffer.json() + more + "}";

    const auto padded = [](std::size_t size) { return (size + 3) / 4 * 4; };
    const std::size_t total = 12 + 8 + padded(json.size()) + 8 + padded(buffer.bytes().size());
    if (total > std::numeric_limits<std::uint32_t>::max())
        throw FileError(path.string(), "binary glTF cannot be larger than 4 GB");
    AtomicFile file(path);
    file.append("glTF");
    const std::uint32_t head[] = {2, std::uint32_t(total)};
    file.append({reinterpret_cast<const char*>(head), sizeof head});
    append_chunk(file, json_chunk, json, ' ');
    append_chunk(file, binary_chunk, buffer.bytes(), '\0');
    file.commit();
}

} // namespace pleat
