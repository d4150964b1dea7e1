use signorini_core::largest;
use signorini_scene::Pose;

use crate::{EqualityInput, EqualityModel, Kinematics, Model, TendonState};

/// Whether an equality holds something that can move, near-rigidly.
fn is_rigid(e: &EqualityModel) -> bool {
    e.active && e.stiffness.is_none() && !e.is_soft() && !e.trees.is_empty()
}

/// Measures how far near-rigid equality constraints are open.
#[derive(Clone, Debug)]
pub struct Closure {
    kin: Kinematics,
    tendons: TendonState,
}

impl Closure {
    /// Sized for a model.
    pub fn new(model: &Model) -> Self {
        Self { kin: Kinematics::new(model), tendons: TendonState::new(model) }
    }

    /// Whether the model has such constraints.
    pub fn is_needed(&self, model: &Model) -> bool {
        model.equalities.iter().any(is_rigid)
    }

    /// Largest violation of an active near-rigid equality at `q`: distance of points \[m\], angle \[rad\], or residual of a coupling
    /// \[m or rad\]; `mocap` are the poses of the mocap bodies.
    pub fn opening(&mut self, model: &Model, q: &[f64], mocap: &[Pose]) -> f64 {
        self.kin.set_positions(model, q, mocap);
        self.tendons.set_positions(model, &self.kin, q);
        let at = EqualityInput { q, kin: &self.kin, tendons: &self.tendons };
        let norm = |r: &[f64]| r.iter().map(|x| x * x).sum::<f64>().sqrt();
        let rigid = model.equalities.iter().enumerate().filter(|(_, e)| is_rigid(e));
        largest(rigid.map(|(i, e)| {
            let mut residual = [0.0; 6];
            model.equality(i, at, &mut residual, |_, _| {});
            let (translation, rotation) = residual[..e.rows].split_at(e.rows.min(3));
            largest([norm(translation), norm(rotation)])
        }))
    }
}
