use signorini_core::na::{Matrix3, Point3, UnitQuaternion, Vector3};
use signorini_scene::{EqualityKind, JointKind, Scene, SolParams};

use crate::model::build::element;
use crate::{Kinematics, Model, ModelError, TendonState};

/// A two-sided constraint as the dynamics need it.
#[derive(Clone, Debug)]
pub struct EqualityModel {
    /// Name.
    pub name: String,
    /// What is held equal.
    pub kind: EqualityKind,
    /// Number of rows: connect 3, weld 6, others 1.
    pub rows: usize,
    /// Whether it acts at the start.
    pub active: bool,
    /// Stiffness \[N/m or N·m/rad\]; None: near-rigid.
    pub stiffness: Option<f64>,
    /// Damping; used with `stiffness`.
    pub damping: f64,
    /// MuJoCo's solref and solimp.
    pub sol: SolParams,
    /// Degrees of freedom that it may involve, ascending.
    pub dofs: Vec<usize>,
    /// Trees of these; empty when it involves nothing that moves.
    pub trees: Vec<usize>,
}

/// What the residual of an equality is computed from.
#[derive(Clone, Copy)]
pub struct EqualityInput<'a> {
    /// Positions.
    pub q: &'a [f64],
    /// Poses at `q`.
    pub kin: &'a Kinematics,
    /// Tendon lengths at `q`.
    pub tendons: &'a TendonState,
}

fn polynomial(c: &[f64; 5], x: f64) -> (f64, f64) {
    let value = c.iter().rev().fold(0.0, |s, a| s * x + a);
    let slope = (1..5).rev().fold(0.0, |s, i| s * x + i as f64 * c[i]);
    (value, slope)
}

/// Inverse of the right Jacobian of the rotation vector θ: d(log R)/dt = J⁻¹ ω for Ṙ = R [ω]×.
fn inverse_right_jacobian(theta: &Vector3<f64>) -> Matrix3<f64> {
    let angle = theta.norm();
    let half = 0.5 * angle;
    // (1 − (θ/2) cot(θ/2)) / θ², by its series where the closed form cancels.
    let c = if angle < 1e-3 {
        1.0 / 12.0 + angle * angle / 720.0
    } else {
        (1.0 - half * half.cos() / half.sin()) / (angle * angle)
    };
    let x = theta.cross_matrix();
    Matrix3::identity() + x * 0.5 + x * x * c
}

impl Model {
    /// Residual g of an equality, `rows` entries, and its Jacobian: `column(dof, entries)` is called with `rows` entries that add to
    /// the column of a degree of freedom, at most twice for each. ġ = J v holds exactly, also far from g = 0, when all trees move and
    /// mocap bodies rest.
    ///
    /// - connect: g = p_B − p_A, world axes \[m\];
    /// - weld: rows 0–2 as connect; rows 3–5 the rotation vector of B relative to its prescribed rotation, in the axes of B, times the torque
    ///   scale \[rad or m\];
    /// - joint, tendon: g = (x₁ − ref₁) − p(x₂ − ref₂);
    /// - distance: g = |p_B − p_A| − length \[m\].
    pub fn equality(
        &self,
        index: usize,
        at: EqualityInput<'_>,
        residual: &mut [f64],
        mut column: impl FnMut(usize, &[f64]),
    ) {
        let EqualityInput { q, kin, tendons } = at;
        let points =
            |a: usize, b: usize, pa: &Point3<f64>, pb: &Point3<f64>| (kin.x_wb[a] * pa, kin.x_wb[b] * pb);
        match &self.equalities[index].kind {
            EqualityKind::Connect { body_a, body_b, anchor_a, anchor_b } => {
                let (pa, pb) = points(*body_a, *body_b, anchor_a, anchor_b);
                residual[..3].copy_from_slice((pb - pa).as_slice());
                kin.for_columns(self, *body_a, &pa, |i, l, _| column(i, (-l).as_slice()));
                kin.for_columns(self, *body_b, &pb, |i, l, _| column(i, l.as_slice()));
            }
            EqualityKind::Weld { body_a, body_b, anchor_a, anchor_b, rotation, torque_scale } => {
                let (pa, pb) = points(*body_a, *body_b, anchor_a, anchor_b);
                let target = kin.x_wb[*body_a].rotation * rotation;
                let theta = rotation_vector(&(target.inverse() * kin.x_wb[*body_b].rotation));
                residual[..3].copy_from_slice((pb - pa).as_slice());
                residual[3..6].copy_from_slice((theta * *torque_scale).as_slice());
                let turn = inverse_right_jacobian(&theta) * kin.r_wb[*body_b].transpose() * *torque_scale;
                for (body, p, sign) in [(*body_a, pa, -1.0), (*body_b, pb, 1.0)] {
                    kin.for_columns(self, body, &p, |i, l, w| {
                        let (l, w) = (sign * l, sign * (turn * w));
                        column(i, &[l.x, l.y, l.z, w.x, w.y, w.z]);
                    });
                }
            }
            EqualityKind::Joint { joint_1, joint_2, polynomial: c } => {
                let j1 = &self.joints[*joint_1];
                let other = joint_2.map(|j| &self.joints[j]);
                let (value, slope) = polynomial(c, other.map_or(0.0, |j| q[j.q] - j.reference));
                residual[0] = q[j1.q] - j1.reference - value;
                column(j1.v, &[1.0]);
                if let Some(j) = other {
                    column(j.v, &[-slope]);
                }
            }
            EqualityKind::Tendon { tendon_1, tendon_2, polynomial: c } => {
                let from = |t: usize| tendons.length[t] - self.tendons[t].reference_length;
                let (value, slope) = polynomial(c, tendon_2.map_or(0.0, from));
                residual[0] = from(*tendon_1) - value;
                tendons.row(self, *tendon_1).iter().for_each(|(i, m)| column(i, &[m]));
                if let Some(t) = tendon_2 {
                    tendons.row(self, *t).iter().for_each(|(i, m)| column(i, &[-slope * m]));
                }
            }
            EqualityKind::Distance { body_a, body_b, anchor_a, anchor_b, length } => {
                let (pa, pb) = points(*body_a, *body_b, anchor_a, anchor_b);
                let d = pb - pa;
                let norm = d.norm();
                let n = if norm > 1e-14 { d / norm } else { Vector3::x() };
                residual[0] = norm - length;
                kin.for_columns(self, *body_a, &pa, |i, l, _| column(i, &[-n.dot(&l)]));
                kin.for_columns(self, *body_b, &pb, |i, l, _| column(i, &[n.dot(&l)]));
            }
        }
    }

