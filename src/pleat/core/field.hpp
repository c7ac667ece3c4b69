// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// An array with one value an element of a mesh, and the rule by which the value crosses an edit
// of that mesh (see mesh/field_set.hpp, which applies the rules).
#pragma once

#include "pleat/core/ids.hpp"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace pleat {

/// How a value follows the mesh when an edit makes new elements or changes old ones.
enum class FieldRule {
    interpolate,  // new: the mean of its parents; for faces the same as area_average; edges that
                  // are halved pass their value on, flipped ones take the default
    area_average, // changed faces take the mean of those they replace, weighted by material area
    copy,         // new: the first parent's value; changed elements keep theirs
    agree,        // new: the parents' value where they are all equal, else the default
    common,       // new: the bits that all parents have; for integers
    reset,        // new and changed elements take the default
};

/// \tparam IdT which kind of element indexes the array; T must be copyable and comparable.
template <Id IdT, class T> struct Field {
    using IdType = IdT;
    using ValueType = T;

    std::vector<T> values;
    FieldRule rule = FieldRule::reset;
    T default_value{};

    Field() = default;
    explicit Field(FieldRule r, T d = T{}) : rule(r), default_value(std::move(d)) {}
    Field(std::size_t count, FieldRule r, T d = T{})
        : values(count, d), rule(r), default_value(std::move(d))
    {}

    [[nodiscard]] decltype(auto) operator[](IdT id) { return values[index(id)]; }
    [[nodiscard]] decltype(auto) operator[](IdT id) const { return values[index(id)]; }
    [[nodiscard]] std::size_t size() const { return values.size(); }
    [[nodiscard]] bool empty() const { return values.empty(); }
    [[nodiscard]] IdRange<IdT> ids() const { return IdRange<IdT>(values.size()); }
    void resize(std::size_t count) { values.resize(count, default_value); }
    [[nodiscard]] std::span<T> span() { return values; }
    [[nodiscard]] std::span<const T> span() const { return values; }
    [[nodiscard]] auto begin() { return values.begin(); }
    [[nodiscard]] auto end() { return values.end(); }
    [[nodiscard]] auto begin() const { return values.begin(); }
    [[nodiscard]] auto end() const { return values.end(); }

    bool operator==(const Field&) const = default;
};

} // namespace pleat
