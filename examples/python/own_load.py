# SPDX-License-Identifier: Apache-2.0
# Copyright the Pleat authors
"""A load of your own: air that turns about the z axis lifts and spins a hanging sheet."""
import numpy as np
import pleat

n = 12
side = np.linspace(0, 1, n + 1)
u = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
a = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).ravel()
faces = np.concatenate([np.stack([a, a + 1, a + n + 2], 1), np.stack([a, a + n + 2, a + n + 1], 1)])
scene = {
    "pleat": 1, "gravity": [0, 0, -9.81], "contact": {"type": "none"},
    "cloths": [{"name": "sheet", "material": "gray-interlock",
                "mesh": {"x": np.column_stack([u[:, 0], 0 * u[:, 0], u[:, 1]]), "u": u, "faces": faces}}],
    "handles": [{"cloth": "sheet", "nodes": list(range(n * (n + 1), (n + 1)**2))}],  # the upper edge
}


def whirl(cloth):
    """Drag of the air on each node, and by how much it falls when the node moves faster."""
    air = 4 * np.stack([-cloth.x[:, 1], cloth.x[:, 0], 0 * cloth.x[:, 0]], axis=1)
    drag = 5 * cloth.mass
    return drag[:, None] * (air - cloth.v), drag


sim = pleat.Simulation(scene, loads=whirl)
for _ in range(20):
    sim.frame()
spin = (sim.x[:, 0] * sim.v[:, 1] - sim.x[:, 1] * sim.v[:, 0]) @ sim.mass
print(f"after {sim.time:.1f} s: largest deflection {sim.x[:, 1].max():.3f} m, angular momentum {spin:.4f} kg m^2/s")
assert sim.x[:, 1].max() > 0.1
