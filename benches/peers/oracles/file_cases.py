"""Models of the topic "files" of make_multibody_data.py: parts of MJCF and URDF that public model files have and few use."""

from cases import chain, floating


def two(inner, after="", head="", joint=""):
    """A body with a hinge and one with a slide on it, and a site in the world."""
    return f"""<mujoco>{head}<compiler angle="radian"/><worldbody><site name="w" pos="0 0.2 1"/><body name="a" pos="0 0 0.5"><joint name="ja" axis="0 1 0.2" {joint}/>
 <geom name="ga" type="capsule" size="0.03" fromto="0 0 0 0.3 0 0" mass="1.2"/><site name="sa" pos="0.15 0.02 0.05" quat="0.8 0.2 0.4 0.4"/>
 <body name="b" pos="0.3 0 0"><joint name="jb" type="slide" axis="1 0 0.5" range="-0.2 0.3"/>{inner}<geom name="gb" type="box" size="0.1 0.03 0.02" mass="0.7"/>
  <site name="sb" pos="0.2 -0.01 0.03" quat="0.3 0.1 0.9 0.2"/></body></body></worldbody>{after}</mujoco>"""


# Lengths of 1 at the middle of the range of jb, so that all parts of the curves are met.
MUSCLES = """<actuator><muscle name="plain" joint="jb" lengthrange="-0.3 0.3"/><muscle name="strong" joint="ja" force="30" lengthrange="-2 2" range="0.6 1.5"/>
 <muscle name="curved" tendon="t" lengthrange="0.3 0.9" scale="150" lmin="0.4" lmax="1.8" vmax="2" fpmax="1.1" fvmax="1.4" timeconst="0.02 0.06" tausmooth="0.3" ctrlrange="0 1"/>
 <general name="parts" joint="jb" dyntype="muscle" dynprm="0.02 0.05 0.1" gaintype="muscle" gainprm="0.75 1.05 20 200 0.5 1.6 1.5 1.3 1.2" lengthrange="-0.2 0.2"
  biastype="affine" biasprm="0.5 -3 -0.2"/></actuator>"""
ACROSS = '<tendon><spatial name="t"><site site="w"/><site site="sb"/></spatial></tendon>'

