"""Runs the peer scenes, prints a table and appends one JSON line per row to benches/records/peers.jsonl."""

import argparse
import json
import os
import platform
import statistics
import subprocess
import time
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path

import drake_engine
import mujoco
import mujoco_engine
import signorini_engine
import spot

HERE = Path(__file__).resolve().parent
RECORDS = HERE.parent / "records" / "peers.jsonl"
# Scene, our settings, the peer, its settings, the largest ratio of wall times that is aimed at.
RATIOS = [
    ("hard_clutter", {"accuracy": 1e-3}, "drake", {"accuracy": 1e-3}, 0.5),
    ("hard_clutter", {"accuracy": 1e-3, "paper": True}, "drake", {"accuracy": 1e-3, "reuse": True}, None),
    ("hard_clutter", {"accuracy": 1e-2}, "mujoco", {"dt": 1e-2, "jacobian": "dense"}, None),
    ("hard_clutter", {"dt": 1e-2}, "mujoco", {"dt": 1e-2, "jacobian": "dense"}, None),
    ("spot", {"dt": 1e-3}, "mujoco", {"dt": 1e-3}, 1.0),
    ("spot", {"accuracy": 1e-3}, "drake", {"accuracy": 1e-3}, None),
]
KEYS = ("steps", "rejected", "newton_iterations", "max_penetration", "cpu_min_s")


def machine():
    """Processor model, cores, load and versions: what a time must be read with."""
    cpu = platform.processor() or platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                cpu = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    return {
        "cpu": cpu,
        "cores": os.cpu_count(),
        "load_average": round(os.getloadavg()[0], 2),
        "versions": {name: version(name) for name in ("drake", "mujoco", "numpy", "scipy")}
        | {"python": platform.python_version()},
    }


def revision():
    """The revision that is measured, marked where files differ from it."""
    return subprocess.run(["git", "describe", "--always", "--dirty"], cwd=HERE, check=True, capture_output=True, text=True).stdout.strip()


class Table:
    """Prints rows as they come and appends them to the record file."""

    def __init__(self, out):
        self.out = out
        self.base = machine() | {"date": datetime.now(timezone.utc).isoformat(timespec="seconds")}
        self.walls = {}
        print(f"{self.base['cpu']}, {self.base['cores']} cores, load {self.base['load_average']}; one thread")
        head = ("scene", "engine", "settings", "median [s]", "min", "max", "n")
        print(("{:<20}{:<10}{:<26}{:>11}{:>9}{:>9}{:>4}" + "{:>9}" * 5).format(
            *head, "steps", "rejected", "Newton", "pen [mm]", "cpu [s]"))

    def add(self, scene, engine, settings, walls, counts, note=None):
        """One row: wall times [s] and counts of a run."""
        counts = {k: counts.get(k) for k in (*KEYS, *(k for k in counts if k not in KEYS))}
        row = {
            "scene": scene, "engine": engine, "settings": settings,
            "wall_median_s": statistics.median(walls), "wall_min_s": min(walls), "wall_max_s": max(walls),
            "n": len(walls), **counts, **self.base,
        }
        if note:
            row["note"] = note
        self.walls[scene, engine, *settings.items()] = row["wall_median_s"]
        pen = counts["max_penetration"]
        shown = " ".join(f"{k} {v:g}" if not isinstance(v, str | bool) else f"{k} {v}" for k, v in settings.items())
        print(f"{scene:<20}{engine:<10}{shown:<26}{row['wall_median_s']:>11.4f}{row['wall_min_s']:>9.4f}"
              f"{row['wall_max_s']:>9.4f}{row['n']:>4}{counts['steps']:>9.6g}{counts['rejected']:>9.6g}"
              f"{counts['newton_iterations']:>9.6g}{'-' if pen is None else format(1e3 * pen, '9.2f'):>9}"
              f"{'-' if counts['cpu_min_s'] is None else format(counts['cpu_min_s'], '9.4f'):>9}", flush=True)
        self.write(row)

    def write(self, row):
        if self.out:
            self.out.parent.mkdir(parents=True, exist_ok=True)
            with self.out.open("a") as f:
                f.write(json.dumps(row) + "\n")

    def ratios(self):
        """Our wall time over the peer's, of this run."""
        print()
        for scene, ours, peer, theirs, goal in RATIOS:
            a = self.walls.get((scene, "signorini", *ours.items()))
            b = self.walls.get((scene, peer, *theirs.items()))
            if a is None or b is None:
                continue
            goal_text = "recorded only" if goal is None else f"goal: at most {goal}"
            print(f"{scene}: signorini {ours} / {peer} {theirs} = {a / b:.2f} ({goal_text})")
            self.write({"ratio": a / b, "goal": goal, "scene": scene, "signorini": ours, peer: theirs} | self.base)


def scene_path(name):
    return HERE / "scenes" / f"{name}.json"


def load(name):
    return json.loads(scene_path(name).read_text())


