// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Plays random stacks of sheets by their seeds and prints what was worst in each, and of all: the
// table of docs/contact.md. On one thread, so that CPU times compare.
//
//   layer_scenes 1 200          seeds 1 to 200
//   layer_scenes 17 17 DIR      seed 17 alone; its files stay in DIR/17, for `pleat run`
//   layer_scenes stack DIR      the stack of limited and unlimited cloth
#include "pleat/core/error.hpp"
#include "pleat/core/parallel.hpp"
#include "scene/layers.hpp"
#include "temporary_folder.hpp"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

namespace {

namespace fs = std::filesystem;
using namespace pleat;
using namespace pleat::test;

/// The largest of one figure over all scenes.
struct Extreme {
    Worst worst;
    std::string scene;

    void note(const Worst& w, const std::string& name)
    {
        if (w.value > worst.value) {
            worst = w;
            scene = name;
        }
    }
    void print(const char* what) const
    {
        std::printf("| %s | %.4g | %s | %d |\n", what, worst.value, scene.c_str(), worst.frame);
    }
};

int run_all(int argc, char** argv)
{
    const bool stack = argc > 1 && std::string(argv[1]) == "stack";
    if (argc < 3 || argc > 4) {
        std::fprintf(stderr, "layer_scenes FIRST LAST [DIR], or layer_scenes stack DIR\n");
        return 1;
    }
    const int first = stack ? 0 : std::atoi(argv[1]), last = stack ? 0 : std::atoi(argv[2]);
    std::optional<TemporaryFolder> temporary;
    fs::path folder = stack ? argv[2] : argc == 4 ? argv[3] : "";
    if (folder.empty()) folder = temporary.emplace().path();
    Extreme stretch, excess, acceleration, jolt, cost, seconds;
    std::size_t crossings = 0, unresolved = 0;
    int gave_up = 0;
    double total = 0;
    std::fputs(table_head().c_str(), stdout);
    for (int seed = first; seed <= last; ++seed) {
        const std::string name = stack ? "stack" : std::to_string(seed);
        fs::create_directories(folder / name);
        const SceneDescription scene = stack ? limited_between_unlimited(folder / name)
                                             : random_layers(unsigned(seed), folder / name);
        const LayersOutcome o = play(scene);
        std::fputs(table_line(name, o).c_str(), stdout);
        std::fflush(stdout);
        stretch.note(o.stretch, name);
        excess.note(o.excess, name);
        acceleration.note(o.acceleration, name);
        jolt.note(o.jolt, name);
        cost.note(o.cost, name);
        seconds.note({o.seconds, scene.frames}, name);
        crossings += o.intersections;
        unresolved += o.unresolved;
        gave_up += !o.ok;
        total += o.seconds;
    }
    std::printf("\n%d scenes in %.0f s, %zu crossings, %zu unresolved pairs, %d given up\n\n",
                last - first + 1, total, crossings, unresolved, gave_up);
    std::printf("| worst of all | value | scene | frame |\n|---|--:|--:|--:|\n");
    stretch.print("stretch");
    excess.print("beyond the limits");
    acceleration.print("acceleration [m/s^2]");
    jolt.print("acceleration, share of its bound");
    cost.print("cost of a frame by its neighbours'");
    seconds.print("CPU time [s]");
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    try {
        int code = 0;
        Threads(1).run([&] { code = run_all(argc, argv); });
        return code;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
