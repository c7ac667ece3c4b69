// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/api/simulator.hpp"

#include "pleat/core/atomic_file.hpp"
#include "pleat/core/error.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/export/frame_formats.hpp"
#include "pleat/scene/dress.hpp"
#include "pleat/scene/load_scene.hpp"
#include "pleat/scene/resume.hpp"
#include "pleat/scene/size_check.hpp"
#include "pleat/scene/start_check.hpp"
#include "pleat/sim/adapt.hpp"
#include "pleat/sim/checkpoint.hpp"
#include "pleat/sim/frame_steps.hpp"

#include <cmath>
#include <optional>
#include <utility>

namespace pleat {

struct Simulator::Parts {
    Parts(ReadScene read, const NamedMeshes& meshes, SimulatorOptions o,
          std::optional<Checkpoint> from = std::nullopt)
        : options(std::move(o)), threads(options.threads), description(std::move(read.scene))
    {
        threads.run([&] {
            scene = load_scene(description, std::move(read.problems), meshes);
            info = checkpoint_info(description, scene);
            for (std::string& warning : size_warnings(description, scene))
                scene.notes.push_back(std::move(warning));
            if (from) {
                report = from->info.so_far;
                start_from(description, std::move(*from), scene);
                return;
            }
            check_start(description, scene);
            dress(description, scene);
        });
        scene.notes.insert(scene.notes.begin(), read.notes.begin(), read.notes.end());
        pipeline = make_pipeline(description, options.sizing);
        pipeline.loads.insert(pipeline.loads.end(), options.loads.begin(), options.loads.end());
        hooks.log = options.log;
        hooks.on_frame = [this](const FrameStats& done) { last_stats = done; };
        hooks.on_step = [this](int, int) {
            if (options.on_step) options.on_step();
        };
        hooks.on_remesh = [this](const RemeshReport& remeshed) {
            if (remeshed.changed) ++mesh_version;
            if (remeshed.changed || remeshed.sizing) sizing = remeshed.sizing;
        };
        if (!from) (void)run_to(0);
    }

    /// \param frame the present one before any was run, or the next
    FrameResult run_to(int frame)
    {
        RunSettings settings = scene.settings;
        settings.frames = frame;
        try {
            threads.run([&] {
                report = run(scene.world, pipeline, scene.start, settings, {}, hooks, report);
            });
        } catch (...) {
            went_back();
            throw;
        }
        if (report.end != RunEnd::finished) went_back();
        return {report.end == RunEnd::finished, report.trouble, last_stats};
    }

    FrameResult step_of_frame()
    {
        if (step == 0) {
            frame_start = scene.start;
            stats = {};
        }
        FrameResult result;
        try {
            threads.run([&] { result.trouble = advance_and_finish(); });
        } catch (...) {
            go_back();
            throw;
        }
        result.ok = result.trouble.empty();
        result.is_complete = result.ok && step == 0;
        if (result.is_complete) result.stats = last_stats;
        if (!result.ok) go_back();
        return result;
    }

    /// \return why it could not be done; empty: done
    std::string advance_and_finish()
    {
        const Stopwatch watch;
        std::string trouble = steps.advance(step, stats);
        if (!trouble.empty()) return trouble;
        if (++step < scene.settings.substeps) {
            stats.ms_total += watch.ms();
            return {};
        }
        step = 0;
        ++scene.start.frame;
        scene.start.time = scene.start.frame / scene.settings.fps;
        finish_frame(scene.world, scene.start, scene.settings, {}, hooks, watch, stats, report);
        return {};
    }

    /// To the last frame, from amid the next.
    void go_back()
    {
        scene.start = frame_start;
        step = 0;
        went_back();
    }
    /// The mesh may be another one, and parts of the pipeline know the mesh that was given up.
    void went_back()
    {
        ++mesh_version;
        sizing.reset();
        pipeline.contact_finder->mesh_changed();
        pipeline.integrator->mesh_changed();
        pipeline.strain_limiter->mesh_changed();
        pipeline.impact_resolver->mesh_changed();
    }

