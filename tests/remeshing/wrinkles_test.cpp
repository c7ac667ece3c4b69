// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Wrinkles of a compressed strip on meshes that the compression metric makes from the fabric; the
// same as scripts/wrinkles measures.
#include "pleat/remeshing/anisotropic.hpp"
#include "pleat/remeshing/uniform.hpp"
#include "pleat/sim/adapt.hpp"
#include "pleat/sim/step.hpp"

#include "mesh/zoo.hpp"
#include "sim/model_of.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <random>

namespace pleat {
namespace {

constexpr double strip_length = 0.4, strip_width = 0.02, compressed_by = 0.01, finest = 0.0025;

struct Wave {
    double length = 0; // [m]
    double slope = 0;  // root mean square
};

/// Along the middle of the strip, the mean over the spectrum of the slope.
Wave wave_of(const Simulation& sim)
{
    const Mesh& mesh = sim.model.mesh;
    const double middle = 0.5005 * strip_width; // off the nodes
    std::vector<std::array<double, 2>> cuts;    // u and height
    for (FaceId f : mesh.faces())
        for (std::size_t k = 0; k < 3; ++k) {
            const VertId a = mesh[f].verts[k], b = mesh[f].verts[(k + 1) % 3];
            const Vec2 ua = mesh.u(a), ub = mesh.u(b);
            if ((ua[1] < middle) == (ub[1] < middle)) continue;
            const double t = (middle - ua[1]) / (ub[1] - ua[1]);
            const double za = sim.state.x[mesh.node(a)][2], zb = sim.state.x[mesh.node(b)][2];
            cuts.push_back({ua[0] + t * (ub[0] - ua[0]), za + t * (zb - za)});
        }
    std::sort(cuts.begin(), cuts.end());
    constexpr std::size_t count = 512;
    const double span = cuts.back()[0] - cuts.front()[0];
    std::vector<double> height, slope;
    for (std::size_t i = 0, at = 0; i <= count; ++i) {
        const double u = cuts.front()[0] + span * double(i) / count;
        while (at + 2 < cuts.size() && cuts[at + 1][0] < u) ++at;
        const double width = cuts[at + 1][0] - cuts[at][0];
        const double t = width > 0 ? (u - cuts[at][0]) / width : 0;
        height.push_back(cuts[at][1] + t * (cuts[at + 1][1] - cuts[at][1]));
    }
    Wave wave;
    for (std::size_t i = 0; i < count; ++i) {
        slope.push_back((height[i + 1] - height[i]) * count / span);
        wave.slope += slope.back() * slope.back() / count;
    }
    wave.slope = std::sqrt(wave.slope);
    double power = 0, moment = 0;
    for (std::size_t k = 1; k < count / 4; ++k) {
        std::complex<double> sum = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const double phase = 2 * std::numbers::pi * (double(i) + 0.5) / count;
            sum += slope[i] * (0.5 - 0.5 * std::cos(phase)) * std::polar(1.0, -double(k) * phase);
        }
        power += std::norm(sum);
        moment += double(k) / span * std::norm(sum);
    }
    wave.length = power / moment;
    return wave;
}

/// Of a strip that starts compressed, when its wrinkles have taken up a quarter of that.
double wavelength_on(std::unique_ptr<Remesher> remesher)
{
    MeshInput input = zoo::grid(8, 1, strip_length, strip_width);
    std::mt19937_64 random(2012);
    std::uniform_real_distribution<double> bump(-1e-5, 1e-5);
    for (Vec3& x : input.node_x) {
        const bool is_end = x[0] == 0 || x[0] == strip_length;
        x = {(1 - compressed_by) * x[0], x[1], is_end ? 0 : bump(random)};
    }
    Simulation sim = simulation_of(input, "11oz-black-denim");
    sim.model.materials[0].damping = 0.0002;
    World world;
    world.handles.resize(1);
    std::vector<NodeId> ends;
    for (NodeId n : sim.model.mesh.nodes())
        if (const double x = sim.state.x[n][0]; x == 0 || x > 0.98 * strip_length) {
            sim.model.region_handles[n] = 1;
            ends.push_back(n);
        }
    lock_nodes(sim.model.mesh, ends);
    Pipeline pipeline = default_pipeline();
    pipeline.remesher = std::move(remesher);
    (void)adapt(world, pipeline, sim);
    const double half = 0.5 * std::sqrt(2 * compressed_by);
    Wave last = wave_of(sim);
    for (int frame = 0; frame < 40; ++frame) {
        for (int s = 0; s < 2; ++s) EXPECT_TRUE(advance(world, pipeline, sim, 0.0005).ok);
        (void)adapt(world, pipeline, sim);
        const Wave now = wave_of(sim);
        if (now.slope >= half) {
            const double share = std::log(half / last.slope) / std::log(now.slope / last.slope);
            return last.length + share * (now.length - last.length);
        }
        last = now;
    }
    ADD_FAILURE() << "the strip has not buckled";
    return 0;
}

TEST(Wrinkles, of_meshes_sized_by_the_fabric_are_as_long_as_those_of_a_fine_mesh)
{
    const double fine = wavelength_on(
        std::make_unique<RemesherUniform>(std::vector<std::optional<double>>{finest}));
    AnisotropicOptions options;
    ClothSizing sizing = cloth_sizing({{finest, 0.1, 1}, 0.15, 0.07, 0.7});
    for (NamedSizingMetric& m : sizing.metrics)
        if (m.name == "compression")
            m.metric = std::make_shared<SizingCompression>(SizingCompression::from_fabric(4));
    options.sizing = {sizing};
    options.edit.crossings = CrossingStrategy::none;
    const double adaptive = wavelength_on(std::make_unique<RemesherAnisotropic>(options));
    RecordProperty("fine_mm", std::to_string(1000 * fine));
    RecordProperty("adaptive_mm", std::to_string(1000 * adaptive));
    EXPECT_GT(fine, 0.015);
    EXPECT_NEAR(adaptive, fine, 0.1 * fine);
}

} // namespace
} // namespace pleat
