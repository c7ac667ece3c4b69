// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/render/image.hpp"

#include "pleat/core/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace pleat {
namespace {

using Bytes = std::vector<std::uint8_t>;
namespace fs = std::filesystem;

/// A fresh directory that goes away with the test.
struct Directory {
    fs::path path;

    Directory()
    {
        const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
        path = fs::path(testing::TempDir()) / ("pleat_image_" + name);
        fs::remove_all(path);
        fs::create_directories(path);
    }
    ~Directory() { fs::remove_all(path); }
};

Bytes read(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::uint32_t u32(const Bytes& bytes, std::size_t at)
{
    return std::uint32_t(bytes.at(at)) << 24 | std::uint32_t(bytes.at(at + 1)) << 16 |
           std::uint32_t(bytes.at(at + 2)) << 8 | std::uint32_t(bytes.at(at + 3));
}

struct Decoded {
    Image image;
    std::vector<int> filters; // of the rows
};

/// Reads 8-bit RGB files with any filters and checks the checksums; written from the standard,
/// apart from the writer.
Decoded decode(const Bytes& file)
{
    const Bytes magic{137, 80, 78, 71, 13, 10, 26, 10};
    if (!std::equal(magic.begin(), magic.end(), file.begin()))
        throw std::runtime_error("not a PNG file");
    Decoded decoded;
    Bytes packed;
    bool ended = false;
    for (std::size_t at = 8; at < file.size();) {
        const std::uint32_t size = u32(file, at);
        const std::string type(file.begin() + std::ptrdiff_t(at) + 4,
                               file.begin() + std::ptrdiff_t(at) + 8);
        const std::size_t data = at + 8;
        if (u32(file, data + size) != crc32(crc32(0, nullptr, 0), &file[at + 4], size + 4))
            throw std::runtime_error("wrong checksum in " + type);
        if (type == "IHDR") {
            decoded.image.width = int(u32(file, data));
            decoded.image.height = int(u32(file, data + 4));
            const Bytes rest(file.begin() + std::ptrdiff_t(data) + 8,
                             file.begin() + std::ptrdiff_t(data + size));
            if (rest != Bytes{8, 2, 0, 0, 0}) throw std::runtime_error("not 8-bit RGB");
        }
        if (type == "IDAT")
            packed.insert(packed.end(), file.begin() + std::ptrdiff_t(data),
                          file.begin() + std::ptrdiff_t(data + size));
        ended = type == "IEND";
        at = data + size + 4;
    }
    if (!ended) throw std::runtime_error("no IEND at the end");

    const std::size_t width = 3 * std::size_t(decoded.image.width);
    const std::size_t height = std::size_t(decoded.image.height);
    Bytes rows((width + 1) * height);
    uLongf size = uLongf(rows.size());
    if (uncompress(rows.data(), &size, packed.data(), uLong(packed.size())) != Z_OK ||
        size != rows.size())
        throw std::runtime_error("bad pixel data");

    Bytes& rgb = decoded.image.rgb;
    rgb.resize(width * height);
    for (std::size_t y = 0; y < height; ++y) {
        const int filter = rows[y * (width + 1)];
        decoded.filters.push_back(filter);
        for (std::size_t x = 0; x < width; ++x) {
            const int a = x >= 3 ? rgb[y * width + x - 3] : 0;
            const int b = y > 0 ? rgb[(y - 1) * width + x] : 0;
            const int c = x >= 3 && y > 0 ? rgb[(y - 1) * width + x - 3] : 0;
            int guess = 0;
            if (filter == 1) guess = a;
            if (filter == 2) guess = b;
            if (filter == 3) guess = (a + b) / 2;
            if (filter == 4) {
                const int pa = std::abs(b - c), pb = std::abs(a - c), pc = std::abs(a + b - 2 * c);
                guess = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
            }
            rgb[y * width + x] = std::uint8_t(rows[y * (width + 1) + 1 + x] + guess);
        }
    }
    return decoded;
}

/// Bands that call for different filters: flat, slopes across and down, both, and noise.
Image varied_image(int width, int height)
{
    Image image = filled_image(width, height, {10, 200, 90});
    std::uint32_t noise = 1;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            for (int c = 0; c < 3; ++c) {
                noise = noise * 1664525u + 1013904223u;
                const int band = 5 * y / height;
                const double wave = 100 * std::sin(0.11 * x + c) * std::cos(0.17 * y);
                const int values[] = {40 * c, 2 * x + 9 * c, 5 * y + c, int(128 + wave),
                                      int(noise >> 24)};
                image.rgb[std::size_t(3 * (y * width + x) + c)] = std::uint8_t(values[band]);
            }
    return image;
}

TEST(Png, decodes_to_the_image_that_was_written)
{
    const Directory directory;
    for (const auto& [width, height] : {std::pair{1, 1}, {7, 3}, {3, 50}, {123, 77}}) {
        const Image image = varied_image(width, height);
        write_png(directory.path / "a.png", image);
        EXPECT_EQ(decode(read(directory.path / "a.png")).image, image) << width << " x " << height;
    }
}

TEST(Png, rows_take_different_filters_and_smooth_pictures_shrink)
{
    const Directory directory;
    const Image image = varied_image(200, 100);
    write_png(directory.path / "a.png", image);
    const Decoded decoded = decode(read(directory.path / "a.png"));
    EXPECT_THAT(decoded.filters, testing::Contains(1));
    EXPECT_THAT(decoded.filters, testing::Contains(2));

    write_png(directory.path / "flat.png", filled_image(200, 100, {1, 2, 3}));
    EXPECT_LT(fs::file_size(directory.path / "flat.png"), 400u);
}

TEST(Png, replaces_an_old_file_and_leaves_nothing_else_behind)
{
    const Directory directory;
    std::ofstream(directory.path / "a.png") << "something old";
    const Image image = varied_image(20, 20);
    write_png(directory.path / "a.png", image);
    EXPECT_EQ(decode(read(directory.path / "a.png")).image, image);
    EXPECT_EQ(std::distance(fs::directory_iterator(directory.path), fs::directory_iterator()), 1);
}

TEST(Png, missing_directory_throws_with_path_and_reason)
{
    const Directory directory;
    const fs::path path = directory.path / "not there" / "a.png";
    try {
        write_png(path, varied_image(2, 2));
        FAIL() << "wrote into a missing directory";
    } catch (const FileError& error) {
        EXPECT_EQ(error.path(), path.string());
        EXPECT_THAT(error.what(), testing::HasSubstr("No such file or directory"));
    }
}

TEST(Png, name_of_a_directory_throws_and_leaves_no_part)
{
    const Directory directory;
    fs::create_directories(directory.path / "a.png" / "full");
    EXPECT_THROW(write_png(directory.path / "a.png", varied_image(2, 2)), FileError);
    EXPECT_EQ(std::distance(fs::directory_iterator(directory.path), fs::directory_iterator()), 1);
}

TEST(SideBySide, puts_images_left_to_right_with_gaps)
{
    const std::vector<Image> images{filled_image(2, 1, {1, 1, 1}), filled_image(1, 2, {2, 2, 2})};
    const Image joined = side_by_side(images, 1, {9, 9, 9});
    ASSERT_EQ(joined.width, 4);
    ASSERT_EQ(joined.height, 2);
    const int expected[2][4] = {{1, 1, 9, 2}, {9, 9, 9, 2}};
    for (std::size_t y = 0; y < 2; ++y)
        for (std::size_t x = 0; x < 4; ++x)
            for (std::size_t c = 0; c < 3; ++c)
                EXPECT_EQ(joined.rgb[3 * (4 * y + x) + c], expected[y][x]) << x << ", " << y;
}

TEST(SideBySide, nothing_gives_an_empty_image)
{
    EXPECT_EQ(side_by_side({}, 5), Image{});
}

} // namespace
} // namespace pleat
