// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// How many edges of simulated cloth are not Delaunay in stretched space after a remeshing. Prints
// the table of docs/remeshing.md.
#include "pleat/remeshing/anisotropic.hpp"
#include "pleat/remeshing/node_normals.hpp"
#include "pleat/scene/load_scene.hpp"
#include "pleat/scene/part_tables.hpp"
#include "pleat/sim/run.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace pleat {
namespace {

/// After one pass over the cloth as it is.
struct Pass {
    std::size_t faces = 0;
    DelaunayCount delaunay;
};

/// \param is_free without the bounds on strain
Pass remesh_once(const SceneDescription& description, const Scene& scene, bool is_free)
{
    Model model = scene.start.model;
    State state = scene.start.state;
    const ObstacleTree obstacles(scene.world, scene.start.time);
    MetricField metric =
        vert_metric(model.mesh, face_sizing(model, state, scene.world, scene.start.time, obstacles,
                                            sizing_by_cloth(description))
                                    .metric);
    FieldSet fields;
    add_fields(fields, model);
    add_fields(fields, state);
    fields.add(metric);
    EditLimits limits;
    limits.held = &model.region_handles;
    if (!is_free) {
        limits.strain_rise = EditOptions{}.strain_rise;
        for (const Material& m : model.materials) limits.strain_limits.push_back(m.strain_limits);
        limits.face_material = &model.face_material;
    }
    (void)remesh_to_metric(model.mesh, metric, state.x, fields, {}, limits);
    return {model.mesh.face_count(), count_delaunay(model.mesh, metric)};
}

void measure(const std::string& name, int frames)
{
    const SceneDescription d =
        read_scene_file(std::filesystem::path(PLEAT_SOURCE_DIR) / "scenes" / name);
    Scene scene = load_scene(d);
    Pipeline pipeline = make_pipeline(d);
    scene.settings.frames = frames;
    ASSERT_EQ(run(scene.world, pipeline, scene.start, scene.settings, {}).end, RunEnd::finished);
    const Pass bounded = remesh_once(d, scene, false), free = remesh_once(d, scene, true);
    for (const auto& [pass, words] : {std::pair{bounded, "as scenes run"}, {free, "free"}})
        std::cout << name << " frame " << frames << ", " << words << ": " << pass.faces
                  << " faces, " << pass.delaunay.not_delaunay << " of " << pass.delaunay.edges
                  << " edges not Delaunay (" << 100 * pass.delaunay.share() << " %)\n";
    EXPECT_GT(bounded.delaunay.edges, 500u);
    EXPECT_LT(bounded.delaunay.share(), 0.06);
    EXPECT_LT(free.delaunay.share(), 0.06);
}

TEST(Delaunay, few_edges_of_a_hanging_sheet_are_not)
{
    measure("hanging/adaptive.json", 12);
}

TEST(Delaunay, few_edges_of_a_sheet_on_a_ball_are_not)
{
    measure("sphere-anisotropic/scene.json", 20);
}

} // namespace
} // namespace pleat
