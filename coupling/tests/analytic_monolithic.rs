//! One step of points and bodies together: its problem, its minimisers, momenta, and steps that it allows and the splitting does not.

use crate::common;

use common::{Setup, assert_pressed, cube, momenta_in_flight, panels, press, rubber, surface, tight};
use signorini_core::na::{Matrix3, Rotation3, Vector3};
use signorini_core::{ContactSolver, Slot, State, StepSolution, System};
use signorini_coupling::MonolithicSystem;
use signorini_icf::{IcfOptions, IcfSolver};
use signorini_mpm::{FixedCorotated, Lame, Material, MpmOptions, MpmSolver};
use signorini_reference::ReferenceSolver;
use signorini_testkit::{problem, system::conformance};

/// A turning ball on a strained, turned cube on a floor; few enough unknowns for a dense reference.
fn small() -> Setup {
    let text = "<mujoco><worldbody><geom type='plane' pos='0 0 -.031' size='1 1 1'/>\
        <body pos='.01 0 .088'><freejoint/><geom type='sphere' size='.06' mass='.3'/></body></worldbody></mujoco>";
    let mut points = cube(Vector3::repeat(-0.03), 0.06, 4, 800.0);
    for (p, f) in points.f.iter_mut().enumerate() {
        let turn = Rotation3::from_euler_angles(0.1, 0.02 * p as f64, -0.3).into_inner();
        *f = turn * Matrix3::new(1.05, 0.02, 0.0, 0.02, 0.93, 0.01, 0.0, 0.01, 1.02);
    }
    let options = MpmOptions { spacing: 0.03, ..MpmOptions::default() };
    let mut s = Setup::new(text, (points, rubber(2e4, 0.3)), surface(2e3, 1.0, 0.6), options);
    s.y.v.copy_from_slice(&[0.3, 0.0, -0.4, 0.0, 5.0, 1.0]);
    s
}

fn system(s: Setup) -> (MonolithicSystem, State) {
    let system = MonolithicSystem::new(&s.scene, &s.geoms, s.points, s.rigid).unwrap();
    let mut x = State::default();
    system.join(&s.x, &s.y, &mut x);
    (system, x)
}

#[test]
fn conformance_points_and_bodies_are_a_system() {
    let (_, x) = system(small());
    conformance(&mut || Ok(Box::new(system(small()).0)), &x, 1e-3).unwrap();
    let (mut system, mut guess) = (system(small()).0, Vec::new());
    system.prepare(Slot::Start, &x, 1e-2).unwrap();
    system.guess(Slot::Start, &x, &mut guess);
    let p = system.problem(Slot::Start, 1e-2).unwrap();
    assert!(p.contacts().len() > 8);
    problem::conformance(p, &guess).unwrap();
}

