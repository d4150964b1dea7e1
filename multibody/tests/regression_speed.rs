//! Time of kinematics, mass matrix, bias and factorisation of robots; prints, asserts only a generous bound.

use crate::common;

use std::time::Instant;

use common::{Random, body, joint, random_state, world};
use signorini_multibody::{Dynamics, Kinematics, Model, TreeFactor};
use signorini_scene::{JointKind, Scene};

#[test]
#[ignore = "timing: run with --release --ignored --nocapture"]
fn regression_time_of_tree_dynamics() {
    time("made-up humanoid", &Model::new(&humanoid()).unwrap());
    for file in ["unitree_g1/g1.xml", "boston_dynamics_spot/spot.xml", "panda/panda.xml"] {
        if let Some(scene) = common::oracle::scene(file) {
            time(file, &Model::new(&scene).unwrap());
        }
    }
}

/// A floating torso with two legs, two arms and two hands: 43 degrees of freedom, as many as a Unitree G1 with hands.
fn humanoid() -> Scene {
    let mut r = Random(7);
    let mut s = world();
    let mass = r.mass();
    s.bodies.push(body("torso", 0, r.pose(), Some(mass)));
    let (anchor, axis) = (r.vector() * 0.0, r.vector());
    s.joints.push(joint("free", 1, JointKind::Free, anchor, axis));
    let mut chain = |parent: usize, n: usize, r: &mut Random| {
        let mut p = parent;
        for _ in 0..n {
            let b = s.bodies.len();
            let (pose, mass) = (r.pose(), r.mass());
            s.bodies.push(body(&format!("b{b}"), p, pose, Some(mass)));
            s.joints.push(joint(&format!("j{b}"), b, JointKind::Hinge, r.vector() * 0.0, r.vector()));
            p = b;
        }
        p
    };
    chain(1, 6, &mut r);
    chain(1, 6, &mut r);
    let waist = chain(1, 3, &mut r);
    for _ in 0..2 {
        let wrist = chain(waist, 7, &mut r);
        chain(wrist, 2, &mut r);
        chain(wrist, 2, &mut r);
    }
    s
}

fn time(name: &str, model: &Model) {
    let mut r = Random(1);
    let (q, v) = random_state(model, &mut r);
    let mut kin = Kinematics::new(model);
    let mut dynamics = Dynamics::new(model);
    let mut factor = TreeFactor::new(model);
    let mut tau = vec![0.0; model.nv()];
    let n = 20_000;
    let mut times = [0.0; 5];
    for _ in 0..n {
        let t0 = Instant::now();
        kin.set_positions(model, &q, &model.mocap_poses);
        let t1 = Instant::now();
        kin.set_velocities(model, &v);
        let t2 = Instant::now();
        dynamics.mass_matrix(model, &kin, |i, j, m| factor.set(i, j, m));
        let t3 = Instant::now();
        dynamics.inverse_dynamics(model, &kin, &model.gravity, None, &mut tau);
        let t4 = Instant::now();
        assert!(factor.factor().is_ok());
        factor.solve_in_place(&mut tau);
        let t5 = Instant::now();
        for (sum, d) in times.iter_mut().zip([t1 - t0, t2 - t1, t3 - t2, t4 - t3, t5 - t4]) {
            *sum += d.as_secs_f64() * 1e6 / f64::from(n);
        }
    }
    println!(
        "{name}, nv {}: positions {:.2} µs, velocities {:.2}, mass matrix {:.2}, bias {:.2}, factor and solve {:.2}",
        model.nv(),
        times[0],
        times[1],
        times[2],
        times[3],
        times[4]
    );
    // Ten times the expected time: a guard against quadratic loops, not a benchmark.
    assert!(times.iter().sum::<f64>() < 200.0);
}
