"""What steps are worth: one control step of 0.1 s of the hand with a cube by the number of steps, each engine against itself with very many, ours beside MuJoCo's; ComFree with few evaluations against ComFree whose evaluations settle.

    benches/peers/.venv/bin/python benches/peers/substeps.py

All engines start from the same states, those of a finely stepped motion of MuJoCo under random targets of the servos, with the cube at rest on the hand and while fingers turn it (`models/leap_hand/cube.xml`). Error of a state: the largest difference of a coordinate (m, rad or part of a
quaternion); shown are the mean and the median over the states. Prints a table and appends one JSON line per engine to benches/records/substeps.jsonl.
"""

import json
import subprocess
from datetime import datetime, timezone

import mujoco
import numpy as np
from bench import machine, revision
from throughput import HERE, ROOT, binary

SCENE = ROOT / "models" / "leap_hand" / "cube.xml"
RECORDS = HERE.parent / "records" / "substeps.jsonl"
DURATION, COUNTS, REFERENCE = 0.1, [5, 10, 15, 20, 25, 50, 100, 800], 1600
RUNS, LONG, FINE = 8, 10, 200


def starts(model, key):
    """(q, v, control) along motions from a keyframe."""
    data, rng, home = mujoco.MjData(model), np.random.default_rng(3), model.key(key).ctrl
    rows = []
    model.opt.timestep = DURATION / FINE
    for _ in range(RUNS):
        mujoco.mj_resetDataKeyframe(model, data, model.key(key).id)
        data.qvel[:] = 1e-3 * rng.standard_normal(model.nv)
        for _ in range(LONG):
            control = home + rng.uniform(-0.1, 0.1, model.nu)
            rows.append((data.qpos.copy(), data.qvel.copy(), control))
            data.ctrl[:] = control
            mujoco.mj_step(model, data, FINE)
    return [np.array(x) for x in zip(*rows)]


def theirs(model, q, v, control, steps):
    data, ends = mujoco.MjData(model), []
    model.opt.timestep = DURATION / steps
    for row in zip(q, v, control):
        mujoco.mj_resetData(model, data)
        data.qpos[:], data.qvel[:], data.ctrl[:] = row
        mujoco.mj_step(model, data, steps)
        ends.append(data.qpos.copy())
    return np.array(ends)


def ours(program, engine, q, v, control):
    """By number of steps."""
    given = json.dumps({"q": q.tolist(), "v": v.tolist(), "control": control.tolist()})
    counts = [*COUNTS, REFERENCE]
    command = [str(program), str(SCENE), "--engine", engine, "--duration", str(DURATION), *map(str, counts)]
    out = subprocess.run(command, input=given, check=True, capture_output=True, text=True).stdout
    return dict(zip(counts, np.array(json.loads(out)["q"])))


def error(a, b):
    worst = np.abs(a - b).max(axis=1)
    return [float(f"{x:.3g}") for x in (worst.mean(), np.median(worst))]


def main():
    program = binary("substeps")
    base = machine() | {"date": datetime.now(timezone.utc).isoformat(timespec="seconds"), "duration": DURATION, "states": RUNS * LONG, "reference": REFERENCE, "revision": revision()}
    model = mujoco.MjModel.from_xml_path(str(SCENE))
    for key in ("home", "turning"):
        q, v, control = starts(model, key)
        runs = {"mujoco": {n: theirs(model, q, v, control, n) for n in [*COUNTS, REFERENCE]}}
        runs |= {engine: ours(program, engine, q, v, control) for engine in ("planning", "one", "settled", "icf")}
        for engine, ends in runs.items():
            # Residuals that are small beside the speeds of a long step are not beside those of a very short one.
            exact = runs["settled" if engine in ("planning", "one") else engine][REFERENCE]
            errors = {n: error(ends[n], exact) for n in COUNTS}
            apart = error(ends[REFERENCE], runs["mujoco"][REFERENCE])
            print(f"{key:8} {engine:9}" + "".join(f"  {n}: {e[0]:.1e} ({e[1]:.1e})" for n, e in errors.items()) + f"; from MuJoCo {apart[0]:.1e} ({apart[1]:.1e})")
            line = {"keyframe": key, "engine": engine, "mean_and_median_error": errors, "from_mujoco": apart}
            with RECORDS.open("a") as f:
                f.write(json.dumps(base | line) + "\n")


if __name__ == "__main__":
    main()
