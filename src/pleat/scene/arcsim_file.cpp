// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Idea. The result is a SceneDescription, as if the scene had been written in our format: no other
// file handles that format. Keys without a counterpart give a note; invalid values are problems.
#include "pleat/scene/arcsim_file.hpp"

#include "pleat/scene/override_json.hpp"
#include "pleat/scene/scene_keys.hpp"

#include "pleat/io/mesh_sequence.hpp"
#include "pleat/io/motion_file.hpp"
#include "pleat/scene/json_reader.hpp"
#include "pleat/scene/material_file.hpp"
#include "pleat/scene/mesh_file.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <set>
#include <utility>

namespace pleat {

namespace {

namespace fs = std::filesystem;

constexpr double degree = std::numbers::pi / 180;
constexpr double longest_run = 1e7; // frames, as scene files have it
// The defaults of the old program.
constexpr double cloth_friction = 0.6, obstacle_friction = 0.3;
constexpr double repulsion_thickness = 1e-3; // [m]
constexpr double handle_stiffness = 1e3;     // [N/m]
constexpr double projection_share = 0.1;     // of the repulsion thickness

/// A stretch ratio as a strain, rounded so that 0.9 gives exactly -0.1.
double strain_of(double ratio)
{
    constexpr double digits = 1e12;
    return std::round((ratio - 1) * digits) / digits;
}

/// Whether an object has keys that only that format has, and not ours.
bool looks_like_arcsim(const Json& json)
{
    if (!json.is_object() || json.contains("pleat")) return false;
    for (const char* key :
         {"frame_time", "frame_steps", "end_time", "end_frame", "timestep", "save_frames",
          "save_every", "duration", "obs_friction", "disable", "motions", "magic"})
        if (json.contains(key)) return true;
    return false;
}

class ArcsimReader {
public:
    explicit ArcsimReader(const fs::path& path) : file_{path.string()}
    {
        out_.is_arcsim = true;
        out_.scene.file = path;
        std::error_code code;
        fs::path folder = fs::absolute(path, code).parent_path();
        for (;; folder = folder.parent_path()) {
            folders_.push_back(folder);
            if (folder == folder.parent_path()) break;
        }
        folders_.push_back(fs::current_path(code));
    }

    ReadScene read(const Json& json)
    {
        JsonReader r(json, "", file_);
        SceneDescription& s = out_.scene;
        read_times(r);
        s.gravity = r.vector("gravity", {});
        s.up = {0, 0, 0};
        const auto largest = [](const Vec3& g) {
            std::size_t k = 2; // z where there is no gravity
            for (std::size_t i = 0; i < 3; ++i)
                if (std::abs(g[i]) > std::abs(g[k])) k = i;
            return k;
        };
        s.up[largest(s.gravity)] = 1;
        s.wind.density = 1; // still air drags even where the file has none
        object(r, "wind", [&](JsonReader& o) {
            s.wind.density = o.number("density", 1.0, not_negative);
            s.wind.velocity = o.vector("velocity", {});
            s.wind.drag = o.number("drag", 0.0, not_negative);
        });
        s.contact.friction = r.number("friction", cloth_friction, not_negative);
        obstacle_friction_ = r.number("obs_friction", obstacle_friction, not_negative);
        s.contact.on_overlap = "untangle";
        read_magic(r);
        read_disable(r);
        read_motions(r);
        list(r, "cloths", [&](JsonReader& o) {
            read_cloth(o);
            return true;
        });
        if (s.cloths.empty() && file_.problems.empty())
            file_.problem("cloths", "no cloth", "at least one");
        list(r, "handles", [&](JsonReader& o) { return read_handle(o); });
        read_obstacles(r);
        if (r.find("morphs") != nullptr) note("morphs are not supported: the scene runs without");
        strangers(r);
        file_.throw_if_bad();
        return std::move(out_);
    }

private:
    void note(std::string text)
    {
        if (std::find(out_.notes.begin(), out_.notes.end(), text) == out_.notes.end())
            out_.notes.push_back(std::move(text));
    }
    /// Old files contain unused keys: a note, not an error.
    void strangers(const JsonReader& r)
    {
        for (const std::string& key : r.strangers())
            note("the key " + in_quotes(key) + " is not known and ignored");
    }
    /// `read` returns whether the object's keys are worth a look.
    template <class Read> void list(JsonReader& r, const std::string& key, Read read)
    {
        const Json* value = r.find(key);
        if (value == nullptr) return;
        if (!value->is_array()) {
            file_.problem(r.path_of(key), shown(*value), "an array of objects");
            return;
        }
        for (std::size_t i = 0; i < value->size(); ++i) {
            JsonReader o((*value)[i], r.path_of(key) + "[" + std::to_string(i) + "]", file_);
            if (read(o)) strangers(o);
        }
    }
    template <class Read> bool object(JsonReader& r, const std::string& key, Read read)
    {
        const Json* value = r.find(key);
        if (value == nullptr) return false;
        JsonReader o(*value, r.path_of(key), file_);
        read(o);
        strangers(o);
        return true;
    }

