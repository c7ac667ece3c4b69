// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Idea. Each element kind (faces, hinges, plates) is one parallel loop that writes into slots of
// its own, followed by a gather in a fixed order: no atomics, and the same bits for any number of
// threads.
//
// Notation: a slot is the place of one 3x3 block in the matrix; a stencil lists the nodes of an
// element in the order of its blocks. A plate's curvature is a weighted sum of the angles around a
// face; the weights (PlateBuilder) come from a fit that has to be well conditioned: thin faces take
// angles of their neighbours. Blocks are projected to be positive semidefinite element by element.
// Without this the conjugate gradients of the integrator may break down.
#include "pleat/energies/elastic_batch.hpp"

#include "pleat/core/error.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/geometry/dihedral.hpp"
#include "pleat/mesh/measures.hpp"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <variant>

namespace pleat {

namespace {

template <class Law> inline constexpr bool is_measured = std::is_same_v<Law, MembraneMeasured>;

/// The plate of a bending law, if it is one.
std::optional<BendingPlate> plate_law(const BendingLaw& law)
{
    if (const auto* sheet = std::get_if<BendingIsotropicSheet>(&law)) return plate_of(*sheet);
    if (const auto* plate = std::get_if<BendingPlate>(&law)) return *plate;
    return {};
}

/// Numbers of an edge inside one fabric; none where the fabric is a plate.
HingeNumbers numbers_of(const BendingLaw& law, const HingeRest& rest, double theta)
{
    return std::visit(
        [&](const auto& l) -> HingeNumbers {
            if constexpr (BendingLawModel<std::remove_cvref_t<decltype(l)>>) {
                return freeze(l, rest, theta);
            } else {
                return {};
            }
        },
        law);
}

/// Numbers of an edge between two fabrics.
HingeNumbers numbers_of(const BendingLaw& law_0, const BendingLaw& law_1, const HingeRest& rest,
                        double theta)
{
    const auto* measured_0 = std::get_if<BendingMeasured>(&law_0);
    const auto* measured_1 = std::get_if<BendingMeasured>(&law_1);
    if (measured_0 != nullptr && measured_1 != nullptr) {
        const double curvature = std::abs(theta) * rest.length / rest.area_sum;
        const double k0 = measured_stiffness(*measured_0, rest.weft_angle[0], curvature);
        const double k1 = measured_stiffness(*measured_1, rest.weft_angle[1], curvature);
        return measured_numbers(std::min(k0, k1), rest);
    }
    return 0.5 * numbers_of(law_0, rest, theta) + 0.5 * numbers_of(law_1, rest, theta);
}

FaceRest rest_of(const Mesh& mesh, FaceId f)
{
    const auto& v = mesh[f].verts;
    return face_rest(mesh.u(v[0]), mesh.u(v[1]), mesh.u(v[2]));
}

/// The corners of the two faces at an edge, as each of them has them.
struct HingeVerts {
    std::array<std::array<VertId, 2>, 2> edge; // of each side
    std::array<VertId, 2> far;                 // of each side
};

/// \pre the edge is no border.
HingeVerts hinge_verts(const Mesh& mesh, EdgeId e)
{
    const auto [f, g] = mesh[e].faces;
    const auto &vf = mesh[f].verts, &vg = mesh[g].verts;
    const std::size_t i = mesh.position_of(f, e), j = mesh.position_of(g, e);
    return {{{{vf[i], vf[corner_after(i)]}, {vg[corner_after(j)], vg[j]}}},
            {vf[corner_before(i)], vg[corner_before(j)]}};
}

/// Whether there is an angle at the edge: not where two faces lie on the same three nodes.
bool is_fold(const Mesh& mesh, const HingeVerts& v)
{
    return mesh.node(v.far[0]) != mesh.node(v.far[1]);
}
bool is_fold(const Mesh& mesh, EdgeId e)
{
    return !mesh.is_border(e) && is_fold(mesh, hinge_verts(mesh, e));
}

/// \pre is_fold(mesh, v)
HingeRest rest_of(const Mesh& mesh, const HingeVerts& v)
{
    return hinge_rest({mesh.u(v.edge[0][0]), mesh.u(v.edge[0][1])}, mesh.u(v.far[0]),
                      {mesh.u(v.edge[1][0]), mesh.u(v.edge[1][1])}, mesh.u(v.far[1]));
}

/// [J], with the numbers of measured fabrics taken at these positions.
double energy_of_face(const Model& model, const Field<NodeId, Vec3>& x, FaceId f)
{
    const FaceRest rest = rest_of(model.mesh, f);
    const auto n = model.mesh.nodes_of(f);
    const std::array<Vec3, 3> p{x[n[0]], x[n[1]], x[n[2]]};
    return std::visit(
        [&](const auto& law) {
            Strain g{};
            if constexpr (is_measured<std::remove_cvref_t<decltype(law)>>)
                g = green_strain(deformation(rest, p[0], p[1], p[2]));
            return face_energy(freeze(law, g), rest, p, model.compression_scale[f]);
        },
        model.materials[index(model.face_material[f])].membrane);
}

/// [J], of a fabric that is no plate; 0 for an edge that is no fold.
double energy_of_hinge(const Model& model, const Field<NodeId, Vec3>& x, EdgeId e)
{
    const Mesh& mesh = model.mesh;
    if (mesh.is_border(e)) return 0;
    const HingeVerts v = hinge_verts(mesh, e);
    if (!is_fold(mesh, v)) return 0;
    const HingeRest rest = rest_of(mesh, v);
    const auto& edge = mesh[e];
    const std::array<Vec3, 4> p{x[edge.nodes[0]], x[edge.nodes[1]], x[mesh.node(v.far[0])],
                                x[mesh.node(v.far[1])]};
    const MaterialId m0 = model.face_material[edge.faces[0]];
    const MaterialId m1 = model.face_material[edge.faces[1]];
    const BendingLaw& law_0 = model.materials[index(m0)].bending;
    const double theta = dihedral_angle(p[0], p[1], p[2], p[3]);
    const HingeNumbers n = m0 == m1
                               ? numbers_of(law_0, rest, theta)
                               : numbers_of(law_0, model.materials[index(m1)].bending, rest, theta);
    return hinge_energy(n, rest, p, theta, model.rest_angle[e]);
}

template <class Visit> void for_list(std::span<const std::uint32_t> list, Visit&& visit)
{
    parallel_for(list.size(), [&](std::size_t k) { visit(list[k]); });
}

} // namespace

ElasticBatch ElasticBatch::for_energy(const Model& model)
{
    ElasticBatch batch;
    batch.add_elements(model);
    return batch;
}

/// Plates: how each face's curvature follows from the angles around it (bending_plate.hpp).
class ElasticBatch::PlateBuilder {
public:
    PlateBuilder(const Model& model, ElasticBatch& batch)
        : model_(model), mesh_(model.mesh), batch_(batch)
    {}

