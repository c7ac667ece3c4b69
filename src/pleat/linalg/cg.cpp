// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A node's vector is four floats, the fourth always zero. A block is nine floats by column, read as
// three overlapping loads of four; what the fourth lane then holds is masked away once a row. The
// product uses differences x_j - x_i (block_system.hpp), so the diagonal of the internal part is
// never rounded to float.
#include "pleat/linalg/cg.hpp"

#include "pleat/core/error.hpp"
#include "pleat/core/stage_times.hpp"
#include "pleat/linalg/cholesky.hpp"

#include <bit>
#include <cmath>
#include <cstring>

namespace pleat {

namespace {

using Float4 = float __attribute__((vector_size(16)));
using Double4 = double __attribute__((vector_size(32)));
using Mask4 = int __attribute__((vector_size(16)));

constexpr std::size_t rows_per_chunk = 512;
constexpr Mask4 three_lanes = {-1, -1, -1, 0};

Float4 load4(const float* p)
{
    Float4 v;
    std::memcpy(&v, p, sizeof v);
    return v;
}

Float4 masked(Float4 v)
{
    return std::bit_cast<Float4>(std::bit_cast<Mask4>(v) & three_lanes);
}

Float4 splat(float s)
{
    return Float4{s, s, s, s};
}

Float4 make4(const Vec3& v, double scale)
{
    return Float4{static_cast<float>(v[0] * scale), static_cast<float>(v[1] * scale),
                  static_cast<float>(v[2] * scale), 0.0f};
}

Double4 widen(Float4 v)
{
    return __builtin_convertvector(v, Double4);
}

double sum_lanes(Double4 v)
{
    return (v[0] + v[1]) + (v[2] + v[3]);
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

} // namespace

struct LinearSolverCg::Work {
    std::vector<float> off, own, inverse; // nine floats a block, and one float of padding
    std::vector<Float4> x, r, z, p, q;
    std::vector<Vec3> residual, correction, link_force;
    std::vector<double> partial_a, partial_b;
    RowGather link_rows;
    std::vector<std::uint32_t> link_of_entry;

    void prepare(const BlockSystem& a);
    void multiply(const BlockSystem& a); // q = A p on the free rows; partial_a = p . q by chunk
};

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
    link_rows = {};
    if (a.links.size() > 0) {
        link_rows = rows_of_links(a.links, n);
        link_force.resize(a.links.size());
        link_of_entry.resize(a.links.row.size());
        for (std::uint32_t l = 0; l < a.links.size(); ++l)
            for (std::uint32_t k = a.links.start[l]; k < a.links.start[l + 1]; ++k)
                link_of_entry[k] = l;
    }
    parallel_for(n, [&](std::size_t i) {
        Mat3 d = a.own[i];
        for (std::uint32_t s = pattern.row_start[i]; s < pattern.row_start[i + 1]; ++s) {
            store_columns(a.off[s], &off[9 * std::size_t{s}]);
            d -= a.off[s];
        }
        store_columns(a.own[i], &own[9 * i]);
        if (!link_rows.start.empty())
            for (std::uint32_t e = link_rows.start[i]; e < link_rows.start[i + 1]; ++e) {
                const std::uint32_t k = link_rows.entry[e];
                d += a.links.matrix[link_of_entry[k]] * (a.links.weight[k] * a.links.weight[k]);
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
        Vec3 sum{};
        for (std::uint32_t k = links.start[l]; k < links.start[l + 1]; ++k) {
            const Float4 v = p[links.row[k]];
            sum += links.weight[k] * Vec3{double(v[0]), double(v[1]), double(v[2])};
        }
        link_force[l] = links.matrix[l] * sum;
    });
    parallel_chunks(
        a.row_count(), rows_per_chunk, [&](std::size_t c, std::size_t first, std::size_t last) {
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
                if (links.size() > 0)
                    for (std::uint32_t e = link_rows.start[i]; e < link_rows.start[i + 1]; ++e) {
                        const std::uint32_t k = link_rows.entry[e];
                        sum += make4(link_force[link_of_entry[k]], links.weight[k]);
                    }
                sum = masked(sum);
                q[i] = sum;
                pq += widen(xi) * widen(sum);
            }
            partial_a[c] = sum_lanes(pq);
        });
}

LinearSolverCg::LinearSolverCg(const CgOptions& options)
    : options_(options), work_(std::make_unique<Work>())
{}

LinearSolverCg::~LinearSolverCg() = default;

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
    const auto free_norm = [&](std::span<const Vec3> v) {
        return std::sqrt(
            parallel_sum(n, [&](std::size_t i) { return a.is_fixed(i) ? 0.0 : norm2(v[i]); }));
    };
    std::span<Vec3> given = w.correction;
    parallel_for(n, [&](std::size_t i) { given[i] = a.is_fixed(i) ? x[i] : Vec3{}; });
    pleat::multiply(a, given, w.residual);
    parallel_for(n, [&](std::size_t i) { w.residual[i] = b[i] - w.residual[i]; });
    const double load = free_norm(w.residual);
    if (load == 0) { // the free rows stay where the fixed ones leave them
        parallel_for(n, [&](std::size_t i) {
            if (!a.is_fixed(i)) x[i] = Vec3{};
        });
        return report;
    }

