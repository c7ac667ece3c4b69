// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Idea. One pass over the bytes, a line at a time, without copies. Indices may point forward, so
// they are collected and checked at the end, with the line they came from. Problems are collected
// as well, up to a bound, so that one run reports all of them.
//
// Numbers are parsed by from_chars: no locale, no exceptions. Polygons become fans of triangles
// when the face line is read; places of later problems (mesh_places.hpp) count faces by their line.
#include "pleat/io/obj.hpp"

#include "pleat/io/file_bytes.hpp"
#include "pleat/io/line_problems.hpp"
#include "pleat/io/mesh_places.hpp"
#include "pleat/io/text_fields.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <unordered_set>
#include <utility>

namespace pleat {

namespace {

// The maximum number of notes, for files with very many unknown keywords.
constexpr std::size_t most_notes = 50;

// Polygons up to this size are searched for a repeated node pair by pair, larger ones sorted.
constexpr std::size_t small_polygon = 8;

constexpr std::string_view ignored_keywords[] = {"vn", "g", "o", "s", "usemtl", "mtllib", "l", "p"};

std::string plural(std::size_t count, const char* noun)
{
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

bool is_printable(std::string_view word)
{
    return std::none_of(word.begin(), word.end(),
                        [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\x7f'; });
}

// Longer digit strings stop here: no file has so many elements, and ten times it still fits.
constexpr std::int64_t beyond_any_index = 100'000'000'000'000'000;

enum class IndexKind : std::uint8_t { vertex, material_point };

class ObjReader {
public:
    ObjReader(std::string_view text, const std::string& name) : lines_(text), problems_(name)
    {
        if (const NotText bad = find_not_text(text); bad.line != 0) {
            problems_.add(bad.line, bad.found, "an OBJ file in plain text");
            problems_.throw_if_any();
        }
    }

    ObjFile read()
    {
        while (!problems_.full() && !is_garbage_ && next_line()) read_line();
        if (!problems_.full() && !is_garbage_) finish();
        problems_.throw_if_any();
        return std::move(obj_);
    }

private:
    struct Corner {
        std::uint32_t node = 0, point = 0;
        bool has_point = false;
    };
    /// A positive index beyond the elements read so far; judged at the end of the file.
    struct ForwardIndex {
        std::uint32_t line;
        IndexKind kind;
        std::int64_t value;
    };

    // ---- lines ------------------------------------------------------------------------------

    /// Moves to the next line, with the lines that continue it joined.
    bool next_line()
    {
        if (!lines_.next()) return false;
        line_ = lines_.line();
        number_ = lines_.number();
        // A comment may end in a backslash (a Windows path) without meaning to go on.
        if (line_.ends_with('\\') && line_.find('#') == std::string_view::npos) {
            joined_.assign(line_);
            while (joined_.ends_with('\\') && joined_.size() <= max_line_bytes) {
                joined_.back() = ' ';
                if (!lines_.next()) break;
                joined_ += lines_.line();
            }
            line_ = joined_;
        }
        return true;
    }

    void read_line()
    {
        if (line_.size() > max_line_bytes) {
            problem("a line of " + std::to_string(line_.size()) + " bytes",
                    "at most " + std::to_string(max_line_bytes));
            return;
        }
        if (const std::size_t hash = line_.find('#'); hash != std::string_view::npos)
            line_ = line_.substr(0, hash);
        fields_ = FieldCursor(line_);
        const std::string_view keyword = fields_.next();
        if (keyword.empty()) return;
        if (keyword == "v") return read_node();
        if (keyword == "f") return read_face();
        if (keyword == "vt") return read_point("vt u v");
        if (keyword == "ms") return read_point("ms u v w");
        if (keyword == "nv") return read_velocity();
        if (keyword == "nl") return read_label();
        if (keyword == "tm") return read_material();
        if (keyword == "e") return read_edge();
        if (keyword == "ea") return read_rest_angle();
        if (keyword == "ep") return read_keep();
        read_other(keyword);
    }

    void read_other(std::string_view keyword)
    {
        for (const std::string_view known : ignored_keywords)
            if (keyword == known) return;
        if (!is_printable(keyword)) {
            problem(quote_field(keyword) + ", so this is not a text file",
                    "an OBJ file in plain text");
            is_garbage_ = true;
            return;
        }
        if (strange_.size() >= most_notes || !strange_.emplace(keyword).second) return;
        note("unknown keyword " + quote_field(keyword) + " is ignored");
    }

    // ---- elements ---------------------------------------------------------------------------

    // A line with a bad number still counts as an element, so that the indices of later lines
    // mean what their author meant.

    void read_node()
    {
        Vec3 x{};
        if (read_reals(x.e, "v x y z")) read_more_reals("v x y z");
        obj_.mesh.node_x.push_back(x);
        obj_.node_line.push_back(number_);
    }

    void read_point(const char* form)
    {
        Vec2 u{};
        if (read_reals(u.e, form)) {
            const double w = read_more_reals(form);
            if (w != 0.0 && !std::exchange(has_third_coordinate_, true))
                note("the third material coordinate is not 0 and is ignored");
        }
        obj_.mesh.material_u.push_back(u);
        obj_.point_line.push_back(number_);
    }

    void read_velocity()
    {
        Vec3 v{};
        if (!read_reals(v.e, "nv x y z") || !at_end("nv x y z")) return;
        if (!has_node("nv")) return;
        obj_.mesh.node_v.resize(obj_.mesh.node_x.size(), Vec3{});
        obj_.mesh.node_v.back() = v;
    }

    void read_label()
    {
        const std::optional<int> label = read_int("nl label");
        if (!label || !has_node("nl")) return;
        obj_.mesh.node_label.resize(obj_.mesh.node_x.size(), 0);
        obj_.mesh.node_label.back() = *label;
    }

    void read_material()
    {
        const std::optional<int> material = read_int("tm index");
        if (!material) return;
        if (*material < 0)
            return problem("material index " + std::to_string(*material), "0 or more");
        if (face_line_count_ == 0) return problem("tm before any face", "tm after its f line");
        std::vector<int>& face_material = obj_.mesh.face_material;
        face_material.resize(obj_.mesh.face_nodes.size(), 0);
        std::fill(face_material.begin() + static_cast<std::ptrdiff_t>(last_face_first_),
                  face_material.end(), *material);
    }

    void read_edge()
    {
        constexpr const char* form = "e a b, two vertex indices";
        edge_seen_ = true;
        edge_good_ = false;
        std::array<std::uint32_t, 2> node{};
        for (std::uint32_t& n : node) {
            const std::string_view field = fields_.next();
            std::int64_t value = 0;
            const NumberKind kind = parse_integer(field, value);
            if (kind == NumberKind::missing) return problem("fewer than 2 indices", form);
            if (kind != NumberKind::good)
                return problem(quote_field(field) + " (not an index)", form);
            if (!resolve(value, IndexKind::vertex, n)) return;
        }
        if (!at_end(form)) return;
        if (node[0] == node[1])
            return problem("an edge from vertex " + std::to_string(node[0] + 1) + " to itself",
                           "two different vertices");
        obj_.mesh.edge_marks.push_back({node[0], node[1], std::nullopt, false});
        edge_good_ = true;
    }

    void read_rest_angle()
    {
        std::array<double, 1> angle{};
        if (!read_reals(angle, "ea angle, in radians") || !at_end("ea angle")) return;
        if (!edge_seen_) return problem("ea before any edge", "ea after its e line");
        if (edge_good_) obj_.mesh.edge_marks.back().rest_angle = angle[0];
    }

    void read_keep()
    {
        FieldCursor ahead = fields_;
        int keep = 1; // a bare ep says it outright
        if (!ahead.next().empty()) {
            const std::optional<int> given = read_int("ep 0 or 1");
            if (!given) return;
            keep = *given;
        }
        if (!edge_seen_) return problem("ep before any edge", "ep after its e line");
        if (edge_good_) obj_.mesh.edge_marks.back().keep = keep != 0;
    }

    void read_face()
    {
        ++face_line_count_;
        last_face_first_ = obj_.mesh.face_nodes.size();
        corners_.clear();
        for (std::string_view field = fields_.next(); !field.empty(); field = fields_.next()) {
            Corner corner;
            if (!read_corner(field, corner)) return; // one problem a face is enough
            corners_.push_back(corner);
        }
        if (corners_.size() < 3)
            return problem("a face with " + plural(corners_.size(), "corner"), "3 or more");
        if (has_repeated_node() || !has_same_kind_of_corners()) return;

        for (std::size_t i = 2; i < corners_.size(); ++i) {
            const Corner &a = corners_[0], &b = corners_[i - 1], &c = corners_[i];
            obj_.mesh.face_nodes.push_back({a.node, b.node, c.node});
            if (a.has_point) obj_.mesh.face_points.push_back({a.point, b.point, c.point});
            obj_.face_line.push_back(number_);
        }
    }

    /// n, n/t, n//vn or n/t/vn.
    bool read_corner(std::string_view field, Corner& corner)
    {
        const char* at = field.data();
        const char* const end = at + field.size();
        std::int64_t node = 0, point = 0, normal = 0;
        bool good = read_index(at, end, node);
        if (good && at != end) {
            good = *at++ == '/';
            if (good && at != end && *at != '/') {
                good = read_index(at, end, point);
                corner.has_point = true;
            } else if (at == end) {
                good = false; // "1/"
            }
            if (good && at != end) {
                good = *at++ == '/' && read_index(at, end, normal) && at == end;
            }
        }
        if (!good) {
            problem("corner " + quote_field(field), "v, v/vt, v//vn or v/vt/vn with whole numbers");
            return false;
        }
        const bool node_good = resolve(node, IndexKind::vertex, corner.node);
        const bool point_good =
            !corner.has_point || resolve(point, IndexKind::material_point, corner.point);
        return node_good && point_good;
    }

    /// Digits with an optional sign, at least one; numbers beyond any index stay beyond.
    static bool read_index(const char*& at, const char* end, std::int64_t& value)
    {
        const bool negative = at != end && *at == '-';
        if (at != end && (*at == '-' || *at == '+')) ++at;
        const char* const first = at;
        value = 0;
        for (; at != end && *at >= '0' && *at <= '9'; ++at)
            value = std::min(value * 10 + (*at - '0'), beyond_any_index);
        if (negative) value = -value;
        return at != first;
    }

    /// Turns an index of the file (from 1, or from the end when negative) into one from 0.
    bool resolve(std::int64_t value, IndexKind kind, std::uint32_t& id)
    {
        const auto count = static_cast<std::int64_t>(element_count(kind));
        if (value > 0 && value <= count) {
            id = static_cast<std::uint32_t>(value - 1);
            return true;
        }
        if (value < 0 && value >= -count) {
            id = static_cast<std::uint32_t>(count + value);
            return true;
        }
        if (value > 0) { // may yet come
            forward_.push_back({number_, kind, value});
            id = static_cast<std::uint32_t>(
                std::min<std::int64_t>(value - 1, std::numeric_limits<std::uint32_t>::max()));
            return true;
        }
        problem(describe_index(kind, value), value == 0 ? "1 or more; OBJ files count from 1"
                                             : count == 0
                                                 ? "no negative index before the first element"
                                                 : std::to_string(-count) + " to -1 here");
        return false;
    }

    bool has_repeated_node()
    {
        std::optional<std::uint32_t> repeated;
        const std::size_t count = corners_.size();
        if (count <= small_polygon) {
            for (std::size_t i = 1; i < count; ++i)
                for (std::size_t j = 0; j < i; ++j)
                    if (corners_[i].node == corners_[j].node) repeated = corners_[i].node;
        } else {
            sorted_.clear();
            for (const Corner& c : corners_) sorted_.push_back(c.node);
            std::sort(sorted_.begin(), sorted_.end());
            const auto twice = std::adjacent_find(sorted_.begin(), sorted_.end());
            if (twice != sorted_.end()) repeated = *twice;
        }
        if (!repeated) return false;
        problem("vertex " + std::to_string(*repeated + 1) + " twice in one face",
                "corners at different vertices");
        return true;
    }

    bool has_same_kind_of_corners()
    {
        const bool has_points = corners_[0].has_point;
        if (!std::all_of(corners_.begin(), corners_.end(),
                         [&](const Corner& c) { return c.has_point == has_points; })) {
            problem("a face with material points (vt) at some corners only", "all or none");
            return false;
        }
        if (first_face_line_ == 0) {
            first_face_line_ = number_;
            faces_have_points_ = has_points;
        }
        if (has_points == faces_have_points_) return true;
        problem(has_points ? "a face with material points (vt)"
                           : "a face without material points (vt)",
                std::string(faces_have_points_ ? "v/vt" : "no vt") + " at every face, as at line " +
                    std::to_string(first_face_line_));
        return false;
    }

    // ---- fields -----------------------------------------------------------------------------

    template <std::size_t N> bool read_reals(std::array<double, N>& values, const char* form)
    {
        for (std::size_t i = 0; i < N; ++i) {
            const std::string_view field = fields_.next();
            const NumberKind kind = parse_real(field, values[i]);
            if (kind == NumberKind::good) continue;
            if (kind == NumberKind::missing)
                problem(plural(i, "number"), form);
            else
                bad_number(field, kind, form);
            values = {};
            return false;
        }
        return true;
    }

    /// Weights and colours behind a position are of no use, but must be numbers too.
    /// \return the first of them, or 0.
    double read_more_reals(const char* form)
    {
        double first = 0.0, value = 0.0;
        bool is_first = true;
        for (std::string_view field = fields_.next(); !field.empty(); field = fields_.next()) {
            const NumberKind kind = parse_real(field, value);
            if (kind != NumberKind::good) {
                bad_number(field, kind, form);
                return first;
            }
            if (std::exchange(is_first, false)) first = value;
        }
        return first;
    }

    /// The one whole number of the line.
    std::optional<int> read_int(const char* form)
    {
        const std::string_view field = fields_.next();
        std::int64_t value = 0;
        const NumberKind kind = parse_integer(field, value);
        if (kind == NumberKind::missing) {
            problem("no number", form);
            return std::nullopt;
        }
        const bool fits =
            value >= std::numeric_limits<int>::min() && value <= std::numeric_limits<int>::max();
        if (kind != NumberKind::good || !fits) {
            problem(quote_field(field) + (kind == NumberKind::malformed ? " (not a whole number)"
                                                                        : " (out of range)"),
                    form);
            return std::nullopt;
        }
        if (!at_end(form)) return std::nullopt;
        return static_cast<int>(value);
    }

    bool at_end(const char* form)
    {
        const std::string_view field = fields_.next();
        if (field.empty()) return true;
        problem(quote_field(field) + " too many", form);
        return false;
    }

    bool has_node(const char* keyword)
    {
        if (!obj_.mesh.node_x.empty()) return true;
        problem(std::string(keyword) + " before any vertex",
                std::string(keyword) + " after its v line");
        return false;
    }

    [[nodiscard]] std::size_t element_count(IndexKind kind) const
    {
        return kind == IndexKind::vertex ? obj_.mesh.node_x.size() : obj_.mesh.material_u.size();
    }

    static std::string describe_index(IndexKind kind, std::int64_t value)
    {
        return (kind == IndexKind::vertex ? "vertex index " : "material point (vt) index ") +
               std::to_string(value) +
               (value >= beyond_any_index || value <= -beyond_any_index ? " or beyond" : "");
    }

    void bad_number(std::string_view field, NumberKind kind, const char* form)
    {
        problem(quote_field(field) + " (" + std::string(describe(kind)) + ")", form);
    }

    void problem(std::string found, std::string expected)
    {
        problems_.add(number_, std::move(found), std::move(expected));
    }

    void note(const std::string& text)
    {
        obj_.notes.push_back("line " + std::to_string(number_) + ": " + text);
    }

    // ---- the end ----------------------------------------------------------------------------

    void finish()
    {
        check_forward_indices();
        if (face_line_count_ == 0)
            problems_.add(std::max(lines_.number(), 1u),
                          lines_.number() == 0 ? "an empty file"
                                               : "the end of a file without faces",
                          "at least one f line");
        MeshInput& mesh = obj_.mesh;
        if (!mesh.node_v.empty()) mesh.node_v.resize(mesh.node_x.size(), Vec3{});
        if (!mesh.node_label.empty()) mesh.node_label.resize(mesh.node_x.size(), 0);
        if (!mesh.face_material.empty()) mesh.face_material.resize(mesh.face_nodes.size(), 0);
        // Some programs declare every edge; those that say nothing about theirs are dropped.
        std::erase_if(mesh.edge_marks, [](const MeshInput::EdgeMark& mark) {
            return !mark.rest_angle && !mark.keep;
        });
        if (!faces_have_points_ && !mesh.material_u.empty()) {
            obj_.notes.push_back("no face refers to the " +
                                 plural(mesh.material_u.size(), "material point") +
                                 " (vt); ignored");
            mesh.material_u.clear();
            obj_.point_line.clear();
        }
    }

    void check_forward_indices()
    {
        for (const ForwardIndex& index : forward_) {
            const std::size_t count = element_count(index.kind);
            if (static_cast<std::uint64_t>(index.value) <= count) continue;
            const char* const noun = index.kind == IndexKind::vertex ? "v" : "vt";
            problems_.add(index.line, describe_index(index.kind, index.value),
                          count == 0 ? std::string(noun) + " lines; the file has none"
                                     : "1 to " + std::to_string(count) + ", the number of " + noun +
                                           " lines");
            if (problems_.full()) return;
        }
    }

    LineCursor lines_;
    LineProblems problems_;
    ObjFile obj_;

    std::string joined_; // a continued line
    std::string_view line_;
    FieldCursor fields_;
    std::uint32_t number_ = 0;
    bool is_garbage_ = false;

    std::vector<Corner> corners_;
    std::vector<std::uint32_t> sorted_;
    std::vector<ForwardIndex> forward_;
    std::size_t face_line_count_ = 0;
    std::size_t last_face_first_ = 0;   // first triangle of the last f line
    std::uint32_t first_face_line_ = 0; // the one that decides whether faces have points
    bool faces_have_points_ = false;
    bool edge_seen_ = false, edge_good_ = false;
    bool has_third_coordinate_ = false;
    std::unordered_set<std::string> strange_;
};

// ---- places of mesh problems --------------------------------------------------------------------

/// The 1-based number of the f line that triangle i came from.
std::size_t face_number(const ObjFile& obj, std::size_t i)
{
    std::size_t number = 1;
    for (std::size_t j = 1; j <= i; ++j)
        if (obj.face_line[j] != obj.face_line[j - 1]) ++number;
    return number;
}

std::string line_of(const std::vector<std::uint32_t>& lines, std::size_t i)
{
    return i < lines.size() ? "line " + std::to_string(lines[i]) : "no line";
}

std::string place_of_edge(const ObjFile& obj, std::uint32_t a, std::uint32_t b)
{
    const std::string edge =
        "edge " + std::to_string(std::size_t{a} + 1) + "-" + std::to_string(std::size_t{b} + 1);
    const std::optional<std::size_t> face = first_face_with(obj.mesh.face_nodes, a, b);
    return face ? line_of(obj.face_line, *face) + " (" + edge + ")" : edge;
}

std::string place_of(const ObjFile& obj, MeshElement element, std::uint32_t id)
{
    const std::string number = std::to_string(std::size_t{id} + 1);
    switch (element) {
    case MeshElement::node:
        return line_of(obj.node_line, id) + " (vertex " + number + ")";
    case MeshElement::material_point:
        // A mesh without vt has its points made from the nodes, in their order.
        if (obj.point_line.empty()) return line_of(obj.node_line, id) + " (vertex " + number + ")";
        return line_of(obj.point_line, id) + " (material point " + number + ")";
    case MeshElement::face:
        if (id >= obj.face_line.size()) return "face " + number;
        return line_of(obj.face_line, id) + " (face " + std::to_string(face_number(obj, id)) + ")";
    case MeshElement::edge:
        break;
    }
    return "edge at vertex " + number;
}

} // namespace

ObjFile parse_obj(std::string_view text, const std::string& name)
{
    return ObjReader(text, name).read();
}

ObjFile read_obj(const std::filesystem::path& path)
{
    const FileBytes file = read_file_bytes(path);
    return parse_obj(file.text(), path.string());
}

std::vector<Problem> locate(const std::vector<MeshProblem>& problems, const ObjFile& obj,
                            const std::string& file)
{
    return locate_with(
        problems, file,
        [&](MeshElement element, std::uint32_t id) { return place_of(obj, element, id); },
        [&](std::uint32_t a, std::uint32_t b) { return place_of_edge(obj, a, b); });
}

} // namespace pleat
