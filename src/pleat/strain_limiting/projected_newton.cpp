// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Notation. t = excess of a face's two strains beyond the limits, multipliers included. The
// function minimised is
//   phi(x) = 1/2 sum_i m_i |x_i - xhat_i|^2 + mu/2 sum_faces area |t|^2.
// With F = U diag(s) V^T and n the face's normal, the Hessian of |t|^2 / 2 by F has the
// eigenvectors (a_k = 1 where t_k acts, else 0)
//   u_k v_k^T                     a_k
//   (u1 v2^T - u2 v1^T) / sqrt2   (t1 + t2) / (s1 + s2)      turning in the plane
//   (u1 v2^T + u2 v1^T) / sqrt2   (t1 - t2) / (s1 - s2)      shear
//   n v_k^T                       t_k / s_k                  out of the plane
// of which the absolute values are taken: a negative eigenvalue means a buckling direction, along
// which steps should be short, not long. To that a share tau of the stiffness of a face stretched
// both ways is added for every face, with or without excess. It is the trust region: it bounds how
// much any face changes its F in one step, so that faces inside their limits do not overshoot them.
// tau falls when the quadratic model predicts phi well and rises when it does not.
//
// Only nodes of faces with excess can have moved at the minimum, so that only these and a few rings
// around them are worked on; the set grows when a face at its rim reaches its limits. The rings let
// a correction spread by more than one face per iteration.
//
// Contacts are *floors*: gaps that must not become smaller than they are, where they are small
// already. Without them the nearest positions inside the limits of cloth pulled over a shoulder are
// inside the shoulder, and impacts, which know nothing of limits, would stretch it again. A floor
// is one more inequality, with the penalty mu/2 t^2, t = floor - gap + multiplier where positive.
//
// Floors between layers move cloth without limits too. Its faces resist being strained further than
// they are: they have bounds a little beyond the strains that they start with, but a hundredth of
// the stiffness and no multipliers, so that limits and floors prevail where not all can be met.
// With its mass alone against it a node that a floor touches with a small weight would be moved by
// many times what the limited cloth moves, and stand out as a spike.
//
// The quadratic model of a step contains the limits and floors that are exceeded where it starts.
// If the step runs into others, so that phi does not fall as predicted, it is repeated with those
// in the model too, as equations: t may then be negative, which is the remaining room (an
// active-set method; the set is that at the end of the first attempt). The second attempt is
// shortened if needed.
//
// The matrix of a step is assembled in rows of blocks: conjugate gradients take nearly all of the
// time, and working face by face would read twice the memory. Floors are kept apart from it.
//
// Faces are numbered as in LimitedMesh. `nodes` are those that may move, in ascending order; `slot`
// is a node's place among them, one behind the last (always zero) stands for all others. `faces`
// are those with a corner that may move; `place` is a face's place among them.
#include "pleat/strain_limiting/projected_newton.hpp"

#include "pleat/core/parallel.hpp"
#include "pleat/core/simd.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace pleat {

namespace {

constexpr std::size_t chunk = 256;

// Chosen by trial on hanging sheets of 2k to 25k faces and the square of [Narain2012] fig. 7.
constexpr double tau_start = 0.02, tau_min = 3e-3, tau_max = 1;
constexpr double tau_down = 0.5, tau_up = 3;
constexpr double gain_good = 0.7, gain_poor = 0.3, gain_refused = 0.01;
constexpr int rings = 10;
/// Stiffness of the penalty in units of density * length^2 * (violation / tolerance).
constexpr double mu_factor = 20;
/// The inner minimisation ends when a step predicts a relative decrease of phi below this.
constexpr double inner_tolerance = 1e-3;
/// Multipliers that were updated and left more than this share of the violation have failed.
constexpr double stalled = 0.9;
constexpr int max_stalls = 3;
/// How often a step that is refused is shortened, and to which share each time.
constexpr int max_cuts = 3;
constexpr double cut_share = 0.4;
/// For contacts that do not specify it: the share of the thickness below which a gap is small.
constexpr double firm_share = 0.25;
/// The share of a floor by which a gap may end below it. For floors near zero, the least floor
constexpr double floor_slack = 0.2;
/// that this share refers to, as a share of a small gap.
constexpr double least_floor = 0.1;
/// How much more than its starting strain a face without limits may be strained before it resists,
constexpr double free_strain = 0.01;
/// and its stiffness then, relative to a face at its limits.
constexpr double unlimited_share = 0.01;

/// Between each corner and the next; those of a corner with itself follow, as moving all does
/// nothing.
struct FaceHessian {
    std::array<Mat3, 3> off;

    /// Between two different corners.
    [[nodiscard]] Mat3 block(std::size_t i, std::size_t j) const
    {
        return j == (i + 1) % 3 ? off[i] : transpose(off[j]);
    }
};

/// The 3x3 block between corners i and j in the frame (u1, u2, n), turned into the world.
struct LocalHessian {
    double a1, a2, s, r, n1, n2;
    Mat3 frame; // columns u1, u2, n

