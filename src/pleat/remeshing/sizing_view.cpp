// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/sizing_view.hpp"

#include "pleat/core/parallel.hpp"
#include "pleat/remeshing/view_samples.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace pleat {

namespace {

/// [Koh2015] eq. 3. \param d distance from the frame
double smoothed_factor(double d, double reach, bool faces, const SizingViewOptions& o)
{
    const double inside = faces ? o.front : o.back;
    return d >= reach ? o.out : inside - d / reach * (inside - o.out);
}

} // namespace

ViewFactors view_factors(std::span<const std::array<Vec3, 3>> triangles,
                         std::span<const CameraTrack> cameras, double time,
                         const SizingViewOptions& o)
{
    const std::vector<ViewSample> samples = view_samples(cameras, time, o.anticipation);
    ViewFactors all{std::vector<double>(triangles.size(), o.out),
                    std::vector<std::uint8_t>(triangles.size(), 0)};
    const double largest = std::max({o.front, o.back, o.out});
    const double reach = std::max(o.margin, 1e-12); // a margin of 0 is a sharp border
    parallel_for(triangles.size(), [&](std::size_t i) {
        double best = o.out; // not less where all samples are far away
        for (const ViewSample& s : samples) {
            if (best >= s.weight * largest) break; // weights do not increase
            const bool faces = is_facing(s.frustum, triangles[i]);
            if (best >= s.weight * std::max(faces ? o.front : o.back, o.out)) continue;
            const double d = distance_from(s.frustum, triangles[i], reach);
            best = std::max(best, s.weight * smoothed_factor(d, reach, faces, o));
            if (s.weight == 1 && faces && d == 0) all.is_seen[i] = 1;
        }
        all.factor[i] = best;
    });
    return all;
}

ViewFactors SizingView::factors(const SizingInput& in) const
{
    const Mesh& mesh = in.model.mesh;
    std::vector<std::array<Vec3, 3>> triangles(in.faces.size());
    std::vector<std::uint32_t> place(mesh.face_count(), 0); // of a face in the list
    parallel_for(in.faces.size(), [&](std::size_t i) {
        const auto nodes = mesh.nodes_of(in.faces[i]);
        triangles[i] = {in.state.x[nodes[0]], in.state.x[nodes[1]], in.state.x[nodes[2]]};
        place[index(in.faces[i])] = std::uint32_t(i);
    });
    ViewFactors view = view_factors(triangles, in.world.cameras, in.time, options_);
    // [Koh2015] sec. 3.3: the mean goes to the face that is not seen. Where neither is, to the
    // coarser one. All means are of the factors before this, so that the order does not matter.
    std::vector<double> raised = view.factor;
    parallel_for(in.faces.size(), [&](std::size_t i) {
        if (view.is_seen[i] != 0) return;
        for (const EdgeId e : mesh[in.faces[i]].edges)
            for (const FaceId f : mesh[e].faces) {
                if (!is_some(f) || f == in.faces[i]) continue;
                const double other = view.factor[place[index(f)]];
                if (other - view.factor[i] > options_.silhouette)
                    raised[i] = std::max(raised[i], 0.5 * (other + view.factor[i]));
            }
    });
    view.factor = std::move(raised);
    return view;
}

void SizingView::ask(const SizingInput& in, Field<FaceId, Mat2>& asked) const
{
    for (const FaceId f : in.faces) asked[f] = {};
}

void SizingView::adjust(const SizingInput& in, Field<FaceId, Mat2>& metric) const
{
    if (in.world.cameras.empty()) return;
    const ViewFactors view = factors(in);
    parallel_for(in.faces.size(),
                 [&](std::size_t i) { metric[in.faces[i]] *= view.factor[i] * view.factor[i]; });
}

} // namespace pleat
