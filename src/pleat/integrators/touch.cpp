// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/integrators/touch.hpp"

#include <algorithm>

namespace pleat {

Touch make_touch(const Proximity& p, std::span<const Vec3> x, std::span<const Vec3> v, double dt,
                 double friction_speed)
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
    if (p.friction > 0) {
        const double pressed = p.stiffness * std::max(0.0, p.thickness - t.gap(x, 0));
        t.drag = p.friction * pressed / std::max(norm(t.slip(v)), friction_speed);
    }
    return t;
}

double settle_friction(Touch& t, double pushed, const Vec3& slip, double friction_speed)
{
    if (t.friction == 0) return 0;
    const Vec3 before = t.friction_force(slip);
    const double most = t.friction * pushed, speed = norm(slip);
    if (most > t.most_drag * std::max(speed, friction_speed)) {
        const Vec3 force = (t.drag == t.most_drag ? t.grip : Vec3{}) + t.most_drag * slip;
        const double size = norm(force);
        t.drag = t.most_drag;
        t.grip = size > most ? force * (most / size) : force;
        t.along = size > most ? force / size : Vec3{};
    } else if (speed <= friction_speed) {
        t.grip = t.along = Vec3{};
        t.drag = most / friction_speed;
    } else {
        const Vec3 direction = slip / speed;
        // What slid may not slide back: then the drag holds it, and so it does where more friction
        // than before could turn the slip around.
        const bool too_strong = -dot(before, direction) >= most;
        t.drag = most / speed;
        t.along = too_strong ? direction : Vec3{};
        t.grip = too_strong ? most * direction : Vec3{};
    }
    return norm(t.friction_force(slip) - before);
}

} // namespace pleat
