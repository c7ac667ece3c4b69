// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The simulated state, and the parts of the pipeline that advance it.
#pragma once

#include "pleat/contact/contact_finder.hpp"
#include "pleat/contact/impact_resolver.hpp"
#include "pleat/integrators/integrator.hpp"
#include "pleat/loads/load.hpp"
#include "pleat/model/model.hpp"
#include "pleat/model/state.hpp"
#include "pleat/remeshing/buckling_compensation.hpp"
#include "pleat/remeshing/remesher.hpp"
#include "pleat/strain_limiting/strain_limiter.hpp"

#include <memory>
#include <optional>

namespace pleat {

/// Changed by commit and by adapt() only.
struct Simulation {
    Model model;
    State state;
    double time = 0; // [s]
    int frame = 0;   // frames done
};

/// One part per slot, none of them null; any number of loads, which add up.
struct Pipeline {
    std::unique_ptr<ContactFinder> contact_finder = std::make_unique<ContactFinderNone>();
    std::unique_ptr<Integrator> integrator;
    std::unique_ptr<StrainLimiter> strain_limiter = std::make_unique<StrainLimiterNone>();
    std::unique_ptr<ImpactResolver> impact_resolver = std::make_unique<ImpactResolverNone>();
    std::unique_ptr<Remesher> remesher = std::make_unique<RemesherNone>();
    LoadList loads = world_loads();
    /// Softer compression of large faces, set after each remeshing; none: as the laws say.
    std::optional<BucklingOptions> buckling{};
};

} // namespace pleat
