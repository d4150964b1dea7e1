//! Poses, velocities, motion axes and lengths at one state.

pub(crate) mod equality;
mod retraction;
pub(crate) mod rotation;
pub(crate) mod sparse_row;
pub(crate) mod spatial;
pub(crate) mod tendon;
pub(crate) mod wrapping;

use signorini_core::na::{Isometry3, Matrix3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};
use signorini_scene::{JointKind, Pose};
use wide::f64x4;

use crate::kinematics::rotation::quaternion_at;
use crate::{Model, Spatial, SpatialInertia};

/// Poses, velocities and motion axes at one state; no allocation after construction.
#[derive(Clone, Debug)]
pub struct Kinematics {
    /// Body poses x_wb.
    pub x_wb: Vec<Pose>,
    /// Rotation matrices of the bodies.
    pub r_wb: Vec<Matrix3<f64>>,
    pub(crate) com: Vec<Point3<f64>>,
    /// Inertia of each body about the reference point of its tree, world axes; zero for bodies that cannot move.
    pub inertia: Vec<SpatialInertia>,
    /// Mass that gravity compensation lifts, of each body with all that hangs on it; empty where there is none.
    pub(crate) lifted: Vec<Lifted>,
    /// Reference point of each tree, world \[m\]: the origin of its first moving body.
    pub origin: Vec<Point3<f64>>,
    /// Motion axis of each degree of freedom about the reference point of its tree.
    pub axes: Vec<Spatial>,
    /// Twist of each body about the reference point of its tree.
    pub twist: Vec<Spatial>,
    /// Velocity product Σ Ṡ v of each body's own joints.
    pub(crate) drift: Vec<Spatial>,
    /// Bodies that can move, or are moved from outside, or hang on such: all others stay where they are.
    moving: Vec<usize>,
    hinges: Vec<Hinge>,
    /// By degree of freedom of a hinge, sine and cosine of half its angle.
    half_turns: Vec<[f64; 2]>,
}

/// Where a hinge finds its angle, its degree of freedom, and the angle at which it does not turn \[rad\].
#[derive(Clone, Copy, Debug)]
struct Hinge {
    q: usize,
    v: usize,
    reference: f64,
}

/// A mass and its first moment about the reference point of its tree.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lifted {
    pub mass: f64,
    pub moment: Vector3<f64>,
}

impl Kinematics {
    /// Sized for a model, at the reference configuration. Bodies that cannot move keep the poses that they have in this model.
    pub fn new(model: &Model) -> Self {
        let nb = model.bodies.len();
        let hinges = model.joints.iter().filter(|j| j.kind == JointKind::Hinge);
        let mut k = Self {
            x_wb: vec![Isometry3::identity(); nb],
            r_wb: vec![Matrix3::identity(); nb],
            com: vec![Point3::origin(); nb],
            inertia: vec![SpatialInertia::default(); nb],
            lifted: Vec::with_capacity(nb),
            origin: vec![Point3::origin(); model.trees.len()],
            axes: vec![Spatial::default(); model.nv()],
            twist: vec![Spatial::default(); nb],
            drift: vec![Spatial::default(); nb],
            moving: (0..nb).collect(),
            hinges: hinges.map(|j| Hinge { q: j.q, v: j.v, reference: j.reference }).collect(),
            half_turns: vec![[0.0; 2]; model.nv()],
        };
        k.set_positions(model, &model.reference_q.clone(), &model.mocap_poses.clone());
        let mut moves = vec![false; nb];
        for (b, body) in model.bodies.iter().enumerate() {
            moves[b] = body.tree.is_some() || body.mocap.is_some() || moves[body.parent];
        }
        k.moving.retain(|b| moves[*b]);
        k
    }

    /// Poses and motion axes at q; `mocap` are the poses of the mocap bodies.
    pub fn set_positions(&mut self, model: &Model, q: &[f64], mocap: &[Pose]) {
        self.set_half_turns(q);
        for n in 0..self.moving.len() {
            self.set_position(model, self.moving[n], q, mocap);
        }
        self.set_lifted(model);
    }

    /// Poses and motion axes of the bodies of one tree on a body that cannot move; nothing is lifted.
    pub(crate) fn set_positions_of(&mut self, model: &Model, bodies: &[usize], q: &[f64]) {
        for &b in bodies {
            for j in &model.joints[model.bodies[b].joints.clone()] {
                if j.kind == JointKind::Hinge {
                    self.half_turns[j.v] = (0.5 * (q[j.q] - j.reference)).sin_cos().into();
                }
            }
            self.set_position(model, b, q, &[]);
        }
    }

