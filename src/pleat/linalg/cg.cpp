// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A node's vector is four floats, the fourth always zero. A block is nine floats by column, read as
// three overlapping loads of four; the garbage in the fourth lane is masked out once per row. The
// product uses differences x_j - x_i (block_system.hpp), so the diagonal of the internal part is
// never rounded to float. Links do the same with differences to their first node.
#include "pleat/linalg/cg.hpp"

#include "pleat/core/error.hpp"
#include "pleat/core/stage_times.hpp"
#include "pleat/linalg/cholesky.hpp"
#include "pleat/linalg/multigrid.hpp"

#include <cmath>

namespace pleat {

namespace {

constexpr std::size_t rows_per_chunk = 512;
// A direct factor takes as long as about this many iterations, and one more for so many rows: its
// time grows as the power 1.5 of the rows, that of an iteration as the rows.
constexpr int least_iterations = 30;
constexpr std::size_t rows_per_iteration = 40;
constexpr int most_iterations = 3000; // where there is no fallback

Float4 make4(const Vec3& v, double scale)
{
    return Float4{static_cast<float>(v[0] * scale), static_cast<float>(v[1] * scale),
                  static_cast<float>(v[2] * scale), 0.0f};
}

double sum_in_order(const std::vector<double>& partial)
{
    double s = 0;
    for (double p : partial) s += p;
    return s;
}

void check_sizes(const BlockSystem& a, std::span<const Vec3> b, std::span<const Vec3> x)
{
    PLEAT_ASSERT(a.pattern != nullptr && a.pattern->row_count() == a.row_count(),
                 "the pattern fits the system");
    PLEAT_ASSERT(b.size() == a.row_count() && x.size() == a.row_count(), "sizes agree");
}

double free_norm(const BlockSystem& a, std::span<const Vec3> v)
{
    return std::sqrt(
        parallel_sum(v.size(), [&](std::size_t i) { return a.is_fixed(i) ? 0.0 : norm2(v[i]); }));
}

} // namespace

struct LinearSolverCg::Work {
    Multigrid multigrid;
    std::uint64_t blocks_revision = 0; // of the system; 0: unknown
    bool direct = false;               // these blocks need a direct factor
    std::vector<Float4> x, r, z, p, q;
    std::vector<Vec3> residual, correction;
    std::vector<double> partial_a, partial_b;

    /// Whether a direct factor has stepped in for these blocks before.
    [[nodiscard]] bool is_direct(const BlockSystem& a) const
    {
        return direct && a.blocks_revision != 0 && a.blocks_revision == blocks_revision;
    }
    void prepare(const BlockSystem& a);
    void multiply(); // q = A p on the free rows; partial_a = p . q by chunk
    void shift(const BlockSystem& a, std::span<Vec3> solution);
    void precondition(); // z = (about A^-1) r; partial_a = r . z, partial_b = r . r by chunk
    [[nodiscard]] bool run_round(double start, double target, int max_iterations, int& iterations);
    void add_round(double start, std::span<Vec3> solution) const;
    double left = 0; // |r| at the end of the round, by recurrence
};

void LinearSolverCg::Work::prepare(const BlockSystem& a)
{
    const std::size_t n = a.row_count();
    for (auto* v : {&x, &r, &z, &p, &q}) v->resize(n);
    residual.resize(n);
    correction.resize(n);
    partial_a.resize(chunk_count(n, rows_per_chunk));
    partial_b.resize(partial_a.size());
    if (a.blocks_revision == 0 || a.blocks_revision != blocks_revision) {
        multigrid.set_blocks(a);
        direct = false;
        blocks_revision = a.blocks_revision;
    }
    multigrid.set_links(a);
}

void LinearSolverCg::Work::multiply()
{
    const FloatSystem& system = multigrid.fine();
    parallel_chunks(system.row_count(), rows_per_chunk,
                    [&](std::size_t c, std::size_t first, std::size_t last) {
                        Double4 pq{};
                        for (std::size_t i = first; i < last; ++i) {
                            q[i] = system.is_fixed(i) ? Float4{} : system.product(i, p);
                            pq += widen(p[i]) * widen(q[i]);
                        }
                        partial_a[c] = sum_three_lanes(pq);
                    });
}

/// Solves exactly for a translation of all nodes, in x and in the residual. The internal part does
/// not resist it, so an error left there by the tolerance would change the total momentum.
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

void LinearSolverCg::Work::precondition()
{
    multigrid.apply(r, z);
    parallel_chunks(r.size(), rows_per_chunk,
                    [&](std::size_t c, std::size_t first, std::size_t last) {
                        Double4 rz{}, rr{};
                        for (std::size_t i = first; i < last; ++i) {
                            const Double4 wide = widen(r[i]);
                            rz += wide * widen(z[i]);
                            rr += wide * wide;
                        }
                        partial_a[c] = sum_three_lanes(rz);
                        partial_b[c] = sum_three_lanes(rr);
                    });
}

/// One round of preconditioned conjugate gradients in float for A x = residual / start, until
/// |r| <= target. \return false where the matrix is not positive definite
bool LinearSolverCg::Work::run_round(double start, double target, int max_iterations,
                                     int& iterations)
{
    const std::size_t n = r.size();
    parallel_for(n, [&](std::size_t i) {
        r[i] = make4(residual[i], 1 / start);
        x[i] = Float4{};
    });
    precondition();
    parallel_for(n, [&](std::size_t i) { p[i] = z[i]; });
    double rz = sum_in_order(partial_a);
    double rr = sum_in_order(partial_b);
    while (rr > target * target && iterations < max_iterations) {
        ++iterations;
        multiply();
        const double pq = sum_in_order(partial_a);
        if (!(pq > 0) || !std::isfinite(pq)) return false;
        const Float4 alpha = splat(static_cast<float>(rz / pq));
        parallel_for(
            n,
            [&](std::size_t i) {
                x[i] += alpha * p[i];
                r[i] -= alpha * q[i];
            },
            rows_per_chunk);
        precondition();
        const double rz_new = sum_in_order(partial_a);
        rr = sum_in_order(partial_b);
        if (!std::isfinite(rz_new)) return false;
        const Float4 beta = splat(static_cast<float>(rz_new / rz));
        rz = rz_new;
        parallel_for(
            n, [&](std::size_t i) { p[i] = z[i] + beta * p[i]; }, rows_per_chunk);
    }
    left = std::sqrt(rr);
    return true;
}

/// solution += what the round has found.
void LinearSolverCg::Work::add_round(double start, std::span<Vec3> solution) const
{
    parallel_for(solution.size(), [&](std::size_t i) {
        const Float4 d = x[i]; // zero on fixed rows
        solution[i] += start * Vec3{double(d[0]), double(d[1]), double(d[2])};
    });
}

LinearSolverCg::LinearSolverCg(const CgOptions& options)
    : options_(options), work_(std::make_unique<Work>())
{}

LinearSolverCg::~LinearSolverCg() = default;

int LinearSolverCg::max_iterations(std::size_t row_count) const
{
    if (options_.max_iterations > 0) return options_.max_iterations;
    if (!options_.fallback) return most_iterations;
    return least_iterations + static_cast<int>(row_count / rows_per_iteration);
}

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
        if (report.iterations >= max_iterations(n)) return true;
        last_round = start;
        // It aims a little below the tolerance, so that the residual in double usually passes at
        // once.
        const double target = 0.8 * options_.tolerance * load / start;
        if (!w.run_round(start, target, max_iterations(n), report.iterations)) return false;
        w.add_round(start, x);
    }
}

