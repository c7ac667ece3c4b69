# SPDX-License-Identifier: Apache-2.0
# Copyright the Pleat authors
"""Imports exported files into Blender and compares them with FOLDER/expected.json.

blender --background --python check_blender.py -- FOLDER [PICTURE]
"""
import json
import math
import sys

import bpy
import mathutils
import numpy as np

if not hasattr(np, "bool"):
    np.bool = bool  # the glTF add-on of Blender 3.4 needs it; NumPy 1.24, which Debian has, lost it

words = sys.argv[sys.argv.index("--") + 1:]
folder, picture = words[0], words[1] if len(words) > 1 else None
data = json.load(open(folder + "/expected.json"))
expected = {int(k): v for k, v in data["frames"].items()}
last = max(expected)


def clear():
    bpy.ops.wm.read_factory_settings(use_empty=True)


def imported(name):
    for o in bpy.data.objects:
        if o.type == "MESH" and name in o.name:
            return o
    raise AssertionError(f"no {name} among {[o.name for o in bpy.data.objects]}")


def evaluated(o):
    return o.evaluated_get(bpy.context.evaluated_depsgraph_get()).data


def points(mesh):
    x = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", x)
    return x.reshape(-1, 3)


def check_usd(path, counts):
    clear()
    bpy.ops.wm.usd_import(filepath=path)
    scene = bpy.context.scene
    assert (scene.frame_start, scene.frame_end) == (0, last), (scene.frame_start, scene.frame_end)
    sheet = imported("sheet")
    for frame in sorted(expected):
        scene.frame_set(frame)
        mesh = evaluated(sheet)
        assert (len(mesh.vertices), len(mesh.polygons)) == counts(frame), frame
        yield frame, mesh


def check_run():
    for frame, mesh in check_usd(folder + "/run/run.usda",
                                 lambda f: (expected[f]["nodes"], expected[f]["faces"])):
        np.testing.assert_allclose(points(mesh).sum(axis=0), expected[frame]["x_sum"], rtol=1e-4, atol=1e-3)
        assert mesh.uv_layers, "material coordinates"
        velocity = mesh.attributes.get("velocity")
        assert velocity is not None and len(velocity.data) == len(mesh.vertices), "velocities"
        v = np.empty(3 * len(mesh.vertices), np.float32)
        velocity.data.foreach_get("vector", v)
        speed = float(np.linalg.norm(v.reshape(-1, 3), axis=1).max())
        # Blender keeps velocities per second or per frame, by version.
        assert min(abs(speed - expected[frame]["speed"]),
                   abs(25 * speed - expected[frame]["speed"])) < 1e-3 * (1 + speed), (speed, expected[frame])
    print(f"check: Blender {bpy.app.version_string} read {len(expected)} frames of USD with velocities")


def check_fixed():
    count = None
    for _, mesh in check_usd(folder + "/bake/run.usda",
                             lambda f: (len(evaluated(imported("sheet")).vertices),
                                        len(evaluated(imported("sheet")).polygons))):
        count = count or len(mesh.vertices)
        assert len(mesh.vertices) == count == data["bake"]["points"]
    print("check: Blender read USD of constant topology")


def check_files():
    clear()
    bpy.ops.import_mesh.ply(filepath=f"{folder}/run/frames/{last:05d}_sheet.ply")
    assert len(imported("sheet").data.polygons) == expected[last]["faces"]
    clear()
    bpy.ops.import_scene.gltf(filepath=f"{folder}/run/frames/{last:05d}_sheet.glb")
    mesh = imported("sheet").data
    assert (len(mesh.vertices), len(mesh.polygons)) == (expected[last]["verts"], expected[last]["faces"])
    clear()
    bpy.ops.import_scene.gltf(filepath=f"{folder}/bake/sheet.glb")
    assert len(imported("sheet").data.shape_keys.key_blocks) == len(expected) + 1
    print("check: Blender read PLY, glb and glb with morph targets")


