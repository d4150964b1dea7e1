"""Contact over areas in Signorini and in Drake: wrenches of random pairs of shapes, and the cylinder, the gripper and three bunnies of kurtz2025cenic under error control.

    areas.py [--pairs 10] [--repeats 40] [--record]

Prints two tables; `--record` writes `benches/records/areas.json`, which the page `cross/hydroelastic` shows. Wall times are those of single runs, `cpu` the mean processor time of all repeats: on a machine that others use it is the one to compare. Engines take turns.

The bunnies (`bunny_3k.obj` beside the repository: those of 300 and 1000 triangles cut through themselves) meet as fields. Drake takes a volume mesh of VTK for a compliant mesh: it gets the tetrahedra of Signorini's field, but for those thinner than 10 µm,
which it refuses as degenerate (128 of 56 321, 1.4e-6 of the volume), and makes its own pressures on their vertices, by their distance from the surface as here.
"""

import argparse
import datetime
import json
import os
import subprocess
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pydrake.multibody.cenic  # without it the integrator is handed out as its base class
from pydrake.common.eigen_geometry import Quaternion
from pydrake.geometry import (
    AddCompliantHydroelasticProperties,
    AddContactMaterial,
    AddRigidHydroelasticProperties,
    DefaultProximityProperties,
    HalfSpace,
    Mesh,
    ProximityProperties,
    SceneGraphConfig,
)
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.contact_solvers import IcfSolverParameters
from pydrake.multibody.math import SpatialVelocity
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlant, CoulombFriction, MultibodyPlantConfig
from pydrake.multibody.tree import CalcSpatialInertia
from pydrake.systems.analysis import ApplySimulatorConfig, Simulator, SimulatorConfig
from pydrake.systems.framework import DiagramBuilder

ROOT = Path(__file__).resolve().parents[2]
MODULUS, HINT = 1e7, 0.02


def material(hint):
    """Every geometry without properties of its own is compliant, as in `models/areas`."""
    config = SceneGraphConfig()
    config.default_proximity_properties = DefaultProximityProperties(
        compliance_type="compliant",
        hydroelastic_modulus=MODULUS,
        resolution_hint=hint,
        hunt_crossley_dissipation=50.0,
        static_friction=0.5,
        dynamic_friction=0.5,
    )
    return config


def build(path, hint, approximation=None, step=0.0):
    """A plant of an MJCF file, continuous unless it has a step, and its initial context from the keyframe."""
    builder = DiagramBuilder()
    config = MultibodyPlantConfig(time_step=step, contact_model="hydroelastic_with_fallback", stiction_tolerance=1e-4)
    plant, scene_graph = AddMultibodyPlant(config, builder)
    scene_graph.set_config(material(hint))
    Parser(plant).AddModels(str(path))
    if approximation is not None:
        plant.set_discrete_contact_approximation(approximation)
    plant.Finalize()
    diagram = builder.Build()
    key = ElementTree.parse(path).getroot().find("keyframe/key")

    def initialise(context):
        if key is None:
            return
        context = plant.GetMyMutableContextFromRoot(context)
        q = [float(x) for x in key.get("qpos").split()]
        v = [float(x) for x in key.get("qvel", "").split()]
        for body in plant.GetFloatingBaseBodies():
            body = plant.get_body(body)
            # The free joint is the last of both files.
            pose = RigidTransform(Quaternion(np.array(q[-4:]) / np.linalg.norm(q[-4:])), q[-7:-4])
            plant.SetFreeBodyPose(context, body, pose)
            if v:
                plant.SetFreeBodySpatialVelocity(context, body, SpatialVelocity(np.zeros(3), np.array(v[-6:-3])))

    return diagram, plant, initialise


BUNNIES = [((0, 0, 0.3), (90, 0, 0)), ((0.02, 0, 0.6), (40, 30, 0)), ((-0.02, 0.02, 0.9), (90, 70, 0))]


def turned(euler):
    """Quaternion of turns about x, y and z of the body, in degrees."""
    turns = [RotationMatrix.MakeXRotation, RotationMatrix.MakeYRotation, RotationMatrix.MakeZRotation]
    out = RotationMatrix()
    for make, angle in zip(turns, euler, strict=True):
        out = out @ make(np.radians(angle))
    return out.ToQuaternion()


