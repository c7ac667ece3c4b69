// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Idea. Panels are read first with their outlines, then seams and darts, which name sides of
// panels. All lengths are multiplied by the unit when they are read, so that everything after is in
// metres.
#include "pleat/scene/pattern_file.hpp"

#include "pleat/core/nearest_word.hpp"
#include "pleat/io/file_bytes.hpp"
#include "pleat/io/svg_path.hpp"
#include "pleat/scene/json_reader.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

namespace pleat {

namespace {

namespace fs = std::filesystem;

constexpr double degree = std::numbers::pi / 180;
constexpr Range coordinate{-1e6, 1e6};

class PatternReader {
public:
    explicit PatternReader(fs::path path) : folder_(path.parent_path()), file_{path.string()}
    {
        pattern_.file = std::move(path);
    }

    Pattern read(const Json& json)
    {
        JsonReader r(json, "", file_);
        const Json* version = r.require("pleat_pattern", "1, the version of the format");
        if (version != nullptr && (!version->is_number() || version->get<double>() != 1))
            file_.problem("pleat_pattern", shown(*version), "1, the version of the format");
        pattern_.name = r.text("name", pattern_.file.stem().string());
        for (const char* key : {"description", "$schema"})
            if (const Json* text = r.find(key); text != nullptr && !text->is_string())
                file_.problem(key, shown(*text), "a text");
        static const std::vector<std::string> axes{"y", "z"};
        pattern_.up = r.axis("up", "z", axes) == "y" ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
        unit_ = r.number("unit", 1.0, positive);
        pattern_.edge_length = r.number("edge_length", pattern_.edge_length, Range{1e-3, 10});
        if (r.require("panels", "an array of panels") == nullptr) file_.throw_if_bad();
        r.each("panels", [&](JsonReader& o) { pattern_.panels.push_back(read_panel(o)); });
        if (pattern_.panels.empty() && file_.problems.empty())
            file_.problem("panels", "no panel", "at least one");
        r.each("seams", [&](JsonReader& o) { pattern_.seams.push_back(read_seam(o)); });
        r.done();
        if (file_.problems.empty()) check_names();
        file_.throw_if_bad();
        return std::move(pattern_);
    }

private:
    bool read_point(const Json& json, const std::string& place, Vec2& p)
    {
        const bool good = json.is_array() && json.size() == 2 && json[0].is_number() &&
                          json[1].is_number() && std::abs(json[0].get<double>()) * unit_ <= 1e6 &&
                          std::abs(json[1].get<double>()) * unit_ <= 1e6;
        if (good)
            p = unit_ * Vec2{json[0].get<double>(), json[1].get<double>()};
        else
            file_.problem(place, shown(json), "[x, y], within 1e6 m");
        return good;
    }

    PatternRing read_corners(JsonReader& r, const std::string& key, const std::string& prefix)
    {
        PatternRing ring;
        r.each(key, [&](JsonReader& o) {
            PatternEdge e;
            e.place = o.path();
            e.name = o.text("edge", prefix + std::to_string(ring.size()));
            if (const Json* at = o.require("at", "[x, y]"))
                (void)read_point(*at, o.path_of("at"), e.from);
            if (const Json* curve = o.find("curve")) {
                if (!curve->is_array() || curve->empty() || curve->size() > 2)
                    file_.problem(o.path_of("curve"), shown(*curve),
                                  "one or two control points [x, y]");
                else
                    for (std::size_t k = 0; k < curve->size(); ++k) {
                        Vec2 p{};
                        (void)read_point((*curve)[k],
                                         o.path_of("curve") + "[" + std::to_string(k) + "]", p);
                        e.control.push_back(p);
                    }
            }
            e.label = o.integer("label", 0, -2147483647, 2147483647);
            ring.push_back(std::move(e));
        });
        return ring;
    }

    /// SVG's y points down; panels have theirs pointing up.
    PatternRing turned_up(const PathRing& path, const std::string& place, const std::string& prefix)
    {
        PatternRing ring;
        const auto up = [&](const Vec2& p) { return Vec2{unit_ * p[0], -unit_ * p[1]}; };
        for (const PathSegment& s : path) {
            PatternEdge e;
            e.name = prefix + std::to_string(ring.size());
            e.place = place + ", edge " + std::to_string(ring.size());
            e.from = up(s.from);
            for (const Vec2& c : s.control) e.control.push_back(up(c));
            ring.push_back(std::move(e));
        }
        return ring;
    }

