// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/cloth_attributes.hpp"

#include "pleat/core/error.hpp"
#include "pleat/geometry/decompose.hpp"
#include "pleat/sim/frames.hpp"

#include <cmath>
#include <limits>

namespace pleat {

namespace {

/// The edge that a tensor asks for in its tightest direction [m].
float asked_length(const Mat2& tensor)
{
    const double most = eigen_symmetric(tensor).values[0];
    return most > 0 ? float(1 / std::sqrt(most)) : std::numeric_limits<float>::infinity();
}

std::vector<FrameAttributes> attributes_of(const SceneDescription& description,
                                           const Simulation& sim, const FaceSizing* sizing,
                                           const std::vector<ObjectMesh>& meshes)
{
    const Model& model = sim.model;
    std::vector<FrameAttributes> all(model.cloths.size());
    for (std::size_t c = 0; c < all.size(); ++c) {
        for (const Vec3& v : meshes[c].v)
            all[c].velocity.push_back({float(v[0]), float(v[1]), float(v[2])});
        all[c].face_panel.assign(meshes[c].face_panel.begin(), meshes[c].face_panel.end());
    }

    PLEAT_ASSERT(sizing == nullptr || sizing->metric.size() == model.mesh.face_count(),
                 "the sizing is that of the mesh");
    // The model has the fabrics of all cloths one after the other.
    std::vector<std::size_t> first_material(all.size(), 0);
    for (std::size_t c = 1; c < all.size(); ++c)
        first_material[c] = first_material[c - 1] + description.cloths[c - 1].materials.size();
    for (FaceId f : model.mesh.faces()) {
        const std::size_t c = index(model.cloth_of(f));
        FrameAttributes& a = all[c];
        a.face_material.push_back(std::uint16_t(index(model.face_material[f]) - first_material[c]));
        if (description.cloths[c].remeshing.type == "root3")
            a.face_generation.push_back(std::uint8_t(model.face_generation[f]));
        if (description.cloths[c].remeshing.type == "quadrisection")
            a.face_generation.push_back(std::uint8_t(model.face_level[f]));
        if (sizing == nullptr || sizing->metric[f] == Mat2{}) continue;
        a.drivers.clear();
        for (const FaceSizing::Driver& d : sizing->drivers) {
            a.drivers.push_back(d.name);
            a.face_drivers.push_back(asked_length(d.asked[f]));
        }
        a.face_ellipse.push_back(sizing_ellipse(sizing->metric[f]));
    }
    return all;
}

} // namespace

std::vector<FrameAttributes> cloth_attributes(const SceneDescription& description,
                                              const World& world, const Simulation& sim,
                                              const FaceSizing* sizing)
{
    return attributes_of(description, sim, sizing, object_meshes(world, sim));
}

void AttributeFiles::write(const SceneDescription& description, const World& world,
                           const Simulation& sim, const FaceSizing* sizing)
{
    const std::vector<ObjectMesh> meshes = object_meshes(world, sim);
    const auto paths = files_.paths_of(frame_of(meshes, sim.frame, sim.time));
    const std::vector<FrameAttributes> all = attributes_of(description, sim, sizing, meshes);
    for (std::size_t c = 0; c < all.size(); ++c)
        if (paths[c]) write_attributes(*paths[c], all[c]);
}

} // namespace pleat
