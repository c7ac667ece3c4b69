# SPDX-License-Identifier: Apache-2.0
# Copyright the Pleat authors
"""Pleat: cloth on meshes that refine and coarsen themselves.

    import pleat
    sim = pleat.Simulation("scene.json")
    while sim.index < 100:
        stats = sim.frame()
        print(sim.index, stats["faces"], sim.x.mean(axis=0))

All lengths are metres, times seconds, masses kilograms. A node is a point in space, a vert a point
of the flat material; verts that are sewn together share a node. docs/python.md is the manual.
"""
from __future__ import annotations

import csv
import json
import os
import pathlib
import weakref
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, Union

import numpy as np

from . import _core
from ._core import LoadInput, SizingInput
from ._view import StaleViewError, View, as_view

__version__: str = _core.__version__
__all__ = [
    "Cloth", "Contacts", "FileError", "InputError", "LoadInput", "Run", "Simulation", "SizingInput",
    "SolverError", "StaleViewError", "View", "frame_formats", "read_run", "remesh",
]

PathLike = Union[str, "os.PathLike[str]"]
Array = np.ndarray


class InputError(ValueError):
    """Bad input, with the same words as the command line.

    `problems` has a tuple (file, place, found, expected) for each thing that is wrong.
    """

    def __init__(self, message: str, problems: Sequence[tuple] = ()) -> None:
        super().__init__(message)
        self.problems = [tuple(p) for p in problems]


class FileError(OSError):
    """The operating system refused: names the path and the reason."""


class SolverError(RuntimeError):
    """The solver gave up; says where and why. The simulation is at the last frame."""


_core.set_errors(InputError, FileError, SolverError)


def frame_formats() -> list[str]:
    """Formats of Simulation.write_frame()."""
    return list(_core.frame_formats())


def _json_value(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"a scene cannot hold a {type(value).__name__}")


def _override_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=_json_value)


def _split_meshes(scene: Mapping[str, Any]) -> tuple[dict, dict]:
    """The scene with names in place of meshes that are arrays, and these meshes by name."""
    scene = dict(scene)
    meshes: dict[str, dict] = {}
    for kind in ("cloths", "obstacles"):
        items = scene.get(kind)
        if not isinstance(items, (list, tuple)):
            continue
        scene[kind] = [dict(item) if isinstance(item, Mapping) else item for item in items]
        for number, item in enumerate(scene[kind]):
            mesh = item.get("mesh") if isinstance(item, dict) else None
            if isinstance(mesh, Mapping):
                item["mesh"] = f"{kind}[{number}].mesh"
                meshes[item["mesh"]] = dict(mesh)
    return scene, meshes


def _by_name(functions: Any, kind: str) -> dict[str, Callable]:
    if functions is None:
        return {}
    if callable(functions):
        functions = [functions]
    if not isinstance(functions, Mapping):
        functions = {getattr(f, "__name__", f"{kind}{i}"): f for i, f in enumerate(functions)}
    for name, function in functions.items():
        if not callable(function):
            raise TypeError(f"{kind} {name!r} is a {type(function).__name__}; expected: a function")
    return dict(functions)


class Contacts:
    """Pairs that may touch within the next step; arrays with a row for each.

    nodes (K, 4): nodes of the pair, -1 where there are fewer; weights (K, 4); normal (K, 3);
    gap (K,) [m]: normal . (sum of weight * x - point of an obstacle); thickness (K,) [m];
    friction (K,).
    """

    nodes: Array
    weights: Array
    normal: Array
    gap: Array
    thickness: Array
    friction: Array

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        for name, array in arrays.items():
            setattr(self, name, array)

    def __len__(self) -> int:
        return len(self.gap)


class Cloth:
    """One cloth of a simulation, with numbers of its own: views `x`, `v`, `u`, and `faces`,
    `face_verts`, `vert_node`, `face_panel`."""

    def __init__(self, sim: "Simulation", name: str) -> None:
        names = sim.cloth_names
        if name not in names:
            known = ", ".join(f'"{n}"' for n in names)
            raise InputError(f'"{name}": no cloth with this name; expected: one of {known}')
        self.name = name
        is_face = sim.face_cloth == names.index(name)
        nodes, verts = sim.faces[is_face], sim.face_verts[is_face]
        # The nodes and verts of a cloth stand one after the other.
        low, high = int(nodes.min()), int(nodes.max()) + 1
        first, last = int(verts.min()), int(verts.max()) + 1
        self.x: View = sim.x[low:high]
        self.v: View = sim.v[low:high]
        self.u: View = sim.u[first:last]
        self.faces: Array = nodes - np.uint32(low)
        self.face_verts: Array = verts - np.uint32(first)
        self.vert_node: Array = sim.vert_node[first:last] - np.uint32(low)
        panels = sim.face_panel[is_face]
        self.face_panel: Array = panels - panels.min()


