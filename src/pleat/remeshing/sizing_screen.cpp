// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Idea. [Koh2015] maps the tensor M to the screen by the inverse of S, which does not exist where a
// face is seen edge-on. The pair (M, S^T S) has common axes V with M = V V^T and
// S^T S = V diag(s) V^T, found without dividing by S: with M = L L^T, they are V = L Q, where Q has
// the eigenvectors of L^-1 S^T S L^-T. In these axes the eigenvalues on the screen are 1 / s, so
// that capping them at `most` gives V diag(min(1, most s)) V^T.
#include "pleat/remeshing/sizing_screen.hpp"

#include "pleat/core/parallel.hpp"
#include "pleat/geometry/decompose.hpp"
#include "pleat/remeshing/view_samples.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace pleat {

namespace {

/// Lower triangular L with m = L L^T. \pre m is positive definite
Mat2 cholesky(const Mat2& m)
{
    const double a = std::sqrt(m(0, 0)), b = m(1, 0) / a;
    return {{a, 0, b, std::sqrt(std::max(0.0, m(1, 1) - b * b))}};
}

/// V diag(change(s)) V^T, in the axes V in which a = V V^T and b = V diag(s) V^T.
template <class Change> Mat2 changed_in_common_axes(const Mat2& a, const Mat2& b, Change change)
{
    const Mat2 l = cholesky(a), back = inverse(l);
    const EigenSym2 s = eigen_symmetric(back * b * transpose(back));
    Mat2 result{};
    for (std::size_t k = 0; k < 2; ++k) {
        const Vec2 axis = l * column(s.vectors, k);
        result += outer(axis, axis) * change(s.values[k]);
    }
    return result;
}

/// The smaller eigenvalue raised to aspect_min^2 times the larger [Narain2012] eq. 13.
Mat2 with_aspect(const Mat2& m, double aspect_min)
{
    const EigenSym2 s = eigen_symmetric(m);
    const double least = aspect_min * aspect_min * s.values[0];
    if (s.values[1] >= least) return m;
    const Vec2 first = column(s.vectors, 0), second = column(s.vectors, 1);
    return outer(first, first) * s.values[0] + outer(second, second) * least;
}

} // namespace

std::optional<Mat2> screen_gradient(const Frustum& frustum, const std::array<Vec2, 3>& u,
                                    const std::array<Vec3, 3>& x)
{
    std::array<Vec2, 3> on_screen{};
    for (std::size_t i = 0; i < 3; ++i) {
        if (!(depth_of(frustum, x[i]) >= frustum.near)) return std::nullopt;
        on_screen[i] = projected(frustum, x[i]);
    }
    const Mat2 from = from_columns(u[1] - u[0], u[2] - u[0]);
    return from_columns(on_screen[1] - on_screen[0], on_screen[2] - on_screen[0]) * inverse(from);
}

Mat2 capped_on_screen(const Mat2& metric, const Mat2& screen, double most)
{
    return changed_in_common_axes(metric, transpose(screen) * screen,
                                  [&](double s) { return std::clamp(most * s, 0.0, 1.0); });
}

Mat2 finer_of(const Mat2& a, const Mat2& b)
{
    return changed_in_common_axes(a, b, [](double s) { return std::max(1.0, s); });
}

void SizingScreen::ask(const SizingInput& in, Field<FaceId, Mat2>& asked) const
{
    for (const FaceId f : in.faces) asked[f] = {};
}

void SizingScreen::adjust(const SizingInput& in, Field<FaceId, Mat2>& metric) const
{
    const std::vector<ViewSample> samples =
        view_samples(in.world.cameras, in.time, options_.anticipation);
    const Mesh& mesh = in.model.mesh;
    const double shortest = options_.pixels / options_.height;
    const double most = 1 / (shortest * shortest);
    parallel_for(in.faces.size(), [&](std::size_t i) {
        const FaceId f = in.faces[i];
        const auto& v = mesh[f].verts;
        const std::array<Vec2, 3> u{mesh.u(v[0]), mesh.u(v[1]), mesh.u(v[2])};
        const auto n = mesh.nodes_of(f);
        const std::array<Vec3, 3> x{in.state.x[n[0]], in.state.x[n[1]], in.state.x[n[2]]};
        const Mat2& wanted = metric[f];
        // Departs from [Koh2015], which caps seen faces only: cloth beside the frame would be finer
        // than cloth inside it.
        Mat2 needed = wanted * (options_.coarsest * options_.coarsest);
        bool is_before_a_camera = false;
        for (const ViewSample& s : samples) {
            const std::array<double, 3> depth{depth_of(s.frustum, x[0]), depth_of(s.frustum, x[1]),
                                              depth_of(s.frustum, x[2])};
            if (std::max({depth[0], depth[1], depth[2]}) < s.frustum.near) continue; // behind it
            const std::optional<Mat2> screen = screen_gradient(s.frustum, u, x);
            if (!screen) return; // through the near plane
            is_before_a_camera = true;
            needed = finer_of(needed, capped_on_screen(wanted, *screen * s.weight, most));
        }
        if (is_before_a_camera) metric[f] = with_aspect(needed, in.bounds.aspect_min);
    });
}

} // namespace pleat
