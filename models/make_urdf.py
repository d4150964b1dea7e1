"""Writes the URDF of a model here from its MJCF, so that the two agree: `python make_urdf.py` (needs mujoco 4.0.0).

The MJCF is the source; the URDF has the same links, joints, inertias (compiled from the primitive shapes), limits, damping and collision
shapes. What URDF lacks is left out: floor, table and free box, actuators (their force limits become `effort`), armature, sensors, keyframes,
solver options. A capsule becomes a cylinder and two spheres. The equality between the fingers becomes a mimic joint.
"""

from pathlib import Path

import mujoco
import numpy as np

HERE = Path(__file__).resolve().parent
# Joint speed limits [rad/s], [m/s]; MJCF has none. Values of the machines whose dimensions were taken.
SPEED = {"joint1": 2.175, "joint2": 2.175, "joint3": 2.175, "joint4": 2.175, "joint5": 2.61, "joint6": 2.61,
         "joint7": 2.61, "finger_left": 0.2, "finger_right": 0.2, "abduction": 30.1, "hip": 30.1, "knee": 15.7}


def text(values):
    return " ".join(f"{float(v) + 0.0:.12g}" if abs(v) > 1e-15 else "0" for v in values)


def rpy(quat):
    """Roll, pitch, yaw (fixed axes) of a unit quaternion (w, x, y, z)."""
    m = np.zeros(9)
    mujoco.mju_quat2Mat(m, np.asarray(quat, float))
    m = m.reshape(3, 3)
    pitch = np.arctan2(-m[2, 0], np.hypot(m[0, 0], m[1, 0]))
    if np.hypot(m[0, 0], m[1, 0]) < 1e-9:
        return np.array([np.arctan2(-m[1, 2], m[1, 1]), pitch, 0.0])
    return np.array([np.arctan2(m[2, 1], m[2, 2]), pitch, np.arctan2(m[1, 0], m[0, 0])])


def origin(pos, quat):
    return f'<origin xyz="{text(pos)}" rpy="{text(rpy(quat))}"/>'


def shapes(model, geom):
    """[(origin, shape)] of a geom."""
    size, pos, quat = model.geom_size[geom], model.geom_pos[geom], model.geom_quat[geom]
    kind = mujoco.mjtGeom(model.geom_type[geom])
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        return [(origin(pos, [1, 0, 0, 0]), f'<sphere radius="{text(size[:1])}"/>')]
    if kind == mujoco.mjtGeom.mjGEOM_BOX:
        return [(origin(pos, quat), f'<box size="{text(2 * size)}"/>')]
    cylinder = (origin(pos, quat), f'<cylinder radius="{text(size[:1])}" length="{text([2 * size[1]])}"/>')
    if kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        return [cylinder]
    if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        axis = np.zeros(3)
        mujoco.mju_rotVecQuat(axis, np.array([0.0, 0.0, size[1]]), quat)
        sphere = f'<sphere radius="{text(size[:1])}"/>'
        return [cylinder, *((origin(pos + s * axis, [1, 0, 0, 0]), sphere) for s in (1, -1))]
    raise ValueError(f"geom {model.geom(geom).name}: no URDF shape for {kind}")


def convert(name, root, robot):
    model = mujoco.MjModel.from_xml_path(str(HERE / name / f"{name}.xml"))
    effort = {}
    for a in range(model.nu):
        effort[int(model.actuator_trnid[a, 0])] = model.actuator_forcerange[a, 1]
    lines = ['<?xml version="1.0"?>', f"<!-- Made from {name}.xml by make_urdf.py. -->", f'<robot name="{robot}">']
    root_id = model.body(root).id
    for b in range(1, model.nbody):
        chain = b
        while chain not in (0, root_id):
            chain = model.body_parentid[chain]
        if chain != root_id:
            continue
        link = model.body(b).name
        rotation = np.zeros(9)
        mujoco.mju_quat2Mat(rotation, model.body_iquat[b])
        rotation = rotation.reshape(3, 3)
        inertia = rotation @ np.diag(model.body_inertia[b]) @ rotation.T
        lines += [f'  <link name="{link}">', "    <inertial>", f"      {origin(model.body_ipos[b], [1, 0, 0, 0])}",
                  f'      <mass value="{text([model.body_mass[b]])}"/>']
        entries = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
        # Entries below 1e-12 of the largest are rounding of the frame change.
        clean = np.where(np.abs(inertia) < 1e-12 * np.abs(inertia).max(), 0.0, inertia)
        lines += ["      <inertia " + " ".join(f'{k}="{text([clean[ij]])}"' for k, ij in entries.items()) + "/>",
                  "    </inertial>"]
        for g in range(model.ngeom):
            if model.geom_bodyid[g] != b:
                continue
            for place, shape in shapes(model, g):
                for element in ("visual", "collision"):
                    lines.append(f"    <{element}>{place}<geometry>{shape}</geometry></{element}>")
        lines.append("  </link>")
        if b == root_id:
            continue
        parent = model.body(model.body_parentid[b]).name
        place = origin(model.body_pos[b], model.body_quat[b])
        if model.body_jntnum[b] == 0:
            lines += [f'  <joint name="{link}_fixed" type="fixed">', f'    <parent link="{parent}"/>',
                      f'    <child link="{link}"/>', f"    {place}", "  </joint>"]
            continue
        j = int(model.body_jntadr[b])
        joint = model.joint(j).name
        kind = "prismatic" if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_SLIDE else "revolute"
        assert np.allclose(model.jnt_pos[j], 0.0)
        low, high = model.jnt_range[j]
        speed = SPEED.get(joint, SPEED.get(joint.rsplit("_", 1)[-1]))
        limit = effort.get(j, 70.0)
        lines += [f'  <joint name="{joint}" type="{kind}">', f'    <parent link="{parent}"/>', f'    <child link="{link}"/>',
                  f"    {place}", f'    <axis xyz="{text(model.jnt_axis[j])}"/>',
                  f'    <limit lower="{text([low])}" upper="{text([high])}" effort="{text([limit])}" velocity="{speed}"/>',
                  f'    <dynamics damping="{text([model.dof_damping[model.jnt_dofadr[j]]])}" friction="0"/>']
        for e in range(model.neq):
            if model.eq_type[e] == mujoco.mjtEq.mjEQ_JOINT and model.eq_obj1id[e] == j:
                other = model.joint(int(model.eq_obj2id[e])).name
                offset, ratio = model.eq_data[e, 0], model.eq_data[e, 1]
                lines.append(f'    <mimic joint="{other}" multiplier="{text([ratio])}" offset="{text([offset])}"/>')
        lines.append("  </joint>")
    lines.append("</robot>")
    (HERE / name / f"{name}.urdf").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    convert("arm_gripper", "base", "arm_gripper")
    convert("quadruped", "base", "quadruped")
