// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A running scene for programs: advance it, and read the cloth back as arrays. The same scene gives
// the same bits as `pleat run` does, with any number of threads.
#pragma once

#include "pleat/api/array_scene.hpp"
#include "pleat/core/log.hpp"
#include "pleat/export/name_pattern.hpp"
#include "pleat/loads/load.hpp"
#include "pleat/model/contacts.hpp"
#include "pleat/remeshing/sizing.hpp"
#include "pleat/remeshing/sizing_metric.hpp"
#include "pleat/scene/arcsim_file.hpp"
#include "pleat/sim/audit.hpp"
#include "pleat/sim/frame_stats.hpp"
#include "pleat/sim/frames.hpp"
#include "pleat/sim/run.hpp"
#include "pleat/sim/step.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pleat {

struct SimulatorOptions {
    int threads = 0; // 0: one a core; the results are the same
    LogSink log;     // warnings, such as steps that were retried; may be empty
    LoadList loads;  // your own, besides gravity, wind and handles of the scene
    /// Your own, asked after those of the scene, of each cloth that is remeshed "anisotropic". Each
    /// needs a name of its own, other than those of the scene.
    std::vector<NamedSizingMetric> sizing{};
    std::function<void()> on_step{}; // after each step of a frame; may throw to stop
};

/// Report of a frame.
struct [[nodiscard]] FrameResult {
    bool ok = true;
    std::string trouble;     // where not ok: why the solver gave up
    FrameStats stats;        // with the audit of the frame (intersections, strains) and timings
    bool is_complete = true; // of advance_step(): whether the frame is, and with it the stats
};

class Simulator {
public:
    /// Loads the scene and brings it to frame 0: the start is checked for intersections, garments
    /// are dressed and meshes are adapted where the scene says so.
    /// \throw InputError with every problem of the scene and of its files.
    explicit Simulator(const std::filesystem::path& scene_file, SimulatorOptions options = {});
    explicit Simulator(const ArrayScene& scene, SimulatorOptions options = {});
    /// A scene that was read, with overrides for example; problems it has are told with others.
    explicit Simulator(ReadScene scene, const NamedMeshes& meshes = {},
                       SimulatorOptions options = {});
    /// Continues from a checkpoint of `pleat run` or of write_checkpoint(), with the same bits as
    /// if the simulation had never stopped.
    /// \param frame none: the newest that can be read
    /// \throw InputError where there is none, or where the scene is not that of the checkpoint
    Simulator(ReadScene scene, const std::filesystem::path& folder, std::optional<int> frame,
              const NamedMeshes& meshes = {}, SimulatorOptions options = {});
    ~Simulator();
    Simulator(Simulator&&) noexcept;
    Simulator& operator=(Simulator&&) noexcept;

    /// Simulates to the next frame: its steps, with remeshing where the scene has it. Where the
    /// solver gives up the simulation stays at the last frame.
    /// \throw InputError where step() was called before.
    FrameResult advance_frame();
    /// Simulates one step of the next frame; the last one completes it. Steps and frames give the
    /// same bits, and advance_frame() after some steps does those that are left. Where the solver
    /// gives up, or on_step throws, the simulation goes back to the last frame.
    /// \throw InputError where step() was called before.
    FrameResult advance_step();
    /// Advances by dt [s] without remeshing, for programs with a clock of their own; retried in
    /// smaller steps where needed. \throw InputError where dt is not above 0.
    [[nodiscard]] AdvanceReport step(double dt);
    /// Adapts the meshes now. advance_frame() does it automatically.
    RemeshReport remesh();

    [[nodiscard]] int frame() const;
    [[nodiscard]] int steps_done() const;              // of the next frame
    [[nodiscard]] double time() const;                 // [s]
    [[nodiscard]] const RunSettings& settings() const; // frames a second, frames of the scene, ...
    /// Warnings of loading, such as sizes that suggest wrong units.
    [[nodiscard]] const std::vector<std::string>& notes() const;

    /// Positions, velocities, faces and material coordinates of a cloth as it is now. Remeshing
    /// changes all of them. \throw InputError where no cloth has the name.
    [[nodiscard]] ObjectMesh cloth(const std::string& name) const;
    /// Every cloth, then every obstacle that is present.
    [[nodiscard]] std::vector<ObjectMesh> meshes() const;
    /// Intersections, smallest gap and largest strains as they are now.
    [[nodiscard]] MeshAudit audit() const;
    /// Of all positions and velocities; the same for the same scene on every run.
    [[nodiscard]] std::uint64_t hash() const;
    /// Writes the meshes as OBJ files to FOLDER/frames, where `pleat render`, `view` and `check`
    /// find them. \throw FileError
    void write_frame(const std::filesystem::path& folder) const;
    /// The same in other formats (frame_formats()).
    void write_frame(const std::filesystem::path& folder, const std::vector<std::string>& formats,
                     const NamePattern& names = {}) const;
    /// Writes FOLDER/checkpoint/00012.pleat, and the scene as FOLDER/scene.json.
    /// \throw InputError between frames; FileError
    void write_checkpoint(const std::filesystem::path& folder) const;

    /// The surroundings of the cloth. Gravity and wind may be changed between frames.
    [[nodiscard]] World& world();
    /// For own loads and measurements.
    [[nodiscard]] const Model& model() const;
    [[nodiscard]] const State& state() const;
    /// Counts the changes of the mesh: ids and sizes of arrays are the same while it is the same.
    [[nodiscard]] std::uint64_t mesh_version() const;
    /// The sizing that the last remeshing used, on the present mesh; null: there is none.
    [[nodiscard]] std::shared_ptr<const FaceSizing> sizing() const;
    /// Pairs that may touch within the next step, with the nodes of the model.
    [[nodiscard]] Contacts find_contacts();
    /// For bindings to other languages, which may replace an array by an equal one elsewhere in
    /// memory. Everything else belongs to the simulator.
    [[nodiscard]] Simulation& simulation();

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

} // namespace pleat
