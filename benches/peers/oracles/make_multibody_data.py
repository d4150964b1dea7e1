"""Writes multibody/tests/data/mujoco_*.json: numbers of MuJoCo 4.0.0 that the multibody crate is tested against.

    ../.venv/bin/python make_multibody_data.py

States are drawn from a seeded generator: joint positions uniform in their range (cut to +-1.5 rad, +-0.3 m when unlimited), free and ball
joints with uniform rotation, velocities normal (slides times 0.3), controls uniform in 1.5 times the control range (so that clamping is seen),
activations uniform. Contacts, and for most topics all constraints, are disabled (`"disabled"` in each file). Dense Jacobian.
"""

import json
from pathlib import Path

import cases
import file_cases
import mujoco
import numpy as np

ROOT = Path(__file__).resolve().parents[3]
OUT = ROOT / "multibody" / "tests" / "data"
FREE, BALL, SLIDE = (int(k) for k in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL, mujoco.mjtJoint.mjJNT_SLIDE))
EQUALITY = int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)


def load(case):
    """(model, the entry of the case that names its source)."""
    for key in ("xml", "urdf"):
        if key in case:
            return mujoco.MjModel.from_xml_string(case[key]), {key: case[key]}
    return mujoco.MjModel.from_xml_path(str(ROOT / case["model"])), {"model": case["model"]}


def rows(matrix):
    return [[float(x) + 0.0 for x in row] for row in np.atleast_2d(matrix)] if np.size(matrix) else []


def flat(vector):
    return [float(x) + 0.0 for x in np.ravel(vector)]


def sparse_rows(values, nnz, adr, col, shape):
    """Dense rows of a compressed row matrix."""
    dense = np.zeros(shape)
    for i in range(shape[0]):
        for k in range(nnz[i]):
            dense[i, col[adr[i] + k]] = values[adr[i] + k]
    return dense


def tendon_jacobian(m, d):
    return sparse_rows(d.ten_J, m.ten_J_rownnz, m.ten_J_rowadr, m.ten_J_colind, (m.ntendon, m.nv))


def actuator_moment(m, d):
    return sparse_rows(d.actuator_moment, d.moment_rownnz, d.moment_rowadr, d.moment_colind, (m.nu, m.nv))


def random_state(m, d, rng):
    """Fills qpos, qvel, ctrl, act."""
    mujoco.mj_resetData(m, d)
    for j in range(m.njnt):
        a, v, kind = m.jnt_qposadr[j], m.jnt_dofadr[j], int(m.jnt_type[j])
        if kind in (FREE, BALL):
            quat = rng.normal(size=4)
            quat /= np.linalg.norm(quat)
            if kind == FREE:
                d.qpos[a : a + 3] = rng.uniform(-0.5, 0.5, 3)
                d.qpos[a + 3 : a + 7] = quat
                d.qvel[v : v + 6] = rng.normal(size=6)
            else:
                d.qpos[a : a + 4] = quat
                d.qvel[v : v + 3] = rng.normal(size=3)
            continue
        slide = kind == SLIDE
        bound = 0.3 if slide else 1.5
        low, high = m.jnt_range[j] if m.jnt_limited[j] else (-bound, bound)
        d.qpos[a] = rng.uniform(max(low, m.qpos0[a] - bound), min(high, m.qpos0[a] + bound))
        d.qvel[v] = rng.normal() * (0.3 if slide else 1.0)
    for i in range(m.nu):
        low, high = m.actuator_ctrlrange[i] if m.actuator_ctrllimited[i] else (-1.0, 1.0)
        low, high = max(low, -1e3), min(high, 1e3)
        mid, half = (low + high) / 2, (high - low) / 2
        d.ctrl[i] = mid + 1.5 * half * rng.uniform(-1, 1)
    d.act[:] = rng.uniform(-1, 1, m.na)


def state(m, d):
    entry = {"qpos": flat(d.qpos), "qvel": flat(d.qvel)}
    if m.nu:
        entry["ctrl"] = flat(d.ctrl)
    if m.na:
        entry["act"] = flat(d.act)
    return entry


def expect_actuators(m, d):
    out = {
        "actuator_length": flat(d.actuator_length),
        "actuator_velocity": flat(d.actuator_velocity),
        "actuator_moment": rows(actuator_moment(m, d)),
        "actuator_force": flat(d.actuator_force),
        "qfrc_actuator": flat(d.qfrc_actuator),
    }
    if m.na:
        out["act_dot"] = flat(d.act_dot)
    return out


