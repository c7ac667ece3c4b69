// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/anisotropic.hpp"

#include "pleat/core/parallel.hpp"
#include "pleat/core/stage_times.hpp"
#include "pleat/energies/elastic_batch.hpp"
#include "pleat/remeshing/material_map.hpp"
#include "pleat/remeshing/node_normals.hpp"
#include "pleat/remeshing/rest_angles.hpp"
#include "pleat/remeshing/separate.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace pleat {

RemesherAnisotropic::RemesherAnisotropic(AnisotropicOptions options) : options_(std::move(options))
{}

RemeshReport RemesherAnisotropic::remesh(const World& world, double time, Model& model,
                                         State& state)
{
    Field<NodeId, Vec3> normal;
    parallel_do({[&] { obstacles_.move_to(world, time); },
                 [&] { normal = node_normals(model.mesh, state.x); }});
    const Field<FaceId, Mat2> sizing =
        face_metric(model, state, normal, obstacles_, options_.sizing, options_.adjustments);
    ModelRemeshOptions options;
    options.normal = &normal;
    options.hysteresis = options_.hysteresis;
    options.strain_rise = options_.strain_rise;
    options.crossings = options_.crossings;
    options.untangle = [&] {
        return options_.untangle != nullptr && options_.untangle(world, time, model, state);
    };
    for (ClothId c : model.panel_cloth)
        options.frozen_panels.push_back(!options_.sizing[index(c)].has_value());
    return remesh_model(model, state, vert_metric(model.mesh, sizing), obstacles_, options);
}

namespace {

/// Sums over the whole cloth that remeshing should not change.
struct Sums {
    Vec3 momentum, angular;
    double kinetic, elastic;
};

Sums sums_of(const Model& model, const State& state, double elastic)
{
    return {linear_momentum(model, state), angular_momentum(model, state),
            kinetic_energy(model, state), elastic};
}

/// The elastic energy that faces and the hinges around them had, measured while edits change them.
class EnergyBefore {
public:
    /// \pre both outlive this and stay as they are; !has_plates(model).
    EnergyBefore(const Model& model, const State& state)
        : model_(model), state_(state), of_face_(model.mesh.face_count(), 0.0),
          of_edge_(model.mesh.edge_count(), 0.0), is_counted_(model.mesh.edge_count(), 0)
    {}

    /// \param faces none of which was added before
    void add(std::span<const FaceId> faces)
    {
        if (Background::has_threads())
            background_.start(
                [this, faces = std::vector(faces.begin(), faces.end())] { measure(faces); });
        else
            later_.insert(later_.end(), faces.begin(), faces.end());
    }

    /// Of all that was added [J].
    [[nodiscard]] double sum()
    {
        background_.wait();
        std::sort(later_.begin(), later_.end()); // as they lie in memory
        measure(later_);
        const auto sum_of = [](const std::vector<double>& energy) {
            return parallel_sum(energy.size(), [&](std::size_t i) { return energy[i]; });
        };
        return sum_of(of_face_) + sum_of(of_edge_);
    }

private:
    void measure(std::span<const FaceId> faces)
    {
        for (FaceId f : faces) {
            of_face_[index(f)] = elastic_energy(model_, state_, f);
            for (EdgeId e : model_.mesh[f].edges)
                if (is_first(e)) of_edge_[index(e)] = elastic_energy(model_, state_, e);
        }
    }

    /// Once for each edge, whichever thread asks.
    [[nodiscard]] bool is_first(EdgeId e)
    {
        std::atomic_ref<std::uint8_t> is_counted(is_counted_[index(e)]);
        return is_counted.exchange(1, std::memory_order_relaxed) == 0;
    }

    const Model& model_;
    const State& state_;
    std::vector<double> of_face_, of_edge_; // [J]
    std::vector<std::uint8_t> is_counted_;  // by EdgeId
    std::vector<FaceId> later_;             // added, and nobody there to measure them
    Background background_;                 // last, so that its work ends first
};

/// One remeshing of a model: tried, looked at, taken back, tried again.
class ModelRemesh {
public:
    ModelRemesh(Model& model, State& state, MetricField metric, const ObstacleTree& obstacles,
                const ModelRemeshOptions& options)
        : model_(model), state_(state), metric_(std::move(metric)), obstacles_(obstacles),
          options_(options)
    {
        parallel_do({[&] { model_before_ = model; }, [&] { state_before_ = state; }});
        remesh_options_.hysteresis = options.hysteresis;
        remesh_options_.strain_rise = options.strain_rise;
        for (const Material& m : model.materials)
            remesh_options_.strain_limits.push_back(m.strain_limits);
        remesh_options_.face_material = &model.face_material;
        remesh_options_.frozen_panels = options.frozen_panels;
        remesh_options_.normal = options.normal;
        remesh_options_.before.emplace(RemeshBefore{model_before_.mesh, metric_, state_before_.x,
                                                    &model_before_.face_material});
        for (ClothId c : model.panel_cloth) remesh_options_.panel_group.push_back(index(c));
    }

