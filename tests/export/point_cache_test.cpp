// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/export/point_cache.hpp"

#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace pleat {
namespace {

const PointCache cache{3, 50, {{{0, 0, 1}, {1, 2, 3}}, {{0, 0, 2}, {1, 2, 4.5}}}};

template <class T> T value_at(const std::string& bytes, std::size_t at, bool big_endian)
{
    std::string raw = bytes.substr(at, sizeof(T));
    if (big_endian) std::reverse(raw.begin(), raw.end());
    T value;
    std::memcpy(&value, raw.data(), sizeof value);
    return value;
}

TEST(PointCache, is_written_as_pc2)
{
    const TemporaryFolder folder;
    write_pc2(folder / "a.pc2", cache);
    const std::string bytes = read_bytes(folder / "a.pc2");
    ASSERT_EQ(bytes.size(), 32u + 2 * 2 * 12);
    EXPECT_EQ(bytes.substr(0, 12), std::string("POINTCACHE2\0", 12));
    EXPECT_EQ(value_at<std::int32_t>(bytes, 12, false), 1);
    EXPECT_EQ(value_at<std::int32_t>(bytes, 16, false), 2); // points
    EXPECT_EQ(value_at<float>(bytes, 20, false), 3.0f);     // first frame
    EXPECT_EQ(value_at<float>(bytes, 24, false), 1.0f);
    EXPECT_EQ(value_at<std::int32_t>(bytes, 28, false), 2); // samples
    EXPECT_EQ(value_at<float>(bytes, bytes.size() - 4, false), 4.5f);
}

TEST(PointCache, is_written_as_mdd)
{
    const TemporaryFolder folder;
    write_mdd(folder / "a.mdd", cache);
    const std::string bytes = read_bytes(folder / "a.mdd");
    ASSERT_EQ(bytes.size(), 8u + 2 * 4 + 2 * 2 * 12);
    EXPECT_EQ(value_at<std::int32_t>(bytes, 0, true), 2); // frames
    EXPECT_EQ(value_at<std::int32_t>(bytes, 4, true), 2); // points
    EXPECT_EQ(value_at<float>(bytes, 8, true), 0.06f);
    EXPECT_EQ(value_at<float>(bytes, 12, true), 0.08f);
    EXPECT_EQ(value_at<float>(bytes, bytes.size() - 4, true), 4.5f);
}

} // namespace
} // namespace pleat
