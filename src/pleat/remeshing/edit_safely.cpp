// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/edit_safely.hpp"

#include "pleat/core/stage_times.hpp"
#include "pleat/energies/elastic_batch.hpp"
#include "pleat/remeshing/material_map.hpp"
#include "pleat/remeshing/rest_angles.hpp"
#include "pleat/remeshing/separate.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace pleat {

namespace {

/// Edits, tests, undoes, and tries again.
class SafeEdit {
public:
    SafeEdit(Model& model, State& state, const World& world, double time,
             const EditOptions& options, const MeshEdit& edit)
        : model_(model), state_(state), world_(world), time_(time), options_(options), edit_(edit),
          model_before_(model), state_before_(state)
    {
        if (options.obstacles == nullptr) own_obstacles_ = ObstacleTree(world, time);
        limits_.strain_rise = options.strain_rise;
        for (const Material& m : model.materials) limits_.strain_limits.push_back(m.strain_limits);
        limits_.face_material = &model.face_material;
        limits_.held = &model.region_handles;
        limits_.frozen_panels = options.frozen_panels;
        for (ClothId c : model.panel_cloth) panel_group_.push_back(index(c));
    }

    RemeshReport run()
    {
        edit(nullptr);
        if (counts_.changed() && options_.crossings != CrossingStrategy::none) {
            const Stopwatch watch;
            std::vector<FaceCrossing> crossings = find_crossings();
            report_.crossings = crossings.size();
            if (!crossings.empty()) {
                if (options_.crossings == CrossingStrategy::guard)
                    edit_guarded();
                else
                    take_apart(std::move(crossings));
            }
            report_.ms_separate = watch.ms();
        }
        report_.changed = counts_.changed();
        report_.splits = counts_.splits;
        report_.flips = counts_.flips + counts_.bonds; // what adds and removes no nodes
        report_.collapses = counts_.collapses;
        report_.refused += counts_.refused;
        report_.midpoints = counts_.midpoints;
        if (report_.changed)
            measure();
        else
            report_.origin = {};
        return report_;
    }

private:
    [[nodiscard]] const ObstacleTree& obstacles() const
    {
        return options_.obstacles != nullptr ? *options_.obstacles : own_obstacles_;
    }

    void edit(CrossingGuard* guard)
    {
        FieldSet fields(guard != nullptr ? FieldUndo::kept : FieldUndo::none);
        add_fields(fields, model_);
        add_fields(fields, state_);
        report_.origin = Field<FaceId, FaceId>(model_.mesh.face_count(), FieldRule::copy);
        for (FaceId f : model_.mesh.faces()) report_.origin[f] = f;
        fields.add(report_.origin);
        MeshEditor editor(model_.mesh, state_.x, fields, limits_, guard);
        edit_(editor);
        counts_ = editor.counts();
        changed_before_ = editor.changed_before();
        changed_ = editor.finish(panel_group_);
        if (!counts_.changed()) return;
        if (model_.rest_surface) update_rest_angles(model_, changed_);
        update_derived(model_);
    }

    void take_back()
    {
        model_ = model_before_;
        state_ = state_before_;
    }

    /// Second attempt with each edit tested before it is done; needed rarely.
    void edit_guarded()
    {
        take_back();
        CrossingGuard guard(model_.mesh, state_.x, obstacles());
        edit(&guard);
    }

    [[nodiscard]] std::vector<FaceCrossing> find_crossings() const
    {
        return find_face_crossings(model_.mesh, state_.x, face_tree(model_.mesh, state_.x),
                                   obstacles(), changed_);
    }

    /// Moves crossing faces apart.
    /// \return what still crosses; with CrossingStrategy::contour all of it
    std::vector<FaceCrossing> separated(const MaterialMap& before,
                                        std::vector<FaceCrossing> crossings)
    {
        if (options_.crossings == CrossingStrategy::contour) return crossings;
        Field<NodeId, double> inverse_mass(model_.mesh.node_count(), FieldRule::reset);
        for (NodeId n : model_.mesh.nodes())
            inverse_mass[n] = model_.handles(n) != 0 ? 0 : pleat::inverse_mass(model_, n);
        SeparateReport r = separate(model_.mesh, inverse_mass, obstacles(), before,
                                    std::move(crossings), {}, state_.x, model_.dependencies);
        return r.ok ? std::vector<FaceCrossing>() : std::move(r.left);
    }

    /// Separates crossing faces; if that fails, shortens the contours; if that fails, keeps the old
    /// mesh there.
    void take_apart(std::vector<FaceCrossing> crossings)
    {
        is_moved_ = true;
        const MaterialMap before(model_before_.mesh, state_before_.x);
        const std::size_t edits = counts_.edits();
        for (int attempt = 0; !crossings.empty(); ++attempt) {
            const std::vector<FaceCrossing> left = separated(before, std::move(crossings));
            crossings.clear();
            if (left.empty()) break;
            if (options_.untangle && options_.untangle(world_, time_, model_, state_)) break;
            freeze(before, left, attempt);
            take_back();
            edit(nullptr);
            if (counts_.changed()) crossings = find_crossings();
        }
        if (counts_.edits() < edits) report_.refused += edits - counts_.edits();
    }

    /// The old faces where the cloth still crosses are frozen, and so are those around them; each
    /// attempt freezes a larger neighbourhood, finally all faces.
    void freeze(const MaterialMap& before, std::span<const FaceCrossing> crossings, int attempt)
    {
        constexpr int most_attempts = 6;
        const Mesh& mesh = model_.mesh;
        std::vector<bool>& frozen = limits_.frozen_faces;
        frozen.resize(model_before_.mesh.face_count());
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

    /// The effect of the edits on momentum and energy.
    void measure()
    {
        // Where nothing was edited, and nothing moved apart, the elastic energy is what it was. The
        // bending of plates reaches farther than the faces that changed.
        const bool is_local = !is_moved_ && !has_plates(model_before_);
        const auto elastic = [&](const Model& m, const State& s, std::span<const FaceId> faces) {
            return is_local ? elastic_energy(m, s, faces) : elastic_energy(m, s);
        };
        report_.momentum_change =
            linear_momentum(model_, state_) - linear_momentum(model_before_, state_before_);
        report_.angular_momentum_change =
            angular_momentum(model_, state_) - angular_momentum(model_before_, state_before_);
        report_.kinetic_change =
            kinetic_energy(model_, state_) - kinetic_energy(model_before_, state_before_);
        report_.elastic_change = elastic(model_, state_, changed_) -
                                 elastic(model_before_, state_before_, changed_before_);
    }

    Model& model_;
    State& state_;
    const World& world_;
    const double time_;
    const EditOptions& options_;
    const MeshEdit& edit_;
    const Model model_before_;
    const State state_before_;
    ObstacleTree own_obstacles_;
    EditLimits limits_;
    std::vector<std::uint32_t> panel_group_;
    EditCounts counts_;
    std::vector<FaceId> changed_before_, changed_; // of the mesh before, and of the mesh now
    bool is_moved_ = false;                        // nodes that no edit made have moved
    RemeshReport report_;
};

} // namespace

RemeshReport edit_safely(Model& model, State& state, const World& world, double time,
                         const EditOptions& options, const MeshEdit& edit)
{
    return SafeEdit(model, state, world, time, options, edit).run();
}

} // namespace pleat
