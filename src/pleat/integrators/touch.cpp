// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/integrators/touch.hpp"

namespace pleat {

Touch make_touch(const Proximity& p, double dt)
{
    Touch t;
    t.count = p.node_count();
    for (std::size_t i = 0; i < t.count; ++i) t.rows[i] = index(p.nodes[i]);
    t.weights = p.weights;
    t.normal = p.normal;
    t.thickness = p.thickness;
    t.stiffness = p.stiffness;
    t.firm = p.firm;
    t.friction = p.friction;
    t.anchor_t0 = p.anchor_t0;
    t.anchor_t1 = p.anchor_t1;
    t.anchor_velocity = (p.anchor_t1 - p.anchor_t0) / dt;
    return t;
}

double refresh_friction(Touch& t, double pushed, const Vec3& slip, double drag_slip)
{
    if (t.friction == 0) return 0;
    const Vec3 before = t.friction_force(slip);
    t.most_friction = t.friction * pushed;
    t.hold = std::min(t.most_friction / drag_slip, t.most_hold);
    const double size = norm(before);
    t.grip = before * (size > t.most_friction ? -t.most_friction / size : -1.0);
    return norm(t.friction_force(slip) - before);
}

} // namespace pleat
