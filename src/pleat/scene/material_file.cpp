// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/material_file.hpp"

#include "pleat/core/nearest_word.hpp"
#include "pleat/scene/material_json.hpp"
#include "pleat/scene/shipped_fabrics_data.hpp"

#include <algorithm>
#include <cmath>

namespace pleat {

namespace {

const std::vector<std::string> membrane_types{"measured", "isotropic_sheet", "orthotropic",
                                              "baraff_witkin"};
const std::vector<std::string> bending_types{"measured", "isotropic_sheet", "plate",
                                             "hinge",    "isometric",       "baraff_witkin"};

constexpr Range poisson_range{-0.99, 0.99};
constexpr int longest_chain = 16; // of material files, each the "base" of the one before

StrainQuadratic quadratic(const std::vector<double>& v)
{
    return v.size() == 4 ? StrainQuadratic{v[0], v[1], v[2], v[3]} : StrainQuadratic{};
}

/// A table of rows x columns numbers; empty where it is absent or wrong.
std::vector<std::vector<double>> table(JsonReader& r, const std::string& key, std::size_t rows,
                                       std::size_t columns, Range range)
{
    const std::string expected =
        std::to_string(rows) + " rows of " + std::to_string(columns) + " numbers";
    const Json* value = r.require(key, expected);
    if (value == nullptr) return {};
    const auto wrong = [&](const Json& what, const std::string& place) {
        r.file().problem(place, describe(what), expected);
        return std::vector<std::vector<double>>{};
    };
    if (!value->is_array() || value->size() != rows) return wrong(*value, r.path_of(key));
    std::vector<std::vector<double>> result;
    for (std::size_t i = 0; i < rows; ++i) {
        const Json& row = (*value)[i];
        const std::string place = r.path_of(key) + "[" + std::to_string(i) + "]";
        if (!row.is_array() || row.size() != columns) return wrong(row, place);
        result.emplace_back();
        for (const Json& number : row) {
            if (!number.is_number() || !(number.get<double>() >= range.low) ||
                !(number.get<double>() <= range.high))
                return wrong(number, place);
            result.back().push_back(number.get<double>());
        }
    }
    return result;
}

MembraneLaw read_membrane(JsonReader& r)
{
    const std::string type = r.word("type", "measured", membrane_types);
    if (type == "isotropic_sheet")
        return MembraneIsotropicSheet{r.required_number("thickness", positive),
                                      r.required_number("young", not_negative),
                                      r.number("poisson", 0.0, poisson_range)};
    if (type == "orthotropic")
        return MembraneOrthotropic{
            r.required_number("young_u", not_negative), r.required_number("young_v", not_negative),
            r.required_number("shear", not_negative), r.number("poisson_uv", 0.0, poisson_range),
            r.number("poisson_vu", 0.0, poisson_range)};
    if (type == "baraff_witkin")
        return MembraneBaraffWitkin{r.required_number("stretch_u", not_negative),
                                    r.required_number("stretch_v", not_negative),
                                    r.required_number("shear", not_negative),
                                    r.number("rest_stretch_u", 1.0, positive),
                                    r.number("rest_stretch_v", 1.0, positive),
                                    r.number("stretch_damping", 0.0, not_negative),
                                    r.number("shear_damping", 0.0, not_negative)};
    MembraneMeasured m;
    if (r.require("at_rest", "4 numbers c11, c12, c22, c33 [N/m]") != nullptr)
        m.at_rest = quadratic(r.numbers("at_rest", 4));
    m.stretch = r.number("stretch", m.stretch, Range{1, 10, true});
    const auto rows = table(r, "at_stretch", 5, 4, {});
    for (std::size_t i = 0; i < rows.size(); ++i) m.at_stretch[i] = quadratic(rows[i]);
    return m;
}

BendingLaw read_bending(JsonReader& r)
{
    const std::string type = r.word("type", "measured", bending_types);
    if (type == "isotropic_sheet")
        return BendingIsotropicSheet{r.required_number("thickness", positive),
                                     r.required_number("young", not_negative),
                                     r.number("poisson", 0.0, poisson_range)};
    if (type == "plate") {
        const BendingPlate p{r.required_number("rigidity_u", not_negative),
                             r.required_number("rigidity_v", not_negative),
                             r.number("coupling", 0.0), r.required_number("twist", not_negative)};
        // Otherwise some curvature has negative energy.
        if (std::abs(p.coupling) > std::sqrt(p.rigidity_u) * std::sqrt(p.rigidity_v))
            r.file().problem(r.path_of("coupling"), "the number " + Json(p.coupling).dump(),
                             "at most the root of rigidity_u times rigidity_v, either way");
        return p;
    }
    if (type == "hinge")
        return BendingHinge{r.required_number("stiffness", not_negative),
                            r.number("damping", 0.0, not_negative)};
    if (type == "isometric") return BendingIsometric{r.required_number("rigidity", not_negative)};
    if (type == "baraff_witkin")
        return BendingBaraffWitkin{r.required_number("stiffness", not_negative),
                                   r.number("damping", 0.0, not_negative)};
    BendingMeasured b;
    const auto rows = table(r, "stiffness", 3, 5, not_negative);
    for (std::size_t i = 0; i < rows.size(); ++i)
        std::copy(rows[i].begin(), rows[i].end(), b.stiffness[i].begin());
    return b;
}

Json row(const StrainQuadratic& q)
{
    return {q.c11, q.c12, q.c22, q.c33};
}

struct MembraneToJson {
    Json operator()(const MembraneMeasured& m) const
    {
        Json rows = Json::array();
        for (const auto& q : m.at_stretch) rows.push_back(row(q));
        return {{"type", "measured"},
                {"at_rest", row(m.at_rest)},
                {"stretch", m.stretch},
                {"at_stretch", rows}};
    }
    Json operator()(const MembraneIsotropicSheet& m) const
    {
        return {{"type", "isotropic_sheet"},
                {"thickness", m.thickness},
                {"young", m.young},
                {"poisson", m.poisson}};
    }
    Json operator()(const MembraneOrthotropic& m) const
    {
        return {{"type", "orthotropic"},      {"young_u", m.young_u},
                {"young_v", m.young_v},       {"shear", m.shear},
                {"poisson_uv", m.poisson_uv}, {"poisson_vu", m.poisson_vu}};
    }
    Json operator()(const MembraneBaraffWitkin& m) const
    {
        return {{"type", "baraff_witkin"},
                {"stretch_u", m.stretch_u},
                {"stretch_v", m.stretch_v},
                {"shear", m.shear},
                {"rest_stretch_u", m.rest_stretch_u},
                {"rest_stretch_v", m.rest_stretch_v},
                {"stretch_damping", m.stretch_damping},
                {"shear_damping", m.shear_damping}};
    }
};

struct BendingToJson {
    Json operator()(const BendingMeasured& b) const
    {
        return {{"type", "measured"}, {"stiffness", b.stiffness}};
    }
    Json operator()(const BendingIsotropicSheet& b) const
    {
        return {{"type", "isotropic_sheet"},
                {"thickness", b.thickness},
                {"young", b.young},
                {"poisson", b.poisson}};
    }
    Json operator()(const BendingPlate& b) const
    {
        return {{"type", "plate"},
                {"rigidity_u", b.rigidity_u},
                {"rigidity_v", b.rigidity_v},
                {"coupling", b.coupling},
                {"twist", b.twist}};
    }
    Json operator()(const BendingHinge& b) const
    {
        return {{"type", "hinge"}, {"stiffness", b.stiffness}, {"damping", b.damping}};
    }
    Json operator()(const BendingIsometric& b) const
    {
        return {{"type", "isometric"}, {"rigidity", b.rigidity}};
    }
    Json operator()(const BendingBaraffWitkin& b) const
    {
        return {{"type", "baraff_witkin"}, {"stiffness", b.stiffness}, {"damping", b.damping}};
    }
};

/// Whether no number in it is infinite.
bool is_finite(const Json& json)
{
    if (json.is_number_float()) return std::isfinite(json.get<double>());
    return std::all_of(json.begin(), json.end(), [](const Json& j) {
        return j.is_structured() || j.is_number_float() ? is_finite(j) : true;
    });
}

Material read_material_file(const std::filesystem::path& path, int depth);

FabricEntry read_entry(JsonReader& r, const std::filesystem::path& folder)
{
    FabricEntry entry;
    Material& m = entry.material;
    const bool has_base = r.find("base") != nullptr;
    if (has_base) m = read_material(*r.find("base"), r.path_of("base"), r.file(), folder);
    entry.name = m.name = r.text("name", m.name.empty() ? "unnamed" : m.name);
    if (const Json* aliases = r.find("aliases")) {
        if (aliases->is_array())
            for (const Json& a : *aliases)
                if (a.is_string()) entry.aliases.push_back(a.get<std::string>());
        if (!aliases->is_array() || entry.aliases.size() != aliases->size())
            r.file().problem(r.path_of("aliases"), describe(*aliases), "an array of texts");
    }
    entry.use = r.text("use", "");
    entry.composition = r.text("composition", "");
    entry.source = r.text("source", "");
    if (has_base)
        m.density = r.number("density", m.density, positive);
    else
        m.density = r.required_number("density", positive);
    const bool membrane =
        r.object("membrane", "membrane", [&](JsonReader& o) { m.membrane = read_membrane(o); });
    const bool bending =
        r.object("bending", "bending", [&](JsonReader& o) { m.bending = read_bending(o); });
    if (!membrane && !has_base)
        r.file().problem(r.path_of("membrane"), "this key is missing", "a membrane law");
    if (!bending && !has_base)
        r.file().problem(r.path_of("bending"), "this key is missing", "a bending law");
    m.damping = r.number("damping", m.damping, not_negative);
    if (const auto limits = read_strain_limits(r)) m.strain_limits = limits;
    if (const auto friction = r.maybe_number("friction", not_negative)) m.friction = friction;
    const double density = r.number("density_scale", 1.0, positive);
    const double stretching = r.number("stretching_scale", 1.0, not_negative);
    const double bend = r.number("bending_scale", 1.0, not_negative);
    const double layers = r.number("thicken", 1.0, positive);
    if (density != 1 || stretching != 1 || bend != 1) m = scaled(m, density, stretching, bend);
    if (layers != 1) m = thickened(m, layers);
    if (!is_finite(material_to_json(m)))
        r.file().problem(r.path(), "a scale that makes a number overflow", "smaller numbers");
    return entry;
}

} // namespace

std::optional<StrainLimits> read_strain_limits(JsonReader& r, const std::string& key)
{
    const auto v = r.numbers(key, 2);
    if (v.empty()) return std::nullopt;
    if (v[0] > 0 || v[0] <= -1 || v[1] < 0) {
        r.file().problem(r.path_of(key), "[" + Json(v[0]).dump() + ", " + Json(v[1]).dump() + "]",
                         "strains [lowest, highest] with -1 < lowest <= 0 <= highest, such as "
                         "[-0.1, 0.1] (not stretch ratios around 1)");
        return std::nullopt;
    }
    return StrainLimits{v[0], v[1]};
}

Material read_material(const Json& json, const std::string& path, JsonFile& file,
                       const std::filesystem::path& folder)
{
    try {
        if (json.is_string()) {
            const auto name = json.get<std::string>();
            if (name.find('\0') != std::string::npos || !name.ends_with(".json"))
                return fabric(name);
            if (file.depth == longest_chain) {
                file.problem(path, describe(json),
                             "at most " + std::to_string(longest_chain) +
                                 " files, each the base of the one before; do they go in a "
                                 "circle?");
                return {};
            }
            return read_material_file(folder / name, file.depth + 1);
        }
        if (!json.is_object()) {
            file.problem(path, describe(json),
                         "the name of a fabric (see `pleat materials`), the path of a .json file, "
                         "or an object");
            return {};
        }
        JsonReader r(json, path, "material", file);
        Material m = read_entry(r, folder).material;
        r.done();
        return m;
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

FabricEntry read_fabric(const Json& json, JsonFile& file)
{
    JsonReader r(json, "", "material", file);
    FabricEntry entry = read_entry(r, {});
    r.done();
    return entry;
}

Json material_to_json(const Material& m)
{
    Json json{{"name", m.name},
              {"density", m.density},
              {"membrane", std::visit(MembraneToJson{}, m.membrane)},
              {"bending", std::visit(BendingToJson{}, m.bending)},
              {"damping", m.damping}};
    if (m.strain_limits) json["strain_limits"] = {m.strain_limits->min, m.strain_limits->max};
    if (m.friction) json["friction"] = *m.friction;
    return json;
}

std::vector<FabricEntry> shipped_fabrics()
{
    std::vector<FabricEntry> entries;
    for (const ShippedFabric& shipped : shipped_fabrics_data()) {
        JsonFile file{std::string(shipped.file), {}, nullptr};
        entries.push_back(read_fabric(parse_json(shipped.text, file.name), file));
        file.throw_if_bad();
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

namespace {

Material read_material_file(const std::filesystem::path& path, int depth)
{
    JsonFile file{path.string(), {}, nullptr, depth};
    const Json json = read_json_file(path.string());
    JsonReader r(json, "", "material", file);
    Material m = read_entry(r, path.parent_path()).material;
    r.done();
    file.throw_if_bad();
    return m;
}

} // namespace

Material parse_material(std::string_view text, const std::string& file_name)
{
    JsonFile file{file_name, {}, nullptr};
    Material m = read_fabric(parse_json(text, file_name), file).material;
    file.throw_if_bad();
    return m;
}

} // namespace pleat