FILES = [
    {"name": "springdamper", "xml": two("", joint='springdamper="0.5 0.7" stiffness="3" springref="0.2"')},
    {"name": "springdamper_armature_and_ball", "xml": floating(ball='springdamper="0.3 1.2" armature="0.01"', hinge='springdamper="0.2 0.5" armature="0.02"')},
    {"name": "muscles", "states": 8, "xml": two("", after=ACROSS + MUSCLES)},
    {"name": "dc_motor", "xml": two("", after='<actuator><dcmotor name="constants" joint="ja" motorconst="0.05" resistance="2" gear="20"/>'
        '<dcmotor name="both" joint="jb" motorconst="0.05 0.07" resistance="1.5"/><dcmotor name="sheet" joint="ja" nominal="24 1.5 300"/></actuator>')},
    {"name": "slider_crank", "states": 6, "xml": two('<site name="crank" pos="0.1 0.02 -0.1"/>', after='<actuator>'
        '<motor name="reaches" cranksite="crank" slidersite="w" cranklength="1.2" gear="3"/><position name="held" cranksite="crank" slidersite="sa" cranklength="0.5" kp="20" kv="1"/>'
        '<motor name="short" cranksite="crank" slidersite="w" cranklength="0.1"/></actuator>')},
    {"name": "site_between_bodies", "states": 6, "xml": floating(after='<actuator><motor name="turns" site="hand" refsite="imu" gear="0 1 0 0 0 0"/>'
        '<position name="both" site="hand" refsite="imu" kp="30" gear="1 0.5 0 0 0 0.2"/><motor name="up" site="imu" refsite="hand" gear="0.3 0.2 1 0.1 0.5 -0.2"/></actuator>')},
    {"name": "site_between_free_bodies", "states": 6, "xml": """<mujoco><worldbody><body pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.2 0.3"/><site name="a" pos="0.1 0.1 0.2" euler="10 20 30"/></body>
 <body pos="1 0 1"><freejoint/><geom type="box" size="0.2 0.1 0.3"/><site name="b" pos="-0.1 0.1 0" euler="-50 20 0"/></body></worldbody>
 <actuator><motor name="pull" site="a" refsite="b" gear="1 2 3 0.4 0.5 0.6"/><position name="hold" site="b" refsite="a" gear="0 1 0 0 0 1" kp="50" kv="2"/></actuator></mujoco>"""},
    {"name": "refsite_translation", "xml": """<mujoco><option gravity="0 0 0"/><worldbody><body name="base"><joint name="yaw" axis="0 0 1"/><geom type="box" size=".1 .1 .1"/><site name="ref"/>
 <body name="a" pos=".3 0 0"><joint name="y" type="slide" axis="0 1 0"/><geom size=".05"/><site name="tip"/></body></body></worldbody>
 <actuator><motor name="m" site="tip" refsite="ref" gear="0 1 0 0 0 0"/></actuator></mujoco>"""},
    {"name": "tendon_armature_fixed", "xml": two("", after='<tendon><fixed name="f" armature=".5"><joint joint="ja" coef="2"/><joint joint="jb" coef="-0.7"/></fixed></tendon>')},
    {"name": "tendon_armature_spatial", "states": 4, "xml": two('<site name="c" pos="0.1 0.1 -0.1"/>', after='<tendon><spatial name="t" armature=".5" stiffness="3"><site site="w"/><site site="sb"/></spatial>'
        '<spatial name="p" armature="2"><site site="w"/><site site="sa"/><pulley divisor="2"/><site site="w"/><site site="c"/></spatial></tendon>'
        '<actuator><position name="m" tendon="t" kp="30" dampratio="1"/></actuator>')},
    {"name": "tendon_armature_between_branches", "states": 4, "xml": """<mujoco><worldbody><body pos="0 0 1"><joint axis="0 1 0"/><geom size=".1" pos=".2 0 0"/>
 <body pos=".3 0 0"><joint axis="0 1 0"/><geom size=".1" pos=".2 0 0"/><site name="s" pos=".3 0 .1"/></body>
 <body pos="-.3 0 0"><joint axis="1 0 0"/><geom size=".1" pos=".2 .1 0"/><site name="r" pos="0 .1 -.3"/></body></body>
 <body pos="2 0 0"><freejoint/><geom type="box" size=".1 .2 .1"/><site name="q" pos=".1 0 .1"/></body></worldbody>
 <tendon><spatial armature=".5"><site site="s"/><site site="r"/></spatial><spatial armature=".7"><site site="s"/><site site="q"/></spatial></tendon></mujoco>"""},
    {"name": "classes_of_servos", "xml": two("", head='<default><position kp="10" kv="2"/><default class="finger"><motor ctrlrange="-2 2" gear="3"/>'
        '<default class="tip"><velocity kv="4"/></default></default></default>', after='<actuator><position name="p" class="finger" joint="ja"/><motor name="m" class="finger" joint="ja"/>'
        '<velocity name="v" class="tip" joint="jb"/><position name="q" class="tip" joint="jb"/><general name="g" class="finger" joint="jb"/><position name="r" joint="jb"/></actuator>')},
    {"name": "inherited_ranges", "xml": two("", head='<default><position kp="10" inheritrange="1"/><motor ctrlrange="-2 2"/></default>',
        after='<actuator><motor name="m" joint="jb"/><general name="g" joint="jb" gainprm="10" biastype="affine" biasprm="0 -10 0" inheritrange="0.5" ctrlrange="-9 9"/></actuator>')},
    {"name": "groups_switched_off", "xml": two("", head='<option actuatorgroupdisable="1 3"/>', after='<actuator><motor name="on" joint="ja"/><motor name="off" joint="ja" group="1"/>'
        '<position name="off2" joint="jb" kp="5" group="3"/></actuator>')},
    {"name": "ranges_without_limits", "xml": two("", after='<actuator><motor name="m" joint="ja" ctrlrange="1 -1" forcerange="2 2"/><motor name="n" joint="jb" ctrlrange="-inf inf" forcerange="-inf 0.5"/></actuator>',
        joint='range="0 0" actuatorfrcrange="3 -3"')},
]

IN = '<inertial><origin xyz="0.05 0 0.1" rpy="0.1 0.2 0.3"/><mass value="1.5"/><inertia ixx="0.02" ixy="0.001" ixz="0" iyy="0.03" iyz="-0.002" izz="0.04"/></inertial>'


def urdf(links, head="", attributes=""):
    """A chain base, l0, l1, ... of revolute joints j0, j1, ..., with the contents of the links."""
    out = '<link name="base"/>'
    for k, inner in enumerate(links):
        out += f'<link name="l{k}">{inner}</link><joint name="j{k}" type="revolute"><origin xyz="0.1 0 {0.2 * k}" rpy="0.3 0 0.{k}"/><parent link="{"base" if k == 0 else f"l{k - 1}"}"/>'
        out += f'<child link="l{k}"/><axis xyz="0 {k % 2} {1 - k % 2}"/><limit lower="-1" upper="2" effort="30" velocity="3"/><dynamics damping="0.1"/></joint>'
    return f'<robot name="r" {attributes}>{head}{out}</robot>'


