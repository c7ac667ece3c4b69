// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Parallel loops and reductions whose result does not depend on the number of threads: work is
// cut into chunks of a fixed size, and partial results are combined in the order of the chunks.
// No atomics on floats, no chunking by thread count.
#pragma once

#include "pleat/core/function_ref.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <vector>

namespace pleat {

/// The threads that one simulation may use. Loops called inside run() use these and no others, so
/// that two simulations in one process do not share a setting.
class Threads {
public:
    /// \param count 0 takes as many as the machine has cores; more than that is allowed.
    explicit Threads(int count);
    ~Threads();
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

    [[nodiscard]] int count() const;
    /// Calls `work` on these threads and returns when it is done; exceptions pass through.
    void run(FunctionRef<void()> work) const;

private:
    struct Arena;
    std::unique_ptr<Arena> arena_;
};

/// Elements a chunk. Small enough to balance 2 to 16 threads at a few thousand elements, large
/// enough that scheduling a chunk costs little compared with its work.
inline constexpr std::size_t default_chunk = 512;

/// Calls body(chunk, first, last) for each chunk [first, last) of [0, count), in parallel.
void parallel_chunks(
    std::size_t count, std::size_t chunk_size,
    FunctionRef<void(std::size_t chunk, std::size_t first, std::size_t last)> body);

[[nodiscard]] constexpr std::size_t chunk_count(std::size_t count, std::size_t chunk_size)
{
    return (count + chunk_size - 1) / chunk_size;
}

/// Calls body(i) for each i of [0, count), in parallel.
template <class Body>
void parallel_for(std::size_t count, Body&& body, std::size_t chunk_size = default_chunk)
{
    parallel_chunks(count, chunk_size, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) body(i);
    });
}

/// Calls each of `works`, in parallel with the others: for work that by itself uses few threads.
inline void parallel_do(std::initializer_list<FunctionRef<void()>> works)
{
    constexpr std::size_t one_each = 1;
    parallel_for(
        works.size(), [&](std::size_t i) { works.begin()[i](); }, one_each);
}

/// Folds map(i) over [0, count) with combine(T, T) -> T; the same bits for any thread count.
/// \pre `identity` is neutral for combine.
template <class T, class Map, class Combine>
[[nodiscard]] T parallel_reduce(std::size_t count, T identity, Map&& map, Combine&& combine,
                                std::size_t chunk_size = default_chunk)
{
    struct Partial { // so that threads never share the word of a vector<bool>
        T value;
    };
    const std::size_t chunks = chunk_count(count, chunk_size);
    std::vector<Partial> partial(chunks, Partial{identity});
    parallel_chunks(count, chunk_size, [&](std::size_t c, std::size_t first, std::size_t last) {
        T sum = identity;
        for (std::size_t i = first; i < last; ++i) sum = combine(std::move(sum), map(i));
        partial[c].value = std::move(sum);
    });
    // A balanced tree keeps the rounding error of long sums at log(chunks).
    for (std::size_t step = 1; step < chunks; step *= 2)
        for (std::size_t c = 0; c + step < chunks; c += 2 * step)
            partial[c].value =
                combine(std::move(partial[c].value), std::move(partial[c + step].value));
    return chunks > 0 ? std::move(partial[0].value) : identity;
}

/// Sum of map(i) over [0, count).
template <class Map> [[nodiscard]] auto parallel_sum(std::size_t count, Map&& map)
{
    using T = std::remove_cvref_t<decltype(map(std::size_t{}))>;
    return parallel_reduce(count, T{}, map, [](T a, const T& b) { return a + b; });
}

} // namespace pleat
