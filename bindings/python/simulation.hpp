// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#pragma once

#include <pybind11/pybind11.h>

namespace pleat::python {

void add_simulation(pybind11::module_& module);

} // namespace pleat::python
