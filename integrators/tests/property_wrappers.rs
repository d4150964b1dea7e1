//! Names, orders and solves that wrappers tell of the schemes inside them.

use crate::common;

use common::script::Third;
use common::spy::{Fault, Spy};
use common::{DenseNewton, free_bodies, ground};
use signorini_core::na::Vector3;
use signorini_core::*;
use signorini_integrators::{
    Adaptive, ContactStep, FixedStep, PreparedStep, StepController, StepDoubling, cenic,
};
use signorini_testkit::toys::{Body, FreeBodies};

fn single() -> ContactStep<DenseNewton> {
    ContactStep::new(DenseNewton::default())
}

/// A ball of 5 cm that lies 0.5 mm deep in the ground.
fn pressed() -> (FreeBodies, State) {
    let sys = free_bodies(vec![Body::sphere(0.05, 1.0)], ground(1e4, 10.0, 0.5, 1e-3)).unwrap();
    let mut x = sys.rest(&[Vector3::new(0.0, 0.0, 0.0495)]);
    x.v[3] = 0.5;
    (sys, x)
}

#[test]
fn property_names_tell_the_solver_and_what_is_done_with_it() {
    assert_eq!(PreparedStep::name(&single()), "dense_newton");
    assert_eq!(OneStep::name(&single()), "dense_newton");
    let doubled = StepDoubling::new(single());
    assert_eq!(doubled.name(), "step doubling of dense_newton");
    let fixed = FixedStep::new(doubled, 0.25).unwrap();
    assert_eq!(fixed.name(), "fixed steps of 0.25 s, step doubling of dense_newton");
    let controlled = cenic(DenseNewton::default(), 1e-3);
    assert_eq!(controlled.name(), "error control at 1e-3, step doubling of dense_newton");
}

#[test]
fn property_step_doubling_keeps_the_order_and_estimates_the_next() {
    assert_eq!((PreparedStep::order(&single()), OneStep::order(&single())), (1, 1));
    assert_eq!(single().error_order(), None);
    let doubled = StepDoubling::new(single());
    assert_eq!((doubled.order(), doubled.error_order()), (1, Some(2)));
    let third = StepDoubling::new(Third::default());
    assert_eq!((third.order(), third.error_order()), (3, Some(4)));
}

/// A scheme that shows no solution to [`System::look_farther`] is given all contacts.
#[test]
fn property_contacts_are_left_out_for_schemes_that_look_farther_alone() {
    let near = |step: &mut dyn OneStep| {
        let (sys, x) = pressed();
        let mut spy = Spy::new(sys, Fault::None);
        step.step(&mut spy, &x, 1e-3, false, &mut State::default()).unwrap();
        assert_ne!(spy.prepared, []);
        spy.near
    };
    assert_eq!(near(&mut StepDoubling::new(single())), [Slot::Start, Slot::Midpoint]);
    assert_eq!(near(&mut StepDoubling::new(Third::default())), []);
    assert_eq!(near(&mut single()), []);
}

#[test]
fn property_options_are_those_that_were_given() {
    assert_eq!(single().max_relags(), 20);
    assert_eq!(single().with_max_relags(7).max_relags(), 7);
    let c = StepController { safety: 0.5, ..StepController::with_accuracy(1e-5) };
    let mut integrator = Adaptive::new(StepDoubling::new(single()), c).unwrap();
    assert_eq!(*integrator.controller(), c);
    integrator.set_accuracy(1e-4);
    assert_eq!(integrator.controller().accuracy, 1e-4);
}

#[test]
fn property_a_step_counts_the_contacts_of_its_start() {
    let (mut sys, x) = pressed();
    let (mut step, mut x1) = (single(), State::default());
    assert_eq!(step.step(&mut sys, &x, 1e-3, false, &mut x1).unwrap().contacts, 1);
    assert_eq!(OneStep::last_solve(&step).contacts.len(), 1);
}

/// The first of the two half steps is kept as it was: its own solution, length and contacts.
#[test]
fn property_step_doubling_keeps_the_solve_of_its_first_half() {
    let (mut sys, x) = pressed();
    let (mut half, mut x1) = (State::default(), State::default());
    let mut doubled = StepDoubling::new(single());
    doubled.step(&mut sys, &x, 2e-3, false, &mut x1).unwrap();
    let first = doubled.first_solve().unwrap();
    let mut alone = single();
    alone.step(&mut sys, &x, 1e-3, false, &mut half).unwrap();
    let expected = OneStep::last_solve(&alone);
    assert_eq!((first.dt, first.contacts.len()), (1e-3, 1));
    assert_eq!(first.contacts[0].gap, expected.contacts[0].gap);
    // Round-off of the height.
    assert!((first.contacts[0].gap + 5e-4).abs() < 1e-16);
    for (a, b) in [
        (&first.solution.v, &expected.solution.v),
        (&first.solution.v_c, &expected.solution.v_c),
        (&first.solution.gamma, &expected.solution.gamma),
    ] {
        // Warm starts differ: solver tolerance 1e-8 on a step whose momenta are of the order of one.
        assert!(a.len() == b.len() && !a.is_empty());
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-7), "{a:?} {b:?}");
    }
    let last = doubled.last_solve();
    assert!(last.contacts[0].gap != first.contacts[0].gap, "the second half has contacts of its own");
    assert_ne!(last.solution.v, first.solution.v);
    // Schemes of one solve have no halves.
    assert!(alone.first_solve().is_none());
}

/// The midpoint is prepared for half a step, and its failures say where and how far.
#[test]
fn property_the_midpoint_belongs_to_half_a_step() {
    let (sys, mut x) = pressed();
    x.t = 3.0;
    let mut spy = Spy::new(sys, Fault::None);
    let (mut doubled, mut x1) = (StepDoubling::new(single()), State::default());
    doubled.step(&mut spy, &x, 2e-3, false, &mut x1).unwrap();
    assert_eq!(spy.prepared, [(Slot::Start, 2e-3), (Slot::Midpoint, 1e-3)]);
    let (sys, _) = pressed();
    let mut spy = Spy::new(sys, Fault::Midpoint);
    let e = doubled.step(&mut spy, &x, 2e-3, false, &mut x1).unwrap_err();
    assert!(matches!(e, StepError::Solve { t, dt: 1e-3, .. } if t == 3.0 + 1e-3), "{e:?}");
}
