//! Affine bodies under error control by step doubling: small steps where bodies meet, large ones where they fly.

use signorini_core::na::{Isometry3, Vector3};
use signorini_core::{AcceptedStep, Integrator, State, StepObserver, System, Tolerance};
use signorini_geometry::TriangleMesh;
use signorini_integrators::{ContactStep, FixedStep, cenic};
use signorini_ipc::{AffineBody, AffineSystem, IpcOptions, IpcSolver};

/// A cube that falls 50 mm flat onto a floor; the barrier is soft enough to be resolved.
fn drop_scene() -> AffineSystem {
    let body = |name: &str, half: [f64; 3]| {
        AffineBody::solid(name, &TriangleMesh::cuboid(&Vector3::from(half)).unwrap(), 1000.0).unwrap()
    };
    let bodies = vec![
        (body("floor", [2.0, 2.0, 0.05]).held(), Isometry3::translation(0.5, 0.0, -0.05)),
        (body("cube", [0.05; 3]), Isometry3::translation(0.0, 0.6, 0.1)),
    ];
    let options = IpcOptions { range: 5e-3, stiffness: 1e8, ..IpcOptions::default() };
    AffineSystem::new(bodies, &[], options).unwrap()
}

#[derive(Default)]
struct Seen {
    flight: f64,
    contact: f64,
    top: f64,
}

impl StepObserver for Seen {
    fn accepted(&mut self, step: &AcceptedStep<'_>) {
        let (dt, z) = (step.x1.t - step.x0.t, step.x1.q[2]);
        if z < 0.055 {
            self.contact = if self.contact == 0.0 { dt } else { self.contact.min(dt) };
        } else {
            self.flight = self.flight.max(dt);
        }
        if step.x1.t > 0.12 {
            self.top = self.top.max(z);
        }
    }
}

#[test]
fn analytic_a_bounce_under_error_control() {
    let mut s = drop_scene();
    let mut x = s.initial_state();
    let energy = s.energy(&x).total();
    let mut seen = Seen::default();
    let mut integrator = cenic(IpcSolver::default(), 1e-6);
    let report = integrator.advance(&mut s, &mut x, 0.2, &mut seen).unwrap();
    // Free fall to the range of the barrier takes 0.096 s.
    assert!(seen.flight > 3.0 * seen.contact, "{} and {}", seen.flight, seen.contact);
    let invariants = *s.observed();
    assert!(invariants.smallest_distance > 0.0 && invariants.crossing.is_none(), "{invariants:?}");
    // Without friction or damping almost all of the height comes back: the loss is the error of the steps.
    let lost = 1.0 - (seen.top - 0.05) / 0.05;
    println!("{} steps, {} rejected, {lost:.3} of the height lost", report.steps, report.rejected);
    assert!(lost > 0.0 && lost < 0.1, "{lost}");
    assert!(s.energy(&x).total() <= energy);
    // Equal steps with as many solves, three for each step with an error estimate, lose more.
    let mut s = drop_scene();
    let mut x = s.initial_state();
    let tight = Tolerance { relative: 1e-8, max_iterations: 200 };
    let step = ContactStep::new(IpcSolver::default()).with_tolerance(tight);
    let mut fixed = FixedStep::new(step, 0.2 / (3 * report.steps) as f64).unwrap();
    let mut coarse = Seen::default();
    fixed.advance(&mut s, &mut x, 0.2, &mut coarse).unwrap();
    let fixed_lost = 1.0 - (coarse.top - 0.05) / 0.05;
    println!("{fixed_lost:.3} lost by equal steps");
    assert!(fixed_lost > 1.5 * lost, "{fixed_lost} {lost}");
}

#[test]
fn conformance_error_control_repeats() {
    let run = || {
        let mut s = drop_scene();
        let mut x: State = s.initial_state();
        cenic(IpcSolver::default(), 1e-3).advance(&mut s, &mut x, 0.15, &mut Seen::default()).unwrap();
        x
    };
    assert_eq!(run(), run());
}
