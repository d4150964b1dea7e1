"""Recorded tosses of a cube in MuJoCo and Drake: the page cross/cube_toss draws them beside this project's methods.

    python3 benches/peers/tosses.py [--tosses FILE] [--engines NAME ...] [--iterations N]

Every sixth toss is one of those to which friction, stiffness and dissipation are fitted: Nelder and Mead's search over their logarithms, with the page's start, simplex and cost (mean
error of position in block widths plus mean error of rotation in radians). The others are predicted from their first state and from the filtered one. Steps of 1/1480 s. Writes benches/records/tosses.json,
one row per engine; rows of engines that are not named stay. An engine that is not installed is told and left out.

    MuJoCo    a box on a plane, condim 3, either cone; solref in its direct form: stiffness [1/s^2] and damping [1/s] are fitted, solimp is the default.
    Drake     a discrete plant, contact approximation "lagged", eight spheres of 0.1 mm at the corners, because a box on a half-space is one point of contact in Drake.
"""

import argparse
import json
from datetime import datetime, timezone
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

HERE = Path(__file__).resolve().parent
FILE = HERE.parents[2] / "shared" / "cases" / "tosses" / "cube_tosses.npz"
RECORD = HERE.parent / "records" / "tosses.json"
GRAVITY = 9.81
SUBSTEPS = 10
EDGE = 0.4


class Mujoco:
    """One model per set of parameters; every toss starts from reset data."""

    def __init__(self, data, cone):
        import mujoco

        self.mujoco, self.data, self.cone = mujoco, data, cone
        self.version = mujoco.__version__
        self.name = f"MuJoCo, {cone} cones"
        self.units = ["1", "1/s²", "1/s"]
        self.start = [0.18, 2e4, 1e2]

    def set(self, parameters):
        mu, k, b = parameters
        h, m, i = self.data["half_width"], self.data["mass"], self.data["inertia"]
        xml = f"""<mujoco><option timestep="{self.data["dt"] / SUBSTEPS!r}" gravity="0 0 {-GRAVITY}" cone="{self.cone}"/>
<default><geom condim="3" friction="{mu!r} 0 0" solref="{-k!r} {-b!r}"/></default>
<worldbody><geom type="plane" size="0 0 1"/><body><freejoint/><inertial pos="0 0 0" mass="{m}" diaginertia="{i} {i} {i}"/>
<geom type="box" size="{h} {h} {h}"/></body></worldbody></mujoco>"""
        self.model = self.mujoco.MjModel.from_xml_string(xml)
        self.state = self.mujoco.MjData(self.model)

    def poses(self, start, frames):
        self.mujoco.mj_resetData(self.model, self.state)
        self.state.qpos[:], self.state.qvel[:] = start[:7], start[7:]
        out = np.empty((frames, 7))
        out[0] = start[:7]
        for k in range(1, frames):
            self.mujoco.mj_step(self.model, self.state, nstep=SUBSTEPS)
            out[k] = self.state.qpos
        return out


class Drake:
    """One plant per set of parameters; every toss starts from a context of its own."""

    def __init__(self, data):
        import importlib.metadata

        import pydrake.all as drake

        self.drake, self.data = drake, data
        self.version = importlib.metadata.version("drake")
        self.name = "Drake, discrete, lagged"
        self.units = ["1", "N/m", "s/m"]
        self.start = [0.18, 8e3, 3.0]

    def set(self, parameters):
        drake = self.drake
        mu, k, d = parameters
        h, m, i = (self.data[n] for n in ("half_width", "mass", "inertia"))
        builder = drake.DiagramBuilder()
        config = drake.MultibodyPlantConfig(
            time_step=self.data["dt"] / SUBSTEPS, contact_model="point", discrete_contact_approximation="lagged"
        )
        plant, _ = drake.AddMultibodyPlant(config, builder)
        plant.mutable_gravity_field().set_gravity_vector([0.0, 0.0, -GRAVITY])
        soft, rigid = drake.ProximityProperties(), drake.ProximityProperties()
        drake.AddContactMaterial(d, k, drake.CoulombFriction(mu, mu), soft)
        drake.AddContactMaterial(0.0, 1e12, drake.CoulombFriction(mu, mu), rigid)
        plant.RegisterCollisionGeometry(plant.world_body(), drake.RigidTransform(), drake.HalfSpace(), "board", rigid)
        body = plant.AddRigidBody("cube", drake.SpatialInertia(m, np.zeros(3), drake.UnitInertia(i / m, i / m, i / m)))
        r = 1e-4
        for n in range(8):
            at = [(h - r) * (1 if n >> axis & 1 else -1) for axis in range(3)]
            plant.RegisterCollisionGeometry(body, drake.RigidTransform(at), drake.Sphere(r), f"corner{n}", soft)
        plant.Finalize()
        self.plant, self.body, self.diagram = plant, body, builder.Build()

    def poses(self, start, frames):
        drake = self.drake
        simulator = drake.Simulator(self.diagram)
        context = self.plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
        rotation = drake.RotationMatrix(drake.Quaternion(start[3:7] / np.linalg.norm(start[3:7])))
        self.plant.SetFreeBodyPose(context, self.body, drake.RigidTransform(rotation, start[:3]))
        velocity = drake.SpatialVelocity(rotation.multiply(start[10:13]), start[7:10])
        self.plant.SetFreeBodySpatialVelocity(context, self.body, velocity)
        simulator.Initialize()
        out = np.empty((frames, 7))
        out[0] = start[:7]
        for k in range(1, frames):
            simulator.AdvanceTo(k * self.data["dt"])
            q = self.plant.GetPositions(context)
            out[k, :3], out[k, 3:] = q[4:], q[:4]
        return out


