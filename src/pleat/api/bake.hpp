// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The frames of an adaptive cloth on a mesh that stays the same: each vert of the fixed mesh is a
// point of a panel, and in every frame it is where this point of the cloth is.
#pragma once

#include "pleat/core/field.hpp"
#include "pleat/core/vec.hpp"
#include "pleat/mesh/mesh.hpp"
#include "pleat/mesh/mesh_input.hpp"
#include "pleat/sim/frames.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pleat {

/// Distances between the adaptive surface and the fixed mesh at the same points of the material.
struct BakeError {
    double largest = 0; // [m]
    double squares = 0; // sum [m^2]
    std::size_t points = 0;

    [[nodiscard]] double rms() const;
    void add(const BakeError& b);
};

class BakeMesh {
public:
    /// A mesh whose panels are those of the frame, by number: that of the start of a scene.
    explicit BakeMesh(const ObjectMesh& mesh);
    /// Any mesh with material coordinates in metres. Each of its panels is matched with the panel
    /// of the frame in which its points lie; where several panels lie there, with the one that is
    /// nearest in space. \throw InputError where no panel has its points
    BakeMesh(const MeshInput& mesh, const ObjectMesh& frame, const std::string& name);

    [[nodiscard]] const Mesh& mesh() const { return mesh_; }

    /// Positions and velocities of the nodes in a frame. Velocities are there where the frame has
    /// them. \pre the frame is of the same cloth
    struct Baked {
        std::vector<Vec3> x, v;
    };
    [[nodiscard]] Baked evaluate(const ObjectMesh& frame) const;

    /// How far verts and midpoints of edges of the frame are from the fixed mesh.
    /// \param x the nodes of the fixed mesh in this frame
    /// \param worst by face of the fixed mesh: raised to the largest distance found in it [m]
    [[nodiscard]] BakeError compare(const ObjectMesh& frame, const std::vector<Vec3>& x,
                                    Field<FaceId, double>& worst) const;

    /// Halves the longest edges of faces that are worse than the tolerance, and those of their
    /// neighbours that must go along. \return how many edges were halved
    std::size_t refine(const Field<FaceId, double>& worst, double tolerance);

    /// The mesh as writers want it, with these positions.
    [[nodiscard]] ObjectMesh object(const std::string& name, std::vector<Vec3> x,
                                    std::vector<Vec3> v) const;

private:
    Mesh mesh_;
    std::vector<std::uint32_t> panel_; // by PanelId of the mesh: number in the frames
};

} // namespace pleat
