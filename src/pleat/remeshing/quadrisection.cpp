// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/quadrisection.hpp"

#include "pleat/core/error.hpp"
#include "pleat/remeshing/node_normals.hpp"
#include "pleat/remeshing/quadrisection_edits.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace pleat {

namespace {

// Sizes by which an edge must exceed 1: below any that means something, above rounding.
constexpr double least_wish = 1e-9;

std::vector<bool> left_out(const Model& model,
                           const std::vector<std::optional<QuadrisectionSizing>>& sizing)
{
    std::vector<bool> is_left_out;
    for (ClothId c : model.panel_cloth) is_left_out.push_back(!sizing[index(c)].has_value());
    return is_left_out;
}

} // namespace

/// How long edges are by the metrics, with one set of tolerances.
class RemesherQuadrisection::Sizes {
public:
    /// \param by_cloth all metrics, also those that measure edges
    Sizes(const Model& model, const State& state, const World& world, double time,
          const ObstacleTree& obstacles, const SizingByCloth& by_cloth)
        : mesh_(model.mesh), own_(mesh_.edge_count(), FieldRule::reset)
    {
        sizing = face_sizing(model, state, world, time, obstacles, by_cloth);
        const Field<NodeId, Vec3> normal = node_normals(mesh_, state.x);
        std::vector<std::vector<FaceId>> faces(by_cloth.size());
        for (FaceId f : mesh_.faces()) faces[index(model.cloth_of(f))].push_back(f);
        Field<FaceId, Mat2> tensors(mesh_.face_count(), FieldRule::area_average);
        Field<EdgeId, double> size(mesh_.edge_count(), FieldRule::reset);
        for (std::size_t c = 0; c < by_cloth.size(); ++c) {
            if (!by_cloth[c]) continue;
            const SizingBounds& bounds = by_cloth[c]->bounds;
            const SizingInput input{
                model,  state,  world,    time,          obstacles,
                normal, bounds, faces[c], sizing.metric, by_cloth[c]->strictness};
            bool has_tensors = false;
            for (const auto& [name, metric] : by_cloth[c]->metrics) {
                if (metric->measure_edges(input, size)) {
                    for (FaceId f : faces[c])
                        for (EdgeId e : mesh_[f].edges) own_[e] = std::max(own_[e], size[e]);
                } else {
                    has_tensors = true;
                    const Field<FaceId, Mat2>& asked = sizing.asked(name);
                    for (FaceId f : faces[c]) tensors[f] += asked[f];
                }
            }
            if (!has_tensors) continue;
            has_tensors_ = true;
            for (FaceId f : faces[c]) tensors[f] = bounded(tensors[f], bounds);
        }
        if (has_tensors_) metric_ = vert_metric(mesh_, tensors);
    }

    FaceSizing sizing;

    struct Size {
        double length = 0; // in the tensors
        double own = 0;    // by metrics that judge each edge by itself
    };
    /// Of an edge of the hierarchy: what its parts have together, and the largest of them.
    [[nodiscard]] Size of(const QuadHierarchy& hierarchy, QuadEdgeId edge) const
    {
        std::vector<std::array<NodeId, 2>> parts;
        hierarchy.append_parts(edge, parts);
        Size size;
        for (const auto& [a, b] : parts) {
            const EdgeId e = mesh_.find_edge(a, b);
            PLEAT_ASSERT(is_some(e), "parts are edges of the mesh");
            size.own = std::max(size.own, own_[e]);
            if (has_tensors_) size.length += std::sqrt(edge_size2(mesh_, metric_, e));
        }
        return size;
    }

private:
    const Mesh& mesh_;
    bool has_tensors_ = false;
    MetricField metric_{FieldRule::interpolate};
    Field<EdgeId, double> own_;
};

/// What is to be refined, and what may go.
struct RemesherQuadrisection::Wishes {
    FaceSizing sizing;
    std::vector<QuadEdgeId> split; // coarse ones first
    std::vector<QuadEdgeId> join;  // fine ones first
};

RemesherQuadrisection::RemesherQuadrisection(QuadrisectionOptions options)
    : options_(std::move(options))
{}

