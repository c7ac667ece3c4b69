// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "commands.hpp"

#include "pleat/core/error.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/render/camera.hpp"
#include "pleat/render/image.hpp"
#include "pleat/render/render.hpp"
#include "pleat/scene/run_folder.hpp"

#include <fmt/core.h>

#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

namespace pleat::app {

namespace {

constexpr double degree = std::numbers::pi / 180;

struct RenderArguments {
    std::string folder;
    std::optional<int> frame;
    std::string output = "picture.png";
    RenderOptions options;
    std::vector<double> eye, target;
    double azimuth = 25;   // [degrees]
    double elevation = 18; // [degrees]
    double fov = 28;       // vertical [degrees]
    bool no_ground = false;
    int threads = 0;
};

RenderMesh render_mesh(const ObjectMesh& m, std::size_t index)
{
    RenderMesh r;
    r.name = m.name;
    r.positions = m.x;
    r.triangles = m.face_nodes;
    r.is_cloth = m.is_cloth;
    r.base_colour = m.is_cloth ? cloth_colour(index) : obstacle_colour();
    for (const auto& f : m.face_verts)
        r.material_coords.push_back({m.u[f[0]], m.u[f[1]], m.u[f[2]]});
    return r;
}

Vec3 vec(const std::vector<double>& v)
{
    return {v[0], v[1], v[2]};
}

int render_frame(RenderArguments& a)
{
    const RunFolder folder(a.folder);
    const int frame = a.frame.value_or(folder.last_frame());
    std::vector<RenderMesh> meshes;
    for (const ObjectMesh& m : folder.read(frame)) meshes.push_back(render_mesh(m, meshes.size()));
    if (folder.scene()) a.options.up = folder.scene()->up;
    a.options.ground = !a.no_ground;
    a.options.colour_faces = a.options.colour_faces || a.options.wireframe;

    const double aspect = double(a.options.width) / a.options.height;
    Camera camera;
    if (a.eye.empty())
        camera = fit_camera(meshes, a.options.up, aspect, a.azimuth * degree, a.elevation * degree,
                            a.fov * degree);
    else
        camera = {vec(a.eye), a.target.empty() ? cloth_box(meshes).centre() : vec(a.target),
                  a.options.up, a.fov * degree};
    write_png(a.output, render(meshes, camera, a.options));
    fmt::print("{}: frame {} of {}, {}x{}\n", a.output, frame, a.folder, a.options.width,
               a.options.height);
    return exit_good;
}

} // namespace

Command add_render(CLI::App& program)
{
    auto a = std::make_shared<RenderArguments>();
    CLI::App* verb = program.add_subcommand("render", "Make a picture of a frame");
    verb->add_option("folder", a->folder, "The folder of a run")->required();
    verb->add_option("--frame", a->frame, "Which frame (default: the last)");
    verb->add_option("-o,--output", a->output, "The PNG file")->capture_default_str();
    verb->add_option("--width", a->options.width, "[pixels]")
        ->check(CLI::Range(1, 16384))
        ->capture_default_str();
    verb->add_option("--height", a->options.height, "[pixels]")
        ->check(CLI::Range(1, 16384))
        ->capture_default_str();
    verb->add_option("--samples", a->options.samples, "Samples a pixel")
        ->check(CLI::Range(1, 4096))
        ->capture_default_str();
    verb->add_flag("--wireframe", a->options.wireframe,
                   "Draw the mesh; faces coloured by size and shape");
    verb->add_flag("--colour-faces", a->options.colour_faces,
                   "Large faces blue, small ones red, thin ones yellow");
    verb->add_flag("--no-ground", a->no_ground, "No floor under the subject");
    verb->add_option("--azimuth", a->azimuth, "Of a fitted camera [degrees]")
        ->capture_default_str();
    verb->add_option("--elevation", a->elevation, "Of a fitted camera [degrees]")
        ->check(CLI::Range(-90, 90))
        ->capture_default_str();
    verb->add_option("--fov", a->fov, "Vertical field of view [degrees]")
        ->check(CLI::Range(1, 170))
        ->capture_default_str();
    verb->add_option("--eye", a->eye, "Camera position x,y,z [m] instead of a fitted one")
        ->delimiter(',')
        ->expected(3);
    verb->add_option("--target", a->target, "What it looks at, x,y,z [m]")
        ->delimiter(',')
        ->expected(3);
    verb->add_option("--threads", a->threads, "How many threads (default: one a core)")
        ->check(CLI::Range(0, 4096));
    return [a] {
        int code = exit_good;
        Threads(a->threads).run([&] { code = render_frame(*a); });
        return code;
    };
}

} // namespace pleat::app
