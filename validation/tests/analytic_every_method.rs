//! A law of one's own under every method: a block at rest holds the energy of its springs, and particles carry their weight.
#![allow(clippy::unwrap_used, reason = "tests stop at what they do not expect")]

#[path = "../../examples/own_law/src/lib.rs"]
#[allow(dead_code, unreachable_pub, unused_imports, reason = "a crate of its own")]
mod own_law;

use own_law::block::{COUNT, EDGE, STIFFNESS, affine, particles, rigid};
use own_law::{Elastic, Hertz};
use signorini_comfree::ComfreeSolver;
use signorini_core::{ContactSolver, Pool, System};
use signorini_icf::IcfSolver;
use signorini_ipc::IpcSolver;
use signorini_reference::ReferenceSolver;

const G: f64 = 9.81;

fn law() -> Pool<Elastic, 3> {
    Pool::new(Elastic)
}

/// W²/(2 n k) of n springs \[J\], each pressed `deeper` \[m\] less than the load asks for.
fn springs(n: f64, deeper: f64) -> f64 {
    0.5 * n * STIFFNESS * (G / (n * STIFFNESS) - deeper).powi(2)
}

#[test]
fn analytic_a_block_in_generalised_coordinates_holds_the_energy_of_four_springs() {
    let solvers: [(Box<dyn ContactSolver>, f64, bool); 3] = [
        (Box::new(IcfSolver::default()), 2e-3, false),
        (Box::new(ReferenceSolver::default()), 2e-3, false),
        // Explicit: damped by ω δt/2 = 0.1 of critical, at rest after 1 s.
        (Box::new(ComfreeSolver::default()), 1e-3, true),
    ];
    for (solver, dt, at_free_velocity) in solvers {
        let name = solver.name();
        let told = rigid(&law(), solver, dt).unwrap();
        // An evaluation at v* = −g δt sees g δt² more than there is.
        let expected = springs(4.0, if at_free_velocity { G * dt * dt } else { 0.0 });
        // At rest; the tolerance of the solver.
        assert!((told / expected - 1.0).abs() < 1e-5, "{name}: {told:e} J for {expected:e}");
    }
}

#[test]
fn analytic_an_affine_block_holds_the_energy_of_four_springs() {
    let solvers: [Box<dyn ContactSolver>; 2] =
        [Box::new(IpcSolver::default()), Box::new(ReferenceSolver::default())];
    for solver in solvers {
        let name = solver.name();
        let (told, expected) = (affine(&law(), solver).unwrap(), springs(4.0, 0.0));
        assert!((told / expected - 1.0).abs() < 1e-5, "{name}: {told:e} J for {expected:e}");
    }
}

#[test]
fn analytic_particles_carry_their_weight_and_tell_the_energy_of_their_springs() {
    let (mut sys, x, load) = particles(&law(), Box::new(IcfSolver::default())).unwrap();
    // As for a law of this project.
    assert!((load / G - 1.0).abs() < 1e-3, "{load} N");
    let depths = || sys.particles(&x).unwrap().x.into_iter().map(|x| (-x.z).max(0.0));
    let held: f64 = depths().map(|d| 0.5 * STIFFNESS * d * d).sum();
    let told = sys.energy(&x).contact;
    assert!((told / held - 1.0).abs() < 1e-12, "{told:e} J for {held:e}");
    // Springs that share a load unevenly hold more than those that share it evenly.
    let even = springs((COUNT * COUNT) as f64, 0.0);
    assert!(told > 0.99 * even && told < 2.0 * even, "{told:e} J for {even:e}");
}

#[test]
fn analytic_particles_press_by_hertz_as_balls_of_their_volume() {
    // Each about as stiff as the springs above, so that they come to rest as they do.
    let law = Hertz { modulus: 3e6 };
    let (mut sys, x, load) = particles(&Pool::<_, 3>::new(law), Box::new(IcfSolver::default())).unwrap();
    assert!((load / G - 1.0).abs() < 1e-3, "{load} N");
    let volume = (EDGE / COUNT as f64).powi(3);
    let radius = (3.0 * volume / (4.0 * std::f64::consts::PI)).cbrt();
    let k = 4.0 / 3.0 * law.modulus * radius.sqrt();
    let depths = || sys.particles(&x).unwrap().x.into_iter().map(|x| (-x.z).max(0.0));
    let (held, pressed) =
        (depths().map(|d| 0.4 * k * d.powf(2.5)).sum::<f64>(), depths().map(|d| k * d.powf(1.5)));
    let pressed: f64 = pressed.sum();
    let told = sys.energy(&x).contact;
    assert!((told / held - 1.0).abs() < 1e-9, "{told:e} J for {held:e}");
    // Forces of the last state beside the mean of the last 0.2 s.
    assert!((pressed / load - 1.0).abs() < 2e-2, "{pressed} N for {load}");
}
