// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/export/ply_sink.hpp"

#include <utility>

namespace pleat {

FrameSinkPly::FrameSinkPly(const std::filesystem::path& directory)
    : FrameSinkPly(directory, Options{})
{}

FrameSinkPly::FrameSinkPly(const std::filesystem::path& directory, Options options)
    : files_(directory, "ply", options.names), options_(std::move(options))
{}

void FrameSinkPly::write(const Frame& frame)
{
    const auto paths = files_.paths_of(frame);
    for (std::size_t i = 0; i < paths.size(); ++i) {
        if (!paths[i]) continue;
        const FrameMesh& mesh = frame.meshes[i];
        PlyMesh ply;
        ply.x = mesh.x;
        ply.u = mesh.u;
        ply.vert_node = mesh.u.empty() ? std::span<const std::uint32_t>{} : mesh.vert_node;
        ply.faces = mesh.u.empty() ? mesh.face_nodes : mesh.face_verts;
        if (options_.velocities) ply.v = mesh.v;
        ply.comment = frame_comment(frame, mesh);
        write_ply(*paths[i], ply, options_.precision);
    }
}

} // namespace pleat
