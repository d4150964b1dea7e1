//! The toys as systems and problems; solvers and integrators meet them in their own crates.

use signorini_core::{ProblemError, System};
use signorini_testkit::{Violation, order_fit, problem, system, zoo};

fn check(rebuild: fn() -> Vec<zoo::Animal>) -> Result<(), Violation> {
    for (i, mut animal) in rebuild().into_iter().enumerate() {
        let mut make = || -> Result<Box<dyn System>, ProblemError> { Ok(rebuild().swap_remove(i).system) };
        system::conformance(&mut make, &animal.x0, animal.dt).map_err(|e| e.within(&animal.name))?;
        animal.problem()?;
        let mut guess = animal.guess();
        let name = animal.name.clone();
        let p = animal.problem()?;
        let alpha = p.max_step(&vec![0.0; guess.len()], &guess);
        guess.iter_mut().for_each(|v| *v *= alpha);
        problem::conformance(p, &guess).map_err(|e| e.within(&name))?;
    }
    Ok(())
}

#[test]
fn conformance_free_bodies() {
    check(|| zoo::free_bodies().unwrap_or_default()).unwrap();
    assert_eq!(zoo::free_bodies().unwrap().len(), 12);
}

#[test]
fn conformance_two_cubes() {
    check(zoo::two_cubes).unwrap();
}

#[test]
fn conformance_material_block() {
    check(zoo::material_block).unwrap();
}

#[test]
fn analytic_order_fit_of_a_power_is_its_exponent() {
    let points: Vec<(f64, f64)> =
        (1..6).map(|k| (0.1 / f64::from(k), 3.0 * (0.1 / f64::from(k)).powi(2))).collect();
    // Round-off.
    assert!((order_fit(&points) - 2.0).abs() < 1e-12);
    assert!(order_fit(&[(0.1, 1.0)]).is_nan());
    assert!(order_fit(&[(0.1, 0.0), (0.2, 0.0)]).is_nan());
}
