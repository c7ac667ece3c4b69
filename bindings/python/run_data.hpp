// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#pragma once

#include <pybind11/pybind11.h>

namespace pleat::python {

/// Runs read back, and the remesher alone.
void add_run_data(pybind11::module_& module);

} // namespace pleat::python
