#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Pleat authors
"""Checks docs/scene.schema.json with a validator: good scenes pass, broken ones do not; and that
docs/scene.md and docs/materials.md name every key and fabric.

  tests/scene/schema_test.py ROOT     exit 0 when all is well, 1 with one line a failure
"""
import copy
import json
import pathlib
import re
import sys

import jsonschema

# A string is matched first, so that a comment mark inside it is left alone.
STRING_OR_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.S)


def refuse(found):
    raise ValueError(found)


def once(pairs):
    """An object of these pairs, each key once."""
    return dict(pairs) if len(dict(pairs)) == len(pairs) else refuse(pairs)


def parse(text):
    text = STRING_OR_COMMENT.sub(lambda m: m.group(1) or " ", text)
    return json.loads(text, object_pairs_hook=once, parse_constant=refuse)


def read(path):
    return parse(path.read_text(encoding="utf-8"))


def change(scene, path, value):
    """The scene with the value at a path of keys and indices; REMOVE takes it away."""
    scene = copy.deepcopy(scene)
    at = scene
    for key in path[:-1]:
        at = at[key]
    if value is REMOVE:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return scene


REMOVE = object()

# What to break in everything/scene.json.
BROKEN = [
    (["pleat"], REMOVE),
    (["pleat"], 2),
    (["cloths"], REMOVE),
    (["cloths"], []),
    (["cloths"], {}),
    (["colour"], "red"),
    (["up"], "w"),
    (["fps"], -25),
    (["fps"], "fast"),
    (["substeps"], 0),
    (["substeps"], 2.5),
    (["frames"], -1),
    (["gravity"], [0, -9.8]),
    (["gravity"], -9.8),
    (["wind", "sped"], 3),
    (["wind", "density"], -1),
    (["cloths", 0, "mesh"], REMOVE),
    (["cloths", 0, "mesh"], ""),
    (["cloths", 0, "materail"], "denim"),
    (["cloths", 0, "material"], "denim"),
    (["cloths", 0, "materials"], REMOVE),
    (["cloths", 0, "materials"], []),
    (["cloths", 1, "material"], "steel wool"),
    (["cloths", 1, "material"], 7),
    (["cloths", 0, "strain_limits"], [0.9, 1.1]),
    (["cloths", 0, "strain_limits"], [-1, 1]),
    (["cloths", 0, "strain_limits"], [-0.1]),
    (["cloths", 0, "remeshing", "type"], "magic"),
    (["cloths", 0, "transform", "scale"], 0),
    (["cloths", 0, "transform", "turn"], [0, 0, 0, 1]),
    (["cloths", 0, "transform", "rotate"], [90, 1, 0]),
    (["cloths", 0, "transform", "quaternion"], [1, 0, 0, 0]),
    (["cloths", 0, "velocity", "spin"], [1, 0, 0]),
    (["cloths", 0, "materials", 0, "density"], REMOVE),
    (["cloths", 0, "materials", 0, "density"], 0),
    (["cloths", 0, "materials", 0, "densty"], 1),
    (["cloths", 0, "materials", 0, "membrane"], REMOVE),
    (["cloths", 0, "materials", 0, "membrane", "type"], "plate"),
    (["cloths", 0, "materials", 0, "membrane", "at_rest"], [1, 2, 3]),
    (["cloths", 0, "materials", 0, "membrane", "at_stretch"], [[1, 2, 3, 4]]),
    (["cloths", 0, "materials", 0, "bending", "stiffness"], 1),
    (["cloths", 0, "materials", 1, "membrane", "poisson"], 1),
    (["cloths", 0, "materials", 1, "bending", "thickness"], 0),
    (["cloths", 0, "materials", 2, "bending", "twist"], REMOVE),
    (["cloths", 0, "materials", 3, "bending", "rigidity"], 1),
    (["cloths", 0, "materials", 0, "thicken"], 0),
    (["obstacles", 0, "mesh"], REMOVE),
    (["obstacles", 0, "sequence"], {"files": "a%d.obj"}),
    (["obstacles", 0, "motion", 0, "time"], REMOVE),
    (["obstacles", 0, "motion", 0, "tiem"], 1),
    (["obstacles", 0, "friction"], -1),
    (["obstacles", 1, "motion"], [{"time": 0}]),
    (["obstacles", 1, "sequence", "files"], "body.obj"),
    (["obstacles", 1, "sequence", "fps"], 0),
    (["obstacles", 2, "motion", "file"], REMOVE),
    (["obstacles", 2, "motion", "body"], -1),
    (["handles", 0, "nodes"], REMOVE),
    (["handles", 0, "nodes"], []),
    (["handles", 0, "nodes"], [-1]),
    (["handles", 0, "label"], 2),
    (["handles", 0, "stiffness"], 0),
    (["handles", 1, "label"], 0),
    (["handles", 2, "box", "max"], REMOVE),
    (["handles"], [{"label": 1}] * 65),
    (["solver", "integrator"], "euler"),
    (["solver", "linear_solver"], "choleski"),
    (["solver", "newton_iterations"], 0),
    (["solver", "tolerance"], 1),
    (["contact", "type"], "magnets"),
    (["contact", "thickness"], 0),
    (["strain_limiting", "type"], "on"),
]

