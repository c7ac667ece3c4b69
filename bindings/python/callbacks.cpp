// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The arrays that functions get are copies of their own: a function may keep them. The input object
// itself is only good during the call.
#include "callbacks.hpp"

#include "arrays.hpp"

#include <cmath>

namespace pleat::python {

namespace {

/// What is common to both kinds of input.
struct CallInput {
    std::string where;            // for messages
    const Model* model = nullptr; // null when the call is over
    const State* state = nullptr;
    double time = 0;

    void check() const
    {
        if (model == nullptr)
            throw py::value_error("the input of a load or sizing function is only valid during the "
                                  "call; copy the arrays that you need");
    }
};

struct LoadInput : CallInput {
    double dt = 0;
};

struct SizingCall : CallInput {
    const SizingInput* input = nullptr;
};

/// A Python function that may be destroyed by a thread without the lock.
class Function {
public:
    Function(py::function function, std::string name)
        : function_(std::move(function)), name_(std::move(name))
    {}
    ~Function()
    {
        const py::gil_scoped_acquire lock;
        function_ = py::function();
    }
    Function(const Function&) = delete;
    Function& operator=(const Function&) = delete;

    /// \pre the lock is held
    template <class Input> py::object call(Input input) const
    {
        py::object object = py::cast(std::move(input), py::return_value_policy::move);
        struct Expire { // the object may be kept by the function
            py::object& object;
            ~Expire() { object.cast<Input&>().model = nullptr; }
        } expire{object};
        return function_(object);
    }
    [[nodiscard]] const std::string& name() const { return name_; }

private:
    py::function function_;
    std::string name_;
};

void require_finite(const Doubles& array, const std::string& name)
{
    for (py::ssize_t i = 0; i < array.size(); ++i)
        if (!std::isfinite(array.data()[i]))
            throw InputError(Problem{"", name, "a number that is not finite", "finite numbers"});
}

class LoadPython final : public Load {
public:
    LoadPython(py::function function, std::string name)
        : function_(std::move(function), std::move(name))
    {}

    void add(const World&, const Model& model, const State& state, double time, double dt,
             Loads& loads) const override
    {
        const py::gil_scoped_acquire lock;
        LoadInput input;
        input.where = function_.name();
        input.model = &model;
        input.state = &state;
        input.time = time;
        input.dt = dt;
        py::object result = function_.call(std::move(input));
        if (result.is_none()) return;
        py::object force = result, drag = py::none();
        if (py::isinstance<py::tuple>(result)) {
            const auto both = result.cast<py::tuple>();
            if (both.size() != 2)
                throw InputError(Problem{"", function_.name(),
                                         "a tuple of " + std::to_string(both.size()),
                                         "forces, or a tuple of forces and drag"});
            force = both[0];
            drag = both[1];
        }
        if (!force.is_none()) add_force(force, model.mesh.node_count(), loads);
        if (!drag.is_none()) add_drag(drag, model.mesh.node_count(), loads);
    }

private:
    void add_force(const py::object& value, std::size_t nodes, Loads& loads) const
    {
        const auto array = Doubles::ensure(value);
        if (!array) throw py::error_already_set();
        const std::string name = function_.name() + ": forces";
        require_shape(array, name, {py::ssize_t(nodes), 3});
        require_finite(array, name);
        if (loads.force.empty()) loads.force.resize(nodes);
        for (std::size_t i = 0; i < nodes; ++i)
            for (std::size_t k = 0; k < 3; ++k) loads.force[i][k] += array.data()[3 * i + k];
    }

    void add_drag(const py::object& value, std::size_t nodes, Loads& loads) const
    {
        const auto array = Doubles::ensure(value);
        if (!array) throw py::error_already_set();
        const std::string name = function_.name() + ": drag";
        const bool is_scalar = array.ndim() == 1;
        if (is_scalar)
            require_shape(array, name, {py::ssize_t(nodes)});
        else
            require_shape(array, name, {py::ssize_t(nodes), 3, 3});
        require_finite(array, name);
        if (loads.drag.empty()) loads.drag.resize(nodes);
        for (std::size_t i = 0; i < nodes; ++i)
            for (std::size_t k = 0; k < 9; ++k)
                loads.drag[i].e[k] += !is_scalar   ? array.data()[9 * i + k]
                                      : k % 4 == 0 ? array.data()[i]
                                                   : 0;
    }

    Function function_;
};

class SizingPython final : public SizingMetric {
public:
    SizingPython(py::function function, std::string name)
        : function_(std::move(function), std::move(name))
    {}

