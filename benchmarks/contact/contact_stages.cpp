// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Where the time of contact goes, stage by stage, on a sheet folded into 8 layers 5 mm apart, on 2
// threads, and how it grows with the number of faces. Prints the tables of docs/contact.md.
//
// Refit and query are measured by themselves; a narrow phase is what is left of a whole search, and
// the resolution what impacts cost more than finding none. Each figure is the least of several
// rounds. Beside the time on the clock stands the processor time of all threads, which other
// programs disturb less: half of it is what two quiet cores need.
#include "folded_stage.hpp"

#include "pleat/contact/contact_surface.hpp"
#include "pleat/core/parallel.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

namespace pleat {
namespace {

constexpr double thickness = 0.005; // [m]
constexpr double dt = 0.005;        // [s]

struct Times {
    double clock = 0, cpu = 0; // [ms]

    Times operator-(const Times& b) const { return {clock - b.clock, cpu - b.cpu}; }
};

double cpu_ms()
{
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1000 * double(t.tv_sec) + 1e-6 * double(t.tv_nsec);
}

template <class Body> Times least(int rounds, Body&& body)
{
    Times best{1e300, 1e300};
    for (int i = 0; i < rounds; ++i) {
        const auto start = std::chrono::steady_clock::now();
        const double cpu = cpu_ms();
        body();
        const std::chrono::duration<double, std::milli> passed =
            std::chrono::steady_clock::now() - start;
        best.clock = std::min(best.clock, passed.count());
        best.cpu = std::min(best.cpu, cpu_ms() - cpu);
    }
    return best;
}

constexpr std::array<const char*, 9> columns = {"proximity: refit", "query", "narrow", "all",
                                                "CCD: refit",       "query", "narrow", "all",
                                                "resolution"};

struct Row {
    std::size_t faces = 0;
    std::array<Times, 9> times;
    std::size_t pairs = 0, tests = 0, impacts = 0; // of proximity; of the resolution
};

Row measure(std::size_t face_count, int rounds)
{
    Row row;
    // Half the speed at which layers begin to touch within a step, then three times it.
    test::Stage calm = folded_stage(face_count, 0.05, thickness),
                wild = folded_stage(face_count, 0.6, thickness);
    const Model& model = calm.sim.model;
    row.faces = model.mesh.face_count();
    const auto ahead = [](const test::Stage& stage) {
        State next = stage.sim.state;
        for (NodeId n : next.x.ids()) next.x[n] += dt * next.v[n];
        return next;
    };
    const State calm_next = ahead(calm), wild_next = ahead(wild);

    ContactSurface surface;
    surface.set_cloth(model);
    const auto refit = [&](double reach) {
        surface.place(calm.sim.state.x.span(), calm_next.x.span(), {}, reach);
    };
    const auto query = [&] {
        std::vector<std::size_t> counts(surface.cloth().piece_count());
        surface.cloth().visit_self_pairs([&](std::size_t piece, std::span<const BoxPair> pairs) {
            counts[piece] = pairs.size();
        });
        row.pairs = 0;
        for (const std::size_t c : counts) row.pairs += c;
    };
    auto& t = row.times;
    const double separation = ContactOptions{.thickness = thickness}.separation();
    t[4] = least(rounds, [&] { refit(separation); });
    t[5] = least(rounds, query);
    t[0] = least(rounds, [&] { refit(thickness); });
    t[1] = least(rounds, query);

    Contacts contacts;
    const auto find = [&] {
        row.tests =
            calm.pipeline.contact_finder->find(model, calm.sim.state, calm.world, {}, dt, contacts)
                .candidates;
    };
    find(); // trees and rest shapes are made once a mesh
    t[3] = least(rounds, find);
    t[2] = t[3] - t[0] - t[1];
    const auto resolve = [&](test::Stage& stage, const State& wished) {
        State next = wished;
        const ImpactReport r = stage.pipeline.impact_resolver->resolve(
            model, stage.sim.state, {}, stage.world, {}, dt, false, next);
        row.impacts = r.impacts;
        if (!r.ok) std::exit(1);
    };
    resolve(calm, calm_next);
    t[7] = least(rounds, [&] { resolve(calm, calm_next); });
    t[6] = t[7] - t[4] - t[5];
    resolve(wild, wild_next);
    t[8] = least(rounds, [&] { resolve(wild, wild_next); }) - t[7];
    return row;
}

void print(const char* title, const std::vector<Row>& rows, double Times::*time)
{
    std::printf("%s\n\n| faces |", title);
    for (const char* c : columns) std::printf(" %s |", c);
    std::printf("\n|---:|");
    for (std::size_t k = 0; k < columns.size(); ++k) std::printf("---:|");
    for (const Row& row : rows) {
        std::printf("\n| %zu |", row.faces);
        for (const Times& t : row.times) std::printf(" %.2f |", t.*time);
    }
    std::printf("\n\n");
}

} // namespace
} // namespace pleat

int main(int argc, char** argv)
{
    using namespace pleat;
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 15;
    std::vector<Row> rows;
    Threads(2).run([&] {
        for (const std::size_t faces : {2000, 10000, 25000, 60000})
            rows.push_back(measure(faces, rounds));
    });
    print("Clock [ms]:", rows, &Times::clock);
    print("Processor, all threads [ms]:", rows, &Times::cpu);
    std::printf("Processor time a face against that of the smallest sheet:\n\n"
                "| faces | proximity | CCD | face pairs a face | feature tests a face | impacts |\n"
                "|---:|---:|---:|---:|---:|---:|\n");
    const auto a_face = [](const Row& r, std::size_t k) {
        return r.times[k].cpu / double(r.faces);
    };
    for (const Row& r : rows)
        std::printf("| %zu | %.2f | %.2f | %.1f | %.1f | %zu |\n", r.faces,
                    a_face(r, 3) / a_face(rows[0], 3), a_face(r, 7) / a_face(rows[0], 7),
                    double(r.pairs) / double(r.faces), double(r.tests) / double(r.faces),
                    r.impacts);
    return 0;
}