    [[nodiscard]] Mat3 block(const Vec2& bi, const Vec2& bj) const // b in the frame of V
    {
        const double pp = bi[0] * bj[0], qq = bi[1] * bj[1];
        const Mat3 local{{a1 * pp + s * qq, r * bi[1] * bj[0], 0, //
                          r * bi[0] * bj[1], a2 * qq + s * pp, 0, //
                          0, 0, n1 * pp + n2 * qq}};
        return frame * local * transpose(frame);
    }
};

/// Which limit each strain keeps to: -1 the lower one, 1 the upper one, 0 none.
using Bounds = std::array<std::int8_t, 2>;

/// The excess without negative values: where there is room left, nothing pulls yet.
Vec2 acting(const Bounds& bound, const Vec2& t)
{
    return {bound[0] * t[0] > 0 ? t[0] : 0.0, bound[1] * t[1] > 0 ? t[1] : 0.0};
}

FaceHessian principal_hessian(const Svd3x2& d, const Bounds& bound, const Vec2& signed_t,
                              const FaceRest& rest, double weight, double damping)
{
    const Vec2 t = acting(bound, signed_t);
    constexpr double tiny = 1e-9; // strains this near to each other or to zero
    LocalHessian h{};
    h.a1 = (bound[0] != 0 ? weight : 0) + damping;
    h.a2 = (bound[1] != 0 ? weight : 0) + damping;
    const double turn = weight * std::abs(t[0] + t[1]) / std::max(d.s[0] + d.s[1], tiny);
    // As stiff as the stretch itself at most: a shear between equal strains with unequal
    // multipliers would otherwise be rigid.
    const double gap = std::max(d.s[0] - d.s[1], tiny);
    const double shear = weight * std::min(std::abs(t[0] - t[1]) / gap, 1.0);
    h.s = 0.5 * (turn + shear) + damping;
    h.r = 0.5 * (shear - turn);
    h.n1 = weight * std::abs(t[0]) / std::max(d.s[0], tiny) + damping;
    h.n2 = weight * std::abs(t[1]) / std::max(d.s[1], tiny) + damping;
    const Vec3 u1 = column(d.u, 0), u2 = column(d.u, 1);
    h.frame = from_columns(u1, u2, cross(u1, u2));
    const Mat2 vt = transpose(d.v);
    const Vec2 b0 = vt * rest.b[0], b1 = vt * rest.b[1], b2 = vt * rest.b[2];
    return {{h.block(b0, b1), h.block(b1, b2), h.block(b2, b0)}};
}

/// With half the Green strain each axis k has (f_k f_k^T + t_k 1) on its own, f_k = F e_k.
FaceHessian component_hessian(const Mat3x2& f, const Bounds& bound, const Vec2& signed_t,
                              const FaceRest& rest, double weight, double damping)
{
    const Vec2 t = acting(bound, signed_t);
    std::array<Mat3, 2> by_axis{};
    for (std::size_t k = 0; k < 2; ++k) {
        by_axis[k] = damping * identity<3>();
        if (bound[k] != 0)
            by_axis[k] += weight * outer(column(f, k), column(f, k)) +
                          (weight * std::abs(t[k])) * identity<3>();
    }
    const auto block = [&](const Vec2& bi, const Vec2& bj) {
        return (bi[0] * bj[0]) * by_axis[0] + (bi[1] * bj[1]) * by_axis[1];
    };
    return {
        {block(rest.b[0], rest.b[1]), block(rest.b[1], rest.b[2]), block(rest.b[2], rest.b[0])}};
}

/// What the squared excess of a face counts, in units of mu/2 [m^2].
double weight_of(const LimitedFace& face)
{
    return face.limited ? face.rest.area : unlimited_share * face.rest.area;
}

/// A contact that must not close any further.
struct Floor {
    std::array<std::uint32_t, 4> nodes{};
    std::array<double, 4> weights{};
    std::size_t count = 0;
    Vec3 normal{};
    double anchor = 0; // along the normal [m]
    double least = 0;  // gap [m]
    double slack = 0;  // [m]

    [[nodiscard]] double gap(std::span<const Vec3> x) const
    {
        double g = anchor;
        for (std::size_t i = 0; i < count; ++i) g += weights[i] * dot(normal, x[nodes[i]]);
        return g;
    }
    /// Calls visit(free_node, weight).
    template <class Visit> void visit(const Dependencies& dependencies, Visit&& visit) const
    {
        dependencies.visit_sum(std::span(nodes).first(count), std::span(weights).first(count),
                               visit);
    }
};

/// Up to four nodes of a floor that is held, as conjugate gradients see it.
struct FloorNodes {
    std::array<std::uint32_t, 4> slots{};
    Float4 weights{};
};

/// A floor that is held: one group of nodes, more where nodes depend on others.
struct HeldFloor {
    std::uint32_t first = 0, last = 0; // into the groups
    Float4 normal{};
};

/// What a held floor does to one of its nodes.
struct FloorEntry {
    std::uint32_t held = 0; // its place among the held ones
    float weight = 0;
};

/// What is limited in a face, with its limits, and the stretches that it means.
struct Measured {
    Vec2 value, stretch;
    double lo = 0, hi = 0;
};

Measured measured(const LimitedFace& face, StrainMeasure measure, std::span<const Vec3> x)
{
    const Mat3x2 f = deformation(face, x);
    Measured m{{}, {}, face.limits.min, face.limits.max};
    if (measure == StrainMeasure::principal) {
        m.value = m.stretch = quick_strains(f);
    } else {
        m.value = component_strain(f).value;
        m.stretch = {std::sqrt(1 + 2 * m.value[0]) - 1, std::sqrt(1 + 2 * m.value[1]) - 1};
        m.lo = component_limit(m.lo);
        m.hi = component_limit(m.hi);
    }
    return m;
}

void add_scaled(Mat3& sum, double weight, const Mat3& m)
{
    sum += weight * m;
}

/// A multiple of the identity.
void add_scaled(Mat3& sum, double weight, double m)
{
    for (std::size_t k = 0; k < 3; ++k) sum(k, k) += weight * m;
}

Vec3 vector_of(Float4 v)
{
    return {double(v[0]), double(v[1]), double(v[2])};
}

} // namespace

