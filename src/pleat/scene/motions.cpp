// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/motions.hpp"

#include "pleat/core/error.hpp"

#include <cstddef>
#include <string>

namespace pleat {

Motion read_motion(const MotionDescription& d, MotionFiles& files)
{
    if (d.file.empty()) return d.keys;
    auto found = files.find(d.file);
    if (found == files.end()) found = files.emplace(d.file, read_motion_file(d.file)).first;
    const MotionFile& file = found->second;
    if (std::size_t(d.body) >= file.bodies.size())
        throw InputError(Problem{d.file.string(), "",
                                 std::to_string(file.bodies.size()) + " bodies",
                                 "body " + std::to_string(d.body) + ", counted from 0"});
    const MotionFile::Body& body = file.bodies[std::size_t(d.body)];
    Motion motion;
    for (std::size_t f = 0; f < file.frame_count; ++f) {
        const auto& q = body.quaternion[f];
        motion.keys.push_back({double(f) / d.fps, {body.position[f], {q[0], q[1], q[2], q[3]}, 1}});
    }
    if (d.time == 0 && d.transform == Transform{}) return motion; // the same bits
    return moved(std::move(motion), d.transform, d.time);
}

Motion moved(Motion motion, const Transform& after, double delay)
{
    for (MotionKey& k : motion.keys) {
        k.time += delay;
        k.transform = after * k.transform;
        if (!k.velocity) continue;
        k.velocity->linear = after.scale * rotate(after.rotation, k.velocity->linear);
        k.velocity->angular = rotate(after.rotation, k.velocity->angular);
        k.velocity->scale *= after.scale;
    }
    return motion;
}

} // namespace pleat
