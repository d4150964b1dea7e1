"""Checks what models/README.md claims: `benches/peers/.venv/bin/python benches/peers/check_models.py` (exits 1 on a failure)."""

import logging
import sys
from pathlib import Path

import mujoco
import numpy as np
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant

MODELS = Path(__file__).resolve().parents[2] / "models"
FAILED = []


def check(claim, holds, measured):
    print(f"{'ok  ' if holds else 'FAIL'} {claim}: {measured}")
    if not holds:
        FAILED.append(claim)


def load(name):
    model = mujoco.MjModel.from_xml_path(str(MODELS / name / f"{name}.xml"))
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("home").id)
    mujoco.mj_forward(model, data)
    return model, data


def touching(model, data):
    return sorted({(model.geom(c.geom1).name, model.geom(c.geom2).name) for c in data.contact[: data.ncon] if c.dist < 0})


def step(model, data, seconds):
    mujoco.mj_step(model, data, nstep=round(seconds / model.opt.timestep))


def arm():
    model, data = load("arm_gripper")
    check("arm: nothing overlaps at home", not touching(model, data), touching(model, data))
    home = data.qpos.copy()
    step(model, data, 5)
    speed, sag = np.abs(data.qvel).max(), np.abs(data.qpos[:9] - home[:9]).max()
    check("arm: still after 5 s at home", speed < 1e-6, f"speed {speed:.1e}, sag {sag:.4f} rad")
    for key in ("reach", "grasp", "lift"):
        data.ctrl[:] = model.key(key).ctrl
        step(model, data, 1.5)
    before = data.body("box").xpos[2]
    check("arm: box lifted", before > 0.2, f"height {before:.4f} m")
    step(model, data, 5)
    after = data.body("box").xpos[2]
    check("arm: box held for 5 s", abs(after - before) < 2e-3, f"slid {1e3 * (before - after):.2f} mm")


def quadruped():
    model, data = load("quadruped")
    check("quadruped: nothing overlaps at home", not touching(model, data), touching(model, data))
    step(model, data, 5)
    feet = {b for _, b in touching(model, data)}
    stands = np.abs(data.qvel).max() < 1e-6 and len(feet) == 4 and all(f.endswith("_foot") for f in feet)
    check("quadruped: stands on its feet after 5 s", stands,
          f"speed {np.abs(data.qvel).max():.1e}, height {data.qpos[2]:.4f} m, touching {sorted(feet)}")


def urdf(name, fixed):
    """Mass matrix and gravity of the joints: Drake on the URDF against MuJoCo on the MJCF without armature."""
    plant = MultibodyPlant(0.0)
    Parser(plant).AddModels(str(MODELS / name / f"{name}.urdf"))
    if fixed:
        plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("base"))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    model, data = load(name)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    model.dof_armature[:] = 0
    own = mujoco.MjModel.from_xml_path(str(MODELS / name / f"{name}.urdf"))
    names = [own.joint(j).name for j in range(own.njnt)]
    rng, worst = np.random.default_rng(1), 0.0
    for _ in range(20):
        for n in names:
            q = rng.uniform(*model.joint(n).range)
            joint = plant.GetJointByName(n)
            (joint.set_angle if joint.type_name() == "revolute" else joint.set_translation)(context, q)
            data.joint(n).qpos = q
        mujoco.mj_forward(model, data)
        full = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, full)
        a = [model.joint(n).dofadr[0] for n in names]
        b = [plant.GetJointByName(n).velocity_start() for n in names]
        worst = max(worst, np.abs(full[np.ix_(a, a)] - plant.CalcMassMatrix(context)[np.ix_(b, b)]).max())
        worst = max(worst, np.abs(data.qfrc_bias[a] + plant.CalcGravityGeneralizedForces(context)[b]).max())
    check(f"{name}: URDF and MJCF agree", worst < 1e-11, f"{worst:.1e}")


if __name__ == "__main__":
    logging.getLogger("drake").setLevel(logging.ERROR)
    arm()
    quadruped()
    urdf("arm_gripper", True)
    urdf("quadruped", False)
    sys.exit(1 if FAILED else 0)
