//! A hinged arm pushed by a motor, under MuJoCo's names: a run, then 16 rollouts on all processors.
use signorini_batch::mujoco::{Data, Model, MujocoError, RolloutOptions, rollout, step};

const XML: &str = "<mujoco><worldbody><geom type='plane' size='1 1 1'/>
    <body pos='0 0 .5'><joint name='hinge' axis='0 1 0' damping='.1'/><geom type='capsule' fromto='0 0 0 .3 0 0' size='.03'/></body>
    <body name='ball' pos='.28 0 .8'><freejoint/><geom size='.05'/></body></worldbody>
    <actuator><motor joint='hinge'/></actuator><sensor><jointpos joint='hinge'/></sensor></mujoco>";

fn main() -> Result<(), MujocoError> {
    let model = Model::from_xml_string(XML)?;
    let mut data = Data::new(&model)?;
    let start = data.state();
    while data.time < 0.5 {
        data.ctrl[0] = -1.0;
        step(&model, &mut data)?;
    }
    println!("ball at {:?}, {} contacts", data.xpos[model.body("ball")?], data.ncon());
    let control: Vec<f64> = (0..16 * 250).map(|i| -0.2 * f64::from(i / 250)).collect();
    let r = rollout(&model, &start.repeat(16), &control, 250, RolloutOptions::default())?;
    let last = |i: usize| r.sensordata[250 * i + 249];
    println!("angle after 0.5 s: {:.3} rad without torque, {:.3} rad with 3 N·m", last(0), last(15));
    Ok(())
}
