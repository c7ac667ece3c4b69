// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// What the minimisers of smooth functions of many points share: the function, when to stop, the
// report, sums in a fixed order and the search along a line.
// Based on: [Nocedal2006] ch. 3 (Wolfe conditions, bracketing).
#pragma once

#include "pleat/core/function_ref.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/core/vec.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace pleat {

/// The value at x; writes the gradient there.
using Objective = FunctionRef<double(std::span<const Vec3> x, std::span<Vec3> gradient)>;

/// Asked after each iteration, at the point that was evaluated last; true ends the minimisation.
using StopTest = FunctionRef<bool()>;

struct MinimizeOptions {
    int max_iterations = 1000;
    /// Done when sqrt(g . P g) fell to this share of what it was at the start, P the
    /// preconditioner.
    double tolerance = 1e-6;
};

struct MinimizeReport {
    bool converged = false; // to the tolerance
    bool stopped = false;   // by the stop test
    int iterations = 0;
    int evaluations = 0; // of the function
    double value = 0;
};

/// Dot products in a fixed order, the same bits for any thread count, in memory of their own: no
/// allocation once the size is known.
class OrderedDot {
public:
    void resize(std::size_t count);
    [[nodiscard]] double operator()(std::span<const Vec3> a, std::span<const Vec3> b);

private:
    std::vector<double> partial_;
};

struct LineSearchResult {
    bool ok = false; // a lower value was found; else x is where it was
    double step = 0;
    double value = 0;
    double slope = 0; // along the direction
    int evaluations = 0;
};

struct LineSearchStart {
    std::span<const Vec3> x;
    std::span<const Vec3> direction;
    double value = 0;
    double slope = 0;       // gradient . direction, negative
    double first_step = 1;  // to try
    double curvature = 0.9; // how small the slope must become, as a share of the first
};

/// Finds a step with sufficient decrease and a small enough slope (strong Wolfe conditions), or
/// the lowest point it met. x and gradient are those of the step returned, which was evaluated
/// last.
[[nodiscard]] LineSearchResult line_search(Objective f, const LineSearchStart& from,
                                           std::span<Vec3> x, std::span<Vec3> gradient,
                                           OrderedDot& dot);

} // namespace pleat
