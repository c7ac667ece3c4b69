// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The scalar lower triangle of A is filled from the blocks. Rows and columns of fixed nodes become
// those of the identity and their given values go to the right-hand side, so that pins come and go
// without a new analysis.
#include "pleat/linalg/cholesky.hpp"

#include "pleat/core/error.hpp"
#include "pleat/core/hash.hpp"
#include "pleat/core/stage_times.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <new>
#include <utility>

#if defined(PLEAT_CHOLMOD)
#include <cholmod.h>
#if defined(_OPENMP)
#include <omp.h>
#endif
// Present when the BLAS in use is OpenBLAS.
extern "C" {
void openblas_set_num_threads(int) __attribute__((weak));
int openblas_get_num_threads(void) __attribute__((weak));
}
#else
#include <Eigen/SparseCholesky>
#endif

namespace pleat {

namespace {

/// OpenBLAS waits for ever where it cannot have its work buffer of 128 MB.
/// \throw std::bad_alloc instead
[[maybe_unused]] void require_blas_buffer()
{
    constexpr std::size_t enough = std::size_t{160} << 20; // never touched, so it costs nothing
    void* const room = std::malloc(enough);
    if (room == nullptr) throw std::bad_alloc();
    std::free(room);
}

/// The node graph with links, upper blocks: for each column its rows above the diagonal, ascending.
struct NodeGraph {
    std::vector<std::uint32_t> start;
    std::vector<std::uint32_t> row;
    std::vector<std::uint32_t> slot; // of the pattern; no_row where only links couple the two
};

NodeGraph make_graph(const BlockSystem& a)
{
    const BlockPattern& pattern = *a.pattern;
    const std::size_t n = a.row_count();
    std::vector<std::pair<std::uint32_t, std::uint32_t>> extra; // column, row
    const auto [start, row] = possible_links(a);
    for (std::size_t l = 0; l + 1 < start.size(); ++l)
        for (std::uint32_t i = start[l]; i < start[l + 1]; ++i)
            for (std::uint32_t j = start[l]; j < start[l + 1]; ++j)
                if (row[i] < row[j]) extra.emplace_back(row[j], row[i]);
    std::sort(extra.begin(), extra.end());
    extra.erase(std::unique(extra.begin(), extra.end()), extra.end());

    NodeGraph g;
    g.start.push_back(0);
    auto next = extra.begin();
    for (std::uint32_t c = 0; c < n; ++c) {
        std::uint32_t s = pattern.row_start[c];
        const std::uint32_t end = pattern.row_start[c + 1];
        for (;;) { // merge the two ascending lists
            const bool in_pattern = s < end && pattern.column[s] < c;
            const bool in_extra = next != extra.end() && next->first == c;
            if (!in_pattern && !in_extra) break;
            if (in_pattern && (!in_extra || pattern.column[s] <= next->second)) {
                if (in_extra && next->second == pattern.column[s]) ++next;
                g.row.push_back(pattern.column[s]);
                g.slot.push_back(s);
                ++s;
            } else {
                g.row.push_back(next->second);
                g.slot.push_back(no_row);
                ++next;
            }
        }
        g.start.push_back(static_cast<std::uint32_t>(g.row.size()));
    }
    return g;
}

std::uint64_t pattern_hash(const BlockSystem& a)
{
    Hash h;
    h.add(reinterpret_cast<std::uintptr_t>(a.pattern));
    h.add(a.pattern_revision);
    h.add(a.row_count());
    h.add(a.pattern->slot_count());
    const auto [start, row] = possible_links(a);
    h.add_array(start);
    h.add_array(row);
    return h.value();
}

/// Where the scalars of node column c begin in the compressed upper triangle, and its shape:
/// for each of the 3 scalar columns: 3 scalars a block above, then the diagonal's upper part.
struct ScalarLayout {
    std::vector<std::size_t> column_start; // 3 n + 1
};

ScalarLayout make_layout(const NodeGraph& g)
{
    const std::size_t n = g.start.size() - 1;
    ScalarLayout l;
    l.column_start.reserve(3 * n + 1);
    std::size_t at = 0;
    for (std::size_t c = 0; c < n; ++c)
        for (std::size_t j = 0; j < 3; ++j) {
            l.column_start.push_back(at);
            at += 3 * (g.start[c + 1] - g.start[c]) + j + 1;
        }
    l.column_start.push_back(at);
    return l;
}

/// Blocks of the upper triangle (above, by graph entry) and of the diagonal, fixed rows cut out.
void make_blocks(const BlockSystem& a, const NodeGraph& g, std::vector<Mat3>& above,
                 std::vector<Mat3>& diagonal)
{
    above.assign(g.row.size(), Mat3{});
    for (std::size_t k = 0; k < g.row.size(); ++k)
        if (g.slot[k] != no_row) above[k] = transpose(a.off[g.slot[k]]); // (row, column)
    const auto find = [&](std::uint32_t column, std::uint32_t row) {
        const auto first = g.row.begin() + g.start[column];
        const auto last = g.row.begin() + g.start[column + 1];
        return std::size_t(std::lower_bound(first, last, row) - g.row.begin());
    };
    for (std::size_t l = 0; l < a.links.size(); ++l)
        for (std::uint32_t i = a.links.start[l]; i < a.links.start[l + 1]; ++i)
            for (std::uint32_t j = a.links.start[l]; j < a.links.start[l + 1]; ++j)
                if (a.links.row[i] < a.links.row[j])
                    above[find(a.links.row[j], a.links.row[i])] +=
                        a.links.matrix[l] * (a.links.weight[i] * a.links.weight[j]);
    diagonal = diagonal_blocks(a);
    if (a.fixed.empty()) return;
    for (std::size_t c = 0; c < a.row_count(); ++c) {
        if (a.is_fixed(c)) diagonal[c] = identity<3>();
        for (std::uint32_t k = g.start[c]; k < g.start[c + 1]; ++k)
            if (a.is_fixed(c) || a.is_fixed(g.row[k])) above[k] = Mat3{};
    }
}

template <class Value>
void fill_scalars(const NodeGraph& g, const ScalarLayout& layout, const std::vector<Mat3>& above,
                  const std::vector<Mat3>& diagonal, Value* values)
{
    parallel_for(g.start.size() - 1, [&](std::size_t c) {
        for (std::size_t j = 0; j < 3; ++j) {
            std::size_t at = layout.column_start[3 * c + j];
            for (std::uint32_t k = g.start[c]; k < g.start[c + 1]; ++k)
                for (std::size_t i = 0; i < 3; ++i) values[at++] = above[k](i, j);
            for (std::size_t i = 0; i <= j; ++i) values[at++] = diagonal[c](i, j);
        }
    });
}

template <class Index>
void fill_rows(const NodeGraph& g, const ScalarLayout& layout, Index* starts, Index* rows)
{
    for (std::size_t c = 0; c + 1 < g.start.size(); ++c)
        for (std::size_t j = 0; j < 3; ++j) {
            std::size_t at = layout.column_start[3 * c + j];
            for (std::uint32_t k = g.start[c]; k < g.start[c + 1]; ++k)
                for (std::uint32_t i = 0; i < 3; ++i)
                    rows[at++] = static_cast<Index>(3 * g.row[k] + i);
            for (std::size_t i = 0; i <= j; ++i) rows[at++] = static_cast<Index>(3 * c + i);
        }
    for (std::size_t c = 0; c < layout.column_start.size(); ++c)
        starts[c] = static_cast<Index>(layout.column_start[c]);
}

#if defined(PLEAT_CHOLMOD)

/// Holds CHOLMOD's and BLAS's threads to one while it lives.
class OneThread {
public:
    OneThread()
    {
#if defined(_OPENMP)
        levels_ = omp_get_max_active_levels();
        omp_set_max_active_levels(0);
#endif
        if (openblas_get_num_threads != nullptr && openblas_set_num_threads != nullptr) {
            blas_ = openblas_get_num_threads();
            openblas_set_num_threads(1);
        }
    }
    ~OneThread()
    {
#if defined(_OPENMP)
        omp_set_max_active_levels(levels_);
#endif
        if (blas_ > 0) openblas_set_num_threads(blas_);
    }
    OneThread(const OneThread&) = delete;
    OneThread& operator=(const OneThread&) = delete;

private:
    int levels_ = 0;
    int blas_ = 0;
};

/// Solver of one analysed pattern: CHOLMOD.
class Factor {
public:
    Factor()
    {
        cholmod_start(&common_);
        common_.print = 0;
        common_.supernodal = CHOLMOD_SUPERNODAL;
        common_.final_ll = 1;
    }
    ~Factor()
    {
        clear();
        cholmod_finish(&common_);
    }
    Factor(const Factor&) = delete;
    Factor& operator=(const Factor&) = delete;

