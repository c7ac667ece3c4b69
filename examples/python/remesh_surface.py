# SPDX-License-Identifier: Apache-2.0
# Copyright the Pleat authors
"""The remesher alone: a saddle gets small faces where it is curved."""
import numpy as np
import pleat

n = 8
side = np.linspace(-1, 1, n + 1)
u = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
a = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).ravel()
faces = np.concatenate([np.stack([a, a + 1, a + n + 2], 1), np.stack([a, a + n + 2, a + n + 1], 1)])
flat = np.column_stack([u, np.zeros(len(u))])

# Edges of 3 cm at the origin, growing outward; the function is asked again for new points.
mesh = pleat.remesh(flat, u, faces, lambda p: 0.03 + 0.3 * np.linalg.norm(p, axis=1), rounds=12)
saddle = np.column_stack([mesh.u, 0.3 * (mesh.u[:, 0]**2 - mesh.u[:, 1]**2)])
edges = np.linalg.norm(mesh.u[mesh.face_verts] - mesh.u[np.roll(mesh.face_verts, 1, axis=1)], axis=2)
centre = np.linalg.norm(mesh.u[mesh.face_verts].mean(axis=1), axis=1)
print(f"{len(mesh.faces)} faces, {mesh.splits} splits, {mesh.flips} flips, {mesh.collapses} collapses; "
      f"edges {edges[centre < 0.1].mean():.3f} m at the centre, {edges[centre > 1].mean():.3f} m outside; "
      f"the saddle is {np.ptp(saddle[:, 2]):.2f} m high")
assert edges[centre < 0.1].max() < 0.07
