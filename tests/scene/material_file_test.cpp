// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/material_file.hpp"
#include "pleat/scene/material_json.hpp"
#include "problems.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

namespace pleat {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

std::string with_laws(const std::string& membrane, const std::string& bending,
                      const std::string& more = "")
{
    return R"({"name": "m", "density": 0.2, "membrane": )" + membrane + R"(, "bending": )" +
           bending + more + "}";
}

const std::string sheet_membrane =
    R"({"type": "isotropic_sheet", "thickness": 0.001, "young": 100000.0, "poisson": 0.25})";
const std::string isometric_bending = R"({"type": "isometric", "rigidity": 1e-5})";

std::string complaint(const std::string& text)
{
    return complaint_of([&] { (void)parse_material(text, "m.json"); });
}

/// What read_material makes of material_to_json's text.
Material there_and_back(const Material& material)
{
    JsonFile file{"again.json"};
    const Json json = parse_json(material_to_json(material).dump(), "again.json");
    Material again = read_material(json, "", file);
    file.throw_if_bad();
    return again;
}

TEST(MaterialFile, reads_every_membrane_law)
{
    const auto membrane = [](const std::string& text) {
        return parse_material(with_laws(text, isometric_bending), "m.json").membrane;
    };
    EXPECT_EQ(membrane(sheet_membrane), MembraneLaw(MembraneIsotropicSheet{0.001, 1e5, 0.25}));
    EXPECT_EQ(membrane(R"({"type": "isotropic_sheet", "thickness": 1, "young": 2})"),
              MembraneLaw(MembraneIsotropicSheet{1, 2, 0}));
    EXPECT_EQ(membrane(R"({"type": "orthotropic", "young_u": 1, "young_v": 2, "shear": 3,
                           "poisson_uv": 0.1, "poisson_vu": 0.2})"),
              MembraneLaw(MembraneOrthotropic{1, 2, 3, 0.1, 0.2}));
    EXPECT_EQ(membrane(R"({"type": "baraff_witkin", "stretch_u": 1, "stretch_v": 2, "shear": 3,
                           "rest_stretch_u": 0.9})"),
              MembraneLaw(MembraneBaraffWitkin{1, 2, 3, 0.9, 1}));
    EXPECT_EQ(membrane(R"({"type": "baraff_witkin", "stretch_u": 1, "stretch_v": 2, "shear": 3,
                           "stretch_damping": 0.1, "shear_damping": 0.2})"),
              MembraneLaw(MembraneBaraffWitkin{1, 2, 3, 1, 1, 0.1, 0.2}));
    MembraneMeasured measured;
    measured.at_rest = {1, -2, 3, 4};
    for (std::size_t i = 0; i < 5; ++i)
        measured.at_stretch[i] = {double(i), double(i + 1), double(i + 2), double(i + 3)};
    const std::string rows =
        R"("at_rest": [1, -2, 3, 4],
           "at_stretch": [[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5], [3, 4, 5, 6], [4, 5, 6, 7]])";
    EXPECT_EQ(membrane("{" + rows + "}"), MembraneLaw(measured));
    measured.stretch = 1.5;
    EXPECT_EQ(membrane(R"({"type": "measured", "stretch": 1.5, )" + rows + "}"),
              MembraneLaw(measured));
}

