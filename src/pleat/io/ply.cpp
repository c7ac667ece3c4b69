// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A PLY file is a text header that declares elements (name, number of rows) and their properties
// (scalars and lists of fixed types), then the rows, as text or as packed binary. Counts in the
// header are checked against the size of the file before memory is allocated for them.
#include "pleat/io/ply.hpp"

#include "pleat/io/file_bytes.hpp"
#include "pleat/io/line_problems.hpp"
#include "pleat/io/mesh_places.hpp"
#include "pleat/io/text_fields.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

namespace pleat {

namespace {

constexpr std::size_t max_header_line_bytes = 4096;

enum class PlyType : std::uint8_t { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

struct TypeName {
    std::string_view name;
    PlyType type;
};

constexpr TypeName type_names[] = {
    {"char", PlyType::int8},      {"int8", PlyType::int8},       {"uchar", PlyType::uint8},
    {"uint8", PlyType::uint8},    {"short", PlyType::int16},     {"int16", PlyType::int16},
    {"ushort", PlyType::uint16},  {"uint16", PlyType::uint16},   {"int", PlyType::int32},
    {"int32", PlyType::int32},    {"uint", PlyType::uint32},     {"uint32", PlyType::uint32},
    {"float", PlyType::float32},  {"float32", PlyType::float32}, {"double", PlyType::float64},
    {"float64", PlyType::float64}};

constexpr std::size_t byte_size(PlyType type)
{
    switch (type) {
    case PlyType::int8:
    case PlyType::uint8:
        return 1;
    case PlyType::int16:
    case PlyType::uint16:
        return 2;
    case PlyType::int32:
    case PlyType::uint32:
    case PlyType::float32:
        return 4;
    case PlyType::float64:
        break;
    }
    return 8;
}

constexpr bool is_real(PlyType type)
{
    return type == PlyType::float32 || type == PlyType::float64;
}

/// The range of an integer type.
constexpr std::pair<std::int64_t, std::int64_t> range(PlyType type)
{
    switch (type) {
    case PlyType::int8:
        return {-128, 127};
    case PlyType::uint8:
        return {0, 255};
    case PlyType::int16:
        return {-32768, 32767};
    case PlyType::uint16:
        return {0, 65535};
    case PlyType::int32:
        return {-2147483648ll, 2147483647};
    default:
        break;
    }
    return {0, 4294967295};
}

template <class T> T load(const char* bytes, bool swap)
{
    std::array<char, sizeof(T)> raw;
    std::memcpy(raw.data(), bytes, sizeof(T));
    if (swap) std::reverse(raw.begin(), raw.end());
    return std::bit_cast<T>(raw);
}

/// Every PLY type fits in a double.
double load_value(const char* bytes, PlyType type, bool swap)
{
    switch (type) {
    case PlyType::int8:
        return load<std::int8_t>(bytes, swap);
    case PlyType::uint8:
        return load<std::uint8_t>(bytes, swap);
    case PlyType::int16:
        return load<std::int16_t>(bytes, swap);
    case PlyType::uint16:
        return load<std::uint16_t>(bytes, swap);
    case PlyType::int32:
        return load<std::int32_t>(bytes, swap);
    case PlyType::uint32:
        return load<std::uint32_t>(bytes, swap);
    case PlyType::float32:
        return static_cast<double>(load<float>(bytes, swap));
    case PlyType::float64:
        break;
    }
    return load<double>(bytes, swap);
}

/// The meaning of a property.
enum class Role : std::uint8_t {
    none,
    x,
    y,
    z,
    u,
    v,
    velocity_x,
    velocity_y,
    velocity_z,
    node,
    corners
};
constexpr std::size_t role_count = 11;

struct RoleName {
    std::string_view name;
    Role role;
};

constexpr RoleName vertex_roles[] = {
    {"x", Role::x},           {"y", Role::y},           {"z", Role::z},
    {"s", Role::u},           {"t", Role::v},           {"u", Role::u},
    {"v", Role::v},           {"texture_u", Role::u},   {"texture_v", Role::v},
    {"vx", Role::velocity_x}, {"vy", Role::velocity_y}, {"vz", Role::velocity_z},
    {"node", Role::node}};

struct Property {
    std::string name;
    PlyType type = PlyType::float32;
    std::optional<PlyType> list_count; // for lists
    Role role = Role::none;
};

struct Element {
    std::string name;
    std::size_t count = 0;
    std::vector<Property> properties;
    std::uint32_t line = 0;

