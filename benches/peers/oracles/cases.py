"""The models of make_multibody_data.py, by topic."""

ARM = {"name": "arm_gripper", "model": "models/arm_gripper/arm_gripper.xml"}
QUADRUPED = {"name": "quadruped", "model": "models/quadruped/quadruped.xml"}


def chain(inside="", after="", head="", joints="", compiler='<compiler angle="radian"/>'):
    """Three links: hinge, hinge, slide; `joints` are attributes of every joint."""
    return f"""<mujoco>
 {compiler}{head}
 <worldbody>
  <site name="w0" pos="0.1 0 0.6"/>
  <body name="a" pos="0 0 0.5">
   <joint name="ja" axis="0 1 0" range="-1.2 1.4" limited="true" {joints}/>
   <geom name="ga" type="capsule" size="0.03" fromto="0 0 0 0.3 0 0" mass="1.2"/>
   <site name="sa" pos="0.15 0.02 0.05" quat="0.8 0.2 0.4 0.4"/>
   <body name="b" pos="0.3 0 0">
    <joint name="jb" axis="0.2 1 0.1" range="-2 0.5" limited="true" {joints}/>
    <geom name="gb" type="box" size="0.1 0.03 0.02" pos="0.1 0 0" mass="0.7"/>
    <site name="sb" pos="0.2 -0.01 0.03" quat="0.3 0.1 0.9 0.2"/>
    <body name="c" pos="0.2 0 0" quat="0.9 0.1 0.3 0.2">
     <joint name="jc" type="slide" axis="1 0 0.5" range="-0.2 0.3" limited="true" {joints}/>
     <geom name="gc" type="ellipsoid" size="0.05 0.03 0.04" mass="0.4"/>
     <site name="sc" pos="0.05 0.01 -0.02" quat="0.5 -0.5 0.5 0.5"/>
     {inside}
    </body>
   </body>
  </body>
 </worldbody>
 {after}
</mujoco>"""


def actuated(actuators, **more):
    return chain(after=f"<actuator>{actuators}</actuator>", **more)


FLOATING = """<mujoco><compiler angle="radian"/><worldbody>
 <body name="base" pos="0 0 1"><freejoint name="free"/><geom name="gbase" type="box" size="0.2 0.1 0.05" mass="3"/>
  <site name="imu" pos="0.05 0.02 0.06" quat="0.7 0.1 0.5 0.5"/>
  <body name="arm" pos="0.2 0 0"><joint name="ball" type="ball" pos="0.01 0 0" {ball}/>
   <geom name="garm" type="capsule" size="0.02" fromto="0 0 0 0.2 0 0.05" mass="0.8"/><site name="tip" pos="0.2 0 0.05" euler="0.3 -0.2 0.5"/>
   <body name="fore" pos="0.2 0 0.05" {fore}><joint name="hinge" axis="0 1 0.3" pos="0 0.01 0" {hinge}/>
    <geom name="gfore" type="cylinder" size="0.02 0.1" pos="0 0 -0.1" mass="0.5"/><site name="hand" pos="0 0 -0.2" euler="1 0.2 0"/></body></body></body>
 </worldbody>{after}</mujoco>"""


def floating(ball="", hinge="", fore="", after=""):
    return FLOATING.format(ball=ball, hinge=hinge, fore=fore, after=after)


