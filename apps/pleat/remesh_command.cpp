// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The remeshers alone: a surface and a sizing field in, a surface that fits it out; or a surface
// and a number of levels, and it is subdivided.
#include "commands.hpp"

#include "pleat/api/remesh_surface.hpp"
#include "pleat/core/error.hpp"
#include "pleat/export/obj_writer.hpp"
#include "pleat/scene/mesh_file.hpp"

#include <fmt/core.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace pleat::app {

namespace {

struct RemeshArguments {
    std::string mesh, metric, output, type = "metric";
    int levels = 0;
    double hysteresis = SurfaceRemeshOptions{}.hysteresis;
    bool guard = false;
};

/// One line a material point: m11 m12 m22 [1/m^2]. Empty lines and what follows a # do not count.
std::vector<Mat2> read_metric_file(const std::string& path, std::size_t points)
{
    std::ifstream in(path);
    if (!in) throw FileError(path, "cannot be opened");
    std::vector<Mat2> tensors;
    std::vector<Problem> problems;
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
        line = line.substr(0, line.find('#'));
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        std::istringstream words(line);
        double a = 0, b = 0, c = 0;
        std::string more;
        const bool three = bool(words >> a >> b >> c) && !(words >> more);
        const Mat2 m{{a, b, b, c}};
        if (!three || !(a > 0) || !(determinant(m) > 0) || !std::isfinite(a + b + c))
            problems.push_back({path, "line " + std::to_string(number), "\"" + line + "\"",
                                "three numbers m11 m12 m22 of a positive definite tensor"});
        tensors.push_back(m);
    }
    if (problems.empty() && tensors.size() != points)
        problems.push_back({path, "", std::to_string(tensors.size()) + " tensors",
                            std::to_string(points) + ", one for each material point of the mesh"});
    if (!problems.empty()) throw InputError(std::move(problems));
    return tensors;
}

int remesh(const RemeshArguments& a)
{
    const bool is_root3 = a.type == "root3";
    const bool is_subdivision = is_root3 || a.type == "quadrisection";
    if (is_subdivision ? a.levels < 1 || !a.metric.empty() : a.levels != 0 || a.metric.empty())
        throw InputError(Problem{"pleat remesh", "", "--type " + a.type,
                                 is_subdivision ? "--levels N with N of at least 1, and no --metric"
                                                : "--metric FILE, and no --levels"});
    const MeshFile file = read_mesh_file(a.mesh, MeshUse::cloth);
    for (const std::string& note : file.notes) fmt::print(stderr, "note: {}\n", note);
    if (!file.problems.empty()) throw InputError(file.problems);
    if (is_subdivision) {
        const RemeshedSurface done = is_root3 ? subdivide_surface(file.mesh, a.levels)
                                              : quadrisect_surface(file.mesh, a.levels);
        write_obj(a.output, view_as_obj(done.mesh));
        fmt::print("{}: {} faces from {}; {} splits, {} flips\n", a.output,
                   done.mesh.face_nodes.size(), file.mesh.face_nodes.size(), done.splits,
                   done.flips);
        return exit_good;
    }
    const RemeshedSurface done =
        remesh_surface(file.mesh, read_metric_file(a.metric, file.mesh.material_u.size()),
                       {a.hysteresis, a.guard});
    write_obj(a.output, view_as_obj(done.mesh));
    const std::size_t faces = done.mesh.face_nodes.size();
    fmt::print("{}: {} faces from {}; {} splits, {} flips, {} collapses, {} refused; {:.2f} times "
               "the ideal count; {:.2f} % of the inner edges not Delaunay\n",
               a.output, faces, file.mesh.face_nodes.size(), done.splits, done.flips,
               done.collapses, done.refused, double(faces) / done.ideal_faces,
               100 * done.delaunay.share());
    return exit_good;
}

} // namespace

Command add_remesh(CLI::App& program)
{
    auto a = std::make_shared<RemeshArguments>();
    CLI::App* verb =
        program.add_subcommand("remesh", "Remesh a surface to a given metric, or subdivide it");
    verb->add_option("mesh", a->mesh, "A mesh file (.obj, .ply)")->required();
    verb->add_option(
        "--metric", a->metric,
        "A text file with one line for each material point (vt) of the mesh: m11 m12 m22, "
        "the tensor M for which edges e should have e^T M e <= 1 [1/m^2]");
    verb->add_option("--type", a->type,
                     "metric: edges that fit --metric; root3: root-3 subdivision of all faces, "
                     "--levels times; quadrisection: all faces in four, --levels times")
        ->check(CLI::IsMember({"metric", "root3", "quadrisection"}))
        ->capture_default_str();
    constexpr int most_levels = 10; // 59,049 faces for one, or a million
    verb->add_option("--levels", a->levels,
                     "Steps of subdivision: each makes three faces of one, or four")
        ->check(CLI::Range(1, most_levels));
    verb->add_option("-o,--output", a->output, "The OBJ file to write")->required();
    verb->add_option("--hysteresis", a->hysteresis,
                     "Collapses make no edge longer than 1 minus this, in the metric")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
    verb->add_flag("--guard", a->guard,
                   "Refuse edits that would make the surface intersect itself");
    return [a] { return remesh(*a); };
}

} // namespace pleat::app
