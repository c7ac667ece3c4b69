// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/io/motion_file.hpp"

#include <gtest/gtest.h>

#include <string>

namespace pleat {
namespace {

TEST(MotionFile, reads_the_frames_of_each_body)
{
    const MotionFile motion = parse_motion_file("NumFrames: 2\n"
                                                "left foot\n"
                                                "0 0 0\n"
                                                "0 0.5 1e-1\n"
                                                "rotation\n"
                                                "1 0 0 0\n"
                                                "0 0 -1 0\n"
                                                "\n"
                                                "  right foot  \n"
                                                "1 0 0\n"
                                                "1 2 3\n"
                                                "rotation\n"
                                                "0.6 0.8 0 0\n"
                                                "1 0 0 0",
                                                "a.mot");
    EXPECT_EQ(motion.frame_count, 2u);
    ASSERT_EQ(motion.bodies.size(), 2u);
    EXPECT_EQ(motion.bodies[0].name, "left foot");
    EXPECT_EQ(motion.bodies[0].position.at(1), (Vec3{0.0, 0.5, 0.1}));
    EXPECT_EQ(motion.bodies[0].quaternion.at(1), (Vec<double, 4>{0.0, 0.0, -1.0, 0.0}));
    EXPECT_EQ(motion.bodies[1].name, "right foot");
    EXPECT_EQ(motion.bodies[1].position.at(1), (Vec3{1.0, 2.0, 3.0}));
    EXPECT_NEAR(motion.bodies[1].quaternion.at(0)[1], 0.8, 1e-15);
}

TEST(MotionFile, takes_other_spellings_of_the_first_line)
{
    for (const char* head :
         {"NumFrames: 1\n", "NumFrames 1\n", "NumFrames : 1\r\n", "\nNumFrames:\t1\n"})
        EXPECT_EQ(
            parse_motion_file(std::string(head) + "a\n0 0 0\nb\n1 0 0 0\n", "a.mot").frame_count,
            1u)
            << head;
}

TEST(MotionFile, takes_a_number_for_the_name_of_a_body)
{
    const MotionFile motion = parse_motion_file("NumFrames: 1\n0\n0 0 0\n0\n1 0 0 0\n", "a.mot");
    EXPECT_EQ(motion.bodies.at(0).name, "0");
}

TEST(MotionFile, makes_rounded_quaternions_unit_length)
{
    const MotionFile motion =
        parse_motion_file("NumFrames: 1\na\n0 0 0\nb\n0.71 0.71 0 0\n", "a.mot");
    EXPECT_NEAR(norm(motion.bodies.at(0).quaternion.at(0)), 1.0, 1e-15);
}

} // namespace
} // namespace pleat