    void run()
    {
        if (std::none_of(mesh_.faces().begin(), mesh_.faces().end(),
                         [&](FaceId f) { return is_plate(f); }))
            return;
        hinge_of_ = Field<EdgeId, std::uint32_t>(mesh_.edge_count(), FieldRule::reset, no_row);
        for (std::uint32_t i = 0; i < batch_.hinges_.size(); ++i)
            hinge_of_[batch_.hinges_[i].edge] = i;
        fits_ = Field<FaceId, Fit>(mesh_.face_count(), FieldRule::reset);
        parallel_for(mesh_.face_count(), [&](std::size_t i) { fit(make_id<FaceId>(i)); });
        for (FaceId f : mesh_.faces())
            if (is_plate(f)) add_plate(f);
        list_terms_of_hinges();
    }

private:
    /// A face's fit from three angles, its own where it has them.
    struct Fit {
        PlateFit fit;
        std::array<std::uint32_t, 3> hinges{no_row, no_row, no_row};
    };
    /// An angle that a fit may use; `turn` (cosine, sine) takes its panel to that of the face.
    struct Offer {
        FaceId face;
        EdgeId edge;
        Vec2 turn;
    };
    static constexpr Vec2 straight{1, 0};

    [[nodiscard]] bool is_plate(FaceId f) const
    {
        return plate_law(model_.materials[index(model_.face_material[f])].bending).has_value();
    }
    [[nodiscard]] FaceId across(FaceId f, EdgeId e) const
    {
        return mesh_[e].faces[0] == f ? mesh_[e].faces[1] : mesh_[e].faces[0];
    }
    [[nodiscard]] PlateEdge plate_edge(FaceId f, EdgeId e, const Vec2& turn) const;
    [[nodiscard]] Vec2 turn_across(FaceId f, EdgeId e, const Vec2& turn) const;
    void fit(FaceId f);
    void consider(FaceId f, const std::array<PlateEdge, 3>& own_edges,
                  std::span<const Offer> chosen);
    void add_plate(FaceId f);
    [[nodiscard]] FaceId face_that_knows(FaceId f, EdgeId e) const;
    [[nodiscard]] bool has_room(const Plate& p, std::span<const std::uint32_t> hinges) const;
    void add_term(Plate& p, std::uint32_t hinge, const Vec3& row);
    void add_deviation(const Plate& p);
    void list_terms_of_hinges();