struct StrainLimiterProjectedNewton::Work {
    bool fresh = false;
    LimitedMesh mesh;
    double mu = 0;            // [kg/s^2, were the step 1 s]
    double tau = 0;           // share of stiffness in the trust region
    double room = 0;          // what the model has beyond phi: energy of bounds not yet reached
    double margin = 0;        // how far inside the limits is aimed, as strain
    std::vector<Vec3> start;  // by node of the mesh
    std::vector<Vec3> before; // where a line starts

    // By face of `mesh`.
    std::vector<Vec2> multiplier, excess;
    std::vector<Bounds> bound;         // that the next step keeps to
    std::vector<std::uint8_t> beyond;  // 1: is outside its limits
    std::vector<std::uint8_t> engaged; // 1: has been: the margin is aimed at
    std::vector<Mat3x2> stress;
    std::vector<std::uint8_t> near; // 1: has a node that may move
    std::vector<std::uint32_t> place;
    std::vector<std::uint32_t> faces; // the near ones

    // By node that may move.
    std::vector<std::uint32_t> nodes;
    std::vector<std::uint32_t> slot; // by node of the mesh
    std::vector<std::uint8_t> moves; // by node of the mesh
    std::vector<Vec3> gradient;
    std::vector<Float4> direction, r, z, p, q;
    std::vector<float> inverse; // nine a node, by column, and padding
    // The matrix, faces only: in row s blocks of nine floats by column, which act on differences to
    // node s; `neighbour` has slots.
    std::vector<std::uint32_t> row_start, neighbour;
    std::vector<float> block;

    // By near face.
    std::vector<FaceHessian> hessian;
    std::vector<double> room_of_face; // see `room`
    std::vector<double> parts_a, parts_b;

    // By floor.
    std::vector<Floor> floors;
    std::vector<double> floor_multiplier, floor_excess, floor_deficit; // [m]
    std::vector<std::uint8_t> floor_held; // 1: the next step is to keep its gap
    std::vector<std::uint32_t> held;      // the floors that are held, in order
    std::vector<HeldFloor> held_floor;    // and by place among them
    std::vector<FloorNodes> held_nodes;   // their groups
    std::vector<Float4> held_force;
    std::vector<std::uint32_t> floor_start; // by node of the mesh, and one more
    std::vector<FloorEntry> floor_entry;    // of held floors

    void prepare(const Model& model, const Loads& loads, const Contacts& contacts, double dt,
                 const State& next, const StrainProjectedNewtonOptions& options);
    void make_floors(const Contacts& contacts, std::span<const Vec3> x);
    void list_held_floors();
    bool keep();
    void release(std::span<const Vec3> x);
    void hold_pieces_on_floors();
    struct Value {
        double phi = 0;
        double strain = 0; // the worst violation of a face
        double floor = 0;  // the worst of a floor, in units of its slack
        [[nodiscard]] bool within(double tolerance) const
        {
            return strain <= tolerance && floor <= 1;
        }
        /// Both in one number, at most the tolerance when all constraints are met.
        [[nodiscard]] double worst(double tolerance) const
        {
            return std::max(strain, floor * tolerance);
        }
    };
    /// How far inside its interval of limits a face aims.
    [[nodiscard]] double inset(std::uint32_t face, double lo, double hi) const
    {
        return engaged[face] ? std::min(margin, 0.25 * (hi - lo)) : 0.0;
    }
    [[nodiscard]] Vec2 excess_of(std::uint32_t face, const Measured& m) const
    {
        const double in = inset(face, m.lo, m.hi);
        return pleat::excess(m.value, multiplier[face], m.lo + in, m.hi - in);
    }
    [[nodiscard]] double engage(StrainMeasure measure, std::span<const Vec3> x);
    [[nodiscard]] Value evaluate(StrainMeasure measure, std::span<const Vec3> x);
    [[nodiscard]] bool grow();
    void list_rows();
    [[nodiscard]] Vec2 signed_excess(std::uint32_t face, const Vec2& value, double lo,
                                     double hi) const;
    [[nodiscard]] float* block_of(std::size_t s, std::uint32_t neighbour_slot)
    {
        std::uint32_t at = row_start[s];
        while (neighbour[at] != neighbour_slot) ++at;
        return &block[9 * std::size_t{at}];
    }
    void add_block(std::size_t s, std::uint32_t neighbour_slot, double weight, const Mat3& m);
    void add_block(std::size_t s, std::uint32_t neighbour_slot, double weight, double m);
    void add_face_rows(std::size_t s, std::uint32_t e, Vec3& g, Mat3& d);
    void linearize(StrainMeasure measure, std::span<const Vec3> x);
    void solve(const StrainProjectedNewtonOptions& options);
    [[nodiscard]] double sum(const std::vector<double>& parts, std::size_t count) const
    {
        double s = 0;
        for (std::size_t c = 0; c < chunk_count(count, chunk); ++c) s += parts[c];
        return s;
    }
    [[nodiscard]] Float4 row_times_p(std::size_t s) const;
};

void StrainLimiterProjectedNewton::Work::make_floors(const Contacts& contacts,
                                                     std::span<const Vec3> x)
{
    floors.clear();
    for (const Proximity& pair : contacts.proximities) {
        Floor f;
        f.count = pair.node_count();
        for (std::size_t i = 0; i < f.count; ++i) f.nodes[i] = index(pair.nodes[i]);
        f.weights = pair.weights;
        f.normal = pair.normal;
        f.anchor = dot(pair.normal, pair.anchor_t1);
        const double small = pair.firm > 0 ? pair.firm : firm_share * pair.thickness;
        if (!(small > 0)) continue;
        f.least = std::min(f.gap(x), small);
        f.slack = floor_slack * std::max(f.least, least_floor * small);
        floors.push_back(f);
    }
    const std::size_t count = floors.size();
    floor_multiplier.assign(count, 0.0);
    floor_excess.assign(count, 0.0);
    floor_deficit.assign(count, 0.0);
    floor_held.assign(count, 0);
}