    /// Pose and motion axes of a body whose parent has its pose.
    #[inline(always)]
    fn set_position(&mut self, model: &Model, b: usize, q: &[f64], mocap: &[Pose]) {
        let body = &model.bodies[b];
        let mut x = match body.mocap {
            Some(i) => mocap[i],
            None => {
                let (x, r) = (&self.x_wb[body.parent], &self.r_wb[body.parent]);
                let p = x.translation.vector + r * body.pose.translation.vector;
                let turn = &body.pose.rotation;
                // Frames of links are often parallel to their parents'.
                let r = if turn.imag() == Vector3::zeros() { x.rotation } else { x.rotation * turn };
                Isometry3::from_parts(Translation3::from(p), r)
            }
        };
        if b == 0 {
            x = Isometry3::identity();
        }
        for joint in &model.joints[body.joints.clone()] {
            self.apply_joint(joint, q, &mut x);
        }
        self.x_wb[b] = x;
        let r = x.rotation.to_rotation_matrix().into_inner();
        let com = r * body.com.coords + x.translation.vector;
        self.r_wb[b] = r;
        self.com[b] = com.into();
        let Some(t) = body.tree else { return };
        if model.trees[t].root == b {
            self.origin[t] = x.translation.vector.into();
        }
        // Axes were found about the world origin's axes and anchors; move them to the reference point.
        let o = self.origin[t].coords;
        for s in &mut self.axes[model.dofs_of(body)] {
            s.linear += s.angular.cross(&o);
        }
        if body.mass > 0.0 || body.inertia != Matrix3::zeros() {
            self.inertia[b] = SpatialInertia::rotated(body.mass, &(com - o), &body.inertia, &r);
        }
    }

    /// Four hinges at a time.
    fn set_half_turns(&mut self, q: &[f64]) {
        for four in self.hinges.chunks(4) {
            let mut angles = [0.0; 4];
            angles.iter_mut().zip(four).for_each(|(a, h)| *a = 0.5 * (q[h.q] - h.reference));
            let (sines, cosines) = f64x4::new(angles).sin_cos();
            let both = sines.to_array().into_iter().zip(cosines.to_array());
            four.iter().zip(both).for_each(|(h, (sine, cosine))| self.half_turns[h.v] = [sine, cosine]);
        }
    }

    fn set_lifted(&mut self, model: &Model) {
        self.lifted.clear();
        if !model.lifts {
            return;
        }
        self.lifted.resize(model.bodies.len(), Lifted::default());
        for (b, body) in model.bodies.iter().enumerate().rev() {
            let Some(t) = body.tree else { continue };
            let mass = body.gravity_compensation * body.mass;
            let own = &mut self.lifted[b];
            own.mass += mass;
            own.moment += mass * (self.com[b] - self.origin[t]);
            let own = *own;
            if model.bodies[body.parent].tree == body.tree {
                let parent = &mut self.lifted[body.parent];
                parent.mass += own.mass;
                parent.moment += own.moment;
            }
        }
    }

    /// Moves `x` by a joint and writes its axes about the world origin.
    fn apply_joint(&mut self, joint: &crate::JointModel, q: &[f64], x: &mut Pose) {
        let about = |axis: Vector3<f64>, point: &Vector3<f64>| Spatial::new(axis, point.cross(&axis));
        match joint.kind {
            JointKind::Free => {
                let t = Vector3::new(q[joint.q], q[joint.q + 1], q[joint.q + 2]);
                *x = Isometry3::from_parts(Translation3::from(t), quaternion_at(q, joint.q + 3));
                let r = x.rotation.to_rotation_matrix();
                for i in 0..3 {
                    let mut e = Vector3::zeros();
                    e[i] = 1.0;
                    self.axes[joint.v + i] = Spatial::new(Vector3::zeros(), e);
                    self.axes[joint.v + 3 + i] = about(r.matrix().column(i).into(), &t);
                }
            }
            JointKind::Ball => {
                let p = (*x * joint.anchor).coords;
                let r = x.rotation * quaternion_at(q, joint.q);
                *x = Isometry3::from_parts(Translation3::from(p - r * joint.anchor.coords), r);
                let m = r.to_rotation_matrix();
                for i in 0..3 {
                    self.axes[joint.v + i] = about(m.matrix().column(i).into(), &p);
                }
            }
            JointKind::Hinge => {
                let axis = x.rotation * joint.axis.into_inner();
                let [sine, cosine] = self.half_turns[joint.v];
                let turn = Quaternion::from_parts(cosine, joint.axis.into_inner() * sine);
                let r = x.rotation * UnitQuaternion::new_unchecked(turn);
                let mut p = x.translation.vector;
                if joint.anchor != Point3::origin() {
                    p += x.rotation * joint.anchor.coords;
                    x.translation.vector = p - r * joint.anchor.coords;
                }
                x.rotation = r;
                self.axes[joint.v] = about(axis, &p);
            }
            JointKind::Slide => {
                let axis = x.rotation * joint.axis.into_inner();
                x.translation.vector += axis * (q[joint.q] - joint.reference);
                self.axes[joint.v] = Spatial::new(Vector3::zeros(), axis);
            }
        }
    }

