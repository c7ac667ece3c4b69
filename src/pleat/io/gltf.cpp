// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Idea. GltfParser turns the JSON and the buffers into plain arrays once (meshes, nodes, skins,
// channels); the functions after it only read these arrays to compute positions at a time.
//
// Files are untrusted. Every index, offset, stride, count and depth is checked against what is
// really there before it is used, in numbers that cannot overflow. A new key has to go through the
// same helpers of GltfParser; reading a buffer directly would break this. fuzz/ has a target for
// this file.
#include "pleat/io/gltf.hpp"

#include "pleat/core/error.hpp"
#include "pleat/io/file_bytes.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

namespace pleat {

namespace {

using Json = nlohmann::json;
using Vec4 = Vec<double, 4>;

static_assert(std::endian::native == std::endian::little, "glTF's numbers are little-endian");

constexpr std::size_t deepest = 512; // of the tree of nodes
constexpr double largest = 1e6;      // of a coordinate, as the mesh check has it
constexpr int max_json_depth = 64;
// Elements take no bytes of the file if an accessor is sparse or used by many morph targets. These
// bounds keep a small file from asking for much memory:
constexpr std::size_t sparse_bytes = 1u << 20; // an accessor, where the file itself has fewer
constexpr std::size_t most_moves = 1u << 24;   // of vertices by morph targets, in all

/// The nesting depth of brackets, to bound the recursion of the parser.
bool is_too_deep(std::string_view text)
{
    int depth = 0;
    bool in_text = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_text) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                in_text = false;
        } else if (c == '"') {
            in_text = true;
        } else if (c == '{' || c == '[') {
            if (++depth > max_json_depth) return true;
        } else if (c == '}' || c == ']') {
            --depth;
        }
    }
    return false;
}

std::optional<std::string> decode_base64(std::string_view text)
{
    std::string out;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : text) {
        if (c == '=') break;
        const int v = c >= 'A' && c <= 'Z'   ? c - 'A'
                      : c >= 'a' && c <= 'z' ? c - 'a' + 26
                      : c >= '0' && c <= '9' ? c - '0' + 52
                      : c == '+'             ? 62
                      : c == '/'             ? 63
                                             : -1;
        if (v < 0) return {};
        bits = bits << 6 | std::uint32_t(v);
        if (++count == 4) {
            for (int k = 16; k >= 0; k -= 8) out += static_cast<char>(bits >> k & 255);
            bits = 0;
            count = 0;
        }
    }
    if (count == 1) return {};
    if (count == 2) out += static_cast<char>(bits >> 4 & 255);
    if (count == 3) {
        out += static_cast<char>(bits >> 10 & 255);
        out += static_cast<char>(bits >> 2 & 255);
    }
    return out;
}

Mat4 trs(const Vec3& t, const Vec4& q, const Vec3& s)
{
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    Mat4 m{};
    m(0, 0) = (1 - 2 * (y * y + z * z)) * s[0];
    m(1, 0) = 2 * (x * y + w * z) * s[0];
    m(2, 0) = 2 * (x * z - w * y) * s[0];
    m(0, 1) = 2 * (x * y - w * z) * s[1];
    m(1, 1) = (1 - 2 * (x * x + z * z)) * s[1];
    m(2, 1) = 2 * (y * z + w * x) * s[1];
    m(0, 2) = 2 * (x * z + w * y) * s[2];
    m(1, 2) = 2 * (y * z - w * x) * s[2];
    m(2, 2) = (1 - 2 * (x * x + y * y)) * s[2];
    for (std::size_t i = 0; i < 3; ++i) m(i, 3) = t[i];
    m(3, 3) = 1;
    return m;
}

Vec3 apply(const Mat4& m, const Vec3& p)
{
    Vec3 r{};
    for (std::size_t i = 0; i < 3; ++i)
        r[i] = m(i, 0) * p[0] + m(i, 1) * p[1] + m(i, 2) * p[2] + m(i, 3);
    return r;
}

class GltfParser {
public:
    GltfParser(std::string_view bytes, std::string name, GltfBufferReader read_buffer)
        : bytes_(bytes), name_(std::move(name)), read_buffer_(read_buffer)
    {}

    GltfFile run()
    {
        std::string_view text = bytes_;
        if (bytes_.substr(0, 4) == "glTF") text = open_container();
        if (is_too_deep(text)) fail("", "values nested too deep", "glTF");
        json_ = Json::parse(text, nullptr, false);
        if (json_.is_discarded() || !json_.is_object())
            fail("", "no glTF: neither a container nor JSON", "a .glb or .gltf file");
        read_asset();
        read_buffers();
        read_meshes();
        read_cameras();
        read_nodes();
        read_skins();
        read_animations();
        return std::move(out_);
    }

private:
    [[noreturn]] void fail(std::string place, std::string found, std::string expected) const
    {
        throw InputError(Problem{name_, std::move(place), std::move(found), std::move(expected)});
    }
    void note(std::string text)
    {
        if (std::find(out_.notes.begin(), out_.notes.end(), text) == out_.notes.end())
            out_.notes.push_back(std::move(text));
    }

    // --- container and JSON ---------------------------------------------------------------------

    [[nodiscard]] std::uint32_t word(std::size_t at) const
    {
        std::uint32_t w = 0;
        if (at + 4 > bytes_.size()) fail("byte " + std::to_string(at), "the end", "more bytes");
        std::memcpy(&w, bytes_.data() + at, 4);
        return w;
    }