ACTUATORS = [
    {"name": "motor_gear_and_ranges", "xml": actuated(
        '<motor name="plain" joint="ja"/><motor name="geared" joint="jb" gear="12.5" ctrlrange="-0.5 0.8" ctrllimited="true"/>'
        '<motor name="limited" joint="jc" gear="-3" forcerange="-0.2 0.4" forcelimited="true"/>')},
    {"name": "position_kp_kv", "xml": actuated(
        '<position name="p" joint="ja" kp="40"/><position name="pv" joint="jb" kp="55" kv="3" ctrlrange="-1 1" ctrllimited="true"/>'
        '<position name="pf" joint="jc" kp="900" kv="20" gear="2" forcerange="-30 25" forcelimited="true"/>')},
    {"name": "position_dampratio", "xml": actuated(
        '<position name="d1" joint="ja" kp="40" dampratio="1"/><position name="d2" joint="jb" kp="55" dampratio="0.7" gear="3"/>'
        '<position name="d3" joint="jc" kp="900" dampratio="1.5"/>', joints='armature="0.05"')},
    {"name": "position_inheritrange", "xml": actuated(
        '<position name="i1" joint="ja" kp="40" inheritrange="1"/><position name="i2" joint="jb" kp="55" inheritrange="0.8"/>'
        '<intvelocity name="i3" joint="jc" kp="300" inheritrange="1.1"/>')},
    {"name": "velocity", "xml": actuated(
        '<velocity name="v" joint="ja" kv="7"/><velocity name="vg" joint="jc" kv="40" gear="0.5" ctrlrange="-0.2 0.1" '
        'ctrllimited="true" forcerange="-3 5" forcelimited="true"/>')},
    {"name": "general_affine", "xml": actuated(
        '<general name="fixed_none" joint="ja" gainprm="8"/>'
        '<general name="fixed_affine" joint="jb" gainprm="50" biastype="affine" biasprm="1.5 -50 -4" gear="2" ctrlrange="-1 2" forcerange="-60 80"/>'
        '<general name="affine_affine" joint="jc" gaintype="affine" gainprm="30 -5 2" biastype="affine" biasprm="-2 -10 -1"/>')},
    {"name": "joint_actuatorfrcrange", "xml": actuated(
        '<motor name="m1" joint="ja" gear="5"/><motor name="m2" joint="ja" gear="4"/><position name="p" joint="jb" kp="300"/>'
        '<motor name="m3" joint="jc"/>', joints='actuatorfrclimited="true" actuatorfrcrange="-3 2"')},
    {"name": "tendon_transmission", "xml": chain(after=
        '<tendon><fixed name="f"><joint joint="ja" coef="1.5"/><joint joint="jb" coef="-0.7"/></fixed>'
        '<spatial name="s" actuatorfrclimited="true" actuatorfrcrange="-4 6"><site site="w0"/><site site="sa"/><site site="sc"/></spatial></tendon>'
        '<actuator><motor name="mf" tendon="f" gear="3"/><position name="pf" tendon="f" kp="20" kv="1"/>'
        '<motor name="ms" tendon="s" gear="5"/><position name="ps" tendon="s" kp="100"/></actuator>')},
    {"name": "activation", "xml": actuated(
        '<intvelocity name="iv" joint="ja" kp="30" actrange="-0.8 0.8"/>'
        '<general name="integrator" joint="jb" dyntype="integrator" gainprm="4"/>'
        '<position name="filtered" joint="jc" kp="500" timeconst="0.05" ctrlrange="-0.3 0.3"/>'
        '<general name="filter" joint="ja" dyntype="filter" dynprm="0.2" gainprm="6" actlimited="true" actrange="-0.5 0.4"/>'
        '<general name="early" joint="jb" dyntype="filterexact" dynprm="0.1" gainprm="6" actearly="true"/>'
        '<damper name="damper" joint="jc" kv="6" ctrlrange="0 1"/>')},
    {"name": "ball_and_free", "xml": floating(after=
        '<actuator><motor name="b1" joint="ball" gear="1 2 -0.5"/><motor name="b2" jointinparent="ball" gear="0.3 -1 2"/>'
        '<position name="b3" joint="ball" gear="0 1 0" kp="5"/><motor name="f1" joint="free" gear="1 0.5 -2 0.2 0.1 0.3"/>'
        '<motor name="f2" jointinparent="free" gear="1 0.5 -2 0.2 0.1 0.3"/></actuator>')},
    {"name": "site_transmission", "xml": floating(after=
        '<actuator><motor name="s1" site="tip" gear="1 0 2 0 0.5 0"/><motor name="s2" site="hand" refsite="imu" gear="0 1 0 0 0 0"/>'
        '<position name="s3" site="hand" refsite="imu" kp="30" gear="1 0.5 0 0 0 0.2"/></actuator>')},
    {**ARM, "states": 3},
    {**QUADRUPED, "states": 3},
]

