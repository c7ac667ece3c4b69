// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Layout, all numbers little-endian:
//   8 bytes  "PLEATCKP"
//   u32      version
//   u32      0
//   u64      size of the content
//   u64      size of the packed content, which is all that follows the head
//   u64      hash of the five fields above and the packed content
// The content is a sequence of arrays, each: u32 length of the name, name, u32 size of one value,
// u64 count, values.
#include "pleat/sim/checkpoint.hpp"

#include "pleat/core/atomic_file.hpp"
#include "pleat/core/error.hpp"
#include "pleat/core/hash.hpp"
#include "pleat/io/file_bytes.hpp"
#include "pleat/mesh/mesh_arrays.hpp"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace pleat {

namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "values are written as they are");

constexpr std::string_view magic = "PLEATCKP";
constexpr int packing_level = 3; // zstd's own default; higher ones gain a few per cent
// Cloth at rest compresses by a factor of about ten; a file that claims far more is invalid and
// could exhaust the memory.
constexpr std::uint64_t most_packing = 1024;
constexpr std::size_t fixed_room = 65536; // what a file may claim however small it is [bytes]

struct Head {
    std::array<char, 8> magic;
    std::uint32_t version;
    std::uint32_t reserved;
    std::uint64_t size;
    std::uint64_t packed_size;
    std::uint64_t hash;
};
static_assert(sizeof(Head) == 40 && std::has_unique_object_representations_v<Head>);

std::uint64_t hash_of(const Head& head, std::string_view packed)
{
    Hash h;
    h.add_bytes(&head, offsetof(Head, hash));
    h.add_bytes(packed.data(), packed.size());
    return h.value();
}

// --- content ------------------------------------------------------------------------------------

class Writer {
public:
    template <class T> void array(std::string_view name, std::span<const T> values)
    {
        static_assert(std::is_trivially_copyable_v<T>);
        number(static_cast<std::uint32_t>(name.size()));
        bytes_ += name;
        number(static_cast<std::uint32_t>(sizeof(T)));
        number(static_cast<std::uint64_t>(values.size()));
        bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    }
    template <class T> void array(std::string_view name, const std::vector<T>& values)
    {
        array(name, std::span<const T>(values));
    }
    template <class T> void value(std::string_view name, const T& value)
    {
        array(name, std::span<const T>(&value, 1));
    }
    [[nodiscard]] std::string take() { return std::move(bytes_); }

private:
    template <class T> void number(T n)
    {
        bytes_.append(reinterpret_cast<const char*>(&n), sizeof n);
    }
    std::string bytes_;
};

class Reader {
public:
    Reader(std::string_view bytes, std::string file) : rest_(bytes), file_(std::move(file)) {}

    template <class T> void array(std::string_view name, std::vector<T>& values)
    {
        static_assert(std::is_trivially_copyable_v<T>);
        const auto length = number<std::uint32_t>(name);
        if (length != name.size() || length > rest_.size() || rest_.substr(0, length) != name)
            refuse("no array \"" + std::string(name) + "\" where it belongs");
        rest_.remove_prefix(length);
        const auto size = number<std::uint32_t>(name);
        const auto count = number<std::uint64_t>(name);
        if (size != sizeof(T) || count > rest_.size() / sizeof(T))
            refuse("array \"" + std::string(name) + "\" of " + std::to_string(count) +
                   " values of " + std::to_string(size) + " bytes, which it cannot have");
        values.resize(count);
        if (count > 0) std::memcpy(values.data(), rest_.data(), count * sizeof(T));
        rest_.remove_prefix(count * sizeof(T));
    }
    template <class T> void value(std::string_view name, T& value)
    {
        std::vector<T> one;
        array(name, one);
        if (one.size() != 1) refuse("not one \"" + std::string(name) + "\"");
        value = one[0];
    }
    void done() const
    {
        if (!rest_.empty()) refuse(std::to_string(rest_.size()) + " bytes too many");
    }
    [[noreturn]] void refuse(std::string found) const
    {
        throw InputError(
            Problem{file_, "", std::move(found), "a checkpoint that this version of Pleat wrote"});
    }

private:
    template <class T> T number(std::string_view name)
    {
        T n{};
        if (rest_.size() < sizeof n)
            refuse("an end in the middle of \"" + std::string(name) + "\"");
        std::memcpy(&n, rest_.data(), sizeof n);
        rest_.remove_prefix(sizeof n);
        return n;
    }
    std::string_view rest_;
    std::string file_;
};

