// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/export/name_pattern.hpp"

#include "pleat/core/error.hpp"

#include <algorithm>
#include <utility>

namespace pleat {

namespace {

constexpr std::size_t most_digits = 9; // of a frame number

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '-' ||
           c == '_' || c == '.';
}

[[noreturn]] void refuse(const std::string& text, const std::string& why)
{
    throw InputError(Problem{"name pattern", "", "\"" + text + "\" (" + why + ")",
                             "{name} and {frame} or {frame:05d}, each once with text between them, "
                             "such as \"{name}.{frame:05d}\""});
}

/// The least number of digits that "frame" or "frame:05d" stands for; nothing: neither of them.
std::optional<std::size_t> digits_of(std::string_view field)
{
    if (field == "frame") return 0;
    constexpr std::string_view start = "frame:0";
    if (!field.starts_with(start) || field.size() != start.size() + 2 || !field.ends_with('d') ||
        !is_digit(field[start.size()]) || field[start.size()] == '0')
        return std::nullopt;
    return std::size_t(field[start.size()] - '0');
}

} // namespace

NamePattern::NamePattern(std::string text) : text_(std::move(text))
{
    std::string* literal = &before_;
    bool has_name = false, has_frame = false;
    for (std::size_t i = 0; i < text_.size(); ++i) {
        if (text_[i] != '{') {
            if (!is_plain(text_[i])) refuse(text_, "a character that file names should not have");
            *literal += text_[i];
            continue;
        }
        const std::size_t end = text_.find('}', i);
        if (end == std::string::npos) refuse(text_, "{ without }");
        const std::string_view field = std::string_view(text_).substr(i + 1, end - i - 1);
        const std::optional<std::size_t> digits = digits_of(field);
        if (!digits && field != "name") refuse(text_, "unknown {" + std::string(field) + "}");
        bool& has_it = digits ? has_frame : has_name;
        if (has_it) refuse(text_, "{" + std::string(field) + "} a second time");
        has_it = true;
        if (digits) digits_ = *digits;
        if (digits && !has_name) frame_first_ = true;
        if (!digits && !has_frame) frame_first_ = false;
        literal = literal == &before_ ? &between_ : &after_;
        i = end;
    }
    if (!has_name || !has_frame) refuse(text_, "a part is missing");
    if (between_.empty()) refuse(text_, "nothing between the two parts");
    const std::string& left = frame_first_ ? before_ : between_;
    const std::string& right = frame_first_ ? between_ : after_;
    if ((!left.empty() && is_digit(left.back())) || (!right.empty() && is_digit(right.front())))
        refuse(text_, "a digit beside {frame}");
}

std::string NamePattern::stem(std::string_view name, int frame) const
{
    PLEAT_ASSERT(frame >= 0, "frames are numbered from 0 on");
    std::string number = std::to_string(frame);
    number.insert(0, digits_ - std::min(digits_, number.size()), '0');
    return frame_first_ ? before_ + number + between_ + std::string(name) + after_
                        : before_ + std::string(name) + between_ + number + after_;
}

std::optional<NamePattern::Parts> NamePattern::match(std::string_view stem) const
{
    if (stem.size() < before_.size() + after_.size() || !stem.starts_with(before_) ||
        !stem.ends_with(after_))
        return std::nullopt;
    const std::string_view inner =
        stem.substr(before_.size(), stem.size() - before_.size() - after_.size());
    // The digits at the end where the frame stands.
    std::size_t count = 0;
    while (count < inner.size() &&
           is_digit(frame_first_ ? inner[count] : inner[inner.size() - 1 - count]))
        ++count;
    if (count == 0 || count > most_digits || count + between_.size() > inner.size())
        return std::nullopt;
    const std::string_view number =
        frame_first_ ? inner.substr(0, count) : inner.substr(inner.size() - count);
    std::string_view rest = inner;
    if (frame_first_)
        rest.remove_prefix(count);
    else
        rest.remove_suffix(count);
    if (frame_first_ ? !rest.starts_with(between_) : !rest.ends_with(between_)) return std::nullopt;
    if (frame_first_)
        rest.remove_prefix(between_.size());
    else
        rest.remove_suffix(between_.size());
    Parts parts{std::string(rest), std::stoi(std::string(number))};
    if (this->stem(parts.name, parts.frame) != stem) return std::nullopt; // other leading zeros
    return parts;
}

} // namespace pleat
