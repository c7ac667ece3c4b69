// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A load of one's own: a whirl of air that turns a hanging strip of cloth about its own axis.
#include <pleat/pleat.hpp>

#include <cstdio>

namespace {

/// Drags each node along with air that turns about the z axis. Besides the force it gives its
/// derivative by the velocity, so that the implicit solver stays stable at any step.
class Whirl final : public pleat::Load {
public:
    Whirl(double turns, double drag) : turns_(turns), drag_(drag) {}

    void add(const pleat::World&, const pleat::Model& model, const pleat::State& state, double time,
             double, pleat::Loads& loads) const override
    {
        const double strength = std::min(1.0, time); // grows over the first second
        loads.force.resize(model.mesh.node_count());
        loads.drag.resize(model.mesh.node_count());
        for (const pleat::NodeId node : model.mesh.nodes()) {
            const pleat::Vec3 x = state.x[node];
            const pleat::Vec3 air = 6.2831853 * turns_ * strength * pleat::Vec3{-x[1], x[0], 0};
            const double resistance = drag_ * model.mass[node]; // [kg/s]
            loads.force[index(node)] += resistance * (air - state.v[node]);
            loads.drag[index(node)] += resistance * pleat::identity<3>();
        }
    }

private:
    double turns_; // of the air [1/s]
    double drag_;  // [1/s]
};

} // namespace

int main()
{
    pleat::MeshInput strip; // 0.2 m x 0.6 m, in the plane y = 0, held at its upper edge
    const unsigned columns = 6, rows = 18;
    for (unsigned j = 0; j <= rows; ++j)
        for (unsigned i = 0; i <= columns; ++i)
            strip.node_x.push_back({0.2 * i / columns - 0.1, 0, 0.6 * j / rows - 0.6});
    for (unsigned j = 0; j < rows; ++j)
        for (unsigned i = 0; i < columns; ++i) {
            const unsigned a = j * (columns + 1) + i, b = a + 1, c = a + columns + 1, d = c + 1;
            strip.face_nodes.push_back({a, b, d});
            strip.face_nodes.push_back({a, d, c});
        }
    std::vector<unsigned> top;
    for (unsigned i = 0; i <= columns; ++i) top.push_back(rows * (columns + 1) + i);

    pleat::ArrayScene scene;
    scene.description.gravity = {0, 0, -9.81};
    add_cloth(scene, "strip", strip, pleat::fabric("navy-sparkle-sweat"));
    add_handle(scene, "strip", top);

    pleat::SimulatorOptions options;
    options.loads.push_back(std::make_shared<Whirl>(2.0, 20.0));
    pleat::Simulator simulator(scene, options);
    for (int frame = 1; frame <= 25; ++frame)
        if (const auto result = simulator.advance_frame(); !result.ok) {
            std::fprintf(stderr, "frame %d: %s\n", frame, result.trouble.c_str());
            return 1;
        }

    const pleat::ObjectMesh cloth = simulator.cloth("strip");
    const pleat::Vec3 corner = cloth.x.front(); // started at (-0.1, 0, -0.6)
    std::printf("a lower corner is at (%.3f, %.3f, %.3f)\n", corner[0], corner[1], corner[2]);
    simulator.write_frame("own_load");
    return std::abs(corner[1]) > 0.02 ? 0 : 1; // the whirl has turned it out of its plane
}
