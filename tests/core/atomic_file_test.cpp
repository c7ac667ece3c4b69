// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/core/atomic_file.hpp"
#include "pleat/core/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/resource.h>

namespace pleat {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

class AtomicFileTest : public testing::Test {
protected:
    AtomicFileTest()
    {
        std::string name = (fs::temp_directory_path() / "pleat_atomic_XXXXXX").string();
        folder_ = ::mkdtemp(name.data());
    }
    ~AtomicFileTest() override { fs::remove_all(folder_); }

    [[nodiscard]] std::size_t entries() const
    {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}));
    }

    fs::path folder_;
};

TEST_F(AtomicFileTest, shows_the_new_content_only_after_commit)
{
    const fs::path path = folder_ / "a.txt";
    std::ofstream(path) << "old";
    AtomicFile file(path);
    file.append("new ");
    file.append("content");
    EXPECT_EQ(content(path), "old");
    file.commit(FileSync::yes);
    EXPECT_EQ(content(path), "new content");
    EXPECT_EQ(entries(), 1u);
}

TEST_F(AtomicFileTest, keeps_bytes_in_order_across_small_and_large_pieces)
{
    std::string expected;
    AtomicFile file(folder_ / "a.bin");
    for (std::size_t size : {0u, 5u, 300000u, 1u, 262144u, 262143u, 2u, 900000u, 7u}) {
        const std::string piece(size, static_cast<char>('a' + expected.size() % 26));
        expected += piece;
        file.append(piece);
    }
    file.commit();
    EXPECT_TRUE(content(folder_ / "a.bin") == expected);
}

TEST_F(AtomicFileTest, leaves_nothing_behind_when_not_committed)
{
    {
        AtomicFile file(folder_ / "a.txt");
        file.append(std::string(1000000, 'x'));
    }
    EXPECT_EQ(entries(), 0u);
}

TEST_F(AtomicFileTest, lets_two_writers_share_a_folder)
{
    AtomicFile a(folder_ / "a.txt"), b(folder_ / "b.txt");
    a.append("a");
    b.append("b");
    a.commit();
    b.commit();
    EXPECT_EQ(content(folder_ / "a.txt"), "a");
    EXPECT_EQ(content(folder_ / "b.txt"), "b");
}

TEST_F(AtomicFileTest, writes_through_a_symbolic_link)
{
    std::ofstream(folder_ / "real.txt") << "old";
    fs::create_symlink("real.txt", folder_ / "link.txt");
    AtomicFile file(folder_ / "link.txt");
    file.append("new");
    file.commit();
    EXPECT_TRUE(fs::is_symlink(folder_ / "link.txt"));
    EXPECT_EQ(content(folder_ / "real.txt"), "new");
}

TEST_F(AtomicFileTest, keeps_the_permissions_of_the_file_it_replaces)
{
    const fs::path path = folder_ / "a.txt";
    std::ofstream(path) << "old";
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
    AtomicFile file(path);
    file.commit();
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(AtomicFileTest, names_path_and_reason_when_the_folder_is_missing)
{
    const fs::path path = folder_ / "nowhere" / "a.txt";
    try {
        AtomicFile file(path);
        FAIL() << "opened a file in a missing folder";
    } catch (const FileError& error) {
        EXPECT_EQ(error.path(), path.string());
        EXPECT_THAT(error.what(), testing::HasSubstr("No such file or directory"));
    }
}

TEST_F(AtomicFileTest, refuses_a_directory_before_anything_is_written)
{
    try {
        AtomicFile file(folder_);
        FAIL() << "opened a directory";
    } catch (const FileError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("Is a directory"));
    }
    EXPECT_EQ(entries(), 0u);
}

TEST_F(AtomicFileTest, reports_a_full_device_without_replacing_it)
{
    if (!fs::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
    AtomicFile file("/dev/full");
    file.append("x");
    try {
        file.commit();
        FAIL() << "wrote to a full device";
    } catch (const FileError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("No space left on device"));
    }
    EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

// A limit on the size of files stands in for a disk that fills up half way.
TEST_F(AtomicFileTest, keeps_the_old_file_when_the_disk_fills_up_half_way)
{
    const fs::path path = folder_ / "a.txt";
    std::ofstream(path) << "old";
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    rlimit small = before;
    small.rlim_cur = 400000;
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    std::string message;
    try {
        AtomicFile file(path);
        for (int i = 0; i < 10; ++i) file.append(std::string(100000, 'x'));
        file.commit();
    } catch (const FileError& error) {
        message = error.what();
    }
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    EXPECT_THAT(message, testing::HasSubstr("File too large"));
    EXPECT_EQ(content(path), "old");
    EXPECT_EQ(entries(), 1u);
}

} // namespace
} // namespace pleat