WRAP = """<mujoco><compiler angle="radian"/><worldbody>
 <site name="w1" pos="-0.3 0.02 0.35"/>
 <body name="p"><joint name="hp" axis="0 1 0" range="-0.5 0.5" limited="true"/><geom name="gp" type="sphere" size="0.02" mass="0.5"/>
  <site name="p0" pos="-0.25 0 0.05"/><site name="p1" pos="-0.15 0.01 0.12"/>
  <geom name="wrap" {wrap} contype="0" conaffinity="0" mass="0"/>
  <site name="out" pos="{out}"/><site name="in" pos="0.005 0 0.004"/>
  <body name="q" pos="0.02 0 0"><joint name="hq" axis="0 1 0.1" range="-1.5 1.2" limited="true"/>
   <geom name="gq" type="capsule" size="0.015" fromto="0 0 0 0.25 0 0" mass="0.4"/><site name="q0" pos="0.2 0.01 0.03"/><site name="q1" pos="0.25 0 -0.02"/>
   <body name="r" pos="0.25 0 0"><joint name="sr" type="slide" axis="1 0 0" range="-0.05 0.1" limited="true"/>
    <geom name="gr" type="sphere" size="0.02" mass="0.2"/><site name="r0" pos="0 0 0.02"/></body></body></body>
 </worldbody><tendon>{tendon}</tendon></mujoco>"""
SPHERE = 'type="sphere" size="0.06" pos="0.01 0 0.02"'
CYLINDER = 'type="cylinder" size="0.05 0.1" pos="0.01 0 0.01" quat="0.7 0.7 0.05 0.02"'


def wrapped(wrap, middle, attributes="", out="0 0 0.15", extra=""):
    tendon = f'<spatial name="t" {attributes}><site site="p0"/>{middle}<site site="q0"/></spatial>{extra}'
    return WRAP.format(wrap=wrap, out=out, tendon=tendon)


TENDONS = [
    {"name": "fixed", "xml": chain(after=
        '<tendon><fixed name="f1"><joint joint="ja" coef="2"/><joint joint="jc" coef="-0.5"/></fixed>'
        '<fixed name="f2" stiffness="30" damping="2" springlength="0.1"><joint joint="jb" coef="1"/></fixed></tendon>')},
    {"name": "spatial_sites", "xml": chain(after=
        '<tendon><spatial name="s1" stiffness="80" damping="3"><site site="w0"/><site site="sb"/></spatial>'
        '<spatial name="s2"><site site="w0"/><site site="sa"/><site site="sb"/><site site="sc"/></spatial></tendon>')},
    {"name": "spring_dead_band", "states": 8, "xml": chain(after=
        '<tendon><spatial name="s" stiffness="200" damping="1" springlength="0.25 0.35"><site site="w0"/><site site="sb"/></spatial></tendon>')},
    {"name": "spring_reference_length", "xml": chain(after=
        '<tendon><spatial name="s" stiffness="200" springlength="0.2"><site site="w0"/><site site="sb"/></spatial></tendon>')},
    {"name": "pulley", "xml": chain(after=
        '<tendon><spatial name="s"><site site="w0"/><site site="sa"/><pulley divisor="2"/><site site="sa"/><site site="sb"/>'
        '<pulley divisor="2"/><site site="w0"/><site site="sc"/></spatial></tendon>')},
    {"name": "sphere", "states": 8, "xml": wrapped(SPHERE, '<geom geom="wrap"/>')},
    {"name": "sphere_sidesite", "states": 8, "xml": wrapped(SPHERE, '<geom geom="wrap" sidesite="out"/>')},
    {"name": "sphere_sidesite_other_side", "states": 6, "xml": wrapped(SPHERE, '<geom geom="wrap" sidesite="out"/>', out="0 0 -0.15")},
    {"name": "sphere_inside", "states": 8, "xml": wrapped(SPHERE, '<geom geom="wrap" sidesite="in"/>')},
    {"name": "cylinder", "states": 8, "xml": wrapped(CYLINDER, '<geom geom="wrap"/>')},
    {"name": "cylinder_sidesite", "states": 8, "xml": wrapped(CYLINDER, '<geom geom="wrap" sidesite="out"/>')},
    {"name": "cylinder_sidesite_other_side", "states": 6, "xml": wrapped(CYLINDER, '<geom geom="wrap" sidesite="out"/>', out="0 0 -0.15")},
    {"name": "cylinder_inside", "states": 8, "xml": wrapped(CYLINDER, '<geom geom="wrap" sidesite="in"/>')},
    {"name": "wrap_between_sites_and_pulley", "states": 6, "xml": WRAP.format(wrap=CYLINDER, out="0 0 0.15", tendon=
        '<spatial name="t" stiffness="50" damping="1"><site site="w1"/><site site="p1"/><geom geom="wrap" sidesite="out"/><site site="q0"/>'
        '<site site="r0"/><pulley divisor="3"/><site site="p0"/><site site="q1"/></spatial>')},
]

