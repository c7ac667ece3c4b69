// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Any bytes are a checkpoint or an InputError. Where the first byte is odd the rest is taken as
// content with a good head, so that what lies behind the checksum is reached.
#include "pleat/core/error.hpp"
#include "pleat/sim/checkpoint.hpp"

#include <string>

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace pleat;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    try {
        const bool as_content = !bytes.empty() && (bytes[0] & 1) != 0;
        const std::string packed = as_content ? pack_checkpoint(bytes.substr(1)) : std::string();
        const Checkpoint c =
            decode_checkpoint(as_content ? std::string_view(packed) : bytes, "fuzz");
        const std::string again = encode_checkpoint(c.sim, c.info);
        if (decode_checkpoint(again, "again").sim.state != c.sim.state) __builtin_trap();
    } catch (const InputError&) {
    }
    return 0;
}
