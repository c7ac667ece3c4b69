// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Steps of saved states: time by stage, iterations, and how near a step comes to the converged one.
// scripts/bench_states makes the states and runs this.
//
//   step_states DIR... [--frame N] [--steps N] [--repeat N] [--threads N] [--reference FOLDER]
//
// DIR is a folder of `pleat run` with a checkpoint. Prints one CSV row for each. Times are medians
// over the repetitions, all of which start from the same state. With --reference the integrator's
// result of the first step is compared with the file FOLDER/<name>.step; where there is none, the
// step is made with tight tolerances and written there. So two builds can be compared with the same
// converged step.
#include "pleat/core/parallel.hpp"
#include "pleat/core/stage_times.hpp"
#include "pleat/integrators/backward_euler.hpp"
#include "pleat/linalg/cg.hpp"
#include "pleat/loads/handles.hpp"
#include "pleat/model/obstacle_sample.hpp"
#include "pleat/scene/resume.hpp"
#include "pleat/scene/scene_file.hpp"
#include "pleat/sim/checkpoint.hpp"
#include "pleat/sim/step.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace pleat {
namespace {

namespace fs = std::filesystem;

struct Arguments {
    std::vector<fs::path> folders;
    std::optional<int> frame;
    int steps = 8, repeat = 3, threads = 2;
    fs::path reference;
};

struct Saved {
    SceneDescription description;
    Scene scene;
    [[nodiscard]] double dt() const { return 1.0 / description.fps / description.substeps; }
};

Saved load(const fs::path& folder, std::optional<int> frame)
{
    Saved s;
    s.description = read_scene_file(folder / "scene.json");
    s.scene = load_scene(s.description);
    start_from(s.description, read_checkpoint(folder, frame).checkpoint, s.scene);
    return s;
}

/// What one call of a program's stages does, added up over the steps.
struct Totals {
    StageTimes times;
    double iterations = 0, passes = 0, fallbacks = 0, settled = 0, contacts = 0, impacts = 0;
    int steps = 0, rejected = 0;
};

Totals run_steps(const Saved& saved, int steps)
{
    Simulation sim = saved.scene.start;
    Pipeline pipeline = make_pipeline(saved.description);
    Totals t;
    // The first one makes patterns and trees, which a run makes once a remeshing.
    for (int i = -1; i < steps; ++i) {
        const StepReport r = step(saved.scene.world, pipeline, sim, saved.dt(), true);
        if (i < 0) continue;
        ++t.steps;
        t.rejected += r.accepted() ? 0 : 1;
        t.times += r.times;
        t.iterations += r.solve.linear_iterations;
        t.passes += r.solve.newton_iterations;
        t.fallbacks += r.solve.fallbacks;
        t.settled += r.solve.contacts_settled ? 1 : 0;
        t.contacts += static_cast<double>(r.contact.proximities);
        t.impacts += static_cast<double>(r.impact.impacts);
    }
    return t;
}

double median(std::vector<double> v)
{
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

/// The first step as the integrator leaves it: before limits and impacts.
State integrate_once(const Saved& saved, Integrator& integrator)
{
    const Simulation& sim = saved.scene.start;
    const World& world = saved.scene.world;
    Pipeline pipeline = make_pipeline(saved.description);
    State held = sim.state, next = sim.state;
    take_hold(world, sim.model, sim.time, held);
    const auto obstacles = sample_obstacles(world, sim.time, saved.dt());
    const Loads loads = sum_of(pipeline.loads, world, sim.model, held, sim.time, saved.dt());
    Contacts contacts;
    (void)pipeline.contact_finder->find(sim.model, held, world, obstacles, saved.dt(), contacts);
    const SolveReport r = integrator.advance(sim.model, held, loads, contacts, saved.dt(), next);
    if (!r.ok) std::fprintf(stderr, "integration: %s\n", r.trouble.c_str());
    return next;
}

struct Distance {
    double rms = 0, worst = 0; // [m]
};

Distance compare(const Saved& saved, const fs::path& file)
{
    const std::size_t n = saved.scene.start.state.x.size();
    if (!fs::exists(file)) {
        constexpr double tight_tolerance = 1e-9;
        CgOptions options;
        options.tolerance = tight_tolerance;
        IntegratorBackwardEuler tight({}, std::make_unique<LinearSolverCg>(options));
        const State converged = integrate_once(saved, tight);
        std::ofstream out(file, std::ios::binary);
        out.write(reinterpret_cast<const char*>(converged.x.values.data()),
                  static_cast<std::streamsize>(n * sizeof(Vec3)));
    }
    std::vector<Vec3> converged(n);
    std::ifstream in(file, std::ios::binary);
    in.read(reinterpret_cast<char*>(converged.data()),
            static_cast<std::streamsize>(n * sizeof(Vec3)));
    if (!in) throw std::runtime_error(file.string() + ": is of another state");
    Pipeline pipeline = make_pipeline(saved.description);
    const State found = integrate_once(saved, *pipeline.integrator);
    Distance d;
    for (std::size_t i = 0; i < n; ++i) {
        const double distance2 = norm2(found.x.values[i] - converged[i]);
        d.rms += distance2 / static_cast<double>(n);
        d.worst = std::max(d.worst, distance2);
    }
    return {std::sqrt(d.rms), std::sqrt(d.worst)};
}

void print_row(const fs::path& folder, const Arguments& a)
{
    const Saved saved = load(folder, a.frame);
    const std::string name = folder.filename().string();
    const auto faces = static_cast<double>(saved.scene.start.model.mesh.face_count());
    std::vector<Totals> runs;
    for (int i = 0; i < a.repeat; ++i) runs.push_back(run_steps(saved, a.steps));
    const Totals& t = runs.front();
    const double steps = t.steps;
    const auto ms = [&](auto of) {
        std::vector<double> all;
        for (const Totals& r : runs) all.push_back(of(r) / steps);
        return median(all);
    };
    const auto stage = [&](Stage s) { return ms([s](const Totals& r) { return r.times[s]; }); };
    const double total = ms([](const Totals& r) {
        return r.times[Stage::contact_find] + r.times[Stage::integrate] + r.times[Stage::strain] +
               r.times[Stage::impact];
    });
    const double integrate = stage(Stage::integrate);
    std::printf("%s,%.0f,%zu,%.0f,%.1f,%.1f,%.1f,%.0f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f",
                name.c_str(), faces, saved.scene.start.model.mesh.node_count(), t.contacts / steps,
                t.passes / steps, t.iterations / steps, t.fallbacks / steps,
                100 * t.settled / steps, stage(Stage::contact_find), integrate,
                stage(Stage::strain), stage(Stage::impact), total, 1000 * integrate / faces,
                1000 * total / faces);
    if (!a.reference.empty()) {
        const Distance d = compare(saved, a.reference / (name + ".step"));
        std::printf(",%.3f,%.2f", 1e6 * d.rms, 1e6 * d.worst);
    }
    std::printf("\n");
    std::fflush(stdout);
}

Arguments parse(int count, char** words)
{
    Arguments a;
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        if (!word.starts_with("--")) {
            a.folders.emplace_back(word);
            continue;
        }
        if (i + 1 == count) throw std::runtime_error(word + " needs a value");
        const char* value = words[++i];
        if (word == "--frame") {
            a.frame = std::atoi(value);
        } else if (word == "--steps") {
            a.steps = std::atoi(value);
        } else if (word == "--repeat") {
            a.repeat = std::atoi(value);
        } else if (word == "--threads") {
            a.threads = std::atoi(value);
        } else if (word == "--reference") {
            a.reference = value;
        } else {
            throw std::runtime_error("unknown argument " + word);
        }
    }
    if (a.folders.empty() || a.steps < 1 || a.repeat < 1)
        throw std::runtime_error("usage: step_states DIR... [--frame N] [--steps N] [--repeat N] "
                                 "[--threads N] [--reference FOLDER]");
    return a;
}

} // namespace
} // namespace pleat

int main(int count, char** words)
{
    try {
        const pleat::Arguments a = pleat::parse(count, words);
        std::printf(
            "state,faces,nodes,contacts,solves,iterations,fallbacks,settled_percent,"
            "ms_find,ms_integrate,ms_strain,ms_impact,ms_step,integrate_us_a_face,us_a_face%s\n",
            a.reference.empty() ? "" : ",rms_um,worst_um");
        const pleat::Threads threads(a.threads);
        for (const auto& folder : a.folders) threads.run([&] { pleat::print_row(folder, a); });
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "step_states: %s\n", e.what());
        return 1;
    }
}
