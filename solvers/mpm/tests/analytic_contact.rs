//! Contact with obstacles: rest, slides, a squeezed cube, momenta, one particle in closed form, agreement of solvers.

use signorini_core::na::{Isometry3, Vector3};
use signorini_core::{ContactMaterial, ContactSolver, OneStep, Slot, State, StepSolution, System, Tolerance};
use signorini_geometry::Shape;
use signorini_icf::IcfSolver;
use signorini_integrators::ContactStep;
use signorini_laws::contact_pool;
use signorini_mpm::{FixedCorotated, Lame, Material, MpmEngine, MpmOptions, MpmSystem, Obstacle, Particles};
use signorini_reference::ReferenceSolver;

fn surface(stiffness: f64, dissipation: f64, friction: f64, stiction_speed: f64) -> ContactMaterial {
    ContactMaterial { stiction_speed, ..ContactMaterial::compliant(stiffness, dissipation, friction) }
}

/// Particles on a lattice that includes the faces of a cuboid, each of the same volume.
fn faced(low: Vector3<f64>, size: f64, count: usize, density: f64) -> Particles {
    let mut out = Particles::default();
    let volume = size.powi(3) / (count as f64).powi(3);
    let apart = size / (count - 1) as f64;
    out.lattice(low, apart, [count; 3], density, volume, 0);
    out
}

fn rubber(young: f64, poisson: f64) -> Vec<Box<dyn Material>> {
    vec![Box::new(FixedCorotated(Lame::new(young, poisson).unwrap()))]
}

fn floor(turn: f64, material: ContactMaterial) -> Obstacle {
    let pose = Isometry3::rotation(Vector3::y() * turn);
    Obstacle::new("floor", Shape::HalfSpace, pose, material)
}

fn system(p: Particles, young: f64, obstacles: Vec<Obstacle>, options: MpmOptions) -> MpmSystem {
    MpmSystem::new(p, rubber(young, 0.3), vec![], obstacles, contact_pool("lagged").unwrap(), options)
        .unwrap()
}

fn stepper() -> ContactStep<IcfSolver> {
    ContactStep::new(IcfSolver::default())
}

#[test]
fn analytic_one_particle_in_closed_form() {
    // At the middle of a cell of nodes all weights are shared; the mass that the contact feels is 1/Σ w²/m_i = m, for m_i = w m.
    let (m, k, d, dt, depth, v0) = (0.2, 2e3, 5.0, 1e-3, 1e-3, -0.4);
    let mut p = Particles::default();
    p.push(Vector3::new(0.03, 0.01, -depth), m, 1e-6, 0);
    p.v[0].z = v0;
    let options =
        MpmOptions { spacing: 0.1, gravity: Vector3::zeros(), courant: 100.0, ..MpmOptions::default() };
    let mut s = system(p, 1.0, vec![floor(0.0, surface(k, d, 0.0, 1e-4))], options);
    let (x, mut next) = (s.initial_state(), State::default());
    stepper().step(&mut s, &x, dt, false, &mut next).unwrap();
    // m (v − v*) = δt k (φ₀ − δt v)(1 − d v).
    let (a, b, c) = (k * d * dt * dt, -m - k * dt * (dt + d * depth), k * dt * depth + m * v0);
    let root = (-b - (b * b - 4.0 * a * c).sqrt()) / (2.0 * a);
    assert!((next.v[2] - root).abs() < 1e-9, "{} {root}", next.v[2]);
    let [given, _] = s.impulses()[0];
    assert!((given.z + m * (root - v0)).abs() < 1e-10);
}

#[test]
fn analytic_a_cube_rests_on_the_floor_with_its_weight() {
    let (mass, k) = (1000.0 * 0.1f64.powi(3), 1e4);
    let p = faced(Vector3::new(0.0, 0.0, -1e-5), 0.1, 5, 1000.0);
    let options = MpmOptions { spacing: 0.05, damping_time: 2e-3, ..MpmOptions::default() };
    let mut s = system(p, 1e5, vec![floor(0.0, surface(k, 50.0, 0.5, 1e-3))], options);
    let mut step = stepper();
    let (mut x, mut next, dt) = (s.initial_state(), State::default(), 4e-4);
    let mut forces = Vec::new();
    for _ in 0..1500 {
        step.step(&mut s, &x, dt, false, &mut next).unwrap();
        std::mem::swap(&mut x, &mut next);
        forces.push(-s.impulses()[0][0].z / dt);
    }
    let mean = forces[1000..].iter().sum::<f64>() / 500.0;
    assert!((mean / (mass * 9.81) - 1.0).abs() < 1e-3, "{mean}");
    // 25 particles on springs of k: m g/(n k), each a little differently loaded.
    let now = s.particles(&x).unwrap();
    let depth = now.x.iter().map(|x| -x.z).fold(0.0, f64::max);
    let expected = mass * 9.81 / (25.0 * k);
    assert!(depth > 0.5 * expected && depth < 3.0 * expected, "{depth} {expected}");
}

