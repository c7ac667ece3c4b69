// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Preconditioner for the systems of implicit steps: one symmetric V-cycle of a multigrid method.
//
// Why: stiff, light cloth carries waves over dozens of edges within one step, so that the motion of
// a node depends on nodes far away. Preconditioners that only know neighbours then need hundreds of
// iterations. Coarse levels carry the far part.
//
//   smoother   Gauss-Seidel on blocks, forward before and backward after the coarse level. Links
//              (contacts) are part of it: layers that press on each other move together, which
//              their diagonal alone does not tell.
//   coarse     aggregates of strongly coupled rows that move as rigid bodies: three translations
//              and three rotations each [Vanek1996]. The matrix is P^T A P, made in double and
//              stored in float. Aggregates of aggregates make the next level, down to a few dozen.
//
// The cycle is a symmetric positive definite operator, whatever the numbers are: conjugate
// gradients stay valid. Nothing is chosen by a clock or by the number of threads.
#pragma once

#include "pleat/core/simd.hpp"
#include "pleat/linalg/aggregates.hpp"
#include "pleat/linalg/float_system.hpp"
#include "pleat/linalg/sweep_order.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pleat {

class Multigrid {
public:
    /// Takes over the blocks of the system; its links have to be among possible_links(a). Without
    /// `a.positions` there are no coarse levels.
    void set_blocks(const BlockSystem& a);
    /// Takes over the links, on all levels: where a coarse level lacks a stiff link, its
    /// corrections are far too large. \pre set_blocks() was called with the same blocks
    void set_links(const BlockSystem& a);

    /// The system in float.
    [[nodiscard]] const FloatSystem& fine() const { return fine_; }

    /// z = (about A^-1) r. \pre z is not r; r is zero on fixed rows
    void apply(std::span<const Float4> r, std::span<Float4> z);

private:
    // Six numbers: translation and rotation, or force and torque. The last two lanes are zero.
    using Vec6 = Float8;
    using Mat6 = std::array<Float8, 6>; // by column
    struct Mat6d {
        std::array<double, 36> at{}; // by column
    };
    struct Entry {
        std::uint32_t column;
        Mat6d block;
    };
    struct Row {
        Mat6d diagonal;
        std::vector<Entry> entries; // off the diagonal
    };
    struct Level {
        Aggregates groups;        // of the rows of the level below
        std::vector<Vec3> centre; // of each aggregate [m]
        std::vector<Row> rows;
        SweepOrder order;
        // The same in float, entries of earlier rows first.
        std::vector<std::uint32_t> start, split, column;
        std::vector<Mat6> blocks, inverse; // inverse: of the diagonal blocks
        std::vector<Vec6> b, x;
    };

    static Vec6 times(const Mat6& m, const Vec6& v);
    static void add_rigid(Mat6d& sum, const Mat3& b, const Vec3& left, const Vec3& right);
    static void add_moved(Mat6d& sum, const Mat6d& m, const Vec3& left, const Vec3& right);
    static Mat6 to_float(const Mat6d& m);
    static Mat6 inverse_of(const Mat6d& m);
    static Mat6d& entry_of(Row& row, std::uint32_t self, std::uint32_t column);
    static Vec6 row_sum(const Level& level, std::uint32_t first, std::uint32_t last);

    void make_groups(const BlockSystem& a);
    void make_first_level(const BlockSystem& a);
    void add_links(const BlockSystem& a);
    void make_upper_level(std::size_t level);
    static void finish_level(Level& level);
    void cycle(std::size_t level);
    void restrict_residual(std::size_t level);
    void prolong(std::size_t level);

    struct Pull {
        std::uint32_t link;
        double weight;
    };
    FloatSystem fine_;
    SweepOrder order_;
    std::vector<Vec3> lever_;               // position less the centre of its aggregate [m]
    std::vector<Row> first_;                // the first level without links
    std::vector<std::uint32_t> pull_start_; // by row: the links that have it
    std::vector<Pull> pulls_;
    CouplingGraph graph_;
    std::vector<Level> levels_;
    std::uint64_t links_revision_ = 0; // of the links in them; 0: none were made
};

} // namespace pleat
