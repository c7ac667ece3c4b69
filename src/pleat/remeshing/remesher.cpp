// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/remesher.hpp"

#include "pleat/remeshing/sizing.hpp"

namespace pleat {

RemeshReport RemesherSequence::remesh(const World& world, double time, Model& model, State& state)
{
    RemeshReport report;
    for (const auto& part : parts_) {
        std::shared_ptr<const FaceSizing> sizing = report.sizing;
        const RemeshReport last = part->remesh(world, time, model, state);
        if (sizing && last.changed)
            sizing = std::make_shared<const FaceSizing>(carried(*sizing, last.origin));
        if (sizing && last.sizing)
            sizing = std::make_shared<const FaceSizing>(combined(*sizing, *last.sizing));
        else if (last.sizing)
            sizing = last.sizing;
        report += last;
        report.sizing = sizing;
    }
    return report;
}

} // namespace pleat
