// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Idea. Every file is read even after a problem, so that one run reports all of them; only what
// depends on a failed part is skipped. Cloths are joined into one mesh input first, because
// handles, materials and panels are numbered through all cloths.
#include "pleat/scene/load_scene.hpp"

#include "pleat/contact/contact_options.hpp"
#include "pleat/contact/slits.hpp"
#include "pleat/core/error.hpp"
#include "pleat/io/mesh_sequence.hpp"
#include "pleat/mesh/flatten.hpp"
#include "pleat/mesh/mesh.hpp"
#include "pleat/scene/camera_tracks.hpp"
#include "pleat/scene/gltf_body.hpp"
#include "pleat/scene/mesh_file.hpp"
#include "pleat/scene/motions.hpp"
#include "pleat/scene/part_tables.hpp"
#include "pleat/strain_limiting/settle.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>
#include <variant>

namespace pleat {

namespace {

constexpr double largest_coordinate = 1e6; // [m], [m/s]; as the mesh check has it

class SceneLoader {
public:
    SceneLoader(const SceneDescription& description, std::vector<Problem> found_before,
                const NamedMeshes& in_memory)
        : from_(description), in_memory_(in_memory), problems_(std::move(found_before))
    {}

    Scene load()
    {
        scene_.settings.fps = from_.fps;
        scene_.settings.substeps = from_.substeps;
        for (const ClothDescription& c : from_.cloths) // the most impatient cloth decides
            if (const int n = c.remeshing.every; n > 0 && c.remeshing.type != "none")
                scene_.settings.remesh_every = scene_.settings.remesh_every > 0
                                                   ? std::min(scene_.settings.remesh_every, n)
                                                   : n;
        scene_.settings.frames = from_.frames;
        scene_.world.up = from_.up;
        scene_.world.gravity = from_.gravity;
        scene_.world.wind = from_.wind;
        for (std::size_t i = 0; i < from_.cloths.size(); ++i) load_cloth(i);
        for (std::size_t i = 0; i < from_.obstacles.size(); ++i) load_obstacle(i);
        for (std::size_t i = 0; i < from_.handles.size(); ++i) load_handle(i);
        load_cameras();
        for (std::size_t i = 0; i < from_.handles.size(); ++i)
            handle_nodes_.push_back(nodes_of_handle(i));
        if (problems_.empty()) {
            for (const FrictionPairDescription& p : from_.contact.friction_pairs)
                scene_.world.friction_pairs.push_back(friction_pair(p));
            build_model();
            for (std::size_t i = 0; i < from_.handles.size(); ++i) take_nodes(i);
            if (from_.contact.type != "none") {
                const ContactOptions contact{.thickness = from_.contact.thickness};
                State& state = scene_.start.state;
                if (open_slits(scene_.start.model.mesh, contact.slit_opening(), state.x) > 0)
                    state.anchor.values = state.x.values;
            }
        }
        if (!problems_.empty()) throw InputError(std::move(problems_));
        if (from_.settle) settle_cloth(*from_.settle);
        add_notes();
        return std::move(scene_);
    }

private:
    struct ClothPart { // where a cloth lies in the joined input
        std::size_t first_node = 0, node_count = 0, first_face = 0;
    };

    void problem(std::string place, std::string found, std::string expected)
    {
        problems_.push_back(
            {from_.file.string(), std::move(place), std::move(found), std::move(expected)});
    }
    void note(std::string text)
    {
        if (std::find(scene_.notes.begin(), scene_.notes.end(), text) == scene_.notes.end())
            scene_.notes.push_back(std::move(text));
    }
    /// Runs `work`, adding what it throws to the list; the place in the scene leads there.
    template <class Work> bool collect(const std::string& place, Work work)
    {
        try {
            work();
            return true;
        } catch (const InputError& error) {
            for (const Problem& p : error.problems()) {
                if (!p.place.empty())
                    problems_.push_back(p);
                else // of a whole file: where the scene names it says more
                    problem(place, p.file.empty() ? p.found : p.file + ": " + p.found, p.expected);
            }
            return false;
        }
    }

