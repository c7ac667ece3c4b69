// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// What happens to a run from outside: kills, interrupts, full disks, folders that cannot be written
// to, too little memory. What was written stays valid, and the run can go on from it.
#include "app/program.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <thread>

namespace pleat {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

/// Frame and hash of every row of stats.csv.
std::string hashes_of(const fs::path& folder)
{
    std::istringstream in(read_bytes(folder / "stats.csv"));
    std::string result, line;
    while (std::getline(in, line))
        result += line.substr(0, line.find(',')) + " " + line.substr(line.rfind(',') + 1) + "\n";
    return result;
}

struct Faults : testing::Test {
    TemporaryFolder folder;
    [[nodiscard]] std::string at(const std::string& name) const
    {
        return (folder.path() / name).string();
    }
    /// A small sheet that swings and is remeshed, under a second cloth; some ten ms a frame.
    void SetUp() override
    {
        const auto sheet = [&](const char* name, double z) {
            std::ofstream out(folder / name);
            for (int i = 0; i < 9; ++i)
                out << "v " << i % 3 * 0.2 << " " << i / 3 * 0.2 << " " << z << "\nvt "
                    << i % 3 * 0.2 << " " << i / 3 * 0.2 << "\n";
            for (int j = 0; j < 2; ++j)
                for (int i = 1; i < 3; ++i) {
                    const int a = 3 * j + i;
                    out << "f " << a << "/" << a << " " << a + 1 << "/" << a + 1 << " " << a + 4
                        << "/" << a + 4 << "\nf " << a << "/" << a << " " << a + 4 << "/" << a + 4
                        << " " << a + 3 << "/" << a + 3 << "\n";
                }
        };
        sheet("a.obj", 0);
        sheet("b.obj", 0.02);
        std::ofstream(folder / "scene.json") << R"({
  "pleat": 1, "up": "z", "fps": 25, "substeps": 4, "frames": 24, "gravity": [0, 0, -9.8],
  "cloths": [
    {"name": "a", "mesh": "a.obj", "material": "gray-interlock",
     "remeshing": {"type": "anisotropic", "edge_length": [0.03, 0.2]}},
    {"name": "b", "mesh": "b.obj", "material": "gray-interlock"}],
  "handles": [{"cloth": "a", "nodes": [0, 2]}, {"cloth": "b", "nodes": [0]}]
})";
    }
    [[nodiscard]] std::vector<std::string> run_words(const std::string& out) const
    {
        return {PLEAT_BINARY, "run", at("scene.json"),     "-o", at(out), "-q",
                "--threads",  "2",   "--checkpoint-every", "3"};
    }
    void expect_no_leftovers(const std::string& out) const
    {
        for (const auto& entry : fs::recursive_directory_iterator(folder / out))
            EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
    }
};

/// Starts a program, waits, and kills it. \return whether it was still at work
bool kill_after(std::vector<std::string> words, std::chrono::microseconds time)
{
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        const int nowhere = ::open("/dev/null", O_RDWR);
        ::dup2(nowhere, STDOUT_FILENO);
        ::dup2(nowhere, STDERR_FILENO);
        ::execv(argv[0], argv.data());
        ::_exit(127);
    }
    std::this_thread::sleep_for(time);
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFSIGNALED(status);
}

