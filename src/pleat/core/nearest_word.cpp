// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/core/nearest_word.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace pleat {

namespace {

/// Restricted Damerau-Levenshtein distance, three rows at a time.
std::size_t edit_distance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({replace, last[j] + 1, row[j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before_last[j - 2] + 1);
        }
        std::swap(before_last, last);
        std::swap(last, row);
    }
    return last[b.size()];
}

} // namespace

std::string nearest_word(std::string_view word, std::span<const std::string> known)
{
    constexpr std::size_t longest_compared = 64; // a longer word is not a typing error
    if (word.size() > longest_compared) return {};
    std::string best;
    std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (const std::string& candidate : known) {
        const std::size_t d = edit_distance(word, candidate);
        if (d < best_distance) {
            best_distance = d;
            best = candidate;
        }
    }
    return best;
}

} // namespace pleat
