// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Fast text output for writers of mesh files. Private to this folder.
#pragma once

#include "pleat/core/atomic_file.hpp"
#include "pleat/core/vec.hpp"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

namespace pleat {

/// Formats into a block that goes to the file when it is nearly full, so that no piece needs its
/// own check.
class TextBlock {
public:
    explicit TextBlock(AtomicFile& file)
        : file_(file), block_(std::make_unique_for_overwrite<char[]>(block_bytes)),
          at_(block_.get())
    {}

    void word(std::string_view text)
    {
        if (text.size() > line_bytes) {
            flush();
            file_.append(text);
            return;
        }
        make_room();
        std::memcpy(at_, text.data(), text.size());
        at_ += text.size();
    }
    void end_line()
    {
        make_room();
        *at_++ = '\n';
    }
    void real(double value)
    {
        make_room();
        *at_++ = ' ';
        at_ = std::to_chars(at_, end(), value).ptr;
    }
    /// "(1, 2.5, 3)": the components in single precision, as it is written in brackets.
    template <std::size_t N> void tuple(const Vec<double, N>& value)
    {
        make_room();
        for (std::size_t i = 0; i < N; ++i) {
            *at_++ = i == 0 ? '(' : ',';
            if (i > 0) *at_++ = ' ';
            at_ = std::to_chars(at_, end(), static_cast<float>(value[i])).ptr;
        }
        *at_++ = ')';
    }
    /// Without a space before it.
    void count(std::uint64_t value)
    {
        make_room();
        at_ = std::to_chars(at_, end(), value).ptr;
    }
    void integer(std::int64_t value)
    {
        make_room();
        *at_++ = ' ';
        at_ = std::to_chars(at_, end(), value).ptr;
    }
    void corner(std::uint32_t node, std::uint32_t vert)
    {
        make_room();
        *at_++ = ' ';
        at_ = std::to_chars(at_, end(), std::uint64_t{node} + 1).ptr;
        *at_++ = '/';
        at_ = std::to_chars(at_, end(), std::uint64_t{vert} + 1).ptr;
    }
    void flush()
    {
        file_.append({block_.get(), static_cast<std::size_t>(at_ - block_.get())});
        at_ = block_.get();
    }

private:
    static constexpr std::size_t block_bytes = std::size_t{1} << 18;
    static constexpr std::size_t line_bytes = 256; // more than any one piece needs

    [[nodiscard]] char* end() const { return block_.get() + block_bytes; }
    void make_room()
    {
        if (static_cast<std::size_t>(end() - at_) < line_bytes) flush();
    }

    AtomicFile& file_;
    std::unique_ptr<char[]> block_;
    char* at_;
};

} // namespace pleat