    /// A .glb: header, a chunk of JSON, perhaps one of binary data.
    std::string_view open_container()
    {
        if (word(4) != 2) fail("byte 4", "version " + std::to_string(word(4)), "glTF 2");
        if (word(8) > bytes_.size())
            fail("byte 8", "a length of " + std::to_string(word(8)),
                 "at most the file's " + std::to_string(bytes_.size()) + " bytes");
        std::string_view text;
        std::size_t at = 12;
        for (int chunk = 0; at + 8 <= word(8); ++chunk) {
            const std::size_t length = word(at);
            const std::uint32_t type = word(at + 4);
            if (length > word(8) - at - 8)
                fail("byte " + std::to_string(at),
                     "a chunk of " + std::to_string(length) + " bytes",
                     "chunks that fit into the file");
            const auto data = bytes_.substr(at + 8, length);
            if (chunk == 0 && type == 0x4e4f534a)
                text = data;
            else if (chunk == 1 && type == 0x004e4942)
                binary_ = data;
            at += 8 + (length + 3) / 4 * 4;
        }
        if (text.empty()) fail("byte 12", "no JSON chunk", "it as the first");
        return text;
    }

    const Json& list(const char* key)
    {
        static const Json nothing = Json::array();
        const auto found = json_.find(key);
        if (found == json_.end()) return nothing;
        if (!found->is_array()) fail(key, "something else", "an array");
        for (const Json& item : *found)
            if (!item.is_object()) fail(key, "something else", "an array of objects");
        return *found;
    }

