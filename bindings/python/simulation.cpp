// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A Simulator with views of its arrays.
//
// A view is a NumPy array on the memory of the simulation. It keeps the simulation alive. While the
// simulation computes, it works on arrays of its own and the memory that views show belongs to a
// Block; afterwards the new values are copied into that memory, and it becomes the simulation's
// again. So the address of an array stays the same for as long as the mesh does, and no view ever
// shows memory that was freed. When the mesh has changed, the block stays with its views: it is
// marked as stale, floating-point arrays are filled with NaN and indices with 4294967295. The
// Python side raises an exception for any use of a stale view.
#include "simulation.hpp"

#include "arrays.hpp"
#include "callbacks.hpp"

#include "pleat/api/simulator.hpp"
#include "pleat/geometry/decompose.hpp"
#include "pleat/sim/frame_stats.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <sstream>

namespace pleat::python {

namespace {

/// The arrays of one mesh that views show.
struct Block {
    std::uint64_t version = 0; // of the mesh
    bool is_stale = false;
    bool holds = false; // the arrays are here, not in the simulation
    Mesh mesh;
    State state;
    Triangles face_nodes;                                   // made when it is first asked for
    std::vector<std::shared_ptr<const FaceSizing>> sizings; // that are shown
};

/// The base of the NumPy arrays.
struct Lease {
    std::shared_ptr<Block> block;
    py::object simulation; // whose memory the array shows
};

void poison(Block& block)
{
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    std::fill(block.state.x.begin(), block.state.x.end(), Vec3{nan, nan, nan});
    std::fill(block.state.v.begin(), block.state.v.end(), Vec3{nan, nan, nan});
    // The mesh is ours alone by now; it shows its elements as constants only.
    for (const FaceId f : block.mesh.faces())
        const_cast<Mesh::Face&>(block.mesh[f]).verts = {no_vert, no_vert, no_vert};
    for (const VertId v : block.mesh.verts()) {
        auto& vert = const_cast<Mesh::Vert&>(block.mesh[v]);
        vert = {no_node, {nan, nan}};
    }
    for (auto& f : block.face_nodes) f = {0xffffffffu, 0xffffffffu, 0xffffffffu};
    block.is_stale = true;
}

/// Copies into memory that stays where it is.
template <class T> void refresh(std::vector<T>& shown, const std::vector<T>& values)
{
    std::copy(values.begin(), values.end(), shown.begin());
}

class PySimulation {
public:
    PySimulation(ReadScene scene, const NamedMeshes& meshes, SimulatorOptions options,
                 const std::string& resume_from, std::optional<int> frame)
    {
        const py::gil_scoped_release released;
        if (resume_from.empty())
            simulator_ = std::make_unique<Simulator>(std::move(scene), meshes, std::move(options));
        else
            simulator_ = std::make_unique<Simulator>(std::move(scene), resume_from, frame, meshes,
                                                     std::move(options));
    }
    ~PySimulation()
    {
        const py::gil_scoped_release released; // threads may hold Python functions
        simulator_.reset();
    }
    PySimulation(const PySimulation&) = delete;
    PySimulation& operator=(const PySimulation&) = delete;

    /// Runs work on the simulator without the interpreter's lock.
    template <class Work> auto compute(const Work& work)
    {
        const Computing computing(*this);
        const py::gil_scoped_release released;
        return work(*simulator_);
    }
    /// Reads from the simulator. \pre the lock is held
    [[nodiscard]] Simulator& simulator()
    {
        if (!simulator_) throw std::runtime_error("the simulation is still being made");
        return *simulator_;
    }
    [[nodiscard]] bool is_made() const { return simulator_ != nullptr; }

    /// After each step, in the middle of compute().
    void step_done()
    {
        if (block_) refresh_block();
    }

