# SPDX-License-Identifier: Apache-2.0
# Copyright the Pleat authors
"""Small scenes for the tests, and the program."""
import os
import pathlib
import subprocess

import numpy as np

SOURCE = pathlib.Path(os.environ["PLEAT_SOURCE_DIR"])
PROGRAM = os.environ["PLEAT_BINARY"]
ADAPTIVE = SOURCE / "scenes/sphere-anisotropic/quick.json"  # a ball pushes through a sheet


def grid(n=6, size=1.0):
    """A sheet in the plane z = 0: x, u, faces."""
    side = np.linspace(0, size, n + 1)
    u = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    x = np.column_stack([u, np.zeros(len(u))])
    a = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).ravel()
    faces = np.concatenate([np.stack([a, a + 1, a + n + 2], 1), np.stack([a, a + n + 2, a + n + 1], 1)])
    return x, u, faces


def hanging(n=6, remeshing=None, **keys):
    """A sheet of 1 m that hangs by two corners."""
    x, u, faces = grid(n)
    scene = {
        "pleat": 1, "fps": 25, "substeps": 4, "frames": 10, "gravity": [0, 0, -9.81],
        "cloths": [{"name": "sheet", "mesh": {"x": x, "u": u, "faces": faces},
                    "material": "gray-interlock"}],
        "handles": [{"cloth": "sheet", "nodes": [0, n]}],
        "contact": {"type": "none"},
    }
    if remeshing:
        scene["cloths"][0]["remeshing"] = remeshing
    scene.update(keys)
    return scene


def run_program(*words):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, check=False)