    [[nodiscard]] bool has(Role role) const
    {
        return std::any_of(properties.begin(), properties.end(),
                           [&](const Property& p) { return p.role == role; });
    }
};

enum class PlyFormat { ascii, little_endian, big_endian };

class PlyReader {
public:
    PlyReader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

    PlyFile read()
    {
        read_header();
        check_header();
        for (const Element& element : elements_) read_element(element);
        check_rest();
        throw_if_any();
        build_nodes();
        throw_if_any();
        return std::move(ply_);
    }

private:
    // ---- header -----------------------------------------------------------------------------

    void read_header()
    {
        find_line_end();
        if (header_line() != "ply")
            fail_line(quote_field(line_), "a PLY file, which starts with ply");
        bool has_format = false;
        for (;;) {
            if (at_ == bytes_.size()) fail_line("the end of the file", "end_header");
            header_line();
            FieldCursor fields(line_);
            const std::string_view keyword = fields.next();
            if (keyword == "comment" || keyword == "obj_info" || keyword.empty()) continue;
            if (keyword == "format") {
                read_format(fields);
                has_format = true;
            } else if (keyword == "element") {
                read_element_declaration(fields);
            } else if (keyword == "property") {
                read_property_declaration(fields);
            } else if (keyword == "end_header") {
                break;
            } else {
                fail_line(quote_field(keyword),
                          "format, comment, obj_info, element, property or end_header");
            }
            if (const std::string_view more = fields.next(); !more.empty())
                fail_line(quote_field(more) + " too many", "the end of the line");
        }
        if (!has_format) fail_line("a header without format", "a format line");
    }

    /// The first line decides how lines end, as the byte behind a lone CR may be data.
    void find_line_end()
    {
        const std::size_t end = bytes_.substr(0, max_header_line_bytes).find_first_of("\r\n");
        line_end_ = "\n";
        if (end != std::string_view::npos && bytes_[end] == '\r')
            line_end_ = bytes_.substr(end).starts_with("\r\n") ? "\r\n" : "\r";
    }

    std::string_view header_line()
    {
        ++line_number_;
        const std::string_view ahead = bytes_.substr(at_, max_header_line_bytes);
        const std::size_t end = ahead.find(line_end_);
        if (end == std::string_view::npos) {
            line_ = ahead;
            if (ahead.size() == max_header_line_bytes)
                fail_line("a header line of more than 4096 bytes", "a PLY header");
            at_ = bytes_.size();
        } else {
            line_ = ahead.substr(0, end);
            at_ += end + line_end_.size();
        }
        return line_;
    }

    void read_format(FieldCursor& fields)
    {
        const std::string_view format = fields.next(), version = fields.next();
        if (format == "ascii")
            format_ = PlyFormat::ascii;
        else if (format == "binary_little_endian")
            format_ = PlyFormat::little_endian;
        else if (format == "binary_big_endian")
            format_ = PlyFormat::big_endian;
        else
            fail_line("format " + quote_field(format),
                      "ascii, binary_little_endian or binary_big_endian");
        if (version != "1.0") fail_line("version " + quote_field(version), "1.0");
    }

    void read_element_declaration(FieldCursor& fields)
    {
        Element element;
        element.name = fields.next();
        element.line = line_number_;
        const std::string_view field = fields.next();
        std::int64_t count = 0;
        if (element.name.empty() || parse_integer(field, count) != NumberKind::good || count < 0)
            fail_line("element count " + quote_field(field), "element NAME COUNT");
        element.count = static_cast<std::size_t>(count);
        for (const Element& other : elements_)
            if (other.name == element.name)
                fail_line("element " + quote_field(element.name) + " twice", "each element once");
        elements_.push_back(std::move(element));
    }

    PlyType read_type(FieldCursor& fields)
    {
        const std::string_view field = fields.next();
        for (const TypeName& t : type_names)
            if (t.name == field) return t.type;
        fail_line("type " + quote_field(field),
                  "char, uchar, short, ushort, int, uint, float or double");
    }

