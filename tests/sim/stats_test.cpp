// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/core/error.hpp"
#include "pleat/sim/frame_stats.hpp"

#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <limits>

namespace pleat {
namespace {

TEST(Stats, start_with_the_fixed_columns)
{
    EXPECT_TRUE(stats_header().starts_with(
        "frame,time,steps,nodes,faces,ms_total,ms_contact_find,ms_integrate,ms_strain,ms_impact,"
        "ms_remesh,ms_separate,ms_write,intersections,min_gap,max_stretch,max_compression,kinetic,"
        "elastic"));
}

TEST(Stats, have_a_value_for_every_column)
{
    FrameStats s;
    s.frame = 7;
    s.time = 0.28;
    s.audit.min_gap = std::numeric_limits<double>::infinity();
    const std::string row = stats_row(s), header = stats_header();
    EXPECT_EQ(std::count(row.begin(), row.end(), ','),
              std::count(header.begin(), header.end(), ','));
    EXPECT_TRUE(row.starts_with("7,0.28,"));
    EXPECT_NE(row.find(",inf,"), std::string::npos);
}

TEST(StatsFile, has_each_row_on_disk_at_once)
{
    const TemporaryFolder folder;
    StatsFile file(folder.path() / "stats.csv");
    file.write({});
    std::ifstream in(folder.path() / "stats.csv");
    std::string header, row, end;
    EXPECT_TRUE(std::getline(in, header));
    EXPECT_TRUE(std::getline(in, row));
    EXPECT_FALSE(std::getline(in, end));
    EXPECT_EQ(header, stats_header());
}

TEST(StatsFile, says_which_path_the_system_refuses)
{
    EXPECT_THROW(StatsFile("/no/such/folder/stats.csv"), FileError);
    try {
        StatsFile file("/dev/full");
        FAIL() << "a full disk was not noticed";
    } catch (const FileError& error) {
        EXPECT_NE(std::string(error.what()).find("/dev/full"), std::string::npos);
    }
}

TEST(StatsFile, goes_on_behind_a_frame)
{
    const TemporaryFolder folder;
    const auto path = folder / "stats.csv";
    FrameStats s;
    {
        StatsFile file(path);
        for (s.frame = 0; s.frame < 5; ++s.frame) file.write(s);
    }
    const std::string whole = read_bytes(path);
    write_bytes(path, whole + "5,0.2,8"); // a run that was killed in the middle of a row
    {
        StatsFile file(path, 2);
        for (s.frame = 3; s.frame < 5; ++s.frame) file.write(s);
    }
    EXPECT_EQ(read_bytes(path), whole);
    { // beyond the last row nothing is made up
        StatsFile file(path, 100);
    }
    EXPECT_EQ(read_bytes(path), whole);
}

TEST(StatsFile, starts_where_there_is_none_and_refuses_other_columns)
{
    const TemporaryFolder folder;
    {
        StatsFile file(folder / "new.csv", 7);
    }
    EXPECT_EQ(read_bytes(folder / "new.csv"), stats_header() + "\n");
    write_bytes(folder / "cut.csv", stats_header().substr(0, 9));
    {
        StatsFile file(folder / "cut.csv", 7);
    }
    EXPECT_EQ(read_bytes(folder / "cut.csv"), stats_header() + "\n");
    write_bytes(folder / "other.csv", "frame,time\n0,0\n");
    EXPECT_THROW(StatsFile(folder / "other.csv", 7), InputError);
    EXPECT_EQ(read_bytes(folder / "other.csv"), "frame,time\n0,0\n");
}

} // namespace
} // namespace pleat