    void take_paths(PatternPanel& panel, std::string_view data, const std::string& file,
                    const std::string& place)
    {
        try {
            const auto rings = parse_svg_path(data, file, place);
            panel.outline = turned_up(rings[0], place, "");
            for (std::size_t h = 1; h < rings.size(); ++h)
                panel.holes.push_back(
                    turned_up(rings[h], place, "hole" + std::to_string(h - 1) + "."));
        } catch (const InputError& error) {
            file_.problems.insert(file_.problems.end(), error.problems().begin(),
                                  error.problems().end());
        }
    }

    void take_svg(PatternPanel& panel, JsonReader& r)
    {
        const std::string name = r.required_text("file", "the path of an SVG drawing");
        const std::string id = r.required_text("id", "the id of a path in the drawing");
        if (name.empty() || id.empty()) return;
        const fs::path path = folder_ / name;
        try {
            const FileBytes bytes = read_file_bytes(path);
            std::vector<std::string> ids;
            for (const SvgPath& p : parse_svg(bytes.text(), path.string())) {
                ids.push_back(p.id);
                if (p.id != id) continue;
                take_paths(panel, p.data, path.string(), "path \"" + id + "\"");
                return;
            }
            file_.problem(r.path_of("id"), "no path " + in_quotes(id) + " in " + path.string(),
                          ids.empty() ? "a drawing with paths that have ids" : list_words(ids));
        } catch (const InputError& error) {
            file_.problems.insert(file_.problems.end(), error.problems().begin(),
                                  error.problems().end());
        }
    }

    void take_copy(PatternPanel& panel, JsonReader& r, const std::string& name)
    {
        const bool mirror = r.boolean("mirror", false);
        for (const PatternPanel& p : pattern_.panels) {
            if (p.name != name) continue;
            panel.outline = p.outline;
            panel.holes = p.holes;
            panel.darts = p.darts;
            panel.material = p.material;
            if (!mirror) return;
            const auto flip = [](PatternRing& ring) {
                for (PatternEdge& e : ring) {
                    e.from[0] = -e.from[0];
                    for (Vec2& c : e.control) c[0] = -c[0];
                }
            };
            flip(panel.outline);
            for (PatternRing& h : panel.holes) flip(h);
            return;
        }
        file_.problem(r.path_of("copy"), "the unknown panel " + in_quotes(name),
                      "the name of a panel above this one");
    }

    void name_edges(PatternPanel& panel, JsonReader& r)
    {
        const Json* names = r.find("edges");
        if (names == nullptr) return;
        if (!names->is_array() || names->size() > panel.outline.size()) {
            file_.problem(r.path_of("edges"), shown(*names),
                          "an array of names, at most one for each of the " +
                              std::to_string(panel.outline.size()) + " edges of the path");
            return;
        }
        for (std::size_t i = 0; i < names->size(); ++i) {
            if ((*names)[i].is_string())
                panel.outline[i].name = (*names)[i].get<std::string>();
            else if (!(*names)[i].is_null())
                file_.problem(r.path_of("edges") + "[" + std::to_string(i) + "]",
                              shown((*names)[i]), "a name or null");
        }
    }

    PatternPanel read_panel(JsonReader& r)
    {
        PatternPanel p;
        p.place = r.path();
        p.name = r.required_text("name", "a name of its own");
        if (p.name.find('.') != std::string::npos)
            file_.problem(r.path_of("name"), in_quotes(p.name), "a name without a dot");
        const auto path = r.maybe_text("path");
        const auto copy = r.maybe_text("copy");
        const bool has_svg = r.object("svg", [&](JsonReader& o) { take_svg(p, o); });
        const bool has_outline = r.find("outline") != nullptr;
        if (int(has_outline) + int(path.has_value()) + int(copy.has_value()) + int(has_svg) != 1)
            file_.problem(r.path(), "not one of \"outline\", \"path\", \"svg\", \"copy\"",
                          "exactly one of them, to say what the panel looks like");
        if (has_outline) p.outline = read_corners(r, "outline", "");
        if (path) take_paths(p, *path, file_.name, r.path_of("path"));
        if (copy) take_copy(p, r, *copy);
        if (!copy && r.find("mirror") != nullptr)
            file_.problem(r.path_of("mirror"), "\"mirror\" without \"copy\"", "both or neither");
        if (path || has_svg) name_edges(p, r);
        if (const Json* holes = r.find("holes")) read_holes(p, *holes, r.path_of("holes"));
        r.each("darts", [&](JsonReader& o) {
            PatternDart d;
            d.place = o.path();
            d.edge = o.required_text("edge", "the name of an edge of the panel");
            d.at = o.number("at", 0.5, Range{0, 1});
            d.width = unit_ * o.required_number("width", positive);
            d.depth = unit_ * o.required_number("depth", positive);
            p.darts.push_back(std::move(d));
        });
        p.material = r.integer("material", p.material, 0, 1000000);
        r.object("placement", [&](JsonReader& o) { p.placement = read_placement(o); });
        return p;
    }

