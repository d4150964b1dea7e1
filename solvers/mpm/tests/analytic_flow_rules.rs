//! Flow that asks for time or remembers: friction of grains by rate, dilatancy, snow, liquid, viscosity, each beside the equations that state it.

use std::f64::consts::PI;

use proptest::prelude::*;
use signorini_core::OneStep;
use signorini_core::na::{Isometry3, Matrix3, Rotation3, Vector3};
use signorini_geometry::Shape;
use signorini_integrators::ContactStep;
use signorini_laws::contact_pool;
use signorini_mpm::{
    Border, Dilatancy, DruckerPrager, FixedCorotated, InertialFriction, Lame, Liquid, Material, MpmEngine,
    MpmOptions, MpmSolver, MpmSystem, Particles, Snow, SnowStrength, Viscous, Wall,
};

const ANGLES: [f64; 2] = [0.45, 0.65];
const GRAINS: InertialFriction =
    InertialFriction { limit_angle: ANGLES[1], inertial_number: 0.3, diameter: 2e-3, density: 2500.0 };

fn lame() -> Lame {
    Lame::new(1e5, 0.3).unwrap()
}

fn sand() -> DruckerPrager {
    DruckerPrager::new(lame(), ANGLES[0]).unwrap()
}

/// Ratio of shear stress to pressure of the cone that an angle of friction has in compression.
fn coefficient(angle: f64) -> f64 {
    12f64.sqrt() * angle.sin() / (3.0 - angle.sin())
}

/// |dev τ|/√2 and −tr τ/3 \[Pa\].
fn shear_and_pressure(m: &dyn Material, f: &Matrix3<f64>) -> [f64; 2] {
    let tau = m.stress(f);
    let mean = tau.trace() / 3.0;
    [(tau - Matrix3::identity() * mean).norm() / 2f64.sqrt(), -mean]
}

/// Logarithmic strains, the largest first.
fn strains(f: &Matrix3<f64>) -> Vector3<f64> {
    let mut all: [f64; 3] = f.singular_values().map(f64::ln).into();
    all.sort_by(|a, b| b.total_cmp(a));
    all.into()
}

/// A gradient of given logarithmic strains in a random frame.
fn turned(strain: Vector3<f64>, turn: [f64; 3]) -> Matrix3<f64> {
    let [a, b] = [Vector3::from(turn), Vector3::new(turn[2], turn[0], -turn[1])].map(Rotation3::new);
    a.matrix() * Matrix3::from_diagonal(&strain.map(f64::exp)) * b.matrix().transpose()
}

