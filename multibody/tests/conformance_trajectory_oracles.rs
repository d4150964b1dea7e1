//! Contact-free motion against the reference trajectories, by extrapolation of the forward dynamics.

use crate::common;

use common::apart;
use common::oracle::{numbers, oracle, scene, strip};
use serde_json::Value;
use signorini_core::na::{Quaternion, Vector3};
use signorini_multibody::{Dynamics, Kinematics, Model, TreeFactor};
use signorini_scene::JointKind;

/// The free motion of a model as an ordinary differential equation in y = (q, v).
struct Motion {
    model: Model,
    kin: Kinematics,
    dynamics: Dynamics,
    factor: TreeFactor,
    acceleration: Vec<f64>,
}

impl Motion {
    fn new(model: Model) -> Self {
        Self {
            kin: Kinematics::new(&model),
            dynamics: Dynamics::new(&model),
            factor: TreeFactor::new(&model),
            acceleration: vec![0.0; model.nv()],
            model,
        }
    }

    fn derivative(&mut self, y: &[f64], dy: &mut [f64]) {
        let m = &self.model;
        let (q, v) = y.split_at(m.nq);
        self.kin.set_positions(m, q, &m.mocap_poses);
        self.kin.set_velocities(m, v);
        for ((a, d), v) in self.acceleration.iter_mut().zip(&m.dofs).zip(v) {
            *a = d.damper.force(*v);
        }
        self.dynamics
            .forward_dynamics(m, &self.kin, &m.gravity, &mut self.factor, &mut self.acceleration)
            .unwrap();
        for j in &m.joints {
            let turn = |at: usize, v: &[f64]| {
                let q = Quaternion::new(q[at], q[at + 1], q[at + 2], q[at + 3]);
                q * Quaternion::from_imag(Vector3::new(v[0], v[1], v[2])) * 0.5
            };
            let (at, rate) = match j.kind {
                JointKind::Hinge | JointKind::Slide => {
                    dy[j.q] = v[j.v];
                    continue;
                }
                JointKind::Ball => (j.q, turn(j.q, &v[j.v..j.v + 3])),
                JointKind::Free => {
                    dy[j.q..j.q + 3].copy_from_slice(&v[j.v..j.v + 3]);
                    (j.q + 3, turn(j.q + 3, &v[j.v + 3..j.v + 6]))
                }
            };
            dy[at..at + 4].copy_from_slice(&[rate.w, rate.i, rate.j, rate.k]);
        }
        dy[m.nq..].copy_from_slice(&self.acceleration);
    }

    fn energy(&mut self, y: &[f64]) -> f64 {
        let m = &self.model;
        let (q, v) = y.split_at(m.nq);
        self.kin.set_positions(m, q, &m.mocap_poses);
        self.kin.set_velocities(m, v);
        let armature: f64 = m.dofs.iter().zip(v).map(|(d, v)| 0.5 * d.armature * v * v).sum();
        Dynamics::kinetic_energy(m, &self.kin) + armature + Dynamics::gravity_energy(m, &self.kin, &m.gravity)
    }

    /// Increment of y over `h` by Gragg's midpoint rule with `n` (even) substeps; increments keep the digits that sums lose.
    fn midpoint(&mut self, y: &[f64], h: f64, n: usize) -> Vec<f64> {
        let s = h / n as f64;
        let mut dy = vec![0.0; y.len()];
        let mut at = y.to_vec();
        self.derivative(y, &mut dy);
        let mut before = vec![0.0; y.len()];
        let mut now: Vec<f64> = dy.iter().map(|d| s * d).collect();
        for _ in 1..n {
            at.iter_mut().zip(y).zip(&now).for_each(|((a, y), x)| *a = y + x);
            self.derivative(&at, &mut dy);
            before.iter_mut().zip(&dy).for_each(|(x, d)| *x += 2.0 * s * d);
            std::mem::swap(&mut before, &mut now);
        }
        now
    }

    /// One step by extrapolation to order 14 at most, less where that is exact already; None when the last two orders differ by more than
    /// `tolerance`.
    fn extrapolate(&mut self, y: &[f64], h: f64, tolerance: f64) -> Option<Vec<f64>> {
        const COLUMNS: usize = 7;
        let mut rows: Vec<Vec<f64>> = Vec::new();
        for k in 0..COLUMNS {
            let n = 2 * (k + 1);
            let mut row = self.midpoint(y, h, n);
            for j in 1..=k {
                // Neville: the error is even in the substep.
                let ratio = (n as f64 / (2 * (k - j + 1)) as f64).powi(2) - 1.0;
                let next: Vec<f64> = row.iter().zip(&rows[j - 1]).map(|(x, o)| x + (x - o) / ratio).collect();
                rows[j - 1] = std::mem::replace(&mut row, next);
            }
            let allowed = if k == COLUMNS - 1 { tolerance } else { 1e-16 };
            if k > 0 && apart(&row, &rows[k - 1]) < allowed {
                row.iter_mut().zip(y).for_each(|(x, y)| *x += y);
                self.model.normalize(&mut row[..self.model.nq]);
                return Some(row);
            }
            rows.push(row);
        }
        None
    }

    fn advance(&mut self, y: &[f64], h: f64, depth: u32) -> Vec<f64> {
        match self.extrapolate(y, h, 1e-13) {
            Some(y) => y,
            None if depth < 12 => {
                let half = self.advance(y, 0.5 * h, depth + 1);
                self.advance(&half, 0.5 * h, depth + 1)
            }
            None => panic!("the step does not converge"),
        }
    }
}

