#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Pleat authors
"""The man page and the completions name the commands and options of the program, and no others.

  command_line_test.py PROGRAM
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def of_program(program):
    """{verb: its long options}, as the program tells them."""
    text = subprocess.run([program, "--help-all"], check=True, capture_output=True, text=True).stdout
    verbs, verb = {}, None
    for line in text[text.index("Subcommands:"):].splitlines()[1:]:
        if re.match(r"[a-z]", line):
            verb = line.strip()
            verbs[verb] = set()
        elif match := re.match(r"    (-\S+)", line):
            names = re.sub(r"\{.*?\}", "", match.group(1)).split(",")
            verbs[verb] |= {name for name in names if name.startswith("--")}
    return verbs


def of_man_page():
    text = (ROOT / "man/pleat.1").read_text(encoding="utf-8")
    text = re.sub(r"\\f.", " ", text).replace("\\-", "-")
    verbs = {}
    section = text[text.index(".SH COMMANDS"):text.index(".SH EXIT STATUS")]
    for part in section.split(".SS ")[1:]:
        verb = part.split()[0]
        # Its own options stand behind a macro; words in sentences do not count.
        lines = [line for line in part.splitlines() if re.match(r"\.(B|BI|BR) ", line)]
        words = re.findall(r"(?<![\w-])--[a-z0-9-]*[a-z0-9]", " ".join(lines))
        verbs[verb] = set(words)
    return verbs


def of_table(path, entry):
    text = (ROOT / path).read_text(encoding="utf-8")
    return {verb: set(words.split()) for verb, words in re.findall(entry, text, re.S)}


def main():
    program = of_program(sys.argv[1])
    assert len(program) >= 10, program
    found = {
        "man/pleat.1": of_man_page(),
        "completions/pleat.bash": of_table("completions/pleat.bash", r'\[(\w+)\]="(.*?)"'),
        "completions/_pleat": of_table("completions/_pleat", r'\n        (\w+) "(.*?)"'),
    }
    problems = []
    for path, verbs in found.items():
        if "view" not in program:
            verbs.pop("view", None)  # builds without the viewer
        for verb in sorted(program.keys() ^ verbs.keys()):
            problems.append(f"{path}: command {verb} is {'missing' if verb in program else 'unknown'}")
        for verb in sorted(program.keys() & verbs.keys()):
            for option in sorted(program[verb] ^ verbs[verb]):
                state = "missing" if option in program[verb] else "unknown"
                problems.append(f"{path}: {verb} {option} is {state}")
    print("\n".join(problems) or f"command_line_test: {len(program)} commands agree")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
