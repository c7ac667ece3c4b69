// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Which of the known words a mistyped one most likely meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace pleat {

/// The known word with the fewest edits (insert, delete, replace, swap neighbours) to `word`, or
/// an empty string where none is near enough to be a plausible slip.
[[nodiscard]] std::string nearest_word(std::string_view word, std::span<const std::string> known);

} // namespace pleat