PASSIVE = [
    {"name": "hinge_slide", "xml": chain(joints='stiffness="12" damping="0.7" springref="0.2" armature="0.03"')},
    {"name": "reference", "xml": chain(joints='stiffness="12" damping="0.7" springref="0.2" ref="0.1"')},
    {"name": "ball_and_free", "xml": floating(ball='stiffness="4" damping="0.3"', hinge='stiffness="2" springref="-0.4" damping="0.1"').replace(
        '<freejoint name="free"/>', '<joint name="free" type="free" stiffness="6" damping="0.5"/>')},
    {"name": "gravcomp", "xml": floating(fore='gravcomp="0.6"').replace('<body name="base"', '<body name="base" gravcomp="1"')},
    {"name": "actuatorgravcomp", "xml": floating(fore='gravcomp="1"', hinge='actuatorgravcomp="true"',
        after='<actuator><motor name="m" joint="hinge" gear="2"/></actuator>')},
    {"name": "tendon_spring_damper", "xml": chain(joints='stiffness="1" damping="0.1"', after=
        '<tendon><fixed name="f" stiffness="25" damping="1.5" springlength="0.05"><joint joint="ja" coef="1"/><joint joint="jb" coef="-1"/></fixed></tendon>')},
    {**ARM, "states": 2},
    {**QUADRUPED, "states": 2},
]

