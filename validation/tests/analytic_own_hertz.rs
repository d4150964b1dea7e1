//! A law with a stiffness of its own, from the curvature of the surfaces: it conforms, balls rest as deep as Hertz says and hold his energy, and meet for as long as he says.

use crate::own_law;

use own_law::Hertz;
use own_law::ball::{self, RADIUS};
use signorini_comfree::ComfreeSolver;
use signorini_core::na::{Isometry3, Matrix3, Vector3};
use signorini_core::{
    ContactMaterial, ContactSeed, ContactSide, ContactSolver, Integrator, NoObserver, Pool, State, System,
    Tolerance,
};
use signorini_geometry::TriangleMesh;
use signorini_icf::IcfSolver;
use signorini_integrators::{ContactStep, FixedStep};
use signorini_ipc::{AffineBody, AffineScene, AffineSystem, IpcOptions, IpcSolver, SkinLaw};
use signorini_multibody::{RigidOptions, RigidSystem};
use signorini_reference::ReferenceSolver;
use signorini_scene::Scene;
use signorini_testkit::law::{LawSuite, rescale_contact, rescale_velocity};
use signorini_testkit::random_problem::random_material;
use signorini_testkit::rng::Rng;

const MODULUS: f64 = 1e6;
const G: f64 = 9.81;

fn seed(r: &mut Rng) -> ContactSeed {
    ContactSeed {
        preload: 0.0,
        dt: r.log_uniform(1e-4, 3e-2),
        gap: 1e-3 * r.uniform(-1.0, 0.5),
        velocity: Vector3::from_fn(|_, _| r.uniform(-1.0, 1.0)),
        material: random_material(r),
        curvature: Some([r.log_uniform(10.0, 100.0), r.log_uniform(1.0, 10.0)]),
        sides: ContactSide::single(Matrix3::identity(), 1),
    }
}

#[test]
fn conformance_hertz() {
    let draw = |r: &mut Rng| {
        let (s, size) = (seed(r), r.log_uniform(1e-5, 3.0));
        (s, Vector3::from_fn(|_, _| size * r.uniform(-1.0, 1.0)))
    };
    let rescale = |d: &(ContactSeed, Vector3<f64>), s| (rescale_contact(&d.0, s), rescale_velocity(&d.1, s));
    let report = LawSuite::<Hertz, 3>::new(Hertz { modulus: MODULUS }, draw, rescale)
        .rescale_law(|law, s| Hertz { modulus: law.modulus * s.force() / (s.length * s.length) })
        .contact(|p, _| p.slip.bound())
        .elastic()
        .assert_conforms();
    assert!(report.active > 1000, "{report}");
}

fn on_ground(height: f64, dissipation: f64) -> (Scene, RigidSystem, State, f64) {
    let scene = ball::scene(height, dissipation).unwrap();
    let law = Pool::<Hertz, 3>::new(Hertz { modulus: MODULUS });
    let mut sys = RigidSystem::new(&scene, &law, RigidOptions::default()).unwrap();
    let x = sys.initial_state(None).unwrap();
    let mass = sys.model().bodies[1].mass;
    (scene, sys, x, mass)
}

fn stiffness() -> f64 {
    4.0 / 3.0 * MODULUS * RADIUS.sqrt()
}

#[test]
fn analytic_a_ball_rests_as_deep_as_hertz_says_under_every_solver() {
    const DISSIPATION: f64 = 20.0;
    let solvers: [(Box<dyn ContactSolver>, f64, bool); 3] = [
        (Box::new(IcfSolver::default()), 1e-3, false),
        (Box::new(ReferenceSolver::default()), 1e-3, false),
        // One explicit evaluation: stable where δt² ∂f/∂δ / m < 1.
        (Box::new(ComfreeSolver::default()), 2e-4, true),
    ];
    for (solver, dt, at_free_velocity) in solvers {
        let name = solver.name();
        let (_, mut sys, mut x, mass) = on_ground(RADIUS, DISSIPATION);
        let mut integrator = FixedStep::new(ContactStep::new(solver), dt).unwrap();
        integrator.advance(&mut sys, &mut x, 3.0, &mut NoObserver).unwrap();
        // An evaluation at v* = −g δt sees a depth of g δt² more and a rate of g δt.
        let (rate, deeper) = if at_free_velocity { (G * dt, G * dt * dt) } else { (0.0, 0.0) };
        let depth = (mass * G / (stiffness() * (1.0 + DISSIPATION * rate))).powf(2.0 / 3.0) - deeper;
        let (found, energy) = (RADIUS - x.q[2], sys.energy(&x).contact);
        // At rest after 3 s; the solver's tolerance.
        assert!((found / depth - 1.0).abs() < 1e-6, "{name}: {found} for {depth}");
        assert!((energy / (0.4 * stiffness() * depth.powf(2.5)) - 1.0).abs() < 1e-6, "{name}: {energy} J");
    }
}