#[test]
fn analytic_the_problem_is_the_energy_of_the_points() {
    // ½ Σ m |v − v₀ − δt g|² + Σ V ψ((1 + δt D) F) with rotations kept, from the definition, beside the problem without contacts.
    let dt = 5e-3;
    let s = small();
    let text = "<mujoco><worldbody><body pos='0 0 5'><freejoint/><geom type='sphere' size='.06' mass='.3'/></body></worldbody></mujoco>";
    let particles = s.points.particles(&s.x).unwrap();
    let options = *s.points.options();
    let lame = Lame::new(2e4, 0.3).unwrap();
    let far = Setup::new(text, (particles.clone(), rubber(2e4, 0.3)), surface(2e3, 1.0, 0.6), options);
    let (mut system, x) = system(far);
    system.prepare(Slot::Start, &x, dt).unwrap();
    let p = system.problem(Slot::Start, dt).unwrap();
    assert_eq!(p.contacts().len(), 0);
    let n = p.velocity_count();
    let some = |seed: usize| -> Vec<f64> { (0..n).map(|i| ((7 * i + 13 * seed) as f64).sin()).collect() };
    let v_star = p.free_velocity().to_vec();
    let bodies: Vec<f64> = v_star[..6].to_vec();
    let mut values = Vec::new();
    for seed in 0..4 {
        let mut v = some(seed);
        v[..6].copy_from_slice(&bodies);
        values.push((p.value(&v).unwrap(), v));
    }
    let g = system.material().gathered(Slot::Start).unwrap();
    let mut nodes: Vec<usize> = (0..g.grid.len()).filter(|n| g.grid.mass[*n] > 0.0).collect();
    nodes.sort_unstable_by_key(|n| g.grid.places[*n]);
    let by_definition = |v: &[f64]| {
        let mut field = vec![Vector3::zeros(); g.grid.len()];
        let mut sum = 0.0;
        for (k, &node) in nodes.iter().enumerate() {
            field[node] = Vector3::from_column_slice(&v[6 + 3 * k..9 + 3 * k]);
            let m = g.grid.mass[node];
            let before = g.grid.momentum[node] / m + dt * options.gravity;
            sum += 0.5 * m * (field[node] - before).norm_squared();
        }
        for p in 0..particles.len() {
            let f = particles.f[p];
            let (_, c) = g.grid.sample(p, &particles.x[p], &field);
            let svd = f.svd(true, true);
            let turn = svd.u.unwrap() * svd.v_t.unwrap();
            let moved = (Matrix3::identity() + 0.5 * dt * (c + c.transpose())) * f;
            let strain = turn.transpose() * moved;
            let strain = 0.5 * (strain + strain.transpose()) - Matrix3::identity();
            let energy = lame.mu * strain.norm_squared() + 0.5 * lame.lambda * strain.trace().powi(2);
            sum += particles.volume[p] * energy;
        }
        sum
    };
    let (first, from) = (by_definition(&values[0].1), values[0].0);
    for (value, v) in &values[1..] {
        let (a, b) = (by_definition(v) - first, value - from);
        // Round-off of sums of 64 particles and 64 nodes.
        assert!((a - b).abs() < 1e-11 * first.abs().max(1.0), "{a} {b}");
    }
    assert!((values[1].0 - from).abs() > 1e-6 * first.abs(), "{from} {first}");
}

fn solved<S: ContactSolver>(mut solver: S, dt: f64) -> (Vec<f64>, Vec<f64>, u32) {
    let (mut s, x) = system(small());
    let (mut guess, mut out) = (Vec::new(), StepSolution::default());
    s.prepare(Slot::Start, &x, dt).unwrap();
    s.guess(Slot::Start, &x, &mut guess);
    let p = s.problem(Slot::Start, dt).unwrap();
    solver.solve(p, &guess, tight(), &mut out).unwrap();
    let scaled = out.v.iter().zip(p.inertia().scaling()).map(|(v, d)| v / d).collect();
    assert!(out.residual <= 1e-10, "{} {}", solver.name(), out.residual);
    (scaled, out.gamma, out.stats.iterations)
}

#[test]
fn conformance_dense_sparse_and_conjugate_gradients_have_one_minimiser() {
    for dt in [1e-3, 1e-2] {
        let (v, gamma, n) = solved(IcfSolver::default(), dt);
        assert!(gamma.iter().any(|g| *g > 1e-6) && n > 1);
        let dense = IcfSolver::new(IcfOptions { dense: true, ..IcfOptions::default() });
        let others =
            [solved(dense, dt), solved(ReferenceSolver::default(), dt), solved(MpmSolver::default(), dt)];
        for (k, (other, ..)) in others.iter().enumerate() {
            let size = v.iter().map(|x| x * x).sum::<f64>().sqrt();
            let apart = v.iter().zip(other).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            println!("{dt} {k}: {:.1e}", apart / size);
            assert!(apart < 1e-8 * size, "{dt} {k}: {apart:e} of {size:e}");
        }
    }
}

