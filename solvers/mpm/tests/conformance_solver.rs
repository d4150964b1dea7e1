//! The solvers of material points against the suite of all solvers, and against each other on substeps.

use signorini_core::na::{Isometry3, Vector3};
use signorini_core::{
    ContactMaterial, ContactSolver, Slot, SolveStatus, State, StepSolution, System, Tolerance,
};
use signorini_geometry::Shape;
use signorini_icf::IcfSolver;
use signorini_laws::contact_pool;
use signorini_mpm::{
    Direction, FixedCorotated, Lame, Material, MpmOptions, MpmSolver, MpmSolverOptions, MpmSystem, Obstacle,
    Particles,
};
use signorini_testkit::solver;

/// With the rule of the suite, that of all solvers; the default leaves momenta out of it.
fn make(direction: Direction) -> Box<dyn ContactSolver> {
    Box::new(MpmSolver::new(MpmSolverOptions { direction, momenta: true, ..MpmSolverOptions::default() }))
}

#[test]
fn conformance_newton_pcg() {
    let coverage = solver::conformance(&|| make(Direction::NewtonPcg)).unwrap();
    println!("{coverage:?}");
    assert!(coverage.solved.len() > 10);
    assert!(coverage.refused.iter().all(|(_, why)| why.contains("use a solver") || why.contains("convex")));
}

/// A rubber cube between two panels: 11³ particles, those of two faces just inside.
fn squeezed(stiffness: f64, dissipation: f64, speed: f64, depth: f64) -> (MpmSystem, State) {
    let (count, size) = (11usize, 0.1);
    let mut p = Particles::default();
    let (apart, volume) = (size / (count - 1) as f64, size.powi(3) / (count as f64).powi(3));
    p.lattice(Vector3::new(0.2013, 0.2, 0.2), apart, [count; 3], 400.0, volume, 0);
    let surface =
        ContactMaterial { stiction_speed: 1e-3, ..ContactMaterial::compliant(stiffness, dissipation, 0.8) };
    let panel = |x: f64, v: f64| Obstacle {
        velocity: Vector3::new(v, 0.0, 0.0),
        ..Obstacle::new(
            "panel",
            Shape::Box { half_extents: Vector3::repeat(0.07) },
            Isometry3::translation(x, 0.25, 0.25),
            surface,
        )
    };
    let panels = vec![panel(0.2013 - 0.07 + depth, speed), panel(0.3013 + 0.07 - depth, -speed)];
    let options = MpmOptions { spacing: 0.025, courant: 10.0, ..MpmOptions::default() };
    let rubber: Vec<Box<dyn Material>> = vec![Box::new(FixedCorotated(Lame::new(1e5, 0.4).unwrap()))];
    let s = MpmSystem::new(p, rubber, vec![], panels, contact_pool("lagged").unwrap(), options).unwrap();
    let x = s.initial_state();
    (s, x)
}

/// End velocities, status and work of one solve.
fn solve(
    s: &mut MpmSystem,
    x: &State,
    dt: f64,
    solver: &mut dyn ContactSolver,
    tolerance: Tolerance,
) -> (Vec<f64>, StepSolution) {
    s.prepare(Slot::Start, x, dt).unwrap();
    let mut guess = Vec::new();
    s.guess(Slot::Start, x, &mut guess);
    let mut out = StepSolution::default();
    solver.solve(s.problem(Slot::Start, dt).unwrap(), &guess, tolerance, &mut out).unwrap();
    (out.v.clone(), out)
}

#[test]
fn conformance_minimisers_agree_on_substeps() {
    // Steady, an impact, stiff, and as dough meets a pin: δt, k, d, speed of the panels, depth at the start.
    let cases = [
        ("steady", 1e-4, 1e5, 10.0, 0.0, 8.3e-7),
        ("impact", 1e-3, 1e5, 10.0, 0.1, 1e-5),
        ("stiff", 1e-3, 1e6, 10.0, 0.1, 1e-5),
        ("dough", 1e-3, 1e6, 1.0, 0.5, 1e-5),
    ];
    for (name, dt, k, d, speed, depth) in cases {
        let (mut s, x) = squeezed(k, d, speed, depth);
        let tight = Tolerance { relative: 1e-12, max_iterations: 200 };
        let (exact, newton) = solve(&mut s, &x, dt, &mut IcfSolver::default(), tight);
        assert_eq!(newton.status, SolveStatus::Converged, "{name}");
        let (pcg, out) = solve(&mut s, &x, dt, &mut *make(Direction::NewtonPcg), tight);
        let apart = |v: &[f64]| v.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        println!(
            "{name}: {} contacts, {} unknowns; Newton {}, Newton–PCG {} iterations, apart {:e}",
            newton.gamma.len() / 3,
            exact.len(),
            newton.stats.iterations,
            out.stats.iterations,
            apart(&pcg)
        );
        assert!(out.status == SolveStatus::Converged && apart(&pcg) < 1e-8, "{name}: {}", apart(&pcg));
        // The quasi-Newton directions lead there where contacts are soft beside the masses of nodes; elsewhere they are told where they stand.
        let most = Tolerance { relative: if name == "steady" { 1e-12 } else { 1e-6 }, max_iterations: 500 };
        let (diagonal, out) = solve(&mut s, &x, dt, &mut *make(Direction::BlockDiagonal), most);
        println!(
            "  block-diagonal: {:?} after {}, residual {:e} of {:e}, apart {:e}",
            out.status,
            out.stats.iterations,
            out.residual,
            out.tolerance,
            apart(&diagonal)
        );
        if name == "steady" {
            assert!(out.status == SolveStatus::Converged && apart(&diagonal) < 1e-8);
        } else {
            // Its line search goes down all the way: it ends lower than it began, and says so where it did not get there.
            let done = out.status == SolveStatus::Converged;
            assert!(
                done == (out.residual <= out.tolerance) && diagonal.iter().all(|v| v.is_finite()),
                "{name}"
            );
            let mut guess = Vec::new();
            s.guess(Slot::Start, &x, &mut guess);
            let problem = s.problem(Slot::Start, dt).unwrap();
            let [begun, ended, least] = [&guess, &diagonal, &exact].map(|v| problem.value(v).unwrap());
            println!("  objective {begun:e}, {ended:e}, least {least:e}");
            assert!(ended < begun && ended - least > -1e-12 * begun.abs(), "{name}: {ended} {begun} {least}");
        }
    }
}
