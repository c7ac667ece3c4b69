// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The step of an implicit integrator with contacts, as a minimisation.
//
// With the elastic forces linearised, the change w of the velocity minimises
//
//   phi(w) = w.S w / 2 - b.w + sum over touches of (push potential + dt friction potential),
//
// where S is symmetric and positive definite, pushes come from a convex potential with a continuous
// gradient, and so does friction for given normal forces (touch.hpp). Newton's method with an exact
// line search goes down in every pass, whatever contacts start or end. The linear solves are
// inexact: as accurate as the last pass has shown the linear model to be [Eisenstat1996]. The
// gradient is a force times dt, so the end is a stated bound on forces.
//
// Friction is Coulomb's law, which is no minimisation: the normal forces are refreshed between
// minimisations until friction stays as it is. The first minimisations are coarse.
#pragma once

#include "pleat/integrators/touch.hpp"
#include "pleat/linalg/dependencies.hpp"
#include "pleat/linalg/linear_solver.hpp"
#include "pleat/model/reports.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pleat {

struct ContactNewtonOptions {
    /// Settled: what is left of the forces, root of the sum of squares over the nodes, is below
    /// this share of the forces of contacts, or of all others, whichever is larger;
    double tolerance = 1e-4;
    /// and a refresh changes friction by less than this share of mu N, both added up.
    double friction_tolerance = 0.03;
    double friction_speed = 1e-4; // sticking contacts creep with less than this [m/s]
    int max_solves = 80;
    int max_refreshes = 30;
};

/// The problem of one step. What it refers to outlives it.
struct ContactProblem {
    BlockSystem& system; // S in own and off; its links are made here
    std::span<Touch> touches;
    std::span<const Vec3> base; // b
    std::span<const Vec3> x;    // the positions at the start of the step [m]
    std::span<const Vec3> fall; // the velocity at w = 0 [m/s]
    std::span<const Vec3> y;    // the positions at w = 0 [m]
    const Dependencies& dependencies;
    double dt;
    /// Forces times dt that count in any case, such as the weight [kg m/s]: norm over the nodes.
    double least_load = 0;
};

/// Keeps its arrays from one step to the next.
class ContactNewton {
public:
    /// Starts from the given candidate that has the least phi.
    /// \param starts candidates for w; rows of `system.fixed` have their given values in all of
    /// them \param w the result; the dependent rows of it are not set \return false where a linear
    /// solve failed; the report says why
    [[nodiscard]] bool minimise(const ContactProblem& problem, const ContactNewtonOptions& options,
                                std::span<const std::span<const Vec3>> starts, LinearSolver& solver,
                                std::span<Vec3> w, SolveReport& report);

private:
    // Weighted sums of free rows, by touch, and by row the touches that have it.
    struct Pull {
        std::uint32_t touch;
        double weight;
    };
    struct Place {
        double gap; // [m]
        Vec3 slip;  // [m/s]
    };

    void prepare(const ContactProblem& p);
    void place_touches(const ContactProblem& p, std::span<const Vec3> w);
    [[nodiscard]] double potential(const ContactProblem& p, std::span<const Vec3> w);
    void find_gradient(const ContactProblem& p);
    void make_links(const ContactProblem& p);
    [[nodiscard]] bool newton_pass(const ContactProblem& p, LinearSolver& solver, double target,
                                   std::span<Vec3> w, SolveReport& report);
    [[nodiscard]] double slope(const ContactProblem& p, double base_slope, double curvature,
                               double t) const;
    [[nodiscard]] double search_line(const ContactProblem& p) const;
    [[nodiscard]] double refresh(const ContactProblem& p, double drag_slip);
    void shift(const ContactProblem& p, std::span<Vec3> w) const;

    std::vector<std::uint32_t> start_, row_; // by touch; rows that are free of dependencies
    std::vector<double> weight_;
    std::vector<std::uint32_t> pull_start_; // by row
    std::vector<Pull> pulls_;
    std::vector<Place> fall_, place_; // at w = 0 and at w
    std::vector<Vec3> impulse_;       // of each touch [kg m/s]
    std::vector<Vec3> along_;         // of each touch: the sum of the direction
    std::vector<Vec3> product_, gradient_, direction_, direction_product_, rhs_;
    double load_ = 0, contact_ = 0, left_ = 0; // norms: of b, of contacts, of the gradient
    double forcing_ = 0;                       // tolerance of the next linear solve
};

} // namespace pleat
