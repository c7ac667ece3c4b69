# SPDX-License-Identifier: Apache-2.0
# Copyright the Pleat authors
"""A sheet falls on a ball. Its mesh is fine where it bends, and where it is painted: on a ring."""
import numpy as np
import pleat

# A sheet of 1 m x 1 m: points u of the material, where they are, and triangles.
n = 10
side = np.linspace(-0.5, 0.5, n + 1)
u = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
x = np.column_stack([u, np.full(len(u), 0.42)])
a = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).ravel()
faces = np.concatenate([np.stack([a, a + 1, a + n + 2], 1), np.stack([a, a + n + 2, a + n + 1], 1)])

scene = {
    "pleat": 1, "frames": 5, "gravity": [0, 0, -9.81],
    "cloths": [{"name": "sheet", "mesh": {"x": x, "u": u, "faces": faces},
                "material": "gray-interlock", "strain_limits": [-0.1, 0.1],
                "remeshing": {"type": "anisotropic", "edge_length": [0.02, 0.2], "sizing": ["curvature"], "angle": 0.5}}],
    "obstacles": [{"name": "ball", "sphere": {"centre": [0, 0, 0.2], "radius": 0.2}}],
}


def ring(cloth):
    """The edge length that each face should have [m]; inf: any."""
    radius = np.linalg.norm(cloth.u.mean(axis=1), axis=1)
    return np.where(np.abs(radius - 0.33) < 0.02, 0.02, np.inf)


sim = pleat.Simulation(scene, sizing={"ring": ring})
while sim.index < sim.frames:
    stats = sim.frame()
    print(f"frame {sim.index}: {stats['faces']} faces, lowest point {sim.x[:, 2].min():.3f} m")
sim.write_frame("painted_sheet")

# Faces of the ring are small, and the frame is free of intersections.
corners = sim.u[sim.face_verts]
edges = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2)
on_ring = np.abs(np.linalg.norm(corners.mean(axis=1), axis=1) - 0.33) < 0.015
print(f"longest edge on the ring {edges[on_ring].max():.3f} m, elsewhere {edges[~on_ring].max():.3f} m")
assert edges[on_ring].max() < 0.03 and stats["intersections"] == 0
