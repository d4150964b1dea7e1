"""Model files of SDFormat and model directives in Drake and here: sizes, masses, poses, and forces at random states.

    benches/peers/run drake_files.py FILE|DIR... [--states 3] [--program PATH] [--write FILE]

All .sdf, .world and .dmd.yaml files that are named, or lie below a folder that is named, and that Drake loads count. Compared are the number of
bodies, the total mass, the inertia of each body, its pose at zero positions, the positions at the start, and at random states pose, mass matrix, bias (Coriolis and gravity
forces), springs and dampers and the accelerations from these, each relative to the largest entry or 1; the bound is 1e-9. Welds, floating, revolute,
prismatic, planar, universal and ball joints are translated to the coordinates here; a file with others counts as outside. `--write` stores the
numbers of Drake in the coordinates here. Without `--program` the example `file_forces` is built.
"""

import argparse
import collections
import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
from pydrake.all import (BodyIndex, JointIndex, MultibodyForces, MultibodyPlant, Parser, Quaternion, RotationMatrix,
                         SceneGraph, world_model_instance)

from files import Worker

ROOT = Path(__file__).resolve().parents[2]
BOUND = 1e-9
KINDS = (".sdf", ".world", ".dmd.yaml")


def plant_of(path):
    """The file in Drake; folders above it are packages by their names."""
    plant = MultibodyPlant(time_step=1e-3)
    scene = SceneGraph()
    plant.RegisterAsSourceForSceneGraph(scene)
    parser = Parser(plant)
    packages = parser.package_map()
    for folder in path.resolve().parents:
        name = folder.name
        if name and not packages.Contains(name):
            packages.Add(name, str(folder))
    parser.AddModels(str(path))
    plant.Finalize()
    return plant


def name_of(plant, part, ours):
    """The name here of a part of Drake's: with that of its model, or without that of the model that the file is."""
    if part.model_instance() == world_model_instance():
        return part.name()
    full = plant.GetModelInstanceName(part.model_instance()) + "::" + part.name()
    known = lambda n: any(o == n or o.startswith(n + "_") for o in ours)
    # Drake gives a joint the model of its child: shorter scopes are tried, too.
    parts = full.split("::")
    scopes = [parts[i:k] for i in (0, 1) for k in range(len(parts) - 1, i - 1, -1)]
    names = ["::".join(s + parts[-1:]) for s in scopes]
    return next((n for n in names if known(n)), full)


class Coordinates:
    """Coordinates of Drake as functions of those here: per joint of Drake the names of those here, and both maps."""

    def __init__(self, plant, ours):
        self.plant, self.names, self.joints = plant, [], []
        self.outside = None
        self.zero = plant.CreateDefaultContext()
        for i in range(plant.num_joints()):
            j = plant.get_joint(JointIndex(i))
            n = name_of(plant, j, ours["joints"])
            kind = j.type_name()
            if kind == "weld":
                continue
            child = name_of(plant, j.child_body(), ours["bodies"])
            floating = next((f for f in (f"{child}_free", child.rpartition("::")[0] + "::root_joint", "root_joint") if f in ours["joints"]), None)
            own = {"quaternion_floating": [floating], "revolute": [n], "prismatic": [n], "planar": [n + "_x", n + "_y", n + "_theta"],
                   "universal": [n + "_1", n + "_2"], "ball_rpy": [n]}.get(kind)
            if own is None:
                self.outside = f"a joint of type {kind}"
                return
            missing = [o for o in own if o not in ours["joints"]]
            if missing:
                self.outside = f"no joint {missing} for {n} ({kind})"
                return
            if kind == "universal" and ours["joints"].index(own[0]) > ours["joints"].index(own[1]):
                self.outside = "a universal joint against its direction"
                return
            self.names += own
            self.joints.append((j, kind))

    def state(self, rng):
        """A random state: (q, v) of Drake, (q, v) here, and the matrix from velocities here to those of Drake."""
        plant = self.plant
        q, v = np.array(plant.GetPositions(self.zero)), rng.uniform(-1, 1, plant.num_velocities())
        context = plant.CreateDefaultContext()
        for j, kind in self.joints:
            at, size = j.position_start(), j.num_positions()
            if kind == "quaternion_floating":
                w = rng.normal(size=4)
                q[at:at + 4], q[at + 4:at + 7] = w / np.linalg.norm(w), rng.uniform(-1, 1, 3)
            else:
                q[at:at + size] = rng.uniform(-1, 1, size)
        plant.SetPositions(context, q)
        plant.SetVelocities(context, v)
        t = np.zeros((len(v), len(v)))
        row = 0
        for j, kind in self.joints:
            at, size, av, nv = j.position_start(), j.num_positions(), j.velocity_start(), j.num_velocities()
            if kind == "quaternion_floating":
                r = RotationMatrix(Quaternion(q[at:at + 4])).matrix()
                t[av:av + 3, row + 3:row + 6], t[av + 3:av + 6, row:row + 3] = r, np.eye(3)
            elif kind == "ball_rpy":
                # Angular velocity of Drake is in the axes of the joint on the parent, that here in those of the child.
                x_pf = j.frame_on_parent().CalcPoseInBodyFrame(context).rotation().matrix()
                t[av:av + 3, row:row + 3] = x_pf.T @ turned(j, context)
            else:
                t[av:av + nv, row:row + nv] = np.eye(nv)
            row += nv
        return (q, v), (self.own_positions(q), np.linalg.solve(t, v)), t

    def own_positions(self, q):
        """Positions of Drake as those here."""
        plant, out = self.plant, []
        zero, context = plant.CreateDefaultContext(), plant.CreateDefaultContext()
        plant.SetPositions(zero, zero_positions(self))
        plant.SetPositions(context, q)
        for j, kind in self.joints:
            at, size = j.position_start(), j.num_positions()
            if kind == "quaternion_floating":
                out += [*q[at + 4:at + 7], *q[at:at + 4]]
            elif kind == "ball_rpy":
                # Turn of the child in its own axes since zero.
                out += list(RotationMatrix(turned(j, zero).T @ turned(j, context)).ToQuaternion().wxyz())
            else:
                out += list(q[at:at + size])
        return np.array(out)


