// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/render/image.hpp"

#include "pleat/core/atomic_file.hpp"
#include "pleat/core/error.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>

namespace pleat {

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t channel_count = 3;

std::size_t row_size(const Image& image)
{
    return channel_count * std::size_t(image.width);
}

void append_u32(Bytes& bytes, std::uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(std::uint8_t(value >> shift));
}

/// [PNG2003] sec. 5.3: length, type, data, checksum of type and data.
void append_chunk(Bytes& file, const char (&type)[5], const Bytes& data)
{
    append_u32(file, std::uint32_t(data.size()));
    const std::size_t begin = file.size();
    file.insert(file.end(), type, type + 4);
    file.insert(file.end(), data.begin(), data.end());
    append_u32(file, std::uint32_t(crc32_z(0, file.data() + begin, file.size() - begin)));
}

/// [PNG2003] sec. 9.4: of left, above and above left, the one nearest to left + above - corner.
int paeth(int left, int above, int corner)
{
    const int estimate = left + above - corner;
    const int to_left = std::abs(estimate - left);
    const int to_above = std::abs(estimate - above);
    const int to_corner = std::abs(estimate - corner);
    if (to_left <= to_above && to_left <= to_corner) return left;
    return to_above <= to_corner ? above : corner;
}

/// What the filter expects a byte to be. [PNG2003] sec. 9.2
int prediction(int filter, int left, int above, int corner)
{
    switch (filter) {
    case 1:
        return left;
    case 2:
        return above;
    case 3:
        return (left + above) / 2;
    case 4:
        return paeth(left, above, corner);
    default:
        return 0;
    }
}

/// Each row takes the filter whose residuals have the smallest sum of magnitudes, which is a cheap
/// guess at what will deflate best.
Bytes filtered_rows(const Image& image)
{
    constexpr int filter_count = 5;
    const std::size_t size = row_size(image);
    const Bytes blank(size, 0);
    Bytes candidate(size), best(size);
    Bytes rows;
    rows.reserve((size + 1) * std::size_t(image.height));
    for (std::size_t y = 0; y < std::size_t(image.height); ++y) {
        const std::uint8_t* row = image.rgb.data() + y * size;
        const std::uint8_t* previous = y > 0 ? row - size : blank.data();
        long best_cost = std::numeric_limits<long>::max();
        int best_filter = 0;
        for (int filter = 0; filter < filter_count; ++filter) {
            long cost = 0;
            for (std::size_t i = 0; i < size; ++i) {
                const bool first = i < channel_count;
                const int left = first ? 0 : row[i - channel_count];
                const int corner = first ? 0 : previous[i - channel_count];
                candidate[i] = std::uint8_t(row[i] - prediction(filter, left, previous[i], corner));
                cost += std::abs(int(std::int8_t(candidate[i])));
            }
            if (cost < best_cost) {
                best_cost = cost;
                best_filter = filter;
                best.swap(candidate);
            }
        }
        rows.push_back(std::uint8_t(best_filter));
        rows.insert(rows.end(), best.begin(), best.end());
    }
    return rows;
}

Bytes deflated(const Bytes& data)
{
    uLongf size = compressBound(uLong(data.size()));
    Bytes packed(size);
    const int status = compress2(packed.data(), &size, data.data(), uLong(data.size()), 6);
    if (status != Z_OK) throw std::bad_alloc(); // the only way compress2 fails on a bound buffer
    packed.resize(size);
    return packed;
}

Bytes encoded_png(const Image& image)
{
    Bytes header;
    append_u32(header, std::uint32_t(image.width));
    append_u32(header, std::uint32_t(image.height));
    // 8 bits a channel, red-green-blue, deflate, the five filters, not interlaced
    header.insert(header.end(), {8, 2, 0, 0, 0});

    Bytes file{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    append_chunk(file, "IHDR", header);
    append_chunk(file, "IDAT", deflated(filtered_rows(image)));
    append_chunk(file, "IEND", {});
    return file;
}

} // namespace

Image filled_image(int width, int height, std::array<std::uint8_t, 3> rgb)
{
    PLEAT_ASSERT(width >= 1 && height >= 1, "a picture has at least one pixel");
    Image image{width, height, Bytes(channel_count * std::size_t(width) * std::size_t(height))};
    for (std::size_t i = 0; i < image.rgb.size(); ++i) image.rgb[i] = rgb[i % channel_count];
    return image;
}

void write_png(const std::filesystem::path& path, const Image& image)
{
    PLEAT_ASSERT(image.width >= 1 && image.height >= 1, "a picture has at least one pixel");
    PLEAT_ASSERT(image.rgb.size() == row_size(image) * std::size_t(image.height),
                 "a picture has three bytes a pixel");
    const Bytes bytes = encoded_png(image);
    AtomicFile file(path);
    file.append({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    file.commit();
}

Image side_by_side(std::span<const Image> images, int gap, std::array<std::uint8_t, 3> fill)
{
    PLEAT_ASSERT(gap >= 0, "a gap is not negative");
    if (images.empty()) return {};
    int width = gap * (int(images.size()) - 1);
    int height = 0;
    for (const Image& image : images) {
        width += image.width;
        height = std::max(height, image.height);
    }
    if (width < 1 || height < 1) return {};

    Image joined = filled_image(width, height, fill);
    std::size_t left = 0;
    for (const Image& image : images) {
        const std::size_t size = row_size(image);
        for (std::size_t y = 0; y < std::size_t(image.height); ++y)
            std::copy_n(image.rgb.data() + y * size, size,
                        joined.rgb.data() + y * row_size(joined) + channel_count * left);
        left += std::size_t(image.width) + std::size_t(gap);
    }
    return joined;
}

} // namespace pleat