    /// The arrays for a view; \pre the lock is held
    const std::shared_ptr<Block>& block()
    {
        Simulator& s = simulator();
        if (block_ && block_->version != s.mesh_version()) retire_block();
        if (!block_) {
            block_ = std::make_shared<Block>();
            block_->version = s.mesh_version();
            if (is_computing_) {
                block_->mesh = s.simulation().model.mesh;
                block_->state = s.simulation().state;
                block_->holds = true;
            }
        }
        return block_;
    }
    [[nodiscard]] const Mesh& mesh()
    {
        return block()->holds ? block_->mesh : simulator().model().mesh;
    }
    [[nodiscard]] const State& state()
    {
        return block()->holds ? block_->state : simulator().state();
    }

private:
    /// While it lives, views show memory of the block.
    class Computing {
    public:
        explicit Computing(PySimulation& s) : s_(s)
        {
            if (s.is_computing_.exchange(true))
                throw std::runtime_error(
                    "the simulation is computing already, in another thread or in a callback");
            s.take_block();
        }
        ~Computing()
        {
            s_.give_block_back();
            s_.is_computing_ = false;
        }
        Computing(const Computing&) = delete;
        Computing& operator=(const Computing&) = delete;

    private:
        PySimulation& s_;
    };

    void take_block()
    {
        if (block_ && block_.use_count() == 1) block_.reset(); // nobody looks
        if (!block_) return;
        Simulation& sim = simulator_->simulation();
        block_->state = std::move(sim.state);
        sim.state = block_->state;
        block_->mesh = std::move(sim.model.mesh);
        sim.model.mesh = block_->mesh;
        block_->holds = true;
    }

    void refresh_block()
    {
        if (block_->version != simulator_->mesh_version()) {
            retire_block();
            return;
        }
        const Simulation& sim = simulator_->simulation();
        refresh(block_->state.x.values, sim.state.x.values);
        refresh(block_->state.v.values, sim.state.v.values);
    }

    void give_block_back()
    {
        if (!block_ || !block_->holds) return;
        refresh_block();
        if (!block_) return;
        Simulation& sim = simulator_->simulation();
        std::swap(sim.state.x.values, block_->state.x.values);
        std::swap(sim.state.v.values, block_->state.v.values);
        block_->mesh = sim.model.mesh; // kinds of nodes may have changed; the same sizes
        std::swap(sim.model.mesh, block_->mesh);
        block_->holds = false;
    }

    void retire_block()
    {
        if (block_->holds) poison(*block_);
        block_->is_stale = true;
        block_.reset();
    }

