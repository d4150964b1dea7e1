//! Steps with contact over areas against the number of contacts: finding surfaces, assembling the problem and solving it, with rows that the polygons of a patch share and with rows for each:
//! `cargo bench -p signorini-benches --bench area_steps [-- FILTER]`. Throughput is in contacts per second.

#![allow(clippy::expect_used, reason = "a benchmark that cannot run should stop")]
#![allow(missing_docs, reason = "the macros of criterion make undocumented functions")]

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use signorini_core::{
    ContactSolver, FrozenMap, FrozenProblem, Pool, Pools, Slot, StepProblem, StepSolution, System, Tolerance,
};
use signorini_icf::IcfSolver;
use signorini_laws::Lagged;
use signorini_multibody::{RigidOptions, RigidSystem};
use signorini_scene::{Hydroelastic, Scene, SceneBuilder};

/// Radius of the ball \[m\].
const RADIUS: f64 = 0.1;
/// Depth of the contact \[m\].
const DEPTH: f64 = 0.01;
/// Resolutions \[m\].
const RESOLUTIONS: [f64; 4] = [0.02, 0.01, 0.005, 0.0025];
/// Step \[s\].
const DT: f64 = 1e-3;

/// A ball on a rigid plane, free or at the end of an arm of seven hinges.
fn scene(resolution: f64, arm: bool) -> Scene {
    let mut b = SceneBuilder::new("ball on a plane").half_space().hydroelastic(Hydroelastic::rigid());
    let top = RADIUS - DEPTH;
    if arm {
        let links = 7;
        for k in 0..links {
            let at = if k == 0 { [0.0, -0.7, top] } else { [0.0, 0.1, 0.0] };
            let axis = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]][k % 3];
            let name = format!("link {k}");
            b = if k == 0 { b.body(name) } else { b.body_on(&format!("link {}", k - 1), name) };
            b = b.at(at).hinge(format!("joint {k}"), axis).capsule(0.02, 0.03).mass(0.5);
        }
        b = b.body_on("link 6", "hand").at([0.0, 0.1, 0.0]);
    } else {
        b = b.body("ball").at([0.0, 0.0, top]).free_joint();
    }
    let soft = Hydroelastic::compliant(1e6).with_resolution(resolution);
    b.sphere(RADIUS).hydroelastic(soft).mass(4.0).build().expect("a scene")
}

/// The problem with rows for each contact.
fn unshared(p: &FrozenProblem) -> FrozenProblem {
    let mut own = FrozenMap::new(p.frozen_map().block_starts());
    own.extend(p.frozen_map());
    let pools = p.pools().members().iter().map(|m| m.boxed_clone()).collect();
    let (dt, v) = (p.dt(), p.free_velocity().to_vec());
    FrozenProblem::new(dt, p.block_inertia().clone(), v, own, Pools::new(pools), p.contacts().to_vec())
        .expect("the problem again")
}

fn steps(c: &mut Criterion) {
    let mut group = c.benchmark_group("area_steps");
    group
        .sample_size(20)
        .measurement_time(Duration::from_millis(500))
        .warm_up_time(Duration::from_millis(100));
    let law = Pool::<Lagged, 3>::new(Lagged::default());
    for (arm, body) in [(false, "free ball"), (true, "arm")] {
        for resolution in RESOLUTIONS {
            let mut sys =
                RigidSystem::new(&scene(resolution, arm), &law, RigidOptions::default()).expect("a system");
            let mut x = sys.initial_state(None).expect("a state");
            x.v.iter_mut().zip(1..).for_each(|(v, i)| *v = 0.05 * f64::from(i).sin());
            sys.prepare(Slot::Start, &x, DT).expect("a step");
            let contacts = sys.frozen_problem(Slot::Start).contacts().len();
            group.throughput(Throughput::Elements(contacts as u64));
            let id = |phase: &str| BenchmarkId::new(format!("{body}/{phase}"), contacts);
            group.bench_function(id("surface"), |b| {
                b.iter(|| sys.repeat_contact_queries(Slot::Start).expect("contacts"));
            });
            group.bench_function(id("surface and assembly"), |b| {
                b.iter(|| {
                    sys.prepare(Slot::Start, &x, DT).expect("a step");
                    sys.problem(Slot::Start, DT).expect("a problem");
                });
            });
            let (mut solver, mut s) = (IcfSolver::default(), StepSolution::default());
            let mut own = unshared(sys.frozen_problem(Slot::Start));
            let shared = sys.problem(Slot::Start, DT).expect("a problem");
            let mut solve = |p: &mut dyn StepProblem| {
                solver.solve(p, &x.v, Tolerance::default(), &mut s).expect("a solution");
                s.v[0]
            };
            let difference = (solve(shared) - solve(&mut own)).abs();
            assert!(difference < 1e-9, "{difference}");
            group.bench_function(id("solve"), |b| b.iter(|| solve(shared)));
            group.bench_function(id("solve, rows for each"), |b| b.iter(|| solve(&mut own)));
        }
    }
    group.finish();
}

criterion_group!(benches, steps);
criterion_main!(benches);