FILES += [
    {"name": "urdf_without_inertial", "urdf": urdf([IN, '<collision><origin xyz="0 0.1 0"/><geometry><sphere radius="0.05"/></geometry></collision>'
        '<collision><origin rpy="0.5 0 0"/><geometry><box size="0.1 0.2 0.05"/></geometry></collision><visual><geometry><sphere radius="1"/></geometry></visual>'])},
    {"name": "urdf_settings", "urdf": urdf([IN, IN.replace('izz="0.04"', 'izz="0.4"'), '<inertial><mass value="0.01"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>'],
        head='<mujoco><compiler balanceinertia="true" boundmass="0.1" boundinertia="0.001" discardvisual="false"/><option gravity="1 2 -3"/></mujoco>')},
    {"name": "urdf_from_geoms", "urdf": urdf([IN + '<collision><geometry><cylinder radius="0.05" length="0.3"/></geometry></collision>'],
        head='<mujoco><compiler inertiafromgeom="true"/></mujoco>')},
    {"name": "urdf_foreign_parts", "urdf": '<?xml version="1.0"?><!DOCTYPE robot>' + urdf([IN.replace('ixx="0.02"', 'ixx="0.02" iyx="0.001" izx="0" izy="-0.002"') + "<gravity>0</gravity><kinematic/>stray"
        '<visual><geometry/></visual><visual/><collision concave="yes"><surface/><geometry name="g"><sphere radius="0.1"/></geometry><drake:proximity_properties/></collision>',
        IN + '<visual><geometry><sphere radius=".1"/></geometry><material name="m"><color rgba="1 0 0 1"/><specular rgb="1 1 1"/></material></visual>'],
        head='<properties/><dynamics damping="3"/><device/><link name="alone"/><gazebo reference="l0"><mu1>1</mu1></gazebo>', attributes='build="1"')
        .replace('name="j1" type="revolute"', 'name="j1" type="revolute" dont_collapse="true"')},
    {"name": "urdf_massless_tip", "urdf": urdf([IN, IN]).replace("</robot>", '<link name="tip"/><joint name="t" type="fixed"><parent link="l1"/><child link="tip"/></joint>'
        '<link name="ghost"><inertial><mass value="0"/><inertia ixx=".1" ixy="0" ixz="0" iyy=".1" iyz="0" izz=".1"/></inertial></link><joint name="u" type="fixed"><parent link="tip"/><child link="ghost"/></joint></robot>')},
    {"name": "urdf_limits_that_are_none", "urdf": urdf([IN, IN]).replace('lower="-1" upper="2" effort="30"', 'lower="0.5" upper="0.5" effort="30"', 1).replace('lower="-1" upper="2" effort="30"', 'lower="2" upper="-1" effort="30"')},
    {"name": "bounds_of_massless_bodies", "xml": two('<body name="tip" pos="0.2 0.1 0" euler="0.3 0 0"><geom size="0.02" mass="0"/></body><body name="empty" pos="0 0 0.3"/>',
        head='<compiler boundmass="0.5" boundinertia="0.01"/>')},
    {"name": "urdf_bounds_of_massless_links", "urdf": urdf([IN, ""], head='<mujoco><compiler boundmass="0.2" boundinertia="0.01" fusestatic="false"/></mujoco>')},
]

# Springs and dampers whose force is a polynomial, to both sides of their rest, with slack, in space, and dampers of actuators on top.
FILES += [
    {"name": "polynomial_springs_and_dampers", "states": 4, "xml": floating(ball='stiffness="2 3 5" damping="0.3 0.2 0.1"', hinge='stiffness="0 -2 4" springref="0.3" damping="0 0 0.4"')
        .replace("<freejoint", '<joint type="free" stiffness="3 2 1" damping="0.2 0.5"')},
    {"name": "polynomial_springs_of_tendons", "states": 8, "xml": two("", head='<default><tendon stiffness="4 1 2" damping="0.5 0.7"/></default>', joint='damping="1"',
        after='<tendon><fixed name="f" springlength="-0.1 0.2"><joint joint="ja" coef="0.4"/><joint joint="jb" coef="-1.5"/></fixed>'
        '<spatial name="s" stiffness="3" damping="0 0 2"><site site="w"/><site site="sb"/></spatial></tendon>'
        '<actuator><motor name="a" joint="ja" gear="-3" damping="0.2 0.3 0.4"/><motor name="t" tendon="f" gear="2" damping="0.1 0.2"/></actuator>')},
    {"name": "springdamper_beside_more_coefficients", "xml": two("", joint='springdamper="0.5 0.7" stiffness="3 1 2" damping="9 0.4 0.6"')},
]
