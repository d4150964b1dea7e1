"""Scenes in MuJoCo: the same bodies, poses and geometries, with contact parameters as near as MuJoCo has them.

MuJoCo's contact is a softened constraint, a_1 = (1 - d) a_0 - d (b v + K r), with a_0 the acceleration without contact. There is no
stiffness in N/m, no Hunt-Crossley dissipation and no regularised friction of given width, so the translation is:

    K, b    the direct form solref = (-stiffness, -damping) for a reference mass m_ref (the mean mass of the scene's bodies) at the stiffness k of
            a pair with the bin: omega^2 = k / m_ref, time constant tc = 1 / omega, stiffness = 1/tc^2, damping = 2/tc (critical; the
            dissipation d of the scene has no counterpart). As MuJoCo itself does for the ordinary form of solref, tc is at least
            2 h; at h = 10 ms that bound decides, so the contacts of the hard scene are softer there than the scene asks.
    d       constant impedance 0.95.
    mu      the scene's (MuJoCo takes the larger of two; all are equal here); elliptic cones, condim 3.
    filter  contype/conaffinity bits (boxes never meet boxes).

Solver: Newton, tolerance and iteration limit as by default, dense Jacobian (the sparse Newton of 4.0.0 has a known defect, issue 3767),
integrator implicitfast.
"""

import time

import mujoco
import numpy as np


def scene_xml(scene, dt, jacobian="dense"):
    """The MJCF text of a clutter-1 scene for a fixed step `dt` [s]."""
    object_material, bin_material = scene["materials"]["object"], scene["materials"]["bin"]
    k = object_material["stiffness"] * bin_material["stiffness"]
    k /= object_material["stiffness"] + bin_material["stiffness"]
    masses = [scene["kinds"][b["kind"]]["mass"] for b in scene["bodies"]]
    tc = max((float(np.mean(masses)) / k) ** 0.5, 2.0 * dt)
    mu = object_material["dynamic_friction"]

    def numbers(values):
        return " ".join(repr(float(v)) for v in values)

    def geom(g):
        size = [g["radius"]] if g["shape"] == "sphere" else g["half_extents"]
        bits = 'contype="1" conaffinity="3"' if g["shape"] == "sphere" else 'contype="2" conaffinity="0"'
        quat = f' quat="{numbers(g["quat_wxyz"])}"' if "quat_wxyz" in g else ""
        return f'<geom type="{g["shape"]}" size="{numbers(size)}" pos="{numbers(g["position"])}"{quat} {bits}/>'

    bodies = []
    for b in scene["bodies"]:
        kind = scene["kinds"][b["kind"]]
        bodies.append(
            f'<body name="{b["name"]}" pos="{numbers(b["position"])}" quat="{numbers(b["quat_wxyz"])}"><freejoint/>'
            f'<inertial pos="0 0 0" mass="{kind["mass"]!r}" diaginertia="{numbers(kind["inertia_diagonal"])}"/>'
            + "".join(geom(g) for g in kind["geometries"])
            + "</body>"
        )
    return f"""<mujoco model="{scene["name"]}">
<option timestep="{dt!r}" gravity="{numbers(scene["gravity"])}" cone="elliptic" jacobian="{jacobian}" integrator="implicitfast"/>
<default><geom solref="{-1.0 / tc**2!r} {-2.0 / tc!r}" solimp="0.95 0.95 0.001 0.5 2" friction="{mu!r} 0 0" condim="3"/></default>
<worldbody>{"".join(geom(g) for g in scene["fixed"])}{"".join(bodies)}</worldbody>
</mujoco>"""


def initialise(model, data, scene):
    """Initial velocities of a clutter-1 scene (poses are those of the model)."""
    mujoco.mj_resetData(model, data)
    for i, b in enumerate(scene["bodies"]):
        rotation = np.zeros(9)
        mujoco.mju_quat2Mat(rotation, np.array(b["quat_wxyz"]))
        data.qvel[6 * i : 6 * i + 3] = b["linear_velocity"]
        data.qvel[6 * i + 3 : 6 * i + 6] = rotation.reshape(3, 3).T @ np.array(b["angular_velocity"])


def run(model, reset, duration, repeats):
    """Times `repeats` runs of the whole interval in one call of the native stepping loop, then counts in an untimed one."""
    data = mujoco.MjData(model)
    steps = round(duration / model.opt.timestep)
    walls, cpus = [], []
    for _ in range(repeats):
        reset(data)
        start, cpu = time.perf_counter(), time.process_time()
        mujoco.mj_step(model, data, nstep=steps)
        walls.append(time.perf_counter() - start)
        cpus.append(time.process_time() - cpu)
    reset(data)
    iterations, deepest = 0, 0.0
    for _ in range(steps):
        mujoco.mj_step(model, data)
        islands = max(1, data.nisland)
        iterations += int(sum(data.solver_niter[: min(islands, len(data.solver_niter))]))
        if data.ncon:
            deepest = max(deepest, -float(data.contact.dist.min()))
    return walls, {
        "steps": steps,
        "rejected": 0,
        "newton_iterations": iterations,
        "max_penetration": deepest,
        "cpu_min_s": min(cpus),
        "warnings": int(sum(w.number for w in data.warning)),
    }, data
