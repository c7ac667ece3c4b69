# SPDX-License-Identifier: Apache-2.0
# Copyright the Pleat authors
"""Every script of examples/python runs, and its own checks hold."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from scenes import ADAPTIVE, SOURCE, run_program

FOLDER = SOURCE / "examples/python"


def run_script(name, folder, *words):
    return subprocess.run([sys.executable, FOLDER / name, *words], cwd=folder, capture_output=True,
                          text=True, check=False)


class Examples(unittest.TestCase):
    def test_run_and_check_themselves(self):
        for path in sorted(FOLDER.glob("*.py")):
            with self.subTest(path.name), tempfile.TemporaryDirectory() as folder:
                words = []
                if path.name == "read_run.py":
                    run_program("run", ADAPTIVE, "--frames", 5, "-q", "-o", folder + "/run")
                    words = ["run"]
                done = run_script(path.name, folder, *words)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertGreater(len(done.stdout), 20)

    def test_the_readme_shows_the_script_as_it_is(self):
        shown = re.search(r"```python\n(.*?)```", (SOURCE / "README.md").read_text(), re.S).group(1)
        script = (FOLDER / "painted_sheet.py").read_text()
        self.assertIn(shown.strip(), script)


if __name__ == "__main__":
    unittest.main()
