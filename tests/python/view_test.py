# SPDX-License-Identifier: Apache-2.0
# Copyright the Pleat authors
import copy
import gc
import pickle
import unittest
import weakref

import numpy as np

import pleat
from scenes import hanging

FINE = {"type": "anisotropic", "edge_length": [0.05, 0.3]}


def address(array):
    return np.asarray(array).__array_interface__["data"][0]


class Sharing(unittest.TestCase):
    def test_shows_the_memory_of_the_simulation(self):
        sim = pleat.Simulation(hanging())
        self.assertEqual(address(sim.x), sim._core.state_address)
        for name in ("x", "v", "u", "faces", "face_verts", "vert_node"):
            self.assertEqual(address(getattr(sim, name)), address(getattr(sim, name)), name)
            self.assertFalse(getattr(sim, name).flags.owndata, name)

    def test_stays_at_its_address_and_shows_new_values_after_steps(self):
        sim = pleat.Simulation(hanging())
        x, v = sim.x, sim.v
        before, start = address(x), x.copy()
        for _ in range(3):
            sim.step()
            self.assertEqual(sim._core.state_address, before)
            self.assertEqual(address(x), before)
        sim.frame()
        self.assertEqual((address(x), sim._core.state_address), (before, before))
        np.testing.assert_array_equal(x, sim.x)
        np.testing.assert_array_equal(v, sim.v)
        self.assertTrue(np.any(x != start))

    def test_views_do_not_change_the_result(self):
        looked, alone = pleat.Simulation(hanging(remeshing=FINE)), pleat.Simulation(hanging(remeshing=FINE))
        kept = []
        for _ in range(4):
            kept += [looked.x, looked.faces, looked.u, looked.metric]
            self.assertEqual(looked.frame()["hash"], alone.frame()["hash"])

    def test_is_read_only(self):
        sim = pleat.Simulation(hanging())
        for array in (sim.x, np.asarray(sim.x), sim.faces, sim.u):
            with self.assertRaisesRegex(ValueError, "read-only"):
                array[0] = 1
        with self.assertRaises(ValueError):
            sim.x += 1

    def test_calculations_give_ordinary_arrays(self):
        sim = pleat.Simulation(hanging())
        for result in (sim.x + 1, np.concatenate([sim.x, sim.v]), sim.x[sim.faces], sim.x.copy(),
                       sim.x.mean(axis=0), copy.deepcopy(sim.x), pickle.loads(pickle.dumps(sim.x)),
                       np.linalg.norm(sim.x, axis=1), sim.x.astype(np.float32), sim.x[sim.x[:, 0] > 0.5]):
            self.assertNotIsInstance(result, pleat.View)
        self.assertIsInstance(sim.x[2:5], pleat.View)
        self.assertIsInstance(sim.x[:, 2], pleat.View)

    def test_keeps_the_simulation_alive(self):
        sim = pleat.Simulation(hanging())
        sim.frame()
        x, part = sim.x, sim.x[3:5, 1]
        values = x.copy()
        gone = weakref.ref(sim._core) if hasattr(type(sim._core), "__weakref__") else None
        del sim
        gc.collect()
        np.testing.assert_array_equal(x, values)
        np.testing.assert_array_equal(part, values[3:5, 1])
        del x, part
        gc.collect()
        if gone is not None:
            self.assertIsNone(gone())


class Remeshing(unittest.TestCase):
    def stale(self):
        sim = pleat.Simulation(hanging(remeshing=FINE))
        arrays = {name: getattr(sim, name)
                  for name in ("x", "v", "u", "faces", "face_verts", "vert_node", "metric")}
        arrays["slice"] = sim.x[2:4]
        arrays["column"] = sim.x[:, 2]
        raw = {name: np.asarray(array) for name, array in arrays.items()}
        version = sim.mesh_version
        while sim.mesh_version == version:
            for name, array in arrays.items():
                self.assertFalse(array.is_stale, name)
            sim.frame()
            self.assertLess(sim.index, 30, "the mesh should change")
        return sim, arrays, raw

    def test_makes_any_use_of_an_old_view_an_error(self):
        sim, arrays, _ = self.stale()
        uses = [lambda a: a[0], lambda a: a + 1, lambda a: np.sum(a), lambda a: a.mean(), lambda a: len(a),
                lambda a: a.shape, lambda a: a.tolist(), lambda a: list(a), lambda a: a.copy(),
                lambda a: np.concatenate([a, a]), lambda a: a == a, lambda a: sim.x[a],
                lambda a: pickle.dumps(a), lambda a: a.astype(float), lambda a: 1 in a,
                lambda a: np.stack((a, a)), lambda a: a.T, lambda a: np.linalg.norm(a)]
        for name, array in arrays.items():
            self.assertTrue(array.is_stale, name)
            self.assertEqual(repr(array), "stale view")
            for number, use in enumerate(uses):
                with self.assertRaises(pleat.StaleViewError, msg=f"{name}, use {number}"):
                    use(array)
        with self.assertRaisesRegex(pleat.StaleViewError, "remeshing has changed it"):
            arrays["x"][0]

    def test_fills_raw_arrays_with_values_that_cannot_be_overlooked(self):
        sim, _, raw = self.stale()
        for name in ("x", "v", "u", "slice", "column"):
            self.assertTrue(np.all(np.isnan(raw[name])), name)
        for name in ("faces", "face_verts", "vert_node"):
            self.assertTrue(np.all(raw[name] == 0xffffffff), name)
        with self.assertRaises(IndexError):
            np.asarray(sim.x)[raw["faces"]]

    def test_leaves_new_views_good(self):
        sim, _, _ = self.stale()
        self.assertTrue(np.all(np.isfinite(sim.x)))
        self.assertLess(int(sim.faces.max()), len(sim.x))
        self.assertEqual(len(sim.metric), len(sim.faces))
        self.assertEqual(address(sim.x), sim._core.state_address)

    def test_in_a_callback_is_seen_at_once(self):
        seen = []

        def look(sim):
            seen.append((sim.mesh_version, sim.x))
            for version, x in seen:
                self.assertEqual(x.is_stale, version != sim.mesh_version)

        sim = pleat.Simulation(hanging(remeshing=FINE), on_step=look)
        for _ in range(6):
            sim.frame()
        self.assertGreater(len({version for version, _ in seen}), 1)
        np.testing.assert_array_equal(seen[-1][1], sim.x)


if __name__ == "__main__":
    unittest.main()
