// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/render/render_mesh.hpp"

#include "pleat/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace pleat {

namespace {

void require_valid(const RenderMesh& mesh)
{
    for (std::size_t i = 0; i < mesh.positions.size(); ++i)
        if (!is_finite(mesh.positions[i]))
            throw InputError({mesh.name, "position " + std::to_string(i), "not a finite number",
                              "three finite coordinates"});
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        for (const std::uint32_t corner : mesh.triangles[t])
            if (corner >= mesh.positions.size())
                throw InputError({mesh.name, "triangle " + std::to_string(t),
                                  "corner " + std::to_string(corner),
                                  "an index below the number of positions, " +
                                      std::to_string(mesh.positions.size())});
    if (!mesh.material_coords.empty() && mesh.material_coords.size() != mesh.triangles.size())
        throw InputError({mesh.name, "material coordinates",
                          "given for " + std::to_string(mesh.material_coords.size()) + " triangles",
                          "none, or one set for each of the " +
                              std::to_string(mesh.triangles.size()) + " triangles"});
    for (std::size_t t = 0; t < mesh.material_coords.size(); ++t)
        for (const Vec2& u : mesh.material_coords[t])
            if (!is_finite(u))
                throw InputError({mesh.name,
                                  "material coordinates of triangle " + std::to_string(t),
                                  "not a finite number", "two finite coordinates a corner"});
    const auto require_all = [&](std::size_t given, std::size_t elements, const char* array,
                                 const char* element) {
        if (given != 0 && given != elements)
            throw InputError(
                {mesh.name, array, std::to_string(given) + " of them",
                 "none, or one for each of the " + std::to_string(elements) + " " + element});
    };
    require_all(mesh.velocities.size(), mesh.positions.size(), "velocities", "positions");
    require_all(mesh.face_material.size(), mesh.triangles.size(), "fabrics of faces", "triangles");
    require_all(mesh.face_generation.size(), mesh.triangles.size(), "generations of faces",
                "triangles");
    if (!mesh.face_drivers.empty() &&
        mesh.face_drivers.size() != mesh.driver_count * mesh.triangles.size())
        throw InputError({mesh.name, "sizing drivers",
                          std::to_string(mesh.face_drivers.size()) + " of them",
                          "none, or " + std::to_string(mesh.driver_count) + " for each of the " +
                              std::to_string(mesh.triangles.size()) + " triangles"});
    if (!mesh.looks.empty())
        for (const std::uint16_t fabric : mesh.face_material)
            if (fabric >= mesh.looks.size())
                throw InputError(
                    {mesh.name, "fabrics of faces", "fabric " + std::to_string(fabric),
                     "a number below that of the looks, " + std::to_string(mesh.looks.size())});
    if (!is_finite(mesh.base_colour))
        throw InputError({mesh.name, "base colour", "not a finite number",
                          "red, green and blue between 0 and 1"});
}

Vec3 lifted(const Vec2& u)
{
    return {u[0], u[1], 0};
}

/// The triangles about each position: those of position i are items [begin[i], begin[i + 1]).
struct Incidence {
    std::vector<std::size_t> begin;
    std::vector<std::uint32_t> triangles;
};

Incidence triangles_about_positions(const RenderMesh& mesh)
{
    Incidence incidence;
    incidence.begin.assign(mesh.positions.size() + 1, 0);
    for (const auto& corners : mesh.triangles)
        for (const std::uint32_t i : corners) ++incidence.begin[i + 1];
    for (std::size_t i = 0; i < mesh.positions.size(); ++i)
        incidence.begin[i + 1] += incidence.begin[i];
    incidence.triangles.resize(incidence.begin.back());
    std::vector<std::size_t> next(incidence.begin.begin(), incidence.begin.end() - 1);
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        for (const std::uint32_t i : mesh.triangles[t])
            incidence.triangles[next[i]++] = std::uint32_t(t);
    return incidence;
}

/// The share of triangle t in the normal at its corner k: the cross product of the two edges over
/// the squares of their lengths. [Max1999] eq. 2
Vec3 weighted_normal(const RenderMesh& mesh, std::size_t t, std::size_t k)
{
    const auto& corners = mesh.triangles[t];
    const Vec3& x = mesh.positions[corners[k]];
    const Vec3 a = mesh.positions[corners[(k + 1) % 3]] - x;
    const Vec3 b = mesh.positions[corners[(k + 2) % 3]] - x;
    const double weight = norm2(a) * norm2(b);
    return weight > 0 ? cross(a, b) / weight : Vec3{};
}

} // namespace

void require_valid(std::span<const RenderMesh> meshes)
{
    for (const RenderMesh& mesh : meshes) require_valid(mesh);
}

std::vector<std::array<Vec3, 3>> corner_normals(const RenderMesh& mesh, double crease_angle)
{
    const std::size_t count = mesh.triangles.size();
    const Incidence incidence = triangles_about_positions(mesh);
    std::vector<Vec3> planes(count);
    std::vector<std::array<Vec3, 3>> weighted(count);
    for (std::size_t t = 0; t < count; ++t) {
        const auto& [i, j, k] = mesh.triangles[t];
        planes[t] = normalized(
            cross(mesh.positions[j] - mesh.positions[i], mesh.positions[k] - mesh.positions[i]));
        for (std::size_t c = 0; c < 3; ++c) weighted[t][c] = weighted_normal(mesh, t, c);
    }

    const double crease_cosine = std::cos(crease_angle);
    std::vector<std::array<Vec3, 3>> normals(count);
    for (std::size_t t = 0; t < count; ++t)
        for (std::size_t c = 0; c < 3; ++c) {
            const std::uint32_t i = mesh.triangles[t][c];
            Vec3 sum{};
            for (std::size_t n = incidence.begin[i]; n < incidence.begin[i + 1]; ++n) {
                const std::uint32_t other = incidence.triangles[n];
                if (other != t && dot(planes[t], planes[other]) < crease_cosine) continue;
                for (std::size_t k = 0; k < 3; ++k)
                    if (mesh.triangles[other][k] == i) sum += weighted[other][k];
            }
            normals[t][c] = norm2(sum) > 0 ? normalized(sum) : planes[t];
        }
    return normals;
}

FaceShape face_shape(const Vec3& a, const Vec3& b, const Vec3& c)
{
    // With e the squared lengths of the edges and A the area, the map from an equilateral face has
    // singular values s1, s2 with s1 s2 = A / A0 and s1^2 + s2^2 = sum(e) / (2 sqrt(3) A0) (its
    // Frobenius norm), for a reference face of area A0. Their ratio is free of A0.
    const double area = 0.5 * norm(cross(b - a, c - a));
    const double edges = norm2(b - a) + norm2(c - b) + norm2(a - c);
    if (!(area > 0)) return {0, 0};
    const double sum_over_product = edges / (2 * std::sqrt(3.0) * area); // s1/s2 + s2/s1 >= 2
    const double root = std::sqrt(std::max(0.0, sum_over_product * sum_over_product - 4));
    return {area, 2 / (sum_over_product + root)};
}

std::vector<FaceShape> face_shapes(const RenderMesh& mesh)
{
    std::vector<FaceShape> shapes;
    shapes.reserve(mesh.triangles.size());
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        if (!mesh.material_coords.empty()) {
            const auto& u = mesh.material_coords[t];
            shapes.push_back(face_shape(lifted(u[0]), lifted(u[1]), lifted(u[2])));
        } else {
            const auto& [i, j, k] = mesh.triangles[t];
            shapes.push_back(face_shape(mesh.positions[i], mesh.positions[j], mesh.positions[k]));
        }
    }
    return shapes;
}

} // namespace pleat