SENSORS = [
    {**ARM, "states": 3},
    {**QUADRUPED, "states": 3},
    {"name": "joints_actuators_tendons", "xml": chain(
        joints='actuatorfrclimited="true" actuatorfrcrange="-5 5"',
        after='<tendon><fixed name="f"><joint joint="ja" coef="1.5"/><joint joint="jb" coef="-0.7"/></fixed>'
        '<spatial name="s"><site site="w0"/><site site="sa"/><site site="sc"/></spatial></tendon>'
        '<actuator><motor name="m" joint="ja" gear="3"/><position name="p" joint="jb" kp="30" kv="1"/><motor name="t" tendon="s"/></actuator>'
        '<sensor><jointpos name="jointpos_a" joint="ja"/><jointpos name="jointpos_c" joint="jc"/><jointvel name="jointvel_b" joint="jb"/>'
        '<jointactuatorfrc name="jointactuatorfrc_b" joint="jb"/><tendonpos name="tendonpos_f" tendon="f"/><tendonpos name="tendonpos_s" tendon="s"/>'
        '<tendonvel name="tendonvel_f" tendon="f"/><tendonvel name="tendonvel_s" tendon="s"/><actuatorpos name="actuatorpos_m" actuator="m"/>'
        '<actuatorvel name="actuatorvel_t" actuator="t"/><actuatorfrc name="actuatorfrc_p" actuator="p"/>'
        '<jointpos name="cut" joint="ja" cutoff="0.3"/><clock name="clock"/></sensor>')},
    {"name": "frames", "xml": floating(after="<sensor>" + "".join(
        f'<{kind} name="{kind}_{objtype}" objtype="{objtype}" objname="{name}"/>'
        for kind in ("framepos", "framequat", "framelinvel", "frameangvel", "framelinacc", "frameangacc", "framexaxis", "frameyaxis", "framezaxis")
        for objtype, name in (("body", "fore"), ("xbody", "fore"), ("geom", "gfore"), ("site", "hand"))) + "</sensor>")},
    {"name": "frames_relative", "xml": floating(after="<sensor>" + "".join(
        f'<{kind} name="{kind}" objtype="site" objname="hand" reftype="site" refname="imu"/>'
        for kind in ("framepos", "framequat", "framelinvel", "frameangvel", "framexaxis")) +
        '<framepos name="body_in_geom" objtype="xbody" objname="fore" reftype="geom" refname="garm"/>'
        '<framelinvel name="body_in_geom_velocity" objtype="xbody" objname="fore" reftype="geom" refname="garm"/></sensor>')},
    {"name": "inertial_force_subtree", "xml": floating(hinge='damping="0.2"', after=
        '<actuator><motor name="m" joint="hinge" gear="2"/></actuator><sensor>' + "".join(
            f'<{kind} name="{kind}_{site}" site="{site}"/>'
            for kind in ("gyro", "accelerometer", "velocimeter", "force", "torque") for site in ("imu", "tip", "hand"))
        + "".join(f'<{kind} name="{kind}_{body}" body="{body}"/>'
                  for kind in ("subtreecom", "subtreelinvel", "subtreeangmom") for body in ("base", "arm", "fore"))
        + '<ballquat name="ballquat" joint="ball"/><ballangvel name="ballangvel" joint="ball"/>'
        '<e_potential name="potential"/><e_kinetic name="kinetic"/></sensor>')},
]

DYNAMICS = [
    {**ARM, "states": 3},
    {**QUADRUPED, "states": 3},
    {"name": "floating_chain", "xml": floating(hinge='armature="0.02" damping="0.3"', ball='armature="0.01"'), "states": 3},
    {"name": "several_joints_per_body", "states": 3, "xml": """<mujoco><compiler angle="radian"/><worldbody>
 <body name="a" pos="0.1 0.2 0.5" quat="0.9 0.1 0.2 0.3"><joint name="x" type="slide" axis="1 0 0.2"/><joint name="y" type="slide" axis="0 1 0" pos="0.1 0 0"/>
  <joint name="r" axis="0 0.3 1" pos="0.05 0.02 0"/><joint name="s" axis="1 0 0" pos="0 0 0.1" ref="0.4"/>
  <geom name="ga" type="box" size="0.1 0.05 0.03" pos="0.02 0 0" mass="1.5"/>
  <body name="b" pos="0.2 0 0"><joint name="u" axis="0 1 0" pos="-0.05 0 0"/><joint name="ball" type="ball" pos="0.02 0.03 0"/>
   <geom name="gb" type="capsule" size="0.02" fromto="0 0 0 0.1 0.1 0" mass="0.6"/></body>
  <body name="welded" pos="-0.1 0 0.05" euler="0.2 0.3 0.1"><geom name="gw" type="sphere" size="0.04" mass="0.3"/></body></body>
 </worldbody></mujoco>"""},
]

PAIR = """<mujoco><compiler angle="radian"/><worldbody>
 <body name="a" pos="0 0 0.5"><freejoint name="fa"/><geom name="ga" type="box" size="0.1 0.05 0.03" mass="1"/><site name="sa" pos="0.1 0 0.02" euler="0.1 0.4 0"/></body>
 <body name="b" pos="0.3 0 0.5" euler="0 0.2 0.1"><freejoint name="fb"/><geom name="gb" type="sphere" size="0.05" mass="0.7"/><site name="sb" pos="-0.1 0.03 0" euler="0.3 0 0.2"/></body>
 </worldbody><equality>{equality}</equality></mujoco>"""

