// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The bending of plates (materials/bending_plate.hpp) against plate theory, also on meshes of thin
// irregular triangles such as an anisotropic remesher makes.
#include "energies/cloths.hpp"
#include "pleat/energies/elastic_batch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace pleat {
namespace {

using cloths::Cloth;
using cloths::MeshKind;
using Dense = std::vector<std::vector<double>>;

constexpr double rigidity = 2e-5; // [N m]
constexpr double edge = 0.005;    // along x [m]

/// A sheet of 20 x 12 edges whose triangles are `stretch` times longer along y than along x.
Cloth thin_triangles(MeshKind kind, double stretch)
{
    MeshInput input = cloths::rectangle(kind, 20 * edge, 12 * edge, edge);
    for (Vec3& x : input.node_x) x[1] *= stretch;
    for (Vec2& u : input.material_u) u[1] *= stretch;
    Material m;
    m.density = 1;
    m.bending = BendingPlate{rigidity, rigidity, 0, 0.5 * rigidity};
    return cloths::make_cloth(input, m);
}

bool is_inside(const Cloth& c, NodeId n, double margin_x, double margin_y)
{
    Vec3 high{};
    for (const Vec3& x : c.state.x.values)
        for (std::size_t k = 0; k < 3; ++k) high[k] = std::max(high[k], x[k]);
    const Vec3& x = c.state.x[n];
    return x[0] > margin_x && x[0] < high[0] - margin_x && x[1] > margin_y &&
           x[1] < high[1] - margin_y;
}

/// Second derivatives of the bending energy by the heights of the nodes, at rest [N/m].
Dense bending_matrix(const Cloth& c)
{
    const std::size_t n = c.model.mesh.node_count();
    ElasticBatch batch(c.model);
    std::vector<Vec3> f(n);
    std::vector<Mat3> off(batch.pattern().slot_count());
    batch.freeze(c.model, c.state.x.span());
    batch.linearise(c.model, c.state.x.span(), {1, 0}, f, off);
    Dense k(n, std::vector<double>(n));
    for (const BlockPattern::Pair& p : batch.pattern().pairs) {
        const double value = off[p.slot](2, 2);
        k[p.row][p.column] += value;
        k[p.column][p.row] += value;
        k[p.row][p.row] -= value;
        k[p.column][p.column] -= value;
    }
    return k;
}

/// Integral of (dz/dx)^2 as a quadratic form of the heights.
Dense slope_matrix(const Cloth& c)
{
    const Mesh& mesh = c.model.mesh;
    Dense g(mesh.node_count(), std::vector<double>(mesh.node_count()));
    for (FaceId f : mesh.faces()) {
        const auto nodes = mesh.nodes_of(f);
        const std::array<Vec3, 3> x{c.state.x[nodes[0]], c.state.x[nodes[1]], c.state.x[nodes[2]]};
        const double area = 0.5 * cross(x[1] - x[0], x[2] - x[0])[2];
        const auto slope = [&](std::size_t i) {
            return (x[(i + 1) % 3][1] - x[(i + 2) % 3][1]) / (2 * area);
        };
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j)
                g[index(nodes[i])][index(nodes[j])] += area * slope(i) * slope(j);
    }
    return g;
}

/// By Cholesky's factorisation.
bool is_positive_definite(Dense a)
{
    for (std::size_t j = 0; j < a.size(); ++j) {
        for (std::size_t k = 0; k < j; ++k) a[j][j] -= a[j][k] * a[j][k];
        if (!(a[j][j] > 0)) return false;
        a[j][j] = std::sqrt(a[j][j]);
        for (std::size_t i = j + 1; i < a.size(); ++i) {
            for (std::size_t k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k];
            a[i][j] /= a[j][j];
        }
    }
    return true;
}

TEST(Plate, a_parabola_is_in_balance_and_has_the_energy_of_plate_theory_on_thin_triangles)
{
    for (MeshKind kind : {MeshKind::structured, MeshKind::rotated, MeshKind::random})
        for (double stretch : {1.0, 3.0, 8.0, 1.0 / 3, 1.0 / 8})
            for (int axis : {0, 1}) {
                SCOPED_TRACE(cloths::to_string(kind) + ", stretched " + std::to_string(stretch) +
                             ", axis " + std::to_string(axis));
                const Cloth c = thin_triangles(kind, stretch);
                const Dense k = bending_matrix(c);
                const std::size_t n = k.size();
                std::vector<double> z(n), force(n);
                for (std::size_t i = 0; i < n; ++i) {
                    const double s = c.state.x.values[i][static_cast<std::size_t>(axis)];
                    z[i] = 0.5 * s * s;
                }
                double energy = 0, largest = 0;
                for (std::size_t i = 0; i < n; ++i) {
                    for (std::size_t j = 0; j < n; ++j) force[i] += k[i][j] * z[j];
                    energy += 0.5 * z[i] * force[i];
                    largest = std::max(largest, std::abs(force[i]));
                }
                const double area = 20 * edge * 12 * edge * stretch;
                // Where there is no good fit at the border a face may lack a share.
                EXPECT_NEAR(energy / (0.5 * rigidity * area), 1, 0.02);
                for (NodeId node : c.model.mesh.nodes())
                    if (is_inside(c, node, 3.5 * edge, 3.5 * edge * stretch)) {
                        EXPECT_LT(std::abs(force[index(node)]), 1e-9 * largest);
                    }
            }
}

TEST(Plate, no_wave_of_a_compressed_sheet_grows_faster_than_plate_theory_says)
{
    // m z'' = -B z'''' - P z'': a wave with the number k grows with the rate^2
    // (P k^2 - B k^4) / m, which is P^2 / (4 B m) at most. The load P is such that the wave that
    // grows fastest is 10 edges long.
    const double k = 2 * std::numbers::pi / (10 * edge);
    const double load = 2 * rigidity * k * k;
    for (double stretch : {1.0, 3.0, 8.0})
        for (MeshKind kind : {MeshKind::structured, MeshKind::random}) {
            SCOPED_TRACE(cloths::to_string(kind) + ", stretched " + std::to_string(stretch));
            const Cloth c = thin_triangles(kind, stretch);
            const Dense bending = bending_matrix(c), slopes = slope_matrix(c);
            std::vector<std::size_t> moves; // the border is held
            for (NodeId n : c.model.mesh.nodes())
                if (is_inside(c, n, 1e-9, 1e-9)) moves.push_back(index(n));
            const auto grows_slower = [&](double share) { // of the fastest rate, squared
                Dense a(moves.size(), std::vector<double>(moves.size()));
                for (std::size_t i = 0; i < moves.size(); ++i) {
                    for (std::size_t j = 0; j < moves.size(); ++j)
                        a[i][j] = bending[moves[i]][moves[j]] - load * slopes[moves[i]][moves[j]];
                    a[i][i] += share * load * load / (4 * rigidity) *
                               c.model.mass[make_id<NodeId>(moves[i])];
                }
                return is_positive_definite(a);
            };
            EXPECT_TRUE(grows_slower(1.1));
            // And a sheet that is long enough along y does buckle.
            if (stretch > 1) {
                EXPECT_FALSE(grows_slower(0.6));
            }
        }
}

} // namespace
} // namespace pleat
