// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/model/model.hpp"

#include "pleat/model/state.hpp"

#include <gtest/gtest.h>

namespace pleat {
namespace {

/// Two triangles over a square of side 1, folded along the diagonal by a mark.
MeshInput square()
{
    MeshInput input;
    input.node_x = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    input.material_u = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    input.face_nodes = input.face_points = {{0, 1, 2}, {0, 2, 3}};
    return input;
}

TEST(MakeModel, takes_materials_labels_and_rest_angles_of_the_input)
{
    MeshInput input = square();
    input.face_material = {1, 0};
    input.node_label = {0, 0, 5, 0};
    input.edge_marks = {{2, 0, 0.25, false}};
    Material light, heavy;
    light.density = 1;
    heavy.density = 3;
    const Model model = make_model(input, {light, heavy});
    EXPECT_EQ(model.panel_cloth, std::vector{ClothId{0}});
    EXPECT_EQ(model.face_material[FaceId{0}], MaterialId{1});
    EXPECT_EQ(model.face_material[FaceId{1}], MaterialId{0});
    EXPECT_EQ(model.node_label[NodeId{2}], 5);
    EXPECT_EQ(model.rest_angle[model.mesh.find_edge(NodeId{0}, NodeId{2})], 0.25);
    EXPECT_DOUBLE_EQ(total_mass(model), 0.5 * 1 + 0.5 * 3);
}

TEST(MakeModel, gives_every_field_one_value_an_element)
{
    Model model = make_model(square(), {Material{}});
    visit_fields(model, [&](const char* name, const auto& field) {
        const auto n = field.size();
        EXPECT_TRUE(n == model.mesh.node_count() || n == model.mesh.face_count() ||
                    n == model.mesh.edge_count())
            << name;
    });
    EXPECT_EQ(model.compression_scale[FaceId{1}], 1);
    EXPECT_EQ(model.handles(NodeId{3}), 0u);
}

TEST(StartState, is_at_rest_where_the_input_has_no_velocities)
{
    MeshInput input = square();
    EXPECT_EQ(start_state(input).v[NodeId{3}], Vec3{});
    input.node_v = {{}, {}, {}, {1, 2, 3}};
    const State state = start_state(input);
    EXPECT_EQ(state.v[NodeId{3}], (Vec3{1, 2, 3}));
    EXPECT_EQ(state.x.values, input.node_x);
    EXPECT_EQ(state.anchor.values, input.node_x);
}

} // namespace
} // namespace pleat
