//! Contacts that are looked for near trees at rest alone: the solution is that of all contacts.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use signorini_core::{LaggedSolve, Pool, Slot, State, StepReport, StepSolution, System, Tolerance};
use signorini_icf::IcfSolver;
use signorini_laws::Lagged;
use signorini_multibody::{RigidOptions, RigidSystem};
use signorini_scene::{Scene, SceneBuilder};

/// Columns of boxes and balls, `gap` \[m\] between neighbours, the lowest resting; the last body hangs above them.
fn columns(sides: [usize; 2], gap: f64, height: f64) -> Scene {
    let mut b = SceneBuilder::new("columns").half_space();
    for i in 0..sides[0] {
        for k in 0..sides[1] {
            let at = [0.1 * i as f64 + gap * i as f64, 0.0, 0.05 + 0.1 * k as f64 + gap * k as f64];
            b = b.body(format!("b{i}{k}")).at(at).free_joint();
            b = if (i + k) % 3 == 2 { b.sphere(0.05) } else { b.cuboid([0.05; 3]) };
        }
    }
    let top = 0.1 * (sides[1] + 1) as f64 + height;
    b.body("last").at([0.03, 0.01, top]).free_joint().sphere(0.05).build().expect("the scene is valid")
}

fn system(scene: &Scene) -> RigidSystem {
    let law = Pool::<Lagged, 3>::new(Lagged::default());
    RigidSystem::new(scene, &law, RigidOptions::default()).expect("the scene is valid")
}

/// Solves a step, `near` or with all contacts: the solution, the contacts of the last problem and how often they were looked for again.
fn solve(sys: &mut RigidSystem, x: &State, dt: f64, near: bool) -> (StepSolution, usize, usize) {
    let mut lagged = LaggedSolve::new(Tolerance { relative: 1e-11, ..Tolerance::default() }, 20);
    let mut solver = IcfSolver::default();
    let mut s = StepSolution::default();
    match near {
        true => sys.prepare_near(Slot::Start, x, dt),
        false => sys.prepare(Slot::Start, x, dt),
    }
    .expect("the state is valid");
    for again in 0.. {
        let p = sys.problem(Slot::Start, dt).expect("it is prepared");
        lagged.solve(&mut solver, p, &x.v, &mut s, &mut StepReport::default()).expect("it has a minimum");
        let count = p.contacts().len();
        if !sys.look_farther(Slot::Start, dt, &s).expect("the state is valid") {
            return (s, count, again);
        }
        assert!(near, "all contacts are there");
    }
    unreachable!("each look takes a tree off")
}

#[test]
fn property_contacts_near_trees_at_rest_are_all_that_act() {
    let [found, looks] = [[0usize; 2]; 2].map(Cell::new);
    let cases = (
        [1usize..4, 1usize..4],
        prop::sample::select(vec![0.0, 1e-4, 3e-3, 2e-2]),
        0.0f64..0.4,
        prop::sample::select(vec![0.004, 0.02, 0.1]),
        prop::array::uniform3(-3.0f64..3.0),
        any::<bool>(),
    );
    TestRunner::new(ProptestConfig::with_cases(40))
        .run(&cases, |(sides, gap, height, dt, v, thrown)| {
            let scene = columns(sides, gap, height);
            let [mut near, mut all] = [system(&scene), system(&scene)];
            let mut x = near.initial_state(None).expect("there is one");
            if thrown {
                let n = x.v.len();
                x.v[n - 6..n - 3].copy_from_slice(&v);
            }
            for step in 0..25 {
                let (s, few, again) = solve(&mut near, &x, dt, true);
                let (t, many, _) = solve(&mut all, &x, dt, false);
                found.set([found.get()[0] + few, found.get()[1] + many]);
                looks.set([looks.get()[0] + usize::from(again > 0), looks.get()[1] + 1]);
                let speed = t.v.iter().fold(9.81 * dt, |most, v| most.max(v.abs()));
                for (i, (a, b)) in s.v.iter().zip(&t.v).enumerate() {
                    // Solver tolerance: the objective is as convex as kinetic energy, and both minima are of one.
                    prop_assert!((a - b).abs() < 1e-6 * speed, "step {step}, velocity {i}: {a} and {b}");
                }
                let mut x1 = State::default();
                near.commit(Slot::Start, &x, dt, &s, &mut x1).expect("the solution is finite");
                x = x1;
            }
            Ok(())
        })
        .expect("contacts that are left out do not act");
    // Both ways are tried: contacts are left out, and looked for again.
    let (found, looks) = (found.get(), looks.get());
    assert!(found[0] + 100 < found[1], "{found:?}");
    assert!(looks[0] > 0 && looks[0] < looks[1], "{looks:?}");
}