proptest! {
    /// S' = p' (m₁ + β + Δm I/(I + I₀)) with I of the plastic shear that was made in the step.
    #[test]
    fn analytic_friction_of_grains_is_that_of_their_rate(
        shape in prop::array::uniform2(-0.02..0.02f64), sum in -0.02..-1e-5f64, turn in prop::array::uniform3(-3.0..3.0f64),
        dt in -6.0..0.0f64, wide in any::<bool>(), gained in 0.0..0.04f64
    ) {
        let dt = 10f64.powf(dt);
        let f = turned(Vector3::new(shape[0], shape[1], -shape[0] - shape[1]).add_scalar(sum / 3.0), turn);
        let of = Dilatancy { angle: 0.3, expansion: 0.05 };
        let plain = sand().with_rate(GRAINS).unwrap();
        let (m, gained) = if wide { (plain.with_dilatancy(of).unwrap(), gained) } else { (plain, 0.0) };
        let (mut g, mut memory) = (f, gained);
        m.flow(&mut g, &mut memory, dt);
        let ([before, trial], [after, p]) = (shear_and_pressure(&m, &f), shear_and_pressure(&m, &g));
        let grown = memory - gained;
        let gamma = (before - after) / lame().mu;
        let beta = if wide { of.angle.tan() * (1.0 - gained / of.expansion) } else { 0.0 };
        // Growth follows the shear, and is taken off the elastic volume.
        prop_assert!((grown - beta * gamma).abs() < 1e-12 && (g.determinant().ln() - (f.determinant().ln() - grown)).abs() < 1e-12);
        let [low, high] = ANGLES.map(coefficient);
        if before <= (low + beta) * trial {
            prop_assert!((g - f).norm() < 1e-12);
        } else {
            let number = gamma / dt * GRAINS.diameter * (GRAINS.density / trial).sqrt();
            let borne = p * (low + beta + (high - low) * number / (number + GRAINS.inertial_number));
            // Round-off of logarithms of stretches, 2e-16 of Young's modulus, several times.
            prop_assert!((after - borne).abs() < 1e-9 * (borne + 1.0), "{after} {borne} I = {number}");
        }
    }

    /// Snow ends within its ellipse, loses volume as it hardens, and nothing happens within.
    #[test]
    fn analytic_snow_stays_within_its_ellipse(
        shape in prop::array::uniform2(-0.05..0.05f64), sum in -0.1..0.1f64, turn in prop::array::uniform3(-3.0..3.0f64), start in -0.1..0.1f64
    ) {
        let strength = SnowStrength { compression: 1e3, cohesion: 0.3, friction: 1.2, hardening: 8.0 };
        let snow = Snow::new(lame(), strength).unwrap();
        let f = turned(Vector3::new(shape[0], shape[1], -shape[0] - shape[1]).add_scalar(sum / 3.0), turn);
        let (mut g, mut memory) = (f, start);
        snow.flow(&mut g, &mut memory, 1e-3);
        let most = snow.bears(start);
        let scale = (most + lame().bulk() * 1e-9).powi(2);
        // As it was borne at the start: strength changes with what has flowed.
        prop_assert!(snow.excess(&g, start) < 1e-9 * scale + 1e-6, "{}", snow.excess(&g, start));
        if snow.excess(&f, start) < 0.0 && most > 0.0 {
            prop_assert!((g - f).norm() < 1e-12 && memory == start);
        }
        let [_, trial] = shear_and_pressure(&snow, &f);
        let middle = 0.5 * (1.0 - strength.cohesion) * most;
        // Pressed beyond the middle it hardens, else it softens, by the volume that is lost for good.
        prop_assert!((memory - start) * (trial - middle) >= -1e-15);
        prop_assert!((memory - start - (g.determinant().ln() - f.determinant().ln())).abs() < 1e-12);
        // The nearest in elastic energy: no stress of the ellipse is further along the strain that is lost.
        let [trial, kept] = [&f, &g].map(strains);
        let tau = |e: Vector3<f64>| (2.0 * lame().mu * e).add_scalar(lame().lambda * e.sum());
        let along = trial.add_scalar(-trial.sum() / 3.0).try_normalize(1e-9).unwrap_or_default();
        for k in 0..12 {
            let (sin, cos) = (f64::from(k) * PI / 11.0).sin_cos();
            let arm = 0.5 * (1.0 + strength.cohesion) * most;
            let q = strength.friction * arm * sin / (1.0 + 2.0 * strength.cohesion).sqrt();
            let other = ((2f64 / 3.0).sqrt() * q * along).add_scalar(-middle - arm * cos);
            // Round-off of strains.
            prop_assert!((trial - kept).dot(&(other - tau(kept))) < 1e-12 * lame().bulk());
        }
    }

    /// A liquid has pressure alone, keeps its volume while pressed, and remembers volume that it gains.
    #[test]
    fn analytic_liquid_forgets_its_shape(a in prop::array::uniform9(-0.3..0.3f64), gained in 0.0..0.3f64) {
        let f = Matrix3::identity() + Matrix3::from_column_slice(&a);
        prop_assume!(f.determinant() > 0.1);
        let m = Liquid::new(1e5).unwrap();
        let (mut g, mut memory) = (f, gained);
        m.flow(&mut g, &mut memory, 1e-3);
        let total = f.determinant().ln() + gained;
        prop_assert!((g.determinant().ln() - total.min(0.0)).abs() < 1e-12 && (memory - total.max(0.0)).abs() < 1e-12);
        let j = g.determinant();
        prop_assert!((m.stress(&g) - Matrix3::identity() * (1e5 * j * (j - 1.0))).norm() < 1e-9 * 1e5);
    }
}