    /// Where a file is, by the places in which such paths can start; empty: in none.
    [[nodiscard]] fs::path place_of(const std::string& name) const
    {
        std::error_code code;
        for (const fs::path& folder : folders_) // an absolute name is itself in each
            if (fs::exists(folder / name, code)) return folder / name;
        return {};
    }
    fs::path find_file(const std::string& name, const std::string& place)
    {
        if (name.empty()) return {};
        if (fs::path found = place_of(name); !found.empty()) return found;
        std::string tried;
        for (const fs::path& folder : folders_)
            tried += (tried.empty() ? "" : ", ") + (folder / name).string();
        file_.problem(place, in_quotes(name) + " is not there",
                      "a file; tried " + (fs::path(name).is_absolute() ? name : tried));
        return {};
    }

    void read_times(JsonReader& r)
    {
        SceneDescription& s = out_.scene;
        double frame_time = 0;
        if (r.find("frame_time") != nullptr) {
            frame_time = r.required_number("frame_time", Range{1e-5, 1e3});
            s.substeps = r.integer("frame_steps", 1, 1, 100000);
            for (const char* key : {"timestep", "save_frames", "save_every"})
                if (r.find(key) != nullptr)
                    note("\"" + std::string(key) +
                         "\" is not used beside \"frame_time\": every frame is written");
        } else {
            const double dt = r.number("timestep", 0.0, Range{0, 1e3});
            s.substeps = r.integer("save_frames", 1, 1, 100000);
            frame_time = dt * s.substeps;
            if (!(frame_time >= 1e-5))
                file_.problem(dt > 0 ? "timestep" : "frame_time",
                              dt > 0 ? "a frame shorter than 0.01 ms" : "no time step",
                              "\"frame_time\", or \"timestep\" [s]");
            if (r.integer("save_every", 1, 1, 100000) != 1)
                note("\"save_every\": every frame is written");
        }
        if (frame_time > 0) s.fps = 1 / frame_time;
        double frames = forever; // the earliest end
        for (const char* key : {"end_time", "duration"})
            if (const auto t = r.maybe_number(key, not_negative); t && frame_time > 0)
                frames = std::min(frames, std::round(*t / frame_time));
        if (r.find("end_frame") != nullptr)
            frames = std::min(frames, double(r.integer("end_frame", 0, 0, 10000000)));
        if (frames == forever)
            note("no end is given (end_time, end_frame, duration): " + std::to_string(s.frames) +
                 " frames");
        else
            s.frames = int(std::min(frames, longest_run));
    }

    void read_magic(JsonReader& r)
    {
        SceneDescription& s = out_.scene;
        s.contact.thickness = repulsion_thickness;
        object(r, "magic", [&](JsonReader& o) {
            s.contact.thickness = o.number("repulsion_thickness", repulsion_thickness, positive);
            const auto projection = o.maybe_number("projection_thickness", not_negative);
            if (projection && std::abs(*projection / s.contact.thickness - projection_share) > 1e-9)
                note("\"projection_thickness\": impacts restore a tenth of the repulsion "
                     "thickness");
            handle_stiffness_ = o.number("handle_stiffness", handle_stiffness, positive);
            if (o.find("collision_stiffness") != nullptr)
                note("\"collision_stiffness\": repulsion is as stiff as mass and step allow");
            fixed_high_res_ = o.boolean("fixed_high_res_mesh", false);
            if (o.find("edge_flip_threshold") != nullptr)
                note("\"edge_flip_threshold\" has no counterpart and is ignored");
        });
    }