    /// An index into an array of `count`; none where the key is absent.
    [[nodiscard]] std::uint32_t index_of(const Json& object, const char* key, std::size_t count,
                                         const std::string& place) const
    {
        const auto found = object.find(key);
        if (found == object.end()) return GltfFile::none;
        return index_value(*found, count, place + "." + key);
    }
    [[nodiscard]] std::uint32_t index_value(const Json& value, std::size_t count,
                                            const std::string& place) const
    {
        if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= count)
            fail(place, value.is_number() ? "the index " + value.dump() : "no index",
                 "a number below " + std::to_string(count));
        return value.get<std::uint32_t>();
    }
    [[nodiscard]] std::size_t size_of(const Json& object, const char* key, std::size_t fallback,
                                      const std::string& place) const
    {
        const auto found = object.find(key);
        if (found == object.end()) return fallback;
        if (!found->is_number_unsigned() || found->get<std::uint64_t>() > max_file_bytes)
            fail(place + "." + key, "no size", "a whole number of bytes or elements");
        return found->get<std::size_t>();
    }
    [[nodiscard]] std::vector<double> reals(const Json& object, const char* key, std::size_t count,
                                            const std::string& place) const
    {
        const auto found = object.find(key);
        if (found == object.end()) return {};
        std::vector<double> v;
        if (found->is_array())
            for (const Json& number : *found)
                if (number.is_number() && std::abs(number.get<double>()) <= 1e12)
                    v.push_back(number.get<double>());
        if (!found->is_array() || found->size() != count || v.size() != count)
            fail(place + "." + key, "something else", std::to_string(count) + " numbers");
        return v;
    }
    [[nodiscard]] static std::string text_of(const Json& object, const char* key)
    {
        const auto found = object.find(key);
        return found != object.end() && found->is_string() ? found->get<std::string>()
                                                           : std::string();
    }

    void read_asset()
    {
        const auto asset = json_.find("asset");
        const std::string version =
            asset != json_.end() && asset->is_object() ? text_of(*asset, "version") : "";
        if (version.substr(0, 2) != "2.") fail("asset.version", "\"" + version + "\"", "2.0");
        const auto required = json_.find("extensionsRequired");
        if (required != json_.end() && required->is_array())
            for (const Json& e : *required) {
                const auto extension = e.is_string() ? e.get<std::string>() : std::string();
                // Those that change how a surface looks change nothing here.
                if (extension.starts_with("KHR_materials") ||
                    extension == "KHR_texture_transform" || extension == "KHR_texture_basisu" ||
                    extension == "EXT_texture_webp" || extension.starts_with("KHR_lights"))
                    continue;
                fail("extensionsRequired", "the extension \"" + extension + "\"",
                     "a file without it: export without compression");
            }
    }

    // --- buffers --------------------------------------------------------------------------------

    void read_buffers()
    {
        const Json& buffers = list("buffers");
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            const std::string place = "buffers[" + std::to_string(i) + "]";
            const std::size_t length = size_of(buffers[i], "byteLength", 0, place);
            const std::string uri = text_of(buffers[i], "uri");
            if (uri.empty()) {
                if (i != 0 || binary_.size() < length)
                    fail(place, "no data",
                         "a uri, or a binary chunk of " + std::to_string(length) + " bytes");
                views_of_buffers_.push_back(binary_);
                continue;
            }
            if (uri.starts_with("data:")) {
                const std::size_t comma = uri.find(";base64,");
                const auto data = comma == std::string::npos
                                      ? std::nullopt
                                      : decode_base64(std::string_view(uri).substr(comma + 8));
                if (!data) fail(place + ".uri", "data that are not base64", "base64");
                owned_.push_back(*data);
            } else {
                owned_.push_back(read_buffer_(uri));
            }
            if (owned_.back().size() < length)
                fail(place, std::to_string(owned_.back().size()) + " bytes",
                     std::to_string(length) + ", as byteLength says");
            owned_index_.push_back(i);
            views_of_buffers_.emplace_back();
        }
        for (std::size_t k = 0; k < owned_.size(); ++k) // no longer moves
            views_of_buffers_[owned_index_[k]] = owned_[k];
    }

    struct Accessor {
        std::string_view bytes;
        std::size_t count = 0, stride = 0, components = 0;
        int type = 0;
        bool normalized = false;
        std::vector<char> own{}; // what `bytes` shows of a sparse one
    };

    static std::size_t component_size(int type)
    {
        switch (type) {
        case 5120: // int8
        case 5121: // uint8
            return 1;
        case 5122: // int16
        case 5123: // uint16
            return 2;
        case 5125: // uint32
        case 5126: // float
            return 4;
        default:
            return 0;
        }
    }

    struct View {
        std::string_view bytes;
        std::size_t stride = 0;
    };

    /// The bytes that an object with "bufferView" and "byteOffset" means.
    /// \param element, count what has to fit in [bytes], elements
    View view_of(const Json& object, const std::string& place, std::size_t element,
                 std::size_t count)
    {
        const Json& views = list("bufferViews");
        const std::uint32_t v = index_of(object, "bufferView", views.size(), place);
        if (v == GltfFile::none) fail(place, "no bufferView", "one");
        const std::string view_place = "bufferViews[" + std::to_string(v) + "]";
        const std::uint32_t b = index_of(views[v], "buffer", views_of_buffers_.size(), view_place);
        if (b == GltfFile::none) fail(view_place, "no buffer", "one");
        const std::string_view buffer = views_of_buffers_[b];
        const std::size_t start = size_of(views[v], "byteOffset", 0, view_place);
        const std::size_t length = size_of(views[v], "byteLength", 0, view_place);
        if (start > buffer.size() || length > buffer.size() - start)
            fail(view_place, "bytes outside the buffer", "a range inside it");
        const std::size_t stride = size_of(views[v], "byteStride", element, view_place);
        if (stride < element || stride > 252 + element)
            fail(view_place + ".byteStride", std::to_string(stride),
                 "at least an element's " + std::to_string(element) + " bytes");
        const std::size_t offset = size_of(object, "byteOffset", 0, place);
        if (offset > length || (count > 0 && (length - offset < element ||
                                              (length - offset - element) / stride < count - 1)))
            fail(place, std::to_string(count) + " elements", "as many as its view has room for");
        return {buffer.substr(start + offset, length - offset), stride};
    }

    [[nodiscard]] int component_type(const Json& object, const std::string& place) const
    {
        const auto type = object.find("componentType");
        if (type == object.end() || !type->is_number_unsigned() ||
            component_size(int(type->get<std::uint64_t>() & 0xffff)) == 0)
            fail(place + ".componentType", "an unknown type", "5120 to 5126");
        return type->get<int>();
    }

    Accessor accessor(std::uint32_t i)
    {
        const std::string place = "accessors[" + std::to_string(i) + "]";
        const Json& a = list("accessors")[i];
        Accessor out;
        out.count = size_of(a, "count", 0, place);
        out.type = component_type(a, place);
        static const std::map<std::string, std::size_t> kinds{
            {"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT4", 16}};
        const auto kind = kinds.find(text_of(a, "type"));
        if (kind == kinds.end())
            fail(place + ".type", "\"" + text_of(a, "type") + "\"", "SCALAR, VEC2 to VEC4 or MAT4");
        out.components = kind->second;
        const auto normalized = a.find("normalized");
        out.normalized =
            normalized != a.end() && normalized->is_boolean() && normalized->get<bool>();
        const std::size_t element = out.components * component_size(out.type);
        const auto sparse = a.find("sparse");
        if (sparse == a.end() || a.contains("bufferView")) {
            const View view = view_of(a, place, element, out.count);
            out.bytes = view.bytes;
            out.stride = view.stride;
        }
        if (sparse != a.end()) apply_sparse(*sparse, place + ".sparse", element, out);
        return out;
    }

    /// Elements that differ from those of the view, or from zero where there is none.
    void apply_sparse(const Json& sparse, const std::string& place, std::size_t element,
                      Accessor& out)
    {
        std::size_t room = sparse_bytes;
        for (const std::string_view buffer : views_of_buffers_)
            room = std::max(room, buffer.size());
        if (out.count > room / element)
            fail(place, std::to_string(out.count) + " elements in all",
                 "at most " + std::to_string(room / element) + " in a file of this size");
        out.own.assign(out.count * element, 0);
        if (!out.bytes.empty())
            for (std::size_t k = 0; k < out.count; ++k)
                std::memcpy(out.own.data() + k * element, out.bytes.data() + k * out.stride,
                            element);
        out.bytes = {out.own.data(), out.own.size()};
        out.stride = element;

        const auto part = [&](const char* key) -> const Json& {
            const auto found = sparse.is_object() ? sparse.find(key) : sparse.end();
            if (!sparse.is_object() || found == sparse.end() || !found->is_object())
                fail(place, std::string("no ") + key, "count, indices and values");
            return *found;
        };
        const Json &indices = part("indices"), &values = part("values");
        Accessor where;
        where.count = size_of(sparse, "count", 0, place);
        where.type = component_type(indices, place + ".indices");
        if (where.type != 5121 && where.type != 5123 && where.type != 5125)
            fail(place + ".indices", "another type", "unsigned integers");
        const View index_view =
            view_of(indices, place + ".indices", component_size(where.type), where.count);
        where.bytes = index_view.bytes;
        where.stride = index_view.stride;
        const View value_view = view_of(values, place + ".values", element, where.count);
        for (std::size_t k = 0; k < where.count; ++k) {
            const double at = component(where, k, 0);
            if (at >= double(out.count))
                fail(place + ".indices", "the index " + std::to_string(std::size_t(at)),
                     "below " + std::to_string(out.count));
            std::memcpy(out.own.data() + std::size_t(at) * element,
                        value_view.bytes.data() + k * value_view.stride, element);
        }
    }

    [[nodiscard]] static double component(const Accessor& a, std::size_t i, std::size_t c)
    {
        const char* p = a.bytes.data() + i * a.stride + c * component_size(a.type);
        const auto read = [&](auto value) {
            std::memcpy(&value, p, sizeof value);
            return value;
        };
        switch (a.type) {
        case 5120:
            return a.normalized ? std::max(read(std::int8_t{}) / 127.0, -1.0)
                                : double(read(std::int8_t{}));
        case 5121:
            return a.normalized ? read(std::uint8_t{}) / 255.0 : double(read(std::uint8_t{}));
        case 5122:
            return a.normalized ? std::max(read(std::int16_t{}) / 32767.0, -1.0)
                                : double(read(std::int16_t{}));
        case 5123:
            return a.normalized ? read(std::uint16_t{}) / 65535.0 : double(read(std::uint16_t{}));
        case 5125:
            return double(read(std::uint32_t{}));
        default:
            return double(read(float{}));
        }
    }

    /// Rows of up to four numbers.
    std::vector<Vec4> rows(std::uint32_t i, std::size_t components, const char* what)
    {
        const Accessor a = accessor(i);
        const std::string place = "accessors[" + std::to_string(i) + "]";
        if (a.components != components)
            fail(place, "elements of " + std::to_string(a.components) + " numbers",
                 std::to_string(components) + " for " + what);
        std::vector<Vec4> out(a.count);
        for (std::size_t k = 0; k < a.count; ++k)
            for (std::size_t c = 0; c < components; ++c) {
                out[k][c] = component(a, k, c);
                if (!(std::abs(out[k][c]) <= 1e12))
                    fail(place, "a number that is not finite", "finite numbers");
            }
        return out;
    }

    // --- meshes ---------------------------------------------------------------------------------

    void read_meshes()
    {
        const Json& meshes = list("meshes");
        for (std::size_t m = 0; m < meshes.size(); ++m) {
            GltfFile::Mesh mesh;
            mesh.name = text_of(meshes[m], "name");
            const auto primitives = meshes[m].find("primitives");
            const std::string place = "meshes[" + std::to_string(m) + "]";
            if (primitives == meshes[m].end() || !primitives->is_array())
                fail(place, "no primitives", "an array of them");
            SeenVertices seen;
            for (std::size_t p = 0; p < primitives->size(); ++p)
                read_primitive((*primitives)[p], place + ".primitives[" + std::to_string(p) + "]",
                               mesh, seen);
            if (!mesh.targets.empty())
                mesh.target_weights = reals(meshes[m], "weights", mesh.targets.size(), place);
            mesh.target_weights.resize(mesh.targets.size());
            out_.meshes.push_back(std::move(mesh));
        }
    }

    /// Numbers of a vertex that make it another: where it is, what carries it, how it morphs.
    using SeenVertices = std::map<std::vector<double>, std::uint32_t>;

    /// How the morph targets of a primitive move its vertices, a target at a time.
    std::vector<std::vector<Vec4>> read_targets(const Json& p, const std::string& place,
                                                std::size_t vertices)
    {
        std::vector<std::vector<Vec4>> moves;
        const auto targets = p.find("targets");
        if (targets == p.end()) return moves;
        if (!targets->is_array()) fail(place + ".targets", "something else", "an array");
        for (const Json& target : *targets) {
            if (!target.is_object()) fail(place + ".targets", "something else", "objects");
            if (moves_ += vertices; moves_ > most_moves)
                fail(place + ".targets", "too many morph targets",
                     "at most " + std::to_string(most_moves) + " moves of vertices");
            const std::uint32_t a =
                index_of(target, "POSITION", list("accessors").size(), place + ".targets");
            // A target may change normals only.
            moves.push_back(a == GltfFile::none ? std::vector<Vec4>(vertices)
                                                : rows(a, 3, "a morph target"));
            if (moves.back().size() != vertices)
                fail(place + ".targets", "attributes of different counts", "one a vertex of each");
        }
        return moves;
    }

    void read_primitive(const Json& p, const std::string& place, GltfFile::Mesh& mesh,
                        SeenVertices& seen)
    {
        const std::size_t accessors = list("accessors").size();
        if (!p.is_object()) fail(place, "something else", "an object");
        if (const auto mode = p.find("mode"); mode != p.end() && *mode != 4) {
            note("points, lines, strips and fans are not read: only separate triangles");
            return;
        }
        if (const auto e = p.find("extensions");
            e != p.end() && e->is_object() && e->contains("KHR_draco_mesh_compression"))
            fail(place, "a compressed mesh", "a file exported without compression");
        const auto attributes = p.find("attributes");
        if (attributes == p.end() || !attributes->is_object())
            fail(place, "no attributes", "at least POSITION");
        const std::uint32_t position = index_of(*attributes, "POSITION", accessors, place);
        if (position == GltfFile::none) fail(place, "no POSITION", "it");
        const auto x = rows(position, 3, "POSITION");
        const std::uint32_t joints = index_of(*attributes, "JOINTS_0", accessors, place);
        const std::uint32_t weights = index_of(*attributes, "WEIGHTS_0", accessors, place);
        if (attributes->contains("JOINTS_1"))
            note("more than four joints per vertex: only the first four are used");
        std::vector<Vec4> j, w;
        if (joints != GltfFile::none && weights != GltfFile::none) {
            const Accessor a = accessor(joints);
            if (a.normalized || (a.type != 5121 && a.type != 5123))
                fail("accessors[" + std::to_string(joints) + "]", "another type of joints",
                     "plain unsigned bytes or shorts (5121, 5123)");
            j = rows(joints, 4, "JOINTS_0");
            w = rows(weights, 4, "WEIGHTS_0");
            if (j.size() != x.size() || w.size() != x.size())
                fail(place, "attributes of different counts", "one a vertex of each");
        }
        if (!mesh.x.empty() && mesh.joints.empty() != j.empty())
            fail(place, "a primitive with joints beside one without", "all or none");
        const auto moves = read_targets(p, place, x.size());
        if (mesh.x.empty()) mesh.targets.resize(moves.size());
        if (mesh.targets.size() != moves.size())
            fail(place + ".targets", std::to_string(moves.size()) + " morph targets",
                 std::to_string(mesh.targets.size()) + ", as the primitive before");

        std::vector<std::uint32_t> vertex(x.size());
        for (std::size_t k = 0; k < x.size(); ++k) {
            std::vector<double> key{x[k][0], x[k][1], x[k][2]};
            for (double c : {x[k][0], x[k][1], x[k][2]})
                if (!(std::abs(c) <= largest))
                    fail(place, "a vertex beyond 1e6", "smaller numbers");
            std::array<std::uint32_t, 4> js{};
            Vec4 ws{};
            if (!j.empty()) {
                double sum = 0;
                for (std::size_t c = 0; c < 4; ++c) {
                    js[c] = std::uint32_t(j[k][c]);
                    ws[c] = std::max(w[k][c], 0.0);
                    sum += ws[c];
                    key.push_back(j[k][c]);
                    key.push_back(w[k][c]);
                }
                if (!(sum > 0)) fail(place, "a vertex without weights", "weights that sum to 1");
                ws /= sum;
            }
            for (const auto& move : moves)
                key.insert(key.end(), move[k].e.begin(), move[k].e.end());
            const auto [it, is_new] = seen.emplace(std::move(key), std::uint32_t(mesh.x.size()));
            vertex[k] = it->second;
            if (!is_new) continue;
            mesh.x.push_back({x[k][0], x[k][1], x[k][2]});
            for (std::size_t t = 0; t < moves.size(); ++t)
                mesh.targets[t].push_back({moves[t][k][0], moves[t][k][1], moves[t][k][2]});
            if (!j.empty()) {
                mesh.joints.push_back(js);
                mesh.weights.push_back(ws);
            }
        }
        read_faces(p, place, vertex, mesh);
    }

    void read_faces(const Json& p, const std::string& place,
                    const std::vector<std::uint32_t>& vertex, GltfFile::Mesh& mesh)
    {
        std::vector<std::uint32_t> corner;
        const std::uint32_t indices = index_of(p, "indices", list("accessors").size(), place);
        if (indices == GltfFile::none) {
            corner = vertex;
        } else {
            const Accessor a = accessor(indices);
            if (a.components != 1 || (a.type != 5121 && a.type != 5123 && a.type != 5125))
                fail(place + ".indices", "another type", "SCALAR of unsigned integers");
            for (std::size_t k = 0; k < a.count; ++k) {
                const double i = component(a, k, 0);
                if (i >= double(vertex.size()))
                    fail(place + ".indices", "the index " + std::to_string(std::size_t(i)),
                         "below " + std::to_string(vertex.size()));
                corner.push_back(vertex[std::size_t(i)]);
            }
        }
        if (corner.size() % 3 != 0)
            fail(place, std::to_string(corner.size()) + " corners", "a multiple of three");
        for (std::size_t k = 0; k < corner.size(); k += 3) {
            const std::array<std::uint32_t, 3> f{corner[k], corner[k + 1], corner[k + 2]};
            if (f[0] == f[1] || f[1] == f[2] || f[2] == f[0])
                note("triangles with two corners at one place were left out");
            else
                mesh.faces.push_back(f);
        }
    }

    // --- nodes, skins, animations, cameras ------------------------------------------------------

    void read_cameras()
    {
        const Json& cameras = list("cameras");
        for (std::size_t i = 0; i < cameras.size(); ++i) {
            GltfFile::Camera c;
            c.name = text_of(cameras[i], "name");
            const auto p = cameras[i].find("perspective");
            if (p != cameras[i].end() && p->is_object() && p->contains("yfov") &&
                (*p)["yfov"].is_number())
                c.vertical_fov = (*p)["yfov"].get<double>();
            else
                note("cameras without perspective are given a field of view of half a radian");
            if (!(c.vertical_fov > 0) || !(c.vertical_fov < 3.1))
                fail("cameras[" + std::to_string(i) + "]", "a field of view out of range",
                     "0 to 3.1 rad");
            const auto part = [&](const char* key) -> std::optional<double> {
                if (p == cameras[i].end() || !p->is_object() || !p->contains(key)) return {};
                const Json& value = (*p)[key];
                if (!value.is_number() || !(value.get<double>() > 0) ||
                    !std::isfinite(value.get<double>()))
                    fail("cameras[" + std::to_string(i) + "].perspective." + key, value.dump(),
                         "a number above 0");
                return value.get<double>();
            };
            c.aspect = part("aspectRatio");
            c.near = part("znear");
            c.far = part("zfar");
            out_.cameras.push_back(std::move(c));
        }
    }

    void read_nodes()
    {
        const Json& nodes = list("nodes");
        const std::size_t skins = list("skins").size();
        out_.nodes.resize(nodes.size());
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const std::string place = "nodes[" + std::to_string(i) + "]";
            GltfFile::Node& n = out_.nodes[i];
            n.name = text_of(nodes[i], "name");
            n.mesh = index_of(nodes[i], "mesh", out_.meshes.size(), place);
            n.skin = index_of(nodes[i], "skin", skins, place);
            n.camera = index_of(nodes[i], "camera", out_.cameras.size(), place);
            if (const auto m = reals(nodes[i], "matrix", 16, place); !m.empty()) {
                Mat4 matrix{}; // column by column
                for (std::size_t r = 0; r < 4; ++r)
                    for (std::size_t c = 0; c < 4; ++c) matrix(r, c) = m[c * 4 + r];
                n.matrix = matrix;
            }
            if (const auto t = reals(nodes[i], "translation", 3, place); !t.empty())
                n.translation = {t[0], t[1], t[2]};
            if (const auto q = reals(nodes[i], "rotation", 4, place); !q.empty())
                n.rotation = unit({q[0], q[1], q[2], q[3]}, place + ".rotation");
            if (const auto s = reals(nodes[i], "scale", 3, place); !s.empty())
                n.scale = {s[0], s[1], s[2]};
            const std::size_t targets =
                n.mesh == GltfFile::none ? 0 : out_.meshes[n.mesh].targets.size();
            if (targets > 0) n.weights = reals(nodes[i], "weights", targets, place);
            const auto children = nodes[i].find("children");
            if (children == nodes[i].end()) continue;
            if (!children->is_array()) fail(place + ".children", "something else", "an array");
            for (const Json& c : *children) {
                const std::uint32_t child = index_value(c, nodes.size(), place + ".children");
                std::uint32_t& parent = out_.nodes[child].parent;
                if (parent != GltfFile::none)
                    fail(place + ".children", "a node with two parents", "a tree");
                parent = std::uint32_t(i);
            }
        }
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            std::size_t depth = 0;
            for (std::uint32_t n = std::uint32_t(i); n != GltfFile::none; n = out_.nodes[n].parent)
                if (++depth > deepest)
                    fail("nodes[" + std::to_string(i) + "]",
                         "a node that is its own ancestor, or more than 512 levels", "a tree");
        }
        mark_scene();
    }

    /// Nodes of the scene that is shown, with all below them; all nodes where none is.
    void mark_scene()
    {
        const Json& scenes = list("scenes");
        std::vector<bool> roots(out_.nodes.size(), scenes.empty());
        if (!scenes.empty()) {
            std::uint32_t s = index_of(json_, "scene", scenes.size(), "");
            if (s == GltfFile::none) s = 0;
            const auto list_of = scenes[s].find("nodes");
            if (list_of != scenes[s].end() && list_of->is_array())
                for (const Json& n : *list_of)
                    roots[index_value(n, out_.nodes.size(), "scenes.nodes")] = true;
        }
        for (std::size_t i = 0; i < out_.nodes.size(); ++i)
            for (std::uint32_t n = std::uint32_t(i); n != GltfFile::none; n = out_.nodes[n].parent)
                out_.nodes[i].in_scene = out_.nodes[i].in_scene || roots[n];
    }

    [[nodiscard]] Vec4 unit(const Vec4& q, const std::string& place) const
    {
        const double length = norm(q);
        if (!(length > 1e-3)) fail(place, "a quaternion of no length", "one of length 1");
        return q / length;
    }

    void read_skins()
    {
        const Json& skins = list("skins");
        for (std::size_t s = 0; s < skins.size(); ++s) {
            const std::string place = "skins[" + std::to_string(s) + "]";
            GltfFile::Skin skin;
            const auto joints = skins[s].find("joints");
            if (joints == skins[s].end() || !joints->is_array() || joints->empty())
                fail(place, "no joints", "at least one");
            for (const Json& j : *joints)
                skin.joints.push_back(index_value(j, out_.nodes.size(), place + ".joints"));
            skin.inverse_bind.assign(skin.joints.size(), identity<4>());
            const std::uint32_t a =
                index_of(skins[s], "inverseBindMatrices", list("accessors").size(), place);
            if (a != GltfFile::none) {
                const Accessor m = accessor(a);
                if (m.components != 16 || m.type != 5126 || m.count < skin.joints.size())
                    fail(place + ".inverseBindMatrices", "another type or too few",
                         "a MAT4 of floats a joint");
                for (std::size_t j = 0; j < skin.joints.size(); ++j)
                    for (std::size_t r = 0; r < 4; ++r)
                        for (std::size_t c = 0; c < 4; ++c) {
                            const double value = component(m, j, c * 4 + r);
                            if (!(std::abs(value) <= 1e12))
                                fail(place, "a number that is not finite", "finite numbers");
                            skin.inverse_bind[j](r, c) = value;
                        }
            }
            out_.skins.push_back(std::move(skin));
        }
        for (std::size_t i = 0; i < out_.nodes.size(); ++i) {
            const GltfFile::Node& n = out_.nodes[i];
            if (n.mesh == GltfFile::none || n.skin == GltfFile::none) continue;
            const std::size_t count = out_.skins[n.skin].joints.size();
            for (const auto& js : out_.meshes[n.mesh].joints)
                for (std::uint32_t j : js)
                    if (j >= count)
                        fail("nodes[" + std::to_string(i) + "]", "joint " + std::to_string(j),
                             "the skin has " + std::to_string(count));
        }
    }

    void read_animations()
    {
        const Json& animations = list("animations");
        for (std::size_t a = 0; a < animations.size(); ++a) {
            const std::string place = "animations[" + std::to_string(a) + "]";
            GltfFile::Animation animation;
            animation.name = text_of(animations[a], "name");
            const auto channels = animations[a].find("channels");
            const auto samplers = animations[a].find("samplers");
            if (channels == animations[a].end() || !channels->is_array() ||
                samplers == animations[a].end() || !samplers->is_array())
                fail(place, "no channels or samplers", "arrays of both");
            for (std::size_t c = 0; c < channels->size(); ++c)
                read_channel((*channels)[c], *samplers,
                             place + ".channels[" + std::to_string(c) + "]", animation);
            out_.animations.push_back(std::move(animation));
        }
    }

    void read_channel(const Json& json, const Json& samplers, const std::string& place,
                      GltfFile::Animation& animation)
    {
        if (!json.is_object()) fail(place, "something else", "an object");
        const auto target = json.find("target");
        if (target == json.end() || !target->is_object()) fail(place, "no target", "one");
        GltfFile::Channel channel;
        channel.node = index_of(*target, "node", out_.nodes.size(), place + ".target");
        if (channel.node == GltfFile::none) return; // of an extension
        static const std::map<std::string, GltfFile::Path> paths{
            {"translation", GltfFile::Path::translation},
            {"rotation", GltfFile::Path::rotation},
            {"scale", GltfFile::Path::scale},
            {"weights", GltfFile::Path::weights}};
        const auto path = paths.find(text_of(*target, "path"));
        if (path == paths.end())
            fail(place + ".target.path", "\"" + text_of(*target, "path") + "\"",
                 "translation, rotation, scale or weights");
        channel.path = path->second;
        const std::uint32_t s = index_of(json, "sampler", samplers.size(), place);
        if (s == GltfFile::none || !samplers[s].is_object()) fail(place, "no sampler", "one");
        const std::size_t accessors = list("accessors").size();
        const std::uint32_t input = index_of(samplers[s], "input", accessors, place);
        const std::uint32_t output = index_of(samplers[s], "output", accessors, place);
        if (input == GltfFile::none || output == GltfFile::none)
            fail(place, "a sampler without input or output", "both");
        const std::string how = text_of(samplers[s], "interpolation");
        channel.interpolation = how == "STEP"          ? GltfFile::Interpolation::step
                                : how == "CUBICSPLINE" ? GltfFile::Interpolation::cubic
                                                       : GltfFile::Interpolation::linear;
        for (const Vec4& t : rows(input, 1, "times")) channel.times.push_back(t[0]);
        if (channel.times.empty()) fail(place, "no keys", "at least one");
        for (std::size_t k = 1; k < channel.times.size(); ++k)
            if (!(channel.times[k] > channel.times[k - 1]))
                fail(place, "times that do not rise", "rising times");
        const bool turn = channel.path == GltfFile::Path::rotation;
        const bool morph = channel.path == GltfFile::Path::weights;
        const std::uint32_t mesh = out_.nodes[channel.node].mesh;
        const std::size_t targets = !morph                   ? 1
                                    : mesh == GltfFile::none ? 0
                                                             : out_.meshes[mesh].targets.size();
        if (targets == 0) {
            note("weights are animated of a node without morph targets: ignored");
            return;
        }
        channel.values = rows(output, morph ? 1 : turn ? 4 : 3, "values");
        const std::size_t each =
            targets * (channel.interpolation == GltfFile::Interpolation::cubic ? 3 : 1);
        if (channel.values.size() != each * channel.times.size())
            fail(place, std::to_string(channel.values.size()) + " values",
                 std::to_string(each * channel.times.size()));
        if (turn && each == 1)
            for (Vec4& q : channel.values) q = unit(q, place);
        if (morph) {
            for (const Vec4& w : channel.values) channel.weights.push_back(w[0]);
            channel.values.clear();
        }
        animation.end = std::max(animation.end, channel.times.back());
        animation.channels.push_back(std::move(channel));
    }

    std::string_view bytes_, binary_;
    std::string name_;
    GltfBufferReader read_buffer_;
    Json json_;
    std::vector<std::string> owned_;
    std::vector<std::size_t> owned_index_;
    std::vector<std::string_view> views_of_buffers_;
    std::size_t moves_ = 0; // of vertices by morph targets
    GltfFile out_;
};

