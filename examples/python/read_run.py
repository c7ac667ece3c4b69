# SPDX-License-Identifier: Apache-2.0
# Copyright the Pleat authors
"""Reads a run: python3 read_run.py DIR. Prints speed and strain of every frame."""
import sys

import numpy as np
import pleat

run = pleat.read_run(sys.argv[1])
stats = run.stats
print(f"{len(run)} frames, {stats['faces'].max():.0f} faces at most, {stats['ms_total'].sum() / 1000:.1f} s")
for frame, objects in run:
    for cloth in (o for o in objects.values() if o.is_cloth):
        dx = np.stack([cloth.x[cloth.faces[:, k]] - cloth.x[cloth.faces[:, 0]] for k in (1, 2)], -1)
        du = np.stack([cloth.u[cloth.face_verts[:, k]] - cloth.u[cloth.face_verts[:, 0]] for k in (1, 2)], -1)
        stretch = np.linalg.svd(dx @ np.linalg.inv(du), compute_uv=False)
        speed = np.linalg.norm(cloth.v, axis=1).max()
        print(f"frame {frame}, {cloth.name}: {len(cloth.faces)} faces, fastest node {speed:.2f} m/s, "
              f"largest strain {stretch.max() - 1:.3f}")
        assert abs(stretch.max() - 1 - stats["max_stretch"][frame]) < 1e-5
