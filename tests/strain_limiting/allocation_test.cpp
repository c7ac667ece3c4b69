// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// After the first call with a mesh a limiter allocates nothing. Counts every operator new of the
// test program while it is told to.
#include "pleat/strain_limiting/edge_velocity.hpp"
#include "strain_limiting/sheets.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<bool> counting{false};
std::atomic<long> allocations{0};

void* counted(std::size_t size, std::size_t alignment)
{
    if (counting) ++allocations;
    return alignment == 0
               ? std::malloc(size)
               : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void* not_null(void* p)
{
    if (p == nullptr) throw std::bad_alloc();
    return p;
}
} // namespace

// Every form, the one that does not throw too: what the library's own made must not come to the
// delete of this file.
void* operator new(std::size_t size)
{
    return not_null(counted(size, 0));
}
void* operator new(std::size_t size, std::align_val_t alignment)
{
    return not_null(counted(size, static_cast<std::size_t>(alignment)));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept
{
    return counted(size, 0);
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept
{
    return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* p) noexcept
{
    std::free(p);
}
void operator delete(void* p, std::size_t) noexcept
{
    std::free(p);
}
void operator delete(void* p, std::align_val_t) noexcept
{
    std::free(p);
}
void operator delete(void* p, std::size_t, std::align_val_t) noexcept
{
    std::free(p);
}

namespace pleat {
namespace {

TEST(Allocation, none_after_the_first_call_with_a_mesh)
{
    const cloths::Cloth square = sheets::figure7(12);
    auto entries = sheets::face_limiters();
    entries.push_back(
        {"edge_velocity", [] { return std::make_unique<StrainLimiterEdgeVelocity>(); }, 1e-3});
    for (const sheets::Entry& entry : entries) {
        const auto limiter = entry.make();
        State first = square.state, second = square.state;
        (void)limiter->limit(square.model, {}, {}, 0.005, first);
        const Loads loads;
        const Contacts contacts;
        allocations = 0;
        counting = true;
        const LimitReport r = limiter->limit(square.model, loads, contacts, 0.005, second);
        counting = false;
        EXPECT_GT(r.iterations, 0) << entry.name;
        EXPECT_EQ(allocations, 0) << entry.name;
    }
}

} // namespace
} // namespace pleat