    std::unique_ptr<Simulator> simulator_;
    std::shared_ptr<Block> block_; // of the views that there are; may be null
    std::atomic<bool> is_computing_{false};
};

/// An array on memory of the simulation, read-only.
py::array view_of(const py::object& self, const py::dtype& type, std::vector<py::ssize_t> shape,
                  std::vector<py::ssize_t> strides, const void* data)
{
    auto& s = self.cast<PySimulation&>();
    py::object lease = py::cast(Lease{s.block(), self});
    py::array array(type, std::move(shape), std::move(strides), data, lease);
    py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
    return array;
}

py::array vector_view(const py::object& self, const std::vector<Vec3>& values)
{
    return view_of(self, py::dtype::of<double>(), {py::ssize_t(values.size()), 3},
                   {sizeof(Vec3), sizeof(double)}, values.data());
}

py::array face_verts_view(const py::object& self)
{
    const Mesh& mesh = self.cast<PySimulation&>().mesh();
    const void* data = mesh.face_count() > 0 ? &mesh[FaceId{0}].verts : nullptr;
    return view_of(self, py::dtype::of<std::uint32_t>(), {py::ssize_t(mesh.face_count()), 3},
                   {sizeof(Mesh::Face), sizeof(std::uint32_t)}, data);
}

py::array material_view(const py::object& self)
{
    const Mesh& mesh = self.cast<PySimulation&>().mesh();
    const void* data = mesh.vert_count() > 0 ? &mesh[VertId{0}].u : nullptr;
    return view_of(self, py::dtype::of<double>(), {py::ssize_t(mesh.vert_count()), 2},
                   {sizeof(Mesh::Vert), sizeof(double)}, data);
}

py::array vert_node_view(const py::object& self)
{
    const Mesh& mesh = self.cast<PySimulation&>().mesh();
    const void* data = mesh.vert_count() > 0 ? &mesh[VertId{0}].node : nullptr;
    return view_of(self, py::dtype::of<std::uint32_t>(), {py::ssize_t(mesh.vert_count())},
                   {sizeof(Mesh::Vert)}, data);
}

py::array faces_view(const py::object& self)
{
    auto& s = self.cast<PySimulation&>();
    const Mesh& mesh = s.mesh();
    Triangles& faces = s.block()->face_nodes; // the mesh has faces of verts only
    if (faces.empty())
        for (const FaceId f : mesh.faces()) {
            const auto n = mesh.nodes_of(f);
            faces.push_back({index(n[0]), index(n[1]), index(n[2])});
        }
    return view_of(self, py::dtype::of<std::uint32_t>(), {py::ssize_t(faces.size()), 3},
                   {sizeof faces[0], sizeof(std::uint32_t)}, faces.data());
}

py::object metric_view(const py::object& self)
{
    auto& s = self.cast<PySimulation&>();
    const auto sizing = s.simulator().sizing();
    if (!sizing) return py::none();
    auto& shown = s.block()->sizings;
    if (std::find(shown.begin(), shown.end(), sizing) == shown.end()) shown.push_back(sizing);
    return view_of(self, py::dtype::of<double>(), {py::ssize_t(sizing->metric.size()), 2, 2},
                   {sizeof(Mat2), 2 * sizeof(double), sizeof(double)},
                   sizing->metric.values.data());
}

py::array_t<double> strain_of(const py::object& self)
{
    auto& s = self.cast<PySimulation&>();
    const Mesh& mesh = s.mesh();
    const State& state = s.state();
    std::vector<Vec2> strains;
    for (const FaceId f : mesh.faces()) {
        const auto& v = mesh[f].verts;
        const auto n = mesh.nodes_of(f);
        const Mat2 du = from_columns(mesh.u(v[1]) - mesh.u(v[0]), mesh.u(v[2]) - mesh.u(v[0]));
        const Mat3x2 dx =
            from_columns(state.x[n[1]] - state.x[n[0]], state.x[n[2]] - state.x[n[0]]);
        const Vec2 sigma = svd(dx * inverse(du)).s;
        strains.push_back({sigma[0] - 1, sigma[1] - 1});
    }
    return array_of(strains);
}

/// By face: the number of its cloth, or of its panel in all cloths.
py::array_t<std::uint32_t> face_numbers(PySimulation& s, bool of_panels)
{
    const Mesh& mesh = s.mesh();
    std::vector<std::uint32_t> numbers;
    for (const FaceId f : mesh.faces())
        numbers.push_back(of_panels
                              ? index(mesh.panel(f))
                              : index(s.simulator().model().panel_cloth[index(mesh.panel(f))]));
    return array_of<std::uint32_t>(std::span<const std::uint32_t>(numbers), {});
}

py::dict contacts_of(PySimulation& s)
{
    const Contacts found =
        s.compute([](Simulator& simulator) { return simulator.find_contacts(); });
    const State& state = s.state();
    std::vector<std::array<std::int32_t, 4>> nodes;
    std::vector<std::array<double, 4>> weights;
    std::vector<Vec3> normals;
    std::vector<double> gaps, thickness, friction;
    for (const Proximity& p : found.proximities) {
        Vec3 offset = p.anchor_t0;
        std::array<std::int32_t, 4> ids{-1, -1, -1, -1};
        for (std::size_t k = 0; k < p.node_count(); ++k) {
            ids[k] = std::int32_t(index(p.nodes[k]));
            offset += p.weights[k] * state.x[p.nodes[k]];
        }
        nodes.push_back(ids);
        weights.push_back(p.weights);
        normals.push_back(p.normal);
        gaps.push_back(dot(p.normal, offset));
        thickness.push_back(p.thickness);
        friction.push_back(p.friction);
    }
    py::dict out;
    out["nodes"] = array_of<std::int32_t>(std::span<const std::array<std::int32_t, 4>>(nodes), {4});
    out["weights"] = array_of<double>(std::span<const std::array<double, 4>>(weights), {4});
    out["normal"] = array_of(normals);
    out["gap"] = array_of<double>(std::span<const double>(gaps), {});
    out["thickness"] = array_of<double>(std::span<const double>(thickness), {});
    out["friction"] = array_of<double>(std::span<const double>(friction), {});
    return out;
}

py::dict audit_dict(const MeshAudit& audit)
{
    py::dict out;
    out["intersections"] = audit.intersections;
    out["min_gap"] = audit.min_gap;
    out["max_stretch"] = audit.max_stretch;
    out["max_compression"] = audit.max_compression;
    out["worst_aspect"] = audit.worst_aspect;
    return out;
}

/// The columns of stats.csv with their values.
py::dict stats_dict(const FrameStats& stats)
{
    py::dict out;
    std::istringstream names(stats_header()), values(stats_row(stats));
    std::string name, value;
    while (std::getline(names, name, ',') && std::getline(values, value, ',')) {
        const bool is_hash = name == "hash";
        const bool is_whole = value.find_first_not_of("-0123456789") == std::string::npos;
        if (is_hash)
            out[name.c_str()] = value;
        else if (is_whole)
            out[name.c_str()] = std::stoll(value);
        else
            out[name.c_str()] = std::stod(value);
    }
    return out;
}

/// \throw SolverError, which is what std::domain_error becomes
py::object advanced(const FrameResult& result)
{
    if (!result.ok) throw std::domain_error("the solver gave up at " + result.trouble);
    if (!result.is_complete) return py::none();
    return stats_dict(result.stats);
}

ReadScene read_scene_of(const std::string& text, const std::string& path, bool is_file,
                        const std::vector<std::pair<std::string, std::string>>& set)
{
    SceneOverrides overrides;
    for (const auto& [key, value] : set) overrides.push_back({key, value});
    return is_file ? read_any_scene_in_part(path, overrides)
                   : parse_any_scene_in_part(text, path, overrides);
}

/// Meshes are named in scenes as if they were files beside it.
NamedMeshes meshes_of(const py::dict& meshes, ReadScene& read, const std::string& path)
{
    NamedMeshes named;
    const auto folder = std::filesystem::path(path).parent_path();
    for (const auto& [key, arrays] : meshes) {
        const auto name = key.cast<std::string>();
        named.emplace(name, mesh_input_of(arrays.cast<py::dict>(), name));
        const auto use = [&](std::filesystem::path& mesh) {
            if (mesh == name || mesh == folder / name) mesh = name;
        };
        for (ClothDescription& c : read.scene.cloths) use(c.mesh);
        for (ObstacleDescription& o : read.scene.obstacles) use(o.mesh);
    }
    return named;
}

/// A callback that may be destroyed by any thread.
std::shared_ptr<py::object> shared_function(py::object function)
{
    return {new py::object(std::move(function)), [](py::object* object) {
                const py::gil_scoped_acquire lock;
                delete object;
            }};
}

std::unique_ptr<PySimulation>
make_simulation(const std::string& text, const std::string& path, bool is_file,
                const std::vector<std::pair<std::string, std::string>>& set, const py::dict& meshes,
                int threads, const py::dict& loads, const py::dict& sizing, py::object on_step,
                py::object log, const std::string& resume_from, std::optional<int> frame)
{
    ReadScene read = read_scene_of(text, path, is_file, set);
    const NamedMeshes named = meshes_of(meshes, read, path);
    SimulatorOptions options;
    options.threads = threads;
    for (const auto& [name, function] : loads)
        options.loads.push_back(
            load_of(py::reinterpret_borrow<py::function>(function), name.cast<std::string>()));
    for (const auto& [name, function] : sizing)
        options.sizing.push_back(
            {name.cast<std::string>(),
             sizing_of(py::reinterpret_borrow<py::function>(function), name.cast<std::string>())});
    if (!log.is_none())
        options.log = [function = shared_function(std::move(log))](LogLevel level,
                                                                   std::string_view message) {
            const py::gil_scoped_acquire lock;
            (*function)(level == LogLevel::warning ? "warning" : "note", std::string(message));
        };
    // Points to the simulation once it is made: no step is done before.
    auto made = std::make_shared<PySimulation*>(nullptr);
    options.on_step = [made, function = shared_function(std::move(on_step))] {
        const py::gil_scoped_acquire lock;
        if (*made != nullptr) (*made)->step_done();
        if (PyErr_CheckSignals() != 0) throw py::error_already_set(); // Ctrl-C
        if (!function->is_none()) (*function)();
    };
    auto simulation = std::make_unique<PySimulation>(std::move(read), named, std::move(options),
                                                     resume_from, frame);
    *made = simulation.get();
    return simulation;
}

void add_views(py::class_<PySimulation>& type)
{
    type.def("x",
             [](const py::object& self) {
                 return vector_view(self, self.cast<PySimulation&>().state().x.values);
             })
        .def("v",
             [](const py::object& self) {
                 return vector_view(self, self.cast<PySimulation&>().state().v.values);
             })
        .def("u", &material_view)
        .def("vert_node", &vert_node_view)
        .def("face_verts", &face_verts_view)
        .def("faces", &faces_view)
        .def("metric", &metric_view)
        .def("strain", &strain_of)
        .def("mass",
             [](PySimulation& s) {
                 return array_of<double>(std::span<const double>(s.simulator().model().mass.values),
                                         {});
             })
        .def("face_cloth", [](PySimulation& s) { return face_numbers(s, false); })
        .def("face_panel", [](PySimulation& s) { return face_numbers(s, true); });
}

} // namespace

void add_simulation(py::module_& module)
{
    py::class_<Lease>(module, "Lease", "What a view shows.")
        .def_property_readonly("is_stale", [](const Lease& l) { return l.block->is_stale; });

    py::class_<PySimulation> type(module, "Simulation");
    type.def(py::init(&make_simulation), py::arg("text"), py::arg("path"), py::arg("is_file"),
             py::arg("set"), py::arg("meshes"), py::arg("threads"), py::arg("loads"),
             py::arg("sizing"), py::arg("on_step"), py::arg("log"), py::arg("resume_from"),
             py::arg("frame"));
    add_views(type);
    type.def("advance_frame",
             [](PySimulation& s) {
                 return advanced(
                     s.compute([](Simulator& simulator) { return simulator.advance_frame(); }));
             })
        .def("advance_step",
             [](PySimulation& s) {
                 return advanced(
                     s.compute([](Simulator& simulator) { return simulator.advance_step(); }));
             })
        .def("remesh",
             [](PySimulation& s) {
                 return s.compute([](Simulator& simulator) { return simulator.remesh(); }).changed;
             })
        .def("contacts", &contacts_of)
        .def("audit",
             [](PySimulation& s) {
                 return audit_dict(
                     s.compute([](Simulator& simulator) { return simulator.audit(); }));
             })
        .def("hash",
             [](PySimulation& s) {
                 std::ostringstream text;
                 text << std::hex;
                 text.width(16);
                 text.fill('0');
                 text << s.simulator().hash();
                 return text.str();
             })
        .def("write_frame",
             [](PySimulation& s, const std::string& folder, const std::vector<std::string>& formats,
                const std::string& pattern) {
                 const NamePattern names(pattern);
                 s.compute([&](Simulator& simulator) {
                     simulator.write_frame(folder, formats, names);
                     return 0;
                 });
             })
        .def("write_checkpoint",
             [](PySimulation& s, const std::string& folder) {
                 s.compute([&](Simulator& simulator) {
                     simulator.write_checkpoint(folder);
                     return 0;
                 });
             })
        .def("set_gravity",
             [](PySimulation& s, const Doubles& g) {
                 require_shape(g, "gravity", {3});
                 s.compute([&](Simulator& simulator) {
                     simulator.world().gravity = {g.data()[0], g.data()[1], g.data()[2]};
                     return 0;
                 });
             })
        .def("set_wind",
             [](PySimulation& s, const Doubles& velocity) {
                 require_shape(velocity, "wind", {3});
                 s.compute([&](Simulator& simulator) {
                     simulator.world().wind.velocity = {velocity.data()[0], velocity.data()[1],
                                                        velocity.data()[2]};
                     return 0;
                 });
             })
        .def("cloth_names",
             [](PySimulation& s) {
                 std::vector<std::string> names;
                 for (const Cloth& c : s.simulator().model().cloths) names.push_back(c.name);
                 return names;
             })
        .def_property_readonly("frame", [](PySimulation& s) { return s.simulator().frame(); })
        .def_property_readonly("steps_done",
                               [](PySimulation& s) { return s.simulator().steps_done(); })
        .def_property_readonly("time", [](PySimulation& s) { return s.simulator().time(); })
        .def_property_readonly("fps", [](PySimulation& s) { return s.simulator().settings().fps; })
        .def_property_readonly("substeps",
                               [](PySimulation& s) { return s.simulator().settings().substeps; })
        .def_property_readonly("frames",
                               [](PySimulation& s) { return s.simulator().settings().frames; })
        .def_property_readonly("mesh_version",
                               [](PySimulation& s) { return s.simulator().mesh_version(); })
        .def_property_readonly("notes", [](PySimulation& s) { return s.simulator().notes(); })
        .def_property_readonly("state_address", [](PySimulation& s) {
            return reinterpret_cast<std::uintptr_t>(s.simulator().state().x.values.data());
        });
}

} // namespace pleat::python
