// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/model/model.hpp"

#include "pleat/core/parallel.hpp"
#include "pleat/mesh/measures.hpp"

#include <utility>

namespace pleat {

Model make_model(const MeshInput& input, std::vector<Material> materials)
{
    Model model;
    model.mesh = build_mesh(input);
    const Mesh& mesh = model.mesh;
    model.cloths = {{"cloth"}};
    model.panel_cloth.assign(mesh.panel_count(), ClothId{0});
    model.materials = std::move(materials);
    model.face_material.resize(mesh.face_count());
    for (std::size_t f = 0; f < input.face_material.size(); ++f)
        model.face_material.values[f] =
            make_id<MaterialId>(static_cast<std::size_t>(input.face_material[f]));
    model.rest_angle.resize(mesh.edge_count());
    for (const MeshInput::EdgeMark& mark : input.edge_marks) {
        const EdgeId e = mesh.find_edge(make_id<NodeId>(mark.node_a), make_id<NodeId>(mark.node_b));
        if (mark.rest_angle && is_some(e)) model.rest_angle[e] = *mark.rest_angle;
    }
    model.node_label.values = input.node_label;
    model.node_label.resize(mesh.node_count());
    model.node_handles.resize(mesh.node_count());
    model.region_handles.resize(mesh.node_count());
    model.compression_scale.resize(mesh.face_count());
    update_derived(model);
    return model;
}

void update_derived(Model& model)
{
    const Mesh& mesh = model.mesh;
    Field<FaceId, double> density(mesh.face_count(), FieldRule::copy);
    model.area = Field<FaceId, double>(mesh.face_count(), FieldRule::reset);
    for (FaceId f : mesh.faces()) {
        PLEAT_ASSERT(mesh.is_alive(f), "the mesh is compact");
        model.area[f] = material_area(mesh, f);
        density[f] = model.materials[index(model.face_material[f])].density;
    }
    model.mass = node_masses(mesh, density);
}

void add_fields(FieldSet& fields, Model& model)
{
    visit_fields(model, [&](const char*, auto& field) { fields.add(field); });
}

double total_mass(const Model& model)
{
    return parallel_sum(model.mass.size(), [&](std::size_t i) { return model.mass.values[i]; });
}

} // namespace pleat
