// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The texts of materials/*.json, made part of the program by the build. Private to this folder.
#pragma once

#include <span>
#include <string_view>

namespace pleat {

struct ShippedFabric {
    std::string_view file;
    std::string_view text;
};

[[nodiscard]] std::span<const ShippedFabric> shipped_fabrics_data();

} // namespace pleat
