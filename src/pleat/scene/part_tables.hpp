// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The parts that a scene can name, one table a slot. Private to this folder.
#pragma once

#include "pleat/remeshing/sizing.hpp"
#include "pleat/scene/scene_file.hpp"
#include "pleat/sim/simulation.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pleat {

[[nodiscard]] std::span<const std::string> integrator_types();
[[nodiscard]] std::span<const std::string> linear_solver_types();
[[nodiscard]] std::span<const std::string> mixed_variants();
[[nodiscard]] std::span<const std::string> contact_types();
[[nodiscard]] std::span<const std::string> broad_phase_types();
[[nodiscard]] std::span<const std::string> overlap_answers();
[[nodiscard]] std::span<const std::string> strain_limiter_types();
[[nodiscard]] std::span<const std::string> remesher_types();

/// Whether the integrator lets limits and collisions change velocities inside its steps.
[[nodiscard]] bool is_explicit(const SolverDescription& solver);

// \pre the names in the description are of the tables (read_scene_file saw to it).
[[nodiscard]] std::unique_ptr<Integrator> make_integrator(const SolverDescription& solver);
[[nodiscard]] std::unique_ptr<ContactFinder> make_contact_finder(const ContactDescription& contact,
                                                                 const SolverDescription& solver);
[[nodiscard]] std::unique_ptr<ImpactResolver>
make_impact_resolver(const ContactDescription& contact, const SolverDescription& solver);
[[nodiscard]] std::unique_ptr<StrainLimiter>
make_strain_limiter(const StrainLimitingDescription& limiting);
[[nodiscard]] std::unique_ptr<Remesher> make_remesher(const SceneDescription& scene);

/// How each cloth is sized that is remeshed by sizing metrics.
[[nodiscard]] SizingByCloth sizing_by_cloth(const SceneDescription& scene);

} // namespace pleat
