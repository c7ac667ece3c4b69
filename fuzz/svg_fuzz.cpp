// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Any bytes are an SVG drawing or an InputError, and so is every path of a drawing.
#include "pleat/core/error.hpp"
#include "pleat/io/svg_path.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace pleat;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    try {
        for (const SvgPath& path : parse_svg(bytes, "fuzz.svg"))
            static_cast<void>(parse_svg_path(path.data, "fuzz.svg", path.id));
    } catch (const InputError&) {
    }
    return 0;
}
