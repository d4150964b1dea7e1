//! A line search that cannot move says so, and who is in the way.
#![allow(clippy::unwrap_used, reason = "tests")]

use signorini_core::na::{Isometry3, Vector3};
use signorini_core::{
    Changed, ContactGeometry, ContactMap, ContactSolver, Inertia, Pools, ProblemError, Regime, Slot,
    SmoothPotential, SolveStatus, StepProblem, StepSolution, System, Tolerance,
};
use signorini_geometry::TriangleMesh;
use signorini_ipc::{AffineBody, AffineSystem, IpcOptions, IpcSolver};

/// A problem that lets nothing move: as collision detection does where gaps are used up.
struct Stuck<'a>(&'a mut dyn StepProblem);

impl StepProblem for Stuck<'_> {
    fn dt(&self) -> f64 {
        self.0.dt()
    }
    fn inertia(&self) -> &dyn Inertia {
        self.0.inertia()
    }
    fn free_velocity(&self) -> &[f64] {
        self.0.free_velocity()
    }
    fn smooth(&self) -> Option<&dyn SmoothPotential> {
        self.0.smooth()
    }
    fn regime(&self) -> Regime {
        self.0.regime()
    }
    fn relinearize(&mut self, v: &[f64]) -> Result<Changed, ProblemError> {
        self.0.relinearize(v)
    }
    fn value(&mut self, v: &[f64]) -> Result<f64, ProblemError> {
        self.0.value(v)
    }
    fn contact_velocities(&self) -> &[f64] {
        self.0.contact_velocities()
    }
    fn pools(&self) -> &Pools {
        self.0.pools()
    }
    fn map(&self) -> &dyn ContactMap {
        self.0.map()
    }
    fn contacts(&self) -> &[ContactGeometry] {
        self.0.contacts()
    }
    fn max_step(&mut self, _: &[f64], _: &[f64]) -> f64 {
        0.0
    }
    fn blocking(&self) -> Option<[u32; 2]> {
        Some([0, 1])
    }
}

fn system() -> AffineSystem {
    let cube = |half: f64| TriangleMesh::cuboid(&Vector3::repeat(half)).unwrap();
    let body = |name: &str, half: f64| AffineBody::solid(name, &cube(half), 1000.0).unwrap();
    let bodies = vec![
        (body("wall", 0.1).held(), Isometry3::identity()),
        (body("cube", 0.05), Isometry3::translation(0.01, 0.02, 0.1501)),
    ];
    AffineSystem::new(bodies, &[], IpcOptions::default()).unwrap()
}

#[test]
fn regression_no_room_is_a_status_with_the_pair() {
    let mut s = system();
    let x = s.initial_state();
    s.prepare(Slot::Start, &x, 0.01).unwrap();
    let p = s.problem(Slot::Start, 0.01).unwrap();
    let mut solver = IpcSolver::default();
    let mut out = StepSolution::default();
    let status = solver.solve(&mut Stuck(p), &x.v, Tolerance::default(), &mut out).unwrap();
    assert_eq!((status, out.status), (SolveStatus::Stalled, SolveStatus::Stalled));
    assert_eq!(solver.blocked(), Some([0, 1]));
    assert!(out.residual > out.tolerance && out.v.iter().all(|v| *v == 0.0));
    // With room it converges, and nothing blocks.
    let p = s.problem(Slot::Start, 0.01).unwrap();
    let status = solver.solve(p, &x.v, Tolerance::default(), &mut out).unwrap();
    assert_eq!((status, solver.blocked()), (SolveStatus::Converged, None));
}

#[test]
fn regression_collision_detection_names_the_pair() {
    let mut s = system();
    let x = s.initial_state();
    s.prepare(Slot::Start, &x, 0.01).unwrap();
    let p = s.problem(Slot::Start, 0.01).unwrap();
    let zero = vec![0.0; 12];
    let mut down = zero.clone();
    down[2] = -10.0;
    let alpha = p.max_step(&zero, &down);
    // 0.1 mm of room on a way of 0.1 m, of which a tenth stays.
    assert!(alpha > 0.0 && alpha < 1e-3 && p.blocking() == Some([0, 1]), "{alpha}");
    down[2] = 10.0;
    assert_eq!((p.max_step(&zero, &down), p.blocking()), (1.0, None));
}
