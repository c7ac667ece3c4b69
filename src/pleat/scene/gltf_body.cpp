// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/gltf_body.hpp"

#include "pleat/core/error.hpp"
#include "pleat/io/gltf.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace pleat {

namespace {

constexpr double most_numbers = 4e8; // of all frames together; three gigabytes

std::string text(const char* format, double value)
{
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, format, value);
    return buffer;
}

} // namespace

std::size_t up_axis(const Vec3& up)
{
    return up[0] == 1 ? 0 : up[1] == 1 ? 1 : 2;
}

Vec3 quarter_turned(const Vec3& p, std::size_t from, std::size_t to)
{
    if (from == to) return p;
    // to takes what stood along from; from takes what stood along to, negated.
    Vec3 q = p;
    q[to] = p[from];
    q[from] = -p[to];
    return q;
}

GltfBody load_gltf_body(const GltfDescription& d, const Vec3& scene_up)
{
    const GltfFile file = read_gltf(d.file);
    const auto fail = [&](std::string place, std::string found, std::string expected) {
        throw InputError(
            Problem{d.file.string(), std::move(place), std::move(found), std::move(expected)});
    };
    const GltfFile::Animation* animation = nullptr;
    if (d.animation) {
        std::string names;
        for (const GltfFile::Animation& a : file.animations) {
            names += (names.empty() ? "" : ", ") + a.name;
            if (a.name == *d.animation) animation = &a;
        }
        if (animation == nullptr)
            fail("animations", "no animation \"" + *d.animation + "\"",
                 names.empty() ? "a file with animations" : "one of " + names);
    } else if (!file.animations.empty()) {
        animation = &file.animations.front();
    }

    const auto is_wanted = [&](std::uint32_t node) {
        if (d.nodes.empty()) return true;
        for (; node != GltfFile::none; node = file.nodes[node].parent)
            if (std::find(d.nodes.begin(), d.nodes.end(), file.nodes[node].name) != d.nodes.end())
                return true;
        return false;
    };
    for (const std::string& name : d.nodes)
        if (std::none_of(file.nodes.begin(), file.nodes.end(),
                         [&](const GltfFile::Node& n) { return n.name == name; }))
            fail("nodes", "no node \"" + name + "\"", "the name of a node");
    std::vector<GltfInstance> instances;
    GltfBody body;
    std::size_t points = 0;
    for (const GltfInstance& i : gltf_instances(file)) {
        if (!is_wanted(i.node)) continue;
        for (auto f : file.meshes[i.mesh].faces) {
            for (std::uint32_t& corner : f) corner += std::uint32_t(points);
            body.faces.push_back(f);
        }
        points += file.meshes[i.mesh].x.size();
        instances.push_back(i);
    }
    if (instances.empty()) fail("meshes", "no triangles", "a mesh in the scene of the file");

    const double end = animation != nullptr ? animation->end : 0;
    const double count = std::ceil(end * d.fps - 1e-9) + 1;
    if (!(count * 3 * double(points) <= most_numbers))
        fail("animations",
             text("%.0f samples", count) + " of " + std::to_string(points) + " points",
             "a lower \"fps\" or a shorter animation");
    const std::size_t from = d.up == "x" ? 0 : d.up == "y" ? 1 : 2, to = up_axis(scene_up);
    for (std::size_t k = 0; k < std::size_t(count); ++k) {
        const GltfPose pose = gltf_pose(file, animation, std::min(double(k) / d.fps, end));
        std::vector<Vec3> x;
        for (const GltfInstance& i : instances)
            for (const Vec3& p : gltf_points(file, i, pose))
                x.push_back(quarter_turned(d.unit * p, from, to));
        for (const Vec3& p : x)
            if (!is_finite(p)) fail("animations", "points that are not finite", "finite ones");
        body.frames.push_back(std::move(x));
    }

    body.notes = file.notes;
    double low = forever, high = -forever;
    for (const Vec3& p : body.frames.front()) {
        low = std::min(low, p[to]);
        high = std::max(high, p[to]);
    }
    const std::string axes = "xyz";
    body.notes.push_back(
        d.up + " up in the file, " + axes[to] + " up in the scene; 1 unit is " +
        text("%g m", d.unit) + "; " + text("%.3g m", high - low) + " high at the start; " +
        (animation != nullptr ? "animation \"" + animation->name + "\" of " + text("%.3g s", end)
                              : "no animation"));
    return body;
}

} // namespace pleat
