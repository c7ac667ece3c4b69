// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// All cloth faces go into one tree, all obstacle faces into another; candidate pairs come from the
// cloth tree against itself and against the obstacle tree, with boxes grown by half the gap cap.
// Most candidates are faces of neighbouring layers. Those are discarded by projecting both faces
// onto the normal of one of them: faces that are disjoint in a projection are disjoint. The
// remaining pairs are decided by exact predicates.
//
// The projections bound the gap from below. Each piece of work measures its pairs in the order of
// their bounds, until the bounds are beyond the smallest gap measured.
#include "pleat/contact/audit.hpp"

#include "pleat/core/error.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/geometry/distance.hpp"
#include "pleat/geometry/predicates.hpp"
#include "pleat/geometry/triangle_intersection.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

namespace pleat {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Face {
    std::array<Vec3, 3> corners;
    Vec3 normal;           // unit, or zero where the face has no area
    double low, high;      // extent of the corners along the normal
    TriangleIndices nodes; // numbered through all meshes
    std::uint32_t mesh;
};

struct FaceRef {
    std::uint32_t mesh, face;

    auto operator<=>(const FaceRef&) const = default;
};

struct RefPair {
    FaceRef a, b;

    auto operator<=>(const RefPair&) const = default;
};

constexpr std::uint32_t no_mesh = std::numeric_limits<std::uint32_t>::max();

/// The result of one task.
struct Finding {
    std::vector<RefPair> crossings;
    std::size_t touching_count = 0;
    double gap2 = infinity; // [m^2]
    RefPair nearest = {{no_mesh, 0}, {no_mesh, 0}};

    void take_gap(double distance2, const RefPair& pair)
    {
        if (std::tie(distance2, pair) < std::tie(gap2, nearest)) {
            gap2 = distance2;
            nearest = pair;
        }
    }
};

// --- input ---------------------------------------------------------------------------------

std::string to_text(const Vec3& p)
{
    std::string text = "(";
    for (std::size_t k = 0; k < 3; ++k) {
        if (k > 0) text += ", ";
        text += std::to_string(p[k]);
    }
    return text += ')';
}

/// \throw InputError
void check_input(std::span<const AuditMesh> meshes)
{
    std::vector<Problem> problems;
    for (const AuditMesh& mesh : meshes) {
        const std::string object = "object " + std::to_string(mesh.object) + ", ";
        for (std::size_t i = 0; i < mesh.x.size(); ++i)
            if (!is_finite(mesh.x[i]))
                problems.push_back({"", object + "node " + std::to_string(i),
                                    "position " + to_text(mesh.x[i]), "finite coordinates"});
        PLEAT_ASSERT(mesh.planes.empty() || mesh.is_obstacle, "only obstacles have planes");
        const auto check_nodes = [&](const char* what, auto triples) {
            for (std::size_t f = 0; f < triples.size(); ++f)
                for (const std::uint32_t node : triples[f])
                    if (node >= mesh.x.size())
                        problems.push_back({"", object + what + " " + std::to_string(f),
                                            "node " + std::to_string(node),
                                            "a node below " + std::to_string(mesh.x.size())});
        };
        check_nodes("face", mesh.triangles);
        check_nodes("plane", mesh.planes);
    }
    if (!problems.empty()) throw InputError(std::move(problems));
}

double largest_coordinate(std::span<const AuditMesh> meshes)
{
    double size = 0;
    for (const AuditMesh& mesh : meshes)
        for (const Vec3& p : mesh.x)
            for (std::size_t k = 0; k < 3; ++k) size = std::max(size, std::abs(p[k]));
    return size;
}

/// The faces of all cloths or of all obstacles, with a tree over them.
struct FaceSet {
    std::vector<Face> faces;
    std::vector<std::uint32_t> first_face; // of each mesh in `faces`; 0 for those not in it
    BoxTree tree;

