// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Idea. For any unit vector n, the features A and B are at least
//     g_n(t) = min over corners a of A, b of B of n . (a(t) - b(t))
// apart, because they are convex. With fixed n each n . (a - b) is linear in t, so the first time
// at which g_n falls to a given value is a division away. Take for n the nearest direction at the
// current time, where g_n is the distance itself; go to where g_n reaches the separation; repeat.
//
// The result is safe for any n: a poor n (a needle, edges nearly parallel) only makes g_n smaller
// than the distance, hence steps shorter and hits earlier. What is left is the rounding of the n .
// (a - b), bounded by `noise` below.
//
// Each step but the last advances by at least slack / 2 over the relative speed, so the loop ends;
// near a transversal impact it converges like Newton's method, near a grazing one it halves the
// gap each time.
#include "pleat/geometry/time_of_impact.hpp"

#include "pleat/core/error.hpp"
#include "pleat/geometry/distance.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstddef>

namespace pleat {

namespace {

using Points = std::array<Vec3, 4>;

struct Gap {
    Vec3 vector; // from the second feature to the first
    std::array<double, 4> weights;
};

Gap weighted_gap(const Points& x, const std::array<double, 4>& weights)
{
    Vec3 sum = x[0] * weights[0];
    for (std::size_t i = 1; i < 4; ++i) sum += x[i] * weights[i];
    return {sum, weights};
}

/// Which corners belong to the first feature, how near the features are, and which way they face
/// where they touch.
struct VertexFace {
    static constexpr std::size_t first_count = 1;

    static Gap gap(const Points& x)
    {
        const PointTriangleDistance d = point_triangle_distance(x[0], x[1], x[2], x[3]);
        return weighted_gap(x, {1, -d.weights[0], -d.weights[1], -d.weights[2]});
    }
    static Vec3 facing(const Points& x) { return cross(x[2] - x[1], x[3] - x[1]); }
};

struct EdgeEdge {
    static constexpr std::size_t first_count = 2;

    static Gap gap(const Points& x)
    {
        const SegmentSegmentDistance d = segment_segment_distance(x[0], x[1], x[2], x[3]);
        return weighted_gap(x, {1 - d.s, d.s, -(1 - d.t), -d.t});
    }
    static Vec3 facing(const Points& x) { return cross(x[1] - x[0], x[3] - x[2]); }
};

/// The gap along a direction as a function of time: each pair of corners is a line.
template <class Feature> struct Support {
    static constexpr std::size_t count = Feature::first_count * (4 - Feature::first_count);
    std::array<double, count> value, slope;

    Support(const Vec3& n, const Points& x, const Points& motion)
    {
        std::array<double, 4> height{}, speed{};
        std::size_t k = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            height[i] = dot(n, x[i]);
            speed[i] = dot(n, motion[i]);
        }
        for (std::size_t i = 0; i < Feature::first_count; ++i)
            for (std::size_t j = Feature::first_count; j < 4; ++j, ++k) {
                value[k] = height[i] - height[j];
                slope[k] = speed[i] - speed[j];
            }
    }

    [[nodiscard]] double gap() const { return *std::min_element(value.begin(), value.end()); }

    /// The gap after dt of unchanged motion.
    [[nodiscard]] double gap_after(double dt) const
    {
        double least = value[0] + dt * slope[0];
        for (std::size_t k = 1; k < count; ++k) least = std::min(least, value[k] + dt * slope[k]);
        return least;
    }

