//! Arrays under MuJoCo's names stay where they are, and rollouts that keep their worlds are those that do not.

use signorini_batch::mujoco::{Data, Model, PersistentRollout, RolloutOptions, forward, rollout, step};

/// Two bodies with actuators of all kinds, a tendon, a mocap body, sensors and a site.
const ALL: &str = "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/><site name='s'/>
<body name='guide' mocap='true' pos='0 1 1'/>
<body name='arm' pos='0 0 1'><joint name='j' axis='0 1 0' damping='.1'/><geom type='capsule' fromto='0 0 0 .3 0 0' size='.03'/></body>
<body name='ball' pos='1 0 .2'><freejoint/><geom size='.1'/></body></worldbody>
<tendon><fixed name='t'><joint joint='j' coef='2'/></fixed></tendon>
<actuator><motor joint='j'/><general joint='j' dyntype='integrator'/></actuator>
<sensor><jointpos joint='j'/><accelerometer site='s'/></sensor>
<keyframe><key name='up' time='3' qpos='1 1 0 .3 1 0 0 0' ctrl='.1 .2' act='.3' mpos='0 2 1' mquat='0 1 0 0'/></keyframe></mujoco>";

/// Places of all arrays that have one allocation for life, and their lengths.
fn places(d: &Data) -> Vec<(usize, usize)> {
    fn at<T>(x: &[T]) -> (usize, usize) {
        (x.as_ptr() as usize, x.len())
    }
    vec![
        at(&d.qpos),
        at(&d.qvel),
        at(&d.act),
        at(&d.ctrl),
        at(&d.qfrc_applied),
        at(&d.xfrc_applied),
        at(&d.mocap_pos),
        at(&d.mocap_quat),
        at(&d.qacc),
        at(&d.xpos),
        at(&d.xquat),
        at(&d.xmat),
        at(&d.xipos),
        at(&d.geom_xpos),
        at(&d.geom_xmat),
        at(&d.site_xpos),
        at(&d.site_xmat),
        at(&d.qfrc_bias),
        at(&d.qfrc_passive),
        at(&d.qfrc_actuator),
        at(&d.actuator_force),
        at(&d.actuator_length),
        at(&d.actuator_velocity),
        at(&d.ten_length),
        at(&d.sensordata),
    ]
}

#[test]
fn regression_arrays_keep_their_places() {
    let mut model = Model::from_xml_string(ALL).unwrap();
    let mut d = Data::new(&model).unwrap();
    let made = places(&d);
    assert!(made.iter().all(|(_, len)| *len > 0), "every array has entries here: {made:?}");
    step(&model, &mut d).unwrap();
    assert_eq!(places(&d), made, "a step");
    d.xfrc_applied[2][0] = 3.0;
    d.qfrc_applied[0] = 1.0;
    d.reset_data_keyframe(&model, 0).unwrap();
    assert_eq!(places(&d), made, "a keyframe");
    assert_eq!((d.time, d.qpos[0], d.act[0], &d.ctrl[..]), (3.0, 1.0, 0.3, &[0.1, 0.2][..]));
    assert_eq!((d.mocap_pos[0], d.mocap_quat[0]), ([0.0, 2.0, 1.0], [0.0, 1.0, 0.0, 0.0]));
    assert_eq!((d.xfrc_applied[2], d.qfrc_applied[0]), ([0.0; 6], 0.0));
    let kept = d.state_with_memory();
    step(&model, &mut d).unwrap();
    d.set_state_with_memory(&model, &kept).unwrap();
    d.set_state(&model, &Data::new(&model).unwrap().state()).unwrap();
    assert_eq!(places(&d), made, "states that are set");
    model.set_body_mass(2, 3.0).unwrap();
    forward(&model, &mut d).unwrap();
    d.reset_data(&model).unwrap();
    assert_eq!(places(&d), made, "a changed model, and a reset");
    // An array that was shortened gets its length back where it is.
    d.ctrl.pop();
    d.reset_data(&model).unwrap();
    assert_eq!(places(&d), made, "a repaired array");
}

#[test]
fn conformance_rollouts_that_keep_their_worlds_are_those_that_do_not() {
    let mut model = Model::from_xml_string(ALL).unwrap();
    let (ns, nu, nstep) = (model.nstate(), model.nu(), 30);
    let mut kept = PersistentRollout::new(RolloutOptions { nthread: 2 });
    let mut start: Vec<f64> = (0..5).flat_map(|_| Data::new(&model).unwrap().state()).collect();
    (0..5).for_each(|i| start[i * ns + 4] = 0.25 + 0.01 * i as f64);
    let control = |n: usize, of: usize| -> Vec<f64> {
        (0..n * nstep * nu).map(|i| (0.1 * i as f64 + of as f64).sin()).collect()
    };
    // Falls, impacts and rest: there is memory that must not go from one call into the next.
    for call in 0..4 {
        let n = [5, 5, 3, 4][call];
        let mut u = control(n, call);
        if call == 1 {
            u[(2 * nstep + 7) * nu] = f64::NAN;
        }
        let once = rollout(&model, &start[..n * ns], &u, nstep, RolloutOptions { nthread: 1 }).unwrap();
        let again = kept.rollout(&model, &start[..n * ns], &u, nstep).unwrap();
        let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert!(bits(&once.state) == bits(&again.state), "call {call}");
        assert!(bits(&once.sensordata) == bits(&again.sensordata), "call {call}");
        assert_eq!(once.warnings, again.warnings);
        let failed =
            |f: &[Option<signorini_core::StepError>]| f.iter().map(Option::is_some).collect::<Vec<_>>();
        assert_eq!(failed(&once.failures), failed(&again.failures));
        assert_eq!(again.failures.iter().flatten().count(), usize::from(call == 1));
        for i in (0..n).filter(|i| again.failures[*i].is_none()) {
            let end = (i * nstep + nstep - 1) * ns;
            start[i * ns..(i + 1) * ns].copy_from_slice(&again.state[end..end + ns]);
        }
    }
    assert_eq!(kept.built(), 1, "worlds are built once");
    // Errors of arguments leave the worlds.
    assert!(kept.rollout(&model, &start[1..], &[], nstep).is_err());
    assert!(kept.rollout(&model, &start[..ns], &[], nstep).is_err());
    // A change of the model or of gravity is noticed.
    let u = control(1, 0);
    let end = |kept: &mut PersistentRollout, model: &Model| {
        let once = rollout(model, &start[..ns], &u, nstep, RolloutOptions { nthread: 1 }).unwrap();
        let again = kept.rollout(model, &start[..ns], &u, nstep).unwrap();
        assert_eq!(once.state, again.state);
        again.state
    };
    let before = end(&mut kept, &model);
    model.set_body_mass(2, 9.0).unwrap();
    let heavy = end(&mut kept, &model);
    model.opt.gravity = [0.0, 0.0, -1.0];
    let light = end(&mut kept, &model);
    assert!(before != heavy && heavy != light);
    assert_eq!(kept.built(), 3);
}
