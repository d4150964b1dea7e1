//! A law of one's own under every method: a block at rest holds the energy of its springs, and particles carry their weight.

use crate::own_law;

use own_law::block::{self, COUNT, EDGE, SKIN, STIFFNESS, affine, particles, rigid};
use own_law::{Elastic, Hertz, robot};
use signorini_comfree::ComfreeSolver;
use signorini_core::{ContactSolver, Pool, System};
use signorini_icf::IcfSolver;
use signorini_ipc::IpcSolver;
use signorini_ipc::{IpcOptions, weight};
use signorini_reference::ReferenceSolver;
use signorini_run::affine::{RunWatch, run_affine};
use signorini_run::{Ipc, Law, MassScale, Method, Recording, Skin, run};

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

/// Energy of the contacts at the end \[J\], and the law's name in the header.
fn told(r: &Recording) -> (f64, &str) {
    (r.energy[3 * (r.len() - 1) + 2], &r.header.law)
}

#[test]
fn analytic_recordings_under_each_method_tell_the_energy_of_a_law_of_ones_own() {
    let law = Law::own(Elastic);
    for (method, deeper) in [
        (Method::icf().with_law(law.clone()).unwrap().with_step(2e-3), 0.0),
        (Method::cenic(1e-5).with_law(law.clone()).unwrap(), 0.0),
        (Method::reference().with_law(law.clone()).unwrap().with_step(2e-3), 0.0),
        (Method::comfree_once(law.clone()).with_step(1e-3), G * 1e-6),
    ] {
        let scene = block::scene(0.0).unwrap();
        let mut x = method.system(&scene).unwrap().initial_state(None).unwrap();
        let (recording, _) = run(&scene, &method, &mut x, 2.0).unwrap();
        let ((energy, name), expected) = (told(&recording), springs(4.0, deeper));
        assert_eq!(name, "elastic");
        // At rest to the default tolerance of the solver; under error control what is left of the oscillation at an accuracy of 1e-5 m, of a depth of 2.5e-4 m.
        let part = if method.stepping().is_controlled() { 0.1 } else { 1e-3 };
        assert!(
            (energy / expected - 1.0).abs() < part,
            "{}: {energy:e} J for {expected:e}",
            method.describe()
        );
    }
    let scene = block::scene(SKIN).unwrap();
    let options = IpcOptions { range: 2e-4, ..IpcOptions::default() }.carrying(weight(&scene));
    let skin = Some(Skin { law, distance: SKIN });
    let method = Method::Ipc(Ipc { options: Some(options), skin, ..Ipc::default() }).with_step(5e-3);
    let run = run_affine(&scene, &method, None, 1.0, RunWatch::default()).unwrap();
    run.report.as_ref().unwrap();
    let ((energy, name), expected) = (told(&run.recording), springs(4.0, 0.0));
    assert_eq!(name, "elastic");
    assert!((energy / expected - 1.0).abs() < 1e-3, "{energy:e} J for {expected:e}");
}

#[test]
fn analytic_a_robot_stands_on_a_law_of_ones_own_under_each_method() {
    let scene = robot::quadruped().unwrap();
    for method in robot::methods(&Law::own(Elastic)).unwrap() {
        let r = robot::stand(&scene, &method, 0.1).unwrap();
        let ([height, energy], first) = (robot::end(&r), r.poses[9]);
        assert_eq!(r.header.law, "elastic", "{}", method.describe());
        // It stands on its feet, which sink by less than a centimetre, and they hold energy.
        assert!((height - first).abs() < 0.01, "{}: {first} m, then {height} m", method.describe());
        assert!(energy > 0.0 && energy < 1.0, "{}: {energy} J", method.describe());
    }
}

#[test]
fn regression_methods_refuse_a_law_or_a_mode_that_they_lack() {
    let law = || Law::own(Elastic);
    let refused = |m: Result<Method, signorini_run::MethodError>| m.unwrap_err().to_string();
    assert!(refused(Method::comfree().with_law(law())).contains("comfree_once"));
    assert!(
        refused(Method::comfree_paper(0.1, 0.001, MassScale::Trace).with_law(law())).contains("comfree_once")
    );
    assert!(refused(Method::comfree().in_paper_mode()).contains("comfree_paper"));
    assert!(refused(Method::ipc().in_paper_mode()).contains("no second mode"));
    // Constants tell laws of one's own apart.
    assert_eq!(law(), law());
    assert_ne!(Law::own(Hertz { modulus: 1e6 }), Law::own(Hertz { modulus: 2e6 }));
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
