// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A scene as its file describes it, before meshes are read: every field with its default filled in.
// The keys of the file are in scene_keys.cpp; those of solver, contact, strain limiting and
// remeshing are beside the types that have them, in part_tables.cpp.
#pragma once

#include "pleat/core/error.hpp"
#include "pleat/materials/material.hpp"
#include "pleat/model/motion.hpp"
#include "pleat/model/world.hpp"
#include "pleat/scene/obstacle_shapes.hpp"

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pleat {

/// A sizing metric of the list, with the options that its entry gives.
struct SizingDescription {
    std::string type;
    std::map<std::string, double> options; // by key
    bool operator==(const SizingDescription&) const = default;
};
/// The value of an option that is "auto".
inline constexpr double automatic = -1;

struct RemeshingDescription {
    std::string type = "none";
    std::array<double, 2> edge_length{0.015, 0.2}; // shortest, longest [m]
    double aspect_min = 0.1;                       // 1: isotropic
    std::vector<SizingDescription> sizing{
        {"curvature", {}}, {"compression", {}}, {"velocity", {}}, {"obstacle", {}}};
    // Options of sizing metrics whose entries do not give them; 0: not used.
    double angle = 0.15;
    double compression = 0.07;                       // [m], or automatic
    double edges_per_wave = 6;                       // where it is
    double velocity = 0.7;                           // [m/s]
    double curvature_base = 1;                       // [1/m]
    double curvature_max = 10;                       // [1/m]
    int generations = 6;                             // of root-3 subdivision, at most
    double coarsening = 0.5;                         // of the tolerances by which it refines
    int levels = 3;                                  // of quadrisection, at most
    int level_difference = 0;                        // of faces that share an edge, at most; 0: any
    double cosine_split = 0.97, cosine_join = 0.997; // of normals at an edge
    std::string crossings = "guard";
    int every = 0; // steps between remeshings; 0: once a frame
    bool operator==(const RemeshingDescription&) const = default;
};

/// Where rest lengths or rest angles come from: a word, or the shape in a file.
struct RestDescription {
    std::string from;           // "material" or "flat", "mesh", or "file"
    std::filesystem::path file; // with the faces of the cloth's mesh
    bool operator==(const RestDescription&) const = default;
};

struct ClothDescription {
    std::string name;
    std::filesystem::path mesh;
    double unit = 1;                      // length of the mesh file's unit [m]
    RestDescription rest{"material", {}}; // lengths
    RestDescription rest_angles{"flat", {}};
    Transform transform;             // its scale applies to the material coordinates too
    Vec3 linear_velocity{};          // [m/s]
    Vec3 angular_velocity{};         // [rad/s]
    Vec3 velocity_origin{};          // about which it turns [m]
    std::vector<Material> materials; // by the mesh's material index
    std::optional<StrainLimits> strain_limits;
    RemeshingDescription remeshing;
    int layer = 0;              // dressed in this order, from the body outward
    std::optional<Vec3> colour; // in pictures, display (sRGB), 0 to 1; none: as the fabrics look
    bool operator==(const ClothDescription&) const = default;
};

struct MotionDescription {
    Motion keys;
    std::filesystem::path file; // .mot; empty: keys
    int body = 0;
    double fps = 120;
    double time = 0;     // of the file's first frame [s]
    Transform transform; // of the file's motion, applied after it
    bool operator==(const MotionDescription&) const = default;
};

/// A glTF file as a body that deforms.
struct GltfDescription {
    std::filesystem::path file;           // empty: none
    std::string up = "y";                 // axis that points up in the file
    double unit = 1;                      // length of the file's unit [m]
    std::optional<std::string> animation; // by name; none: the first
    std::vector<std::string> nodes;       // with these names, and what hangs below; empty: all
    double fps = 50;                      // at which the animation is sampled
    double time = 0;                      // at which it starts [s]
    bool operator==(const GltfDescription&) const = default;
};

struct ObstacleDescription {
    std::string name;
    // One of mesh, sequence, shape and gltf.
    std::filesystem::path mesh;
    std::filesystem::path sequence; // a name with one %d or %0Nd
    double unit = 1;                // length of the unit of mesh or sequence [m]
    std::optional<ShapeDescription> shape;
    GltfDescription gltf;
    int sequence_first = 0;
    double sequence_fps = 25;
    double sequence_time = 0; // of the first file [s]
    Transform transform;
    MotionDescription motion;
    double from = -forever, until = forever; // [s]
    std::optional<double> friction;
    bool operator==(const ObstacleDescription&) const = default;
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
    bool operator==(const HandleDescription&) const = default;
};

struct SolverDescription {
    std::string integrator = "backward_euler";
    std::string linear_solver = "cg";
    int newton_iterations = 1;
    double tolerance = 1e-4;          // of the forces of a step, relative
    std::string variant = "monotone"; // of mixed_explicit_implicit
    bool operator==(const SolverDescription&) const = default;
};

struct FrictionPairDescription {
    std::array<std::string, 2> between; // a cloth, and a cloth or an obstacle
    double friction = 0;
    bool operator==(const FrictionPairDescription&) const = default;
};

struct ContactDescription {
    std::string type = "impact_zones";
    double thickness = 0.005; // [m]
    double friction = 0.3;
    std::vector<FrictionPairDescription> friction_pairs;
    double stiffness = 1;             // of repulsion, in node mass / dt^2
    std::string on_overlap = "error"; // or "untangle"
    std::string broad_phase = "bvh";
    bool operator==(const ContactDescription&) const = default;
};

struct StrainLimitingDescription {
    std::string type = "projected_newton"; // costs nothing where no fabric has limits
    std::string measure = "principal";     // or "components"
    double tolerance = 1e-3;               // on the worst violation, as strain
    std::optional<int> iterations;         // at most; none: as the method has it
    /// Of edge_velocity: limits of fabrics that have none; none: these are not limited.
    std::optional<StrainLimits> default_limits;
    bool operator==(const StrainLimitingDescription&) const = default;
};

/// How a camera changes at a key.
struct CameraRateDescription {
    Vec3 eye{}, target{}; // [m/s]
    double fov = 0;       // [degrees/s]
    bool operator==(const CameraRateDescription&) const = default;
};

struct CameraKeyDescription {
    double time = 0; // [s]
    Vec3 eye{}, target{};
    std::optional<Vec3> up;    // none: the camera's
    std::optional<double> fov; // [degrees]; none: the camera's
    std::optional<CameraRateDescription> velocity;
    bool operator==(const CameraKeyDescription&) const = default;
};

/// A camera of a glTF file, with its animation.
struct GltfCameraDescription {
    std::filesystem::path file;           // empty: none
    std::optional<std::string> node;      // by name; none: the first with a camera
    std::string up = "y";                 // axis that points up in the file
    double unit = 1;                      // length of the file's unit [m]
    std::optional<std::string> animation; // by name; none: the first
    double fps = 50;                      // at which the animation is sampled
    double time = 0;                      // at which it starts [s]
    bool operator==(const GltfCameraDescription&) const = default;
};

/// Where the scene is looked at from. One of eye, keys and gltf says where it is.
struct CameraDescription {
    std::string name;
    Vec3 eye{}, target{};           // world [m]
    std::optional<Vec3> up;         // none: the scene's
    double fov = 30;                // between the lower and the upper edge of the picture [degrees]
    double aspect = 16.0 / 9;       // width over height
    double near = 0.01, far = 1000; // [m]
    std::vector<CameraKeyDescription> keys; // two of the same time: a cut
    GltfCameraDescription gltf;
    MotionDescription motion; // carries eye and target
    bool operator==(const CameraDescription&) const = default;
};

/// Softer compression of large faces [Koh2015] sec. 3.5.
struct BucklingDescription {
    double exponent = 10;
    std::string faces = "out_of_view";          // or "all"
    std::optional<std::array<double, 2>> areas; // smallest, largest [m^2]; none: those of the mesh
    bool operator==(const BucklingDescription&) const = default;
};

struct InstanceMaterialDescription {
    std::string cloth; // of the scene
    Material material;
    bool operator==(const InstanceMaterialDescription&) const = default;
};

/// A copy of objects of the scene at another place.
struct InstanceDescription {
    std::string name;
    std::vector<std::string> of;      // names of cloths and obstacles; empty: all
    std::vector<std::string> without; // these are not copied
    Transform transform;
    double time = 0; // by which motions start later [s]
    std::vector<InstanceMaterialDescription> materials;
    bool operator==(const InstanceDescription&) const = default;
};

/// Takes the stretch out of the cloth before frame 0.
struct SettleDescription {
    double tolerance = 0.01; // on the worst strain
    int iterations = 200;    // at most
    bool operator==(const SettleDescription&) const = default;
};

/// Brings garments onto the body before frame 0.
struct DressDescription {
    double time = 1;      // for each layer [s]
    double step = 0.005;  // [s]
    double gravity = 0.5; // share of the scene's
    double speed = 0.5;   // share of its velocity that cloth keeps from step to step
    bool operator==(const DressDescription&) const = default;
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
    StrainLimitingDescription strain_limiting;
    std::optional<SettleDescription> settle;
    std::optional<DressDescription> dress;
    std::optional<CameraDescription> camera; // of pictures; also serves the simulation
    std::vector<CameraDescription> cameras;  // that serve the simulation too
    std::optional<BucklingDescription> buckling_compensation;
    /// Only while a file is read: add_instances() makes them cloths, obstacles and handles.
    std::vector<InstanceDescription> instances;
    bool operator==(const SceneDescription&) const = default;
};

/// \throw InputError with every problem of the file: unknown keys and types with the nearest known
/// ones, wrong kinds of values, numbers out of range, fabrics that do not exist.
[[nodiscard]] SceneDescription read_scene_file(const std::filesystem::path& path);
/// The same, but what is wrong goes into `problems` and the rest of the scene is returned: what
/// load_scene() finds can then be told together with it.
/// \throw InputError where the file cannot be read or is no JSON.
[[nodiscard]] SceneDescription read_scene_file(const std::filesystem::path& path,
                                               std::vector<Problem>& problems);
[[nodiscard]] SceneDescription parse_scene(std::string_view text,
                                           const std::filesystem::path& path);

/// How much of a scene is written.
enum class SceneText {
    resolved, // every default, fabrics with all their numbers
    brief,    // what differs from the defaults; shipped fabrics by name
};

/// The scene as text, paths absolute, or relative to a folder where one is given. Reading it gives
/// the same scene.
[[nodiscard]] std::string to_json_text(const SceneDescription& scene,
                                       const std::filesystem::path& relative_to = {},
                                       SceneText form = SceneText::resolved);

} // namespace pleat
