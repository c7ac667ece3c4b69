// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The oracle works in long double: it halves time intervals, discards those that the features
// cannot cross fast enough to come within the separation, and returns the earliest moment at which
// it has seen them that near. What it has seen is certain, so that an impact reported later than
// that, or not at all, is a miss.
#include "pleat/geometry/time_of_impact.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace pleat {
namespace {

using Points = std::array<Vec3, 4>;
using Real = long double;
using RealVec = Vec<Real, 3>;
using RealPoints = std::array<RealVec, 4>;

enum class Kind { vertex_face, edge_edge };

struct Query {
    Kind kind{};
    Points x0{}, x1{};
    double separation = 0;
};

Impact impact(const Query& q)
{
    const ImpactOptions options{.min_separation = q.separation};
    return q.kind == Kind::vertex_face ? vertex_face_impact(q.x0, q.x1, options)
                                       : edge_edge_impact(q.x0, q.x1, options);
}

RealVec real(const Vec3& a)
{
    return {a[0], a[1], a[2]};
}

Real point_segment(const RealVec& p, const RealVec& a, const RealVec& b)
{
    const RealVec d = b - a;
    const Real length2 = norm2(d);
    const Real t = length2 > 0 ? std::clamp(dot(p - a, d) / length2, Real(0), Real(1)) : Real(0);
    return norm(p - (a + d * t));
}

Real oracle_distance(Kind kind, const RealPoints& x)
{
    if (kind == Kind::vertex_face) {
        Real best = std::min({point_segment(x[0], x[1], x[2]), point_segment(x[0], x[2], x[3]),
                              point_segment(x[0], x[3], x[1])});
        const RealVec ab = x[2] - x[1], ac = x[3] - x[1], ap = x[0] - x[1], n = cross(ab, ac);
        if (norm2(n) > 0) {
            const Real b = dot(cross(ap, ac), n) / norm2(n), c = dot(cross(ab, ap), n) / norm2(n);
            if (b > 0 && c > 0 && b + c < 1) best = std::min(best, norm(ap - ab * b - ac * c));
        }
        return best;
    }
    Real best = std::min({point_segment(x[0], x[2], x[3]), point_segment(x[1], x[2], x[3]),
                          point_segment(x[2], x[0], x[1]), point_segment(x[3], x[0], x[1])});
    const RealVec da = x[1] - x[0], db = x[3] - x[2], r = x[2] - x[0], n = cross(da, db);
    if (norm2(n) > 0) {
        const Real s = dot(cross(r, db), n) / norm2(n), t = dot(cross(r, da), n) / norm2(n);
        if (s > 0 && s < 1 && t > 0 && t < 1) best = std::min(best, norm(r + db * t - da * s));
    }
    return best;
}

Real distance_at(const Query& q, Real t)
{
    RealPoints x{};
    for (std::size_t i = 0; i < 4; ++i) {
        const RealVec a = real(q.x0[i]);
        x[i] = a + (real(q.x1[i]) - a) * t;
    }
    return oracle_distance(q.kind, x);
}

struct Sighting {
    Real t = 2;             // the earliest moment seen within the separation; 2 where none
    bool undecided = false; // intervals were left that could not be discarded
};

class Oracle {
public:
    Oracle(const Query& q, Real separation) : q_(q), separation_(separation)
    {
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 0; j < i; ++j)
                speed_ = std::max(
                    speed_, norm(real(q.x1[i]) - real(q.x0[i]) - (real(q.x1[j]) - real(q.x0[j]))));
    }

    Sighting find()
    {
        for (const Real t : {Real(0), Real(1)}) look(t);
        search(0, 1, 0);
        return seen_;
    }

private:
    Real look(Real t)
    {
        const Real d = distance_at(q_, t);
        if (d <= separation_) seen_.t = std::min(seen_.t, t);
        return d;
    }

    void search(Real low, Real high, int depth)
    {
        if (low >= seen_.t) return;
        const Real middle = (low + high) / 2, half = (high - low) / 2;
        const Real d = look(middle);
        if (d > separation_ + speed_ * half * (1 + 1e-12L)) return;
        if (depth == 30 || ++looks_ > 3000) {
            seen_.undecided = true;
            return;
        }
        search(low, middle, depth + 1);
        search(middle, high, depth + 1);
    }

