"""Everyday motion in MuJoCo and Drake: the page cross/daily puts the numbers beside this project's.

    python3 benches/peers/daily.py

Reads validation/data/daily/lines.json and the scene of each line, and writes benches/records/daily.json. Steps of 2 ms. A scene that an engine cannot read is in the record with the
engine's message. An engine that is not installed is told, and its rows of before stay.

    MuJoCo    the file as it is, default integrator and cones.
    Drake     the file by its MJCF reader, discrete plant with the contact approximation "lagged"; parameters of contact are Drake's defaults.
"""

import json
from datetime import datetime, timezone
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
DATA = HERE.parents[1] / "validation" / "data" / "daily"
RECORD = HERE.parent / "records" / "daily.json"
STEP = 0.002


def measured(line, t, q, energy):
    """The number of a line: times (n,) [s], positions (n, nq) in the order of the file, energies of start and end [J]."""
    measure = line["measure"]
    if measure == "energy":
        return energy[1] / energy[0] - 1.0
    [(kind, m)] = measure.items()
    x = q[:, m["q"]]
    if kind == "highest":
        return x[t >= m["from"]].max() - m["less"]
    if kind == "end":
        return x[-1] - m["less"]
    if kind == "rate":
        return (x[-1] - np.interp(m["from"], t, x)) / (t[-1] - m["from"])
    if kind == "distance":
        return np.linalg.norm(q[-1, m["q"] : m["q"] + 3] - m["from"]) - m["less"]
    raise ValueError(kind)


class Mujoco:
    def __init__(self):
        import mujoco

        self.mujoco, self.name = mujoco, f"MuJoCo {mujoco.__version__}"

    def run(self, file, time):
        mujoco = self.mujoco
        model = mujoco.MjModel.from_xml_path(str(file))
        model.opt.timestep = STEP
        model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
        data = mujoco.MjData(model)
        if model.nkey:
            mujoco.mj_resetDataKeyframe(model, data, 0)
        mujoco.mj_forward(model, data)
        t, q, start = [0.0], [data.qpos.copy()], sum(data.energy)
        while t[-1] < time - 0.5 * STEP:
            mujoco.mj_step(model, data)
            t.append(data.time)
            q.append(data.qpos.copy())
        mujoco.mj_forward(model, data)
        return np.array(t), np.array(q), [start, sum(data.energy)]


class Drake:
    def __init__(self):
        import importlib.metadata

        import pydrake.all as drake

        self.drake, self.name = drake, f"Drake {importlib.metadata.version('drake')}"

    def run(self, file, time):
        import mujoco

        drake = self.drake
        layout = mujoco.MjModel.from_xml_path(str(file))
        unread = [layout.nmocap, layout.neq, np.any(layout.dof_frictionloss), np.any(layout.jnt_stiffness), np.any(layout.jnt_limited)]
        if any(unread):
            raise ValueError("the reader has no mocap bodies, equalities, dry friction, joint springs or softness of limits")
        builder = drake.DiagramBuilder()
        plant, _ = drake.AddMultibodyPlantSceneGraph(builder, STEP)
        plant.set_discrete_contact_approximation(drake.DiscreteContactApproximation.kLagged)
        drake.Parser(plant).AddModels(str(file))
        plant.mutable_gravity_field().set_gravity_vector(layout.opt.gravity)
        plant.Finalize()
        diagram = builder.Build()
        simulator = drake.Simulator(diagram)
        context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
        key = layout.nkey > 0
        qpos, qvel = (layout.key_qpos[0], layout.key_qvel[0]) if key else (layout.qpos0, np.zeros(layout.nv))
        joints = []
        for j in range(layout.njnt):
            at, dof, kind = layout.jnt_qposadr[j], layout.jnt_dofadr[j], layout.jnt_type[j]
            if kind == mujoco.mjtJoint.mjJNT_FREE:
                body = plant.GetBodyByName(layout.body(layout.jnt_bodyid[j]).name)
                turn = drake.Quaternion(qpos[at + 3 : at + 7])
                plant.SetFreeBodyPose(context, body, drake.RigidTransform(turn, qpos[at : at + 3]))
                spin = drake.RotationMatrix(turn) @ qvel[dof + 3 : dof + 6]
                velocity = drake.SpatialVelocity(spin, qvel[dof : dof + 3])
                plant.SetFreeBodySpatialVelocity(context, body, velocity)
                joints.append((at, body, None))
            else:
                joint = plant.GetJointByName(layout.joint(j).name)
                q, v = plant.GetPositions(context).copy(), plant.GetVelocities(context).copy()
                q[joint.position_start()], v[joint.velocity_start()] = qpos[at], qvel[dof]
                plant.SetPositions(context, q)
                plant.SetVelocities(context, v)
                joints.append((at, None, joint))
        if plant.num_actuators():
            plant.get_actuation_input_port().FixValue(context, layout.key_ctrl[0] if key else np.zeros(layout.nu))

        def positions():
            q = np.zeros(layout.nq)
            for at, body, joint in joints:
                if body is None:
                    q[at] = plant.GetPositions(context)[joint.position_start()]
                else:
                    pose = plant.EvalBodyPoseInWorld(context, body)
                    q[at : at + 3] = pose.translation()
                    q[at + 3 : at + 7] = pose.rotation().ToQuaternion().wxyz()
            return q

        def energy():
            return plant.CalcKineticEnergy(context) + plant.CalcPotentialEnergy(context)

        t, q, start = [0.0], [positions()], energy()
        while t[-1] < time - 0.5 * STEP:
            simulator.AdvanceTo(t[-1] + STEP)
            t.append(t[-1] + STEP)
            q.append(positions())
        return np.array(t), np.array(q), [start, energy()]


def main():
    lines = json.loads((DATA / "lines.json").read_text())
    rows = json.loads(RECORD.read_text())["rows"] if RECORD.is_file() else []
    for engine in (Mujoco, Drake):
        try:
            engine = engine()
        except ImportError as e:
            print(f"{engine.__name__} is not installed: {e}")
            continue
        rows = [row for row in rows if row["engine"].split()[0] != engine.name.split()[0]]
        for line in lines:
            row = {"engine": engine.name, "line": line["id"]}
            try:
                row["value"] = float(measured(line, *engine.run(DATA / f"{line['id']}.xml", line["time"])))
            except (ValueError, RuntimeError) as e:
                row["why"] = str(e).splitlines()[0].replace(f"{DATA}/", "")
            print(row)
            rows.append(row)
    record = {"date": datetime.now(timezone.utc).strftime("%Y-%m-%d"), "step": STEP, "rows": rows}
    RECORD.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