/// Lists the floors that are held and which nodes they act on.
void StrainLimiterProjectedNewton::Work::list_held_floors()
{
    held.clear();
    for (std::uint32_t c = 0; c < floors.size(); ++c)
        if (floor_held[c]) held.push_back(c);
    held_floor.resize(held.size());
    held_force.resize(held.size());
    held_nodes.clear();
    floor_start.assign(mesh.node_count() + 1, 0);
    for (std::size_t k = 0; k < held.size(); ++k) {
        const Floor& f = floors[held[k]];
        HeldFloor& h = held_floor[k];
        h = {};
        h.normal = Float4{float(f.normal[0]), float(f.normal[1]), float(f.normal[2]), 0.0f};
        h.first = static_cast<std::uint32_t>(held_nodes.size());
        int lane = 4;
        f.visit(mesh.dependencies, [&](std::uint32_t node, double weight) {
            if (lane == 4) {
                held_nodes.emplace_back();
                held_nodes.back().slots.fill(static_cast<std::uint32_t>(nodes.size()));
                lane = 0;
            }
            held_nodes.back().slots[static_cast<std::size_t>(lane)] = slot[node];
            held_nodes.back().weights[lane++] = static_cast<float>(weight);
            ++floor_start[node + 1];
        });
        h.last = static_cast<std::uint32_t>(held_nodes.size());
    }
    for (std::size_t i = 1; i < floor_start.size(); ++i) floor_start[i] += floor_start[i - 1];
    floor_entry.resize(floor_start.back());
    // Shifted by one, so that filling moves the starts to where they belong.
    for (std::size_t i = floor_start.size() - 1; i > 0; --i) floor_start[i] = floor_start[i - 1];
    for (std::uint32_t k = 0; k < held.size(); ++k) {
        const Floor& f = floors[held[k]];
        f.visit(mesh.dependencies, [&](std::uint32_t node, double weight) {
            floor_entry[floor_start[node + 1]++] = {k, static_cast<float>(weight)};
        });
    }
}

/// Has the next step keep to the bounds and floors that are exceeded now, beside those that it
/// keeps to already. Returns whether there are more of them than before.
bool StrainLimiterProjectedNewton::Work::keep()
{
    bool any = false;
    for (std::uint32_t k : faces)
        for (std::size_t j = 0; j < 2; ++j)
            if (const double t = excess[k][j]; t != 0) {
                const std::int8_t side = t > 0 ? 1 : -1;
                any = any || bound[k][j] != side;
                bound[k][j] = side;
            }
    for (std::size_t c = 0; c < floors.size(); ++c)
        if (floor_excess[c] > 0) {
            any = any || !floor_held[c];
            floor_held[c] = 1;
        }
    return any;
}

/// From now on, faces that are outside their limits aim one margin inside them. Faces within their
/// limits do not, even if they are closer to a limit than the margin: a second call does not work
/// again on what the first one has limited. \return the increase of phi
double StrainLimiterProjectedNewton::Work::engage(StrainMeasure measure, std::span<const Vec3> x)
{
    double rise = 0;
    for (std::uint32_t k : faces) {
        if (engaged[k] || !beyond[k]) continue;
        engaged[k] = 1;
        const double last = norm2(excess[k]);
        excess[k] = excess_of(k, measured(mesh.faces[k], measure, x));
        rise += 0.5 * mu * weight_of(mesh.faces[k]) * (norm2(excess[k]) - last);
    }
    return rise;
}

/// Releases all bounds, and the floors that have opened.
void StrainLimiterProjectedNewton::Work::release(std::span<const Vec3> x)
{
    std::fill(bound.begin(), bound.end(), Bounds{});
    for (std::size_t c = 0; c < floors.size(); ++c)
        if (floor_held[c] && floors[c].least - floors[c].gap(x) + floor_multiplier[c] < 0)
            floor_held[c] = 0;
}

/// Floors push at the pieces that touch them from outside: their momentum changes.
void StrainLimiterProjectedNewton::Work::hold_pieces_on_floors()
{
    for (std::size_t c = 0; c < floors.size(); ++c) {
        if (floor_excess[c] == 0 && floor_multiplier[c] == 0) continue;
        const Floor& f = floors[c];
        double balance = 0; // weights of cloth against cloth add up to zero
        bool one_piece = true;
        for (std::size_t i = 0; i < f.count; ++i) {
            balance += f.weights[i];
            one_piece = one_piece && mesh.piece[f.nodes[i]] == mesh.piece[f.nodes[0]];
        }
        if (one_piece && std::abs(balance) < 0.5) continue;
        for (std::size_t i = 0; i < f.count; ++i) mesh.piece_held[mesh.piece[f.nodes[i]]] = 1;
    }
}

