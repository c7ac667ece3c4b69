// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A square of fabric falls on a table. Everything is made from arrays; no file is read.
#include <pleat/pleat.hpp>

#include <cstdio>

int main()
{
    pleat::MeshInput sheet; // 1.2 m wide, flat: its rest shape is the shape that it starts with
    const unsigned n = 12;  // cells a side; the mesh refines itself where it bends
    for (unsigned j = 0; j <= n; ++j)
        for (unsigned i = 0; i <= n; ++i)
            sheet.node_x.push_back({1.2 * i / n - 0.6, 1.2 * j / n - 0.6, 0.55});
    for (unsigned j = 0; j < n; ++j)
        for (unsigned i = 0; i < n; ++i) {
            const unsigned a = j * (n + 1) + i, b = a + 1, c = a + n + 1, d = c + 1;
            sheet.face_nodes.push_back({a, b, d});
            sheet.face_nodes.push_back({a, d, c});
        }
    pleat::MeshInput table; // a box of 0.6 m x 0.6 m x 0.5 m
    for (unsigned i = 0; i < 8; ++i)
        table.node_x.push_back({i & 1 ? 0.3 : -0.3, i & 2 ? 0.3 : -0.3, i & 4 ? 0.5 : 0.0});
    table.face_nodes = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                        {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

    pleat::ArrayScene scene;
    scene.description.gravity = {0, 0, -9.81};
    add_cloth(scene, "sheet", sheet, pleat::fabric("gray-interlock")).remeshing.type =
        "anisotropic";
    add_obstacle(scene, "table", table);

    pleat::Simulator simulator(scene);
    for (int frame = 1; frame <= 25; ++frame) // one second
        if (const auto result = simulator.advance_frame(); !result.ok) {
            std::fprintf(stderr, "frame %d: %s\n", frame, result.trouble.c_str());
            return 1;
        }
    const pleat::ObjectMesh cloth = simulator.cloth("sheet"); // x, v, u and faces as arrays
    std::printf("%zu triangles, %zu intersections, hash %016llx\n", cloth.face_nodes.size(),
                simulator.audit().intersections, (unsigned long long)simulator.hash());
    simulator.write_frame("hello_cloth"); // `pleat render hello_cloth` draws it
}