#[test]
fn analytic_a_block_slides_and_sticks_on_a_slope() {
    let turn = 30f64.to_radians();
    for friction in [0.1, 0.3, 0.6] {
        let up = Isometry3::rotation(Vector3::y() * turn);
        let mut p = faced(Vector3::new(0.0, 0.0, -2e-5), 0.1, 5, 1000.0);
        p.x.iter_mut().for_each(|x| *x = up.rotation * *x);
        // The block starts turned: nothing is strained.
        p.f.iter_mut().for_each(|f| *f = *up.rotation.to_rotation_matrix().matrix());
        let stiction = 1e-3;
        let options = MpmOptions { spacing: 0.05, damping_time: 2e-3, ..MpmOptions::default() };
        let mut s = system(p, 1e6, vec![floor(turn, surface(1e4, 50.0, friction, stiction))], options);
        let mut step = stepper();
        let (mut x, mut next, dt) = (s.initial_state(), State::default(), 2e-4);
        // Down the slope.
        let down = up.rotation * Vector3::x();
        let speed = |s: &MpmSystem, x: &State| {
            let p = s.particles(x).unwrap();
            p.momentum().dot(&down) / p.mass.iter().sum::<f64>()
        };
        let mut at = [0.0; 2];
        for i in 0..1500 {
            step.step(&mut s, &x, dt, false, &mut next).unwrap();
            std::mem::swap(&mut x, &mut next);
            if i == 499 {
                at[0] = speed(&s, &x);
            }
        }
        at[1] = speed(&s, &x);
        let rate = (at[1] - at[0]) / (1000.0 * dt);
        let slides = 9.81 * (turn.sin() - friction * turn.cos());
        if slides > 0.0 {
            assert!((rate / slides - 1.0).abs() < 0.02, "μ {friction}: {rate} {slides}");
        } else {
            // Below the stiction speed it creeps: v = ε r/√(1 − r²) with r = tan θ/μ.
            let r = turn.tan() / friction;
            let creep = stiction * r / (1.0 - r * r).sqrt();
            assert!((at[1] / creep - 1.0).abs() < 0.1, "{} {creep}", at[1]);
        }
    }
}

#[test]
fn analytic_what_bodies_get_particles_lose() {
    let p = faced(Vector3::new(-0.05, -0.05, 0.01), 0.1, 5, 1000.0);
    let ball = Obstacle {
        angular_velocity: Vector3::new(3.0, -2.0, 8.0),
        velocity: Vector3::new(0.2, 0.1, 0.6),
        ..Obstacle::new(
            "ball",
            Shape::Sphere { radius: 0.06 },
            Isometry3::translation(0.01, 0.0, -0.04),
            surface(1e4, 1.0, 0.7, 1e-3),
        )
    };
    let options = MpmOptions { spacing: 0.04, gravity: Vector3::zeros(), ..MpmOptions::default() };
    let mut s = system(p, 1e5, vec![ball], options);
    let tight = Tolerance { relative: 1e-12, max_iterations: 200 };
    let mut step = stepper().with_tolerance(tight);
    let (mut x, mut next, dt, mut met) = (s.initial_state(), State::default(), 2e-4, 0);
    for _ in 0..60 {
        let before = s.particles(&x).unwrap();
        step.step(&mut s, &x, dt, false, &mut next).unwrap();
        std::mem::swap(&mut x, &mut next);
        let after = s.particles(&x).unwrap();
        let [impulse, moment] = s.impulses()[0];
        let origin = s.obstacles()[0].pose.translation.vector;
        let change = after.momentum() - before.momentum();
        // Stresses turn the grid's momentum over a step in which nodes do not move: of particles where they were.
        let mut there = after.clone();
        there.x.clone_from(&before.x);
        let turn = there.angular_momentum(0.04) - before.angular_momentum(0.04);
        let size = before.mass.iter().sum::<f64>();
        assert!((change + impulse).norm() < 1e-11 * size, "{change} {impulse}");
        assert!((turn + moment + origin.cross(&impulse)).norm() < 1e-11 * size, "{turn} {moment}");
        met += u32::from(impulse.norm() > 1e-6);
    }
    assert!(met > 20);
}