    void read_disable(JsonReader& r)
    {
        const Json* value = r.find("disable");
        if (value == nullptr) return;
        if (!value->is_array()) {
            file_.problem("disable", shown(*value), "an array of words");
            return;
        }
        for (const Json& word : *value) {
            if (!word.is_string()) {
                file_.problem("disable", shown(word), "words");
                continue;
            }
            const auto name = word.get<std::string>();
            disabled_.insert(name);
            if (name == "physics" || name == "popfilter")
                note("\"disable\": \"" + name + "\" has no counterpart and is ignored");
            static const std::set<std::string> known{"proximity", "physics",    "strainlimiting",
                                                     "collision", "remeshing",  "separation",
                                                     "popfilter", "plasticity", "fracture"};
            if (!known.contains(name))
                note("\"disable\": the word " + in_quotes(name) + " is not known and ignored");
        }
        SceneDescription& s = out_.scene;
        if (disabled_.contains("strainlimiting")) s.strain_limiting.type = "none";
        const bool proximity = !disabled_.contains("proximity");
        const bool impacts = !disabled_.contains("collision");
        if (!proximity || !impacts)
            s.contact.type = proximity ? "proximity" : impacts ? "impacts" : "none";
    }

    Transform read_transform_keys(JsonReader& r, Range scale)
    {
        Transform t;
        t.translate = r.vector("translate", {});
        t.scale = r.number("scale", 1.0, scale);
        if (const auto turn = r.numbers("rotate", 4); !turn.empty() && turn[0] != 0) {
            const Vec3 axis{turn[1], turn[2], turn[3]};
            if (const double length = norm(axis); length == 0 || !std::isfinite(length))
                file_.problem(r.path_of("rotate"), "an axis of length zero",
                              "[degrees, axis x, axis y, axis z]");
            else
                t.rotation = rotation_about(axis, turn[0] * degree);
        }
        return t;
    }
    Transform read_transform(JsonReader& r, Range scale = positive)
    {
        Transform t;
        object(r, "transform", [&](JsonReader& o) { t = read_transform_keys(o, scale); });
        return t;
    }

    /// What a transform changes by in a second; what is not given does not change.
    TransformRate read_rate(JsonReader& r)
    {
        TransformRate rate;
        rate.linear = r.vector("translate", {});
        rate.scale = r.number("scale", 0.0);
        if (const auto turn = r.numbers("rotate", 4); !turn.empty() && turn[0] != 0) {
            const Vec3 axis{turn[1], turn[2], turn[3]};
            if (const double length = norm(axis); length == 0 || !std::isfinite(length))
                file_.problem(r.path_of("rotate"), "an axis of length zero",
                              "[degrees a second, axis x, axis y, axis z]");
            else
                rate.angular = axis * (turn[0] * degree / length);
        }
        return rate;
    }

    // --- cloths ---------------------------------------------------------------------------------

    void read_cloth(JsonReader& r)
    {
        ClothDescription c;
        const std::size_t count = out_.scene.cloths.size();
        c.name = "cloth" + (count == 0 ? std::string() : std::to_string(count));
        c.mesh = find_file(r.required_text("mesh", "the path of an OBJ file"), r.path_of("mesh"));
        c.transform = read_transform(r);
        object(r, "velocity", [&](JsonReader& o) {
            c.linear_velocity = o.vector("linear", {});
            c.angular_velocity = o.vector("angular", {});
            c.velocity_origin = o.vector("origin", {});
        });
        const Json* materials = r.require("materials", "an array of materials, or one");
        if (materials != nullptr) {
            const Json many = materials->is_array() ? *materials : Json::array({*materials});
            for (std::size_t i = 0; i < many.size(); ++i) {
                JsonReader o(many[i], r.path_of("materials") + "[" + std::to_string(i) + "]",
                             file_);
                c.materials.push_back(read_material(o));
                strangers(o);
            }
            if (many.empty()) file_.problem(r.path_of("materials"), "no material", "at least one");
        }
        RemeshingDescription& d = c.remeshing;
        const bool has_remeshing = object(r, "remeshing", [&](JsonReader& o) {
            d.type = "anisotropic";
            d.angle = o.number("refine_angle", 0.0, not_negative);
            d.compression = o.number("refine_compression", 0.0, not_negative);
            d.velocity = o.number("refine_velocity", 0.0, not_negative);
            if (const auto l = o.numbers("size", 2, positive); !l.empty()) {
                d.edge_length = {l[0], l[1]};
                if (l[0] > l[1])
                    file_.problem(o.path_of("size"), "a shortest edge above the longest",
                                  "[shortest, longest] [m]");
            } else {
                note(o.path() + ": no size; edges from 15 mm to 200 mm");
            }
            d.aspect_min = o.number("aspect_min", d.aspect_min, Range{0, 1});
        });
        if (disabled_.contains("separation")) d.crossings = "none";
        if (fixed_high_res_ && has_remeshing) d.type = "uniform";
        if (disabled_.contains("remeshing")) d.type = "none";
        out_.scene.cloths.push_back(std::move(c));
    }