def bunnies_file(mesh):
    """MJCF of three bunnies above a rigid floor."""
    area = f"compliant_hydroelastic hydroelastic_modulus={MODULUS:g}"
    row = lambda x: " ".join(f"{v:.17g}" for v in x)
    texts = "".join(f'<text name="signorini:geom:g{k}" data="{area}"/>' for k in range(3))
    bodies = "".join(
        f"""<body name="b{k}" pos="{row(at)}" quat="{row(turned(euler).wxyz())}"><freejoint/>
<geom name="g{k}" type="mesh" mesh="bunny" density="1000" friction="0.5"/></body>"""
        for k, (at, euler) in enumerate(BUNNIES)
    )
    return f"""<mujoco model="bunnies"><asset><mesh name="bunny" file="{mesh}"/></asset><custom>
<text name="signorini:default" data="dissipation=50 stiction_speed=1e-4"/>
<text name="signorini:geom:floor" data="rigid_hydroelastic"/>{texts}</custom><worldbody>
<geom name="floor" type="plane" size="5 5 1" friction="0.5"/>{bodies}</worldbody></mujoco>"""


def thick(field, least):
    """A field of VTK without its tetrahedra thinner than `least` [m]."""
    lines = field.read_text().split("\n")
    points = int(lines[4].split()[1])
    p = np.array([line.split() for line in lines[5 : 5 + points]], dtype=float)
    count = int(lines[5 + points].split()[1])
    cells = np.array([line.split()[1:] for line in lines[6 + points : 6 + points + count]], dtype=int)
    x = p[cells]
    side = lambda i, j: x[:, i] - x[:, j]
    volume = np.abs(np.einsum("ij,ij->i", side(1, 0), np.cross(side(2, 0), side(3, 0))))
    faces = [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]
    area = np.max([np.linalg.norm(np.cross(side(b, a), side(c, a)), axis=1) for a, b, c in faces], axis=0)
    cells = cells[volume > least * area]
    out = field.with_name("thick.vtk")
    rows = [f"CELLS {len(cells)} {5 * len(cells)}", *("4 " + " ".join(map(str, c)) for c in cells)]
    out.write_text("\n".join([*lines[: 5 + points], *rows, f"CELL_TYPES {len(cells)}", *["10"] * len(cells)]) + "\n")
    return out


def build_bunnies(mesh, field):
    """A continuous plant of three bunnies with a field of VTK, and its initial context."""
    builder = DiagramBuilder()
    config = MultibodyPlantConfig(time_step=0.0, contact_model="hydroelastic_with_fallback", stiction_tolerance=1e-4)
    plant, _ = AddMultibodyPlant(config, builder)

    def surface(add):
        properties = ProximityProperties()
        AddContactMaterial(50.0, None, CoulombFriction(0.5, 0.5), properties)
        add(properties)
        return properties

    floor = surface(AddRigidHydroelasticProperties)
    plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(), HalfSpace(), "floor", floor)
    inertia = CalcSpatialInertia(Mesh(str(mesh)), 1000.0)
    for k in range(3):
        soft = surface(lambda p: AddCompliantHydroelasticProperties(HINT, MODULUS, p))
        plant.RegisterCollisionGeometry(plant.AddRigidBody(f"b{k}", inertia), RigidTransform(), Mesh(str(field)), f"g{k}", soft)
    plant.Finalize()

    def initialise(context):
        context = plant.GetMyMutableContextFromRoot(context)
        for k, (at, euler) in enumerate(BUNNIES):
            plant.SetFreeBodyPose(context, plant.GetBodyByName(f"b{k}"), RigidTransform(turned(euler), at))

    return builder.Build(), plant, initialise


def drake_run(make, duration, accuracy, repeats):
    """Walls and mean processor time [s], accepted and rejected steps, final position of the last free body, energies [J]."""
    walls, cpu = [], 0.0
    for _ in range(repeats):
        diagram, plant, initialise = make()
        sim = Simulator(diagram)
        config = SimulatorConfig(integration_scheme="cenic", publish_every_time_step=False)
        config.accuracy, config.use_error_control, config.max_step_size = accuracy, True, 0.1
        ApplySimulatorConfig(config, sim)
        integrator = sim.get_mutable_integrator()
        integrator.SetSolverParameters(IcfSolverParameters())
        initialise(sim.get_mutable_context())
        sim.Initialize()
        start, used = time.perf_counter(), time.thread_time()
        sim.AdvanceTo(duration)
        walls.append(time.perf_counter() - start)
        cpu += (time.thread_time() - used) / repeats
    stats = dict(integrator.GetStatisticsSummary())
    context = plant.GetMyContextFromRoot(sim.get_context())
    body = plant.get_body(max(plant.GetFloatingBaseBodies()))
    pose = plant.EvalBodyPoseInWorld(context, body)
    return {
        "walls": walls,
        "cpu": cpu,
        "steps": integrator.get_num_steps_taken(),
        "rejected": integrator.get_num_step_shrinkages_from_error_control(),
        "newton_iterations": next((v for k, v in stats.items() if "solver" in k.lower() and "iteration" in k.lower()), None),
        "position": list(pose.translation()),
        "kinetic": plant.CalcKineticEnergy(context),
        "potential": plant.CalcPotentialEnergy(context),
    }