void StrainLimiterProjectedNewton::Work::prepare(const Model& model, const Loads& loads,
                                                 const Contacts& contacts, double dt,
                                                 const State& next,
                                                 const StrainProjectedNewtonOptions& options)
{
    if (!fresh) {
        mesh.build(model, options.limits, true);
        const std::size_t f = mesh.faces.size(), n = mesh.node_count();
        multiplier.resize(f);
        excess.resize(f);
        bound.resize(f);
        beyond.resize(f);
        engaged.resize(f);
        stress.resize(f);
        near.resize(f);
        place.resize(f);
        faces.reserve(f);
        hessian.resize(f);
        room_of_face.resize(f);
        start.resize(n);
        before.resize(n);
        nodes.reserve(n);
        slot.resize(n);
        moves.resize(n);
        gradient.resize(n);
        for (auto* v : {&direction, &r, &z, &p, &q}) v->resize(n + 1);
        inverse.resize(9 * n + 1);
        row_start.reserve(n + 1);
        neighbour.reserve(6 * f);
        block.reserve(54 * f + 1);
        const std::size_t chunks = chunk_count(std::max(f, n), chunk);
        parts_a.resize(chunks);
        parts_b.resize(chunks);
        fresh = true;
    }
    mesh.hold(loads, dt);
    for (LimitedFace& face : mesh.faces)
        if (!face.limited) {
            const Vec2 e = quick_strains(deformation(face, next.x.values));
            face.limits = {std::min(e[1], 0.0) - free_strain, std::max(e[0], 0.0) + free_strain};
        }
    make_floors(contacts, next.x.values);
    std::copy(next.x.values.begin(), next.x.values.end(), start.begin());
    std::fill(multiplier.begin(), multiplier.end(), Vec2{});
    std::fill(bound.begin(), bound.end(), Bounds{});
    std::fill(engaged.begin(), engaged.end(), std::uint8_t{0});
    std::fill(moves.begin(), moves.end(), std::uint8_t{0});
    std::fill(near.begin(), near.end(), std::uint8_t{1});
    nodes.clear();
    faces.clear();
    for (std::uint32_t k = 0; k < mesh.faces.size(); ++k) faces.push_back(k);
}

/// phi, the excess and the worst violation over the near faces and all floors.
StrainLimiterProjectedNewton::Work::Value
StrainLimiterProjectedNewton::Work::evaluate(StrainMeasure measure, std::span<const Vec3> x)
{
    parallel_chunks(faces.size(), chunk, [&](std::size_t c, std::size_t first, std::size_t last) {
        double energy = 0, worst = 0;
        for (std::size_t j = first; j < last; ++j) {
            const std::uint32_t k = faces[j];
            const LimitedFace& face = mesh.faces[k];
            const Measured m = measured(face, measure, x);
            if (face.limited)
                worst = std::max({worst, violation(m.stretch[0], face.limits),
                                  violation(m.stretch[1], face.limits)});
            excess[k] = excess_of(k, m);
            beyond[k] =
                std::max(m.value[0], m.value[1]) > m.hi || std::min(m.value[0], m.value[1]) < m.lo;
            energy += weight_of(face) * norm2(excess[k]);
        }
        parts_a[c] = energy;
        parts_b[c] = worst;
    });
    Value v;
    v.phi = 0.5 * mu * sum(parts_a, faces.size());
    for (std::size_t c = 0; c < chunk_count(faces.size(), chunk); ++c)
        v.strain = std::max(v.strain, parts_b[c]);
    // Few beside the faces, and cheap: in order.
    double below = 0;
    for (std::size_t c = 0; c < floors.size(); ++c) {
        const double deficit = floors[c].least - floors[c].gap(x);
        v.floor = std::max(v.floor, deficit / floors[c].slack);
        floor_deficit[c] = deficit + floor_multiplier[c];
        floor_excess[c] = std::max(0.0, floor_deficit[c]);
        below += floor_excess[c] * floor_excess[c];
    }
    v.phi += 0.5 * mu * below;
    parallel_chunks(nodes.size(), chunk, [&](std::size_t c, std::size_t first, std::size_t last) {
        double moved = 0;
        for (std::size_t s = first; s < last; ++s) {
            const std::uint32_t i = nodes[s];
            moved += mesh.mass[i] * norm2(x[i] - start[i]);
        }
        parts_a[c] = moved;
    });
    v.phi += 0.5 * sum(parts_a, nodes.size());
    return v;
}

/// Lets the nodes of every face with excess move, and those in a few rings around; lists the faces
/// that have a corner among them. Returns whether there is anything to do.
bool StrainLimiterProjectedNewton::Work::grow()
{
    bool any = false, grown = false;
    const auto free_nodes_of = [&](std::uint32_t k) {
        bool found = false;
        for (std::uint32_t corner : mesh.faces[k].nodes)
            mesh.dependencies.visit(corner, 1, [&](std::uint32_t i, double) {
                if (mesh.held[i]) return;
                found = true;
                grown = grown || !moves[i];
                moves[i] = 1;
            });
        return found;
    };
    const auto mark_faces = [&] {
        std::fill(near.begin(), near.end(), std::uint8_t{0});
        for (std::uint32_t i = 0; i < moves.size(); ++i)
            if (moves[i])
                for (std::uint32_t e = mesh.around.start[i]; e < mesh.around.start[i + 1]; ++e)
                    near[mesh.around.entry[e] / 16] = 1;
    };
    for (std::uint32_t k : faces)
        if (excess[k] != Vec2{}) any = free_nodes_of(k) || any;
    for (std::size_t c = 0; c < floors.size(); ++c)
        if (floor_excess[c] > 0)
            floors[c].visit(mesh.dependencies, [&](std::uint32_t n, double) {
                if (mesh.held[n]) return;
                any = true;
                grown = grown || !moves[n];
                moves[n] = 1;
            });
    if (!grown) return any;
    for (int ring = 0; ring < rings; ++ring) {
        mark_faces();
        for (std::uint32_t k = 0; k < near.size(); ++k)
            if (near[k]) free_nodes_of(k);
    }
    mark_faces();
    nodes.clear();
    for (std::uint32_t i = 0; i < moves.size(); ++i) {
        slot[i] = static_cast<std::uint32_t>(nodes.size());
        if (moves[i]) nodes.push_back(i);
    }
    for (std::uint32_t i = 0; i < moves.size(); ++i)
        if (!moves[i]) slot[i] = static_cast<std::uint32_t>(nodes.size());
    faces.clear();
    for (std::uint32_t k = 0; k < near.size(); ++k)
        if (near[k]) {
            place[k] = static_cast<std::uint32_t>(faces.size());
            faces.push_back(k);
        }
    list_rows();
    return any;
}

