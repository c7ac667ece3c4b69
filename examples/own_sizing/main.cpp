// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A sizing metric of one's own: the mesh of a hanging sheet is fine inside a spot that moves along
// it, and coarse where nothing else asks for small faces.
#include <pleat/pleat.hpp>

#include <cmath>
#include <cstdio>

namespace {

const double spot_radius = 0.15, spot_edge = 0.03; // [m]

pleat::Vec3 spot_at(double time) // in the plane of the sheet
{
    return {0.5 + 0.3 * std::sin(3 * time), 0, -0.5};
}

/// Asks for edges of spot_edge in all directions inside the spot, and for nothing outside.
class SizingSpot final : public pleat::SizingMetric {
public:
    void ask(const pleat::SizingInput& in,
             pleat::Field<pleat::FaceId, pleat::Mat2>& asked) const override
    {
        const pleat::Mat2 fine = pleat::identity<2>() * (1 / (spot_edge * spot_edge));
        for (const pleat::FaceId face : in.faces) {
            const auto [a, b, c] = in.model.mesh.nodes_of(face);
            const pleat::Vec3 middle = (in.state.x[a] + in.state.x[b] + in.state.x[c]) / 3.0;
            asked[face] = norm(middle - spot_at(in.time)) < spot_radius ? fine : pleat::Mat2{};
        }
    }
};

} // namespace

int main()
{
    pleat::MeshInput sheet; // 1 m x 1 m in the plane y = 0, held at its upper edge
    const unsigned n = 10;
    for (unsigned j = 0; j <= n; ++j)
        for (unsigned i = 0; i <= n; ++i)
            sheet.node_x.push_back({double(i) / n, 0, double(j) / n - 1});
    for (unsigned j = 0; j < n; ++j)
        for (unsigned i = 0; i < n; ++i) {
            const unsigned a = j * (n + 1) + i, b = a + 1, c = a + n + 1, d = c + 1;
            sheet.face_nodes.push_back({a, b, d});
            sheet.face_nodes.push_back({a, d, c});
        }
    pleat::ArrayScene scene;
    scene.description.gravity = {0, 0, -9.81};
    scene.description.contact.type = "none"; // nothing touches
    add_cloth(scene, "sheet", sheet, pleat::fabric("gray-interlock")).remeshing.type =
        "anisotropic";
    std::vector<unsigned> top;
    for (unsigned i = 0; i <= n; ++i) top.push_back(n * (n + 1) + i);
    add_handle(scene, "sheet", top);

    pleat::SimulatorOptions options;
    options.sizing.push_back({"spot", std::make_shared<SizingSpot>()});
    pleat::Simulator simulator(scene, options);
    for (int frame = 1; frame <= 15; ++frame)
        if (const auto result = simulator.advance_frame(); !result.ok) {
            std::fprintf(stderr, "frame %d: %s\n", frame, result.trouble.c_str());
            return 1;
        }

    // Faces are small inside the spot, where it is now, and large outside.
    const pleat::ObjectMesh cloth = simulator.cloth("sheet");
    double area_inside = 0, area_outside = 0;
    unsigned inside = 0, outside = 0;
    for (const auto& f : cloth.face_nodes) {
        const pleat::Vec3 a = cloth.x[f[0]], b = cloth.x[f[1]], c = cloth.x[f[2]];
        const double area = 0.5 * norm(cross(b - a, c - a));
        const bool is_inside = norm((a + b + c) / 3.0 - spot_at(simulator.time())) < spot_radius;
        (is_inside ? area_inside : area_outside) += area;
        ++(is_inside ? inside : outside);
    }
    const double mean_inside = area_inside / inside, mean_outside = area_outside / outside;
    std::printf("%u faces of %.1f cm^2 inside the spot, %u of %.1f cm^2 outside\n", inside,
                1e4 * mean_inside, outside, 1e4 * mean_outside);
    simulator.write_frame("own_sizing");
    return mean_outside > 5 * mean_inside ? 0 : 1;
}
