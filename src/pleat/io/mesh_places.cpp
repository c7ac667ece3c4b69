// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/io/mesh_places.hpp"

#include <algorithm>

namespace pleat {

namespace {

// At most this many places are listed for one problem.
constexpr std::size_t most_places = 4;

} // namespace

std::vector<Problem>
locate_with(const std::vector<MeshProblem>& problems, const std::string& file,
            FunctionRef<std::string(MeshElement element, std::uint32_t id)> place_of,
            FunctionRef<std::string(std::uint32_t node_a, std::uint32_t node_b)> place_of_edge)
{
    std::vector<Problem> located;
    located.reserve(problems.size());
    for (const MeshProblem& problem : problems) {
        const bool is_edge = problem.element == MeshElement::edge && problem.ids.size() >= 2;
        const std::size_t stride = is_edge ? 2 : 1;
        std::vector<std::string> places;
        for (std::size_t i = 0; i + stride <= problem.ids.size(); i += stride) {
            std::string place = is_edge ? place_of_edge(problem.ids[i], problem.ids[i + 1])
                                        : place_of(problem.element, problem.ids[i]);
            if (std::find(places.begin(), places.end(), place) != places.end()) continue;
            if (places.size() == most_places) {
                places.emplace_back("...");
                break;
            }
            places.push_back(std::move(place));
        }
        std::string text;
        for (const std::string& place : places) text += (text.empty() ? "" : ", ") + place;
        located.push_back({file, std::move(text), problem.found, problem.expected});
    }
    return located;
}

std::optional<std::size_t> first_face_with(std::span<const std::array<std::uint32_t, 3>> face_nodes,
                                           std::uint32_t node_a, std::uint32_t node_b)
{
    for (std::size_t i = 0; i < face_nodes.size(); ++i) {
        const auto& f = face_nodes[i];
        if (std::find(f.begin(), f.end(), node_a) != f.end() &&
            std::find(f.begin(), f.end(), node_b) != f.end())
            return i;
    }
    return std::nullopt;
}

} // namespace pleat
