// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Typed 32-bit indices into dense arrays. Indexing an array of one kind with an id of another
// does not compile.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

namespace pleat {

enum class VertId : std::uint32_t {};     // a material-space point of a panel
enum class NodeId : std::uint32_t {};     // a world point; seam partners share one
enum class EdgeId : std::uint32_t {};     // joins two nodes, has one or two faces
enum class FaceId : std::uint32_t {};     // a triangle of three verts
enum class PanelId : std::uint32_t {};    // a connected piece in material space
enum class ClothId : std::uint32_t {};    // one "cloths" entry of a scene
enum class MaterialId : std::uint32_t {}; // an entry of a Model's material table

/// An index type: a scoped enum over uint32_t.
template <class T>
concept Id = std::is_enum_v<T> && std::same_as<std::underlying_type_t<T>, std::uint32_t>;

/// The id that names nothing.
template <Id T> inline constexpr T no_id = T{0xffffffffu};

inline constexpr VertId no_vert = no_id<VertId>;
inline constexpr NodeId no_node = no_id<NodeId>;
inline constexpr EdgeId no_edge = no_id<EdgeId>;
inline constexpr FaceId no_face = no_id<FaceId>;

template <Id T> [[nodiscard]] constexpr std::uint32_t index(T id)
{
    return static_cast<std::uint32_t>(id);
}

template <Id T> [[nodiscard]] constexpr T make_id(std::size_t i)
{
    return static_cast<T>(static_cast<std::uint32_t>(i));
}

/// Whether the id names something.
template <Id T> [[nodiscard]] constexpr bool is_some(T id)
{
    return id != no_id<T>;
}

/// The ids first, first+1, ..., last-1, for range loops.
template <Id T> class IdRange {
public:
    class Iterator {
    public:
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        constexpr Iterator() = default;
        constexpr explicit Iterator(std::uint32_t i) : i_(i) {}
        constexpr T operator*() const { return T{i_}; }
        constexpr Iterator& operator++()
        {
            ++i_;
            return *this;
        }
        constexpr Iterator operator++(int)
        {
            Iterator old = *this;
            ++i_;
            return old;
        }
        constexpr auto operator<=>(const Iterator&) const = default;

    private:
        std::uint32_t i_ = 0;
    };

    constexpr IdRange() = default;
    constexpr explicit IdRange(std::size_t count) : last_(static_cast<std::uint32_t>(count)) {}
    constexpr IdRange(T first, T last) : first_(index(first)), last_(index(last)) {}
    [[nodiscard]] constexpr Iterator begin() const { return Iterator(first_); }
    [[nodiscard]] constexpr Iterator end() const { return Iterator(last_); }
    [[nodiscard]] constexpr std::size_t size() const { return last_ - first_; }
    [[nodiscard]] constexpr bool contains(T id) const
    {
        return index(id) >= first_ && index(id) < last_;
    }
    constexpr bool operator==(const IdRange&) const = default;

private:
    std::uint32_t first_ = 0;
    std::uint32_t last_ = 0;
};

} // namespace pleat