TEST(MaterialFile, reads_every_bending_law)
{
    const auto bending = [](const std::string& text) {
        return parse_material(with_laws(sheet_membrane, text), "m.json").bending;
    };
    EXPECT_EQ(bending(R"({"type": "isotropic_sheet", "thickness": 1, "young": 2})"),
              BendingLaw(BendingIsotropicSheet{1, 2, 0}));
    EXPECT_EQ(bending(R"({"type": "plate", "rigidity_u": 4, "rigidity_v": 9, "coupling": -5,
                          "twist": 3})"),
              BendingLaw(BendingPlate{4, 9, -5, 3}));
    EXPECT_EQ(bending(R"({"type": "hinge", "stiffness": 1, "damping": 2})"),
              BendingLaw(BendingHinge{1, 2}));
    EXPECT_EQ(bending(isometric_bending), BendingLaw(BendingIsometric{1e-5}));
    EXPECT_EQ(bending(R"({"type": "baraff_witkin", "stiffness": 3})"),
              BendingLaw(BendingBaraffWitkin{3}));
    EXPECT_EQ(bending(R"({"type": "baraff_witkin", "stiffness": 3, "damping": 4})"),
              BendingLaw(BendingBaraffWitkin{3, 4}));
    BendingMeasured measured;
    measured.stiffness = {{{1, 2, 3, 4, 5}, {2, 3, 4, 5, 6}, {3, 4, 5, 6, 7}}};
    EXPECT_EQ(bending(R"({"stiffness": [[1, 2, 3, 4, 5], [2, 3, 4, 5, 6], [3, 4, 5, 6, 7]]})"),
              BendingLaw(measured));
}

TEST(MaterialFile, reads_what_is_beside_the_laws)
{
    const Material m = parse_material(with_laws(sheet_membrane, isometric_bending,
                                                R"(, "damping": 0.01, "strain_limits": [-0.1, 0.2],
                                     "friction": 0.5)"),
                                      "m.json");
    EXPECT_EQ(m.name, "m");
    EXPECT_EQ(m.density, 0.2);
    EXPECT_EQ(m.damping, 0.01);
    EXPECT_EQ(m.strain_limits, (StrainLimits{-0.1, 0.2}));
    EXPECT_EQ(m.friction, 0.5);
    const Material plain = parse_material(with_laws(sheet_membrane, isometric_bending), "m.json");
    EXPECT_EQ(plain.damping, 0);
    EXPECT_FALSE(plain.strain_limits);
    EXPECT_FALSE(plain.friction);
}

TEST(MaterialFile, changes_and_scales_a_base)
{
    const Material denim = fabric("denim");
    const Material m = parse_material(
        R"({"base": "denim", "name": "mine", "damping": 0.5, "density_scale": 2,
            "stretching_scale": 3, "bending_scale": 0.5})",
        "m.json");
    Material expected = scaled(denim, 2, 3, 0.5);
    expected.name = "mine";
    expected.damping = 0.5;
    EXPECT_EQ(m, expected);
    EXPECT_EQ(parse_material(R"({"base": "denim"})", "m.json"), denim);
    EXPECT_EQ(parse_material(R"({"base": "denim", "density": 1})", "m.json").density, 1);
    EXPECT_EQ(
        parse_material(R"({"base": {"base": "denim", "thicken": 2}, "thicken": 3})", "m.json"),
        thickened(thickened(denim, 2), 3));
    // The scales come last, whatever is given beside them.
    EXPECT_EQ(parse_material(R"({"base": "denim", "density": 1, "thicken": 2})", "m.json").density,
              2);
    EXPECT_EQ(parse_material(R"({"base": "denim", "bending": )" + isometric_bending +
                                 R"(, "bending_scale": 4})",
                             "m.json")
                  .bending,
              BendingLaw(BendingIsometric{4e-5}));
}

TEST(MaterialFile, finds_the_base_beside_itself)
{
    const TemporaryFolder folder;
    fs::create_directory(folder / "deep");
    write_bytes(folder / "deep/base.json", R"({"base": "denim", "density": 3})");
    write_bytes(folder / "top.json", R"({"base": "deep/next.json", "density_scale": 2})");
    write_bytes(folder / "deep/next.json", R"({"base": "base.json", "density_scale": 5})");
    EXPECT_EQ(read_material_file(folder / "top.json").density, 30);
}

TEST(MaterialFile, ends_where_bases_go_in_a_circle)
{
    const TemporaryFolder folder;
    write_bytes(folder / "a.json", R"({"base": "b.json"})");
    write_bytes(folder / "b.json", R"({"base": "a.json"})");
    EXPECT_THAT(complaint_of([&] { (void)read_material_file(folder / "a.json"); }),
                AllOf(HasSubstr((folder / "a.json").string()), HasSubstr("circle")));
}

