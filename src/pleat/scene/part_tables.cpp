// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// One table for each slot. A row has the name in scene files, its meaning, a maker and a function
// that describes the keys that only this type has. Readers, schema, documentation and the contract
// tests go through the rows, so a new part is one row.
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
#include "pleat/remeshing/quadrisection.hpp"
#include "pleat/remeshing/root3.hpp"
#include "pleat/remeshing/sizing_dihedral.hpp"
#include "pleat/remeshing/sizing_mean_curvature.hpp"
#include "pleat/remeshing/sizing_obstacle.hpp"
#include "pleat/remeshing/sizing_screen.hpp"
#include "pleat/remeshing/sizing_view.hpp"
#include "pleat/remeshing/uniform.hpp"
#include "pleat/scene/material_json.hpp"
#include "pleat/strain_limiting/augmented_lagrangian.hpp"
#include "pleat/strain_limiting/edge_velocity.hpp"
#include "pleat/strain_limiting/jacobi.hpp"
#include "pleat/strain_limiting/projected_newton.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace pleat {

namespace {

/// A part that a scene can name.
template <class Make, class Description = SceneDescription> struct Row {
    const char* name;
    const char* meaning; // a phrase in Markdown
    Make make;
    void (*options)(Keys&, Description&) = nullptr; // the keys that only this type has
};

template <class Table> Words words_of(const Table& table)
{
    Words words;
    for (const auto& row : table) {
        words.names.emplace_back(row.name);
        words.meanings.emplace_back(row.meaning);
    }
    return words;
}

template <class Table, class Description>
std::vector<Keys::OptionsOf> options_of(const Table& table, Description& d)
{
    std::vector<Keys::OptionsOf> options;
    for (const auto& row : table)
        options.push_back({row.name, [&row, &d](Keys& keys) {
                               if (row.options != nullptr) row.options(keys, d);
                           }});
    return options;
}

template <class Table> const auto& row_of(const Table& table, const std::string& name)
{
    for (const auto& row : table)
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
void cg_options(Keys& keys, SolverDescription& s)
{
    keys.key({"tolerance", "forces that a step may leave unbalanced, as a share of those in play"},
             number(s.tolerance, {1e-14, 0.1}));
}

constexpr Row<MakeLinearSolver, SolverDescription> linear_solvers[] = {
    {"cg", "conjugate gradients", &make_cg, &cg_options},
    {"cholesky", "sparse Cholesky factorisation", &make_cholesky},
};

// --- integrators --------------------------------------------------------------------------------

std::unique_ptr<Integrator> make_backward_euler(const SolverDescription& s)
{
    BackwardEulerOptions options;
    options.newton_iterations = s.newton_iterations;
    return std::make_unique<IntegratorBackwardEuler>(options,
                                                     row_of(linear_solvers, s.linear_solver)(s));
}

void backward_euler_options(Keys& keys, SolverDescription& s)
{
    keys.key({"newton_iterations", "Newton iterations in each step"},
             integer(s.newton_iterations, 1, 1000));
    keys.key({"linear_solver", "solver of the linear systems"},
             word(s.linear_solver, words_of(linear_solvers)));
    keys.options(s.linear_solver, Keys::OtherTypes::allowed, options_of(linear_solvers, s));
}

constexpr Row<MixedOptions::Variant> mixed_variants[] = {
    {"monotone", "", MixedOptions::Variant::monotone},
    {"leapfrog_trapezoid", "one linear solve less in each step",
     MixedOptions::Variant::leapfrog_trapezoid},
};

void mixed_options(Keys& keys, SolverDescription& s)
{
    keys.key({"variant", "variant of the method"}, word(s.variant, words_of(mixed_variants)));
}

std::unique_ptr<Integrator> make_mixed_explicit_implicit(const SolverDescription& s)
{
    MixedOptions options;
    options.variant = row_of(mixed_variants, s.variant);
    return std::make_unique<IntegratorMixedExplicitImplicit>(options);
}

struct IntegratorPart {
    std::unique_ptr<Integrator> (*make)(const SolverDescription&);
    /// Whether it lets limits and collisions change velocities inside its steps, and has no
    /// contacts in a solve (Integrator::advance_modified()).
    bool modifies_velocities;
};
constexpr Row<IntegratorPart, SolverDescription> integrators[] = {
    {"backward_euler",
     "implicit, first order",
     {&make_backward_euler, false},
     &backward_euler_options},
    {"mixed_explicit_implicit",
     "second order, with little numerical damping; reduces the time step where it must, and "
     "reports it",
     {&make_mixed_explicit_implicit, true},
     &mixed_options},
};

// --- contact ------------------------------------------------------------------------------------

struct ContactParts {
    std::unique_ptr<ContactFinder> (*finder)(const ContactDescription&, const SolverDescription&);
    std::unique_ptr<ImpactResolver> (*resolver)(const ContactDescription&,
                                                const SolverDescription&);
};

constexpr Row<BroadPhase> broad_phases[] = {
    {"bvh", "bounding volume hierarchy", BroadPhase::bvh},
    {"spatial_hash", "", BroadPhase::spatial_hash},
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
     "near pairs repel inside the solve, and remaining crossings are resolved in impact zones",
     {&find_for_solve,
      [](const ContactDescription& c,
         const SolverDescription& s) -> std::unique_ptr<ImpactResolver> {
          if (!is_explicit(s)) return resolve_in_zones(c, s);
          return std::make_unique<ImpactResolverImpulses>(
              contact_options(c), Repulsions::by_impulses, Collisions::by_zones);
      }}},
    {"impulses",
     "collision impulses and rigid zones instead of impact zones",
     {&find_for_solve,
      [](const ContactDescription& c,
         const SolverDescription& s) -> std::unique_ptr<ImpactResolver> {
          return std::make_unique<ImpactResolverImpulses>(
              contact_options(c),
              is_explicit(s) ? Repulsions::by_impulses : Repulsions::in_the_solve);
      }}},
    {"proximity",
     "only the repulsion of `impact_zones`",
     {&find_for_solve,
      [](const ContactDescription& c,
         const SolverDescription& s) -> std::unique_ptr<ImpactResolver> {
          if (!is_explicit(s)) return resolve_nothing(c, s);
          return std::make_unique<ImpactResolverImpulses>(
              contact_options(c), Repulsions::by_impulses, Collisions::none);
      }}},
    {"impacts", "only the impact zones of `impact_zones`", {&find_nothing, &resolve_in_zones}},
    {"none", "", {&find_nothing, &resolve_nothing}},
};

const Words overlap_answers{{"error", "untangle"},
                            {"the scene is refused", "they are moved apart before frame 0"}};

void describe_pair(Keys& keys, FrictionPairDescription& pair)
{
    keys.about("friction_pair", "Coulomb's friction coefficient of two objects of the scene.");
    keys.key({"between", "names of a cloth, and of another cloth, the same cloth or an obstacle",
              "", required},
             two_texts(pair.between, "an array of two names"));
    keys.key({"friction", "Coulomb's friction coefficient", "", required},
             number(pair.friction, not_negative));
}

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
void measure_option(Keys& keys, StrainLimitingDescription& d)
{
    static const Words measures{
        {"principal", "components"},
        {"the principal strains", "the diagonal entries of the Green strain"}};
    keys.key({"measure", "which strains are limited"}, word(d.measure, measures));
}

void edge_velocity_options(Keys& keys, StrainLimitingDescription& d)
{
    keys.key({"default_limits", "`[lowest, highest]` strain of fabrics without limits", "",
              "`[0, 0.1]` with `mixed_explicit_implicit` where no `type` is given; none otherwise"},
             strain_limits(d.default_limits));
}

constexpr Row<MakeStrainLimiter, StrainLimitingDescription> strain_limiters[] = {
    {"none", "strains are reported, not limited",
     [](const StrainLimitingDescription&) -> std::unique_ptr<StrainLimiter> {
         return std::make_unique<StrainLimiterNone>();
     }},
    {"projected_newton", "",
     &make_limiter<StrainLimiterProjectedNewton, StrainProjectedNewtonOptions>, &measure_option},
    {"augmented_lagrangian", "",
     &make_limiter<StrainLimiterAugmentedLagrangian, StrainAugmentedLagrangianOptions>,
     &measure_option},
    {"jacobi", "", &make_limiter<StrainLimiterJacobi, StrainJacobiOptions>},
    {"edge_velocity", "", &make_limiter<StrainLimiterEdgeVelocity, StrainEdgeVelocityOptions>,
     &edge_velocity_options},
};

// --- remeshing ----------------------------------------------------------------------------------

// Each makes the remesher of those cloths of the scene that name its type.
using OwnSizing = std::vector<NamedSizingMetric>;
using MakeRemesher = std::unique_ptr<Remesher> (*)(const SceneDescription&, const OwnSizing&);

/// Contour minimisation for intersections caused by remeshing; small moves only.
bool untangle_remeshed(const World& world, double time, const Model& model, State& state)
{
    std::vector<std::uint8_t> held(model.mesh.node_count(), 0);
    for (NodeId n : model.mesh.nodes()) held[index(n)] = model.handles(n) != 0;
    UntangleOptions options;
    options.step = 1e-4;
    options.max_iterations = 80;
    return untangle(model, world, sample_obstacles(world, time, 0), held, options, state).ok;
}

/// What is done about crossings: the most careful of what the cloths of a type ask for.
EditOptions edit_options(const SceneDescription& scene, std::string_view type)
{
    EditOptions edit;
    edit.crossings = CrossingStrategy::none;
    for (const ClothDescription& c : scene.cloths) {
        const RemeshingDescription& d = c.remeshing;
        if (d.type != type) continue;
        if (d.crossings == "guard") edit.crossings = CrossingStrategy::guard;
        if (edit.crossings != CrossingStrategy::none) continue;
        if (d.crossings == "separate") edit.crossings = CrossingStrategy::separate;
        if (d.crossings == "contour") edit.crossings = CrossingStrategy::contour;
    }
    edit.untangle = &untangle_remeshed;
    return edit;
}

std::unique_ptr<Remesher> make_anisotropic(const SceneDescription& scene, const OwnSizing& own)
{
    AnisotropicOptions options;
    options.edit = edit_options(scene, "anisotropic");
    options.sizing = sizing_by_cloth(scene);
    for (std::optional<ClothSizing>& cloth : options.sizing)
        if (cloth) cloth->metrics.insert(cloth->metrics.end(), own.begin(), own.end());
    return std::make_unique<RemesherAnisotropic>(std::move(options));
}

ClothSizing sizing_of(const RemeshingDescription& d);

std::unique_ptr<Remesher> make_root3(const SceneDescription& scene, const OwnSizing& own)
{
    Root3Options options;
    options.edit = edit_options(scene, "root3");
    for (const ClothDescription& c : scene.cloths) {
        const RemeshingDescription& d = c.remeshing;
        options.sizing.emplace_back();
        if (d.type != "root3") continue;
        Root3Sizing& sizing = options.sizing.back().emplace();
        sizing.metrics = sizing_of(d).metrics;
        sizing.metrics.insert(sizing.metrics.end(), own.begin(), own.end());
        sizing.generations = d.generations;
        sizing.coarsening = d.coarsening;
    }
    return std::make_unique<RemesherRoot3>(std::move(options));
}

std::unique_ptr<Remesher> make_quadrisection(const SceneDescription& scene, const OwnSizing& own)
{
    QuadrisectionOptions options;
    options.edit = edit_options(scene, "quadrisection");
    for (const ClothDescription& c : scene.cloths) {
        const RemeshingDescription& d = c.remeshing;
        options.sizing.emplace_back();
        if (d.type != "quadrisection") continue;
        QuadrisectionSizing& sizing = options.sizing.back().emplace();
        sizing.metrics = sizing_of(d).metrics;
        sizing.metrics.insert(sizing.metrics.end(), own.begin(), own.end());
        sizing.levels = d.levels;
        sizing.level_difference = d.level_difference;
        sizing.coarsening = d.coarsening;
    }
    return std::make_unique<RemesherQuadrisection>(std::move(options));
}

std::unique_ptr<Remesher> make_uniform(const SceneDescription& scene, const OwnSizing&)
{
    std::vector<std::optional<double>> lengths;
    for (const ClothDescription& c : scene.cloths)
        lengths.push_back(c.remeshing.type == "uniform" ? std::optional(c.remeshing.edge_length[0])
                                                        : std::nullopt);
    return std::make_unique<RemesherUniform>(std::move(lengths));
}

void edge_length_option(Keys& keys, RemeshingDescription& d)
{
    keys.key({"edge_length", "`[shortest, longest]` edge", "m"},
             checked(numbers(d.edge_length, positive), [&d](JsonReader& r, const std::string& key) {
                 if (d.edge_length[0] > d.edge_length[1])
                     r.file().problem(r.path_of(key), "a shortest edge above the longest",
                                      "[shortest, longest]");
             }));
}

constexpr const char* angle_meaning =
    "of `curvature`: maximum change of the normal along an edge; 0: not used";
constexpr const char* compression_meaning =
    "of `compression`: maximum of edge length times the root of the compressive strain; 0: not "
    "used; `\"auto\"`: [from the fabric](remeshing.md#wrinkles)";
constexpr const char* edges_meaning =
    "of `compression`, with `\"auto\"`: edges for each wave of a buckling sheet";
constexpr const char* velocity_meaning =
    "of `velocity`: maximum change of velocity along an edge; 0: not used";

constexpr const char* curvature_base_meaning =
    "of `mean_curvature`: mean curvature above which the longest edges are too long";
constexpr const char* curvature_max_meaning =
    "of `mean_curvature`: mean curvature that asks for the shortest edges; must be above "
    "`curvature_base`";

constexpr const char* cosine_split_meaning =
    "of `dihedral`: product of the normals at an edge below which the edge is split";
constexpr const char* cosine_join_meaning =
    "of `dihedral`: product of the normals above which edges are joined; not below `cosine_split`";
// Well above the rounding of angles: 0.08 degrees.
constexpr Range cosine_range{-0.999, 0.999999};

/// A number that is not negative, or "auto".
Value number_or_auto(double& field)
{
    const Value plain = number(field, not_negative);
    return {[&field, plain](JsonReader& r, const std::string& key) {
                const Json& json = *r.find(key);
                if (json.is_string() && json.get<std::string>() == "auto")
                    field = automatic;
                else if (json.is_number())
                    plain.read(r, key);
                else
                    r.file().problem(r.path_of(key), shown(json), "a number, or \"auto\"");
            },
            [&field](const Writing&) {
                return field == automatic ? OrderedJson("auto") : OrderedJson(field);
            },
            [plain](Schema& s) -> OrderedJson {
                return {{"oneOf", {plain.schema(s), {{"enum", {"auto"}}}}}};
            },
            "a number, or \"auto\""};
}

/// An option that the entry of a sizing metric need not have.
Value sizing_option(std::map<std::string, double>& options, const SizingOption& option)
{
    const auto value_of = [&option](double& number_field) {
        return option.may_be_auto ? number_or_auto(number_field)
                                  : number(number_field, option.range);
    };
    return {[&options, value_of](JsonReader& r, const std::string& key) {
                double value = 0;
                value_of(value).read(r, key);
                options[key] = value;
            },
            [&options, &option, value_of](const Writing& w) -> std::optional<OrderedJson> {
                const auto at = options.find(option.key);
                return at == options.end() ? std::nullopt : value_of(at->second).write(w);
            },
            [value_of](Schema& s) {
                double value = 0;
                return value_of(value).schema(s);
            },
            "a number"};
}

/// The table of sizing metrics for one entry of the list.
TypeTable sizing_table(SizingDescription& entry)
{
    TypeTable table{"sizing_metric",
                    "A sizing metric; options that are not given are those of `remeshing`.",
                    "",
                    true,
                    {}};
    for (const SizingRow& row : sizing_metrics()) {
        const auto describe_row = [&row](Keys& keys, SizingDescription& d) {
            keys.about(std::string("sizing_") + row.name, row.meaning);
            for (const SizingOption& o : row.options) {
                const std::string standard =
                    o.shared != nullptr ? "that of `remeshing`" : Json(o.standard).dump();
                keys.key({o.key, o.meaning, o.unit, standard.c_str()}, sizing_option(d.options, o));
            }
        };
        table.rows.push_back(
            {row.name,
             [&row, &entry, describe_row](JsonReader& r) {
                 entry = {row.name, {}};
                 KeyReader keys(r);
                 describe_row(keys, entry);
             },
             [&row, &entry, describe_row](const Writing& w) -> std::optional<OrderedJson> {
                 if (entry.type != row.name) return std::nullopt;
                 SizingDescription plain{row.name, {}};
                 return write_object(
                     w, [&](Keys& keys) { describe_row(keys, entry); },
                     [&](Keys& keys) { describe_row(keys, plain); });
             },
             [describe_row](Keys& keys) {
                 SizingDescription plain;
                 describe_row(keys, plain);
             }});
    }
    return table;
}

Value sizing_list(std::vector<SizingDescription>& field)
{
    return {[&field](JsonReader& r, const std::string& key) {
                const Json& list = *r.find(key);
                if (!list.is_array()) {
                    r.file().problem(r.path_of(key), shown(list), "an array");
                    return;
                }
                field.clear();
                for (std::size_t i = 0; i < list.size(); ++i) {
                    const std::string place = r.path_of(key) + "[" + std::to_string(i) + "]";
                    SizingDescription entry;
                    read_typed(list[i], place, r.file(), sizing_table(entry));
                    for (const SizingDescription& other : field)
                        if (!entry.type.empty() && other.type == entry.type)
                            r.file().problem(place, "a second \"" + entry.type + "\"",
                                             "each sizing metric at most once");
                    if (!entry.type.empty()) field.push_back(std::move(entry));
                }
            },
            [&field](const Writing& w) -> std::optional<OrderedJson> {
                OrderedJson list = OrderedJson::array();
                for (SizingDescription& entry : field) {
                    OrderedJson json = write_typed(w, sizing_table(entry));
                    list.push_back(entry.options.empty() ? OrderedJson(entry.type) : json);
                }
                return list;
            },
            [](Schema& s) -> OrderedJson {
                SizingDescription entry;
                return {{"type", "array"}, {"items", schema_of(s, sizing_table(entry))}};
            },
            "an array"};
}

/// What types that are driven by sizing metrics have in common.
void sizing_options(Keys& keys, RemeshingDescription& d)
{
    static const Words strategies{{"guard", "separate", "contour", "none"},
                                  {"edits that would make faces cross are refused",
                                   "faces that cross are moved apart",
                                   "the contours where faces cross are shortened to nothing", ""}};
    keys.key({"sizing", "sizing metrics, each at most once: names, or objects with options", "",
              "`[\"curvature\", \"compression\", \"velocity\", \"obstacle\"]`; "
              "`[\"mean_curvature\"]` with `root3`, `[\"dihedral\"]` with `quadrisection`"},
             sizing_list(d.sizing));
    keys.key({"angle", angle_meaning, "rad"}, number(d.angle, not_negative));
    keys.key({"compression", compression_meaning, "m"}, number_or_auto(d.compression));
    keys.key({"edges_per_wave", edges_meaning}, number(d.edges_per_wave, positive));
    keys.key({"velocity", velocity_meaning, "m/s"}, number(d.velocity, not_negative));
    const auto limits_rise = [&d](JsonReader& r, const std::string& key) {
        if (d.curvature_max <= d.curvature_base)
            r.file().problem(r.path_of(key),
                             "limits from " + Json(d.curvature_base).dump() + " to " +
                                 Json(d.curvature_max).dump(),
                             "a \"curvature_max\" above \"curvature_base\"");
    };
    keys.key({"curvature_base", curvature_base_meaning, "1/m"},
             checked(number(d.curvature_base, not_negative),
                     [limits_rise](JsonReader& r, const std::string& key) {
                         if (!r.has("curvature_max")) limits_rise(r, key);
                     }));
    keys.key({"curvature_max", curvature_max_meaning, "1/m"},
             checked(number(d.curvature_max, positive), limits_rise));
    const auto cosines_rise = [&d](JsonReader& r, const std::string& key) {
        if (d.cosine_join < d.cosine_split)
            r.file().problem(r.path_of(key),
                             "cosines from " + Json(d.cosine_split).dump() + " to " +
                                 Json(d.cosine_join).dump(),
                             "a \"cosine_join\" that is not below \"cosine_split\"");
    };
    keys.key({"cosine_split", cosine_split_meaning},
             checked(number(d.cosine_split, cosine_range),
                     [cosines_rise](JsonReader& r, const std::string& key) {
                         if (!r.has("cosine_join")) cosines_rise(r, key);
                     }));
    keys.key({"cosine_join", cosine_join_meaning},
             checked(number(d.cosine_join, cosine_range), cosines_rise));
    keys.key({"crossings", "what is done about crossings"}, word(d.crossings, strategies));
}

void anisotropic_options(Keys& keys, RemeshingDescription& d)
{
    edge_length_option(keys, d);
    keys.key({"aspect_min", "minimum aspect ratio of a face; 1 makes isotropic meshes"},
             number(d.aspect_min, {0, 1}));
    sizing_options(keys, d);
}

constexpr const char* coarsening_meaning =
    "share of the tolerances of the metrics below which a node is removed";

void root3_options(Keys& keys, RemeshingDescription& d)
{
    constexpr int most_generations = 20; // of a face of 1 m, edges of 4 mm
    keys.key({"generations", "maximum generation of a face; two are one step of subdivision, three "
                             "faces for one"},
             integer(d.generations, 1, most_generations));
    keys.key({"coarsening", coarsening_meaning}, number(d.coarsening, {0, 1}));
    sizing_options(keys, d);
}

void quadrisection_options(Keys& keys, RemeshingDescription& d)
{
    constexpr int most_levels = 8; // 65,536 faces for one
    keys.key({"levels", "how often a face of the mesh file is divided into four, at most"},
             integer(d.levels, 1, most_levels));
    keys.key({"level_difference",
              "maximum difference of the levels of faces that share an edge; 0: any"},
             integer(d.level_difference, 0, most_levels));
    keys.key({"coarsening", coarsening_meaning}, number(d.coarsening, {0, 1}));
    sizing_options(keys, d);
}

constexpr Row<MakeRemesher, RemeshingDescription> remeshers[] = {
    {"none", "keeps the mesh",
     [](const SceneDescription&, const OwnSizing&) -> std::unique_ptr<Remesher> {
         return std::make_unique<RemesherNone>();
     }},
    {"uniform", "refines it once to the shortest edge", &make_uniform, &edge_length_option},
    {"root3", "refines and coarsens it by root-3 subdivision", &make_root3, &root3_options},
    {"quadrisection", "refines and coarsens it by division of faces into four", &make_quadrisection,
     &quadrisection_options},
    {"anisotropic", "refines and coarsens it", &make_anisotropic, &anisotropic_options},
};

} // namespace

