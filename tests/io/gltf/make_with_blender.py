# SPDX-License-Identifier: Apache-2.0
# Copyright the Pleat authors
"""Makes blender_arm.glb: an arm of two bones, skinned, that bends by 90 degrees in a second, beside a
box that slides, and a camera that rises. Written by Blender's own exporter.

  blender -b --python tests/io/gltf/make_with_blender.py -- tests/io/gltf/blender_arm.glb
"""
import math
import sys

import bmesh
import bpy

bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.render.fps = 24
scene.frame_start, scene.frame_end = 0, 24

# An arm along z, 2 m long, with its elbow at 1 m.
armature = bpy.data.armatures.new("armature")
rig = bpy.data.objects.new("rig", armature)
scene.collection.objects.link(rig)
bpy.context.view_layer.objects.active = rig
bpy.ops.object.mode_set(mode="EDIT")
upper = armature.edit_bones.new("upper")
upper.head, upper.tail = (0, 0, 0), (0, 0, 1)
lower = armature.edit_bones.new("lower")
lower.head, lower.tail = (0, 0, 1), (0, 0, 2)
lower.parent, lower.use_connect = upper, True
bpy.ops.object.mode_set(mode="OBJECT")

mesh = bpy.data.meshes.new("arm")
shape = bmesh.new()
bmesh.ops.create_cone(shape, cap_ends=True, segments=12, radius1=0.1, radius2=0.1, depth=2)
bmesh.ops.translate(shape, verts=shape.verts, vec=(0, 0, 1))
ring = [e for e in shape.edges if abs(e.verts[0].co.z - e.verts[1].co.z) > 1]
bmesh.ops.subdivide_edges(shape, edges=ring, cuts=7)
shape.to_mesh(mesh)
arm = bpy.data.objects.new("arm", mesh)
scene.collection.objects.link(arm)
groups = {name: arm.vertex_groups.new(name=name) for name in ("upper", "lower")}
for v in mesh.vertices:
    share = min(max((v.co.z - 0.75) / 0.5, 0.0), 1.0)
    groups["upper"].add([v.index], 1 - share, "REPLACE")
    groups["lower"].add([v.index], share, "REPLACE")
arm.parent = rig
arm.modifiers.new("skin", "ARMATURE").object = rig

bone = rig.pose.bones["lower"]
bone.rotation_mode = "QUATERNION"
for frame, degrees in ((0, 0), (24, 90)):
    bone.rotation_quaternion = (math.cos(math.radians(degrees) / 2), math.sin(math.radians(degrees) / 2), 0, 0)
    bone.keyframe_insert("rotation_quaternion", frame=frame)

box_mesh = bpy.data.meshes.new("box")
shape = bmesh.new()
bmesh.ops.create_cube(shape, size=0.5)
shape.to_mesh(box_mesh)
box = bpy.data.objects.new("box", box_mesh)
scene.collection.objects.link(box)
for frame, x in ((0, 1), (24, 3)):
    box.location = (x, 0, 0)
    box.keyframe_insert("location", frame=frame)

camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
scene.collection.objects.link(camera)
camera.rotation_euler = (math.pi / 2, 0, 0)
for frame, z in ((0, 1), (24, 2)):
    camera.location = (0, -5, z)
    camera.keyframe_insert("location", frame=frame)

for o in (rig, box, camera):  # straight from key to key
    for curve in o.animation_data.action.fcurves:
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"

bpy.ops.export_scene.gltf(filepath=sys.argv[sys.argv.index("--") + 1], export_format="GLB", export_cameras=True,
                          export_nla_strips=False, export_yup=True)
