#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Pleat authors
"""Runs a test of the page with node; with --browser it makes sure of chromium and playwright-core first.

  run_node.py [--browser] BUILD_FOLDER TEST.mjs PLEAT

playwright-core is one archive without dependencies: it is fetched once from npm's registry into the
build folder and checked. Where node, the browser or the archive cannot be had, the exit code is 77
(skipped), with the reason.
"""
import base64
import hashlib
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import urllib.request

VERSION = "1.60.0"
ADDRESS = f"https://registry.npmjs.org/playwright-core/-/playwright-core-{VERSION}.tgz"
SHA512 = "9bW6zvX/m0lEbgTKJ6YppOKx8H3VOPBMOCFh2irXFOT4BbHgrx5hPjwJYLT40Lu+4qtD36qKc/Hn56StUW57IA=="


def skip(reason):
    print(f"SKIPPED: {reason}")
    sys.exit(77)


def playwright(build):
    """The folder of playwright-core, fetched where it is not there yet."""
    folder = build / f"playwright-core-{VERSION}"
    if (folder / "package" / "index.mjs").exists():
        return folder / "package"
    try:
        with urllib.request.urlopen(ADDRESS, timeout=60) as answer:
            archive = answer.read()
    except OSError as error:
        skip(f"playwright-core cannot be fetched from npm's registry ({error})")
    if base64.b64encode(hashlib.sha512(archive).digest()).decode() != SHA512:
        sys.exit(f"{ADDRESS} is not what was expected: its SHA-512 differs")
    part = build / f"playwright-core-{VERSION}.{os.getpid()}"
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        tar.extractall(part)
    try:
        part.rename(folder)
    except OSError:  # another test was quicker
        shutil.rmtree(part)
    return folder / "package"


def main():
    arguments = sys.argv[1:]
    browser = arguments[0] == "--browser"
    if browser:
        arguments.pop(0)
    build, test, *rest = arguments
    node = shutil.which("node") or shutil.which("nodejs")
    if not node:
        skip("there is no node (apt-get install nodejs)")
    environment = dict(os.environ)
    if browser:
        chromium = os.environ.get("PLEAT_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
        if not chromium:
            skip("there is no chromium (apt-get install chromium)")
        environment["PLEAT_CHROMIUM"] = chromium
        environment["PLEAT_PLAYWRIGHT"] = str(playwright(pathlib.Path(build)))
    sys.exit(subprocess.run([node, test, *rest], env=environment, check=False).returncode)


if __name__ == "__main__":
    main()
