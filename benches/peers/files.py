"""Model files of a folder in MuJoCo and here: those refused here, by reason, and numbers that differ at random states, the worst first.

    benches/peers/run files.py DIR [--states 2] [--list FILE] [--record] [--program PATH]

All .xml, .mjcf and .urdf files below DIR that MuJoCo loads count; `--list` gives the files instead, one a line. Poses, mass matrix, bias and
acceleration (all forces but those of contacts and constraints) are compared, relative to the largest entry or 1; the bound is 1e-9.
`--record` writes benches/records/files.json, which the page cross/model_zoo shows. Without `--program` the example `file_forces` is built.
"""

import argparse
import collections
import datetime
import json
import os
import re
import select
import subprocess
import sys
import tempfile
from pathlib import Path

import mujoco
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
BOUND = 1e-9
OUTSIDE = re.compile(r"<(flex|flexcomp|deformable|plugin)\b|type=\"sdf\"")
LOADER = "import sys,mujoco\nfor p in sys.stdin:\n    try: mujoco.MjModel.from_xml_path(p.rstrip('\\n')); print(1, flush=True)\n    except BaseException: print(0, flush=True)"


class Worker:
    """A process that answers a line with a line, started again when it dies or hangs."""

    def __init__(self, command, seconds):
        self.command, self.seconds, self.process = command, seconds, None

    def ask(self, line):
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL, text=True)
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            ready, _, _ = select.select([self.process.stdout], [], [], self.seconds)
            answer = self.process.stdout.readline() if ready else ""
        except BrokenPipeError:
            answer = ""
        if not answer:
            self.process.kill()
            self.process = None
            return None
        return answer


def reason(error):
    """The refusal without file, numbers and names; the element stands in front."""
    text = re.sub(r"(\S*/)?[^\s/]*\.(xml|urdf|mjcf)(:\d+)*: ", "", error)
    text = re.sub(r"'[^']*'|\S*/\S+", "…", text).split(";")[0]
    return re.sub(r"-?\d[\d.e+-]*", "N", text)[:140]


def states_of(m, count, seed=1):
    rng = np.random.default_rng(seed)
    out = []
    for _ in range(count):
        q = m.qpos0.copy()
        mujoco.mj_integratePos(m, q, rng.uniform(-1, 1, m.nv), 1.0)
        for j in range(m.njnt):
            if m.jnt_type[j] >= 2 and m.jnt_limited[j]:
                q[m.jnt_qposadr[j]] = rng.uniform(*np.clip(m.jnt_range[j], -1e6, 1e6))
        low = np.where(m.actuator_ctrllimited, m.actuator_ctrlrange[:, 0], -1.0)
        high = np.where(m.actuator_ctrllimited, m.actuator_ctrlrange[:, 1], 1.0)
        s = {"q": q, "v": rng.uniform(-1, 1, m.nv), "act": rng.uniform(0, 1, m.na)}
        # Motors that are made here of a <transmission> get no control.
        out.append(s | {"ctrl": rng.uniform(low, high)} if m.nu else s)
    return out


def request(path, m, states):
    """The line that asks for a file's numbers; joints and coordinates stand in MuJoCo's order."""
    joints = [m.joint(j).name for j in range(m.njnt)]
    return json.dumps({"path": path, "joints": joints, "states": [{k: v.tolist() for k, v in s.items()} for s in states]})


def theirs(m, s):
    # Adhesion pulls at contacts, which are no part of the comparison.
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    d = mujoco.MjData(m)
    d.qpos[:], d.qvel[:], d.ctrl[:], d.act[:] = s["q"], s["v"], s.get("ctrl", 0.0), s["act"]
    mujoco.mj_forward(m, d)
    mass = np.zeros((m.nv, m.nv))
    mujoco.mj_fullM(m, d, mass)
    return {"xpos": d.xpos.copy(), "xquat": d.xquat.copy(), "mass_matrix": mass, "bias": d.qfrc_bias.copy(),
            "passive": d.qfrc_passive.copy(), "actuator": d.qfrc_actuator.copy(), "acceleration": d.qacc_smooth.copy()}


def difference(a, b):
    a, b = np.asarray(a, float).ravel(), np.asarray(b, float).ravel()
    if a.shape != b.shape:
        return np.inf
    return float(np.abs(a - b).max() / max(1.0, np.abs(b).max())) if a.size else 0.0


