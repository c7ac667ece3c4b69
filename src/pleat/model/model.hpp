// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The simulated cloth: its mesh, its fabrics and derived quantities. Changed by remeshing only; a
// step reads it.
#pragma once

#include "pleat/core/field.hpp"
#include "pleat/linalg/dependencies.hpp"
#include "pleat/materials/material.hpp"
#include "pleat/mesh/field_set.hpp"
#include "pleat/mesh/mesh.hpp"
#include "pleat/mesh/mesh_input.hpp"
#include "pleat/mesh/quad_forest.hpp"
#include "pleat/model/rest_surface.hpp"

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace pleat {

/// One "cloths" entry of a scene. Its panels are panels of the shared mesh.
struct Cloth {
    std::string name;
    bool operator==(const Cloth&) const = default;
};

/// All cloths of a simulation in one mesh: one solve, one contact query.
struct Model {
    Mesh mesh;
    std::vector<Cloth> cloths;
    std::vector<ClothId> panel_cloth; // by PanelId
    std::vector<Material> materials;  // by MaterialId
    /// The shape to which cloths bend back, where it is not flat; null: none has such a shape.
    /// Never changes, so that copies of a model share it.
    std::shared_ptr<const RestSurface> rest_surface;

    // Fields that follow the mesh through edits.
    Field<FaceId, MaterialId> face_material{FieldRule::copy};
    /// Dihedral angle at rest [rad]. Halves of an edge have that of the whole; an edge in or across
    /// a face is flat, and so is a flipped one: edges that are folded by a mark are not flipped
    /// (Mesh::Edge::keep), and those of a rest surface get its angles (rest_surface.hpp).
    Field<EdgeId, double> rest_angle{FieldRule::interpolate, 0.0};
    Field<NodeId, int> node_label{FieldRule::agree, 0}; // 0 = none
    // Bit i: the node is held by handle i of the World, until that has let go (see let_go()).
    Field<NodeId, std::uint64_t> node_handles{FieldRule::reset, 0}; // these nodes and no others
    Field<NodeId, std::uint64_t> region_handles{FieldRule::common,
                                                0}; // and nodes made between them
    /// Factor on compressive principal strains [Koh2015] sec. 3.5; 1 = as the law says.
    Field<FaceId, double> compression_scale{FieldRule::area_average, 1.0};
    /// Where a face stands in a hierarchy of root-3 subdivision, and the generation in which a node
    /// was inserted; 0 in the mesh file [Bender2013] sec. 5 (remeshing/root3_edits.hpp).
    Field<FaceId, int> face_generation{FieldRule::copy, 0};
    Field<NodeId, int> node_generation{FieldRule::reset, 0};
    /// Not 0: the generation in which an edge could not be flipped; it is treated as an outline.
    Field<EdgeId, int> edge_unflipped{FieldRule::interpolate, 0};
    /// How often a face of the mesh file was divided into four to get this face [Wang2002] sec. 3;
    /// a part of a face that is cut at T-vertices has the level of the whole.
    Field<FaceId, int> face_level{FieldRule::copy, 0};
    /// The hierarchy of quadrisection that the mesh is a part of; empty: none. Follows the mesh.
    QuadForest forest;

    /// Nodes that are weighted sums of others, such as the T-vertices of [Wang2002] sec. 5; none by
    /// default. The rows are nodes. Every part of a simulation keeps these nodes exactly at the
    /// weighted sums of their parents' positions and velocities, and passes forces on them to the
    /// parents. The mesh is still conforming: where only one face of an edge is refined, the other
    /// face is cut at the T-vertex too. Set by set_dependencies(), or by a remesher that makes and
    /// removes such nodes itself (remeshing/quadrisection.hpp).
    Dependencies dependencies;

    // Derived from the above by update_derived().
    Field<NodeId, double> mass; // lumped [kg]; zero of dependent nodes: their parents have it
    Field<FaceId, double> area; // material [m^2]

    [[nodiscard]] ClothId cloth_of(FaceId face) const
    {
        return panel_cloth[index(mesh.panel(face))];
    }
    /// The handles that hold a node, hold it later, or have it in their region; one bit each.
    [[nodiscard]] std::uint64_t handles(NodeId node) const
    {
        return node_handles[node] | region_handles[node];
    }
};

/// A model of the mesh: one cloth, named "cloth", of all panels; material indices, rest angles of
/// marked edges and labels as in the input; no handles.
/// \pre find_mesh_problems(input) is empty; there is a material for each index.
[[nodiscard]] Model make_model(const MeshInput& input, std::vector<Material> materials);

/// Recomputes mass and area after the mesh or the materials changed.
/// \pre the mesh has no dead elements.
void update_derived(Model& model);

/// Calls visit(name, field) for each field that follows the mesh: what an editing pass carries
/// along and a checkpoint holds. A new field goes here and is in both.
template <class ModelT, class Visit>
void visit_fields(ModelT& model,
                  Visit&& visit) requires std::same_as<std::remove_const_t<ModelT>, Model>
{
    visit("face_material", model.face_material);
    visit("rest_angle", model.rest_angle);
    visit("node_label", model.node_label);
    visit("node_handles", model.node_handles);
    visit("region_handles", model.region_handles);
    visit("compression_scale", model.compression_scale);
    visit("face_generation", model.face_generation);
    visit("node_generation", model.node_generation);
    visit("edge_unflipped", model.edge_unflipped);
    visit("face_level", model.face_level);
}

/// What an editing pass must carry along: the fields of the model, and its dependencies and forest,
/// which FieldSet::permute() renumbers.
void add_fields(FieldSet& fields, Model& model);

/// Makes nodes dependent on others, or free again. They and their parents are locked from then on
/// (NodeKind::locked), so that no edit of the mesh removes them; nodes that were locked before keep
/// being so. Calls update_derived(). Parts of a pipeline need mesh_changed() afterwards, and a
/// State of the model must follow(). \pre find_problem(dependencies, node_count) finds nothing
void set_dependencies(Model& model, Dependencies dependencies);
/// By node: 1 for dependent nodes and for their parents.
[[nodiscard]] std::vector<std::uint8_t> nodes_of_dependencies(const Model& model);

/// 1 / mass [1/kg]; 0 for dependent nodes, which nothing moves but their parents.
[[nodiscard]] inline double inverse_mass(const Model& model, NodeId node)
{
    const double mass = model.mass[node];
    return mass > 0 ? 1 / mass : 0;
}

/// Total mass [kg].
[[nodiscard]] double total_mass(const Model& model);

} // namespace pleat
