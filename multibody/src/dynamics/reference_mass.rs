use std::ops::Range;

use signorini_core::na::Point3;

use crate::{Dynamics, Kinematics, Model, TendonState, TreeFactor};

/// Mean inverse masses at the reference configuration, as MuJoCo's `body_invweight0`, `dof_invweight0` and `tendon_invweight0` have them.
#[derive(Clone, Debug)]
pub(crate) struct ReferenceMass {
    /// Inverse mass of the translation of each body's centre of mass \[1/kg\]; of its rotation \[1/(kg·m²)\] where the centre stays, as MuJoCo has it;
    /// zero for bodies that cannot move.
    pub bodies: Vec<f64>,
    /// Inverse moment of inertia of the rotation of each body \[1/(kg·m²)\], zero for bodies that cannot turn.
    pub rotations: Vec<f64>,
    /// Inverse mass of each degree of freedom, the mean over the three of a rotation or translation.
    pub dofs: Vec<f64>,
    /// Inverse mass of each tendon's length \[1/kg\].
    pub tendons: Vec<f64>,
}

impl ReferenceMass {
    pub(crate) fn new(model: &Model) -> Self {
        let nv = model.nv();
        let mut kin = Kinematics::new(model);
        kin.set_positions(model, &model.reference_q, &model.mocap_poses);
        let mut factor = TreeFactor::new(model);
        Dynamics::new(model).mass_matrix(model, &kin, |i, j, m| factor.set(i, j, m));
        let zeros = Self {
            bodies: vec![0.0; model.bodies.len()],
            rotations: vec![0.0; model.bodies.len()],
            dofs: vec![0.0; nv],
            tendons: vec![0.0; model.tendons.len()],
        };
        if factor.factor().is_err() {
            return zeros;
        }
        let mut out = zeros;
        let mut x = vec![0.0; nv];
        // a · M⁻¹ a for a row that is zero outside some trees.
        let inverse = |row: &[f64], x: &mut [f64], dofs: Range<usize>| {
            x[dofs.clone()].copy_from_slice(&row[dofs.clone()]);
            factor.solve_range(dofs.clone(), x);
            row[dofs.clone()].iter().zip(&x[dofs]).map(|(a, b)| a * b).sum::<f64>()
        };
        let mut row = vec![0.0; nv];
        for (b, (w, turning)) in out.bodies.iter_mut().zip(&mut out.rotations).enumerate() {
            let Some(tree) = model.bodies[b].tree else {
                continue;
            };
            let dofs = || model.trees[tree].dofs.clone();
            let com: Point3<f64> = kin.com(model, b);
            for axis in 0..3 {
                row[dofs()].fill(0.0);
                kin.for_columns(model, b, &com, |dof, linear, _| row[dof] = linear[axis]);
                *w += inverse(&row, &mut x, dofs()) / 3.0;
                row[dofs()].fill(0.0);
                kin.for_columns(model, b, &com, |dof, _, angular| row[dof] = angular[axis]);
                *turning += inverse(&row, &mut x, dofs()) / 3.0;
            }
            // MuJoCo's mjMINVAL.
            if *w < 1e-15 {
                *w = *turning;
            }
        }
        for joint in &model.joints {
            let n = joint.kind.nv();
            for first in (joint.v..joint.v + n).step_by(3) {
                let group = first..(first + 3).min(joint.v + n);
                let mut mean = 0.0;
                for i in group.clone() {
                    let dofs = || model.trees[model.dofs[i].tree].dofs.clone();
                    row[dofs()].fill(0.0);
                    row[i] = 1.0;
                    mean += inverse(&row, &mut x, dofs()) / group.len() as f64;
                }
                out.dofs[group].fill(mean);
            }
        }
        let mut tendons = TendonState::new(model);
        tendons.set_positions(model, &kin, &model.reference_q);
        for (t, w) in out.tendons.iter_mut().enumerate() {
            row.fill(0.0);
            tendons.row(model, t).add_scaled(1.0, &mut row);
            *w = inverse(&row, &mut x, 0..nv);
        }
        out
    }
}
