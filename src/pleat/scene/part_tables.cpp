// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/part_tables.hpp"

#include "pleat/contact/impact_zones.hpp"
#include "pleat/contact/impulses.hpp"
#include "pleat/contact/proximity.hpp"
#include "pleat/contact/untangle.hpp"
#include "pleat/core/error.hpp"
#include "pleat/integrators/backward_euler.hpp"
#include "pleat/integrators/mixed_explicit_implicit.hpp"
#include "pleat/linalg/cg.hpp"
#include "pleat/linalg/cholesky.hpp"
#include "pleat/model/obstacle_sample.hpp"
#include "pleat/remeshing/anisotropic.hpp"
#include "pleat/remeshing/uniform.hpp"
#include "pleat/strain_limiting/augmented_lagrangian.hpp"
#include "pleat/strain_limiting/edge_velocity.hpp"
#include "pleat/strain_limiting/jacobi.hpp"
#include "pleat/strain_limiting/projected_newton.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

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

constexpr Row<MixedOptions::Variant> mixed_variant_rows[] = {
    {"monotone", MixedOptions::Variant::monotone},
    {"leapfrog_trapezoid", MixedOptions::Variant::leapfrog_trapezoid},
};

std::unique_ptr<Integrator> make_mixed_explicit_implicit(const SolverDescription& s)
{
    MixedOptions options;
    options.variant = row_of(mixed_variant_rows, s.variant);
    return std::make_unique<IntegratorMixedExplicitImplicit>(options);
}

struct IntegratorPart {
    std::unique_ptr<Integrator> (*make)(const SolverDescription&);
    /// Whether it lets limits and collisions change velocities inside its steps, and has no
    /// contacts in a solve (Integrator::advance_modified()).
    bool modifies_velocities;
};
constexpr Row<IntegratorPart> integrators[] = {
    {"backward_euler", {&make_backward_euler, false}},
    {"mixed_explicit_implicit", {&make_mixed_explicit_implicit, true}},
};

// --- contact ------------------------------------------------------------------------------------

