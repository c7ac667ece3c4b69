// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// NumPy arrays from and to those of Pleat.
#pragma once

#include "pleat/core/error.hpp"
#include "pleat/core/vec.hpp"
#include "pleat/mesh/mesh_input.hpp"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace pleat::python {

namespace py = pybind11;

using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Integers = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;
using Triangles = std::vector<std::array<std::uint32_t, 3>>;

/// "(5, 3)"
[[nodiscard]] inline std::string shape_text(const py::array& array)
{
    std::string text = "(";
    for (py::ssize_t i = 0; i < array.ndim(); ++i)
        text += (i > 0 ? ", " : "") + std::to_string(array.shape(i));
    return text + (array.ndim() == 1 ? ",)" : ")");
}

/// \throw InputError where the array does not have this shape; -1: any length.
inline void require_shape(const py::array& array, const std::string& name,
                          const std::vector<py::ssize_t>& shape)
{
    bool fits = array.ndim() == py::ssize_t(shape.size());
    std::string text = "(";
    for (std::size_t i = 0; i < shape.size(); ++i) {
        fits = fits && (shape[i] < 0 || array.shape(py::ssize_t(i)) == shape[i]);
        text += (i > 0 ? ", " : "") + (shape[i] < 0 ? "any" : std::to_string(shape[i]));
    }
    if (!fits)
        throw InputError(Problem{"", name, "an array of shape " + shape_text(array),
                                 "shape " + text + (shape.size() == 1 ? ",)" : ")")});
}

/// A copy of rows of N numbers.
template <std::size_t N>
[[nodiscard]] std::vector<Vec<double, N>> vectors_of(const Doubles& array, const std::string& name)
{
    require_shape(array, name, {-1, py::ssize_t(N)});
    std::vector<Vec<double, N>> out(std::size_t(array.shape(0)));
    if (!out.empty()) std::memcpy(out.data(), array.data(), out.size() * sizeof out[0]);
    return out;
}

/// \throw InputError where an index is negative or too large for any mesh.
[[nodiscard]] inline Triangles triangles_of(const Integers& array, const std::string& name)
{
    require_shape(array, name, {-1, 3});
    Triangles out(std::size_t(array.shape(0)));
    for (std::size_t i = 0; i < out.size(); ++i)
        for (std::size_t k = 0; k < 3; ++k) {
            const std::int64_t index = array.at(py::ssize_t(i), py::ssize_t(k));
            if (index < 0 || index >= 0xffffffffll)
                throw InputError(Problem{"", name + ", row " + std::to_string(i),
                                         "the index " + std::to_string(index),
                                         "indices from 0 on"});
            out[i][k] = std::uint32_t(index);
        }
    return out;
}

/// A new array with a copy of values; T is made of numbers of type Number.
template <class Number, class T>
[[nodiscard]] py::array_t<Number> array_of(std::span<const T> values,
                                           std::vector<py::ssize_t> inner)
{
    std::vector<py::ssize_t> shape{py::ssize_t(values.size())};
    shape.insert(shape.end(), inner.begin(), inner.end());
    py::array_t<Number> out(shape);
    if (!values.empty()) std::memcpy(out.mutable_data(), values.data(), values.size_bytes());
    return out;
}
[[nodiscard]] inline py::array_t<double> array_of(const std::vector<Vec3>& values)
{
    return array_of<double>(std::span<const Vec3>(values), {3});
}
[[nodiscard]] inline py::array_t<double> array_of(const std::vector<Vec2>& values)
{
    return array_of<double>(std::span<const Vec2>(values), {2});
}
[[nodiscard]] inline py::array_t<std::uint32_t> array_of(const Triangles& values)
{
    return array_of<std::uint32_t>(std::span<const std::array<std::uint32_t, 3>>(values), {3});
}

/// The mesh of arrays by name: x and faces; u, face_verts, v, label, face_material. Names beside
/// them are a problem. \throw InputError
[[nodiscard]] MeshInput mesh_input_of(const py::dict& arrays, const std::string& name);
/// The other way.
[[nodiscard]] py::dict dict_of(const MeshInput& mesh);

} // namespace pleat::python
