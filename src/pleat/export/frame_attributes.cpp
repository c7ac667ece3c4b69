// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/export/frame_attributes.hpp"

#include "pleat/core/atomic_file.hpp"
#include "pleat/core/error.hpp"
#include "pleat/geometry/decompose.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

namespace pleat {

namespace {

constexpr std::string_view magic = "PLEATATT";
constexpr std::uint32_t version = 4;
constexpr std::uint32_t sizing_bit = 1, generation_bit = 2, panel_bit = 4;
constexpr std::size_t header_bytes = 8 + 4 * sizeof(std::uint32_t);

static_assert(std::endian::native == std::endian::little, "files are little-endian");

template <class T> void put(std::string& bytes, T value)
{
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    bytes.append(raw, sizeof(T));
}

template <class T> T take(std::string_view& bytes)
{
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    bytes.remove_prefix(sizeof(T));
    return value;
}

float take_half(std::string_view& bytes)
{
    return float_from_half(take<std::uint16_t>(bytes));
}

/// \return false where the bytes end before that.
bool take_names(std::string_view& bytes, std::vector<std::string>& names)
{
    if (bytes.size() < sizeof(std::uint32_t)) return false;
    for (auto count = take<std::uint32_t>(bytes); count > 0; --count) {
        if (bytes.size() < sizeof(std::uint32_t)) return false;
        const std::size_t length = take<std::uint32_t>(bytes);
        if (bytes.size() < length) return false;
        names.emplace_back(bytes.substr(0, length));
        bytes.remove_prefix(length);
    }
    return true;
}

} // namespace

std::uint16_t half_from_float(float value)
{
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = std::uint16_t((bits >> 16) & 0x8000u);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return std::uint16_t(sign | 0x7e00u);  // not a number
    if (magnitude >= 0x477ff000u) return std::uint16_t(sign | 0x7c00u); // rounds beyond 65504
    if (magnitude < 0x38800000u) { // below 2^-14: multiples of 2^-24
        const float scaled = std::bit_cast<float>(magnitude) * 0x1p24f;
        return std::uint16_t(sign | std::uint32_t(std::nearbyint(scaled)));
    }
    const std::uint32_t odd = (magnitude >> 13) & 1u;
    return std::uint16_t(sign | ((magnitude - 0x38000000u + 0xfffu + odd) >> 13));
}

float float_from_half(std::uint16_t bits)
{
    const std::uint32_t sign = (bits & 0x8000u) << 16;
    const std::uint32_t exponent = (bits >> 10) & 0x1fu, fraction = bits & 0x3ffu;
    if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13));
    if (exponent == 0) {
        const float small = float(fraction) * 0x1p-24f;
        return sign != 0 ? -small : small;
    }
    return std::bit_cast<float>(sign | ((exponent + 112u) << 23) | (fraction << 13));
}

SizingEllipse sizing_ellipse(const Mat2& metric)
{
    const EigenSym2 s = eigen_symmetric(metric);
    // The larger eigenvalue belongs to the shorter edge.
    const Vec2 along = column(s.vectors, 1);
    constexpr double half_turn = 3.14159265358979323846;
    double angle = std::atan2(along[1], along[0]);
    if (angle > half_turn / 2) angle -= half_turn;
    if (angle <= -half_turn / 2) angle += half_turn;
    return {float(1 / std::sqrt(s.values[1])), float(1 / std::sqrt(s.values[0])), float(angle)};
}

