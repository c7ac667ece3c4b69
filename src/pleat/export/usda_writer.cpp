// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A file of one frame has each time sample on one line of its own, below the line that declares the
// attribute:
//
//     point3f[] points.timeSamples = {
//         12: [(0, 0, 0), ...],
//     }
//
// So join_usda() only copies lines: those of the first frame, and below each declaration the
// samples of all frames.
#include "pleat/export/usda_writer.hpp"

#include "pleat/core/atomic_file.hpp"
#include "pleat/core/error.hpp"
#include "pleat/export/text_block.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <set>
#include <string_view>

namespace pleat {

namespace {

constexpr std::string_view samples_follow = ".timeSamples = {";

std::string shortest(double value)
{
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value);
    return std::string(text, end.ptr);
}

/// In quotes, for a string of one line.
std::string quoted(const std::string& text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c == '\n' || c == '\r' ? ' ' : c;
    }
    return out + "\"";
}

std::string stage_text(const UsdStage& stage, const std::string& root, const std::string& comment,
                       int first, int last)
{
    const bool is_y_up = stage.up[1] == 1; // USD has y and z only; x is turned to z
    std::string text = "#usda 1.0\n(\n";
    text += "    defaultPrim = \"" + root + "\"\n";
    text += "    doc = " + quoted(comment) + "\n";
    text += "    endTimeCode = " + std::to_string(last) + "\n";
    text += "    framesPerSecond = " + shortest(stage.fps) + "\n";
    text += "    metersPerUnit = 1\n";
    text += "    startTimeCode = " + std::to_string(first) + "\n";
    text += "    timeCodesPerSecond = " + shortest(stage.fps) + "\n";
    text += std::string("    upAxis = \"") + (is_y_up ? "Y" : "Z") + "\"\n)\n\n";
    return text;
}

/// Lines of a prim that turn x up into z up; none where it is not needed.
std::string turn_text(const UsdStage& stage, const std::string& indent)
{
    if (stage.up[0] != 1) return "";
    return indent + "double3 xformOp:rotateXYZ = (0, -90, 0)\n" + indent +
           "uniform token[] xformOpOrder = [\"xformOp:rotateXYZ\"]\n";
}

/// Writes the attributes of one mesh.
class MeshText {
public:
    MeshText(TextBlock& out, const UsdMesh& mesh, int frame)
        : out_(out), mesh_(mesh), frame_(std::to_string(frame))
    {}

    void write()
    {
        line("    uniform bool doubleSided = 1");
        attribute("    float3[] extent", mesh_.is_static, [&] { write_extent(); });
        const bool is_fixed = mesh_.is_fixed || mesh_.is_static;
        attribute("    int[] faceVertexCounts", is_fixed,
                  [&] { list(mesh_.face_nodes.size(), [&](std::size_t) { out_.count(3); }); });
        attribute("    int[] faceVertexIndices", is_fixed, [&] { corners(mesh_.face_nodes); });
        attribute("    point3f[] points", mesh_.is_static,
                  [&] { list(mesh_.x.size(), [&](std::size_t i) { out_.tuple(mesh_.x[i]); }); });
        if (!mesh_.u.empty()) write_material_points(is_fixed);
        line("    uniform token subdivisionScheme = \"none\"");
        if (!mesh_.v.empty() && !mesh_.is_static)
            attribute("    vector3f[] velocities", false, [&] {
                list(mesh_.v.size(), [&](std::size_t i) { out_.tuple(mesh_.v[i]); });
            });
        if (!mesh_.face_panel.empty()) write_panels(is_fixed);
    }

private:
    void line(std::string_view text)
    {
        out_.word(text);
        out_.end_line();
    }

    template <class Write> void list(std::size_t count, const Write& write)
    {
        out_.word("[");
        for (std::size_t i = 0; i < count; ++i) {
            if (i > 0) out_.word(", ");
            write(i);
        }
        out_.word("]");
    }

    void corners(std::span<const std::array<std::uint32_t, 3>> faces)
    {
        list(3 * faces.size(), [&](std::size_t i) { out_.count(faces[i / 3][i % 3]); });
    }