TEST(MaterialFile, says_where_a_missing_base_is_named)
{
    const TemporaryFolder folder;
    write_bytes(folder / "a.json", R"({"base": "none.json"})");
    EXPECT_THAT(complaint_of([&] { (void)read_material_file(folder / "a.json"); }),
                AllOf(HasSubstr((folder / "a.json").string() + ": base: "),
                      HasSubstr((folder / "none.json").string()), HasSubstr("No such file")));
}

TEST(MaterialFile, lists_all_that_is_missing)
{
    const std::string text = complaint("{}");
    for (const char* key : {"density", "membrane", "bending"})
        EXPECT_THAT(text, HasSubstr(std::string("m.json: ") + key + ": this key is missing"));
}

TEST(MaterialFile, complains_about_values_that_no_cloth_has)
{
    const auto membrane = [](const std::string& law) {
        return complaint(with_laws(law, isometric_bending));
    };
    const auto bending = [](const std::string& law) {
        return complaint(with_laws(sheet_membrane, law));
    };
    const auto more = [](const std::string& keys) {
        return complaint(with_laws(sheet_membrane, isometric_bending, ", " + keys));
    };
    EXPECT_THAT(membrane(R"({"type": "isotropic_sheet", "thickness": 0, "young": 1})"),
                HasSubstr("membrane.thickness: the number 0; expected a number above 0"));
    EXPECT_THAT(
        membrane(R"({"type": "isotropic_sheet", "thickness": 1, "young": 1, "poisson": 1})"),
        HasSubstr("membrane.poisson: the number 1; expected a number from -0.99 to 0.99"));
    EXPECT_THAT(membrane(R"({"type": "orthotropc"})"), HasSubstr("did you mean \"orthotropic\"?"));
    EXPECT_THAT(membrane(R"({"type": "hinge"})"), HasSubstr("membrane.type"));
    EXPECT_THAT(membrane(R"({"at_rest": [1, 2, 3], "at_stretch": []})"),
                AllOf(HasSubstr("membrane.at_rest: an array of 3"),
                      HasSubstr("membrane.at_stretch: an array of 0; expected 5 rows of 4")));
    EXPECT_THAT(bending(R"({"stiffness": [[1,2,3,4,5],[1,2,3,4],[1,2,3,4,5]]})"),
                HasSubstr("bending.stiffness[1]: an array of 4; expected 3 rows of 5"));
    EXPECT_THAT(bending(R"({"stiffness": [[1,2,3,4,5],[1,2,3,4,-5],[1,2,3,4,5]]})"),
                HasSubstr("bending.stiffness[1]: the number -5"));
    EXPECT_THAT(bending(R"({"type": "plate", "rigidity_u": 4, "rigidity_v": 9, "coupling": 6.5,
                            "twist": 1})"),
                HasSubstr("bending.coupling: the number 6.5"));
    EXPECT_THAT(bending(R"({"type": "isometric", "rigidity": 1, "stiffness": 2})"),
                HasSubstr("bending.stiffness: a key of the type"));
    EXPECT_THAT(more(R"("strain_limits": [0.9, 1.1])"),
                AllOf(HasSubstr("strain_limits: [0.9, 1.1]"), HasSubstr("not stretch ratios")));
    EXPECT_THAT(more(R"("strain_limits": [-1, 1])"), HasSubstr("-1 < lowest"));
    EXPECT_THAT(more(R"("thicken": 0)"), HasSubstr("thicken: the number 0"));
    EXPECT_THAT(more(R"("density_scale": 1e308, "thicken": 1e308)"), HasSubstr("overflow"));
    EXPECT_THAT(more(R"("aliases": ["a", 3])"), HasSubstr("aliases: an array of 2"));
    EXPECT_THAT(complaint("[]"), HasSubstr("m.json: an array of 0; expected an object"));
}