def drake_wrench(path, hint):
    """Force and moment about the origin on the free body at the start [N, N·m], the number of polygons, and the moment of the linear pressure on them: Drake's own has the force of each polygon at its centroid."""
    diagram, plant, initialise = build(path, hint)
    context = diagram.CreateDefaultContext()
    initialise(context)
    results = plant.get_contact_results_output_port().Eval(plant.GetMyContextFromRoot(context))
    inspector = diagram.GetSubsystemByName("scene_graph").model_inspector()
    force, moment, polygons, of_pressure = np.zeros(3), np.zeros(3), 0, np.zeros(3)
    for i in range(results.num_hydroelastic_contacts()):
        info = results.hydroelastic_contact_info(i)
        surface = info.contact_surface()
        polygons += surface.num_faces()
        # The force on the body of M, at the centroid.
        body = plant.GetBodyFromFrameId(inspector.GetFrameId(surface.id_M()))
        sign = 1.0 if body.index() in plant.GetFloatingBaseBodies() else -1.0
        f = sign * info.F_Ac_W().translational()
        force += f
        moment += sign * info.F_Ac_W().rotational() + np.cross(surface.centroid(), f)
        of_pressure += sign * pressure_moment(surface)
    return force, moment, polygons, of_pressure


def pressure_moment(surface):
    """Moment about the origin of the linear pressure on the polygons of a surface, exact [N·m]."""
    mesh, pressure, moment = surface.poly_mesh_W(), surface.poly_e_MN(), np.zeros(3)
    for k in range(surface.num_faces()):
        face, normal = mesh.element(k), mesh.face_normal(k)
        centroid, gradient = mesh.element_centroid(k), pressure.EvaluateGradient(k)
        mean = pressure.EvaluateCartesian(k, centroid)
        x = [mesh.vertex(face.vertex(i)) for i in range(face.num_vertices())]
        for a, b, c in ((x[0], x[i], x[i + 1]) for i in range(1, len(x) - 1)):
            area = 0.5 * np.linalg.norm(np.cross(b - a, c - a))
            p = [mean + gradient @ (v - centroid) for v in (a, b, c)]
            # Integral of x p over a triangle: A/12 (sum x sum p + sum x p).
            middle = area / 12.0 * ((a + b + c) * sum(p) + a * p[0] + b * p[1] + c * p[2])
            moment += np.cross(middle, normal)
    return moment


def peer(*arguments):
    out = subprocess.run([BINARY, *map(str, arguments)], check=True, capture_output=True, text=True)
    return json.loads(out.stdout)


def random_shape(rng):
    kind = rng.choice(["sphere", "box", "cylinder", "capsule", "ellipsoid"])
    size = rng.uniform(0.04, 0.1, 3)
    count = {"sphere": 1, "box": 3, "cylinder": 2, "capsule": 2, "ellipsoid": 3}[kind]
    return kind, size[:count]


def random_pair(rng, hint):
    """MJCF of two shapes that overlap by 2 to 8 % of their size, found by moving one along a random direction."""
    (a, size_a), (b, size_b) = random_shape(rng), random_shape(rng)
    quat = rng.normal(size=4)
    along = rng.normal(size=3)
    along /= np.linalg.norm(along)
    area = f"compliant_hydroelastic hydroelastic_modulus={MODULUS:g} mesh_resolution_hint={hint:g}"

    def text(distance):
        row = lambda x: " ".join(f"{v:.12g}" for v in x)
        return f"""<mujoco model="pair"><option gravity="0 0 0"/><custom>
<text name="signorini:geom:a" data="{area}"/><text name="signorini:geom:b" data="{area}"/></custom><worldbody>
<geom name="a" type="{a}" size="{row(size_a)}" friction="0.5"/>
<body name="b" pos="{row(distance * along)}" quat="{row(quat)}"><freejoint/>
<geom name="b" type="{b}" size="{row(size_b)}" density="1000" friction="0.5"/></body></worldbody></mujoco>"""

    return f"{a} and {b}", text, rng.uniform(0.02, 0.08) * min(size_a.min(), size_b.min())


