// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Rows (nodes) that are fixed weighted sums of other rows, as a T-vertex is the midpoint of the
// edge that it lies on. Based on: [Wang2002] sec. 5.
//
// With x_free the values of the free rows, all values are x = P x_free, where P has one row of
// weights for each dependent row. A force f on all rows is P^T f on the free rows, and a stiffness
// K is P^T K P. The functions below apply P and P^T to arrays that have a place for every row; the
// places of dependent rows are ignored on input and filled by follow().
//
// Weights are positive and sum to 1: a dependent row lies between its parents, a translation moves
// it along, and sums of mass or of force stay the same when they are folded onto the parents.
#pragma once

#include "pleat/core/vec.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pleat {

struct Dependencies {
    struct Parent {
        std::uint32_t row;
        double weight;
        bool operator==(const Parent&) const = default;
    };
    std::vector<std::uint32_t> start; // by row, and one more; empty: every row is free
    std::vector<Parent> parents;      // none of a free row; parents are free rows

    bool operator==(const Dependencies&) const = default;
    [[nodiscard]] bool empty() const { return start.empty(); }
    /// Empty where the row is free. Rows beyond the arrays are free: points of obstacles, and nodes
    /// that an edit of the mesh has just made.
    [[nodiscard]] std::span<const Parent> of(std::uint32_t row) const
    {
        if (row + std::size_t{1} >= start.size()) return {};
        return std::span(parents).subspan(start[row], start[row + 1] - start[row]);
    }
    [[nodiscard]] bool depends(std::uint32_t row) const { return !of(row).empty(); }

    /// Calls visit(free_row, weight) for the row itself or, where it depends on others, for these.
    template <class Visit> void visit(std::uint32_t row, double weight, Visit&& visit) const
    {
        const auto all = of(row);
        if (all.empty()) visit(row, weight);
        for (const Parent& p : all) visit(p.row, weight * p.weight);
    }
    /// The same for a weighted sum of several rows; a free row is visited once, with all its
    /// weight. Weights that cancel but for rounding are left out.
    template <class Visit>
    void visit_sum(std::span<const std::uint32_t> rows, std::span<const double> weights,
                   Visit&& visit) const;
};

/// One row as a weighted sum of others, which may depend on others in turn.
struct Dependency {
    std::uint32_t row;
    std::vector<Dependencies::Parent> parents;
};

/// Puts free rows in place of parents that are dependent themselves.
/// \throw std::invalid_argument where find_problem() would find something, or rows depend on
/// themselves, or a row is listed twice; the message names the row.
[[nodiscard]] Dependencies make_dependencies(std::size_t row_count,
                                             std::span<const Dependency> list);

/// What is wrong with the dependencies of so many rows: a parent that is not a free row, weights
/// that are not positive or do not sum to 1, arrays that do not fit. Empty: nothing.
[[nodiscard]] std::string find_problem(const Dependencies& dependencies, std::size_t row_count);

/// values = P values: each dependent row takes the weighted sum of its parents.
void follow(const Dependencies& dependencies, std::span<Vec3> values);
/// Whether follow() would change nothing, not even a bit.
[[nodiscard]] bool follows(const Dependencies& dependencies, std::span<const Vec3> values);

/// values = P^T values: what dependent rows have is added to their parents, and they keep zero. Of
/// matrices this is the lumped form of P^T K P, which is at least as stiff.
void fold(const Dependencies& dependencies, std::span<double> values);
void fold(const Dependencies& dependencies, std::span<Vec3> values);
void fold(const Dependencies& dependencies, std::span<Mat3> values);

/// Marks the dependent rows of which a parent is marked.
void mark_dependents(const Dependencies& dependencies, std::span<std::uint8_t> marks);

/// Renumbers the rows, as after reorder() of a mesh. A dependent row may be removed without further
/// effect. \param new_row by old row; no_row: the row is gone. \pre no parent of a row that stays
/// is gone
void reorder(Dependencies& dependencies, std::span<const std::uint32_t> new_row,
             std::size_t new_count);

// --- inline -------------------------------------------------------------------------------------

template <class Visit>
void Dependencies::visit_sum(std::span<const std::uint32_t> rows, std::span<const double> weights,
                             Visit&& visit) const
{
    if (empty()) {
        for (std::size_t i = 0; i < rows.size(); ++i) visit(rows[i], weights[i]);
        return;
    }
    constexpr double cancelled = 1e-9; // share of the largest weight
    std::vector<Parent> sum;
    double most = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
        this->visit(rows[i], weights[i], [&](std::uint32_t row, double weight) {
            most = weight > most ? weight : -weight > most ? -weight : most;
            for (Parent& p : sum)
                if (p.row == row) {
                    p.weight += weight;
                    return;
                }
            sum.push_back({row, weight});
        });
    for (const Parent& p : sum)
        if (p.weight > cancelled * most || p.weight < -cancelled * most) visit(p.row, p.weight);
}

} // namespace pleat
