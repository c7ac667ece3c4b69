// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/integrators/touch.hpp"

#include <algorithm>

namespace pleat {

Touch make_touch(const Proximity& p, std::span<const Vec3> x, std::span<const Vec3> v, double dt,
                 double friction_speed)
{
    Touch t;
    for (std::size_t i = 0; i < 4; ++i)
        if (is_some(p.nodes[i])) {
            t.rows[t.count] = index(p.nodes[i]);
            t.weights[t.count] = p.weights[i];
            ++t.count;
        }
    t.normal = p.normal;
    t.thickness = p.thickness;
    t.stiffness = p.stiffness;
    t.anchor_t0 = p.anchor_t0;
    t.anchor_t1 = p.anchor_t1;
    t.anchor_velocity = (p.anchor_t1 - p.anchor_t0) / dt;
    if (p.friction > 0) {
        const double pressed = p.stiffness * std::max(0.0, p.thickness - t.gap(x, 0));
        t.drag = p.friction * pressed / std::max(norm(t.slip(v)), friction_speed);
    }
    return t;
}

} // namespace pleat