Vec4 slerp(const Vec4& a, Vec4 b, double s)
{
    double c = dot(a, b);
    if (c < 0) { // the nearer of the two names of a turn
        b = -b;
        c = -c;
    }
    if (c > 0.9999) return normalized((1 - s) * a + s * b);
    const double angle = std::acos(c);
    return (std::sin((1 - s) * angle) * a + std::sin(s * angle) * b) / std::sin(angle);
}

/// What a channel says at a time, from `count` rows a key (a weight of each morph target) or one.
/// \param rows a key's rows together; with cubic: in, value, out
/// \param turn whether they are quaternions
template <class Row>
std::vector<Row> values_at(const GltfFile::Channel& c, const std::vector<Row>& rows,
                           std::size_t count, bool turn, double time)
{
    const bool cubic = c.interpolation == GltfFile::Interpolation::cubic;
    const auto next = std::upper_bound(c.times.begin(), c.times.end(), time);
    const auto k = std::size_t(std::max<std::ptrdiff_t>(next - c.times.begin() - 1, 0));
    const bool is_key = next == c.times.begin() || next == c.times.end() ||
                        c.interpolation == GltfFile::Interpolation::step;
    const double h = is_key ? 1 : c.times[k + 1] - c.times[k], s = (time - c.times[k]) / h;
    std::vector<Row> out(count);
    for (std::size_t i = 0; i < count; ++i) {
        // which: 0 in, 1 value, 2 out
        const auto at = [&](std::size_t key, std::size_t which) {
            return rows[(cubic ? 3 * key + which : key) * count + i];
        };
        if (is_key) {
            out[i] = at(k, 1);
        } else if (cubic) {
            out[i] = (1 + 2 * s) * (1 - s) * (1 - s) * at(k, 1) +
                     s * (1 - s) * (1 - s) * (h * at(k, 2)) + s * s * (3 - 2 * s) * at(k + 1, 1) +
                     s * s * (s - 1) * (h * at(k + 1, 0));
        } else {
            if constexpr (std::is_same_v<Row, Vec4>)
                if (turn) {
                    out[i] = slerp(at(k, 1), at(k + 1, 1), s);
                    continue;
                }
            out[i] = (1 - s) * at(k, 1) + s * at(k + 1, 1);
        }
    }
    return out;
}