    static std::vector<std::vector<double>> table(const Json& json)
    {
        std::vector<std::vector<double>> rows;
        if (!json.is_array()) return rows;
        for (const Json& row : json) {
            rows.emplace_back();
            if (!row.is_array()) continue;
            for (const Json& number : row)
                if (number.is_number() && std::isfinite(number.get<double>()))
                    rows.back().push_back(number.get<double>());
        }
        return rows;
    }
    static bool has_shape(const std::vector<std::vector<double>>& t, std::size_t rows,
                          std::size_t columns)
    {
        return t.size() == rows && std::all_of(t.begin(), t.end(), [&](const auto& row) {
                   return row.size() == columns;
               });
    }

    /// A file of measurements: density, six rows of stretching (rest, then five angles), three of
    /// bending. Files of our own format, such as those that come with Pleat, are good too.
    Material read_material_data(const fs::path& path)
    {
        Material m;
        m.name = path.stem().string();
        try {
            const Json json = read_json_file(path.string());
            if (json.is_object() && json.contains("membrane")) return read_material_file(path);
            JsonFile file{path.string()};
            JsonReader r(json, "", file);
            m.density = r.required_number("density", positive);
            const Json* stretching = r.require("stretching", "6 rows of 4 numbers [N/m]");
            const Json* bending = r.require("bending", "3 rows of 5 numbers [N m]");
            if (stretching != nullptr) {
                const auto t = table(*stretching);
                MembraneMeasured membrane;
                if (!has_shape(t, 6, 4))
                    file.problem("stretching", shown(*stretching), "6 rows of 4 numbers [N/m]");
                else
                    for (std::size_t i = 0; i < 6; ++i) {
                        const StrainQuadratic q{t[i][0], t[i][1], t[i][2], t[i][3]};
                        (i == 0 ? membrane.at_rest : membrane.at_stretch[i - 1]) = q;
                    }
                m.membrane = membrane;
            }
            if (bending != nullptr) {
                const auto t = table(*bending);
                BendingMeasured law;
                if (!has_shape(t, 3, 5))
                    file.problem("bending", shown(*bending), "3 rows of 5 numbers [N m]");
                else
                    for (std::size_t i = 0; i < 3; ++i)
                        std::copy(t[i].begin(), t[i].end(), law.stiffness[i].begin());
                m.bending = law;
            }
            strangers(r);
            file.throw_if_bad();
        } catch (const InputError& error) {
            file_.problems.insert(file_.problems.end(), error.problems().begin(),
                                  error.problems().end());
        }
        return m;
    }

    /// Our fabric of the name that a file has which is in none of the places.
    std::optional<Material> shipped_instead(const std::string& name)
    {
        if (!place_of(name).empty()) return std::nullopt;
        const std::string stem = fs::path(name).stem().string();
        const std::vector<std::string> ours = fabric_names();
        if (std::find(ours.begin(), ours.end(), stem) == ours.end()) return std::nullopt;
        note(in_quotes(name) + " is not there: the fabric " + in_quotes(stem) +
             " that comes with Pleat is used");
        return fabric(stem);
    }

