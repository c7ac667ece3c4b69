// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The slot that finds the pairs that are about to touch, before the implicit solve.
#pragma once

#include "pleat/model/contacts.hpp"
#include "pleat/model/model.hpp"
#include "pleat/model/obstacle_sample.hpp"
#include "pleat/model/reports.hpp"
#include "pleat/model/state.hpp"
#include "pleat/model/world.hpp"

#include <span>

namespace pleat {

class ContactFinder {
public:
    virtual ~ContactFinder() = default;
    /// Fills `contacts` with the pairs that may come nearer than the thickness within dt.
    [[nodiscard]] virtual ContactReport find(const Model& model, const State& state,
                                             const World& world,
                                             std::span<const ObstacleSample> obstacles, double dt,
                                             Contacts& contacts) = 0;
    virtual void mesh_changed() {}
};

/// Finds nothing: cloth passes through itself and through obstacles.
class ContactFinderNone final : public ContactFinder {
public:
    ContactReport find(const Model&, const State&, const World&, std::span<const ObstacleSample>,
                       double, Contacts& contacts) override
    {
        contacts.proximities.clear();
        return {};
    }
};

} // namespace pleat
