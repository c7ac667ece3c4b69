// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/core/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <thread>
#include <vector>

namespace pleat {
namespace {

double rough_sum(int thread_count)
{
    const Threads threads(thread_count);
    double sum = 0;
    threads.run([&] {
        sum = parallel_sum(123457, [](std::size_t i) {
            return std::sin(double(i)) * std::pow(10.0, double(i % 17) - 8);
        });
    });
    return sum;
}

TEST(Parallel, sum_has_the_same_bits_for_any_thread_count)
{
    const double one = rough_sum(1);
    for (int count : {2, 3, 8}) EXPECT_EQ(rough_sum(count), one) << count << " threads";
}

TEST(Parallel, for_visits_each_index_once)
{
    std::vector<int> visits(10001);
    const Threads threads(4);
    threads.run([&] {
        parallel_for(
            visits.size(), [&](std::size_t i) { ++visits[i]; }, 7);
    });
    for (int v : visits) ASSERT_EQ(v, 1);
}

TEST(Parallel, more_threads_than_cores_are_used_where_asked_for)
{
    // Each of eight chunks waits until all eight have begun: fewer threads would never get there.
    const Threads threads(8);
    EXPECT_EQ(threads.count(), 8);
    std::atomic<int> begun{0};
    const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    threads.run([&] {
        parallel_for(
            8,
            [&](std::size_t) {
                ++begun;
                while (begun < 8 && std::chrono::steady_clock::now() < late)
                    std::this_thread::yield();
            },
            1);
    });
    EXPECT_LT(std::chrono::steady_clock::now(), late);
}

TEST(Parallel, truth_values_are_reduced_like_others)
{
    // Failed under the thread sanitizer: partial results were bits of one word.
    for (int thread_count : {1, 8})
        Threads(thread_count).run([&] {
            for (std::size_t bad : {0u, 700u, 63999u})
                EXPECT_FALSE(parallel_reduce(
                    64000, true, [&](std::size_t i) { return i != bad; },
                    [](bool a, bool b) { return a && b; }, 10));
        });
}

TEST(Parallel, empty_range_gives_the_identity)
{
    EXPECT_EQ(parallel_sum(0, [](std::size_t) { return 1.0; }), 0.0);
}

TEST(Parallel, exceptions_reach_the_caller)
{
    const Threads threads(2);
    EXPECT_THROW(threads.run([] {
        parallel_for(5000, [](std::size_t i) {
            if (i == 4321) throw std::runtime_error("there");
        });
    }),
                 std::runtime_error);
}

TEST(Parallel, different_works_are_all_done)
{
    for (int thread_count : {1, 2, 8})
        Threads(thread_count).run([&] {
            double sum = 0;
            int word = 0, last = 0;
            parallel_do({[&] { sum = parallel_sum(5000, [](std::size_t) { return 1.0; }); },
                         [&] { word = 7; }, [&] { last = 9; }});
            EXPECT_EQ(sum, 5000);
            EXPECT_EQ(word, 7);
            EXPECT_EQ(last, 9);
        });
    EXPECT_THROW(parallel_do({[] {}, [] { throw std::runtime_error("there"); }}),
                 std::runtime_error);
}

TEST(Parallel, two_arenas_run_at_once)
{
    double a = 0, b = 0;
    std::thread one([&] { a = rough_sum(2); });
    std::thread two([&] { b = rough_sum(1); });
    one.join();
    two.join();
    EXPECT_EQ(a, b);
}

} // namespace
} // namespace pleat