/// Kills runs and resumed runs at random moments; every one ends with the bits of the run that was
/// left alone.
void kill_and_resume(const Faults& f, const TemporaryFolder& folder, int kills)
{
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_EQ(run_program(f.run_words("alone")).exit_code, 0);
    const double alone = // [us]
        1e6 * std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const std::string expected = hashes_of(folder / "alone");
    std::mt19937 random(20);
    std::uniform_real_distribution<double> moment(0, alone);
    int killed = 0, before_first = 0;
    const std::vector<std::string> resume{PLEAT_BINARY, "resume", f.at("killed"), "-q"};
    for (int attempt = 0; killed < kills && attempt < 10 * kills; ++attempt) {
        fs::remove_all(folder / "killed");
        killed += kill_after(f.run_words("killed"), std::chrono::microseconds(int(moment(random))));
        if (random() % 2 == 0 && killed < kills) // once more, while it goes on
            killed += kill_after(resume, std::chrono::microseconds(int(moment(random) / 2)));
        ProgramResult r = run_program(resume);
        if (r.exit_code == 1) { // killed before the first frame was kept
            ++before_first;
            EXPECT_TRUE(r.output.find("no checkpoint") != std::string::npos ||
                        r.output.find("no run.json of a run") != std::string::npos)
                << r.output;
            std::vector<std::string> anew = f.run_words("killed");
            anew.push_back("--force");
            r = run_program(anew);
        }
        ASSERT_EQ(r.exit_code, 0) << r.output;
        ASSERT_EQ(hashes_of(folder / "killed"), expected);
        f.expect_no_leftovers("killed");
        for (const char* file : {"frames/00024_a.obj", "frames/00013_b.obj"})
            ASSERT_EQ(read_bytes(folder / "killed" / file), read_bytes(folder / "alone" / file));
    }
    EXPECT_GE(killed, kills);
    testing::Test::RecordProperty("killed_before_the_first_checkpoint", before_first);
}

TEST_F(Faults, ten_kills_at_random_moments_change_no_bit)
{
    kill_and_resume(*this, folder, 10);
}

TEST_F(Faults, LongHundred_kills_at_random_moments_change_no_bit)
{
    if (std::getenv("PLEAT_LONG_TESTS") == nullptr) GTEST_SKIP() << "set PLEAT_LONG_TESTS=1";
    kill_and_resume(*this, folder, 100);
}

TEST_F(Faults, interrupts_leave_a_checkpoint_of_the_last_frame)
{
    ASSERT_EQ(run_program(run_words("alone")).exit_code, 0);
    for (const char* signal : {"INT", "TERM", "HUP"}) {
        const std::string out = std::string("on_") + signal;
        // Far more frames than there is time for; the signal comes when two are there.
        const ProgramResult r = run_shell(
            std::string(PLEAT_BINARY) + " run " + at("scene.json") + " -o " + at(out) +
            " --frames 100000 --checkpoint-every 0 & pid=$!; for i in $(seq 1200); do [ -e " +
            at(out) + "/frames/00002_b.obj ] && break; sleep 0.05; done; kill -" + signal +
            " $pid; wait $pid");
        EXPECT_GT(r.exit_code, 128) << r.output;
        EXPECT_THAT(r.output, HasSubstr("continues"));
        EXPECT_THAT(read_bytes(folder / out / "run.json"), HasSubstr("\"stopped\""));
        EXPECT_EQ(std::distance(fs::directory_iterator(folder / out / "checkpoint"),
                                fs::directory_iterator()),
                  2)
            << "of the start, and of the last frame";
        // To the end of the run that was left alone; where it is there already, nothing is left.
        const ProgramResult on = run_pleat_line("resume " + at(out) + " --frames 24 -q");
        EXPECT_EQ(on.exit_code, 0) << on.output;
        const std::string mine = hashes_of(folder / out), whole = hashes_of(folder / "alone");
        EXPECT_TRUE(mine.starts_with(whole) || whole.starts_with(mine)) << signal;
        EXPECT_TRUE(mine.starts_with(whole) || mine == whole);
    }
}

