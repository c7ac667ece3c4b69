// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "scene/layers.hpp"

#include "contact/dice.hpp"
#include "contact/shapes.hpp"
#include "pleat/scene/load_scene.hpp"
#include "pleat/scene/material_file.hpp"
#include "pleat/scene/start_check.hpp"
#include "pleat/sim/adapt.hpp"
#include "pleat/sim/step.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <numbers>
#include <vector>

namespace pleat::test {

namespace {

namespace fs = std::filesystem;

constexpr double gravity = 9.8; // [m/s^2]

/// A square of cloth about the z axis, n x n quads.
void write_sheet(const fs::path& path, double size, std::size_t n)
{
    std::ofstream out(path);
    out.precision(12);
    for (const char* kind : {"v", "vt"})
        for (std::size_t j = 0; j <= n; ++j)
            for (std::size_t i = 0; i <= n; ++i) {
                const double a = size * double(i) / double(n), b = size * double(j) / double(n);
                if (kind[1] == 0)
                    out << "v " << a - size / 2 << ' ' << b - size / 2 << " 0\n";
                else
                    out << "vt " << a << ' ' << b << '\n';
            }
    const auto at = [&](std::size_t i, std::size_t j) {
        const std::string k = std::to_string(1 + i + j * (n + 1));
        return " " + k + "/" + k;
    };
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t i = 0; i < n; ++i) {
            out << 'f' << at(i, j) << at(i + 1, j) << at(i + 1, j + 1) << '\n';
            out << 'f' << at(i, j) << at(i + 1, j + 1) << at(i, j + 1) << '\n';
        }
}

void write_body(const fs::path& path, const Obstacle& body)
{
    std::ofstream out(path);
    out.precision(12);
    for (const Vec3& x : body.x) out << "v " << x[0] << ' ' << x[1] << ' ' << x[2] << '\n';
    for (const auto& f : body.faces)
        out << "f " << f[0] + 1 << ' ' << f[1] + 1 << ' ' << f[2] + 1 << '\n';
}

/// One sheet of a stack.
struct Layer {
    std::string fabric;
    double size = 0.4;      // [m]
    std::size_t cells = 8;  // along a side, at the start
    double edge_length = 0; // shortest [m]; 0: the mesh is fixed
    std::optional<StrainLimits> limits;
};

SceneDescription scene_of(const fs::path& folder, const std::vector<Layer>& layers,
                          const Obstacle& body, double lowest, double distance, double speed)
{
    SceneDescription scene;
    scene.file = folder / "scene.json";
    scene.gravity = {0, 0, -gravity};
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const Layer& layer = layers[i];
        ClothDescription cloth;
        cloth.name = "sheet" + std::to_string(i);
        cloth.mesh = folder / (cloth.name + ".obj");
        write_sheet(cloth.mesh, layer.size, layer.cells);
        cloth.transform.translate = {0, 0, lowest + distance * double(i)};
        cloth.linear_velocity = {0, 0, -speed};
        cloth.materials = {fabric(layer.fabric)};
        cloth.strain_limits = layer.limits;
        if (layer.edge_length > 0) {
            cloth.remeshing.type = "anisotropic";
            cloth.remeshing.edge_length = {layer.edge_length, 0.25 * layer.size};
        }
        scene.cloths.push_back(cloth);
    }
    ObstacleDescription obstacle;
    obstacle.name = body.name;
    obstacle.mesh = folder / "body.obj";
    write_body(obstacle.mesh, body);
    scene.obstacles.push_back(obstacle);
    return scene;
}

/// Steadily, over the frames of the scene.
void move(ObstacleDescription& body, const Vec3& velocity, const Vec3& axis, double spin,
          double seconds)
{
    constexpr int steps = 40;
    for (int i = 0; i <= steps; ++i) {
        const double t = seconds * i / steps;
        body.motion.keys.keys.push_back({t, {velocity * t, rotation_about(axis, spin * t), 1}});
    }
}

/// Writes the scene, and reads it as `pleat run` would.
SceneDescription written(const SceneDescription& scene)
{
    std::ofstream(scene.file) << to_json_text(scene, scene.file.parent_path());
    return read_scene_file(scene.file);
}

