"""Two revisions of the peer benchmark beside one another: the scenes of this folder by error control, in default and paper mode, and by equal steps.

    python3 benches/peers/turns.py BEFORE AFTER --names 25e22647 HEAD [--spot spot.xml] [--rounds 4] [--note "what else ran"]

BEFORE and AFTER are the binaries `peer` of two revisions (`cargo build --release -p signorini-benches --bin peer`). They take turns; times are those of the processor in user mode, per run,
the least of all rounds, which other load on the machine changes least. Prints a table and appends one JSON line per row to benches/records/turns.jsonl.
"""

import argparse
import json
import resource
import subprocess
from datetime import datetime, timezone
from pathlib import Path

from revisions import machine

HERE = Path(__file__).resolve().parent
RECORDS = HERE.parent / "records" / "turns.jsonl"
SCENES = ["hard_clutter_seed0", "hard_clutter_seed1", "soft_clutter_seed0", "sphere_drop"]
COUNTS = ["steps", "rejected", "newton_iterations", "line_search_iterations"]
LENGTH = 0.25


def rows(spot):
    """Name, arguments of the scene and of the stepping."""
    for name in SCENES:
        scene = [HERE / "scenes" / f"{name}.json"]
        for accuracy in ["1e-1", "1e-2", "1e-3"]:
            yield name, scene, ["--accuracy", accuracy]
            yield name, scene, ["--accuracy", accuracy, "--paper-mode"]
        for dt in ["0.01", "0.002"]:
            yield name, scene, ["--dt", dt]
    if spot:
        scene = [spot, "--floor", "--duration", "3"]
        yield "spot", scene, ["--accuracy", "1e-3"]
        yield "spot", scene, ["--accuracy", "1e-3", "--paper-mode"]
        yield "spot", scene, ["--dt", "0.001"]


def run(program, scene, stepping, repeats):
    """Processor time per run [s], the least wall time [s], and the counts; the program makes one run more, for the counts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    command = [program, *scene, *stepping, "--repeats", repeats]
    out = json.loads(subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True).stdout)
    time = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return time / (repeats + 1), min(out["walls"]), out["counts"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--names", nargs=2, default=["before", "after"], help="revisions, for the record")
    parser.add_argument("--spot", type=Path, help="model of the robot Spot")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--note", default="")
    a = parser.parse_args()
    programs = [a.before.resolve(), a.after.resolve()]
    for name, scene, stepping in rows(a.spot):
        repeats = max(1, min(4000, int(LENGTH / run(programs[0], scene, stepping, 1)[1])))
        times, counts = [[], []], [None, None]
        for k in range(a.rounds):
            for i in (0, 1) if k % 2 == 0 else (1, 0):
                time, _, counts[i] = run(programs[i], scene, stepping, repeats)
                times[i].append(time)
        least = [1e3 * min(t) for t in times]
        date = datetime.now(timezone.utc).isoformat(timespec="seconds")
        row = {**machine(), "date": date, "before": a.names[0], "after": a.names[1], "rounds": a.rounds, "note": a.note, "scene": name, "setting": " ".join(stepping)}
        row |= {"user_ms": [round(t, 4) for t in least], "ratio": round(least[1] / least[0], 3)} | {c: [n[c] for n in counts] for c in COUNTS}
        iterations = row["newton_iterations"]
        print(f"{name:20} {row['setting']:28} {least[0]:9.3f} {least[1]:9.3f} ms  ratio {row['ratio']:.3f}  iterations {iterations[0]} {iterations[1]}", flush=True)
        with RECORDS.open("a") as f:
            f.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