    void read_property_declaration(FieldCursor& fields)
    {
        if (elements_.empty()) fail_line("property before any element", "element first");
        Element& element = elements_.back();
        Property property;
        FieldCursor ahead = fields;
        if (ahead.next() == "list") {
            fields = ahead;
            property.list_count = read_type(fields);
            if (is_real(*property.list_count))
                fail_line("a list counted in real numbers", "an integer type");
        }
        property.type = read_type(fields);
        property.name = fields.next();
        if (property.name.empty()) fail_line("a property without a name", "property TYPE NAME");
        for (const Property& other : element.properties)
            if (other.name == property.name)
                fail_line("property " + quote_field(property.name) + " twice",
                          "each property once");
        assign_role(element, property);
        element.properties.push_back(std::move(property));
    }

    void assign_role(const Element& element, Property& property)
    {
        if (element.name == "vertex" && !property.list_count) {
            for (const RoleName& r : vertex_roles)
                if (r.name == property.name && !element.has(r.role)) property.role = r.role;
            if (property.role == Role::node && is_real(property.type))
                fail_line("node indices of a real type", "an integer type");
        }
        if (element.name == "face" && property.list_count && !element.has(Role::corners) &&
            (property.name == "vertex_indices" || property.name == "vertex_index")) {
            if (is_real(property.type))
                fail_line("vertex indices of a real type", "an integer type");
            property.role = Role::corners;
        }
    }

    [[nodiscard]] const Element* find_element(std::string_view name) const
    {
        for (const Element& e : elements_)
            if (e.name == name) return &e;
        return nullptr;
    }

    void check_header()
    {
        const Element* vertex = find_element("vertex");
        const Element* face = find_element("face");
        if (vertex == nullptr || !vertex->has(Role::x) || !vertex->has(Role::y) ||
            !vertex->has(Role::z))
            fail_line("a header without vertex positions", "element vertex with x, y and z");
        if (face == nullptr || !face->has(Role::corners))
            fail_line("a header without faces", "element face with a list vertex_indices");
        if (face->count == 0)
            fail_at("line " + std::to_string(face->line), "no faces", "at least one");
        has_points_ = vertex->has(Role::u) && vertex->has(Role::v);
        has_velocities_ = vertex->has(Role::velocity_x) && vertex->has(Role::velocity_y) &&
                          vertex->has(Role::velocity_z);
        has_nodes_ = vertex->has(Role::node);
        vertex_count_ = vertex->count;

        // Text takes a digit and a separator a value, the last separator aside.
        std::size_t room = bytes_.size() - at_ + (format_ == PlyFormat::ascii ? 1 : 0);
        for (const Element& element : elements_) {
            std::size_t row = 0;
            for (const Property& p : element.properties)
                row += format_ == PlyFormat::ascii ? 2 : byte_size(p.list_count.value_or(p.type));
            const std::string place = "line " + std::to_string(element.line);
            if (row == 0) fail_at(place, "an element without properties", "one property or more");
            if (element.count > room / row)
                fail_at(place,
                        std::to_string(element.count) + " rows of " + quote_field(element.name),
                        "no more than the " + std::to_string(bytes_.size()) +
                            " bytes of the file can hold");
            room -= element.count * row;
            if (element.name != "vertex" && element.name != "face" && element.count > 0)
                ply_.notes.push_back("element " + quote_field(element.name) + " is skipped");
        }
    }

    // ---- rows -------------------------------------------------------------------------------

    void read_element(const Element& element)
    {
        const bool is_vertex = element.name == "vertex", is_face = element.name == "face";
        if (is_vertex) {
            vertex_x_.reserve(element.count);
            if (has_points_) vertex_u_.reserve(element.count);
        }
        for (row_ = 0; row_ < element.count; ++row_) {
            element_ = &element;
            corners_.clear();
            values_ = {};
            bool good = true;
            if (format_ == PlyFormat::ascii)
                good = read_text_row(element);
            else
                for (const Property& p : element.properties) read_binary(p);
            if (is_vertex) add_vertex(good);
            if (is_face && good) add_face();
            if (problems_.size() >= LineProblems::most) throw_if_any();
        }
    }