    void analyse(const NodeGraph& g, const ScalarLayout& layout)
    {
        const OneThread one;
        clear();
        const std::size_t n = g.start.size() - 1;
        matrix_ = cholmod_allocate_sparse(3 * n, 3 * n, layout.column_start.back(), 1, 1, 1,
                                          CHOLMOD_REAL, &common_);
        fill_rows(g, layout, static_cast<int*>(matrix_->p), static_cast<int*>(matrix_->i));

        // The order of the nodes, then of their coordinates.
        cholmod_sparse* nodes =
            cholmod_allocate_sparse(n, n, g.row.size() + n, 1, 1, 1, CHOLMOD_PATTERN, &common_);
        auto* starts = static_cast<int*>(nodes->p);
        auto* rows = static_cast<int*>(nodes->i);
        int at = 0;
        for (std::size_t c = 0; c < n; ++c) {
            starts[c] = at;
            for (std::uint32_t k = g.start[c]; k < g.start[c + 1]; ++k)
                rows[at++] = static_cast<int>(g.row[k]);
            rows[at++] = static_cast<int>(c);
        }
        starts[n] = at;
        common_.nmethods = 0; // AMD first, METIS where AMD fills much
        common_.supernodal = CHOLMOD_SIMPLICIAL;
        cholmod_factor* order = cholmod_analyze(nodes, &common_);
        std::vector<int> permutation(3 * n);
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t j = 0; j < 3; ++j)
                permutation[3 * k + j] =
                    3 * static_cast<int*>(order->Perm)[k] + static_cast<int>(j);
        cholmod_free_factor(&order, &common_);
        cholmod_free_sparse(&nodes, &common_);
        common_.nmethods = 1;
        common_.method[0].ordering = CHOLMOD_GIVEN;
        common_.postorder = 1;
        common_.supernodal = CHOLMOD_SUPERNODAL;
        factor_ = cholmod_analyze_p(matrix_, permutation.data(), nullptr, 0, &common_);
    }