def compare(m, ours, states):
    """The largest difference of each quantity over the states."""
    worst = collections.Counter()
    names = [m.body(i).name for i in range(m.nbody)]
    pairs = [(i, ours["bodies"].index(n)) for i, n in enumerate(names) if n and n in ours["bodies"]]
    if len(pairs) < len(names) == len(ours["bodies"]):
        pairs = [(i, i) for i in range(m.nbody)]
    for s, mine in zip(states, ours["states"]):
        want = theirs(m, s)
        i, k = [p[0] for p in pairs], [p[1] for p in pairs]
        got_p, got_r = np.array(mine["xpos"]).reshape(-1, 3)[k], np.array(mine["xquat"]).reshape(-1, 4)[k]
        r = want["xquat"][i]
        turn = np.sign((got_r * r).sum(axis=1, keepdims=True)) if len(i) else 1.0
        worst["poses"] = max(worst["poses"], difference(got_p, want["xpos"][i]), difference(got_r * turn, r))
        for key in ("mass_matrix", "bias", "passive", "actuator", "acceleration"):
            worst[key] = max(worst[key], difference(mine[key], want[key]))
    return dict(worst)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("folder", type=Path)
    a.add_argument("--states", type=int, default=2)
    a.add_argument("--list", type=Path)
    a.add_argument("--record", action="store_true")
    a.add_argument("--program", type=Path)
    a = a.parse_args()
    a.folder = a.folder.resolve()
    if a.program is None:
        subprocess.run(["cargo", "build", "--release", "-p", "signorini-multibody", "--example", "file_forces"], cwd=ROOT, check=True)
        a.program = ROOT / "target/release/examples/file_forces"
    a.program = a.program.resolve()
    if a.list:
        files = [Path(p) for p in a.list.read_text().split("\n") if p]
    else:
        files = sorted(p for p in a.folder.rglob("*") if p.suffix.lower() in (".xml", ".mjcf", ".urdf"))
    # MuJoCo writes its warnings into the folder that it runs in.
    os.chdir(tempfile.mkdtemp())
    loader, program = Worker([sys.executable, "-c", LOADER], 60), Worker([str(a.program)], 60)
    total, outside, refused, differ, sizes = collections.Counter(), 0, {}, [], []
    kinds = collections.Counter()
    for p in files:
        text = p.read_text(errors="replace")
        kind = re.search(r"<\s*(mujoco|robot)\b", text)
        if not kind or (loader.ask(str(p)) or "0").strip() != "1":
            continue
        if OUTSIDE.search(text):
            outside += 1
            continue
        total[kind[1]] += 1
        m = mujoco.MjModel.from_xml_path(str(p))
        states = states_of(m, a.states)
        answer = program.ask(request(str(p), m, states))
        ours = json.loads(answer) if answer else {"error": "it stopped without an answer"}
        if str(ours.get("error", "")).startswith("sizes"):
            sizes.append((str(p), ours["error"]))
        elif "error" in ours:
            refused.setdefault(reason(ours["error"]), []).append((str(p), kind[1], ours["error"]))
            kinds[kind[1]] += 1
        else:
            worst = compare(m, ours, states)
            if not all(x <= BOUND for x in worst.values()):
                differ.append((max(worst.values()), str(p), worst))
    short = lambda p: p.replace(str(a.folder), "").lstrip("/")
    print(f"MuJoCo {mujoco.__version__}: {sum(total.values())} files ({dict(total)}), {outside} more with flexes, plugins or SDF geoms; "
          f"refused here {sum(kinds.values())} ({dict(kinds)}), other sizes {len(sizes)}, numbers beyond {BOUND:g} in {len(differ)}\n")
    rows = sorted(refused.items(), key=lambda r: -len(r[1]))
    for why, which in rows:
        print(f"{len(which):5}  {why}\n       {short(which[0][0])}: {which[0][2][-160:]}")
    for p, why in sizes:
        print(f"sizes  {short(p)}: {why}")
    for _, p, worst in sorted(differ, reverse=True):
        print(f"differ {short(p)}: " + ", ".join(f"{k} {v:.1e}" for k, v in worst.items() if not v <= BOUND))
    if a.record:
        record = {
            "date": datetime.date.today().isoformat(), "mujoco": mujoco.__version__, "mjcf": total["mujoco"], "urdf": total["robot"],
            "outside": outside, "mjcf_refused": kinds["mujoco"], "urdf_refused": kinds["robot"], "other_sizes": len(sizes), "bound": BOUND,
            "refused": [{"reason": why, "files": len(which)} for why, which in rows],
            "differ": [{"file": short(p), "worst": {k: v for k, v in w.items() if not v <= BOUND}}
                       for _, p, w in sorted(differ, key=lambda d: (-d[0], d[1]))],
        }
        (ROOT / "benches/records/files.json").write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
