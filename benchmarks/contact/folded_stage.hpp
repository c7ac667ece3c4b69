// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// What the benchmarks of contact work on.
#pragma once

#include "contact/folded_sheet.hpp"
#include "contact/stage.hpp"

#include "pleat/scene/material_file.hpp"

#include <cmath>
#include <cstddef>

namespace pleat {

/// The folded sheet as a cloth with contact of that thickness [m]. Nodes move by up to `speed` a
/// coordinate [m/s], at random.
inline test::Stage folded_stage(std::size_t face_count, double speed, double thickness)
{
    const auto n = static_cast<std::size_t>(std::lround(std::sqrt(double(face_count) / 2)));
    const test::Sheet folded = test::folded_sheet(face_count);
    test::Stage stage =
        test::make_stage({{n, n, 1, 1}}, fabric("gray-interlock"), {.thickness = thickness});
    stage.sim.state.x.values = folded.x;
    test::Sheet moving = folded;
    test::shake(moving, speed, 7);
    for (std::size_t i = 0; i < folded.x.size(); ++i)
        stage.sim.state.v.values[i] = moving.x[i] - folded.x[i];
    return stage;
}

} // namespace pleat
