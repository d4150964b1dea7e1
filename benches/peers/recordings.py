"""Recordings of two revisions beside one another, ten models under each method.

    python3 benches/peers/recordings.py BEFORE AFTER [--names BEFORE AFTER] [--time S]

BEFORE and AFTER are the binaries `signorini` of two revisions. Both run each model under each method; a case is equal when all bytes of the columns are, or when both
refuse it in the same words. Columns that only one of them has, and those of contacts and wall times, are not asked; t, q and v decide, others that differ are listed. Prints a table and appends one JSON line per case to
benches/records/recordings.jsonl; ends with 1 when a case differs.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODELS = HERE.parents[1] / "models"
RECORDS = HERE.parent / "records" / "recordings.jsonl"
SCENES = {
    "arm_gripper.xml": ["arm_gripper/arm_gripper.xml"],
    "arm_gripper.urdf": ["arm_gripper/arm_gripper.urdf", "--floor", "-0.2"],
    "cart_pole": ["cart_pole/cart_pole.xml"],
    "cylinder_push": ["cylinder_push/cylinder_push.xml"],
    "g1 and box": ["g1/box.xml"],
    "leap_hand and cube": ["leap_hand/cube.xml"],
    "quadruped.xml": ["quadruped/quadruped.xml"],
    "quadruped.urdf": ["quadruped/quadruped.urdf", "--floating", "--floor", "--lift", "0.35"],
    "two arms and ball": ["two_arms/ball.xml"],
    "two arms and cube": ["two_arms/cube.xml"],
}
# Options, and the part of the time that is run: the reference is dense.
METHODS = {
    "icf": (["--dt", "0.002"], 1.0),
    "cenic": (["--accuracy", "1e-3"], 1.0),
    "icf, sap": (["--law", "sap", "--dt", "0.002"], 0.5),
    "icf, paper mode": (["--accuracy", "1e-3", "--paper-mode"], 0.5),
    "comfree": (["--solver", "comfree"], 1.0),
    "comfree, 1 evaluation": (["--solver", "comfree", "--sweeps", "1"], 1.0),
    "comfree, paper mode": (["--solver", "comfree", "--paper-mode"], 0.5),
    "reference": (["--solver", "reference", "--dt", "0.002"], 0.05),
    "ipc": (["--solver", "ipc", "--exclude-overlaps"], 0.25),
}
SKIPPED = ("wall_s", "header", "contact_")


def columns(program, scene, options, time, folder):
    """Bytes of the columns of a run; text of the refusal where it ends without a recording."""
    out = Path(folder) / "run.npz"
    model = [str(MODELS / scene[0]), *scene[1:]]
    done = subprocess.run([str(program), "run", *model, *options, "--time", str(time), "--out", str(out)], capture_output=True, text=True)
    if not out.exists():
        return next((line for line in done.stderr.splitlines() if line.startswith("error")), f"ended with {done.returncode}")
    with zipfile.ZipFile(out) as z:
        return {n.removesuffix(".npy"): z.read(n) for n in z.namelist() if not n.startswith(SKIPPED)}


def compare(case):
    """A row of the record: equal and unequal columns, or that both refuse."""
    (scene, arguments), (method, (options, part)), (before, after), time = case
    with tempfile.TemporaryDirectory() as a, tempfile.TemporaryDirectory() as b:
        found = [columns(p, arguments, options, part * time, folder) for p, folder in ((before, a), (after, b))]
    row = {"model": scene, "method": method, "time_s": part * time}
    if any(isinstance(f, str) for f in found):
        return row | {"equal": found[0] == found[1], "refused": [f if isinstance(f, str) else None for f in found]}
    shared = sorted(found[0].keys() & found[1].keys())
    off = [c for c in shared if found[0][c] != found[1][c]]
    rows = len(found[1]["t"]) // 8
    return row | {"equal": not {"t", "q", "v"} & set(off), "rows": rows, "columns": len(shared), "unequal": off}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--names", nargs=2, default=["before", "after"], help="revisions, for the record")
    parser.add_argument("--time", type=float, default=0.4, help="simulated time (s)")
    parser.add_argument("--jobs", type=int, default=2)
    a = parser.parse_args()
    programs = (a.before.resolve(), a.after.resolve())
    cases = [(s, m, programs, a.time) for s in SCENES.items() for m in METHODS.items()]
    stamp = {"date": datetime.now(timezone.utc).strftime("%Y-%m-%d"), "before": a.names[0], "after": a.names[1]}
    differ = 0
    with ThreadPoolExecutor(a.jobs) as pool, RECORDS.open("a") as f:
        for row in pool.map(compare, cases):
            f.write(json.dumps(stamp | row) + "\n")
            differ += not row["equal"]
            verdict = "equal" if row["equal"] else "DIFFERS"
            print(f"{row['model']:<20} {row['method']:<24} {verdict:<8} {row.get('refused') or row.get('unequal')}", flush=True)
    print(f"{len(cases) - differ} of {len(cases)} equal")
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
