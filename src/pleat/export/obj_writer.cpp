// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/export/obj_writer.hpp"

#include "pleat/core/atomic_file.hpp"
#include "pleat/core/error.hpp"
#include "pleat/export/text_block.hpp"

#include <algorithm>
#include <string_view>

namespace pleat {

namespace {

void check_sizes(const ObjMesh& mesh)
{
    [[maybe_unused]] const auto fits = [](std::size_t size, std::size_t count) {
        return size == 0 || size == count;
    };
    PLEAT_ASSERT(fits(mesh.v.size(), mesh.x.size()), "one velocity a node");
    PLEAT_ASSERT(fits(mesh.label.size(), mesh.x.size()), "one label a node");
    PLEAT_ASSERT(fits(mesh.face_verts.size(), mesh.face_nodes.size()), "verts for every face");
    PLEAT_ASSERT(fits(mesh.face_material.size(), mesh.face_nodes.size()), "one material a face");
    PLEAT_ASSERT(mesh.face_nodes.empty() || mesh.u.empty() == mesh.face_verts.empty(),
                 "material points and the faces that use them");
}

void write_comment(TextBlock& out, std::string_view comment)
{
    while (!comment.empty()) {
        const std::size_t length = std::min(comment.find('\n'), comment.size());
        out.word("# ");
        std::string line(comment.substr(0, length));
        std::replace(line.begin(), line.end(), '\r', ' ');
        std::replace(line.begin(), line.end(), '\0', ' ');
        if (line.ends_with('\\')) line += ' '; // not a continued line
        out.word(line);
        out.end_line();
        comment.remove_prefix(std::min(length + 1, comment.size()));
    }
}

void write_nodes(TextBlock& out, const ObjMesh& mesh)
{
    for (std::size_t i = 0; i < mesh.x.size(); ++i) {
        out.word("v");
        for (const double c : mesh.x[i].e) out.real(c);
        out.end_line();
        if (!mesh.v.empty()) {
            out.word("nv");
            for (const double c : mesh.v[i].e) out.real(c);
            out.end_line();
        }
        if (!mesh.label.empty() && mesh.label[i] != 0) {
            out.word("nl");
            out.integer(mesh.label[i]);
            out.end_line();
        }
    }
}

void write_edge_marks(TextBlock& out, const ObjMesh& mesh)
{
    for (const MeshInput::EdgeMark& mark : mesh.edge_marks) {
        out.word("e");
        out.integer(std::int64_t{mark.node_a} + 1);
        out.integer(std::int64_t{mark.node_b} + 1);
        out.end_line();
        if (mark.rest_angle) {
            out.word("ea");
            out.real(*mark.rest_angle);
            out.end_line();
        }
        if (mark.keep) {
            out.word("ep 1");
            out.end_line();
        }
    }
}

void write_faces(TextBlock& out, const ObjMesh& mesh)
{
    for (std::size_t i = 0; i < mesh.face_nodes.size(); ++i) {
        out.word("f");
        for (std::size_t k = 0; k < 3; ++k) {
            if (mesh.face_verts.empty())
                out.integer(std::int64_t{mesh.face_nodes[i][k]} + 1);
            else
                out.corner(mesh.face_nodes[i][k], mesh.face_verts[i][k]);
        }
        out.end_line();
        // A file with any tm gives 0 to the faces without, so those need no line; but one that
        // has only zeros would come back without material indices.
        if (!mesh.face_material.empty() && (mesh.face_material[i] != 0 || i == 0)) {
            out.word("tm");
            out.integer(mesh.face_material[i]);
            out.end_line();
        }
    }
}

} // namespace

ObjMesh view_as_obj(const MeshInput& input)
{
    ObjMesh mesh;
    mesh.x = input.node_x;
    mesh.u = input.material_u;
    mesh.face_nodes = input.face_nodes;
    mesh.face_verts = input.face_points;
    mesh.v = input.node_v;
    mesh.label = input.node_label;
    mesh.face_material = input.face_material;
    mesh.edge_marks = input.edge_marks;
    return mesh;
}

void write_obj(const std::filesystem::path& path, const ObjMesh& mesh)
{
    check_sizes(mesh);
    AtomicFile file(path);
    TextBlock out(file);
    write_comment(out, mesh.comment);
    write_nodes(out, mesh);
    for (const Vec2& u : mesh.u) {
        out.word("vt");
        for (const double c : u.e) out.real(c);
        out.end_line();
    }
    write_edge_marks(out, mesh);
    write_faces(out, mesh);
    out.flush();
    file.commit();
}

} // namespace pleat
