// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/model/model.hpp"

#include "pleat/core/error.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/linalg/block_pattern.hpp"
#include "pleat/mesh/measures.hpp"

#include <utility>

namespace pleat {

namespace {

/// Edits remove neither dependent nodes nor their parents, so only renumbering changes
/// dependencies. The forest of a mesh is kept by the remesher that edits it, and renumbered here.
class DependenciesFollower final : public FieldFollower {
public:
    DependenciesFollower(Dependencies& dependencies, QuadForest& forest)
        : dependencies_(dependencies), forest_(forest)
    {}

    void follow(const Mesh&, const EdgeSplit&) override {}
    void follow(const Mesh&, const EdgeFlip&) override {}
    void follow(const Mesh&, const EdgeCollapse&) override {}
    void follow(const Mesh&, const FaceSplit&) override {}
    void follow(const Mesh&, const FaceJoin&) override {}
    void follow(const Mesh&, const Retriangulation&) override {}
    void undo() override {}
    void forget_undo() override {}
    void permute(const MeshPermutation& p) override
    {
        static_assert(sizeof(NodeId) == sizeof(std::uint32_t));
        std::vector<std::uint32_t> new_row;
        for (NodeId n : p.new_node) new_row.push_back(is_some(n) ? index(n) : no_row);
        reorder(dependencies_, new_row, p.node_count);
        pleat::permute(forest_, p);
    }
    bool fits(const Mesh& mesh) const override
    {
        return dependencies_.start.size() <= mesh.node_count() + 1;
    }

private:
    Dependencies& dependencies_;
    QuadForest& forest_;
};

} // namespace

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
    model.face_generation.resize(mesh.face_count());
    model.node_generation.resize(mesh.node_count());
    model.edge_unflipped.resize(mesh.edge_count());
    model.face_level.resize(mesh.face_count());
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
    fold(model.dependencies, std::span<double>(model.mass.values));
}

void add_fields(FieldSet& fields, Model& model)
{
    visit_fields(model, [&](const char*, auto& field) { fields.add(field); });
    fields.add(std::make_unique<DependenciesFollower>(model.dependencies, model.forest));
}

std::vector<std::uint8_t> nodes_of_dependencies(const Model& model)
{
    std::vector<std::uint8_t> marks(model.mesh.node_count(), 0);
    if (model.dependencies.empty()) return marks;
    for (std::uint32_t i = 0; i < marks.size(); ++i) {
        const auto parents = model.dependencies.of(i);
        if (!parents.empty()) marks[i] = 1;
        for (const auto& p : parents) marks[p.row] = 1;
    }
    return marks;
}

void set_dependencies(Model& model, Dependencies dependencies)
{
    const std::string problem = find_problem(dependencies, model.mesh.node_count());
    PLEAT_ASSERT(problem.empty(), problem.c_str());
    model.dependencies = std::move(dependencies);
    std::vector<NodeId> concerned;
    const std::vector<std::uint8_t> marks = nodes_of_dependencies(model);
    for (NodeId n : model.mesh.nodes())
        if (marks[index(n)] != 0) concerned.push_back(n);
    lock_nodes(model.mesh, concerned);
    update_derived(model);
}

double total_mass(const Model& model)
{
    return parallel_sum(model.mass.size(), [&](std::size_t i) { return model.mass.values[i]; });
}

} // namespace pleat