    void read_binary(const Property& property)
    {
        std::size_t count = 1;
        if (property.list_count) {
            const double given = next_binary(*property.list_count);
            if (given < 0)
                fail_here("a list of " + std::to_string(static_cast<std::int64_t>(given)) +
                              " values",
                          "0 or more");
            count = static_cast<std::size_t>(given);
        }
        if (count > (bytes_.size() - at_) / byte_size(property.type))
            fail_here("the end of the file",
                      std::to_string(count) + " values of " + quote_field(property.name));
        if (property.role == Role::none) {
            at_ += count * byte_size(property.type);
        } else if (property.role == Role::corners) {
            for (std::size_t i = 0; i < count; ++i)
                corners_.push_back(static_cast<std::int64_t>(next_binary(property.type)));
        } else {
            values_[static_cast<std::size_t>(property.role)] = next_binary(property.type);
        }
    }

    double next_binary(PlyType type)
    {
        const std::size_t size = byte_size(type);
        if (size > bytes_.size() - at_) fail_here("the end of the file", "more data");
        constexpr bool host_is_little = std::endian::native == std::endian::little;
        const bool swap = host_is_little != (format_ == PlyFormat::little_endian);
        const double value = load_value(bytes_.data() + at_, type, swap);
        at_ += size;
        return value;
    }

    /// One row a line; empty lines are skipped.
    bool read_text_row(const Element& element)
    {
        std::string_view first;
        do {
            if (!next_text_line()) fail_here("the end of the file", "more rows");
            fields_ = FieldCursor(line_);
            FieldCursor ahead = fields_;
            first = ahead.next();
        } while (first.empty());
        for (const Property& p : element.properties)
            if (!read_text(p)) return false;
        if (const std::string_view more = fields_.next(); !more.empty()) {
            problem(quote_field(more) + " too many", "the end of the row");
            return false;
        }
        return true;
    }

    bool next_text_line()
    {
        if (at_ == bytes_.size()) return false;
        const std::size_t end = std::min(bytes_.find(line_end_, at_), bytes_.size());
        line_ = bytes_.substr(at_, end - at_);
        at_ = std::min(end + line_end_.size(), bytes_.size());
        ++line_number_;
        return true;
    }

    bool read_text(const Property& property)
    {
        double count = 1;
        if (property.list_count && !next_text(*property.list_count, property, count)) return false;
        if (count < 0) {
            problem("a list of " + std::to_string(static_cast<std::int64_t>(count)) + " values",
                    "0 or more");
            return false;
        }
        for (double i = 0; i < count; ++i) {
            double value = 0;
            if (!next_text(property.type, property, value)) return false;
            if (property.role == Role::corners)
                corners_.push_back(static_cast<std::int64_t>(value));
            else
                values_[static_cast<std::size_t>(property.role)] = value;
        }
        return true;
    }

    bool next_text(PlyType type, const Property& property, double& value)
    {
        const std::string_view field = fields_.next();
        if (field.empty()) {
            problem("a row that ends early", "a value of " + quote_field(property.name));
            return false;
        }
        NumberKind kind = NumberKind::good;
        if (is_real(type)) {
            kind = parse_real(field, value);
            if (kind == NumberKind::not_finite) kind = NumberKind::good; // judged by its role
        } else {
            std::int64_t integer = 0;
            kind = parse_integer(field, integer);
            const auto [least, greatest] = range(type);
            if (kind == NumberKind::good && (integer < least || integer > greatest))
                kind = NumberKind::out_of_range;
            value = static_cast<double>(integer);
        }
        if (kind == NumberKind::good) return true;
        problem(quote_field(field) + " (" + std::string(describe(kind)) + ")",
                std::string(is_real(type) ? "a number" : "a whole number") + " for " +
                    quote_field(property.name));
        return false;
    }

    void add_vertex(bool good)
    {
        const auto value = [&](Role role) { return values_[static_cast<std::size_t>(role)]; };
        const Vec3 x{value(Role::x), value(Role::y), value(Role::z)};
        const Vec2 u{value(Role::u), value(Role::v)};
        const Vec3 v{value(Role::velocity_x), value(Role::velocity_y), value(Role::velocity_z)};
        if (good && !is_finite(x)) problem("a position that is not finite", "numbers for x, y, z");
        if (good && has_points_ && !is_finite(u))
            problem("a material point that is not finite", "numbers for s and t");
        if (good && has_velocities_ && !is_finite(v))
            problem("a velocity that is not finite", "numbers for vx, vy, vz");
        vertex_x_.push_back(x);
        if (has_points_) vertex_u_.push_back(u);
        if (has_velocities_) vertex_v_.push_back(v);
        if (!has_nodes_) return;
        const double node = value(Role::node);
        const bool in_range = node >= 0 && node < static_cast<double>(vertex_count_);
        if (good && !in_range)
            problem("node " + std::to_string(static_cast<std::int64_t>(node)),
                    "0 to " + std::to_string(vertex_count_ - 1));
        vertex_node_.push_back(in_range ? static_cast<std::uint32_t>(node) : 0u);
    }