TEST(MaterialFile, is_the_same_after_being_written_and_read)
{
    for (const FabricEntry& f : shipped_fabrics())
        EXPECT_EQ(there_and_back(f.material), f.material);
    const std::string membranes[] = {
        sheet_membrane,
        R"({"type": "orthotropic", "young_u": 0.1, "young_v": 2, "shear": 3, "poisson_uv": 0.3})",
        R"({"type": "baraff_witkin", "stretch_u": 0.1, "stretch_v": 2, "shear": 3,
            "rest_stretch_v": 1.1, "stretch_damping": 0.1, "shear_damping": 0.7})"};
    const std::string bendings[] = {
        R"({"type": "isotropic_sheet", "thickness": 0.1, "young": 2, "poisson": 0.1})",
        R"({"type": "plate", "rigidity_u": 0.3, "rigidity_v": 9, "coupling": 0.1, "twist": 3})",
        R"({"type": "hinge", "stiffness": 0.1, "damping": 0.7})", isometric_bending,
        R"({"type": "baraff_witkin", "stiffness": 0.1, "damping": 0.7})"};
    for (const std::string& membrane : membranes)
        for (const std::string& bending : bendings) {
            const Material m = parse_material(
                with_laws(membrane, bending,
                          R"(, "damping": 0.3, "strain_limits": [-0.1, 0.7], "friction": 0.1,
                              "thicken": 3)"),
                "m.json");
            EXPECT_EQ(there_and_back(m), m);
        }
}

TEST(ShippedFabrics, are_ten_with_names_of_their_own)
{
    const auto fabrics = shipped_fabrics();
    EXPECT_EQ(fabrics.size(), 10u);
    std::set<std::string> names;
    for (const FabricEntry& f : fabrics) {
        EXPECT_TRUE(names.insert(f.name).second) << f.name;
        EXPECT_FALSE(f.use.empty()) << f.name;
        EXPECT_FALSE(f.composition.empty()) << f.name;
        EXPECT_FALSE(f.source.empty()) << f.name;
        EXPECT_EQ(f.material.name, f.name);
        EXPECT_GT(f.material.density, 0.05);
        EXPECT_LT(f.material.density, 0.5);
        for (const std::string& alias : f.aliases) EXPECT_TRUE(names.insert(alias).second) << alias;
    }
    const auto listed = fabric_names();
    EXPECT_EQ(std::set<std::string>(listed.begin(), listed.end()), names);
    EXPECT_EQ(listed.size(), names.size());
}

TEST(ShippedFabrics, are_the_files_of_the_materials_folder)
{
    std::set<std::string> on_disk, in_program;
    for (const auto& entry : fs::directory_iterator(fs::path(PLEAT_SOURCE_DIR) / "materials")) {
        on_disk.insert(entry.path().stem().string());
        EXPECT_EQ(read_material_file(entry.path()), fabric(entry.path().stem().string()));
    }
    for (const FabricEntry& f : shipped_fabrics()) in_program.insert(f.name);
    EXPECT_EQ(on_disk, in_program);
}

TEST(ShippedFabrics, are_found_by_name_and_alias)
{
    for (const FabricEntry& f : shipped_fabrics()) {
        EXPECT_EQ(fabric(f.name), f.material);
        for (const std::string& alias : f.aliases) EXPECT_EQ(fabric(alias), f.material);
    }
}

TEST(ShippedFabrics, are_suggested_where_a_name_is_mistyped)
{
    const std::string text = complaint_of([] { (void)fabric("gray-interlok"); });
    EXPECT_THAT(text, AllOf(HasSubstr("the unknown fabric \"gray-interlok\""),
                            HasSubstr("\"gray-interlock\"?"), HasSubstr("jersey")));
    EXPECT_THAT(complaint_of([] { (void)fabric("steel wool"); }), HasSubstr("11oz-black-denim"));
}

} // namespace
} // namespace pleat