    RemeshReport run()
    {
        edit(nullptr);
        if (counts_.changed() && options_.crossings != CrossingStrategy::none) {
            const Stopwatch watch;
            crossings_ = crossings_of(touched_.after);
            report_.crossings = crossings_.size();
            if (!crossings_.empty()) {
                if (options_.crossings == CrossingStrategy::guard)
                    edit_guarded();
                else
                    take_apart();
            }
            report_.ms_separate = watch.ms();
        }
        report_.changed = counts_.changed();
        report_.splits = counts_.splits;
        report_.flips = counts_.flips;
        report_.collapses = counts_.collapses;
        report_.refused += counts_.refused;
        report_.midpoints = counts_.midpoints;
        if (!report_.changed) return report_;
        // Where nothing was edited, and nothing moved apart, the energy is what it was.
        const bool is_part = energy_before_.has_value() && !is_moved_;
        const Sums before =
            sums_of(model_before_, state_before_,
                    is_part ? energy_before_->sum() : elastic_energy(model_before_, state_before_));
        const Sums after =
            sums_of(model_, state_, is_part ? energy_after_ : elastic_energy(model_, state_));
        report_.momentum_change = after.momentum - before.momentum;
        report_.angular_momentum_change = after.angular - before.angular;
        report_.kinetic_change = after.kinetic - before.kinetic;
        report_.elastic_change = after.elastic - before.elastic;
        return report_;
    }

private:
    void edit(CrossingGuard* guard)
    {
        MetricField metric = metric_;
        FieldSet fields(guard != nullptr ? FieldUndo::kept : FieldUndo::none);
        add_fields(fields, model_);
        add_fields(fields, state_);
        touched_ = {};
        const bool is_measured = !has_plates(model_before_);
        if (is_measured) {
            energy_before_.emplace(model_before_, state_before_);
            touched_.on_touch = [&](std::span<const FaceId> faces) { energy_before_->add(faces); };
        }
        touched_.on_edited = [&, is_measured](std::span<const FaceId> faces) {
            if (model_.rest_surface) update_rest_angles(model_, faces);
            if (is_measured) energy_after_ = elastic_energy(model_, state_, faces);
        };
        counts_ = remesh_to_metric(model_.mesh, metric, state_.x, fields, remesh_options_,
                                   &model_.region_handles, guard, &touched_);
        if (counts_.changed()) update_derived(model_);
    }

    void take_back()
    {
        model_ = model_before_;
        state_ = state_before_;
    }

    /// Again, each edit tried first: few remeshings of few scenes need that, and it costs more.
    void edit_guarded()
    {
        take_back();
        CrossingGuard guard(model_.mesh, state_.x, obstacles_);
        edit(&guard);
    }

    [[nodiscard]] std::vector<FaceCrossing> crossings_of(std::span<const FaceId> faces) const
    {
        return find_face_crossings(model_.mesh, state_.x, face_tree(model_.mesh, state_.x),
                                   obstacles_, faces);
    }

    /// Moves apart what crosses; else shortens the contours; else keeps the old mesh there.
    void take_apart()
    {
        is_moved_ = true;
        const MaterialMap before(model_before_.mesh, state_before_.x);
        const std::size_t edits = counts_.splits + counts_.flips + counts_.collapses;
        for (int attempt = 0; !crossings_.empty(); ++attempt) {
            Field<NodeId, double> inverse_mass(model_.mesh.node_count(), FieldRule::reset);
            for (NodeId n : model_.mesh.nodes())
                inverse_mass[n] = model_.handles(n) != 0 ? 0 : 1 / model_.mass[n];
            const SeparateReport r = separate(model_.mesh, inverse_mass, obstacles_, before,
                                              std::move(crossings_), {}, state_.x);
            crossings_.clear();
            if (r.ok) break;
            if (options_.untangle && options_.untangle()) break;
            freeze(before, r.left, attempt);
            take_back();
            edit(nullptr);
            if (counts_.changed()) crossings_ = crossings_of(touched_.after);
        }
        const std::size_t edits_left = counts_.splits + counts_.flips + counts_.collapses;
        if (edits_left < edits) report_.refused += edits - edits_left;
    }

    /// The old faces where the cloth still crosses keep as they are, and so do those around them;
    /// from attempt to attempt farther around, in the end all.
    void freeze(const MaterialMap& before, std::span<const FaceCrossing> crossings, int attempt)
    {
        constexpr int most_attempts = 6;
        const Mesh& mesh = model_.mesh;
        std::vector<bool>& frozen = remesh_options_.frozen_faces;
        frozen.resize(model_before_.mesh.face_count(), attempt >= most_attempts);
        if (attempt >= most_attempts) frozen.assign(frozen.size(), true);
        const auto freeze_at = [&](FaceId face) {
            const auto& v = mesh[face].verts;
            Vec2 low = mesh.u(v[0]), high = low;
            for (VertId w : v)
                for (std::size_t k = 0; k < 2; ++k) {
                    low[k] = std::min(low[k], mesh.u(w)[k]);
                    high[k] = std::max(high[k], mesh.u(w)[k]);
                }
            const double around = 0.25 * double(1 << attempt) * norm(high - low);
            for (FaceId f : before.faces_in(mesh.panel(face), low - Vec2{around, around},
                                            high + Vec2{around, around}))
                frozen[index(f)] = true;
        };
        for (const FaceCrossing& c : crossings) {
            freeze_at(c.face);
            if (is_some(c.other)) freeze_at(c.other);
        }
        report_.kept = std::size_t(std::count(frozen.begin(), frozen.end(), true));
    }

    Model& model_;
    State& state_;
    const MetricField metric_;
    const ObstacleTree& obstacles_;
    const ModelRemeshOptions& options_;
    Model model_before_;
    State state_before_;
    RemeshOptions remesh_options_;
    RemeshCounts counts_;
    TouchedFaces touched_;
    std::optional<EnergyBefore> energy_before_; // of the faces touched
    double energy_after_ = 0;                   // of what they became [J]
    std::vector<FaceCrossing> crossings_;
    bool is_moved_ = false; // nodes that no edit made have moved
    RemeshReport report_;
};

} // namespace

RemeshReport remesh_model(Model& model, State& state, MetricField metric,
                          const ObstacleTree& obstacles, const ModelRemeshOptions& options)
{
    return ModelRemesh(model, state, std::move(metric), obstacles, options).run();
}

} // namespace pleat
