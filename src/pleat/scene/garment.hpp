// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// From a sewing pattern to the mesh of a garment: panels are cut into triangles, sewn (partners on
// a seam share a node) and placed around the body.
//
// The two sides of a seam get equally many points, at equal shares of their lengths, so a
// mismatch of length is eased in evenly. Outlines are sampled first and stay; inside, each panel
// is remeshed to edges of one length.
#pragma once

#include "pleat/mesh/mesh_input.hpp"
#include "pleat/scene/pattern_file.hpp"

#include <string>
#include <vector>

namespace pleat {

struct SeamReport {
    std::string name;
    double length_a = 0, length_b = 0; // [m]
    /// Longer / shorter.
    [[nodiscard]] double ratio() const
    {
        return length_a > length_b ? length_a / length_b : length_b / length_a;
    }
};

struct Garment {
    MeshInput mesh; // one panel of the pattern after the other
    std::vector<int> face_panel;
    std::vector<SeamReport> seams;  // darts too
    std::vector<std::string> notes; // mismatches that nobody asked for, and the like
};

/// \throw InputError with place: edges without length, outlines that cross themselves, holes
/// outside, darts that do not fit, edges sewn twice, seams whose sides differ more than fourfold,
/// seams that do not make a surface.
[[nodiscard]] Garment make_garment(const Pattern& pattern);

} // namespace pleat
