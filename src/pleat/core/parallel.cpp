// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/core/parallel.hpp"

#include "pleat/core/error.hpp"

#include <tbb/blocked_range.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace pleat {

struct Threads::Arena {
    tbb::task_arena arena;
};

Threads::Threads(int count) : arena_(std::make_unique<Arena>())
{
    PLEAT_ASSERT(count >= 0, "a thread count is not negative");
    // More threads than cores would help nobody, and oneTBB prints a warning about them.
    const int cores = tbb::info::default_concurrency();
    arena_->arena.initialize(count == 0 ? cores : std::min(count, cores));
}

Threads::~Threads() = default;

int Threads::count() const
{
    return arena_->arena.max_concurrency();
}

void Threads::run(FunctionRef<void()> work) const
{
    arena_->arena.execute([&] { work(); });
}

void parallel_chunks(std::size_t count, std::size_t chunk_size,
                     FunctionRef<void(std::size_t, std::size_t, std::size_t)> body)
{
    const std::size_t chunks = chunk_count(count, chunk_size);
    const auto run_chunk = [&](std::size_t c) {
        body(c, c * chunk_size, std::min(count, (c + 1) * chunk_size));
    };
    if (chunks <= 1) {
        if (chunks == 1) run_chunk(0);
        return;
    }
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, chunks, 1),
                      [&](const tbb::blocked_range<std::size_t>& range) {
                          for (std::size_t c = range.begin(); c != range.end(); ++c) run_chunk(c);
                      });
}

} // namespace pleat
