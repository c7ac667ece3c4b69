// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "run_data.hpp"

#include "arrays.hpp"

#include "pleat/api/remesh_surface.hpp"
#include "pleat/scene/run_folder.hpp"

#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <set>

namespace pleat::python {

namespace {

std::vector<int> integers_of(const py::handle& value, const std::string& name)
{
    const auto array = Integers::ensure(value);
    if (!array) throw py::error_already_set();
    require_shape(array, name, {-1});
    return {array.data(), array.data() + array.size()};
}

py::dict object_dict(const RunFolder& run, const ObjectMesh& mesh, int frame)
{
    py::dict out;
    out["name"] = mesh.name;
    out["is_cloth"] = mesh.is_cloth;
    out["x"] = array_of(mesh.x);
    out["faces"] = array_of(mesh.face_nodes);
    if (!mesh.v.empty()) out["v"] = array_of(mesh.v);
    if (!mesh.is_cloth) return out;
    out["u"] = array_of(mesh.u);
    out["face_verts"] = array_of(mesh.face_verts);
    out["vert_node"] = array_of<std::uint32_t>(std::span<const std::uint32_t>(mesh.vert_node), {});
    out["face_panel"] =
        array_of<std::uint32_t>(std::span<const std::uint32_t>(mesh.face_panel), {});
    const std::optional<FrameAttributes> a = run.read_attributes(mesh, frame);
    if (!a) return out;
    out["face_material"] =
        array_of<std::uint16_t>(std::span<const std::uint16_t>(a->face_material), {});
    if (!a->face_generation.empty())
        out["face_generation"] =
            array_of<std::uint8_t>(std::span<const std::uint8_t>(a->face_generation), {});
    if (a->face_ellipse.empty()) return out;
    out["sizing_names"] = a->drivers;
    py::array_t<float> lengths(
        {py::ssize_t(a->face_ellipse.size()), py::ssize_t(a->drivers.size())});
    if (!a->face_drivers.empty())
        std::memcpy(lengths.mutable_data(), a->face_drivers.data(),
                    a->face_drivers.size() * sizeof(float));
    out["sizing_lengths"] = lengths;
    out["sizing_ellipse"] = array_of<float>(std::span<const SizingEllipse>(a->face_ellipse), {3});
    return out;
}

py::dict remeshed_dict(const RemeshedSurface& r)
{
    py::dict out = dict_of(r.mesh);
    out["splits"] = r.splits;
    out["flips"] = r.flips;
    out["collapses"] = r.collapses;
    out["refused"] = r.refused;
    return out;
}

py::dict remesh(const py::dict& mesh, const Doubles& metric, double hysteresis, bool guard)
{
    const MeshInput input = mesh_input_of(mesh, "mesh");
    require_shape(metric, "metric", {-1, 2, 2});
    std::vector<Mat2> tensors(std::size_t(metric.shape(0)));
    if (!tensors.empty()) std::memcpy(tensors.data(), metric.data(), tensors.size() * sizeof(Mat2));
    RemeshedSurface result;
    {
        const py::gil_scoped_release released;
        result = remesh_surface(input, tensors, {.hysteresis = hysteresis, .guard = guard});
    }
    return remeshed_dict(result);
}

} // namespace

MeshInput mesh_input_of(const py::dict& arrays, const std::string& name)
{
    MeshInput mesh;
    for (const auto& [key, value] : arrays) {
        const auto word = key.cast<std::string>();
        const std::string place = name + "." + word;
        if (word == "x" || word == "v" || word == "u") {
            const auto array = Doubles::ensure(value);
            if (!array) throw py::error_already_set();
            if (word == "u")
                mesh.material_u = vectors_of<2>(array, place);
            else
                (word == "x" ? mesh.node_x : mesh.node_v) = vectors_of<3>(array, place);
        } else if (word == "faces" || word == "face_verts") {
            const auto array = Integers::ensure(value);
            if (!array) throw py::error_already_set();
            (word == "faces" ? mesh.face_nodes : mesh.face_points) = triangles_of(array, place);
        } else if (word == "label") {
            mesh.node_label = integers_of(value, place);
        } else if (word == "face_material") {
            mesh.face_material = integers_of(value, place);
        } else {
            throw InputError(Problem{"", place, "an unknown array",
                                     "x, faces, u, face_verts, v, label, face_material"});
        }
    }
    if (mesh.node_x.empty() || mesh.face_nodes.empty())
        throw InputError(Problem{"", name, "a mesh without x or without faces",
                                 "x of shape (any, 3) and faces of shape (any, 3)"});
    if (!mesh.material_u.empty() && mesh.face_points.empty()) {
        if (mesh.material_u.size() != mesh.node_x.size())
            throw InputError(Problem{"", name + ".u",
                                     std::to_string(mesh.material_u.size()) +
                                         " material points without face_verts",
                                     "as many as x has rows, or face_verts"});
        mesh.face_points = mesh.face_nodes;
    }
    return mesh;
}

py::dict dict_of(const MeshInput& mesh)
{
    py::dict out;
    out["x"] = array_of(mesh.node_x);
    out["u"] = array_of(mesh.material_u);
    out["faces"] = array_of(mesh.face_nodes);
    out["face_verts"] = array_of(mesh.face_points);
    if (!mesh.node_v.empty()) out["v"] = array_of(mesh.node_v);
    if (!mesh.node_label.empty())
        out["label"] = array_of<int>(std::span<const int>(mesh.node_label), {});
    if (!mesh.face_material.empty())
        out["face_material"] = array_of<int>(std::span<const int>(mesh.face_material), {});
    return out;
}

void add_run_data(py::module_& module)
{
    py::class_<RunFolder>(module, "RunFolder")
        .def(py::init([](const std::string& folder) {
                 const py::gil_scoped_release released;
                 return std::make_unique<RunFolder>(folder);
             }),
             py::arg("folder"))
        .def_property_readonly("frames", &RunFolder::frames)
        .def_property_readonly("scene_text",
                               [](const RunFolder& run) -> std::optional<std::string> {
                                   if (!run.scene()) return std::nullopt;
                                   return to_json_text(*run.scene());
                               })
        .def("read", [](const RunFolder& run, int frame) {
            std::vector<ObjectMesh> meshes;
            {
                const py::gil_scoped_release released;
                meshes = run.read(frame);
            }
            py::list out;
            for (const ObjectMesh& mesh : meshes) out.append(object_dict(run, mesh, frame));
            return out;
        });
    module.def("remesh", &remesh, py::arg("mesh"), py::arg("metric"), py::arg("hysteresis"),
               py::arg("guard"));
}

} // namespace pleat::python