EQUALITY = [
    {"name": "connect", "xml": PAIR.format(equality='<connect name="bodies" body1="a" body2="b" anchor="0.15 0.01 0.02"/>'
                                                    '<connect name="world" body1="b" anchor="0 0.1 0"/>')},
    {"name": "connect_sites", "xml": PAIR.format(equality='<connect name="sites" site1="sa" site2="sb"/>')},
    {"name": "weld", "xml": PAIR.format(equality='<weld name="bodies" body1="a" body2="b"/><weld name="world" body1="a"/>')},
    {"name": "weld_options", "xml": PAIR.format(equality=
        '<weld name="relpose" body1="a" body2="b" relpose="0.2 0.1 0 0.8 0.2 0.4 0.4"/>'
        '<weld name="anchored" body1="a" body2="b" anchor="0.05 0 0.1" torquescale="0.5"/>'
        '<weld name="off" body1="a" body2="b" active="false"/>')},
    {"name": "weld_sites", "xml": PAIR.format(equality='<weld name="sites" site1="sa" site2="sb" torquescale="2"/>')},
    {"name": "joints_and_tendons", "xml": chain(joints='ref="0.1"', after=
        '<tendon><fixed name="f"><joint joint="ja" coef="1.5"/><joint joint="jb" coef="-0.7"/></fixed>'
        '<spatial name="s"><site site="w0"/><site site="sa"/><site site="sc"/></spatial></tendon>'
        '<equality><joint name="pair" joint1="ja" joint2="jb" polycoef="0.1 0.8 0.2 -0.1 0.05"/><joint name="single" joint1="jc" polycoef="0.05 0 0 0 0"/>'
        '<tendon name="tendons" tendon1="s" tendon2="f" polycoef="0.02 0.3 -0.1 0 0"/><tendon name="one" tendon1="f" polycoef="0.1 0 0 0 0"/></equality>')},
    {**ARM, "states": 2},
]


def one(geom, body="", compiler='<compiler angle="radian"/>', head=""):
    return f"""<mujoco>{compiler}{head}<worldbody><body name="b">{body}<freejoint/>{geom}</body></worldbody></mujoco>"""


