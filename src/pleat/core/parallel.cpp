// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The only file that knows oneTBB. Distributions do not build that library for the thread
// sanitizer, which therefore does not see how it hands work from thread to thread. So this file is
// built without the sanitizer (see CMakeLists.txt) and annotates the order for it: writes before a
// loop happen before its chunks, and writes of the chunks happen before the code after it. Chunks
// are not ordered among one another, so races between them are found. Everything else is built with
// the sanitizer, without suppressions.
#include "pleat/core/parallel.hpp"

#include "pleat/core/error.hpp"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <optional>
#include <utility>

#ifdef PLEAT_THREAD_SANITIZER
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace pleat {

namespace {

/// Work that starts when this is constructed and has ended when it is destroyed; see the note
/// above.
class HandOver {
public:
    /// One thread's share of it.
    class Share {
    public:
        explicit Share(HandOver& whole) : whole_(whole) { acquire(whole_.out_); }
        ~Share() { release(whole_.back_); }
        Share(const Share&) = delete;
        Share& operator=(const Share&) = delete;

    private:
        HandOver& whole_;
    };

    HandOver() { release(out_); }
    ~HandOver() { acquire(back_); }
    HandOver(const HandOver&) = delete;
    HandOver& operator=(const HandOver&) = delete;

private:
#ifdef PLEAT_THREAD_SANITIZER
    static void acquire(char& place)
    {
        __tsan_acquire(&place);
    }
    static void release(char& place)
    {
        __tsan_release(&place);
    }
#else
    static void acquire(char&) {}
    static void release(char&) {}
#endif
    char out_ = 0, back_ = 0; // their addresses are what counts
};

} // namespace

struct Threads::Arena {
    // More threads than cores: oneTBB needs an explicit setting for it.
    std::optional<tbb::global_control> beyond_cores;
    tbb::task_arena arena;
};

Threads::Threads(int count) : arena_(std::make_unique<Arena>())
{
    PLEAT_ASSERT(count >= 0, "a thread count is not negative");
    const int cores = tbb::info::default_concurrency();
    if (count > cores)
        arena_->beyond_cores.emplace(tbb::global_control::max_allowed_parallelism,
                                     static_cast<std::size_t>(count));
    arena_->arena.initialize(count == 0 ? cores : count);
}

Threads::~Threads() = default;

int Threads::count() const
{
    return arena_->arena.max_concurrency();
}

void Threads::run(FunctionRef<void()> work) const
{
    HandOver hand_over;
    arena_->arena.execute([&] {
        const HandOver::Share share(hand_over);
        work();
    });
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
    HandOver hand_over;
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, chunks, 1),
                      [&](const tbb::blocked_range<std::size_t>& range) {
                          const HandOver::Share share(hand_over);
                          for (std::size_t c = range.begin(); c != range.end(); ++c) run_chunk(c);
                      });
}

} // namespace pleat