def expect_tendons(m, d):
    return {
        # Points of each path: two more per geometry that is touched.
        "path_points": [int(n) for n in d.ten_wrapnum],
        "ten_length": flat(d.ten_length),
        "ten_velocity": flat(d.ten_velocity),
        "ten_J": rows(tendon_jacobian(m, d)),
        "qfrc_spring": flat(d.qfrc_spring),
        "qfrc_damper": flat(d.qfrc_damper),
    }


def expect_passive(_m, d):
    names = ("qfrc_spring", "qfrc_damper", "qfrc_gravcomp", "qfrc_passive", "qfrc_actuator", "qfrc_bias")
    return {k: flat(getattr(d, k)) for k in names}


def expect_sensors(m, d):
    return {
        "qacc": flat(d.qacc),
        "qfrc_actuator": flat(d.qfrc_actuator),
        "sensors": {m.sensor(i).name: flat(d.sensor(m.sensor(i).name).data) for i in range(m.nsensor)},
    }


def expect_dynamics(m, d):
    full = np.zeros((m.nv, m.nv))
    mujoco.mj_fullM(m, d, full)
    return {
        "mass_matrix": rows(full),
        "qfrc_bias": flat(d.qfrc_bias),
        "qfrc_passive": flat(d.qfrc_passive),
        "qfrc_actuator": flat(d.qfrc_actuator),
        "qacc_smooth": flat(d.qacc_smooth),
        "xpos": rows(d.xpos[1:]),
        "xquat": rows(d.xquat[1:]),
        "xipos": rows(d.xipos[1:]),
        "geom_xpos": rows(d.geom_xpos),
        "geom_xmat": rows(d.geom_xmat),
    }


def expect_files(m, d):
    full = np.zeros((m.nv, m.nv))
    mujoco.mj_fullM(m, d, full)
    keys = ("qfrc_bias", "qfrc_passive", "qfrc_actuator", "qacc_smooth", "actuator_length", "actuator_velocity", "actuator_force")
    out = {"mass_matrix": rows(full)} | {k: flat(getattr(d, k)) for k in keys}
    return out | {"energy": flat(d.energy)} | ({"act_dot": flat(d.act_dot)} if m.na else {})


def expect_equality(m, d):
    out = {}
    jacobian = np.reshape(d.efc_J, (d.nefc, m.nv)) if d.nefc else np.zeros((0, m.nv))
    for e in range(m.neq):
        pick = [i for i in range(d.nefc) if d.efc_type[i] == EQUALITY and d.efc_id[i] == e]
        out[m.equality(e).name] = {
            "position": flat(d.efc_pos[pick]),
            "jacobian": rows(jacobian[pick]),
            "velocity": flat(d.efc_vel[pick]),
        }
    return {"equalities": out}


def expect_kinematics(_m, d):
    keys = ("xpos", "xquat", "xipos")
    return {k: rows(getattr(d, k)[1:]) for k in keys} | {
        "geom_xpos": rows(d.geom_xpos), "geom_xmat": rows(d.geom_xmat), "site_xpos": rows(d.site_xpos),
        "site_xmat": rows(d.site_xmat)}


def model_actuators(m):
    return {
        "actuators": {
            m.actuator(i).name: {
                "gear": flat(m.actuator_gear[i]),
                "gainprm": flat(m.actuator_gainprm[i, :3]),
                "biasprm": flat(m.actuator_biasprm[i, :3]),
                "dynprm": flat(m.actuator_dynprm[i, :1]),
                "ctrlrange": flat(m.actuator_ctrlrange[i]) if m.actuator_ctrllimited[i] else None,
                "forcerange": flat(m.actuator_forcerange[i]) if m.actuator_forcelimited[i] else None,
                "actrange": flat(m.actuator_actrange[i]) if m.actuator_actlimited[i] else None,
            }
            for i in range(m.nu)
        }
    }


def model_tendons(m):
    return {"tendons": {m.tendon(i).name: {"length0": float(m.tendon_length0[i]),
                                           "springlength": flat(m.tendon_lengthspring[i])}
                        for i in range(m.ntendon)}}


def model_equality(m):
    """`data`: connect: anchor in body 1 (3), anchor in body 2 (3); weld: anchor in body 2 (3), relative position (3), relative quaternion (4),
    torque scale; joint and tendon: polynomial coefficients (5)."""
    names = {0: "connect", 1: "weld", 2: "joint", 3: "tendon"}
    used = {0: 6, 1: 11, 2: 5, 3: 5}
    return {"equality_data": {m.equality(e).name: {"type": names[int(m.eq_type[e])], "active": bool(m.eq_active0[e]),
                                                   "data": flat(m.eq_data[e, : used[int(m.eq_type[e])]])}
                              for e in range(m.neq)}}


