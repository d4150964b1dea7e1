"""Default mode beside paper mode of ICF under error control, for one revision or for several.

    python3 benches/peers/modes.py PROGRAM.. --models MODEL.. [--accuracies 1e-1 1e-2 1e-3] [--time 1] [--rounds 3] [--names before after] [--options --mesh-surfaces]

The programs are binaries `modes` (`cargo build --release -p signorini-benches --bin modes`); they take turns in each round, which has one round of the modes, by model and accuracy. The record has the
least processor time over the rounds: of the whole run in each mode, which go their own ways, and of single attempts of both modes from equal states. Prints a table and appends one JSON line per
row to benches/records/modes.jsonl.
"""

import argparse
import json
import subprocess
from datetime import datetime, timezone
from pathlib import Path

from revisions import machine

RECORDS = Path(__file__).resolve().parents[1] / "records" / "modes.jsonl"


def rows(program, model, accuracy, time, options):
    """One round: a row for the motion of each mode, default mode first."""
    command = [program, model, "--accuracy", accuracy, "--time", time, "--rounds", 1, *options]
    told = subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in told.splitlines()]


def least(best, found):
    """The lesser times of two rounds of equal work."""
    best["run"]["s"] = min(best["run"]["s"], found["run"]["s"])
    for mode in ("default", "paper"):
        best[mode]["us"] = min(best[mode]["us"], found[mode]["us"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=Path, nargs="+")
    parser.add_argument("--models", type=Path, nargs="+", required=True)
    parser.add_argument("--accuracies", nargs="+", default=["1e-1", "1e-2", "1e-3"])
    parser.add_argument("--time", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--names", nargs="+", help="revisions, for the record")
    parser.add_argument("--options", nargs=argparse.REMAINDER, default=[], help="options of the programs, last")
    args = parser.parse_args()
    names = args.names or [p.name for p in args.programs]
    found = {}
    for _ in range(args.rounds):
        for key in ((model, accuracy) for model in args.models for accuracy in args.accuracies):
            for name, program in zip(names, args.programs, strict=True):
                new = rows(program, *key, args.time, args.options)
                for best, row in zip(found.setdefault((*key, name), new), new, strict=True):
                    least(best, row)
    with RECORDS.open("a") as records:
        for (model, accuracy, name), both in found.items():
            own = both[0]["run"]["s"] / both[1]["run"]["s"]
            for row in both:
                row["ratio_of_runs"] = own
                row["ratio"] = row["default"]["us"] / row["paper"]["us"]
                row |= {"revision": name, "rounds": args.rounds, "date": datetime.now(timezone.utc).isoformat(timespec="seconds"), **machine()}
                records.write(json.dumps(row) + "\n")
            paper, default = (f"{row['default']['us']:.0f}/{row['paper']['us']:.0f} µs = {row['ratio']:.1f}" for row in reversed(both))
            print(f"{model.name} {accuracy} {name}: runs {both[0]['run']['s'] * 1e3:.0f}/{both[1]['run']['s'] * 1e3:.0f} ms = {own:.1f}; attempts along default mode {default}, along paper mode {paper}")


if __name__ == "__main__":
    main()