    Material read_material(JsonReader& r)
    {
        Material m;
        if (const auto data = r.maybe_text("data")) {
            if (const auto ours = shipped_instead(*data)) {
                m = *ours;
            } else {
                const fs::path path = find_file(*data, r.path_of("data"));
                if (!path.empty()) m = read_material_data(path);
            }
        } else {
            const double thickness = r.required_number("thickness", positive);
            const double young = r.required_number("elastic_modulus", not_negative);
            const double poisson = r.number("poisson_ratio", 0.0, Range{-0.99, 0.99});
            m.name = "sheet";
            m.density = r.required_number("density", positive) * thickness; // a volume's
            m.membrane = MembraneIsotropicSheet{thickness, young, poisson};
            m.bending = BendingIsotropicSheet{thickness, young, poisson};
        }
        m = scaled(m, r.number("density_mult", 1.0, positive),
                   r.number("stretching_mult", 1.0, not_negative),
                   r.number("bending_mult", 1.0, not_negative));
        m = thickened(m, r.number("thicken", 1.0, positive));
        m.damping = r.number("damping", 0.0, not_negative);
        if (const auto l = r.numbers("strain_limits", 2); !l.empty()) {
            if (!(l[0] > 0) || l[0] > 1 || l[1] < 1)
                file_.problem(r.path_of("strain_limits"),
                              "[" + Json(l[0]).dump() + ", " + Json(l[1]).dump() + "]",
                              "stretch ratios around 1, such as [0.9, 1.1]");
            else
                m.strain_limits = StrainLimits{strain_of(l[0]), strain_of(l[1])};
        }
        for (const char* key : {"yield_curv", "weakening"})
            if (r.find(key) != nullptr)
                note("\"" + std::string(key) +
                     "\": plasticity and fracture are not supported: the scene runs without");
        return m;
    }

    // --- motions, handles, obstacles ------------------------------------------------------------

    void read_motions(JsonReader& r)
    {
        const Json* value = r.find("motions");
        if (value == nullptr) return;
        if (value->is_object()) {
            read_motion_file(*value, "motions");
            return;
        }
        if (!value->is_array()) {
            file_.problem("motions", shown(*value), "an array of motions, or a motion file");
            return;
        }
        for (std::size_t i = 0; i < value->size(); ++i) {
            const std::string place = "motions[" + std::to_string(i) + "]";
            if ((*value)[i].is_object())
                read_motion_file((*value)[i], place);
            else
                read_motion_keys((*value)[i], place);
        }
    }

    void read_motion_keys(const Json& json, const std::string& place)
    {
        MotionDescription m;
        if (!json.is_array() || json.empty()) {
            file_.problem(place, shown(json), "an array of keys, or {\"motfile\": ...}");
            return;
        }
        for (std::size_t k = 0; k < json.size(); ++k) {
            JsonReader o(json[k], place + "[" + std::to_string(k) + "]", file_);
            MotionKey key;
            key.time = o.required_number("time");
            key.transform = read_transform(o, not_negative);
            object(o, "velocity", [&](JsonReader& v) { key.velocity = read_rate(v); });
            if (!m.keys.keys.empty() && !(key.time - m.keys.keys.back().time >= 1e-9))
                file_.problem(o.path_of("time"), "the time " + Json(key.time).dump(),
                              "times in increasing order");
            m.keys.keys.push_back(key);
            strangers(o);
        }
        motions_.push_back(std::move(m));
    }

    /// Every body of the file is a motion.
    void read_motion_file(const Json& json, const std::string& place)
    {
        JsonReader r(json, place, file_);
        const fs::path path =
            find_file(r.required_text("motfile", "the path of a .mot file"), r.path_of("motfile"));
        const double fps = r.number("fps", 120, Range{0.001, 100000});
        const Transform after = read_transform(r);
        strangers(r);
        if (path.empty()) return;
        try {
            const MotionFile file = pleat::read_motion_file(path);
            for (std::size_t b = 0; b < file.bodies.size(); ++b) {
                MotionDescription m;
                m.fps = fps;
                if (after == Transform{}) {
                    m.file = path;
                    m.body = int(b);
                } else {
                    for (std::size_t f = 0; f < file.frame_count; ++f) {
                        const auto& q = file.bodies[b].quaternion[f];
                        m.keys.keys.push_back(
                            {double(f) / fps, after * Transform{file.bodies[b].position[f],
                                                                {q[0], q[1], q[2], q[3]},
                                                                1}});
                    }
                    m.fps = MotionDescription{}.fps;
                }
                motions_.push_back(std::move(m));
            }
        } catch (const InputError& error) {
            file_.problems.insert(file_.problems.end(), error.problems().begin(),
                                  error.problems().end());
        }
    }

    MotionDescription motion_of(JsonReader& r)
    {
        const int i = r.integer("motion", -1, -1, 1000000);
        if (i < 0) return {};
        if (std::size_t(i) < motions_.size()) return motions_[std::size_t(i)];
        file_.problem(r.path_of("motion"), "motion " + std::to_string(i),
                      "one of the " + std::to_string(motions_.size()) + " motions, from 0; or -1");
        return {};
    }

