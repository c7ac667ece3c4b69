# SPDX-License-Identifier: Apache-2.0
# Copyright the Pleat authors
import ast
import inspect
import pathlib
import tempfile
import unittest

import numpy as np

import pleat
from pleat import _core
from scenes import SOURCE, hanging, run_program


class Errors(unittest.TestCase):
    def test_have_the_words_of_the_program(self):
        for name in ("fps_text", "handle_unknown_cloth", "mesh_missing", "crossing_at_start"):
            path = SOURCE / f"tests/bad_input/scenes/{name}.json"
            with tempfile.TemporaryDirectory() as folder:
                told = run_program("run", path, "-o", folder).stderr
            with self.assertRaises(pleat.InputError) as caught:
                pleat.Simulation(path)
            for line in str(caught.exception).splitlines():
                self.assertIn(line, told)
            self.assertEqual(len(caught.exception.problems), len(str(caught.exception).splitlines()))
            self.assertEqual(caught.exception.problems[0][0], str(path))

    def test_of_dicts_say_where(self):
        scene = hanging(fsp=3)
        with self.assertRaisesRegex(pleat.InputError, 'fsp.*unknown key.*"fps"'):
            pleat.Simulation(scene)
        scene = hanging()
        scene["cloths"][0]["mesh"]["faces"] = [[0, 1, 900]]
        with self.assertRaises(pleat.InputError):
            pleat.Simulation(scene)
        scene["cloths"][0]["mesh"]["faces"] = [[0, 1, -1]]
        with self.assertRaisesRegex(pleat.InputError, "the index -1"):
            pleat.Simulation(scene)
        with self.assertRaisesRegex(pleat.InputError, "an array of 1"):
            pleat.Simulation(hanging(), set={"cloths.4.material": "denim"})

    def test_of_the_system_are_os_errors(self):
        sim = pleat.Simulation(hanging())
        with self.assertRaises(pleat.FileError) as caught:
            sim.write_frame("/proc/no")
        self.assertIsInstance(caught.exception, OSError)
        self.assertIn("/proc/no", str(caught.exception))

    def test_of_the_solver_leave_the_last_frame(self):
        sim = pleat.Simulation(hanging(handles=[]),
                               loads=lambda i: np.full((len(i.x), 3), 1e12 if i.time > 0.03 else 0))
        sim.frame()
        before = sim.hash()
        with self.assertRaisesRegex(pleat.SolverError, "the solver gave up at frame 2"):
            sim.frame()
        self.assertEqual((sim.index, sim.hash()), (1, before))

    def test_of_wrong_kinds_are_type_errors(self):
        with self.assertRaises(TypeError):
            pleat.Simulation(hanging(), loads=[3])
        with self.assertRaises(TypeError):
            pleat.Simulation(hanging(frames={1, 2}))


class Stubs(unittest.TestCase):
    def test_name_everything_that_the_module_has(self):
        stub = ast.parse((pathlib.Path(pleat.__file__).parent / "_core.pyi").read_text())
        declared = {}
        for node in stub.body:
            if isinstance(node, ast.ClassDef):
                declared[node.name] = {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
            elif isinstance(node, ast.FunctionDef):
                declared[node.name] = None
            elif isinstance(node, ast.AnnAssign):
                declared[node.target.id] = None
        present = {n for n in dir(_core) if not n.startswith("__") or n == "__version__"}
        self.assertEqual(present, set(declared))
        for name, members in declared.items():
            if members is not None:
                found = {m for m in dir(getattr(_core, name)) if not m.startswith("_")}
                self.assertEqual(found, members - {"__init__"}, name)

    def test_everything_public_has_a_docstring(self):
        for name in pleat.__all__:
            thing = getattr(pleat, name)
            self.assertTrue(inspect.getdoc(thing), name)
        for name, member in inspect.getmembers(pleat.Simulation):
            if not name.startswith("_") and name not in ("fps", "cloth_names"):
                self.assertTrue(inspect.getdoc(member), name)


if __name__ == "__main__":
    unittest.main()
