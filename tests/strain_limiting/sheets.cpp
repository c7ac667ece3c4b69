// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "strain_limiting/sheets.hpp"

#include "pleat/mesh/reorder.hpp"
#include "pleat/strain_limiting/augmented_lagrangian.hpp"
#include "pleat/strain_limiting/jacobi.hpp"
#include "pleat/strain_limiting/projected_newton.hpp"

#include <cmath>
#include <numbers>
#include <random>

namespace pleat::sheets {

namespace {

void reorder_cloth(cloths::Cloth& c)
{
    const MeshPermutation moved = reorder(c.model.mesh);
    FieldSet fields;
    add_fields(fields, c.model);
    add_fields(fields, c.state);
    fields.permute(moved);
    update_derived(c.model);
}

} // namespace

Material limited_fabric(double min, double max)
{
    Material m = cloths::fabric("gray-interlock");
    m.strain_limits = StrainLimits{min, max};
    return m;
}

MeshInput uneven(double width, double height, double edge)
{
    MeshInput input = cloths::rectangle(cloths::MeshKind::structured, width, height, edge);
    std::mt19937 random(7);
    std::uniform_real_distribution<double> unit(-0.25 * edge, 0.25 * edge);
    for (std::size_t i = 0; i < input.node_x.size(); ++i) {
        Vec3& x = input.node_x[i];
        const bool inner =
            x[0] > 1e-9 && x[0] < width - 1e-9 && x[1] > 1e-9 && x[1] < height - 1e-9;
        if (!inner) continue;
        x += Vec3{unit(random), unit(random), 0};
        input.material_u[i] = {x[0], x[1]}; // one material point a node, in its order
    }
    return input;
}

cloths::Cloth figure7(int cells)
{
    cloths::Cloth c =
        cloths::make_cloth(cloths::rectangle(cloths::MeshKind::structured, 1, 1, 1.0 / cells),
                           limited_fabric(-0.05, 0.05));
    reorder_cloth(c);
    for (Vec3& x : c.state.x.values) x[0] = 0.5 + (x[0] - 0.5) * (1.5 - x[1]);
    cloths::shake(c.state, 1e-4, 1);
    return c;
}

cloths::Cloth irregular(int cells)
{
    MeshInput input = cloths::rectangle(cloths::MeshKind::structured, 1, 1, 1.0 / cells);
    // Columns grow 20-fold from left to right; rows are even, so that the aspect goes from 10 tall
    // through 1 to 2 wide.
    const double ratio = std::log(20.0), height = 1.6;
    const auto warp = [&](double s) { return (std::exp(ratio * s) - 1) / 19.0; };
    for (Vec3& x : input.node_x) x = {warp(x[0]), height * x[1], 0};
    for (Vec2& u : input.material_u) u = {warp(u[0]), height * u[1]};
    cloths::Cloth c = cloths::make_cloth(input, limited_fabric(-0.05, 0.05));
    reorder_cloth(c);
    for (Vec3& x : c.state.x.values) x[0] = 0.5 + (x[0] - 0.5) * (1.25 - 0.5 * x[1] / height);
    cloths::shake(c.state, 1e-5, 1);
    return c;
}

cloths::Cloth wrapped(int around, int along, double stretch)
{
    const double edge = 1.0 / around;
    cloths::Cloth c =
        cloths::make_cloth(cloths::rectangle(cloths::MeshKind::structured, 1, along * edge, edge),
                           limited_fabric(-0.1, 0.1));
    const double radius = (1 + stretch) / (2 * std::numbers::pi);
    for (Vec3& x : c.state.x.values) {
        const double angle = 2 * std::numbers::pi * x[0];
        x = {radius * std::cos(angle), radius * std::sin(angle), (1 + stretch) * x[1]};
    }
    return c;
}

std::vector<Entry> face_limiters()
{
    const auto published = [](InnerSolver inner) {
        return [=]() -> std::unique_ptr<StrainLimiter> {
            StrainAugmentedLagrangianOptions o;
            o.inner = inner;
            return std::make_unique<StrainLimiterAugmentedLagrangian>(o);
        };
    };
    const auto newton = []() -> std::unique_ptr<StrainLimiter> {
        return std::make_unique<StrainLimiterProjectedNewton>();
    };
    const auto jacobi = []() -> std::unique_ptr<StrainLimiter> {
        StrainJacobiOptions o;
        o.max_iterations = 5000;
        return std::make_unique<StrainLimiterJacobi>(o);
    };
    return {{"augmented_lagrangian_cg", published(InnerSolver::nonlinear_cg), 1e-3},
            {"augmented_lagrangian_lbfgs", published(InnerSolver::lbfgs), 1e-3},
            {"projected_newton", newton, 1e-3},
            {"jacobi", jacobi, 1e-3}};
}

} // namespace pleat::sheets
