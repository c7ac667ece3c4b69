// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/core/atomic_file.hpp"

#include "pleat/core/error.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace pleat {

namespace {

// Large enough that system calls cost little compared with formatting the bytes.
constexpr std::size_t pending_bytes = std::size_t{1} << 18;

// Left over from killed runs with the same process id, or in use by another writer in this folder.
constexpr int most_temporary_names = 100000;

std::string reason(int error)
{
    return std::generic_category().message(error);
}

std::filesystem::path behind_links(const std::filesystem::path& path)
{
    std::error_code ignored;
    if (!std::filesystem::is_symlink(path, ignored)) return path;
    const std::filesystem::path real = std::filesystem::canonical(path, ignored);
    return ignored ? path : real; // a link to nowhere is replaced
}

} // namespace

AtomicFile::AtomicFile(const std::filesystem::path& path) : path_(path), target_(behind_links(path))
{
    if (path.empty()) throw FileError("(empty path)", reason(ENOENT));
    struct stat old {};
    const bool exists = ::stat(target_.c_str(), &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) fail(EISDIR);
    pending_.reserve(pending_bytes);
    if (exists && !S_ISREG(old.st_mode)) {
        descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
        if (descriptor_ < 0) fail(errno);
        return;
    }
    const std::string stem = ".pleat-" + std::to_string(::getpid()) + "-";
    for (int i = 0; descriptor_ < 0; ++i) {
        temporary_ = target_.parent_path() / (stem + std::to_string(i) + ".tmp");
        descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor_ >= 0 || (errno == EEXIST && i < most_temporary_names)) continue;
        const int error = errno;
        temporary_.clear(); // it is not ours to remove
        fail(error);
    }
    // The new file gets the permissions of the old one. Failing to set them (the file is another
    // user's) is not an error.
    if (exists) static_cast<void>(::fchmod(descriptor_, old.st_mode & 07777));
}

AtomicFile::~AtomicFile()
{
    abandon();
}

void AtomicFile::append(std::string_view bytes)
{
    PLEAT_ASSERT(descriptor_ >= 0, "append after commit");
    if (pending_.size() + bytes.size() > pending_bytes) {
        write_out(pending_);
        pending_.clear();
    }
    if (bytes.size() > pending_bytes)
        write_out(bytes);
    else
        pending_ += bytes;
}

void AtomicFile::commit(FileSync sync)
{
    PLEAT_ASSERT(descriptor_ >= 0, "commit called twice");
    write_out(pending_);
    pending_.clear();
    // Pipes and devices cannot be synced (EINVAL); there is nothing to wait for either.
    if (sync == FileSync::yes && ::fsync(descriptor_) != 0 && errno != EINVAL) fail(errno);
    const int closed = ::close(descriptor_);
    descriptor_ = -1;
    if (closed != 0) fail(errno);
    if (temporary_.empty()) return;
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
    temporary_.clear();
    if (sync == FileSync::yes) {
        const std::filesystem::path folder =
            target_.has_parent_path() ? target_.parent_path() : std::filesystem::path(".");
        const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (descriptor < 0) fail(errno);
        const int error = ::fsync(descriptor) != 0 && errno != EINVAL ? errno : 0;
        ::close(descriptor);
        if (error != 0) fail(error);
    }
}

void AtomicFile::write_out(std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
        if (written < 0) {
            if (errno == EINTR) continue;
            fail(errno);
        }
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

void AtomicFile::fail(int error)
{
    abandon();
    throw FileError(path_.string(), reason(error));
}

void AtomicFile::abandon() noexcept
{
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
    temporary_.clear();
}

} // namespace pleat
