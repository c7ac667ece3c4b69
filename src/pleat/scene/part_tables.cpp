// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/part_tables.hpp"

#include "pleat/contact/impact_zones.hpp"
#include "pleat/contact/proximity.hpp"
#include "pleat/core/error.hpp"
#include "pleat/integrators/backward_euler.hpp"
#include "pleat/linalg/cg.hpp"
#include "pleat/linalg/cholesky.hpp"

#include <array>
#include <cstddef>

namespace pleat {

namespace {

template <class Make> struct Row {
    const char* name;
    Make make;
};

/// The names of a table, for messages and checks.
template <class Make, std::size_t N>
std::array<std::string, N> names_of(const Row<Make> (&table)[N])
{
    std::array<std::string, N> names;
    for (std::size_t i = 0; i < N; ++i) names[i] = table[i].name;
    return names;
}

template <class Make, std::size_t N>
const Make& row_of(const Row<Make> (&table)[N], const std::string& name)
{
    for (const Row<Make>& row : table)
        if (row.name == name) return row.make;
    PLEAT_ASSERT(false, "the name is in the table");
    return table[0].make;
}

// --- linear solvers -----------------------------------------------------------------------------

std::unique_ptr<LinearSolver> make_cg(const SolverDescription& s)
{
    CgOptions options;
    options.tolerance = s.tolerance;
    return std::make_unique<LinearSolverCg>(options);
}

std::unique_ptr<LinearSolver> make_cholesky(const SolverDescription&)
{
    return std::make_unique<LinearSolverCholesky>();
}

using MakeLinearSolver = std::unique_ptr<LinearSolver> (*)(const SolverDescription&);
constexpr Row<MakeLinearSolver> linear_solvers[] = {
    {"cg", &make_cg},
    {"cholesky", &make_cholesky},
};

// --- integrators --------------------------------------------------------------------------------

std::unique_ptr<Integrator> make_backward_euler(const SolverDescription& s)
{
    BackwardEulerOptions options;
    options.newton_iterations = s.newton_iterations;
    return std::make_unique<IntegratorBackwardEuler>(options,
                                                     row_of(linear_solvers, s.linear_solver)(s));
}

using MakeIntegrator = std::unique_ptr<Integrator> (*)(const SolverDescription&);
constexpr Row<MakeIntegrator> integrators[] = {
    {"backward_euler", &make_backward_euler},
};

// --- contact ------------------------------------------------------------------------------------

struct ContactParts {
    std::unique_ptr<ContactFinder> (*finder)(const ContactDescription&);
    std::unique_ptr<ImpactResolver> (*resolver)(const ContactDescription&);
};

constexpr Row<BroadPhase> broad_phases[] = {
    {"bvh", BroadPhase::bvh},
    {"spatial_hash", BroadPhase::spatial_hash},
};

ContactOptions contact_options(const ContactDescription& c)
{
    return {.thickness = c.thickness,
            .friction = c.friction,
            .stiffness = c.stiffness,
            .broad_phase = row_of(broad_phases, c.broad_phase)};
}

constexpr Row<ContactParts> contacts[] = {
    {"impact_zones",
     {[](const ContactDescription& c) -> std::unique_ptr<ContactFinder> {
          return std::make_unique<ContactFinderProximity>(contact_options(c));
      },
      [](const ContactDescription& c) -> std::unique_ptr<ImpactResolver> {
          return std::make_unique<ImpactResolverImpactZones>(contact_options(c));
      }}},
    {"none",
     {[](const ContactDescription&) -> std::unique_ptr<ContactFinder> {
          return std::make_unique<ContactFinderNone>();
      },
      [](const ContactDescription&) -> std::unique_ptr<ImpactResolver> {
          return std::make_unique<ImpactResolverNone>();
      }}},
};

// --- strain limiting ----------------------------------------------------------------------------

using MakeStrainLimiter = std::unique_ptr<StrainLimiter> (*)();
constexpr Row<MakeStrainLimiter> strain_limiters[] = {
    {"none",
     []() -> std::unique_ptr<StrainLimiter> { return std::make_unique<StrainLimiterNone>(); }},
};

// --- remeshing ----------------------------------------------------------------------------------

using MakeRemesher = std::unique_ptr<Remesher> (*)(const SceneDescription&);
constexpr Row<MakeRemesher> remeshers[] = {
    {"none",
     [](const SceneDescription&) -> std::unique_ptr<Remesher> {
         return std::make_unique<RemesherNone>();
     }},
};

} // namespace

std::span<const std::string> integrator_types()
{
    static const auto names = names_of(integrators);
    return names;
}

std::span<const std::string> linear_solver_types()
{
    static const auto names = names_of(linear_solvers);
    return names;
}

std::span<const std::string> contact_types()
{
    static const auto names = names_of(contacts);
    return names;
}

std::span<const std::string> broad_phase_types()
{
    static const auto names = names_of(broad_phases);
    return names;
}

std::span<const std::string> overlap_answers()
{
    static const std::array<std::string, 2> words{"error", "untangle"};
    return words;
}

std::span<const std::string> strain_limiter_types()
{
    static const auto names = names_of(strain_limiters);
    return names;
}

std::span<const std::string> remesher_types()
{
    static const auto names = names_of(remeshers);
    return names;
}

std::unique_ptr<Integrator> make_integrator(const SolverDescription& solver)
{
    return row_of(integrators, solver.integrator)(solver);
}

std::unique_ptr<ContactFinder> make_contact_finder(const ContactDescription& contact)
{
    return row_of(contacts, contact.type).finder(contact);
}

std::unique_ptr<ImpactResolver> make_impact_resolver(const ContactDescription& contact)
{
    return row_of(contacts, contact.type).resolver(contact);
}

std::unique_ptr<StrainLimiter> make_strain_limiter(const std::string& type)
{
    return row_of(strain_limiters, type)();
}

std::unique_ptr<Remesher> make_remesher(const SceneDescription& scene)
{
    return row_of(remeshers, scene.cloths.front().remeshing.type)(scene);
}

} // namespace pleat
