// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The velocity at the end of a step after impulses in the middle of it.
// Based on: [Bridson2002] sec. 7.6, [Bender2013] sec. 6.
//
// There the average velocity v', changed by impulses, is taken to the end of the step by an
// equation implicit in the velocity, v^{n+1} = v' + dt/2 a(x^{n+1}, v^{n+1}), and where no impulse
// acted the integrator's own end velocity stands. We solve for the difference to that velocity:
// with c the change of the average velocity, and so dt c that of the positions,
//
//   (M + dt/2 D + dt^2/2 K) dv = M c,   v^{n+1} = (the integrator's) + dv.
//
// The neighbours of a node that was hit take part at once, damping acts on what the impulses did,
// and what no impulse reaches keeps its velocity. Momentum is conserved: D and K do not resist
// translations.
// Departs from [Bridson2002]: the change of the elastic forces is taken at the end of the step (K
// on the left side), as suits an implicit integrator; explicitly it would be unstable at such
// steps. And by differences, since the velocity of backward Euler is that of the end and the
// average in one: it would be given the acceleration of half a step too much.
#pragma once

#include "pleat/core/vec.hpp"
#include "pleat/model/loads.hpp"
#include "pleat/model/model.hpp"

#include <memory>
#include <span>

namespace pleat {

class FinalVelocity {
public:
    FinalVelocity();
    ~FinalVelocity();

    /// Adds dv to the velocities. Pinned nodes keep theirs. Where the solve fails the change itself
    /// is added.
    /// \param x at the end of the step [m]
    /// \param change of the average velocity, by node [m/s]
    void add(const Model& model, const Loads& loads, std::span<const Vec3> x,
             std::span<const Vec3> change, double dt, std::span<Vec3> v);
    void mesh_changed();

private:
    struct Work;
    std::unique_ptr<Work> work_;
};

} // namespace pleat