double median(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Of every frame, by the median of the three before and the three behind.
Worst worst_cost(const std::vector<double>& cost)
{
    constexpr std::size_t reach = 3;
    constexpr double least = 0.02; // clocks of CPU time may tick as slowly as every 10 ms [s]
    Worst worst;
    for (std::size_t i = 0; i < cost.size(); ++i) {
        std::vector<double> around;
        for (std::size_t j = i - std::min(i, reach); j < std::min(cost.size(), i + reach + 1); ++j)
            if (j != i) around.push_back(cost[j]);
        if (!around.empty()) worst.note(cost[i] / std::max(median(around), least), int(i) + 1);
    }
    return worst;
}

/// The most at which cloth and body can meet in the step that ends at `time`: see the header [m/s].
double meeting_speed(const SceneDescription& description, const World& world, double time,
                     double dt)
{
    double body = 0;
    for (const Obstacle& o : world.obstacles) {
        const std::vector<Vec3> a = points_at(o, time - dt), b = points_at(o, time);
        for (std::size_t i = 0; i < a.size(); ++i) body = std::max(body, norm(b[i] - a[i]) / dt);
    }
    return norm(description.cloths[0].linear_velocity) + gravity * time + body +
           norm(description.wind.velocity);
}

} // namespace

SceneDescription limited_between_unlimited(const fs::path& folder)
{
    const std::vector<Layer> layers = {
        {.fabric = "camel-ponte-roma", .size = 0.384, .cells = 4, .edge_length = 0.037},
        {.fabric = "gray-interlock",
         .size = 0.358,
         .cells = 7,
         .limits = StrainLimits{-0.058, 0.058}},
        {.fabric = "white-dots-on-blk", .size = 0.296, .cells = 8},
        {.fabric = "gray-interlock",
         .size = 0.343,
         .cells = 5,
         .edge_length = 0.021,
         .limits = StrainLimits{-0.045, 0.045}}};
    SceneDescription scene = scene_of(
        folder, layers, box({-0.05, -0.07, -0.068}, {0.05, 0.07, 0.068}), 0.123, 0.0104, 2.2);
    scene.substeps = 4;
    scene.frames = 3;
    scene.contact.thickness = 0.004;
    scene.contact.friction = 0.56;
    scene.wind.density = 1;
    scene.wind.velocity = {2.1, -2.7, -4.2};
    move(scene.obstacles[0], {}, {-0.33, -0.5, 0.8}, 7.33, 0.48);
    return written(scene);
}

SceneDescription random_layers(unsigned seed, const fs::path& folder)
{
    Dice dice(seed);
    std::vector<std::string> fabrics;
    for (const FabricEntry& f : shipped_fabrics()) fabrics.push_back(f.name);
    const double thickness = dice.between(0.001, 0.005);
    std::vector<Layer> layers(1 + dice.below(4));
    for (Layer& layer : layers) {
        layer.fabric = fabrics[dice.below(fabrics.size())];
        layer.size = dice.between(0.25, 0.4);
        layer.cells = 4 + dice.below(5);
        if (dice.half()) layer.edge_length = dice.between(0.02, 0.04);
        if (dice.half()) {
            const double most = dice.between(0.03, 0.12);
            layer.limits = StrainLimits{-most, most};
        }
    }
    Obstacle body;
    double reach = 0; // how high it can stand however it turns [m]
    switch (dice.below(3)) {
    case 0: {
        const double r = dice.between(0.05, 0.1);
        body = sphere(r, 4 + std::uint32_t(dice.below(6)));
        reach = r;
        break;
    }
    case 1: {
        const Vec3 half{dice.between(0.03, 0.09), dice.between(0.03, 0.09),
                        dice.between(0.03, 0.09)};
        body = box(-1.0 * half, half);
        reach = norm(half);
        break;
    }
    default: {
        const double tube = dice.between(0.01, 0.03), r = dice.between(0.05, 0.09);
        body = torus(r, tube, 16, 8);
        reach = r + tube;
        break;
    }
    }
    // As fast as after a fall of up to half a metre, so that little time passes before they meet.
    const double speed = std::sqrt(2 * gravity * dice.between(0, 0.5));
    SceneDescription scene = scene_of(folder, layers, body, reach + 2 * thickness + 0.005,
                                      std::max(2.5 * thickness, dice.between(0.01, 0.03)), speed);
    scene.substeps = dice.half() ? 4 : 8;
    scene.frames = 12;
    scene.contact.thickness = thickness;
    scene.contact.friction = dice.between(0, 0.8);
    if (dice.half()) {
        scene.wind.density = 1;
        scene.wind.velocity = dice.direction() * dice.between(0, 6);
    }
    Vec3 drift{};
    Vec3 axis{0, 0, 1};
    double spin = 0;
    if (dice.half()) drift = dice.direction() * dice.between(0, 1);
    if (dice.half()) {
        axis = dice.direction();
        spin = dice.between(-8, 8);
    }
    move(scene.obstacles[0], drift, axis, spin, scene.frames / scene.fps);
    if (dice.half()) {
        ObstacleDescription floor;
        floor.name = "floor";
        // Below whatever the body does.
        floor.shape = PlaneDescription{{0, 0, -reach - 0.5}, {0, 0, 1}, 2};
        scene.obstacles.push_back(floor);
    }
    return written(scene);
}