def turned(j, context):
    """Rotation of the child of a joint in its parent."""
    return (j.parent_body().EvalPoseInWorld(context).rotation().inverse() @ j.child_body().EvalPoseInWorld(context).rotation()).matrix()


def zero_positions(c):
    """Zero of all but the poses of floating bodies, which are those of the file."""
    q = np.array(c.plant.GetPositions(c.zero))
    for j, kind in c.joints:
        if kind != "quaternion_floating":
            q[j.position_start():j.position_start() + j.num_positions()] = 0.0
    return q


def theirs(c, drake, t, bodies):
    """Numbers of Drake at a state, in the coordinates here."""
    plant = c.plant
    q, v = drake
    context = plant.CreateDefaultContext()
    plant.SetPositions(context, q)
    plant.SetVelocities(context, v)
    mass = plant.CalcMassMatrix(context)
    gravity = plant.CalcGravityGeneralizedForces(context)
    bias = plant.CalcBiasTerm(context) - gravity
    forces = MultibodyForces(plant)
    plant.CalcForceElementsContribution(context, forces)
    passive = plant.CalcGeneralizedForces(context, forces) - gravity
    out = {"mass_matrix": t.T @ mass @ t, "bias": t.T @ bias, "passive": t.T @ passive,
           "acceleration": np.linalg.solve(t, np.linalg.solve(mass, passive - bias))}
    return out | poses(c, context, bodies)


def poses(c, context, bodies):
    x = [b.EvalPoseInWorld(context) for b in bodies]
    return {"xpos": np.array([p.translation() for p in x]), "xmat": np.array([p.rotation().matrix() for p in x])}


def matrix(quaternions):
    return np.array([RotationMatrix(Quaternion(np.array(w) / np.linalg.norm(w))).matrix() for w in quaternions])


def difference(a, b):
    a, b = np.asarray(a, float).ravel(), np.asarray(b, float).ravel()
    if a.shape != b.shape:
        return np.inf
    return float(np.abs(a - b).max() / max(1.0, np.abs(b).max())) if a.size else 0.0