def pairs(count, hint, folder):
    rows, rng = [], np.random.default_rng(7)
    path = folder / "pair.xml"
    while len(rows) < count:
        name, text, depth = random_pair(rng, hint)
        # Distance at which the shapes touch, by bisection on Drake's surface, then nearer by the depth.
        near, far = 0.0, 0.5
        for _ in range(24):
            middle = 0.5 * (near + far)
            path.write_text(text(middle))
            near, far = (middle, far) if drake_wrench(path, HINT)[2] else (near, middle)
        path.write_text(text(near - depth))
        force, moment, polygons, of_pressure = drake_wrench(path, hint)
        ours = peer(path, "--wrench")
        f, m = np.array(ours["force"]), np.array(ours["moment"])
        # Moments count by the arm of the force.
        size = np.linalg.norm(force)
        off = lambda m, moment: np.linalg.norm(m - moment) / (size * max(np.linalg.norm(moment) / size, 0.01))
        rows.append({
            "pair": name,
            "depth": depth,
            "force": size,
            "ours": np.linalg.norm(f),
            "force_off": np.linalg.norm(f - force) / size,
            "moment_off": off(m, moment),
            "pressure_moment_off": off(m, of_pressure),
            "polygons": [ours["contacts"], polygons],
        })
    return rows


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--pairs", type=int, default=10)
    arguments.add_argument("--repeats", type=int, default=40)
    arguments.add_argument("--record", action="store_true")
    a = arguments.parse_args()
    record = {"date": datetime.date.today().isoformat(), "drake": version("drake"), "pairs": [], "scenes": []}
    with tempfile.TemporaryDirectory() as folder:
        for hint in [HINT, HINT / 8]:
            print(f"\nresolution {hint} m\n{'pair':24}{'depth mm':>9}{'Drake N':>10}{'ours N':>10}{'force %':>9}{'moment %':>9}{'of pressure %':>15}  polygons")
            for row in pairs(a.pairs, hint, Path(folder)):
                record["pairs"].append({"hint": hint, **row})
                print(f"{row['pair']:24}{1e3 * row['depth']:9.2f}{row['force']:10.2f}{row['ours']:10.2f}{100 * row['force_off']:9.2f}{100 * row['moment_off']:9.2f}{100 * row['pressure_moment_off']:15.2f}  {row['polygons']}")
    print(f"\n{'scene':10}{'accuracy':>9}{'engine':>10}{'wall s':>10}{'cpu s':>10}{'steps':>7}{'rejected':>9}{'Newton':>8}  {'kinetic':>8}  position")
    with tempfile.TemporaryDirectory() as folder:
        for scene, duration, accuracies, repeats, path, options, make in scenes(a, Path(folder)):
            for accuracy in accuracies:
                engines = {
                    "Drake": lambda: drake_run(make, duration, accuracy, repeats),
                    "ours": lambda: ours_run(path, duration, accuracy, repeats, options),
                    "paper": lambda: ours_run(path, duration, accuracy, repeats, [*options, "--paper-mode"]),
                }
                for engine, run in engines.items():
                    r = run()
                    record["scenes"].append({"scene": scene, "accuracy": accuracy, "engine": engine, **r})
                    place = " ".join(f"{x:.5f}" for x in r["position"])
                    print(f"{scene:10}{accuracy:9.0e}{engine:>10}{np.median(r['walls']):10.4f}{r['cpu']:10.4f}{r['steps']:7}{r['rejected']:9}{r['newton_iterations']:8}  {r['kinetic']:8.1e}  {place}", flush=True)
    if a.record:
        (ROOT / "benches/records/areas.json").write_text(json.dumps(record, indent=1) + "\n")


def scenes(a, folder):
    """Name, length [s], accuracies, repeats, file, options of `peer`, plant of Drake."""
    for scene, duration in [("cylinder", 1.0), ("gripper", 2.0)]:
        path = ROOT / "models/areas" / f"{scene}.xml"
        yield scene, duration, [1e-1, 1e-2, 1e-3, 1e-4], a.repeats, path, [], lambda path=path: build(path, HINT)
    mesh = Path(os.environ.get("SIGNORINI_MODELS", ROOT.parent / "shared/models")) / "meshes/bunny/bunny_3k.obj"
    path, field = folder / "bunnies.xml", folder / "bunny.vtk"
    path.write_text(bunnies_file(mesh))
    subprocess.run([BINARY, path, "--mesh-surfaces", "--field", field], check=True)
    field = thick(field, 1e-5)
    yield "bunnies", 10.0, [1e-3], max(1, a.repeats // 10), path, ["--mesh-surfaces"], lambda: build_bunnies(mesh, field)


def ours_run(path, duration, accuracy, repeats, options):
    out = peer(path, "--duration", duration, "--accuracy", accuracy, "--repeats", repeats, *options)
    counts = out["counts"]
    keys = ["steps", "rejected", "newton_iterations", "position", "kinetic", "potential"]
    return {"walls": out["walls"], "cpu": out["cpu"], **{k: counts[k] for k in keys}}


def binary():
    command = ["cargo", "build", "--release", "--quiet", "--package", "signorini-benches", "--bin", "peer"]
    subprocess.run(command, cwd=ROOT, check=True)
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "peer"


if __name__ == "__main__":
    BINARY = binary()
    main()
