//! The integrator suite of the testkit on every scheme of this crate.

use crate::common;

use common::DenseNewton;
use signorini_core::{Integrator, OneStep};
use signorini_icf::{IcfOptions, IcfSolver};
use signorini_integrators::{Adaptive, ContactStep, FixedStep, StepController, StepDoubling, cenic};
use signorini_testkit::integrator;

fn single() -> ContactStep<DenseNewton> {
    ContactStep::new(DenseNewton::default())
}

#[test]
fn order_contact_step_is_one() {
    let orders = integrator::scheme(&|| Box::new(single())).unwrap();
    assert!(orders.len() == 3 && orders.iter().all(|o| o.estimate.is_none()));
    assert_eq!(OneStep::order(&single()), 1);
    assert_eq!(single().error_order(), None);
}

#[test]
fn order_step_doubling_estimate_is_two() {
    let orders = integrator::scheme(&|| Box::new(StepDoubling::new(single()))).unwrap();
    assert_eq!(StepDoubling::new(single()).error_order(), Some(2));
    assert!(orders.iter().all(|o| o.estimate.is_some()));
}

#[test]
fn conformance_fixed_step() {
    for dt in [1e-3, 7e-3] {
        integrator::conformance(&|| Box::new(FixedStep::new(single(), dt).unwrap())).unwrap();
        let doubled =
            || -> Box<dyn Integrator> { Box::new(FixedStep::new(StepDoubling::new(single()), dt).unwrap()) };
        integrator::conformance(&doubled).unwrap();
    }
}

#[test]
fn conformance_error_control() {
    for accuracy in [1e-2, 1e-3, 1e-5] {
        integrator::conformance(&|| Box::new(cenic(DenseNewton::default(), accuracy))).unwrap();
        integrator::conformance(&|| Box::new(cenic(IcfSolver::new(IcfOptions::default()), accuracy)))
            .unwrap();
    }
    let doubled = || -> Box<dyn Integrator> {
        Box::new(Adaptive::new(StepDoubling::new(single()), StepController::default()).unwrap())
    };
    integrator::conformance(&doubled).unwrap();
}

#[test]
fn order_icf_under_step_doubling_is_one_and_its_estimate_two() {
    let step = || ContactStep::new(IcfSolver::new(IcfOptions::default()));
    integrator::scheme(&|| Box::new(step())).unwrap();
    integrator::scheme(&|| Box::new(StepDoubling::new(step()))).unwrap();
}
