# SPDX-License-Identifier: Apache-2.0
# Copyright the Pleat authors
"""Arrays that show the memory of a simulation, and refuse to be used when it has changed."""
from __future__ import annotations

from typing import Any

import numpy as np


class StaleViewError(RuntimeError):
    """A view was used after the mesh that it showed had changed."""


# Attributes that say nothing about the values.
_HARMLESS = frozenset({
    "__class__", "__array_finalize__", "__array_priority__", "__array_ufunc__",
    "__array_function__", "__array_wrap__", "__array_prepare__", "__array_struct__",
    "__array_interface__", "__del__", "__dict__", "_lease", "_check", "is_stale", "__doc__",
})


def _plain(value: Any) -> Any:
    """The same without views, which are checked."""
    if isinstance(value, View):
        value._check()
        return np.ndarray.view(value, np.ndarray)
    if isinstance(value, (list, tuple)) and any(isinstance(v, (View, list, tuple)) for v in value):
        return type(value)(_plain(v) for v in value)
    return value


class View(np.ndarray):
    """A read-only array on memory of a simulation, without a copy.

    It shows the present values after each step. When remeshing changes the mesh, the view becomes
    stale: any use raises StaleViewError, and arrays that were made from it without a copy
    (numpy.asarray) hold NaN, or 4294967295 where they are indices. Calculations and `copy()` give
    ordinary arrays.
    """

    _lease: Any

    def __array_finalize__(self, obj: Any) -> None:
        self._lease = getattr(obj, "_lease", None)

    @property
    def is_stale(self) -> bool:
        """Whether the mesh has changed since."""
        lease = object.__getattribute__(self, "_lease")
        return lease is not None and lease.is_stale

    def _check(self) -> None:
        lease = object.__getattribute__(self, "_lease")
        if lease is not None and lease.is_stale:
            raise StaleViewError(
                "this array shows a mesh that is gone: remeshing has changed it; "
                "ask the simulation for a new one, or keep a copy()")

    def __getattribute__(self, name: str) -> Any:
        if name not in _HARMLESS:
            object.__getattribute__(self, "_check")()
        return super().__getattribute__(name)

    def __getitem__(self, key: Any) -> Any:
        self._check()
        result = super().__getitem__(_plain(key))
        if not isinstance(result, View):
            return result
        plain = np.ndarray.view(result, np.ndarray)
        shares = np.may_share_memory(plain, np.ndarray.view(self, np.ndarray))
        return result if shares else plain  # a copy never gets stale

    def __setitem__(self, key: Any, value: Any) -> None:
        self._check()
        super().__setitem__(key, value)  # read-only: says so

    def __len__(self) -> int:
        self._check()
        return super().__len__()

    def __iter__(self) -> Any:
        self._check()
        return super().__iter__()

    def __contains__(self, value: Any) -> bool:
        self._check()
        return bool(super().__contains__(value))

    def __repr__(self) -> str:
        return "stale view" if self.is_stale else repr(np.ndarray.view(self, np.ndarray))

    def __str__(self) -> str:
        return "stale view" if self.is_stale else str(np.ndarray.view(self, np.ndarray))

    def __bool__(self) -> bool:
        self._check()
        return bool(np.ndarray.view(self, np.ndarray))

    def __reduce__(self) -> Any:
        self._check()
        return np.ndarray.view(self, np.ndarray).copy().__reduce__()

    def copy(self, order: Any = "C") -> np.ndarray:
        """An ordinary array of its own."""
        self._check()
        return np.ndarray.view(self, np.ndarray).copy(order)

    def astype(self, *args: Any, **kwargs: Any) -> np.ndarray:
        """An ordinary array of another type."""
        self._check()
        return np.array(np.ndarray.view(self, np.ndarray)).astype(*args, **kwargs)

    # NumPy turns exceptions in comparisons into a warning.
    def __eq__(self, other: Any) -> Any:
        self._check()
        return np.ndarray.view(self, np.ndarray) == _plain(other)

    def __ne__(self, other: Any) -> Any:
        self._check()
        return np.ndarray.view(self, np.ndarray) != _plain(other)

    __hash__ = None  # type: ignore[assignment]

    def __copy__(self) -> np.ndarray:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> np.ndarray:
        return self.copy()

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if "out" in kwargs:
            kwargs["out"] = tuple(_plain(o) for o in kwargs["out"])
        return getattr(ufunc, method)(*(_plain(i) for i in inputs), **kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return func(*_plain(tuple(args)), **{k: _plain(v) for k, v in kwargs.items()})


def as_view(array: np.ndarray) -> View:
    """An array of the C++ part, whose base is a lease, as a view."""
    view = array.view(View)
    view._lease = array.base
    return view
