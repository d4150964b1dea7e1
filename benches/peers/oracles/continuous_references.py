"""Reruns Drake's CENIC on the continuous-time references of `oracles/cenic` (sphere drop, box slide, conveyor) and prints errors beside the listed ones.

    benches/peers/.venv/bin/python benches/peers/oracles/continuous_references.py [ORACLES]

What it found: the listed errors belong to samples at 1 ms and then every 5 ms. Sampled so, Drake 1.51.1 repeats twelve of the eighteen
numbers to seven digits or more; the others, where rounding decides which steps are rejected, move by up to 0.6 %. The push of the conveyor is evaluated
once per attempted step, at its start, and held over both half steps.
"""

import json
import os
import sys
from pathlib import Path

import numpy as np
import pydrake.multibody.cenic  # noqa: F401  (without it the integrator is handed out as its base class)
from pydrake.common.value import Value
from pydrake.geometry import AddContactMaterial, HalfSpace, ProximityProperties, Sphere
from pydrake.math import RigidTransform
from pydrake.multibody.math import SpatialForce
from pydrake.multibody.plant import AddMultibodyPlant, CoulombFriction, ExternallyAppliedSpatialForce, MultibodyPlantConfig
from pydrake.multibody.tree import SpatialInertia, UnitInertia
from pydrake.systems.analysis import ApplySimulatorConfig, Simulator, SimulatorConfig
from pydrake.systems.framework import DiagramBuilder, LeafSystem

FIRST_SAMPLE = 1e-3


class Push(LeafSystem):
    """A force along x at the body's origin that goes with sin(2π t hz)."""

    def __init__(self, amplitude, hz, body):
        super().__init__()
        self.amplitude, self.hz, self.body = amplitude, hz, body
        self.DeclareAbstractOutputPort("force", lambda: Value([ExternallyAppliedSpatialForce()]), self.force)

    def force(self, context, output):
        f = ExternallyAppliedSpatialForce()
        f.body_index = self.body
        f.p_BoBq_B = np.zeros(3)
        push = self.amplitude * np.sin(2.0 * np.pi * self.hz * context.get_time())
        f.F_Bq_W = SpatialForce(np.zeros(3), np.array([push, 0.0, 0.0]))
        output.set_value([f])


def run(folder, name, accuracy):
    """(steps, largest position error over the samples [m], listed error [m])"""
    info = json.loads((folder / f"{name}.json").read_text())
    samples = np.loadtxt(folder / f"{name}.csv", delimiter=",", skiprows=1)
    p = info["params"]
    builder = DiagramBuilder()
    config = MultibodyPlantConfig(time_step=0.0, contact_model="point", stiction_tolerance=p["v_s"])
    plant, _ = AddMultibodyPlant(config, builder)

    def surface(stiffness):
        out = ProximityProperties()
        AddContactMaterial(p["d"], stiffness, CoulombFriction(p["mu_s"], p["mu_d"]), out)
        return out

    unit = UnitInertia.SolidBox(*p["box"]) if "box" in p else UnitInertia.SolidSphere(p["radius_body"])
    body = plant.AddRigidBody("body", SpatialInertia(p["m"], np.zeros(3), unit))
    for i, s in enumerate(p["spheres"]):
        pose = RigidTransform(np.array(s["p"], float))
        plant.RegisterCollisionGeometry(body, pose, Sphere(s["r"]), f"sphere{i}", surface(p["k"]))
    plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(), HalfSpace(), "floor", surface(1e40))
    plant.Finalize()
    if "force_amp" in p:
        push = builder.AddSystem(Push(p["force_amp"], p["force_hz"], body.index()))
        builder.Connect(push.get_output_port(), plant.get_applied_spatial_force_input_port())
    sim = Simulator(builder.Build())
    ApplySimulatorConfig(
        SimulatorConfig(integration_scheme="cenic", accuracy=accuracy, use_error_control=True, max_step_size=0.1), sim
    )
    context = plant.GetMyMutableContextFromRoot(sim.get_mutable_context())
    plant.SetPositions(context, np.array(p["x0"][:7]))
    plant.SetVelocities(context, np.array(p["x0"][7:]))
    sim.Initialize()
    sim.AdvanceTo(FIRST_SAMPLE)
    error = 0.0
    for row in samples[1:]:
        sim.AdvanceTo(row[0])
        error = max(error, np.abs(plant.GetPositions(context)[4:7] - row[5:8]).max())
    (listed,) = (v for k, v in info["drake_cenic"].items() if abs(float(k) / accuracy - 1.0) < 1e-9)
    return sim.get_integrator().get_num_steps_taken(), error, listed["max_abs_pos_err_vs_ode"]


def main():
    default = os.environ.get("SIGNORINI_ORACLES", Path(__file__).resolve().parents[4] / "shared" / "oracles")
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else default) / "cenic"
    for name in ("sphere_drop", "box_slide", "conveyor_static_dynamic"):
        for accuracy in (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8):
            steps, error, listed = run(folder, name, accuracy)
            print(f"{name} {accuracy:.0e}: {steps} steps, error {error:.10e}, listed {listed:.10e}, ratio {error / listed:.6f}")


if __name__ == "__main__":
    main()
