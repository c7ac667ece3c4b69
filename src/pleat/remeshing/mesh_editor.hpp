// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The edits of one remeshing pass: all fields follow the mesh, frozen faces and strain bounds are
// respected, an edit that would make faces cross is refused if there is a guard, and the changed
// faces are recorded. Based on: [Narain2012] sec. 4.1 (edge split, flip, collapse), [Bender2013]
// sec. 5 (face splits and joins).
#pragma once

#include "pleat/core/field.hpp"
#include "pleat/core/function_ref.hpp"
#include "pleat/core/vec.hpp"
#include "pleat/mesh/edits.hpp"
#include "pleat/mesh/field_set.hpp"
#include "pleat/remeshing/crossing_guard.hpp"
#include "pleat/remeshing/edit_rules.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace pleat {

struct EditCounts {
    std::size_t splits = 0; // of edges and of faces: nodes added
    std::size_t flips = 0;
    std::size_t collapses = 0; // and joins of faces: nodes removed
    std::size_t refused = 0;   // edits not done because of a crossing
    std::size_t midpoints = 0; // splits that left the surface in place because of a crossing
    std::size_t bonds = 0;     // nodes made dependent on others or free; attempts taken back
    [[nodiscard]] std::size_t edits() const { return splits + flips + collapses + bonds; }
    [[nodiscard]] bool changed() const { return edits() > 0; }
};

class MeshEditor {
public:
    /// \param x world positions [m], one of `fields`
    /// \param fields everything that lives on the mesh; with FieldUndo::kept where there is a guard
    /// \param guard may be null: crossings are then not looked for.
    /// \pre the mesh has no dead elements; all outlive this.
    MeshEditor(Mesh& mesh, Field<NodeId, Vec3>& x, FieldSet& fields, EditLimits limits,
               CrossingGuard* guard = nullptr);
    MeshEditor(const MeshEditor&) = delete;
    MeshEditor& operator=(const MeshEditor&) = delete;

    /// Dead elements stay in the mesh until finish(), so that ids stay good.
    [[nodiscard]] const Mesh& mesh() const { return mesh_; }
    [[nodiscard]] const Field<NodeId, Vec3>& x() const { return x_; }
    [[nodiscard]] const EditRules& rules() const { return rules_; }
    [[nodiscard]] const EditCounts& counts() const { return counts_; }
    /// Whether edits can be refused because of a crossing.
    [[nodiscard]] bool is_guarded() const { return guard_ != nullptr; }
    /// For adding the remesher's own fields, which then follow the mesh too. \pre they live until
    /// finish().
    [[nodiscard]] FieldSet& fields() { return fields_; }

    // Each edit returns nothing where it is not allowed, and has then changed nothing. With
    // EditCheck::done the caller has asked may_...() and rules(); only the guard is asked.

    /// Where a new node should go [m]. Asked when the node is there, on the old surface.
    template <class Record> using Place = std::function<Vec3(const Record&)>;

    /// The new node goes as far to its place as strain allows; where the guard finds a crossing it
    /// stays on the old surface. A held node stays there too.
    std::optional<EdgeSplit> split_edge(EdgeId edge, double t = 0.5,
                                        const Place<EdgeSplit>& place = {});
    std::optional<FaceSplit> split_face(FaceId face, const Place<FaceSplit>& place = {});
    std::optional<EdgeFlip> flip_edge(EdgeId edge, EditCheck check = EditCheck::again);
    std::optional<EdgeCollapse> collapse_edge(EdgeId edge, NodeId removed,
                                              EditCheck check = EditCheck::again);
    /// Removes a node with three faces.
    std::optional<FaceJoin> join_faces(NodeId node);

    /// The edge (a, b) became (a, m), (m, n), (n, b), three parts of equal length.
    struct EdgeThirds {
        EdgeSplit first, second; // made m and n
    };
    /// Two splits, both or none. The surface stays where it is.
    std::optional<EdgeThirds> split_edge_in_three(EdgeId edge);

    /// A face that an edit is to make, of the fabric of one that there is.
    struct NewFace {
        FaceId like = no_face;
        std::array<VertId, 3> verts{};
    };
    /// Edits that only make sense together: asks once whether the faces that come of them all may
    /// stand in for those that they replace, and calls `edits` where they may. Inside, neither
    /// strain nor the guard is asked again. \return whether `edits` was called
    bool replace_faces(std::span<const FaceId> old, std::span<const NewFace> now,
                       FunctionRef<void()> edits);

    /// Another triangulation of a patch (mesh/edits.hpp), which is not refused. \pre inside
    /// attempt(), or the surface stays where it is
    void retriangulate(std::span<const FaceId> faces,
                       std::span<const std::array<VertId, 3>> triangles);
    /// Moves a node, which is not refused. \pre inside attempt()
    void move_node(NodeId node, const Vec3& to);
    /// Puts nodes somewhere for a moment, to ask rules() what would be. \pre they are put back
    void place_nodes(std::span<const NodeId> nodes, std::span<const Vec3> at);
    /// Notes that a node was made dependent on others, or free.
    void count_bond() { ++counts_.bonds; }
    /// Edits that only make sense together and can be taken back by their inverse. Inside, neither
    /// strain nor the guard is asked. Where there is a guard, it is asked at the end, and `inverse`
    /// is called where it finds a crossing. \return whether the edits were kept
    bool attempt(DraftContact contact, FunctionRef<void()> edits, FunctionRef<void()> inverse);

    /// The faces of the mesh before that edits have changed or removed.
    [[nodiscard]] std::vector<FaceId> changed_before() const;
    /// After the last edit: removes dead elements and reorders mesh and fields, if anything
    /// changed. \param panel_group see reorder() \return the faces that were changed or made, by
    /// the ids that they have now
    std::vector<FaceId> finish(const std::vector<std::uint32_t>& panel_group = {});

private:
    [[nodiscard]] bool may_flip(EdgeId edge) const;
    [[nodiscard]] bool may_collapse(EdgeId edge, NodeId removed) const;
    [[nodiscard]] bool is_free_around(NodeId node) const; // of frozen faces
    /// Keeps a split whose node is in place, or takes it back.
    template <class Record>
    bool place_and_keep(const Record& split, const Place<Record>& place,
                        std::span<const FaceId> old_faces, std::span<const FaceId> faces);
    [[nodiscard]] bool allows(std::span<const FaceId> replaced, DraftContact contact);
    template <class Record> void follow(const Record& record) { fields_.follow(mesh_, record); }
    [[nodiscard]] UndoLog* begin_undo();
    /// To be called for each face that an edit made, changed or removed.
    void touch(FaceId face);

    Mesh& mesh_;
    Field<NodeId, Vec3>& x_;
    FieldSet& fields_;
    const EditLimits limits_;
    const EditRules rules_;
    CrossingGuard* guard_;
    const std::size_t faces_before_;
    std::vector<std::uint8_t> is_touched_; // by FaceId
    UndoLog undo_;                         // of the last split
    bool is_agreed_ = false;               // inside replace_faces() or attempt()
    bool is_attempt_ = false;              // inside attempt()
    std::vector<FaceId> attempted_;        // faces that the attempt has touched
    EditCounts counts_;
    std::vector<FaceDraft> drafts_; // of the edit at hand
    std::vector<FaceId> replaced_;
};

} // namespace pleat
