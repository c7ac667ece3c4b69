// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A whole file in memory, for the parsers of this folder.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>

namespace pleat {

/// The bytes of a file. Owned, so that a file cut short by another program while it is being
/// parsed cannot pull the memory away (as it would with a mapping).
struct FileBytes {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;

    [[nodiscard]] std::string_view text() const { return {bytes.get(), size}; }
};

/// The largest file that is read [bytes]: line numbers and element indices then fit in 32 bits.
inline constexpr std::size_t max_file_bytes = 0xfffffffe;

/// \throw InputError naming the file where it is missing, unreadable, a directory, a device or
/// larger than max_file_bytes.
[[nodiscard]] FileBytes read_file_bytes(const std::filesystem::path& path);

} // namespace pleat
