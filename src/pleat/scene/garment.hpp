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

#include <cstddef>
#include <functional>
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

/// One panel of the pattern as it was cut.
struct PanelReport {
    std::string name;
    double width = 0, height = 0; // of its box [m]
    double area = 0;              // [m^2]
    std::size_t faces = 0;
};

/// A girth of the garment in rest lengths, to compare with the body.
struct GirthReport {
    std::string name;  // the edges of an opening, or the height of a section
    double length = 0; // [m]
};

struct Garment {
    MeshInput mesh; // one panel of the pattern after the other
    std::vector<int> face_panel;
    std::vector<PanelReport> panels;
    std::vector<SeamReport> seams; // darts too
    /// Openings first (closed outlines that nothing is sewn to, such as a hem or a neckline), then
    /// level sections a quarter, half and three quarters up the garment as it is placed.
    std::vector<GirthReport> girths;
    std::vector<std::string> notes; // unintended mismatches and other warnings
};

struct GarmentOptions {
    std::size_t most_faces = 500000; // a pattern that would need more is refused
    /// Called when a panel was filled: its number, counted from 1, how many there are, its report.
    std::function<void(std::size_t, std::size_t, const PanelReport&)> on_panel;
};

/// How many faces the pattern will have, from areas and edge length alone: within a tenth where
/// panels are large beside the edges.
[[nodiscard]] double estimated_faces(double area, double edge_length);

/// \throw InputError with place: patterns of too many faces, edges without length, outlines that
/// cross themselves, holes outside, darts that do not fit, edges sewn twice, seams whose sides
/// differ more than fourfold, seams that do not make a surface.
[[nodiscard]] Garment make_garment(const Pattern& pattern, const GarmentOptions& options = {});

} // namespace pleat
