// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/core/error.hpp"
#include "pleat/sim/checkpoint.hpp"

#include "mesh/zoo.hpp"
#include "sim/model_of.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>

namespace pleat {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A simulation in which no two numbers are alike.
Simulation rich_simulation(const MeshInput& input)
{
    Simulation sim = simulation_of(input);
    std::mt19937 random(7);
    std::uniform_real_distribution<double> real(-1, 1);
    for (auto* field : {&sim.state.x, &sim.state.v, &sim.state.anchor})
        for (Vec3& value : *field) value = {real(random), real(random), real(random)};
    for (double& angle : sim.model.rest_angle) angle = real(random);
    for (double& scale : sim.model.compression_scale) scale = real(random);
    for (int& label : sim.model.node_label) label = int(random() % 5);
    for (int& g : sim.model.face_generation) g = int(random() % 7);
    for (int& g : sim.model.node_generation) g = int(random() % 7);
    for (int& mark : sim.model.edge_unflipped) mark = int(random() % 2);
    for (int& level : sim.model.face_level) level = int(random() % 4);
    const auto vert = [&](std::size_t i) {
        return make_id<VertId>(i % sim.model.mesh.vert_count());
    };
    sim.model.forest.base = {{vert(0), vert(1), vert(2)}, {vert(2), vert(1), vert(3)}};
    sim.model.forest.midpoints = {{vert(4), {vert(0), vert(1)}, 1},
                                  {vert(5), {vert(2), vert(1)}, 0}};
    for (std::uint64_t& bits : sim.model.node_handles) bits = random();
    for (std::uint64_t& bits : sim.model.region_handles) bits = random();
    sim.state.handles_taken = 0x8000000000000005ull;
    sim.frame = 17;
    sim.time = 17.0 / 25;
    return sim;
}

CheckpointInfo info_of(const Simulation&)
{
    CheckpointInfo info;
    info.so_far.frames_written = 18;
    info.so_far.frames_with_intersections = 2;
    info.so_far.first_bad_frame = 4;
    info.fps = 25;
    info.handle_count = 3;
    info.material_counts = {1};
    info.scene_hash = 0x0123456789abcdefull;
    return info;
}

std::string refusal(const std::string& bytes)
{
    try {
        static_cast<void>(decode_checkpoint(bytes, "c.pleat"));
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

TEST(Checkpoint, brings_back_every_bit)
{
    for (const zoo::Animal& entry : zoo::animals()) {
        const Simulation sim = rich_simulation(entry.input);
        const CheckpointInfo info = info_of(sim);
        const Checkpoint c = decode_checkpoint(encode_checkpoint(sim, info), "c.pleat");
        EXPECT_EQ(c.info, info) << entry.name;
        EXPECT_EQ(c.sim.frame, sim.frame);
        EXPECT_EQ(c.sim.time, sim.time);
        EXPECT_EQ(c.sim.state, sim.state);
        EXPECT_EQ(c.sim.model.mesh, sim.model.mesh);
        EXPECT_EQ(c.sim.model.cloths, sim.model.cloths);
        EXPECT_EQ(c.sim.model.panel_cloth, sim.model.panel_cloth);
        EXPECT_EQ(c.sim.model.face_material, sim.model.face_material);
        EXPECT_EQ(c.sim.model.rest_angle, sim.model.rest_angle);
        EXPECT_EQ(c.sim.model.node_label, sim.model.node_label);
        EXPECT_EQ(c.sim.model.node_handles, sim.model.node_handles);
        EXPECT_EQ(c.sim.model.region_handles, sim.model.region_handles);
        EXPECT_EQ(c.sim.model.compression_scale, sim.model.compression_scale);
        EXPECT_EQ(c.sim.model.face_generation, sim.model.face_generation);
        EXPECT_EQ(c.sim.model.node_generation, sim.model.node_generation);
        EXPECT_EQ(c.sim.model.edge_unflipped, sim.model.edge_unflipped);
        EXPECT_EQ(c.sim.model.face_level, sim.model.face_level);
        EXPECT_EQ(c.sim.model.forest, sim.model.forest);
        EXPECT_EQ(state_hash(c.sim.model, c.sim.state), state_hash(sim.model, sim.state));
        // Masses and areas come from the materials and the mesh: the same bits again.
        Model model = c.sim.model;
        model.materials = sim.model.materials;
        update_derived(model);
        EXPECT_EQ(model.mass, sim.model.mass);
        EXPECT_EQ(model.area, sim.model.area);
    }
}

TEST(Checkpoint, of_another_version_is_refused_by_that_name)
{
    const Simulation sim = rich_simulation(zoo::grid(2, 2));
    std::string bytes = encode_checkpoint(sim, info_of(sim));
    bytes[8] = 99;
    EXPECT_THAT(refusal(bytes), HasSubstr("a checkpoint of version 99"));
    EXPECT_THAT(refusal(bytes), HasSubstr("c.pleat"));
}

TEST(Checkpoint, with_any_byte_changed_is_refused)
{
    const Simulation sim = rich_simulation(zoo::grid(1, 1));
    const std::string good = encode_checkpoint(sim, info_of(sim));
    ASSERT_EQ(refusal(good), "");
    for (std::size_t i = 0; i < good.size(); ++i)
        for (int bit : {0, 7}) {
            std::string bad = good;
            bad[i] = char(bad[i] ^ (1 << bit));
            ASSERT_NE(refusal(bad), "") << "byte " << i;
        }
}

TEST(Checkpoint, cut_anywhere_is_refused)
{
    const Simulation sim = rich_simulation(zoo::grid(1, 1));
    const std::string good = encode_checkpoint(sim, info_of(sim));
    for (std::size_t size = 0; size < good.size(); ++size)
        ASSERT_NE(refusal(good.substr(0, size)), "") << size;
    EXPECT_THAT(refusal(good + "x"), HasSubstr("bytes after the header"));
    EXPECT_THAT(refusal("hello"), HasSubstr("a file of 5 bytes"));
    EXPECT_THAT(refusal(std::string(100, ' ')), HasSubstr("no checkpoint"));
}

TEST(Checkpoint, with_content_that_makes_no_sense_is_refused)
{
    const auto refused = [](auto spoil) {
        Simulation sim = rich_simulation(zoo::grid(2, 2));
        CheckpointInfo info = info_of(sim);
        spoil(sim, info);
        return refusal(encode_checkpoint(sim, info));
    };
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THAT(refused([](Simulation& s, auto&) { s.state.x.values[3][1] = nan; }),
                HasSubstr("a number in \"x\" that is not finite"));
    EXPECT_THAT(refused([](Simulation& s, auto&) {
                    s.state.v.values[0][2] = std::numeric_limits<double>::infinity();
                }),
                HasSubstr("a number in \"v\" that is not finite"));
    EXPECT_THAT(refused([](Simulation& s, auto&) { s.model.rest_angle.values.back() = nan; }),
                HasSubstr("\"rest_angle\""));
    EXPECT_THAT(refused([](Simulation& s, auto&) { s.state.x.values.pop_back(); }),
                HasSubstr("\"x\" of 8 values, which does not fit the mesh"));
    EXPECT_THAT(
        refused([](Simulation& s, auto&) { s.model.face_material.values[0] = MaterialId{1}; }),
        HasSubstr("a face of no fabric"));
    EXPECT_THAT(refused([](Simulation& s, auto&) { s.model.panel_cloth[0] = ClothId{7}; }),
                HasSubstr("a panel of no cloth"));
    EXPECT_THAT(refused([](Simulation& s, auto&) { s.model.panel_cloth.clear(); }),
                HasSubstr("cloths for 0 panels"));
    EXPECT_THAT(refused([](auto&, CheckpointInfo& i) {
                    i.material_counts = {1, 1};
                }),
                HasSubstr("fabrics for 2 cloths"));
    EXPECT_THAT(refused([](Simulation& s, auto&) { s.frame = -1; }), HasSubstr("frame -1"));
    EXPECT_THAT(refused([](auto&, CheckpointInfo& i) { i.fps = nan; }), HasSubstr("frame 17"));
}

TEST(Checkpoint, that_promises_too_much_is_refused_before_memory_is_taken)
{
    // Content of one array that says it has 2^61 values of 8 bytes.
    std::string content;
    const auto number = [&](auto n) {
        content.append(reinterpret_cast<const char*>(&n), sizeof n);
    };
    const std::string name = "frames_written";
    number(std::uint32_t(name.size()));
    content += name;
    number(std::uint32_t(8));
    number(std::uint64_t(1) << 61);
    EXPECT_THAT(refusal(pack_checkpoint(content)), HasSubstr("which it cannot have"));
    // A gigabyte of zeros packs into some thirty kilobytes.
    EXPECT_THAT(refusal(pack_checkpoint(std::string(std::size_t(1) << 28, '\0'))),
                HasSubstr("bytes packed into"));
}

struct CheckpointFolder : testing::Test {
    TemporaryFolder folder;
    Simulation sim = rich_simulation(zoo::grid(2, 2));

    void write(int frame)
    {
        sim.frame = frame;
        write_checkpoint(folder.path(), sim, info_of(sim));
    }
};

TEST_F(CheckpointFolder, gives_the_newest_that_is_good_and_says_what_is_wrong_with_newer_ones)
{
    for (int frame : {0, 10, 20, 100000}) write(frame);
    EXPECT_THAT(checkpoint_frames(folder.path()), ElementsAre(0, 10, 20, 100000));
    EXPECT_EQ(read_checkpoint(folder.path()).checkpoint.sim.frame, 100000);

    std::string damaged = read_bytes(checkpoint_path(folder.path(), 100000));
    damaged[damaged.size() / 2] ^= 1;
    write_bytes(checkpoint_path(folder.path(), 100000), damaged);
    std::string newer = read_bytes(checkpoint_path(folder.path(), 20));
    newer[8] = char(checkpoint_version + 1);
    write_bytes(checkpoint_path(folder.path(), 20), newer);
    const FoundCheckpoint found = read_checkpoint(folder.path());
    EXPECT_EQ(found.checkpoint.sim.frame, 10);
    EXPECT_THAT(found.refused,
                ElementsAre(HasSubstr("checksum"),
                            HasSubstr("version " + std::to_string(checkpoint_version + 1))));
    EXPECT_EQ(read_checkpoint(folder.path(), 0).checkpoint.sim.frame, 0);
    EXPECT_THROW(static_cast<void>(read_checkpoint(folder.path(), 20)), InputError);
}

TEST_F(CheckpointFolder, says_which_frames_there_are)
{
    EXPECT_THROW(static_cast<void>(read_checkpoint(folder.path())), InputError);
    write(0);
    write(10);
    try {
        static_cast<void>(read_checkpoint(folder.path(), 7));
        FAIL();
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("one of 0, 10"));
    }
}

TEST_F(CheckpointFolder, does_not_trust_the_name_of_a_file)
{
    write(10);
    std::filesystem::rename(checkpoint_path(folder.path(), 10), checkpoint_path(folder.path(), 30));
    EXPECT_THROW(static_cast<void>(read_checkpoint(folder.path())), InputError);
    write_bytes(folder / "checkpoint/notes.txt", "mine");
    write_bytes(folder / "checkpoint/7.pleat", "not five digits");
    EXPECT_THAT(checkpoint_frames(folder.path()), ElementsAre(30));
}

TEST_F(CheckpointFolder, is_pruned_to_the_newest)
{
    for (int frame : {0, 10, 20, 30}) write(frame);
    prune_checkpoints(folder.path(), 2);
    EXPECT_THAT(checkpoint_frames(folder.path()), ElementsAre(20, 30));
    prune_checkpoints(folder.path(), 5);
    EXPECT_THAT(checkpoint_frames(folder.path()), ElementsAre(20, 30));
}

TEST_F(CheckpointFolder, that_cannot_be_written_to_is_named)
{
    write_bytes(folder / "checkpoint", "a file in the way");
    EXPECT_THROW(write(3), FileError);
}

} // namespace
} // namespace pleat