    SimulatorOptions options;
    Threads threads;
    SceneDescription description;
    Scene scene; // scene.start is where the simulation is
    Pipeline pipeline;
    CheckpointInfo info; // of checkpoints, but for what was run so far
    RunReport report;
    RunHooks hooks;
    FrameSteps steps{scene.world, pipeline, scene.start, scene.settings, hooks};
    int step = 0;     // of the next frame that are done
    FrameStats stats; // of the next frame so far
    FrameStats last_stats;
    Simulation frame_start; // where the next frame started, amid it
    std::uint64_t mesh_version = 0;
    std::shared_ptr<const FaceSizing> sizing;
    bool between_frames = false; // step() was called
};

namespace {

/// The checks of names and numbers in scene files apply to descriptions made by programs too.
ReadScene checked(const ArrayScene& scene)
{
    (void)parse_scene(to_json_text(scene.description), scene.description.file);
    return {scene.description};
}

void require_whole_steps(bool is_between_frames, const char* caller)
{
    if (is_between_frames)
        throw InputError(
            Problem{"", caller, "step() was called before", "frames only, or steps only"});
}

} // namespace

Simulator::Simulator(const std::filesystem::path& scene_file, SimulatorOptions options)
    : parts_(std::make_unique<Parts>(read_any_scene_in_part(scene_file), NamedMeshes{},
                                     std::move(options)))
{}

Simulator::Simulator(const ArrayScene& scene, SimulatorOptions options)
    : parts_(std::make_unique<Parts>(checked(scene), scene.meshes, std::move(options)))
{}

Simulator::Simulator(ReadScene scene, const NamedMeshes& meshes, SimulatorOptions options)
    : parts_(std::make_unique<Parts>(std::move(scene), meshes, std::move(options)))
{}

Simulator::Simulator(ReadScene scene, const std::filesystem::path& folder, std::optional<int> frame,
                     const NamedMeshes& meshes, SimulatorOptions options)
    : parts_(std::make_unique<Parts>(std::move(scene), meshes, std::move(options),
                                     read_checkpoint(folder, frame).checkpoint))
{}

Simulator::~Simulator() = default;
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;

FrameResult Simulator::advance_frame()
{
    require_whole_steps(parts_->between_frames, "advance_frame()");
    if (parts_->step == 0) return parts_->run_to(frame() + 1);
    FrameResult result;
    do result = parts_->step_of_frame();
    while (result.ok && !result.is_complete);
    return result;
}

FrameResult Simulator::advance_step()
{
    require_whole_steps(parts_->between_frames, "advance_step()");
    return parts_->step_of_frame();
}

AdvanceReport Simulator::step(double dt)
{
    if (!(dt > 0 && std::isfinite(dt)))
        throw InputError(Problem{"", "step()", "dt = " + std::to_string(dt), "a time above 0 [s]"});
    parts_->between_frames = true;
    AdvanceReport report;
    parts_->threads.run(
        [&] { report = advance(parts_->scene.world, parts_->pipeline, parts_->scene.start, dt); });
    return report;
}

RemeshReport Simulator::remesh()
{
    RemeshReport report;
    parts_->threads.run(
        [&] { report = adapt(parts_->scene.world, parts_->pipeline, parts_->scene.start).remesh; });
    parts_->hooks.on_remesh(report);
    return report;
}

int Simulator::frame() const
{
    return parts_->scene.start.frame;
}

int Simulator::steps_done() const
{
    return parts_->step;
}

double Simulator::time() const
{
    return parts_->scene.start.time;
}

const RunSettings& Simulator::settings() const
{
    return parts_->scene.settings;
}

const std::vector<std::string>& Simulator::notes() const
{
    return parts_->scene.notes;
}

ObjectMesh Simulator::cloth(const std::string& name) const
{
    std::string names;
    for (ObjectMesh& mesh : meshes()) {
        if (!mesh.is_cloth) break;
        if (mesh.name == name) return std::move(mesh);
        names += (names.empty() ? "\"" : ", \"") + mesh.name + "\"";
    }
    throw InputError(Problem{"", "\"" + name + "\"", "no cloth with this name", "one of " + names});
}

std::vector<ObjectMesh> Simulator::meshes() const
{
    return object_meshes(parts_->scene.world, parts_->scene.start);
}

MeshAudit Simulator::audit() const
{
    MeshAudit found;
    parts_->threads.run([&] { found = pleat::audit(meshes(), settings().gap_reach); });
    return found;
}

std::uint64_t Simulator::hash() const
{
    return state_hash(model(), state());
}

void Simulator::write_frame(const std::filesystem::path& folder) const
{
    write_frame(folder, {"obj"});
}

void Simulator::write_frame(const std::filesystem::path& folder,
                            const std::vector<std::string>& formats, const NamePattern& names) const
{
    const std::vector<ObjectMesh> now = meshes();
    for (const std::string& format : formats) {
        const auto sink = make_frame_sink(format, folder,
                                          {parts_->description.fps, parts_->description.up, names});
        sink->write(frame_of(now, frame(), time()));
        sink->finish();
    }
}

void Simulator::write_checkpoint(const std::filesystem::path& folder) const
{
    if (parts_->step != 0 || parts_->between_frames)
        throw InputError(Problem{"", "write_checkpoint()", "a simulation amid a frame",
                                 "one whose last frame is complete"});
    std::error_code code;
    std::filesystem::create_directories(folder, code);
    if (code) throw FileError(folder.string(), code.message());
    CheckpointInfo info = parts_->info;
    info.so_far = parts_->report;
    pleat::write_checkpoint(folder, parts_->scene.start, info);
    AtomicFile scene(folder / "scene.json");
    scene.append(to_json_text(parts_->description));
    scene.commit();
}

World& Simulator::world()
{
    return parts_->scene.world;
}

const Model& Simulator::model() const
{
    return parts_->scene.start.model;
}

const State& Simulator::state() const
{
    return parts_->scene.start.state;
}

std::uint64_t Simulator::mesh_version() const
{
    return parts_->mesh_version;
}

std::shared_ptr<const FaceSizing> Simulator::sizing() const
{
    return parts_->sizing;
}

Contacts Simulator::find_contacts()
{
    Contacts contacts;
    const double dt = 1 / (settings().fps * settings().substeps);
    parts_->threads.run([&] {
        const auto obstacles = sample_obstacles(parts_->scene.world, time(), dt);
        (void)parts_->pipeline.contact_finder->find(model(), state(), parts_->scene.world,
                                                    obstacles, dt, contacts);
    });
    return contacts;
}

Simulation& Simulator::simulation()
{
    return parts_->scene.start;
}

} // namespace pleat
