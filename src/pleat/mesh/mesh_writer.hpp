// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Write access to a Mesh. Private to this folder.
#pragma once

#include "pleat/mesh/mesh.hpp"

namespace pleat {

class MeshWriter {
public:
    explicit MeshWriter(Mesh& mesh) : mesh_(mesh) {}
    [[nodiscard]] std::vector<Mesh::Vert>& verts() const { return mesh_.verts_; }
    [[nodiscard]] std::vector<Mesh::Node>& nodes() const { return mesh_.nodes_; }
    [[nodiscard]] std::vector<Mesh::Edge>& edges() const { return mesh_.edges_; }
    [[nodiscard]] std::vector<Mesh::Face>& faces() const { return mesh_.faces_; }
    [[nodiscard]] std::size_t& panel_count() const { return mesh_.panel_count_; }

private:
    Mesh& mesh_;
};

} // namespace pleat