/// Dense sand that is sheared under constant pressure is as strong as its friction and its dilatancy, grows to its critical volume and then has its friction alone.
#[test]
fn analytic_dense_sand_grows_to_its_critical_volume() {
    let of = Dilatancy { angle: 0.25, expansion: 0.04 };
    let m = sand().with_dilatancy(of).unwrap();
    let (mut f, mut memory, p) = (Matrix3::identity(), 0.0, 500.0);
    let mut ratios = Vec::new();
    for _ in 0..6000 {
        let mut shear = Matrix3::identity();
        shear[(0, 1)] = 1e-4;
        f = shear * f;
        // The volume that leaves the pressure as it is, by Newton's method on the bulk modulus.
        for _ in 0..40 {
            let (mut g, mut e) = (f, memory);
            m.flow(&mut g, &mut e, 1e-3);
            let [_, now] = shear_and_pressure(&m, &g);
            f *= ((now - p) / lame().bulk() / 3.0).exp();
        }
        m.flow(&mut f, &mut memory, 1e-3);
        let [s, now] = shear_and_pressure(&m, &f);
        assert!((now / p - 1.0).abs() < 1e-6, "{now}");
        ratios.push((s / now, memory));
    }
    let peak = ratios.iter().map(|r| r.0).fold(0.0, f64::max);
    let (end, volume) = ratios[ratios.len() - 1];
    let rest = coefficient(ANGLES[0]);
    // Steps of shear of 1e-4 lose as much of the dilatancy before it is seen.
    assert!((peak - rest - of.angle.tan()).abs() < 2e-2 * of.angle.tan(), "{peak}");
    // e = e_c (1 − exp(−γ tan ψ/e_c)) with γ = 0.6.
    let expected = of.expansion * (1.0 - (-0.6 * of.angle.tan() / of.expansion).exp());
    assert!((volume / expected - 1.0).abs() < 1e-2, "{volume} {expected}");
    assert!((end - rest - of.angle.tan() * (1.0 - volume / of.expansion)).abs() < 1e-3, "{end}");
}

/// Part of its kinetic energy that the eddy u = (sin kx cos ky, −cos kx sin ky) keeps in a closed box that slips, after `time` \[s\].
fn eddy(material: impl Material + 'static, time: f64) -> f64 {
    const SIDE: f64 = 0.1;
    let mut particles = Particles::default();
    let half = Vector3::new(0.5 * SIDE, 0.5 * SIDE, 0.1 * SIDE);
    let middle = Isometry3::translation(half.x, half.y, half.z);
    particles.fill(&Shape::Box { half_extents: half }, &middle, 0.05 * SIDE / 2.0, 1000.0, 0).unwrap();
    let k = PI / SIDE;
    for p in 0..particles.len() {
        let x = particles.x[p];
        let ([sx, cx], [sy, cy]) = ([(k * x.x).sin(), (k * x.x).cos()], [(k * x.y).sin(), (k * x.y).cos()]);
        particles.v[p] = 0.01 * Vector3::new(sx * cy, -cx * sy, 0.0);
        let c = &mut particles.c[p];
        (c[(0, 0)], c[(0, 1)]) = (0.01 * k * cx * cy, -0.01 * k * sx * sy);
        (c[(1, 0)], c[(1, 1)]) = (0.01 * k * sx * sy, -0.01 * k * cx * cy);
    }
    // Pressed a little, so that no pressure of the motion opens it.
    particles.f.iter_mut().for_each(|f| *f *= 0.99);
    let wall = |point: Vector3<f64>, normal| Wall { point, normal, border: Border::Slip };
    let walls = [Vector3::x(), Vector3::y(), Vector3::z()]
        .into_iter()
        .flat_map(|n| [wall(Vector3::zeros(), n), wall(2.0 * half, -n)])
        .collect();
    let options = MpmOptions { spacing: 0.05 * SIDE, gravity: Vector3::zeros(), ..MpmOptions::default() };
    let law = contact_pool("lagged").unwrap();
    let mut engine =
        MpmEngine::<f64>::new(particles, vec![Box::new(material)], walls, vec![], law, options).unwrap();
    let start = engine.particles().kinetic_energy(0.05 * SIDE);
    engine.advance(time).unwrap();
    engine.particles().kinetic_energy(0.05 * SIDE) / start
}

/// The eddy of Taylor and Green dies as exp(−4 ν k² t) in energy, beside one without viscosity.
#[test]
fn analytic_viscosity_takes_an_eddy_as_navier_and_stokes_do() {
    // Slow enough that pressure and transfers take little: a Reynolds number of 0.3.
    let (eta, time) = (3.0, 0.07);
    let liquid = || Liquid::new(2e3).unwrap();
    let rate = 4.0 * eta / 1000.0 * (PI / 0.1f64).powi(2);
    let viscous = eddy(Viscous::new(liquid(), eta, 0.0).unwrap(), time);
    let plain = eddy(liquid(), time);
    let found = (plain / viscous).ln() / time;
    println!("rate {found} of {rate}; without viscosity {plain}");
    assert!((found / rate - 1.0).abs() < 0.03, "{found} {rate}");
    assert!(plain > 0.9, "{plain}");
}

