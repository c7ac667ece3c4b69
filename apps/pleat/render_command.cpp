// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "commands.hpp"
#include "film.hpp"
#include "frame_range.hpp"
#include "run_meshes.hpp"

#include "pleat/core/error.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/render/camera.hpp"
#include "pleat/render/image.hpp"
#include "pleat/render/loop_surface.hpp"
#include "pleat/render/render.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

namespace pleat::app {

namespace {

namespace fs = std::filesystem;

constexpr double degree = std::numbers::pi / 180;
constexpr double default_fov = 28;              // [degrees]
constexpr std::size_t most_fitting_frames = 32; // cameras and colours are fitted to

struct RenderArguments {
    std::string folder;
    std::optional<int> frame;
    std::string frames;
    std::string output = "picture.png";
    std::string film;
    RenderOptions options;
    std::string colour;
    std::vector<double> range;
    std::vector<double> eye, target;
    std::string camera;                       // "scene", "fitted" or the name of one; may be empty
    bool has_width = false;                   // given, not the default
    std::optional<double> azimuth, elevation; // [degrees]
    std::optional<double> fov;                // vertical [degrees]
    std::optional<double> fps;                // of the film
    bool fit_frames = false;                  // the camera, to the frames of this call
    bool no_ground = false, dark = false, colour_faces = false, quiet = false;
    int threads = 0;
    std::string display = "mesh";
    int display_levels = 2;
};

Vec3 vec(const std::vector<double>& v)
{
    return {v[0], v[1], v[2]};
}

/// Some of the frames, first and last among them, evenly spread.
std::vector<int> spread(const std::vector<int>& frames)
{
    if (frames.size() <= most_fitting_frames) return frames;
    std::vector<int> some;
    for (std::size_t i = 0; i < most_fitting_frames; ++i)
        some.push_back(frames[i * (frames.size() - 1) / (most_fitting_frames - 1)]);
    return some;
}

// What a signal handler can reach; it belongs to the program, not to the library.
std::atomic<int> stop_signal{0};

extern "C" void stop_rendering(int signal)
{
    stop_signal = signal;
    std::signal(signal, SIG_DFL); // a second one ends the program at once
}

/// What all pictures of one call share.
struct Shot {
    RenderOptions options;
    std::optional<Camera> camera;     // none: the scene's, over time
    std::optional<CameraTrack> track; // the scene's
};

/// The camera is fitted to the whole run, so that pictures of single frames fit together; the
/// colours to the frames of this call, so that nothing jumps in a film.
Shot plan_shot(const RenderArguments& a, const RunFolder& folder, const RunLooks& looks,
               const std::vector<int>& frames)
{
    Shot shot{a.options, std::nullopt, std::nullopt};
    RenderOptions& o = shot.options;
    if (folder.scene()) o.up = folder.scene()->up;
    o.ground = !a.no_ground;
    if (a.dark) o.background = {0.11, 0.12, 0.135};
    const std::string colour = !a.colour.empty()               ? a.colour
                               : a.colour_faces || o.wireframe ? "size"
                                                               : "fabric";
    o.colour = *colour_mode_of(colour);
    if (!a.range.empty()) o.range = ValueRange{a.range[0], a.range[1]};

    if (a.eye.empty() && !a.azimuth && !a.elevation && a.camera != "fitted")
        shot.track = scene_camera(folder, a.camera == "scene" ? "" : a.camera);
    if (!a.camera.empty() && a.camera != "fitted" && !shot.track)
        throw InputError(Problem{"--camera", "",
                                 "a scene without a camera, or a camera given by "
                                 "--eye, --azimuth or --elevation as well",
                                 "one camera"});
    // A picture that shows what the camera saw in the simulation.
    if (!a.camera.empty() && shot.track && !a.has_width)
        o.width = std::max(2, 2 * int(std::lround(0.5 * o.height * shot.track->aspect)));
    const bool fit_range = !o.range && !is_category(o.colour) && frames.size() > 1;
    if (fit_range)
        for (const int frame : spread(frames)) {
            const ValueRange range = fitting_range(render_meshes(folder, looks, frame), o.colour);
            o.range = o.range ? united(o.colour, *o.range, range) : range;
        }
    if (shot.track) return shot;
    std::vector<RenderMesh> sampled;
    if (a.eye.empty() || a.target.empty())
        for (const int frame : spread(a.fit_frames ? frames : folder.frames()))
            for (ObjectMesh& m : folder.read(frame)) {
                RenderMesh r;
                r.name = std::move(m.name);
                r.positions = std::move(m.x);
                r.triangles = std::move(m.face_nodes);
                r.is_cloth = m.is_cloth;
                sampled.push_back(std::move(r));
            }

    const double fov = a.fov.value_or(default_fov) * degree;
    if (!a.eye.empty())
        shot.camera = Camera{
            vec(a.eye), a.target.empty() ? cloth_box(sampled).centre() : vec(a.target), o.up, fov};
    else
        shot.camera =
            fit_camera(sampled, o.up, double(o.width) / o.height, a.azimuth.value_or(25) * degree,
                       a.elevation.value_or(18) * degree, fov);
    return shot;
}

Image picture_of(const RenderArguments& a, const RunFolder& folder, const RunLooks& looks,
                 const Shot& shot, int frame)
{
    std::vector<RenderMesh> meshes = render_meshes(folder, looks, frame);
    for (RenderMesh& mesh : meshes)
        if (a.display == "loop" && mesh.is_cloth) mesh = loop_surface(mesh, a.display_levels);
    Camera camera;
    if (shot.camera) {
        camera = *shot.camera;
    } else {
        camera = camera_of(*shot.track, frame / fps_of(folder));
        if (a.fov) camera.vertical_fov = *a.fov * degree;
    }
    return render(meshes, camera, shot.options);
}

/// The name of a picture of a range: one %d or %05d, else a number before the extension.
fs::path numbered(const std::string& pattern, int frame)
{
    const std::size_t mark = pattern.find('%');
    if (mark == std::string::npos) {
        const fs::path path(pattern);
        return path.parent_path() /
               fmt::format("{}_{:05}{}", path.stem().string(), frame, path.extension().string());
    }
    std::size_t end = mark + 1;
    while (end < pattern.size() && pattern[end] >= '0' && pattern[end] <= '9') ++end;
    if (end == pattern.size() || pattern[end] != 'd' || end - mark > 4 ||
        pattern.find('%', end) != std::string::npos)
        throw InputError(Problem{"--output", "", "\"" + pattern + "\"",
                                 "a name with one %d or %05d for the number of the frame"});
    const int width = end > mark + 1 ? std::stoi(pattern.substr(mark + 1, end - mark - 1)) : 0;
    return pattern.substr(0, mark) + fmt::format("{:0{}}", frame, width) + pattern.substr(end + 1);
}

class RenderProgress {
public:
    RenderProgress(std::size_t total, bool quiet)
        : total_(total), quiet_(quiet), on_terminal_(::isatty(STDERR_FILENO) != 0)
    {}
    void done(int frame)
    {
        ++count_;
        if (quiet_ || total_ == 1) return;
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
        const double left = seconds / double(count_) * double(total_ - count_);
        fmt::print(stderr, "{}frame {}, {}/{}, {:.2f} s per picture, {:.0f} s left{}",
                   on_terminal_ ? "\r\033[K" : "", frame, count_, total_, seconds / double(count_),
                   left, on_terminal_ && count_ < total_ ? "" : "\n");
        std::fflush(stderr);
    }

private:
    std::size_t total_, count_ = 0;
    bool quiet_, on_terminal_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

int render_frames(const RenderArguments& a, std::size_t at_once)
{
    const RunFolder folder(a.folder);
    const RunLooks looks = looks_of(folder);
    const bool is_range = !a.frames.empty() || !a.film.empty();
    if (a.frame && is_range)
        throw InputError(
            Problem{"--frame", "",
                    fmt::format("frame {} beside {}", *a.frame,
                                a.frames.empty() ? "--film " + a.film : "--frames " + a.frames),
                    "one of the two"});
    const std::vector<int> frames =
        is_range ? frames_in(a.frames.empty() ? "all" : a.frames, folder.frames())
                 : std::vector<int>{a.frame.value_or(folder.last_frame())};
    if (a.film.empty()) {
        const std::string extension =
            CLI::detail::to_lower(fs::path(a.output).extension().string());
        if (extension != ".png")
            throw InputError(Problem{"--output", "", "\"" + a.output + "\"",
                                     "the name of a PNG file, which ends in .png; --film makes "
                                     "films"});
    }
    const Shot shot = plan_shot(a, folder, looks, frames);
    // At true speed: where frames are left out, each is shown for longer.
    const double stride =
        frames.size() < 2 ? 1 : double(frames.back() - frames.front()) / double(frames.size() - 1);
    const double fps = a.fps.value_or(fps_of(folder) / stride);
    std::optional<Film> film;
    const int width = shot.options.width, height = shot.options.height;
    if (!a.film.empty()) film.emplace(a.film, width, height, fps);
    RenderProgress progress(frames.size(), a.quiet);
    std::signal(SIGINT, stop_rendering); // what is written stays whole, a film's parts are removed
    std::signal(SIGTERM, stop_rendering);

    // Batches, so that reading and building of one frame go beside the rays of another, and films
    // get their pictures in order.
    for (std::size_t first = 0; first < frames.size(); first += at_once) {
        if (stop_signal != 0) return 128 + stop_signal;
        const std::size_t count = std::min(at_once, frames.size() - first);
        std::vector<Image> images(count);
        parallel_for(
            count,
            [&](std::size_t i) {
                images[i] = picture_of(a, folder, looks, shot, frames[first + i]);
            },
            1);
        for (std::size_t i = 0; i < count; ++i) {
            const int frame = frames[first + i];
            if (film)
                film->add(images[i]);
            else
                write_png(is_range ? numbered(a.output, frame) : fs::path(a.output), images[i]);
            progress.done(frame);
        }
    }
    if (film) film->finish();
    if (a.quiet) return exit_good;
    if (film)
        fmt::print("{}: frames {} to {} of {}, {}x{}, {:.2f} s\n", a.film, frames.front(),
                   frames.back(), a.folder, width, height, double(frames.size()) / fps);
    else if (is_range)
        fmt::print(
            "{} to {}: {} pictures of {}, {}x{}\n", numbered(a.output, frames.front()).string(),
            numbered(a.output, frames.back()).string(), frames.size(), a.folder, width, height);
    else
        fmt::print("{}: frame {} of {}, {}x{}\n", a.output, frames.front(), a.folder, width,
                   height);
    return exit_good;
}

} // namespace

Command add_render(CLI::App& program)
{
    auto a = std::make_shared<RenderArguments>();
    CLI::App* verb = program.add_subcommand("render", "Render pictures or a film of a run");
    verb->add_option("folder", a->folder, "The folder of a run")->required();
    verb->add_option("--frame", a->frame, "The frame (default: the last)");
    verb->add_option("--frames", a->frames, "Several frames: FIRST:LAST, FIRST:LAST:STEP or all");
    verb->add_option(
            "-o,--output", a->output,
            "The PNG file; for several frames a name with %05d for the number of the frame")
        ->capture_default_str();
    verb->add_option("--film", a->film, "A film (.mp4, .webm, ...) of all frames, or of --frames");
    verb->add_option("--fps", a->fps, "Frame rate of the film (default: true speed)")
        ->check(CLI::Range(0.1, 1000.0));
    CLI::Option* width = verb->add_option("--width", a->options.width, "[pixels]")
                             ->check(CLI::Range(1, 16384))
                             ->capture_default_str();
    verb->add_option("--height", a->options.height, "[pixels]")
        ->check(CLI::Range(1, 16384))
        ->capture_default_str();
    verb->add_option("--samples", a->options.samples, "Samples per pixel")
        ->check(CLI::Range(1, 4096))
        ->capture_default_str();
    verb->add_flag("--wireframe", a->options.wireframe,
                   "Draw the mesh; coloured by size unless --colour is given");
    verb->add_option("--colour,--color", a->colour,
                     "Colour faces by: fabric, size, aspect, strain, velocity, curvature, "
                     "material, driver, generation")
        ->check(CLI::IsMember(
            std::vector<std::string>(colour_mode_names.begin(), colour_mode_names.end())));
    verb->add_option("--range", a->range, "LOW,HIGH: values at the ends of the colour scale")
        ->delimiter(',')
        ->expected(2);
    verb->add_flag("--colour-faces", a->colour_faces, "The same as --colour size");
    verb->add_flag("--no-ground", a->no_ground, "Do not draw a floor");
    verb->add_flag("--dark", a->dark, "A dark background");
    verb->add_option("--azimuth", a->azimuth,
                     "Azimuth of the fitted camera [degrees] (default: 25)");
    verb->add_option("--elevation", a->elevation,
                     "Elevation of the fitted camera [degrees] (default: 18)")
        ->check(CLI::Range(-90, 90));
    verb->add_option("--fov", a->fov, "Vertical field of view [degrees] (default: 28)")
        ->check(CLI::Range(1, 170));
    verb->add_option("--eye", a->eye, "Camera position x,y,z [m], instead of the fitted camera")
        ->delimiter(',')
        ->expected(3);
    verb->add_option("--target", a->target, "Point that the camera looks at, x,y,z [m]")
        ->delimiter(',')
        ->expected(3);
    verb->add_option("--camera", a->camera,
                     "scene: the scene's camera, with its aspect; fitted; or the name of a camera");
    add_display_options(*verb, a->display, a->display_levels);
    verb->add_flag("--fit-frames", a->fit_frames,
                   "Fit the camera to the rendered frames, not to the whole run");
    verb->add_flag("-q,--quiet", a->quiet, "Print errors only");
    verb->add_option("--threads", a->threads, "Number of threads (default: one per core)")
        ->check(CLI::Range(0, 4096));
    verb->footer("If the scene has a camera, it is used, unless --eye, --azimuth or --elevation "
                 "is given. Otherwise a camera is fitted to the whole run.");
    return [a, width] {
        int code = exit_good;
        a->has_width = width->count() > 0;
        const Threads threads(a->threads);
        // One frame at a time, its tiles in parallel: frames beside one another made Embree's
        // builds wait for each other, once for minutes.
        constexpr std::size_t at_once = 1;
        threads.run([&] { code = render_frames(*a, at_once); });
        return code;
    };
}

} // namespace pleat::app