    bool broken = !std::isfinite(load);
    double last_round = 0;
    while (!broken) {
        pleat::multiply(a, x, w.residual);
        parallel_for(n, [&](std::size_t i) {
            w.residual[i] = a.is_fixed(i) ? Vec3{} : b[i] - w.residual[i];
        });
        const double start = free_norm(w.residual);
        report.residual = start / load;
        if (!std::isfinite(start)) broken = true;
        if (broken || report.residual <= options_.tolerance) break;
        // A round that gains less than a factor of two has met the end of float's precision.
        if (last_round > 0 && start > 0.5 * last_round) break;
        if (report.iterations >= options_.max_iterations) break;
        last_round = start;

        // One round of preconditioned CG in float for A (x / start) = r / start. It aims a little
        // below the tolerance, so that the residual in double usually passes at once.
        const double target = 0.8 * options_.tolerance * load / start;
        const auto precondition = [&](std::size_t first, std::size_t last, double& rz, double& rr) {
            Double4 sum_rz{}, sum_rr{};
            for (std::size_t i = first; i < last; ++i) {
                const Float4 z = masked(times(&w.inverse[9 * i], w.r[i]));
                w.z[i] = z;
                const Double4 r = widen(w.r[i]);
                sum_rz += r * widen(z);
                sum_rr += r * r;
            }
            rz = sum_lanes(sum_rz);
            rr = sum_lanes(sum_rr);
        };
        parallel_chunks(n, rows_per_chunk, [&](std::size_t c, std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) {
                w.r[i] = make4(w.residual[i], 1 / start);
                w.x[i] = Float4{};
            }
            precondition(first, last, w.partial_a[c], w.partial_b[c]);
            for (std::size_t i = first; i < last; ++i) w.p[i] = w.z[i];
        });
        double rz = sum_in_order(w.partial_a);
        double rr = 1;
        while (rr > target * target && report.iterations < options_.max_iterations) {
            ++report.iterations;
            w.multiply(a);
            const double pq = sum_in_order(w.partial_a);
            if (!(pq > 0) || !std::isfinite(pq)) {
                broken = true;
                break;
            }
            const Float4 alpha = splat(static_cast<float>(rz / pq));
            parallel_chunks(n, rows_per_chunk,
                            [&](std::size_t c, std::size_t first, std::size_t last) {
                                for (std::size_t i = first; i < last; ++i) {
                                    w.x[i] += alpha * w.p[i];
                                    w.r[i] -= alpha * w.q[i];
                                }
                                precondition(first, last, w.partial_a[c], w.partial_b[c]);
                            });
            const double rz_new = sum_in_order(w.partial_a);
            rr = sum_in_order(w.partial_b);
            if (!std::isfinite(rz_new)) {
                broken = true;
                break;
            }
            const Float4 beta = splat(static_cast<float>(rz_new / rz));
            rz = rz_new;
            parallel_for(
                n, [&](std::size_t i) { w.p[i] = w.z[i] + beta * w.p[i]; }, rows_per_chunk);
        }
        if (!broken)
            parallel_for(n, [&](std::size_t i) {
                const Float4 d = w.x[i];
                if (!a.is_fixed(i)) x[i] += start * Vec3{double(d[0]), double(d[1]), double(d[2])};
            });
    }
    report.ms_solve = solving.ms();
    if (!broken && report.residual <= options_.tolerance) return report;

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
    report.trouble = broken ? "conjugate gradients met a matrix that is not positive definite"
                            : "conjugate gradients did not reach the tolerance";
    return report;
}

} // namespace pleat
