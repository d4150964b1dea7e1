"""Cylinder and gripper of kurtz2025cenic in Drake, by integrator and accuracy: time, steps, positions.

    work_precision.py [--limit 60] [--record]

`--limit` ends a run after so many seconds of processor time; its row then has the time that it reached. Prints a table;
`--record` writes `benches/records/work_precision.json`, which the pages `kurtz2025cenic/fig07` and `fig10` show.
"""

import argparse
import datetime
import json
import logging
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

from areas import HINT, ROOT, build
from pydrake.multibody.plant import DiscreteContactApproximation
from pydrake.systems.analysis import ApplySimulatorConfig, Simulator, SimulatorConfig
from pydrake.systems.framework import EventStatus

SCHEMES = ["cenic", "implicit_euler", "radau3", "runge_kutta3"]
ACCURACIES = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7]
STEPPERS = {
    "lagged": DiscreteContactApproximation.kLagged,
    "similar": DiscreteContactApproximation.kSimilar,
    "sap": DiscreteContactApproximation.kSap,
}
STEPS = [1e-2, 1e-3]
# Scene and setting of the runs whose slide is kept, and time between its rows [s].
KEPT, ROW = ("held", 1e-3), 4e-3
# The scenes, the file of each, the length of its run [s], and the middle of a finger from the peg's [m].
SCENES = {"cylinder": ("cylinder", 1.0, None), "gripper": ("gripper", 2.0, None), "held": ("gripper", 2.0, 0.0099)}


def scene_file(scene, folder):
    name, _, finger = SCENES[scene]
    path = ROOT / "models/areas" / f"{name}.xml"
    if finger is None:
        return path
    text = path.read_text()
    for side in ["-", ""]:
        text = text.replace(f'pos="{side}0.01 0.025 0.39"', f'pos="{side}{finger} 0.025 0.39"')
    nearer = folder / f"{scene}.xml"
    nearer.write_text(text)
    return nearer


def run(scene, path, duration, limit, scheme, setting):
    """One run; `setting` is the accuracy of an integrator or the step of a time-stepping scheme [s]."""
    discrete = scheme in STEPPERS
    diagram, plant, initialise = build(path, HINT, STEPPERS.get(scheme), setting if discrete else 0.0)
    sim = Simulator(diagram)
    if not discrete:
        config = SimulatorConfig(integration_scheme=scheme, publish_every_time_step=False)
        config.accuracy, config.use_error_control, config.max_step_size = setting, True, 0.1
        ApplySimulatorConfig(config, sim)
    initialise(sim.get_mutable_context())
    rails = [plant.get_joint(j) for j in plant.GetJointIndices() if plant.get_joint(j).name() == "rail"]
    free = plant.get_body(next(iter(plant.GetFloatingBaseBodies())))
    # Time and speed of the free body along z relative to the rail.
    slide = []

    def seen(context):
        c = plant.GetMyContextFromRoot(context)
        v = plant.EvalBodySpatialVelocityInWorld(c, free).translational()
        return [round(context.get_time(), 4), float(f"{v[2] - rails[0].get_translation_rate(c):.3g}")]

    start = None

    def monitor(context):
        t = context.get_time()
        if (scene, setting) == KEPT and (not slide or t >= slide[-1][0] + ROW - 1e-9):
            slide.append(seen(context))
        late = start is not None and time.process_time() - start > limit
        return EventStatus.ReachedTermination(diagram, "limit") if late else EventStatus.DidNothing()

    sim.set_monitor(monitor)
    failed = None
    sim.Initialize()
    start = time.process_time()
    try:
        sim.AdvanceTo(duration)
    except RuntimeError as e:
        failed = str(e).splitlines()[0]
    cpu = time.process_time() - start
    context = sim.get_context()
    end = plant.EvalBodyPoseInWorld(plant.GetMyContextFromRoot(context), free).translation()
    return {
        "cpu": float(f"{cpu:.4g}"),
        "time": context.get_time(),
        "failed": failed,
        "steps": round(duration / setting) if discrete else sim.get_integrator().get_num_steps_taken(),
        "slide": slide,
        "position": [float(f"{x:.9g}") for x in end],
    }


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--limit", type=float, default=60.0)
    arguments.add_argument("--record", action="store_true")
    a = arguments.parse_args()
    # Parts of the files that Drake does not read are set by hand.
    logging.getLogger("drake").setLevel(logging.ERROR)
    record = {"date": datetime.date.today().isoformat(), "drake": version("drake"), "limit": a.limit, "runs": []}
    print(f"{'scene':10}{'scheme':16}{'setting':>9}{'cpu s':>9}{'steps':>8}{'time s':>8}  end")
    with tempfile.TemporaryDirectory() as folder:
        for scene, (_, duration, _) in SCENES.items():
            path = scene_file(scene, Path(folder))
            for scheme in [*SCHEMES, *STEPPERS]:
                for setting in STEPS if scheme in STEPPERS else ACCURACIES:
                    r = run(scene, path, duration, a.limit, scheme, setting)
                    record["runs"].append({"scene": scene, "scheme": scheme, "setting": setting, **r})
                    end = " ".join(f"{x:.5f}" for x in r["position"])
                    print(f"{scene:10}{scheme:16}{setting:9.0e}{r['cpu']:9.3f}{r['steps']:8}{r['time']:8.3f}  {end} {r['failed'] or ''}", flush=True)
                    if r["time"] < 0.999 * duration:
                        # Finer ones take longer.
                        break
    if a.record:
        head = json.dumps({k: v for k, v in record.items() if k != "runs"})[:-1]
        rows = ",\n".join(map(json.dumps, record["runs"]))
        (ROOT / "benches/records/work_precision.json").write_text(f'{head}, "runs": [\n{rows}\n]}}\n')


if __name__ == "__main__":
    main()
