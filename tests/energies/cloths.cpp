// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "energies/cloths.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <numbers>
#include <random>
#include <stdexcept>

namespace pleat::cloths {

namespace {

using Triangle = std::array<std::uint32_t, 3>;

bool in_circle(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& p)
{
    const Vec2 d = a - p, e = b - p, f = c - p;
    return norm2(d) * cross(e, f) - norm2(e) * cross(d, f) + norm2(f) * cross(d, e) > 0;
}

/// Bowyer-Watson, quadratic in the number of points: these meshes are small.
std::vector<Triangle> delaunay(std::vector<Vec2> points, double size)
{
    const auto n = static_cast<std::uint32_t>(points.size());
    points.push_back({-3e3 * size, -1e3 * size});
    points.push_back({3e3 * size, -1.1e3 * size});
    points.push_back({0.1 * size, 3e3 * size});
    std::vector<Triangle> triangles{{n, n + 1, n + 2}};
    for (std::uint32_t p = 0; p < n; ++p) {
        std::map<std::pair<std::uint32_t, std::uint32_t>, int> rim;
        std::vector<Triangle> kept;
        for (const Triangle& t : triangles) {
            if (!in_circle(points[t[0]], points[t[1]], points[t[2]], points[p])) {
                kept.push_back(t);
                continue;
            }
            for (std::size_t k = 0; k < 3; ++k) {
                const auto reverse = rim.find({t[(k + 1) % 3], t[k]});
                if (reverse != rim.end()) {
                    rim.erase(reverse);
                } else {
                    rim[{t[k], t[(k + 1) % 3]}] = 1;
                }
            }
        }
        triangles = std::move(kept);
        for (const auto& [edge, one] : rim) triangles.push_back({edge.first, edge.second, p});
    }
    std::vector<Triangle> inside;
    for (const Triangle& t : triangles)
        if (t[0] < n && t[1] < n && t[2] < n &&
            cross(points[t[1]] - points[t[0]], points[t[2]] - points[t[0]]) > 1e-7 * size * size)
            inside.push_back(t);
    return inside;
}

MeshInput flat(const std::vector<Vec2>& points, const std::vector<Triangle>& triangles)
{
    MeshInput input;
    for (const Vec2& p : points) {
        input.node_x.push_back({p[0], p[1], 0});
        input.material_u.push_back(p);
    }
    input.face_nodes = triangles;
    input.face_points = triangles;
    return input;
}

StrainQuadratic row(const nlohmann::json& j)
{
    return {j.at(0), j.at(1), j.at(2), j.at(3)};
}

} // namespace

std::string to_string(MeshKind kind)
{
    return kind == MeshKind::structured ? "structured"
           : kind == MeshKind::rotated  ? "rotated"
                                        : "random";
}

MeshInput rectangle(MeshKind kind, double width, double height, double edge, unsigned seed)
{
    const int nx = std::max(1, static_cast<int>(std::lround(width / edge)));
    const int ny = std::max(1, static_cast<int>(std::lround(height / edge)));
    std::vector<Vec2> points;
    if (kind == MeshKind::structured) {
        std::vector<Triangle> triangles;
        for (int j = 0; j <= ny; ++j)
            for (int i = 0; i <= nx; ++i) points.push_back({width * i / nx, height * j / ny});
        const auto at = [&](int i, int j) { return static_cast<std::uint32_t>(j * (nx + 1) + i); };
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i) {
                triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
                triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
            }
        return flat(points, triangles);
    }
    // The outline, a hair bulged so that no three of its points are in line for the Delaunay test;
    // put back afterwards.
    std::vector<Vec2> true_points;
    const auto outline = [&](double s, double t) {
        true_points.push_back({width * s, height * t});
        const double bulge = 1e-4 * edge;
        points.push_back(
            {width * s + (t == 0 || t == 1 ? 0 : (s == 0 ? -1 : 1) * bulge * 4 * t * (1 - t)),
             height * t + (s == 0 || s == 1 ? 0 : (t == 0 ? -1 : 1) * bulge * 4 * s * (1 - s))});
    };
    for (int i = 0; i <= nx; ++i) {
        outline(double(i) / nx, 0);
        outline(double(i) / nx, 1);
    }
    for (int j = 1; j < ny; ++j) {
        outline(0, double(j) / ny);
        outline(1, double(j) / ny);
    }
    const double gap = 0.5 * edge;
    const auto inside = [&](const Vec2& p) {
        return p[0] > gap && p[0] < width - gap && p[1] > gap && p[1] < height - gap;
    };
    if (kind == MeshKind::rotated) {
        const double angle = 20 * std::numbers::pi / 180;
        const Vec2 a{edge * std::cos(angle), edge * std::sin(angle)};
        const Vec2 b{edge * std::cos(angle + std::numbers::pi / 3),
                     edge * std::sin(angle + std::numbers::pi / 3)};
        const int reach = 3 * (nx + ny) + 10;
        for (int i = -reach; i <= reach; ++i)
            for (int j = -reach; j <= reach; ++j) {
                const Vec2 p = double(i) * a + double(j) * b;
                if (inside(p)) points.push_back(p);
            }
    } else {
        std::mt19937 random(seed);
        std::uniform_real_distribution<double> unit(0, 1);
        const auto wanted = static_cast<std::size_t>(1.2 * nx * ny);
        for (int tries = 0; tries < 100000 && points.size() < wanted + true_points.size();
             ++tries) {
            const Vec2 p{width * unit(random), height * unit(random)};
            if (!inside(p)) continue;
            const bool crowded = std::any_of(points.begin(), points.end(), [&](const Vec2& q) {
                return norm2(p - q) < 0.7 * edge * 0.7 * edge;
            });
            if (!crowded) points.push_back(p);
        }
    }
    const std::vector<Triangle> triangles = delaunay(points, std::max(width, height));
    std::copy(true_points.begin(), true_points.end(), points.begin());
    return flat(points, triangles);
}

