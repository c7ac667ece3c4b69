// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Direct solver: supernodal Cholesky by CHOLMOD [Chen2008], or Eigen's simplicial one where Pleat
// is built without it (PLEAT_CHOLMOD=OFF), which is only good for a few thousand faces.
//
// The fill-reducing order is found on the graph of nodes (METIS or AMD, whichever fills less) and
// kept with the symbolic factor until the pattern or the links change. BLAS and CHOLMOD are held
// to one thread, so that the bits do not depend on the machine's cores.
#pragma once

#include "pleat/linalg/linear_solver.hpp"

#include <memory>

namespace pleat {

class LinearSolverCholesky final : public LinearSolver {
public:
    LinearSolverCholesky();
    ~LinearSolverCholesky() override;

    /// What rounding leaves of stiff systems, with a margin.
    [[nodiscard]] double tolerance() const override { return 1e-9; }
    [[nodiscard]] LinearReport solve(const BlockSystem& a, std::span<const Vec3> b,
                                     std::span<Vec3> x) override;
    [[nodiscard]] LinearReport correct(const BlockSystem& a, std::span<const Vec3> b,
                                       double tolerance, std::span<Vec3> x) override;

private:
    struct Work;
    std::unique_ptr<Work> work_;
};

} // namespace pleat