TURN = 'pos="0.1 -0.2 0.3" quat="0.6 0.2 -0.5 0.3"'
SHAPES = {
    "sphere": 'type="sphere" size="0.13"',
    "capsule": 'type="capsule" size="0.05 0.2"',
    "cylinder": 'type="cylinder" size="0.05 0.2"',
    "ellipsoid": 'type="ellipsoid" size="0.05 0.2 0.1"',
    "box": 'type="box" size="0.05 0.2 0.1"',
}
TETRAHEDRON = 'vertex="0 0 0  0.5 0 0  0 0.25 0  0 0 0.75"'
INERTIA = [
    *({"name": f"{n}_{how}", "xml": one(f"<geom {s} {TURN} {a}/>")}
      for n, s in SHAPES.items()
      for how, a in (("default_density", ""), ("density", 'density="437"'), ("mass", 'mass="1.7"'),
                     ("shell", 'mass="1.7" shellinertia="true"'), ("shell_density", 'density="20" shellinertia="true"'))),
    {"name": "capsule_fromto", "xml": one('<geom type="capsule" size="0.04" fromto="0.1 0 0.2 0.3 -0.2 0.1"/>')},
    {"name": "cylinder_fromto", "xml": one('<geom type="cylinder" size="0.04" fromto="0.1 0 0.2 0.3 -0.2 0.1" mass="2"/>')},
    {"name": "box_fromto", "xml": one('<geom type="box" size="0.04 0.03" fromto="0.1 0 0.2 0.3 -0.2 0.1" mass="2"/>')},
    {"name": "several_geoms", "xml": one("".join(f"<geom {s} {TURN if i % 2 else ''} density='{200 + 100 * i}'/>"
                                                 for i, s in enumerate(SHAPES.values())))},
    {"name": "massless_visual", "xml": one('<geom type="box" size="0.1 0.2 0.3" mass="0"/><geom type="sphere" size="0.1" pos="0.2 0 0"/>')},
    {"name": "inertial_wins_on_auto", "xml": one('<geom type="box" size="0.1 0.2 0.3"/>',
        '<inertial pos="0.1 0 0.05" quat="0.9 0.1 0.2 0.3" mass="2" diaginertia="0.02 0.03 0.04"/>')},
    {"name": "inertial_ignored_when_from_geom", "xml": one('<geom type="box" size="0.1 0.2 0.3"/>',
        '<inertial pos="0.1 0 0.05" mass="2" diaginertia="0.02 0.03 0.04"/>', '<compiler inertiafromgeom="true"/>')},
    {"name": "fullinertia", "xml": one("", '<inertial pos="0.1 0 0.05" mass="2" fullinertia="0.02 0.03 0.04 0.001 -0.002 0.003"/>')},
    {"name": "inertiagrouprange", "xml": one('<geom type="box" size="0.1 0.2 0.3" group="2"/><geom type="sphere" size="0.1" group="3" pos="0 0.1 0"/>',
        compiler='<compiler inertiagrouprange="3 5"/>')},
    {"name": "settotalmass", "xml": one('<geom type="box" size="0.1 0.2 0.3"/>', compiler='<compiler settotalmass="5"/>')},
    {"name": "bounds", "xml": one('<geom type="box" size="0.01 0.02 0.03"/>', compiler='<compiler boundmass="0.5" boundinertia="0.01"/>')},
    {"name": "balanceinertia", "xml": one("", '<inertial pos="0 0 0" mass="2" diaginertia="0.01 0.01 0.05"/>', '<compiler balanceinertia="true"/>')},
    {"name": "mesh_exact", "xml": one(f'<geom type="mesh" mesh="t" {TURN} density="300"/>',
        head=f'<asset><mesh name="t" {TETRAHEDRON}/></asset>')},
    {"name": "mesh_shell", "xml": one('<geom type="mesh" mesh="t" mass="1.5"/>',
        head=f'<asset><mesh name="t" {TETRAHEDRON} inertia="shell"/></asset>')},
    {"name": "mesh_scaled", "xml": one('<geom type="mesh" mesh="t" density="300"/>',
        head=f'<asset><mesh name="t" {TETRAHEDRON} scale="0.5 2 1" refpos="0.125 0 0"/></asset>')},
    {"name": "child_welded_bodies_keep_their_own", "xml": one(
        '<geom type="sphere" size="0.1"/><body name="child" pos="0.3 0 0"><geom type="box" size="0.1 0.1 0.05"/></body>')},
    ARM,
    QUADRUPED,
]

