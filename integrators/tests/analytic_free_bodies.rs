//! Free bodies against closed forms, through step doubling.

use crate::common;

use common::{DenseNewton, free_bodies, ground};
use signorini_core::na::Vector3;
use signorini_core::*;
use signorini_integrators::{Adaptive, ContactStep, FixedStep, StepDoubling, cenic};
use signorini_testkit::toys::{Body, FreeBodies, Slider, SoftContact};

fn controlled(accuracy: f64) -> Adaptive<StepDoubling<ContactStep<DenseNewton>>> {
    cenic(DenseNewton::default(), accuracy)
}

/// A sphere that starts sliding at v₀ rolls at 5/7 v₀ after the time 2 v₀ / (7 μ g).
#[test]
fn analytic_sphere_slides_then_rolls() {
    let (r, m, mu, v0) = (0.1, 1.0, 0.4, 1.0);
    let k = 1e5;
    let mut sys = free_bodies(vec![Body::sphere(r, m)], ground(k, 20.0, mu, 1e-4)).unwrap();
    let mut x = sys.rest(&[Vector3::new(0.0, 0.0, r - m * 9.81 / k)]);
    x.v[3] = v0;
    let t_roll = 2.0 * v0 / (7.0 * mu * 9.81);
    let mut integrator = controlled(1e-7);
    integrator.advance(&mut sys, &mut x, 0.5 * t_roll, &mut NoObserver).unwrap();
    let t = x.t;
    // Sliding: v = v₀ − μ g t, ω r = 5/2 μ g t. Tolerance: trajectory error at accuracy 1e-7, and the contact lies
    // 1e-4 m inside the surface.
    assert!((x.v[3] - (v0 - mu * 9.81 * t)).abs() < 1e-3, "{}", x.v[3]);
    assert!((x.v[1] * r - 2.5 * mu * 9.81 * t).abs() < 3e-3, "{}", x.v[1] * r);
    let report = integrator.advance(&mut sys, &mut x, 2.0 * t_roll, &mut NoObserver).unwrap();
    assert_eq!(x.t, 2.0 * t_roll);
    // Rolling: lever mg/k shorter than r moves the ratio by 1e-3·(2/7); the rest is discretisation.
    assert!((x.v[3] - 5.0 / 7.0 * v0).abs() < 2e-3, "{}", x.v[3]);
    assert!((x.v[1] * r - x.v[3]).abs() < 2e-3);
    assert_eq!(report.unconverged, 0);
}

/// A dropped sphere falls exactly until it touches, loses energy at the impact and rests at depth mg/k.
#[test]
fn analytic_dropped_sphere_comes_to_rest() {
    let (r, m, k) = (0.05, 1.0, 1e4);
    let mut sys = free_bodies(vec![Body::sphere(r, m)], ground(k, 20.0, 0.5, 1e-3)).unwrap();
    let mut x = sys.rest(&[Vector3::new(0.0, 0.0, 0.3)]);
    let mut integrator = controlled(1e-6);
    integrator.advance(&mut sys, &mut x, 0.2, &mut NoObserver).unwrap();
    let fall = 0.3 - 0.5 * 9.81 * 0.04;
    // Semi-implicit steps of h err by g t h / 2; at accuracy 1e-6 h stays below 0.7 ms.
    assert!((x.q[2] - fall).abs() < 1e-3, "{} {fall}", x.q[2]);
    let before = sys.energy(&x).total();
    integrator.advance(&mut sys, &mut x, 3.0, &mut NoObserver).unwrap();
    assert!(sys.energy(&x).total() < before);
    // Equilibrium to the accuracy of the solver.
    assert!((x.q[2] - (r - m * 9.81 / k)).abs() < 1e-6, "{}", x.q[2]);
}

/// A slider runs into its stop and rests where spring and control balance.
#[test]
fn analytic_slider_rests_at_its_stop() {
    let slider = Slider { mass: 2.0, stiffness: 10.0, damping: 1.0, stops: [-0.5, 0.1], stop: [1e4, 50.0] };
    let mut sys = FreeBodies::new(
        vec![],
        slider,
        ground(1e4, 0.0, 0.0, 1e-3),
        &Pool::<SoftContact, 3>::new(SoftContact),
    )
    .unwrap();
    sys.control = 30.0;
    let mut x = sys.rest(&[]);
    let mut integrator = FixedStep::new(ContactStep::new(DenseNewton::default()), 1e-3).unwrap();
    integrator.advance(&mut sys, &mut x, 5.0, &mut NoObserver).unwrap();
    // 30 = 10 q + 1e4 (q − 0.1).
    let rest = (30.0 + 1e3) / (1e4 + 10.0);
    // Solver tolerance.
    assert!((x.q[0] - rest).abs() < 1e-8, "{} {rest}", x.q[0]);
}

/// Momentum changes by the impulses that are reported.
#[test]
fn property_momentum_is_balanced() {
    let mut sys =
        free_bodies(vec![Body::cuboid(Vector3::new(0.1, 0.06, 0.04), 2.0)], ground(1e4, 5.0, 0.5, 1e-3))
            .unwrap();
    let mut x = sys.rest(&[Vector3::new(0.0, 0.0, 0.06)]);
    x.q[3..7].copy_from_slice(&[0.9, 0.3, 0.3, 0.1]);
    let norm: f64 = x.q[3..7].iter().map(|a| a * a).sum::<f64>().sqrt();
    x.q[3..7].iter_mut().for_each(|a| *a /= norm);
    x.v[3] = 0.7;
    x.v[0] = 3.0;
    let mut step = ContactStep::new(DenseNewton::default());
    let mut x1 = State::default();
    let dt = 1e-3;
    let mut touched = 0;
    for _ in 0..300 {
        step.step(&mut sys, &x, dt, false, &mut x1).unwrap();
        let last = OneStep::last_solve(&step);
        let mut impulse = Vector3::new(0.0, 0.0, -9.81 * 2.0 * dt);
        for c in last.contacts {
            let row = 3 * c.constraint as usize;
            let gamma = Vector3::from_column_slice(&last.solution.gamma[row..row + 3]);
            touched += u32::from(gamma.x > 0.0);
            impulse += c.r_wc * gamma;
        }
        for i in 0..3 {
            // Solver tolerance 1e-8 relative to a momentum of about 1.
            assert!((2.0 * (x1.v[3 + i] - x.v[3 + i]) - impulse[i]).abs() < 1e-7);
        }
        std::mem::swap(&mut x, &mut x1);
    }
    assert!(touched > 100);
}
