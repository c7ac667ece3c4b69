#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Pleat authors
"""Installs the build into a folder of its own, builds every example against the installed package
and runs it. Then another project takes Pleat in with add_subdirectory().

  examples_test.py BUILD      of a static or shared library (PLEAT_SHARED)
"""
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*command, cwd=None):
    done = subprocess.run([str(c) for c in command], cwd=cwd, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n"
                 f"{done.stdout}{done.stderr}")
    return done.stdout


def check(condition, what):
    if not condition:
        sys.exit(f"examples_test: {what}")


def configure(source, build, *settings):
    run("cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
        "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *settings)


def flags_of(build, source_name):
    commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    return [c["command"] for c in commands if c["file"].endswith(source_name)][0]


def check_flags(command):
    for flag in ["-march", "-Wconversion", "-Wshadow", "-fsanitize", "-ffp-contract", "-Werror"]:
        check(flag not in command, f"{flag} reaches the user's code: {command}")


def installed(build, temporary):
    prefix = temporary / "prefix"
    run("cmake", "--install", build, "--prefix", prefix)
    program = next(prefix.glob("bin/pleat"))
    version = re.search(r"project\(pleat VERSION ([0-9.]+)",
                        (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
    check(run(program, "--version").strip() == f"pleat {version}", "the program's version")
    for path in ["include/pleat/pleat.hpp", "share/man/man1/pleat.1",
                 "share/bash-completion/completions/pleat", "share/zsh/site-functions/_pleat"]:
        check((prefix / path).exists(), f"{path} is not installed")
    shared = "PLEAT_SHARED:BOOL=ON" in (build / "CMakeCache.txt").read_text(encoding="utf-8")
    found = sorted(f.name for f in prefix.glob("lib*/**/libpleat.*"))
    short = ".".join(version.split(".")[:2])
    expected = ["libpleat.so", f"libpleat.so.{short}", f"libpleat.so.{version}"] if shared else ["libpleat.a"]
    check(found == expected, f"installed libraries {found}, expected {expected}")
    return prefix


def build_and_run_examples(prefix, temporary):
    """\\return what each printed"""
    build = temporary / "examples"
    configure(ROOT / "examples", build, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", build)
    check_flags(flags_of(build, "hello_cloth/main.cpp"))
    printed = {}
    for source in sorted((ROOT / "examples").glob("*/main.cpp")):
        name = source.parent.name
        check((source.parent / "CMakeLists.txt").exists(), f"{name} has no CMakeLists.txt")
        printed[name] = run(build / name / name, cwd=temporary)
    return printed


def pleat_lines(prefix, user, *flags):
    """What the preprocessor leaves of Pleat's own headers."""
    text = run("c++", "-std=c++20", "-E", f"-I{prefix}/include", *flags, user)
    lines, is_ours = [], False
    for line in text.splitlines():
        if marker := re.match(r'# \d+ "([^"]*)"', line):
            is_ours = "/include/pleat/" in marker.group(1)
        elif is_ours:
            lines.append(line)
    return lines


def check_public_header(prefix, temporary):
    """Code that includes it may have other flags than the library: what it shows must not depend on
    them, and give no warnings."""
    user = temporary / "user.cpp"
    user.write_text("#include <pleat/pleat.hpp>\nint main() {}\n", encoding="utf-8")
    lines = pleat_lines(prefix, user)
    check(len(lines) > 1000, "the preprocessor found no headers")
    for line in lines:
        check(not re.search(r"vector_size|__m\d+|alignas", line), f"pleat.hpp shows: {line}")
    if platform.machine() == "x86_64":
        check(pleat_lines(prefix, user, "-march=x86-64-v3") == lines, "pleat.hpp depends on -march")
    run("c++", "-std=c++20", f"-I{prefix}/include", "-fsyntax-only", "-Wall", "-Wextra", "-Wshadow",
        "-Wconversion", "-Werror", user)


def take_in(temporary):
    """add_subdirectory(): configured only, since building it is building Pleat once more."""
    project, build = temporary / "project", temporary / "project-build"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22)\n"
        "project(taker LANGUAGES CXX)\n"
        f'add_subdirectory("{ROOT}" pleat)\n'
        "add_executable(taker main.cpp)\n"
        "target_link_libraries(taker PRIVATE pleat::pleat)\n", encoding="utf-8")
    (project / "main.cpp").write_text("#include <pleat/pleat.hpp>\nint main() {}\n",
                                      encoding="utf-8")
    configure(project, build)
    check_flags(flags_of(build, "project/main.cpp"))
    targets = run("cmake", "--build", build, "--target", "help")
    for unwanted in ["test_core", "bench_contact", "pleat: phony"]:
        check(unwanted not in targets, f"add_subdirectory() builds {unwanted}")
    run("cmake", "--install", build, "--prefix", temporary / "none")
    check(not (temporary / "none" / "include").exists(), "add_subdirectory() installs headers")


def main():
    build = pathlib.Path(sys.argv[1])
    os.environ.pop("CMAKE_PREFIX_PATH", None)
    with tempfile.TemporaryDirectory(prefix="pleat-examples-") as folder:
        temporary = pathlib.Path(folder)
        prefix = installed(build, temporary)
        printed = build_and_run_examples(prefix, temporary)
        check("0 intersections" in printed["hello_cloth"], printed["hello_cloth"])
        check((temporary / "hello_cloth/frames/00025_sheet.obj").exists(), "hello_cloth's frame")
        check_public_header(prefix, temporary)
        take_in(temporary)
    print(f"examples_test: {len(printed)} examples built and ran")


if __name__ == "__main__":
    main()