    void read_holes(PatternPanel& p, const Json& holes, const std::string& place)
    {
        if (!holes.is_array()) {
            file_.problem(place, shown(holes), "an array of outlines");
            return;
        }
        for (std::size_t h = 0; h < holes.size(); ++h) {
            // A reader wants an object: the array is read as the one key of one.
            const std::string at = place + "[" + std::to_string(h) + "]";
            const Json wrapped{{"outline", holes[h]}};
            JsonFile inner{file_.name};
            JsonReader o(wrapped, at, inner);
            p.holes.push_back(
                read_corners(o, "outline", "hole" + std::to_string(p.holes.size()) + "."));
            file_.problems.insert(file_.problems.end(), inner.problems.begin(),
                                  inner.problems.end());
        }
    }

    PatternPlacement read_placement(JsonReader& r)
    {
        PatternPlacement p;
        p.transform.translate = r.vector("translate", {});
        if (const auto turn = r.numbers("rotate", 4); !turn.empty()) {
            const Vec3 axis{turn[1], turn[2], turn[3]};
            if (norm(axis) == 0 || !std::isfinite(norm(axis)))
                file_.problem(r.path_of("rotate"), "an axis of no length",
                              "[degrees, axis x, axis y, axis z]");
            else
                p.transform.rotation = rotation_about(axis, turn[0] * degree);
        }
        if (const auto s = r.numbers("scale", 2, positive); !s.empty()) p.scale = {s[0], s[1]};
        r.object("wrap", [&](JsonReader& o) { p.wrap = read_wrap(o); });
        return p;
    }

    PatternWrap read_wrap(JsonReader& r)
    {
        PatternWrap w;
        w.centre = r.vector("centre", {});
        w.axis = r.vector("axis", pattern_.up);
        const Vec3 forward = pattern_.up[1] == 1 ? Vec3{0, 0, 1} : Vec3{0, -1, 0};
        w.front = r.vector("front", forward);
        w.axis = normalized(w.axis);
        w.front = normalized(w.front - dot(w.front, w.axis) * w.axis);
        if (norm2(w.axis) == 0 || norm(w.front) < 0.5)
            file_.problem(r.path_of("front"), "a front along the axis, or an axis of no length",
                          "\"axis\" and \"front\" that point different ways");
        const Json* radius = r.require("radius", "a number, [side, front], or a profile");
        if (radius != nullptr) read_radius(*radius, r.path_of("radius"), w);
        w.angle = degree * r.number("angle", 0.0, Range{-3600, 3600});
        if (const auto t = r.maybe_number("turn", positive)) w.turn = unit_ * *t;
        if (const auto s = r.numbers("sector", 2, Range{-3600, 3600}); !s.empty())
            w.sector = {degree * s[0], degree * s[1]};
        if (w.sector && (w.turn || r.find("angle") != nullptr))
            file_.problem(r.path_of("sector"), "\"sector\" beside \"angle\" or \"turn\"",
                          "one or the other");
        if (const Json* base = r.find("base")) (void)read_point(*base, r.path_of("base"), w.base);
        return w;
    }

    void read_radius(const Json& json, const std::string& place, PatternWrap& w)
    {
        const auto good = [](const Json& j) {
            return j.is_number() && j.get<double>() > 0 && j.get<double>() <= 1e3;
        };
        if (good(json)) {
            w.radius = {{0, json.get<double>(), json.get<double>()}};
        } else if (json.is_array() && json.size() == 2 && good(json[0]) && good(json[1])) {
            w.radius = {{0, json[0].get<double>(), json[1].get<double>()}};
        } else if (json.is_array() && !json.empty()) {
            for (const Json& row : json) {
                const bool row_good =
                    row.is_array() && row.size() == 3 && row[0].is_number() && good(row[1]) &&
                    good(row[2]) &&
                    (w.radius.empty() || row[0].get<double>() > w.radius.back().height);
                if (!row_good) {
                    file_.problem(place, shown(row),
                                  "rows [height, side, front] with rising heights and radii above "
                                  "0 [m]");
                    return;
                }
                w.radius.push_back(
                    {row[0].get<double>(), row[1].get<double>(), row[2].get<double>()});
            }
        } else {
            file_.problem(place, shown(json),
                          "a number above 0, [side, front], or rows [height, side, front]");
        }
    }