    void add_face()
    {
        if (corners_.size() < 3) {
            problem("a face with " + std::to_string(corners_.size()) + " corners", "3 or more");
            return;
        }
        for (const std::int64_t corner : corners_)
            if (corner < 0 || corner >= static_cast<std::int64_t>(vertex_count_)) {
                problem("vertex index " + std::to_string(corner),
                        vertex_count_ == 0 ? "vertices; the file has none"
                                           : "0 to " + std::to_string(vertex_count_ - 1));
                return;
            }
        sorted_ = corners_;
        std::sort(sorted_.begin(), sorted_.end());
        if (const auto twice = std::adjacent_find(sorted_.begin(), sorted_.end());
            twice != sorted_.end()) {
            problem("vertex " + std::to_string(*twice) + " twice in one face",
                    "corners at different vertices");
            return;
        }
        for (std::size_t i = 2; i < corners_.size(); ++i) {
            ply_.mesh.face_nodes.push_back({static_cast<std::uint32_t>(corners_[0]),
                                            static_cast<std::uint32_t>(corners_[i - 1]),
                                            static_cast<std::uint32_t>(corners_[i])});
            ply_.face_row.push_back(static_cast<std::uint32_t>(row_));
        }
    }

    void check_rest()
    {
        const std::string_view rest = bytes_.substr(at_);
        if (std::all_of(rest.begin(), rest.end(), [](char c) { return is_blank(c) || c == '\n'; }))
            return;
        fail_at(format_ == PlyFormat::ascii ? "line " + std::to_string(line_number_ + 1)
                                            : "byte " + std::to_string(at_),
                std::to_string(rest.size()) + " bytes too many",
                "as many rows as the header declares");
    }

    // ---- nodes ------------------------------------------------------------------------------

    void build_nodes()
    {
        MeshInput& mesh = ply_.mesh;
        if (has_points_) {
            mesh.material_u = std::move(vertex_u_);
            mesh.face_points = mesh.face_nodes;
            ply_.point_vertex.resize(vertex_count_);
            for (std::size_t i = 0; i < vertex_count_; ++i)
                ply_.point_vertex[i] = static_cast<std::uint32_t>(i);
        }
        if (has_nodes_) return merge_vertices();
        mesh.node_x = std::move(vertex_x_);
        mesh.node_v = std::move(vertex_v_);
        ply_.node_vertex.resize(vertex_count_);
        for (std::size_t i = 0; i < vertex_count_; ++i)
            ply_.node_vertex[i] = static_cast<std::uint32_t>(i);
    }

    /// Vertices with the same node are the sides of a seam.
    void merge_vertices()
    {
        constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();
        std::uint32_t node_count = 0;
        for (const std::uint32_t node : vertex_node_) node_count = std::max(node_count, node + 1);
        std::vector<std::uint32_t>& first = ply_.node_vertex;
        first.assign(node_count, nobody);
        MeshInput& mesh = ply_.mesh;
        mesh.node_x.assign(node_count, Vec3{});
        mesh.node_v.assign(has_velocities_ ? node_count : 0, Vec3{});
        for (std::size_t i = 0; i < vertex_count_; ++i) {
            const std::uint32_t node = vertex_node_[i];
            if (first[node] == nobody) {
                first[node] = static_cast<std::uint32_t>(i);
                mesh.node_x[node] = vertex_x_[i];
                if (has_velocities_) mesh.node_v[node] = vertex_v_[i];
            } else if (!(vertex_x_[i] == mesh.node_x[node])) {
                problem_at("vertex " + std::to_string(i),
                           "node " + std::to_string(node) + " at another place than at vertex " +
                               std::to_string(first[node]),
                           "vertices of one node at one place");
            }
        }
        for (std::uint32_t node = 0; node < node_count; ++node)
            if (first[node] == nobody)
                problem_at("vertices", "node " + std::to_string(node) + " at no vertex",
                           "nodes numbered without gaps");
        for (std::size_t f = 0; f < mesh.face_nodes.size(); ++f) {
            auto& corners = mesh.face_nodes[f];
            for (std::uint32_t& corner : corners) corner = vertex_node_[corner];
            if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0])
                problem_at("face " + std::to_string(ply_.face_row[f]), "a node twice in one face",
                           "corners at different nodes");
        }
    }

