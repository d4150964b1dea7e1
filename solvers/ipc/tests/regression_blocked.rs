//! A line search that cannot move says so, and who is in the way.

use signorini_core::na::{Isometry3, Vector3};
use signorini_core::{
    Changed, ContactGeometry, ContactMap, ContactSolver, Inertia, OneStep, Pools, ProblemError, Regime, Slot,
    SmoothPotential, SolveStatus, State, StepProblem, StepSolution, System, Tolerance,
};
use signorini_geometry::TriangleMesh;
use signorini_integrators::ContactStep;
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

#[test]
fn regression_a_barrier_far_too_soft_stalls_with_the_pair_and_then_ends_with_a_remedy() {
    let mut s = system();
    let options = IpcOptions { gravity: Vector3::zeros(), ..IpcOptions::default() }.carrying(1e-10);
    let bodies = s.bodies().to_vec();
    let places = [Isometry3::identity(), Isometry3::translation(0.01, 0.02, 0.1501)];
    s = AffineSystem::new(bodies.into_iter().zip(places).collect(), &[], options).unwrap();
    s.push(1, Vector3::new(0.0, 0.0, -1e4), Vector3::zeros()).unwrap();
    let tolerance = Tolerance { relative: 1e-6, max_iterations: 300 };
    let mut step = ContactStep::new(IpcSolver::default()).with_tolerance(tolerance);
    let (mut x, mut next, mut stalled) = (s.initial_state(), State::default(), false);
    for _ in 0..20 {
        match step.step(&mut s, &x, 0.01, false, &mut next) {
            Ok(report) => {
                stalled |= report.unconverged > 0;
                assert_eq!(report.blocked, (report.unconverged > 0).then_some([0, 1]));
                std::mem::swap(&mut x, &mut next);
            }
            Err(e) => {
                let text = e.to_string();
                assert!(stalled, "{text}");
                assert!(["wall", "cube", "round-off", "stiffer"].iter().all(|w| text.contains(w)), "{text}");
                assert!(x.q.iter().chain(&x.v).all(|x| x.is_finite()));
                return;
            }
        }
    }
    panic!("10⁴ N on 10⁻¹⁰ N at half the range were held");
}