Vec4 value_at(const GltfFile::Channel& c, double time)
{
    const bool turn = c.path == GltfFile::Path::rotation;
    const Vec4 v = values_at(c, c.values, 1, turn, time)[0];
    if (!turn) return v;
    const double length = norm(v);
    return length > 0 ? v / length : Vec4{0, 0, 0, 1};
}

} // namespace

GltfFile parse_gltf(std::string_view bytes, const std::string& name, GltfBufferReader read_buffer)
{
    return GltfParser(bytes, name, read_buffer).run();
}

GltfFile read_gltf(const std::filesystem::path& path)
{
    const FileBytes bytes = read_file_bytes(path);
    const auto beside = [&](const std::string& uri) {
        // A name in the same folder or below it; a file must not reach elsewhere.
        const std::filesystem::path part(uri);
        bool good = !part.is_absolute() && uri.find(':') == std::string::npos;
        for (const auto& step : part) good = good && step != "..";
        if (!good)
            throw InputError(Problem{path.string(), "buffers", "the uri \"" + uri + "\"",
                                     "a file beside this one"});
        const FileBytes more = read_file_bytes(path.parent_path() / part);
        return std::string(more.text());
    };
    return parse_gltf(bytes.text(), path.string(), beside);
}

std::vector<GltfInstance> gltf_instances(const GltfFile& file)
{
    std::vector<GltfInstance> out;
    for (std::size_t i = 0; i < file.nodes.size(); ++i) {
        const GltfFile::Node& n = file.nodes[i];
        if (n.in_scene && n.mesh != GltfFile::none && !file.meshes[n.mesh].faces.empty())
            out.push_back({std::uint32_t(i), n.mesh});
    }
    return out;
}

