// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/core/log.hpp"

namespace pleat {

void log(const LogSink& sink, LogLevel level, std::string_view text)
{
    if (sink) sink(level, text);
}

} // namespace pleat
