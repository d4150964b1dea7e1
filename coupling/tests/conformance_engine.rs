//! The splitting with the fast path of the points beside the plain one.

use crate::common;

use common::{Setup, Split, panels, rubber, tight};
use signorini_core::State;
use signorini_core::na::Vector3;
use signorini_coupling::{Asynchronous, EnginePoints, Iteration};
use signorini_icf::IcfSolver;
use signorini_integrators::ContactStep;
use signorini_laws::contact_pool;
use signorini_mpm::{MpmEngine, MpmSolver};

type Fast = Asynchronous<EnginePoints<f64>, ContactStep<IcfSolver>>;

fn fast(s: Setup, substeps: u32) -> (Fast, State) {
    let (particles, obstacles) = (s.points.particles(&s.x).unwrap(), s.points.obstacles().to_vec());
    let (law, options) = (contact_pool("lagged").unwrap(), *s.points.options());
    let engine = MpmEngine::new(particles, rubber(1e5, 0.4), vec![], obstacles, law, options).unwrap();
    let engine = engine.with_solver(Box::new(MpmSolver::default()), tight());
    let bodies = ContactStep::new(IcfSolver::default()).with_tolerance(tight());
    let c = Asynchronous::new(&s.scene, &s.geoms, engine, s.rigid, bodies, substeps).unwrap();
    (c.with_moving_bodies(false), s.y)
}

/// Impulses on the left panel over so many steps of both, and the largest difference between them beside their size.
fn beside(
    (mut slow, mut x, mut y): (Split, State, State),
    (mut fast, mut z): (Fast, State),
    dt: f64,
) -> (f64, u32) {
    let (mut apart, mut sum, mut iterations) = (0.0f64, Vector3::zeros(), 0);
    for _ in 0..60 {
        let a = slow.step(&mut x, &mut y, dt).unwrap();
        let b = fast.step(&mut (), &mut z, dt).unwrap();
        assert_eq!(a.substeps, b.substeps);
        sum += a.impulses[0][0];
        apart = apart.max((a.impulses[0][0] - b.impulses[0][0]).norm());
        iterations = iterations.max(a.iterations);
    }
    (apart / sum.norm(), iterations)
}

#[test]
fn conformance_bodies_feel_the_same_in_both_paths() {
    // Round-off that 60 steps of stiff contact make larger.
    let (apart, _) = beside(panels(0.0933).split(2), fast(panels(0.0933), 2), 1e-4);
    assert!(apart < 1e-9, "{apart:e}");
    let i = Iteration::default();
    let (slow, x, y) = panels(0.01).split(1);
    let (quick, z) = fast(panels(0.01), 1);
    let both = ((slow.with_iteration(i).unwrap(), x, y), (quick.with_iteration(i).unwrap(), z));
    let (apart, most) = beside(both.0, both.1, 2.4e-4);
    println!("iterated: {apart:.1e} apart, up to {most} passes");
    // Both stop when 10⁻⁴ of the momentum is amiss, after one pass more or less.
    assert!(apart < 1e-3 && most > 1, "{apart:e} {most}");
}

#[test]
fn property_a_step_that_fails_leaves_the_points_where_they_were() {
    let (mut c, mut y) = fast(panels(0.0933), 1);
    for _ in 0..10 {
        c.step(&mut (), &mut y, 1e-4).unwrap();
    }
    let (before, time) = (c.points_mut().engine_mut().particles().clone(), c.points().engine().time());
    let bodies = y.clone();
    // The second substep would be too long as well: nothing of the first must stay.
    let why = c.step(&mut (), &mut y, 0.1).unwrap_err().to_string();
    assert!(why.contains("shorten it"), "{why}");
    assert!(*c.points_mut().engine_mut().particles() == before && c.points().engine().time() == time);
    assert_eq!(bodies.q, y.q);
    let mut c = c.with_shorter_substeps();
    let r = c.step(&mut (), &mut y, 2e-3).unwrap();
    assert!(r.substeps > 1, "{}", r.substeps);
    assert!((c.points().engine().time() - time - 2e-3).abs() < 1e-12);
}
