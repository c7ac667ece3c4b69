// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Any bytes are a scene or an InputError; a scene that is written out reads back as the same one.
#include "pleat/core/error.hpp"
#include "pleat/scene/scene_file.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace pleat;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    try {
        const SceneDescription scene = parse_scene(bytes, "/nowhere/fuzz.json");
        SceneDescription again = parse_scene(to_json_text(scene), "/nowhere/fuzz.json");
        if (!(again == scene)) __builtin_trap();
    } catch (const InputError&) {
    }
    return 0;
}