    static void read_span(JsonReader& r, double& from, double& until)
    {
        if (const auto t = r.maybe_number("start_time")) from = *t;
        if (const auto t = r.maybe_number("end_time")) until = *t;
    }

    bool read_handle(JsonReader& r)
    {
        const std::string type = r.text("type", "node");
        if (type != "node") {
            note("handles of the type " + in_quotes(type) +
                 " are not supported: the scene runs without");
            return false;
        }
        HandleDescription h;
        h.name = "handle" + std::to_string(out_.scene.handles.size());
        const auto cloth = std::size_t(r.integer("cloth", 0, 0, 1000000));
        if (cloth < out_.scene.cloths.size())
            h.cloth = out_.scene.cloths[cloth].name;
        else
            file_.problem(r.path_of("cloth"), "cloth " + std::to_string(cloth),
                          "one of the " + std::to_string(out_.scene.cloths.size()) + " cloths");
        if (const Json* nodes = r.find("nodes")) {
            const bool good =
                nodes->is_array() && std::all_of(nodes->begin(), nodes->end(), [](const Json& n) {
                    return n.is_number_unsigned() && n.get<std::uint64_t>() < 0xffffffffu;
                });
            if (good)
                h.nodes = nodes->get<std::vector<std::uint32_t>>();
            else
                file_.problem(r.path_of("nodes"), shown(*nodes), "an array of node numbers");
        }
        if (r.find("label") != nullptr) h.label = r.integer("label", 1, -2147483647, 2147483647);
        if (h.nodes.empty() && !h.label)
            file_.problem(r.path(), "neither \"nodes\" nor \"label\"", "one of them");
        if (!h.nodes.empty() && h.label) {
            note(r.path() + ": \"nodes\" beside \"label\": the label is used");
            h.nodes.clear();
        }
        h.motion = motion_of(r);
        read_span(r, h.from, h.until);
        h.fade = r.number("fade_time", 0.0, not_negative);
        h.stiffness = handle_stiffness_;
        if (out_.scene.handles.size() == max_handles) {
            file_.problem(r.path(), "more than " + std::to_string(max_handles) + " handles",
                          "fewer");
            return true;
        }
        out_.scene.handles.push_back(std::move(h));
        return true;
    }

    [[nodiscard]] ObstacleDescription named_obstacle() const
    {
        ObstacleDescription o;
        const std::size_t count = out_.scene.obstacles.size();
        o.name = "obstacle" + (count == 0 ? std::string() : std::to_string(count));
        o.friction = obstacle_friction_;
        return o;
    }

    void read_obstacles(JsonReader& r)
    {
        const Json* value = r.find("obstacles");
        if (value == nullptr) return;
        if (value->is_string()) {
            read_obstacle_pattern(value->get<std::string>());
            return;
        }
        list(r, "obstacles", [&](JsonReader& o) {
            ObstacleDescription d = named_obstacle();
            d.mesh =
                find_file(o.required_text("mesh", "the path of an OBJ file"), o.path_of("mesh"));
            d.transform = read_transform(o);
            d.motion = motion_of(o);
            check_scales(d.motion, o.path_of("motion"));
            if (const auto proxy = o.maybe_text("proxy")) {
                if (*proxy == "floor")
                    make_floor(d);
                else
                    note("\"proxy\": " + in_quotes(*proxy) +
                         " is not known: the obstacle is its mesh");
            }
            read_span(o, d.from, d.until);
            out_.scene.obstacles.push_back(std::move(d));
            return true;
        });
    }

    /// Only what is held may be drawn to a point.
    void check_scales(const MotionDescription& m, const std::string& place)
    {
        for (const MotionKey& k : m.keys.keys)
            if (!(k.transform.scale > 0)) {
                file_.problem(place, "a motion with a scale of 0 for an obstacle",
                              "a scale above 0; 0 is for handles");
                return;
            }
    }

