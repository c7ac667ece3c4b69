// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/export/frame_files.hpp"

#include "pleat/core/error.hpp"

#include <array>
#include <charconv>
#include <system_error>

namespace pleat {

namespace {

constexpr std::size_t most_stem_bytes = 100;

bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
}

/// Whether the byte continues a UTF-8 character.
bool is_continuation(char c)
{
    return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

std::string lower_case(std::string text)
{
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

} // namespace

std::string file_stem(std::string_view name)
{
    std::string stem;
    for (const char c : name) {
        if (stem.size() == most_stem_bytes) break;
        if (is_plain(c))
            stem += c;
        else if (!is_continuation(c))
            stem += '_';
    }
    return stem.empty() ? "mesh" : stem;
}

std::string frame_comment(const Frame& frame, const FrameMesh& mesh)
{
    const std::string object = (mesh.is_cloth ? "cloth " : "obstacle ") + mesh.name;
    if (mesh.is_static) return "Pleat: static " + object;
    std::array<char, 32> time{};
    const auto end = std::to_chars(time.data(), time.data() + time.size(), frame.time);
    return "Pleat: " + object + ", frame " + std::to_string(frame.number) + ", time " +
           std::string(time.data(), end.ptr) + " s";
}

FrameFiles::FrameFiles(const std::filesystem::path& directory, std::string extension,
                       NamePattern pattern)
    : folder_(directory / "frames"), extension_(std::move(extension)), pattern_(std::move(pattern))
{
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error) throw FileError(folder_.string(), error.message());
}

std::vector<std::optional<std::filesystem::path>> FrameFiles::paths_of(const Frame& frame)
{
    std::map<std::string, std::size_t> seen; // of each name in this frame
    std::vector<std::optional<std::filesystem::path>> paths;
    for (const FrameMesh& mesh : frame.meshes) {
        const ObjectKey key{mesh.name, seen[mesh.name]++};
        const std::string& stem = stem_of(key);
        if (mesh.is_static && !static_done_.insert(key).second) {
            paths.emplace_back();
            continue;
        }
        const int number = mesh.is_static ? 0 : frame.number;
        paths.emplace_back(folder_ / (pattern_.stem(stem, number) + "." + extension_));
    }
    return paths;
}

std::map<std::string, FrameFiles::Written> FrameFiles::written() const
{
    std::map<std::string, Written> objects;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
        if (entry.path().extension() != "." + extension_) continue;
        if (const auto parts = pattern_.match(entry.path().stem().string()))
            objects[parts->name][parts->frame] = entry.path();
    }
    return objects;
}

const std::string& FrameFiles::stem_of(const ObjectKey& key)
{
    if (const auto known = stems_.find(key); known != stems_.end()) return known->second;
    const std::string base = file_stem(key.first);
    std::string stem = base;
    for (std::size_t i = 2; !taken_.insert(lower_case(stem)).second; ++i)
        stem = base + "-" + std::to_string(i);
    return stems_.emplace(key, std::move(stem)).first->second;
}

} // namespace pleat
