// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Where points of the cloth are or were in the world, by their place in material space.
// Based on: [Narain2012] sec. 4.2 ("Handling interpenetrations").
#pragma once

#include "pleat/core/field.hpp"
#include "pleat/core/vec.hpp"
#include "pleat/mesh/mesh.hpp"
#include "pleat/remeshing/face_tree.hpp"

#include <vector>

namespace pleat {

class MaterialMap {
public:
    /// \pre mesh and positions outlive the map and stay as they are.
    MaterialMap(const Mesh& mesh, const Field<NodeId, Vec3>& x);

    /// World position [m] of the material point `u` of a panel; of the nearest point of the panel
    /// where rounding has put `u` outside.
    [[nodiscard]] Vec3 position(PanelId panel, const Vec2& u) const;
    /// The same of a point on the border of a face of today's mesh: `inside` is a point within that
    /// face, which tells the two sides of a slit apart. To a millionth of the way between the two.
    [[nodiscard]] Vec3 position(PanelId panel, const Vec2& u, const Vec2& inside) const
    {
        constexpr double off_the_border = 1e-6;
        return position(panel, u + off_the_border * (inside - u));
    }

    /// The faces of a panel whose boxes meet the box [low, high] of material space.
    [[nodiscard]] std::vector<FaceId> faces_in(PanelId panel, const Vec2& low,
                                               const Vec2& high) const;

private:
    const Mesh* mesh_;
    const Field<NodeId, Vec3>* x_;
    FaceTree tree_; // boxes in (u, panel)
};

} // namespace pleat
