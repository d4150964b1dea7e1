use signorini_core::largest;
use signorini_core::na::Vector3;
use signorini_scene::Pose;

use crate::{EqualityInput, EqualityModel, Kinematics, Model, TendonState};

/// Whether an equality holds something that can move.
fn holds(e: &EqualityModel) -> bool {
    e.active && !e.trees.is_empty()
}

/// Whether it does so near-rigidly.
fn is_rigid(e: &EqualityModel) -> bool {
    holds(e) && e.stiffness.is_none() && !e.is_soft()
}

/// Measures how far equality constraints are open.
#[derive(Clone, Debug)]
pub struct Closure {
    kin: Kinematics,
    tendons: TendonState,
    /// Two residuals per equality, at two positions.
    residuals: [Vec<Vector3<f64>>; 2],
}

impl Closure {
    /// Sized for a model.
    pub fn new(model: &Model) -> Self {
        Self { kin: Kinematics::new(model), tendons: TendonState::new(model), residuals: Default::default() }
    }

    /// Whether the model has near-rigid ones.
    pub fn is_needed(&self, model: &Model) -> bool {
        model.equalities.iter().any(is_rigid)
    }

    /// Largest violation of an active equality at `q`, near-rigid or not: distance of points \[m\], angle \[rad\], or residual of a coupling
    /// \[m or rad\]; `mocap` are the poses of the mocap bodies.
    pub fn opening(&mut self, model: &Model, q: &[f64], mocap: &[Pose]) -> f64 {
        self.set(0, model, q, mocap, holds);
        let [at, _] = &self.residuals;
        largest(at.iter().map(Vector3::norm))
    }

    /// Largest difference of the residuals of near-rigid ones at two positions, in the same units.
    pub fn difference(&mut self, model: &Model, q: [&[f64]; 2], mocap: &[Pose]) -> f64 {
        q.iter().enumerate().for_each(|(i, q)| self.set(i, model, q, mocap, is_rigid));
        let [a, b] = &self.residuals;
        largest(a.iter().zip(b).map(|(a, b)| (a - b).norm()))
    }

    /// Residuals at `q` of the equalities that count, translation and rotation of a weld apart.
    fn set(
        &mut self,
        i: usize,
        model: &Model,
        q: &[f64],
        mocap: &[Pose],
        counts: fn(&EqualityModel) -> bool,
    ) {
        self.kin.set_positions(model, q, mocap);
        self.tendons.set_positions(model, &self.kin, q);
        let at = EqualityInput { q, kin: &self.kin, tendons: &self.tendons };
        let out = &mut self.residuals[i];
        out.clear();
        for (e, _) in model.equalities.iter().enumerate().filter(|(_, e)| counts(e)) {
            let mut r = [0.0; 6];
            model.equality(e, at, &mut r, |_, _| {});
            out.extend([Vector3::new(r[0], r[1], r[2]), Vector3::new(r[3], r[4], r[5])]);
        }
    }
}