    Query q_;
    Real separation_, speed_ = 0;
    Sighting seen_;
    int looks_ = 0;
};

class Queries {
public:
    explicit Queries(unsigned seed) : random_(seed) {}

    double number(double low, double high)
    {
        return std::uniform_real_distribution<double>(low, high)(random_);
    }
    int pick(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }
    Vec3 point(double size)
    {
        return {number(-size, size), number(-size, size), number(-size, size)};
    }

    Query random()
    {
        Query q;
        q.kind = pick(2) == 0 ? Kind::vertex_face : Kind::edge_edge;
        q.separation = pick(4) == 0 ? 0.0 : std::pow(10.0, number(-7, -1.5));
        const double motion = std::pow(10.0, number(-1.5, 0.7));
        const Vec3 place = pick(3) == 0 ? point(1000) : Vec3{};
        const Vec3 drift = pick(3) == 0 ? point(100) : Vec3{};
        for (std::size_t i = 0; i < 4; ++i) {
            q.x0[i] = place + point(1);
            q.x1[i] = q.x0[i] + drift + point(motion);
        }
        return q;
    }

    /// Random velocities, but on a course that brings the features together at a random time.
    Query collision_course()
    {
        Query q = random();
        const double t = number(0, 1);
        const Vec3 gap = weights_gap(q, t);
        for (std::size_t i = 0; i < first_count(q); ++i) q.x1[i] -= gap / t;
        return q;
    }

    Query parallel_edges()
    {
        Query q = random();
        q.kind = Kind::edge_edge;
        const Vec3 along0 = point(1), along1 = pick(2) == 0 ? along0 : point(1);
        q.x0[1] = q.x0[0] + along0;
        q.x0[3] = q.x0[2] + along0 * number(-1, 1);
        q.x1[1] = q.x1[0] + along1;
        q.x1[3] = q.x1[2] + along1 * number(-1, 1);
        return aimed(q);
    }

    /// All corners stay in one plane (every third time on one line).
    Query coplanar_sliding()
    {
        Query q = random();
        const bool line = pick(3) == 0;
        for (Points* x : {&q.x0, &q.x1})
            for (Vec3& p : *x) {
                p[2] = 0.5 * p[0] - 0.25 * p[1];
                if (line) p[1] = 2 * p[0], p[2] = p[0];
            }
        return q;
    }

    /// Passes at about the separation, most of the time along the other feature.
    Query grazing()
    {
        Query q = random();
        q.separation = std::pow(10.0, number(-6, -2));
        const double height =
            q.separation * (1 + std::pow(10.0, number(-9, -1)) * (pick(2) ? 1 : -1));
        const double tilt = pick(2) == 0 ? 0.0 : q.separation * number(-1, 1);
        if (q.kind == Kind::vertex_face) {
            q.x0 = {Vec3{-2, 0.2, height}, Vec3{-1, -1, 0}, Vec3{1, -1, 0}, Vec3{0, 1, 0}};
            q.x1 = q.x0;
            q.x1[0] = {2, number(-1, 1), height + tilt};
        } else {
            q.x0 = {Vec3{-1, -2, height}, Vec3{1, -2, height}, Vec3{-1, 0.1, 0}, Vec3{1, -0.1, 0}};
            q.x1 = q.x0;
            q.x1[0][1] = q.x1[1][1] = 2;
            q.x1[0][2] += tilt;
        }
        return q;
    }

    Query touching_at_start()
    {
        Query q = random();
        q.separation = std::pow(10.0, number(-6, -2));
        const Vec3 gap = weights_gap(q, 0);
        const Vec3 left = normalized(gap) * (q.separation * number(0, 1.2) * pick(3));
        for (std::size_t i = 0; i < first_count(q); ++i) q.x0[i] -= gap - left;
        return q;
    }

