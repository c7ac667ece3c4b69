// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A node's vector is four floats, the fourth always zero. A block is nine floats by column, read as
// three overlapping loads of four; what the fourth lane then holds is masked away once a row. The
// product uses differences x_j - x_i (block_system.hpp), so the diagonal of the internal part is
// never rounded to float. Links do the same with differences to their first node.
#include "pleat/linalg/cg.hpp"

#include "pleat/core/error.hpp"
#include "pleat/core/simd.hpp"
#include "pleat/core/stage_times.hpp"
#include "pleat/linalg/cholesky.hpp"

#include <cmath>
#include <numeric>

namespace pleat {

namespace {

constexpr std::size_t rows_per_chunk = 512;

Float4 make4(const Vec3& v, double scale)
{
    return Float4{static_cast<float>(v[0] * scale), static_cast<float>(v[1] * scale),
                  static_cast<float>(v[2] * scale), 0.0f};
}

void store_columns(const Mat3& m, float* p)
{
    for (std::size_t j = 0; j < 3; ++j)
        for (std::size_t i = 0; i < 3; ++i) p[3 * j + i] = static_cast<float>(m(i, j));
}

/// The matrix p points to, nine floats by column, times v. Reads one float beyond.
Float4 times(const float* p, Float4 v)
{
    return load4(p) * splat(v[0]) + load4(p + 3) * splat(v[1]) + load4(p + 6) * splat(v[2]);
}

double sum_in_order(const std::vector<double>& partial)
{
    double s = 0;
    for (double p : partial) s += p;
    return s;
}

double free_norm(const BlockSystem& a, std::span<const Vec3> v)
{
    return std::sqrt(
        parallel_sum(v.size(), [&](std::size_t i) { return a.is_fixed(i) ? 0.0 : norm2(v[i]); }));
}

} // namespace

struct LinearSolverCg::Work {
    std::vector<float> off, own, inverse; // nine floats a block, and one float of padding
    std::vector<Float4> x, r, z, p, q;
    std::vector<Vec3> residual, correction;
    std::vector<double> partial_a, partial_b;
    std::vector<float> link_matrix;             // as the blocks
    std::vector<float> link_weight, link_total; // by entry; their sum by link
    std::vector<Float4> link_force;
    struct Pull {
        std::uint32_t link;
        float weight;
    };
    std::vector<std::uint32_t> pull_start; // by row
    std::vector<Pull> pulls;               // of the links on each row