def check_caches():
    for kind in ("PC2", "MDD"):
        clear()
        bpy.ops.wm.obj_import(filepath=folder + "/bake/sheet.obj", forward_axis="Y", up_axis="Z")
        sheet = imported("sheet")
        assert len(sheet.data.vertices) == data["bake"]["points"]
        cache = sheet.modifiers.new("cache", "MESH_CACHE")
        cache.cache_format = kind
        cache.filepath = f"{folder}/bake/sheet.{kind.lower()}"
        cache.frame_start = 0
        bpy.context.scene.render.fps = 25
        bpy.context.scene.frame_set(last)
        got = points(evaluated(sheet))
        np.testing.assert_allclose(got, data["bake"]["last"], atol=1e-4)
    print("check: Blender read PC2 and MDD")


def add_velocities(o, path):
    """Gives an imported PLY mesh the velocities of the file, as Cycles wants them."""
    with open(path, "rb") as file:
        names, count = [], 0
        for line in iter(file.readline, b"end_header\n"):
            words = line.decode().split()
            if words[:2] == ["element", "vertex"]:
                count = int(words[2])
            elif words[0] == "property" and words[1] != "list":
                names.append((words[2], {"double": "<f8", "int": "<i4"}[words[1]]))
        rows = np.frombuffer(file.read(count * np.dtype(names).itemsize), names)
    mesh = o.data
    assert len(mesh.vertices) == count
    v = np.stack([rows["vx"], rows["vy"], rows["vz"]], axis=1).astype(np.float32)
    attribute = mesh.attributes.new("velocity", "FLOAT_VECTOR", "POINT")
    attribute.data.foreach_set("vector", v.ravel())  # per second; the scene says how many frames
    return float(np.linalg.norm(v, axis=1).max())


def make_picture():
    clear()
    for name in ("sheet", "ball"):
        path = f"{folder}/run/frames/{last:05d}_{name}.ply"
        bpy.ops.import_mesh.ply(filepath=path)
        speed = add_velocities(imported(name), path)
        print(f"check: {name} with velocities up to {speed:.2f} m/s")
    bpy.context.scene.frame_set(last)
    scene = bpy.context.scene
    scene.render.fps = 25
    scene.render.engine = "CYCLES"
    scene.cycles.samples = 48
    scene.cycles.use_denoising = False
    scene.render.use_motion_blur = True
    scene.render.motion_blur_shutter = 0.8
    scene.render.resolution_x, scene.render.resolution_y = 800, 600
    for i, (name, colour) in enumerate({"sheet": (0.5, 0.03, 0.03, 1), "ball": (0.25, 0.3, 0.4, 1)}.items()):
        material = bpy.data.materials.new(name)
        material.use_nodes = True
        material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = colour
        mesh = imported(name)
        mesh.data.materials.clear()
        mesh.data.materials.append(material)
    world = bpy.data.worlds.new("world")
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.35, 0.38, 0.42, 1)
    scene.world = world
    light = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    light.data.energy = 1.5
    light.rotation_euler = (math.radians(40), math.radians(20), 0)
    scene.collection.objects.link(light)
    scene.frame_set(last)
    sheet = imported("sheet")
    x = points(evaluated(sheet))
    centre = mathutils.Vector((x.max(axis=0) + x.min(axis=0)) / 2)
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.location = centre + mathutils.Vector((1.7, 1.2, 0.5))
    camera.rotation_euler = (centre - camera.location).to_track_quat("-Z", "Y").to_euler()
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.render.filepath = picture
    bpy.ops.render.render(write_still=True)


if "usd_import" in dir(bpy.ops.wm):
    check_run()
    check_fixed()
else:
    print(f"check: Blender {bpy.app.version_string} of this machine is built without USD: skipped")
check_files()
check_caches()
if picture:
    make_picture()
with open(folder + "/blender", "w") as file:
    file.write("done")