    const Model& model_;
    const Mesh& mesh_;
    ElasticBatch& batch_;
    Field<EdgeId, std::uint32_t> hinge_of_; // no_row: none
    Field<FaceId, Fit> fits_;
    std::size_t used_ = 0; // nodes of the plate that is being made
};

/// An edge in the material plane of one of its faces; `turn` then takes it to another panel's.
PlateEdge ElasticBatch::PlateBuilder::plate_edge(FaceId f, EdgeId e, const Vec2& turn) const
{
    const std::size_t side = mesh_[e].faces[0] == f ? 0 : 1;
    const auto ends = mesh_.verts_of(e, side);
    const Vec2 along = mesh_.u(ends[1]) - mesh_.u(ends[0]);
    const Vec2 far = mesh_.u(mesh_.opposite_vert(e, side)) - mesh_.u(ends[0]);
    PlateEdge edge;
    edge.length = norm(along);
    edge.along = along / edge.length;
    edge.inward = {-edge.along[1], edge.along[0]};
    if (dot(edge.inward, far) < 0) edge.inward *= -1;
    edge.height = dot(edge.inward, far);
    edge.foot = dot(edge.along, far);
    if (hinge_of_[e] != no_row) {
        const HingeRest& rest = batch_.hinges_[hinge_of_[e]].rest;
        edge.present = true;
        edge.length = rest.length;
        edge.height = rest.height[side];
        edge.foot = rest.foot[side] * rest.length;
        edge.other_height = rest.height[1 - side];
        edge.other_foot = rest.foot[1 - side] * rest.length;
    }
    const auto turned = [&](const Vec2& d) {
        return Vec2{turn[0] * d[0] - turn[1] * d[1], turn[1] * d[0] + turn[0] * d[1]};
    };
    edge.along = turned(edge.along);
    edge.inward = turned(edge.inward);
    return edge;
}

/// The rotation from the panel across the edge, given that (`turn`) from the panel of `f`.
Vec2 ElasticBatch::PlateBuilder::turn_across(FaceId f, EdgeId e, const Vec2& turn) const
{
    if (!mesh_.is_seam(e)) return turn;
    const Vec2 near = plate_edge(f, e, straight).along;
    const Vec2 far = plate_edge(across(f, e), e, straight).along;
    // Both run from nodes[0] to nodes[1].
    const Vec2 step{dot(near, far), cross(far, near)};
    return Vec2{turn[0] * step[0] - turn[1] * step[1], turn[1] * step[0] + turn[0] * step[1]};
}

/// Uses three angles for the fit of a face if they amplify errors less than the best so far.
void ElasticBatch::PlateBuilder::consider(FaceId f, const std::array<PlateEdge, 3>& own_edges,
                                          std::span<const Offer> chosen)
{
    std::array<PlateEdge, 3> edges{};
    for (std::size_t k = 0; k < 3; ++k)
        edges[k] = plate_edge(chosen[k].face, chosen[k].edge, chosen[k].turn);
    const PlateFit fit = fit_plate(edges, own_edges, batch_.faces_[index(f)].rest.area);
    Fit& best = fits_[f];
    if (!(fit.amplification < best.fit.amplification * (1 - 1e-9))) return;
    best.fit = fit;
    for (std::size_t k = 0; k < 3; ++k) best.hinges[k] = hinge_of_[chosen[k].edge];
}

/// Finds the fit of a face: from its own angles, otherwise with those around, nearest first.
void ElasticBatch::PlateBuilder::fit(FaceId f)
{
    if (!is_plate(f)) return;
    Fit& best = fits_[f];
    best.fit.amplification = most_plate_amplification;
    std::array<PlateEdge, 3> own_edges{};
    std::vector<Offer> offers;
    for (std::size_t k = 0; k < 3; ++k) {
        own_edges[k] = plate_edge(f, mesh_[f].edges[k], straight);
        if (own_edges[k].present) offers.push_back({f, mesh_[f].edges[k], straight});
    }
    if (offers.size() == 3) consider(f, own_edges, offers);
    std::vector<std::pair<FaceId, Vec2>> around{{f, straight}};
    constexpr int most_rings = 2;
    std::size_t first = 0;
    for (int ring = 0; ring < most_rings && best.hinges[0] == no_row; ++ring) {
        const std::size_t last = around.size();
        for (; first < last; ++first) {
            const auto [here, turn] = around[first];
            for (EdgeId e : mesh_[here].edges) {
                if (hinge_of_[e] == no_row) continue;
                const FaceId other = across(here, e);
                if (std::any_of(around.begin(), around.end(),
                                [&](const auto& a) { return a.first == other; }))
                    continue;
                const Vec2 other_turn = turn_across(here, e, turn);
                around.emplace_back(other, other_turn);
                for (EdgeId o : mesh_[other].edges)
                    if (hinge_of_[o] != no_row &&
                        std::none_of(offers.begin(), offers.end(),
                                     [&](const Offer& a) { return a.edge == o; }))
                        offers.push_back({other, o, other_turn});
            }
        }
        for (std::size_t a = 0; a < offers.size(); ++a)
            for (std::size_t b = a + 1; b < offers.size(); ++b)
                for (std::size_t c = b + 1; c < offers.size(); ++c)
                    consider(f, own_edges, std::array{offers[a], offers[b], offers[c]});
    }
}

/// Whether the plate has room for the nodes of these hinges.
bool ElasticBatch::PlateBuilder::has_room(const Plate& p,
                                          std::span<const std::uint32_t> hinges) const
{
    std::vector<std::uint32_t> nodes(p.nodes.begin(),
                                     p.nodes.begin() + static_cast<std::ptrdiff_t>(used_));
    for (std::uint32_t h : hinges)
        for (std::uint32_t n : batch_.hinges_[h].nodes)
            if (std::find(nodes.begin(), nodes.end(), n) == nodes.end()) nodes.push_back(n);
    return nodes.size() <= p.nodes.size();
}

/// Adds row * angle to the curvature.
void ElasticBatch::PlateBuilder::add_term(Plate& p, std::uint32_t hinge, const Vec3& row)
{
    std::vector<PlateTerm>& terms = batch_.plate_terms_;
    for (std::uint32_t t = p.first_term; t < terms.size(); ++t)
        if (terms[t].hinge == hinge) {
            terms[t].row += row;
            return;
        }
    PlateTerm term{hinge, row, {}};
    for (std::size_t c = 0; c < 4; ++c) {
        const std::uint32_t node = batch_.hinges_[hinge].nodes[c];
        std::size_t at = 0;
        while (at < used_ && p.nodes[at] != node) ++at;
        if (at == used_) p.nodes[used_++] = node;
        term.corner[c] = static_cast<std::uint8_t>(at);
    }
    terms.push_back(term);
}

/// The face that provides the curvature at an edge: the one with the better fit.
FaceId ElasticBatch::PlateBuilder::face_that_knows(FaceId f, EdgeId e) const
{
    const FaceId other = across(f, e);
    const double mine = fits_[f].fit.amplification;
    const double theirs = fits_[other].fit.amplification;
    const bool i_can = fits_[f].hinges[0] != no_row;
    const bool they_can = fits_[other].hinges[0] != no_row;
    // Ties, up to rounding, go to the lower id, which is the same from both sides.
    const bool alike = std::abs(theirs - mine) < 1e-9 * mine;
    return they_can && (!i_can || (alike ? other < f : theirs < mine)) ? other : f;
}

/// The curvature of a face as a sum over angles.
void ElasticBatch::PlateBuilder::add_plate(FaceId f)
{
    Plate p{};
    p.face = f;
    p.area = batch_.faces_[index(f)].rest.area;
    p.nodes.fill(no_row);
    p.first_term = static_cast<std::uint32_t>(batch_.plate_terms_.size());
    used_ = 0;
    bool is_exact = true; // of quadratic surfaces
    for (EdgeId e : mesh_[f].edges)
        if (hinge_of_[e] != no_row) {
            const PlateEdge edge = plate_edge(f, e, straight);
            add_term(p, hinge_of_[e], normal_square(edge) * (0.5 * edge.length / p.area));
        }
    for (EdgeId e : mesh_[f].edges) {
        const PlateEdge edge = plate_edge(f, e, straight);
        const Vec3 weight = normal_square(edge) * (edge.length / p.area);
        const FaceId knows = edge.present ? face_that_knows(f, e) : f;
        const Fit& fit = fits_[knows];
        if (fit.hinges[0] == no_row || !has_room(p, fit.hinges)) {
            is_exact = false;
            continue;
        }
        Vec3 row = share_row(edge);
        if (edge.present) { // half the difference: own share less half the angle
            const PlateEdge seen = plate_edge(knows, e, straight);
            row = share_row(seen) - 0.5 * angle_row(seen);
            if (knows != f) row *= -1;
        }
        const Vec3 per_angle = transpose(fit.fit.curvature) * row;
        for (std::size_t k = 0; k < 3; ++k) add_term(p, fit.hinges[k], weight * per_angle[k]);
    }
    p.last_term = static_cast<std::uint32_t>(batch_.plate_terms_.size());
    if (used_ == 0) return;
    batch_.plates_.push_back(p);
    if (is_exact) add_deviation(p);
}

/// Adds the difference between the angles of a face and those that its curvature would give, which
/// costs energy like a curvature (bending_plate.hpp). \pre p is the plate that was made last
void ElasticBatch::PlateBuilder::add_deviation(const Plate& p)
{
    std::vector<PlateTerm>& terms = batch_.plate_terms_;
    Plate deviation = p;
    deviation.first_term = p.last_term;
    double scale = 0, largest = 0;
    for (EdgeId e : mesh_[p.face].edges) {
        if (hinge_of_[e] == no_row) continue;
        const PlateEdge edge = plate_edge(p.face, e, straight);
        const Vec3 weight = normal_square(edge) * (0.5 * edge.length / p.area);
        const Vec3 angle = angle_row(edge);
        scale = std::max(scale, norm(weight));
        add_term(deviation, hinge_of_[e], weight);
        for (std::uint32_t t = p.first_term; t < p.last_term; ++t)
            add_term(deviation, terms[t].hinge, weight * -dot(angle, terms[t].row));
    }
    deviation.last_term = static_cast<std::uint32_t>(terms.size());
    for (std::uint32_t t = deviation.first_term; t < deviation.last_term; ++t)
        largest = std::max(largest, norm(terms[t].row));
    // On regular meshes the angles agree.
    constexpr double rounding = 1e-9;
    if (largest > rounding * scale)
        batch_.plates_.push_back(deviation);
    else
        terms.resize(deviation.first_term);
}

/// By hinge: the terms that its angle is in.
void ElasticBatch::PlateBuilder::list_terms_of_hinges()
{
    ElasticBatch& b = batch_;
    b.plate_of_term_.resize(b.plate_terms_.size());
    b.hinge_term_start_.assign(b.hinges_.size() + 1, 0);
    for (std::uint32_t i = 0; i < b.plates_.size(); ++i)
        for (std::uint32_t t = b.plates_[i].first_term; t < b.plates_[i].last_term; ++t) {
            b.plate_of_term_[t] = i;
            ++b.hinge_term_start_[b.plate_terms_[t].hinge + 1];
        }
    for (std::size_t h = 0; h < b.hinges_.size(); ++h)
        b.hinge_term_start_[h + 1] += b.hinge_term_start_[h];
    b.hinge_terms_.resize(b.plate_terms_.size());
    std::vector<std::uint32_t> next(b.hinge_term_start_.begin(), b.hinge_term_start_.end());
    for (std::uint32_t t = 0; t < b.plate_terms_.size(); ++t)
        b.hinge_terms_[next[b.plate_terms_[t].hinge]++] = t;
    b.plate_tangent_.resize(b.plates_.size());
    b.plate_moment_.resize(b.plates_.size());
    b.plate_jacobian_.resize(b.plates_.size());
}

void ElasticBatch::add_elements(const Model& model)
{
    const Mesh& mesh = model.mesh;
    faces_.resize(mesh.face_count());
    faces_of_material_.resize(model.materials.size());
    for (FaceId f : mesh.faces())
        faces_of_material_[index(model.face_material[f])].push_back(index(f));
    parallel_for(mesh.face_count(), [&](std::size_t i) {
        const auto f = make_id<FaceId>(i);
        const auto nodes = mesh.nodes_of(f);
        faces_[i] = {{index(nodes[0]), index(nodes[1]), index(nodes[2])}, rest_of(mesh, f)};
    });

    std::vector<EdgeId> folds;
    for (EdgeId e : mesh.edges())
        if (is_fold(mesh, e)) folds.push_back(e);
    hinges_.resize(folds.size());
    parallel_for(folds.size(), [&](std::size_t i) {
        const EdgeId e = folds[i];
        const auto& edge = mesh[e];
        Hinge h{};
        h.nodes = {index(edge.nodes[0]), index(edge.nodes[1]),
                   index(mesh.node(mesh.opposite_vert(e, 0))),
                   index(mesh.node(mesh.opposite_vert(e, 1)))};
        h.edge = e;
        h.material = {model.face_material[edge.faces[0]], model.face_material[edge.faces[1]]};
        h.rest = rest_of(mesh, hinge_verts(mesh, e));
        h.least_area2 = least_area2(h.rest);
        hinges_[i] = h;
    });

    PlateBuilder(model, *this).run();
    face_numbers_.resize(faces_.size());
    hinge_numbers_.resize(hinges_.size());
    hinge_angle_.resize(hinges_.size());
}

ElasticBatch::ElasticBatch(const Model& model)
{
    add_elements(model);
    face_work_.resize(faces_.size());
    face_stress_.resize(faces_.size());
    hinge_work_.resize(hinges_.size());

    // The pattern, and the blocks that each element adds to.
    const Mesh& mesh = model.mesh;
    std::vector<std::uint32_t> face_nodes, hinge_nodes, plate_nodes;
    for (const Face& f : faces_)
        face_nodes.insert(face_nodes.end(), f.nodes.begin(), f.nodes.end());
    for (const Hinge& h : hinges_)
        hinge_nodes.insert(hinge_nodes.end(), h.nodes.begin(), h.nodes.end());
    for (const Plate& p : plates_)
        plate_nodes.insert(plate_nodes.end(), p.nodes.begin(), p.nodes.end());
    const std::array<ElementList, 3> lists{ElementList{face_nodes, 3}, ElementList{hinge_nodes, 4},
                                           ElementList{plate_nodes, 16}};
    parts_ = build_pattern(mesh.node_count(), lists, model.dependencies);
    face_rows_ = build_row_gather(mesh.node_count(), lists[0]);
    hinge_rows_ = build_row_gather(mesh.node_count(), lists[1]);
}

/// By components uu, vv, uv [1/m], from the angles of the last evaluation.
Vec3 ElasticBatch::plate_curvature(const Plate& plate) const
{
    Vec3 k{};
    for (std::uint32_t t = plate.first_term; t < plate.last_term; ++t)
        k += plate_terms_[t].row * hinge_angle_[plate_terms_[t].hinge];
    return k;
}

void ElasticBatch::freeze(const Model& model, std::span<const Vec3> x)
{
    PLEAT_ASSERT(model.mesh.face_count() == faces_.size(), "the batch belongs to this mesh");
    for (std::size_t m = 0; m < model.materials.size(); ++m) {
        const auto* law = std::get_if<MembraneMeasured>(&model.materials[m].membrane);
        if (law == nullptr) continue;
        for_list(faces_of_material_[m], [&](std::uint32_t i) {
            const Face& f = faces_[i];
            const Strain g =
                green_strain(deformation(f.rest, x[f.nodes[0]], x[f.nodes[1]], x[f.nodes[2]]));
            face_numbers_[i] = pleat::freeze(*law, g);
        });
    }
    has_isometric_ = false;
    for (const Material& m : model.materials)
        has_isometric_ = has_isometric_ || std::holds_alternative<BendingIsometric>(m.bending);
    if (has_isometric_ && isometric_weights_.empty()) {
        isometric_weights_.resize(hinges_.size());
        isometric_work_.resize(hinges_.size());
        parallel_for(hinges_.size(), [&](std::size_t i) {
            isometric_weights_[i] = isometric_weights(hinges_[i].rest);
        });
    }
    parallel_for(hinges_.size(), [&](std::size_t i) {
        const Hinge& h = hinges_[i];
        const BendingLaw& law_0 = model.materials[index(h.material[0])].bending;
        // Only the measured law looks at the angle, and an angle costs an arc tangent.
        const double theta =
            std::holds_alternative<BendingMeasured>(law_0)
                ? dihedral_angle(x[h.nodes[0]], x[h.nodes[1]], x[h.nodes[2]], x[h.nodes[3]])
                : 0.0;
        hinge_numbers_[i] =
            h.material[0] == h.material[1]
                ? numbers_of(law_0, h.rest, theta)
                : numbers_of(
                      law_0, model.materials[index(h.material[1])].bending, h.rest,
                      dihedral_angle(x[h.nodes[0]], x[h.nodes[1]], x[h.nodes[2]], x[h.nodes[3]]));
    });
    parallel_for(plates_.size(), [&](std::size_t i) {
        const Plate& p = plates_[i];
        const auto plate = plate_law(model.materials[index(model.face_material[p.face])].bending);
        plate_tangent_[i] = plate ? plate_tangent(*plate) * p.area : Mat3{};
    });
}

double ElasticBatch::energy(const Model& model, std::span<const Vec3> x)
{
    double total = 0;
    for (std::size_t m = 0; m < model.materials.size(); ++m)
        total += std::visit(
            [&](const auto& law) {
                using Law = std::remove_cvref_t<decltype(law)>;
                const auto& list = faces_of_material_[m];
                return parallel_sum(list.size(), [&](std::size_t k) {
                    const std::uint32_t i = list[k];
                    const Face& f = faces_[i];
                    const std::array<Vec3, 3> p{x[f.nodes[0]], x[f.nodes[1]], x[f.nodes[2]]};
                    const double c = model.compression_scale[make_id<FaceId>(i)];
                    if constexpr (is_measured<Law>) {
                        return face_energy(face_numbers_[i], f.rest, p, c);
                    } else {
                        return face_energy(pleat::freeze(law, Strain{}), f.rest, p, c);
                    }
                });
            },
            model.materials[m].membrane);
    const auto points = [&](const Hinge& h) {
        return std::array<Vec3, 4>{x[h.nodes[0]], x[h.nodes[1]], x[h.nodes[2]], x[h.nodes[3]]};
    };
    total += parallel_sum(hinges_.size(), [&](std::size_t i) {
        const Hinge& h = hinges_[i];
        return hinge_energy(hinge_numbers_[i], h.rest, points(h), model.rest_angle[h.edge]);
    });
    if (!plates_.empty()) {
        parallel_for(hinges_.size(), [&](std::size_t i) {
            const auto q = points(hinges_[i]);
            hinge_angle_[i] =
                dihedral_angle(q[0], q[1], q[2], q[3]) - model.rest_angle[hinges_[i].edge];
        });
        total += parallel_sum(plates_.size(), [&](std::size_t i) {
            const Vec3 k = plate_curvature(plates_[i]);
            return 0.5 * dot(k, plate_tangent_[i] * k);
        });
    }
    return total;
}

template <bool with_tangent, class Law>
void ElasticBatch::evaluate_faces(const Model& model, const Law& law, double damping,
                                  std::span<const std::uint32_t> faces, std::span<const Vec3> x,
                                  StiffnessScale scale)
{
    const auto constants = [&] {
        if constexpr (is_measured<Law>) {
            return 0;
        } else {
            return pleat::freeze(law, Strain{});
        }
    }();
    const double material_scale = scale.stiffness + scale.damping * damping;
    for_list(faces, [&](std::uint32_t i) {
        const Face& face = faces_[i];
        FaceWork& w = face_work_[i];
        const auto& numbers = [&]() -> const auto&
        {
            if constexpr (is_measured<Law>) {
                return face_numbers_[i];
            } else {
                return constants;
            }
        }
        ();
        w.f = deformation(face.rest, x[face.nodes[0]], x[face.nodes[1]], x[face.nodes[2]]);
        const Strain g = green_strain(w.f);
        const double c = model.compression_scale[make_id<FaceId>(i)];
        Stress s{};
        Tangent own_damping{};
        if (c == 1) {
            s = stress(numbers, g);
            if constexpr (with_tangent) w.m = tangent(numbers, g, Definiteness::psd);
            if constexpr (with_tangent && HasDampingTangent<Law>)
                own_damping = damping_tangent(law, g);
        } else {
            const CompressionMap map = compress(g, c);
            const Stress inner = stress(numbers, map.scaled);
            s = pull_back(map, inner);
            if constexpr (with_tangent)
                w.m = pull_back(map, inner, tangent(numbers, map.scaled, Definiteness::psd),
                                Definiteness::psd);
            if constexpr (with_tangent && HasDampingTangent<Law>)
                own_damping =
                    pull_back(map, inner, damping_tangent(law, map.scaled), Definiteness::psd);
        }
        const Mat2 sigma = stress_tensor(s) * face.rest.area;
        face_stress_[i] = w.f * sigma;
        if constexpr (with_tangent) {
            w.m *= material_scale * face.rest.area;
            if constexpr (HasDampingTangent<Law>)
                w.m += own_damping * (scale.damping * face.rest.area);
            w.sigma = clamp_psd(sigma) * scale.stiffness;
        }
    });
}

template <bool with_tangent>
void ElasticBatch::evaluate(const Model& model, std::span<const Vec3> x, StiffnessScale scale)
{
    PLEAT_ASSERT(model.mesh.face_count() == faces_.size(), "the batch belongs to this mesh");
    for (std::size_t m = 0; m < model.materials.size(); ++m)
        std::visit(
            [&](const auto& law) {
                evaluate_faces<with_tangent>(model, law, model.materials[m].damping,
                                             faces_of_material_[m], x, scale);
            },
            model.materials[m].membrane);

    parallel_for(hinges_.size(), [&](std::size_t i) {
        const Hinge& h = hinges_[i];
        const HingeNumbers& n = hinge_numbers_[i];
        HingeWork& w = hinge_work_[i];
        const DihedralGradient d = dihedral_gradient(x[h.nodes[0]], x[h.nodes[1]], x[h.nodes[2]],
                                                     x[h.nodes[3]], h.least_area2);
        const double rest_angle = model.rest_angle[h.edge];
        w.g = d.g;
        hinge_angle_[i] = d.angle - rest_angle;
        w.moment = angle_moment(n, d.angle, rest_angle);
        const double damping = 0.5 * (model.materials[index(h.material[0])].damping +
                                      model.materials[index(h.material[1])].damping);
        if constexpr (with_tangent)
            w.stiffness =
                (scale.stiffness + scale.damping * damping) * angle_stiffness(n, d.angle) +
                scale.damping * n.damping;
        if (n.isometric != 0) {
            const auto& q = isometric_weights_[i];
            IsometricWork& iso = isometric_work_[i];
            const Vec3& x0 = x[h.nodes[0]];
            iso.y = q[1] * (x[h.nodes[1]] - x0) + q[2] * (x[h.nodes[2]] - x0) +
                    q[3] * (x[h.nodes[3]] - x0);
            if constexpr (with_tangent) {
                iso.matrix = identity<3>() * (scale.stiffness * n.isometric);
                // Only changes of |y| are damped: a rotation of y is a rigid motion.
                const double length = norm(iso.y);
                const double damp = scale.damping * damping * n.isometric;
                iso.matrix += length > 1e-12 * h.rest.length
                                  ? outer(iso.y, iso.y) * (damp / (length * length))
                                  : identity<3>() * damp;
            }
        }
    });
    if (plates_.empty()) return;
    parallel_for(plates_.size(), [&](std::size_t i) {
        const Plate& p = plates_[i];
        plate_moment_[i] = plate_tangent_[i] * plate_curvature(p);
        if constexpr (with_tangent) {
            auto& jacobian = plate_jacobian_[i];
            jacobian.fill(Mat3{});
            for (std::uint32_t t = p.first_term; t < p.last_term; ++t)
                for (std::size_t c = 0; c < 4; ++c)
                    jacobian[plate_terms_[t].corner[c]] +=
                        outer(plate_terms_[t].row, hinge_work_[plate_terms_[t].hinge].g[c]);
        }
    });
    parallel_for(hinges_.size(), [&](std::size_t i) {
        for (std::uint32_t q = hinge_term_start_[i]; q < hinge_term_start_[i + 1]; ++q) {
            const std::uint32_t t = hinge_terms_[q];
            hinge_work_[i].moment += dot(plate_terms_[t].row, plate_moment_[plate_of_term_[t]]);
        }
    });
}

void ElasticBatch::gather_forces(std::span<Vec3> f) const
{
    parallel_for(f.size(), [&](std::size_t n) {
        Vec3 sum{};
        for (std::uint32_t k = face_rows_.start[n]; k < face_rows_.start[n + 1]; ++k) {
            const std::uint32_t e = face_rows_.entry[k] / 16, c = face_rows_.entry[k] % 16;
            sum -= face_stress_[e] * faces_[e].rest.b[c];
        }
        for (std::uint32_t k = hinge_rows_.start[n]; k < hinge_rows_.start[n + 1]; ++k) {
            const std::uint32_t e = hinge_rows_.entry[k] / 16, c = hinge_rows_.entry[k] % 16;
            sum -= hinge_work_[e].moment * hinge_work_[e].g[c];
            if (hinge_numbers_[e].isometric != 0)
                sum -=
                    (hinge_numbers_[e].isometric * isometric_weights_[e][c]) * isometric_work_[e].y;
        }
        f[n] = sum;
    });
}

void ElasticBatch::forces(const Model& model, std::span<const Vec3> x, std::span<Vec3> f)
{
    evaluate<false>(model, x, {});
    gather_forces(f);
}

void ElasticBatch::linearise(const Model& model, std::span<const Vec3> x, StiffnessScale scale,
                             std::span<Vec3> f, std::span<Mat3> off)
{
    evaluate<true>(model, x, scale);
    gather_forces(f);
    const auto face_part = [&](std::uint32_t e, std::uint32_t i, std::uint32_t j) {
        const FaceWork& w = face_work_[e];
        const auto& b = faces_[e].rest.b;
        return face_block(w.f, w.m, w.sigma, b[i], b[j]);
    };
    const auto hinge_part = [&](std::uint32_t e, std::uint32_t i, std::uint32_t j) {
        const HingeWork& w = hinge_work_[e];
        return outer(w.g[i] * w.stiffness, w.g[j]);
    };
    const auto hinge_part_isometric = [&](std::uint32_t e, std::uint32_t i, std::uint32_t j) {
        const HingeWork& w = hinge_work_[e];
        Mat3 k = outer(w.g[i] * w.stiffness, w.g[j]);
        if (hinge_numbers_[e].isometric != 0)
            k += isometric_work_[e].matrix * (isometric_weights_[e][i] * isometric_weights_[e][j]);
        return k;
    };
    const auto plate_part = [&](std::uint32_t e, std::uint32_t i, std::uint32_t j) {
        const double damping = model.materials[index(model.face_material[plates_[e].face])].damping;
        const double s = scale.stiffness + scale.damping * damping;
        const auto& jacobian = plate_jacobian_[e];
        return transpose(jacobian[i]) * (plate_tangent_[e] * s) * jacobian[j];
    };
    const GatherPart faces{parts_.gathers[0], face_part};
    if (!plates_.empty() || has_isometric_) {
        assemble_blocks(pattern(), off, faces, GatherPart{parts_.gathers[1], hinge_part_isometric},
                        GatherPart{parts_.gathers[2], plate_part});
    } else {
        assemble_blocks(pattern(), off, faces, GatherPart{parts_.gathers[1], hinge_part});
    }
}

double elastic_energy(const Model& model, const State& state, FaceId face)
{
    return energy_of_face(model, state.x, face);
}

double elastic_energy(const Model& model, const State& state, EdgeId edge)
{
    return energy_of_hinge(model, state.x, edge);
}

bool has_plates(const Model& model)
{
    return std::any_of(model.materials.begin(), model.materials.end(),
                       [](const Material& m) { return plate_law(m.bending).has_value(); });
}

double elastic_energy(const Model& model, const State& state)
{
    if (has_plates(model)) { // a face's curvature follows from angles farther away
        ElasticBatch batch = ElasticBatch::for_energy(model);
        batch.freeze(model, state.x.span());
        return batch.energy(model, state.x.span());
    }
    const double membrane = parallel_sum(model.mesh.face_count(), [&](std::size_t i) {
        return elastic_energy(model, state, make_id<FaceId>(i));
    });
    const double bending = parallel_sum(model.mesh.edge_count(), [&](std::size_t i) {
        return elastic_energy(model, state, make_id<EdgeId>(i));
    });
    return membrane + bending;
}

double elastic_energy(const Model& model, const State& state, std::span<const FaceId> faces)
{
    PLEAT_ASSERT(!has_plates(model), "bending is that of single hinges");
    const Mesh& mesh = model.mesh;
    std::vector<std::uint8_t> is_counted(mesh.face_count(), 0);
    for (FaceId f : faces) is_counted[index(f)] = 1;
    constexpr std::size_t chunk = 64;
    return parallel_reduce(
        faces.size(), 0.0,
        [&](std::size_t i) {
            const FaceId f = faces[i];
            double sum = elastic_energy(model, state, f);
            for (EdgeId e : mesh[f].edges) {
                const auto [first, second] = mesh[e].faces;
                const FaceId other = first == f ? second : first;
                // A hinge between two of them is counted with one.
                if (is_some(other) && (is_counted[index(other)] == 0 || f < other))
                    sum += elastic_energy(model, state, e);
            }
            return sum;
        },
        [](double a, double b) { return a + b; }, chunk);
}

std::vector<Vec3> elastic_forces(const Model& model, const State& state)
{
    ElasticBatch batch(model);
    batch.freeze(model, state.x.span());
    std::vector<Vec3> f(model.mesh.node_count());
    batch.forces(model, state.x.span(), f);
    return f;
}

} // namespace pleat
