// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/api/bake.hpp"

#include "pleat/core/error.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/mesh/edits.hpp"
#include "pleat/mesh/measures.hpp"
#include "pleat/remeshing/material_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace pleat {

namespace {

/// Points of a fixed mesh may be this far outside of the panel [m]; outlines of other meshes have
/// other corners.
constexpr double outside_limit = 0.01;

MeshInput input_of(const ObjectMesh& mesh)
{
    MeshInput input;
    input.node_x = mesh.x;
    input.material_u = mesh.u;
    input.face_nodes = mesh.face_nodes;
    input.face_points = mesh.face_verts;
    return input;
}

/// By panel of a mesh that was built from faces with known panels: their numbers.
std::vector<std::uint32_t> numbers_of(const Mesh& mesh, const std::vector<std::uint32_t>& of_faces)
{
    std::vector<std::uint32_t> numbers(mesh.panel_count(), 0);
    for (const FaceId f : mesh.faces()) numbers[index(mesh.panel(f))] = of_faces[index(f)];
    return numbers;
}

Vec2 centre(const Mesh& mesh, FaceId f)
{
    const auto& v = mesh[f].verts;
    return (mesh.u(v[0]) + mesh.u(v[1]) + mesh.u(v[2])) / 3.0;
}

/// A frame that can be asked for points of its panels.
class Surface {
public:
    explicit Surface(const ObjectMesh& frame)
        : mesh_(build_mesh(input_of(frame))), x_(FieldRule::interpolate), v_(FieldRule::interpolate)
    {
        x_.values = frame.x;
        v_.values = frame.v;
        const std::vector<std::uint32_t> numbers = numbers_of(mesh_, frame.face_panel);
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            if (numbers[i] >= panel_at_.size()) panel_at_.resize(numbers[i] + 1, none);
            panel_at_[numbers[i]] = std::uint32_t(i);
        }
        positions_.emplace(mesh_, x_);
        if (!frame.v.empty()) velocities_.emplace(mesh_, v_);
    }
    Surface(const Surface&) = delete;
    Surface& operator=(const Surface&) = delete;

    [[nodiscard]] const Mesh& mesh() const { return mesh_; }
    [[nodiscard]] bool has_velocities() const { return velocities_.has_value(); }
    /// \param number of a panel \param inside a point within the face that asks
    [[nodiscard]] Vec3 position(std::uint32_t number, const Vec2& u, const Vec2& inside) const
    {
        return positions_->position(panel(number), u, inside);
    }
    [[nodiscard]] Vec3 velocity(std::uint32_t number, const Vec2& u, const Vec2& inside) const
    {
        return velocities_->position(panel(number), u, inside);
    }
    [[nodiscard]] PanelId panel(std::uint32_t number) const
    {
        PLEAT_ASSERT(number < panel_at_.size() && panel_at_[number] != none, "the panel is there");
        return make_id<PanelId>(panel_at_[number]);
    }

private:
    static constexpr std::uint32_t none = 0xffffffffu;
    Mesh mesh_;
    Field<NodeId, Vec3> x_, v_;
    std::vector<std::uint32_t> panel_at_; // by number
    std::optional<MaterialMap> positions_, velocities_;
};

/// A face of each vert.
std::vector<FaceId> faces_of_verts(const Mesh& mesh)
{
    std::vector<FaceId> faces(mesh.vert_count(), no_face);
    for (const FaceId f : mesh.faces())
        for (const VertId v : mesh[f].verts) faces[index(v)] = f;
    return faces;
}

/// How badly the panels of a mesh fit one panel of a frame, by panel of the mesh: how far points
/// lie outside in material space, and how far apart they are in space.
struct Misfit {
    double outside = 0, apart = 0; // means [m]
};

