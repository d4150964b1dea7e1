//! Motion without contact: waves of bars, turning discs, the patch test, free fall.

use signorini_core::na::{Matrix3, Vector3};
use signorini_core::{OneStep, ProblemError, State, System};
use signorini_icf::IcfSolver;
use signorini_integrators::ContactStep;
use signorini_laws::contact_pool;
use signorini_mpm::{Border, FixedCorotated, Grid, Lame, Material, MpmOptions, MpmSystem, Particles, Wall};

/// Particles of a box with so many of them along each axis, from `low` \[m\], of one density \[kg/m³\].
fn block(low: Vector3<f64>, apart: f64, count: [usize; 3], density: f64) -> Particles {
    let mut out = Particles::default();
    out.lattice(low.add_scalar(0.5 * apart), apart, count, density, apart.powi(3), 0);
    out
}

fn rubber(young: f64, poisson: f64) -> Vec<Box<dyn Material>> {
    vec![Box::new(FixedCorotated(Lame::new(young, poisson).unwrap()))]
}

fn system(particles: Particles, materials: Vec<Box<dyn Material>>, options: MpmOptions) -> MpmSystem {
    MpmSystem::new(particles, materials, vec![], vec![], contact_pool("lagged").unwrap(), options).unwrap()
}

fn walk(s: &mut MpmSystem, dt: f64, steps: u32, mut each: impl FnMut(&MpmSystem, &State)) -> State {
    let mut step = ContactStep::new(IcfSolver::default());
    let (mut x, mut next) = (s.initial_state(), State::default());
    for _ in 0..steps {
        step.step(s, &x, dt, false, &mut next).unwrap();
        std::mem::swap(&mut x, &mut next);
        each(s, &x);
    }
    x
}

#[test]
fn analytic_free_fall_and_a_turning_cube() {
    let options = MpmOptions { spacing: 0.1, ..MpmOptions::default() };
    let mut s = system(block(Vector3::zeros(), 0.05, [4; 3], 1000.0), rubber(1e4, 0.3), options);
    let (dt, n) = (1e-3, 100u32);
    let x = walk(&mut s, dt, n, |_, _| {});
    let way = -0.5 * 9.81 * dt * dt * f64::from(n) * f64::from(n + 1);
    let start = s.initial_state();
    assert!(x.q.chunks(3).zip(start.q.chunks(3)).all(|(a, b)| (a[2] - b[2] - way).abs() < 1e-12));
    // Turning: C and F follow, momenta stay to round-off.
    let mut p = block(Vector3::new(-0.1, -0.1, -0.1), 0.05, [4; 3], 1000.0);
    let spin = Vector3::new(0.5, -1.0, 4.0);
    for i in 0..p.len() {
        p.v[i] = spin.cross(&p.x[i]);
        p.c[i] = spin.cross_matrix();
    }
    let options = MpmOptions { gravity: Vector3::zeros(), ..options };
    let mut s = system(p.clone(), rubber(1e4, 0.3), options);
    let before = p.angular_momentum(0.1);
    let x = walk(&mut s, dt, 400, |_, _| {});
    let now = s.particles(&x).unwrap();
    assert!((now.angular_momentum(0.1) - before).norm() < 1e-10 * before.norm());
    assert!(now.momentum().norm() < 1e-10 * before.norm());
    assert!(now.f.iter().all(|f| (f.determinant() - 1.0).abs() < 1e-2));
}

