// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/export/glb_sink.hpp"

#include <utility>

namespace pleat {

FrameSinkGlb::FrameSinkGlb(const std::filesystem::path& directory)
    : FrameSinkGlb(directory, Options{})
{}

FrameSinkGlb::FrameSinkGlb(const std::filesystem::path& directory, Options options)
    : files_(directory, "glb", options.names), options_(std::move(options))
{}

void FrameSinkGlb::write(const Frame& frame)
{
    const auto paths = files_.paths_of(frame);
    for (std::size_t i = 0; i < paths.size(); ++i) {
        if (!paths[i]) continue;
        const FrameMesh& mesh = frame.meshes[i];
        GlbMesh glb;
        glb.name = mesh.name;
        glb.x = mesh.x;
        glb.face_nodes = mesh.face_nodes;
        glb.v = mesh.v;
        glb.u = mesh.u;
        glb.vert_node = mesh.u.empty() ? std::span<const std::uint32_t>{} : mesh.vert_node;
        glb.face_verts = mesh.face_verts;
        glb.up = options_.up;
        write_glb(*paths[i], glb);
    }
}

} // namespace pleat
