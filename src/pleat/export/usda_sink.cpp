// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/export/usda_sink.hpp"

#include <utility>

namespace pleat {

FrameSinkUsda::FrameSinkUsda(const std::filesystem::path& directory)
    : FrameSinkUsda(directory, Options{})
{}

FrameSinkUsda::FrameSinkUsda(const std::filesystem::path& directory, Options options)
    : files_(directory, "usda", options.names), options_(std::move(options))
{}

void FrameSinkUsda::write(const Frame& frame)
{
    const auto paths = files_.paths_of(frame);
    for (std::size_t i = 0; i < paths.size(); ++i) {
        if (!paths[i]) continue;
        const FrameMesh& mesh = frame.meshes[i];
        UsdMesh usd;
        usd.name = mesh.name;
        usd.x = mesh.x;
        usd.v = mesh.v;
        usd.face_nodes = mesh.face_nodes;
        usd.u = mesh.u;
        usd.face_verts = mesh.face_verts;
        usd.face_panel = mesh.face_panel;
        usd.is_fixed = !mesh.is_cloth || options_.has_fixed_faces;
        usd.is_static = mesh.is_static;
        usd.comment = frame_comment(frame, mesh);
        write_usda(*paths[i], usd, mesh.is_static ? 0 : frame.number, options_.stage);
    }
}

void FrameSinkUsda::finish()
{
    std::vector<UsdFrames> objects;
    for (auto& [name, files] : files_.written()) objects.push_back({name, files});
    if (!objects.empty()) join_usda(files_.file_of_run("usda"), objects, options_.stage);
}

} // namespace pleat