#[test]
fn analytic_momenta_of_points_and_a_body_are_kept() {
    // A spinning ball flies into a strained block past its middle, without gravity.
    let text = "<mujoco><option gravity='0 0 0'/><worldbody><body pos='.02 .01 .097'><freejoint/>\
        <geom type='sphere' size='.06' mass='.5'/></body></worldbody></mujoco>";
    let options = MpmOptions { spacing: 0.03, gravity: Vector3::zeros(), ..MpmOptions::default() };
    for dt in [1e-3, 1e-2] {
        let mut points = cube(Vector3::repeat(-0.03), 0.06, 5, 900.0);
        for f in &mut points.f {
            *f = Matrix3::new(1.1, 0.1, 0.0, 0.0, 0.9, 0.05, 0.0, 0.0, 1.0);
        }
        let mut s = Setup::new(text, (points, rubber(3e4, 0.3)), surface(5e3, 0.5, 0.7), options);
        s.y.v.copy_from_slice(&[0.1, 0.2, -0.7, 3.0, -8.0, 2.0]);
        let (mut c, mut x, mut y) = s.strong(IcfSolver::default());
        let (largest, met) = momenta_in_flight(&mut c, (&mut x, &mut y), dt);
        // Solves to 1e-12.
        assert!(largest < 1e-11, "{dt}: {largest:e}");
        assert!(met > 0.1, "{met}");
    }
}

#[test]
fn analytic_panels_press_and_carry_at_steps_of_1_and_10_milliseconds() {
    for (dt, end) in [(1e-3, 0.09), (1e-2, 0.4)] {
        let (mut c, x, y) = panels(0.0933).strong(IcfSolver::default());
        let (mut deepest, mut beyond) = (0.0f64, 0);
        let step = |x: &mut State, y: &mut State| {
            let r = c.step(x, y, dt).ok()?;
            if y.t > end - 0.05 {
                deepest = r.deepest.iter().fold(deepest, |a, b| a.max(*b));
            }
            beyond += r.beyond.iter().sum::<u32>();
            Some(r)
        };
        let p = press(step, (x, y), (dt, end, 0.05)).unwrap();
        println!("{dt}: {p:?}, deepest {deepest:e}");
        assert_eq!(p.unconverged, 0);
        assert_pressed(&p);
        // 10 N on 121 contacts of 10⁵ N/m; those that are pressed most have less than thrice the mean.
        let mean = 10.0 / (121.0 * 1e5);
        assert!(deepest > mean && deepest < 3.0 * mean && beyond == 0, "{deepest:e} {mean:e} {beyond}");
    }
}

/// Rubber whose author did not say how stiff it is.
struct Plain(FixedCorotated);

impl Material for Plain {
    fn energy(&self, f: &Matrix3<f64>) -> f64 {
        self.0.energy(f)
    }
    fn stress(&self, f: &Matrix3<f64>) -> Matrix3<f64> {
        self.0.stress(f)
    }
    fn wave_modulus(&self) -> f64 {
        self.0.wave_modulus()
    }
    fn name(&self) -> &'static str {
        "plain"
    }
}

#[test]
fn regression_what_has_no_stiffness_is_refused() {
    let text = "<mujoco><worldbody><geom type='plane' pos='0 0 -1' size='1 1 1'/></worldbody></mujoco>";
    let other: Vec<Box<dyn Material>> = vec![Box::new(Plain(FixedCorotated(Lame::new(1e4, 0.3).unwrap())))];
    let points = cube(Vector3::zeros(), 0.1, 3, 1000.0);
    let options = MpmOptions { spacing: 0.05, ..MpmOptions::default() };
    let s = Setup::new(text, (points, other), surface(1e4, 0.0, 0.0), options);
    let (mut c, mut x, mut y) = s.strong(IcfSolver::default());
    let before = (x.clone(), y.clone());
    let why = c.step(&mut x, &mut y, 1e-3).unwrap_err().to_string();
    assert!(why.contains("'plain'") && why.contains("Material::stiffness"), "{why}");
    assert_eq!((x, y), before);
}