    // ---- problems ---------------------------------------------------------------------------

    [[nodiscard]] std::string place() const
    {
        std::string row = element_->name + " " + std::to_string(row_);
        if (format_ != PlyFormat::ascii) return row;
        return "line " + std::to_string(line_number_) + " (" + row + ")";
    }
    void problem_at(std::string place, std::string found, std::string expected)
    {
        if (problems_.size() >= LineProblems::most) return;
        problems_.push_back({name_, std::move(place), std::move(found), std::move(expected)});
    }
    void problem(std::string found, std::string expected)
    {
        problem_at(place(), std::move(found), std::move(expected));
    }
    [[noreturn]] void fail_at(std::string place, std::string found, std::string expected)
    {
        problem_at(std::move(place), std::move(found), std::move(expected));
        throw InputError(std::move(problems_));
    }
    [[noreturn]] void fail_line(std::string found, std::string expected)
    {
        fail_at("line " + std::to_string(line_number_), std::move(found), std::move(expected));
    }
    [[noreturn]] void fail_here(std::string found, std::string expected)
    {
        fail_at(place(), std::move(found), std::move(expected));
    }
    void throw_if_any()
    {
        if (!problems_.empty()) throw InputError(std::move(problems_));
    }

    std::string_view bytes_;
    std::string name_;
    std::vector<Problem> problems_;
    PlyFile ply_;

    std::size_t at_ = 0;
    std::string_view line_end_, line_;
    std::uint32_t line_number_ = 0;

    PlyFormat format_ = PlyFormat::ascii;
    std::vector<Element> elements_;
    std::size_t vertex_count_ = 0;
    bool has_points_ = false, has_velocities_ = false, has_nodes_ = false;

    const Element* element_ = nullptr; // the row being read, for messages
    std::size_t row_ = 0;
    FieldCursor fields_;
    std::array<double, role_count> values_{};
    std::vector<std::int64_t> corners_, sorted_;

    std::vector<Vec3> vertex_x_, vertex_v_;
    std::vector<Vec2> vertex_u_;
    std::vector<std::uint32_t> vertex_node_;
};

std::string row(const std::vector<std::uint32_t>& rows, std::size_t id)
{
    return std::to_string(id < rows.size() ? rows[id] : id);
}

std::string place_of(const PlyFile& ply, MeshElement element, std::uint32_t id)
{
    switch (element) {
    case MeshElement::node:
        return "vertex " + row(ply.node_vertex, id);
    case MeshElement::material_point:
        // A mesh without material points has them made from the nodes, in their order.
        return "vertex " + row(ply.point_vertex.empty() ? ply.node_vertex : ply.point_vertex, id);
    case MeshElement::face:
        return "face " + row(ply.face_row, id);
    case MeshElement::edge:
        break;
    }
    return "edge at vertex " + row(ply.node_vertex, id);
}

std::string place_of_edge(const PlyFile& ply, std::uint32_t a, std::uint32_t b)
{
    const std::string edge = "edge " + row(ply.node_vertex, a) + "-" + row(ply.node_vertex, b);
    const std::optional<std::size_t> face = first_face_with(ply.mesh.face_nodes, a, b);
    return face ? "face " + row(ply.face_row, *face) + " (" + edge + ")" : edge;
}

} // namespace

PlyFile parse_ply(std::string_view bytes, const std::string& name)
{
    return PlyReader(bytes, name).read();
}

PlyFile read_ply(const std::filesystem::path& path)
{
    const FileBytes file = read_file_bytes(path);
    return parse_ply(file.text(), path.string());
}

std::vector<Problem> locate(const std::vector<MeshProblem>& problems, const PlyFile& ply,
                            const std::string& file)
{
    return locate_with(
        problems, file,
        [&](MeshElement element, std::uint32_t id) { return place_of(ply, element, id); },
        [&](std::uint32_t a, std::uint32_t b) { return place_of_edge(ply, a, b); });
}

} // namespace pleat
