#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Pleat authors
"""benchmarks/compare_surfaces measures what is known: compare_surfaces_test.py BINARY"""
import math
import pathlib
import subprocess
import sys
import tempfile

BINARY = sys.argv[1]


def write_run(folder, cells, place):
    """A run of two frames: a square metre of `cells` x `cells` cells, in the second frame at place(u, v)."""
    (folder / "frames").mkdir(parents=True)
    points = [(i / cells, j / cells) for j in range(cells + 1) for i in range(cells + 1)]
    for frame in range(2):
        lines = ["v %.17g %.17g %.17g" % (place(*p) if frame else (*p, 0)) for p in points]
        lines += ["vt %.17g %.17g" % p for p in points]
        for j in range(cells):
            for i in range(cells):
                a, b = j * (cells + 1) + i + 1, j * (cells + 1) + i + 2
                c, d = b + cells + 1, a + cells + 1
                lines += [f"f {x}/{x} {y}/{y} {z}/{z}" for x, y, z in ((a, b, c), (a, c, d))]
        (folder / "frames" / f"{frame:05}_sheet.obj").write_text("\n".join(lines) + "\n", encoding="utf-8")


def compare(a, b):
    done = subprocess.run([BINARY, a, b, "--times", "1"], stdout=subprocess.PIPE, text=True, check=True)
    return [float(x) for x in done.stdout.splitlines()[1].split()]


def expect(row, *values):
    names = ("surface", "largest", "point", "largest", "normal", "largest")
    for name, found, value in zip(names, row[3:], values):
        if abs(found - value) > 0.002 + 0.01 * value:
            sys.exit(f"FAILED: {name}: {found}, expected {value}")


with tempfile.TemporaryDirectory() as name:
    root = pathlib.Path(name)
    write_run(root / "flat", 7, lambda u, v: (u, v, 0))
    write_run(root / "fine", 20, lambda u, v: (u, v, 0))
    write_run(root / "lifted", 9, lambda u, v: (u, v, 0.003))
    write_run(root / "slid", 9, lambda u, v: (u + 0.01, v, 0.002))
    angle = math.radians(10)
    write_run(root / "turned", 9, lambda u, v: (u * math.cos(angle), v, u * math.sin(angle)))
    expect(compare(root / "flat", root / "flat"), 0, 0, 0, 0, 0, 0)
    expect(compare(root / "flat", root / "fine"), 0, 0, 0, 0, 0, 0)
    expect(compare(root / "fine", root / "lifted"), 3, 3, 3, 3, 0, 0)
    # Slid 10 mm in its plane: 2 mm away, but for a strip of 10 mm on each side.
    row = compare(root / "flat", root / "slid")
    if not 7 < row[4] < math.hypot(10, 2):  # samples come within a few mm of the border
        sys.exit(f"FAILED: largest distance of surfaces: {row[4]}")
    expect([*row[:4], 0, *row[5:]], 2.04, 0, math.hypot(10, 2), math.hypot(10, 2), 0, 0)
    # About the edge u = 0: a point at u goes 2 u sin(5 degrees); the largest sample is near u = 1.
    row = compare(root / "fine", root / "turned")
    most = 2000 * math.sin(angle / 2)
    expect([*row[:3], 0, 0, *row[5:]], 0, 0, most / 2, most * 0.998, 10, 10)
    assert compare(root / "turned", root / "fine")[3:] == row[3:]
