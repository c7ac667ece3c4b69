// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Fields that follow a mesh through its edits, each by its own rule, and back through undo.
//
// A FieldSet borrows fields for the length of an editing pass:
//
//     FieldSet fields;
//     fields.add(state.x);
//     fields.add(state.v);
//     const EdgeSplit s = split_edge(mesh, edge, 0.5, &undo);
//     fields.follow(mesh, s);
//
// so that a new physical quantity is one more field and no change to any remesher.
#pragma once

#include "pleat/core/field.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/mesh/edits.hpp"
#include "pleat/mesh/reorder.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace pleat {

/// One borrowed field of any type (type erasure).
class FieldFollower {
public:
    virtual ~FieldFollower() = default;
    virtual void follow(const Mesh&, const EdgeSplit&) = 0;
    virtual void follow(const Mesh&, const EdgeFlip&) = 0;
    virtual void follow(const Mesh&, const EdgeCollapse&) = 0;
    virtual void follow(const Mesh&, const FaceSplit&) = 0;
    virtual void follow(const Mesh&, const FaceJoin&) = 0;
    virtual void follow(const Mesh&, const Retriangulation&) = 0;
    virtual void undo() = 0;
    virtual void forget_undo() = 0;
    virtual void permute(const MeshPermutation&) = 0;
    [[nodiscard]] virtual bool fits(const Mesh&) const = 0;
};

/// Whether a set keeps what it takes to undo the edits that it follows.
enum class FieldUndo { kept, none };

class FieldSet {
public:
    explicit FieldSet(FieldUndo undo = FieldUndo::kept) : undo_(undo) {}

    /// Borrows a field. \pre it outlives the set, and has one value an element of the mesh.
    template <class IdT, class T> void add(Field<IdT, T>& field);
    /// Adds an object that is not a field and follows the mesh in its own way.
    void add(std::unique_ptr<FieldFollower> follower) { followers_.push_back(std::move(follower)); }

    /// To be called after each edit, in order, with the mesh as the edit left it.
    template <class Record> void follow(const Mesh& mesh, const Record& record)
    {
        for (auto& f : followers_) f->follow(mesh, record);
    }
    /// Takes the newest followed edit back. Call it beside undo_edit(). \pre FieldUndo::kept
    void undo()
    {
        for (auto& f : followers_) f->undo();
    }
    /// Drops what undo would need; for long passes that keep their edits.
    void forget_undo()
    {
        for (auto& f : followers_) f->forget_undo();
    }
    void permute(const MeshPermutation& permutation)
    {
        constexpr std::size_t one_each = 1;
        parallel_for(
            followers_.size(), [&](std::size_t i) { followers_[i]->permute(permutation); },
            one_each);
    }
    /// Whether every field has one value an element.
    [[nodiscard]] bool fits(const Mesh& mesh) const
    {
        for (const auto& f : followers_)
            if (!f->fits(mesh)) return false;
        return true;
    }

private:
    FieldUndo undo_;
    std::vector<std::unique_ptr<FieldFollower>> followers_;
};

} // namespace pleat

#include "pleat/mesh/field_set_impl.hpp"