    std::vector<PatternEdgeUse> read_side(JsonReader& r, const std::string& key)
    {
        std::vector<PatternEdgeUse> uses;
        const Json* side = r.require(key, "\"panel.edge\", or an array of them");
        if (side == nullptr) return uses;
        const Json list = side->is_array() ? *side : Json::array({*side});
        for (std::size_t i = 0; i < list.size(); ++i) {
            const std::string place =
                side->is_array() ? r.path_of(key) + "[" + std::to_string(i) + "]" : r.path_of(key);
            const std::string text = list[i].is_string() ? list[i].get<std::string>() : "";
            const std::size_t dot = text.find('.');
            if (dot == std::string::npos) {
                file_.problem(place, shown(list[i]), "\"panel.edge\"");
                continue;
            }
            uses.push_back({text.substr(0, dot), text.substr(dot + 1), place});
        }
        if (list.empty()) file_.problem(r.path_of(key), "no edge", "at least one");
        return uses;
    }

    PatternSeam read_seam(JsonReader& r)
    {
        PatternSeam s;
        s.place = r.path();
        s.name = r.text("name", "seam" + std::to_string(pattern_.seams.size()));
        s.a = read_side(r, "a");
        s.b = read_side(r, "b");
        s.gather = r.maybe_number("gather", Range{1, 4});
        return s;
    }

    void check_names()
    {
        std::vector<std::string> panels;
        for (const PatternPanel& p : pattern_.panels) {
            if (std::find(panels.begin(), panels.end(), p.name) != panels.end())
                file_.problem(p.place + ".name", "the name " + in_quotes(p.name) + " a second time",
                              "a name of its own for each panel");
            panels.push_back(p.name);
            std::set<std::string> edges;
            const auto check = [&](const PatternRing& ring) {
                for (const PatternEdge& e : ring)
                    if (!edges.insert(e.name).second)
                        file_.problem(e.place, "the edge " + in_quotes(e.name) + " a second time",
                                      "a name of its own for each edge of a panel");
            };
            check(p.outline);
            for (const PatternRing& h : p.holes) check(h);
        }
        for (const PatternSeam& s : pattern_.seams)
            for (const auto* side : {&s.a, &s.b})
                for (const PatternEdgeUse& use : *side) check_use(use, panels);
        for (const PatternPanel& p : pattern_.panels)
            for (const PatternDart& d : p.darts)
                if (std::none_of(p.outline.begin(), p.outline.end(),
                                 [&](const PatternEdge& e) { return e.name == d.edge; }))
                    file_.problem(d.place + ".edge", "the unknown edge " + in_quotes(d.edge),
                                  "an edge of the outline of " + in_quotes(p.name));
    }

    void check_use(const PatternEdgeUse& use, const std::vector<std::string>& panels)
    {
        const auto suggestion = [](const std::string& word, const std::vector<std::string>& known) {
            const std::string near = nearest_word(word, known);
            return near.empty() ? list_words(known) : in_quotes(near) + "?";
        };
        for (const PatternPanel& p : pattern_.panels) {
            if (p.name != use.panel) continue;
            std::vector<std::string> edges;
            const auto add = [&](const PatternRing& ring) {
                for (const PatternEdge& e : ring) edges.push_back(e.name);
            };
            add(p.outline);
            for (const PatternRing& h : p.holes) add(h);
            if (std::find(edges.begin(), edges.end(), use.edge) == edges.end())
                file_.problem(use.place,
                              "a seam to nowhere: panel " + in_quotes(use.panel) + " has no edge " +
                                  in_quotes(use.edge),
                              suggestion(use.edge, edges));
            return;
        }
        file_.problem(use.place, "a seam to nowhere: no panel " + in_quotes(use.panel),
                      suggestion(use.panel, panels));
    }

    fs::path folder_;
    JsonFile file_;
    Pattern pattern_;
    double unit_ = 1;
};

} // namespace

Pattern read_pattern_file(const fs::path& path)
{
    return PatternReader(path).read(read_json_file(path.string()));
}

Pattern parse_pattern(std::string_view text, const fs::path& path)
{
    return PatternReader(path).read(parse_json(text, path.string()));
}

} // namespace pleat
