// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Strain limits by Jacobi iterations, the baseline: every face moves its corners so that its own
// principal strains are inside the limits, each node moves by the mean of what its faces ask for.
// Based on: [Wang2010] sec. 3, as compared against in [Narain2012] fig. 7.
//
// Good for small violations on small even meshes. It spreads a correction by one ring of faces an
// iteration, and a large face can turn its small neighbours over ([Narain2012] fig. 6).
#pragma once

#include "pleat/strain_limiting/limited_mesh.hpp"
#include "pleat/strain_limiting/strain_limiter.hpp"

#include <memory>
#include <optional>

namespace pleat {

struct StrainJacobiOptions {
    double tolerance = 1e-3; // on the worst violation, as strain
    int max_iterations = 300;
    std::optional<StrainLimits> limits; // none: each material's own
    LimitObserver on_iteration;
};

class StrainLimiterJacobi final : public StrainLimiter {
public:
    explicit StrainLimiterJacobi(const StrainJacobiOptions& options = {});
    ~StrainLimiterJacobi() override;

    [[nodiscard]] LimitReport limit(const Model& model, const Loads& loads,
                                    const Contacts& contacts, double dt, State& next) override;
    void mesh_changed() override;

private:
    struct Work;
    StrainJacobiOptions options_;
    std::unique_ptr<Work> work_;
};

} // namespace pleat
