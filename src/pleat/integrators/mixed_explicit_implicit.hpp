// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Elastic forces explicit, damping implicit: second order, hardly any numerical damping.
// Based on: [Bridson2003] sec. 3.
//
//   monotone                                        leapfrog_trapezoid (one solve less)
//   v~      = v^n + dt/2 a(x^n, v~)       implicit   v*      = v^n + dt/2 a(x^n, v^n) explicit
//   modify v~                                        v~      = v*, modified
//   x^{n+1} = x^n + dt v~                            x^{n+1} = x^n + dt v~
//   v*      = v^n + dt/2 a(x^n, v^n)      explicit
//   v^{n+1} = v* + dt/2 a(x^{n+1}, v^{n+1}) implicit v^{n+1} = v* + dt/2 a(x^{n+1}, v^{n+1})
//   modify v^{n+1}                                   implicit; modify v^{n+1}
//
// "Modify" applies strain limits and collisions (ModifyMotion): v~ such that the new positions are
// inside the limits and the motion crosses nothing, v^{n+1} such that the next motion would stay
// so. That needs contacts found for each of these short steps, and so advance_modified() takes one
// of them at a time. advance() without modifications cuts a longer dt itself.
//
// "Implicit" is in the velocity only: damping, drag and friction, linear in v with a symmetric
// positive matrix. Stable for dt < 2 / omega, omega^2 bounded by the largest row sum of M^-1 K
// (Gershgorin); the bound is in the report, and a longer dt is cut into equal inner steps below it.
// Departs from [Bridson2003]: the damping matrix is assembled, since the bound needs its pattern
// anyway, and solved with the block-Jacobi CG of linalg. The strain-dependent stiffness of measured
// fabrics is evaluated at every inner step.
#pragma once

#include "pleat/integrators/integrator.hpp"

#include <memory>

namespace pleat {

struct MixedOptions {
    enum class Variant { monotone, leapfrog_trapezoid };
    Variant variant = Variant::monotone;
    double safety = 0.9;          // fraction of the stability bound to use
    double tolerance = 1e-9;      // of the damping solve, relative
    int max_inner_steps = 20000;  // of advance(); more than this is trouble
    double friction_speed = 1e-4; // below which a contact sticks [m/s]
};

class IntegratorMixedExplicitImplicit final : public Integrator {
public:
    explicit IntegratorMixedExplicitImplicit(const MixedOptions& options = {});
    ~IntegratorMixedExplicitImplicit() override;

    [[nodiscard]] SolveReport advance(const Model& model, const State& in, const Loads& loads,
                                      const Contacts& contacts, double dt, State& out) override;
    [[nodiscard]] SolveReport advance_modified(const Model& model, const State& in,
                                               const Loads& loads, const Contacts& contacts,
                                               ModifyMotion modify, double dt, State& out) override;
    void mesh_changed() override;

private:
    SolveReport run(const Model& model, const State& in, const Loads& loads,
                    const Contacts& contacts, const ModifyMotion* modify, double dt, State& out);

    struct Work;
    MixedOptions options_;
    std::unique_ptr<Work> work_;
};

} // namespace pleat
