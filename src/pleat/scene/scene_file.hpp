// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A scene as its file describes it, before meshes are read: every field with its default filled in.
#pragma once

#include "pleat/materials/material.hpp"
#include "pleat/model/motion.hpp"
#include "pleat/model/world.hpp"

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace pleat {

struct RemeshingDescription {
    std::string type = "none";
};

struct ClothDescription {
    std::string name;
    std::filesystem::path mesh;
    Transform transform;             // its scale applies to the material coordinates too
    Vec3 linear_velocity{};          // [m/s]
    Vec3 angular_velocity{};         // [rad/s]
    Vec3 velocity_origin{};          // about which it turns [m]
    std::vector<Material> materials; // by the mesh's material index
    std::optional<StrainLimits> strain_limits;
    RemeshingDescription remeshing;
};

struct MotionDescription {
    Motion keys;
    std::filesystem::path file; // .mot; empty: keys
    int body = 0;
    double fps = 120;
};

struct ObstacleDescription {
    std::string name;
    std::filesystem::path mesh;     // empty with a sequence
    std::filesystem::path sequence; // a name with one %d or %0Nd; empty with a mesh
    int sequence_first = 0;
    double sequence_fps = 25;
    double sequence_time = 0; // of the first file [s]
    Transform transform;
    MotionDescription motion;
    double from = -forever, until = forever; // [s]
    std::optional<double> friction;
};

struct HandleDescription {
    std::string name;
    std::string cloth;                // empty: the first
    std::vector<std::uint32_t> nodes; // in the order of the mesh file, from 0
    std::optional<int> label;
    std::optional<std::array<Vec3, 2>> box; // nodes inside it at the start, world [m]
    MotionDescription motion;
    double from = 0, until = forever, fade = 0; // [s]
    std::optional<double> stiffness;            // [N/m] a node
};

struct SolverDescription {
    std::string integrator = "backward_euler";
    std::string linear_solver = "cg";
    int newton_iterations = 1;
    double tolerance = 1e-5;      // of the linear solve, relative
};

struct ContactDescription {
    std::string type = "impact_zones";
    double thickness = 0.005; // [m]
    double friction = 0.3;
    double stiffness = 1;             // of repulsion, in node mass / dt^2
    std::string on_overlap = "error"; // or "untangle"
    std::string broad_phase = "bvh";
};

struct SceneDescription {
    std::filesystem::path file;
    Vec3 up{0, 0, 1};
    double fps = 25;
    int substeps = 8;
    int frames = 250;
    Vec3 gravity{}; // [m/s^2]
    Wind wind;
    std::vector<ClothDescription> cloths;
    std::vector<ObstacleDescription> obstacles;
    std::vector<HandleDescription> handles;
    SolverDescription solver;
    ContactDescription contact;
    std::string strain_limiting = "none";
};

/// Which keys each kind of object of the format has, as the reader asked for them.
using SceneKeys = std::map<std::string, std::set<std::string>>;

/// \throw InputError with every problem of the file: unknown keys and types with the nearest known
/// ones, wrong kinds of values, numbers out of range, fabrics that do not exist.
[[nodiscard]] SceneDescription read_scene_file(const std::filesystem::path& path,
                                               SceneKeys* asked = nullptr);
[[nodiscard]] SceneDescription parse_scene(std::string_view text, const std::filesystem::path& path,
                                           SceneKeys* asked = nullptr);

/// The resolved scene: every default written out, paths absolute. Reading it gives the same scene.
[[nodiscard]] std::string to_json_text(const SceneDescription& scene);

} // namespace pleat