    void load_cloth(std::size_t i)
    {
        const ClothDescription& c = from_.cloths[i];
        const std::string place = "cloths[" + std::to_string(i) + "]";
        if (c.mesh.empty()) return; // told by the reader
        MeshFile file;
        const bool is_good = collect(place + ".mesh", [&] {
            file = c.rest.from == "material"
                       ? read_mesh_file(c.mesh, MeshUse::cloth, in_memory_)
                       : read_shaped_mesh_file(c.mesh, c.rest.file,
                                               rotate(inverse(c.transform.rotation), from_.up),
                                               in_memory_);
        });
        if (!is_good) return;
        for (const std::string& n : file.notes) note(c.mesh.string() + ": " + n);
        if (!file.problems.empty()) {
            problems_.insert(problems_.end(), file.problems.begin(), file.problems.end());
            return;
        }
        MeshInput& m = file.mesh;
        if (m.face_material.empty()) m.face_material.assign(m.face_nodes.size(), 0);
        const int largest = *std::max_element(m.face_material.begin(), m.face_material.end());
        if (std::size_t(largest) >= c.materials.size() && !c.materials.empty()) {
            problem(place + ".materials", std::to_string(c.materials.size()) + " of them",
                    "one for each material index of " + c.mesh.string() + ", which go up to " +
                        std::to_string(largest));
            return;
        }
        for (int& index : m.face_material) index += int(materials_.size());
        const bool has_velocities = !m.node_v.empty();
        if (has_velocities && (c.linear_velocity != Vec3{} || c.angular_velocity != Vec3{}))
            note(place + ".velocity is not used: " + c.mesh.string() +
                 " has velocities of its own (nv)");
        m.node_v.resize(m.node_x.size());
        std::vector<Vec3> rest_shape; // only its angles count
        if (c.rest_angles.from != "flat" &&
            !collect(place + ".rest_angles", [&] { rest_shape = take_rest_shape(c, m); }))
            return;
        for (Vec3& x : m.node_x) x *= c.unit;
        for (Vec3& v : m.node_v) v *= c.unit;
        for (std::size_t n = 0; n < m.node_x.size(); ++n) {
            m.node_x[n] = apply(c.transform, m.node_x[n]);
            m.node_v[n] = has_velocities
                              ? rotate(c.transform.rotation, m.node_v[n])
                              : c.linear_velocity +
                                    cross(c.angular_velocity, m.node_x[n] - c.velocity_origin);
        }
        for (Vec2& u : m.material_u) u *= c.unit * c.transform.scale;
        bool is_near = all_near(m.node_x);
        for (const Vec2& u : m.material_u) is_near = is_near && within(norm(u));
        if (!is_near || !all_near(m.node_v)) {
            problem(place + (is_near ? ".velocity" : ".transform"),
                    is_near ? "nodes faster than 1e6 m/s" : "nodes farther than 1e6 m away",
                    "smaller numbers");
            return;
        }
        m.node_label.resize(m.node_x.size());

        part_of_[i] = parts_.size();
        parts_.push_back({joined_.node_x.size(), m.node_x.size(), joined_.face_nodes.size()});
        append(joined_, m);
        const bool has_folds =
            !rest_shape.empty() ||
            std::any_of(m.edge_marks.begin(), m.edge_marks.end(),
                        [](const auto& mark) { return mark.rest_angle.value_or(0) != 0; });
        for (const Material& material : c.materials)
            if (has_folds && std::holds_alternative<BendingIsometric>(material.bending))
                note(place + " has rest angles, but the bending law \"isometric\" of \"" +
                     material.name + "\" is always flat at rest");
        has_rest_shape_.push_back(!rest_shape.empty());
        rest_shape.resize(m.node_x.size());
        joined_rest_.insert(joined_rest_.end(), rest_shape.begin(), rest_shape.end());
        cloths_.push_back({c.name});
        materials_.insert(materials_.end(), c.materials.begin(), c.materials.end());
        if (c.strain_limits && from_.strain_limiting.type == "none")
            note(place + ".strain_limits are given, but strain_limiting is \"none\": strains are "
                         "reported, not limited");
    }

    /// The shape that the cloth bends back to. Folds so sharp that an edge across them would miss
    /// them are kept.
    std::vector<Vec3> take_rest_shape(const ClothDescription& c, MeshInput& m)
    {
        constexpr double sharp = 0.5; // [rad]
        const std::vector<Vec3> shape =
            c.rest_angles.from == "file" ? read_shape(c.rest_angles.file, c.mesh, m) : m.node_x;
        std::size_t marked = 0;
        for (MeshInput::EdgeMark& mark : m.edge_marks) {
            marked += mark.rest_angle.has_value();
            mark.rest_angle.reset();
        }
        if (marked > 0)
            note(c.mesh.string() + ": " + std::to_string(marked) +
                 " rest angles of edges (ea) are ignored: \"rest_angles\" takes those of a shape");
        keep_sharp_edges(m, shape, sharp);
        return shape;
    }

