// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Conjugate gradients, preconditioned by a multigrid cycle (multigrid.hpp), filtered for fixed
// nodes. Based on: [Baraff1998] sec. 5 (filter).
//
// Blocks and vectors are float, four lanes a node; dot products are summed in double in a fixed
// order; and when the recurrence says that it is done, the residual is taken afresh in double with
// the double matrix, and iteration goes on from there until that one is small. So the tolerance
// holds in double although nearly all work is in float. Where nothing is fixed, the translation of
// the whole is solved for exactly, so that momentum is kept to rounding. Where CG needs too many
// iterations or meets a matrix that is not positive, a direct factor steps in (cholesky.hpp), and
// for all further solves with the same blocks too.
#pragma once

#include "pleat/linalg/linear_solver.hpp"

#include <memory>

namespace pleat {

struct CgOptions {
    double tolerance = 1e-5; // on the relative residual
    /// At most this many, in all; 0: as many as a direct factor takes time for, about (cg.cpp).
    int max_iterations = 0;
    bool fallback = true; // to Cholesky
};

class LinearSolverCg final : public LinearSolver {
public:
    explicit LinearSolverCg(const CgOptions& options = {});
    ~LinearSolverCg() override;

    [[nodiscard]] double tolerance() const override { return options_.tolerance; }
    [[nodiscard]] LinearReport solve(const BlockSystem& a, std::span<const Vec3> b,
                                     std::span<Vec3> x) override;
    /// One round in float.
    [[nodiscard]] LinearReport correct(const BlockSystem& a, std::span<const Vec3> b,
                                       double tolerance, std::span<Vec3> x) override;

private:
    struct Work;
    [[nodiscard]] int max_iterations(std::size_t row_count) const;
    [[nodiscard]] bool refine(const BlockSystem& a, std::span<const Vec3> b, double load,
                              std::span<Vec3> x, LinearReport& report);
    [[nodiscard]] LinearReport finish(const BlockSystem& a, std::span<const Vec3> b,
                                      bool is_definite, double tolerance, std::span<Vec3> x,
                                      LinearReport report);
    CgOptions options_;
    std::unique_ptr<Work> work_;
    std::unique_ptr<LinearSolver> direct_; // made when first needed
};

} // namespace pleat