TEST_F(Faults, a_damaged_checkpoint_is_told_of_and_the_one_before_is_used)
{
    ASSERT_EQ(run_program(run_words("out")).exit_code, 0);
    const std::string expected = hashes_of(folder / "out");
    std::string bytes = read_bytes(folder / "out/checkpoint/00024.pleat");
    bytes[bytes.size() / 2] ^= 0x10;
    write_bytes(folder / "out/checkpoint/00024.pleat", bytes);
    bytes = read_bytes(folder / "out/checkpoint/00021.pleat");
    bytes[8] = 77; // the version
    write_bytes(folder / "out/checkpoint/00021.pleat", bytes);
    const ProgramResult r = run_pleat_line("resume " + at("out"));
    EXPECT_EQ(r.exit_code, 0) << r.output;
    EXPECT_THAT(r.output, HasSubstr("00024.pleat: a checksum that does not fit"));
    EXPECT_THAT(r.output, HasSubstr("00021.pleat: a checkpoint of version 77"));
    EXPECT_THAT(r.output, HasSubstr("continuing from frame 18"));
    EXPECT_EQ(hashes_of(folder / "out"), expected);
}

TEST_F(Faults, a_branch_has_the_frames_of_the_run_and_then_its_own)
{
    ASSERT_EQ(run_program(run_words("out")).exit_code, 0);
    std::string scene = read_bytes(folder / "scene.json");
    const auto replace = [&](const std::string& old, const std::string& by) {
        scene.replace(scene.find(old), old.size(), by);
    };
    replace("\"gravity\"", "\"wind\": {\"velocity\": [5, 0, 0], \"density\": 1.2}, \"gravity\"");
    replace("\"material\": \"gray-interlock\"", "\"material\": \"11oz-black-denim\"");
    write_bytes(folder / "windy.json", scene);
    const std::string branch = "resume " + at("out") + " --from 12 --scene " + at("windy.json");
    const ProgramResult refused = run_pleat_line(branch);
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.output, HasSubstr("-o"));
    const ProgramResult r = run_pleat_line(branch + " -o " + at("windy"));
    EXPECT_EQ(r.exit_code, 0) << r.output;
    EXPECT_THAT(r.output, HasSubstr("differs from the one that was run"));
    const std::string before = hashes_of(folder / "out"), after = hashes_of(folder / "windy");
    const std::size_t end = before.find("\n13 ");
    EXPECT_EQ(after.substr(0, end), before.substr(0, end)) << "as it was up to frame 12";
    EXPECT_NE(after, before) << "and another cloth from there on";
    EXPECT_EQ(std::count(after.begin(), after.end(), '\n'), 26);
    EXPECT_THAT(read_bytes(folder / "windy/scene.json"), HasSubstr("11oz-black-denim"));
    // The same branch again has the same bits, and can be interrupted and gone on with itself.
    ASSERT_EQ(run_pleat_line(branch + " -q --frames 18 -o " + at("again")).exit_code, 0);
    ASSERT_EQ(run_pleat_line("resume -q --frames 24 " + at("again")).exit_code, 0);
    EXPECT_EQ(hashes_of(folder / "again"), after);

    write_bytes(folder / "other.json", scene.replace(scene.find("\"fps\": 25"), 9, "\"fps\": 30"));
    const ProgramResult other =
        run_pleat_line("resume " + at("out") + " --scene " + at("other.json") + " -o " + at("o"));
    EXPECT_EQ(other.exit_code, 1);
    EXPECT_THAT(other.output, HasSubstr("fps"));
    const ProgramResult missing = run_pleat_line("resume " + at("out") + " --from 13");
    EXPECT_EQ(missing.exit_code, 1);
    EXPECT_THAT(missing.output, HasSubstr("one of 0, 3, 6, 9, 12"));
}

TEST_F(Faults, a_folder_has_one_writer)
{
    const ProgramResult r =
        run_shell(std::string(PLEAT_BINARY) + " run " + at("scene.json") + " -q -o " + at("out") +
                  " --frames 100000 & pid=$!; for i in $(seq 1200); do [ -e " + at("out") +
                  "/checkpoint/00000.pleat ] && break; sleep 0.05; done; " + PLEAT_BINARY +
                  " resume " + at("out") + "; echo code $?; kill -9 $pid");
    EXPECT_THAT(r.output, HasSubstr("another pleat at work"));
    EXPECT_THAT(r.output, HasSubstr("code 1"));
}