/// Velocities of one particle's nodes under viscosity alone: each step takes 8 η δt/(ρ h²) of dev D and 12 ζ δt/(ρ h²) of tr D; spin stays.
#[test]
fn analytic_viscosity_of_one_particle_in_closed_form() {
    let (h, dt, density) = (0.1, 2e-4, 500.0);
    let c = Matrix3::new(0.3, 0.5, -0.2, 0.1, 0.4, 0.3, -0.6, 0.2, 0.1);
    let split = |c: &Matrix3<f64>| {
        let (d, mean) = (0.5 * (c + c.transpose()), c.trace() / 3.0);
        (d - Matrix3::identity() * mean, mean, c - d)
    };
    for (eta, zeta) in [(3.0, 0.0), (0.0, 2.0), (3.0, 2.0)] {
        let mut p = Particles::default();
        p.push(Vector3::new(0.03, 0.01, -0.02), density * 1e-6, 1e-6, 0);
        p.c[0] = c;
        // It opens, so that the liquid itself does not press.
        let liquid = Viscous::new(Liquid::new(1e3).unwrap(), eta, zeta).unwrap();
        let options = MpmOptions { spacing: h, gravity: Vector3::zeros(), ..MpmOptions::default() };
        let law = || contact_pool("lagged").unwrap();
        let mut fast =
            MpmEngine::<f64>::new(p.clone(), vec![Box::new(liquid)], vec![], vec![], law(), options).unwrap();
        let mut slow = MpmSystem::new(p, vec![Box::new(liquid)], vec![], vec![], law(), options).unwrap();
        let mut step = ContactStep::new(MpmSolver::default());
        let (mut x, mut next) = (slow.initial_state(), slow.initial_state());
        for _ in 0..10 {
            fast.step(dt).unwrap();
            step.step(&mut slow, &x, dt, false, &mut next).unwrap();
            std::mem::swap(&mut x, &mut next);
        }
        let left = [8.0 * eta, 12.0 * zeta].map(|k| (1.0 - k * dt / (density * h * h)).powi(10));
        let (dev, mean, spin) = split(&c);
        for found in [fast.particles().c[0], slow.particles(&x).unwrap().c[0]] {
            let (d, m, s) = split(&found);
            assert!((d - left[0] * dev).norm() < 1e-12 && (m - left[1] * mean).abs() < 1e-12, "{d} {m}");
            assert!((s - spin).norm() < 1e-12);
        }
    }
}

/// A step beyond the limit of viscosity is refused, and none within it gains energy.
#[test]
fn analytic_viscosity_has_a_step_of_its_own() {
    let stiff = Viscous::new(FixedCorotated(lame()), 300.0, 100.0).unwrap();
    let mut particles = Particles::default();
    let cube = Shape::Box { half_extents: Vector3::repeat(0.05) };
    particles.fill(&cube, &Isometry3::identity(), 0.0125, 1000.0, 0).unwrap();
    particles
        .v
        .iter_mut()
        .enumerate()
        .for_each(|(i, v)| *v = Vector3::new((i as f64).sin(), 0.0, (3.0 * i as f64).cos()));
    let options = MpmOptions { spacing: 0.025, gravity: Vector3::zeros(), ..MpmOptions::default() };
    let law = contact_pool("lagged").unwrap();
    let mut engine =
        MpmEngine::<f64>::new(particles, vec![Box::new(stiff)], vec![], vec![], law, options).unwrap();
    let longest = engine.longest_step();
    // ρ h²/(4 · 2η) = 2.6e-4 s, without waves and particles.
    assert!(longest < 1000.0 * 0.025 * 0.025 / (4.0 * 600.0) && longest > 1e-4, "{longest}");
    assert!(engine.step(1.01 * longest).unwrap_err().to_string().contains("viscosity"));
    let mut last = f64::INFINITY;
    for _ in 0..100 {
        engine.step(engine.longest_step()).unwrap();
        let p = engine.particles().clone();
        let elastic: f64 = (0..p.len()).map(|i| p.volume[i] * FixedCorotated(lame()).energy(&p.f[i])).sum();
        let energy = p.kinetic_energy(0.025) + elastic;
        assert!(energy < last, "{energy} {last}");
        last = energy;
    }
}