template <class Stream> constexpr bool is_reader = std::is_same_v<Stream, Reader>;

// Each of the following works in both directions: a Writer takes values from its argument (const),
// a Reader fills it. So the content is described once.

/// A number that is stored as another type, which holds all its values.
template <class Stored, class Stream, class T>
void number(Stream& stream, const char* name, T& value)
{
    auto stored = static_cast<Stored>(value);
    stream.value(name, stored);
    if constexpr (is_reader<Stream>) value = static_cast<T>(stored);
}

/// One kind of number of every element, as an array of its own: packs better, and has no padding.
template <class Stream, class Elements, class Get>
void column(Stream& stream, const char* name, Elements& elements, Get get)
{
    std::vector<std::remove_cvref_t<decltype(get(elements[0]))>> values;
    values.reserve(elements.size());
    for (auto& e : elements) values.push_back(get(e));
    stream.array(name, values);
    if constexpr (is_reader<Stream>) {
        if (values.size() != elements.size())
            stream.refuse("array \"" + std::string(name) + "\" of " +
                          std::to_string(values.size()) + " values, not " +
                          std::to_string(elements.size()));
        for (std::size_t i = 0; i < values.size(); ++i) get(elements[i]) = values[i];
    }
}

/// How many elements there are; a file cannot promise more than it could hold.
template <class Stream, class Elements>
void count(Stream& stream, const char* name, Elements& elements, std::size_t most)
{
    std::uint64_t n = elements.size();
    stream.value(name, n);
    if constexpr (is_reader<Stream>) {
        if (n > most)
            stream.refuse(std::to_string(n) + " " + name + ", more than there is room for");
        elements.resize(n);
    }
}

template <class Stream, class Arrays>
void transfer_mesh(Stream& stream, Arrays& a, std::size_t most)
{
    count(stream, "verts", a.verts, most);
    column(
        stream, "vert_node", a.verts, [](auto& v) -> auto& { return v.node; });
    column(
        stream, "vert_u", a.verts, [](auto& v) -> auto& { return v.u; });
    count(stream, "nodes", a.nodes, most);
    column(
        stream, "node_face", a.nodes, [](auto& n) -> auto& { return n.face; });
    column(
        stream, "node_kind", a.nodes, [](auto& n) -> auto& { return n.kind; });
    count(stream, "edges", a.edges, most);
    column(
        stream, "edge_nodes", a.edges, [](auto& e) -> auto& { return e.nodes; });
    column(
        stream, "edge_faces", a.edges, [](auto& e) -> auto& { return e.faces; });
    std::vector<std::uint8_t> keep; // not bool, for which some bit patterns are invalid
    for (const Mesh::Edge& e : a.edges) keep.push_back(e.keep ? 1 : 0);
    column(
        stream, "edge_keep", keep, [](auto& k) -> auto& { return k; });
    if constexpr (is_reader<Stream>)
        for (std::size_t i = 0; i < keep.size(); ++i) a.edges[i].keep = keep[i] != 0;
    count(stream, "faces", a.faces, most);
    column(
        stream, "face_verts", a.faces, [](auto& f) -> auto& { return f.verts; });
    column(
        stream, "face_edges", a.faces, [](auto& f) -> auto& { return f.edges; });
    column(
        stream, "face_panel", a.faces, [](auto& f) -> auto& { return f.panel; });
    number<std::uint64_t>(stream, "panels", a.panel_count);
}

