// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/root3.hpp"

#include "pleat/core/parallel.hpp"
#include "pleat/geometry/decompose.hpp"
#include "pleat/mesh/measures.hpp"
#include "pleat/remeshing/root3_edits.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace pleat {

namespace {

// Generations by which a wish must exceed what is there: below any that means something, above
// rounding.
constexpr double least_wish = 1e-6;

// Strain that an edit may add (EditLimits). A flip across a fold cuts its corner; one that is
// refused is tried again when the cloth has bent at the new nodes, and costs less then.
constexpr double most_strain_rise = 0.005;

/// A mesh that another remesher has edited has no hierarchy: it is the beginning of one.
void forget_broken_hierarchy(Model& model)
{
    const Root3Hierarchy hierarchy(model.mesh, model.face_generation, model.node_generation,
                                   model.edge_unflipped);
    if (hierarchy.find_problems().empty()) return;
    std::fill(model.face_generation.begin(), model.face_generation.end(), 0);
    std::fill(model.node_generation.begin(), model.node_generation.end(), 0);
    std::fill(model.edge_unflipped.begin(), model.edge_unflipped.end(), 0);
}

Field<FaceId, double> asked_generations(const Model& model, const FaceSizing& sizing,
                                        const Field<FaceId, double>& base)
{
    Field<FaceId, double> asked(model.mesh.face_count(), FieldRule::copy);
    parallel_for(asked.size(), [&](std::size_t i) {
        const auto f = make_id<FaceId>(i);
        const double most = eigen_symmetric(sizing.metric[f]).values[0];
        if (most > 0) asked[f] = asked_generation(base[f], 1 / std::sqrt(most));
    });
    return asked;
}

} // namespace

double asked_generation(double base_length, double asked_length)
{
    return 4 / std::log(3.0) * std::log(base_length / asked_length);
}

Field<FaceId, double> base_lengths(const Model& model)
{
    Field<FaceId, double> base(model.mesh.face_count(), FieldRule::copy);
    parallel_for(base.size(), [&](std::size_t i) {
        const auto f = make_id<FaceId>(i);
        const int steps = (model.face_generation[f] + 1) / 2;
        base[f] = std::sqrt(4 / std::numbers::sqrt3 * model.area[f] * std::pow(3.0, steps));
    });
    return base;
}

/// What is to be refined, and what may go.
struct RemesherRoot3::Wishes {
    FaceSizing sizing;
    std::vector<FaceId> refined; // lower generations first
    std::vector<FaceId> waiting; // for a flip that was refused
    std::vector<NodeId> removed; // higher generations first
};

RemesherRoot3::RemesherRoot3(Root3Options options) : options_(std::move(options)) {}

