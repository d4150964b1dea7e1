//! Bodies on which nothing acts keep their angular momentum, and their energy but for the order of the step.

use crate::bodies::{at, block};
use crate::walk::walk;

use proptest::prelude::*;
use signorini_core::na::{Matrix3, Vector3};
use signorini_core::{State, System, Tolerance};
use signorini_integrators::ContactStep;
use signorini_ipc::{AffineSystem, FreeRotation, IpcOptions, IpcSolver};

fn matrix(q: &[f64]) -> Matrix3<f64> {
    Matrix3::from_row_slice(&q[3..12])
}

/// Angular momentum about the centre of mass.
fn momentum(s: &AffineSystem, x: &State) -> Vector3<f64> {
    let l = matrix(&x.v) * s.bodies()[0].second_moment * matrix(&x.q).transpose();
    Vector3::new(l[(2, 1)] - l[(1, 2)], l[(0, 2)] - l[(2, 0)], l[(1, 0)] - l[(0, 1)])
}

/// Angular momentum and energy of a free block before and after.
fn tumble(
    half: [f64; 3],
    spin: Vector3<f64>,
    (dt, steps): (f64, u32),
    rotation: FreeRotation,
) -> [(Vector3<f64>, f64); 2] {
    let options = IpcOptions { gravity: Vector3::zeros(), rotation, ..IpcOptions::default() };
    let mut s = AffineSystem::new(vec![(block("block", half), at(0.0, 0.0, 0.0))], &[], options).unwrap();
    let mut x = s.initial_state();
    let v = s.bodies()[0].velocity(&x.q, &Vector3::new(0.3, 0.2, 0.1), &spin);
    x.v.copy_from_slice(&v);
    let before = (momentum(&s, &x), s.energy(&x).kinetic);
    let tolerance = Tolerance { relative: 1e-10, max_iterations: 300 };
    let step = ContactStep::new(IpcSolver::default()).with_tolerance(tolerance);
    let x = walk(&mut s, x, (dt, steps), step, |_, _, _| {});
    [before, (momentum(&s, &x), s.energy(&x).kinetic)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Cubes, plates and rods at any spin, for half a second.
    #[test]
    fn property_free_bodies_keep_momentum_and_energy(
        half in prop::array::uniform3(0.01f64..0.1), spin in prop::array::uniform3(-20.0f64..20.0), dt in 1e-3f64..1e-2,
    ) {
        let spin = Vector3::from(spin);
        let steps = (0.5 / dt) as u32;
        let [(l0, e0), (l1, e1)] = tumble(half, spin, (dt, steps), FreeRotation::Turning);
        // Solves to 1e-10 of the speed.
        prop_assert!((l1 - l0).norm() < 1e-6 * l0.norm(), "{l0} {l1}");
        // Turns of up to a third of a radian in a step.
        prop_assert!((e1 / e0 - 1.0).abs() < 0.05 * (dt * spin.norm()).powi(2) + 1e-6, "{e0} {e1}");
    }
}

#[test]
fn analytic_the_published_motion_loses_what_the_other_keeps() {
    let (dt, w) = (5e-3, 20.0);
    let of = |rotation| {
        let [(before, _), (after, _)] = tumble([0.05; 3], Vector3::new(0.0, 0.0, w), (dt, 200), rotation);
        after.z / before.z
    };
    assert!((of(FreeRotation::Turning) - 1.0).abs() < 1e-6);
    // dω/dt = −ω³ δt.
    let expected = (1.0 + 2.0 * w * w * dt).sqrt().recip();
    let found = of(FreeRotation::Straight);
    assert!((found / expected - 1.0).abs() < 0.02, "{found} {expected}");
}