void write_attributes(const std::filesystem::path& path, const FrameAttributes& a)
{
    const std::size_t faces = a.face_material.size();
    const bool has_sizing = !a.face_ellipse.empty();
    PLEAT_ASSERT(a.face_drivers.size() == a.drivers.size() * a.face_ellipse.size() &&
                     (!has_sizing || a.face_ellipse.size() == faces),
                 "sizing is there for all faces or for none");
    std::string bytes(magic);
    put(bytes, version);
    put(bytes, std::uint32_t(a.velocity.size()));
    put(bytes, std::uint32_t(faces));
    const bool has_generations = !a.face_generation.empty();
    PLEAT_ASSERT(!has_generations || a.face_generation.size() == faces,
                 "generations are there for all faces or for none");
    const bool has_panels = !a.face_panel.empty();
    PLEAT_ASSERT(!has_panels || a.face_panel.size() == faces,
                 "panels are there for all faces or for none");
    put(bytes, (has_sizing ? sizing_bit : 0) | (has_generations ? generation_bit : 0) |
                   (has_panels ? panel_bit : 0));
    if (has_sizing) {
        put(bytes, std::uint32_t(a.drivers.size()));
        for (const std::string& name : a.drivers) {
            put(bytes, std::uint32_t(name.size()));
            bytes += name;
        }
    }
    for (const Vec3f& v : a.velocity)
        for (const float c : v.e) put(bytes, c);
    for (const std::uint16_t m : a.face_material) put(bytes, m);
    if (has_sizing) {
        for (const float length : a.face_drivers) put(bytes, half_from_float(length));
        for (const SizingEllipse& e : a.face_ellipse)
            for (const float c : {e.longest, e.shortest, e.angle}) put(bytes, half_from_float(c));
    }
    for (const std::uint8_t g : a.face_generation) put(bytes, g);
    for (const std::uint16_t p : a.face_panel) put(bytes, p);
    AtomicFile file(path);
    file.append(bytes);
    file.commit();
}

FrameAttributes parse_attributes(std::string_view bytes, const std::string& name)
{
    const auto bad = [&](const std::string& found, const std::string& expected) {
        return InputError(Problem{name, "", found, expected});
    };
    if (bytes.size() < header_bytes || bytes.substr(0, magic.size()) != magic)
        throw bad("no attributes of a frame", "a file that `pleat run` wrote");
    bytes.remove_prefix(magic.size());
    const auto file_version = take<std::uint32_t>(bytes);
    if (file_version < 1 || file_version > version)
        throw bad("version " + std::to_string(file_version),
                  "version 1 to " + std::to_string(version));
    const std::uint64_t nodes = take<std::uint32_t>(bytes), faces = take<std::uint32_t>(bytes);
    const auto follows = take<std::uint32_t>(bytes);
    const bool has_sizing = (follows & sizing_bit) != 0;
    const bool has_generations = file_version > 2 && (follows & generation_bit) != 0;
    const bool has_panels = file_version > 3 && (follows & panel_bit) != 0;
    FrameAttributes a;
    if (has_sizing && file_version == 1)
        a.drivers = {"curvature", "compression", "velocity", "obstacle"};
    if (has_sizing && file_version > 1 && !take_names(bytes, a.drivers))
        throw bad("a file that ends amid the names of its sizing metrics", "all of them");
    const std::uint64_t face_bytes = (has_sizing ? 2 + 2 * a.drivers.size() + 6 : 2) +
                                     (has_generations ? 1 : 0) + (has_panels ? 2 : 0);
    const std::uint64_t expected = 12 * nodes + face_bytes * faces;
    if (bytes.size() != expected)
        throw bad(std::to_string(bytes.size()) + " bytes of arrays",
                  std::to_string(expected) + " for " + std::to_string(nodes) + " nodes and " +
                      std::to_string(faces) + " faces");
    a.velocity.resize(nodes);
    for (Vec3f& v : a.velocity)
        for (float& c : v.e) c = take<float>(bytes);
    a.face_material.resize(faces);
    for (std::uint16_t& m : a.face_material) m = take<std::uint16_t>(bytes);
    if (has_sizing) {
        a.face_drivers.resize(faces * a.drivers.size());
        for (float& length : a.face_drivers) length = take_half(bytes);
        a.face_ellipse.resize(faces);
        for (SizingEllipse& e : a.face_ellipse) {
            e.longest = take_half(bytes);
            e.shortest = take_half(bytes);
            e.angle = take_half(bytes);
        }
    }
    if (has_generations) {
        a.face_generation.resize(faces);
        for (std::uint8_t& g : a.face_generation) g = take<std::uint8_t>(bytes);
    }
    if (has_panels) {
        a.face_panel.resize(faces);
        for (std::uint16_t& p : a.face_panel) p = take<std::uint16_t>(bytes);
    }
    return a;
}

FrameAttributes read_attributes(const std::filesystem::path& path)
{
    std::ifstream in(path, std::ios::binary);
    if (!in)
        throw InputError(Problem{path.string(), "", "a file that cannot be opened",
                                 "the attributes of a frame"});
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    return parse_attributes(bytes, path.string());
}

} // namespace pleat
