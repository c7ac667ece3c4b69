// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Conjugate gradients with block-Jacobi preconditioner, filtered for fixed nodes.
// Based on: [Baraff1998] sec. 5 (filter).
//
// Blocks and vectors are float, four lanes a node; dot products are summed in double in a fixed
// order; and when the recurrence says that it is done, the residual is taken afresh in double with
// the double matrix, and iteration goes on from there until that one is small. So the tolerance
// holds in double although nearly all work is in float. Where nothing is fixed, the translation of
// the whole is solved for exactly, so that momentum is kept to rounding. Where CG needs too many
// iterations or meets a matrix that is not positive, a direct factor steps in (cholesky.hpp).
#pragma once

#include "pleat/linalg/linear_solver.hpp"

#include <memory>

namespace pleat {

struct CgOptions {
    double tolerance = 1e-5;   // on the relative residual; 1e-3 is visibly too loose
    int max_iterations = 3000; // in all; a direct factor costs as much as a few thousand
    bool fallback = true;      // to Cholesky
};

class LinearSolverCg final : public LinearSolver {
public:
    explicit LinearSolverCg(const CgOptions& options = {});
    ~LinearSolverCg() override;

    [[nodiscard]] LinearReport solve(const BlockSystem& a, std::span<const Vec3> b,
                                     std::span<Vec3> x) override;

private:
    struct Work;
    [[nodiscard]] bool refine(const BlockSystem& a, std::span<const Vec3> b, double load,
                              std::span<Vec3> x, LinearReport& report);
    CgOptions options_;
    std::unique_ptr<Work> work_;
    std::unique_ptr<LinearSolver> direct_; // made when first needed
};

} // namespace pleat