    [[nodiscard]] static bool within(double length) { return length <= largest_coordinate; }
    [[nodiscard]] static bool all_near(const std::vector<Vec3>& points)
    {
        return std::all_of(points.begin(), points.end(),
                           [](const Vec3& p) { return within(norm(p)); });
    }

    Motion load_motion(const MotionDescription& d, const std::string& place)
    {
        Motion motion;
        collect(place, [&] { motion = read_motion(d, motion_files_); });
        return motion;
    }

    void load_cameras()
    {
        const auto load_camera = [&](const CameraDescription& d, const std::string& place) {
            collect(place, [&] {
                scene_.world.cameras.push_back(read_camera(d, from_.up, motion_files_));
            });
        };
        if (from_.camera) load_camera(*from_.camera, "camera");
        for (std::size_t i = 0; i < from_.cameras.size(); ++i)
            load_camera(from_.cameras[i], "cameras[" + std::to_string(i) + "]");
    }

    void load_obstacle(std::size_t i)
    {
        const ObstacleDescription& d = from_.obstacles[i];
        const std::string place = "obstacles[" + std::to_string(i) + "]";
        Obstacle o;
        o.name = d.name;
        o.start_time = d.from;
        o.end_time = d.until;
        o.friction = d.friction;
        o.motion = load_motion(d.motion, place + ".motion");
        if (!d.shape && d.gltf.file.empty() && d.sequence.empty() && d.mesh.empty())
            return; // told by the reader
        const auto placed = [&](std::vector<Vec3> x) {
            for (Vec3& p : x) p = apply(d.transform, p * d.unit);
            return x;
        };
        if (d.shape) {
            Obstacle shape = make_obstacle(*d.shape);
            o.planes = std::move(shape.planes);
            o.x = placed(std::move(shape.x));
            o.faces = std::move(shape.faces);
        }
        const std::string mesh_place = place + (!d.gltf.file.empty() ? ".gltf"
                                                : d.sequence.empty() ? ".mesh"
                                                                     : ".sequence");
        const bool good = collect(mesh_place, [&] {
            if (d.shape) return;
            if (!d.gltf.file.empty()) {
                load_gltf(d, o);
                return;
            }
            if (d.sequence.empty()) {
                MeshFile file = read_mesh_file(d.mesh, MeshUse::obstacle, in_memory_);
                for (const std::string& n : file.notes) note(d.mesh.string() + ": " + n);
                o.x = placed(std::move(file.mesh.node_x));
                o.faces = std::move(file.mesh.face_nodes);
                return;
            }
            SequenceFiles found = find_sequence(d.sequence, d.sequence_first);
            MeshSequence sequence = read_sequence(std::move(found.files));
            for (const auto* notes : {&found.notes, &sequence.notes})
                for (const std::string& n : *notes) note(n);
            for (std::vector<Vec3>& x : sequence.frame_x) o.frames.push_back(placed(std::move(x)));
            o.x = o.frames.front();
            o.faces = std::move(sequence.first.mesh.face_nodes);
            o.fps = d.sequence_fps;
            o.first_time = d.sequence_time;
        });
        if (!good) return;
        bool is_near = all_near(o.x);
        for (const std::vector<Vec3>& x : o.frames) is_near = is_near && all_near(x);
        for (const MotionKey& k : o.motion.keys)
            for (const Vec3& p : o.x) is_near = is_near && within(norm(apply(k.transform, p)));
        if (!is_near) problem(place, "points farther than 1e6 m away", "smaller numbers");
        scene_.world.obstacles.push_back(std::move(o));
    }

    void load_gltf(const ObstacleDescription& d, Obstacle& o)
    {
        GltfBody body = load_gltf_body(d.gltf, from_.up);
        for (const std::string& n : body.notes) note(d.gltf.file.string() + ": " + n);
        for (std::vector<Vec3>& x : body.frames) {
            for (Vec3& p : x) p = apply(d.transform, p);
            o.frames.push_back(std::move(x));
        }
        o.x = o.frames.front();
        o.faces = std::move(body.faces);
        o.fps = d.gltf.fps;
        o.first_time = d.gltf.time;
        if (o.frames.size() == 1) o.frames.clear(); // stands still
    }

