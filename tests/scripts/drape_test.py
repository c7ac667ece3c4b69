#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Pleat authors
"""The drape test measures what it says: shadows and folds of shapes with known answers, and a short run."""
import contextlib
import importlib.machinery
import importlib.util
import io
import math
import pathlib
import unittest

PATH = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts" / "drape"
LOADER = importlib.machinery.SourceFileLoader("drape", str(PATH))
drape = importlib.util.module_from_spec(importlib.util.spec_from_loader("drape", LOADER))
LOADER.exec_module(drape)


class Shadow(unittest.TestCase):
    def test_of_a_flat_disc_is_its_area(self):
        points, faces = drape.disc(12)
        self.assertEqual(len(faces), 6 * 12 * 12)
        area = sum(abs((points[b][0] - points[a][0]) * (points[c][1] - points[a][1]) -
                       (points[c][0] - points[a][0]) * (points[b][1] - points[a][1])) / 2 for a, b, c in faces)
        self.assertAlmostEqual(drape.shadow([(x, y, 0) for x, y in points], faces), area, delta=1e-4 * area)

    def test_counts_layers_once(self):
        points, faces = drape.disc(12)
        folded = [(x, abs(y), 0) for x, y in points]
        half = 0.5 * drape.shadow([(x, y, 0) for x, y in points], faces)
        self.assertAlmostEqual(drape.shadow(folded, faces), half, delta=2e-3 * half)


class Folds(unittest.TestCase):
    def test_are_counted_along_the_outline(self):
        for folds in (3, 6, 9):
            outline = [1 + 0.1 * math.cos(folds * 2 * math.pi * k / 180 + 0.3) for k in range(180)]
            self.assertEqual(drape.count_folds(outline), folds)


class Run(unittest.TestCase):
    def test_of_a_coarse_interlock_falls_into_folds_without_crossings(self):
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            drape.measure("gray-interlock", 10, 2, 1, None)
        cells = [cell.strip() for cell in text.getvalue().split("|")]
        self.assertTrue(15 < float(cells[3]) < 45, cells)
        self.assertTrue(5 <= int(cells[4]) <= 12, cells)
        self.assertEqual(int(cells[5]), 0, cells)


if __name__ == "__main__":
    unittest.main()
