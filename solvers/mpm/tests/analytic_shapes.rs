//! Hulls, meshes and height fields: particles fill them and meet them.

use std::sync::Arc;

use signorini_core::na::{Isometry3, Point3, Vector3};
use signorini_core::{ContactMaterial, OneStep, State};
use signorini_geometry::{ConvexMesh, HeightField, Shape, TriangleMesh};
use signorini_icf::IcfSolver;
use signorini_integrators::ContactStep;
use signorini_laws::contact_pool;
use signorini_mpm::{FixedCorotated, Lame, Material, MpmOptions, MpmSystem, Obstacle, Particles};
use signorini_testkit::data;

fn surface(stiffness: f64, dissipation: f64, friction: f64) -> ContactMaterial {
    ContactMaterial { stiction_speed: 1e-3, ..ContactMaterial::compliant(stiffness, dissipation, friction) }
}

fn system(p: Particles, young: f64, obstacle: Obstacle, options: MpmOptions) -> MpmSystem {
    let rubber: Vec<Box<dyn Material>> = vec![Box::new(FixedCorotated(Lame::new(young, 0.3).unwrap()))];
    let law = contact_pool("lagged").unwrap();
    MpmSystem::new(p, rubber, vec![], vec![obstacle], law, options).unwrap()
}

/// A cup of an inner radius, a wall and a height \[m\], open at the top, with its floor between z = −wall and 0.
fn cup(radius: f64, wall: f64, height: f64) -> Shape {
    let rings = [[radius + wall, -wall], [radius + wall, height], [radius, height], [radius, 0.0]];
    Shape::Mesh(Arc::new(TriangleMesh::revolved(48, &rings, [-wall, 0.0]).unwrap()))
}

/// A bowl: half a ball within half a ball.
fn bowl(radius: f64, wall: f64) -> Shape {
    let ring = |r: f64, k: u32| {
        let angle = std::f64::consts::FRAC_PI_2 * f64::from(k) / 12.0;
        [r * angle.sin(), -r * angle.cos()]
    };
    let outer = (1..=12).map(|k| ring(radius + wall, k));
    let rings: Vec<[f64; 2]> = outer.chain((1..=12).rev().map(|k| ring(radius, k))).collect();
    Shape::Mesh(Arc::new(TriangleMesh::revolved(36, &rings, [-radius - wall, -radius]).unwrap()))
}

#[test]
fn analytic_hulls_and_meshes_are_filled_to_their_volume() {
    let half = Vector3::new(0.1, 0.15, 0.05);
    let volume = 8.0 * half.product();
    let torus = TriangleMesh::torus(0.1, 0.04, 48, 24).unwrap();
    let around = torus.signed_volume();
    for (shape, volume) in [
        (Shape::Convex(Arc::new(ConvexMesh::cuboid(&half).unwrap())), volume),
        (Shape::Mesh(Arc::new(TriangleMesh::cuboid(&half).unwrap())), volume),
        (Shape::Mesh(Arc::new(torus)), around),
    ] {
        let pose = Isometry3::new(Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.3, 0.2, 0.1));
        let (mut lattice, mut thrown, mut again) = Default::default();
        let n = Particles::fill(&mut lattice, &shape, &pose, 0.0125, 500.0, 0).unwrap();
        let apart = 0.0125;
        for p in [&mut thrown, &mut again] {
            let m = Particles::fill_random(p, &shape, &pose, apart, 500.0, 0, 7).unwrap();
            // As many as there is room for, and about as many as on a lattice: its surface cells are in or out as a whole.
            assert_eq!(m, (volume / apart.powi(3)).round() as usize);
            assert!((m as f64 / n as f64 - 1.0).abs() < 0.1, "{} {n} {m}", shape.name());
        }
        assert_eq!(thrown, again);
        for p in [&lattice, &thrown] {
            let (v, m): (f64, f64) = (p.volume.iter().sum(), p.mass.iter().sum());
            assert!((v / volume - 1.0).abs() < 1e-12 && (m / (500.0 * volume) - 1.0).abs() < 1e-12);
            let inside = |x: &Vector3<f64>| {
                shape.signed_distance(&(pose.inverse() * Point3::from(*x)).coords).unwrap().distance < 1e-12
            };
            assert!(p.x.iter().all(inside));
        }
        let near = (0..thrown.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        assert!(near.map(|(i, j)| (thrown.x[i] - thrown.x[j]).norm()).fold(1.0, f64::min) >= 0.8 * apart);
    }
}

