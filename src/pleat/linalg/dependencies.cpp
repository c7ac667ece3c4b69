// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/linalg/dependencies.hpp"

#include "pleat/core/error.hpp"
#include "pleat/linalg/block_pattern.hpp"

#include <cmath>
#include <stdexcept>

namespace pleat {

namespace {

constexpr double weight_tolerance = 1e-12; // of the sum of the weights of a row

std::string row_text(std::size_t row)
{
    return "row " + std::to_string(row);
}

std::string find_weight_problem(std::size_t row, std::span<const Dependencies::Parent> parents)
{
    double sum = 0;
    for (const auto& p : parents) {
        if (!(p.weight > 0)) return row_text(row) + " has a weight that is not positive";
        sum += p.weight;
    }
    if (!(std::abs(sum - 1) <= weight_tolerance))
        return row_text(row) + " has weights that sum to " + std::to_string(sum) + ", not to 1";
    return {};
}

/// Replaces dependent parents by theirs, depth first.
class Flattening {
public:
    Flattening(std::size_t row_count, std::span<const Dependency> list)
        : given_(row_count, nullptr), state_(row_count, State::untouched), flat_(row_count)
    {
        for (const Dependency& d : list) {
            if (d.row >= row_count)
                throw std::invalid_argument(row_text(d.row) + " does not exist");
            if (given_[d.row] != nullptr)
                throw std::invalid_argument(row_text(d.row) + " is listed twice");
            if (const auto problem = find_weight_problem(d.row, d.parents); !problem.empty())
                throw std::invalid_argument(problem);
            for (const auto& p : d.parents)
                if (p.row >= row_count)
                    throw std::invalid_argument(row_text(d.row) +
                                                " has a parent that does not exist");
            given_[d.row] = &d;
        }
    }

    const std::vector<Dependencies::Parent>& parents_of(std::uint32_t row)
    {
        if (given_[row] == nullptr || state_[row] == State::done) return flat_[row];
        if (state_[row] == State::open)
            throw std::invalid_argument(row_text(row) + " depends on itself");
        state_[row] = State::open;
        std::vector<Dependencies::Parent> parents;
        const auto add = [&](std::uint32_t free_row, double weight) {
            for (auto& p : parents)
                if (p.row == free_row) {
                    p.weight += weight;
                    return;
                }
            parents.push_back({free_row, weight});
        };
        for (const auto& p : given_[row]->parents) {
            const auto& above = parents_of(p.row);
            if (above.empty()) add(p.row, p.weight);
            for (const auto& q : above) add(q.row, p.weight * q.weight);
        }
        flat_[row] = std::move(parents);
        state_[row] = State::done;
        return flat_[row];
    }

private:
    enum class State : std::uint8_t { untouched, open, done };
    std::vector<const Dependency*> given_; // by row; null: free
    std::vector<State> state_;
    std::vector<std::vector<Dependencies::Parent>> flat_;
};

template <class T> void fold_values(const Dependencies& dependencies, std::span<T> values)
{
    if (dependencies.empty()) return;
    for (std::uint32_t i = 0; i < values.size(); ++i) {
        const auto parents = dependencies.of(i);
        if (parents.empty()) continue;
        for (const auto& p : parents) values[p.row] += values[i] * p.weight;
        values[i] = T{};
    }
}

Vec3 sum_of_parents(std::span<const Dependencies::Parent> parents, std::span<const Vec3> values)
{
    Vec3 sum{};
    for (const auto& p : parents) sum += p.weight * values[p.row];
    return sum;
}

} // namespace

Dependencies make_dependencies(std::size_t row_count, std::span<const Dependency> list)
{
    Dependencies result;
    if (list.empty()) return result;
    Flattening flattening(row_count, list);
    result.start.push_back(0);
    for (std::uint32_t i = 0; i < row_count; ++i) {
        const auto& parents = flattening.parents_of(i);
        result.parents.insert(result.parents.end(), parents.begin(), parents.end());
        result.start.push_back(static_cast<std::uint32_t>(result.parents.size()));
    }
    const std::string problem = find_problem(result, row_count);
    if (!problem.empty()) throw std::invalid_argument(problem);
    return result;
}

std::string find_problem(const Dependencies& d, std::size_t row_count)
{
    if (d.empty()) return d.parents.empty() ? "" : "parents without rows that have them";
    if (d.start.size() != row_count + 1)
        return "dependencies of " + std::to_string(d.start.size() - 1) + " rows, not " +
               std::to_string(row_count);
    if (d.start.front() != 0 || d.start.back() != d.parents.size())
        return "the list of parents does not fit the rows";
    for (std::size_t i = 0; i < row_count; ++i)
        if (d.start[i] > d.start[i + 1]) return "the list of parents does not fit the rows";
    for (std::uint32_t i = 0; i < row_count; ++i) {
        const auto parents = d.of(i);
        if (parents.empty()) continue;
        if (auto problem = find_weight_problem(i, parents); !problem.empty()) return problem;
        for (const auto& p : parents) {
            if (p.row >= row_count) return row_text(i) + " has a parent that does not exist";
            if (d.depends(p.row)) return row_text(i) + " has a parent that is not free";
        }
    }
    return {};
}

void follow(const Dependencies& dependencies, std::span<Vec3> values)
{
    if (dependencies.empty()) return;
    for (std::uint32_t i = 0; i < values.size(); ++i)
        if (const auto parents = dependencies.of(i); !parents.empty())
            values[i] = sum_of_parents(parents, values);
}

bool follows(const Dependencies& dependencies, std::span<const Vec3> values)
{
    if (dependencies.empty()) return true;
    for (std::uint32_t i = 0; i < values.size(); ++i)
        if (const auto parents = dependencies.of(i);
            !parents.empty() && !(values[i] == sum_of_parents(parents, values)))
            return false;
    return true;
}

void fold(const Dependencies& dependencies, std::span<double> values)
{
    fold_values(dependencies, values);
}
void fold(const Dependencies& dependencies, std::span<Vec3> values)
{
    fold_values(dependencies, values);
}
void fold(const Dependencies& dependencies, std::span<Mat3> values)
{
    fold_values(dependencies, values);
}

void mark_dependents(const Dependencies& dependencies, std::span<std::uint8_t> marks)
{
    if (dependencies.empty()) return;
    for (std::uint32_t i = 0; i < marks.size(); ++i)
        for (const auto& p : dependencies.of(i))
            if (marks[p.row] != 0) marks[i] = 1;
}

void reorder(Dependencies& dependencies, std::span<const std::uint32_t> new_row,
             std::size_t new_count)
{
    if (dependencies.empty()) return;
    std::vector<std::uint32_t> old_row(new_count, no_row);
    for (std::uint32_t i = 0; i < new_row.size(); ++i)
        if (new_row[i] != no_row) old_row[new_row[i]] = i;
    Dependencies result;
    result.start.push_back(0);
    for (std::uint32_t i = 0; i < new_count; ++i) {
        if (old_row[i] != no_row)
            for (const auto& p : dependencies.of(old_row[i])) {
                PLEAT_ASSERT(p.row < new_row.size() && new_row[p.row] != no_row,
                             "parents of dependent rows stay");
                result.parents.push_back({new_row[p.row], p.weight});
            }
        result.start.push_back(static_cast<std::uint32_t>(result.parents.size()));
    }
    dependencies = result.parents.empty() ? Dependencies{} : std::move(result);
}

} // namespace pleat
