// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/export/point_cache.hpp"

#include "pleat/core/atomic_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>

namespace pleat {

namespace {

static_assert(std::endian::native == std::endian::little, "bytes are turned for big-endian files");

template <class T> void put(std::string& bytes, T value, bool big_endian)
{
    auto raw = std::bit_cast<std::array<char, sizeof(T)>>(value);
    if (big_endian) std::reverse(raw.begin(), raw.end());
    bytes.append(raw.data(), raw.size());
}

void append_positions(AtomicFile& file, const PointCache& cache, bool big_endian)
{
    for (const std::vector<Vec3>& frame : cache.positions) {
        std::string bytes;
        for (const Vec3& p : frame)
            for (const double c : p.e) put(bytes, static_cast<float>(c), big_endian);
        file.append(bytes);
    }
}

std::int32_t point_count(const PointCache& cache)
{
    return cache.positions.empty() ? 0 : std::int32_t(cache.positions.front().size());
}

} // namespace

void write_pc2(const std::filesystem::path& path, const PointCache& cache)
{
    std::string head("POINTCACHE2\0", 12);
    put(head, std::int32_t{1}, false); // version
    put(head, point_count(cache), false);
    put(head, static_cast<float>(cache.first_frame), false);
    put(head, 1.0f, false); // frames from sample to sample
    put(head, std::int32_t(cache.positions.size()), false);
    AtomicFile file(path);
    file.append(head);
    append_positions(file, cache, false);
    file.commit();
}

void write_mdd(const std::filesystem::path& path, const PointCache& cache)
{
    std::string head;
    put(head, std::int32_t(cache.positions.size()), true);
    put(head, point_count(cache), true);
    for (std::size_t i = 0; i < cache.positions.size(); ++i) // times [s]
        put(head, static_cast<float>((cache.first_frame + double(i)) / cache.fps), true);
    AtomicFile file(path);
    file.append(head);
    append_positions(file, cache, true);
    file.commit();
}

} // namespace pleat
