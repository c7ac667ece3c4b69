// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/export/obj_sink.hpp"

#include "pleat/export/obj_writer.hpp"

#include <utility>

namespace pleat {

FrameSinkObj::FrameSinkObj(const std::filesystem::path& directory)
    : FrameSinkObj(directory, Options{})
{}

FrameSinkObj::FrameSinkObj(const std::filesystem::path& directory, Options options)
    : files_(directory, "obj", options.names), options_(std::move(options))
{}

void FrameSinkObj::write(const Frame& frame)
{
    const auto paths = files_.paths_of(frame);
    for (std::size_t i = 0; i < paths.size(); ++i) {
        if (!paths[i]) continue;
        const FrameMesh& mesh = frame.meshes[i];
        ObjMesh obj;
        obj.x = mesh.x;
        obj.u = mesh.u;
        obj.face_nodes = mesh.face_nodes;
        obj.face_verts = mesh.face_verts;
        if (options_.velocities) obj.v = mesh.v;
        obj.comment = frame_comment(frame, mesh);
        write_obj(*paths[i], obj);
    }
}

} // namespace pleat
