// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Any bytes are a fabric or an InputError.
#include "pleat/core/error.hpp"
#include "pleat/scene/material_file.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace pleat;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    try {
        static_cast<void>(parse_material(bytes, "fuzz.json"));
    } catch (const InputError&) {
    }
    return 0;
}