/// A direct factor where conjugate gradients did not reach the tolerance.
LinearReport LinearSolverCg::finish(const BlockSystem& a, std::span<const Vec3> b, bool is_definite,
                                    double tolerance, std::span<Vec3> x, LinearReport report)
{
    if (is_definite && report.residual <= tolerance) return report;
    if (!options_.fallback) {
        report.ok = false;
        report.trouble = is_definite
                             ? "conjugate gradients did not reach the tolerance"
                             : "conjugate gradients met a matrix that is not positive definite";
        return report;
    }
    work_->direct = true;
    if (!direct_) direct_ = std::make_unique<LinearSolverCholesky>();
    LinearReport direct = direct_->solve(a, b, x);
    direct.iterations = report.iterations;
    direct.fallbacks = 1;
    direct.ms_factor += report.ms_factor;
    direct.ms_solve += report.ms_solve;
    return direct;
}

LinearReport LinearSolverCg::solve(const BlockSystem& a, std::span<const Vec3> b, std::span<Vec3> x)
{
    check_sizes(a, b, x);
    LinearReport report;
    const std::size_t n = a.row_count();
    if (n == 0) return report;
    Work& w = *work_;
    if (w.is_direct(a)) return finish(a, b, false, 0, x, report);
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
    return finish(a, b, is_definite, options_.tolerance, x, report);
}

LinearReport LinearSolverCg::correct(const BlockSystem& a, std::span<const Vec3> b,
                                     double tolerance, std::span<Vec3> x)
{
    check_sizes(a, b, x);
    LinearReport report;
    const std::size_t n = a.row_count();
    std::fill(x.begin(), x.end(), Vec3{});
    if (n == 0) return report;
    Work& w = *work_;
    if (w.is_direct(a)) return finish(a, b, false, 0, x, report);
    const Stopwatch make;
    w.prepare(a);
    report.ms_factor = make.ms();
    const Stopwatch solving;
    parallel_for(n, [&](std::size_t i) { w.residual[i] = a.is_fixed(i) ? Vec3{} : b[i]; });
    const double load = free_norm(a, b);
    if (load == 0) return report;
    const bool is_definite =
        std::isfinite(load) && w.run_round(load, tolerance, max_iterations(n), report.iterations);
    if (is_definite) w.add_round(load, x);
    report.residual = w.left;
    report.ms_solve = solving.ms();
    return finish(a, b, is_definite, tolerance, x, report);
}

} // namespace pleat