/// Runs from the first sample and returns the largest difference of each sample, relative to max(1, largest entry); `pick` takes the compared numbers out of (q, v).
fn run(
    mut motion: Motion,
    y0: Vec<f64>,
    o: &Value,
    pick: impl Fn(&[f64]) -> Vec<f64>,
    samples: &[Vec<f64>],
) -> Vec<f64> {
    let t = numbers(&o["t"]);
    let mut y = y0;
    let mut errors = Vec::new();
    let energies = numbers(&o["energy"]);
    for i in 0..t.len() {
        if i > 0 {
            y = motion.advance(&y, t[i] - t[i - 1], 0);
        }
        errors.push(apart(&pick(&y), &samples[i]));
        if let Some(e) = energies.get(i) {
            let error = apart(&[motion.energy(&y)], &[*e]);
            // The references conserve energy to 2e-11 relative.
            assert!(error < 1e-9, "energy at {}: {error:e}", t[i]);
        }
    }
    errors
}

fn model(o: &Value, keep: bool) -> Option<Model> {
    let mut s = scene(o["model"].as_str().unwrap())?;
    let (armature, damping) = (numbers(&o["armature"]), numbers(&o["damping"]));
    strip(&mut s);
    if keep {
        for (i, j) in s.joints.iter_mut().enumerate() {
            j.armature = armature[i];
            j.damping = damping[i];
        }
    }
    Some(Model::new(&s).unwrap())
}

fn rows(v: &Value) -> Vec<Vec<f64>> {
    v.as_array().unwrap().iter().map(numbers).collect()
}

/// Trajectories in (q, v); the tolerance of a sample from the error of the reference there.
fn articulated(file: &str, keep: bool, tolerance: impl Fn(f64) -> f64) {
    let Some(o) = oracle(&format!("trajectories/{file}.json")) else { return };
    let Some(model) = model(&o, keep) else { return };
    let (q, v) = (rows(&o["q"]), rows(&o["v"]));
    let samples: Vec<Vec<f64>> = q.iter().zip(&v).map(|(q, v)| [q.clone(), v.clone()].concat()).collect();
    let errors = run(Motion::new(model), samples[0].clone(), &o, <[f64]>::to_vec, &samples);
    let reference = numbers(&o["error_estimate_per_sample"]);
    let mut own: f64 = 0.0;
    let worst = errors.iter().fold(0.0f64, |a, b| a.max(*b));
    println!("{file}: largest difference {worst:e}");
    for (i, e) in errors.iter().enumerate() {
        own = own.max(reference.get(i).copied().unwrap_or(0.0));
        assert!(*e <= tolerance(own), "{file} sample {i}: {e:e} > {:e}", tolerance(own));
    }
}

#[test]
fn conformance_double_pendulum_moderate() {
    // The reference is good to 3.5e-12.
    articulated("double_pendulum_moderate", false, |_| 2e-11);
}

#[test]
fn conformance_double_pendulum_large() {
    // The reference is good to 8e-10; the motion is sensitive to round-off.
    articulated("double_pendulum_large", false, |_| 4e-9);
}

#[test]
fn conformance_panda_swing() {
    // Chaotic: our round-off grows as the error of the reference does, up to 5e-8 at the end.
    articulated("panda_swing_2s", false, |e| 1e-11 + 20.0 * e);
}

#[test]
fn conformance_ur5e_swing() {
    articulated("ur5e_swing_2s", false, |e| 1e-11 + 20.0 * e);
}

#[test]
fn conformance_panda_swing_with_armature_and_damping() {
    articulated("panda_swing_2s_armature_damping", true, |_| 1e-10);
}

#[test]
fn conformance_humanoid_free_flight() {
    articulated("humanoid_free_flight_1s", false, |_| 4e-10);
}

fn free_body(file: &str, tolerance: f64) {
    let Some(o) = oracle(&format!("trajectories/{file}.json")) else { return };
    let Some(mut s) = scene(o["model"].as_str().unwrap()) else { return };
    strip(&mut s);
    let model = Model::new(&s).unwrap();
    let (turn, spin) = (rows(&o["quat_wxyz"]), rows(&o["angular_velocity_body"]));
    let mut y0 = vec![0.0; 13];
    y0[3..7].copy_from_slice(&turn[0]);
    y0[10..13].copy_from_slice(&spin[0]);
    let samples: Vec<Vec<f64>> =
        turn.iter().zip(&spin).map(|(q, w)| [q.clone(), w.clone()].concat()).collect();
    let pick = |y: &[f64]| [y[3..7].to_vec(), y[10..13].to_vec()].concat();
    let errors = run(Motion::new(model), y0, &o, pick, &samples);
    let worst = errors.iter().fold(0.0f64, |a, b| a.max(*b));
    println!("{file}: largest difference {worst:e}");
    assert!(worst < tolerance, "{file}: {worst:e}");
}

#[test]
fn conformance_free_body_near_the_separatrix() {
    // The reference is good to 4e-12.
    free_body("free_body_near_separatrix", 4e-11);
}

#[test]
fn conformance_free_body_about_its_middle_axis() {
    // The reference is good to 7e-10; the motion about the middle axis is unstable.
    free_body("dzhanibekov_intermediate_axis", 4e-9);
}
