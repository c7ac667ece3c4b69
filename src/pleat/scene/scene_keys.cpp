// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The keys of scene files, one describe() function for each kind of object. Keys of types that a
// table has (solvers, contact, limiters, remeshers, sizing metrics) are in part_tables.cpp, beside
// the types.
#include "pleat/scene/scene_keys.hpp"

#include "pleat/model/shapes.hpp"
#include "pleat/scene/json_text.hpp"
#include "pleat/scene/material_json.hpp"
#include "pleat/scene/part_tables.hpp"
#include "pleat/strain_limiting/edge_velocity.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <tuple>
#include <variant>

namespace pleat {

namespace fs = std::filesystem;

namespace {

constexpr double degree = std::numbers::pi / 180;
constexpr Range fps_range{0.001, 100000};
constexpr double shortest_key = 1e-9;   // between two keys of a motion [s]
constexpr double unit_tolerance = 1e-3; // of the length of a quaternion that is given

std::string lower_extension(const fs::path& path)
{
    std::string extension = path.extension().string();
    for (char& c : extension) c = char(std::tolower(static_cast<unsigned char>(c)));
    return extension;
}

bool has_length(const Vec3& v)
{
    return norm(v) > 0 && std::isfinite(norm(v));
}

/// Where an item is in a list; behind its end where it is not yet in it.
template <class T> std::size_t index_in(const std::vector<T>& list, const T& item)
{
    std::size_t i = 0;
    while (i < list.size() && &list[i] != &item) ++i;
    return i;
}

/// "cloth", "cloth1", "cloth2", ...
std::string numbered(const std::string& word, std::size_t i)
{
    return i == 0 ? word : word + std::to_string(i);
}

// --- transforms and motions ---------------------------------------------------------------------

/// Degrees and an axis. Written as a quaternion, which keeps the bits.
Value turn(Rotation& rotation)
{
    return {[&rotation](JsonReader& r, const std::string& key) {
                const auto v = r.numbers(key, 4);
                if (v.empty()) return;
                const Vec3 axis{v[1], v[2], v[3]};
                if (has_length(axis))
                    rotation = rotation_about(axis, v[0] * degree);
                else
                    r.file().problem(r.path_of(key),
                                     norm(axis) == 0 ? "an axis of length zero"
                                                     : "an axis of infinite length",
                                     "[degrees, axis x, axis y, axis z]");
            },
            [](const Writing&) { return std::nullopt; },
            [](Schema&) {
                return array_schema({{"type", "number"}}, 4);
            }};
}

Value quaternion(Rotation& rotation)
{
    return {[&rotation](JsonReader& r, const std::string& key) {
                const auto q = r.numbers(key, 4);
                if (q.empty()) return;
                const double length = norm(Vec<double, 4>{q[0], q[1], q[2], q[3]});
                if (!(std::abs(length - 1) <= unit_tolerance)) {
                    r.file().problem(r.path_of(key),
                                     "a quaternion of length " + Json(length).dump(),
                                     "[w, x, y, z] of length 1");
                    return;
                }
                // One that was written by to_json_text keeps its bits.
                const double s = std::abs(length - 1) < 1e-14 ? 1 : 1 / length;
                rotation = {q[0] * s, q[1] * s, q[2] * s, q[3] * s};
            },
            [&rotation](const Writing&) {
                return OrderedJson{rotation.w, rotation.x, rotation.y, rotation.z};
            },
            [](Schema&) -> OrderedJson {
                const double most = 1 + unit_tolerance;
                return array_schema({{"type", "number"}, {"minimum", -most}, {"maximum", most}}, 4);
            }};
}

void transform_keys(Keys& keys, Transform& t, Range scale)
{
    keys.not_both("rotate", "quaternion", "one of the two");
    keys.key({"scale", "factor on lengths, applied first"}, number(t.scale, scale));
    keys.key({"rotate", "`[angle, x, y, z]`: rotation about an axis of any length but 0", "degrees",
              "no rotation"},
             turn(t.rotation));
    keys.key({"quaternion", "`[w, x, y, z]` of length 1, instead of `rotate`", "", "no rotation"},
             quaternion(t.rotation));
    keys.key({"translate", "translation, applied last", "m"}, vector(t.translate));
}

} // namespace

void describe(Keys& keys, Transform& t)
{
    keys.about("transform",
               "Where an object is placed: it is scaled, then rotated, then translated.");
    transform_keys(keys, t, positive);
}

void describe(Keys& keys, TransformRate& rate)
{
    keys.about("motion_velocity",
               "How fast the transform changes at the key. Without it: the central difference of "
               "the neighbours, and at rest at the first and the last key.");
    keys.key({"linear", "change of `translate`", "m/s"}, vector(rate.linear));
    keys.key({"angular", "angular velocity, about axes of the world", "rad/s"},
             vector(rate.angular));
    keys.key({"scale", "change of `scale`", "1/s"}, number(rate.scale));
}

namespace {

void describe_file(Keys& keys, MotionDescription& m)
{
    keys.about("motion_file", "A body of a .mot file.");
    keys.key({"file", "the `.mot` file", "", required}, path(m.file, "the path of a .mot file"));
    keys.key({"body", "which body of the file, counted from 0"}, integer(m.body, 0, 1000000));
    keys.key({"fps", "frames per second of the file", "1/s"}, number(m.fps, fps_range));
    keys.key({"time", "time of the first frame of the file", "s"}, number(m.time));
    keys.key({"transform", "[transform](#transforms) of the whole motion, applied after it", "",
              "as in the file"},
             object(m.transform));
}

/// A list of keys, or a file. \param kind in the schema \param scale of the keys
Value motion(MotionDescription& m, const std::string& kind = "motion", Range scale = positive)
{
    const auto describe_key = [kind, scale](Keys& keys, MotionKey& k) {
        keys.about(kind + "_key",
                   "A transform at a time. Cubic Hermite between keys, constant outside.");
        keys.key({"time", "time of the key, above that of the key before", "s", required},
                 number(k.time));
        transform_keys(keys, k.transform, scale);
        keys.key({"velocity", "velocity at the key", "", "central difference of its neighbours"},
                 maybe_object(k.velocity));
    };
    const auto file = [&m](Keys& keys) { describe_file(keys, m); };
    const Value keys_of_motion = list(m.keys.keys, describe_key);
    return {[&m, file, keys_of_motion](JsonReader& r, const std::string& key) {
                const Json& json = *r.find(key);
                if (json.is_object()) return object_of(file).read(r, key);
                if (json.is_string()) {
                    r.file().problem(r.path_of(key), shown(json),
                                     "an array of keys, or a file: {\"file\": " + to_line(json) +
                                         "}");
                    return;
                }
                keys_of_motion.read(r, key);
                const std::vector<MotionKey>& k = m.keys.keys;
                for (std::size_t i = 1; i < k.size(); ++i)
                    if (!(k[i].time - k[i - 1].time >= shortest_key))
                        r.file().problem(r.path_of(key) + "[" + std::to_string(i) + "].time",
                                         "the time " + Json(k[i].time).dump(),
                                         "times in increasing order, at least 1e-9 s apart");
            },
            [&m, file, keys_of_motion](const Writing& w) -> std::optional<OrderedJson> {
                if (!m.file.empty()) {
                    MotionDescription plain;
                    return write_object(w, file, [&](Keys& keys) { describe_file(keys, plain); });
                }
                return m.keys.keys.empty() ? std::nullopt : keys_of_motion.write(w);
            },
            [kind, file, keys_of_motion](Schema& s) {
                return s.define(kind, [&]() -> OrderedJson {
                    return {{"description",
                             "How an object moves: keys in order of time, or a body of a motion "
                             "file."},
                            {"oneOf", {keys_of_motion.schema(s), s.object(file)}}};
                });
            },
            "an array of keys, or an object"};
}

void span_keys(Keys& keys, double& from, double& until, const Key& start, const Key& end)
{
    keys.key(start, time(from));
    keys.key(end, time(until));
    keys.when_reading([&](JsonReader& r) {
        if (until <= from)
            r.file().problem(r.path_of("until"), "the time " + Json(until).dump(),
                             "a time after \"from\"");
    });
}

// --- cloths -------------------------------------------------------------------------------------

/// A path of an OBJ or PLY file. \param hint what to do with a glTF file instead
Value mesh_path(fs::path& field, const std::function<std::string(const Json&)>& hint)
{
    Value value = checked(
        path(field, "the path of an OBJ or PLY file"),
        [&field, hint](JsonReader& r, const std::string& key) {
            if (const std::string e = lower_extension(field); e != ".glb" && e != ".gltf") return;
            const Json& json = *r.find(key);
            r.file().problem(r.path_of(key), "the glTF file " + in_quotes(json.get<std::string>()),
                             hint(json));
            field.clear();
        });
    value.schema = [](Schema&) -> OrderedJson {
        return {{"type", "string"},
                {"minLength", 1},
                {"not", {{"pattern", "\\.([gG][lL][bB]|[gG][lL][tT][fF])$"}}}};
    };
    return value;
}

/// A word, or the path of a mesh file. \param word for the shape of the material
Value rest_shape(RestDescription& rest, const std::string& word)
{
    return {[&rest, word](JsonReader& r, const std::string& key) {
                const std::string text = r.text(key, {});
                const std::string extension = lower_extension(text);
                if (text == word || text == "mesh")
                    rest = {text, {}};
                else if (extension == ".obj" || extension == ".ply")
                    rest = {"file", r.file().folder / text};
                else if (r.find(key)->is_string() && !text.empty())
                    r.file().problem(r.path_of(key), in_quotes(text),
                                     word + " or mesh, or the path of an OBJ or PLY file");
            },
            [&rest](const Writing& w) {
                return OrderedJson(rest.from == "file" ? w.file(rest.file) : rest.from);
            },
            [word](Schema&) -> OrderedJson {
                OrderedJson json;
                json["anyOf"].push_back({{"enum", {word, "mesh"}}});
                json["anyOf"].push_back(
                    {{"type", "string"}, {"pattern", "\\.([oO][bB][jJ]|[pP][lL][yY])$"}});
                return json;
            }};
}

void describe_velocity(Keys& keys, ClothDescription& c)
{
    keys.about("velocity", "Velocity at the start; not used where the mesh file has velocities.");
    keys.key({"linear", "velocity", "m/s"}, vector(c.linear_velocity));
    keys.key({"angular", "angular velocity", "rad/s"}, vector(c.angular_velocity));
    keys.key({"origin", "the point about which it rotates, in the world", "m"},
             vector(c.velocity_origin));
}

void fabric_keys(Keys& keys, ClothDescription& c)
{
    keys.exactly_one_of(
        {"material", "materials"},
        "to name the fabrics: one (see `pleat materials`), or an array with one for "
        "each material index of the mesh");
    const auto write = [&c](std::size_t i, const Writing& w) {
        Material m = c.materials[i];
        // Those of the cloth replace them.
        if (w.detail == Detail::brief && c.strain_limits) m.strain_limits.reset();
        return *fabric_value(m).write(w);
    };
    const auto is_one = [&c](const Writing& w) {
        return w.detail == Detail::brief && c.materials.size() == 1;
    };
    Material example;
    Value one = fabric_value(example);
    one.read = [&c](JsonReader& r, const std::string& key) {
        c.materials.emplace_back();
        fabric_value(c.materials.back()).read(r, key);
    };
    one.write = [write, is_one](const Writing& w) -> std::optional<OrderedJson> {
        if (!is_one(w)) return std::nullopt;
        return write(0, w);
    };
    keys.key({"material", "one [fabric](#fabrics) for the whole cloth"}, one);
    keys.key({"materials", "list of fabrics, one for each material index (`tm`) of the mesh"},
             {[&c](JsonReader& r, const std::string& key) {
                  const Json& json = *r.find(key);
                  if (!json.is_array() || json.empty())
                      r.file().problem(r.path_of(key), shown(json), "an array of fabrics");
                  for (std::size_t i = 0; json.is_array() && i < json.size(); ++i)
                      c.materials.push_back(read_material(
                          json[i], r.path_of(key) + "[" + std::to_string(i) + "]", r.file()));
              },
              [&c, write, is_one](const Writing& w) -> std::optional<OrderedJson> {
                  if (is_one(w) || w.detail == Detail::defaults) return std::nullopt;
                  OrderedJson list = OrderedJson::array();
                  for (std::size_t i = 0; i < c.materials.size(); ++i) list.push_back(write(i, w));
                  return list;
              },
              [](Schema& s) -> OrderedJson {
                  Material m;
                  return {{"type", "array"}, {"items", fabric_value(m).schema(s)}, {"minItems", 1}};
              }});
}

} // namespace

void describe(Keys& keys, ClothDescription& c, const SceneDescription& scene)
{
    keys.about("cloth", "A piece of cloth.");
    keys.key({"name", "name in files and handles; no two cloths or obstacles share one", "",
              "`cloth`, `cloth1`, ..."},
             with_default(c.name, numbered("cloth", index_in(scene.cloths, c)), text(c.name)));
    keys.key({"mesh", "OBJ or PLY file", "", required}, mesh_path(c.mesh, [](const Json&) {
                 return "an OBJ or PLY file: cloth is not read from glTF files; export it as OBJ "
                        "from the program that made it";
             }));
    keys.key({"unit", "length of the unit of the mesh file: 0.01 for a file in centimetres", "m"},
             number(c.unit, positive));
    keys.key({"rest", "[rest lengths](#rest-shapes): `material`, `mesh`, or an OBJ or PLY file"},
             rest_shape(c.rest, "material"));
    // Who gives a shape of its own means its folds too.
    keys.key({"rest_angles", "[rest angles](#rest-shapes): `flat`, `mesh`, or an OBJ or PLY file",
              "", "`flat`; where `rest` is a file, that file"},
             with_default(c.rest_angles,
                          c.rest.from == "file" ? c.rest : ClothDescription{}.rest_angles,
                          rest_shape(c.rest_angles, "flat")));
    keys.key({"transform",
              "[where it starts](#transforms); its scale applies to the material coordinates too",
              "", "as in the file"},
             object(c.transform));
    keys.key({"velocity", "velocity at the start", "", "at rest"},
             object_of([&c](Keys& v) { describe_velocity(v, c); }));
    fabric_keys(keys, c);
    keys.key({"strain_limits", "`[lowest, highest]` principal strain, for all fabrics of the cloth",
              "", "those of the fabrics"},
             strain_limits(c.strain_limits));
    keys.when_reading([&](JsonReader&) {
        if (c.strain_limits)
            for (Material& m : c.materials) m.strain_limits = c.strain_limits;
    });
    keys.key({"remeshing", "[how the mesh changes](#remeshing)", "", "off"}, object(c.remeshing));
    keys.key({"layer",
              "garments are [dressed](garments.md#dressing) in this order, from the body outward"},
             integer(c.layer, -1000, 1000));
    keys.key({"colour", "`[red, green, blue]` in pictures and in the viewer, 0 to 1 (sRGB)", "",
              "depends on the fabrics"},
             maybe(c.colour, [](Vec3& rgb) {
                 return numbers({&rgb[0], 3}, {0, 1});
             }));
}

namespace {

// --- obstacles ----------------------------------------------------------------------------------

struct Sequence {
    fs::path files;
    int first = 0;
    double fps = 25, start = 0;
    double scene_fps = 25;
};

void describe(Keys& keys, Sequence& s)
{
    keys.about("sequence", "Numbered OBJ files of one deforming body.");
    Value files = path(s.files, "a name with one %d, such as body_%04d.obj");
    files.read = [&s](JsonReader& r, const std::string& key) {
        if (const std::string name = r.text(key, {}); !name.empty())
            s.files = as_pattern(r.file().folder) / name;
    };
    files.write = [&s](const Writing& w) {
        return s.files.empty() ? std::nullopt : std::optional<OrderedJson>(w.pattern(s.files));
    };
    files.schema = [](Schema&) -> OrderedJson {
        return {{"type", "string"}, {"minLength", 1}, {"pattern", "%0?[0-9]*[diu]"}};
    };
    keys.key({"files",
              "path with one place for a number, such as `body_%04d.obj`; `%%` is a percent sign",
              "", required},
             files);
    keys.key({"first", "number of the first file"}, integer(s.first, 0, 100000000));
    keys.key({"fps", "files per second", "1/s", "that of the scene"},
             with_default(s.fps, s.scene_fps, number(s.fps, fps_range)));
    keys.key({"time", "time of the first file", "s"}, number(s.start));
}

/// A shape with what its defaults need of the scene.
template <class Shape> struct InScene : Shape {
    Vec3 up{0, 0, 1};
};

void describe(Keys& keys, InScene<PlaneDescription>& p)
{
    keys.about("plane", "A half-space: everything below an infinite plane, such as a floor.");
    keys.key({"point", "a point of the plane", "m"}, vector(p.point));
    keys.key({"normal", "direction out of the half-space, of any length but 0", "", "up"},
             with_default(p.normal, p.up,
                          checked(vector(p.normal), [&p](JsonReader& r, const std::string& key) {
                              if (!has_length(p.normal))
                                  r.file().problem(r.path_of(key),
                                                   "a vector of length " +
                                                       Json(norm(p.normal)).dump(),
                                                   "the direction out of the half-space");
                          })));
    keys.key({"size", "side of the square around the point that frames and pictures show", "m"},
             number(p.size, positive));
}

/// \param face_count of the shape as it was read
template <class FaceCount> void edge_length_key(Keys& keys, double& field, FaceCount face_count)
{
    keys.key({"edge_length", "maximum edge of its triangles; their corners lie on the true surface",
              "m", "an eighth of the radius"},
             written_if(field > 0, number(field, positive)));
    keys.when_reading([&](JsonReader& r) {
        if (face_count() > double(max_shape_faces))
            r.file().problem(r.path_of("edge_length"), field > 0 ? Json(field).dump() : "not given",
                             "edges that make at most " + std::to_string(max_shape_faces) +
                                 " faces");
    });
}

void describe(Keys& keys, InScene<SphereDescription>& s)
{
    keys.about("sphere_shape", "A ball.");
    keys.key({"centre", "its centre", "m"}, vector(s.centre));
    keys.key({"radius", "its radius", "m", required}, number(s.radius, positive));
    edge_length_key(keys, s.edge_length,
                    [&s] { return s.radius > 0 ? sphere_face_count(s.radius, s.edge_length) : 0; });
}

void describe(Keys& keys, InScene<BoxDescription>& b)
{
    keys.about("box_shape", "A box with sides along the axes; turn it by `transform`.");
    keys.key({"centre", "its centre", "m"}, vector(b.centre));
    keys.key({"size", "its three sides", "m", required},
             checked(vector(b.size), [&b](JsonReader& r, const std::string& key) {
                 if (!(b.size[0] > 0 && b.size[1] > 0 && b.size[2] > 0))
                     r.file().problem(r.path_of(key), to_line(*r.find(key)), "three sides above 0");
             }));
}

void describe(Keys& keys, InScene<CapsuleDescription>& c)
{
    keys.about("capsule_shape",
               "A cylinder with round ends: all points within a radius of a segment.");
    keys.key({"start", "one end of the segment", "m"}, vector(c.start));
    keys.key({"end", "its other end", "m", required},
             checked(vector(c.end), [&c](JsonReader& r, const std::string& key) {
                 if (c.start == c.end)
                     r.file().problem(r.path_of(key), "the point where it starts",
                                      "another point; a \"sphere\" has one");
             }));
    keys.key({"radius", "its radius", "m", required}, number(c.radius, positive));
    edge_length_key(keys, c.edge_length, [&c] {
        return c.radius > 0 ? capsule_face_count(norm(c.end - c.start), c.radius, c.edge_length)
                            : 0;
    });
}

template <class Shape> struct ShapeRow {
    const char* key;
    const char* meaning;
};

/// A row for each alternative of ShapeDescription.
constexpr std::tuple shape_rows{
    ShapeRow<PlaneDescription>{"plane", "a [half-space](#half-spaces), such as an infinite floor"},
    ShapeRow<SphereDescription>{"sphere", "a [sphere](#spheres-boxes-and-capsules)"},
    ShapeRow<BoxDescription>{"box", "a [box](#spheres-boxes-and-capsules)"},
    ShapeRow<CapsuleDescription>{"capsule", "a [capsule](#spheres-boxes-and-capsules)"},
};
static_assert(std::tuple_size_v<decltype(shape_rows)> == std::variant_size_v<ShapeDescription>);

template <class Shape>
void shape_key(Keys& keys, const ShapeRow<Shape>& row, ObstacleDescription& o, const Vec3& up)
{
    std::optional<InScene<Shape>> shape;
    if (o.shape && std::holds_alternative<Shape>(*o.shape))
        shape = InScene<Shape>{std::get<Shape>(*o.shape), up};
    keys.key({row.key, row.meaning}, maybe_object(shape, InScene<Shape>{{}, up}));
    if (shape) o.shape = static_cast<const Shape&>(*shape);
}

} // namespace

void describe(Keys& keys, GltfDescription& g)
{
    keys.about("gltf",
               "A glTF 2.0 file (.glb, .gltf) as a body that deforms: skins and moving nodes.");
    keys.key({"file", "the file", "", required}, path(g.file, "the path of a .glb or .gltf file"));
    keys.key({"up", "axis that points up in the file: `x`, `y` or `z`; rotated into the scene's"},
             axis(g.up));
    keys.key({"unit", "length of the file's unit", "m"}, number(g.unit, positive));
    keys.key({"animation", "name of the animation", "", "the first"},
             maybe(g.animation, [](std::string& name) { return text(name); }));
    keys.key({"nodes", "names: only these nodes and their descendants", "", "all"}, texts(g.nodes));
    keys.key({"fps",
              "samples per second of the animation; between them points move on cubic curves",
              "1/s"},
             number(g.fps, {0.1, 1000}));
    keys.key({"time", "when the animation starts", "s"}, number(g.time));
}

namespace {

void shape_keys(Keys& keys, ObstacleDescription& o, const SceneDescription& scene)
{
    std::vector<std::string> kinds{"mesh", "sequence", "gltf"};
    std::apply([&](const auto&... row) { (kinds.emplace_back(row.key), ...); }, shape_rows);
    keys.exactly_one_of(kinds, "to say what shape it has");
    keys.not_both("sequence", "motion", "no motion: a sequence moves by itself");
    keys.not_both("gltf", "motion", "no motion: a glTF file moves by itself");
    keys.not_both("gltf", "unit", "it inside \"gltf\"");
    std::apply(
        [&](const auto&... row) {
            (keys.not_both(row.key, "unit", std::string("no unit: a ") + row.key + " is in metres"),
             ...);
        },
        shape_rows);
    keys.key({"mesh", "OBJ or PLY file of a rigid body"}, mesh_path(o.mesh, [](const Json& file) {
                 return "\"gltf\": {\"file\": " + to_line(file) + "} in place of \"mesh\"";
             }));
    const Sequence fresh{{}, 0, scene.fps, 0, scene.fps};
    std::optional<Sequence> sequence;
    if (!o.sequence.empty())
        sequence =
            Sequence{o.sequence, o.sequence_first, o.sequence_fps, o.sequence_time, scene.fps};
    keys.key({"sequence", "[numbered OBJ files](#sequences) of a deforming body"},
             maybe_object(sequence, fresh, "files"));
    if (sequence) {
        o.sequence = sequence->files;
        o.sequence_first = sequence->first;
        o.sequence_fps = sequence->fps;
        o.sequence_time = sequence->start;
    }
    std::apply([&](const auto&... row) { (shape_key(keys, row, o, scene.up), ...); }, shape_rows);
    std::optional<GltfDescription> gltf;
    if (!o.gltf.file.empty()) gltf = o.gltf;
    keys.key({"gltf", "a [glTF file](#gltf-files): a character with its skeleton and animation"},
             maybe_object(gltf, GltfDescription{}, "file"));
    if (gltf) o.gltf = *gltf;
    keys.key({"unit", "length of the unit of `mesh` or `sequence`: 0.01 for files in centimetres",
              "m", "1"},
             written_if(o.unit != 1, number(o.unit, positive)));
}

} // namespace

void describe(Keys& keys, ObstacleDescription& o, const SceneDescription& scene)
{
    keys.about("obstacle", "A body with a given motion.");
    keys.key(
        {"name", "name in files", "", "`obstacle`, `obstacle1`, ..."},
        with_default(o.name, numbered("obstacle", index_in(scene.obstacles, o)), text(o.name)));
    shape_keys(keys, o, scene);
    keys.key({"transform", "[transform](#transforms) of its points before the motion", "",
              "as in the file"},
             object(o.transform));
    keys.key(
        {"motion", "[how it moves](#motions); not for a sequence or a glTF file", "", "at rest"},
        motion(o.motion));
    span_keys(keys, o.from, o.until, {"from", "absent before this time", "s", "always present"},
              {"until", "absent from this time on", "s", "never"});
    keys.key({"friction", "Coulomb's friction coefficient against cloth", "", "that of `contact`"},
             maybe(o.friction, [](double& f) { return number(f, not_negative); }));
}

namespace {

// --- handles ------------------------------------------------------------------------------------

Value node_numbers(std::vector<std::uint32_t>& nodes)
{
    constexpr std::uint64_t end = 0xffffffffu;
    return {[&nodes](JsonReader& r, const std::string& key) {
                const Json& json = *r.find(key);
                if (json.is_array() && !json.empty() &&
                    std::all_of(json.begin(), json.end(), [](const Json& n) {
                        return n.is_number_unsigned() && n.get<std::uint64_t>() < end;
                    }))
                    nodes = json.get<std::vector<std::uint32_t>>();
                else
                    r.file().problem(r.path_of(key), shown(json),
                                     "an array of vertex numbers of the mesh file, counted from 0");
            },
            [&nodes](const Writing&) {
                return nodes.empty() ? std::nullopt : std::optional<OrderedJson>(nodes);
            },
            [](Schema&) -> OrderedJson {
                return {{"type", "array"},
                        {"items", {{"type", "integer"}, {"minimum", 0}, {"maximum", end - 1}}},
                        {"minItems", 1}};
            }};
}

Value node_label(int& label)
{
    constexpr int most = 2147483647;
    Value value =
        checked(integer(label, -most, most), [&label](JsonReader& r, const std::string& key) {
            if (label == 0)
                r.file().problem(r.path_of(key), shown(*r.find(key)),
                                 "another number: nodes without a label have 0");
        });
    value.schema = [](Schema&) -> OrderedJson {
        return {{"type", "integer"}, {"not", {{"const", 0}}}};
    };
    return value;
}

struct HandleBox {
    Vec3 min{}, max{};
};

void describe(Keys& keys, HandleBox& box)
{
    keys.about("box", "An axis-aligned box of the world [m].");
    keys.key({"min", "lowest corner", "m", required}, vector(box.min));
    keys.key({"max", "highest corner", "m", required}, vector(box.max));
    keys.when_reading([&](JsonReader& r) {
        bool is_inverted = false;
        for (std::size_t k = 0; k < 3; ++k) is_inverted = is_inverted || box.min[k] > box.max[k];
        if (is_inverted && r.has("min") && r.has("max"))
            r.file().problem(r.path(), "a box whose min is above its max", "min <= max");
    });
}

} // namespace

void describe(Keys& keys, HandleDescription& h, const SceneDescription& scene)
{
    keys.about("handle", "Holds nodes of a cloth, or moves them.");
    keys.exactly_one_of({"nodes", "label", "box"}, "to say which nodes are held");
    keys.key(
        {"name", "name in messages", "", "`handle0`, `handle1`, ..."},
        with_default(h.name, "handle" + std::to_string(index_in(scene.handles, h)), text(h.name)));
    keys.key({"cloth", "name of the cloth", "", "the first"},
             with_default(h.cloth, scene.cloths.empty() ? std::string() : scene.cloths[0].name,
                          text(h.cloth)));
    keys.key({"nodes", "vertices (`v`) of the mesh file, counted from 0: these points"},
             node_numbers(h.nodes));
    keys.key({"label", "nodes with this label (`nl`) in the mesh file; not 0: a region"},
             maybe(h.label, &node_label, 1));
    std::optional<HandleBox> box;
    if (h.box) box = {(*h.box)[0], (*h.box)[1]};
    keys.key({"box",
              "`{\"min\": [...], \"max\": [...]}`: nodes inside it at the start, ends included: a "
              "region",
              "m"},
             maybe_object(box));
    if (box) h.box = {box->min, box->max};
    keys.key({"motion",
              "[motion](#motions) that carries the nodes from where they were when the handle took "
              "hold",
              "", "they stay there"},
             motion(h.motion, "handle_motion", not_negative)); // scale 0: all to one point
    span_keys(keys, h.from, h.until, {"from", "time at which it starts to hold", "s"},
              {"until", "time at which it releases the nodes", "s", "never"});
    keys.key(
        {"fade",
         "duration of the release: springs that weaken with the fourth power of the remaining time",
         "s"},
        number(h.fade, not_negative));
    keys.key({"stiffness", "stiffness of a spring at each node", "N/m",
              "nodes are exactly where the handle moves them"},
             maybe(h.stiffness, [](double& k) { return number(k, positive); }));
}

namespace {

// --- the rest -----------------------------------------------------------------------------------

} // namespace

void describe(Keys& keys, Wind& w)
{
    keys.about("wind", "Moving air.");
    keys.key({"velocity", "velocity of the air", "m/s"}, vector(w.velocity));
    keys.key({"density", "density of the air; pressure on each triangle grows with it", "kg/m³"},
             number(w.density, not_negative));
    keys.key({"drag", "tangential drag", "kg/(m² s)"}, number(w.drag, not_negative));
}

void describe(Keys& keys, SettleDescription& s)
{
    keys.about("settle", "Takes the stretch out of the cloth before frame 0.");
    keys.key({"tolerance", "tolerance on the largest strain"}, number(s.tolerance, {1e-6, 1}));
    keys.key({"iterations", "maximum number of iterations"}, integer(s.iterations, 1, 1000000));
}

void describe(Keys& keys, DressDescription& d)
{
    keys.about("dress", "Brings garments onto the body before frame 0, layer by layer.");
    keys.key(
        {"time",
         "time in which each layer of garments is [brought onto the body](garments.md#dressing)",
         "s"},
        number(d.time, {0, 100}));
    keys.key({"step", "time step", "s"}, number(d.step, {1e-5, 0.1}));
    keys.key({"gravity", "fraction of the scene's gravity"}, number(d.gravity, {0, 10}));
    keys.key({"speed", "fraction of its velocity that cloth keeps from step to step"},
             number(d.speed, {0, 1}));
}

void describe(Keys& keys, CameraRateDescription& rate)
{
    keys.about("camera_velocity",
               "How fast a camera changes at a key. Without it: the central difference of the "
               "neighbours, and at rest at the first and the last key of a shot.");
    keys.key({"eye", "change of `eye`", "m/s"}, vector(rate.eye));
    keys.key({"target", "change of `target`", "m/s"}, vector(rate.target));
    keys.key({"fov", "change of `fov`", "degrees/s"}, number(rate.fov));
}

namespace {

constexpr Range fov_range{1, 170};

Value up_of_camera(std::optional<Vec3>& up)
{
    return maybe(up, [](Vec3& v) {
        return checked(vector(v), [&v](JsonReader& r, const std::string& key) {
            if (!has_length(v))
                r.file().problem(r.path_of(key), "a vector of length " + Json(norm(v)).dump(),
                                 "a direction");
        });
    });
}

void check_sight(JsonReader& r, const Vec3& eye, const Vec3& target)
{
    if (r.has("eye") && r.has("target") && eye == target)
        r.file().problem(r.path_of("target"), "the position of the eye",
                         "another point to look at");
}

void describe_camera_key(Keys& keys, CameraKeyDescription& k)
{
    keys.about("camera_key",
               "A camera at a time. Cubic Hermite between keys, constant outside. Two successive "
               "keys of the same time are a cut.");
    keys.key({"time", "time of the key, not below that of the key before", "s", required},
             number(k.time));
    keys.key({"eye", "position of the camera", "m", required}, vector(k.eye));
    keys.key({"target", "what is in the middle of the picture", "m", required}, vector(k.target));
    keys.key({"up", "direction towards the upper edge of the picture", "", "that of the camera"},
             up_of_camera(k.up));
    keys.key(
        {"fov", "field of view from the lower to the upper edge", "degrees", "that of the camera"},
        maybe(k.fov, [](double& fov) { return number(fov, fov_range); }));
    keys.key({"velocity", "velocity at the key", "", "central difference of its neighbours"},
             maybe_object(k.velocity));
    keys.when_reading([&](JsonReader& r) { check_sight(r, k.eye, k.target); });
}

Value camera_keys(std::vector<CameraKeyDescription>& field)
{
    Value value = list(field, &describe_camera_key, {1, 0, "key"});
    value.write = [&field, write = value.write](const Writing& w) -> std::optional<OrderedJson> {
        return field.empty() ? std::nullopt : write(w);
    };
    return checked(value, [&field](JsonReader& r, const std::string& key) {
        for (std::size_t i = 1; i < field.size(); ++i) {
            const double gap = field[i].time - field[i - 1].time;
            const bool is_cut = gap == 0 && (i < 2 || field[i - 2].time < field[i].time);
            if (!(gap >= shortest_key) && !is_cut)
                r.file().problem(r.path_of(key) + "[" + std::to_string(i) + "].time",
                                 "the time " + Json(field[i].time).dump(),
                                 "times in increasing order, at least 1e-9 s apart; two keys of "
                                 "the same time are a cut");
        }
    });
}

} // namespace

void describe(Keys& keys, GltfCameraDescription& g)
{
    keys.about("camera_gltf", "A camera of a glTF 2.0 file with its animation; steps are cuts.");
    keys.key({"file", "the file", "", required}, path(g.file, "the path of a .glb or .gltf file"));
    keys.key({"node", "name of the node that has the camera", "", "the first that has one"},
             maybe(g.node, [](std::string& name) { return text(name); }));
    keys.key({"up", "axis that points up in the file: `x`, `y` or `z`; rotated into the scene's"},
             axis(g.up));
    keys.key({"unit", "length of the file's unit", "m"}, number(g.unit, positive));
    keys.key({"animation", "name of the animation", "", "the first"},
             maybe(g.animation, [](std::string& name) { return text(name); }));
    keys.key({"fps", "samples per second of the animation", "1/s"}, number(g.fps, {0.1, 1000}));
    keys.key({"time", "when the animation starts", "s"}, number(g.time));
}

void describe(Keys& keys, CameraDescription& c)
{
    keys.about("camera", "A camera of `pleat render`, `pleat view` and view-dependent remeshing.");
    keys.exactly_one_of({"eye", "keys", "gltf"}, "to say where the camera is");
    keys.key({"name", "name of the camera, for `pleat render --camera`", "", "none"},
             written_if(!c.name.empty(), text(c.name)));
    const bool is_fixed = c.keys.empty() && c.gltf.file.empty();
    keys.key({"eye", "position of the camera, at rest", "m"}, written_if(is_fixed, vector(c.eye)));
    keys.key({"target", "what is in the middle of the picture", "m", "required with `eye`"},
             written_if(is_fixed, vector(c.target)));
    keys.key({"keys", "list of [keys](#camera-keys): positions over time, with cuts"},
             camera_keys(c.keys));
    std::optional<GltfCameraDescription> gltf;
    if (!c.gltf.file.empty()) gltf = c.gltf;
    keys.key({"gltf", "a [camera of a glTF file](#camera-keys)"},
             maybe_object(gltf, GltfCameraDescription{}, "file"));
    if (gltf) c.gltf = *gltf;
    keys.key({"up", "direction towards the upper edge of the picture", "", "that of the scene"},
             up_of_camera(c.up));
    keys.key({"fov", "field of view from the lower to the upper edge", "degrees"},
             number(c.fov, fov_range));
    keys.key({"aspect", "width over height of the picture"}, number(c.aspect, {0.01, 100}));
    keys.key({"near", "what is nearer is not seen", "m"}, number(c.near, positive));
    keys.key({"far", "what is farther is not seen", "m"}, number(c.far, positive));
    keys.key({"motion", "a [motion](#motions) that carries the camera", "", "at rest"},
             motion(c.motion));
    keys.when_reading([&](JsonReader& r) {
        check_sight(r, c.eye, c.target);
        if (r.has("eye") && !r.has("target"))
            r.file().problem(r.path_of("target"), "this key is missing",
                             "an array of 3 numbers, the point to look at");
        if (!(c.far > c.near))
            r.file().problem(r.path_of("far"), "a distance of " + Json(c.far).dump() + " m",
                             "one above \"near\"");
    });
}

void describe(Keys& keys, BucklingDescription& b)
{
    keys.about("buckling_compensation",
               "Softer compression of large faces, which cannot buckle as fine cloth does.");
    static const Words choices{{"out_of_view", "all"},
                               {"faces that no camera of the scene has in its frame", ""}};
    keys.key({"exponent", "compressive strains are scaled by the relative area to this power"},
             number(b.exponent, {1, 1000}));
    keys.key({"faces", "which faces are made softer"}, word(b.faces, choices));
    keys.key({"areas",
              "`[a, b]`: material area up to which a face is not softened, and from which on it "
              "does not resist compression",
              "m²", "the smallest and the largest of these faces"},
             checked(maybe(b.areas,
                           [](std::array<double, 2>& areas) {
                               return numbers({areas.data(), 2}, not_negative);
                           }),
                     [&b](JsonReader& r, const std::string& key) {
                         if (b.areas && !((*b.areas)[0] < (*b.areas)[1]))
                             r.file().problem(r.path_of(key), shown(*r.find(key)),
                                              "two areas, the smaller first");
                     }));
}

namespace {

void describe_material(Keys& keys, InstanceMaterialDescription& m)
{
    keys.about("instance_material", "The fabric of a cloth of the instance.");
    keys.key({"cloth", "name of the cloth that is copied", "", required}, text(m.cloth));
    keys.key({"material", "its [fabric](#fabrics), for all material indices", "", required},
             fabric_value(m.material));
}

} // namespace

void describe(Keys& keys, InstanceDescription& i)
{
    keys.about("instance",
               "Copies of cloths, with their handles, and of obstacles. The copy of `dress` in the "
               "instance `b` is named `dress_b`.");
    keys.key({"name", "name of the instance", "", required}, text(i.name));
    keys.key({"of", "names of the cloths and obstacles that are copied", "", "all"}, texts(i.of));
    keys.key({"without", "names of cloths and obstacles that are not", "", "none"},
             texts(i.without));
    keys.key({"transform", "[transform](#transforms) of the copies, applied last", "", "none"},
             object(i.transform));
    keys.key({"time", "by how much later its motions start", "s"}, number(i.time));
    keys.key({"materials", "list of `{\"cloth\": name, \"material\": fabric}`: other fabrics"},
             list(i.materials, &describe_material));
}

namespace {

void time_keys(Keys& keys, SceneDescription& s)
{
    std::string up = s.up[0] == 1 ? "x" : s.up[1] == 1 ? "y" : "z";
    keys.key({"up", "axis that points up: `x`, `y` or `z`; capital letters mean the same"},
             axis(up));
    s.up = up == "x" ? Vec3{1, 0, 0} : up == "y" ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
    keys.key({"fps", "frames per second", "1/s"}, number(s.fps, fps_range));
    keys.key({"substeps", "time steps per frame"}, integer(s.substeps, 1, 100000));
    keys.key({"frames", "frames to simulate; frame 0 is the start"},
             integer(s.frames, 0, 10000000));
    keys.key({"gravity", "acceleration by gravity", "m/s²", "9.8 against `up`"},
             with_default(s.gravity, -9.8 * s.up, vector(s.gravity)));
    std::optional<Wind> wind;
    if (s.wind != Wind{}) wind = s.wind;
    keys.key({"wind", "[moving air](#wind)", "", "none"}, maybe_object(wind, Wind{{}, 1, 0}));
    if (wind) s.wind = *wind;
}

} // namespace

void describe(Keys& keys, SceneDescription& s)
{
    keys.about("scene",
               "A scene for Pleat. Lengths in metres, masses in kilograms, times in seconds. Paths "
               "are relative to the scene file. Comments are allowed.");
    keys.key({"pleat", "version of the format: 1", "", required}, version());
    for (const char* name : {"name", "description"})
        keys.key({name, "not used by the simulation"}, remark());
    keys.key({"$schema", "for editors"}, remark());
    time_keys(keys, s);
    const auto with_scene = [&s](Keys& k, auto& item) { describe(k, item, s); };
    keys.key({"cloths", "list of [cloths](#cloths)", "", required},
             list(s.cloths, with_scene, {1, 0, "cloth"}));
    keys.key({"obstacles", "list of [obstacles](#obstacles)"}, list(s.obstacles, with_scene));
    keys.key({"handles", "list of [handles](#handles), at most 64"},
             list(s.handles, with_scene, {0, max_handles, "handle"}));
    keys.key({"solver", "[how a step is solved](#solver-contact-strain-limiting)"},
             object(s.solver));
    keys.key({"contact", "[contact](#solver-contact-strain-limiting)"}, object(s.contact));
    keys.when_reading([&s](JsonReader&) { // [Bridson2003] sec. 3 for the explicit integrator
        if (!is_explicit(s.solver)) return;
        s.strain_limiting.type = "edge_velocity";
        s.strain_limiting.default_limits = biphasic_limits;
    });
    keys.key({"strain_limiting", "[strain limiting](#solver-contact-strain-limiting)"},
             object(s.strain_limiting));
    keys.key({"settle", "[stretch taken out before frame 0](#solver-contact-strain-limiting)", "",
              "off"},
             maybe_object(s.settle));
    keys.key({"dress", "[garments brought onto the body before frame 0](garments.md#dressing)", "",
              "off"},
             maybe_object(s.dress));
    keys.key({"camera", "[camera](#camera) of pictures and of the metrics `view` and `screen`", "",
              "fitted to the cloth"},
             maybe_object(s.camera));
    keys.key({"cameras", "list of further [cameras](#camera) of the metrics `view` and `screen`"},
             list(s.cameras));
    keys.key(
        {"buckling_compensation", "[softer compression of large faces](#remeshing)", "", "off"},
        maybe_object(s.buckling_compensation));
    keys.key({"instances", "list of [instances](#instances): copies of cloths and obstacles"},
             list(s.instances));
}

} // namespace pleat