def compare(path, program, count, seed=1):
    """The row of a file, and Drake's numbers."""
    try:
        plant = plant_of(path)
    except BaseException as e:  # Drake ends some files by an assertion.
        return {"outside": "Drake: " + str(e).split("\n")[0][:120]}, None
    first = program.ask(json.dumps({"path": str(path), "states": []}))
    ours = json.loads(first) if first else {"error": "it stopped without an answer"}
    if "error" in ours:
        return {"refused": ours["error"]}, None
    c = Coordinates(plant, ours)
    row = {"bodies": (plant.num_bodies(), len(ours["bodies"])), "velocities": (plant.num_velocities(), ours["nv"])}
    if c.outside:
        return row | {"outside": c.outside}, None
    bodies = [plant.get_body(BodyIndex(i)) for i in range(1, plant.num_bodies())]
    names = [name_of(plant, b, ours["bodies"]) for b in bodies]
    if set(names) - set(ours["bodies"]):
        return row | {"outside": f"no body {sorted(set(names) - set(ours['bodies']))[0]}"}, None
    at = [ours["bodies"].index(n) for n in names]
    rng = np.random.default_rng(seed)
    states = [c.state(rng) for _ in range(count)]
    zero = c.plant.CreateDefaultContext()
    plant.SetPositions(zero, zero_positions(c))
    request = {"path": str(path), "joints": c.names, "states": [{}] + [{"q": q.tolist(), "v": v.tolist()} for _, (q, v), _ in states]}
    ours = json.loads(program.ask(json.dumps(request)) or '{"error": "it stopped without an answer"}')
    if "error" in ours:
        return {"refused": ours["error"]}, None
    worst = collections.Counter()
    inertias = [np.concatenate([[m.get_mass()], m.get_mass() * m.get_com(), m.CalcRotationalInertia().CopyToFullMatrix3().ravel()])
                for m in (b.CalcSpatialInertiaInBodyFrame(zero) for b in bodies)]
    mass = [ours["masses"][i] for i in at]
    worst["mass"] = abs(sum(m[0] for m in mass) - sum(i[0] for i in inertias)) / max(1.0, sum(i[0] for i in inertias))
    worst["inertia"] = difference(mass, inertias)
    start = poses(c, zero, bodies)
    drawn = ours["states"][0]
    worst["zero"] = max(difference(np.array(drawn["xpos"])[at], start["xpos"]),
                        difference(matrix([drawn["xquat"][i] for i in at]), start["xmat"]))
    start = c.own_positions(np.array(plant.GetPositions(c.zero)))
    worst["start"] = difference(ours["start"], start) if len(c.names) else 0.0
    record = {"joints": c.names, "start": start.tolist(), "bodies": names, "inertias": [i.tolist() for i in inertias], "states": []}
    for (drake, own, t), mine in zip(states, ours["states"][1:]):
        want = theirs(c, drake, t, bodies)
        got = {k: mine[k] for k in ("mass_matrix", "bias", "passive", "acceleration")}
        got |= {"xpos": np.array(mine["xpos"])[at], "xmat": matrix([mine["xquat"][i] for i in at])}
        for k, x in got.items():
            worst[k] = max(worst[k], difference(x, want[k]))
        record["states"].append({"q": own[0].tolist(), "v": own[1].tolist()} | {k: x.tolist() for k, x in want.items()})
    return row | {"worst": dict(worst)}, record


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("paths", type=Path, nargs="+")
    a.add_argument("--states", type=int, default=3)
    a.add_argument("--program", type=Path)
    a.add_argument("--write", type=Path)
    a = a.parse_args()
    if a.program is None:
        subprocess.run(["cargo", "build", "--release", "-p", "signorini-multibody", "--example", "file_forces"], cwd=ROOT, check=True)
        a.program = ROOT / "target/release/examples/file_forces"
    files = []
    for p in a.paths:
        below = sorted(f for f in p.rglob("*") if f.name.endswith(KINDS)) if p.is_dir() else [p]
        files += below
    program = Worker([str(a.program.resolve())], 60)
    columns = ["mass", "inertia", "zero", "start", "xpos", "xmat", "mass_matrix", "bias", "passive", "acceleration"]
    print(f"Drake {version('drake')}; bodies and velocities: Drake's and ours; bound {BOUND:g}")
    print(f"{'file':44} {'bodies':>8} {'nv':>8} " + " ".join(f"{c[:10]:>10}" for c in columns))
    bad, cases = 0, []
    for f in files:
        row, record = compare(f.resolve(), program, a.states)
        name = "/".join(f.parts[-2:])[-44:]
        if "worst" not in row:
            print(f"{name:44} " + "; ".join(f"{k}: {v}" for k, v in row.items() if k in ("outside", "refused")))
            continue
        beyond = [k for k, x in row["worst"].items() if not x <= BOUND]
        bad += bool(beyond) or row["bodies"][0] != row["bodies"][1] or row["velocities"][0] != row["velocities"][1]
        print(f"{name:44} {'%d %d' % row['bodies']:>8} {'%d %d' % row['velocities']:>8} "
              + " ".join(f"{row['worst'].get(c, 0):10.1e}" for c in columns))
        cases.append({"file": f.name} | record)
    if a.write:
        a.write.write_text(json.dumps({"engine": f"drake {version('drake')}", "cases": cases}) + "\n")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