#[test]
fn regression_what_cannot_be_filled_or_met() {
    let cube = TriangleMesh::cuboid(&Vector3::repeat(0.1)).unwrap();
    let open = TriangleMesh::new(cube.vertices().to_vec(), cube.triangles()[1..].to_vec()).unwrap();
    let open = Shape::Mesh(Arc::new(open));
    let mut p = Particles::default();
    let why = p.fill(&open, &Isometry3::identity(), 0.02, 1000.0, 0).unwrap_err().to_string();
    assert!(why.contains("3 open") && why.contains("close it"), "{why}");
    let why = p.fill(&Shape::HalfSpace, &Isometry3::identity(), 0.02, 1000.0, 0).unwrap_err().to_string();
    assert!(why.contains("half-space"), "{why}");
    let ball = Shape::Sphere { radius: 1.0 };
    let why = p.fill(&ball, &Isometry3::identity(), 1e-6, 1000.0, 0).unwrap_err().to_string();
    assert!(why.contains("number of particles") && why.contains("larger distance"), "{why}");
    p.push(Vector3::zeros(), 1.0, 1.0, 0);
    let rubber: Vec<Box<dyn Material>> = vec![Box::new(FixedCorotated(Lame::new(1e4, 0.3).unwrap()))];
    let sheet = Obstacle::new("sheet", open, Isometry3::identity(), surface(1e4, 0.0, 0.0));
    let law = contact_pool("lagged").unwrap();
    let made = MpmSystem::new(p, rubber, vec![], vec![sheet], law, MpmOptions::default());
    let why = made.err().unwrap().to_string();
    assert!(why.contains("obstacle 'sheet'") && why.contains("3 open"), "{why}");
}

#[test]
fn analytic_jelly_stays_in_a_bowl() {
    let (radius, wall, k) = (0.1, 0.004, 2e3);
    let mut p = Particles::default();
    let ball = Shape::Mesh(Arc::new(TriangleMesh::icosphere(0.05, 2).unwrap()));
    p.fill(&ball, &Isometry3::translation(0.03, 0.0, -0.03), 0.01, 1000.0, 0).unwrap();
    let dish = Obstacle::new("bowl", bowl(radius, wall), Isometry3::identity(), surface(k, 1.0, 0.2));
    let options = MpmOptions { spacing: 0.02, damping_time: 0.05, ..MpmOptions::default() };
    let weight = p.mass.iter().sum::<f64>() * 9.81;
    let mut s = system(p, 2e4, dish, options);
    let mut step = ContactStep::new(IcfSolver::default());
    let (mut x, mut next, dt) = (s.initial_state(), State::default(), 1e-3);
    let (mut deepest, mut force) = (0.0f64, 0.0);
    for n in 0..1500 {
        step.step(&mut s, &x, dt, false, &mut next).unwrap();
        std::mem::swap(&mut x, &mut next);
        let far = x.q.chunks(3).map(|q| q[0].hypot(q[1]).hypot(q[2])).fold(0.0, f64::max);
        deepest = deepest.max(far - radius);
        if n >= 1000 {
            force -= s.impulses()[0][0].z / (500.0 * dt);
        }
    }
    println!("deepest {deepest:e} m, force {force} of {weight} N");
    // Within the wall, of which a load of a few times the weight on some 20 particles takes a part; then at rest with its weight.
    assert!(deepest < 0.5 * wall, "{deepest}");
    assert!((force / weight - 1.0).abs() < 0.02, "{force} {weight}");
}

