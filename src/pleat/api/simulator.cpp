// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/api/simulator.hpp"

#include "pleat/core/error.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/export/obj_sink.hpp"
#include "pleat/scene/arcsim_file.hpp"
#include "pleat/scene/dress.hpp"
#include "pleat/scene/load_scene.hpp"
#include "pleat/scene/size_check.hpp"
#include "pleat/scene/start_check.hpp"
#include "pleat/sim/adapt.hpp"

#include <cmath>
#include <utility>

namespace pleat {

struct Simulator::Parts {
    Parts(ReadScene read, const NamedMeshes& meshes, SimulatorOptions o)
        : options(std::move(o)), threads(options.threads)
    {
        threads.run([&] {
            scene = load_scene(read.scene, std::move(read.problems), meshes);
            for (std::string& warning : size_warnings(read.scene, scene))
                scene.notes.push_back(std::move(warning));
            check_start(read.scene, scene);
            dress(read.scene, scene);
        });
        scene.notes.insert(scene.notes.begin(), read.notes.begin(), read.notes.end());
        pipeline = make_pipeline(read.scene, options.sizing);
        pipeline.loads.insert(pipeline.loads.end(), options.loads.begin(), options.loads.end());
        (void)run_to(0);
    }

    /// \param frame the present one before any was run, or the next
    FrameResult run_to(int frame)
    {
        FrameResult result;
        RunHooks hooks;
        hooks.log = options.log;
        hooks.on_frame = [&](const FrameStats& stats) { result.stats = stats; };
        RunSettings settings = scene.settings;
        settings.frames = frame;
        threads.run(
            [&] { report = run(scene.world, pipeline, scene.start, settings, {}, hooks, report); });
        result.ok = report.end == RunEnd::finished;
        result.trouble = report.trouble;
        return result;
    }

    SimulatorOptions options;
    Threads threads;
    Scene scene; // scene.start is where the simulation is
    Pipeline pipeline;
    RunReport report;
    bool between_frames = false; // step() was called
};

namespace {

/// The checks of names and numbers in scene files apply to descriptions made by programs too.
ReadScene checked(const ArrayScene& scene)
{
    (void)parse_scene(to_json_text(scene.description), scene.description.file);
    return {scene.description};
}

} // namespace

Simulator::Simulator(const std::filesystem::path& scene_file, SimulatorOptions options)
    : parts_(std::make_unique<Parts>(read_any_scene_in_part(scene_file), NamedMeshes{},
                                     std::move(options)))
{}

Simulator::Simulator(const ArrayScene& scene, SimulatorOptions options)
    : parts_(std::make_unique<Parts>(checked(scene), scene.meshes, std::move(options)))
{}

Simulator::~Simulator() = default;
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;

FrameResult Simulator::advance_frame()
{
    if (parts_->between_frames)
        throw InputError(Problem{"", "advance_frame()", "step() was called before",
                                 "frames only, or steps only"});
    return parts_->run_to(frame() + 1);
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
    return report;
}

int Simulator::frame() const
{
    return parts_->scene.start.frame;
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
    const std::vector<ObjectMesh> now = meshes();
    FrameSinkObj(folder).write(frame_of(now, frame(), time()));
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

} // namespace pleat
