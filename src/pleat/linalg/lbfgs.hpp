// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Limited-memory BFGS: minimises a smooth function of many points, first derivatives only.
// Based on: [Nocedal2006] sec. 7.2 (two-loop recursion), started from a diagonal.
#pragma once

#include "pleat/linalg/minimizer.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace pleat {

/// Keeps its memory between calls: none is allocated when the size stays.
class Lbfgs {
public:
    /// Moves x from the guess it holds to a minimum.
    /// \param preconditioner as for NonlinearCg.
    [[nodiscard]] MinimizeReport minimize(Objective f, std::span<const double> preconditioner,
                                          const MinimizeOptions& options, StopTest stop,
                                          std::span<Vec3> x);

private:
    static constexpr std::size_t history = 8; // pairs kept; more gains little
    std::vector<Vec3> x0_, g0_, g_, d_;
    std::array<std::vector<Vec3>, history> s_, y_;
    std::array<double, history> rho_{};
    OrderedDot dot_;
};

} // namespace pleat
