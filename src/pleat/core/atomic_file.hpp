// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A file that appears whole or not at all: written beside its target, then renamed over it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace pleat {

/// Whether commit() waits until the bytes are on the disk (needed for checkpoints, slow for
/// frames).
enum class FileSync { no, yes };

/// Collects bytes in a temporary file of the target's folder; commit() gives it the target's name.
/// Until then the target keeps its old content; an object that is destroyed uncommitted removes its
/// temporary file. A symbolic link is followed; a target that is no regular file (a pipe,
/// /dev/null) is written to directly, as there is nothing to rename over. Every failure of the
/// operating system throws FileError with the target's path and the reason.
class AtomicFile {
public:
    explicit AtomicFile(const std::filesystem::path& path);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    /// \pre not committed.
    void append(std::string_view bytes);
    /// Writes what is pending and puts the file in its place. \pre not committed.
    void commit(FileSync sync = FileSync::no);

private:
    void write_out(std::string_view bytes);
    [[noreturn]] void fail(int error);
    void abandon() noexcept;

    std::filesystem::path path_;      // as the caller named it
    std::filesystem::path target_;    // behind symbolic links
    std::filesystem::path temporary_; // empty where the target is written directly
    std::string pending_;
    int descriptor_ = -1;
};

} // namespace pleat
