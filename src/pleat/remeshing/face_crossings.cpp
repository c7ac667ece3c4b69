// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/face_crossings.hpp"

#include "pleat/core/parallel.hpp"

#include <cmath>

namespace pleat {

namespace {

/// The plane of a face, and how well heights above it are known.
struct FacePlane {
    Vec3 point, normal; // not of unit length
    Vec3 magnitude;     // sums of the absolute values that the normal is the differences of

    explicit FacePlane(const FaceDraft& face) : point(face.x[0])
    {
        const Vec3 p = face.x[1] - point, q = face.x[2] - point;
        normal = cross(p, q);
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
            magnitude[k] = std::abs(p[i] * q[j]) + std::abs(p[j] * q[i]);
        }
    }
    /// The side on which a point lies: 1, -1, or 0 where rounding leaves it open.
    [[nodiscard]] int side(const Vec3& x) const
    {
        // Rounding of the determinant is below 7.8e-16 times the sum of the absolute values of its
        // terms [Shewchuk1997].
        constexpr double rounding = 1e-15;
        const Vec3 r = x - point;
        const double height = dot(r, normal);
        const double bound =
            rounding * (std::abs(r[0]) * magnitude[0] + std::abs(r[1]) * magnitude[1] +
                        std::abs(r[2]) * magnitude[2]);
        return int(height > bound) - int(height < -bound);
    }
    /// Whether the corners of `b` that are not corners of `a` lie on one side of this plane, which
    /// is that of `a`: then the two faces meet in their shared corners only.
    [[nodiscard]] bool separates(const FaceDraft& a, const FaceDraft& b) const
    {
        int sides = 0, others = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            const NodeId n = b.nodes[i];
            if (n == a.nodes[0] || n == a.nodes[1] || n == a.nodes[2]) continue;
            sides += side(b.x[i]);
            ++others;
        }
        return others > 0 && (sides == others || sides == -others);
    }
};

} // namespace

TriangleRelation relation(const FaceDraft& a, const FaceDraft& b)
{
    const auto nodes = [](const FaceDraft& f) {
        return std::array{index(f.nodes[0]), index(f.nodes[1]), index(f.nodes[2])};
    };
    return face_relation(nodes(a), a.x, nodes(b), b.x);
}

FaceTree face_tree(const Mesh& mesh, const Field<NodeId, Vec3>& x)
{
    FaceTree tree;
    tree.build(
        mesh.face_count(),
        [&](FaceId f) {
            return mesh.is_alive(f) ? WorldBox::of(face_draft(mesh, x, f).x) : WorldBox::empty();
        },
        BoxTree::Order::as_given); // a reordered mesh lies along a curve in material space
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
        constexpr std::size_t usual_most = 64;
        std::vector<NearFace> faces;
        std::vector<NearTriangle> triangles;
        faces.reserve(usual_most);
        triangles.reserve(usual_most);
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
                const FacePlane plane(draft);
                const WorldBox box = tree.box(f);
                for (const NearFace& near : faces) {
                    const FaceId g = near.face;
                    if (!near.box.overlaps(box) || g == f || (g < f && is_suspect[index(g)] != 0))
                        continue;
                    const FaceDraft other = face_draft(mesh, x, g);
                    // Most pairs are neighbours, for which this cheap test suffices.
                    if (plane.separates(draft, other) || FacePlane(other).separates(other, draft))
                        continue;
                    if (relation(draft, other) == TriangleRelation::crossing)
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
