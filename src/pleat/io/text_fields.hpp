// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Cutting text into lines, fields and numbers, without streams and without copies. Shared by the
// parsers of this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pleat {

[[nodiscard]] constexpr bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/// The result of reading a field as a number.
enum class NumberKind { good, missing, malformed, not_finite, out_of_range };

/// "not a number", "not finite", ...: for the `found` of a Problem. \pre not good.
[[nodiscard]] std::string_view describe(NumberKind kind);

/// Reads one whole field as a decimal real; a leading '+' is fine, a comma, "0x" or trailing
/// letters are not. A number too small for a double becomes 0 of its sign.
[[nodiscard]] NumberKind parse_real(std::string_view field, double& value);

/// Reads one whole field as a decimal integer; never not_finite.
[[nodiscard]] NumberKind parse_integer(std::string_view field, std::int64_t& value);

/// A field as a message shows it: in double quotes, cut when long, with bytes that are not
/// printable ASCII escaped.
[[nodiscard]] std::string quote_field(std::string_view field);

/// Walks the blank-separated fields of one line.
class FieldCursor {
public:
    FieldCursor() = default;
    explicit FieldCursor(std::string_view line) : at_(line.data()), end_(at_ + line.size()) {}

    /// The next field, empty at the end of the line.
    [[nodiscard]] std::string_view next()
    {
        while (at_ != end_ && is_blank(*at_)) ++at_;
        const char* first = at_;
        while (at_ != end_ && !is_blank(*at_)) ++at_;
        return {first, static_cast<std::size_t>(at_ - first)};
    }

private:
    const char* at_ = nullptr;
    const char* end_ = nullptr;
};

/// Walks the lines of a text that ends them with LF, CR LF or (old files) CR alone. A UTF-8 byte
/// order mark is skipped.
class LineCursor {
public:
    explicit LineCursor(std::string_view text);

    /// Moves to the next line. \return false at the end of the text.
    [[nodiscard]] bool next();
    /// Without its line end.
    [[nodiscard]] std::string_view line() const { return line_; }
    /// 1-based; 0 before the first next().
    [[nodiscard]] std::uint32_t number() const { return number_; }
    /// The bytes behind the current line.
    [[nodiscard]] std::size_t rest() const { return static_cast<std::size_t>(end_ - at_); }

private:
    const char* at_;
    const char* end_;
    char separator_;
    std::string_view line_;
    std::uint32_t number_ = 0;
};

/// The longest line that a parser takes [bytes], continued ones joined. Far longer than lines of
/// valid files, short enough to reject other files quickly.
inline constexpr std::size_t max_line_bytes = std::size_t{1} << 20;

/// Why bytes are not a text (UTF-16, or a NUL byte), or nothing.
struct NotText {
    std::uint32_t line = 0; // 1-based; 0 = it is text
    std::string found;
};
[[nodiscard]] NotText find_not_text(std::string_view text);

} // namespace pleat