    Query degenerate()
    {
        Query q = random();
        const double thin = pick(2) == 0 ? 0.0 : std::pow(10.0, number(-16, -3));
        switch (pick(4)) {
        case 0: // a face of no area, at both ends of the step
            for (Points* x : {&q.x0, &q.x1}) (*x)[3] = (*x)[1] * 0.3 + (*x)[2] * 0.7 + point(thin);
            break;
        case 1: // two corners in one point
            for (Points* x : {&q.x0, &q.x1}) (*x)[3] = (*x)[2] + point(thin);
            break;
        case 2: // turned inside out on the way
            q.x1[3] = q.x0[2], q.x1[2] = q.x0[3];
            break;
        default: // everything in one point
            for (Points* x : {&q.x0, &q.x1}) (*x)[3] = (*x)[2] = (*x)[1] = (*x)[1] + point(thin);
            break;
        }
        return aimed(q);
    }

    Query adversarial()
    {
        switch (pick(6)) {
        case 0:
            return collision_course();
        case 1:
            return parallel_edges();
        case 2:
            return coplanar_sliding();
        case 3:
            return grazing();
        case 4:
            return touching_at_start();
        default:
            return degenerate();
        }
    }

private:
    static std::size_t first_count(const Query& q) { return q.kind == Kind::vertex_face ? 1 : 2; }

    /// Half of the time on a collision course.
    Query aimed(Query q)
    {
        if (pick(2) == 0) return q;
        const double t = number(0.05, 1);
        const Vec3 gap = weights_gap(q, t);
        for (std::size_t i = 0; i < first_count(q); ++i) q.x1[i] -= gap / t;
        return q;
    }

    /// Between random points of the features at time t.
    Vec3 weights_gap(const Query& q, double t)
    {
        const auto at = [&](std::size_t i) { return q.x0[i] + (q.x1[i] - q.x0[i]) * t; };
        const double u = number(0, 1), v = number(0, 1);
        if (q.kind == Kind::edge_edge)
            return at(0) * (1 - u) + at(1) * u - at(2) * (1 - v) - at(3) * v;
        const double w = std::sqrt(u);
        return at(0) - at(1) * (1 - w) - at(2) * (w * (1 - v)) - at(3) * (w * v);
    }

    std::mt19937_64 random_;
};

struct Tally {
    int queries = 0, impacts = 0, misses = 0, false_hits = 0, false_at_start = 0, unconverged = 0;
};

void check(const Query& q, Tally& tally)
{
    ++tally.queries;
    const Impact found = impact(q);
    ASSERT_TRUE(found.t >= 0 && found.t <= 1);
    tally.unconverged += !found.converged;
    // Separation zero has no inside to be seen in: the course was laid to meet, up to rounding.
    const double size = 1e-12;
    const Real wanted = q.separation > 0 ? Real(q.separation) : Real(0);
    const Sighting seen = Oracle(q, wanted).find();
    if (seen.t <= 1) {
        ++tally.impacts;
        const bool receding = !found.hit && found.touching_at_start;
        if (receding) {
            // Kept apart: never nearer than at the start.
            const Real start = distance_at(q, 0);
            for (int k = 1; k <= 64; ++k)
                ASSERT_GE(distance_at(q, Real(k) / 64), start * (1 - 1e-9L) - size);
        } else if (!found.hit || found.t > seen.t + 1e-15L) {
            ++tally.misses;
        }
    } else if (found.hit) {
        // Near enough for the slack, or false?
        const Real reach = q.separation * (1 + ImpactOptions{}.slack) + size;
        const Sighting near = Oracle(q, reach).find();
        if (near.t > 1 && !near.undecided) {
            ++tally.false_hits;
            tally.false_at_start += found.touching_at_start;
        }
    }
    if (found.hit && !found.touching_at_start && found.converged) {
        // The gap is where the weights and the normal say.
        Vec3 gap{};
        for (std::size_t i = 0; i < 4; ++i)
            gap += (q.x0[i] + (q.x1[i] - q.x0[i]) * found.t) * found.weights[i];
        const double away = norm(q.x0[0]) + norm(q.x1[0]) + 1;
        ASSERT_NEAR(norm(gap), dot(gap, found.normal), 1e-13 * away + 1e-6 * norm(gap));
        ASSERT_NEAR(norm(found.normal), 1, 1e-12);
        ASSERT_GE(distance_at(q, found.t), q.separation - 1e-15 * away);
    }
}

