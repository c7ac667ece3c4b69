// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// [Narain2012] fig. 7: the distribution of principal strains over time, one row an iteration, for
// each limiter. Writes CSV to the standard output.
//   strain_figure7 [cells a side, 101] [threads, 2] [iterations of jacobi, 2000]
// Time is that of the process (both threads) as well as that of the clock; what the rows cost is
// taken out.
#include "pleat/core/parallel.hpp"
#include "pleat/core/stage_times.hpp"
#include "pleat/strain_limiting/augmented_lagrangian.hpp"
#include "pleat/strain_limiting/jacobi.hpp"
#include "pleat/strain_limiting/projected_newton.hpp"
#include "strain_limiting/sheets.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

namespace pleat {
namespace {

double cpu_ms()
{
    return 1000.0 * double(std::clock()) / CLOCKS_PER_SEC;
}

class Recorder {
public:
    Recorder(const char* method, const cloths::Cloth& square) : method_(method), square_(square)
    {
        row(0, square.state.x.values);
    }

    void row(int iteration, std::span<const Vec3> x)
    {
        const double now = watch_.ms() - lost_ms_, cpu = cpu_ms() - start_cpu_ - lost_cpu_;
        const double from = watch_.ms(), from_cpu = cpu_ms();
        const Model& m = square_.model;
        std::vector<double> strains;
        for (FaceId f : m.mesh.faces()) {
            const auto& v = m.mesh[f].verts;
            const auto n = m.mesh.nodes_of(f);
            const FaceRest rest = face_rest(m.mesh.u(v[0]), m.mesh.u(v[1]), m.mesh.u(v[2]));
            const Vec2 e =
                quick_strains(deformation(rest, x[index(n[0])], x[index(n[1])], x[index(n[2])]));
            strains.push_back(e[0]);
            strains.push_back(e[1]);
        }
        std::sort(strains.begin(), strains.end());
        const auto at = [&](double share) {
            return strains[static_cast<std::size_t>(share * double(strains.size() - 1))];
        };
        std::printf("%s,%d,%.3f,%.3f,%.6f", method_, iteration, now, cpu,
                    check_limits(m, x).worst_violation);
        for (double share : {0.0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0})
            std::printf(",%.6f", at(share));
        std::printf("\n");
        lost_ms_ += watch_.ms() - from;
        lost_cpu_ += cpu_ms() - from_cpu;
    }

private:
    const char* method_;
    const cloths::Cloth& square_;
    Stopwatch watch_;
    double start_cpu_ = cpu_ms(), lost_ms_ = 0, lost_cpu_ = 0;
};

template <class Limiter, class Options>
void record(const char* method, const cloths::Cloth& square, Options options)
{
    { // memory and threads are warm
        State s = square.state;
        Options brief = options;
        brief.max_iterations = 2;
        (void)Limiter(brief).limit(square.model, {}, {}, 0.005, s);
    }
    Recorder recorder(method, square);
    options.on_iteration = [&](int i, std::span<const Vec3> x) { recorder.row(i, x); };
    State s = square.state;
    (void)Limiter(options).limit(square.model, {}, {}, 0.005, s);
}

} // namespace
} // namespace pleat

int main(int argc, char** argv)
{
    using namespace pleat;
    const int cells = argc > 1 ? std::atoi(argv[1]) : 101;
    const Threads threads(argc > 2 ? std::atoi(argv[2]) : 2);
    const cloths::Cloth square = sheets::figure7(cells);
    std::printf("method,iteration,ms,cpu_ms,violation,p0,p1,p10,p25,p50,p75,p90,p99,p100\n");
    threads.run([&] {
        record<StrainLimiterProjectedNewton>("projected_newton", square,
                                             StrainProjectedNewtonOptions{});
        StrainAugmentedLagrangianOptions published;
        published.inner = InnerSolver::lbfgs;
        record<StrainLimiterAugmentedLagrangian>("augmented_lagrangian_lbfgs", square, published);
        published.inner = InnerSolver::nonlinear_cg;
        record<StrainLimiterAugmentedLagrangian>("augmented_lagrangian_cg", square, published);
        StrainJacobiOptions jacobi;
        jacobi.max_iterations = argc > 3 ? std::atoi(argv[3]) : 2000;
        record<StrainLimiterJacobi>("jacobi", square, jacobi);
    });
    return 0;
}