template <class Stream, class Cloths> void transfer_names(Stream& stream, Cloths& cloths)
{
    std::vector<char> bytes; // each name ends in a NUL
    for (const Cloth& c : cloths) {
        bytes.insert(bytes.end(), c.name.begin(), c.name.end());
        bytes.push_back('\0');
    }
    stream.array("cloths", bytes);
    if constexpr (is_reader<Stream>) {
        cloths.clear();
        for (auto at = bytes.begin(); at != bytes.end();) {
            const auto end = std::find(at, bytes.end(), '\0');
            if (end == bytes.end()) stream.refuse("a cloth's name without an end");
            cloths.push_back({std::string(at, end)});
            at = end + 1;
        }
    }
}

template <class Stream, class DependenciesT>
void transfer_dependencies(Stream& stream, DependenciesT& d, std::size_t most)
{
    stream.array("dependency_start", d.start);
    count(stream, "dependency_parents", d.parents, most);
    column(
        stream, "dependency_node", d.parents, [](auto& p) -> auto& { return p.row; });
    column(
        stream, "dependency_weight", d.parents, [](auto& p) -> auto& { return p.weight; });
}

template <class Stream, class Forest>
void transfer_forest(Stream& stream, Forest& f, std::size_t most)
{
    count(stream, "forest_base", f.base, most);
    column(
        stream, "forest_triangles", f.base, [](auto& t) -> auto& { return t; });
    count(stream, "forest_midpoints", f.midpoints, most);
    column(
        stream, "midpoint_vert", f.midpoints, [](auto& m) -> auto& { return m.vert; });
    column(
        stream, "midpoint_parents", f.midpoints, [](auto& m) -> auto& { return m.parents; });
    column(
        stream, "midpoint_split", f.midpoints, [](auto& m) -> auto& { return m.is_split; });
}

/// \param most elements of any kind
template <class Stream, class Sim, class Info>
void transfer(Stream& stream, MeshArrays& mesh, Sim& sim, Info& info, std::size_t most)
{
    number<std::int64_t>(stream, "frames_written", info.so_far.frames_written);
    number<std::int64_t>(stream, "frames_with_intersections",
                         info.so_far.frames_with_intersections);
    number<std::int64_t>(stream, "first_bad_frame", info.so_far.first_bad_frame);
    stream.value("fps", info.fps);
    stream.value("handle_count", info.handle_count);
    stream.array("material_counts", info.material_counts);
    stream.value("scene_hash", info.scene_hash);
    number<std::int64_t>(stream, "frame", sim.frame);
    stream.value("time", sim.time);
    transfer_names(stream, sim.model.cloths);
    stream.array("panel_cloth", sim.model.panel_cloth);
    transfer_mesh(stream, mesh, most);
    const auto field = [&](const char* name, auto& f) { stream.array(name, f.values); };
    visit_fields(sim.model, field);
    transfer_dependencies(stream, sim.model.dependencies, most);
    transfer_forest(stream, sim.model.forest, most);
    visit_fields(sim.state, field);
    stream.value("handles_taken", sim.state.handles_taken);
}

std::size_t count_of(const Mesh& mesh, NodeId)
{
    return mesh.node_count();
}
std::size_t count_of(const Mesh& mesh, EdgeId)
{
    return mesh.edge_count();
}
std::size_t count_of(const Mesh& mesh, FaceId)
{
    return mesh.face_count();
}

bool is_good(double value)
{
    return std::isfinite(value);
}
template <std::size_t N> bool is_good(const Vec<double, N>& value)
{
    return is_finite(value);
}
template <class T> bool is_good(const T&)
{
    return true;
}