#[test]
fn analytic_uniform_strain_has_no_force_inside() {
    let h = 0.1;
    let mut p = block(Vector3::zeros(), 0.5 * h, [16; 3], 1000.0);
    let strain = Matrix3::from_diagonal(&Vector3::new(1.01, 0.99, 1.0));
    // The lattice stays regular: only the gradient is strained.
    p.f.iter_mut().for_each(|f| *f = strain);
    let m = FixedCorotated(Lame::new(1e4, 0.3).unwrap());
    let stress = vec![m.stress(&strain); p.len()];
    let mut grid = Grid::new(h);
    grid.gather(&p, &stress, &vec![Vector3::zeros(); p.len()]);
    let scale = stress[0].norm() * h * h;
    let inside = |n: &usize| grid.places[*n].iter().all(|k| (2..=6).contains(k));
    let nodes: Vec<usize> = (0..grid.len()).filter(inside).collect();
    assert_eq!(nodes.len(), 125);
    assert!(nodes.iter().all(|n| grid.force[*n].norm() < 1e-12 * scale));
    assert!((0..grid.len()).any(|n| grid.force[n].norm() > 0.1 * scale), "at the surface there is one");
}

/// Frequency of the first axial mode of a free bar of 1 m \[Hz\].
fn frequency(h: f64) -> f64 {
    let apart = 0.5 * h;
    let (along, across) = ((1.0 / apart).round() as usize, (0.1 / apart).round() as usize);
    let mut p = block(Vector3::zeros(), apart, [along, across, across], 1000.0);
    for i in 0..p.len() {
        p.v[i].x = 0.01 * (std::f64::consts::PI * p.x[i].x).cos();
        p.c[i][(0, 0)] = -0.01 * std::f64::consts::PI * (std::f64::consts::PI * p.x[i].x).sin();
    }
    let options = MpmOptions { spacing: h, gravity: Vector3::zeros(), ..MpmOptions::default() };
    let mut s = system(p.clone(), rubber(1e4, 0.0), options);
    let dt = 0.2 * h / 10f64.sqrt();
    // The amplitude of the mode passes zero twice a period.
    let mode = |p: &Particles| -> f64 {
        p.x.iter().zip(&p.v).map(|(x, v)| v.x * (std::f64::consts::PI * x.x).cos()).sum()
    };
    let (mut crossings, mut last, mut t) = (Vec::new(), mode(&p), 0.0);
    walk(&mut s, dt, (1.6 / dt) as u32, |s, x| {
        let now = mode(&s.particles(x).unwrap());
        t += dt;
        if now.signum() != last.signum() {
            crossings.push(t - dt * now / (now - last));
        }
        last = now;
    });
    (crossings.len() - 1) as f64 / (2.0 * (crossings[crossings.len() - 1] - crossings[0]))
}

#[test]
fn order_a_free_bar_rings_at_its_frequency() {
    // f = c/(2L) with c² = E/ρ; the ends of a grid of h reach a part of h beyond the bar.
    let exact = 0.5 * 10f64.sqrt();
    let errors = [0.1, 0.05].map(|h| (frequency(h) / exact - 1.0).abs());
    println!("{errors:?}");
    assert!(errors[1] < 0.02 && errors[1] < 0.6 * errors[0], "{errors:?}");
}

#[test]
fn regression_steps_beyond_the_limit_are_refused() {
    let options = MpmOptions { spacing: 0.05, ..MpmOptions::default() };
    let mut s = system(block(Vector3::zeros(), 0.025, [2; 3], 1000.0), rubber(1e6, 0.3), options);
    let x = s.initial_state();
    let limit = s.longest_step(&x).unwrap();
    // ½ h/c with c² = (λ + 2μ)/ρ.
    let c = (1e6f64 * 0.7 / (1.3 * 0.4) / 1000.0).sqrt();
    assert!((limit / (0.025 / c) - 1.0).abs() < 1e-12);
    let mut step = ContactStep::new(IcfSolver::default());
    let mut next = State::default();
    let why = step.step(&mut s, &x, 1.01 * limit, false, &mut next).unwrap_err().to_string();
    assert!(why.contains("shorten it"), "{why}");
    step.step(&mut s, &x, 0.99 * limit, false, &mut next).unwrap();
    // Numbers that are none.
    let mut bad = x.clone();
    bad.q[4] = f64::NAN;
    assert!(matches!(
        s.prepare(signorini_core::Slot::Start, &bad, 1e-3),
        Err(ProblemError::NonFinite { .. })
    ));
    let mut far = x.clone();
    far.q[5] = 1e9;
    let why = s.prepare(signorini_core::Slot::Start, &far, 1e-3).unwrap_err().to_string();
    assert!(why.contains("particle 1 is outside the grid"), "{why}");
    let mut bad = x;
    bad.z[9] = -1.0;
    let why = s.prepare(signorini_core::Slot::Start, &bad, 1e-3).unwrap_err().to_string();
    assert!(why.contains("particle 0") && why.contains("inside out"), "{why}");
}

