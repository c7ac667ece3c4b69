// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/loads/load.hpp"

#include "pleat/loads/handles.hpp"
#include "pleat/loads/wind.hpp"

namespace pleat {

namespace {

class LoadGravity final : public Load {
    void add(const World& world, const Model&, const State&, double, double,
             Loads& loads) const override
    {
        loads.gravity += world.gravity;
    }
};

class LoadWind final : public Load {
    void add(const World& world, const Model& model, const State& state, double, double,
             Loads& loads) const override
    {
        add_wind(model, state, world.wind, loads);
    }
};

class LoadHandles final : public Load {
    void add(const World& world, const Model& model, const State& state, double time, double dt,
             Loads& loads) const override
    {
        add_handles(world, model, state, time, dt, loads);
    }
};

} // namespace

LoadList world_loads()
{
    return {std::make_shared<LoadGravity>(), std::make_shared<LoadWind>(),
            std::make_shared<LoadHandles>()};
}

Loads sum_of(const LoadList& list, const World& world, const Model& model, const State& state,
             double time, double dt)
{
    Loads sum;
    for (const auto& load : list) load->add(world, model, state, time, dt, sum);
    return sum;
}

} // namespace pleat
