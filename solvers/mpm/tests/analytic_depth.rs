//! Depth of particles in obstacles at the end of a step: as deep as the law of contact makes them, whatever took them there.

use signorini_core::na::{Isometry3, Matrix3, Vector3};
use signorini_core::{ContactMaterial, OneStep, State, Tolerance};
use signorini_geometry::Shape;
use signorini_integrators::ContactStep;
use signorini_laws::contact_pool;
use signorini_mpm::{
    Cloth, ClothMaterial, FixedCorotated, Lame, Material, MpmEngine, MpmOptions, MpmSolver, MpmSystem,
    Obstacle, Particles, sheet,
};

/// Stiffness of contacts \[N/m\].
const K: f64 = 1e4;

/// Springs without friction and dissipation: the impulse of a contact is δt k times its depth at the end of the step.
fn plane(name: &str, out: Vector3<f64>, at: Vector3<f64>) -> Obstacle {
    let turn = Isometry3::rotation(
        Vector3::z().cross(&out).try_normalize(1e-9).unwrap_or(Vector3::x()) * Vector3::z().angle(&out),
    );
    let material = ContactMaterial::compliant(K, 0.0, 0.0);
    Obstacle::new(name, Shape::HalfSpace, Isometry3::translation(at.x, at.y, at.z) * turn, material)
}

fn tight() -> Tolerance {
    Tolerance { relative: 1e-12, max_iterations: 300 }
}

fn options(spacing: f64) -> MpmOptions {
    MpmOptions { spacing, gravity: Vector3::zeros(), ..MpmOptions::default() }
}

fn system(
    p: &Particles,
    materials: Vec<Box<dyn Material>>,
    cloth: Option<&Cloth>,
    obstacles: Vec<Obstacle>,
    options: MpmOptions,
) -> MpmSystem {
    let s = MpmSystem::new(p.clone(), materials, vec![], obstacles, contact_pool("lagged").unwrap(), options)
        .unwrap();
    cloth.iter().fold(s, |s, c| s.with_cloth((*c).clone()).unwrap())
}

fn engine(
    p: &Particles,
    materials: Vec<Box<dyn Material>>,
    cloth: Option<&Cloth>,
    obstacles: Vec<Obstacle>,
    options: MpmOptions,
) -> MpmEngine<f64> {
    let e = MpmEngine::new(p.clone(), materials, vec![], obstacles, contact_pool("lagged").unwrap(), options)
        .unwrap()
        .with_solver(Box::new(MpmSolver::default()), tight());
    cloth.iter().fold(e, |e, c| e.with_cloth((*c).clone()).unwrap())
}

/// Sum of the depths of particles beyond a plane \[m\].
fn depths(p: &Particles, out: &Vector3<f64>, at: &Vector3<f64>) -> f64 {
    p.x.iter().map(|x| (-out.dot(&(x - at))).max(0.0)).sum()
}

/// A block at rest 0.2 mm above a plane that does not hold together: it is compressed, and bursts onto the plane within a step.
fn burst() -> (Particles, Vec<Box<dyn Material>>, MpmOptions) {
    let h = 0.05;
    let mut p = Particles::default();
    p.lattice(Vector3::new(0.0, 0.0, 2e-4), 0.5 * h, [6; 3], 1e3, (0.5 * h).powi(3), 0);
    p.f.iter_mut().for_each(|f| *f = Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, 0.9)));
    (p, vec![Box::new(FixedCorotated(Lame::new(1e6, 0.3).unwrap()))], options(h))
}