# Bad input that no schema can see: values that have to fit others, files, numbers that overflow.
BEYOND_A_SCHEMA = {
    "scenes/root3_curvature_above_default.json", "scenes/root3_curvature_falls.json",
    "scenes/quadrisection_cosines_fall.json",
    "scenes/buckling_areas_swapped.json", "scenes/camera_keys_decrease.json", "scenes/camera_near_beyond_far.json",
    "scenes/instance_name_twice.json", "scenes/instance_of_nobody.json",
    "scenes/friction_pair_obstacles.json",
    "scenes/friction_pair_unknown.json",
    "scenes/plane_normal_zero.json",
    "scenes/mesh_nul.json",
    "scenes/material_file_missing.json",
    "scenes/rotate_axis_zero.json",
    "scenes/obstacle_until_before_from.json",
    "scenes/same_name_twice.json",
    "scenes/motion_times_equal.json",
    "scenes/motion_times_decrease.json",
    "scenes/handle_unknown_cloth.json",
    "scenes/box_inside_out.json",
    "scenes/handle_until_zero.json",
    "materials/base_is_itself.json",
    "materials/base_missing.json",
    "materials/density_overflow.json",
    "materials/plate_coupling_large.json",
    "materials/scale_overflow.json",
}


def passing_bad_input(validator, folder):
    """Which scenes and materials of tests/bad_input that the reader refuses the schema lets pass."""
    passing = set()
    for line in (folder / "README.md").read_text(encoding="utf-8").splitlines():
        if not line.startswith(("| scenes/", "| materials/")) or not line.endswith("| reader |"):
            continue
        name = line.split()[1]
        try:
            found = read(folder / name)
        except (ValueError, RecursionError):
            continue
        if name.startswith("materials/"):
            found = {"pleat": 1, "cloths": [{"mesh": "a.obj", "material": found}]}
        if validator.is_valid(found):
            passing.add(name)
    return passing


def main():
    root = pathlib.Path(sys.argv[1])
    schema = read(root / "docs" / "scene.schema.json")
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    failures = []

    everything = root / "tests" / "scene" / "everything" / "scene.json"
    good = [everything, *sorted((root / "scenes").glob("*/scene.json"))]
    for path in good:
        for error in validator.iter_errors(read(path)):
            failures.append(f"{path}: {list(error.absolute_path)}: {error.message}")

    scene = read(everything)
    for path, value in BROKEN:
        if validator.is_valid(change(scene, path, value)):
            shown = "nothing" if value is REMOVE else json.dumps(value)[:60]
            failures.append(f"passes, but should not: {shown} at {path}")

    passing = passing_bad_input(validator, root / "tests" / "bad_input")
    for name in sorted(passing ^ BEYOND_A_SCHEMA):
        failures.append(f"tests/bad_input/{name}: " + (
            "passes, but should not" if name in passing else "is refused; take it off the list"))

    pages = {name: (root / "docs" / name).read_text(encoding="utf-8")
             for name in ("scene.md", "materials.md")}
    for name, page in pages.items():
        example = parse(re.search(r"```jsonc\n(.*?)```", page, re.S).group(1))
        if name == "materials.md":
            example = change(scene, ["cloths", 1, "material"], example)
        for error in validator.iter_errors(example):
            failures.append(f"docs/{name}: the example: {error.message}")
    for kind, body in [("scene", schema), *schema["$defs"].items()]:
        is_material = kind.startswith(("material", "membrane", "bending"))
        page = pages["materials.md" if is_material else "scene.md"]
        for key in body.get("properties", {}):
            if not re.search(r"[`.{\"]" + re.escape(key) + r"[`\"]", page):
                failures.append(f"{key!r} of a {kind} is not in the docs")
    for fabric in schema["$defs"]["fabric_name"]["enum"]:
        if f"`{fabric}`" not in pages["materials.md"]:
            failures.append(f"docs/materials.md: no {fabric}")

    for line in failures:
        print(line)
    print(f"schema_test: {len(good)} good scenes, {len(BROKEN)} broken ones, "
          f"{len(failures)} failure(s)")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