def over_seeds(table, name, engine, seeds, settings, run):
    """One run per seed, as one row of medians over the seeds (walls: one per seed)."""
    walls, all_counts = [], []
    for seed in seeds:
        w, c = run(load(f"{name}_seed{seed}"))
        walls.append(statistics.median(w))
        all_counts.append(c)
    counts = {k: statistics.median(c[k] for c in all_counts) for k in all_counts[0] if all_counts[0][k] is not None}
    counts["newton_iterations_per_seed"] = [c["newton_iterations"] for c in all_counts]
    counts["steps_per_seed"] = [c["steps"] for c in all_counts]
    if len(seeds) == 1:
        counts["seed"] = seeds[0]
    table.add(name, engine, settings, walls, counts, f"medians over seeds {list(seeds)}")


def clutter(table, name, peer, seeds, accuracies, repeats):
    def drake(settings, seeds):
        over_seeds(table, name, "drake", seeds, settings,
                   lambda scene: drake_engine.run(drake_engine.build(scene), scene["duration"], settings, repeats))

    def ours(settings, seeds):
        over_seeds(table, name, "signorini", seeds, settings,
                   lambda scene: signorini_engine.run(peer, scene_path(scene["name"]), settings, repeats))

    for accuracy in accuracies:
        drake({"accuracy": accuracy}, seeds)
        ours({"accuracy": accuracy}, seeds)
        ours({"accuracy": accuracy, "paper": True}, seeds)
    drake({"accuracy": 1e-3, "reuse": True}, seeds)
    drake({"dt": 1e-2}, seeds[:1])
    ours({"dt": 1e-2}, seeds)
    for dt in (1e-2, 1e-3):
        for jacobian in ("dense", "auto"):
            over_seeds(table, name, "mujoco", seeds if dt == 1e-2 else seeds[:1], {"dt": dt, "jacobian": jacobian},
                       lambda scene, h=dt, j=jacobian: mujoco_run(scene, h, j, repeats))


def mujoco_run(scene, dt, jacobian, repeats):
    model = mujoco.MjModel.from_xml_string(mujoco_engine.scene_xml(scene, dt, jacobian))
    walls, counts, _ = mujoco_engine.run(
        model, lambda data: mujoco_engine.initialise(model, data, scene), scene["duration"], repeats)
    return walls, counts


def sphere_drop(table, peer, repeats):
    scene = load("sphere_drop")
    built = drake_engine.build(scene)
    for settings in ({"accuracy": a} for a in (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)):
        table.add("sphere_drop", "drake", settings,
                  *drake_engine.run(built, scene["duration"], settings, repeats))
        table.add("sphere_drop", "signorini", settings,
                  *signorini_engine.run(peer, scene_path("sphere_drop"), settings, repeats))
    for dt in (1e-2, 1e-3):
        table.add("sphere_drop", "mujoco", {"dt": dt}, *mujoco_run(scene, dt, "dense", repeats))


def spot_stand(table, peer, repeats):
    path = spot.model_path()
    if path is None:
        print("skipped: boston_dynamics_spot/spot.xml is absent (set SIGNORINI_MODELS)")
        return
    for dt in (1e-2, 2e-3, 1e-3):
        model, reset = spot.mujoco_model(path, dt)
        walls, counts, data = mujoco_engine.run(model, reset, spot.DURATION, repeats)
        counts["final_base_height"] = float(data.qpos[2])
        table.add("spot", "mujoco", {"dt": dt}, walls, counts)
        table.add("spot", "signorini", {"dt": dt},
                  *signorini_engine.run(peer, path, {"dt": dt}, repeats, model=True))
    built = spot.drake_built(path)
    for settings in ({"accuracy": 1e-1}, {"accuracy": 1e-2}, {"accuracy": 1e-3}, {"accuracy": 1e-4}, {"dt": 1e-3}):
        table.add("spot", "drake", settings, *drake_engine.run(built, spot.DURATION, settings, repeats))
        if "accuracy" in settings:
            table.add("spot", "signorini", settings,
                      *signorini_engine.run(peer, path, settings, repeats, model=True))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", nargs="+", default=["hard_clutter", "soft_clutter", "spot", "sphere_drop"],
                        choices=["hard_clutter", "soft_clutter", "spot", "sphere_drop"])
    parser.add_argument("--seeds", type=int, default=10, help="hard clutter: how many of the ten seeds")
    parser.add_argument("--repeats", type=int, default=3, help="timed repetitions of a run")
    parser.add_argument("--tight", action="store_true", help="clutter at accuracy 1e-5 as well")
    parser.add_argument("--no-record", action="store_true", help="print only")
    parser.add_argument("--out", type=Path, default=RECORDS)
    arguments = parser.parse_args()
    accuracies = [1e-1, 1e-2, 1e-3, 1e-4] + ([1e-5] if arguments.tight else [])
    table = Table(None if arguments.no_record else arguments.out)
    peer = signorini_engine.binary()
    start = time.perf_counter()
    for scene in arguments.scenes:
        if scene == "hard_clutter":
            clutter(table, scene, peer, range(arguments.seeds), accuracies, arguments.repeats)
        elif scene == "soft_clutter":
            clutter(table, scene, peer, range(1), accuracies, arguments.repeats)
        elif scene == "spot":
            spot_stand(table, peer, arguments.repeats)
        else:
            sphere_drop(table, peer, arguments.repeats)
    table.ratios()
    print(f"total {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
