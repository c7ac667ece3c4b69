// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "film.hpp"

#include "pleat/core/error.hpp"

#include <fmt/core.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace pleat::app {

namespace fs = std::filesystem;

Film::Film(fs::path path, int width, int height, double fps) : path_(std::move(path))
{
    const fs::path folder = path_.parent_path();
    std::error_code code;
    if (!folder.empty() && !fs::is_directory(folder, code))
        throw FileError(path_.string(), "the folder " + folder.string() + " does not exist");
    // The extension stays last: it tells ffmpeg the format.
    const std::string mark = "." + std::to_string(::getpid()) + ".part";
    temporary_ = folder / (path_.stem().string() + mark + path_.extension().string());
    messages_ = folder / (path_.stem().string() + mark + ".log");

    const std::string size = fmt::format("{}x{}", width, height);
    const std::string rate = fmt::format("{}", fps);
    std::vector<std::string> words{"ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-f",
                                   "rawvideo", "-pixel_format", "rgb24", "-video_size", size,
                                   "-framerate", rate, "-i", "-", "-an",
                                   // Players want even sizes and chroma at half resolution.
                                   "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2,format=yuv420p", "-crf",
                                   "17", "-movflags", "+faststart", temporary_.string()};
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw FileError(path_.string(), std::strerror(errno));
    process_ = ::fork();
    if (process_ < 0) throw FileError("ffmpeg", std::strerror(errno));
    if (process_ == 0) {
        ::setpgid(0, 0); // Ctrl-C goes to this process, which ends ffmpeg in order
        ::dup2(ends[0], STDIN_FILENO);
        const int log = ::open(messages_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
        if (log >= 0) ::dup2(log, STDERR_FILENO);
        ::execvp(argv[0], argv.data());
        ::_exit(127);
    }
    ::close(ends[0]);
    pipe_ = ends[1];
    std::signal(SIGPIPE, SIG_IGN); // write() says that ffmpeg ended
}

Film::~Film()
{
    if (pipe_ >= 0) ::close(pipe_);
    if (process_ > 0) {
        ::kill(process_, SIGTERM);
        ::waitpid(process_, nullptr, 0);
    }
    std::error_code ignored;
    fs::remove(temporary_, ignored);
    fs::remove(messages_, ignored);
}

int Film::wait()
{
    if (pipe_ >= 0) ::close(pipe_);
    pipe_ = -1;
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void Film::fail()
{
    if (process_ > 0 && wait() == 127)
        throw InputError(Problem{"--film", "", "the program ffmpeg was not found",
                                 "ffmpeg to make films (apt-get install ffmpeg); "
                                 "--frames with -o makes pictures without it"});
    std::ifstream in(messages_);
    std::string said{std::istreambuf_iterator<char>(in), {}};
    while (!said.empty() && said.back() == '\n') said.pop_back();
    throw FileError(path_.string(),
                    "ffmpeg failed: " + (said.empty() ? "no reason was given" : said));
}

void Film::add(const Image& image)
{
    std::size_t done = 0;
    while (done < image.rgb.size()) {
        const ssize_t n = ::write(pipe_, image.rgb.data() + done, image.rgb.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail();
        done += std::size_t(n);
    }
}

void Film::finish()
{
    const int code = wait();
    if (code != 0) {
        process_ = -1;
        fail();
    }
    std::error_code error;
    fs::rename(temporary_, path_, error);
    if (error) throw FileError(path_.string(), error.message());
}

} // namespace pleat::app
