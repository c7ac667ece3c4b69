// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Nonlinear conjugate gradients: minimises a smooth function of many points, first derivatives
// only.
// Based on: [Nocedal2006] sec. 5.2 (Polak-Ribiere with restarts), preconditioned by a diagonal.
#pragma once

#include "pleat/linalg/minimizer.hpp"

#include <span>
#include <vector>

namespace pleat {

/// Keeps its memory between calls: none is allocated when the size stays.
class NonlinearCg {
public:
    /// Moves x from the guess it holds to a minimum.
    /// \param preconditioner by point: about the inverse of the function's second derivatives; a
    ///        zero holds the point where it is. Same size as x.
    [[nodiscard]] MinimizeReport minimize(Objective f, std::span<const double> preconditioner,
                                          const MinimizeOptions& options, StopTest stop,
                                          std::span<Vec3> x);

private:
    std::vector<Vec3> x0_, g0_, g_, z_, d_;
    OrderedDot dot_;
};

} // namespace pleat
