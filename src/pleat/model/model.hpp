// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// What is simulated: the cloth's mesh, its fabrics and what follows from them. Changed by remeshing
// only; a step reads it.
#pragma once

#include "pleat/core/field.hpp"
#include "pleat/materials/material.hpp"
#include "pleat/mesh/field_set.hpp"
#include "pleat/mesh/mesh.hpp"
#include "pleat/mesh/mesh_input.hpp"
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
    /// Factor on compressive principal strains [Koh2015] sec. 5; 1 = as the law says.
    Field<FaceId, double> compression_scale{FieldRule::area_average, 1.0};

    // Derived from the above by update_derived().
    Field<NodeId, double> mass; // lumped [kg]
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
}

/// The fields of the model that an editing pass must carry along.
void add_fields(FieldSet& fields, Model& model);

/// Total mass [kg].
[[nodiscard]] double total_mass(const Model& model);

} // namespace pleat