RemesherQuadrisection::Wishes
RemesherQuadrisection::find_wishes(const World& world, double time, const Model& model,
                                   const State& state, const QuadHierarchy& hierarchy) const
{
    const Mesh& mesh = model.mesh;
    const auto cloth_of = [&](const QuadHierarchy::Edge& e) {
        NodeId n = e.nodes[0];
        return model.cloth_of(mesh[n].face);
    };
    // The longest edge of a cloth on level 0 has size 1 where nothing is asked for.
    std::vector<double> longest(options_.sizing.size(), 0);
    for (QuadEdgeId id : hierarchy.edges()) {
        const QuadHierarchy::Edge& e = hierarchy[id];
        if (e.level > 0) continue;
        for (const auto& v : e.verts)
            if (is_some(v[0])) {
                double& most = longest[index(cloth_of(e))];
                most = std::max(most, norm(mesh.u(v[1]) - mesh.u(v[0])));
            }
    }
    SizingByCloth to_refine(options_.sizing.size()), to_coarsen(options_.sizing.size());
    for (std::size_t c = 0; c < options_.sizing.size(); ++c) {
        if (!options_.sizing[c] || longest[c] == 0) continue;
        const QuadrisectionSizing& s = *options_.sizing[c];
        const SizingBounds bounds{longest[c] * std::pow(0.5, s.levels), longest[c], 0};
        to_refine[c] = ClothSizing{bounds, s.metrics, 1};
        to_coarsen[c] = ClothSizing{bounds, s.metrics, s.coarsening};
    }
    Wishes wishes;
    Sizes sizes(model, state, world, time, obstacles_, to_refine);
    bool any_split = false;
    for (QuadEdgeId id : hierarchy.edges()) {
        any_split = any_split || hierarchy[id].is_split;
        if (!hierarchy.is_active(id)) continue;
        const Sizes::Size s = sizes.of(hierarchy, id);
        if (std::max(s.length, s.own) > 1 + least_wish) wishes.split.push_back(id);
    }
    if (any_split) {
        const Sizes strict(model, state, world, time, obstacles_, to_coarsen);
        for (QuadEdgeId id : hierarchy.edges()) {
            if (!hierarchy[id].is_split) continue;
            const auto children = hierarchy.children(id);
            const bool may_go = std::none_of(children.begin(), children.end(), [&](QuadEdgeId c) {
                if (hierarchy[c].is_split) return true;
                const Sizes::Size s = strict.of(hierarchy, c); // the parent is twice as long
                return std::max(2 * s.length, s.own) > 1 + least_wish;
            });
            if (may_go) wishes.join.push_back(id);
        }
    }
    wishes.sizing = std::move(sizes.sizing);
    const auto level = [&](QuadEdgeId id) { return hierarchy[id].level; };
    std::stable_sort(wishes.split.begin(), wishes.split.end(),
                     [&](QuadEdgeId a, QuadEdgeId b) { return level(a) < level(b); });
    std::stable_sort(wishes.join.begin(), wishes.join.end(),
                     [&](QuadEdgeId a, QuadEdgeId b) { return level(a) > level(b); });
    return wishes;
}

RemeshReport RemesherQuadrisection::remesh(const World& world, double time, Model& model,
                                           State& state)
{
    const std::vector<bool> is_left_out = left_out(model, options_.sizing);
    QuadHierarchy hierarchy(model.mesh, model.forest);
    bool is_new = false; // nodes that depended on others do not any more
    if (model.forest.empty() || !hierarchy.problem().empty()) {
        // A mesh file, or a mesh that another remesher has edited: it is the beginning.
        model.forest = forest_of(model.mesh, is_left_out);
        std::fill(model.face_level.begin(), model.face_level.end(), 0);
        hierarchy = QuadHierarchy(model.mesh, model.forest);
        PLEAT_ASSERT(hierarchy.problem().empty(), "a mesh is a hierarchy of one level");
        if (!model.dependencies.empty()) {
            is_new = true;
            model.dependencies = {};
            update_derived(model);
        }
    }
    obstacles_.move_to(world, time);
    Wishes wishes = find_wishes(world, time, model, state, hierarchy);
    RemeshReport report;
    if (!wishes.split.empty() || !wishes.join.empty()) {
        EditOptions edit = options_.edit;
        edit.obstacles = &obstacles_;
        edit.frozen_panels = is_left_out;
        QuadrisectionLimits limits;
        for (ClothId c : model.panel_cloth) {
            const auto& sizing = options_.sizing[index(c)];
            limits.levels.push_back(sizing ? sizing->levels : 0);
            limits.level_difference.push_back(sizing ? sizing->level_difference : 0);
        }
        const auto density = [&model](FaceId f) {
            return model.materials[index(model.face_material[f])].density;
        };
        report = edit_safely(model, state, world, time, edit, [&](MeshEditor& editor) {
            QuadrisectionEdits edits(editor, hierarchy, model.face_level, state.v, density, limits);
            for (QuadEdgeId e : wishes.split) edits.split(e);
            for (QuadEdgeId e : wishes.join) edits.join(e);
            if (!editor.counts().changed()) return;
            model.forest = edits.hierarchy().forest();
            model.dependencies = edits.dependencies(model.dependencies);
            edits.apply_impulses(model.dependencies);
            follow(model, state);
        });
        if (report.changed) wishes.sizing = carried(wishes.sizing, report.origin);
    }
    report.changed = report.changed || is_new;
    report.sizing = std::make_shared<const FaceSizing>(std::move(wishes.sizing));
    return report;
}

} // namespace pleat
