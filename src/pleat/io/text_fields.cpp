// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/io/text_fields.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <system_error>

namespace pleat {

namespace {

constexpr std::size_t most_quoted_bytes = 40;

// "1e-400": from_chars calls both ends of the range out of range.
bool is_underflow(std::string_view field)
{
    const std::size_t e = field.find_first_of("eE");
    return e != std::string_view::npos && e + 1 < field.size() && field[e + 1] == '-';
}

} // namespace

std::string_view describe(NumberKind kind)
{
    switch (kind) {
    case NumberKind::good:
        break;
    case NumberKind::missing:
        return "missing";
    case NumberKind::malformed:
        return "not a number";
    case NumberKind::not_finite:
        return "not finite";
    case NumberKind::out_of_range:
        return "out of range";
    }
    return "good";
}

NumberKind parse_real(std::string_view field, double& value)
{
    if (field.empty()) return NumberKind::missing;
    const char* first = field.data();
    const char* const last = first + field.size();
    // from_chars takes no '+'; "+-1" stays malformed.
    if (*first == '+' && field.size() > 1 && field[1] != '-') ++first;
    const auto [end, error] = std::from_chars(first, last, value);
    if (error == std::errc::invalid_argument || end != last) return NumberKind::malformed;
    if (error == std::errc::result_out_of_range) {
        if (!is_underflow(field)) return NumberKind::out_of_range;
        value = *first == '-' ? -0.0 : 0.0;
    }
    return std::isfinite(value) ? NumberKind::good : NumberKind::not_finite;
}

NumberKind parse_integer(std::string_view field, std::int64_t& value)
{
    if (field.empty()) return NumberKind::missing;
    const char* first = field.data();
    const char* const last = first + field.size();
    if (*first == '+' && field.size() > 1 && field[1] != '-') ++first;
    const auto [end, error] = std::from_chars(first, last, value);
    if (error == std::errc::invalid_argument || end != last) return NumberKind::malformed;
    return error == std::errc{} ? NumberKind::good : NumberKind::out_of_range;
}

std::string quote_field(std::string_view field)
{
    constexpr char digits[] = "0123456789abcdef";
    std::string text = "\"";
    for (const char c : field.substr(0, most_quoted_bytes)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte < 0x7f) {
            text += c;
        } else {
            text += "\\x";
            text += digits[byte >> 4];
            text += digits[byte & 15];
        }
    }
    if (field.size() > most_quoted_bytes) text += "...";
    return text + "\"";
}

LineCursor::LineCursor(std::string_view text)
{
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    at_ = text.data();
    end_ = at_ + text.size();
    const bool old_ends = text.find('\n') == std::string_view::npos;
    separator_ = old_ends && text.find('\r') != std::string_view::npos ? '\r' : '\n';
}

bool LineCursor::next()
{
    if (at_ == end_) return false;
    const void* found = std::memchr(at_, separator_, static_cast<std::size_t>(end_ - at_));
    const char* const stop = found != nullptr ? static_cast<const char*>(found) : end_;
    line_ = {at_, static_cast<std::size_t>(stop - at_)};
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    at_ = stop == end_ ? stop : stop + 1;
    ++number_;
    return true;
}

NotText find_not_text(std::string_view text)
{
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) return {1, "UTF-16 text"};
    const std::size_t nul = text.find('\0');
    if (nul == std::string_view::npos) return {};
    const auto lines =
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(nul), '\n');
    return {static_cast<std::uint32_t>(lines) + 1, "a NUL byte, so this is not a text file"};
}

} // namespace pleat
