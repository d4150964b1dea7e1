"""Two revisions of the throughput benchmark beside one another, on one thread and on two.

    python3 benches/peers/revisions.py BEFORE AFTER [--rounds 7] [--note "what else ran"]

BEFORE and AFTER are the binaries `throughput` of two revisions (`cargo build --release -p signorini-benches --bin throughput`). They take turns in each round, scene, setting
and number of threads; the record has the median over the rounds of the ratio of their rates, and its quartiles. Prints a table and appends one JSON line per row to benches/records/revisions.jsonl.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree
from datetime import datetime, timezone
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODELS = HERE.parents[1] / "models"
RECORDS = HERE.parent / "records" / "revisions.jsonl"
SETTINGS = [("comfree, 1 evaluation", ["--sweeps", "1"]), ("comfree, planning", ["--sweeps", "12", "--residual", "1e-3"]), ("comfree, default", []), ("icf", ["--icf"])]
HOLD = 50


def machine():
    """Processor, cores and load."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    cpu = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")
    return {"cpu": cpu, "cores": os.cpu_count(), "load_average": round(os.getloadavg()[0], 2)}


def targets(scene, key, steps):
    """Rows of targets about those of a keyframe, other ones every HOLD steps."""
    home = next(k.get("ctrl") for k in ElementTree.parse(scene).iter("key") if k.get("name") == key)
    rng = random.Random(2)
    rows = [[float(c) + rng.uniform(-0.1, 0.1) for c in home.split()] for _ in range(steps // HOLD)]
    return "\n".join(",".join(map(repr, row)) for row in rows)


def rate(program, path, lanes, steps, threads, dt, key, controls, extra):
    """Steps per second of wall time and of processor time, and the depths at the end, by which a change of results is seen."""
    command = [program, path, "--lanes", lanes, "--steps", steps, "--threads", threads, "--dt", dt, "--repeats", 1, *(["--keyframe", key] if key else []), *extra]
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as f:
        if controls:
            f.write(controls)
            f.flush()
            command += ["--controls", f.name, "--hold", HOLD]
        out = json.loads(subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True).stdout)
    return out["steps_per_s"], out["steps_per_cpu_s"], (out["mean_depth"], out["max_depth"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--lanes", type=int, default=128)
    parser.add_argument("--names", nargs=2, default=["before", "after"], help="revisions, for the record")
    parser.add_argument("--scenes", nargs="+", help="some of the scenes alone")
    parser.add_argument("--settings", nargs="+", help="some of the settings alone")
    parser.add_argument("--note", default="", help="what else ran")
    a = parser.parse_args()
    arms, cube = MODELS / "two_arms" / "ball.xml", MODELS / "leap_hand" / "cube.xml"
    cases = [
        ("three_arrays", HERE / "scenes" / "three_arrays.xml", 750, 2e-3, None),
        ("two_arms_home", arms, 1000, 5e-3, "home"),
        ("two_arms_held", arms, 1000, 5e-3, "held"),
        ("leap_cube", cube, 500, 4e-3, "home"),
        ("leap_cube_turning", cube, 250, 4e-3, "turning"),
    ]
    base = machine() | {"date": datetime.now(timezone.utc).isoformat(timespec="seconds"), "before": a.names[0], "after": a.names[1], "rounds": a.rounds, "lanes": a.lanes, "note": a.note}
    for scene, path, steps, dt, key in cases:
        if a.scenes and scene not in a.scenes:
            continue
        controls = targets(path, key, steps) if path == cube else None
        for setting, extra in SETTINGS:
            if a.settings and setting not in a.settings:
                continue
            for threads in (1, 2):
                lanes = a.lanes // 4 if setting == "icf" else a.lanes
                pairs = []
                for i in range(a.rounds):
                    # Each goes first in turn.
                    order = (a.before, a.after) if i % 2 == 0 else (a.after, a.before)
                    rates = [rate(p, path, lanes, steps, threads, dt, key, controls, extra) for p in order]
                    pairs.append(rates if i % 2 == 0 else rates[::-1])
                wall = [after[0] / before[0] for before, after in pairs]
                processor = [after[1] / before[1] for before, after in pairs]
                alike = all(before[2] == after[2] for before, after in pairs)
                quartiles = statistics.quantiles(wall, n=4)
                line = {"scene": scene, "setting": setting, "threads": threads, "steps_per_s": round(statistics.median(after[0] for _, after in pairs))}
                line |= {"ratio": round(statistics.median(wall), 3), "quartiles": [round(q, 3) for q in quartiles[::2]], "ratio_of_processor_time": round(statistics.median(processor), 3), "depths_alike": alike}
                print(f"{scene:18} {setting:22} {threads} threads {line['steps_per_s']:9} steps/s  {line['ratio']:.3f} ({quartiles[0]:.3f} to {quartiles[2]:.3f}), processor time {line['ratio_of_processor_time']:.3f}, depths {'alike' if alike else 'differ'}", flush=True)
                with RECORDS.open("a") as f:
                    f.write(json.dumps(base | line) + "\n")


if __name__ == "__main__":
    main()