class Simulation:
    """A running scene. The same scene gives the same bits as `pleat run`, with any number of
    threads."""

    def __init__(
        self,
        scene: Union[PathLike, Mapping[str, Any]],
        *,
        folder: Optional[PathLike] = None,
        set: Optional[Mapping[str, Any]] = None,
        threads: int = 0,
        loads: Any = None,
        sizing: Any = None,
        on_step: Optional[Callable[["Simulation"], Any]] = None,
        log: Optional[Callable[[str, str], Any]] = None,
        meshes: Optional[Mapping[str, Mapping[str, Any]]] = None,
        _resume: tuple = ("", None),
    ) -> None:
        """Loads a scene and brings it to frame 0.

        scene     a file, or a dict with the keys of scene files. The "mesh" of a cloth or an
                  obstacle may be a dict of arrays: x (N, 3), faces (F, 3), and optionally u (V, 2),
                  face_verts (F, 3), v (N, 3), label (N,), face_material (F,)
        folder    where files of a dict scene are looked for; by default the working directory
        set       values that replace those of the scene, by path: {"cloths.0.material": "denim"}
        threads   0: one per core
        loads     a function, a list, or a dict by name. It gets a LoadInput and returns forces
                  (N, 3) [N], or None, or a tuple of forces and drag (N,) or (N, 3, 3) [kg/s]: by
                  how much forces fall when velocities rise, which the solver takes into account
        sizing    functions by name: each gets a SizingInput and returns the edge length that each
                  face should have (F,) [m], inf: any; or tensors (F, 2, 2) [1/m^2]
        on_step   is called with the simulation after each step
        log       is called with "warning" or "note" and the text
        """
        found: dict[str, dict] = {k: dict(m) for k, m in (meshes or {}).items()}
        if isinstance(scene, Mapping):
            plain, in_scene = _split_meshes(scene)
            found.update(in_scene)
            text = json.dumps(plain, default=_json_value)
            path, is_file = os.path.join(os.path.abspath(folder or "."), "scene"), False
        else:
            text, path, is_file = "", os.fspath(scene), True
        self._core = None
        step = None
        if on_step is not None:
            me = weakref.ref(self)  # the C++ part must not keep its owner alive
            function = on_step
            step = lambda: function(me())  # noqa: E731
        self._core = _core.Simulation(
            text, path, is_file,
            [(k, _override_text(v)) for k, v in (set or {}).items()],
            found, threads, _by_name(loads, "load"), _by_name(sizing, "sizing"), step, log,
            os.fspath(_resume[0]), _resume[1])

    @classmethod
    def resume(cls, folder: PathLike, frame: Optional[int] = None, *,
               scene: Union[PathLike, Mapping[str, Any], None] = None,
               **options: Any) -> "Simulation":
        """Continues from a checkpoint of `pleat run` or of checkpoint(), with the same bits.

        scene     by default FOLDER/scene.json; needed again where meshes are arrays
        frame     by default the newest checkpoint
        """
        if scene is None:
            scene = os.path.join(os.fspath(folder), "scene.json")
        return cls(scene, _resume=(folder, frame), **options)

    # --- going on -------------------------------------------------------------------------------

    def frame(self) -> dict[str, Any]:
        """Simulates to the next frame. Returns its row of stats.csv as a dict.

        Raises SolverError where the solver gives up."""
        return self._core.advance_frame()

    def step(self) -> Optional[dict[str, Any]]:
        """Simulates one of the `substeps` steps of a frame, with remeshing where it is due. The last
        one completes the frame and returns what frame() does, the others None."""
        return self._core.advance_step()

    def remesh(self) -> bool:
        """Adapts the meshes now; frame() and step() do it by themselves. Returns whether a mesh has
        changed."""
        return self._core.remesh()

    @property
    def index(self) -> int:
        """Number of the last complete frame."""
        return self._core.frame

    @property
    def steps_done(self) -> int:
        """Steps of the next frame that are done."""
        return self._core.steps_done

    @property
    def time(self) -> float:
        """[s]"""
        return self._core.time

    @property
    def fps(self) -> float:
        return self._core.fps

    @property
    def substeps(self) -> int:
        """Steps of a frame."""
        return self._core.substeps

    @property
    def frames(self) -> int:
        """Number of frames that the scene asks for; frame() goes beyond it."""
        return self._core.frames

    @property
    def notes(self) -> list[str]:
        """Warnings of loading, such as sizes that suggest wrong units."""
        return list(self._core.notes)

    # --- arrays ---------------------------------------------------------------------------------

    @property
    def x(self) -> View:
        """Positions of the nodes of all cloths, (N, 3) [m]. A view without a copy."""
        return as_view(self._core.x())

    @property
    def v(self) -> View:
        """Velocities of the nodes, (N, 3) [m/s]. A view."""
        return as_view(self._core.v())

    @property
    def u(self) -> View:
        """Material coordinates of the verts, (V, 2) [m]. A view."""
        return as_view(self._core.u())

    @property
    def faces(self) -> View:
        """Nodes of the faces, (F, 3). Made once a mesh, then a view."""
        return as_view(self._core.faces())

    @property
    def face_verts(self) -> View:
        """Verts of the faces, (F, 3). A view."""
        return as_view(self._core.face_verts())

    @property
    def vert_node(self) -> View:
        """The node of each vert, (V,). A view."""
        return as_view(self._core.vert_node())

    @property
    def metric(self) -> Optional[View]:
        """Sizing tensors of the last remeshing, (F, 2, 2) [1/m^2]; None where there is none.
        A view."""
        array = self._core.metric()
        return None if array is None else as_view(array)

    @property
    def strain(self) -> Array:
        """Principal strains of the faces, (F, 2), the larger first. Computed when asked for."""
        return self._core.strain()

    @property
    def mass(self) -> Array:
        """Masses of the nodes, (N,) [kg]."""
        return self._core.mass()

    @property
    def face_cloth(self) -> Array:
        """Number of the cloth of each face, (F,)."""
        return self._core.face_cloth()

    @property
    def face_panel(self) -> Array:
        """Number of the panel of each face, (F,), counted through all cloths."""
        return self._core.face_panel()

    @property
    def contacts(self) -> Contacts:
        """Pairs that may touch within the next step, as they are found now."""
        return Contacts(self._core.contacts())

    @property
    def cloth_names(self) -> list[str]:
        return list(self._core.cloth_names())

    def cloth(self, name: str) -> Cloth:
        """One cloth, with numbers of its own."""
        return Cloth(self, name)

    @property
    def mesh_version(self) -> int:
        """Changes when remeshing changes the mesh: views are good while it is the same."""
        return self._core.mesh_version

    # --- checks, files, surroundings -----------------------------------------------------------

    def audit(self) -> dict[str, Any]:
        """Intersections (exact), smallest gap [m], largest strains and worst shape as they are now."""
        return self._core.audit()

    def hash(self) -> str:
        """Of topology, positions and velocities; the same for the same scene on every run."""
        return self._core.hash()

    def write_frame(self, folder: PathLike, formats: Sequence[str] = ("obj",),
                    name_pattern: str = "{frame:05d}_{name}") -> None:
        """Writes FOLDER/frames, where `pleat render`, `view` and `check` find them."""
        if isinstance(formats, str):
            formats = [formats]
        self._core.write_frame(os.fspath(folder), list(formats), name_pattern)

    def checkpoint(self, folder: PathLike) -> None:
        """Writes what resume() needs into the folder. Only between frames."""
        self._core.write_checkpoint(os.fspath(folder))

    def set_gravity(self, gravity: Any) -> None:
        """[m/s^2]; takes effect with the next step."""
        self._core.set_gravity(np.asarray(gravity, float))

    def set_wind(self, velocity: Any) -> None:
        """[m/s]; takes effect with the next step. The scene needs a "wind" with a density."""
        self._core.set_wind(np.asarray(velocity, float))


