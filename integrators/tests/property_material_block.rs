//! A block of material points: unknowns that are not the velocities of the state.

use crate::common;

use common::{DenseNewton, ground};
use signorini_core::na::Vector3;
use signorini_core::*;
use signorini_integrators::{ContactStep, FixedStep, cenic};
use signorini_testkit::toys::{Material, MaterialBlock, SoftContact};

fn block(corner: Vector3<f64>) -> (MaterialBlock, State) {
    let material = Material { density: 1000.0, lame: [4e4, 4e4] };
    let pool = Pool::<SoftContact, 3>::new(SoftContact);
    MaterialBlock::new(3, 0.1, corner, material, ground(2e3, 5.0, 0.3, 1e-2), &pool)
}

/// Momentum follows gravity and the reported impulses, through both transfers.
#[test]
fn property_momentum_follows_gravity_and_impulses() {
    let (mut sys, mut x) = block(Vector3::new(0.013, 0.027, 0.005));
    for v in x.v.chunks_exact_mut(3) {
        v.copy_from_slice(&[0.5, 0.0, -1.0]);
    }
    let mut step = ContactStep::new(DenseNewton::default());
    let mut x1 = State::default();
    let (dt, mut total) = (1e-3, Vector3::zeros());
    for _ in 0..50 {
        step.step(&mut sys, &x, dt, false, &mut x1).unwrap();
        let last = OneStep::last_solve(&step);
        let mut impulse = sys.mass() * dt * sys.gravity;
        for c in last.contacts {
            let row = 3 * c.constraint as usize;
            let contact = c.r_wc * Vector3::from_column_slice(&last.solution.gamma[row..row + 3]);
            impulse += contact;
            total += contact;
        }
        // Solver tolerance 1e-8 relative to a momentum of 3.4 kg·m/s, and weights left out below 1e-12.
        assert!((sys.momentum(&x1) - sys.momentum(&x) - impulse).norm() < 1e-6);
        std::mem::swap(&mut x, &mut x1);
    }
    // It did touch, and friction did brake.
    assert!(total.z > 0.5 && total.x < -0.05, "{total:?}");
}

#[test]
fn analytic_free_fall_of_a_block_is_that_of_a_point() {
    let (mut sys, mut x) = block(Vector3::new(0.0, 0.0, 10.0));
    let z0 = x.q[2];
    let (dt, t) = (1e-3, 0.2);
    let mut integrator = FixedStep::new(ContactStep::new(DenseNewton::default()), dt).unwrap();
    integrator.advance(&mut sys, &mut x, t, &mut NoObserver).unwrap();
    // Semi-implicit Euler falls g (t² + t dt)/2 exactly; round-off of 200 transfers.
    assert!((x.q[2] - z0 + 0.5 * 9.81 * (t * t + t * dt)).abs() < 1e-9);
}

#[test]
fn property_error_control_drops_a_block_and_it_stays_up() {
    let (mut sys, mut x) = block(Vector3::new(0.01, 0.02, 0.05));
    let e0 = sys.energy(&x).total();
    let mut integrator = cenic(DenseNewton::default(), 1e-3);
    let r = integrator.advance(&mut sys, &mut x, 0.5, &mut NoObserver).unwrap();
    assert_eq!(x.t, 0.5);
    assert_eq!(r.unconverged, 0);
    let lowest = x.q.chunks_exact(3).map(|p| p[2]).fold(f64::INFINITY, f64::min);
    // Nine particles of 2e3 N/m each carry 3.4 kg: 1.8 mm at rest; an impact goes deeper.
    assert!(lowest > -0.03, "{lowest}");
    assert!(sys.energy(&x).total() < e0);
}

/// Both transfers keep angular momentum, the affine part of the particles included.
#[test]
fn property_spinning_block_keeps_its_angular_momentum() {
    let (mut sys, mut x) = block(Vector3::new(0.0, 0.0, 5.0));
    sys.gravity = Vector3::zeros();
    let n = x.q.len() / 3;
    let (centre, spin) = (Vector3::new(0.075, 0.075, 5.075), Vector3::new(1.0, -2.0, 3.0));
    for p in 0..n {
        let v = spin.cross(&(vector(&x.q, p) - centre));
        x.v[3 * p..3 * p + 3].copy_from_slice(v.as_slice());
        x.z[9 * (n + p)..9 * (n + p + 1)].copy_from_slice(spin.cross_matrix().as_slice());
    }
    let (m, moment) = (sys.mass() / n as f64, 0.25 * 0.1 * 0.1);
    let angular = |x: &State| -> Vector3<f64> {
        (0..n)
            .map(|p| {
                let c =
                    |k: usize| Vector3::from_column_slice(&x.z[9 * (n + p) + 3 * k..9 * (n + p) + 3 * k + 3]);
                let affine = (0..3).map(|k| Vector3::ith(k, moment).cross(&c(k))).sum::<Vector3<f64>>();
                m * ((vector(&x.q, p) - centre).cross(&vector(&x.v, p)) + affine)
            })
            .sum()
    };
    let before = angular(&x);
    let mut integrator = FixedStep::new(ContactStep::new(DenseNewton::default()), 1e-3).unwrap();
    integrator.advance(&mut sys, &mut x, 0.1, &mut NoObserver).unwrap();
    let after = angular(&x);
    // A hundred solves at 1e-8 of a momentum of 0.2 kg·m²/s.
    assert!(before.norm() > 0.05 && (after - before).norm() < 1e-6, "{before:?} {after:?}");
}

fn vector(x: &[f64], p: usize) -> Vector3<f64> {
    Vector3::from_column_slice(&x[3 * p..3 * p + 3])
}