void check(const Reader& reader, const Simulation& sim, const CheckpointInfo& info)
{
    const Model& model = sim.model;
    if (sim.frame < 0 || !std::isfinite(sim.time) || !(info.fps > 0) || !std::isfinite(info.fps))
        reader.refuse("frame " + std::to_string(sim.frame) + " at " + std::to_string(sim.time) +
                      " s");
    if (model.panel_cloth.size() != model.mesh.panel_count())
        reader.refuse("cloths for " + std::to_string(model.panel_cloth.size()) + " panels of " +
                      std::to_string(model.mesh.panel_count()));
    for (ClothId c : model.panel_cloth)
        if (index(c) >= model.cloths.size()) reader.refuse("a panel of no cloth");
    if (info.material_counts.size() != model.cloths.size())
        reader.refuse("fabrics for " + std::to_string(info.material_counts.size()) + " cloths of " +
                      std::to_string(model.cloths.size()));
    std::uint64_t materials = 0;
    for (std::uint32_t n : info.material_counts) materials += n;
    for (MaterialId m : model.face_material)
        if (index(m) >= materials) reader.refuse("a face of no fabric");
    const auto field = [&]<class IdT, class T>(const char* name, const Field<IdT, T>& f) {
        if (f.size() != count_of(model.mesh, IdT{}))
            reader.refuse("array \"" + std::string(name) + "\" of " + std::to_string(f.size()) +
                          " values, which does not fit the mesh");
        for (const T& value : f.values)
            if (!is_good(value))
                reader.refuse("a number in \"" + std::string(name) + "\" that is not finite");
    };
    visit_fields(model, field);
    visit_fields(sim.state, field);
    if (const auto problem = find_problem(model.dependencies, model.mesh.node_count());
        !problem.empty())
        reader.refuse("dependencies of nodes that are none (" + problem + ")");
    if (const auto problem = find_problem(model.forest, model.mesh); !problem.empty())
        reader.refuse("a hierarchy of faces that does not fit the mesh (" + problem + ")");
}

} // namespace

std::string encode_checkpoint(const Simulation& sim, const CheckpointInfo& info)
{
    MeshArrays mesh = arrays_of(sim.model.mesh);
    Writer writer;
    transfer(writer, mesh, sim, info, 0);
    return pack_checkpoint(writer.take());
}

std::string pack_checkpoint(std::string_view content)
{
    std::string bytes(sizeof(Head) + ZSTD_compressBound(content.size()), '\0');
    const std::size_t packed =
        ZSTD_compress(bytes.data() + sizeof(Head), bytes.size() - sizeof(Head), content.data(),
                      content.size(), packing_level);
    if (ZSTD_isError(packed) != 0) throw std::bad_alloc(); // the only way this can fail
    bytes.resize(sizeof(Head) + packed);
    Head head{{}, checkpoint_version, 0, content.size(), packed, 0};
    std::copy(magic.begin(), magic.end(), head.magic.begin());
    head.hash = hash_of(head, std::string_view(bytes).substr(sizeof head));
    std::memcpy(bytes.data(), &head, sizeof head);
    return bytes;
}

Checkpoint decode_checkpoint(std::string_view bytes, const std::string& name)
{
    const auto refuse = [&](std::string found, std::string expected) {
        throw InputError(Problem{name, "", std::move(found), std::move(expected)});
    };
    Head head{};
    if (bytes.size() < sizeof head)
        refuse("a file of " + std::to_string(bytes.size()) + " bytes", "a checkpoint of Pleat");
    std::memcpy(&head, bytes.data(), sizeof head);
    if (std::string_view(head.magic.data(), head.magic.size()) != magic)
        refuse("no checkpoint", "a checkpoint of Pleat");
    if (head.version != checkpoint_version)
        refuse("a checkpoint of version " + std::to_string(head.version),
               "version " + std::to_string(checkpoint_version) +
                   "; use the version of Pleat that wrote it");
    const std::string_view packed = bytes.substr(sizeof head);
    if (head.packed_size != packed.size())
        refuse(std::to_string(packed.size()) + " bytes after the header",
               std::to_string(head.packed_size) + "; the file is cut or was added to");
    if (head.hash != hash_of(head, packed))
        refuse("a checksum that does not fit", "a file as it was written; this one is damaged");
    if (head.size > fixed_room + most_packing * packed.size())
        refuse(std::to_string(head.size) + " bytes packed into " + std::to_string(packed.size()),
               "a checkpoint of Pleat");

    std::string content(head.size, '\0');
    const std::size_t unpacked =
        ZSTD_decompress(content.data(), content.size(), packed.data(), packed.size());
    if (ZSTD_isError(unpacked) != 0 || unpacked != content.size())
        refuse("content that cannot be unpacked", "a checkpoint of Pleat");

    Reader reader(content, name);
    Checkpoint c;
    MeshArrays mesh;
    transfer(reader, mesh, c.sim, c.info, content.size());
    reader.done();
    const auto problems = find_array_problems(mesh);
    if (!problems.empty()) reader.refuse("an invalid mesh (" + problems.front() + ")");
    c.sim.model.mesh = mesh_of(std::move(mesh));
    check(reader, c.sim, c.info);
    return c;
}

