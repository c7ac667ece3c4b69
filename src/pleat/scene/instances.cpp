// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Instances are expressed by what a scene can say anyway: transforms, motions that are carried
// along and delayed. So nothing behind the reader knows of them, and a resolved scene shows each
// object.
#include "pleat/scene/instances.hpp"

#include "pleat/scene/json_text.hpp"
#include "pleat/scene/motions.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace pleat {

namespace {

bool has(const std::vector<std::string>& list, const std::string& name)
{
    return std::find(list.begin(), list.end(), name) != list.end();
}

/// What one instance copies.
class InstanceCopies {
public:
    InstanceCopies(const InstanceDescription& instance, const SceneDescription& original,
                   std::string place, JsonFile& file)
        : i_(instance), original_(original), place_(std::move(place)), file_(file)
    {}

    void check_names() const
    {
        std::vector<std::string> known, cloths;
        for (const ClothDescription& c : original_.cloths) cloths.push_back(c.name);
        known = cloths;
        for (const ObstacleDescription& o : original_.obstacles) known.push_back(o.name);
        const auto check = [&](const std::string& name, const std::vector<std::string>& list,
                               const std::string& key) {
            if (!has(list, name))
                file_.problem(place_ + "." + key, "the unknown name " + in_quotes(name),
                              list_words(list));
        };
        for (const std::string& name : i_.of) check(name, known, "of");
        for (const std::string& name : i_.without) check(name, known, "without");
        for (std::size_t k = 0; k < i_.materials.size(); ++k)
            check(i_.materials[k].cloth, cloths, "materials[" + std::to_string(k) + "].cloth");
    }

    void add_to(SceneDescription& scene) const
    {
        for (const ClothDescription& c : original_.cloths)
            if (is_copied(c.name)) scene.cloths.push_back(copy_of(c));
        for (const ObstacleDescription& o : original_.obstacles)
            if (is_copied(o.name)) scene.obstacles.push_back(copy_of(o));
        for (const HandleDescription& h : original_.handles)
            if (is_copied(h.cloth)) scene.handles.push_back(copy_of(h));
        for (const FrictionPairDescription& p : original_.contact.friction_pairs) {
            if (!is_copied(p.between[0]) && !is_copied(p.between[1])) continue;
            FrictionPairDescription copy = p;
            for (std::string& name : copy.between)
                if (is_copied(name)) name = name_of(name);
            scene.contact.friction_pairs.push_back(copy);
        }
    }

private:
    [[nodiscard]] bool is_copied(const std::string& name) const
    {
        return (i_.of.empty() || has(i_.of, name)) && !has(i_.without, name);
    }
    [[nodiscard]] std::string name_of(const std::string& name) const
    {
        return name + "_" + i_.name;
    }

    [[nodiscard]] ClothDescription copy_of(ClothDescription c) const
    {
        for (const InstanceMaterialDescription& m : i_.materials)
            if (m.cloth == c.name)
                for (Material& material : c.materials) {
                    material = m.material;
                    if (c.strain_limits) material.strain_limits = c.strain_limits;
                }
        c.name = name_of(c.name);
        c.transform = i_.transform * c.transform;
        c.linear_velocity = i_.transform.scale * rotate(i_.transform.rotation, c.linear_velocity);
        c.angular_velocity = rotate(i_.transform.rotation, c.angular_velocity);
        c.velocity_origin = apply(i_.transform, c.velocity_origin);
        return c;
    }
    /// \return whether there is a motion
    bool carry(MotionDescription& m) const
    {
        if (!m.file.empty()) {
            m.transform = i_.transform * m.transform;
            m.time += i_.time;
            return true;
        }
        m.keys = moved(std::move(m.keys), i_.transform, i_.time);
        return !m.keys.keys.empty();
    }
    [[nodiscard]] ObstacleDescription copy_of(ObstacleDescription o) const
    {
        o.name = name_of(o.name);
        if (!carry(o.motion)) o.transform = i_.transform * o.transform;
        if (!o.sequence.empty()) o.sequence_time += i_.time;
        if (!o.gltf.file.empty()) o.gltf.time += i_.time;
        return o;
    }
    [[nodiscard]] HandleDescription copy_of(HandleDescription h) const
    {
        h.name = name_of(h.name);
        h.cloth = name_of(h.cloth);
        carry(h.motion);
        if (h.from > 0) h.from += i_.time; // one that holds from the start does so
        h.until += i_.time;
        if (h.box && i_.transform.rotation != Rotation{})
            file_.problem(
                place_ + ".transform", "a rotation of a handle with a \"box\"",
                "a handle with \"nodes\" or a \"label\", or an instance without rotation");
        if (h.box)
            for (Vec3& corner : *h.box) corner = apply(i_.transform, corner);
        return h;
    }

    const InstanceDescription& i_;
    const SceneDescription& original_;
    std::string place_;
    JsonFile& file_;
};

} // namespace

void add_instances(SceneDescription& scene, JsonFile& file)
{
    if (scene.instances.empty()) return;
    const SceneDescription original = scene;
    std::set<std::string> names;
    for (std::size_t i = 0; i < original.instances.size(); ++i) {
        const InstanceDescription& instance = original.instances[i];
        const std::string place = "instances[" + std::to_string(i) + "]";
        if (!names.insert(instance.name).second) {
            file.problem(place + ".name", "the name " + in_quotes(instance.name) + " a second time",
                         "a name of its own for each instance");
            continue;
        }
        const InstanceCopies copies(instance, original, place, file);
        copies.check_names();
        copies.add_to(scene);
    }
    if (scene.handles.size() > max_handles)
        file.problem("instances", std::to_string(scene.handles.size()) + " handles in all",
                     "at most " + std::to_string(max_handles));
    scene.instances.clear();
}

} // namespace pleat