MeshInput disc(double radius, int rings)
{
    std::vector<Vec2> points{{0, 0}};
    std::vector<Triangle> triangles;
    const auto at = [](int ring, int k) { // node k of a ring, counted around
        if (ring == 0) return 0u;
        return static_cast<std::uint32_t>(1 + 3 * ring * (ring - 1) + k % (6 * ring));
    };
    for (int r = 1; r <= rings; ++r) {
        for (int k = 0; k < 6 * r; ++k) {
            const double a = 2 * std::numbers::pi * k / (6 * r);
            points.push_back({radius * r / rings * std::cos(a), radius * r / rings * std::sin(a)});
        }
        for (int sector = 0; sector < 6; ++sector)
            for (int k = 0; k < r; ++k) {
                const int outer = sector * r + k, inner = sector * (r - 1) + k;
                triangles.push_back({at(r, outer), at(r, outer + 1), at(r - 1, inner)});
                if (k + 1 < r)
                    triangles.push_back({at(r - 1, inner), at(r, outer + 1), at(r - 1, inner + 1)});
            }
    }
    return flat(points, triangles);
}

Cloth make_cloth(const MeshInput& input, const Material& material)
{
    return {make_model(input, {material}), start_state(input)};
}

std::vector<std::string> fabric_names()
{
    return {"11oz-black-denim",   "camel-ponte-roma",  "gray-interlock", "ivory-rib-knit",
            "navy-sparkle-sweat", "pink-ribbon-brown", "royal-target",   "tango-red-jet-set",
            "white-dots-on-blk",  "white-swim-solid"};
}

Material fabric(const std::string& name)
{
    std::ifstream file(PLEAT_SOURCE_DIR "/materials/" + name + ".json");
    if (!file) throw std::runtime_error("no fabric " + name);
    const auto json = nlohmann::json::parse(file);
    Material m;
    m.name = json.at("name");
    m.density = json.at("density");
    MembraneMeasured membrane;
    membrane.at_rest = row(json.at("membrane").at("at_rest"));
    membrane.stretch = json.at("membrane").at("stretch");
    for (std::size_t i = 0; i < 5; ++i)
        membrane.at_stretch[i] = row(json.at("membrane").at("at_stretch").at(i));
    BendingMeasured bending;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 5; ++j)
            bending.stiffness[i][j] = json.at("bending").at("stiffness").at(i).at(j);
    m.membrane = membrane;
    m.bending = bending;
    return m;
}

Material isotropic_sheet(double density, double thickness, double young, double poisson)
{
    Material m;
    m.name = "isotropic sheet";
    m.density = density;
    m.membrane = MembraneIsotropicSheet{thickness, young, poisson};
    m.bending = BendingIsotropicSheet{thickness, young, poisson};
    return m;
}

std::vector<Material> one_of_each_law()
{
    std::vector<Material> all;
    all.push_back(fabric("gray-interlock"));
    all.push_back(isotropic_sheet(0.2, 1e-3, 2e5, 0.3));
    Material m;
    m.density = 0.15;
    m.name = "orthotropic, plate";
    m.membrane = MembraneOrthotropic{300, 500, 60, 0.2, 0.12};
    m.bending = BendingPlate{2e-5, 4e-5, 3e-6, 1e-5};
    all.push_back(m);
    m.name = "orthotropic, isometric";
    m.bending = BendingIsometric{3e-5};
    all.push_back(m);
    m.name = "baraff_witkin";
    m.membrane = MembraneBaraffWitkin{400, 300, 50, 1, 1};
    m.bending = BendingBaraffWitkin{1e-3};
    all.push_back(m);
    m.name = "baraff_witkin, damped";
    m.membrane = MembraneBaraffWitkin{400, 300, 50, 1, 1, 0.4, 0.05};
    m.bending = BendingBaraffWitkin{1e-3, 1e-6};
    all.push_back(m);
    m.membrane = MembraneBaraffWitkin{400, 300, 50, 1, 1};
    m.name = "baraff_witkin, hinge";
    m.bending = BendingHinge{5e-5, 1e-7};
    all.push_back(m);
    return all;
}

void shake(State& state, double amount, unsigned seed)
{
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> unit(-amount, amount);
    for (Vec3& p : state.x) p += Vec3{unit(random), unit(random), unit(random)};
}

} // namespace pleat::cloths