    /// Time until the gap falls to `aim`. \pre gap() > aim
    [[nodiscard]] double time_to(double aim) const
    {
        double dt = DBL_MAX;
        for (std::size_t k = 0; k < count; ++k)
            if (slope[k] < 0) dt = std::min(dt, (value[k] - aim) / -slope[k]);
        return dt;
    }
};

double largest(const Points& x)
{
    double size = 0;
    for (const Vec3& p : x)
        for (std::size_t k = 0; k < 3; ++k) size = std::max(size, std::abs(p[k]));
    return size;
}

/// A direction that separates features that touch exactly: normal to both, and against their
/// motion.
template <class Feature>
Vec3 parting_direction(const Points& x, const Points& motion, const std::array<double, 4>& weights)
{
    const Vec3 approach = weighted_gap(motion, weights).vector;
    Vec3 n = normalized(Feature::facing(x));
    if (norm2(n) == 0) n = normalized(approach) * -1.0;
    if (norm2(n) == 0) n = {0, 0, 1};
    return dot(n, approach) > 0 ? -n : n;
}

template <class Feature>
Impact find_impact(const Points& x0, const Points& x1, const ImpactOptions& options)
{
    PLEAT_ASSERT(options.min_separation >= 0 && options.slack >= 0,
                 "separation and slack are not negative");
    // Relative to one corner and without the common motion, so that rounding is in proportion to
    // the size of the features and not to where they are.
    Points start{}, motion{};
    Vec3 common{};
    for (std::size_t i = 0; i < 4; ++i) {
        start[i] = x0[i] - x0[0];
        motion[i] = x1[i] - x0[i];
        common += motion[i] * 0.25;
    }
    for (Vec3& m : motion) m -= common;
    // Each coordinate passes through at most four roundings before the dot product with n, which
    // adds four more over three terms: 2 * 3 * 8 eps/2 of the size, for both corners of a pair.
    const double noise = 32 * DBL_EPSILON * (largest(start) + largest(motion));
    const double separation = options.min_separation;
    const double slack = std::max(options.slack * separation, 8 * noise);
    const double reach = separation + slack, aim = separation + slack / 2;

    Impact result;
    // Most pairs stay apart along the line through their centres at half time; that is cheaper to
    // see than how near they are. The least of lines is concave: its ends decide.
    Vec3 line{};
    for (std::size_t i = 0; i < 4; ++i) {
        const double share = i < Feature::first_count ? 1.0 / Feature::first_count
                                                      : -1.0 / (4 - Feature::first_count);
        line += share * (start[i] + 0.5 * motion[i]);
    }
    const Support<Feature> across(line, start, motion);
    const double apart = std::min(across.gap(), across.gap_after(1)), far = reach + 2 * noise;
    if (apart > 0 && apart * apart > far * far * norm2(line)) {
        result.apart = apart / norm(line) - 2 * noise;
        return result;
    }

    double t = 0;
    Points x = start;
    for (int iteration = 0; iteration < options.max_iterations; ++iteration) {
        for (std::size_t i = 0; i < 4; ++i) x[i] = start[i] + motion[i] * t;
        const Gap gap = Feature::gap(x);
        const double distance = norm(gap.vector);
        result.t = t;
        result.weights = gap.weights;
        result.normal = distance > 0 ? gap.vector / distance : Vec3{};

        const Support<Feature> support(result.normal, x, motion);
        const double bound = support.gap();
        if (t == 0) result.apart = std::max(0.0, std::min(bound, support.gap_after(1)) - 2 * noise);
        if (bound <= reach) {
            result.hit = true;
            if (t == 0) {
                result.touching_at_start = true;
                // The least of lines is concave: no lower at the end, no lower on the way.
                if (bound > 2 * noise && support.gap_after(1) >= bound) {
                    result.hit = false;
                    result.t = 1;
                    return result;
                }
            }
            if (distance <= 2 * noise)
                result.normal = parting_direction<Feature>(x, motion, gap.weights);
            return result;
        }
        const double dt = support.time_to(aim);
        if (t + dt >= 1) {
            result.t = 1;
            return result;
        }
        if (t + dt == t) break;
        t += dt;
    }
    result.hit = true;
    result.converged = false;
    return result;
}

} // namespace

Impact vertex_face_impact(const std::array<Vec3, 4>& x0, const std::array<Vec3, 4>& x1,
                          const ImpactOptions& options)
{
    return find_impact<VertexFace>(x0, x1, options);
}

Impact edge_edge_impact(const std::array<Vec3, 4>& x0, const std::array<Vec3, 4>& x1,
                        const ImpactOptions& options)
{
    return find_impact<EdgeEdge>(x0, x1, options);
}

} // namespace pleat