RemesherRoot3::Wishes RemesherRoot3::find_wishes(const World& world, double time,
                                                 const Model& model, const State& state) const
{
    const Mesh& mesh = model.mesh;
    const Field<FaceId, double> base = base_lengths(model);
    SizingByCloth to_refine(options_.sizing.size()), to_coarsen(options_.sizing.size());
    std::vector<double> sum(options_.sizing.size(), 0), count(options_.sizing.size(), 0);
    for (FaceId f : mesh.faces()) {
        sum[index(model.cloth_of(f))] += base[f];
        count[index(model.cloth_of(f))] += 1;
    }
    for (std::size_t c = 0; c < options_.sizing.size(); ++c) {
        if (!options_.sizing[c] || count[c] == 0) continue;
        const Root3Sizing& s = *options_.sizing[c];
        const double longest = sum[c] / count[c];
        const SizingBounds bounds{longest * std::pow(3.0, -0.25 * s.generations), longest, 1};
        to_refine[c] = ClothSizing{bounds, s.metrics, 1};
        to_coarsen[c] = ClothSizing{bounds, s.metrics, s.coarsening};
    }
    Wishes wishes;
    wishes.sizing = face_sizing(model, state, world, time, obstacles_, to_refine, &base);
    const auto of = [&](FaceId f) -> const std::optional<Root3Sizing>& {
        return options_.sizing[index(model.cloth_of(f))];
    };
    const Root3Hierarchy hierarchy(mesh, model.face_generation, model.node_generation,
                                   model.edge_unflipped);
    const Field<FaceId, double> asked = asked_generations(model, wishes.sizing, base);
    for (FaceId f : mesh.faces()) {
        const int g = model.face_generation[f];
        if (!of(f) || g >= of(f)->generations) continue;
        if (asked[f] > g + least_wish)
            wishes.refined.push_back(f);
        else if (g % 2 == 1)
            wishes.waiting.push_back(f);
    }
    std::stable_sort(wishes.refined.begin(), wishes.refined.end(), [&](FaceId a, FaceId b) {
        return model.face_generation[a] < model.face_generation[b];
    });
    std::erase_if(wishes.waiting, [&](FaceId f) {
        const EdgeId mate = hierarchy.mate_edge(f);
        const FaceId other = is_some(mate) ? hierarchy.across(f, mate) : no_face;
        return !is_some(other) || other < f ||
               model.face_generation[other] != model.face_generation[f] ||
               hierarchy.mate_edge(other) != mate;
    });

    const auto is_inserted = [](int g) { return g > 0; };
    if (std::none_of(model.node_generation.begin(), model.node_generation.end(), is_inserted))
        return wishes;
    const FaceSizing strict = face_sizing(model, state, world, time, obstacles_, to_coarsen, &base);
    const Field<FaceId, double> kept = asked_generations(model, strict, base);
    for (NodeId n : mesh.nodes()) {
        const int g = model.node_generation[n];
        if (g == 0) continue;
        bool may_go = true;
        mesh.visit_faces(n, [&](FaceId f, std::size_t) {
            return may_go = of(f) && kept[f] <= g - 1 + least_wish;
        });
        if (may_go) wishes.removed.push_back(n);
    }
    // Where none can go now, none can after others have gone.
    if (std::none_of(wishes.removed.begin(), wishes.removed.end(),
                     [&](NodeId n) { return hierarchy.find_removal(n).has_value(); }))
        wishes.removed.clear();
    std::stable_sort(wishes.removed.begin(), wishes.removed.end(), [&](NodeId a, NodeId b) {
        return model.node_generation[a] > model.node_generation[b];
    });
    return wishes;
}

RemeshReport RemesherRoot3::remesh(const World& world, double time, Model& model, State& state)
{
    if (!std::exchange(is_checked_, true)) forget_broken_hierarchy(model);
    obstacles_.move_to(world, time);
    Wishes wishes = find_wishes(world, time, model, state);
    RemeshReport report;
    if (!wishes.refined.empty() || !wishes.removed.empty() || !wishes.waiting.empty()) {
        EditOptions edit = options_.edit;
        edit.obstacles = &obstacles_;
        edit.strain_rise = std::min(edit.strain_rise, most_strain_rise);
        std::vector<int> most;
        for (ClothId c : model.panel_cloth) {
            const auto& sizing = options_.sizing[index(c)];
            edit.frozen_panels.push_back(!sizing.has_value());
            most.push_back(sizing ? sizing->generations : 0);
        }
        report = edit_safely(model, state, world, time, edit, [&](MeshEditor& editor) {
            const Mesh& mesh = model.mesh;
            const std::vector<int> before = model.face_generation.values;
            Root3Edits edits(editor, model.face_generation, model.node_generation,
                             model.edge_unflipped, most);
            for (FaceId f : wishes.waiting) edits.pair(f);
            for (FaceId f : wishes.refined) // once each: others may have taken it along
                if (model.face_generation[f] == before[index(f)]) edits.refine(f);
            for (NodeId n : wishes.removed)
                if (mesh.is_alive(n)) edits.coarsen(n);
        });
        if (report.changed) wishes.sizing = carried(wishes.sizing, report.origin);
    }
    report.sizing = std::make_shared<const FaceSizing>(std::move(wishes.sizing));
    return report;
}

} // namespace pleat
