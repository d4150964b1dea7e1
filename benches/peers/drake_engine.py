"""Scenes in Drake: point contact, continuous plant, the CENIC integrator (error-controlled or at a fixed step)."""

import time

import numpy as np
from pydrake.common.eigen_geometry import Quaternion
from pydrake.geometry import AddContactMaterial, Box, CollisionFilterDeclaration, GeometrySet, ProximityProperties, Sphere
from pydrake.math import RigidTransform, RotationMatrix
import pydrake.multibody.cenic  # without it the integrator is handed out as its base class
from pydrake.multibody.contact_solvers import IcfSolverParameters
from pydrake.multibody.math import SpatialVelocity
from pydrake.multibody.plant import AddMultibodyPlant, CoulombFriction, MultibodyPlantConfig
from pydrake.multibody.tree import SpatialInertia, UnitInertia
from pydrake.systems.analysis import ApplySimulatorConfig, Simulator, SimulatorConfig
from pydrake.systems.framework import DiagramBuilder, EventStatus


def _material(material):
    props = ProximityProperties()
    friction = CoulombFriction(material["static_friction"], material["dynamic_friction"])
    AddContactMaterial(material["dissipation"], material["stiffness"], friction, props)
    return props


def _shape(geometry):
    if geometry["shape"] == "sphere":
        return Sphere(geometry["radius"])
    return Box(*(2.0 * h for h in geometry["half_extents"]))


def build(scene):
    """A diagram with a continuous plant named "plant", and its initial context, from a clutter-1 scene."""
    builder = DiagramBuilder()
    config = MultibodyPlantConfig(
        time_step=0.0, contact_model="point", stiction_tolerance=scene["stiction_tolerance"]
    )
    plant, scene_graph = AddMultibodyPlant(config, builder)
    plant.mutable_gravity_field().set_gravity_vector(scene["gravity"])
    shapes = {"box": [], "sphere": []}

    def register(body, geometry, name):
        pose = RigidTransform(
            Quaternion(np.array(geometry.get("quat_wxyz", [1.0, 0.0, 0.0, 0.0]))), geometry["position"]
        )
        material = _material(scene["materials"][geometry["material"]])
        shapes[geometry["shape"]].append(
            plant.RegisterCollisionGeometry(body, pose, _shape(geometry), name, material)
        )

    for i, geometry in enumerate(scene["fixed"]):
        register(plant.world_body(), geometry, f"fixed{i}")
    bodies = []
    for entry in scene["bodies"]:
        kind = scene["kinds"][entry["kind"]]
        mass = kind["mass"]
        unit = UnitInertia(*(i / mass for i in kind["inertia_diagonal"]))
        body = plant.AddRigidBody(entry["name"], SpatialInertia(mass, np.zeros(3), unit))
        for i, geometry in enumerate(kind["geometries"]):
            register(body, geometry, f"{entry['name']}_{i}")
        bodies.append(body)
    for a, b in scene["never_collide"]:
        declaration = CollisionFilterDeclaration()
        declaration.ExcludeBetween(GeometrySet(shapes[a]), GeometrySet(shapes[b]))
        if a == b:
            declaration = CollisionFilterDeclaration().ExcludeWithin(GeometrySet(shapes[a]))
        scene_graph.collision_filter_manager().Apply(declaration)
    plant.Finalize()
    diagram = builder.Build()

    def initialise(context):
        plant_context = plant.GetMyMutableContextFromRoot(context)
        for body, entry in zip(bodies, scene["bodies"], strict=True):
            rotation = RotationMatrix(Quaternion(np.array(entry["quat_wxyz"])))
            plant.SetFreeBodyPose(plant_context, body, RigidTransform(rotation, entry["position"]))
            velocity = SpatialVelocity(np.array(entry["angular_velocity"]), np.array(entry["linear_velocity"]))
            plant.SetFreeBodySpatialVelocity(plant_context, body, velocity)

    return diagram, plant, scene_graph, initialise


def simulator(diagram, initialise, settings):
    """`settings`: {"accuracy": a} or {"dt": h}; "reuse": true turns Hessian reuse on."""
    sim = Simulator(diagram)
    config = SimulatorConfig(integration_scheme="cenic", publish_every_time_step=False)
    if "accuracy" in settings:
        config.accuracy = settings["accuracy"]
        config.use_error_control = True
        config.max_step_size = settings.get("max_step", 0.1)
    else:
        config.use_error_control = False
        config.max_step_size = settings["dt"]
    ApplySimulatorConfig(config, sim)
    integrator = sim.get_mutable_integrator()
    parameters = IcfSolverParameters()
    parameters.enable_hessian_reuse = settings.get("reuse", False)
    integrator.SetSolverParameters(parameters)
    initialise(sim.get_mutable_context())
    sim.Initialize()
    return sim


def penetration(diagram, scene_graph):
    """A monitor that keeps the deepest point-contact overlap over the accepted steps [m]."""
    deepest = [0.0]
    port = scene_graph.get_query_output_port()

    def monitor(root):
        query = port.Eval(scene_graph.GetMyContextFromRoot(root))
        for pair in query.ComputePointPairPenetration():
            deepest[0] = max(deepest[0], pair.depth)
        return EventStatus.DidNothing()

    return deepest, monitor


def statistics(sim):
    """Counts of one run."""
    integrator = sim.get_mutable_integrator()
    stats = dict(integrator.GetStatisticsSummary())

    def find(*words):
        hits = [v for k, v in stats.items() if all(w in k.lower() for w in words)]
        return hits[0] if hits else None

    return {
        "steps": integrator.get_num_steps_taken(),
        "rejected": integrator.get_num_step_shrinkages_from_error_control(),
        "newton_iterations": find("solver", "iteration"),
        "factorizations": find("factori"),
        "line_search_iterations": find("line search") or find("linesearch") or find("ls_"),
    }, stats


def run(built, duration, settings, repeats, measure_penetration=True):
    """Times `repeats` runs, then (untimed) repeats one with a monitor. Returns (walls [s], counts)."""
    diagram, _plant, scene_graph, initialise = built
    walls, cpus, counts = [], [], None
    for _ in range(repeats):
        sim = simulator(diagram, initialise, settings)
        start, cpu = time.perf_counter(), time.process_time()
        sim.AdvanceTo(duration)
        walls.append(time.perf_counter() - start)
        cpus.append(time.process_time() - cpu)
        counts, _ = statistics(sim)
    deepest = None
    if measure_penetration:
        sim = simulator(diagram, initialise, settings)
        deepest, monitor = penetration(diagram, scene_graph)
        sim.set_monitor(monitor)
        sim.AdvanceTo(duration)
        deepest = deepest[0]
    counts["max_penetration"] = deepest
    counts["cpu_min_s"] = min(cpus)
    return walls, counts