def model_inertia(m):
    """Masses, and inertia about the centre of mass in the axes of the body frame (no choice of principal axes)."""
    bodies = {}
    for b in range(1, m.nbody):
        rotation = np.zeros(9)
        mujoco.mju_quat2Mat(rotation, m.body_iquat[b])
        rotation = rotation.reshape(3, 3)
        full = rotation @ np.diag(m.body_inertia[b]) @ rotation.T
        bodies[m.body(b).name] = {
            "mass": float(m.body_mass[b]), "com": flat(m.body_ipos[b]), "inertia_body_axes": rows(full),
            "principal": sorted(flat(m.body_inertia[b])),
        }
    return {"bodies": bodies}


def model_compiled(m):
    joints = {
        m.joint(j).name: {
            "type": ["free", "ball", "slide", "hinge"][m.jnt_type[j]],
            "pos": flat(m.jnt_pos[j]), "axis": flat(m.jnt_axis[j]),
            "range": flat(m.jnt_range[j]) if m.jnt_limited[j] else None,
            "qpos0": flat(m.qpos0[m.jnt_qposadr[j] :][: {0: 7, 1: 4}.get(int(m.jnt_type[j]), 1)]),
            "qpos_spring": flat(m.qpos_spring[m.jnt_qposadr[j] :][: {0: 7, 1: 4}.get(int(m.jnt_type[j]), 1)]),
            "stiffness": float(m.jnt_stiffness[j]), "damping": float(m.dof_damping[m.jnt_dofadr[j]]),
            "armature": float(m.dof_armature[m.jnt_dofadr[j]]),
            "frictionloss": float(m.dof_frictionloss[m.jnt_dofadr[j]]),
            "actfrcrange": flat(m.jnt_actfrcrange[j]) if m.jnt_actfrclimited[j] else None,
        }
        for j in range(m.njnt)
    }
    geoms = {
        m.geom(g).name: {
            "type": mujoco.mjtGeom(int(m.geom_type[g])).name[7:].lower(), "body": m.body(m.geom_bodyid[g]).name,
            "size": flat(m.geom_size[g]), "pos": flat(m.geom_pos[g]), "quat": flat(m.geom_quat[g]),
            "friction": flat(m.geom_friction[g]), "contype": int(m.geom_contype[g]),
            "conaffinity": int(m.geom_conaffinity[g]), "condim": int(m.geom_condim[g]),
        }
        for g in range(m.ngeom)
    }
    places = {m.body(b).name: {"parent": m.body(m.body_parentid[b]).name, "pos": flat(m.body_pos[b]),
                               "quat": flat(m.body_quat[b]), "gravcomp": float(m.body_gravcomp[b])}
              for b in range(1, m.nbody)}
    return {"joints": joints, "geoms": geoms, "places": places, "option": {"gravity": flat(m.opt.gravity),
            "timestep": m.opt.timestep}} | model_inertia(m)


def model_files(m):
    return {"limits": [flat(m.jnt_range[j]) if m.jnt_limited[j] else None for j in range(m.njnt)]}


TOPICS = {
    # topic: (per state, per model, disabled, states per case)
    "actuators": (expect_actuators, model_actuators, "constraint", 4),
    "tendons": (expect_tendons, model_tendons, "constraint", 6),
    "passive": (expect_passive, None, "constraint", 4),
    "sensors": (expect_sensors, None, "constraint", 3),
    "dynamics": (expect_dynamics, None, "constraint", 2),
    "equality": (expect_equality, model_equality, "contact, limit", 4),
    "inertia": (None, model_inertia, "-", 0),
    "compiler": (expect_kinematics, model_compiled, "constraint", 2),
    "files": (expect_files, model_files, "constraint", 2),
}
BITS = {"constraint": mujoco.mjtDisableBit.mjDSBL_CONSTRAINT,
        "contact, limit": mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT, "-": 0}


CONTACT_VALUES = "found force torque dist pos normal tangent"
CONTACT_SIDES = {
    "floor": 'geom1="floor" num="6"', "onto_floor": 'geom2="floor" num="3"', "nearest": 'geom1="g" num="2" reduce="mindist"',
    "strongest": 'body1="b" num="3" reduce="maxforce"', "subtree": 'subtree1="b" num="2" reduce="maxforce"', "net": 'subtree1="b" num="2" reduce="netforce"',
    "net_back": 'subtree2="b" reduce="netforce"', "site": 'site="s" num="2"', "site_to_geom": 'site="s" geom2="g"', "site_to_floor": 'site="s" geom2="floor"',
    "two_sides": 'geom1="floor" body2="c" num="2"', "all": 'num="7"', "world": 'body1="world" subtree2="b" num="2" reduce="mindist"', "none": 'geom1="g" geom2="h"',
}


