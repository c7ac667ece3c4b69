// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Materials: one describe() function for each membrane and bending law, and the rules for `base`
// and the scale factors. The numbers of a law are checked as a whole after reading, because bounds
// of one often depend on another (a coupling that makes a law indefinite, for instance).
#include "pleat/scene/material_file.hpp"

#include "pleat/core/nearest_word.hpp"
#include "pleat/scene/material_json.hpp"
#include "pleat/scene/shipped_fabrics_data.hpp"

#include <algorithm>
#include <cmath>

namespace pleat {

namespace {

constexpr Range poisson_range{-0.99, 0.99};
constexpr int longest_chain = 16; // of material files, each the "base" of the one before

// --- membrane laws ------------------------------------------------------------------------------

} // namespace

void describe(Keys& keys, MembraneMeasured& m)
{
    keys.about("membrane_measured", "Measured, depends on the strain.");
    keys.key({"at_rest", "`[c11, c12, c22, c33]` without stretch", "N/m", required},
             numbers({&m.at_rest.c11, 4}));
    std::vector<std::span<double>> rows;
    for (StrainQuadratic& q : m.at_stretch) rows.emplace_back(&q.c11, 4);
    keys.key({"at_stretch",
              "five rows of the same four, at 0, 22.5, 45, 67.5 and 90 degrees to the weft", "N/m",
              required},
             table(rows));
    keys.key({"stretch", "the stretch to which the rows belong"}, number(m.stretch, {1, 10, true}));
}

namespace {

template <class Sheet> void sheet_keys(Keys& keys, Sheet& s)
{
    keys.key({"thickness", "thickness", "m", required}, number(s.thickness, positive));
    keys.key({"young", "Young's modulus", "N/m²", required}, number(s.young, not_negative));
    keys.key({"poisson", "Poisson's ratio"}, number(s.poisson, poisson_range));
}

} // namespace

void describe(Keys& keys, MembraneIsotropicSheet& m)
{
    keys.about("membrane_isotropic_sheet", "A thin solid sheet in plane stress.");
    sheet_keys(keys, m);
}

void describe(Keys& keys, MembraneOrthotropic& m)
{
    keys.about("membrane_orthotropic", "Linear, with its own stiffness for weft, warp and shear.");
    keys.key({"young_u", "modulus of the weft, per width", "N/m", required},
             number(m.young_u, not_negative));
    keys.key({"young_v", "modulus of the warp", "N/m", required}, number(m.young_v, not_negative));
    keys.key({"shear", "shear modulus", "N/m", required}, number(m.shear, not_negative));
    keys.key({"poisson_uv", "strain along v under tension along u"},
             number(m.poisson_uv, poisson_range));
    keys.key({"poisson_vu", "strain along u under tension along v"},
             number(m.poisson_vu, poisson_range));
}

void describe(Keys& keys, MembraneBaraffWitkin& m)
{
    keys.about("membrane_baraff_witkin", "Three conditions: stretch along weft and warp, shear.");
    keys.key({"stretch_u", "stiffness of the weft", "N/m", required},
             number(m.stretch_u, not_negative));
    keys.key({"stretch_v", "stiffness of the warp", "N/m", required},
             number(m.stretch_v, not_negative));
    keys.key({"shear", "stiffness against shear", "N/m", required}, number(m.shear, not_negative));
    keys.key({"rest_stretch_u", "stretch of the weft at rest"}, number(m.rest_stretch_u, positive));
    keys.key({"rest_stretch_v", "stretch of the warp at rest"}, number(m.rest_stretch_v, positive));
    keys.key({"stretch_damping", "k_d of stretching, for weft and warp", "N s/m"},
             number(m.stretch_damping, not_negative));
    keys.key({"shear_damping", "k_d of shear", "N s/m"}, number(m.shear_damping, not_negative));
}

namespace {

constexpr TypeRow<MembraneLaw> membrane_laws[] = {
    type_row<MembraneLaw, MembraneMeasured>("measured"),
    type_row<MembraneLaw, MembraneIsotropicSheet>("isotropic_sheet"),
    type_row<MembraneLaw, MembraneOrthotropic>("orthotropic"),
    type_row<MembraneLaw, MembraneBaraffWitkin>("baraff_witkin"),
};

// --- bending laws -------------------------------------------------------------------------------

} // namespace

void describe(Keys& keys, BendingMeasured& b)
{
    keys.about("bending_measured", "Measured, depends on curvature and direction.");
    std::vector<std::span<double>> rows(b.stiffness.begin(), b.stiffness.end());
    keys.key(
        {"stiffness",
         "three rows (0, 45, 90 degrees to the weft) of five numbers (curvature 0, 10, 20, 30, "
         "40 1/m)",
         "N m", required},
        table(rows, not_negative));
}

void describe(Keys& keys, BendingIsotropicSheet& b)
{
    keys.about("bending_isotropic_sheet", "A thin solid sheet.");
    sheet_keys(keys, b);
}

void describe(Keys& keys, BendingPlate& b)
{
    keys.about("bending_plate", "A plate of given rigidities, the same on any mesh.");
    keys.key({"rigidity_u", "rigidity against bending along the weft", "N m", required},
             number(b.rigidity_u, not_negative));
    keys.key({"rigidity_v", "rigidity against bending along the warp", "N m", required},
             number(b.rigidity_v, not_negative));
    keys.key(
        {"coupling", "coupling of the two; at most the root of their product, either sign", "N m"},
        number(b.coupling));
    keys.key({"twist", "rigidity against twisting", "N m", required},
             number(b.twist, not_negative));
    keys.when_reading([&](JsonReader& r) { // otherwise some curvature has negative energy
        if (std::abs(b.coupling) > std::sqrt(b.rigidity_u) * std::sqrt(b.rigidity_v))
            r.file().problem(r.path_of("coupling"), "the number " + Json(b.coupling).dump(),
                             "at most the root of rigidity_u times rigidity_v, either sign");
    });
}

void describe(Keys& keys, BendingHinge& b)
{
    keys.about("bending_hinge", "The bending element of folds and wrinkles.");
    keys.key({"stiffness", "bending stiffness", "N m", required},
             number(b.stiffness, not_negative));
    keys.key({"damping", "damping of the change of angle", "N s"}, number(b.damping, not_negative));
}

void describe(Keys& keys, BendingIsometric& b)
{
    keys.about("bending_isometric", "Quadratic in the positions; rest angles are ignored.");
    keys.key({"rigidity", "flexural rigidity per width, averaged over all directions of bending",
              "N m", required},
             number(b.rigidity, not_negative));
}

void describe(Keys& keys, BendingBaraffWitkin& b)
{
    keys.about("bending_baraff_witkin", "The fold angle itself, per length of edge.");
    keys.key({"stiffness", "moment per length of edge and radian", "N", required},
             number(b.stiffness, not_negative));
    keys.key({"damping", "moment per length of edge and rate of the angle", "N s"},
             number(b.damping, not_negative));
}

namespace {

constexpr TypeRow<BendingLaw> bending_laws[] = {
    type_row<BendingLaw, BendingMeasured>("measured"),
    type_row<BendingLaw, BendingIsotropicSheet>("isotropic_sheet"),
    type_row<BendingLaw, BendingPlate>("plate"),
    type_row<BendingLaw, BendingHinge>("hinge"),
    type_row<BendingLaw, BendingIsometric>("isometric"),
    type_row<BendingLaw, BendingBaraffWitkin>("baraff_witkin"),
};

// --- materials ----------------------------------------------------------------------------------

/// An object that defines a fabric or changes another one.
struct MaterialObject {
    FabricEntry entry;
    double density_scale = 1, stretching_scale = 1, bending_scale = 1, layers = 1;
};

void describe(Keys& keys, MaterialObject& o)
{
    FabricEntry& entry = o.entry;
    Material& m = entry.material;
    keys.about("material",
               "A fabric, from numbers or from a base. Numbers given here replace those "
               "of the base; scales come last.");
    keys.required_without("base", {"density", "membrane", "bending"});
    keys.key({"base",
              "the fabric to start from: a name, a file (relative to this one) or an object", "",
              "none"},
             read_only(fabric_value(m)));
    if (m.name.empty()) m.name = "unnamed";
    keys.key({"name", "name in messages", "", "that of the base, or `unnamed`"}, text(m.name));
    keys.key({"aliases", "other names", "", "none"}, read_only(texts(entry.aliases)));
    keys.key({"use", "what it is used for", "", "none"}, read_only(text(entry.use)));
    keys.key({"composition", "fibres", "", "none"}, read_only(text(entry.composition)));
    keys.key({"source", "who measured it", "", "none"}, read_only(text(entry.source)));
    keys.key({"density", "mass per area", "kg/m²", "that of the base"},
             number(m.density, positive));
    keys.key({"membrane", "how it resists stretching and shearing, below", "", "that of the base"},
             typed<MembraneLaw>(
                 m.membrane,
                 {"membrane", "How the fabric resists stretching and shearing.", "measured"},
                 membrane_laws));
    keys.key({"bending", "how it resists bending, below", "", "that of the base"},
             typed<BendingLaw>(m.bending,
                               {"bending", "How the fabric resists bending.", "measured"},
                               bending_laws));
    keys.key({"damping", "stiffness-proportional damping", "s"}, number(m.damping, not_negative));
    keys.key({"strain_limits", "`[lowest, highest]` principal strain, such as `[-0.1, 0.1]`", "",
              "not limited"},
             strain_limits(m.strain_limits));
    keys.key({"friction", "Coulomb's friction coefficient", "", "that of the scene"},
             maybe(m.friction, [](double& f) { return number(f, not_negative); }));
    keys.key({"density_scale", "factor on the density", "", "1"},
             read_only(number(o.density_scale, positive)));
    keys.key({"stretching_scale", "factor on the membrane's stiffness", "", "1"},
             read_only(number(o.stretching_scale, not_negative)));
    keys.key({"bending_scale", "factor on the bending stiffness", "", "1"},
             read_only(number(o.bending_scale, not_negative)));
    keys.key({"thicken", "number of layers, free to slide: density and both stiffnesses times this",
              "", "1"},
             read_only(number(o.layers, positive)));
}

/// Whether no number in it is infinite.
bool is_finite(const OrderedJson& json)
{
    if (json.is_number_float()) return std::isfinite(json.get<double>());
    return std::all_of(json.begin(), json.end(), [](const OrderedJson& j) {
        return j.is_structured() || j.is_number_float() ? is_finite(j) : true;
    });
}

FabricEntry read_entry(JsonReader& r)
{
    MaterialObject o;
    read_object(r, [&](Keys& keys) { describe(keys, o); });
    Material& m = o.entry.material;
    o.entry.name = m.name;
    if (o.density_scale != 1 || o.stretching_scale != 1 || o.bending_scale != 1)
        m = scaled(m, o.density_scale, o.stretching_scale, o.bending_scale);
    if (o.layers != 1) m = thickened(m, o.layers);
    if (!is_finite(material_to_json(m)))
        r.file().problem(r.path(), "a scale that makes a number overflow", "smaller numbers");
    return o.entry;
}

Material read_material_file(const std::filesystem::path& path, int depth)
{
    JsonFile file{path.string(), path.parent_path(), depth};
    const Json json = read_json_file(path.string());
    JsonReader r(json, "", file);
    Material m = read_entry(r).material;
    file.throw_if_bad();
    return m;
}

FabricEntry parse_entry(std::string_view text, JsonFile& file)
{
    const Json json = parse_json(text, file.name);
    JsonReader r(json, "", file);
    FabricEntry entry = read_entry(r);
    file.throw_if_bad();
    return entry;
}

/// A shipped fabric as its name and what differs from it; any other with all its numbers.
OrderedJson brief_material(const Material& m)
{
    OrderedJson whole = material_to_json(m);
    const std::vector<std::string> names = fabric_names();
    if (std::find(names.begin(), names.end(), m.name) == names.end()) return whole;
    const Material base = fabric(m.name);
    OrderedJson json{{"base", m.name}};
    const auto scale = [&](const char* key, double now, double then) {
        if (now != then && then != 0) json[key] = now / then;
    };
    scale("density_scale", m.density, base.density);
    if (const auto* now = std::get_if<MembraneMeasured>(&m.membrane),
        *then = std::get_if<MembraneMeasured>(&base.membrane);
        now != nullptr && then != nullptr)
        scale("stretching_scale", now->at_rest.c11, then->at_rest.c11);
    if (const auto* now = std::get_if<BendingMeasured>(&m.bending),
        *then = std::get_if<BendingMeasured>(&base.bending);
        now != nullptr && then != nullptr)
        scale("bending_scale", now->stiffness[0][0], then->stiffness[0][0]);
    const OrderedJson base_json = material_to_json(base);
    for (const char* key : {"damping", "strain_limits", "friction"})
        if (whole.contains(key) && (!base_json.contains(key) || base_json[key] != whole[key]))
            json[key] = whole[key];
    JsonFile none{};
    if (read_material(Json(json), "", none) != m) return whole; // not to the bit
    return json.size() == 1 ? OrderedJson(m.name) : json;
}

} // namespace

Value strain_limits(std::optional<StrainLimits>& field)
{
    return {[&field](JsonReader& r, const std::string& key) {
                const auto v = r.numbers(key, 2);
                if (v.empty()) return;
                if (v[0] > 0 || v[0] <= -1 || v[1] < 0)
                    r.file().problem(
                        r.path_of(key), "[" + Json(v[0]).dump() + ", " + Json(v[1]).dump() + "]",
                        "strains [lowest, highest] with -1 < lowest <= 0 <= highest, such as "
                        "[-0.1, 0.1] (not stretch ratios around 1)");
                else
                    field = StrainLimits{v[0], v[1]};
            },
            [&field](const Writing&) -> std::optional<OrderedJson> {
                if (!field) return std::nullopt;
                return OrderedJson{field->min, field->max};
            },
            [](Schema& s) {
                return s.define("strain_limits", []() -> OrderedJson {
                    OrderedJson items = OrderedJson::array();
                    items.push_back({{"type", "number"}, {"exclusiveMinimum", -1}, {"maximum", 0}});
                    items.push_back({{"type", "number"}, {"minimum", 0}});
                    return {{"description",
                             "[lowest, highest] principal strain: [-0.1, 0.1] is ten per cent "
                             "either way. Strains, not stretch ratios."},
                            {"type", "array"},
                            {"prefixItems", items},
                            {"minItems", 2},
                            {"maxItems", 2}};
                });
            }};
}

Value fabric_value(Material& field)
{
    return {[&field](JsonReader& r, const std::string& key) {
                field = read_material(*r.find(key), r.path_of(key), r.file());
            },
            [&field](const Writing& w) {
                return w.detail == Detail::brief ? brief_material(field) : material_to_json(field);
            },
            [](Schema& s) {
                return s.define("fabric", [&]() -> OrderedJson {
                    const OrderedJson name = s.define("fabric_name", []() -> OrderedJson {
                        return {
                            {"description", "A fabric that comes with Pleat, by name or alias."},
                            {"enum", fabric_names()}};
                    });
                    MaterialObject o;
                    OrderedJson choices = OrderedJson::array();
                    choices.push_back(name);
                    choices.push_back({{"type", "string"}, {"pattern", "\\.json$"}});
                    choices.push_back(s.object([&](Keys& keys) { describe(keys, o); }));
                    return {{"description",
                             "A fabric: its name, the path of a material file, or an object."},
                            {"anyOf", choices}};
                });
            }};
}

Material read_material(const Json& json, const std::string& path, JsonFile& file)
{
    try {
        if (json.is_string()) {
            const auto name = json.get<std::string>();
            if (name.find('\0') != std::string::npos || !name.ends_with(".json"))
                return fabric(name);
            if (file.depth == longest_chain) {
                file.problem(path, shown(json),
                             "at most " + std::to_string(longest_chain) +
                                 " files, each the base of the one before; do they go in a "
                                 "circle?");
                return {};
            }
            return read_material_file(file.folder / name, file.depth + 1);
        }
        if (!json.is_object()) {
            file.problem(path, shown(json),
                         "the name of a fabric (see `pleat materials`), the path of a .json file, "
                         "or an object");
            return {};
        }
        JsonReader r(json, path, file);
        return read_entry(r).material;
    } catch (const InputError& error) {
        for (Problem p : error.problems()) {
            if (p.place.empty()) { // of the whole: where it is named says more
                if (!p.file.empty()) p.found = p.file + ": " + p.found;
                p.file = file.name, p.place = path;
            }
            file.problems.push_back(std::move(p));
        }
        return {};
    }
}

OrderedJson material_to_json(const Material& m)
{
    MaterialObject o;
    o.entry.material = m;
    const Writing writing;
    KeyWriter keys(writing);
    describe(keys, o);
    return keys.json;
}

std::vector<FabricEntry> shipped_fabrics()
{
    std::vector<FabricEntry> entries;
    for (const ShippedFabric& shipped : shipped_fabrics_data()) {
        JsonFile file{std::string(shipped.file)};
        entries.push_back(parse_entry(shipped.text, file));
    }
    std::sort(entries.begin(), entries.end(),
              [](const FabricEntry& a, const FabricEntry& b) { return a.name < b.name; });
    return entries;
}

std::vector<std::string> fabric_names()
{
    std::vector<std::string> names;
    for (const FabricEntry& e : shipped_fabrics()) {
        names.push_back(e.name);
        names.insert(names.end(), e.aliases.begin(), e.aliases.end());
    }
    return names;
}

Material fabric(const std::string& name)
{
    for (const FabricEntry& e : shipped_fabrics())
        if (e.name == name ||
            std::find(e.aliases.begin(), e.aliases.end(), name) != e.aliases.end())
            return e.material;
    const std::vector<std::string> names = fabric_names();
    const std::string near = nearest_word(name, names);
    throw InputError(Problem{"", "", "the unknown fabric " + in_quotes(name),
                             (near.empty() ? "" : "\"" + near + "\"? Fabrics: ") +
                                 list_words(names) + ", or the path of a .json file"});
}

Material read_material_file(const std::filesystem::path& path)
{
    return read_material_file(path, 0);
}

Material parse_material(std::string_view text, const std::string& file_name)
{
    JsonFile file{file_name};
    return parse_entry(text, file).material;
}

} // namespace pleat