    /// \param metadata in brackets behind the declaration, may be empty
    template <class Value>
    void attribute(const std::string& declaration, bool is_constant, const Value& value,
                   const std::string& metadata = "")
    {
        const std::string indent(declaration.find_first_not_of(' '), ' ');
        if (is_constant) {
            out_.word(declaration + " = ");
            value();
            line(metadata);
            return;
        }
        // Metadata belongs to the declaration, samples come behind it.
        if (!metadata.empty()) line(declaration + metadata);
        line(declaration + std::string(samples_follow));
        out_.word(indent + "    " + frame_ + ": ");
        value();
        line(",");
        line(indent + "}");
    }

    void write_extent()
    {
        constexpr double far = std::numeric_limits<double>::infinity();
        Vec3 low{far, far, far}, high{-far, -far, -far};
        for (const Vec3& p : mesh_.x)
            for (std::size_t k = 0; k < 3; ++k) {
                low[k] = std::min(low[k], p[k]);
                high[k] = std::max(high[k], p[k]);
            }
        if (mesh_.x.empty()) low = high = {};
        list(2, [&](std::size_t i) { out_.tuple(i == 0 ? low : high); });
    }

    void write_material_points(bool is_fixed)
    {
        attribute(
            "    texCoord2f[] primvars:st", is_fixed,
            [&] { list(mesh_.u.size(), [&](std::size_t i) { out_.tuple(mesh_.u[i]); }); },
            " (interpolation = \"faceVarying\")");
        attribute("    int[] primvars:st:indices", is_fixed, [&] { corners(mesh_.face_verts); });
    }

    void write_panels(bool is_fixed)
    {
        line("    uniform token subsetFamily:panel:familyType = \"partition\"");
        const std::set<std::uint32_t> panels(mesh_.face_panel.begin(), mesh_.face_panel.end());
        for (const std::uint32_t panel : panels) {
            std::vector<std::size_t> faces;
            for (std::size_t f = 0; f < mesh_.face_panel.size(); ++f)
                if (mesh_.face_panel[f] == panel) faces.push_back(f);
            line("");
            line("    def GeomSubset \"panel_" + std::to_string(panel) + "\"");
            line("    {");
            line("        uniform token elementType = \"face\"");
            line("        uniform token familyName = \"panel\"");
            attribute("        int[] indices", is_fixed,
                      [&] { list(faces.size(), [&](std::size_t i) { out_.count(faces[i]); }); });
            line("    }");
        }
    }

    TextBlock& out_;
    const UsdMesh& mesh_;
    std::string frame_;
};

/// A stretch of a file.
struct Piece {
    std::streamoff at = 0;
    std::size_t bytes = 0;
};

/// The lines of a file of write_usda(): those of the prim's content, and where the samples are.
struct FrameLines {
    std::vector<std::string> content; // without the lines of samples
    std::vector<Piece> samples;       // one for each declaration
};

[[noreturn]] void refuse(const std::filesystem::path& path)
{
    throw InputError(Problem{path.string(), "", "not as `pleat` writes it", "a file of one frame"});
}

FrameLines read_lines(const std::filesystem::path& path, bool with_content)
{
    std::ifstream in(path, std::ios::binary);
    FrameLines lines;
    std::string line;
    bool is_inside = false, is_sample = false, is_closed = false;
    std::streamoff at = 0;
    while (std::getline(in, line)) {
        if (is_sample) {
            lines.samples.push_back({at, line.size()});
            is_sample = false;
        } else if (line == "}") {
            is_closed = is_inside;
            break;
        } else if (line == "{") {
            is_inside = true;
        } else if (is_inside) {
            is_sample = line.ends_with(samples_follow);
            // What turns the object alone is not wanted below a root that is turned.
            if (with_content && line.find("xformOp") == std::string::npos)
                lines.content.push_back(line);
        }
        at += std::streamoff(line.size()) + 1;
    }
    if (!is_closed) refuse(path);
    return lines;
}

std::string read_piece(std::ifstream& in, const Piece& piece)
{
    std::string text(piece.bytes, '\0');
    in.seekg(piece.at);
    in.read(text.data(), std::streamsize(piece.bytes));
    return text;
}

