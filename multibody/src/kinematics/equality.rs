use signorini_core::na::{Matrix3, Point3, Vector3};
use signorini_scene::EqualityKind;

use crate::kinematics::rotation::rotation_vector;
use crate::{Kinematics, Model, Spatial, TendonState};

/// Inputs of the residual of an equality.
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
    ///   scale \[rad or m\]; of a soft weld twice the vector part of the quaternion instead of the rotation vector, MuJoCo's measure;
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
                let apart = target.inverse() * kin.x_wb[*body_b].rotation;
                let (theta, rates) = if self.equalities[index].is_soft() {
                    // d/dt of the vector part u beside the scalar w is (w ω + u × ω)/2.
                    let u = apart.imag();
                    (2.0 * u, Matrix3::identity() * apart.w + u.cross_matrix())
                } else {
                    let theta = rotation_vector(&apart);
                    (theta, inverse_right_jacobian(&theta))
                };
                residual[..3].copy_from_slice((pb - pa).as_slice());
                residual[3..6].copy_from_slice((theta * *torque_scale).as_slice());
                let turn = rates * kin.r_wb[*body_b].transpose() * *torque_scale;
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

    /// J̇ v of a connect or soft weld: the acceleration of its rows while no coordinate accelerates. Zero for other kinds, where MuJoCo leaves it out, too.
    pub(crate) fn equality_drift(&self, index: usize, kin: &Kinematics) -> [f64; 6] {
        let kind = &self.equalities[index].kind;
        let (EqualityKind::Connect { body_a, body_b, anchor_a, anchor_b }
        | EqualityKind::Weld { body_a, body_b, anchor_a, anchor_b, .. }) = kind
        else {
            return [0.0; 6];
        };
        let (a, b) = (*body_a, *body_b);
        let products = |body: usize| {
            let above = |x: &usize| Some(self.bodies[*x].parent);
            let moved = |x: &usize| self.bodies[*x].tree.is_some();
            let chain = std::iter::successors(Some(body), above).take_while(moved);
            chain.fold(Spatial::default(), |sum, x| sum + kin.drift[x])
        };
        let [of_a, of_b] = [a, b].map(products);
        let point = |body: usize, product: &Spatial, anchor: &Point3<f64>| {
            let (r, twist) = (kin.x_wb[body] * anchor - kin.reference(self, body), &kin.twist[body]);
            product.at(&r) + twist.angular.cross(&twist.at(&r))
        };
        let mut out = [0.0; 6];
        let linear = point(b, &of_b, anchor_b) - point(a, &of_a, anchor_a);
        out[..3].copy_from_slice(linear.as_slice());
        if let EqualityKind::Weld { rotation, torque_scale, .. } = kind {
            // 2 ü of the vector part u beside the scalar w, with 2 u̇ = w ω + u × ω and 2 ẇ = −u·ω, ω in the axes of B.
            let apart = (kin.x_wb[a].rotation * rotation).inverse() * kin.x_wb[b].rotation;
            let (u, w, back) = (apart.imag(), apart.w, kin.r_wb[b].transpose());
            let [of_world_a, of_world_b] = [a, b].map(|x| kin.twist[x].angular);
            let omega = back * (of_world_b - of_world_a);
            let alpha = back * (of_b.angular - of_a.angular + of_world_b.cross(&of_world_a));
            let (u_rate, w_rate) = (0.5 * (w * omega + u.cross(&omega)), -0.5 * u.dot(&omega));
            let angular = w_rate * omega + w * alpha + u_rate.cross(&omega) + u.cross(&alpha);
            out[3..].copy_from_slice((angular * *torque_scale).as_slice());
        }
        out
    }
}