def contact_sensors():
    """Readings of contact sensors with the contacts that they tell of: bodies, geoms, gap, point, frame (normal, tangents, row by row), wrench in the frame."""
    sensors = "".join(f'<contact name="{name}" data="{CONTACT_VALUES}{"" if "net" in name else " linvel angvel"}" {sides}/>' for name, sides in CONTACT_SIDES.items())
    xml = f"""<mujoco><option gravity="1 .5 -9.81"/><worldbody><geom name="floor" type="plane" size="5 5 .1"/><site name="s" pos=".2 .1 0" size=".05"/>
 <body name="b" pos="0 0 .0995"><freejoint/><geom name="g" type="box" size=".2 .1 .1" mass="3" condim="6" friction="1 .1 .1"/>
 <body name="c" pos=".5 0 0"><geom name="h" size=".1" mass="1"/></body></body></worldbody><sensor>{sensors}<contact name="found"/></sensor></mujoco>"""
    m = mujoco.MjModel.from_xml_string(xml)
    d = mujoco.MjData(m)
    states = []
    for velocity in ([0.0] * 6, [0.3, 0.2, -0.4, 0.5, 0.6, 0.7]):
        mujoco.mj_resetData(m, d)
        for _ in range(20):
            mujoco.mj_step(m, d)
        d.qvel[:] += velocity
        mujoco.mj_forward(m, d)
        contacts = []
        for k in range(d.ncon):
            c, wrench = d.contact[k], np.zeros(6)
            mujoco.mj_contactForce(m, d, k, wrench)
            geoms = [int(c.geom1), int(c.geom2)]
            contacts.append({"bodies": [int(m.geom_bodyid[g]) for g in geoms], "geoms": geoms, "gap": float(c.dist), "point": flat(c.pos),
                             "frame": flat(c.frame), "wrench": flat(wrench)})
        readings = {m.sensor(i).name: flat(d.sensor(m.sensor(i).name).data) for i in range(m.nsensor)}
        states.append(state(m, d) | {"contacts": contacts, "sensors": readings})
    return {"topic": "contact_sensors", "engine": "MuJoCo 4.0.0", "disabled": "-", "cases": [{"name": "box_and_ball", "xml": xml, "states": states}]}


def dump(value, indent=0, width=110):
    """Short things on one line, the rest split: readable and small."""
    line = json.dumps(value)
    if len(line) + indent <= width or not isinstance(value, dict | list):
        return line
    if isinstance(value, list) and not any(isinstance(v, dict | list) for v in value):
        return line
    pad = " " * (indent + 1)
    if isinstance(value, dict):
        body = ",\n".join(f"{pad}{json.dumps(k)}: {dump(v, indent + 1)}" for k, v in value.items())
        return "{\n" + body + "\n" + " " * indent + "}"
    return "[\n" + ",\n".join(pad + dump(v, indent + 1) for v in value) + "\n" + " " * indent + "]"


def main():
    assert mujoco.__version__ == "4.0.0", mujoco.__version__
    OUT.mkdir(parents=True, exist_ok=True)
    for index, (topic, (per_state, per_model, disabled, count)) in enumerate(TOPICS.items()):
        rng = np.random.default_rng(100 + index)
        entries = []
        for case in getattr(file_cases if topic == "files" else cases, topic.upper()):
            m, source = load(case)
            m.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
            m.opt.disableflags |= BITS[disabled]
            m.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
            d = mujoco.MjData(m)
            entry = {"name": case["name"], **source}
            if per_model:
                entry |= per_model(m)
            states = []
            for _ in range(case.get("states", count)):
                random_state(m, d, rng)
                mujoco.mj_forward(m, d)
                assert np.isfinite(d.qacc).all()
                if m.ntendon:
                    assert np.allclose(tendon_jacobian(m, d) @ d.qvel, d.ten_velocity, atol=1e-9)
                states.append(state(m, d) | per_state(m, d))
            if states:
                entry["states"] = states
            entries.append(entry)
        text = dump({"topic": topic, "engine": "MuJoCo 4.0.0", "disabled": disabled, "cases": entries}) + "\n"
        path = OUT / f"mujoco_{topic}.json"
        path.write_text(text)
        print(f"{path.name}: {len(entries)} cases, {len(text) / 1000:.0f} kB")
        assert len(text) < 200_000
    (OUT / "mujoco_contact_sensors.json").write_text(dump(contact_sensors()) + "\n")


if __name__ == "__main__":
    main()