const Words& integrator_types()
{
    static const Words words = words_of(integrators);
    return words;
}

const Words& linear_solver_types()
{
    static const Words words = words_of(linear_solvers);
    return words;
}

const Words& contact_types()
{
    static const Words words = words_of(contacts);
    return words;
}

const Words& strain_limiter_types()
{
    static const Words words = words_of(strain_limiters);
    return words;
}

const Words& remesher_types()
{
    static const Words words = words_of(remeshers);
    return words;
}

void describe(Keys& keys, SolverDescription& s)
{
    keys.about("solver", "How a step is solved.");
    keys.key({"integrator", "time integrator"}, word(s.integrator, integrator_types()));
    keys.options(s.integrator, Keys::OtherTypes::allowed, options_of(integrators, s));
}

void describe(Keys& keys, ContactDescription& c)
{
    keys.about("contact", "Contact of cloth with obstacles and with itself.");
    keys.key({"type", "method; with `mixed_explicit_implicit` near pairs [repel by "
                      "impulses](contact.md#with-the-explicit-integrator)"},
             word(c.type, contact_types()));
    keys.key(
        {"thickness", "distance at which repulsion begins; impacts restore a tenth of it", "m"},
        number(c.thickness, positive));
    keys.key({"friction", "Coulomb's friction coefficient where fabric and obstacle have none"},
             number(c.friction, not_negative));
    keys.key({"friction_pairs",
              "list of `{\"between\": [name, name], \"friction\": number}`: coefficients of two "
              "objects, which replace all others"},
             list(c.friction_pairs, &describe_pair));
    keys.key({"stiffness",
              "stiffness of repulsion; with `mixed_explicit_implicit` relative to the fabric's "
              "stiffness against stretching",
              "node mass / dt²"},
             number(c.stiffness, positive));
    keys.key({"broad_phase", "how near pairs are found"},
             word(c.broad_phase, words_of(broad_phases)));
    keys.key({"on_overlap", "what is done where cloth crosses something at the start"},
             word(c.on_overlap, overlap_answers));
}

