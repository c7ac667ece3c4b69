// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A running scene for programs: advance it, and read the cloth back as arrays. The same scene gives
// the same bits as `pleat run` does, with any number of threads.
#pragma once

#include "pleat/api/array_scene.hpp"
#include "pleat/core/log.hpp"
#include "pleat/loads/load.hpp"
#include "pleat/remeshing/sizing_metric.hpp"
#include "pleat/sim/audit.hpp"
#include "pleat/sim/frame_stats.hpp"
#include "pleat/sim/frames.hpp"
#include "pleat/sim/run.hpp"
#include "pleat/sim/step.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
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
};

/// Report of a frame.
struct [[nodiscard]] FrameResult {
    bool ok = true;
    std::string trouble; // where not ok: why the solver gave up
    FrameStats stats;    // with the audit of the frame (intersections, strains) and timings
};

class Simulator {
public:
    /// Loads the scene and brings it to frame 0: the start is checked for intersections, garments
    /// are dressed and meshes are adapted where the scene says so.
    /// \throw InputError with every problem of the scene and of its files.
    explicit Simulator(const std::filesystem::path& scene_file, SimulatorOptions options = {});
    explicit Simulator(const ArrayScene& scene, SimulatorOptions options = {});
    ~Simulator();
    Simulator(Simulator&&) noexcept;
    Simulator& operator=(Simulator&&) noexcept;

    /// Simulates to the next frame: its steps, with remeshing where the scene has it. Where the
    /// solver gives up the simulation stays at the last frame.
    /// \throw InputError where step() was called before.
    FrameResult advance_frame();
    /// Advances by dt [s] without remeshing, for programs with a clock of their own; retried in
    /// smaller steps where needed. \throw InputError where dt is not above 0.
    [[nodiscard]] AdvanceReport step(double dt);
    /// Adapts the meshes now. advance_frame() does it automatically.
    RemeshReport remesh();

    [[nodiscard]] int frame() const;
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

    /// The surroundings of the cloth. Gravity and wind may be changed between frames.
    [[nodiscard]] World& world();
    /// For own loads and measurements.
    [[nodiscard]] const Model& model() const;
    [[nodiscard]] const State& state() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

} // namespace pleat
