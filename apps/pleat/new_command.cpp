// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "commands.hpp"

#include "pleat/core/atomic_file.hpp"
#include "pleat/core/error.hpp"
#include "pleat/export/obj_writer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

namespace pleat::app {

namespace {

namespace fs = std::filesystem;

constexpr const char* scene_text =
    R"(// A scene for Pleat. Lengths in metres, masses in kilograms, times in seconds.
// docs/scene.md explains every key; `pleat check scene.json` finds mistakes.
{
  "pleat": 1,
  "up": "z",
  "fps": 25,
  "substeps": 8,
  "frames": 125,
  "gravity": [0, 0, -9.8],

  "cloths": [{
    "name": "sheet",
    "mesh": "sheet.obj",
    "material": "gray-interlock"   // `pleat materials` lists the fabrics
  }],

  // Two corners are held; vertices are counted from 0 in the order of the mesh file.
  "handles": [
    {"cloth": "sheet", "nodes": [0, @corner@]}
  ]
}
)";

struct NewArguments {
    std::string name;
    int cells = 24;
};

std::string replaced(std::string text, const std::string& what, const std::string& by)
{
    const std::size_t at = text.find(what);
    return text.replace(at, what.size(), by);
}

/// A square metre lying flat.
void write_sheet(const fs::path& path, int cells)
{
    std::vector<Vec3> x;
    std::vector<Vec2> u;
    std::vector<std::array<std::uint32_t, 3>> faces;
    const auto at = [&](int i, int j) { return std::uint32_t(j * (cells + 1) + i); };
    for (int j = 0; j <= cells; ++j)
        for (int i = 0; i <= cells; ++i) {
            const Vec2 p{double(i) / cells, double(j) / cells};
            u.push_back(p);
            x.push_back({p[0], p[1], 0});
        }
    for (int j = 0; j < cells; ++j)
        for (int i = 0; i < cells; ++i) { // alternating diagonals favour no direction
            const std::uint32_t a = at(i, j), b = at(i + 1, j), c = at(i + 1, j + 1),
                                d = at(i, j + 1);
            if ((i + j) % 2 == 0)
                faces.insert(faces.end(), {{a, b, c}, {a, c, d}});
            else
                faces.insert(faces.end(), {{a, b, d}, {b, c, d}});
        }
    ObjMesh mesh;
    mesh.x = x;
    mesh.u = u;
    mesh.face_nodes = faces;
    mesh.face_verts = faces;
    mesh.comment = "A square metre of cloth";
    write_obj(path, mesh);
}

int make_scene(const NewArguments& a)
{
    const fs::path folder = a.name;
    std::error_code code;
    if (fs::exists(folder, code) && !fs::is_empty(folder, code))
        throw InputError(Problem{a.name, "", "a file or folder that already exists",
                                 "the name of a new folder"});
    fs::create_directories(folder, code);
    if (code) throw FileError(a.name, code.message());
    write_sheet(folder / "sheet.obj", a.cells);
    const std::string text = replaced(scene_text, "@corner@", std::to_string(a.cells));
    AtomicFile file(folder / "scene.json");
    file.append(text);
    file.commit();
    fmt::print("Made {0}/scene.json and {0}/sheet.obj. Next:\n"
               "  pleat run {0}/scene.json -o out/{1}\n"
               "  pleat render out/{1} -o picture.png\n",
               a.name, folder.filename().string());
    return exit_good;
}

} // namespace

Command add_new(CLI::App& program)
{
    auto a = std::make_shared<NewArguments>();
    CLI::App* verb = program.add_subcommand("new", "Make a folder with a scene to start from");
    verb->add_option("name", a->name, "Name of the new folder")->required();
    verb->add_option("--cells", a->cells, "Number of cells along a side of the sheet")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    return [a] { return make_scene(*a); };
}

} // namespace pleat::app
