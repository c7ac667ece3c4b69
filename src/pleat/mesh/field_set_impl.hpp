// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The rules of core/field.hpp applied to each kind of edit. Included by field_set.hpp.
#pragma once

#include "pleat/core/error.hpp"
#include "pleat/mesh/field_set.hpp"

#include <concepts>
#include <span>
#include <type_traits>
#include <utility>

namespace pleat {

/// Values that have a mean.
template <class T>
concept Blendable = !std::integral<T> && requires(T a, double s)
{
    {
        a* s
        } -> std::convertible_to<T>;
    {
        a + a
        } -> std::convertible_to<T>;
};

template <class IdT, class T> class FieldFollowerOf final : public FieldFollower {
public:
    FieldFollowerOf(Field<IdT, T>& field, FieldUndo undo)
        : field_(field), keeps_undo_(undo == FieldUndo::kept)
    {}

    void follow(const Mesh& mesh, const EdgeSplit& s) override
    {
        begin(mesh);
        if constexpr (std::same_as<IdT, NodeId>) {
            set(s.new_node, mix(s.parent_nodes, s.t));
        } else if constexpr (std::same_as<IdT, VertId>) {
            set(s.new_verts[0], mix(s.parent_verts[0], s.t));
            if (is_some(s.new_verts[1]) && s.new_verts[1] != s.new_verts[0])
                set(s.new_verts[1], mix(s.parent_verts[1], s.t));
        } else if constexpr (std::same_as<IdT, EdgeId>) {
            inherit(s.edge, s.new_edge); // the cross edges are new: default
        } else if constexpr (std::same_as<IdT, FaceId>) {
            for (std::size_t side = 0; side < 2; ++side)
                if (is_some(s.new_faces[side])) inherit(s.faces[side], s.new_faces[side]);
        }
    }

    void follow(const Mesh& mesh, const EdgeFlip& s) override
    {
        begin(mesh);
        if constexpr (std::same_as<IdT, EdgeId>) {
            if (field_.rule != FieldRule::copy && field_.rule != FieldRule::agree)
                set(s.edge, field_.default_value);
        } else if constexpr (std::same_as<IdT, FaceId>) {
            merge(std::span<const FaceId>(s.faces), std::span<const double>(s.old_area),
                  std::span<const FaceId>(s.faces));
        }
    }

    void follow(const Mesh& mesh, const EdgeCollapse& s) override
    {
        begin(mesh);
        if constexpr (std::same_as<IdT, FaceId>) {
            old_faces_.assign(s.changed_faces.begin(), s.changed_faces.end());
            old_area_.assign(s.old_area.begin(), s.old_area.end());
            for (std::size_t side = 0; side < 2; ++side)
                if (is_some(s.removed_faces[side])) {
                    old_faces_.push_back(s.removed_faces[side]);
                    old_area_.push_back(s.removed_area[side]);
                }
            merge(old_faces_, old_area_, s.changed_faces);
        }
    }

    void follow(const Mesh& mesh, const FaceSplit& s) override
    {
        begin(mesh);
        if constexpr (std::same_as<IdT, NodeId>) {
            set(s.new_node,
                mix(std::array{mesh.node(s.parent_verts[0]), mesh.node(s.parent_verts[1]),
                               mesh.node(s.parent_verts[2])}));
        } else if constexpr (std::same_as<IdT, VertId>) {
            set(s.new_vert, mix(s.parent_verts));
        } else if constexpr (std::same_as<IdT, FaceId>) {
            for (FaceId f : s.new_faces) inherit(s.face, f);
        }
    }

    void follow(const Mesh& mesh, const FaceJoin& s) override
    {
        begin(mesh);
        if constexpr (std::same_as<IdT, FaceId>) {
            const std::array<FaceId, 3> old{s.face, s.removed_faces[0], s.removed_faces[1]};
            merge(old, s.old_area, std::span<const FaceId>(&s.face, 1));
        }
    }

    void follow(const Mesh& mesh, const Retriangulation& s) override
    {
        begin(mesh);
        if constexpr (std::same_as<IdT, EdgeId>) {
            if (field_.rule != FieldRule::copy && field_.rule != FieldRule::agree)
                for (EdgeId e : s.edges) set(e, field_.default_value);
        } else if constexpr (std::same_as<IdT, FaceId>) {
            if (s.changed()) merge(s.faces, s.old_area, s.faces);
        }
    }

    void undo() override
    {
        PLEAT_ASSERT(!marks_.empty(), "there is an edit to undo");
        const Mark mark = marks_.back();
        marks_.pop_back();
        while (saved_.size() > mark.saved) {
            field_[saved_.back().first] = std::move(saved_.back().second);
            saved_.pop_back();
        }
        field_.values.resize(mark.size, field_.default_value);
    }

    void forget_undo() override
    {
        marks_.clear();
        saved_.clear();
    }

    void permute(const MeshPermutation& p) override
    {
        forget_undo();
        std::vector<T> moved(count_after(p), field_.default_value);
        const Field<IdT, IdT>& new_id = ids_of(p);
        for (IdT id : field_.ids())
            if (const IdT to = new_id[id]; is_some(to)) moved[index(to)] = field_[id];
        field_.values = std::move(moved);
    }

    bool fits(const Mesh& mesh) const override { return field_.size() == count(mesh); }

private:
    struct Mark {
        std::size_t size, saved;
    };

    static std::size_t count(const Mesh& mesh)
    {
        if constexpr (std::same_as<IdT, NodeId>)
            return mesh.node_count();
        else if constexpr (std::same_as<IdT, VertId>)
            return mesh.vert_count();
        else if constexpr (std::same_as<IdT, EdgeId>)
            return mesh.edge_count();
        else
            return mesh.face_count();
    }
    static std::size_t count_after(const MeshPermutation& p)
    {
        if constexpr (std::same_as<IdT, NodeId>)
            return p.node_count;
        else if constexpr (std::same_as<IdT, VertId>)
            return p.vert_count;
        else if constexpr (std::same_as<IdT, EdgeId>)
            return p.edge_count;
        else
            return p.face_count;
    }
    static const Field<IdT, IdT>& ids_of(const MeshPermutation& p)
    {
        if constexpr (std::same_as<IdT, NodeId>)
            return p.new_node;
        else if constexpr (std::same_as<IdT, VertId>)
            return p.new_vert;
        else if constexpr (std::same_as<IdT, EdgeId>)
            return p.new_edge;
        else
            return p.new_face;
    }

    void begin(const Mesh& mesh)
    {
        if (keeps_undo_) marks_.push_back({field_.size(), saved_.size()});
        // An edit adds few: resize() takes longer over two than this.
        for (std::size_t n = field_.size(); n < count(mesh); ++n)
            field_.values.push_back(field_.default_value);
    }

    void set(IdT id, T value)
    {
        if (keeps_undo_ && index(id) < marks_.back().size) saved_.emplace_back(id, field_[id]);
        field_[id] = std::move(value);
    }

    void inherit(IdT parent, IdT child)
    {
        if (field_.rule == FieldRule::reset)
            set(parent, field_.default_value);
        else
            set(child, field_[parent]);
    }

    /// The value of a point at weights (1 - t, t) of two parents.
    T mix(const std::array<IdT, 2>& parents, double t) const
    {
        const T &a = field_[parents[0]], &b = field_[parents[1]];
        switch (field_.rule) {
        case FieldRule::interpolate:
        case FieldRule::area_average:
            if constexpr (Blendable<T>)
                return T(a * (1 - t) + b * t);
            else
                return a;
        case FieldRule::copy:
            return a;
        case FieldRule::agree:
            return a == b ? a : field_.default_value;
        case FieldRule::common:
            if constexpr (std::integral<T>)
                return T(a & b);
            else
                break;
        case FieldRule::reset:
            break;
        }
        return field_.default_value;
    }

    T mix(const std::array<IdT, 3>& parents) const
    {
        const T &a = field_[parents[0]], &b = field_[parents[1]], &c = field_[parents[2]];
        switch (field_.rule) {
        case FieldRule::interpolate:
        case FieldRule::area_average:
            if constexpr (Blendable<T>)
                return T((a + b + c) * (1.0 / 3));
            else
                return a;
        case FieldRule::copy:
            return a;
        case FieldRule::agree:
            return a == b && b == c ? a : field_.default_value;
        case FieldRule::common:
            if constexpr (std::integral<T>)
                return T(a & b & c);
            else
                break;
        case FieldRule::reset:
            break;
        }
        return field_.default_value;
    }

    /// Faces `now` cover what faces `old` (of areas `area`) covered.
    void merge(std::span<const FaceId> old, std::span<const double> area,
               std::span<const FaceId> now) requires std::same_as<IdT, FaceId>
    {
        if (field_.rule == FieldRule::copy) return;
        T value = field_.default_value;
        if (field_.rule == FieldRule::interpolate || field_.rule == FieldRule::area_average) {
            if constexpr (!Blendable<T>) {
                return;
            } else {
                double total = 0;
                for (double a : area) total += a;
                value = T(field_[old[0]] * (area[0] / total));
                for (std::size_t i = 1; i < old.size(); ++i)
                    value = T(value + field_[old[i]] * (area[i] / total));
            }
        } else if (field_.rule == FieldRule::agree) {
            bool agree = true;
            for (FaceId f : old) agree = agree && field_[f] == field_[old[0]];
            if (agree) value = field_[old[0]];
        } else if (field_.rule == FieldRule::common) {
            if constexpr (std::integral<T>) {
                value = field_[old[0]];
                for (FaceId f : old) value = T(value & field_[f]);
            }
        }
        for (FaceId f : now) set(f, value);
    }

    Field<IdT, T>& field_;
    bool keeps_undo_;
    std::vector<std::pair<IdT, T>> saved_;
    std::vector<Mark> marks_;
    std::vector<FaceId> old_faces_;
    std::vector<double> old_area_;
};

template <class IdT, class T> void FieldSet::add(Field<IdT, T>& field)
{
    followers_.push_back(std::make_unique<FieldFollowerOf<IdT, T>>(field, undo_));
}

} // namespace pleat