template <class Make> Tally check_many(int count, Make&& make)
{
    Tally tally;
    for (int n = 0; n < count; ++n) {
        check(make(), tally);
        if (testing::Test::HasFatalFailure()) {
            ADD_FAILURE() << "query " << n;
            break;
        }
    }
    testing::Test::RecordProperty("queries", tally.queries);
    testing::Test::RecordProperty("impacts", tally.impacts);
    testing::Test::RecordProperty("false_hits", tally.false_hits);
    testing::Test::RecordProperty("unconverged", tally.unconverged);
    std::printf("%d queries, %d impacts, %d misses, %d false hits (%d at the start), "
                "%d unconverged\n",
                tally.queries, tally.impacts, tally.misses, tally.false_hits, tally.false_at_start,
                tally.unconverged);
    return tally;
}

TEST(TimeOfImpact, misses_no_random_impact)
{
    Queries make(30);
    const Tally t = check_many(100000, [&] { return make.random(); });
    EXPECT_EQ(t.misses, 0);
    EXPECT_LE(t.false_hits, t.queries / 1000);
    EXPECT_GT(t.impacts, 1000);
}

TEST(TimeOfImpact, misses_no_impact_on_a_collision_course)
{
    Queries make(31);
    const Tally t = check_many(20000, [&] { return make.collision_course(); });
    EXPECT_EQ(t.misses, 0);
    EXPECT_GT(t.impacts, 10000);
}

TEST(TimeOfImpact, misses_no_adversarial_impact)
{
    Queries make(32);
    const Tally t = check_many(20000, [&] { return make.adversarial(); });
    EXPECT_EQ(t.misses, 0);
    EXPECT_LE(t.false_hits, t.queries / 50);
    EXPECT_LE(t.unconverged, t.queries / 100);
    EXPECT_GT(t.impacts, 8000);
}

bool long_tests_wanted()
{
    const char* wanted = std::getenv("PLEAT_LONG_TESTS");
    return wanted != nullptr && *wanted != '\0' && *wanted != '0';
}

TEST(TimeOfImpactLong, misses_none_of_a_million_random_impacts)
{
    if (!long_tests_wanted()) GTEST_SKIP() << "set PLEAT_LONG_TESTS=1";
    Queries make(33);
    const Tally t = check_many(
        1000000, [&] { return make.pick(4) == 0 ? make.collision_course() : make.random(); });
    EXPECT_EQ(t.misses, 0);
}

TEST(TimeOfImpactLong, misses_none_of_a_hundred_thousand_adversarial_impacts)
{
    if (!long_tests_wanted()) GTEST_SKIP() << "set PLEAT_LONG_TESTS=1";
    Queries make(34);
    const Tally t = check_many(100000, [&] { return make.adversarial(); });
    EXPECT_EQ(t.misses, 0);
}

TEST(TimeOfImpact, meets_exactly_at_separation_zero)
{
    // Coordinates in units of 2^-20 and weights of a quarter, so that the features meet at half
    // time without any rounding.
    Queries make(35);
    const auto coarse = [](const Vec3& p) {
        Vec3 q{};
        for (std::size_t k = 0; k < 3; ++k)
            q[k] = std::ldexp(std::round(std::ldexp(p[k], 20)), -20);
        return q;
    };
    for (int n = 0; n < 20000; ++n) {
        Query q = make.random();
        q.separation = 0;
        for (Points* x : {&q.x0, &q.x1})
            for (Vec3& p : *x) p = coarse(p);
        const auto middle = [&](std::size_t i) { return (q.x0[i] + q.x1[i]) * 0.5; };
        const bool edges = q.kind == Kind::edge_edge;
        const Vec3 gap = edges ? middle(0) * 0.25 + middle(1) * 0.75 - (middle(2) + middle(3)) * 0.5
                               : middle(0) - middle(1) * 0.5 - (middle(2) + middle(3)) * 0.25;
        for (std::size_t i = 0; i < (edges ? 2u : 1u); ++i) q.x1[i] -= gap * 2.0;
        ASSERT_LE(distance_at(q, 0.5L), 1e-15L) << n;
        const Impact found = impact(q);
        ASSERT_TRUE(found.hit) << n;
        ASSERT_LE(found.t, 0.5) << n;
    }
}

