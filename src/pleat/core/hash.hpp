// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A 64-bit fingerprint of plain data: the golden state hash, checksums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace pleat {

/// Folds bytes into a running hash, eight at a time (multiply and xor-shift as in splitmix64).
/// Not cryptographic.
class Hash {
public:
    void add_bytes(const void* data, std::size_t size)
    {
        const auto* bytes = static_cast<const unsigned char*>(data);
        add_word(size);
        for (; size >= 8; bytes += 8, size -= 8) {
            std::uint64_t word;
            std::memcpy(&word, bytes, 8);
            add_word(word);
        }
        if (size > 0) {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes, size);
            add_word(word);
        }
    }

    template <class T>
    requires(std::has_unique_object_representations_v<T> ||
             std::is_floating_point_v<T>) void add(const T& value)
    {
        add_bytes(&value, sizeof(T));
    }

    /// \pre T has no padding.
    template <class T>
    requires std::is_trivially_copyable_v<T>
    void add_array(std::span<const T> values) { add_bytes(values.data(), values.size_bytes()); }

    [[nodiscard]] std::uint64_t value() const { return state_; }

private:
    void add_word(std::uint64_t word)
    {
        state_ = (state_ ^ word) * 0x9e3779b97f4a7c15ull;
        state_ ^= state_ >> 29;
        state_ *= 0xbf58476d1ce4e5b9ull;
        state_ ^= state_ >> 32;
    }

    std::uint64_t state_ = 0x243f6a8885a308d3ull;
};

} // namespace pleat