    [[nodiscard]] FaceRef ref(std::uint32_t face) const
    {
        return {faces[face].mesh, face - first_face[faces[face].mesh]};
    }
};

/// Zero where the squared length has too few digits for a unit vector.
Vec3 unit_or_zero(const Vec3& a)
{
    constexpr double smallest_length2 = 1e-250;
    return norm2(a) > smallest_length2 ? normalized(a) : Vec3{};
}

Face make_face(const AuditMesh& mesh, std::size_t i, std::uint32_t mesh_index,
               std::uint32_t first_node)
{
    Face face{};
    for (std::size_t k = 0; k < 3; ++k) {
        face.corners[k] = mesh.x[mesh.triangles[i][k]];
        face.nodes[k] = first_node + mesh.triangles[i][k];
    }
    const auto& [a, b, c] = face.corners;
    face.normal = unit_or_zero(cross(b - a, c - a));
    const double da = dot(face.normal, a), db = dot(face.normal, b), dc = dot(face.normal, c);
    face.low = std::min({da, db, dc});
    face.high = std::max({da, db, dc});
    face.mesh = mesh_index;
    return face;
}

FaceSet make_face_set(std::span<const AuditMesh> meshes, bool obstacles, double margin)
{
    const auto is_in = [&](const AuditMesh& mesh) {
        return mesh.is_obstacle == obstacles && mesh.planes.empty();
    };
    FaceSet set;
    set.first_face.resize(meshes.size());
    std::size_t face_count = 0;
    for (std::size_t m = 0; m < meshes.size(); ++m)
        if (is_in(meshes[m])) {
            set.first_face[m] = static_cast<std::uint32_t>(face_count);
            face_count += meshes[m].triangles.size();
        }
    set.faces.resize(face_count);
    std::vector<Box> boxes(face_count);
    std::size_t first_node = 0;
    for (std::size_t m = 0; m < meshes.size(); ++m) {
        const AuditMesh& mesh = meshes[m];
        if (is_in(mesh))
            parallel_for(mesh.triangles.size(), [&](std::size_t i) {
                const std::size_t f = set.first_face[m] + i;
                set.faces[f] = make_face(mesh, i, static_cast<std::uint32_t>(m),
                                         static_cast<std::uint32_t>(first_node));
                boxes[f] = triangle_box(mesh.x, mesh.triangles[i], margin);
            });
        first_node += mesh.x.size();
    }
    set.tree.build(boxes);
    return set;
}

// --- one pair --------------------------------------------------------------------------------

/// The distance of the faces along the normal of `a`; a lower bound of their distance in space.
double gap_along_normal(const Face& a, const Face& b)
{
    const double d0 = dot(a.normal, b.corners[0]), d1 = dot(a.normal, b.corners[1]),
                 d2 = dot(a.normal, b.corners[2]);
    const double low = std::min(d0, std::min(d1, d2)), high = std::max(d0, std::max(d1, d2));
    return std::max(low - a.high, a.low - high);
}

/// The same along the line through the centres: the best guess for faces of one layer.
double gap_along_centres(const Face& a, const Face& b)
{
    const auto &p = a.corners, &q = b.corners;
    const Vec3 n = unit_or_zero((q[0] - p[0]) + (q[1] - p[1]) + (q[2] - p[2]));
    const double high = std::max({dot(n, p[0]), dot(n, p[1]), dot(n, p[2])});
    return std::min({dot(n, q[0]), dot(n, q[1]), dot(n, q[2])}) - high;
}

bool share_node(const Face& a, const Face& b)
{
    for (const std::uint32_t i : a.nodes)
        for (const std::uint32_t j : b.nodes)
            if (i == j) return true;
    return false;
}

/// Audits the pairs of one task.
class PairAudit {
public:
    /// \param noise largest rounding error of a projection [m]
    PairAudit(double gap_cap, double noise) : reach_(gap_cap), noise_(noise)
    {
        if (gap_cap > 0) finding_.gap2 = gap_cap * gap_cap;
    }

    void look(const Face& a, const Face& b, const RefPair& pair)
    {
        if (share_node(a, b)) {
            note(face_relation(a.nodes, a.corners, b.nodes, b.corners), pair);
            return;
        }
        double bound = gap_along_normal(a, b);
        if (bound > reach_ + noise_) return;
        bound = std::max(bound, gap_along_normal(b, a));
        if (bound > reach_ + noise_) return;
        bound = std::max(bound, gap_along_centres(a, b));
        if (bound > reach_ + noise_) return;
        if (bound <= noise_) {
            const TriangleRelation relation = triangle_relation(a.corners, b.corners);
            note(relation, pair);
            if (relation != TriangleRelation::apart) {
                take_gap(0, pair);
                return;
            }
        }
        if (reach_ > 0) candidates_.push_back({bound, &a, &b, pair});
    }

    [[nodiscard]] Finding finish()
    {
        std::sort(candidates_.begin(), candidates_.end(),
                  [](const Candidate& p, const Candidate& q) {
                      return std::tie(p.bound, p.pair) < std::tie(q.bound, q.pair);
                  });
        for (const Candidate& c : candidates_) {
            if (c.bound > reach_ + noise_) break;
            take_gap(separate_triangle_distance(c.a->corners, c.b->corners).distance2, c.pair);
        }
        return std::move(finding_);
    }

private:
    struct Candidate {
        double bound; // lower bound of the gap, up to noise [m]
        const Face *a, *b;
        RefPair pair;
    };

    void note(TriangleRelation relation, const RefPair& pair)
    {
        if (relation == TriangleRelation::crossing) finding_.crossings.push_back(pair);
        if (relation == TriangleRelation::touching) ++finding_.touching_count;
    }

    void take_gap(double distance2, const RefPair& pair)
    {
        finding_.take_gap(distance2, pair);
        reach_ = std::min(reach_, std::sqrt(finding_.gap2));
    }

