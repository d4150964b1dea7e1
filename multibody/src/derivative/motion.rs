use signorini_core::na::{Point3, Vector3};
use signorini_scene::JointKind;

use crate::{Kinematics, Model, Spatial};

/// Change of motion axes, twists and velocity products when the model moves along δq (in the coordinates of v) and its velocity changes by δv.
///
/// A motion axis is carried by the bodies before it: δS = δX × S, δX the displacement of its body; translation axes of free joints stay. Points of reference
/// are held: generalised forces do not depend on them.
pub(super) struct MotionTangent {
    /// Displacement of each body as a twist.
    pub displacement: Vec<Spatial>,
    axes: Vec<Spatial>,
    twist: Vec<Spatial>,
    drift: Vec<Spatial>,
}

/// A point where a Jacobian is taken, and how it moves.
#[derive(Clone, Copy)]
pub(super) struct MovedPoint<'a> {
    pub p: &'a Point3<f64>,
    pub dp: &'a Vector3<f64>,
}

impl MotionTangent {
    pub(super) fn new(
        model: &Model,
        kin: &Kinematics,
        v: &[f64],
        dq: Option<&[f64]>,
        dv: Option<&[f64]>,
    ) -> Self {
        let nb = model.bodies.len();
        let mut t = Self {
            displacement: vec![Spatial::default(); nb],
            axes: vec![Spatial::default(); model.nv()],
            twist: vec![Spatial::default(); nb],
            drift: vec![Spatial::default(); nb],
        };
        for (b, body) in model.bodies.iter().enumerate().filter(|(_, body)| body.tree.is_some()) {
            let p = body.parent;
            let (mut carry, mut d_twist, mut d_drift) = (t.displacement[p], t.twist[p], Spatial::default());
            let mut twist = kin.twist[p];
            for joint in &model.joints[body.joints.clone()] {
                let own = joint.v..joint.v + joint.kind.nv();
                let sum = |x: &[f64], range: std::ops::Range<usize>| {
                    range.fold(Spatial::default(), |s, i| s + kin.axes[i] * x[i])
                };
                if let Some(dq) = dq {
                    carry += sum(dq, own.clone());
                }
                let turning = match joint.kind {
                    JointKind::Free => joint.v + 3..joint.v + 6,
                    _ => own.clone(),
                };
                for i in turning.clone() {
                    t.axes[i] = carry.cross_motion(&kin.axes[i]);
                }
                let change = |range: std::ops::Range<usize>| {
                    let carried = range.clone().fold(Spatial::default(), |s, i| s + t.axes[i] * v[i]);
                    carried + dv.map_or(Spatial::default(), |dv| sum(dv, range))
                };
                if joint.kind == JointKind::Free {
                    let (shift, spin) = (joint.v..joint.v + 3, turning);
                    let (d_shift, d_spin) = (change(shift.clone()), change(spin.clone()));
                    let (shift, spin) = (sum(v, shift), sum(v, spin));
                    d_drift += d_shift.cross_motion(&spin) + shift.cross_motion(&d_spin);
                    twist += shift + spin;
                    d_twist += d_shift + d_spin;
                } else {
                    let d_own = change(own.clone());
                    let own = sum(v, own);
                    d_drift += d_twist.cross_motion(&own) + twist.cross_motion(&d_own);
                    twist += own;
                    d_twist += d_own;
                }
            }
            (t.displacement[b], t.twist[b], t.drift[b]) = (carry, d_twist, d_drift);
        }
        t
    }

    /// Change of the generalised force M a + c + g of inverse dynamics at the acceleration `a` (held), nv. Velocities of bodies in `still` count as zero.
    /// Without `gravity` and velocities it is the change of M a.
    pub(super) fn inverse_dynamics(
        &self,
        model: &Model,
        kin: &Kinematics,
        a: &[f64],
        gravity: bool,
        still: &dyn Fn(usize) -> bool,
    ) -> Vec<f64> {
        let nb = model.bodies.len();
        let lift = Spatial::new(Vector3::zeros(), if gravity { -model.gravity } else { Vector3::zeros() });
        let moving = |x: &[Spatial], b: usize| if still(b) { Spatial::default() } else { x[b] };
        let mut acceleration = vec![(lift, Spatial::default()); nb];
        let mut force = vec![(Spatial::default(), Spatial::default()); nb];
        for (b, body) in model.bodies.iter().enumerate().filter(|(_, body)| body.tree.is_some()) {
            let (mut acc, mut d_acc) = acceleration[body.parent];
            acc += moving(&kin.drift, b);
            d_acc += moving(&self.drift, b);
            for joint in &model.joints[body.joints.clone()] {
                for i in joint.v..joint.v + joint.kind.nv() {
                    acc += kin.axes[i] * a[i];
                    d_acc += self.axes[i] * a[i];
                }
            }
            acceleration[b] = (acc, d_acc);
            let (inertia, x) = (&kin.inertia[b], &self.displacement[b]);
            // I m of a body that is carried by x while m changes by d.
            let carried = |m: &Spatial, d: &Spatial| {
                x.cross_force(&inertia.apply(m)) + inertia.apply(&(*d + x.cross_motion(m) * -1.0))
            };
            let (twist, d_twist) = (moving(&kin.twist, b), moving(&self.twist, b));
            let (momentum, d_momentum) = (inertia.apply(&twist), carried(&twist, &d_twist));
            let f = inertia.apply(&acc) + twist.cross_force(&momentum);
            let d_f = carried(&acc, &d_acc) + d_twist.cross_force(&momentum) + twist.cross_force(&d_momentum);
            force[b] = (f, d_f);
        }
        let mut tau = vec![0.0; model.nv()];
        for b in (1..nb).rev() {
            let body = &model.bodies[b];
            let (f, d_f) = force[b];
            for joint in &model.joints[body.joints.clone()] {
                for i in joint.v..joint.v + joint.kind.nv() {
                    tau[i] = self.axes[i].dot(&f) + kin.axes[i].dot(&d_f);
                }
            }
            if body.tree.is_some() && model.bodies[body.parent].tree == body.tree {
                force[body.parent].0 += f;
                force[body.parent].1 += d_f;
            }
        }
        tau
    }

    /// Displacement of the point of a body that is at `p` (world), and rotation of the body.
    pub(super) fn of_point(
        &self,
        model: &Model,
        kin: &Kinematics,
        body: usize,
        p: &Point3<f64>,
    ) -> (Vector3<f64>, Vector3<f64>) {
        let x = &self.displacement[body];
        (x.at(&(p - kin.reference(model, body))), x.angular)
    }

    /// Calls `f(dof, change of the linear column, change of the angular column)` for the Jacobian of the point at `p` of a body when the point where
    /// it is taken moves by `dp`.
    pub(super) fn for_columns(
        &self,
        model: &Model,
        kin: &Kinematics,
        body: usize,
        at: MovedPoint<'_>,
        mut f: impl FnMut(usize, Vector3<f64>, Vector3<f64>),
    ) {
        let MovedPoint { p, dp } = at;
        let r = p - kin.reference(model, body);
        let mut next = model.bodies[body].last_dof;
        while let Some(i) = next {
            f(i, self.axes[i].at(&r) + kin.axes[i].angular.cross(dp), self.axes[i].angular);
            next = model.dofs[i].parent;
        }
    }
}
