// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Any bytes are a PLY mesh or an InputError, and a mesh that is found sound can be built.
#include "pleat/core/error.hpp"
#include "pleat/io/ply.hpp"
#include "pleat/mesh/mesh.hpp"
#include "pleat/mesh/validate.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace pleat;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    try {
        PlyFile ply = parse_ply(bytes, "fuzz.ply");
        if (ply.mesh.material_u.empty() && !flatten_planar(ply.mesh)) return 0;
        const auto problems = find_mesh_problems(ply.mesh);
        static_cast<void>(locate(problems, ply, "fuzz.ply"));
        if (problems.empty() && !validate(build_mesh(ply.mesh)).empty()) __builtin_trap();
    } catch (const InputError&) {
    }
    return 0;
}