    void prepare(const BlockSystem& a);
    void prepare_links(const BlockLinks& links, std::size_t row_count);
    void multiply(const BlockSystem& a); // q = A p on the free rows; partial_a = p . q by chunk
    void shift(const BlockSystem& a, std::span<Vec3> solution);
    void precondition(std::size_t first, std::size_t last, double& rz, double& rr);
    [[nodiscard]] bool run_round(const BlockSystem& a, double start, double target,
                                 int max_iterations, int& iterations);
};

void LinearSolverCg::Work::prepare_links(const BlockLinks& links, std::size_t row_count)
{
    const std::size_t count = links.size();
    link_matrix.resize(9 * count + 1);
    link_force.resize(count);
    link_total.resize(count);
    link_weight.resize(links.row.size());
    pulls.resize(links.row.size());
    parallel_for(count, [&](std::size_t l) {
        store_columns(links.matrix[l], &link_matrix[9 * l]);
        double total = 0;
        for (std::uint32_t k = links.start[l]; k < links.start[l + 1]; ++k) {
            link_weight[k] = static_cast<float>(links.weight[k]);
            total += links.weight[k];
        }
        link_total[l] = static_cast<float>(total);
    });
    // Counted one row further on, so that filling moves each start to where it belongs.
    pull_start.assign(row_count + 2, 0);
    for (const std::uint32_t row : links.row) ++pull_start[row + 2];
    std::partial_sum(pull_start.begin(), pull_start.end(), pull_start.begin());
    for (std::uint32_t l = 0; l < count; ++l)
        for (std::uint32_t k = links.start[l]; k < links.start[l + 1]; ++k)
            pulls[pull_start[links.row[k] + 1]++] = {l, link_weight[k]};
}

void LinearSolverCg::Work::prepare(const BlockSystem& a)
{
    const std::size_t n = a.row_count();
    const BlockPattern& pattern = *a.pattern;
    off.resize(9 * pattern.slot_count() + 1);
    own.resize(9 * n + 1);
    inverse.resize(9 * n + 1);
    for (auto* v : {&x, &r, &z, &p, &q}) v->resize(n);
    residual.resize(n);
    correction.resize(n);
    partial_a.resize(chunk_count(n, rows_per_chunk));
    partial_b.resize(partial_a.size());
    prepare_links(a.links, n);
    parallel_for(n, [&](std::size_t i) {
        Mat3 d = a.own[i];
        for (std::uint32_t s = pattern.row_start[i]; s < pattern.row_start[i + 1]; ++s) {
            store_columns(a.off[s], &off[9 * std::size_t{s}]);
            d -= a.off[s];
        }
        store_columns(a.own[i], &own[9 * i]);
        for (std::uint32_t e = pull_start[i]; e < pull_start[i + 1]; ++e) {
            const double weight = pulls[e].weight;
            d += a.links.matrix[pulls[e].link] * (weight * weight);
        }
        d = (d + transpose(d)) * 0.5;
        const double det = determinant(d);
        Mat3 inv{};
        if (a.is_fixed(i)) {
            // stays zero: the filter
        } else if (det > 0 && std::isfinite(det)) {
            inv = pleat::inverse(d);
        } else {
            inv = identity<3>();
        }
        store_columns(inv, &inverse[9 * i]);
    });
}

void LinearSolverCg::Work::multiply(const BlockSystem& a)
{
    const BlockPattern& pattern = *a.pattern;
    const BlockLinks& links = a.links;
    parallel_for(links.size(), [&](std::size_t l) {
        const std::uint32_t first = links.start[l];
        const Float4 p0 = p[links.row[first]];
        Float4 sum = splat(link_total[l]) * p0;
        for (std::uint32_t k = first + 1; k < links.start[l + 1]; ++k)
            sum += splat(link_weight[k]) * (p[links.row[k]] - p0);
        link_force[l] = times(&link_matrix[9 * l], sum);
    });
    parallel_chunks(a.row_count(), rows_per_chunk,
                    [&](std::size_t c, std::size_t first, std::size_t last) {
                        Double4 pq{};
                        for (std::size_t i = first; i < last; ++i) {
                            if (a.is_fixed(i)) {
                                q[i] = Float4{};
                                continue;
                            }
                            const Float4 xi = p[i];
                            Float4 sum0{}, sum1{}, sum2{};
                            const std::uint32_t end = pattern.row_start[i + 1];
                            const float* block = &off[9 * std::size_t{pattern.row_start[i]}];
                            for (std::uint32_t s = pattern.row_start[i]; s < end; ++s, block += 9) {
                                const Float4 d = p[pattern.column[s]] - xi;
                                sum0 += load4(block) * splat(d[0]);
                                sum1 += load4(block + 3) * splat(d[1]);
                                sum2 += load4(block + 6) * splat(d[2]);
                            }
                            Float4 sum = (sum0 + sum1) + (sum2 + times(&own[9 * i], xi));
                            for (std::uint32_t e = pull_start[i]; e < pull_start[i + 1]; ++e)
                                sum += splat(pulls[e].weight) * link_force[pulls[e].link];
                            sum = three_lanes(sum);
                            q[i] = sum;
                            pq += widen(xi) * widen(sum);
                        }
                        partial_a[c] = sum_three_lanes(pq);
                    });
}

/// Solves for the translation of everything exactly, in x and in the residual: the internal part
/// does not resist it, so that what the tolerance leaves there would be momentum from nowhere.
void LinearSolverCg::Work::shift(const BlockSystem& a, std::span<Vec3> solution)
{
    const std::size_t n = a.row_count();
    const Vec3 sum = parallel_sum(n, [&](std::size_t i) { return residual[i]; });
    Mat3 held = parallel_sum(n, [&](std::size_t i) { return a.own[i]; });
    std::vector<double> weight(a.links.size(), 0.0); // of a translation in each link
    for (std::size_t l = 0; l < a.links.size(); ++l) {
        for (std::uint32_t k = a.links.start[l]; k < a.links.start[l + 1]; ++k)
            weight[l] += a.links.weight[k];
        held += a.links.matrix[l] * (weight[l] * weight[l]);
    }
    const double det = determinant(held);
    if (!(det > 0) || !std::isfinite(det)) return;
    const Vec3 t = pleat::inverse(held) * sum;
    parallel_for(n, [&](std::size_t i) {
        solution[i] += t;
        residual[i] -= a.own[i] * t;
    });
    for (std::size_t l = 0; l < a.links.size(); ++l) {
        const Vec3 f = a.links.matrix[l] * t * weight[l];
        for (std::uint32_t k = a.links.start[l]; k < a.links.start[l + 1]; ++k)
            residual[a.links.row[k]] -= a.links.weight[k] * f;
    }
}

/// z = (diagonal blocks)^-1 r for a chunk of rows, with r.z and r.r.
void LinearSolverCg::Work::precondition(std::size_t first, std::size_t last, double& rz, double& rr)
{
    Double4 sum_rz{}, sum_rr{};
    for (std::size_t i = first; i < last; ++i) {
        const Float4 out = three_lanes(times(&inverse[9 * i], r[i]));
        z[i] = out;
        const Double4 wide = widen(r[i]);
        sum_rz += wide * widen(out);
        sum_rr += wide * wide;
    }
    rz = sum_three_lanes(sum_rz);
    rr = sum_three_lanes(sum_rr);
}

/// One round of preconditioned conjugate gradients in float for A x = residual / start, until
/// |r| <= target. \return false where the matrix is not positive definite
bool LinearSolverCg::Work::run_round(const BlockSystem& a, double start, double target,
                                     int max_iterations, int& iterations)
{
    const std::size_t n = a.row_count();
    parallel_chunks(n, rows_per_chunk, [&](std::size_t c, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            r[i] = make4(residual[i], 1 / start);
            x[i] = Float4{};
        }
        precondition(first, last, partial_a[c], partial_b[c]);
        for (std::size_t i = first; i < last; ++i) p[i] = z[i];
    });
    double rz = sum_in_order(partial_a);
    double rr = 1;
    while (rr > target * target && iterations < max_iterations) {
        ++iterations;
        multiply(a);
        const double pq = sum_in_order(partial_a);
        if (!(pq > 0) || !std::isfinite(pq)) return false;
        const Float4 alpha = splat(static_cast<float>(rz / pq));
        parallel_chunks(n, rows_per_chunk, [&](std::size_t c, std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) {
                x[i] += alpha * p[i];
                r[i] -= alpha * q[i];
            }
            precondition(first, last, partial_a[c], partial_b[c]);
        });
        const double rz_new = sum_in_order(partial_a);
        rr = sum_in_order(partial_b);
        if (!std::isfinite(rz_new)) return false;
        const Float4 beta = splat(static_cast<float>(rz_new / rz));
        rz = rz_new;
        parallel_for(
            n, [&](std::size_t i) { p[i] = z[i] + beta * p[i]; }, rows_per_chunk);
    }
    return true;
}

