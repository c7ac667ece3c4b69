# SPDX-License-Identifier: Apache-2.0
# Copyright the Pleat authors
"""Writes what the exported files of a run should hold: FOLDER/expected.json."""
import json
import struct
import sys

import numpy as np
import pleat

folder = sys.argv[1]
run = pleat.read_run(folder + "/run")
frames = {}
for number, objects in run:
    sheet = objects["sheet"]
    frames[number] = {
        "nodes": len(sheet.x), "verts": len(sheet.u), "faces": len(sheet.faces),
        "x_sum": sheet.x.sum(axis=0).tolist(), "speed": float(np.linalg.norm(sheet.v, axis=1).max()),
        "vert_x_sum": sheet.x[sheet.vert_node].sum(axis=0).tolist(),
        "stretch": float(run.stats["max_stretch"][number]),
    }
with open(folder + "/bake/sheet.pc2", "rb") as file:
    magic, version, points, start, rate, samples = struct.unpack("<12siiffi", file.read(32))
    values = np.frombuffer(file.read(), "<f4").reshape(samples, points, 3)
assert magic == b"POINTCACHE2\0" and version == 1 and start == 0 and rate == 1
with open(folder + "/bake/sheet.mdd", "rb") as file:
    count, same = struct.unpack(">ii", file.read(8))
    times = np.frombuffer(file.read(4 * count), ">f4")
    assert (count, same) == (samples, points) and np.allclose(times, np.arange(count) / 25)
    assert np.array_equal(np.frombuffer(file.read(), ">f4").reshape(values.shape), values)
json.dump({"frames": frames, "bake": {"points": points, "last": values[-1].tolist()}},
          open(folder + "/expected.json", "w"))
print(f"check: {len(frames)} frames, baked to {points} points")
