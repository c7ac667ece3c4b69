// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/linalg/block_system.hpp"

#include "pleat/core/error.hpp"

namespace pleat {

void BlockLinks::clear()
{
    start.assign(1, 0);
    row.clear();
    weight.clear();
    matrix.clear();
}

void BlockLinks::add(std::span<const std::uint32_t> rows, std::span<const double> weights,
                     const Mat3& m)
{
    PLEAT_ASSERT(rows.size() == weights.size(), "a weight a row");
    row.insert(row.end(), rows.begin(), rows.end());
    weight.insert(weight.end(), weights.begin(), weights.end());
    matrix.push_back(m);
    start.push_back(static_cast<std::uint32_t>(row.size()));
}

void BlockLinks::add(const Dependencies& dependencies, std::span<const std::uint32_t> rows,
                     std::span<const double> weights, const Mat3& m)
{
    dependencies.visit_sum(rows, weights, [&](std::uint32_t free_row, double w) {
        row.push_back(free_row);
        weight.push_back(w);
    });
    start.push_back(static_cast<std::uint32_t>(row.size()));
    matrix.push_back(m);
}

void multiply_internal(const BlockPattern& pattern, std::span<const Mat3> off,
                       std::span<const Vec3> x, std::span<Vec3> y)
{
    parallel_for(pattern.row_count(), [&](std::size_t i) {
        Vec3 sum{};
        const Vec3 xi = x[i];
        for (std::uint32_t s = pattern.row_start[i]; s < pattern.row_start[i + 1]; ++s)
            sum += off[s] * (x[pattern.column[s]] - xi);
        y[i] = sum;
    });
}

void multiply(const BlockSystem& a, std::span<const Vec3> x, std::span<Vec3> y)
{
    multiply_internal(*a.pattern, a.off, x, y);
    parallel_for(a.row_count(), [&](std::size_t i) { y[i] += a.own[i] * x[i]; });
    for (std::size_t l = 0; l < a.links.size(); ++l) {
        Vec3 sum{};
        for (std::uint32_t k = a.links.start[l]; k < a.links.start[l + 1]; ++k)
            sum += a.links.weight[k] * x[a.links.row[k]];
        sum = a.links.matrix[l] * sum;
        for (std::uint32_t k = a.links.start[l]; k < a.links.start[l + 1]; ++k)
            y[a.links.row[k]] += a.links.weight[k] * sum;
    }
}

std::vector<Mat3> diagonal_blocks(const BlockSystem& a)
{
    std::vector<Mat3> d(a.row_count());
    parallel_for(a.row_count(), [&](std::size_t i) {
        Mat3 sum = a.own[i];
        for (std::uint32_t s = a.pattern->row_start[i]; s < a.pattern->row_start[i + 1]; ++s)
            sum -= a.off[s];
        // Exactly symmetric, whatever the order of the sum did.
        d[i] = (sum + transpose(sum)) * 0.5;
    });
    for (std::size_t l = 0; l < a.links.size(); ++l)
        for (std::uint32_t k = a.links.start[l]; k < a.links.start[l + 1]; ++k) {
            const double w = a.links.weight[k];
            d[a.links.row[k]] += a.links.matrix[l] * (w * w);
        }
    return d;
}

} // namespace pleat
