// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/camera_tracks.hpp"

#include "pleat/core/error.hpp"
#include "pleat/io/gltf.hpp"
#include "pleat/scene/gltf_body.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <set>
#include <string>

namespace pleat {

namespace {

constexpr double degree = std::numbers::pi / 180;

class GltfCameraReader {
public:
    GltfCameraReader(const GltfCameraDescription& description, const Vec3& scene_up)
        : d_(description), file_(read_gltf(d_.file)), node_(find_node()),
          animation_(find_animation()), from_(d_.up == "x"   ? 0
                                              : d_.up == "y" ? 1
                                                             : 2),
          to_(up_axis(scene_up))
    {}

    /// Keys at the samples of the animation, and two where a channel steps.
    void read(CameraTrack& track) const
    {
        const GltfFile::Camera& camera = file_.cameras[file_.nodes[node_].camera];
        if (camera.aspect) track.aspect = *camera.aspect;
        if (camera.near) track.near = *camera.near * d_.unit;
        if (camera.far) track.far = *camera.far * d_.unit;
        track.far = std::max(track.far, 2 * track.near);
        const double end = animation_ != nullptr ? animation_->end : 0;
        const std::set<double> steps = step_times();
        std::set<double> times(steps);
        for (double k = 0; k / d_.fps < end; ++k) times.insert(k / d_.fps);
        times.insert(end);
        for (const double t : times) {
            // A step takes effect at its key; just before it the shot before is still on.
            if (t > 0 && steps.contains(t)) add_key(track, t, t - before_step);
            add_key(track, t, t);
        }
    }

private:
    static constexpr double before_step = 1e-6; // [s]

    [[noreturn]] void fail(std::string place, std::string found, std::string expected) const
    {
        throw InputError(
            Problem{d_.file.string(), std::move(place), std::move(found), std::move(expected)});
    }
    [[nodiscard]] std::uint32_t find_node() const
    {
        for (std::size_t i = 0; i < file_.nodes.size(); ++i)
            if (const GltfFile::Node& n = file_.nodes[i];
                n.camera != GltfFile::none && (!d_.node || n.name == *d_.node))
                return std::uint32_t(i);
        fail("cameras", d_.node ? "no node \"" + *d_.node + "\" with a camera" : "no camera",
             "a node that has a camera");
    }
    [[nodiscard]] const GltfFile::Animation* find_animation() const
    {
        for (const GltfFile::Animation& a : file_.animations)
            if (!d_.animation || a.name == *d_.animation) return &a;
        if (d_.animation)
            fail("animations", "no animation \"" + *d_.animation + "\"",
                 "the name of an animation of the file");
        return nullptr;
    }
    /// The times at which the camera's node, or one that carries it, jumps.
    [[nodiscard]] std::set<double> step_times() const
    {
        std::set<double> times;
        if (animation_ == nullptr) return times;
        for (const GltfFile::Channel& c : animation_->channels) {
            if (c.interpolation != GltfFile::Interpolation::step || c.times.size() < 2) continue;
            std::uint32_t n = node_;
            while (n != GltfFile::none && n != c.node) n = file_.nodes[n].parent;
            if (n != GltfFile::none) times.insert(c.times.begin() + 1, c.times.end());
        }
        return times;
    }
    void add_key(CameraTrack& track, double time, double pose_time) const
    {
        const Mat4 m = gltf_pose(file_, animation_, pose_time).transforms[node_];
        const auto turned = [&](const Vec3& p) { return quarter_turned(p, from_, to_); };
        const auto axis = [&](std::size_t k) {
            return normalized(turned({m(0, k), m(1, k), m(2, k)}));
        };
        const Vec3 eye = d_.unit * turned({m(0, 3), m(1, 3), m(2, 3)});
        if (!is_finite(eye) || norm2(axis(2)) == 0)
            fail("nodes[" + std::to_string(node_) + "]", "a camera without a direction",
                 "a transform that can be inverted");
        // A camera of glTF looks along -z, with +y up.
        track.keys.push_back({d_.time + time,
                              eye,
                              eye - axis(2),
                              axis(1),
                              file_.cameras[file_.nodes[node_].camera].vertical_fov,
                              {}});
    }

    const GltfCameraDescription& d_;
    GltfFile file_;
    std::uint32_t node_;
    const GltfFile::Animation* animation_;
    std::size_t from_, to_; // axes that point up
};

} // namespace

CameraTrack read_camera(const CameraDescription& d, const Vec3& scene_up, MotionFiles& files)
{
    CameraTrack track;
    track.name = d.name;
    track.aspect = d.aspect;
    track.near = d.near;
    track.far = d.far;
    track.motion = read_motion(d.motion, files);
    const Vec3 up = d.up.value_or(scene_up);
    if (!d.gltf.file.empty()) {
        GltfCameraReader(d.gltf, scene_up).read(track);
        return track;
    }
    for (const CameraKeyDescription& k : d.keys) {
        CameraKey key{k.time, k.eye, k.target, k.up.value_or(up), k.fov.value_or(d.fov) * degree,
                      {}};
        if (k.velocity)
            key.velocity =
                CameraRate{k.velocity->eye, k.velocity->target, k.velocity->fov * degree};
        track.keys.push_back(key);
    }
    if (d.keys.empty()) track.keys.push_back({0, d.eye, d.target, up, d.fov * degree, {}});
    return track;
}

} // namespace pleat