#[test]
fn analytic_a_pair_with_a_modulus_of_its_own_rests_by_it() {
    let (_, mut sys, mut x, mass) = on_ground(RADIUS, 20.0);
    sys.set_contact_model(Some(Box::new(|_, _, m| m.own[0] = 4.0 * MODULUS)));
    let mut integrator = FixedStep::new(ContactStep::new(IcfSolver::default()), 1e-3).unwrap();
    integrator.advance(&mut sys, &mut x, 3.0, &mut NoObserver).unwrap();
    let depth = (mass * G / (4.0 * stiffness())).powf(2.0 / 3.0);
    let (found, energy) = (RADIUS - x.q[2], sys.energy(&x).contact);
    assert!((found / depth - 1.0).abs() < 1e-6, "{found} for {depth}");
    assert!((energy / (0.4 * mass * G * depth) - 1.0).abs() < 1e-6, "{energy} J");
}

#[test]
fn analytic_an_affine_ball_on_a_point_rests_as_deep_as_hertz_says() {
    // The next points of the facets are 1.9 mm higher, and the depth is 0.7 mm: one point presses.
    let (skin, dt) = (2e-3, 1e-3);
    let mut sys = ball::standing(&Pool::<_, 3>::new(Hertz { modulus: MODULUS }), 20.0, skin, skin).unwrap();
    let mut x = sys.initial_state();
    let tight = Tolerance { relative: 1e-9, max_iterations: 300 };
    let step = ContactStep::new(IpcSolver::default()).with_tolerance(tight);
    FixedStep::new(step, dt).unwrap().advance(&mut sys, &mut x, 0.6, &mut NoObserver).unwrap();
    let lowest = sys.positions(&x)[8..].iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    let (found, energy) = (skin - lowest, sys.energy(&x).contact);
    let depth = (sys.bodies()[1].mass * G / stiffness()).powf(2.0 / 3.0);
    // At rest after fourteen periods of ω = √(1.5 g/δ) ≈ 150/s, with the damping of Hunt–Crossley and of implicit steps.
    assert!((found / depth - 1.0).abs() < 1e-5, "{found} for {depth}");
    assert!((energy / (0.4 * stiffness() * depth.powf(2.5)) - 1.0).abs() < 3e-5, "{energy} J");
}

#[test]
fn regression_affine_bodies_whose_curvature_nobody_tells_refuse_the_law() {
    let slab = TriangleMesh::cuboid(&Vector3::new(0.5, 0.5, 0.05)).unwrap();
    let facets = TriangleMesh::icosphere(RADIUS, 2).unwrap();
    let body = |name: &str, mesh| AffineBody::solid(name, mesh, 1000.0).unwrap();
    let bodies = vec![
        (body("slab", &slab).held(), Isometry3::translation(0.0, 0.0, -0.05)),
        (body("ball", &facets), Isometry3::translation(0.0, 0.0, 0.06)),
    ];
    let law = Pool::<Hertz, 3>::new(Hertz { modulus: MODULUS });
    let law = SkinLaw::new(&law, 2e-3, ContactMaterial::default());
    let made = AffineSystem::new(bodies, &[], IpcOptions::default()).unwrap().with_law(law);
    let why = made.err().unwrap().to_string();
    assert!(why.contains("'hertz'") && why.contains("curvature") && why.contains("with_pairs"), "{why}");
    // In a scene balls tell it.
    let (scene, ..) = on_ground(0.06, 0.0);
    let law = Pool::<Hertz, 3>::new(Hertz { modulus: MODULUS });
    AffineScene::new(&scene, IpcOptions::default()).unwrap().with_law(&law, 2e-3).unwrap();
}

#[test]
fn analytic_a_ball_meets_the_ground_for_as_long_as_hertz_says() {
    // Without gravity and dissipation: δ_max = (5 m v²/(4 k))^{2/5}, duration 2.9432 δ_max/v, and it leaves as fast as it came.
    for speed in [0.5, 2.0] {
        let (_, mut sys, mut x, mass) = on_ground(RADIUS + 1e-4, 0.0);
        let weight = vec![0.0, 0.0, mass * G, 0.0, 0.0, 0.0];
        sys.applied_force_mut().copy_from_slice(&weight);
        x.v[2] = -speed;
        let deepest = (5.0 * mass * speed * speed / (4.0 * stiffness())).powf(0.4);
        let duration = 2.943_2 * deepest / speed;
        let dt = duration / 4000.0;
        let mut integrator = FixedStep::new(ContactStep::new(IcfSolver::default()), dt).unwrap();
        let (mut first, mut last, mut depth) = (None, 0.0, 0.0f64);
        while x.v[2] < 0.0 || x.q[2] < RADIUS {
            let end = x.t + dt;
            integrator.advance(&mut sys, &mut x, end, &mut NoObserver).unwrap();
            let d = RADIUS - x.q[2];
            if d > 0.0 {
                first.get_or_insert(x.t);
                (last, depth) = (x.t, depth.max(d));
            }
        }
        let measured = last - first.unwrap();
        // First order in the step, 1/4000 of the contact.
        assert!((depth / deepest - 1.0).abs() < 2e-3, "{speed}: depth {depth} for {deepest}");
        assert!((measured / duration - 1.0).abs() < 5e-3, "{speed}: {measured} s for {duration} s");
        assert!((x.v[2] / speed - 1.0).abs() < 5e-3, "{speed}: back at {}", x.v[2]);
    }
}