GltfPose gltf_pose(const GltfFile& file, const GltfFile::Animation* animation, double time)
{
    std::vector<GltfFile::Node> nodes = file.nodes;
    for (GltfFile::Node& n : nodes)
        if (n.mesh != GltfFile::none && n.weights.empty())
            n.weights = file.meshes[n.mesh].target_weights;
    if (animation != nullptr)
        for (const GltfFile::Channel& c : animation->channels) {
            GltfFile::Node& n = nodes[c.node];
            if (c.path == GltfFile::Path::weights) {
                n.weights = values_at(c, c.weights, n.weights.size(), false, time);
                continue;
            }
            const Vec4 v = value_at(c, time);
            n.matrix.reset(); // animated nodes have none, by the standard
            if (c.path == GltfFile::Path::rotation)
                n.rotation = v;
            else
                (c.path == GltfFile::Path::translation ? n.translation : n.scale) = {v[0], v[1],
                                                                                     v[2]};
        }
    GltfPose pose;
    std::vector<Mat4> local(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i)
        local[i] =
            nodes[i].matrix.value_or(trs(nodes[i].translation, nodes[i].rotation, nodes[i].scale));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        Mat4 world = local[i];
        for (std::uint32_t p = nodes[i].parent; p != GltfFile::none; p = nodes[p].parent)
            world = local[p] * world;
        pose.transforms.push_back(world);
        pose.weights.push_back(std::move(nodes[i].weights));
    }
    return pose;
}

