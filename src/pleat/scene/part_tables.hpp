// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The parts that a scene can name, one table for each slot. A row has the name of a part, its
// meaning, a function that makes it, and one that describes its options. Private to this folder.
#pragma once

#include "pleat/remeshing/sizing.hpp"
#include "pleat/scene/keys.hpp"
#include "pleat/scene/scene_file.hpp"
#include "pleat/sim/simulation.hpp"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace pleat {

[[nodiscard]] const Words& integrator_types();
[[nodiscard]] const Words& linear_solver_types();
[[nodiscard]] const Words& contact_types();
[[nodiscard]] const Words& strain_limiter_types();
[[nodiscard]] const Words& remesher_types();

void describe(Keys& keys, SolverDescription& solver);
void describe(Keys& keys, ContactDescription& contact);
void describe(Keys& keys, StrainLimitingDescription& limiting);
void describe(Keys& keys, RemeshingDescription& remeshing);

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
/// \param own_sizing metrics that ask after those of the scene, of each cloth that has any
[[nodiscard]] std::unique_ptr<Remesher>
make_remesher(const SceneDescription& scene, const std::vector<NamedSizingMetric>& own_sizing = {});

/// An option of a sizing metric, a number that is not negative.
struct SizingOption {
    const char* key;
    const char* meaning; // a phrase in Markdown
    const char* unit;
    double standard; // where nothing gives it
    /// The key of "remeshing" of the same name, for entries that do not give it; may be null.
    double RemeshingDescription::*shared = nullptr;
    bool may_be_auto = false; // "auto" is `automatic`
    bool is_cosine = false;   // between -1 and 1; otherwise a number that is not negative
};
/// A sizing metric that a scene can name.
struct SizingRow {
    const char* name;
    const char* meaning; // a sentence in Markdown
    std::vector<SizingOption> options;
    /// \return null where the options say that it is not used
    std::shared_ptr<const SizingMetric> (*make)(const std::map<std::string, double>& options);
};
[[nodiscard]] std::span<const SizingRow> sizing_metrics();

/// How each cloth is sized that is remeshed by sizing metrics.
[[nodiscard]] SizingByCloth sizing_by_cloth(const SceneDescription& scene);

} // namespace pleat