LinearSolverCg::LinearSolverCg(const CgOptions& options)
    : options_(options), work_(std::make_unique<Work>())
{}

LinearSolverCg::~LinearSolverCg() = default;

/// Rounds in float, each on the residual in double, until that is below the tolerance.
/// \return whether the matrix proved to be positive definite so far
bool LinearSolverCg::refine(const BlockSystem& a, std::span<const Vec3> b, double load,
                            std::span<Vec3> x, LinearReport& report)
{
    Work& w = *work_;
    const std::size_t n = a.row_count();
    if (!std::isfinite(load)) return false;
    double last_round = 0;
    for (;;) {
        pleat::multiply(a, x, w.residual);
        parallel_for(n, [&](std::size_t i) {
            w.residual[i] = a.is_fixed(i) ? Vec3{} : b[i] - w.residual[i];
        });
        if (a.fixed.empty()) w.shift(a, x);
        const double start = free_norm(a, w.residual);
        report.residual = start / load;
        if (!std::isfinite(start)) return false;
        if (report.residual <= options_.tolerance) return true;
        // A round that gains less than a factor of two has met the end of float's precision.
        if (last_round > 0 && start > 0.5 * last_round) return true;
        if (report.iterations >= options_.max_iterations) return true;
        last_round = start;
        // It aims a little below the tolerance, so that the residual in double usually passes at
        // once.
        const double target = 0.8 * options_.tolerance * load / start;
        if (!w.run_round(a, start, target, options_.max_iterations, report.iterations))
            return false;
        parallel_for(n, [&](std::size_t i) {
            const Float4 d = w.x[i];
            if (!a.is_fixed(i)) x[i] += start * Vec3{double(d[0]), double(d[1]), double(d[2])};
        });
    }
}

LinearReport LinearSolverCg::solve(const BlockSystem& a, std::span<const Vec3> b, std::span<Vec3> x)
{
    PLEAT_ASSERT(a.pattern != nullptr && a.pattern->row_count() == a.row_count(),
                 "the pattern fits the system");
    PLEAT_ASSERT(b.size() == a.row_count() && x.size() == a.row_count(), "sizes agree");
    LinearReport report;
    const std::size_t n = a.row_count();
    if (n == 0) return report;
    Work& w = *work_;
    const Stopwatch make;
    w.prepare(a);
    report.ms_factor = make.ms();
    const Stopwatch solving;

    // The reference for "relative": the load on the free rows, given what the fixed ones do.
    std::span<Vec3> given = w.correction;
    parallel_for(n, [&](std::size_t i) { given[i] = a.is_fixed(i) ? x[i] : Vec3{}; });
    pleat::multiply(a, given, w.residual);
    parallel_for(n, [&](std::size_t i) { w.residual[i] = b[i] - w.residual[i]; });
    const double load = free_norm(a, w.residual);
    if (load == 0) { // the free rows stay where the fixed ones leave them
        parallel_for(n, [&](std::size_t i) {
            if (!a.is_fixed(i)) x[i] = Vec3{};
        });
        return report;
    }
    const bool is_definite = refine(a, b, load, x, report);
    report.ms_solve = solving.ms();
    if (is_definite && report.residual <= options_.tolerance) return report;

    if (options_.fallback) {
        if (!direct_) direct_ = std::make_unique<LinearSolverCholesky>();
        LinearReport direct = direct_->solve(a, b, x);
        direct.iterations = report.iterations;
        direct.fallbacks = 1;
        direct.ms_factor += report.ms_factor;
        direct.ms_solve += report.ms_solve;
        return direct;
    }
    report.ok = false;
    report.trouble = is_definite ? "conjugate gradients did not reach the tolerance"
                                 : "conjugate gradients met a matrix that is not positive definite";
    return report;
}

} // namespace pleat
