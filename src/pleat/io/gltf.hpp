// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Reads glTF 2.0 (.glb, .gltf): meshes with morph targets, the tree of nodes, skins, animations and
// cameras, and computes the pose at a given time. Materials, textures and lights are not read.
// Based on: [GLTF2].
//
// Everything stays in the file's own axes and units, which are +y up and metres by the standard.
// Vertices that differ only in normals or texture coordinates are joined, so that a body's surface
// is closed again.
#pragma once

#include "pleat/core/function_ref.hpp"
#include "pleat/core/vec.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pleat {

using Mat4 = Mat<double, 4, 4>;

struct GltfFile {
    static constexpr std::uint32_t none = 0xffffffffu;

    struct Node {
        std::string name;
        std::uint32_t parent = none, mesh = none, skin = none, camera = none;
        std::optional<Mat4> matrix; // in place of the three below
        Vec3 translation{};
        Vec<double, 4> rotation{0, 0, 0, 1}; // x y z w
        Vec3 scale{1, 1, 1};
        std::vector<double> weights; // of morph targets; empty: those of the mesh
        bool in_scene = false;
    };
    struct Mesh {
        std::string name;
        std::vector<Vec3> x;
        std::vector<std::array<std::uint32_t, 3>> faces;
        std::vector<std::array<std::uint32_t, 4>> joints; // empty, or one a vertex
        std::vector<Vec<double, 4>> weights;              // the same; they sum to 1
        // Morph targets: how far each moves each vertex, and how much of each is there without
        // animation. One a vertex, one a target.
        std::vector<std::vector<Vec3>> targets;
        std::vector<double> target_weights;
    };
    struct Skin {
        std::vector<std::uint32_t> joints; // nodes
        std::vector<Mat4> inverse_bind;    // one a joint
    };
    enum class Path { translation, rotation, scale, weights };
    enum class Interpolation { step, linear, cubic };
    struct Channel {
        std::uint32_t node = 0;
        Path path = Path::translation;
        Interpolation interpolation = Interpolation::linear;
        std::vector<double> times;          // rising [s]
        std::vector<Vec<double, 4>> values; // one a time; with cubic three: in, value, out
        std::vector<double> weights;        // of Path::weights instead: one a target for each
    };
    struct Animation {
        std::string name;
        std::vector<Channel> channels;
        double end = 0; // the last key [s]
    };
    struct Camera {
        std::string name;
        double vertical_fov = 0.5;               // [rad]
        std::optional<double> aspect, near, far; // width over height; clipping, in units of length
    };

    std::vector<Node> nodes; // a parent may come behind its children
    std::vector<Mesh> meshes;
    std::vector<Skin> skins;
    std::vector<Animation> animations;
    std::vector<Camera> cameras;
    std::vector<std::string> notes; // ignored features that might matter, each once
};

/// Gives the bytes of a buffer beside the file. \throw InputError where it cannot.
using GltfBufferReader = FunctionRef<std::string(const std::string& uri)>;

/// \throw InputError with the place in the file: bytes that are no glTF, indices and ranges that
/// point outside, nodes that are their own ancestors, extensions that must be known and are not,
/// numbers that are not finite.
[[nodiscard]] GltfFile parse_gltf(std::string_view bytes, const std::string& name,
                                  GltfBufferReader read_buffer);

/// Buffers are read from beside the file, and from nowhere else.
[[nodiscard]] GltfFile read_gltf(const std::filesystem::path& path);

/// Which mesh stands at which node, in the order of the nodes.
struct GltfInstance {
    std::uint32_t node = 0, mesh = 0;
};
[[nodiscard]] std::vector<GltfInstance> gltf_instances(const GltfFile& file);

/// The pose at a time.
struct GltfPose {
    std::vector<Mat4> transforms;             // by node, in the file's space
    std::vector<std::vector<double>> weights; // by node: of the morph targets of its mesh
};

/// \param animation may be null: as the nodes stand. Before the first key and behind the last, a
/// channel keeps its value.
[[nodiscard]] GltfPose gltf_pose(const GltfFile& file, const GltfFile::Animation* animation,
                                 double time);

/// The vertices of an instance: morph targets first, then carried by its node or by its skin.
[[nodiscard]] std::vector<Vec3> gltf_points(const GltfFile& file, const GltfInstance& instance,
                                            const GltfPose& pose);

} // namespace pleat