TEST(TimeOfImpact, is_exact_for_a_vertex_falling_on_a_face)
{
    const Points x0 = {Vec3{0, 0, 1}, Vec3{-1, -1, 0}, Vec3{1, -1, 0}, Vec3{0, 1, 0}};
    Points x1 = x0;
    x1[0][2] = -1;
    const Impact found = vertex_face_impact(x0, x1, {.min_separation = 0.1});
    EXPECT_TRUE(found.hit);
    EXPECT_LE(found.t, 0.45);
    EXPECT_GE(found.t, 0.45 - 0.005);
    EXPECT_EQ(found.normal, (Vec3{0, 0, 1}));
    x1[0][2] = 0.11;
    EXPECT_FALSE(vertex_face_impact(x0, x1, {.min_separation = 0.1}).hit);
}

TEST(TimeOfImpact, pairs_that_start_too_near_are_hits_unless_they_recede)
{
    const Points x0 = {Vec3{0, 0, 0.05}, Vec3{-1, -1, 0}, Vec3{1, -1, 0}, Vec3{0, 1, 0}};
    const auto moved = [&](const Vec3& by) {
        Points x1 = x0;
        x1[0] += by;
        return vertex_face_impact(x0, x1, {.min_separation = 0.1});
    };
    const Impact nearer = moved({0, 0, -0.01});
    EXPECT_TRUE(nearer.hit && nearer.touching_at_start && nearer.t == 0);
    EXPECT_EQ(nearer.normal, (Vec3{0, 0, 1}));
    const Impact through = moved({0, 0, -1});
    EXPECT_TRUE(through.hit && through.t == 0);
    for (const Vec3& by : {Vec3{0, 0, 0}, Vec3{0, 0, 0.01}, Vec3{0.1, 0.1, 0}, Vec3{0, 0, 1}}) {
        const Impact away = moved(by);
        EXPECT_TRUE(!away.hit && away.touching_at_start);
    }
}

TEST(TimeOfImpact, pairs_that_touch_exactly_are_always_hits)
{
    const Points x0 = {Vec3{0, 0, 0}, Vec3{-1, -1, 0}, Vec3{1, -1, 0}, Vec3{0, 1, 0}};
    for (const Vec3& by : {Vec3{0, 0, 1}, Vec3{0, 0, -1}, Vec3{0.1, 0, 0}}) {
        Points x1 = x0;
        x1[0] += by;
        const Impact found = vertex_face_impact(x0, x1, {.min_separation = 1e-4});
        EXPECT_TRUE(found.hit && found.t == 0 && found.touching_at_start);
        EXPECT_LE(dot(found.normal, by), 0);
        EXPECT_NEAR(norm(found.normal), 1, 1e-15);
    }
    // Edges that share a point, along one line, or of no length.
    const Vec3 o{};
    for (const Points& x :
         {Points{o, Vec3{1, 0, 0}, o, Vec3{0, 1, 0}},
          Points{o, Vec3{2, 0, 0}, Vec3{1, 0, 0}, Vec3{3, 0, 0}}, Points{o, o, o, o}}) {
        const Impact found = edge_edge_impact(x, x, {});
        EXPECT_TRUE(found.hit && found.t == 0);
        EXPECT_NEAR(norm(found.normal), 1, 1e-15);
    }
}

TEST(TimeOfImpact, sliding_past_does_not_stall)
{
    // A vertex slides 1 m over a face at a millionth of a metre above the separation.
    Points x0 = {Vec3{-0.5, 0, 1.1e-4}, Vec3{-1, -1, 0}, Vec3{1, -1, 0}, Vec3{0, 2, 0}};
    Points x1 = x0;
    x1[0][0] = 0.5;
    const ImpactOptions options{.min_separation = 1e-4, .max_iterations = 2};
    const Impact found = vertex_face_impact(x0, x1, options);
    EXPECT_TRUE(!found.hit && found.converged);
}

} // namespace
} // namespace pleat