    /// \pre the names are known, and one is a cloth's
    FrictionPair friction_pair(const FrictionPairDescription& d) const
    {
        const auto find = [](const auto& list, const std::string& name) -> std::size_t {
            return std::size_t(std::find_if(list.begin(), list.end(),
                                            [&](const auto& item) { return item.name == name; }) -
                               list.begin());
        };
        std::string cloth = d.between[0], other = d.between[1];
        if (find(from_.cloths, cloth) == from_.cloths.size()) std::swap(cloth, other);
        FrictionPair pair{find(from_.cloths, cloth), find(from_.cloths, other), false, d.friction};
        pair.with_obstacle = pair.other == from_.cloths.size();
        if (pair.with_obstacle) pair.other = find(from_.obstacles, other);
        return pair;
    }

    void build_model()
    {
        Model& model = scene_.start.model;
        model = make_model(joined_, std::move(materials_));
        model.cloths = std::move(cloths_);
        const Mesh& mesh = model.mesh;
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            const std::size_t end =
                i + 1 < parts_.size() ? parts_[i + 1].first_face : mesh.face_count();
            for (std::size_t f = parts_[i].first_face; f < end; ++f)
                model.panel_cloth[index(mesh.panel(make_id<FaceId>(f)))] = make_id<ClothId>(i);
        }
        const auto lost = std::count_if(
            joined_.edge_marks.begin(), joined_.edge_marks.end(), [&](const auto& mark) {
                return !is_some(
                    mesh.find_edge(make_id<NodeId>(mark.node_a), make_id<NodeId>(mark.node_b)));
            });
        if (lost > 0)
            note(std::to_string(lost) + " marked edges (e, ea, ep) join nodes that no edge of the "
                                        "mesh joins; they are ignored");
        if (std::find(has_rest_shape_.begin(), has_rest_shape_.end(), true) !=
            has_rest_shape_.end())
            set_rest_surface(model);
        scene_.start.state = start_state(joined_);
    }

    void set_rest_surface(Model& model) const
    {
        RestSurface surface;
        surface.mesh = model.mesh;
        surface.x.values = joined_rest_;
        surface.is_of_cloth = has_rest_shape_;
        for (EdgeId e : model.mesh.edges())
            if (surface.is_of_cloth[index(model.cloth_of(model.mesh[e].faces[0]))])
                model.rest_angle[e] = angle_of(surface, e);
        model.rest_surface = std::make_shared<RestSurface>(std::move(surface));
    }

    void load_handle(std::size_t i)
    {
        const HandleDescription& d = from_.handles[i];
        const std::string place = "handles[" + std::to_string(i) + "]";
        Handle h;
        h.name = d.name;
        h.start_time = d.from;
        h.end_time = d.until;
        h.fade_time = d.fade;
        h.stiffness = d.stiffness;
        h.motion = load_motion(d.motion, place + ".motion");
        if (!(transform_at(h.motion, h.start_time).scale > 0))
            problem(place + ".motion", "a scale of 0 when the handle takes hold",
                    "one above 0 at that time: the motion carries the nodes from there");
        scene_.world.handles.push_back(std::move(h));
    }

    /// The nodes that a handle names, in the joined input; with problems where there are none.
    /// Needs nothing but the mesh of its cloth, so that it can be asked beside other problems.
    std::vector<NodeId> nodes_of_handle(std::size_t i)
    {
        const HandleDescription& d = from_.handles[i];
        const std::string place = "handles[" + std::to_string(i) + "]";
        const auto named =
            std::find_if(from_.cloths.begin(), from_.cloths.end(),
                         [&](const ClothDescription& c) { return c.name == d.cloth; });
        const auto found = part_of_.find(std::size_t(named - from_.cloths.begin()));
        if (found == part_of_.end()) return {}; // that cloth has problems of its own
        const ClothPart& part = parts_[found->second];
        std::vector<NodeId> nodes;
        for (std::uint32_t n : d.nodes) {
            if (n < part.node_count)
                nodes.push_back(make_id<NodeId>(part.first_node + n));
            else
                problem(place + ".nodes", "node " + std::to_string(n),
                        "numbers from 0 to " + std::to_string(part.node_count - 1) +
                            ", the nodes of " + d.cloth);
        }
        for (std::size_t k = part.first_node; k < part.first_node + part.node_count; ++k) {
            const Vec3& x = joined_.node_x[k];
            const auto inside = [&](const std::array<Vec3, 2>& box) {
                for (std::size_t axis = 0; axis < 3; ++axis)
                    if (x[axis] < box[0][axis] || x[axis] > box[1][axis]) return false;
                return true;
            };
            if (d.label && joined_.node_label[k] == *d.label) nodes.push_back(make_id<NodeId>(k));
            if (d.box && inside(*d.box)) nodes.push_back(make_id<NodeId>(k));
        }
        if (nodes.empty() && (d.label || d.box))
            problem(place + (d.label ? ".label" : ".box"), "no node of " + d.cloth + " there",
                    "at least one node to hold");
        return nodes;
    }