    /// Puts everything below the floor's mesh in place of the mesh: its own plane where it is flat,
    /// else the level of its highest point.
    void make_floor(ObstacleDescription& d)
    {
        if (d.mesh.empty()) return; // said already
        try {
            const MeshInput mesh = read_mesh_file(d.mesh, MeshUse::obstacle).mesh;
            if (mesh.node_x.empty()) return; // loading it says so
            const Vec3& up = out_.scene.up;
            Vec3 normal{}, low = mesh.node_x[0], high = low;
            for (const auto& f : mesh.face_nodes) {
                const Vec3 &a = mesh.node_x[f[0]], &b = mesh.node_x[f[1]], &c = mesh.node_x[f[2]];
                normal += cross(b - a, c - a);
            }
            Vec3 highest = apply(d.transform, low);
            for (const Vec3& x : mesh.node_x) {
                for (std::size_t k = 0; k < 3; ++k) {
                    low[k] = std::min(low[k], x[k]);
                    high[k] = std::max(high[k], x[k]);
                }
                const Vec3 world = apply(d.transform, x);
                if (dot(world, up) > dot(highest, up)) highest = world;
            }
            const double size = norm(high - low);
            normal = rotate(d.transform.rotation, normal);
            bool is_flat = norm(normal) > 0;
            if (is_flat) normal = normal / norm(normal);
            if (dot(normal, up) < 0) normal = -normal;
            for (const Vec3& x : mesh.node_x)
                is_flat = is_flat && std::abs(dot(apply(d.transform, x) - highest, normal)) <=
                                         1e-6 * size * d.transform.scale;
            PlaneDescription plane;
            plane.normal = is_flat ? normal : up;
            plane.point = apply(d.transform, 0.5 * (low + high)); // in the middle of what is shown
            plane.point += plane.normal * dot(highest - plane.point, plane.normal);
            plane.size = size * d.transform.scale / std::numbers::sqrt2; // of a square's diagonal
            d.shape = plane;
            d.mesh.clear();
            d.transform = {};
        } catch (const InputError& error) {
            file_.problems.insert(file_.problems.end(), error.problems().begin(),
                                  error.problems().end());
        }
    }

    /// Files 0, 1, 2, ... until one is missing; each follows the motion of its number.
    void read_obstacle_pattern(const std::string& pattern)
    {
        try {
            const fs::path first = find_file(sequence_file(pattern, 0), "obstacles");
            if (first.empty()) return;
            for (int i = 0;; ++i) {
                const std::string name = sequence_file(pattern, i);
                const fs::path path = place_of(name);
                if (path.empty()) break;
                ObstacleDescription d = named_obstacle();
                d.mesh = path;
                if (std::size_t(i) < motions_.size()) {
                    d.motion = motions_[std::size_t(i)];
                    check_scales(d.motion, "motions[" + std::to_string(i) + "]");
                } else {
                    note("obstacles without a motion of their number stand still");
                }
                out_.scene.obstacles.push_back(std::move(d));
            }
        } catch (const InputError& error) {
            for (const Problem& p : error.problems())
                file_.problem("obstacles", p.found, p.expected);
        }
    }

    JsonFile file_;
    std::vector<fs::path> folders_; // where paths may start
    ReadScene out_;
    std::vector<MotionDescription> motions_;
    std::set<std::string> disabled_;
    double obstacle_friction_ = obstacle_friction;
    double handle_stiffness_ = handle_stiffness;
    bool fixed_high_res_ = false;
};

} // namespace

ReadScene read_any_scene(const fs::path& path)
{
    const Json json = read_json_file(path.string());
    if (looks_like_arcsim(json)) return ArcsimReader(path).read(json);
    return {read_scene_file(path), false, {}, {}};
}

namespace {

ReadScene read_json_in_part(Json json, const fs::path& path, const SceneOverrides& overrides)
{
    apply_overrides(json, overrides);
    if (looks_like_arcsim(json)) return ArcsimReader(path).read(json);
    ReadScene read;
    read.scene = read_scene(json, path, &read.problems);
    return read;
}

} // namespace

ReadScene read_any_scene_in_part(const fs::path& path, const SceneOverrides& overrides)
{
    return read_json_in_part(read_json_file(path.string()), path, overrides);
}

ReadScene parse_any_scene_in_part(std::string_view text, const fs::path& path,
                                  const SceneOverrides& overrides)
{
    return read_json_in_part(parse_json(text, path.string()), path, overrides);
}

ReadScene parse_arcsim_scene(std::string_view text, const fs::path& path)
{
    return ArcsimReader(path).read(parse_json(text, path.string()));
}

} // namespace pleat
