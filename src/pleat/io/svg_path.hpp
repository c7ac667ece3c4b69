// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Reads the paths of SVG drawings as closed rings of lines and Bezier curves.
// Based on: [SVG2] ch. 9 (path data), app. B.2.4 (arcs).
//
// Coordinates come as the file has them: y points down, lengths in user units. Arcs are turned
// into cubic curves of at most a quarter turn each.
#pragma once

#include "pleat/core/vec.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace pleat {

/// From `from` to the next segment's `from`; the last joins the first.
struct PathSegment {
    Vec2 from{};
    std::vector<Vec2> control; // none: a line; one or two: a quadratic or cubic Bezier curve
    bool operator==(const PathSegment&) const = default;
};
using PathRing = std::vector<PathSegment>;

/// The subpaths of a "d" attribute. A subpath that is not closed by Z is closed by a line where it
/// ends apart from its start; a closing line of no length is left out.
/// \param file, place for messages
/// \throw InputError with the character at which the data stop making sense.
[[nodiscard]] std::vector<PathRing> parse_svg_path(std::string_view data, const std::string& file,
                                                   const std::string& place);

struct SvgPath {
    std::string id;
    std::string data; // of the "d" attribute
};

/// The path elements that have an id.
/// \throw InputError for text that is no SVG, and for transforms on a path or around it: they are
/// not applied, so a drawing with them would come out wrong.
[[nodiscard]] std::vector<SvgPath> parse_svg(std::string_view text, const std::string& file);

} // namespace pleat
