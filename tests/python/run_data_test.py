# SPDX-License-Identifier: Apache-2.0
# Copyright the Pleat authors
import tempfile
import unittest

import numpy as np

import pleat
from scenes import ADAPTIVE, grid, run_program


class ReadRun(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        done = run_program("run", ADAPTIVE, "--frames", 4, "-q", "-o", cls.folder.name)
        assert done.returncode == 0, done.stderr
        cls.run_ = pleat.read_run(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_has_frames_scene_and_statistics(self):
        run = self.run_
        self.assertEqual(run.frames, [0, 1, 2, 3, 4])
        self.assertEqual(len(run), 5)
        self.assertEqual(run.scene["cloths"][0]["name"], "sheet")
        np.testing.assert_array_equal(run.stats["frame"], range(5))
        self.assertEqual(len(run.stats["hash"][0]), 16)

    def test_has_what_the_simulation_had(self):
        sim = pleat.Simulation(ADAPTIVE)
        for frame, objects in self.run_:
            if frame > 0:
                sim.frame()
            sheet = objects["sheet"]
            np.testing.assert_array_equal(sheet.x, sim.x)
            np.testing.assert_array_equal(sheet.faces, sim.faces)
            np.testing.assert_array_equal(sheet.u, sim.u)
            np.testing.assert_array_equal(sheet.vert_node, sim.vert_node)
            np.testing.assert_allclose(sheet.v, sim.v, rtol=1e-6, atol=1e-9)
            np.testing.assert_array_equal(sheet.face_panel, 0)
            np.testing.assert_array_equal(sheet.face_material, 0)
            self.assertIn("curvature", sheet.sizing_names)
            self.assertEqual(sheet.sizing_lengths.shape, (len(sheet.faces), len(sheet.sizing_names)))
            self.assertEqual(sheet.sizing_ellipse.shape, (len(sheet.faces), 3))
            self.assertFalse(objects["ball"].is_cloth)
            self.assertIsNone(objects["ball"].u)

    def test_says_what_is_missing(self):
        with self.assertRaisesRegex(pleat.InputError, "frame 9.*frames 0 to 4"):
            self.run_[9]
        with self.assertRaisesRegex(pleat.InputError, "no such folder"):
            pleat.read_run("/no/such/folder")

    def test_finds_frames_with_other_names(self):
        with tempfile.TemporaryDirectory() as folder:
            run_program("run", ADAPTIVE, "--frames", 1, "-q", "-o", folder, "--name-pattern",
                        "{name}.{frame:04d}", "--format", "ply")
            run = pleat.read_run(folder)
            self.assertEqual(run.frames, [0, 1])
            np.testing.assert_array_equal(run[1]["sheet"].x, self.run_[1]["sheet"].x)


def areas(mesh):
    u = mesh.u[mesh.face_verts]
    a, b = u[:, 1] - u[:, 0], u[:, 2] - u[:, 0]
    return 0.5 * (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])


class Remesh(unittest.TestCase):
    def test_makes_edges_of_a_length(self):
        x, u, faces = grid(2)
        fine = pleat.remesh(x, u, faces, 0.1)
        self.assertGreater(len(fine.faces), 200)
        self.assertAlmostEqual(float(areas(fine).sum()), 1)
        ends = fine.x[fine.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)]
        self.assertLessEqual(float(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).max()), 0.1 + 1e-9)
        coarse = pleat.remesh(fine.x, fine.u, fine.faces, 0.5, face_verts=fine.face_verts)
        self.assertLess(len(coarse.faces), len(fine.faces) / 4)
        self.assertGreater(coarse.collapses, 0)

    def test_follows_a_function_that_a_coarse_mesh_does_not_see(self):
        x, u, faces = grid(2)

        def spot(points):
            return np.where(np.linalg.norm(points - 0.3, axis=1) < 0.1, 0.02, 0.4)

        fine = pleat.remesh(x, u, faces, lambda p: spot(p), rounds=20)
        once = pleat.remesh(x, u, faces, spot(u))
        self.assertGreater(len(fine.faces), 2 * len(once.faces))

    def test_takes_tensors_and_carries_arrays(self):
        x, u, faces = grid(2)
        tensors = np.broadcast_to(np.diag([1 / 0.05**2, 1 / 0.4**2]), (len(u), 2, 2))
        fine = pleat.remesh(x, u, faces, tensors, v=np.column_stack([u, 0 * u[:, 0]]),
                            face_material=np.arange(len(faces)) % 2)
        np.testing.assert_allclose(fine.v[:, :2], fine.x[:, :2], atol=1e-12)
        self.assertEqual(fine.face_material.shape, (len(fine.faces),))
        edges = np.abs(fine.u[fine.face_verts] - np.roll(fine.u[fine.face_verts], 1, axis=1))
        self.assertGreater(float(edges[..., 1].mean()), 2 * float(edges[..., 0].mean()))

    def test_refuses_what_cannot_be(self):
        x, u, faces = grid(2)
        with self.assertRaisesRegex(pleat.InputError, "positive definite"):
            pleat.remesh(x, u, faces, np.zeros((len(u), 2, 2)))
        with self.assertRaisesRegex(pleat.InputError, "above 0"):
            pleat.remesh(x, u, faces, -1.0)
        with self.assertRaisesRegex(pleat.InputError, r"u: an array of shape"):
            pleat.remesh(x, x, faces, 0.1)
        with self.assertRaisesRegex(pleat.InputError, "unknown array"):
            pleat.remesh(x, u, faces, 0.1, colour=x)


if __name__ == "__main__":
    unittest.main()