def load(path):
    """Arrays of the file; those of one number as that."""
    return {k: float(v) if v.ndim == 0 else v for k, v in np.load(path).items()}


def filtered(rows, data):
    """The first state from all rows of the flight, at most twenty: lines through the places less the fall, and the mean spin."""
    h, dt = data["half_width"], data["dt"]
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    n = 0
    for row in rows[:20]:
        w, x, y, z = row[3:7]
        lowest = np.array([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)])
        if row[2] + h * (signs @ lowest).min() < 3e-3:
            break
        n += 1
    start = rows[0].copy()
    if n < 3:
        return start
    t = np.arange(n) * dt
    places = rows[:n, :3].copy()
    places[:, 2] += 0.5 * GRAVITY * t**2
    lines = np.polyfit(t, places, 1)
    start[7:10], start[:3] = lines
    start[10:13] = rows[1:n, 10:13].mean(axis=0)
    return start


def errors(poses, rows, width):
    """Mean errors of a toss: position in block widths, rotation in radians."""
    place = np.linalg.norm(poses[:, :3] - rows[:, :3], axis=1).mean() / width
    same = np.abs((poses[:, 3:] * rows[:, 3:7]).sum(axis=1)) / np.linalg.norm(poses[:, 3:], axis=1)
    return place, (2 * np.arccos(np.minimum(same, 1.0))).mean()


def mean_errors(engine, tosses, starts, width):
    return np.mean([errors(engine.poses(s, len(t)), t, width) for t, s in zip(tosses, starts, strict=True)], axis=0)


def run(engine, data, iterations):
    x, offset = data["x"], data["offset"]
    tosses = [x[a:b] for a, b in zip(offset[:-1], offset[1:], strict=True)]
    fit, rest = tosses[::6], [t for i, t in enumerate(tosses) if i % 6]
    width = 2 * data["half_width"]

    def cost(logs):
        engine.set(np.exp(logs).tolist())
        return float(sum(mean_errors(engine, fit, [t[0] for t in fit], width)))

    start = np.log(engine.start)
    simplex = np.vstack([start, start + EDGE * np.eye(3)])
    options = {"initial_simplex": simplex, "maxiter": iterations, "fatol": 1e-4, "xatol": 1e-9}
    found = minimize(cost, start, method="Nelder-Mead", options=options)
    parameters = np.exp(found.x).tolist()
    engine.set(parameters)
    on = {
        "fitted": mean_errors(engine, fit, [t[0] for t in fit], width),
        "predicted": mean_errors(engine, rest, [t[0] for t in rest], width),
        "filtered": mean_errors(engine, rest, [filtered(t, data) for t in rest], width),
    }
    row = {"engine": engine.name, "version": engine.version, "parameters": parameters, "units": engine.units, "evaluations": int(found.nfev)}
    return row | {k: [float(v[0]), float(v[1])] for k, v in on.items()}


ENGINES = {"elliptic": lambda d: Mujoco(d, "elliptic"), "pyramidal": lambda d: Mujoco(d, "pyramidal"), "drake": Drake}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tosses", type=Path, default=FILE)
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    parser.add_argument("--iterations", type=int, default=40)
    a = parser.parse_args()
    data = load(a.tosses)
    record = json.loads(RECORD.read_text()) if RECORD.is_file() else {"rows": []}
    for name in a.engines:
        try:
            engine = ENGINES[name](data)
        except ImportError as e:
            print(f"{name}: left out, {e}")
            continue
        row = run(engine, data, a.iterations)
        print(row, flush=True)
        record["rows"] = [r for r in record["rows"] if r["engine"] != row["engine"]] + [row]
        record["date"] = datetime.now(timezone.utc).strftime("%Y-%m-%d")
        RECORD.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