std::vector<Vec3> gltf_points(const GltfFile& file, const GltfInstance& instance,
                              const GltfPose& pose)
{
    const GltfFile::Mesh& mesh = file.meshes[instance.mesh];
    const GltfFile::Node& node = file.nodes[instance.node];
    std::vector<Vec3> x = mesh.x;
    for (std::size_t t = 0; t < mesh.targets.size(); ++t)
        if (const double weight = pose.weights[instance.node][t]; weight != 0)
            for (std::size_t i = 0; i < x.size(); ++i) x[i] += weight * mesh.targets[t][i];
    if (node.skin == GltfFile::none || mesh.joints.empty()) {
        for (Vec3& p : x) p = apply(pose.transforms[instance.node], p);
        return x;
    }
    // By the standard a skinned mesh is placed by its joints alone.
    const GltfFile::Skin& skin = file.skins[node.skin];
    std::vector<Mat4> joint(skin.joints.size());
    for (std::size_t j = 0; j < joint.size(); ++j)
        joint[j] = pose.transforms[skin.joints[j]] * skin.inverse_bind[j];
    for (std::size_t i = 0; i < x.size(); ++i) {
        Vec3 sum{};
        for (std::size_t c = 0; c < 4; ++c)
            if (mesh.weights[i][c] > 0)
                sum += mesh.weights[i][c] * apply(joint[mesh.joints[i][c]], x[i]);
        x[i] = sum;
    }
    return x;
}

} // namespace pleat