    /// Twists and velocity products at v; positions first.
    pub fn set_velocities(&mut self, model: &Model, v: &[f64]) {
        for (b, body) in model.bodies.iter().enumerate() {
            if body.tree.is_some() {
                self.set_velocity(model, b, v);
            } else {
                self.twist[b] = Spatial::default();
                self.drift[b] = Spatial::default();
            }
        }
    }

    /// The same for the bodies of one tree.
    pub(crate) fn set_velocities_of(&mut self, model: &Model, bodies: &[usize], v: &[f64]) {
        bodies.iter().for_each(|b| self.set_velocity(model, *b, v));
    }

    /// Twist and velocity product of a body whose parent has its twist.
    #[inline(always)]
    fn set_velocity(&mut self, model: &Model, b: usize, v: &[f64]) {
        let body = &model.bodies[b];
        let mut twist = self.twist[body.parent];
        let mut drift = Spatial::default();
        for joint in &model.joints[body.joints.clone()] {
            let sum = |range: std::ops::Range<usize>| {
                range.fold(Spatial::default(), |s, i| s + self.axes[i] * v[i])
            };
            if joint.kind == JointKind::Free {
                // Translation has fixed axes; the body-fixed rotation axes are carried along by it.
                let shift = sum(joint.v..joint.v + 3);
                let spin = sum(joint.v + 3..joint.v + 6);
                drift += shift.cross_motion(&spin);
                twist += shift + spin;
            } else {
                let own = sum(joint.v..joint.v + joint.kind.nv());
                drift += twist.cross_motion(&own);
                twist += own;
            }
        }
        self.twist[b] = twist;
        self.drift[b] = drift;
    }

    /// Reference point of the tree of a body; the world origin for bodies that cannot move.
    #[inline]
    pub fn reference(&self, model: &Model, body: usize) -> Point3<f64> {
        model.bodies[body].tree.map_or(Point3::origin(), |t| self.origin[t])
    }

    /// Velocity of the point of `body` that is at `p` (world) \[m/s\].
    #[inline]
    pub fn point_velocity(&self, model: &Model, body: usize, p: &Point3<f64>) -> Vector3<f64> {
        self.twist[body].at(&(p - self.reference(model, body)))
    }

    /// Centre of mass of a body, world \[m\].
    pub fn com(&self, model: &Model, body: usize) -> Point3<f64> {
        let _ = model;
        self.com[body]
    }

    /// Rotational inertia of a body about its centre of mass, world axes.
    pub(crate) fn world_inertia(&self, model: &Model, body: usize) -> Matrix3<f64> {
        let r = &self.r_wb[body];
        r * model.bodies[body].inertia * r.transpose()
    }

    /// Calls `f(dof, axis velocity at p, axis direction)` for every degree of freedom that moves `body`: the columns of the linear and
    /// angular Jacobian of the point p (world), in world axes, from the last degree of freedom to the first.
    #[inline]
    pub fn for_columns(
        &self,
        model: &Model,
        body: usize,
        p: &Point3<f64>,
        mut f: impl FnMut(usize, Vector3<f64>, Vector3<f64>),
    ) {
        let Some(t) = model.bodies[body].tree else { return };
        let r = p - self.origin[t];
        let mut next = model.bodies[body].last_dof;
        while let Some(i) = next {
            let s = &self.axes[i];
            f(i, s.at(&r), s.angular);
            next = model.dofs[i].parent;
        }
    }

    /// Linear Jacobian of the point p (world) of `body`, world axes: 3 × nv, column-major, and the angular one. Dense; for tests and output.
    pub fn jacobian(&self, model: &Model, body: usize, p: &Point3<f64>) -> (Vec<f64>, Vec<f64>) {
        let mut linear = vec![0.0; 3 * model.nv()];
        let mut angular = linear.clone();
        self.for_columns(model, body, p, |i, l, a| {
            linear[3 * i..3 * i + 3].copy_from_slice(l.as_slice());
            angular[3 * i..3 * i + 3].copy_from_slice(a.as_slice());
        });
        (linear, angular)
    }
}