COMPILER = [
    {"name": "degrees_and_limits", "xml": """<mujoco><worldbody><body name="a" euler="30 0 0"><joint name="j" axis="0 2 0" range="-45 90" springref="20" stiffness="2" ref="10"/>
 <geom name="g" type="box" size="0.1 0.2 0.3" euler="0 45 10"/><site name="s" axisangle="0 0 1 30"/><body name="b" pos="0.1 0 0" axisangle="1 1 0 60">
 <joint name="k" range="0 30"/><joint name="l" type="slide" axis="1 0 0" range="-0.1 0.2"/><geom name="h" type="sphere" size="0.1"/></body></body></worldbody></mujoco>"""},
    {"name": "no_autolimits", "xml": """<mujoco><compiler angle="radian" autolimits="false"/><worldbody><body name="a"><joint name="j" range="-1 1" limited="false"/>
 <joint name="k" axis="1 0 0" range="-1 1" limited="true"/><geom name="g" size="0.1"/></body></worldbody></mujoco>"""},
    *({"name": f"eulerseq_{seq}", "states": 1, "xml": f"""<mujoco><compiler angle="radian" eulerseq="{seq}"/><worldbody><body name="a" euler="0.3 -0.5 0.8">
 <joint name="j" axis="0 0 1"/><geom name="g" type="box" size="0.1 0.2 0.3" pos="0.1 0 0" euler="0.2 0.4 -0.6"/></body></worldbody></mujoco>"""}
      for seq in ("xyz", "XYZ", "zyx", "ZYX", "xyx", "ZyX", "zXz")),
    {"name": "orientations", "xml": """<mujoco><compiler angle="radian"/><worldbody>
 <body name="q" quat="2 0 0 2"><joint name="jq" axis="0 0 1"/><geom name="gq" type="box" size="0.1 0.2 0.3"/></body>
 <body name="x" xyaxes="1 1 0 -1 1 0.5"><joint name="jx" axis="1 1 0"/><geom name="gx" type="box" size="0.1 0.2 0.3"/></body>
 <body name="z" zaxis="1 0.5 -1"><joint name="jz" axis="0 1 0"/><geom name="gz" type="capsule" size="0.05" fromto="0 0 0 0.2 0.1 -0.3"/></body>
 <body name="m" zaxis="0 0 -1"><joint name="jm" axis="0 1 0"/><geom name="gm" type="cylinder" size="0.05" fromto="0 0 0.3 0 0 -0.1"/></body>
 <body name="n" axisangle="1 2 3 0.7"><joint name="jn" axis="0 1 0"/><geom name="gn" type="ellipsoid" size="0.05 0.1 0.2" zaxis="1 0 0"/><site name="sn" type="box" size="0.1 0.1 0.1" xyaxes="0 1 0 0 0 1"/></body>
 </worldbody></mujoco>"""},
    {"name": "defaults", "xml": """<mujoco><compiler angle="radian"/><default><geom density="500" friction="0.7" rgba="1 0 0 1"/><joint damping="0.3"/>
 <default class="one"><geom type="box" size="0.1 0.1 0.1" friction="0.5 0.02 0.001"/><joint axis="1 0 0" armature="0.02" range="-1 1"/>
 <default class="two"><geom size="0.2 0.1 0.05" contype="2" conaffinity="4" condim="4"/><joint stiffness="3" actuatorfrcrange="-4 4" frictionloss="0.1"/></default></default></default>
 <worldbody><geom name="plain" size="0.1"/><body name="a" childclass="one"><joint name="ja"/><geom name="ga"/><geom name="sphere" type="sphere" size="0.3"/>
 <body name="b" pos="0.3 0 0"><joint name="jb" class="two"/><geom name="gb" class="two"/><body name="c" childclass="two" pos="0.3 0 0"><joint name="jc" damping="0"/><geom name="gc"/>
 <geom name="gd" class="main" size="0.1"/></body></body></body></worldbody></mujoco>"""},
    {"name": "nested_frames", "xml": """<mujoco><compiler angle="radian"/><worldbody><frame name="f" pos="0.1 0 0.2" euler="0 0 0.5"><body name="a" pos="0.2 0 0" euler="0.3 0 0">
 <joint name="j" axis="0 0 1"/><frame pos="0 0.1 0" quat="0.9 0.1 0 0.2"><geom name="g" type="box" size="0.1 0.2 0.3" pos="0.1 0 0"/><site name="s" pos="0 0 0.1"/>
 <body name="b" pos="0.3 0 0"><joint name="k" axis="0 1 0"/><geom name="h" type="capsule" size="0.05" fromto="0 0 0 0.1 0.2 0"/></body></frame></body></frame></worldbody></mujoco>"""},
    {"name": "gravity_and_fixed_tilted", "xml": """<mujoco><option gravity="0.5 -1 -9" timestep="0.004"/><worldbody><body name="mount" pos="0 0 1" euler="0 90 0"><geom name="gm" type="box" size="0.1 0.1 0.1"/>
 <body name="a" pos="0.1 0 0"><joint name="j" axis="0 1 0" pos="0.02 0 0.01" armature="0.1" frictionloss="0.4"/><geom name="g" type="capsule" size="0.02 0.1"/></body></body></worldbody></mujoco>"""},
]