std::vector<Misfit> misfits(const Mesh& mesh, const std::vector<Vec3>& node_x,
                            const ObjectMesh& frame, std::uint32_t number)
{
    // The frame as a map of material points: where it gives back another point, that was outside.
    ObjectMesh flat = frame;
    flat.x.clear();
    flat.v.clear();
    for (const Vec2& u : frame.u) flat.x.push_back({u[0], u[1], 0});
    flat.face_nodes = frame.face_verts;
    const Surface in_material(flat), in_space(frame);
    std::vector<Misfit> fits(mesh.panel_count());
    std::vector<std::size_t> counts(mesh.panel_count(), 0);
    const std::vector<FaceId> faces = faces_of_verts(mesh);
    for (const VertId v : mesh.verts()) {
        const FaceId f = faces[index(v)];
        const Vec2 u = mesh.u(v), inside = centre(mesh, f);
        const Vec3 back = in_material.position(number, u, inside);
        Misfit& fit = fits[index(mesh.panel(f))];
        fit.outside += norm(Vec2{back[0], back[1]} - u);
        fit.apart += norm(in_space.position(number, u, inside) - node_x[index(mesh.node(v))]);
        ++counts[index(mesh.panel(f))];
    }
    for (std::size_t i = 0; i < fits.size(); ++i) {
        fits[i].outside /= double(std::max<std::size_t>(1, counts[i]));
        fits[i].apart /= double(std::max<std::size_t>(1, counts[i]));
    }
    return fits;
}

/// The longest edge of a face in material space; of equal ones that with the lowest id, so that
/// neighbours agree.
EdgeId longest_edge(const Mesh& mesh, FaceId f)
{
    EdgeId longest = no_edge;
    double length = -1;
    for (const EdgeId e : mesh[f].edges) {
        const std::size_t side = mesh[e].faces[0] == f ? 0 : 1;
        const double here = material_length(mesh, e, side);
        constexpr double tie = 1e-9; // of the length
        const bool is_equal = std::abs(here - length) <= tie * length;
        if (is_equal ? index(e) < index(longest) : here > length) {
            longest = e;
            length = here;
        }
    }
    return longest;
}

} // namespace

double BakeError::rms() const
{
    return points > 0 ? std::sqrt(squares / double(points)) : 0;
}

void BakeError::add(const BakeError& b)
{
    largest = std::max(largest, b.largest);
    squares += b.squares;
    points += b.points;
}

BakeMesh::BakeMesh(const ObjectMesh& mesh)
    : mesh_(build_mesh(input_of(mesh))), panel_(numbers_of(mesh_, mesh.face_panel))
{}

BakeMesh::BakeMesh(const MeshInput& mesh, const ObjectMesh& frame, const std::string& name)
    : mesh_(build_mesh(mesh)), panel_(mesh_.panel_count(), 0)
{
    std::vector<Misfit> best(mesh_.panel_count(), {std::numeric_limits<double>::infinity(),
                                                   std::numeric_limits<double>::infinity()});
    const std::uint32_t count =
        1 + *std::max_element(frame.face_panel.begin(), frame.face_panel.end());
    for (std::uint32_t number = 0; number < count; ++number) {
        const std::vector<Misfit> fits = misfits(mesh_, mesh.node_x, frame, number);
        for (std::size_t i = 0; i < fits.size(); ++i) {
            const bool fits_here = fits[i].outside < outside_limit;
            const bool fitted = best[i].outside < outside_limit;
            const bool is_better = fits_here && fitted ? fits[i].apart < best[i].apart
                                                       : fits[i].outside < best[i].outside;
            if (!is_better) continue;
            best[i] = fits[i];
            panel_[i] = number;
        }
    }
    std::vector<Problem> problems;
    for (std::size_t i = 0; i < best.size(); ++i)
        if (best[i].outside >= outside_limit)
            problems.push_back({name, "panel " + std::to_string(i),
                                "points that are " + std::to_string(1000 * best[i].outside) +
                                    " mm outside of every panel of the cloth in material space",
                                "material coordinates (vt) of the cloth, in metres"});
    if (!problems.empty()) throw InputError(std::move(problems));
}

BakeMesh::Baked BakeMesh::evaluate(const ObjectMesh& frame) const
{
    const Surface surface(frame);
    const std::vector<FaceId> faces = faces_of_verts(mesh_);
    std::vector<Vec3> x(mesh_.vert_count()), v(surface.has_velocities() ? x.size() : 0);
    parallel_for(x.size(), [&](std::size_t i) {
        const FaceId f = faces[i];
        const std::uint32_t number = panel_[index(mesh_.panel(f))];
        const Vec2 u = mesh_.u(make_id<VertId>(i)), inside = centre(mesh_, f);
        x[i] = surface.position(number, u, inside);
        if (!v.empty()) v[i] = surface.velocity(number, u, inside);
    });
    // The verts of a seam are one node: where rounding tells them apart, the mean.
    Baked baked{std::vector<Vec3>(mesh_.node_count(), Vec3{}), {}};
    if (!v.empty()) baked.v.assign(mesh_.node_count(), Vec3{});
    std::vector<double> count(mesh_.node_count(), 0);
    for (const VertId w : mesh_.verts()) {
        const std::size_t node = index(mesh_.node(w));
        baked.x[node] += x[index(w)];
        if (!v.empty()) baked.v[node] += v[index(w)];
        ++count[node];
    }
    for (std::size_t i = 0; i < count.size(); ++i) {
        baked.x[i] /= count[i];
        if (!v.empty()) baked.v[i] /= count[i];
    }
    return baked;
}