#[test]
fn conformance_solvers_agree_on_a_substep() {
    let p = faced(Vector3::new(-0.05, -0.05, -1e-4), 0.1, 5, 1000.0);
    let options = MpmOptions { spacing: 0.05, ..MpmOptions::default() };
    let mut s = system(p, 1e5, vec![floor(0.0, surface(1e5, 10.0, 0.8, 1e-3))], options);
    let mut x = s.initial_state();
    x.v.chunks_mut(3).for_each(|v| v.copy_from_slice(&[0.1, 0.02, -0.1]));
    s.prepare(Slot::Start, &x, 5e-4).unwrap();
    let tight = Tolerance { relative: 1e-13, max_iterations: 500 };
    let mut ends: Vec<Vec<f64>> = Vec::new();
    let mut solvers: Vec<Box<dyn ContactSolver>> =
        vec![Box::new(IcfSolver::default()), Box::new(ReferenceSolver::default())];
    for solver in &mut solvers {
        let mut guess = Vec::new();
        s.guess(Slot::Start, &x, &mut guess);
        let p = s.problem(Slot::Start, 5e-4).unwrap();
        let mut out = StepSolution::default();
        solver.solve(p, &guess, tight, &mut out).unwrap();
        ends.push(out.v);
    }
    let apart = ends[0].iter().zip(&ends[1]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(apart < 1e-8 && ends[0].len() > 100, "{apart}");
}

#[test]
fn analytic_a_thin_wall_stops_what_would_pass_it_in_one_step() {
    // 5 mm per step at a wall of 1 mm, from both sides, with the wall at rest and on its way.
    for (side, wall) in [(1.0, 0.0), (-1.0, 0.0), (1.0, 2.0)] {
        let mut p = Particles::default();
        p.push(Vector3::new(0.01, 0.02, side * 0.0123), 0.01, 1e-6, 0);
        p.v[0].z = -5.0 * side;
        let plate = Obstacle {
            velocity: Vector3::new(0.0, 0.0, wall * side),
            ..Obstacle::new(
                "plate",
                Shape::Box { half_extents: Vector3::new(0.2, 0.2, 5e-4) },
                Isometry3::identity(),
                surface(1e5, 0.0, 0.0, 1e-3),
            )
        };
        let options =
            MpmOptions { spacing: 0.05, gravity: Vector3::zeros(), courant: 100.0, ..MpmOptions::default() };
        let mut s = system(p, 1.0, vec![plate], options);
        let (mut x, mut next, mut t) = (s.initial_state(), State::default(), 0.0);
        for _ in 0..20 {
            stepper().step(&mut s, &x, 1e-3, false, &mut next).unwrap();
            std::mem::swap(&mut x, &mut next);
            t += 1e-3;
            s.obstacles_mut()[0].pose.translation.vector.z = wall * side * t;
            let above = side * (x.q[2] - wall * side * t);
            assert!(above > 0.0, "{side} {wall}: {above} at {t}");
        }
        assert!(side * x.v[2] >= wall - 1e-9, "it was turned back: {}", x.v[2]);
    }
}

/// Blocks of two materials slide down one slope, each by its own friction, in both paths.
#[test]
fn analytic_materials_rub_by_pairs() {
    let (slope, dt) = (0.6f64, 4e-4);
    let down = Vector3::new(slope.cos(), 0.0, -slope.sin());
    let mut p = Particles::default();
    for (m, side) in [(0, -0.3), (1, 0.3)] {
        let pose = Isometry3::new(Vector3::new(0.0, side, 0.0), Vector3::y() * slope);
        let turn = pose.rotation.to_rotation_matrix();
        for n in 0..125 {
            let at = Vector3::new(f64::from(n / 25), f64::from(n / 5 % 5), f64::from(n % 5)) * 0.025;
            p.push((pose * signorini_core::na::Point3::from(at - 1e-5 * Vector3::z())).coords, 8e-3, 8e-6, m);
            *p.f.last_mut().unwrap() = *turn.matrix();
            *p.v.last_mut().unwrap() = down;
        }
    }
    let mut slab = floor(slope, surface(1e4, 50.0, 0.5, 1e-3));
    slab.friction_with = vec![(1, 0.2)];
    let options = MpmOptions { spacing: 0.05, damping_time: 2e-3, ..MpmOptions::default() };
    let both = || vec![rubber(1e6, 0.3).remove(0), rubber(1e6, 0.3).remove(0)];
    let law = || contact_pool("lagged").unwrap();
    let mut slow = MpmSystem::new(p.clone(), both(), vec![], vec![slab.clone()], law(), options).unwrap();
    let mut fast = MpmEngine::<f64>::new(p, both(), vec![], vec![slab.clone()], law(), options).unwrap();
    let mut step = stepper();
    let (mut x, mut next) = (slow.initial_state(), State::default());
    for _ in 0..500 {
        fast.step(dt).unwrap();
        step.step(&mut slow, &x, dt, false, &mut next).unwrap();
        std::mem::swap(&mut x, &mut next);
    }
    for p in [slow.particles(&x).unwrap(), fast.particles().clone()] {
        for (m, friction) in [(0, 0.5), (1, 0.2)] {
            let own = (0..p.len()).filter(|i| p.material[*i] == m);
            let speed = own.map(|i| p.v[i].dot(&down)).sum::<f64>() / 125.0;
            let expected = 1.0 + 9.81 * (slope.sin() - friction * slope.cos()) * 0.2;
            assert!(((speed - 1.0) / (expected - 1.0) - 1.0).abs() < 0.02, "{m}: {speed} {expected}");
        }
    }
    slab.friction_with = vec![(1, -0.2)];
    let e = MpmSystem::new(Particles::default(), vec![], vec![], vec![slab], law(), options).err().unwrap();
    assert!(e.to_string().contains("the friction of obstacle 'floor' with material 1"), "{e}");
}