#[test]
fn analytic_what_stress_throws_at_a_plane_is_held_by_it() {
    let (p, materials, options) = burst();
    let floor = || vec![plane("floor", Vector3::z(), Vector3::zeros())];
    let mut e = engine(&p, materials, None, floor(), options);
    let dt = 0.9 * e.longest_step();
    let (_, materials, _) = burst();
    // Without the plane they would be far below it.
    let mut free = engine(&p, materials, None, vec![], options);
    free.step(dt).unwrap();
    let (z, none) = (Vector3::z(), Vector3::zeros());
    assert!(depths(free.particles(), &z, &none) > 36.0 * 2e-4);
    e.step(dt).unwrap();
    let given = -e.impulses()[0][0].z;
    let expected = dt * K * depths(e.particles(), &z, &none);
    // The tolerance of the solver, beside momenta of 0.1 N·s.
    assert!(given > 1e-3 && (given - expected).abs() < 1e-9, "{given} {expected}");
    let (_, materials, _) = burst();
    let mut s = system(&p, materials, None, floor(), options);
    let (x, mut next) = (s.initial_state(), State::default());
    ContactStep::new(MpmSolver::default())
        .with_tolerance(tight())
        .step(&mut s, &x, dt, false, &mut next)
        .unwrap();
    let given = -s.impulses()[0][0].z;
    let expected = dt * K * depths(&s.particles(&next).unwrap(), &z, &none);
    assert!(given > 1e-3 && (given - expected).abs() < 1e-9, "{given} {expected}");
}

#[test]
fn analytic_what_contact_throws_at_a_plane_is_held_by_it() {
    // A plate comes from the left at 10 m/s; particles at rest share nodes, and those on the right are before a wall: near, and farther than twice the way of those without contact.
    let (h, dt, speed) = (0.05, 1e-3, 10.0);
    let mut p = Particles::default();
    for i in 0..4 {
        for j in 0..3 {
            p.push(
                Vector3::new(0.01 * f64::from(i), 0.02 * f64::from(j), 0.013),
                0.05,
                8e-6,
                Particles::BARE,
            );
        }
    }
    for gap in [1e-4, 2e-4] {
        let (right, edge) = (-Vector3::x(), Vector3::new(0.03 + gap, 0.0, 0.0));
        let mut plate = plane("plate", Vector3::x(), Vector3::new(-1e-3, 0.0, 0.0));
        plate.velocity.x = speed;
        let mut e = engine(&p, vec![], None, vec![plate, plane("wall", right, edge)], options(h));
        let report = e.step(dt).unwrap();
        assert_eq!(report.unconverged, 0);
        let [plate, wall] = [0, 1].map(|o| e.impulses()[o][0].x);
        let moved = Vector3::new(speed * dt - 1e-3, 0.0, 0.0);
        let expected = [
            -dt * K * depths(e.particles(), &Vector3::x(), &moved),
            dt * K * depths(e.particles(), &right, &edge),
        ];
        println!("gap {gap}: plate {plate}, wall {wall}, {expected:?}");
        assert!(wall > 1e-3 && (wall - expected[1]).abs() < 1e-9, "{wall} {expected:?}");
        assert!((plate - expected[0]).abs() < 1e-9, "{plate} {expected:?}");
    }
}

/// A sheet that waves, thrown at a plane with a turn.
fn thrown() -> (Particles, Cloth) {
    let mut p = Particles::default();
    let mesh = sheet([0.2, 0.2], [8, 8]).unwrap();
    let wave: Vec<_> = mesh
        .vertices()
        .iter()
        .map(|x| x + Vector3::z() * (0.012 + 0.01 * (60.0 * x.x + 35.0 * x.y).sin()))
        .collect();
    let cloth = Cloth::new(&mut p, &wave, mesh.triangles(), ClothMaterial::new(1e5, 0.3, 1e3, 1e-3).unwrap())
        .unwrap();
    for (v, x) in p.v.iter_mut().zip(&p.x) {
        *v = Vector3::new(0.2, 0.1, -1.0) + Vector3::new(2.0, -1.0, 3.0).cross(x);
    }
    (p, cloth)
}