// --- the folder ---------------------------------------------------------------------------------

namespace {

constexpr std::string_view checkpoint_extension = ".pleat";

} // namespace

fs::path checkpoint_path(const fs::path& folder, int frame)
{
    char digits[16];
    std::snprintf(digits, sizeof digits, "%05d", frame);
    return folder / "checkpoint" / (digits + std::string(checkpoint_extension));
}

std::vector<int> checkpoint_frames(const fs::path& folder)
{
    std::vector<int> frames;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(folder / "checkpoint", code)) {
        const std::string stem = entry.path().stem().string();
        if (stem.size() < 5 || stem.size() > 9 ||
            !std::all_of(stem.begin(), stem.end(), [](char c) { return c >= '0' && c <= '9'; }))
            continue;
        const int frame = std::stoi(stem);
        if (entry.path() == checkpoint_path(folder, frame)) frames.push_back(frame);
    }
    std::sort(frames.begin(), frames.end());
    return frames;
}

void write_checkpoint(const fs::path& folder, const Simulation& sim, const CheckpointInfo& info)
{
    const fs::path path = checkpoint_path(folder, sim.frame);
    std::error_code code;
    fs::create_directories(path.parent_path(), code);
    if (code) throw FileError(path.parent_path().string(), code.message());
    AtomicFile file(path);
    file.append(encode_checkpoint(sim, info));
    file.commit(FileSync::yes);
}

FoundCheckpoint read_checkpoint(const fs::path& folder, std::optional<int> frame)
{
    const std::vector<int> frames = checkpoint_frames(folder);
    FoundCheckpoint found;
    std::vector<Problem> problems;
    for (auto f = frames.rbegin(); f != frames.rend(); ++f) {
        if (frame && *f != *frame) continue;
        const fs::path path = checkpoint_path(folder, *f);
        try {
            const FileBytes bytes = read_file_bytes(path);
            found.checkpoint = decode_checkpoint(bytes.text(), path.string());
            if (found.checkpoint.sim.frame != *f)
                throw InputError(Problem{path.string(), "",
                                         "frame " + std::to_string(found.checkpoint.sim.frame),
                                         "frame " + std::to_string(*f) + ", as its name says"});
            for (const Problem& p : problems) found.refused.push_back(to_string(p));
            return found;
        } catch (const InputError& error) {
            problems.insert(problems.end(), error.problems().begin(), error.problems().end());
        }
    }
    if (problems.empty()) {
        std::string kept;
        for (int f : frames) kept += (kept.empty() ? "" : ", ") + std::to_string(f);
        problems.push_back({folder.string(), frame ? "frame " + std::to_string(*frame) : "",
                            "no checkpoint",
                            kept.empty() ? "a folder of a run that wrote some" : "one of " + kept});
    }
    throw InputError(std::move(problems));
}

void prune_checkpoints(const fs::path& folder, int keep)
{
    const std::vector<int> frames = checkpoint_frames(folder);
    std::error_code ignored; // a file too many does no harm
    for (std::size_t i = 0; i + std::size_t(keep) < frames.size(); ++i)
        fs::remove(checkpoint_path(folder, frames[i]), ignored);
}

} // namespace pleat