    void take_nodes(std::size_t i)
    {
        const std::uint64_t bit = std::uint64_t{1} << i;
        const HandleDescription& d = from_.handles[i];
        Model& model = scene_.start.model;
        Field<NodeId, std::uint64_t>& held =
            d.label || d.box ? model.region_handles : model.node_handles;
        for (NodeId n : handle_nodes_[i]) held[n] |= bit;
        lock_nodes(model.mesh, handle_nodes_[i]);
    }

    /// Nodes that a hard handle holds from the start stay where they are.
    void settle_cloth(const SettleDescription& d)
    {
        Loads held;
        const Model& model = scene_.start.model;
        State& state = scene_.start.state;
        for (NodeId n : model.mesh.nodes())
            for (std::size_t h = 0; h < scene_.world.handles.size(); ++h) {
                const Handle& handle = scene_.world.handles[h];
                if ((model.handles(n) >> h & 1) == 0 || handle.start_time > 0 || handle.stiffness)
                    continue;
                held.pins.push_back({n, state.x[n], {}});
                break;
            }
        const SettleReport r = settle(model, held, {d.tolerance, d.iterations}, state);
        state.anchor.values = state.x.values;
        const auto percent = [](double strain) {
            const std::string digits = std::to_string(std::lround(1000 * strain));
            return (digits.size() < 2 ? "0" : digits.substr(0, digits.size() - 1)) + "." +
                   digits.back() + " %";
        };
        note("settled before frame 0: worst strain " + percent(r.strain_before) + " -> " +
             percent(r.strain_after) + " in " + std::to_string(r.iterations) + " iterations" +
             (r.strain_after > d.tolerance
                  ? "; the tolerance of " + percent(d.tolerance) + " was not reached"
                  : ""));
    }

    void add_notes()
    {
        if (!from_.obstacles.empty() && from_.contact.type == "none")
            note(
                "contact is \"none\": cloth passes through obstacles and through itself; the audit "
                "counts where");
    }

    const SceneDescription& from_;
    const NamedMeshes& in_memory_;
    Scene scene_;
    MeshInput joined_;
    std::vector<Cloth> cloths_;
    std::vector<Material> materials_;
    std::vector<Vec3> joined_rest_;    // by node: on the shape that it bends back to
    std::vector<bool> has_rest_shape_; // by cloth
    std::vector<ClothPart> parts_;
    std::map<std::size_t, std::size_t> part_of_;    // by number of the cloth
    std::vector<std::vector<NodeId>> handle_nodes_; // by handle, in the joined input
    MotionFiles motion_files_;
    std::vector<Problem> problems_;
};

} // namespace

Scene load_scene(const SceneDescription& description, std::vector<Problem> found_before,
                 const NamedMeshes& in_memory)
{
    return SceneLoader(description, std::move(found_before), in_memory).load();
}

Pipeline make_pipeline(const SceneDescription& description,
                       const std::vector<NamedSizingMetric>& own_sizing)
{
    Pipeline p;
    p.integrator = make_integrator(description.solver);
    p.contact_finder = make_contact_finder(description.contact, description.solver);
    p.impact_resolver = make_impact_resolver(description.contact, description.solver);
    p.strain_limiter = make_strain_limiter(description.strain_limiting);
    p.remesher = make_remesher(description, own_sizing);
    if (const auto& b = description.buckling_compensation)
        p.buckling = BucklingOptions{b->exponent, b->faces == "all", b->areas};
    return p;
}

} // namespace pleat
