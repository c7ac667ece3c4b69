// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/face_crossings.hpp"

#include "pleat/core/parallel.hpp"

namespace pleat {

TriangleRelation relation(const FaceDraft& a, const FaceDraft& b)
{
    std::array<std::size_t, 3> in_a{}, in_b{}; // the shared nodes
    std::size_t shared = 0;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            if (a.nodes[i] == b.nodes[j] && shared < 3) {
                in_a[shared] = i;
                in_b[shared++] = j;
            }
    switch (shared) {
    case 0:
        return triangle_relation(a.x, b.x);
    case 1: {
        const std::size_t i = in_a[0], j = in_b[0];
        return triangle_relation_at_vertex(a.x[i], a.x[(i + 1) % 3], a.x[(i + 2) % 3],
                                           b.x[(j + 1) % 3], b.x[(j + 2) % 3]);
    }
    case 2:
        return triangle_relation_at_edge(a.x[in_a[0]], a.x[in_a[1]], a.x[3 - in_a[0] - in_a[1]],
                                         b.x[3 - in_b[0] - in_b[1]]);
    default:
        return TriangleRelation::crossing; // two faces on the same three nodes
    }
}

FaceTree face_tree(const Mesh& mesh, const Field<NodeId, Vec3>& x)
{
    std::vector<WorldBox> box(mesh.face_count(), WorldBox::empty());
    parallel_for(mesh.face_count(), [&](std::size_t i) {
        const auto f = make_id<FaceId>(i);
        if (mesh.is_alive(f)) box[i] = WorldBox::of(face_draft(mesh, x, f).x);
    });
    FaceTree tree;
    tree.build(box); // a remeshed mesh lies along a curve in material space
    return tree;
}

std::vector<FaceCrossing> find_face_crossings(const Mesh& mesh, const Field<NodeId, Vec3>& x,
                                              const FaceTree& tree, const ObstacleTree& obstacles,
                                              std::span<const FaceId> suspects)
{
    std::vector<std::uint8_t> is_suspect(mesh.face_count(), 0);
    for (FaceId f : suspects) is_suspect[index(f)] = 1;
    // Faces with neighbouring ids mostly lie side by side: what is near is looked up for all of
    // them at once.
    constexpr std::size_t chunk = 64, group = 8;
    std::vector<std::vector<FaceCrossing>> found(chunk_count(suspects.size(), chunk));
    parallel_chunks(suspects.size(), chunk, [&](std::size_t c, std::size_t begin, std::size_t end) {
        struct NearFace {
            FaceId face;
            WorldBox box;
        };
        struct NearTriangle {
            std::array<Vec3, 3> triangle;
            WorldBox box;
        };
        std::vector<NearFace> faces;
        std::vector<NearTriangle> triangles;
        for (std::size_t first = begin, last = begin; first < end; first = last) {
            WorldBox around = WorldBox::empty();
            for (; last < end && index(suspects[last]) / group == index(suspects[first]) / group;
                 ++last)
                around.grow(tree.box(suspects[last]));
            faces.clear();
            tree.visit(around, [&](FaceId g) {
                faces.push_back({g, tree.box(g)});
                return true;
            });
            triangles.clear();
            obstacles.visit(around, [&](const std::array<Vec3, 3>& triangle) {
                triangles.push_back({triangle, WorldBox::of(triangle)});
                return true;
            });
            for (std::size_t i = first; i < last; ++i) {
                const FaceId f = suspects[i];
                const FaceDraft draft = face_draft(mesh, x, f);
                const WorldBox box = tree.box(f);
                for (const NearFace& near : faces) {
                    const FaceId g = near.face;
                    if (!near.box.overlaps(box) || g == f || (g < f && is_suspect[index(g)] != 0))
                        continue;
                    if (relation(draft, face_draft(mesh, x, g)) == TriangleRelation::crossing)
                        found[c].push_back({f, g, {}});
                }
                for (const NearTriangle& near : triangles)
                    if (near.box.overlaps(box) &&
                        triangle_relation(draft.x, near.triangle) == TriangleRelation::crossing)
                        found[c].push_back({f, no_face, near.triangle});
            }
        }
    });
    std::vector<FaceCrossing> all;
    for (const auto& part : found) all.insert(all.end(), part.begin(), part.end());
    return all;
}

} // namespace pleat
