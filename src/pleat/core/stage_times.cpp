// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/core/stage_times.hpp"

namespace pleat {

std::string_view stage_name(Stage stage)
{
    constexpr std::array<std::string_view, stage_count> names{
        "contact_find", "integrate", "strain", "impact", "remesh", "separate", "write"};
    return names[static_cast<std::size_t>(stage)];
}

StageTimes& StageTimes::operator+=(const StageTimes& other)
{
    for (std::size_t i = 0; i < stage_count; ++i) ms[i] += other.ms[i];
    return *this;
}

} // namespace pleat