/// Which nodes each node that may move shares a face with.
void StrainLimiterProjectedNewton::Work::list_rows()
{
    row_start.assign(1, 0);
    neighbour.clear();
    for (std::uint32_t i : nodes) {
        const auto first = static_cast<std::ptrdiff_t>(row_start.back());
        for (std::uint32_t e = mesh.around.start[i]; e < mesh.around.start[i + 1]; ++e)
            for (std::uint32_t corner : mesh.faces[mesh.around.entry[e] / 16].nodes)
                mesh.dependencies.visit(corner, 1, [&](std::uint32_t other, double) {
                    if (other != i && std::find(neighbour.begin() + first, neighbour.end(),
                                                slot[other]) == neighbour.end())
                        neighbour.push_back(slot[other]);
                });
        row_start.push_back(static_cast<std::uint32_t>(neighbour.size()));
    }
    block.resize(9 * neighbour.size() + 1);
}

/// How far the values are beyond the bounds that are kept to; of the other sign than the bound
/// where there is room left.
Vec2 StrainLimiterProjectedNewton::Work::signed_excess(std::uint32_t face, const Vec2& value,
                                                       double lo, double hi) const
{
    const double in = inset(face, lo, hi);
    Vec2 t{};
    for (std::size_t j = 0; j < 2; ++j)
        if (bound[face][j] != 0)
            t[j] = value[j] + multiplier[face][j] - (bound[face][j] > 0 ? hi - in : lo + in);
    return t;
}

/// Adds to the block of row s that belongs to a neighbour: a matrix,
void StrainLimiterProjectedNewton::Work::add_block(std::size_t s, std::uint32_t neighbour_slot,
                                                   double weight, const Mat3& m)
{
    float* b = block_of(s, neighbour_slot);
    for (std::size_t col = 0; col < 3; ++col)
        for (std::size_t row = 0; row < 3; ++row)
            b[3 * col + row] += static_cast<float>(weight * m(row, col));
}

/// or a multiple of the identity.
void StrainLimiterProjectedNewton::Work::add_block(std::size_t s, std::uint32_t neighbour_slot,
                                                   double weight, double m)
{
    float* b = block_of(s, neighbour_slot);
    for (std::size_t k = 0; k < 9; k += 4) b[k] += static_cast<float>(weight * m);
}

/// What one face does to the node of slot s: entry e of those around it. Adds to the row of the
/// matrix, to the gradient g and to the block d of the node itself.
void StrainLimiterProjectedNewton::Work::add_face_rows(std::size_t s, std::uint32_t e, Vec3& g,
                                                       Mat3& d)
{
    const std::uint32_t k = mesh.around.entry[e] / 16, corner = mesh.around.entry[e] % 16;
    const LimitedFace& face = mesh.faces[k];
    const double own = mesh.corner_weight(e);
    const auto add = [&](std::size_t other, const auto& m) { // a matrix, or that times the identity
        mesh.dependencies.visit(face.nodes[other], own, [&](std::uint32_t node, double weight) {
            if (node == nodes[s])
                add_scaled(d, weight, m);
            else
                add_block(s, slot[node], weight, m);
        });
    };
    const std::size_t next = (corner + 1) % 3, last = (corner + 2) % 3;
    if (bound[k] == Bounds{}) { // inside its limits: the trust region only
        const double damping = tau * mu * weight_of(face);
        const double to_next = damping * dot(face.rest.b[corner], face.rest.b[next]),
                     to_last = damping * dot(face.rest.b[corner], face.rest.b[last]);
        add(next, to_next);
        add(last, to_last);
        add(corner, -(to_next + to_last));
        return;
    }
    g += own * (stress[k] * face.rest.b[corner]);
    const FaceHessian& h = hessian[place[k]];
    const Mat3 to_next = h.block(corner, next), to_last = h.block(corner, last);
    add(next, to_next);
    add(last, to_last);
    add(corner, -1.0 * (to_next + to_last));
}

