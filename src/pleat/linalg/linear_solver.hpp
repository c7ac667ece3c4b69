// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Solvers of the system of one implicit step, behind one interface.
#pragma once

#include "pleat/linalg/block_system.hpp"

#include <span>
#include <string>

namespace pleat {

struct LinearReport {
    bool ok = true;
    std::string trouble;    // why not ok, in words
    int iterations = 0;     // of CG
    int fallbacks = 0;      // 1: a direct factor stepped in
    double residual = 0;    // |b - A x| / |b| over the free rows, in double
    double ms_analysis = 0; // ordering and symbolic factor [ms]
    double ms_factor = 0;   // numeric factor, or making the preconditioner [ms]
    double ms_solve = 0;    // [ms]
};

class LinearSolver {
public:
    virtual ~LinearSolver() = default;

    /// The relative residual that solve() brings about by itself.
    [[nodiscard]] virtual double tolerance() const = 0;

    /// Solves A x = b on the free rows; x of the fixed rows is given and kept, x of the others is
    /// the first guess. On trouble x is the best that was found.
    /// \pre A is symmetric positive definite on the free rows; sizes agree.
    [[nodiscard]] virtual LinearReport solve(const BlockSystem& a, std::span<const Vec3> b,
                                             std::span<Vec3> x) = 0;

    /// Solves A x = b from x = 0 on the free rows, to a relative residual of `tolerance` as far as
    /// the solver can tell without looking: for callers that find the residual themselves and come
    /// again. x of the fixed rows becomes zero. \pre as above
    [[nodiscard]] virtual LinearReport correct(const BlockSystem& a, std::span<const Vec3> b,
                                               double tolerance, std::span<Vec3> x) = 0;
};

} // namespace pleat