    pub(crate) fn add_equalities(&mut self, scene: &Scene) -> Result<(), ModelError> {
        for e in &scene.equalities {
            let missing = |what: &str| {
                let message = format!("it names a {what} that does not exist");
                Err(element(&e.place, message, "name elements of the scene"))
            };
            if !finite(&e.kind)
                || !e.stiffness.is_none_or(|k| k > 0.0 && k.is_finite())
                || e.damping.is_nan()
                || e.damping < 0.0
            {
                let message = "its numbers must be finite, its stiffness, length and torque scale positive, its damping not negative";
                return Err(element(&e.place, message, "give finite numbers in range"));
            }
            let (nb, nj, nt) = (self.bodies.len(), self.joints.len(), self.tendons.len());
            let (rows, dofs) = match &e.kind {
                EqualityKind::Connect { body_a, body_b, .. }
                | EqualityKind::Weld { body_a, body_b, .. }
                | EqualityKind::Distance { body_a, body_b, .. } => {
                    if *body_a >= nb || *body_b >= nb {
                        return missing("body");
                    }
                    let rows = match &e.kind {
                        EqualityKind::Connect { .. } => 3,
                        EqualityKind::Weld { .. } => 6,
                        _ => 1,
                    };
                    (rows, self.support_union([*body_a, *body_b]))
                }
                EqualityKind::Joint { joint_1, joint_2, .. } => {
                    if *joint_1 >= nj || joint_2.is_some_and(|j| j >= nj) {
                        return missing("joint");
                    }
                    let joints = [Some(*joint_1), *joint_2];
                    let mut dofs = Vec::new();
                    for j in joints.into_iter().flatten().map(|j| &self.joints[j]) {
                        if !matches!(j.kind, JointKind::Hinge | JointKind::Slide) {
                            let message = format!("joint '{}' is neither a hinge nor a slide", j.name);
                            return Err(element(&e.place, message, "couple hinges and slides only"));
                        }
                        dofs.push(j.v);
                    }
                    dofs.sort_unstable();
                    (1, dofs)
                }
                EqualityKind::Tendon { tendon_1, tendon_2, .. } => {
                    if *tendon_1 >= nt || tendon_2.is_some_and(|t| t >= nt) {
                        return missing("tendon");
                    }
                    let tendons = [Some(*tendon_1), *tendon_2];
                    let mut dofs: Vec<usize> =
                        tendons.into_iter().flatten().flat_map(|t| self.tendons[t].dofs.clone()).collect();
                    dofs.sort_unstable();
                    dofs.dedup();
                    (1, dofs)
                }
            };
            self.equalities.push(EqualityModel {
                name: e.name.clone(),
                kind: e.kind.clone(),
                rows,
                active: e.active && scene.options.switches.equality,
                stiffness: e.stiffness,
                damping: e.damping,
                sol: e.sol,
                trees: self.trees_of(&dofs),
                dofs,
            });
        }
        Ok(())
    }
}

/// Whether all numbers of a kind are finite and in range.
fn finite(kind: &EqualityKind) -> bool {
    let points = |a: &Point3<f64>, b: &Point3<f64>| a.iter().chain(b.iter()).all(|x| x.is_finite());
    match kind {
        EqualityKind::Connect { anchor_a, anchor_b, .. } => points(anchor_a, anchor_b),
        EqualityKind::Weld { anchor_a, anchor_b, rotation, torque_scale, .. } => {
            points(anchor_a, anchor_b)
                && (rotation.norm() - 1.0).abs() < 1e-6
                && *torque_scale > 0.0
                && torque_scale.is_finite()
        }
        EqualityKind::Joint { polynomial, .. } | EqualityKind::Tendon { polynomial, .. } => {
            polynomial.iter().all(|x| x.is_finite())
        }
        EqualityKind::Distance { anchor_a, anchor_b, length, .. } => {
            points(anchor_a, anchor_b) && *length > 0.0 && length.is_finite()
        }
    }
}

/// Rotation vector of a rotation, angle in [0, π].
pub(crate) fn rotation_vector(r: &UnitQuaternion<f64>) -> Vector3<f64> {
    let (w, v) = if r.w < 0.0 { (-r.w, -r.imag()) } else { (r.w, r.imag()) };
    let s = v.norm();
    // 2 atan2(s, w)/s, by its series where s is small.
    let k = if s < 1e-8 { 2.0 / w } else { 2.0 * s.atan2(w) / s };
    v * k
}
