// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Any bytes are a glTF file or an InputError, and what is read can be posed at any time.
#include "pleat/core/error.hpp"
#include "pleat/io/gltf.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace pleat;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto no_buffers = [](const std::string& uri) -> std::string {
        throw InputError(Problem{"fuzz.gltf", "buffers", uri, "a buffer inside the file"});
    };
    try {
        const GltfFile file = parse_gltf(bytes, "fuzz.gltf", no_buffers);
        const GltfFile::Animation* animation =
            file.animations.empty() ? nullptr : &file.animations.front();
        for (const double time : {-1.0, 0.4, animation ? animation->end : 0.0}) {
            const GltfPose pose = gltf_pose(file, animation, time);
            if (pose.transforms.size() != file.nodes.size()) __builtin_trap();
            for (const GltfInstance& instance : gltf_instances(file))
                if (gltf_points(file, instance, pose).size() != file.meshes[instance.mesh].x.size())
                    __builtin_trap();
        }
    } catch (const InputError&) {
    }
    return 0;
}
