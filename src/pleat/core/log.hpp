// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Messages of the library go to a callback; the library never prints.
#pragma once

#include <functional>
#include <string_view>

namespace pleat {

enum class LogLevel { note, warning };

using LogSink = std::function<void(LogLevel, std::string_view)>;

/// Calls the sink where there is one.
void log(const LogSink& sink, LogLevel level, std::string_view text);

} // namespace pleat
