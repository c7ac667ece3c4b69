// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Loads and sizing metrics that are Python functions of whole arrays.
#pragma once

#include "pleat/loads/load.hpp"
#include "pleat/remeshing/sizing_metric.hpp"

#include <pybind11/pybind11.h>

#include <memory>
#include <string>

namespace pleat::python {

namespace py = pybind11;

/// A load that calls function(LoadInput); the function is called with the interpreter's lock held.
[[nodiscard]] std::shared_ptr<const Load> load_of(py::function function, std::string name);
/// A sizing metric that calls function(SizingInput).
[[nodiscard]] std::shared_ptr<const SizingMetric> sizing_of(py::function function,
                                                            std::string name);

void add_callbacks(py::module_& module);

} // namespace pleat::python
