"""Spot standing for 3 s: the model file `boston_dynamics_spot/spot.xml`, dropped from its home keyframe onto a floor.

What is run. The free base starts at the keyframe "home" (base 0.46 m high, legs folded, feet a few millimetres above the floor), at rest; the
twelve position actuators (kp 500 N m/rad, kv 40 N m s/rad, force limit 1000 N m) hold the keyframe's angles for 3 s; a half-space (Drake)
or plane (MuJoCo) at z = 0 is the floor.

MuJoCo: the file's own options and contact parameters, unchanged (integrator implicitfast, elliptic cone, impratio 100, feet with solref
0.004 and condim 6), except timestep and the dense Jacobian.

Drake: the file without its `actuator` and `keyframe` elements (Drake would make discrete PD gains of the position actuators, which CENIC
of 1.51.1 does not read); the same gains as a PidController between the plant's state and its actuation port, effort limits 1000 N m,
so that CENIC linearises it as an external system. Point contact, stiffness 1e6 N/m on every geometry (Drake's default), dissipation
20 s/m, friction of the file's feet (0.8), stiction tolerance 1e-4 m/s. Joint limits, armature and damping come from the file (in Drake as far
as its parser reads them; actuatorfrcrange is replaced by the effort limit).
"""

import os
import re
from pathlib import Path

import numpy as np

KP, KV, EFFORT = 500.0, 40.0, 1000.0
HOME_LEG = [0.0, 1.04, -1.8]
BASE_HEIGHT = 0.46
DURATION = 3.0


def model_path():
    """The model file, or None when it is absent."""
    root = Path(os.environ.get("SIGNORINI_MODELS", Path(__file__).resolve().parents[3] / "shared" / "models"))
    path = root / "boston_dynamics_spot" / "spot.xml"
    return path if path.is_file() else None


def mujoco_model(path, dt):
    """(model, reset): the scene in MuJoCo."""
    import mujoco

    spec = mujoco.MjSpec.from_file(str(path))
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 0.05])
    spec.option.timestep = dt
    spec.option.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    model = spec.compile()
    key = model.key("home").id

    def reset(data):
        mujoco.mj_resetDataKeyframe(model, data, key)

    return model, reset


def drake_built(path):
    """(diagram, plant, scene_graph, initialise): the scene in Drake."""
    import logging

    from pydrake.geometry import AddContactMaterial, HalfSpace, ProximityProperties
    from pydrake.math import RigidTransform
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import AddMultibodyPlant, CoulombFriction, MultibodyPlantConfig
    from pydrake.systems.controllers import PidController
    from pydrake.systems.framework import DiagramBuilder
    from pydrake.systems.primitives import ConstantVectorSource

    logging.getLogger("drake").setLevel(logging.ERROR)
    text = re.sub(r"<actuator>.*</actuator>|<keyframe>.*</keyframe>", "", path.read_text(), flags=re.DOTALL)
    text = text.replace('meshdir="assets"', f'meshdir="{path.parent / "assets"}"')
    builder = DiagramBuilder()
    config = MultibodyPlantConfig(time_step=0.0, contact_model="point", stiction_tolerance=1e-4)
    plant, scene_graph = AddMultibodyPlant(config, builder)
    (instance,) = Parser(plant).AddModelsFromString(text, "xml")
    floor = ProximityProperties()
    AddContactMaterial(20.0, 1e6, CoulombFriction(0.8, 0.8), floor)
    plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(), HalfSpace(), "floor", floor)
    inspector = scene_graph.model_inspector()
    for body_index in plant.GetBodyIndices(instance):
        for geometry in plant.GetCollisionGeometriesForBody(plant.get_body(body_index)):
            properties = ProximityProperties(inspector.GetProximityProperties(geometry))
            properties.UpdateProperty("material", "hunt_crossley_dissipation", 20.0)
            properties.UpdateProperty("material", "point_contact_stiffness", 1e6)
            scene_graph.AssignRole(plant.get_source_id(), geometry, properties, _replace())
    joints = [
        plant.get_joint(i) for i in plant.GetJointIndices(instance) if plant.get_joint(i).type_name() == "revolute"
    ]
    for joint in joints:
        plant.AddJointActuator(joint.name(), joint, EFFORT)
    plant.Finalize()
    count = len(joints)
    selection = np.zeros((2 * count, plant.num_multibody_states()))
    for i, joint in enumerate(joints):
        selection[i, joint.position_start()] = 1.0
        selection[count + i, plant.num_positions() + joint.velocity_start()] = 1.0
    desired = np.concatenate([np.tile(HOME_LEG, 4), np.zeros(count)])
    pid = builder.AddSystem(
        PidController(selection, np.eye(count), np.full(count, KP), np.zeros(count), np.full(count, KV))
    )
    target = builder.AddSystem(ConstantVectorSource(desired))
    builder.Connect(plant.get_state_output_port(), pid.get_input_port_estimated_state())
    builder.Connect(target.get_output_port(), pid.get_input_port_desired_state())
    builder.Connect(pid.get_output_port_control(), plant.get_actuation_input_port())
    diagram = builder.Build()

    def initialise(context):
        plant_context = plant.GetMyMutableContextFromRoot(context)
        pose = RigidTransform([0.0, 0.0, BASE_HEIGHT])
        plant.SetFreeBodyPose(plant_context, plant.GetBodyByName("body", instance), pose)
        for i, joint in enumerate(joints):
            joint.set_angle(plant_context, desired[i])

    return diagram, plant, scene_graph, initialise


def _replace():
    from pydrake.geometry import RoleAssign

    return RoleAssign.kReplace
