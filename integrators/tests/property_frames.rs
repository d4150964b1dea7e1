//! The free bodies do not care for the frame of the world, nor for the order of bodies.

use crate::common;

use common::{DenseNewton, free_bodies, ground, idle_slider};
use proptest::prelude::*;
use signorini_core::na::{Quaternion, UnitQuaternion, Vector3};
use signorini_core::*;
use signorini_integrators::{ContactStep, FixedStep};
use signorini_testkit::toys::{Body, FreeBodies, Ground, SoftContact};

fn bodies() -> Vec<Body> {
    vec![Body::cuboid(Vector3::new(0.1, 0.06, 0.04), 2.0), Body::sphere(0.05, 1.0)]
}

fn start(sys: &FreeBodies) -> State {
    let mut x = sys.rest(&[Vector3::new(0.0, 0.0, 0.07), Vector3::new(0.5, 0.1, 0.049)]);
    x.q[3..7].copy_from_slice(&[0.96, 0.0, 0.28, 0.0]);
    x.v.copy_from_slice(&[1.0, 2.0, 0.5, 0.4, -0.2, -0.1, 0.0, 3.0, 0.0, 0.5, 0.0, 0.0, 0.0]);
    x
}

fn run(sys: &mut FreeBodies, x: &State) -> Result<State, StepError> {
    let mut x = x.clone();
    FixedStep::new(ContactStep::new(DenseNewton::default()), 1e-3)?.advance(
        sys,
        &mut x,
        0.05,
        &mut NoObserver,
    )?;
    Ok(x)
}

fn turned(x: &State, turn: &UnitQuaternion<f64>) -> State {
    let mut y = x.clone();
    for b in 0..2 {
        let q = &mut y.q[7 * b..7 * b + 7];
        let p = turn * Vector3::new(q[0], q[1], q[2]);
        let r = turn.into_inner() * Quaternion::new(q[3], q[4], q[5], q[6]);
        q.copy_from_slice(&[p.x, p.y, p.z, r.w, r.i, r.j, r.k]);
        for part in y.v[6 * b..6 * b + 6].chunks_exact_mut(3) {
            let v = turn * Vector3::new(part[0], part[1], part[2]);
            part.copy_from_slice(v.as_slice());
        }
    }
    y
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn property_turning_the_world_turns_the_motion(x in -3.0..3.0_f64, y in -3.0..3.0_f64, z in -3.0..3.0_f64) {
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(x, y, z));
        let level = ground(1e4, 10.0, 0.5, 1e-2);
        let mut sys = free_bodies(bodies(), level).unwrap();
        let tilted = Ground { normal: turn * Vector3::z(), ..level };
        let pool = Pool::<SoftContact, 3>::new(SoftContact);
        let mut other = FreeBodies::new(bodies(), idle_slider(), tilted, &pool).unwrap();
        other.gravity = turn * sys.gravity;
        let x0 = start(&sys);
        let a = turned(&run(&mut sys, &x0).unwrap(), &turn);
        let b = run(&mut other, &turned(&x0, &turn)).unwrap();
        // Fifty solves at 1e-8, each amplified by stiff contact.
        prop_assert!(sys.distance(&a, &b) < 1e-6, "{}", sys.distance(&a, &b));
    }
}

#[test]
fn property_the_order_of_bodies_does_not_matter() {
    let level = ground(1e4, 10.0, 0.5, 1e-2);
    let mut sys = free_bodies(bodies(), level).unwrap();
    let mut reversed = bodies();
    reversed.reverse();
    let mut other = free_bodies(reversed, level).unwrap();
    let swap = |x: &State| {
        let mut y = x.clone();
        y.q[..14].rotate_left(7);
        y.v[..12].rotate_left(6);
        y
    };
    let x0 = start(&sys);
    let a = swap(&run(&mut sys, &x0).unwrap());
    let b = run(&mut other, &swap(&x0)).unwrap();
    // Fifty solves at 1e-8.
    assert!(sys.distance(&a, &b) < 1e-6);
}