#[test]
fn analytic_a_thin_cup_is_not_passed() {
    // 5 mm per step at walls of 1 mm, into corners too.
    let (radius, wall, height) = (0.03, 1e-3, 0.1);
    let mut bounces = 0;
    for k in 0..24 {
        let (turn, dip) = (f64::from(k) * 0.7, [0.0, -0.3, -0.7, -1.2][k as usize % 4]);
        let mut p = Particles::default();
        p.push(Vector3::new(0.004, 0.002, 0.04), 0.01, 1e-6, 0);
        p.v[0] = 5.0 * Vector3::new(turn.cos() * f64::cos(dip), turn.sin() * f64::cos(dip), f64::sin(dip));
        let o =
            Obstacle::new("cup", cup(radius, wall, height), Isometry3::identity(), surface(1e5, 0.0, 0.0));
        let gravity = Vector3::zeros();
        let options = MpmOptions { spacing: 0.05, gravity, courant: 100.0, ..MpmOptions::default() };
        let mut s = system(p, 1.0, o, options);
        let mut step = ContactStep::new(IcfSolver::default());
        let (mut x, mut next) = (s.initial_state(), State::default());
        for n in 0..60 {
            let before = Vector3::from_column_slice(&x.v);
            step.step(&mut s, &x, 1e-3, false, &mut next).unwrap();
            std::mem::swap(&mut x, &mut next);
            if x.q[2] > height {
                break;
            }
            bounces += i32::from((Vector3::from_column_slice(&x.v) - before).norm() > 0.5);
            let far = x.q[0].hypot(x.q[1]);
            assert!(far < radius + 0.5 * wall && x.q[2] > -0.5 * wall, "{k} step {n}: {far} {}", x.q[2]);
        }
    }
    assert!(bounces > 24, "{bounces}");
}

#[test]
fn analytic_a_cube_rests_on_a_height_field() {
    // Flat, of many triangles: as on a plane.
    let field = HeightField::new(9, 9, [0.2, 0.2], vec![0.05; 81], 0.1).unwrap();
    let ground = Shape::HeightField(Arc::new(field));
    let mut p = Particles::default();
    let cube = Shape::Box { half_extents: Vector3::repeat(0.05) };
    p.fill(&cube, &Isometry3::translation(0.01, 0.02, 0.095), 0.02, 1000.0, 0).unwrap();
    let o = Obstacle::new("ground", ground, Isometry3::identity(), surface(1e4, 20.0, 0.5));
    let options = MpmOptions { spacing: 0.05, damping_time: 5e-3, ..MpmOptions::default() };
    let mut s = system(p, 1e5, o, options);
    let mut step = ContactStep::new(IcfSolver::default());
    let (mut x, mut next, dt, mut force) = (s.initial_state(), State::default(), 5e-4, 0.0);
    for n in 0..1600 {
        step.step(&mut s, &x, dt, false, &mut next).unwrap();
        std::mem::swap(&mut x, &mut next);
        if n >= 1200 {
            force -= s.impulses()[0][0].z / (400.0 * dt);
        }
    }
    assert!((force / 9.81 - 1.0).abs() < 0.01, "{force}");
}

#[test]
fn conformance_models_are_filled() {
    let Some(folder) = data::model("meshes") else { return };
    let mut filled = 0;
    for (file, apart) in [("bunny/bunny_1k.obj", 0.006), ("mug/mug_2k.obj", 0.004)] {
        let mesh = TriangleMesh::load(folder.join(file)).unwrap();
        let volume = mesh.signed_volume();
        let shape = Shape::Mesh(Arc::new(mesh));
        if let Err(why) = shape.check_solid() {
            println!("{file}: {why}");
            continue;
        }
        let mut p = Particles::default();
        let n = p.fill(&shape, &Isometry3::identity(), apart, 1000.0, 0).unwrap();
        println!("{file}: {n} particles, {volume:e} m³");
        // Volume of the lattice by itself; surface cells are in or out as a whole.
        assert!((n as f64 * apart.powi(3) / volume - 1.0).abs() < 0.1);
        filled += 1;
    }
    assert!(filled > 0);
}
