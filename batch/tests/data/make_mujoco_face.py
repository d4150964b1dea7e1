"""Writes mujoco_face.json beside this file: models and what MuJoCo 4.0.0 (pip install mujoco==4.0.0) says of them."""
import json
import pathlib

import mujoco
import numpy as np

ARM = """<mujoco><compiler angle="radian"/><option timestep="1e-6" integrator="implicitfast"/><flag/>
<worldbody>
 <body name="hand" mocap="true" pos="0.3 0.1 0.2"><geom size=".02" contype="0" conaffinity="0"/></body>
 <body name="upper" pos="0 0 1"><joint name="shoulder" axis="0 1 0" damping="0.3" armature="0.02" stiffness="2" springref="0.1"/>
  <joint name="twist" axis="1 0 0" pos="0 0 .05"/>
  <geom name="rod" type="capsule" fromto="0 0 0 .3 0 0" size=".03"/><site name="mid" pos=".15 0 .05" euler="0.1 0.2 0.3"/>
  <body name="lower" pos=".3 0 0" gravcomp="0.5"><joint name="elbow" axis="0 0 1" range="-2 2"/>
   <geom name="box" type="box" size=".1 .04 .03" pos=".1 0 0" euler="0.3 0 0"/><site name="tip" pos=".2 0 0"/>
   <body name="wrist" pos=".25 0 0"><joint name="ball" type="ball"/><geom type="ellipsoid" size=".05 .04 .03"/><site name="end" pos="0 .1 0"/></body>
  </body></body>
 <body name="float" pos="1 0 2" quat="0.9 0.1 0.3 0.2"><freejoint name="root"/><geom type="cylinder" size=".1 .2" mass="1.5"/><site name="imu" pos=".05 0 0" quat="1 1 0 0"/></body>
</worldbody>
<tendon><fixed name="pair"><joint joint="shoulder" coef="1"/><joint joint="elbow" coef="-0.5"/></fixed><spatial name="wire" damping="0.4" stiffness="3" springlength="0.1"><site site="mid"/><site site="imu"/></spatial></tendon>
<actuator><position name="servo" joint="elbow" kp="5" kv="0.3"/><motor name="drive" joint="shoulder" gear="2" ctrlrange="-1 1"/><general name="lag" tendon="pair" dyntype="filter" dynprm="0.1" gainprm="3" biastype="affine" biasprm="0 -1 -0.2"/><motor name="push" site="imu" gear="1 0 0 0 0.2 0"/></actuator>
<sensor><jointpos joint="elbow"/><jointvel joint="shoulder"/><framepos objtype="site" objname="tip"/><framequat objtype="body" objname="wrist"/><gyro site="imu"/><velocimeter site="end"/><actuatorfrc actuator="servo"/><tendonpos tendon="wire"/><subtreecom body="upper"/><ballquat joint="ball"/><framelinvel objtype="xbody" objname="lower"/></sensor>
<keyframe><key name="bent" qpos="0.3 0.2 -0.4 0.8 0.6 0 0 1 2 3 1 0 0 0" ctrl="0.1 0.2 0.3 0.4" act="0.5" time="2.5"/></keyframe>
</mujoco>""".replace("<flag/>","")
CONTACT = """<mujoco><option timestep="1e-3"/><worldbody><geom name="floor" type="plane" size="2 2 1"/>
 <body name="a" pos="0 0 .099"><freejoint/><geom name="ball" size=".1" friction="0.7 0.01 0.001" condim="4"/></body>
 <body name="b" pos="1 0 .049" euler="0 0 30"><freejoint/><geom name="box" type="box" size=".1 .07 .05"/></body>
 <body name="c" pos="0.02 0.0 .296"><freejoint/><geom name="top" size=".1"/></body>
</worldbody></mujoco>"""
out=[]
for name,xml in [("arm",ARM),("contact",CONTACT)]:
    m=mujoco.MjModel.from_xml_string(xml); m.opt.enableflags|=mujoco.mjtEnableBit.mjENBL_ENERGY
    d=mujoco.MjData(m)
    rng=np.random.default_rng(3)
    if name=="arm":
        dq=rng.normal(size=m.nv)*0.4; q=m.qpos0.copy(); mujoco.mj_integratePos(m,q,dq,1.0); d.qpos[:]=q; d.qvel[:]=rng.normal(size=m.nv)
        d.ctrl[:]=[0.3,1.5,-0.4,0.7]; d.act[:]=[0.2]; d.time=0.75
        d.qfrc_applied[:]=0.1*rng.normal(size=m.nv); d.xfrc_applied[3]=[.1,.2,.3,.04,.05,.06]; d.xfrc_applied[5]=[-.3,.1,.2,.01,.0,.02]
        d.mocap_pos[0]=[.4,.5,.6]; d.mocap_quat[0]=[2,0,0,1]
    st=np.concatenate([[d.time],d.qpos,d.qvel,d.act])
    inp=dict(ctrl=d.ctrl.tolist(),qfrc_applied=d.qfrc_applied.tolist(),xfrc_applied=d.xfrc_applied.tolist(),mocap_pos=d.mocap_pos.tolist(),mocap_quat=d.mocap_quat.tolist())
    mujoco.mj_forward(m,d)
    M = np.zeros((m.nv, m.nv))
    mujoco.mj_fullM(m, d, M)
    J={}
    for b in range(m.nbody):
        jp=np.zeros((3,m.nv)); jr=np.zeros((3,m.nv)); mujoco.mj_jacBody(m,d,jp,jr,b); J[str(b)]=[jp.ravel().tolist(),jr.ravel().tolist()]
    fields={k:np.array(getattr(d,k)).tolist() for k in "xpos xquat xmat xipos geom_xpos geom_xmat site_xpos site_xmat qfrc_bias qfrc_passive qfrc_actuator actuator_force actuator_length actuator_velocity ten_length sensordata energy qacc".split()}
    mf={k:np.array(getattr(m,k)).tolist() for k in "nq nv nu na nbody njnt ngeom nsite ntendon neq nsensor nsensordata nkey nmocap body_parentid body_mass body_pos body_quat body_ipos body_mocapid jnt_type jnt_qposadr jnt_dofadr jnt_bodyid jnt_limited jnt_range dof_bodyid dof_jntid dof_armature dof_damping dof_frictionloss geom_bodyid geom_friction geom_condim site_bodyid actuator_ctrllimited actuator_ctrlrange actuator_forcerange actuator_gear sensor_adr sensor_dim qpos0".split()}
    mf["actuator_gainprm"]=np.array(m.actuator_gainprm)[:,:3].tolist() if m.nu else []; mf["actuator_biasprm"]=np.array(m.actuator_biasprm)[:,:3].tolist() if m.nu else []
    con=[dict(dist=float(c.dist),pos=c.pos.tolist(),normal=c.frame[:3].tolist(),geom=[int(g) for g in c.geom]) for c in d.contact]
    key={}
    if m.nkey:
        mujoco.mj_resetDataKeyframe(m,d,0); key=dict(qpos=d.qpos.tolist(),ctrl=d.ctrl.tolist(),act=d.act.tolist(),time=d.time)
    end=[]
    if name=="arm":
        m2=mujoco.MjModel.from_xml_string(xml); m2.opt.timestep=1e-5; d2=mujoco.MjData(m2)
        mujoco.mj_setState(m2,d2,st,mujoco.mjtState.mjSTATE_FULLPHYSICS); 
        for k,v in inp.items(): getattr(d2,k)[:]=v
        for _ in range(20000): mujoco.mj_step(m2,d2)
        end=np.concatenate([[d2.time],d2.qpos,d2.qvel,d2.act]).tolist()
    out.append(dict(name=name,xml=xml,state=st.tolist(),inputs=inp,model=mf,data=fields,M=M.ravel().tolist(),jac_body=J,contact=con,key=key,end_state_0_2s=end))
with open(pathlib.Path(__file__).with_name("mujoco_face.json"), "w") as f:
    json.dump(out, f, separators=(",", ":"))