#[test]
fn regression_numbers_out_of_range() {
    let says = |e: signorini_mpm::MpmError, what: &str| assert!(e.to_string().contains(what), "{e}");
    says(sand().with_rate(InertialFriction { limit_angle: 0.1, ..GRAINS }).unwrap_err(), "high rates");
    says(sand().with_rate(InertialFriction { inertial_number: 0.0, ..GRAINS }).unwrap_err(), "I₀");
    says(sand().with_rate(InertialFriction { diameter: f64::NAN, ..GRAINS }).unwrap_err(), "diameter");
    says(sand().with_rate(InertialFriction { density: -1.0, ..GRAINS }).unwrap_err(), "density of grains");
    says(sand().with_dilatancy(Dilatancy { angle: -0.1, expansion: 0.1 }).unwrap_err(), "dilatancy");
    says(sand().with_dilatancy(Dilatancy { angle: 0.1, expansion: 0.0 }).unwrap_err(), "expansion");
    says(Liquid::new(0.0).unwrap_err(), "bulk modulus");
    says(Viscous::new(FixedCorotated(lame()), -1.0, 0.0).unwrap_err(), "viscosity of shear");
    says(Viscous::new(FixedCorotated(lame()), 0.0, f64::INFINITY).unwrap_err(), "viscosity of volume");
    let strength = SnowStrength { compression: 1e3, cohesion: 0.3, friction: 1.2, hardening: 8.0 };
    for (bad, what) in [
        (SnowStrength { compression: 0.0, ..strength }, "pressure"),
        (SnowStrength { cohesion: -0.1, ..strength }, "cohesion"),
        (SnowStrength { friction: 0.0, ..strength }, "friction"),
        (SnowStrength { hardening: f64::NAN, ..strength }, "hardening"),
    ] {
        says(Snow::new(lame(), bad).unwrap_err(), what);
    }
}

/// A block that slides on a wall that rubs loses μ g, and one on a slope below the angle of friction stays; both paths.
#[test]
fn analytic_walls_rub_by_coulombs_law() {
    let (friction, h, dt) = (0.4, 0.05, 4e-4);
    let run = |slope: f64, speed: f64, steps: usize, fast: bool| {
        let mut particles = Particles::default();
        let block = Shape::Box { half_extents: Vector3::new(0.1, 0.1, 0.05) };
        particles.fill(&block, &Isometry3::translation(0.0, 0.0, 0.05), 0.5 * h, 1000.0, 0).unwrap();
        particles.v.fill(speed * Vector3::x());
        let wall =
            Wall { point: Vector3::zeros(), normal: Vector3::z(), border: Border::Rubbing { friction } };
        let gravity = 9.81 * Vector3::new(slope.sin(), 0.0, -slope.cos());
        let options = MpmOptions { spacing: h, gravity, damping_time: 5e-3, ..MpmOptions::default() };
        let rubber: Vec<Box<dyn Material>> = vec![Box::new(FixedCorotated(lame()))];
        let law = contact_pool("lagged").unwrap();
        let mass: f64 = particles.mass.iter().sum();
        let along = |p: &Particles| p.momentum().x / mass;
        if fast {
            let mut e = MpmEngine::<f64>::new(particles, rubber, vec![wall], vec![], law, options).unwrap();
            (0..steps).for_each(|_| assert_eq!(e.step(dt).unwrap().unconverged, 0));
            along(e.particles())
        } else {
            let mut s = MpmSystem::new(particles, rubber, vec![wall], vec![], law, options).unwrap();
            let mut step = ContactStep::new(MpmSolver::default());
            let (mut x, mut next) = (s.initial_state(), s.initial_state());
            for _ in 0..steps {
                step.step(&mut s, &x, dt, false, &mut next).unwrap();
                std::mem::swap(&mut x, &mut next);
            }
            along(&s.particles(&x).unwrap())
        }
    };
    for fast in [true, false] {
        let slid = run(0.0, 1.0, 500, fast);
        // All its nodes slide all the time, and the wall carries the weight in the mean.
        assert!(((1.0 - slid) / (friction * 9.81 * 0.2) - 1.0).abs() < 0.02, "{slid}");
        let (holds, slips) = (run(0.2, 0.0, 500, fast), run(0.5, 1.0, 500, fast) - 1.0);
        assert!(holds.abs() < 1e-3, "{holds}");
        let expected = 9.81 * (0.5f64.sin() - friction * 0.5f64.cos()) * 0.2;
        assert!((slips / expected - 1.0).abs() < 0.02, "{slips} {expected}");
    }
}