#[test]
fn analytic_centres_of_cloth_are_as_deep_as_the_law_makes_them() {
    // Both paths; momentum and angular momentum go to the plane, of particles where they were at the start of the step.
    let (p, cloth) = thrown();
    let (h, dt, z, none) = (0.02, 2e-4, Vector3::z(), Vector3::zeros());
    let floor = || vec![plane("floor", z, none)];
    let mut e = engine(&p, vec![], Some(&cloth), floor(), options(h));
    let mut s = system(&p, vec![], Some(&cloth), floor(), options(h));
    let mut step = ContactStep::new(MpmSolver::default()).with_tolerance(tight());
    let (mut x, mut next, mut met) = (s.initial_state(), State::default(), 0);
    let size = p.mass.iter().sum::<f64>();
    for _ in 0..150 {
        let before = s.particles(&x).unwrap();
        step.step(&mut s, &x, dt, false, &mut next).unwrap();
        std::mem::swap(&mut x, &mut next);
        let after = s.particles(&x).unwrap();
        let [given, moment] = s.impulses()[0];
        let expected = dt * K * depths(&after, &z, &none);
        assert!((-given.z - expected).abs() < 1e-9 * size, "{given} {expected}");
        assert!((after.momentum() - before.momentum() + given).norm() < 1e-11 * size);
        let mut there = after.clone();
        there.x.clone_from(&before.x);
        let turn = there.angular_momentum(h) - before.angular_momentum(h);
        assert!((turn + moment).norm() < 1e-11 * size, "{turn} {moment}");
        e.step(dt).unwrap();
        let given = e.impulses()[0][0];
        let expected = dt * K * depths(e.particles(), &z, &none);
        assert!((-given.z - expected).abs() < 1e-9 * size, "{given} {expected}");
        met += u32::from(given.norm() > 1e-4 * size && cloth.centres().any(|c| e.particles().x[c].z < 0.0));
    }
    println!("{met} steps with centres in the plane");
    assert!(met > 10);
}

#[test]
fn analytic_centres_stay_out_of_a_bar_narrower_than_their_edges() {
    // A sheet with edges of 33 mm is thrown over a bar of 20 mm: vertices on both sides of it fall, and take the middle of triangles down on it.
    let (cells, speed, top) = (6, 3.0, 0.02);
    let mut p = Particles::default();
    let mesh = sheet([0.2, 0.2], [cells, cells]).unwrap();
    let mesh = mesh.transformed(&Isometry3::translation(0.003, 0.0, top + 1e-3));
    let material = ClothMaterial::new(1e5, 0.3, 1e3, 1e-3).unwrap();
    let cloth = Cloth::new(&mut p, mesh.vertices(), mesh.triangles(), material).unwrap();
    p.v.iter_mut().for_each(|v| v.z = -speed);
    let bar = Shape::Box { half_extents: Vector3::new(0.01, 0.2, top) };
    let material = ContactMaterial::compliant(K, 10.0, 0.8);
    let obstacle = Obstacle::new("bar", bar.clone(), Isometry3::identity(), material);
    let options = MpmOptions { damping_time: 0.02, ..MpmOptions::default() };
    let mut e = engine(&p, vec![], Some(&cloth), vec![obstacle], MpmOptions { spacing: 0.02, ..options });
    let mut deepest = [0.0f64; 2];
    for _ in 0..500 {
        assert_eq!(e.step(2e-4).unwrap().unconverged, 0);
        let p = e.particles();
        for (kind, range) in [cloth.vertices(), cloth.centres()].into_iter().enumerate() {
            let inside = range.map(|i| -bar.signed_distance(&p.x[i]).unwrap().distance);
            deepest[kind] = deepest[kind].max(inside.fold(0.0, f64::max));
        }
    }
    // A triangle of 1 kg/m² on one contact stops within v √(m/k), 0.7 mm.
    let triangle = 0.5 * (0.2 / cells as f64).powi(2);
    let most = speed * (triangle / K).sqrt();
    println!("deepest vertex {}, centre {} m, {most} allowed", deepest[0], deepest[1]);
    assert!(deepest[0] > 0.0 && deepest.iter().all(|d| *d < most), "{deepest:?} {most}");
}