void describe(Keys& keys, StrainLimitingDescription& d)
{
    keys.about("strain_limiting", "Keeps strains inside their limits.");
    keys.when_reading([&](JsonReader& r) { // who names a type names its options
        if (r.has("type")) d.default_limits.reset();
    });
    keys.key(
        {"type",
         "method (without effect where no fabric has limits and there are no `default_limits`)", "",
         "`projected_newton`; `edge_velocity` with `mixed_explicit_implicit`"},
        word(d.type, strain_limiter_types()));
    keys.key({"tolerance", "tolerance on the largest violation, as strain"},
             number(d.tolerance, {1e-6, 1}));
    keys.key({"iterations", "maximum number of iterations", "", "depends on the method"},
             maybe(d.iterations, [](int& i) { return integer(i, 1, 1000000); }));
    keys.options(d.type, Keys::OtherTypes::refused, options_of(strain_limiters, d));
}

void describe(Keys& keys, RemeshingDescription& d)
{
    keys.about("remeshing", "How the mesh of a cloth is refined and coarsened.");
    keys.when_reading([&](JsonReader& r) { // [Bender2013] sec. 5 and 7, [Wang2002] sec. 3.3
        const Json* type = r.has("type") ? r.find("type") : nullptr;
        if (type == nullptr || !type->is_string()) return;
        if (type->get<std::string>() == "root3") {
            d.every = 5;
            d.sizing = {{"mean_curvature", {}}};
        }
        if (type->get<std::string>() == "quadrisection") {
            d.every = 5;
            d.sizing = {{"dihedral", {}}};
        }
    });
    keys.key({"type", "what is done with the mesh"}, word(d.type, remesher_types()));
    keys.key({"every", "time steps between remeshings; 0: once in each frame", "",
              "0; 5 with `root3` and `quadrisection`"},
             integer(d.every, 0, 1000000));
    keys.options(d.type, Keys::OtherTypes::allowed, options_of(remeshers, d));
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

std::span<const SizingRow> sizing_metrics()
{
    constexpr Range factor_range{1e-4, 1}, anticipation_range{0, 100};
    using Remeshing = RemeshingDescription;
    using Options = std::map<std::string, double>;
    using Metric = std::shared_ptr<const SizingMetric>;
    static const std::vector<SizingRow> rows{
        {"curvature",
         "Small faces where the surface bends.",
         {{"angle", angle_meaning, "rad", SizingCurvature::default_angle, &Remeshing::angle}},
         [](const Options& o) -> Metric {
             const double angle = o.at("angle");
             return angle > 0 ? std::make_shared<SizingCurvature>(angle) : nullptr;
         }},
        {"mean_curvature",
         "Small faces by the mean curvature of the surface, the same in all directions.",
         {{"curvature_base", curvature_base_meaning, "1/m", SizingMeanCurvature::default_base,
           &Remeshing::curvature_base},
          {"curvature_max", curvature_max_meaning, "1/m", SizingMeanCurvature::default_most,
           &Remeshing::curvature_max}},
         [](const Options& o) -> Metric {
             // One without the other may be an entry's own: above it, all edges are the shortest.
             const double base = o.at("curvature_base");
             const double most = std::max(o.at("curvature_max"), base + 1e-6);
             return std::make_shared<SizingMeanCurvature>(base, most);
         }},
        {"dihedral",
         "Small faces at edges where the normals of two faces differ.",
         {{"cosine_split", cosine_split_meaning, "", SizingDihedral::default_split,
           &Remeshing::cosine_split, false, cosine_range},
          {"cosine_join", cosine_join_meaning, "", SizingDihedral::default_join,
           &Remeshing::cosine_join, false, cosine_range}},
         [](const Options& o) -> Metric {
             // One without the other may be an entry's own.
             const double split = o.at("cosine_split");
             return std::make_shared<SizingDihedral>(split, std::max(o.at("cosine_join"), split));
         }},
        {"compression",
         "Small faces where the cloth is compressed, so that it can wrinkle.",
         {{"compression", compression_meaning, "m", SizingCompression::default_tolerance,
           &Remeshing::compression, true},
          {"edges_per_wave", edges_meaning, "", SizingCompression::default_edges_per_wave,
           &Remeshing::edges_per_wave}},
         [](const Options& o) -> Metric {
             const double tolerance = o.at("compression");
             if (tolerance == automatic)
                 return std::make_shared<SizingCompression>(
                     SizingCompression::from_fabric(o.at("edges_per_wave")));
             return tolerance > 0 ? std::make_shared<SizingCompression>(tolerance) : nullptr;
         }},
        {"velocity",
         "Small faces where neighbouring points move differently.",
         {{"velocity", velocity_meaning, "m/s", SizingVelocity::default_velocity,
           &Remeshing::velocity}},
         [](const Options& o) -> Metric {
             const double velocity = o.at("velocity");
             return velocity > 0 ? std::make_shared<SizingVelocity>(velocity) : nullptr;
         }},
        {"obstacle",
         "Small faces near obstacles, so that no edge cuts through one.",
         {},
         [](const Options&) -> Metric { return std::make_shared<SizingObstacle>(); }},
        {"view",
         "Larger faces where no camera sees them: scales what the other metrics ask for.",
         {{"front", "factor on detail of faces that are seen", "", SizingViewOptions{}.front,
           nullptr, false, factor_range},
          {"back", "of faces in the frame that face away from the camera", "",
           SizingViewOptions{}.back, nullptr, false, factor_range},
          {"out", "of faces out of the frame", "", SizingViewOptions{}.out, nullptr, false,
           factor_range},
          {"margin", "distance from the frame over which factors fall to `out`", "m",
           SizingViewOptions{}.margin},
          {"anticipation", "time ahead in which the motion of the camera counts", "s",
           SizingViewOptions{}.anticipation, nullptr, false, anticipation_range},
          {"silhouette",
           "difference of factors across an edge above which they are averaged on the side that is "
           "not seen",
           "", SizingViewOptions{}.silhouette}},
         [](const Options& o) -> Metric {
             return std::make_shared<SizingView>(
                 SizingViewOptions{o.at("front"), o.at("back"), o.at("out"), o.at("margin"),
                                   o.at("anticipation"), o.at("silhouette")});
         }},
        {"screen",
         "No edges that are shorter on the screen than a given length; after `view` where both are "
         "used.",
         {{"pixels", "length of the shortest edge on the screen", "pixels",
           SizingScreenOptions{}.pixels, nullptr, false, positive},
          {"height", "height of the picture", "pixels", SizingScreenOptions{}.height, nullptr,
           false, positive},
          {"anticipation", "time ahead in which the motion of the camera counts", "s",
           SizingScreenOptions{}.anticipation, nullptr, false, anticipation_range},
          {"coarsest", "smallest factor on detail, for faces seen edge-on", "",
           SizingScreenOptions{}.coarsest, nullptr, false, factor_range}},
         [](const Options& o) -> Metric {
             return std::make_shared<SizingScreen>(SizingScreenOptions{
                 o.at("pixels"), o.at("height"), o.at("anticipation"), o.at("coarsest")});
         }},
    };
    return rows;
}

namespace {

ClothSizing sizing_of(const RemeshingDescription& d)
{
    ClothSizing sizing{{d.edge_length[0], d.edge_length[1], d.aspect_min}, {}};
    for (const SizingDescription& entry : d.sizing)
        for (const SizingRow& row : sizing_metrics()) {
            if (row.name != entry.type) continue;
            std::map<std::string, double> options;
            for (const SizingOption& o : row.options)
                options[o.key] = entry.options.contains(o.key) ? entry.options.at(o.key)
                                 : o.shared != nullptr         ? d.*o.shared
                                                               : o.standard;
            if (auto metric = row.make(options))
                sizing.metrics.push_back({row.name, std::move(metric)});
        }
    return sizing;
}

} // namespace

SizingByCloth sizing_by_cloth(const SceneDescription& scene)
{
    SizingByCloth all;
    for (const ClothDescription& c : scene.cloths)
        all.push_back(c.remeshing.type == "anisotropic" ? std::optional(sizing_of(c.remeshing))
                                                        : std::nullopt);
    return all;
}

std::unique_ptr<Remesher> make_remesher(const SceneDescription& scene, const OwnSizing& own_sizing)
{
    std::vector<std::unique_ptr<Remesher>> parts;
    for (const auto& row : remeshers)
        if (std::any_of(scene.cloths.begin(), scene.cloths.end(),
                        [&](const ClothDescription& c) { return c.remeshing.type == row.name; }))
            parts.push_back(row.make(scene, own_sizing));
    if (parts.size() == 1) return std::move(parts.front());
    return std::make_unique<RemesherSequence>(std::move(parts));
}

} // namespace pleat
