// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "frame_range.hpp"

#include "pleat/core/error.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <string_view>

namespace pleat::app {

std::vector<int> frames_in(const std::string& text, const std::vector<int>& frames)
{
    const auto bad = [&](const std::string& expected) {
        return InputError(Problem{"--frames", "", "\"" + text + "\"", expected});
    };
    const std::string form = "N, FIRST:LAST, FIRST:LAST:STEP or all";
    if (text == "all") return frames;

    std::array<std::optional<int>, 3> parts;
    std::size_t count = 0;
    std::string_view rest = text;
    for (bool more = true; more; ++count) {
        if (count == parts.size()) throw bad(form);
        const std::size_t colon = rest.find(':');
        const std::string_view part = rest.substr(0, colon);
        more = colon != std::string_view::npos;
        if (more) rest.remove_prefix(colon + 1);
        if (part.empty()) continue;
        int value = 0;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
        if (error != std::errc() || end != part.data() + part.size()) throw bad(form);
        parts[count] = value;
    }
    if (count == 1 && !parts[0]) throw bad(form);
    const auto place = [&](int number) { return number < 0 ? frames.back() + 1 + number : number; };
    const int first = place(parts[0].value_or(frames.front()));
    const int last = count == 1 ? first : place(parts[1].value_or(frames.back()));
    const int step = parts[2].value_or(1);
    if (step < 1) throw bad("a step of at least 1");
    std::vector<int> found;
    for (const int frame : frames)
        if (frame >= first && frame <= last && (frame - first) % step == 0) found.push_back(frame);
    if (found.empty())
        throw bad("frames " + std::to_string(frames.front()) + " to " +
                  std::to_string(frames.back()));
    return found;
}

} // namespace pleat::app