TEST_F(Faults, a_limit_on_file_sizes_ends_the_run_with_the_reason)
{
    ASSERT_EQ(run_program(run_words("alone")).exit_code, 0);
    // Room for the scene, but not for the statistics of many frames; in blocks of 512 bytes.
    const auto blocks = (fs::file_size(folder / "alone/scene.json") + 2048) / 512;
    const ProgramResult r =
        run_shell("ulimit -f " + std::to_string(blocks) + "; exec " + PLEAT_BINARY + " run " +
                  at("scene.json") + " -q --frames 400 -o " + at("out"));
    EXPECT_EQ(r.exit_code, 1) << r.output;
    EXPECT_THAT(r.output, HasSubstr("File too large"));
    EXPECT_THAT(r.output, HasSubstr("continues from frame"));
    EXPECT_TRUE(read_bytes(folder / "out/stats.csv").ends_with("\n")) << "whole rows only";
    EXPECT_EQ(run_pleat_line("check " + at("out")).exit_code, 0);
    expect_no_leftovers("out");
    EXPECT_EQ(run_pleat_line("resume -q --frames 24 " + at("out")).exit_code, 0);
    EXPECT_TRUE(hashes_of(folder / "out").starts_with(hashes_of(folder / "alone")));
}

TEST_F(Faults, a_full_disk_ends_the_run_with_the_reason)
{
    fs::create_directory(folder / "disk");
    const std::string mount = "mount -t tmpfs -o size=160k none " + at("disk");
    if (run_shell("unshare -rm sh -c '" + mount + "'").exit_code != 0)
        GTEST_SKIP() << "no rights to mount a small disk";
    // In a name space of its own: the disk is gone with the shell. What is on it is copied out.
    const ProgramResult r =
        run_shell("unshare -rm sh -c '" + mount + " && { " + PLEAT_BINARY + " run " +
                  at("scene.json") + " -q -o " + at("disk/out") + "; echo code $?; cp -r " +
                  at("disk/out") + " " + at("saved") + "; }'");
    EXPECT_THAT(r.output, HasSubstr("No space left on device"));
    EXPECT_THAT(r.output, HasSubstr("code 1"));
    EXPECT_THAT(r.output, HasSubstr("continues from frame"));
    EXPECT_EQ(run_pleat_line("check " + at("saved")).exit_code, 0);
    ASSERT_EQ(run_program(run_words("alone")).exit_code, 0);
    const ProgramResult on = run_pleat_line("resume -q " + at("saved"));
    EXPECT_EQ(on.exit_code, 0) << on.output;
    EXPECT_EQ(hashes_of(folder / "saved"), hashes_of(folder / "alone"));
    expect_no_leftovers("saved");
}

TEST_F(Faults, folders_and_files_in_the_way_are_named)
{
    // Root may write anywhere, so these runs are nobody's where the test is root's.
    const bool is_root = ::geteuid() == 0;
    const std::string as_nobody =
        is_root ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : "";
    fs::permissions(folder.path(), fs::perms(0755));
    if (is_root && run_shell(as_nobody + PLEAT_BINARY + " --version").exit_code != 0)
        GTEST_SKIP() << "nobody may not start the program";
    fs::create_directory(folder / "closed");
    fs::permissions(folder / "closed", fs::perms(0555));
    const ProgramResult closed = run_shell(as_nobody + PLEAT_BINARY + " run " + at("scene.json") +
                                           " -q -o " + at("closed/out"));
    EXPECT_EQ(closed.exit_code, 1);
    EXPECT_THAT(closed.output, HasSubstr("closed/out: Permission denied"));
    const ProgramResult inside =
        run_shell(as_nobody + PLEAT_BINARY + " run " + at("scene.json") + " -q -o " + at("closed"));
    EXPECT_EQ(inside.exit_code, 1);
    EXPECT_THAT(inside.output, HasSubstr("closed"));
    EXPECT_THAT(inside.output, HasSubstr("Permission denied"));
    fs::permissions(folder / "closed", fs::perms(0755));

    write_bytes(folder / "file", "mine");
    EXPECT_THAT(run_pleat_line("run " + at("scene.json") + " -q -o " + at("file")).output,
                HasSubstr("a folder for the results"));
    EXPECT_EQ(read_bytes(folder / "file"), "mine");

    // A folder where frame 5 should go: the frames before it are whole, and it can go on later.
    ASSERT_EQ(
        run_pleat_line("run " + at("scene.json") + " -q --frames 3 -o " + at("out")).exit_code, 0);
    fs::create_directories(folder / "out/frames/00005_b.obj/mine");
    const ProgramResult blocked = run_pleat_line("resume -q --frames 8 " + at("out"));
    EXPECT_EQ(blocked.exit_code, 1);
    EXPECT_THAT(blocked.output, HasSubstr("00005_b.obj"));
    fs::remove_all(folder / "out/frames/00005_b.obj");
    EXPECT_EQ(run_pleat_line("resume -q --frames 8 " + at("out")).exit_code, 0);
}