/// Stress and Hessian of the near faces, gradient and preconditioner of the nodes.
void StrainLimiterProjectedNewton::Work::linearize(StrainMeasure measure, std::span<const Vec3> x)
{
    list_held_floors();
    parallel_for(
        faces.size(),
        [&](std::size_t a) {
            const std::uint32_t k = faces[a];
            const LimitedFace& face = mesh.faces[k];
            const double weight = mu * weight_of(face);
            room_of_face[a] = 0;
            if (bound[k] == Bounds{}) {
                stress[k] = Mat3x2{};
                return; // add_face_rows() knows its Hessian
            }
            const Mat3x2 f = deformation(face, x);
            if (measure == StrainMeasure::principal) {
                const Svd3x2 d = svd(f);
                const Vec2 t =
                    signed_excess(k, {d.s[0] - 1, d.s[1] - 1}, face.limits.min, face.limits.max);
                stress[k] = (weight * t[0]) * outer(column(d.u, 0), column(d.v, 0)) +
                            (weight * t[1]) * outer(column(d.u, 1), column(d.v, 1));
                room_of_face[a] = 0.5 * weight * norm2(t - acting(bound[k], t));
                hessian[a] = principal_hessian(d, bound[k], t, face.rest, weight, tau * weight);
            } else {
                const FaceStrain s = component_strain(f);
                const Vec2 t = signed_excess(k, s.value, component_limit(face.limits.min),
                                             component_limit(face.limits.max));
                stress[k] = (weight * t[0]) * s.gradient[0] + (weight * t[1]) * s.gradient[1];
                room_of_face[a] = 0.5 * weight * norm2(t - acting(bound[k], t));
                hessian[a] = component_hessian(f, bound[k], t, face.rest, weight, tau * weight);
            }
        },
        chunk);
    parallel_for(
        nodes.size(),
        [&](std::size_t s) {
            const std::uint32_t i = nodes[s];
            Vec3 g = mesh.mass[i] * (x[i] - start[i]);
            Mat3 d = mesh.mass[i] * identity<3>();
            std::fill(block.begin() + 9 * static_cast<std::ptrdiff_t>(row_start[s]),
                      block.begin() + 9 * static_cast<std::ptrdiff_t>(row_start[s + 1]), 0.0f);
            for (std::uint32_t e = mesh.around.start[i]; e < mesh.around.start[i + 1]; ++e)
                add_face_rows(s, e, g, d);
            for (std::uint32_t e = floor_start[i]; e < floor_start[i + 1]; ++e) {
                const std::uint32_t c = held[floor_entry[e].held];
                const Vec3& normal = floors[c].normal;
                const double weight = double(floor_entry[e].weight);
                g -= (mu * floor_deficit[c] * weight) * normal;
                d += (mu * weight * weight) * outer(normal, normal);
            }
            gradient[s] = g;
            const Mat3 inv = pleat::inverse(d);
            for (std::size_t col = 0; col < 3; ++col)
                for (std::size_t row = 0; row < 3; ++row)
                    inverse[9 * s + 3 * col + row] = static_cast<float>(inv(row, col));
        },
        chunk);
    room = 0;
    for (std::size_t a = 0; a < faces.size(); ++a) room += room_of_face[a];
    for (std::uint32_t c : held)
        if (const double t = floor_deficit[c]; t < 0) room += 0.5 * mu * t * t;
}

/// A row of the matrix times p.
Float4 StrainLimiterProjectedNewton::Work::row_times_p(std::size_t s) const
{
    const Float4 own = p[s];
    const std::uint32_t node = nodes[s];
    Float4 sum0{}, sum1{}, sum2{};
    const float* b = &block[9 * std::size_t{row_start[s]}];
    for (std::uint32_t e = row_start[s]; e < row_start[s + 1]; ++e, b += 9) {
        const Float4 d = p[neighbour[e]] - own;
        sum0 += load4(b) * splat(d[0]);
        sum1 += load4(b + 3) * splat(d[1]);
        sum2 += load4(b + 6) * splat(d[2]);
    }
    Float4 sum =
        splat(static_cast<float>(mesh.mass[node])) * own + three_lanes((sum0 + sum1) + sum2);
    for (std::uint32_t e = floor_start[node]; e < floor_start[node + 1]; ++e)
        sum += splat(floor_entry[e].weight) * held_force[floor_entry[e].held];
    return sum;
}

/// direction = -H^-1 gradient, roughly, by conjugate gradients in float.
void StrainLimiterProjectedNewton::Work::solve(const StrainProjectedNewtonOptions& options)
{
    const std::size_t n = nodes.size();
    p[n] = Float4{};
    // Float's range is ample for the direction, but not for products of tiny gradients: scale.
    parallel_chunks(n, chunk, [&](std::size_t c, std::size_t first, std::size_t last) {
        double s = 0;
        for (std::size_t i = first; i < last; ++i) s += norm2(gradient[i]);
        parts_a[c] = s;
    });
    const double scale = std::sqrt(sum(parts_a, n));
    parallel_for(
        n, [&](std::size_t i) { direction[i] = Float4{}; }, chunk);
    if (!(scale > 0)) return;
    const auto precondition = [&](std::size_t first, std::size_t last, double& rz, double& rr) {
        Double4 sum_rz{}, sum_rr{};
        for (std::size_t i = first; i < last; ++i) {
            const float* m = &inverse[9 * i];
            const Float4 v = r[i];
            const Float4 out{m[0] * v[0] + m[3] * v[1] + m[6] * v[2],
                             m[1] * v[0] + m[4] * v[1] + m[7] * v[2],
                             m[2] * v[0] + m[5] * v[1] + m[8] * v[2], 0.0f};
            z[i] = out;
            const Double4 wide = widen(v);
            sum_rz += wide * widen(out);
            sum_rr += wide * wide;
        }
        rz = sum_three_lanes(sum_rz);
        rr = sum_three_lanes(sum_rr);
    };
    parallel_chunks(n, chunk, [&](std::size_t c, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            const Vec3 g = gradient[i] / -scale;
            r[i] = Float4{float(g[0]), float(g[1]), float(g[2]), 0.0f};
        }
        precondition(first, last, parts_a[c], parts_b[c]);
        for (std::size_t i = first; i < last; ++i) p[i] = z[i];
    });
    double rz = sum(parts_a, n);
    const double target = options.cg_tolerance * options.cg_tolerance * rz;
    int iterations = 0;
    while (iterations < options.max_cg && rz > target) {
        ++iterations;
        parallel_for(
            held_floor.size(),
            [&](std::size_t k) {
                const HeldFloor& h = held_floor[k];
                Float4 moved{};
                for (std::uint32_t g = h.first; g < h.last; ++g) {
                    const auto& [slots, w] = held_nodes[g];
                    moved += (splat(w[0]) * p[slots[0]] + splat(w[1]) * p[slots[1]]) +
                             (splat(w[2]) * p[slots[2]] + splat(w[3]) * p[slots[3]]);
                }
                const Float4 along = moved * h.normal;
                held_force[k] =
                    splat(static_cast<float>(mu) * ((along[0] + along[1]) + along[2])) * h.normal;
            },
            chunk);
        parallel_chunks(n, chunk, [&](std::size_t c, std::size_t first, std::size_t last) {
            Double4 pq{};
            for (std::size_t i = first; i < last; ++i) {
                const Float4 v = p[i];
                const Float4 out = row_times_p(i);
                q[i] = out;
                pq += widen(v) * widen(out);
            }
            parts_a[c] = sum_three_lanes(pq);
        });
        const double pq = sum(parts_a, n);
        if (!(pq > 0)) break; // rounding; what was found so far is a direction of descent
        const Float4 alpha = splat(static_cast<float>(rz / pq));
        parallel_chunks(n, chunk, [&](std::size_t c, std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) {
                direction[i] += alpha * p[i];
                r[i] -= alpha * q[i];
            }
            precondition(first, last, parts_a[c], parts_b[c]);
        });
        const double rz_new = sum(parts_a, n);
        if (!std::isfinite(rz_new)) break;
        const Float4 beta = splat(static_cast<float>(rz_new / rz));
        rz = rz_new;
        parallel_for(
            n, [&](std::size_t i) { p[i] = z[i] + beta * p[i]; }, chunk);
    }
    const Float4 back = splat(static_cast<float>(scale));
    parallel_for(
        n, [&](std::size_t i) { direction[i] *= back; }, chunk);
}