/// Copies one object with the samples of all its frames.
class ObjectText {
public:
    ObjectText(AtomicFile& file, const UsdFrames& object) : file_(file), object_(object)
    {
        for (const auto& [frame, path] : object.files) {
            FrameLines lines = read_lines(path, paths_.empty());
            if (paths_.empty()) content_ = std::move(lines.content);
            paths_.push_back(path);
            samples_.push_back(std::move(lines.samples));
            if (samples_.back().size() != samples_.front().size()) refuse(path);
        }
    }

    [[nodiscard]] bool is_static() const { return samples_.front().empty(); }

    void write(const std::string& name, int first, int last)
    {
        file_.append("\n    def Mesh \"" + name + "\"\n    {\n");
        if (!is_static()) write_visibility(first, last);
        std::size_t k = 0;
        for (const std::string& line : content_) {
            file_.append(line.empty() ? "\n" : "    " + line + "\n");
            if (!line.ends_with(samples_follow)) continue;
            for (std::size_t i = 0; i < paths_.size(); ++i) {
                std::ifstream in(paths_[i], std::ios::binary);
                file_.append("    " + read_piece(in, samples_[i][k]) + "\n");
            }
            ++k;
        }
        file_.append("    }\n");
    }

private:
    void write_visibility(int first, int last)
    {
        std::string samples;
        bool was_there = true;
        for (int frame = first; frame <= last; ++frame) {
            const bool is_there = object_.files.contains(frame);
            if (is_there != was_there)
                samples += "            " + std::to_string(frame) +
                           (is_there ? ": \"inherited\",\n" : ": \"invisible\",\n");
            was_there = is_there;
        }
        if (!samples.empty())
            file_.append("        token visibility" + std::string(samples_follow) + "\n" + samples +
                         "        }\n");
    }

    AtomicFile& file_;
    const UsdFrames& object_;
    std::vector<std::filesystem::path> paths_;
    std::vector<std::vector<Piece>> samples_; // by frame
    std::vector<std::string> content_;
};

} // namespace

std::string usd_identifier(const std::string& name)
{
    std::string out;
    for (const char c : name) {
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        const bool is_digit = c >= '0' && c <= '9';
        if (is_digit && out.empty()) out += '_';
        out += is_letter || is_digit ? c : '_';
    }
    return out.empty() ? "mesh" : out;
}

void write_usda(const std::filesystem::path& path, const UsdMesh& mesh, int frame,
                const UsdStage& stage)
{
    PLEAT_ASSERT(mesh.v.empty() || mesh.v.size() == mesh.x.size(), "one velocity a node");
    PLEAT_ASSERT(mesh.face_verts.size() == (mesh.u.empty() ? 0 : mesh.face_nodes.size()),
                 "verts for every face");
    AtomicFile file(path);
    TextBlock out(file);
    const std::string name = usd_identifier(mesh.name);
    out.word(stage_text(stage, name, mesh.comment, frame, frame));
    out.word("def Mesh \"" + name + "\"\n{\n");
    out.word(turn_text(stage, "    "));
    MeshText(out, mesh, frame).write();
    out.word("}\n");
    out.flush();
    file.commit();
}

void join_usda(const std::filesystem::path& path, const std::vector<UsdFrames>& objects,
               const UsdStage& stage)
{
    AtomicFile file(path);
    std::vector<ObjectText> texts;
    int first = std::numeric_limits<int>::max(), last = 0;
    for (const UsdFrames& object : objects) {
        texts.emplace_back(file, object);
        if (texts.back().is_static()) continue; // numbered 0 whenever it comes
        first = std::min(first, object.files.begin()->first);
        last = std::max(last, object.files.rbegin()->first);
    }
    first = std::min(first, last);
    file.append(stage_text(stage, "run",
                           "Pleat: frames " + std::to_string(first) + " to " + std::to_string(last),
                           first, last));
    file.append("def Xform \"run\"\n{\n" + turn_text(stage, "    "));
    std::set<std::string> taken;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const std::string base = usd_identifier(objects[i].name);
        std::string name = base;
        for (int k = 2; !taken.insert(name).second; ++k) name = base + "_" + std::to_string(k);
        texts[i].write(name, first, last);
    }
    file.append("}\n");
    file.commit();
}

} // namespace pleat
