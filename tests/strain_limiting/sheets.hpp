// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Strained sheets for the tests and benchmarks of strain limiting, and the limiters by name.
#pragma once

#include "energies/cloths.hpp"
#include "pleat/strain_limiting/limited_mesh.hpp"
#include "pleat/strain_limiting/strain_limiter.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pleat::sheets {

/// Grey interlock with limits of its own.
[[nodiscard]] Material limited_fabric(double min, double max);

/// Flat rectangle whose inner nodes are off their grid by up to a quarter of the edge.
[[nodiscard]] MeshInput uneven(double width, double height, double edge);

/// [Narain2012] fig. 7: a square metre of cells x cells x 2 faces, one side stretched to 1.5, the
/// other squeezed to 0.5, limits of +-5 %, nodes reordered as in a run. Noise of 0.1 mm, so that it
/// can leave the plane.
[[nodiscard]] cloths::Cloth figure7(int cells);

/// 1 x 1.6 m whose triangles vary 20-fold in size and reach an aspect of 10, strained like fig. 7
/// but half as much.
[[nodiscard]] cloths::Cloth irregular(int cells);

/// A sheet wrapped once around a cylinder and stretched by `stretch` both ways; open where its ends
/// meet.
[[nodiscard]] cloths::Cloth wrapped(int around, int along, double stretch);

struct Entry {
    std::string name;
    std::function<std::unique_ptr<StrainLimiter>()> make;
    double tolerance;
};
/// Every limiter that bounds the strains of faces.
[[nodiscard]] std::vector<Entry> face_limiters();

} // namespace pleat::sheets
