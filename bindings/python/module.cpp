// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// pleat._core, the part of the Python module that is C++. What people import is in
// pleat/__init__.py.
#include "callbacks.hpp"
#include "run_data.hpp"
#include "simulation.hpp"

#include "pleat/core/error.hpp"
#include "pleat/export/frame_formats.hpp"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <stdexcept>

namespace {

namespace py = pybind11;

/// The exceptions, made by the Python side and given to set_errors().
struct Errors {
    py::object input, file, solver;
};

/// Lives as long as the interpreter: exceptions may be translated until its end.
Errors& errors()
{
    static auto* made = new Errors;
    return *made;
}

void raise(const py::object& type, const py::tuple& arguments)
{
    const py::object error = type(*arguments);
    PyErr_SetObject(type.ptr(), error.ptr());
}

void translate(std::exception_ptr thrown)
{
    try {
        if (thrown) std::rethrow_exception(thrown);
    } catch (const pleat::InputError& error) {
        py::list problems;
        for (const pleat::Problem& p : error.problems())
            problems.append(py::make_tuple(p.file, p.place, p.found, p.expected));
        std::string text;
        for (const pleat::Problem& p : error.problems())
            text += (text.empty() ? "" : "\n") + to_string(p);
        raise(errors().input, py::make_tuple(text, problems));
    } catch (const pleat::FileError& error) {
        raise(errors().file, py::make_tuple(error.what()));
    } catch (const std::domain_error& error) {
        raise(errors().solver, py::make_tuple(error.what()));
    }
}

} // namespace

PYBIND11_MODULE(_core, module)
{
    module.attr("__version__") = PLEAT_VERSION;
    module.def("set_errors", [](py::object input, py::object file, py::object solver) {
        errors() = {std::move(input), std::move(file), std::move(solver)};
    });
    module.def("frame_formats", &pleat::frame_format_names);
    py::register_exception_translator(&translate);
    pleat::python::add_callbacks(module);
    pleat::python::add_run_data(module);
    pleat::python::add_simulation(module);
}
