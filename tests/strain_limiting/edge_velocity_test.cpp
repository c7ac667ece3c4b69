// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/strain_limiting/edge_velocity.hpp"

#include "mesh/zoo.hpp"
#include "pleat/mesh/measures.hpp"
#include "strain_limiting/sheets.hpp"

#include <gtest/gtest.h>

namespace pleat {
namespace {

TEST(EdgeVelocity, edges_end_between_rest_and_a_tenth_longer)
{
    cloths::Cloth c = cloths::make_cloth(
        zoo::grid(8, 8), sheets::limited_fabric(biphasic_limits.min, biphasic_limits.max));
    for (Vec3& x : c.state.x.values) x = {1.4 * x[0], 0.9 * x[1], 0.05 * x[0] * x[1]};
    cloths::shake(c.state, 1e-3, 1);
    StrainEdgeVelocityOptions o;
    o.max_iterations = 2000;
    StrainLimiterEdgeVelocity limiter(o);
    const LimitReport r = limiter.limit(c.model, {}, {}, 0.01, c.state);
    EXPECT_LE(r.worst_violation, 1e-3);
    const Mesh& mesh = c.model.mesh;
    for (EdgeId e : mesh.edges()) {
        const double rest = material_length(mesh, e, 0);
        const double strain =
            norm(c.state.x[mesh[e].nodes[1]] - c.state.x[mesh[e].nodes[0]]) / rest - 1;
        EXPECT_LE(strain, 0.1 + 1.001e-3);
        EXPECT_GE(strain, -1.001e-3);
    }
}

TEST(EdgeVelocity, impulse_of_one_edge_is_shared_by_mass_and_leaves_what_is_across)
{
    // One triangle with one edge too long: its ends approach by what is too much, the third node,
    // whose edges are inside, stays.
    cloths::Cloth c = cloths::make_cloth(zoo::grid(1, 1), sheets::limited_fabric(-0.5, 0.5));
    StrainEdgeVelocityOptions o;
    o.max_iterations = 1;
    StrainLimiterEdgeVelocity limiter(o);
    const Mesh& mesh = c.model.mesh;
    const Mesh::Edge& edge = mesh[make_id<EdgeId>(0)];
    const Vec3 a = c.state.x[edge.nodes[0]], b = c.state.x[edge.nodes[1]];
    const double dt = 0.1;
    c.state.x[edge.nodes[1]] = a + 1.8 * (b - a);
    const Vec3 before = c.state.x[edge.nodes[0]];
    (void)limiter.limit(c.model, {}, {}, dt, c.state);
    const Vec3 moved = c.state.x[edge.nodes[0]] - before;
    EXPECT_GT(dot(moved, b - a), 0);
    EXPECT_LT(norm(c.state.v[edge.nodes[0]] - moved / dt), 1e-12);
}

} // namespace
} // namespace pleat