#[test]
fn analytic_discs_collide_and_part() {
    // Sulsky's discs: radius 0.2 m, E = 1000 Pa, ν = 0.3, 1000 kg/m³, towards each other with (0.1, 0.1) m/s each; plane strain between two walls.
    let (h, apart) = (0.05, 0.025);
    let mut p = Particles::default();
    for (centre, sign) in [(0.25, 1.0), (0.75, -1.0)] {
        for i in -8..8 {
            for k in -8..8 {
                let (x, z) = ((f64::from(i) + 0.5) * apart, (f64::from(k) + 0.5) * apart);
                if x.hypot(z) < 0.2 {
                    for y in [0.0125, 0.0375] {
                        let volume = apart.powi(3);
                        p.push(Vector3::new(centre + x, y, centre + z), 1000.0 * volume, volume, 0);
                        let last = p.len() - 1;
                        p.v[last] = sign * Vector3::new(0.1, 0.0, 0.1);
                    }
                }
            }
        }
    }
    let wall = |y: f64, normal: f64| Wall {
        point: Vector3::new(0.0, y, 0.0),
        normal: normal * Vector3::y(),
        border: Border::Slip,
    };
    let options = MpmOptions { spacing: h, gravity: Vector3::zeros(), ..MpmOptions::default() };
    let law = contact_pool("lagged").unwrap();
    let walls = vec![wall(0.0, 1.0), wall(0.05, -1.0)];
    let mut s = MpmSystem::new(p.clone(), rubber(1e3, 0.3), walls, vec![], law, options).unwrap();
    let start = p.kinetic_energy(h);
    let (mut least, mut when, mut t) = (f64::INFINITY, 0.0, 0.0);
    let x = walk(&mut s, 1e-3, 3000, |s, x| {
        t += 1e-3;
        let now = s.particles(x).unwrap().kinetic_energy(h);
        if now < least {
            (least, when) = (now, t);
        }
    });
    let end = s.particles(&x).unwrap();
    assert!(end.momentum().norm() < 1e-12 * start);
    // They touch on the grid up to two cells before their surfaces do, at 1.09 s, and turn round half a period of a bar later.
    assert!(least < 0.1 * start && when > 1.0 && when < 1.9, "{least} {when}");
    // Affine transfers lose energy with every one of them, the more on four cells to a radius: 26 % is left at this step, 69 % at ten times the step.
    let left = end.kinetic_energy(h) / start;
    assert!(left > 0.2 && left < 1.0, "{left}");
    // They are apart, each on its way back.
    let half = end.len() / 2;
    let mean = |range: std::ops::Range<usize>| range.map(|i| end.v[i].x).sum::<f64>() / half as f64;
    assert!(mean(0..half) < -0.02 && mean(half..end.len()) > 0.02);
    assert!((0..half).all(|i| end.x[i].x < 0.5) && (half..end.len()).all(|i| end.x[i].x > 0.5));
}

#[test]
fn regression_particles_on_the_lattice_of_the_grid() {
    // Weights of exactly zero: nodes without mass.
    let mut p = Particles::default();
    for i in 0..3 {
        p.push(Vector3::repeat(0.025 + 0.05 * f64::from(i)), 1e-3, 1e-6, 0);
    }
    let options = MpmOptions { spacing: 0.05, ..MpmOptions::default() };
    let mut s = system(p, rubber(1e3, 0.3), options);
    let x = walk(&mut s, 1e-4, 2, |_, _| {});
    assert!(x.q.iter().all(|q| q.is_finite()));
}
