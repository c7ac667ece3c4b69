// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "run_view.hpp"

#include "frame_range.hpp"
#include "stats_table.hpp"
#include "view_assets.hpp"

#include "pleat/core/atomic_file.hpp"
#include "pleat/core/error.hpp"
#include "pleat/export/frame_files.hpp"
#include "pleat/render/face_values.hpp"

#include <nlohmann/json.hpp>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>

namespace pleat::app {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// --- frames
// ---------------------------------------------------------------------------------------

enum PacketFlag : std::uint32_t {
    flag_cloth = 1,
    flag_static = 2,
    flag_arrays = 4,
    flag_verts = 8,
    flag_fabrics = 16,
    flag_speed = 32,
    flag_sizing = 64,
    flag_generations = 128,
};

class PacketWriter {
public:
    template <class T> void put(T value) { put_bytes(&value, sizeof value); }
    void put_bytes(const void* data, std::size_t size)
    {
        bytes_.append(static_cast<const char*>(data), size);
    }
    void align() { bytes_.resize((bytes_.size() + 3) / 4 * 4, '\0'); }
    std::string take() { return std::move(bytes_); }

private:
    std::string bytes_;
};

void put_object(PacketWriter& out, const FrameObject& object, const RunLooks& looks,
                const PacketOptions& options)
{
    const ObjectMesh& m = object.mesh;
    const auto cloth = std::find_if(looks.cloths.begin(), looks.cloths.end(), [&](const auto& c) {
        return m.is_cloth && c.object == m.name;
    });
    const bool has_look = cloth != looks.cloths.end();
    const bool has_arrays = !m.is_static || options.static_objects;
    const bool several_fabrics = has_look && object.attributes && cloth->fabric.size() > 1;
    const bool has_speed = options.speed && object.attributes;
    const bool has_sizing =
        options.sizing && object.attributes && !object.attributes->face_ellipse.empty();
    const bool has_generations = object.attributes && !object.attributes->face_generation.empty();

    std::uint32_t flags = 0;
    if (m.is_cloth) flags |= flag_cloth;
    if (m.is_static) flags |= flag_static;
    if (has_arrays) {
        flags |= flag_arrays;
        if (m.face_verts != m.face_nodes && !m.u.empty()) flags |= flag_verts;
        if (several_fabrics) flags |= flag_fabrics;
        if (has_speed) flags |= flag_speed;
        if (has_sizing) flags |= flag_sizing;
        if (has_generations) flags |= flag_generations;
    }
    out.put(flags);
    out.put(std::uint32_t(m.name.size()));
    out.put(std::uint32_t(has_arrays ? m.x.size() : 0));
    out.put(std::uint32_t(has_arrays ? m.u.size() : 0));
    out.put(std::uint32_t(has_arrays ? m.face_nodes.size() : 0));
    out.put(std::uint32_t(has_look ? cloth->fabric.at(0) : 0));
    out.put_bytes(m.name.data(), m.name.size());
    out.align();
    if (!has_arrays) return;

    for (const Vec3& x : m.x) {
        const float point[3]{float(x[0]), float(x[1]), float(x[2])};
        out.put_bytes(point, sizeof point);
    }
    out.put_bytes(m.face_nodes.data(), m.face_nodes.size() * sizeof m.face_nodes[0]);
    for (const Vec2& u : m.u) {
        const float point[2]{float(u[0]), float(u[1])};
        out.put_bytes(point, sizeof point);
    }
    if ((flags & flag_verts) != 0)
        out.put_bytes(m.face_verts.data(), m.face_verts.size() * sizeof m.face_verts[0]);
    if ((flags & flag_fabrics) != 0) {
        for (const std::uint16_t f : object.attributes->face_material)
            out.put(
                std::uint16_t(cloth->fabric[std::min<std::size_t>(f, cloth->fabric.size() - 1)]));
        out.align();
    }
    if ((flags & flag_speed) != 0)
        for (const Vec3f& v : object.attributes->velocity) out.put(norm(v));
    if ((flags & flag_sizing) != 0) {
        out.put(std::uint32_t(looks.drivers.size()));
        for (const float length : face_drivers(object, looks)) out.put(half_from_float(length));
        for (const SizingEllipse& e : object.attributes->face_ellipse)
            for (const float c : {e.longest, e.shortest, e.angle}) out.put(half_from_float(c));
        out.align();
    }
    if ((flags & flag_generations) != 0) {
        for (const std::uint8_t g : object.attributes->face_generation) out.put(g);
        out.align();
    }
}

// --- JSON
// -----------------------------------------------------------------------------------------

std::string text_of(const Json& json)
{
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Infinite and missing numbers are null, as JSON has none.
Json number(double value)
{
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json to_json(const Vec3& v)
{
    return Json::array({v[0], v[1], v[2]});
}

/// "#rrggbb"
std::string hex(const Vec3& colour)
{
    std::string text = "#";
    for (const double c : colour.e) {
        constexpr const char* digits = "0123456789abcdef";
        const int byte = int(std::lround(255 * std::clamp(c, 0.0, 1.0)));
        text += digits[byte / 16];
        text += digits[byte % 16];
    }
    return text;
}

/// The colours of one mode as rows of a picture: [columns along the value][rows along the second].
Json colour_table(ColourMode mode)
{
    constexpr int columns = 128, rows_of_size = 32;
    Json table = Json::array();
    const int rows = mode == ColourMode::size ? rows_of_size : 1;
    for (int r = 0; r < rows; ++r) {
        std::string line;
        for (int c = 0; c < columns; ++c) {
            const double t = double(c) / (columns - 1);
            Vec3 colour;
            if (mode == ColourMode::size) // from small to large, thin to round; area as logarithm
                colour =
                    face_colour(std::exp(t), double(r) / (rows_of_size - 1), 1.0, std::exp(1.0));
            else
                colour = value_colour(mode, {float(t), 0}, {0, 1});
            line += hex(colour).substr(1);
        }
        table.push_back(line);
    }
    return table;
}

struct ModeText {
    const char* label;
    const char* unit;
    const char* hint;
};

ModeText text_of(ColourMode mode)
{
    switch (mode) {
    case ColourMode::fabric:
        return {"Fabric", "", "Colours and patterns of the fabrics"};
    case ColourMode::size:
        return {"Face size", "m²", "Large faces blue, small ones red, thin ones yellow"};
    case ColourMode::aspect:
        return {"Aspect", "", "1 is equilateral, 0 is degenerate"};
    case ColourMode::strain:
        return {"Principal strain", "%", "The principal strain of larger magnitude"};
    case ColourMode::velocity:
        return {"Velocity", "m/s", "Speed of the cloth"};
    case ColourMode::curvature:
        return {"Curvature", "1/m", "The principal curvature of larger magnitude"};
    case ColourMode::material:
        return {"Material", "", "The fabric of each face"};
    case ColourMode::driver:
        return {"Sizing driver", "",
                "The criterion that asks for the finest mesh; none if the longest edge is allowed"};
    case ColourMode::generation:
        return {"Generation", "", "Steps of root-3 subdivision times two; 0 is the mesh file's"};
    }
    return {"", "", ""};
}

Json modes_json(const RunLooks& looks)
{
    Json modes = Json::array();
    for (std::size_t i = 0; i < colour_mode_count; ++i) {
        const auto mode = ColourMode(i);
        const ModeText text = text_of(mode);
        Json item{{"name", name_of(mode)},
                  {"label", text.label},
                  {"unit", text.unit},
                  {"hint", text.hint}};
        Json categories = Json::array();
        if (mode == ColourMode::driver)
            for (std::size_t d = 0; d <= looks.drivers.size(); ++d)
                categories.push_back({{"name", d > 0 ? looks.drivers[d - 1] : "none"},
                                      {"colour", hex(value_colour(mode, {float(d), 0}, {}))}});
        if (mode == ColourMode::material)
            for (std::size_t f = 0; f < looks.fabrics.size(); ++f)
                categories.push_back({{"name", looks.fabrics[f]},
                                      {"colour", hex(value_colour(mode, {float(f), 0}, {}))}});
        if (mode != ColourMode::fabric && !is_category(mode)) item["colours"] = colour_table(mode);
        if (!categories.empty()) item["categories"] = categories;
        modes.push_back(item);
    }
    return modes;
}

Json looks_json(const RunLooks& looks)
{
    static constexpr const char* patterns[] = {"plain", "dots", "stripes", "ribs", "twill"};
    Json all = Json::object();
    for (const auto& cloth : looks.cloths) {
        Json list = Json::array();
        for (const FabricLook& look : cloth.looks)
            list.push_back({{"colour", hex(look.colour)},
                            {"back", hex(back_colour(look.colour))},
                            {"second", hex(look.second)},
                            {"secondBack", hex(back_colour(look.second))},
                            {"pattern", patterns[std::size_t(look.pattern)]},
                            {"repeat", look.repeat},
                            {"sheen", look.sheen}});
        all[cloth.object] = list;
    }
    return all;
}

Json run_json_of(const fs::path& folder, const RunFolder& run, const RunLooks& looks)
{
    std::error_code code;
    const fs::path canonical = fs::canonical(folder, code);
    Json palette = Json::array();
    for (std::size_t i = 0; i < cloth_colour_count; ++i)
        palette.push_back({hex(cloth_colour(i)), hex(back_colour(cloth_colour(i)))});
    Json json{{"name", (code ? folder : canonical).filename().string()},
              {"folder", (code ? folder : canonical).string()},
              {"version", PLEAT_VERSION},
              {"fps", fps_of(run)},
              {"up", to_json(run.scene() ? run.scene()->up : Vec3{0, 0, 1})},
              {"fabrics", looks.fabrics},
              {"looks", looks_json(looks)},
              {"palette", palette},
              {"obstacle", hex(obstacle_colour())},
              {"modes", modes_json(looks)},
              {"drivers", looks.drivers}};
    if (run.scene()) {
        Json limits = Json::object(), lengths = Json::object();
        for (const ClothDescription& c : run.scene()->cloths) {
            const std::string stem = file_stem(c.name);
            if (!c.materials.empty() && c.materials[0].strain_limits)
                limits[stem] = {c.materials[0].strain_limits->min,
                                c.materials[0].strain_limits->max};
            if (c.remeshing.type != "none") lengths[stem] = c.remeshing.edge_length;
        }
        json["strainLimits"] = limits;
        json["edgeLengths"] = lengths;
        if (const auto track = scene_camera(run)) {
            // At rest one camera does; a moving one is given frame by frame.
            const bool moves = !track->motion.keys.empty() || track->keys.size() > 1;
            Json cameras = Json::array();
            const int last = moves ? std::max(run.scene()->frames, run.last_frame()) : 0;
            for (int f = 0; f <= last; ++f) {
                const CameraView c = camera_at(*track, f / run.scene()->fps);
                cameras.push_back({{"eye", to_json(c.eye)},
                                   {"target", to_json(c.target)},
                                   {"up", to_json(c.up)},
                                   {"fov", c.fov},
                                   {"aspect", c.aspect},
                                   {"near", c.near},
                                   {"far", c.far}});
            }
            json["cameras"] = cameras;
        }
    }
    return json;
}

/// What run.json says, or nothing where it cannot be read.
Json record_of(const fs::path& folder)
{
    std::ifstream in(folder / "run.json");
    return in ? Json::parse(in, nullptr, false) : Json(Json::value_t::discarded);
}

Json progress_json_of(const fs::path& folder, const RunFolder* run, std::size_t first_row)
{
    const Json record = record_of(folder);
    const bool has_record = record.is_object();
    const auto word = [&](const char* key, const std::string& standard) {
        return has_record && record.contains(key) && record[key].is_string()
                   ? record[key].get<std::string>()
                   : standard;
    };
    const std::string state = word("state", run != nullptr ? "unknown" : "starting");
    Json json{{"state", state}, {"trouble", word("trouble", "")}};
    if (has_record && record.contains("frames") && record["frames"].is_number_integer())
        json["expected"] = record["frames"];

    StatsTable stats;
    try {
        stats = read_stats(folder / "stats.csv");
    } catch (const InputError&) {
        stats = {}; // frames can be looked at without
    }
    const auto frame_column = stats.column("frame");
    int last_whole = run != nullptr ? run->last_frame() : -1;
    // A frame whose row is there is whole; the one after may be half written.
    if (state == "running" && frame_column)
        last_whole = stats.rows.empty() ? -1 : int(stats.rows.back()[*frame_column]);
    Json ranges = Json::array();
    if (run != nullptr)
        for (const int f : run->frames()) {
            if (f > last_whole) break;
            if (!ranges.empty() && ranges.back()[1] == f - 1)
                ranges.back()[1] = f;
            else
                ranges.push_back({f, f});
        }
    json["frames"] = ranges;
    json["columns"] = stats.columns;
    json["firstRow"] = first_row;
    Json rows = Json::array();
    for (std::size_t r = first_row; r < stats.rows.size(); ++r) {
        Json row = Json::array();
        for (const double value : stats.rows[r]) row.push_back(number(value));
        rows.push_back(row);
    }
    json["rows"] = rows;
    return json;
}

// --- the page as one file
// -------------------------------------------------------------------------

std::string base64(std::string_view bytes)
{
    constexpr const char* digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t left = bytes.size() - i;
        const auto byte = [&](std::size_t k) {
            return k < left ? std::uint32_t(static_cast<unsigned char>(bytes[i + k])) : 0u;
        };
        const std::uint32_t three = byte(0) << 16 | byte(1) << 8 | byte(2);
        text += digits[three >> 18];
        text += digits[(three >> 12) & 63];
        text += left > 1 ? digits[(three >> 6) & 63] : '=';
        text += left > 2 ? digits[three & 63] : '=';
    }
    return text;
}

std::string deflated(const std::string& bytes)
{
    uLongf size = compressBound(uLong(bytes.size()));
    std::string out(size, '\0');
    const int code =
        compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                  reinterpret_cast<const Bytef*>(bytes.data()), uLong(bytes.size()), 9);
    PLEAT_ASSERT(code == Z_OK, "the buffer is large enough");
    out.resize(size);
    return out;
}

void replace_all(std::string& text, std::string_view what, std::string_view with)
{
    for (std::size_t at = text.find(what); at != std::string::npos;
         at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
}

/// Text for a script element: "</script" and "<!--" must not stand in it.
std::string script_safe(std::string text)
{
    replace_all(text, "</", "<\\/");
    replace_all(text, "<!--", "<\\!--");
    return text;
}

} // namespace

std::string frame_packet(const RunFolder& folder, const RunLooks& looks, int frame,
                         const PacketOptions& options)
{
    const std::vector<FrameObject> objects = read_objects(folder, frame);
    PacketWriter out;
    out.put_bytes("PLF1", 4);
    out.put(std::uint32_t(2));
    out.put(std::uint32_t(frame));
    out.put(std::uint32_t(objects.size()));
    for (const FrameObject& object : objects) put_object(out, object, looks, options);
    return out.take();
}

RunView::RunView(fs::path folder, bool may_be_empty)
    : folder_(std::move(folder)), may_be_empty_(may_be_empty)
{
    if (!may_be_empty_) (void)snapshot();
}

std::shared_ptr<const RunView::Snapshot> RunView::snapshot()
{
    // The folder's time changes with every file that comes or goes; then it is listed anew.
    std::error_code code;
    const auto time = fs::last_write_time(folder_ / "frames", code);
    const std::lock_guard lock(mutex_);
    if (latest_ && !code && time == latest_time_) return latest_;
    latest_.reset();
    latest_ = std::make_shared<const Snapshot>(folder_);
    latest_time_ = time;
    return latest_;
}

std::string RunView::run_json()
{
    const auto now = snapshot();
    return text_of(run_json_of(folder_, now->run, now->looks));
}

std::string RunView::progress_json(std::size_t first_row)
{
    std::shared_ptr<const Snapshot> now;
    try {
        now = snapshot();
    } catch (const InputError&) {
        std::error_code code;
        if (!may_be_empty_ || !fs::exists(folder_, code)) throw;
    }
    return text_of(progress_json_of(folder_, now ? &now->run : nullptr, first_row));
}

std::string RunView::frame(int number, const PacketOptions& options)
{
    const auto now = snapshot();
    return frame_packet(now->run, now->looks, number, options);
}

void export_page(const fs::path& folder, const std::string& frames, const fs::path& path)
{
    const RunFolder run(folder);
    const RunLooks looks = looks_of(run);
    const std::vector<int> chosen = frames_in(frames.empty() ? "all" : frames, run.frames());

    std::string page(find_asset("index.html")->bytes);
    const std::string style(find_asset("style.css")->bytes);
    replace_all(page, "<link rel=\"stylesheet\" href=\"style.css\">",
                "<style>" + style + "</style>");
    replace_all(page, "<link rel=\"icon\" href=\"icon.svg\">",
                "<link rel=\"icon\" href=\"data:image/svg+xml;base64," +
                    base64(find_asset("icon.svg")->bytes) + "\">");
    // Modules from disk may not load one another by path; an import map gives each a name.
    Json imports = Json::object();
    for (const Asset& asset : assets()) {
        if (!asset.name.ends_with(".js")) continue;
        std::string text(asset.bytes);
        for (const Asset& other : assets())
            replace_all(text, "'./" + std::string(other.name) + "'",
                        "'pleat/" + std::string(other.name) + "'");
        imports["pleat/" + std::string(asset.name)] = "data:text/javascript;base64," + base64(text);
    }

    Json progress = progress_json_of(folder, &run, 0);
    Json ranges = Json::array();
    for (const int f : chosen) {
        if (!ranges.empty() && ranges.back()[1] == f - 1)
            ranges.back()[1] = f;
        else
            ranges.push_back({f, f});
    }
    progress["frames"] = ranges;
    if (progress["state"] == "running") progress["state"] = "stopped";
    Json meta = run_json_of(folder, run, looks);
    meta.erase("folder"); // the file goes to other people

    AtomicFile file(path);
    const std::string script = "<script type=\"module\" src=\"main.js\"></script>";
    const std::size_t mark = page.find(script);
    PLEAT_ASSERT(mark != std::string::npos, "the page loads its script");
    file.append(page.substr(0, mark));
    file.append("<script type=\"importmap\">" + text_of(Json{{"imports", imports}}) +
                "</script>\n");
    file.append("<script type=\"application/json\" id=\"pleat-run\">" + script_safe(text_of(meta)) +
                "</script>\n<script type=\"application/json\" id=\"pleat-progress\">" +
                script_safe(text_of(progress)) + "</script>\n");
    PacketOptions options{true, true, true};
    for (const int f : chosen) {
        file.append("<script type=\"text/plain\" id=\"pleat-frame-" + std::to_string(f) + "\">" +
                    base64(deflated(frame_packet(run, looks, f, options))) + "</script>\n");
        options.static_objects = false; // they are in the first one
    }
    file.append("<script type=\"module\">import 'pleat/main.js';</script>\n");
    file.append(page.substr(mark + script.size()));
    file.commit();
}

} // namespace pleat::app
