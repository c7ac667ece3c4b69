# SPDX-License-Identifier: Apache-2.0
# Copyright the Pleat authors
"""Reads .vtp files with VTK and compares them with FOLDER/expected.json."""
import json
import sys
import xml.etree.ElementTree as xml

import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader

folder = sys.argv[1]
expected = json.load(open(folder + "/expected.json"))["frames"]
entries = [e.attrib for e in xml.parse(folder + "/run/run.pvd").iter("DataSet")]
assert len(entries) == 2 * len(expected), len(entries)
for entry in entries:
    reader = vtkXMLPolyDataReader()
    reader.SetFileName(f"{folder}/run/{entry['file']}")
    reader.Update()
    mesh = reader.GetOutput()
    velocity = vtk_to_numpy(mesh.GetPointData().GetVectors())
    assert velocity.shape == (mesh.GetNumberOfPoints(), 3)
    if entry["name"] != "sheet":
        continue
    want = expected[str(round(float(entry["timestep"]) * 25))]
    assert (mesh.GetNumberOfPoints(), mesh.GetNumberOfPolys()) == (want["verts"], want["faces"])
    points = vtk_to_numpy(mesh.GetPoints().GetData())
    np.testing.assert_allclose(points.sum(axis=0), want["vert_x_sum"], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(velocity, axis=1).max(), want["speed"], rtol=1e-5)
    strain = vtk_to_numpy(mesh.GetCellData().GetArray("strain"))
    np.testing.assert_allclose(strain.max(), want["stretch"], rtol=1e-4, atol=1e-6)
    assert mesh.GetPointData().GetTCoords().GetNumberOfComponents() == 2
print(f"check: VTK read {len(entries)} .vtp files")
