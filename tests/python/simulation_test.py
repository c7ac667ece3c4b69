# SPDX-License-Identifier: Apache-2.0
# Copyright the Pleat authors
import gc
import tempfile
import threading
import time
import unittest
import weakref

import numpy as np

import pleat
from scenes import ADAPTIVE, grid, hanging, run_program


class Running(unittest.TestCase):
    def test_gives_the_bits_of_the_program_by_frames_and_by_steps(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run_program("run", ADAPTIVE, "--frames", 8, "-q", "-o", folder + "/run")
            self.assertEqual(done.returncode, 0, done.stderr)
            hashes = pleat.read_run(folder + "/run").stats["hash"]
        by_frames, by_steps = pleat.Simulation(ADAPTIVE), pleat.Simulation(ADAPTIVE, threads=1)
        self.assertEqual(by_frames.hash(), hashes[0])
        for frame in range(1, 9):
            self.assertEqual(by_frames.frame()["hash"], hashes[frame])
            for step in range(by_steps.substeps):
                self.assertEqual(by_steps.steps_done, step)
                stats = by_steps.step()
                self.assertEqual(stats is None, step + 1 < by_steps.substeps)
            self.assertEqual(stats["hash"], hashes[frame])
            self.assertEqual(by_steps.index, frame)
            self.assertEqual(by_steps.time, frame / by_steps.fps)

    def test_frame_does_the_steps_that_are_left(self):
        a, b = pleat.Simulation(ADAPTIVE), pleat.Simulation(ADAPTIVE)
        a.frame()
        for _ in range(3):
            b.step()
        self.assertEqual(b.frame()["hash"], a.hash())
        self.assertEqual(b.steps_done, 0)

    def test_scenes_are_dicts_with_arrays(self):
        sim = pleat.Simulation(hanging(), threads=1)
        self.assertEqual(sim.cloth_names, ["sheet"])
        start = sim.x.copy()
        for _ in range(5):
            stats = sim.frame()
        self.assertEqual(stats["frame"], 5)
        self.assertEqual(stats["intersections"], 0)
        np.testing.assert_array_equal(sim.x[[0, 6]], start[[0, 6]])  # held
        self.assertLess(sim.x[-1, 2], -0.05)
        self.assertAlmostEqual(float(sim.mass.sum()), 0.187, delta=0.05)  # 1 m^2 of the fabric

    def test_values_are_replaced_by_path(self):
        sim = pleat.Simulation(hanging(), set={"fps": 50, "cloths.sheet.material": "denim",
                                               "gravity": np.array([0, 0, 0.0])})
        self.assertEqual(sim.fps, 50)
        sim.frame()
        self.assertAlmostEqual(float(np.abs(sim.v).max()), 0)

    def test_a_scene_that_is_reused_is_not_changed(self):
        scene = hanging()
        pleat.Simulation(scene)
        self.assertIsInstance(scene["cloths"][0]["mesh"], dict)

    def test_gravity_can_change(self):
        sim = pleat.Simulation(hanging(handles=[]))
        sim.set_gravity([1, 0, 0])
        sim.frame()
        np.testing.assert_allclose(sim.v, np.broadcast_to([1 / 25, 0, 0], sim.v.shape), atol=1e-6)


class Callbacks(unittest.TestCase):
    def test_is_called_after_each_step(self):
        heights = []
        sim = pleat.Simulation(hanging(), on_step=lambda s: heights.append(float(s.x[:, 2].min())))
        sim.frame()
        self.assertEqual(len(heights), sim.substeps)
        self.assertEqual(heights, sorted(heights, reverse=True))
        self.assertEqual(heights[-1], float(sim.x[:, 2].min()))

    def test_an_exception_of_a_callback_comes_out_and_the_frame_is_undone(self):
        calls = []

        def stop(sim):
            calls.append(sim.time)
            if len(calls) == 6:
                raise KeyError("enough")

        sim = pleat.Simulation(hanging(), on_step=stop)
        sim.frame()
        before = sim.hash()
        with self.assertRaises(KeyError):
            sim.frame()
        self.assertEqual((sim.index, sim.hash()), (1, before))
        other = pleat.Simulation(hanging())
        other.frame()
        other.frame()
        self.assertEqual(sim.frame()["hash"], other.hash())

    def test_does_not_keep_the_simulation_alive(self):
        sim = pleat.Simulation(hanging(), on_step=lambda s: None)
        sim.frame()
        gone = weakref.ref(sim)
        del sim
        gc.collect()
        self.assertIsNone(gone())

    def test_a_load_is_a_function_of_arrays(self):
        seen = []

        def lift(input):
            seen.append((input.x.shape, input.time, input.dt, input.faces.shape))
            return input.mass[:, None] * np.array([0, 0, 9.81])

        sim = pleat.Simulation(hanging(handles=[]), loads=lift)
        sim.frame()
        self.assertEqual(seen[0], ((49, 3), 0.0, 0.01, (72, 3)))
        np.testing.assert_allclose(sim.v, 0, atol=1e-9)  # it carries the weight

    def test_a_load_may_have_drag(self):
        free = pleat.Simulation(hanging(handles=[]))
        damped = pleat.Simulation(hanging(handles=[]),
                                  loads={"air": lambda i: (-100 * i.mass[:, None] * i.v,
                                                           100 * i.mass)})
        for sim in (free, damped):
            for _ in range(5):
                sim.frame()
        # The terminal speed is g / 100 /s.
        np.testing.assert_allclose(damped.v[:, 2], -0.0981, rtol=1e-3)
        self.assertLess(float(free.v[:, 2].max()), -1.5)

    def test_a_sizing_metric_refines_where_it_asks(self):
        def painted(input):
            centre = input.u.mean(axis=1)
            return np.where(np.linalg.norm(centre - 0.25, axis=1) < 0.2, 0.03, np.inf)

        remeshing = {"type": "anisotropic", "edge_length": [0.02, 0.3], "sizing": []}
        sim = pleat.Simulation(hanging(remeshing=remeshing), sizing={"painted": painted})
        sim.frame()
        u = sim.u[sim.face_verts]
        a, b = u[:, 1] - u[:, 0], u[:, 2] - u[:, 0]
        area = 0.5 * (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
        inside = np.linalg.norm(u.mean(axis=1) - 0.25, axis=1) < 0.15
        self.assertLess(5 * area[inside].mean(), area[~inside].mean())
        tensors = pleat.Simulation(
            hanging(remeshing=remeshing),
            sizing={"painted": lambda i: (1 / painted(i)**2)[:, None, None] * np.eye(2)})
        tensors.frame()
        self.assertEqual(tensors.hash(), sim.hash())

    def test_input_of_a_function_ends_with_the_call(self):
        kept = []
        sim = pleat.Simulation(hanging(), loads=kept.append)
        sim.frame()
        with self.assertRaisesRegex(ValueError, "during the call"):
            kept[0].x

    def test_wrong_results_are_refused(self):
        for result, words in [(np.zeros((3, 3)), r"shape \(3, 3\).*\(49, 3\)"),
                              (np.full((49, 3), np.nan), "not finite"),
                              ((None, np.zeros(7)), r"drag.*\(7,\)")]:
            sim = pleat.Simulation(hanging(), loads={"odd": lambda i: result})
            with self.assertRaisesRegex(pleat.InputError, words):
                sim.frame()

    def test_functions_of_python_are_called_in_any_thread_and_the_lock_is_free(self):
        sim = pleat.Simulation(hanging(n=40), loads=lambda i: None)
        count = [0]
        stop = threading.Event()

        def work():
            while not stop.is_set():
                count[0] += 1
                time.sleep(0)

        thread = threading.Thread(target=work)
        thread.start()
        before = count[0]
        for _ in range(3):
            sim.frame()
        during = count[0] - before
        stop.set()
        thread.join()
        self.assertGreater(during, 20)

    def test_a_second_thread_cannot_use_a_simulation_that_computes(self):
        failures = []

        def again(sim):
            try:
                sim.frame()
            except RuntimeError as error:
                failures.append(str(error))

        sim = pleat.Simulation(hanging(), on_step=again)
        sim.frame()
        self.assertEqual(len(failures), sim.substeps)
        self.assertIn("computing already", failures[0])

    def test_two_simulations_run_at_once(self):
        alone = pleat.Simulation(hanging(n=12), threads=1)
        for _ in range(3):
            alone.frame()
        sims = [pleat.Simulation(hanging(n=12), threads=1) for _ in range(2)]
        threads = [threading.Thread(target=lambda s=s: [s.frame() for _ in range(3)]) for s in sims]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual({s.hash() for s in sims}, {alone.hash()})


class Checkpoints(unittest.TestCase):
    def test_a_resumed_simulation_has_the_same_bits(self):
        sim = pleat.Simulation(ADAPTIVE)
        for _ in range(3):
            sim.frame()
        with tempfile.TemporaryDirectory() as folder:
            sim.checkpoint(folder)
            other = pleat.Simulation.resume(folder)
        self.assertEqual((other.index, other.hash()), (3, sim.hash()))
        for _ in range(3):
            self.assertEqual(sim.frame()["hash"], other.frame()["hash"])

    def test_continues_runs_of_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            run_program("run", ADAPTIVE, "--frames", 6, "--checkpoint-every", 2, "-q", "-o", folder)
            hashes = pleat.read_run(folder).stats["hash"]
            sim = pleat.Simulation.resume(folder, 4)
        sim.frame()
        sim.frame()
        self.assertEqual(sim.hash(), hashes[6])

    def test_scenes_with_arrays_are_resumed_with_the_arrays(self):
        sim = pleat.Simulation(hanging())
        sim.frame()
        with tempfile.TemporaryDirectory() as folder:
            sim.checkpoint(folder)
            other = pleat.Simulation.resume(folder, scene=hanging())
            with self.assertRaises(pleat.InputError):
                pleat.Simulation.resume(folder, 7, scene=hanging())
        self.assertEqual(sim.frame()["hash"], other.frame()["hash"])

    def test_are_refused_amid_a_frame(self):
        sim = pleat.Simulation(hanging())
        sim.step()
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(pleat.InputError, "amid a frame"):
                sim.checkpoint(folder)


class Looking(unittest.TestCase):
    def test_audit_finds_what_the_frame_found(self):
        sim = pleat.Simulation(ADAPTIVE)
        stats = sim.frame()
        audit = sim.audit()
        for name in ("intersections", "max_stretch", "max_compression", "worst_aspect"):
            self.assertAlmostEqual(audit[name], stats[name], places=5)
        self.assertAlmostEqual(float(sim.strain.max()), audit["max_stretch"], places=12)

    def test_contacts_have_gaps_below_their_reach(self):
        sim = pleat.Simulation(ADAPTIVE)
        while len(sim.contacts) == 0 and sim.index < 40:
            sim.frame()
        found = sim.contacts
        self.assertGreater(len(found), 0)
        self.assertEqual(found.nodes.shape, (len(found), 4))
        self.assertTrue(np.all(found.nodes < len(sim.x)))
        np.testing.assert_allclose(np.linalg.norm(found.normal, axis=1), 1, rtol=1e-9)
        self.assertTrue(np.all(found.gap > 0))

    def test_cloths_have_numbers_of_their_own(self):
        scene = hanging()
        x, u, faces = grid(4)
        scene["cloths"].append({"name": "second", "mesh": {"x": x + [0, 0, 1], "u": u, "faces": faces},
                                "material": "denim"})
        sim = pleat.Simulation(scene)
        second = sim.cloth("second")
        np.testing.assert_array_equal(second.x, x + [0, 0, 1])
        np.testing.assert_array_equal(second.faces, faces)
        np.testing.assert_array_equal(second.u[second.face_verts], u[faces])
        self.assertTrue(np.shares_memory(np.asarray(second.x), np.asarray(sim.x)))
        with self.assertRaisesRegex(pleat.InputError, '"sheet", "second"'):
            sim.cloth("third")

    def test_writes_frames_in_all_formats(self):
        sim = pleat.Simulation(hanging())
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(2):
                sim.write_frame(folder, pleat.frame_formats())
                sim.frame()
            run = pleat.read_run(folder)
            self.assertEqual(run.frames, [0, 1])
            self.assertEqual(run_program("check", folder).returncode, 0)


if __name__ == "__main__":
    unittest.main()
