"""Robots of the page cross/robots in MuJoCo: depth at rest, opening of loops and couplings, energy; 5 s from the home keyframe at the time step of the file.

    python3 benches/peers/robots.py

Reads the robots under SIGNORINI_MODELS (default ../shared/models) and writes benches/records/robots.json: the median of the deepest contact over the last
second [mm], the largest violation of an equality over the run beyond that of the start [mm or mrad], and the largest rise of the kinetic and potential energy over the range of
that energy. Motors hold the controls of the keyframe (driven), are off (free), or have every control at the upper end of its range (full). Cones are elliptic: the rows of
pyramidal cones change the stiffness that solref states by friction and impratio.
"""

import datetime
import json
import os
from pathlib import Path

import mujoco
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
MODELS = Path(os.environ.get("SIGNORINI_MODELS", ROOT.parent / "shared" / "models"))
RECORD = ROOT / "benches" / "records" / "robots.json"
ROBOTS = ["arm_gripper/arm_gripper.xml", "quadruped/quadruped.xml", "panda/scene.xml", "boston_dynamics_spot/scene.xml", "unitree_g1/scene.xml", "robotiq_2f85/2f85.xml"]
TIME = 5.0


def opening(model, data):
    """Largest violation of an equality, position and angle of a weld apart."""
    rows = np.flatnonzero(data.efc_type[: data.nefc] == mujoco.mjtConstraint.mjCNSTR_EQUALITY)
    worst = 0.0
    for e in set(data.efc_id[rows]):
        of = data.efc_pos[rows[data.efc_id[rows] == e]]
        worst = max([worst] + [float(np.linalg.norm(of[i : i + 3])) for i in range(0, len(of), 3)])
    return worst


def run(path, drive):
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    if drive == "free":
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ACTUATION
    if drive == "full":
        data.ctrl[:] = np.where(model.actuator_ctrllimited, model.actuator_ctrlrange[:, 1], 1.0)
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    mujoco.mj_forward(model, data)
    start = least = float(data.energy.sum())
    rise = 0.0
    first, largest, depths = opening(model, data), 0.0, []
    while data.time < TIME:
        mujoco.mj_step(model, data)
        largest = max(largest, opening(model, data) - first)
        energy = float(data.energy.sum())
        rise, least = max(rise, energy - least), min(least, energy)
        if data.time > 0.8 * TIME:
            depths.append(max([0.0] + [-c.dist for c in data.contact]))
    return {"depth_mm": round(1e3 * float(np.median(depths)), 4), "opening_mm": round(1e3 * largest, 4),
            "rise": round(rise / max(start - least, 1e-9), 6)}


def main():
    rows = []
    for file in ROBOTS:
        for drive in ["driven", "free", "full"]:
            folder = ROOT / "models" if (ROOT / "models" / file).is_file() else MODELS
            rows.append({"file": file, "drive": drive, **run(folder / file, drive)})
            print(rows[-1])
    record = {"engine": f"MuJoCo {mujoco.__version__}", "date": f"{datetime.date.today()}", "rows": rows}
    RECORD.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
