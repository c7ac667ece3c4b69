// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/core/error.hpp"
#include "pleat/core/field.hpp"
#include "pleat/core/hash.hpp"
#include "pleat/core/nearest_word.hpp"
#include "pleat/core/stage_times.hpp"
#include "pleat/core/vec.hpp"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

namespace pleat {
namespace {

template <class F, class I>
concept Indexable = requires(F& f, I i)
{
    f[i];
};

TEST(Field, indexes_with_its_own_id_only)
{
    static_assert(Indexable<Field<NodeId, double>, NodeId>);
    static_assert(!Indexable<Field<NodeId, double>, VertId>);
    static_assert(!Indexable<Field<NodeId, double>, std::size_t>);
    Field<NodeId, double> f(3, FieldRule::interpolate, 7.0);
    f[NodeId{1}] = 2.0;
    EXPECT_EQ(f[NodeId{0}], 7.0);
    EXPECT_EQ(f[NodeId{1}], 2.0);
    f.resize(5);
    EXPECT_EQ(f[NodeId{4}], 7.0);
}

TEST(Ids, range_visits_each_once)
{
    std::size_t sum = 0;
    for (FaceId f : IdRange<FaceId>(4)) sum = sum * 10 + index(f);
    EXPECT_EQ(sum, 123u);
    EXPECT_FALSE(is_some(no_face));
}

TEST(Problem, reads_file_place_found_expected)
{
    const Problem p{"a.obj", "line 3", "vertex index 9", "1 to 8"};
    EXPECT_EQ(to_string(p), "a.obj: line 3: vertex index 9; expected 1 to 8");
    const InputError error(std::vector<Problem>{p, p});
    EXPECT_EQ(error.problems().size(), 2u);
}

TEST(NearestWord, finds_a_slip_and_refuses_a_stranger)
{
    const std::string known[] = {"material", "mesh", "remeshing", "strain_limits"};
    EXPECT_EQ(nearest_word("materail", known), "material");
    EXPECT_EQ(nearest_word("remesing", known), "remeshing");
    EXPECT_EQ(nearest_word("zebra", known), "");
    EXPECT_EQ(nearest_word(std::string(10000, 'a'), known), "");
}

TEST(Hash, tells_one_bit_and_the_order_of_words_apart)
{
    const auto hash_of = [](std::initializer_list<double> values) {
        Hash h;
        for (double v : values) h.add(v);
        return h.value();
    };
    EXPECT_EQ(hash_of({1.0, 2.0}), hash_of({1.0, 2.0}));
    EXPECT_NE(hash_of({1.0, 2.0}), hash_of({2.0, 1.0}));
    EXPECT_NE(hash_of({1.0}), hash_of({std::nextafter(1.0, 2.0)}));
    EXPECT_NE(hash_of({0.0}), hash_of({-0.0}));
}

TEST(StageTimes, timer_adds_to_its_stage)
{
    StageTimes t;
    {
        StageTimer timer(t, Stage::impact);
    }
    EXPECT_GE(t[Stage::impact], 0.0);
    EXPECT_EQ(t[Stage::strain], 0.0);
    EXPECT_EQ(stage_name(Stage::separate), "separate");
}

TEST(Vec, products_and_inverses)
{
    const Vec3 a{1, 2, 3}, b{-2, 0.5, 4};
    EXPECT_EQ(dot(a, b), -2 + 1 + 12);
    EXPECT_EQ(dot(cross(a, b), a), 0.0);
    const Mat3 m = from_columns(a, b, Vec3{0, 1, 0});
    const Mat3 one = m * inverse(m);
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(one(i, j), i == j ? 1 : 0, 1e-15);
    const Mat2 n{{2, 1, -1, 3}};
    EXPECT_NEAR((n * inverse(n))(0, 1), 0, 1e-15);
    EXPECT_EQ(normalized(Vec3{}), Vec3{});
    EXPECT_EQ((outer(a, b) * b), a * dot(b, b));
    EXPECT_EQ(transpose(outer(a, b)), outer(b, a));
}

TEST(Assert, stops_on_a_broken_invariant)
{
#if defined(PLEAT_ASSERTS)
    EXPECT_DEATH(PLEAT_ASSERT(1 == 2, "sums add up"), "sums add up");
#else
    GTEST_SKIP() << "built without PLEAT_ASSERTS";
#endif
}

} // namespace
} // namespace pleat
