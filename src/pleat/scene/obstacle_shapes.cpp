// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/obstacle_shapes.hpp"

#include "pleat/model/shapes.hpp"

namespace pleat {

namespace {

Obstacle make(const PlaneDescription& d)
{
    return make_half_space("", d.point, d.normal, d.size);
}

Obstacle make(const SphereDescription& d)
{
    return make_sphere("", d.centre, d.radius, d.edge_length);
}

Obstacle make(const BoxDescription& d)
{
    return make_box("", d.centre, d.size);
}

Obstacle make(const CapsuleDescription& d)
{
    return make_capsule("", d.start, d.end, d.radius, d.edge_length);
}

} // namespace

Obstacle make_obstacle(const ShapeDescription& shape)
{
    return std::visit([](const auto& d) { return make(d); }, shape);
}

} // namespace pleat