    Finding finding_;
    std::vector<Candidate> candidates_;
    double reach_; // pairs farther than this are of no interest [m]
    double noise_;
};

// --- planes ----------------------------------------------------------------------------------

/// Which faces of the cloth reach below a plane of a mesh, and how near it the others are.
Finding audit_plane(std::span<const AuditMesh> meshes, const FaceSet& cloth, FaceRef which,
                    double gap_cap)
{
    const AuditMesh& mesh = meshes[which.mesh];
    const TriangleIndices& nodes = mesh.planes[which.face];
    const std::array<Vec3, 3> plane{mesh.x[nodes[0]], mesh.x[nodes[1]], mesh.x[nodes[2]]};
    const Vec3 normal = unit_or_zero(cross(plane[1] - plane[0], plane[2] - plane[0]));
    constexpr std::size_t faces_a_piece = 1024;
    std::vector<Finding> findings(chunk_count(cloth.faces.size(), faces_a_piece));
    parallel_chunks(cloth.faces.size(), faces_a_piece,
                    [&](std::size_t piece, std::size_t first, std::size_t last) {
                        Finding& found = findings[piece];
                        for (auto f = static_cast<std::uint32_t>(first); f < last; ++f) {
                            const RefPair pair{cloth.ref(f), which};
                            int lowest = 1;
                            double height = infinity;
                            for (const Vec3& p : cloth.faces[f].corners) {
                                lowest =
                                    std::min(lowest, orient3d(plane[0], plane[1], plane[2], p));
                                height = std::min(height, dot(normal, p - plane[0]));
                            }
                            if (lowest < 0) found.crossings.push_back(pair);
                            if (lowest == 0) ++found.touching_count;
                            const double gap = lowest <= 0 ? 0 : std::max(0.0, height);
                            if (gap < gap_cap) found.take_gap(gap * gap, pair);
                        }
                    });
    Finding all;
    for (const Finding& f : findings) {
        all.crossings.insert(all.crossings.end(), f.crossings.begin(), f.crossings.end());
        all.touching_count += f.touching_count;
        if (f.nearest.a.mesh != no_mesh) all.take_gap(f.gap2, f.nearest);
    }
    return all;
}

} // namespace

AuditReport audit_intersections(std::span<const AuditMesh> meshes, const AuditOptions& options)
{
    PLEAT_ASSERT(options.gap_cap >= 0 && std::isfinite(options.gap_cap), "the cap is a length");
    check_input(meshes);
    const double cap = options.gap_cap;
    const FaceSet cloth = make_face_set(meshes, false, cap / 2);
    const FaceSet obstacles = make_face_set(meshes, true, cap / 2);

    // A dot product with a unit vector is off by less than 4 eps of the coordinates' size; twice
    // that for a difference, and as much again for the length of the normal.
    const double noise = 32 * DBL_EPSILON * largest_coordinate(meshes);
    const std::size_t pieces = cloth.tree.piece_count();
    std::vector<Finding> findings(2 * pieces);
    cloth.tree.visit_self_pairs([&](std::size_t piece, std::span<const BoxPair> pairs) {
        PairAudit audit(cap, noise);
        for (const BoxPair& p : pairs)
            audit.look(cloth.faces[p.a], cloth.faces[p.b], {cloth.ref(p.a), cloth.ref(p.b)});
        findings[piece] = audit.finish();
    });
    cloth.tree.visit_cross_pairs(obstacles.tree,
                                 [&](std::size_t piece, std::span<const BoxPair> pairs) {
                                     PairAudit audit(cap, noise);
                                     for (const BoxPair& p : pairs)
                                         audit.look(cloth.faces[p.a], obstacles.faces[p.b],
                                                    {cloth.ref(p.a), obstacles.ref(p.b)});
                                     findings[pieces + piece] = audit.finish();
                                 });

    for (std::uint32_t m = 0; m < meshes.size(); ++m)
        for (std::uint32_t i = 0; i < meshes[m].planes.size(); ++i)
            findings.push_back(audit_plane(meshes, cloth, {m, i}, cap));

    AuditReport report;
    Finding all;
    for (const Finding& f : findings) {
        all.crossings.insert(all.crossings.end(), f.crossings.begin(), f.crossings.end());
        all.touching_count += f.touching_count;
        if (f.nearest.a.mesh != no_mesh) all.take_gap(f.gap2, f.nearest);
    }
    std::sort(all.crossings.begin(), all.crossings.end());
    const auto named = [&](const RefPair& p) {
        return FacePair{meshes[p.a.mesh].object, p.a.face, meshes[p.b.mesh].object, p.b.face};
    };
    for (const RefPair& p : all.crossings) {
        report.crossings.push_back(named(p));
        if (meshes[p.b.mesh].is_obstacle)
            ++report.obstacle_crossing_count;
        else if (p.a.mesh == p.b.mesh)
            ++report.self_crossing_count;
        else
            ++report.cloth_crossing_count;
    }
    report.touching_count = all.touching_count;
    if (all.nearest.a.mesh != no_mesh) {
        report.min_gap = std::sqrt(all.gap2);
        report.nearest = named(all.nearest);
    }
    return report;
}

} // namespace pleat
