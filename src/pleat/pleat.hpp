// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The public interface of Pleat in one header.
//
//   Simulator           runs a scene: from a scene file, or from arrays (ArrayScene)
//   ObjectMesh          a cloth or an obstacle of a frame, read back as arrays
//   audit()             intersections, smallest gap and largest strains of such meshes
//   Load                a load of your own (SimulatorOptions::loads)
//   SizingMetric        a reason of your own to refine the mesh (SimulatorOptions::sizing)
//   remesh_surface()    a triangle mesh and a metric in, a mesh that fits the metric out
//   BakeMesh            frames of an adaptive cloth on a mesh that stays the same
//   fabric()            a shipped fabric by name; Material: one of your own
//   InputError          bad input, with all that is wrong; FileError: the system refused
//
// All lengths are metres, times seconds, masses kilograms. A vert is a point of the flat material,
// a node a point in space; verts that are sewn together share a node.
#pragma once

#include "pleat/api/array_scene.hpp"
#include "pleat/api/bake.hpp"
#include "pleat/api/remesh_surface.hpp"
#include "pleat/api/simulator.hpp"
#include "pleat/core/error.hpp"
#include "pleat/core/log.hpp"
#include "pleat/core/vec.hpp"
#include "pleat/export/obj_writer.hpp"
#include "pleat/loads/load.hpp"
#include "pleat/remeshing/sizing_metric.hpp"
#include "pleat/scene/material_file.hpp"
#include "pleat/sim/audit.hpp"
