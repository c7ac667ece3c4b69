// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A sewing pattern as its file describes it: flat panels, what is sewn to what, and where each
// panel hangs before it is sewn. docs/garments.md describes the format.
#pragma once

#include "pleat/core/vec.hpp"
#include "pleat/model/motion.hpp"
#include "pleat/scene/scene_file.hpp"

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pleat {

/// From `from` to the next edge's `from`. Panel space [m].
struct PatternEdge {
    std::string name;  // within its panel
    std::string place; // in the file
    Vec2 from{};
    std::vector<Vec2> control; // none: a line; one or two: a quadratic or cubic Bezier curve
    int label = 0;             // of its nodes; 0 = none
};
using PatternRing = std::vector<PatternEdge>;

/// A notch cut into an edge and sewn together.
struct PatternDart {
    std::string place;
    std::string edge;
    double at = 0.5;             // of its middle along the edge, 0 to 1
    double width = 0, depth = 0; // [m]
};

/// Around an axis. A panel point (u, v) lands at angle + (u - base[0]) / turn of a full turn and at
/// height v - base[1] above the centre.
struct PatternWrap {
    struct Radius {
        double height = 0;          // above the centre [m]
        double side = 0, front = 0; // half axes of the ellipse [m]
    };
    Vec3 centre{};
    Vec3 axis{0, 0, 1};         // unit
    Vec3 front{0, -1, 0};       // angle 0; unit, across the axis
    std::vector<Radius> radius; // by height, straight between, constant outside; at least one
    double angle = 0;           // [rad], towards axis x front
    std::optional<double> turn; // panel length of a full turn [m]; none: the ellipse's own
    std::optional<std::array<double, 2>> sector; // [rad]: at each height the panel spans it all
    Vec2 base{};
};

struct PatternPlacement {
    Vec2 scale{1, 1};    // of the panel across and up, before all else
    Transform transform; // after the panel was stood up or wrapped
    std::optional<PatternWrap> wrap;
};

struct PatternPanel {
    std::string name, place;
    PatternRing outline;
    std::vector<PatternRing> holes;
    std::vector<PatternDart> darts;
    int material = 0;
    PatternPlacement placement;
};

struct PatternEdgeUse {
    std::string panel, edge, place;
};

/// Side a is walked with the panel on the left, side b with the panel on the right; each is one
/// edge or several that follow one another, on any panels.
struct PatternSeam {
    std::string name, place;
    std::vector<PatternEdgeUse> a, b;
    std::optional<double> gather; // the mismatch that is meant: longer / shorter
};

struct Pattern {
    std::filesystem::path file;
    std::string name;
    Vec3 up{0, 0, 1};
    double edge_length = 0.05; // [m]
    std::vector<PatternPanel> panels;
    std::vector<PatternSeam> seams;
};

/// \throw InputError with every problem of the file, and of the SVG drawings it names.
[[nodiscard]] Pattern read_pattern_file(const std::filesystem::path& path);
[[nodiscard]] Pattern parse_pattern(std::string_view text, const std::filesystem::path& path);

} // namespace pleat
