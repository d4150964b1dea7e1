//! CPU time per step of three scenes of affine bodies on one thread: a stack of ten cubes, a chain of twenty rings, a hundred cubes.
//!
//! ```sh
//! cargo run --release -p signorini-ipc --example bench_scenes -- [SCENE] [STEPS]
//! ```
#![allow(clippy::unwrap_used, reason = "a benchmark")]

use std::f64::consts::FRAC_PI_2;
use std::time::Instant;

use signorini_core::na::{Isometry3, Vector3};
use signorini_core::{OneStep, State, Tolerance};
use signorini_geometry::TriangleMesh;
use signorini_integrators::ContactStep;
use signorini_ipc::{AffineBody, AffineSystem, IpcOptions, IpcSolver};

type Placed = Vec<(AffineBody, Isometry3<f64>)>;

fn cube(half: Vector3<f64>, friction: f64) -> AffineBody {
    let mesh = TriangleMesh::cuboid(&half).unwrap();
    AffineBody::solid("cube", &mesh, 1000.0).unwrap().with_friction(friction)
}

fn stack10() -> Placed {
    let mut bodies =
        vec![(cube(Vector3::new(1.0, 1.0, 0.05), 0.5).held(), Isometry3::translation(0.0, 0.0, -0.05))];
    for i in 0..10 {
        let z = 0.05 + 9.5e-4 + f64::from(i) * (0.1 + 9.5e-4);
        bodies.push((
            cube(Vector3::repeat(0.05), std::env::var("MU").map_or(0.5, |s| s.parse().unwrap())),
            Isometry3::translation(0.0, 0.0, z),
        ));
    }
    bodies
}

fn chain20() -> Placed {
    let mesh = TriangleMesh::torus(0.05, 0.01, 16, 8).unwrap();
    let link = |i: u32| {
        let turn = Vector3::x() * FRAC_PI_2 * f64::from(i % 2);
        let body = AffineBody::solid("link", &mesh, 1000.0).unwrap();
        let body = if i == 0 { body.held() } else { body };
        (body, Isometry3::new(Vector3::x() * 0.0775 * f64::from(i), turn))
    };
    (0..20).map(link).collect()
}

fn cubes100() -> Placed {
    let mut bodies = vec![(
        cube(Vector3::new(2.0, 2.0, 0.05), std::env::var("MU").map_or(0.5, |s| s.parse().unwrap())).held(),
        Isometry3::translation(0.0, 0.0, -0.05),
    )];
    for i in 0..100u32 {
        let [x, y, z] = [i % 5, i / 5 % 5, i / 25].map(|k| 0.19 * f64::from(k));
        // Angles without a pattern, the same on every machine.
        let turn = Vector3::from_fn(|k, _| 0.5 * (f64::from(7 * i) + 2.3 * k as f64).sin());
        bodies.push((
            cube(Vector3::repeat(0.05), std::env::var("MU").map_or(0.5, |s| s.parse().unwrap())),
            Isometry3::new(Vector3::new(x - 0.38, y - 0.38, z + 0.12), turn),
        ));
    }
    bodies
}

/// CPU time of this thread \[s\]; wall time where the system does not tell.
fn clock(started: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|t| t.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| started.elapsed().as_secs_f64(), |n| 1e-9 * n)
}

fn run(name: &str, bodies: Placed, steps: u32) {
    let mut system = AffineSystem::new(bodies, &[], IpcOptions::default()).unwrap();
    let tolerance = Tolerance { relative: 1e-3, max_iterations: 200 };
    let mut step = ContactStep::new(IpcSolver::default()).with_tolerance(tolerance);
    let (mut x, mut next) = (system.initial_state(), State::default());
    let (mut iterations, mut evaluations, mut most, mut unconverged, mut longest) = (0, 0, 0, 0, 0.0f64);
    let verbose = std::env::var_os("VERBOSE").is_some();
    let started = Instant::now();
    let first = clock(started);
    for k in 0..steps {
        let now = clock(started);
        let r = step.step(&mut system, &x, 0.01, false, &mut next).unwrap();
        std::mem::swap(&mut x, &mut next);
        iterations += r.stats.iterations;
        evaluations += r.stats.line_search;
        most = most.max(r.stats.iterations);
        unconverged += r.unconverged;
        longest = longest.max(clock(started) - now);
        if verbose {
            println!(
                "{k}: {} iterations, {} evaluations, {} contacts, {:.2} ms, unconverged {} blocked {:?}",
                r.stats.iterations,
                r.stats.line_search,
                r.contacts,
                1e3 * (clock(started) - now),
                r.unconverged,
                step.solver().blocked(),
            );
        }
    }
    let mean = 1e3 * (clock(started) - first) / f64::from(steps);
    println!(
        "{name}: {mean:.2} ms per step (longest {:.1}), {:.1} iterations per step (most {most}), {:.1} evaluations, {unconverged} unconverged, gap {:.1e} m, orthogonality {:.1e}, crossing {:?}",
        1e3 * longest,
        f64::from(iterations) / f64::from(steps),
        f64::from(evaluations) / f64::from(steps),
        system.smallest_distance(&x).map_or(f64::NAN, |d| d.0),
        system.orthogonality_error(&x),
        system.crossing(&x),
    );
}

fn main() {
    let mut args = std::env::args().skip(1);
    let (scene, steps) = (args.next(), args.next().and_then(|s| s.parse().ok()));
    for (name, bodies, usual) in
        [("stack10", stack10(), 100), ("chain20", chain20(), 60), ("cubes100", cubes100(), 60)]
    {
        if scene.as_deref().is_none_or(|s| s == name) {
            run(name, bodies, steps.unwrap_or(usual));
        }
    }
}