    void ask(const SizingInput& in, Field<FaceId, Mat2>& asked) const override
    {
        const py::gil_scoped_acquire lock;
        SizingCall input;
        input.where = function_.name();
        input.model = &in.model;
        input.state = &in.state;
        input.time = in.time;
        input.input = &in;
        const py::object result = function_.call(std::move(input));
        const std::size_t count = in.faces.size();
        for (const FaceId f : in.faces) asked[f] = {};
        if (result.is_none()) return;
        const auto array = Doubles::ensure(result);
        if (!array) throw py::error_already_set();
        const std::string name = function_.name() + ": sizing";
        if (array.ndim() == 1) {
            require_shape(array, name, {py::ssize_t(count)});
            for (std::size_t i = 0; i < count; ++i)
                asked[in.faces[i]] = of_length(array.data()[i], name);
            return;
        }
        require_shape(array, name, {py::ssize_t(count), 2, 2});
        require_finite(array, name);
        for (std::size_t i = 0; i < count; ++i) {
            const double* m = array.data() + 4 * i;
            if (m[1] != m[2])
                throw InputError(Problem{"", name + ", face " + std::to_string(i),
                                         "a tensor that is not symmetric", "a symmetric tensor"});
            asked[in.faces[i]] = {{m[0], m[1], m[2], m[3]}};
        }
    }

private:
    static Mat2 of_length(double length, const std::string& name)
    {
        if (!(length > 0))
            throw InputError(Problem{"", name, "the length " + std::to_string(length),
                                     "lengths above 0 [m]; inf asks for nothing"});
        const double square = 1 / (length * length); // 0 for an infinite length
        return {{square, 0, 0, square}};
    }

    Function function_;
};

py::array_t<std::uint32_t> face_nodes(const SizingCall& c)
{
    c.check();
    Triangles faces;
    for (const FaceId f : c.input->faces) {
        const auto n = c.model->mesh.nodes_of(f);
        faces.push_back({index(n[0]), index(n[1]), index(n[2])});
    }
    return array_of(faces);
}

py::array_t<double> face_material_points(const SizingCall& c)
{
    c.check();
    std::vector<std::array<Vec2, 3>> points;
    for (const FaceId f : c.input->faces) {
        const auto& v = c.model->mesh[f].verts;
        points.push_back({c.model->mesh.u(v[0]), c.model->mesh.u(v[1]), c.model->mesh.u(v[2])});
    }
    return array_of<double>(std::span<const std::array<Vec2, 3>>(points), {3, 2});
}

template <class Input, class Class> void add_common(Class& type)
{
    type.def_property_readonly(
            "x",
            [](const Input& c) {
                c.check();
                return array_of(c.state->x.values);
            },
            "Positions of all nodes, (N, 3) [m].")
        .def_property_readonly(
            "v",
            [](const Input& c) {
                c.check();
                return array_of(c.state->v.values);
            },
            "Velocities of all nodes, (N, 3) [m/s].")
        .def_property_readonly(
            "mass",
            [](const Input& c) {
                c.check();
                return array_of<double>(std::span<const double>(c.model->mass.values), {});
            },
            "Masses of all nodes, (N,) [kg].")
        .def_property_readonly(
            "time", [](const Input& c) { return c.time; }, "Time [s].");
}

} // namespace

std::shared_ptr<const Load> load_of(py::function function, std::string name)
{
    return std::make_shared<LoadPython>(std::move(function), std::move(name));
}

std::shared_ptr<const SizingMetric> sizing_of(py::function function, std::string name)
{
    return std::make_shared<SizingPython>(std::move(function), std::move(name));
}

void add_callbacks(py::module_& module)
{
    py::class_<LoadInput> load(module, "LoadInput",
                               "What a load function gets. Arrays are copies.");
    add_common<LoadInput>(load);
    load.def_property_readonly(
            "dt", [](const LoadInput& c) { return c.dt; }, "Length of the step [s].")
        .def_property_readonly(
            "faces",
            [](const LoadInput& c) {
                c.check();
                Triangles faces;
                for (const FaceId f : c.model->mesh.faces()) {
                    const auto n = c.model->mesh.nodes_of(f);
                    faces.push_back({index(n[0]), index(n[1]), index(n[2])});
                }
                return array_of(faces);
            },
            "Nodes of all faces, (F, 3).");
    py::class_<SizingCall> sizing(module, "SizingInput",
                                  "What a sizing function gets, for one cloth. Arrays are copies.");
    add_common<SizingCall>(sizing);
    sizing.def_property_readonly("faces", &face_nodes, "Nodes of the faces of the cloth, (F, 3).")
        .def_property_readonly("u", &face_material_points,
                               "Material coordinates of the corners of these faces, (F, 3, 2) [m].")
        .def_property_readonly(
            "asked",
            [](const SizingCall& c) {
                c.check();
                std::vector<Mat2> tensors;
                for (const FaceId f : c.input->faces) tensors.push_back(c.input->asked_yet[f]);
                return array_of<double>(std::span<const Mat2>(tensors), {2, 2});
            },
            "Sum of the tensors that metrics before this one asked for, (F, 2, 2) [1/m^2].")
        .def_property_readonly(
            "edge_length",
            [](const SizingCall& c) {
                c.check();
                return std::pair(c.input->bounds.edge_min, c.input->bounds.edge_max);
            },
            "Shortest and longest edge that the scene allows [m].")
        .def_property_readonly(
            "cloth",
            [](const SizingCall& c) {
                c.check();
                if (c.input->faces.empty()) return std::string();
                const ClothId cloth = c.model->cloth_of(c.input->faces[0]);
                return c.model->cloths[index(cloth)].name;
            },
            "Name of the cloth.");
}

} // namespace pleat::python
