// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Backward Euler, linearised once (or by Newton's method), with handles and contacts in the solve.
// Based on: [Baraff1998] (linearly implicit, filtered), [Narain2012] sec. 3.
//
// The unknown is the velocity beyond what gravity alone would give, so that free fall needs no
// solve and has no solver error in it. The strain-dependent stiffness of measured fabrics is
// evaluated at the start of the step. With more than one iteration each step minimises
//
//   |V - v*|^2_M / 2 + U(x + dt V) + dt/2 V.D.V + springs + contacts,   v* = v + dt g,
//
// D the damping matrix at the start, by Newton's method with backtracking.
//
// Contacts (model/contacts.hpp) push linearly below their thickness, as firmly as the cloth is
// stiff below `firm`, and never pull. Friction is Coulomb's: mu N against the slip of a sliding
// contact; one that sticks creeps with less than friction_speed. The step minimises elastic energy,
// inertia and contacts together (contact_newton.hpp).
#pragma once

#include "pleat/integrators/integrator.hpp"
#include "pleat/linalg/linear_solver.hpp"

#include <memory>

namespace pleat {

struct BackwardEulerOptions {
    int newton_iterations = 1;      // 1: linearly implicit
    double newton_tolerance = 1e-8; // on the last iteration's change of velocity, relative
    double friction_speed = 1e-4;   // below which a contact sticks [m/s]
};

/// Where a step's time went [ms].
struct BackwardEulerTimes {
    double pattern = 0;  // rest shapes, pattern, slots: once a mesh
    double assembly = 0; // forces and matrix
    double analysis = 0; // of a direct solver
    double factor = 0;   // numeric factor, or making the preconditioner
    double solve = 0;
};

class IntegratorBackwardEuler final : public Integrator {
public:
    /// \param solver none: conjugate gradients with default options.
    explicit IntegratorBackwardEuler(const BackwardEulerOptions& options = {},
                                     std::unique_ptr<LinearSolver> solver = {});
    ~IntegratorBackwardEuler() override;

    [[nodiscard]] SolveReport advance(const Model& model, const State& in, const Loads& loads,
                                      const Contacts& contacts, double dt, State& out) override;
    void mesh_changed() override;

    [[nodiscard]] const BackwardEulerTimes& last_times() const;

private:
    struct Work;
    BackwardEulerOptions options_;
    std::unique_ptr<LinearSolver> solver_;
    std::unique_ptr<Work> work_;
};

} // namespace pleat
