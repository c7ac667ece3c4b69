// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The files of the viewer's page (viewer/), which are part of the program.
#pragma once

#include <span>
#include <string_view>

namespace pleat::app {

struct Asset {
    std::string_view name;
    std::string_view type; // for HTTP
    std::string_view bytes;
};

[[nodiscard]] std::span<const Asset> assets();
/// nullptr where there is none of that name.
[[nodiscard]] const Asset* find_asset(std::string_view name);

} // namespace pleat::app