struct ContactParts {
    std::unique_ptr<ContactFinder> (*finder)(const ContactDescription&, const SolverDescription&);
    std::unique_ptr<ImpactResolver> (*resolver)(const ContactDescription&,
                                                const SolverDescription&);
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

std::unique_ptr<ContactFinder> find_near(const ContactDescription& c, const SolverDescription&)
{
    return std::make_unique<ContactFinderProximity>(contact_options(c));
}
std::unique_ptr<ContactFinder> find_nothing(const ContactDescription&, const SolverDescription&)
{
    return std::make_unique<ContactFinderNone>();
}
/// Repulsion inside an implicit solve; an explicit integrator has it as impulses on velocities.
std::unique_ptr<ContactFinder> find_for_solve(const ContactDescription& c,
                                              const SolverDescription& s)
{
    return is_explicit(s) ? find_nothing(c, s) : find_near(c, s);
}
std::unique_ptr<ImpactResolver> resolve_in_zones(const ContactDescription& c,
                                                 const SolverDescription&)
{
    return std::make_unique<ImpactResolverImpactZones>(contact_options(c));
}
std::unique_ptr<ImpactResolver> resolve_nothing(const ContactDescription&, const SolverDescription&)
{
    return std::make_unique<ImpactResolverNone>();
}

using Repulsions = ImpactResolverImpulses::Repulsions;
using Collisions = ImpactResolverImpulses::Collisions;

constexpr Row<ContactParts> contacts[] = {
    {"impact_zones",
     {&find_for_solve,
      [](const ContactDescription& c,
         const SolverDescription& s) -> std::unique_ptr<ImpactResolver> {
          if (!is_explicit(s)) return resolve_in_zones(c, s);
          return std::make_unique<ImpactResolverImpulses>(
              contact_options(c), Repulsions::by_impulses, Collisions::by_zones);
      }}},
    {"impulses",
     {&find_for_solve,
      [](const ContactDescription& c,
         const SolverDescription& s) -> std::unique_ptr<ImpactResolver> {
          return std::make_unique<ImpactResolverImpulses>(
              contact_options(c),
              is_explicit(s) ? Repulsions::by_impulses : Repulsions::in_the_solve);
      }}},
    {"proximity",
     {&find_for_solve,
      [](const ContactDescription& c,
         const SolverDescription& s) -> std::unique_ptr<ImpactResolver> {
          if (!is_explicit(s)) return resolve_nothing(c, s);
          return std::make_unique<ImpactResolverImpulses>(
              contact_options(c), Repulsions::by_impulses, Collisions::none);
      }}},
    {"impacts", {&find_nothing, &resolve_in_zones}},
    {"none", {&find_nothing, &resolve_nothing}},
};

// --- strain limiting ----------------------------------------------------------------------------

/// Options that have a tolerance and max_iterations, as every limiter's do.
template <class Options> Options limiter_options(const StrainLimitingDescription& d)
{
    Options options;
    options.tolerance = d.tolerance;
    if (d.iterations) options.max_iterations = *d.iterations;
    if constexpr (requires { options.measure; })
        options.measure =
            d.measure == "components" ? StrainMeasure::components : StrainMeasure::principal;
    if constexpr (requires { options.default_limits; }) options.default_limits = d.default_limits;
    return options;
}

template <class Limiter, class Options>
std::unique_ptr<StrainLimiter> make_limiter(const StrainLimitingDescription& d)
{
    return std::make_unique<Limiter>(limiter_options<Options>(d));
}

using MakeStrainLimiter = std::unique_ptr<StrainLimiter> (*)(const StrainLimitingDescription&);
constexpr Row<MakeStrainLimiter> strain_limiters[] = {
    {"none",
     [](const StrainLimitingDescription&) -> std::unique_ptr<StrainLimiter> {
         return std::make_unique<StrainLimiterNone>();
     }},
    {"projected_newton", &make_limiter<StrainLimiterProjectedNewton, StrainProjectedNewtonOptions>},
    {"augmented_lagrangian",
     &make_limiter<StrainLimiterAugmentedLagrangian, StrainAugmentedLagrangianOptions>},
    {"jacobi", &make_limiter<StrainLimiterJacobi, StrainJacobiOptions>},
    {"edge_velocity", &make_limiter<StrainLimiterEdgeVelocity, StrainEdgeVelocityOptions>},
};

// --- remeshing ----------------------------------------------------------------------------------

// Each makes the remesher of those cloths of the scene that name its type.
using MakeRemesher = std::unique_ptr<Remesher> (*)(const SceneDescription&);

/// Contour minimisation, for what remeshing has made cross: short ways only.
bool untangle_remeshed(const World& world, double time, const Model& model, State& state)
{
    std::vector<std::uint8_t> held(model.mesh.node_count(), 0);
    for (NodeId n : model.mesh.nodes()) held[index(n)] = model.handles(n) != 0;
    UntangleOptions options;
    options.step = 1e-4;
    options.max_iterations = 80;
    return untangle(model, world, sample_obstacles(world, time, 0), held, options, state).ok;
}

std::unique_ptr<Remesher> make_anisotropic(const SceneDescription& scene)
{
    AnisotropicOptions options;
    options.edit.crossings = CrossingStrategy::none;
    options.sizing = sizing_by_cloth(scene);
    for (const ClothDescription& c : scene.cloths) {
        const RemeshingDescription& d = c.remeshing;
        if (d.type != "anisotropic") continue;
        if (d.crossings == "guard") options.edit.crossings = CrossingStrategy::guard;
        if (d.crossings == "separate" && options.edit.crossings == CrossingStrategy::none)
            options.edit.crossings = CrossingStrategy::separate;
    }
    options.edit.untangle = &untangle_remeshed;
    return std::make_unique<RemesherAnisotropic>(std::move(options));
}

std::unique_ptr<Remesher> make_uniform(const SceneDescription& scene)
{
    std::vector<std::optional<double>> lengths;
    for (const ClothDescription& c : scene.cloths)
        lengths.push_back(c.remeshing.type == "uniform" ? std::optional(c.remeshing.edge_length[0])
                                                        : std::nullopt);
    return std::make_unique<RemesherUniform>(std::move(lengths));
}

constexpr Row<MakeRemesher> remeshers[] = {
    {"none",
     [](const SceneDescription&) -> std::unique_ptr<Remesher> {
         return std::make_unique<RemesherNone>();
     }},
    {"uniform", &make_uniform},
    {"anisotropic", &make_anisotropic}, // last: the sizing in its report is of the mesh it leaves
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

std::span<const std::string> mixed_variants()
{
    static const auto names = names_of(mixed_variant_rows);
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

bool is_explicit(const SolverDescription& solver)
{
    return row_of(integrators, solver.integrator).modifies_velocities;
}

std::unique_ptr<Integrator> make_integrator(const SolverDescription& solver)
{
    return row_of(integrators, solver.integrator).make(solver);
}

std::unique_ptr<ContactFinder> make_contact_finder(const ContactDescription& contact,
                                                   const SolverDescription& solver)
{
    return row_of(contacts, contact.type).finder(contact, solver);
}

std::unique_ptr<ImpactResolver> make_impact_resolver(const ContactDescription& contact,
                                                     const SolverDescription& solver)
{
    return row_of(contacts, contact.type).resolver(contact, solver);
}

std::unique_ptr<StrainLimiter> make_strain_limiter(const StrainLimitingDescription& limiting)
{
    return row_of(strain_limiters, limiting.type)(limiting);
}

SizingByCloth sizing_by_cloth(const SceneDescription& scene)
{
    SizingByCloth all;
    for (const ClothDescription& c : scene.cloths) {
        const RemeshingDescription& d = c.remeshing;
        all.emplace_back();
        if (d.type == "anisotropic")
            all.back() = cloth_sizing({{d.edge_length[0], d.edge_length[1], d.aspect_min},
                                       d.angle,
                                       d.compression,
                                       d.velocity});
    }
    return all;
}

std::unique_ptr<Remesher> make_remesher(const SceneDescription& scene)
{
    std::vector<std::unique_ptr<Remesher>> parts;
    for (const Row<MakeRemesher>& row : remeshers)
        if (std::any_of(scene.cloths.begin(), scene.cloths.end(),
                        [&](const ClothDescription& c) { return c.remeshing.type == row.name; }))
            parts.push_back(row.make(scene));
    if (parts.size() == 1) return std::move(parts.front());
    return std::make_unique<RemesherSequence>(std::move(parts));
}

} // namespace pleat
