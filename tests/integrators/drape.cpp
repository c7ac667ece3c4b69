// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "integrators/drape.hpp"

#include "energies/cloths.hpp"
#include "pleat/integrators/backward_euler.hpp"
#include "pleat/linalg/cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <vector>

namespace pleat {

namespace {

constexpr double g = 9.8;

/// Area of the union of triangles seen from above, by sampling on a grid [m^2].
double shadow(const cloths::Cloth& c, const State& s, double radius)
{
    constexpr int cells = 1000;
    const double size = 2 * radius / cells;
    std::vector<char> dark(std::size_t(cells) * cells, 0);
    const auto cell = [&](double x) { return int(std::floor((x + radius) / size)); };
    for (FaceId f : c.model.mesh.faces()) {
        const auto [na, nb, nc] = c.model.mesh.nodes_of(f);
        Vec2 a{s.x[na][0], s.x[na][1]}, b{s.x[nb][0], s.x[nb][1]}, d{s.x[nc][0], s.x[nc][1]};
        if (cross(b - a, d - a) < 0) std::swap(b, d);
        const auto [low_x, high_x] = std::minmax({a[0], b[0], d[0]});
        const auto [low_y, high_y] = std::minmax({a[1], b[1], d[1]});
        for (int j = std::max(0, cell(low_y)); j <= std::min(cells - 1, cell(high_y)); ++j)
            for (int i = std::max(0, cell(low_x)); i <= std::min(cells - 1, cell(high_x)); ++i) {
                const Vec2 p{(i + 0.5) * size - radius, (j + 0.5) * size - radius};
                if (cross(b - a, p - a) >= 0 && cross(d - b, p - b) >= 0 &&
                    cross(a - d, p - d) >= 0)
                    dark[std::size_t(j) * cells + i] = 1;
            }
    }
    return double(std::count(dark.begin(), dark.end(), 1)) * size * size;
}

} // namespace

State settle(const cloths::Cloth& cloth, const Loads& loads, double dt, int most_steps,
             double enough)
{
    BackwardEulerOptions o;
    o.newton_iterations = 60;
    IntegratorBackwardEuler integrator(o, std::make_unique<LinearSolverCholesky>());
    State s = cloth.state, next;
    for (int i = 0; i < most_steps; ++i) {
        const SolveReport r = integrator.advance(cloth.model, s, loads, {}, dt, next);
        if (!r.ok) throw std::runtime_error(r.trouble);
        double moved = 0;
        for (NodeId n : s.x.ids()) moved = std::max(moved, norm(next.x[n] - s.x[n]));
        s = next;
        for (Vec3& v : s.v) v = Vec3{};
        if (moved < enough) break;
    }
    return s;
}

DrapeResult drape_coefficient(const Material& material, int rings, double time)
{
    constexpr double radius = 0.15, support = 0.09;
    Material m = material;
    m.damping = std::max(m.damping, 0.002); // only to come to rest sooner
    cloths::Cloth c = cloths::make_cloth(cloths::disc(radius, rings), m);
    Loads loads;
    loads.gravity = {0, 0, -g};
    for (NodeId n : c.state.x.ids()) {
        const double r = norm(c.state.x[n]);
        if (r <= support + 1e-9) {
            loads.pins.push_back({n, c.state.x[n], {}});
        } else { // something for the folds to start from
            c.state.x[n][2] = 1e-4 * std::sin(12.9898 * c.state.x[n][0] / radius * 7 +
                                              78.233 * c.state.x[n][1] / radius);
        }
    }
    IntegratorBackwardEuler integrator;
    State s = c.state, next;
    constexpr double dt = 0.005;
    for (int i = 0; i < static_cast<int>(time / dt); ++i) {
        const SolveReport r = integrator.advance(c.model, s, loads, {}, dt, next);
        if (!r.ok) throw std::runtime_error(r.trouble);
        s = next;
    }
    DrapeResult result;
    result.faces = c.model.mesh.face_count();
    for (const Vec3& v : s.v) result.speed = std::max(result.speed, norm(v));
    constexpr double pi = std::numbers::pi;
    const double inner = pi * support * support;
    result.coefficient =
        100 * (shadow(c, s, 1.05 * radius) - inner) / (pi * radius * radius - inner);
    std::vector<double> outline;
    for (int k = 0; k < 6 * rings; ++k) {
        const Vec3& p = s.x.values[static_cast<std::size_t>(1 + 3 * rings * (rings - 1) + k)];
        outline.push_back(std::hypot(p[0], p[1]));
    }
    const std::size_t n = outline.size();
    const std::size_t reach = n / 36; // a fold is at least ten degrees wide
    for (std::size_t k = 0; k < n; ++k) {
        bool top = true;
        for (std::size_t d = 1; d <= reach; ++d)
            top =
                top && outline[k] >= outline[(k + d) % n] && outline[k] > outline[(k + n - d) % n];
        result.folds += top ? 1 : 0;
    }
    return result;
}

/// theta'' = -load (1 - s) cos(theta), theta(0) = 0, theta'(1) = 0, by shooting.
double elastica_sag(double load)
{
    const auto shoot = [&](double slope, double& sag) {
        const int steps = 500;
        const double h = 1.0 / steps;
        double t = 0, d = slope, z = 0;
        const auto bend = [&](double s, double a) { return -load * (1 - s) * std::cos(a); };
        for (int i = 0; i < steps; ++i) {
            const double s = i * h;
            const double k1t = d, k1d = bend(s, t);
            const double k2t = d + 0.5 * h * k1d, k2d = bend(s + 0.5 * h, t + 0.5 * h * k1t);
            const double k3t = d + 0.5 * h * k2d, k3d = bend(s + 0.5 * h, t + 0.5 * h * k2t);
            const double k4t = d + h * k3d, k4d = bend(s + h, t + h * k3t);
            z += h / 6 *
                 (std::sin(t) + 2 * std::sin(t + 0.5 * h * k1t) + 2 * std::sin(t + 0.5 * h * k2t) +
                  std::sin(t + h * k3t));
            t += h / 6 * (k1t + 2 * k2t + 2 * k3t + k4t);
            d += h / 6 * (k1d + 2 * k2d + 2 * k3d + k4d);
        }
        sag = z;
        return d;
    };
    double low = 0, high = load; // the slope at the tip rises with that at the clamp
    double sag = 0;
    for (int i = 0; i < 60; ++i) {
        const double mid = 0.5 * (low + high);
        (shoot(mid, sag) > 0 ? high : low) = mid;
    }
    return sag;
}

double elastica_load(double sag)
{
    double low = 1e-3, high = 1e3;
    for (int i = 0; i < 50; ++i) {
        const double mid = std::sqrt(low * high);
        (elastica_sag(mid) > sag ? high : low) = mid;
    }
    return std::sqrt(low * high);
}

double cantilever_rigidity(const Material& material, double weft_angle)
{
    // Both halves of a strip hang over its pinned middle. The length suits the fabric: the sag
    // shall be neither small nor near the full length.
    double length = 0.06;
    for (int attempt = 0;; ++attempt) {
        constexpr int along = 24, across = 8;
        MeshInput input = cloths::rectangle(cloths::MeshKind::structured, 2 * length,
                                            length * across / along, length / along);
        for (Vec3& x : input.node_x) x[0] -= length;
        for (Vec2& u : input.material_u)
            u = {std::cos(weft_angle) * u[0] - std::sin(weft_angle) * u[1],
                 std::sin(weft_angle) * u[0] + std::cos(weft_angle) * u[1]};
        const cloths::Cloth c = cloths::make_cloth(input, material);
        Loads loads;
        loads.gravity = {0, 0, -g};
        for (NodeId n : cloths::nodes_where(c, [](const Vec3& x) { return std::abs(x[0]) < 1e-9; }))
            loads.pins.push_back({n, c.state.x[n], {}});
        const State s = settle(c, loads, 0.5, 60, 1e-7);
        double sag = 0;
        int count = 0;
        for (NodeId n : cloths::nodes_where(
                 c, [&](const Vec3& x) { return std::abs(x[0]) > length * (1 - 1e-9); })) {
            sag -= s.x[n][2] / length;
            ++count;
        }
        sag /= count;
        if (attempt < 4 && sag > 0.7) {
            length *= 0.7;
        } else if (attempt < 4 && sag < 0.3) {
            length *= 1.4;
        } else {
            return material.density * g * length * length * length / elastica_load(sag);
        }
    }
}

} // namespace pleat
