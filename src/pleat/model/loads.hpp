// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// External forces and constraints during one step; made by the loads folder, read by the
// integrators.
#pragma once

#include "pleat/core/ids.hpp"
#include "pleat/core/vec.hpp"

#include <vector>

namespace pleat {

/// A node that ends the step at x_t1 exactly, with velocity v_t1.
struct Pin {
    NodeId node = no_node;
    Vec3 x_t1{};
    Vec3 v_t1{};
};

/// A node drawn to a target: force stiffness * (target - x), taken at the end of the step.
struct Spring {
    NodeId node = no_node;
    Vec3 target{};
    double stiffness = 0; // [N/m]
};

struct Loads {
    Vec3 gravity{};          // acceleration [m/s^2]
    std::vector<Vec3> force; // by NodeId [N]; empty: none. Wind and the like, at t0
    std::vector<Mat3> drag;  // by NodeId [kg/s]; empty: none. -d force / d v, symmetric psd
    std::vector<Pin> pins;   // each node at most once; dependent nodes never
    std::vector<Spring> springs;
};

} // namespace pleat