LayersOutcome play(const SceneDescription& description)
{
    LayersOutcome outcome;
    Scene scene = load_scene(description);
    check_start(description, scene);
    Pipeline pipeline = make_pipeline(description);
    Simulation& sim = scene.start;
    const double dt = 1 / (description.fps * description.substeps);
    std::vector<double> cost;
    const auto clock_start = std::clock();
    static_cast<void>(adapt(scene.world, pipeline, sim));
    for (int frame = 1; frame <= description.frames && outcome.ok; ++frame) {
        const auto frame_start = std::clock();
        for (int s = 0; s < description.substeps; ++s) {
            const Field<NodeId, Vec3> before = sim.state.v;
            const AdvanceReport r = advance(scene.world, pipeline, sim, dt);
            outcome.unresolved += r.unresolved;
            if (!r.ok) {
                outcome.ok = false;
                outcome.trouble = "frame " + std::to_string(frame) + ": " + r.trouble;
                break;
            }
            const double most = 2 * meeting_speed(description, scene.world, sim.time, dt);
            for (NodeId n : sim.model.mesh.nodes()) {
                const double change = norm(sim.state.v[n] - before[n]);
                outcome.acceleration.note(change / dt, frame);
                outcome.jolt.note(change / most, frame);
            }
        }
        static_cast<void>(adapt(scene.world, pipeline, sim));
        sim.frame = frame;
        sim.time = frame / description.fps;
        cost.push_back(double(std::clock() - frame_start) / CLOCKS_PER_SEC);
        const MeshAudit found = audit(object_meshes(scene.world, sim), 0.005);
        outcome.intersections += found.intersections;
        outcome.stretch.note(found.max_stretch, frame);
        outcome.excess.note(check_limits(sim.model, sim.state.x.span()).worst_violation, frame);
    }
    outcome.cost = worst_cost(cost);
    outcome.seconds = double(std::clock() - clock_start) / CLOCKS_PER_SEC;
    outcome.faces = sim.model.mesh.face_count();
    return outcome;
}

std::string table_head()
{
    return "| scene | faces | CPU [s] | crossings | stretch | beyond limits | acceleration [m/s^2] "
           "| share of its bound | cost by neighbours |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n";
}

std::string table_line(const std::string& name, const LayersOutcome& o)
{
    char line[256];
    std::snprintf(
        line, sizeof line,
        "| %s | %zu | %.1f | %zu | %.3f (%d) | %.4f (%d) | %.0f (%d) | %.2f (%d) | %.1f (%d) |%s\n",
        name.c_str(), o.faces, o.seconds, o.intersections, o.stretch.value, o.stretch.frame,
        o.excess.value, o.excess.frame, o.acceleration.value, o.acceleration.frame, o.jolt.value,
        o.jolt.frame, o.cost.value, o.cost.frame, o.ok ? "" : " gave up");
    return line;
}

} // namespace pleat::test
