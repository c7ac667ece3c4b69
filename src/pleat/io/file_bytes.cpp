// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/io/file_bytes.hpp"

#include "pleat/core/error.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace pleat {

namespace {

class Descriptor {
public:
    explicit Descriptor(int value) : value_(value) {}
    ~Descriptor()
    {
        if (value_ >= 0) ::close(value_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int get() const { return value_; }

private:
    int value_;
};

[[noreturn]] void refuse(const std::filesystem::path& path, std::string found)
{
    throw InputError(Problem{path.string(), "", std::move(found), "a readable file"});
}

[[noreturn]] void refuse_errno(const std::filesystem::path& path, int error)
{
    refuse(path, "cannot be read (" + std::generic_category().message(error) + ")");
}

} // namespace

FileBytes read_file_bytes(const std::filesystem::path& path)
{
    // O_NONBLOCK: opening a pipe that nobody writes to must not wait for ever.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.get() < 0) refuse_errno(path, errno);
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) refuse_errno(path, errno);
    if (S_ISDIR(status.st_mode)) refuse(path, "is a directory");
    if (!S_ISREG(status.st_mode)) refuse(path, "is a pipe or device");
    if (static_cast<std::size_t>(status.st_size) > max_file_bytes)
        refuse(path, "is larger than 4 GiB (" + std::to_string(status.st_size) + " bytes)");

    FileBytes file_bytes;
    const auto size = static_cast<std::size_t>(status.st_size);
    file_bytes.bytes = std::make_unique_for_overwrite<char[]>(std::max<std::size_t>(size, 1));
    while (file_bytes.size < size) {
        const ssize_t got =
            ::read(file.get(), file_bytes.bytes.get() + file_bytes.size, size - file_bytes.size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) refuse_errno(path, errno);
        if (got == 0) break; // the file became shorter meanwhile
        file_bytes.size += static_cast<std::size_t>(got);
    }
    return file_bytes;
}

} // namespace pleat
