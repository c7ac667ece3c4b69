// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Small scenes made in memory, stepped and audited: what the tests of contact play on.
#pragma once

#include "pleat/contact/contact_options.hpp"
#include "pleat/materials/material.hpp"
#include "pleat/model/world.hpp"
#include "pleat/sim/simulation.hpp"

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace pleat::test {

/// A rectangle of cloth, columns x rows quads; place(u) puts its points into the world.
struct SheetPlan {
    std::size_t columns = 10, rows = 10;
    double width = 1, height = 1; // [m]
    std::function<Vec3(const Vec2&)> place = [](const Vec2& u) { return Vec3{u[0], u[1], 0}; };
    Vec3 velocity{};
};

/// Which rows of the table of contacts.
enum class ContactParts { impact_zones, impulses };

struct Stage {
    World world;
    Simulation sim;
    Pipeline pipeline;

    /// Holds the nodes that `test` picks with a handle of that motion.
    void hold(const std::function<bool(const Vec3&)>& test, Motion motion = {});
};

/// What happened over some time.
struct Outcome {
    bool ok = true;
    std::string trouble;
    std::size_t intersections = 0; // summed over the audits
    std::size_t unresolved = 0;    // pairs that impacts gave up
    std::size_t pinched = 0;       // most at once
    std::size_t impacts = 0;
    int rejected = 0;
    double max_stretch = 0;
    double least_gap = std::numeric_limits<double>::infinity(); // [m]
    double top_speed = 0;                                       // at the audits [m/s]
};

/// Gravity along -z.
[[nodiscard]] Stage make_stage(const std::vector<SheetPlan>& sheets, const Material& material,
                               const ContactOptions& contact,
                               ContactParts parts = ContactParts::impact_zones);

/// Advances by `seconds` in steps of dt and audits every so many steps, and at the end.
[[nodiscard]] Outcome play(Stage& stage, double seconds, double dt = 0.005, int audit_every = 8);

/// Times and translations of a motion.
[[nodiscard]] Motion slide(const std::vector<std::pair<double, Vec3>>& keys);

} // namespace pleat::test
