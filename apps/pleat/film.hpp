// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Encodes pictures as a film with the program ffmpeg.
#pragma once

#include "pleat/render/image.hpp"

#include <filesystem>
#include <string>

#include <sys/types.h>

namespace pleat::app {

/// Encodes pictures of one size while they come. The film gets its name when it is whole; until
/// then, and if something fails, it is a neighbouring file that is removed again.
class Film {
public:
    /// \throw InputError where there is no ffmpeg, FileError where the folder is not there
    Film(std::filesystem::path path, int width, int height, double fps);
    ~Film();
    Film(const Film&) = delete;
    Film& operator=(const Film&) = delete;

    /// \throw FileError with what ffmpeg said
    void add(const Image& image);
    /// Waits until the film is written. \throw FileError with what ffmpeg said
    void finish();

private:
    [[noreturn]] void fail();
    int wait();

    std::filesystem::path path_, temporary_, messages_;
    pid_t process_ = -1;
    int pipe_ = -1;
};

} // namespace pleat::app
