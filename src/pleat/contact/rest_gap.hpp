// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The distance of two features along the cloth at rest. Features that are close in the fabric must
// not repel each other: the thickness of a pair is the smaller of the contact thickness and half of
// this distance.
//
// Within a panel it is the distance in material space, straight across, so the two sides of a slit
// count as near: repulsion must leave them alone where they lie at rest. The impact stage keeps
// them apart all the same, see impact_detection.hpp. Across a seam it is the way from the one
// feature to a point of a seam edge and on to the other, each part straight on its own side,
// smallest over the points of the seam edges near both.
#pragma once

#include "pleat/contact/contact_surface.hpp"
#include "pleat/core/vec.hpp"
#include "pleat/model/model.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace pleat {

class RestGap {
public:
    RestGap() = default;
    /// \param reach how far to look [m]; what is farther is reported as infinitely far
    RestGap(const Model& model, double reach);

    /// [m] \pre neither feature is an obstacle's
    [[nodiscard]] double distance(const FeaturePair& pair) const;
    /// The same where two points of the features meet. Features on the two sides of a slit touch at
    /// rest; for them this is the rest distance of the two given points. [m]
    /// \param weights of the corners, as in Proximity: positive on the first feature, negative on
    /// the second
    [[nodiscard]] double distance(const FeaturePair& pair,
                                  const std::array<double, 4>& weights) const;

private:
    /// A side of a seam edge, near some face.
    struct SeamSide {
        std::uint32_t edge;
        std::uint8_t side;
        std::array<Vec3, 2> u; // in the material space of that side, third coordinate 0
    };

    using Triangle = std::array<Vec3, 3>; // third coordinate 0

    [[nodiscard]] double within(const FeaturePair& pair) const;
    [[nodiscard]] double across_seams(const FeaturePair& pair) const;
    [[nodiscard]] std::span<const SeamSide> seams_near(std::uint32_t face) const
    {
        return std::span(seams_).subspan(seam_begin_[face],
                                         seam_begin_[face + 1] - seam_begin_[face]);
    }

    double reach_ = 0;
    std::vector<Triangle> face_u_;
    std::vector<std::uint32_t> face_panel_;
    std::vector<std::uint32_t> seam_begin_; // by face, into seams_
    std::vector<SeamSide> seams_;
};

} // namespace pleat
