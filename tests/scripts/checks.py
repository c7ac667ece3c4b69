# SPDX-License-Identifier: Apache-2.0
# Copyright the Pleat authors
"""For tests of the check_* scripts."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(script, root):
    """Exit code and output of a script of the repository for another root."""
    done = subprocess.run([sys.executable, str(ROOT / "scripts" / script), str(root)],
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def expect(condition, text):
    if not condition:
        print("FAILED:", text)
        sys.exit(1)
