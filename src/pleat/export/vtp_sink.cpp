// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/export/vtp_sink.hpp"

#include <utility>

namespace pleat {

FrameSinkVtp::FrameSinkVtp(const std::filesystem::path& directory)
    : FrameSinkVtp(directory, Options{})
{}

FrameSinkVtp::FrameSinkVtp(const std::filesystem::path& directory, Options options)
    : files_(directory, "vtp", options.names), options_(std::move(options))
{}

void FrameSinkVtp::write(const Frame& frame)
{
    const auto paths = files_.paths_of(frame);
    for (std::size_t i = 0; i < paths.size(); ++i) {
        if (!paths[i]) continue;
        const FrameMesh& mesh = frame.meshes[i];
        if (mesh.is_static)
            if (const auto parts = options_.names.match(paths[i]->stem().string()))
                static_names_.insert(parts->name);
        VtpMesh vtp;
        vtp.x = mesh.x;
        vtp.v = mesh.v;
        vtp.u = mesh.u;
        vtp.vert_node = mesh.u.empty() ? std::span<const std::uint32_t>{} : mesh.vert_node;
        vtp.faces = mesh.u.empty() ? mesh.face_nodes : mesh.face_verts;
        vtp.face_panel = mesh.face_panel;
        vtp.time = mesh.is_static ? 0 : frame.time;
        write_vtp(*paths[i], vtp);
    }
}

void FrameSinkVtp::finish()
{
    const auto objects = files_.written();
    std::set<int> frames;
    for (const auto& [name, files] : objects)
        for (const auto& [frame, path] : files) frames.insert(frame);
    std::vector<PvdEntry> entries;
    for (const int frame : frames) {
        int part = 0;
        for (const auto& [name, files] : objects) {
            const auto found = static_names_.contains(name) ? files.begin() : files.find(frame);
            if (found != files.end())
                entries.push_back({frame / options_.fps, part, name,
                                   std::filesystem::path("frames") / found->second.filename()});
            ++part;
        }
    }
    if (!entries.empty()) write_pvd(files_.file_of_run("pvd"), entries);
}

} // namespace pleat