    double* values() { return static_cast<double*>(matrix_->x); }

    bool factorise()
    {
        const OneThread one;
        if (factor_ == nullptr) return false;
        require_blas_buffer();
        cholmod_factorize(matrix_, factor_, &common_);
        return common_.status == CHOLMOD_OK && factor_->minor == factor_->n;
    }

    bool solve(std::span<const Vec3> b, std::span<Vec3> x)
    {
        const OneThread one;
        cholmod_dense* rhs =
            cholmod_allocate_dense(3 * b.size(), 1, 3 * b.size(), CHOLMOD_REAL, &common_);
        auto* values = static_cast<double*>(rhs->x);
        for (std::size_t i = 0; i < b.size(); ++i)
            for (std::size_t j = 0; j < 3; ++j) values[3 * i + j] = b[i][j];
        cholmod_dense* solution = cholmod_solve(CHOLMOD_A, factor_, rhs, &common_);
        const bool ok = solution != nullptr;
        if (ok)
            for (std::size_t i = 0; i < b.size(); ++i)
                for (std::size_t j = 0; j < 3; ++j)
                    x[i][j] = static_cast<double*>(solution->x)[3 * i + j];
        cholmod_free_dense(&solution, &common_);
        cholmod_free_dense(&rhs, &common_);
        return ok;
    }

private:
    void clear()
    {
        cholmod_free_factor(&factor_, &common_);
        cholmod_free_sparse(&matrix_, &common_);
    }