BakeError BakeMesh::compare(const ObjectMesh& frame, const std::vector<Vec3>& x,
                            Field<FaceId, double>& worst) const
{
    const Surface surface(frame);
    const Mesh& fine = surface.mesh();
    Field<NodeId, Vec3> at(FieldRule::interpolate);
    at.values = x;
    const MaterialMap fixed(mesh_, at);
    std::vector<PanelId> panel_of; // of the fixed mesh, by number
    for (std::size_t i = 0; i < panel_.size(); ++i) {
        if (panel_[i] >= panel_of.size()) panel_of.resize(panel_[i] + 1);
        panel_of[panel_[i]] = make_id<PanelId>(i);
    }
    BakeError error;
    const auto look = [&](PanelId panel, const Vec2& u, const Vec2& inside, const Vec3& there) {
        const double distance = norm(fixed.position(panel, u, inside) - there);
        error.add({distance, distance * distance, 1});
        if (worst.size() == 0) return;
        for (const FaceId f : fixed.faces_in(panel, u, u)) worst[f] = std::max(worst[f], distance);
    };
    for (const FaceId f : fine.faces()) {
        const auto& v = fine[f].verts;
        const Vec2 inside = centre(fine, f);
        const PanelId panel = panel_of[frame.face_panel[index(f)]];
        for (std::size_t k = 0; k < 3; ++k) {
            const VertId a = v[k], b = v[corner_after(k)];
            const Vec3 xa = frame.x[index(fine.node(a))], xb = frame.x[index(fine.node(b))];
            look(panel, fine.u(a), inside, xa);
            look(panel, 0.5 * (fine.u(a) + fine.u(b)), inside, 0.5 * (xa + xb));
        }
    }
    return error;
}

std::size_t BakeMesh::refine(const Field<FaceId, double>& worst, double tolerance)
{
    std::size_t splits = 0;
    const std::size_t count = mesh_.face_count();
    for (std::size_t i = 0; i < count; ++i) {
        const FaceId f = make_id<FaceId>(i);
        if (!(worst[f] > tolerance)) continue;
        const EdgeId wanted = longest_edge(mesh_, f);
        // From face to face across longest edges, until both faces of one agree [Rivara1997].
        for (bool is_done = false; !is_done;) {
            EdgeId edge = longest_edge(mesh_, f);
            if (edge != wanted) break; // a neighbour has cut this face already
            FaceId at = f;
            for (std::size_t walked = 0; walked < count; ++walked) { // ends, but for rounding
                const Mesh::Edge& e = mesh_[edge];
                const FaceId next = e.faces[0] == at ? e.faces[1] : e.faces[0];
                if (!is_some(next) || longest_edge(mesh_, next) == edge) break;
                edge = longest_edge(mesh_, next);
                at = next;
            }
            is_done = edge == wanted;
            split_edge(mesh_, edge);
            ++splits;
        }
    }
    return splits;
}

ObjectMesh BakeMesh::object(const std::string& name, std::vector<Vec3> x, std::vector<Vec3> v) const
{
    ObjectMesh out;
    out.name = name;
    out.x = std::move(x);
    out.v = std::move(v);
    for (const VertId w : mesh_.verts()) {
        out.u.push_back(mesh_.u(w));
        out.vert_node.push_back(index(mesh_.node(w)));
    }
    for (const FaceId f : mesh_.faces()) {
        const auto& w = mesh_[f].verts;
        const auto n = mesh_.nodes_of(f);
        out.face_verts.push_back({index(w[0]), index(w[1]), index(w[2])});
        out.face_nodes.push_back({index(n[0]), index(n[1]), index(n[2])});
        out.face_panel.push_back(panel_[index(mesh_.panel(f))]);
    }
    return out;
}

} // namespace pleat
