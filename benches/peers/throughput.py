"""Environment steps per second of many worlds on two threads, ours beside MuJoCo's `rollout`, alternating in one run.

    benches/peers/.venv/bin/python benches/peers/throughput.py [--models DIR] [--threads 2] [--rounds 3]
    benches/peers/.venv/bin/python benches/peers/throughput.py --curve 16,64,256,1024,4096 [--note "what else ran"]

Scenes: `scenes/three_arrays.xml`; two arms at home and with the ball between their palms (`models/two_arms/ball.xml`, steps of 5 ms: 20 are a control step of the planner); a hand with a cube that lies on it and with one that fingers turn (`models/leap_hand/cube.xml`, steps of 4 ms: 25 are 0.1 s); from the models of others (pass --models) the LEAP hand with its cube, under servos that stay where they are and with MuJoCo's solver cut short as its file says, and the Allegro hand with a cube, under random controls that all worlds
share. "comfree, planning" and "comfree, default" are projected Gauss-Seidel over ComFree's impedance, up to 12 and 64 sweeps; "settings" of a record has gains, mass scale and sweeps. Prints a table and appends one JSON line per row to benches/records/throughput.jsonl, whose last lines the page borse2026comfree/fig08 shows: medians over the rounds. With --curve: the Allegro hand alone over several numbers of
worlds, the best of the rounds, written to benches/records/allegro_curve.json, which the page borse2026comfree/fig08 draws.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from datetime import datetime, timezone
from pathlib import Path

import mujoco
import numpy as np
from bench import machine, revision
from mujoco import rollout

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RECORDS = HERE.parent / "records" / "throughput.jsonl"
CURVE = HERE.parent / "records" / "allegro_curve.json"
SETTINGS = [("comfree, paper", ["--published", 0.1, 0.001, "mean"]), ("comfree, paper, trace", ["--published", 0.1, 0.001, "trace"]), ("comfree, 1 evaluation", ["--sweeps", 1]), ("comfree, planning", ["--sweeps", 12, "--residual", 1e-3]), ("comfree, default", []), ("icf", ["--icf"])]
HOLD = 50
ALLEGRO = """<mujoco model="allegro cube"><include file="right_hand.xml"/><option timestep="0.002"/>
<worldbody><geom name="floor" pos="0 0 -0.1" size="0 0 0.05" type="plane"/>
<body name="cube" pos="0 0 0.1"><freejoint/><geom type="box" size=".035 .035 .035" mass=".343" friction=".5 .005 .0001" condim="3"/></body>
</worldbody></mujoco>"""


def binary(name="throughput"):
    command = ["cargo", "build", "--release", "--quiet", "--package", "signorini-benches", "--bin", name]
    subprocess.run(command, cwd=ROOT, check=True)
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / name


def theirs(path, lanes, steps, threads, controls, noise, dt, key):
    """(steps per second, mean depth [m], largest depth [m], steps per second of processor time) of MuJoCo."""
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.timestep = dt
    data = [mujoco.MjData(model) for _ in range(threads)]
    rng = np.random.default_rng(1)
    spec = mujoco.mjtState.mjSTATE_FULLPHYSICS
    first = np.zeros((lanes, mujoco.mj_stateSize(model, spec)))
    d = mujoco.MjData(model)
    for i in range(lanes):
        if key:
            mujoco.mj_resetDataKeyframe(model, d, model.key(key).id)
        else:
            mujoco.mj_resetData(model, d)
        d.qvel[:] = noise * rng.standard_normal(model.nv)
        mujoco.mj_getState(model, d, first[i], spec)
    held = np.zeros((steps, model.nu)) if controls is None else np.repeat(controls, HOLD, axis=0)[:steps]
    control = np.ascontiguousarray(np.broadcast_to(held, (lanes, steps, model.nu)))
    start, used = time.perf_counter(), time.process_time()
    state, _ = rollout.rollout(model, data, first, control)
    wall, used = time.perf_counter() - start, time.process_time() - used
    depths = []
    for i in range(lanes):
        mujoco.mj_setState(model, d, state[i, -1], spec)
        mujoco.mj_forward(model, d)
        depths += [-c.dist for c in d.contact if c.dist < 0]
    return lanes * steps / wall, float(np.mean(depths or [0])), max(depths, default=0.0), lanes * steps / used


def leap(scene, key):
    """Targets about those of a keyframe, other ones every HOLD steps."""
    home = mujoco.MjModel.from_xml_path(str(scene)).key(key).ctrl
    return home + np.random.default_rng(2).uniform(-0.1, 0.1, (250 // HOLD, len(home)))


def split(program, path, lanes, steps, threads, controls, noise, dt, key, extra):
    """Where the time of a step goes [us]."""
    return {k: round(x, 3) for k, x in run(program, path, lanes, steps, 1, controls, noise, dt, key, [*extra, "--split"]).items()}


def ours(*arguments):
    out = run(*arguments)
    if out["failed"]:
        raise SystemExit(f"{out['failed']} worlds failed")
    return out["steps_per_s"], out["mean_depth"], out["max_depth"], out["steps_per_cpu_s"], out["settings"]


def run(program, path, lanes, steps, threads, controls, noise, dt, key, extra):
    command = [program, path, "--lanes", lanes, "--steps", steps, "--threads", threads, "--noise", noise, "--dt", dt, "--repeats", 1, *(["--keyframe", key] if key else []), *extra]
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as f:
        if controls is not None:
            np.savetxt(f, controls, delimiter=",")
            f.flush()
            command += ["--controls", f.name, "--hold", HOLD]
        return json.loads(subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True).stdout)


def curve(a, base, program, case):
    """Steps per second of processor time, what to trust on a shared machine, and of wall time over the numbers of worlds, each the best of the rounds; engines alternate."""
    path, steps, controls, noise, dt, key = case
    rows = []
    for lanes in a.curve:
        wall, processor = {}, {}
        for _ in range(a.rounds):
            common = (path, lanes, steps, a.threads, controls, noise, dt, key)
            results = {"mujoco": theirs(*common)} | {label: ours(program, *common, extra) for label, extra in SETTINGS}
            for label, r in results.items():
                wall[label], processor[label] = max(r[0], wall.get(label, 0.0)), max(r[3], processor.get(label, 0.0))
        settings = {label: results[label][4] for label, _ in SETTINGS}
        for label, rate in processor.items():
            rows.append({"settings": settings.get(label), "engine": label, "worlds": lanes, "steps_per_cpu_s": round(rate), "steps_per_s": round(wall[label]), "load_average": machine()["load_average"]})
            print(f"{lanes:6} worlds {label:24} {rate:10.0f} steps per processor second  {rate / processor['mujoco']:5.2f}; {wall[label]:10.0f} steps/s")
    record = base | {"rounds": a.rounds, "steps": steps, "load_average_at_the_end": machine()["load_average"], "note": a.note, "rows": rows}
    CURVE.write_text(json.dumps(record, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = os.environ.get("SIGNORINI_MODELS", ROOT.parent / "shared" / "models")
    parser.add_argument("--models", type=Path, default=Path(default))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--lanes", type=int, default=128)
    parser.add_argument("--curve", type=lambda s: [int(n) for n in s.split(",")], help="numbers of worlds")
    parser.add_argument("--note", default="", help="what else ran, kept in the record of --curve")
    a = parser.parse_args()
    program = binary()
    base = machine() | {"revision": revision(), "date": datetime.now(timezone.utc).isoformat(timespec="seconds"), "threads": a.threads}
    hand = a.models.resolve() / "allegro_hand"
    if a.curve and not hand.is_dir():
        raise SystemExit(f"{hand} is absent; give --models")
    with tempfile.TemporaryDirectory() as folder:
        arms = ROOT / "models" / "two_arms" / "ball.xml"
        cube = ROOT / "models" / "leap_hand" / "cube.xml"
        cases = [
            ("three_arrays", HERE / "scenes" / "three_arrays.xml", 750, None, 1e-3, 2e-3, None),
            ("two_arms_home", arms, 200, None, 1e-3, 5e-3, "home"),
            ("two_arms_held", arms, 200, None, 1e-3, 5e-3, "held"),
            ("leap_cube", cube, 250, leap(cube, "home"), 1e-3, 4e-3, "home"),
            ("leap_cube_turning", cube, 100, leap(cube, "turning"), 1e-3, 4e-3, "turning"),
        ]
        leap_scene = a.models.resolve() / "leap_hand" / "scene.xml"
        if leap_scene.is_file():
            cases.append(("leap_menagerie", leap_scene, 250, None, 1e-3, 4e-3, None))
        else:
            print(f"skipped: {leap_scene} is absent")
        if hand.is_dir():
            for name in ("right_hand.xml", "assets"):
                (Path(folder) / name).symlink_to(hand / name)
            scene = Path(folder) / "scene.xml"
            scene.write_text(ALLEGRO)
            nu = mujoco.MjModel.from_xml_path(str(scene)).nu
            controls = np.random.default_rng(2).uniform(-0.5, 0.5, (1500 // HOLD, nu))
            cases.append(("allegro_cube", scene, 300, controls, 0.0, 2e-3, None))
        else:
            print(f"skipped: {hand} is absent")
        if a.curve:
            curve(a, base, program, cases[-1][1:])
            return
        for name, path, steps, controls, noise, dt, key in cases:
            rows = {}
            for _ in range(a.rounds):
                common = (path, a.lanes, steps, a.threads, controls, noise, dt, key)
                rows.setdefault("mujoco", []).append(theirs(*common))
                for label, extra in SETTINGS:
                    rows.setdefault(label, []).append(ours(program, *common, extra))
            parts = {label: split(program, *common, extra) for label, extra in SETTINGS if label in ("comfree, 1 evaluation", "comfree, planning")}
            for label, part in parts.items():
                print(f"{name:14} split of a step, {label} [us]: " + ", ".join(f"{k} {x:.2f}" for k, x in part.items()))
            reference = rows["mujoco"]
            for label, runs in rows.items():
                # Engines alternate: each round is compared with its own.
                over = statistics.median(r[0] / m[0] for r, m in zip(runs, reference))
                over_cpu = statistics.median(r[3] / m[3] for r, m in zip(runs, reference))
                rate, cpu_rate = statistics.median(r[0] for r in runs), statistics.median(r[3] for r in runs)
                line = {"scene": name, "engine": label, "lanes": a.lanes, "steps": steps, "rounds": a.rounds, "steps_per_s": round(rate), "over_mujoco": round(over, 2)}
                line |= {"steps_per_cpu_s": round(cpu_rate), "over_mujoco_cpu": round(over_cpu, 2)}
                line |= {"mean_depth": runs[-1][1], "max_depth": runs[-1][2]}
                if label != "mujoco":
                    line |= {"settings": runs[-1][4]}
                if label in parts:
                    line |= {"split_us": parts[label]}
                print(f"{name:14} {label:24} {rate:10.0f} steps/s  {over:5.2f} (processor time {over_cpu:.2f})  depth {1e3 * runs[-1][1]:.4f} mm (largest {1e3 * runs[-1][2]:.3f})")
                with RECORDS.open("a") as f:
                    f.write(json.dumps(base | line) + "\n")


if __name__ == "__main__":
    main()
