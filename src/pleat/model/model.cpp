// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/model/model.hpp"

#include "pleat/core/parallel.hpp"
#include "pleat/mesh/measures.hpp"

namespace pleat {

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
