// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// How pinned and dependent nodes enter the linear system of a model: both are rows that are not
// solved for. The elastic blocks are on the parents' rows already (ElasticBatch).
#pragma once

#include "pleat/core/error.hpp"
#include "pleat/linalg/block_system.hpp"
#include "pleat/model/loads.hpp"
#include "pleat/model/model.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace pleat {

/// The rows of the system that are not solved for: 1 for pinned and for dependent nodes; empty
/// where there are none. \pre no dependent node is pinned (add_handles() sees to it)
[[nodiscard]] inline std::vector<std::uint8_t> fixed_rows(const Model& model, const Loads& loads)
{
    std::vector<std::uint8_t> fixed;
    if (loads.pins.empty() && model.dependencies.empty()) return fixed;
    const std::size_t n = model.mesh.node_count();
    fixed.assign(n, 0);
    for (const Pin& p : loads.pins) {
        PLEAT_ASSERT(!model.dependencies.depends(index(p.node)), "dependent nodes are not pinned");
        fixed[index(p.node)] = 1;
    }
    for (std::uint32_t i = 0; i < n && !model.dependencies.empty(); ++i)
        if (model.dependencies.depends(i)) fixed[i] = 1;
    return fixed;
}

/// Mass, drag and springs of dependent rows go to the parents.
inline void fold_own(const Model& model, BlockSystem& system)
{
    if (model.dependencies.empty()) return;
    fold(model.dependencies, std::span<Mat3>(system.own));
    for (std::uint32_t i = 0; i < system.own.size(); ++i)
        if (model.dependencies.depends(i)) system.own[i] = identity<3>();
}

} // namespace pleat