class Remeshed(dict):
    """Arrays of a remeshed surface, also as attributes: x, u, faces, face_verts, splits, ..."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def _tensors(metric: Any, u: Array) -> Array:
    value = np.asarray(metric(u) if callable(metric) else metric, float)
    if value.ndim < 2:  # lengths
        if not np.all(value > 0):
            raise InputError("metric: lengths that are not above 0; expected: lengths in metres")
        square = np.broadcast_to(1 / value**2, len(u))
        value = square[:, None, None] * np.eye(2)
    return np.ascontiguousarray(value)


def remesh(x: Any, u: Any, faces: Any, metric: Any, *, face_verts: Any = None,
           hysteresis: float = 0.2, guard: bool = False, rounds: int = 8,
           **arrays: Any) -> Remeshed:
    """Remeshes a surface to a metric, by splits, flips and collapses, without a simulation.

    x         positions of the nodes (N, 3)
    u         material coordinates (V, 2) [m]; V = N, or with face_verts
    faces     nodes of the faces (F, 3)
    metric    edge lengths [m], one for all or one a vert; or tensors (V, 2, 2) [1/m^2]: edges e
              should have e^T M e <= 1; or a function of an array u that returns one of these. A
              function is asked again for the new verts until the mesh fits, at most `rounds` times
    guard     refuse edits that would make the surface intersect itself
    arrays    v (N, 3), label (N,), face_material (F,): carried along
    """
    mesh: dict[str, Any] = {"x": x, "u": u, "faces": faces, **arrays}
    if face_verts is not None:
        mesh["face_verts"] = face_verts
    total = {"splits": 0, "flips": 0, "collapses": 0, "refused": 0}
    for _ in range(rounds if callable(metric) else 1):
        tensors = _tensors(metric, np.asarray(mesh["u"], float))
        result = _core.remesh(mesh, tensors, hysteresis, guard)
        done = {k: result.pop(k) for k in total}
        total = {k: total[k] + done[k] for k in total}
        mesh = result
        if done["splits"] + done["collapses"] == 0:
            break
    return Remeshed(**mesh, **total)


class FrameObject:
    """A cloth or an obstacle of a frame that was read back.

    name, is_cloth, x (N, 3), faces (F, 3); v (N, 3) or None; and of cloths u (V, 2),
    face_verts (F, 3), vert_node (V,), face_panel (F,), and from the attributes face_material (F,),
    face_generation (F,), sizing_names, sizing_lengths (F, D) [m], sizing_ellipse (F, 3): long and
    short edge [m] and angle [rad]. What a file does not have is None.
    """

    name: str
    is_cloth: bool
    x: Array
    faces: Array
    v: Optional[Array] = None
    u: Optional[Array] = None
    face_verts: Optional[Array] = None
    vert_node: Optional[Array] = None
    face_panel: Optional[Array] = None
    face_material: Optional[Array] = None
    face_generation: Optional[Array] = None
    sizing_names: Optional[list] = None
    sizing_lengths: Optional[Array] = None
    sizing_ellipse: Optional[Array] = None

    def __init__(self, arrays: Mapping[str, Any]) -> None:
        for name, value in arrays.items():
            setattr(self, name, value)


class Run:
    """The folder of a run: `frames` (numbers), `scene` (dict), `stats` (arrays by column).

    run[12] and run.read(12) are dicts of FrameObject by name; iterating gives (number, objects).
    """

    def __init__(self, folder: PathLike) -> None:
        self.folder = pathlib.Path(folder)
        self._run = _core.RunFolder(os.fspath(folder))
        self.frames: list[int] = list(self._run.frames)

    @property
    def scene(self) -> Optional[dict]:
        """The resolved scene; None where it cannot be read."""
        text = self._run.scene_text
        return None if text is None else json.loads(text)

    @property
    def stats(self) -> dict[str, Array]:
        """The columns of stats.csv."""
        with open(self.folder / "stats.csv", newline="") as file:
            rows = list(csv.reader(file))
        columns: dict[str, Array] = {}
        for i, name in enumerate(rows[0]):
            values = [row[i] for row in rows[1:] if len(row) == len(rows[0])]
            columns[name] = np.array(values) if name == "hash" else np.array(values, float)
        return columns

    def read(self, frame: int) -> dict[str, FrameObject]:
        """The cloths and obstacles of a frame."""
        return {o["name"]: FrameObject(o) for o in self._run.read(frame)}

    def __getitem__(self, frame: int) -> dict[str, FrameObject]:
        return self.read(frame)

    def __len__(self) -> int:
        return len(self.frames)

    def __iter__(self) -> Iterator[tuple[int, dict[str, FrameObject]]]:
        for frame in self.frames:
            yield frame, self.read(frame)


def read_run(folder: PathLike) -> Run:
    """Opens the folder of `pleat run -o`. Raises InputError where it has no frames."""
    return Run(folder)