    cholmod_common common_{};
    cholmod_sparse* matrix_ = nullptr; // upper triangle
    cholmod_factor* factor_ = nullptr;
};

#else

/// Solver of one analysed pattern: Eigen.
class Factor {
public:
    void analyse(const NodeGraph& g, const ScalarLayout& layout)
    {
        const auto n = static_cast<Eigen::Index>(3 * (g.start.size() - 1));
        matrix_.resize(n, n);
        matrix_.resizeNonZeros(static_cast<Eigen::Index>(layout.column_start.back()));
        fill_rows(g, layout, matrix_.outerIndexPtr(), matrix_.innerIndexPtr());
        std::fill_n(matrix_.valuePtr(), layout.column_start.back(), 1.0);
        solver_.analyzePattern(matrix_);
    }
    double* values() { return matrix_.valuePtr(); }
    bool factorise()
    {
        solver_.factorize(matrix_);
        return solver_.info() == Eigen::Success;
    }
    bool solve(std::span<const Vec3> b, std::span<Vec3> x)
    {
        Eigen::VectorXd rhs(static_cast<Eigen::Index>(3 * b.size()));
        for (std::size_t i = 0; i < b.size(); ++i)
            for (std::size_t j = 0; j < 3; ++j) rhs[static_cast<Eigen::Index>(3 * i + j)] = b[i][j];
        const Eigen::VectorXd solution = solver_.solve(rhs);
        for (std::size_t i = 0; i < b.size(); ++i)
            for (std::size_t j = 0; j < 3; ++j)
                x[i][j] = solution[static_cast<Eigen::Index>(3 * i + j)];
        return solver_.info() == Eigen::Success;
    }

private:
    Eigen::SparseMatrix<double> matrix_; // upper triangle
    Eigen::SimplicialLLT<Eigen::SparseMatrix<double>, Eigen::Upper> solver_;
};

#endif

} // namespace

struct LinearSolverCholesky::Work {
    Factor factor;
    NodeGraph graph;
    ScalarLayout layout;
    std::uint64_t analysed = 0; // hash of the pattern
    bool has_analysis = false;
    std::vector<Mat3> above, diagonal;
    std::vector<Vec3> rhs, product;
};

LinearSolverCholesky::LinearSolverCholesky() : work_(std::make_unique<Work>()) {}

LinearSolverCholesky::~LinearSolverCholesky() = default;

LinearReport LinearSolverCholesky::solve(const BlockSystem& a, std::span<const Vec3> b,
                                         std::span<Vec3> x)
{
    PLEAT_ASSERT(a.pattern != nullptr && a.pattern->row_count() == a.row_count(),
                 "the pattern fits the system");
    PLEAT_ASSERT(b.size() == a.row_count() && x.size() == a.row_count(), "sizes agree");
    LinearReport report;
    const std::size_t n = a.row_count();
    if (n == 0) return report;
    Work& w = *work_;

    const Stopwatch analysis;
    const std::uint64_t hash = pattern_hash(a);
    if (!w.has_analysis || hash != w.analysed) {
        w.graph = make_graph(a);
        w.layout = make_layout(w.graph);
        w.factor.analyse(w.graph, w.layout);
        w.analysed = hash;
        w.has_analysis = true;
        report.ms_analysis = analysis.ms();
    }

    const Stopwatch factoring;
    make_blocks(a, w.graph, w.above, w.diagonal);
    fill_scalars(w.graph, w.layout, w.above, w.diagonal, w.factor.values());
    const bool factored = w.factor.factorise();
    report.ms_factor = factoring.ms();
    if (!factored) {
        report.ok = false;
        report.trouble = "Cholesky met a matrix that is not positive definite";
        return report;
    }

    const Stopwatch solving;
    w.rhs.resize(n);
    w.product.resize(n);
    std::vector<Vec3> given(n), solution(n);
    for (std::size_t i = 0; i < n; ++i)
        if (a.is_fixed(i)) given[i] = x[i];
    multiply(a, given, w.product);
    for (std::size_t i = 0; i < n; ++i) w.rhs[i] = a.is_fixed(i) ? given[i] : b[i] - w.product[i];
    bool ok = w.factor.solve(w.rhs, solution);
    for (std::size_t i = 0; ok && i < n; ++i) ok = is_finite(solution[i]);
    if (ok)
        for (std::size_t i = 0; i < n; ++i)
            if (!a.is_fixed(i)) x[i] = solution[i];
    multiply(a, x, w.product);
    double residual2 = 0, load2 = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (a.is_fixed(i)) continue;
        residual2 += norm2(b[i] - w.product[i]);
        load2 += norm2(w.rhs[i]);
    }
    report.residual = load2 > 0 ? std::sqrt(residual2 / load2) : 0.0;
    report.ms_solve = solving.ms();
    report.ok = ok;
    if (!ok) report.trouble = "Cholesky's solution is not finite";
    return report;
}

LinearReport LinearSolverCholesky::correct(const BlockSystem& a, std::span<const Vec3> b,
                                           double /*tolerance*/, std::span<Vec3> x)
{
    std::fill(x.begin(), x.end(), Vec3{});
    return solve(a, b, x);
}

} // namespace pleat
