// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/scene_file.hpp"

#include "pleat/scene/json_reader.hpp"
#include "pleat/scene/material_json.hpp"
#include "pleat/scene/part_tables.hpp"
#include "pleat/strain_limiting/edge_velocity.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

namespace pleat {

namespace {

namespace fs = std::filesystem;

constexpr double degree = std::numbers::pi / 180;
constexpr Range fps_range{0.001, 100000};
constexpr double shortest_key = 1e-9;   // between two keys of a motion [s]
constexpr double unit_tolerance = 1e-3; // of the length of a quaternion that is given

/// The text as a scene file has it, whole.
std::string as_json(const std::string& text)
{
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool is_gltf(const fs::path& path)
{
    std::string extension = path.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return extension == ".glb" || extension == ".gltf";
}

/// A path as part of a pattern, in which a percent sign starts a number.
fs::path as_pattern(const fs::path& path)
{
    std::string text;
    for (const char c : path.string()) text += c == '%' ? std::string("%%") : std::string(1, c);
    return text;
}

class SceneReader {
public:
    SceneReader(fs::path path, SceneKeys* asked)
        : folder_(path.parent_path()), file_{path.string(), {}, asked}
    {
        scene_.file = std::move(path);
    }

    /// \param problems where to put what is wrong; none: thrown
    SceneDescription read(const Json& json, std::vector<Problem>* problems = nullptr)
    {
        JsonReader r(json, "", "scene", file_);
        read_version(r);
        for (const char* key : {"name", "description", "$schema"}) // for people and editors
            if (const Json* text = r.find(key); text != nullptr && !text->is_string())
                file_.problem(key, describe(*text), "a text");
        scene_.up = read_up(r);
        scene_.fps = r.number("fps", scene_.fps, fps_range);
        scene_.substeps = r.integer("substeps", scene_.substeps, 1, 100000);
        scene_.frames = r.integer("frames", scene_.frames, 0, 10000000);
        scene_.gravity = r.vector("gravity", -9.8 * scene_.up);
        r.object("wind", "wind", [&](JsonReader& o) {
            scene_.wind.velocity = o.vector("velocity", {});
            scene_.wind.density = o.number("density", 1.0, not_negative);
            scene_.wind.drag = o.number("drag", 0.0, not_negative);
        });
        if (const Json* cloths = r.find("cloths");
            json.is_object() && (cloths == nullptr || (cloths->is_array() && cloths->empty())))
            file_.problem("cloths", "no cloth", "at least one");
        r.each("cloths", "cloth", [&](JsonReader& o) { scene_.cloths.push_back(read_cloth(o)); });
        r.each("obstacles", "obstacle",
               [&](JsonReader& o) { scene_.obstacles.push_back(read_obstacle(o)); });
        r.each("handles", "handle",
               [&](JsonReader& o) { scene_.handles.push_back(read_handle(o)); });
        r.object("solver", "solver", [&](JsonReader& o) { read_solver(o); });
        r.object("contact", "contact", [&](JsonReader& o) { read_contact(o); });
        choose_strain_limiter();
        r.object("strain_limiting", "strain_limiting",
                 [&](JsonReader& o) { read_strain_limiting(o); });
        r.object("settle", "settle", [&](JsonReader& o) {
            SettleDescription s;
            s.tolerance = o.number("tolerance", s.tolerance, Range{1e-6, 1});
            s.iterations = o.integer("iterations", s.iterations, 1, 1000000);
            scene_.settle = s;
        });
        r.object("dress", "dress", [&](JsonReader& o) {
            DressDescription d;
            d.time = o.number("time", d.time, Range{0, 100});
            d.step = o.number("step", d.step, Range{1e-5, 0.1});
            d.gravity = o.number("gravity", d.gravity, Range{0, 10});
            d.speed = o.number("speed", d.speed, Range{0, 1});
            scene_.dress = d;
        });
        r.object("camera", "camera", [&](JsonReader& o) { scene_.camera = read_camera(o); });
        r.done();
        check_names();
        if (problems == nullptr) file_.throw_if_bad();
        if (problems != nullptr) *problems = std::move(file_.problems);
        return std::move(scene_);
    }

private:
    void read_version(JsonReader& r)
    {
        const Json* version = r.require("pleat", "1, the version of the format");
        if (version != nullptr && (!version->is_number() || version->get<double>() != 1))
            file_.problem("pleat", describe(*version), "1, the version of the format");
    }

    Vec3 read_up(JsonReader& r)
    {
        static const std::vector<std::string> words{"x", "y", "z"};
        const std::string axis = r.axis("up", "z", words);
        return axis == "x" ? Vec3{1, 0, 0} : axis == "y" ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
    }

    /// Relative to the scene file; absolute paths stay.
    [[nodiscard]] fs::path resolve(const std::string& path) const
    {
        return path.empty() ? fs::path() : folder_ / path;
    }
    [[nodiscard]] fs::path resolve_pattern(const std::string& path) const
    {
        return path.empty() ? fs::path() : as_pattern(folder_) / path;
    }

    Transform read_transform_keys(JsonReader& r, Range scale = positive)
    {
        Transform t;
        t.translate = r.vector("translate", {});
        t.scale = r.number("scale", 1.0, scale);
        const auto turn = r.numbers("rotate", 4);
        if (!turn.empty()) {
            const Vec3 axis{turn[1], turn[2], turn[3]};
            if (const double length = norm(axis); length == 0 || !std::isfinite(length))
                file_.problem(r.path_of("rotate"),
                              length == 0 ? "an axis of length zero" : "an axis without end",
                              "[degrees, axis x, axis y, axis z]");
            else
                t.rotation = rotation_about(axis, turn[0] * degree);
        }
        const auto q = r.numbers("quaternion", 4);
        if (!q.empty() && r.find("rotate") != nullptr)
            file_.problem(r.path_of("quaternion"), "a quaternion beside \"rotate\"",
                          "one of the two");
        else if (!q.empty())
            t.rotation = read_quaternion(q, r.path_of("quaternion"));
        return t;
    }

    Rotation read_quaternion(const std::vector<double>& q, const std::string& place)
    {
        const double length = norm(Vec<double, 4>{q[0], q[1], q[2], q[3]});
        if (!(std::abs(length - 1) <= unit_tolerance)) {
            file_.problem(place, "a quaternion of length " + Json(length).dump(),
                          "[w, x, y, z] of length 1");
            return {};
        }
        // One that was written by to_json_text keeps its bits.
        const double s = std::abs(length - 1) < 1e-14 ? 1 : 1 / length;
        return {q[0] * s, q[1] * s, q[2] * s, q[3] * s};
    }

    Transform read_transform(JsonReader& r)
    {
        Transform t;
        r.object("transform", "transform", [&](JsonReader& o) { t = read_transform_keys(o); });
        return t;
    }

    /// \param scale of its keys
    MotionDescription read_motion(JsonReader& r, Range scale = positive)
    {
        MotionDescription m;
        const Json* value = r.find("motion");
        if (value == nullptr) return m;
        if (value->is_string()) {
            file_.problem(r.path_of("motion"), describe(*value),
                          "an array of keys, or a file: {\"file\": " +
                              as_json(value->get<std::string>()) + "}");
            return m;
        }
        if (value->is_object()) {
            r.object("motion", "motion_file", [&](JsonReader& o) {
                m.file = resolve(o.required_text("file", "the path of a .mot file"));
                m.body = o.integer("body", 0, 0, 1000000);
                m.fps = o.number("fps", 120, fps_range);
            });
            return m;
        }
        r.each("motion", "motion_key", [&](JsonReader& o) {
            MotionKey key;
            key.time = o.required_number("time");
            key.transform = read_transform_keys(o, scale);
            o.object("velocity", "motion_velocity", [&](JsonReader& v) {
                key.velocity = TransformRate{v.vector("linear", {}), v.vector("angular", {}),
                                             v.number("scale", 0.0)};
            });
            if (!m.keys.keys.empty() && !(key.time - m.keys.keys.back().time >= shortest_key))
                file_.problem(o.path_of("time"), "the time " + Json(key.time).dump(),
                              "times in increasing order, at least 1e-9 s apart");
            m.keys.keys.push_back(key);
        });
        return m;
    }

    void read_span(JsonReader& r, double& from, double& until)
    {
        from = r.number("from", from);
        until = r.number("until", until);
        if (until <= from)
            file_.problem(r.path_of("until"), "the time " + Json(until).dump(),
                          "a time after \"from\"");
    }

    ClothDescription read_cloth(JsonReader& r)
    {
        ClothDescription c;
        c.name = r.text("name",
                        "cloth" + (scene_.cloths.empty() ? std::string()
                                                         : std::to_string(scene_.cloths.size())));
        c.mesh = resolve(r.required_text("mesh", "the path of an OBJ or PLY file"));
        c.unit = r.number("unit", c.unit, positive);
        c.rest = read_rest(r, "rest", c.rest);
        // Who gives a shape of its own means its folds too.
        if (c.rest.from == "file") c.rest_angles = c.rest;
        c.rest_angles = read_rest(r, "rest_angles", c.rest_angles);
        if (is_gltf(c.mesh)) {
            file_.problem(r.path_of("mesh"), "the glTF file " + in_quotes(c.mesh.string()),
                          "an OBJ or PLY file: cloth is not read from glTF files; export it as OBJ "
                          "from the program that made it");
            c.mesh.clear();
        }
        c.transform = read_transform(r);
        r.object("velocity", "velocity", [&](JsonReader& o) {
            c.linear_velocity = o.vector("linear", {});
            c.angular_velocity = o.vector("angular", {});
            c.velocity_origin = o.vector("origin", {});
        });
        const Json* one = r.find("material");
        const Json* many = r.find("materials");
        if ((one != nullptr) == (many != nullptr)) {
            file_.problem(r.path_of("material"),
                          one != nullptr ? "both \"material\" and \"materials\""
                                         : "neither \"material\" nor \"materials\"",
                          "one of the two: a fabric (see `pleat materials`), or an array with one "
                          "for each material index of the mesh");
        } else if (one != nullptr) {
            c.materials.push_back(read_material(*one, r.path_of("material"), file_, folder_));
        } else if (many->is_array() && !many->empty()) {
            for (std::size_t i = 0; i < many->size(); ++i)
                c.materials.push_back(read_material(
                    (*many)[i], r.path_of("materials") + "[" + std::to_string(i) + "]", file_,
                    folder_));
        } else {
            file_.problem(r.path_of("materials"), describe(*many), "an array of fabrics");
        }
        c.strain_limits = read_strain_limits(r);
        if (c.strain_limits)
            for (Material& m : c.materials) m.strain_limits = c.strain_limits;
        r.object("remeshing", "remeshing", [&](JsonReader& o) { read_remeshing(o, c.remeshing); });
        c.layer = r.integer("layer", c.layer, -1000, 1000);
        if (const auto rgb = r.numbers("colour", 3, {0, 1}); !rgb.empty())
            c.colour = Vec3{rgb[0], rgb[1], rgb[2]};
        return c;
    }

    /// A word, or the path of a mesh file.
    RestDescription read_rest(JsonReader& r, const std::string& key,
                              const RestDescription& standard)
    {
        const std::string text = r.text(key, "");
        if (r.find(key) == nullptr) return standard;
        const std::vector<std::string> words{key == "rest" ? "material" : "flat", "mesh"};
        if (std::find(words.begin(), words.end(), text) != words.end()) return {text, {}};
        std::string extension = fs::path(text).extension().string();
        for (char& c : extension) c = char(std::tolower(static_cast<unsigned char>(c)));
        if (extension == ".obj" || extension == ".ply") return {"file", resolve(text)};
        if (r.find(key)->is_string()) // else said already
            file_.problem(r.path_of(key), in_quotes(text),
                          list_words(words) + ", or the path of an OBJ or PLY file");
        return standard;
    }

    void read_remeshing(JsonReader& r, RemeshingDescription& d)
    {
        static const std::vector<std::string> strategies{"guard", "separate", "none"};
        d.type = r.word("type", d.type, remesher_types());
        if (const auto l = r.numbers("edge_length", 2, positive); !l.empty()) {
            d.edge_length = {l[0], l[1]};
            if (l[0] > l[1])
                file_.problem(r.path_of("edge_length"), "a shortest edge above the longest",
                              "[shortest, longest]");
        }
        d.aspect_min = r.number("aspect_min", d.aspect_min, {0, 1});
        d.angle = r.number("angle", d.angle, not_negative);
        d.compression = r.number("compression", d.compression, not_negative);
        d.velocity = r.number("velocity", d.velocity, not_negative);
        d.crossings = r.word("crossings", d.crossings, strategies);
        d.every = r.integer("every", d.every, 0, 1000000);
    }

    ObstacleDescription read_obstacle(JsonReader& r)
    {
        ObstacleDescription d;
        d.name = r.text("name", "obstacle" + (scene_.obstacles.empty()
                                                  ? std::string()
                                                  : std::to_string(scene_.obstacles.size())));
        if (const auto mesh = r.maybe_text("mesh")) {
            d.mesh = resolve(*mesh);
            if (is_gltf(d.mesh)) {
                file_.problem(r.path_of("mesh"), "the glTF file " + in_quotes(*mesh),
                              "\"gltf\": {\"file\": " + as_json(*mesh) + "} in place of \"mesh\"");
                d.mesh.clear();
            }
        }
        for (const auto& [key, file_key] : {std::pair{"gltf", "file"}, {"sequence", "files"}})
            if (const Json* text = r.find(key); text != nullptr && text->is_string())
                file_.problem(r.path_of(key), describe(*text),
                              "\"" + std::string(key) + "\": {\"" + file_key +
                                  "\": " + as_json(text->get<std::string>()) + "}");
        const auto object = [&](const char* key, const auto& read) {
            if (const Json* value = r.find(key); value != nullptr && !value->is_string())
                r.object(key, key, read);
        };
        object("sequence", [&](JsonReader& o) {
            d.sequence = resolve_pattern(
                o.required_text("files", "a name with one %d, such as body_%04d.obj"));
            d.sequence_first = o.integer("first", 0, 0, 100000000);
            d.sequence_fps = o.number("fps", scene_.fps, fps_range);
            d.sequence_time = o.number("time", 0.0);
        });
        r.object("plane", "plane", [&](JsonReader& o) {
            PlaneDescription plane;
            plane.point = o.vector("point", {});
            plane.normal = o.vector("normal", scene_.up);
            plane.size = o.number("size", plane.size, positive);
            if (const double length = norm(plane.normal); length == 0 || !std::isfinite(length))
                file_.problem(o.path_of("normal"), "a vector of length " + Json(length).dump(),
                              "the direction out of the half-space");
            d.plane = plane;
        });
        object("gltf", [&](JsonReader& o) { read_gltf(o, d.gltf); });
        int ways = 0;
        for (const char* way : {"mesh", "sequence", "plane", "gltf"})
            ways += r.find(way) != nullptr;
        if (ways != 1)
            file_.problem(r.path(),
                          std::to_string(ways) + " of \"mesh\", \"sequence\", \"plane\", \"gltf\"",
                          "exactly one of them, to say what shape it has");
        d.unit = r.number("unit", d.unit, positive);
        if (r.find("unit") != nullptr && d.mesh.empty() && d.sequence.empty())
            file_.problem(r.path_of("unit"),
                          d.plane ? "a unit beside a plane" : "a unit beside \"gltf\"",
                          d.plane ? "none: a plane is in metres" : "it inside \"gltf\"");
        d.transform = read_transform(r);
        d.motion = read_motion(r);
        const bool deforms = !d.sequence.empty() || !d.gltf.file.empty();
        if (deforms && (!d.motion.keys.keys.empty() || !d.motion.file.empty()))
            file_.problem(r.path_of("motion"),
                          "a motion beside a " +
                              std::string(d.sequence.empty() ? "glTF file" : "sequence"),
                          "it to move by itself");
        read_span(r, d.from, d.until);
        d.friction = r.maybe_number("friction", not_negative);
        return d;
    }

    void read_gltf(JsonReader& r, GltfDescription& d)
    {
        static const std::vector<std::string> axes{"x", "y", "z"};
        d.file = resolve(r.required_text("file", "the path of a .glb or .gltf file"));
        d.up = r.axis("up", d.up, axes);
        d.unit = r.number("unit", d.unit, positive);
        d.animation = r.maybe_text("animation");
        if (const Json* nodes = r.find("nodes")) {
            const bool good =
                nodes->is_array() && std::all_of(nodes->begin(), nodes->end(),
                                                 [](const Json& n) { return n.is_string(); });
            if (good)
                d.nodes = nodes->get<std::vector<std::string>>();
            else
                file_.problem(r.path_of("nodes"), describe(*nodes), "an array of names");
        }
        d.fps = r.number("fps", d.fps, Range{0.1, 1000});
        d.time = r.number("time", d.time);
    }

    CameraDescription read_camera(JsonReader& r)
    {
        CameraDescription c;
        const bool is_whole =
            r.require("eye", "three numbers, where the camera stands") != nullptr &&
            r.require("target", "three numbers, what it looks at") != nullptr;
        c.eye = r.vector("eye", {});
        c.target = r.vector("target", {});
        c.fov = r.number("fov", c.fov, Range{1, 170});
        c.motion = read_motion(r);
        if (is_whole && c.eye == c.target)
            file_.problem(r.path_of("target"), "the place of the eye", "another point to look at");
        return c;
    }

    HandleDescription read_handle(JsonReader& r)
    {
        HandleDescription h;
        h.name = r.text("name", "handle" + std::to_string(scene_.handles.size()));
        h.cloth = r.text("cloth", "");
        const Json* nodes = r.find("nodes");
        if (nodes != nullptr) {
            bool good = nodes->is_array() && !nodes->empty();
            if (good)
                for (const Json& n : *nodes) {
                    good = good && n.is_number_unsigned() && n.get<std::uint64_t>() < 0xffffffffu;
                    if (good) h.nodes.push_back(n.get<std::uint32_t>());
                }
            if (!good)
                file_.problem(r.path_of("nodes"), describe(*nodes),
                              "an array of vertex numbers of the mesh file, counted from 0");
        }
        if (const Json* label = r.find("label")) {
            h.label = r.integer("label", 1, -2147483647, 2147483647);
            if (*h.label == 0)
                file_.problem(r.path_of("label"), describe(*label),
                              "another number: nodes without a label have 0");
        }
        const bool boxed = r.object("box", "box", [&](JsonReader& o) {
            h.box = std::array<Vec3, 2>{o.vector("min", {}), o.vector("max", {})};
            if (o.require("min", "three numbers") && o.require("max", "three numbers"))
                for (std::size_t k = 0; k < 3; ++k)
                    if ((*h.box)[0][k] > (*h.box)[1][k]) {
                        file_.problem(o.path(), "a box whose min is above its max", "min <= max");
                        break;
                    }
        });
        const int ways = int(nodes != nullptr) + int(h.label.has_value()) + int(boxed);
        if (ways != 1)
            file_.problem(r.path(), std::to_string(ways) + " of \"nodes\", \"label\", \"box\"",
                          "exactly one of them, to say which nodes are held");
        h.motion = read_motion(r, not_negative); // 0: all to one point
        read_span(r, h.from, h.until);
        h.fade = r.number("fade", 0.0, not_negative);
        h.stiffness = r.maybe_number("stiffness", positive);
        return h;
    }

    void read_solver(JsonReader& r)
    {
        SolverDescription& s = scene_.solver;
        s.integrator = r.word("integrator", s.integrator, integrator_types());
        s.linear_solver = r.word("linear_solver", s.linear_solver, linear_solver_types());
        s.newton_iterations = r.integer("newton_iterations", s.newton_iterations, 1, 1000);
        s.tolerance = r.number("tolerance", s.tolerance, Range{1e-14, 0.1});
        s.variant = r.word("variant", s.variant, mixed_variants());
    }

    void read_strain_limiting(JsonReader& r)
    {
        static const std::vector<std::string> measures{"principal", "components"};
        StrainLimitingDescription& s = scene_.strain_limiting;
        if (r.find("type") != nullptr) s.default_limits.reset(); // who names a type names its keys
        s.type = r.word("type", s.type, strain_limiter_types());
        s.measure = r.word("measure", s.measure, measures);
        s.tolerance = r.number("tolerance", s.tolerance, Range{1e-6, 1});
        if (r.find("iterations") != nullptr) s.iterations = r.integer("iterations", 0, 1, 1000000);
        if (s.measure == "components" && s.type != "projected_newton" &&
            s.type != "augmented_lagrangian")
            file_.problem(r.path_of("measure"), "\"components\" with the type \"" + s.type + "\"",
                          "it with \"projected_newton\" or \"augmented_lagrangian\" only");
        if (const auto limits = read_strain_limits(r, "default_limits")) s.default_limits = limits;
        if (s.default_limits && s.type != "edge_velocity")
            file_.problem(r.path_of("default_limits"), "the type \"" + s.type + "\" with it",
                          "it with \"edge_velocity\" only; fabrics have \"strain_limits\"");
    }

    /// What a scene gets that does not say: [Bridson2003] sec. 3 for the explicit integrator.
    void choose_strain_limiter()
    {
        if (!is_explicit(scene_.solver)) return;
        scene_.strain_limiting.type = "edge_velocity";
        scene_.strain_limiting.default_limits = biphasic_limits;
    }

    void read_contact(JsonReader& r)
    {
        ContactDescription& c = scene_.contact;
        c.type = r.word("type", c.type, contact_types());
        c.thickness = r.number("thickness", c.thickness, positive);
        c.friction = r.number("friction", c.friction, not_negative);
        c.stiffness = r.number("stiffness", c.stiffness, positive);
        c.broad_phase = r.word("broad_phase", c.broad_phase, broad_phase_types());
        c.on_overlap = r.word("on_overlap", c.on_overlap, overlap_answers());
        r.each("friction_pairs", "friction_pair", [&](JsonReader& o) {
            FrictionPairDescription pair;
            pair.friction = o.required_number("friction", not_negative);
            if (const Json* names = o.require("between", "the names of two things")) {
                if (names->is_array() && names->size() == 2 && (*names)[0].is_string() &&
                    (*names)[1].is_string())
                    pair.between = {(*names)[0].get<std::string>(), (*names)[1].get<std::string>()};
                else
                    file_.problem(o.path_of("between"), describe(*names), "an array of two names");
            }
            c.friction_pairs.push_back(pair);
        });
    }

    /// \param known the names of all cloths and obstacles
    void check_friction_pairs(const std::set<std::string>& known)
    {
        for (std::size_t i = 0; i < scene_.contact.friction_pairs.size(); ++i) {
            const auto& between = scene_.contact.friction_pairs[i].between;
            const std::string place = "contact.friction_pairs[" + std::to_string(i) + "].between";
            if (between[0].empty() && between[1].empty()) continue; // said already
            bool has_cloth = false, good = true;
            for (const std::string& name : between) {
                has_cloth = has_cloth || std::any_of(scene_.cloths.begin(), scene_.cloths.end(),
                                                     [&](const auto& c) { return c.name == name; });
                if (known.contains(name)) continue;
                good = false;
                file_.problem(place, "the unknown name " + in_quotes(name),
                              list_words(std::vector<std::string>(known.begin(), known.end())));
            }
            if (good && !has_cloth) file_.problem(place, "two obstacles", "at least one cloth");
        }
    }

    void check_names()
    {
        std::set<std::string> names;
        const auto once = [&](const std::string& name, const std::string& place) {
            if (!names.insert(name).second)
                file_.problem(place + ".name", "the name " + in_quotes(name) + " a second time",
                              "a name of its own for each cloth and obstacle");
        };
        for (std::size_t i = 0; i < scene_.cloths.size(); ++i)
            once(scene_.cloths[i].name, "cloths[" + std::to_string(i) + "]");
        for (std::size_t i = 0; i < scene_.obstacles.size(); ++i)
            once(scene_.obstacles[i].name, "obstacles[" + std::to_string(i) + "]");
        check_friction_pairs(names);
        if (scene_.handles.size() > max_handles)
            file_.problem("handles", std::to_string(scene_.handles.size()) + " handles",
                          "at most " + std::to_string(max_handles));
        for (std::size_t i = 0; i < scene_.handles.size(); ++i) {
            HandleDescription& h = scene_.handles[i];
            if (h.cloth.empty() && !scene_.cloths.empty()) h.cloth = scene_.cloths[0].name;
            std::vector<std::string> cloths;
            for (const ClothDescription& c : scene_.cloths) cloths.push_back(c.name);
            if (!cloths.empty() && std::find(cloths.begin(), cloths.end(), h.cloth) == cloths.end())
                file_.problem("handles[" + std::to_string(i) + "].cloth",
                              "the unknown cloth " + in_quotes(h.cloth), list_words(cloths));
        }
    }

    fs::path folder_;
    JsonFile file_;
    SceneDescription scene_;
};

Json to_json(const Vec3& v)
{
    return {v[0], v[1], v[2]};
}

Json to_json(const Transform& t)
{
    const Rotation& r = t.rotation; // as it is: degrees would not give back the same bits
    return {{"translate", to_json(t.translate)},
            {"quaternion", {r.w, r.x, r.y, r.z}},
            {"scale", t.scale}};
}

/// Paths as a scene file in a folder has them: absolute where there is no folder.
class PathText {
public:
    explicit PathText(fs::path folder) : folder_(std::move(folder)) {}

    [[nodiscard]] std::string file(const fs::path& path) const
    {
        const fs::path whole = fs::absolute(path); // not tidied up: "a/.." is not "." for a link
        if (folder_.empty()) return whole.string();
        const fs::path relative = fs::proximate(whole, folder_);
        return relative.empty() ? whole.string() : relative.string();
    }
    [[nodiscard]] std::string pattern(const fs::path& pattern) const
    {
        const fs::path whole = as_pattern(fs::current_path()) / pattern;
        if (folder_.empty()) return whole.string();
        return (as_pattern(fs::proximate(pattern.parent_path(), folder_)) / pattern.filename())
            .string();
    }

private:
    fs::path folder_;
};

void add_motion(Json& json, const MotionDescription& m, const PathText& text)
{
    if (!m.file.empty()) {
        json["motion"] = {{"file", text.file(m.file)}, {"body", m.body}, {"fps", m.fps}};
        return;
    }
    if (m.keys.keys.empty()) return;
    Json keys = Json::array();
    for (const MotionKey& k : m.keys.keys) {
        Json key = to_json(k.transform);
        key["time"] = k.time;
        if (k.velocity)
            key["velocity"] = {{"linear", to_json(k.velocity->linear)},
                               {"angular", to_json(k.velocity->angular)},
                               {"scale", k.velocity->scale}};
        keys.push_back(key);
    }
    json["motion"] = keys;
}

void add_span(Json& json, double from, double until)
{
    if (std::isfinite(from)) json["from"] = from;
    if (std::isfinite(until)) json["until"] = until;
}

Json to_json(const ClothDescription& c, const PathText& text)
{
    Json materials = Json::array();
    for (const Material& m : c.materials) materials.push_back(material_to_json(m));
    const RemeshingDescription& r = c.remeshing;
    Json item{{"name", c.name},
              {"mesh", text.file(c.mesh)},
              {"transform", to_json(c.transform)},
              {"velocity",
               {{"linear", to_json(c.linear_velocity)},
                {"angular", to_json(c.angular_velocity)},
                {"origin", to_json(c.velocity_origin)}}},
              {"materials", materials},
              {"layer", c.layer},
              {"remeshing",
               {{"type", r.type},
                {"edge_length", r.edge_length},
                {"aspect_min", r.aspect_min},
                {"angle", r.angle},
                {"compression", r.compression},
                {"velocity", r.velocity},
                {"crossings", r.crossings},
                {"every", r.every}}}};
    if (c.unit != 1) item["unit"] = c.unit;
    const auto rest_text = [&](const RestDescription& rest) {
        return rest.from == "file" ? text.file(rest.file) : rest.from;
    };
    if (c.rest != ClothDescription{}.rest) item["rest"] = rest_text(c.rest);
    if (c.rest.from == "file" || c.rest_angles != ClothDescription{}.rest_angles)
        item["rest_angles"] = rest_text(c.rest_angles);
    if (c.strain_limits) item["strain_limits"] = {c.strain_limits->min, c.strain_limits->max};
    if (c.colour) item["colour"] = to_json(*c.colour);
    return item;
}

Json to_json(const ObstacleDescription& o, const PathText& text)
{
    Json item{{"name", o.name}, {"transform", to_json(o.transform)}};
    if (!o.mesh.empty()) item["mesh"] = text.file(o.mesh);
    if (o.unit != 1) item["unit"] = o.unit;
    if (!o.sequence.empty())
        item["sequence"] = {{"files", text.pattern(o.sequence)},
                            {"first", o.sequence_first},
                            {"fps", o.sequence_fps},
                            {"time", o.sequence_time}};
    if (const GltfDescription& g = o.gltf; !g.file.empty()) {
        item["gltf"] = {{"file", text.file(g.file)}, {"up", g.up},   {"unit", g.unit},
                        {"nodes", g.nodes},          {"fps", g.fps}, {"time", g.time}};
        if (g.animation) item["gltf"]["animation"] = *g.animation;
    }
    if (o.plane)
        item["plane"] = {{"point", to_json(o.plane->point)},
                         {"normal", to_json(o.plane->normal)},
                         {"size", o.plane->size}};
    add_motion(item, o.motion, text);
    add_span(item, o.from, o.until);
    if (o.friction) item["friction"] = *o.friction;
    return item;
}

Json to_json(const HandleDescription& h, const PathText& text)
{
    Json item{{"name", h.name}, {"cloth", h.cloth}, {"fade", h.fade}};
    if (!h.nodes.empty()) item["nodes"] = h.nodes;
    if (h.label) item["label"] = *h.label;
    if (h.box) item["box"] = {{"min", to_json((*h.box)[0])}, {"max", to_json((*h.box)[1])}};
    if (h.stiffness) item["stiffness"] = *h.stiffness;
    add_motion(item, h.motion, text);
    add_span(item, h.from, h.until);
    return item;
}

nlohmann::ordered_json resolved_json(const SceneDescription& s, const PathText& text)
{
    nlohmann::ordered_json json;
    json["pleat"] = 1;
    json["up"] = s.up[0] == 1 ? "x" : s.up[1] == 1 ? "y" : "z";
    json["fps"] = s.fps;
    json["substeps"] = s.substeps;
    json["frames"] = s.frames;
    json["gravity"] = to_json(s.gravity);
    if (s.wind != Wind{})
        json["wind"] = {{"velocity", to_json(s.wind.velocity)},
                        {"density", s.wind.density},
                        {"drag", s.wind.drag}};
    Json cloths = Json::array(), obstacles = Json::array(), handles = Json::array();
    for (const ClothDescription& c : s.cloths) cloths.push_back(to_json(c, text));
    json["cloths"] = cloths;
    for (const ObstacleDescription& o : s.obstacles) obstacles.push_back(to_json(o, text));
    json["obstacles"] = obstacles;
    for (const HandleDescription& h : s.handles) handles.push_back(to_json(h, text));
    json["handles"] = handles;
    json["solver"] = {{"integrator", s.solver.integrator},
                      {"linear_solver", s.solver.linear_solver},
                      {"newton_iterations", s.solver.newton_iterations},
                      {"tolerance", s.solver.tolerance},
                      {"variant", s.solver.variant}};
    json["contact"] = {{"type", s.contact.type},
                       {"thickness", s.contact.thickness},
                       {"friction", s.contact.friction},
                       {"stiffness", s.contact.stiffness},
                       {"broad_phase", s.contact.broad_phase},
                       {"on_overlap", s.contact.on_overlap}};
    if (!s.contact.friction_pairs.empty()) {
        Json pairs = Json::array();
        for (const FrictionPairDescription& p : s.contact.friction_pairs)
            pairs.push_back({{"between", {p.between[0], p.between[1]}}, {"friction", p.friction}});
        json["contact"]["friction_pairs"] = pairs;
    }
    json["strain_limiting"] = {{"type", s.strain_limiting.type},
                               {"measure", s.strain_limiting.measure},
                               {"tolerance", s.strain_limiting.tolerance}};
    if (s.strain_limiting.iterations)
        json["strain_limiting"]["iterations"] = *s.strain_limiting.iterations;
    if (const auto& limits = s.strain_limiting.default_limits)
        json["strain_limiting"]["default_limits"] = {limits->min, limits->max};
    if (s.dress)
        json["dress"] = {{"time", s.dress->time},
                         {"step", s.dress->step},
                         {"gravity", s.dress->gravity},
                         {"speed", s.dress->speed}};
    if (s.settle)
        json["settle"] = {{"tolerance", s.settle->tolerance}, {"iterations", s.settle->iterations}};
    if (s.camera) {
        Json camera{{"eye", to_json(s.camera->eye)},
                    {"target", to_json(s.camera->target)},
                    {"fov", s.camera->fov}};
        add_motion(camera, s.camera->motion, text);
        json["camera"] = camera;
    }
    return json;
}

/// To the bit: 0 and -0 are two numbers.
bool is_alike(const Json& a, const Json& b)
{
    constexpr auto replace = Json::error_handler_t::replace;
    return a.dump(-1, ' ', false, replace) == b.dump(-1, ' ', false, replace);
}

/// Takes out of `json` what `plain` has alike.
void remove_alike(Json& json, const Json& plain)
{
    for (auto it = plain.begin(); it != plain.end(); ++it) {
        const auto found = json.find(it.key());
        if (found == json.end()) continue;
        if (found->is_object() && it->is_object()) remove_alike(*found, *it);
        if (is_alike(*found, *it) || (found->is_object() && found->empty())) json.erase(found);
    }
}

/// A shipped fabric as its name and what differs from it; any other with all its numbers.
Json brief_material(const Material& m)
{
    Json whole = material_to_json(m);
    const std::vector<std::string> names = fabric_names();
    if (std::find(names.begin(), names.end(), m.name) == names.end()) return whole;
    const Material base = fabric(m.name);
    Json json{{"base", m.name}};
    const auto scale = [&](const char* key, double now, double then) {
        if (now != then && then != 0) json[key] = now / then;
    };
    scale("density_scale", m.density, base.density);
    if (const auto* now = std::get_if<MembraneMeasured>(&m.membrane),
        *then = std::get_if<MembraneMeasured>(&base.membrane);
        now != nullptr && then != nullptr)
        scale("stretching_scale", now->at_rest.c11, then->at_rest.c11);
    if (const auto* now = std::get_if<BendingMeasured>(&m.bending),
        *then = std::get_if<BendingMeasured>(&base.bending);
        now != nullptr && then != nullptr)
        scale("bending_scale", now->stiffness[0][0], then->stiffness[0][0]);
    const Json base_json = material_to_json(base);
    for (const char* key : {"damping", "strain_limits", "friction"})
        if (whole.contains(key) && (!base_json.contains(key) || base_json[key] != whole[key]))
            json[key] = whole[key];
    JsonFile none{};
    if (read_material(json, "", none, {}) != m) return whole; // not to the bit
    return json.size() == 1 ? json["base"] : json;
}

/// What a reader would fill in itself is left out. \param json of resolved_json()
void make_brief(nlohmann::ordered_json& json, const SceneDescription& s)
{
    const PathText text({});
    const Json still = to_json(Transform{});
    const auto shorten = [&](Json item, const Json& plain) {
        remove_alike(item, plain);
        if (const auto motion = item.find("motion"); motion != item.end() && motion->is_array())
            for (Json& key : *motion) {
                remove_alike(key, still);
                if (const auto v = key.find("velocity"); v != key.end())
                    remove_alike(*v, {{"linear", {0.0, 0.0, 0.0}},
                                      {"angular", {0.0, 0.0, 0.0}},
                                      {"scale", 0.0}});
            }
        return item;
    };
    const auto name = [](const char* word, std::size_t i, bool counts_from_0 = false) {
        return word + (i == 0 && !counts_from_0 ? std::string() : std::to_string(i));
    };

    SceneDescription plain;
    plain.up = s.up;
    plain.gravity = -9.8 * s.up;
    const Json defaults = Json::parse(resolved_json(plain, text).dump());
    for (const char* key : {"fps", "substeps", "frames", "gravity"})
        if (is_alike(json[key], defaults[key])) json.erase(key);
    if (s.up == SceneDescription{}.up) json.erase("up");
    if (json.contains("wind"))
        json["wind"] =
            shorten(json["wind"], {{"velocity", {0.0, 0.0, 0.0}}, {"density", 1.0}, {"drag", 0.0}});
    for (std::size_t i = 0; i < s.cloths.size(); ++i) {
        ClothDescription c;
        c.name = name("cloth", i);
        c.mesh = "/"; // none: it is always written
        Json item = shorten(json["cloths"][i], to_json(c, text));
        Json materials = Json::array();
        for (Material m : s.cloths[i].materials) {
            if (s.cloths[i].strain_limits) m.strain_limits.reset(); // the cloth's go over them
            materials.push_back(brief_material(m));
        }
        item.erase("materials");
        if (materials.size() == 1)
            item["material"] = materials[0];
        else
            item["materials"] = materials;
        json["cloths"][i] = item;
    }
    for (std::size_t i = 0; i < s.obstacles.size(); ++i) {
        ObstacleDescription o;
        o.name = name("obstacle", i);
        json["obstacles"][i] = shorten(json["obstacles"][i], to_json(o, text));
    }
    for (std::size_t i = 0; i < s.handles.size(); ++i) {
        HandleDescription h;
        h.name = name("handle", i, true);
        h.cloth = s.cloths.empty() ? "" : s.cloths[0].name;
        json["handles"][i] = shorten(json["handles"][i], to_json(h, text));
    }
    for (const char* key : {"obstacles", "handles"})
        if (json[key].empty()) json.erase(key);
    for (const char* key : {"solver", "contact", "strain_limiting"}) {
        json[key] = shorten(json[key], defaults[key]);
        if (json[key].empty()) json.erase(key);
    }
}

constexpr std::size_t line_length = 100;

/// A text, number or word; whole numbers without a point.
std::string in_one_word(const nlohmann::ordered_json& json)
{
    if (json.is_number_float()) {
        const double number = json.get<double>();
        if (number == std::trunc(number) && std::abs(number) < 1e15 &&
            !(number == 0 && std::signbit(number)))
            return std::to_string(std::int64_t(number));
    }
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The text as people write it: as much in a line as fits; the outermost object with a line for
/// each key.
/// \param column where the text starts
std::string in_lines(const nlohmann::ordered_json& json, std::size_t indent, std::size_t column,
                     bool is_outermost = false)
{
    if (!json.is_structured() || json.empty()) return in_one_word(json);
    const std::string open = json.is_object() ? "{" : "[", close = json.is_object() ? "}" : "]";
    if (json.is_array() && json.size() == 1) // "[{" and "}]" around one object
        return open + in_lines(json[0], indent, column + 1) + close;
    std::vector<std::string> members;
    std::size_t width = column + 3; // with brackets and a comma
    bool is_flat = !is_outermost;
    for (auto it = json.begin(); it != json.end(); ++it) {
        const std::string key = json.is_object() ? in_one_word(it.key()) + ": " : "";
        members.push_back(key + in_lines(*it, indent + 2, indent + 2 + key.size()));
        width += members.back().size() + 2;
        is_flat = is_flat && members.back().find('\n') == std::string::npos;
    }
    is_flat = is_flat && width - 2 <= line_length;
    std::string text, line;
    for (const std::string& m : members) {
        const bool goes_on = line.find('\n') == std::string::npos &&
                             m.find('\n') == std::string::npos && !is_outermost &&
                             (is_flat || indent + line.size() + m.size() + 5 <= line_length);
        if (!line.empty() && !goes_on) {
            text += std::string(indent + 2, ' ') + line + ",\n";
            line.clear();
        }
        line += (line.empty() ? "" : ", ") + m;
    }
    if (is_flat) return open + line + close;
    return open + "\n" + text + std::string(indent + 2, ' ') + line + "\n" +
           std::string(indent, ' ') + close;
}

} // namespace

SceneDescription read_scene_file(const fs::path& path, SceneKeys* asked)
{
    return SceneReader(path, asked).read(read_json_file(path.string()));
}

SceneDescription read_scene_file(const fs::path& path, std::vector<Problem>& problems)
{
    return SceneReader(path, nullptr).read(read_json_file(path.string()), &problems);
}

SceneDescription parse_scene(std::string_view text, const fs::path& path, SceneKeys* asked)
{
    return SceneReader(path, asked).read(parse_json(text, path.string()));
}

std::string to_json_text(const SceneDescription& s, const fs::path& relative_to, SceneText form)
{
    const PathText text(relative_to.empty() ? fs::path() : fs::absolute(relative_to));
    nlohmann::ordered_json json = resolved_json(s, text);
    if (form == SceneText::brief) {
        make_brief(json, s);
        return in_lines(json, 0, 0, true) + "\n";
    }
    // A path need not be UTF-8; that must not end a run.
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace pleat