StrainLimiterProjectedNewton::StrainLimiterProjectedNewton(
    const StrainProjectedNewtonOptions& options)
    : options_(options), work_(std::make_unique<Work>())
{}

StrainLimiterProjectedNewton::~StrainLimiterProjectedNewton() = default;

void StrainLimiterProjectedNewton::mesh_changed()
{
    work_->fresh = false;
}

LimitReport StrainLimiterProjectedNewton::limit(const Model& model, const Loads& loads,
                                                const Contacts& contacts, double dt, State& next)
{
    Work& w = *work_;
    w.prepare(model, loads, contacts, dt, next, options_);
    LimitReport report;
    if (w.mesh.faces.empty()) return report;
    const std::span<Vec3> x = next.x.values;

    // First evaluation, before mu is known: the worst violation.
    Work::Value now = w.evaluate(options_.measure, x);
    report.worst_violation = now.strain;
    if (now.strain <= options_.tolerance) return report;

    // A violation v over a piece of length L moves nodes by v L, and a penalty alone leaves a
    // strain of about density v L^2 / mu; multipliers do the rest.
    double total_mass = 0;
    for (double m : w.mesh.own_mass) total_mass += m;
    w.mu = mu_factor * total_mass * now.strain / options_.tolerance;
    w.tau = tau_start;
    w.margin = options_.tolerance; // so that the last faces need not be exact
    now = w.evaluate(options_.measure, x);
    double last_worst = 0; // at the last update of the multipliers
    int stalls = 0;
    std::size_t evaluated = 0; // how many faces were near then
    bool again = false;        // the last step was refused: keep to what it ran into as well
    while (!now.within(options_.tolerance) && report.iterations < options_.max_iterations &&
           stalls < max_stalls && w.grow()) {
        ++report.iterations;
        const double rise = w.engage(options_.measure, x);
        if (w.faces.size() == evaluated)
            now.phi += rise;
        else
            now = w.evaluate(options_.measure, x); // over all faces that are near by now
        evaluated = w.faces.size();
        if (!again) w.release(x);
        w.keep();
        w.linearize(options_.measure, x);
        w.solve(options_);
        const std::size_t n = w.nodes.size();
        double slope = 0;
        for (std::size_t s = 0; s < n; ++s) {
            slope += dot(w.gradient[s], vector_of(w.direction[s]));
            w.before[s] = x[w.nodes[s]];
        }
        const auto go = [&](double share) {
            parallel_for(n, [&](std::size_t s) {
                x[w.nodes[s]] = w.before[s] + share * vector_of(w.direction[s]);
            });
            follow(w.mesh.dependencies, x);
            return w.evaluate(options_.measure, x);
        };
        Work::Value then = go(1);

        // Conjugate gradients started from zero: their model falls by half the slope.
        const double promise = -0.5 * slope - w.room;
        const double gain = promise > 0 ? (now.phi - then.phi) / promise : 0.0;
        bool met = false;
        if (gain > gain_good) {
            w.tau = std::max(tau_down * w.tau, tau_min);
        } else if (!(gain > gain_poor)) {
            met = w.keep();
            if (!met || again) w.tau = std::min(tau_up * w.tau, tau_max);
        }
        bool refused = !(gain > gain_refused) && !then.within(options_.tolerance);
        if (again || !met) {
            double share = 1;
            for (int cut = 0; cut < max_cuts && refused; ++cut) {
                share *= cut_share;
                then = go(share);
                refused = !(now.phi - then.phi > gain_refused * share * promise);
            }
        }
        const bool model_of_phi = !again;
        again = refused && !again;
        now = refused ? go(0) : then;
        if (options_.on_iteration) options_.on_iteration(report.iterations, x);
        if (model_of_phi && -slope < inner_tolerance * now.phi && !now.within(options_.tolerance)) {
            for (std::uint32_t k : w.faces) // [Narain2012] eq. 20
                if (w.mesh.faces[k].limited) w.multiplier[k] = w.excess[k];
            w.floor_multiplier.assign(w.floor_excess.begin(), w.floor_excess.end());
            const double worst = now.worst(options_.tolerance);
            if (last_worst > 0 && worst > stalled * last_worst) ++stalls;
            last_worst = worst;
            now = w.evaluate(options_.measure, x);
        }
    }
    report.worst_violation = now.strain;
    w.hold_pieces_on_floors();
    finish_limiting(w.mesh, w.start, dt, next);
    return report;
}

} // namespace pleat