TEST_F(Faults, too_little_memory_ends_the_run_with_the_reason)
{
    ASSERT_EQ(run_pleat_line("new " + at("big") + " --cells 60").exit_code, 0);
    if (run_shell("ulimit -v 4000000; exec " + std::string(PLEAT_BINARY) + " --version")
            .exit_code != 0)
        GTEST_SKIP() << "a sanitizer needs more than any limit";
    // From too little to start the program to enough for the run [KB].
    int refused = 0, good = 0;
    for (int limit = 60000; limit <= 240000; limit += 12000) {
        fs::remove_all(folder / "out");
        const ProgramResult r =
            run_shell("ulimit -v " + std::to_string(limit) + "; exec " + PLEAT_BINARY + " run " +
                      at("big/scene.json") + " -q --frames 1 --threads 2 -o " + at("out"));
        EXPECT_EQ(r.signal, 0) << limit << r.output;
        if (r.exit_code == 0) {
            ++good;
        } else if (r.exit_code == 127) { // the system's loader could not even load the libraries
            EXPECT_THAT(r.output, HasSubstr("shared"));
        } else {
            ++refused;
            EXPECT_EQ(r.exit_code, 3) << limit << r.output;
            EXPECT_THAT(r.output, HasSubstr("error: "));
        }
        if (r.exit_code == 3 && fs::exists(folder / "out/checkpoint/00000.pleat")) {
            EXPECT_EQ(run_pleat_line("resume -q " + at("out")).exit_code, 0) << limit;
        }
    }
    EXPECT_GT(refused, 0);
    EXPECT_GT(good, 0);
}

TEST_F(Faults, a_solver_that_gives_up_leaves_a_folder_that_every_verb_opens)
{
    std::string scene = read_bytes(folder / "scene.json");
    scene.replace(scene.find("-9.8"), 4, "-1e30");
    write_bytes(folder / "absurd.json", scene);
    const ProgramResult r = run_pleat_line("run " + at("absurd.json") + " -o " + at("out"));
    EXPECT_EQ(r.exit_code, 3) << r.output;
    EXPECT_THAT(r.output, HasSubstr("the solver gave up at frame 1, step 1"));
    EXPECT_THAT(r.output, HasSubstr("1 frames"));
    EXPECT_THAT(read_bytes(folder / "out/run.json"), HasSubstr("\"gave up\""));
    EXPECT_EQ(run_pleat_line("check " + at("out")).exit_code, 0);
    for (const auto& entry : fs::recursive_directory_iterator(folder / "out"))
        if (entry.path().extension() == ".obj") {
            EXPECT_THAT(read_bytes(entry.path()), Not(HasSubstr("nan")));
        }
    // With a scene that makes sense it goes on.
    const ProgramResult on =
        run_pleat_line("resume " + at("out") + " --scene " + at("scene.json") + " -q --frames 2");
    EXPECT_EQ(on.exit_code, 0) << on.output;
}

} // namespace
} // namespace pleat
