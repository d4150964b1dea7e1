use signorini_core::na::{Isometry3, Matrix3, Point3, Rotation3, Translation3, UnitQuaternion, Vector3};
use signorini_core::{ProblemError, State};
use signorini_scene::{JointKind, Scene};

use crate::body::{axial, matrix};
use crate::inputs::nearest_rotation;
use crate::joints::coordinates;
use crate::world::N;
use crate::{AffineBody, AffineScene, AffineSystem};

/// A joint of the scene, for reading it.
#[derive(Clone, Debug)]
struct ReadJoint {
    kind: JointKind,
    body: usize,
    parent: usize,
    /// Pose of the body in its parent as drawn.
    drawn: Isometry3<f64>,
    anchor: Vector3<f64>,
    axis: Vector3<f64>,
    reference: f64,
    /// Anchor \[m\] and axis in the world at the start.
    line: [Vector3<f64>; 2],
    /// Among the joints of the system, and its number at the start, for those of several hinges and slides of one body.
    chained: Option<(usize, f64)>,
}

/// How positions and velocities of a scene follow from those of affine bodies, and velocities the other way.
#[derive(Clone, Debug)]
pub(crate) struct Readout {
    /// Of each body of the scene: the affine body that it moves with, and its pose in the frame of that one's mesh; of what is fixed to the world, its pose there.
    frames: Vec<(Option<usize>, Isometry3<f64>)>,
    parents: Vec<usize>,
    joints: Vec<ReadJoint>,
    /// Bodies between joints of one body, with the joint above each.
    between: Vec<(usize, usize)>,
}

/// Numbers of the joints among those of the system, their positions at the start (none: as drawn), and the bodies between joints of one body.
pub(crate) type Made<'a> = (&'a [Option<usize>], &'a [&'a [f64]], Vec<(usize, usize)>);

/// Rigid motion of a body: pose, velocity of the origin \[m/s\] and angular velocity \[rad/s\], world axes.
#[derive(Clone, Copy, Debug)]
struct Motion {
    pose: Isometry3<f64>,
    linear: Vector3<f64>,
    angular: Vector3<f64>,
}

impl Motion {
    fn at(&self, point: &Vector3<f64>) -> Vector3<f64> {
        self.linear + self.angular.cross(&(point - self.pose.translation.vector))
    }
}

/// Angular velocity of A \[rad/s\].
fn spin(a: &Matrix3<f64>, rate: &Matrix3<f64>) -> Vector3<f64> {
    a.try_inverse().map_or_else(Vector3::zeros, |inverse| 0.5 * axial(&(rate * inverse)))
}

impl AffineSystem {
    /// Pose of the axes about the centre of mass that the points X of a body are in, with the rotation nearest to A.
    pub fn pose(&self, x: &State, body: usize) -> Isometry3<f64> {
        let q = coordinates(&self.world, &x.q, body);
        let r = Rotation3::from_matrix_unchecked(nearest_rotation(&matrix(q)));
        let centre = Translation3::new(q[0], q[1], q[2]);
        Isometry3::from_parts(centre, UnitQuaternion::from_rotation_matrix(&r))
    }
}

impl Readout {
    /// `world` has the poses of all bodies of the scene at the start, `after` those after each joint, `tops` the body of the scene that each affine body has its mesh in.
    pub(crate) fn new(
        scene: &Scene,
        (world, after): (&[Isometry3<f64>], &[Isometry3<f64>]),
        bodies: &[Option<usize>],
        tops: &[usize],
        (numbers, starts, between): Made<'_>,
    ) -> Self {
        let frame = |(b, body): (usize, &Option<usize>)| match body {
            // The mesh of the world is in its own frame.
            Some(a) if tops[*a] != 0 => (Some(*a), world[tops[*a]].inv_mul(&world[b])),
            _ => (None, world[b]),
        };
        let chains = |body: usize| between.iter().any(|b| scene.joints[b.1].body == body);
        let joint = |(i, j): (usize, &signorini_scene::Joint)| ReadJoint {
            kind: j.kind,
            body: j.body,
            parent: scene.bodies[j.body].parent,
            drawn: scene.bodies[j.body].pose,
            anchor: j.anchor.coords,
            axis: j.axis.into_inner(),
            reference: j.reference,
            line: [(after[i] * j.anchor).coords, after[i] * j.axis.into_inner()],
            chained: numbers[i]
                .filter(|_| chains(j.body))
                .map(|n| (n, starts[i].first().copied().unwrap_or(j.reference))),
        };
        Self {
            frames: bodies.iter().enumerate().map(frame).collect(),
            parents: scene.bodies.iter().map(|b| b.parent).collect(),
            joints: scene.joints.iter().enumerate().map(joint).collect(),
            between,
        }
    }

    /// The point that a body turns about, where slides and a turning joint share it \[m\].
    fn turns_about(&self, body: usize) -> Option<Vector3<f64>> {
        let turns = |j: &&ReadJoint| matches!(j.kind, JointKind::Hinge | JointKind::Ball);
        self.joints.iter().filter(|j| j.body == body).find(turns).map(|j| j.anchor)
    }

    /// Motions of all bodies of the scene.
    fn motions(&self, system: &AffineSystem, x: &State) -> Vec<Motion> {
        let of = |(body, offset): &(Option<usize>, Isometry3<f64>)| {
            let at = body.and_then(|b| Some((b, system.coordinates_of(b)?)));
            let Some((b, at)) = at else {
                return Motion { pose: *offset, linear: Vector3::zeros(), angular: Vector3::zeros() };
            };
            let (q, v) = (&x.q[at..at + N], &x.v[at..at + N]);
            let (frame, angular) = (system.pose(x, b), spin(&matrix(q), &matrix(v)));
            let centre = frame.translation.vector;
            let mesh = frame * Translation3::from(-system.bodies()[b].com);
            let pose = mesh * offset;
            let linear =
                Vector3::from_column_slice(&v[..3]) + angular.cross(&(pose.translation.vector - centre));
            Motion { pose, linear, angular }
        };
        self.frames.iter().map(of).collect()
    }
}

/// `angle` plus the turns that bring it nearest to `near`.
fn unwrapped(angle: f64, near: f64) -> f64 {
    let turn = 2.0 * std::f64::consts::PI;
    angle + turn * ((near - angle) / turn).round()
}

/// The quaternion with the sign that is nearer to what `near` has at its place.
fn push_near(r: &UnitQuaternion<f64>, near: &[f64], q: &mut Vec<f64>) {
    let r = [r.w, r.i, r.j, r.k];
    let along: f64 = r.iter().zip(&near[q.len()..]).map(|(a, b)| a * b).sum();
    q.extend(r.map(|x| if along < 0.0 { -x } else { x }));
}

impl AffineScene {
    /// Poses of all bodies of the scene, with the rotations nearest to those of the affine bodies.
    pub fn poses(&self, x: &State) -> Vec<Isometry3<f64>> {
        self.readout.motions(&self.system, x).iter().map(|m| m.pose).collect()
    }

    /// Positions, nq, and velocities, nv, of the joints of the scene, as the crate `signorini-multibody` has them: free joints by the velocity of the origin in world axes and the angular velocity in body axes,
    /// balls by the angular velocity in the axes of the child. Angles of hinges and signs of quaternions are those nearest to `near`, nq, so that turns are counted from one call to the next.
    ///
    /// # Errors
    /// [`ProblemError::Shape`] for a `near` of another length.
    pub fn joint_coordinates(&self, x: &State, near: &[f64]) -> Result<(Vec<f64>, Vec<f64>), ProblemError> {
        let nq = self.readout.joints.iter().map(|j| j.kind.nq()).sum();
        signorini_core::check_count("positions", nq, near.len())?;
        let motions = self.readout.motions(&self.system, x);
        let (mut q, mut v) = (Vec::with_capacity(nq), Vec::new());
        for j in &self.readout.joints {
            let (body, parent) = (&motions[j.body], &motions[j.parent]);
            let drawn = parent.pose * j.drawn;
            let turn = drawn.rotation.inverse() * body.pose.rotation;
            let spin = body.angular - parent.angular;
            if let Some((number, start)) = j.chained {
                let value = start + self.system.joint_value(x, number).unwrap_or(0.0);
                let hinge = j.kind == JointKind::Hinge;
                q.push(if hinge { unwrapped(value, near[q.len()]) } else { value });
                v.push(self.system.joint_rate(x, number).unwrap_or(0.0));
                continue;
            }
            match j.kind {
                JointKind::Free => {
                    let (p, r) = (&body.pose.translation.vector, &body.pose.rotation);
                    q.extend([p.x, p.y, p.z]);
                    push_near(r, near, &mut q);
                    v.extend_from_slice(body.linear.as_slice());
                    v.extend_from_slice((r.inverse() * body.angular).as_slice());
                }
                JointKind::Ball => {
                    push_near(&turn, near, &mut q);
                    v.extend_from_slice((body.pose.rotation.inverse() * spin).as_slice());
                }
                JointKind::Hinge => {
                    let angle = 2.0 * turn.imag().dot(&j.axis).atan2(turn.w);
                    q.push(unwrapped(angle + j.reference, near[q.len()]));
                    v.push(spin.dot(&(body.pose.rotation * j.axis)));
                }
                JointKind::Slide => {
                    // What a joint that follows turns about does not turn.
                    let anchor = Point3::from(self.readout.turns_about(j.body).unwrap_or(j.anchor));
                    let (at, from) = ((body.pose * anchor).coords, (drawn * anchor).coords);
                    let axis = drawn.rotation * j.axis;
                    q.push(axis.dot(&(at - from)) + j.reference);
                    // Both see the axis turn with the parent.
                    v.push(axis.dot(&(body.at(&at) - parent.at(&at))));
                }
            }
        }
        Ok((q, v))
    }

    /// The start with velocities of the joints of the scene, nv, in the order and the axes of [`AffineScene::joint_coordinates`].
    ///
    /// # Errors
    /// [`ProblemError::Shape`] for another number of velocities; numbers that are not finite.
    pub fn state_with(&self, v: &[f64]) -> Result<State, ProblemError> {
        let nv = self.readout.joints.iter().map(|j| j.kind.nv()).sum();
        signorini_core::check_count("velocities", nv, v.len())?;
        signorini_core::check_finite("velocities", v)?;
        let mut x = self.system.initial_state();
        let mut motions = self.readout.motions(&self.system, &x);
        let mut joints = self.readout.joints.iter().enumerate().peekable();
        let mut at = 0;
        for b in 1..motions.len() {
            let parent = motions[self.readout.parents[b]];
            let origin = motions[b].pose.translation.vector;
            let (mut linear, mut angular) = (parent.at(&origin), parent.angular);
            while let Some((i, j)) = joints.next_if(|j| j.1.body == b) {
                let rate = &v[at..at + j.kind.nv()];
                at += rate.len();
                let (r, [anchor, axis]) = (motions[b].pose.rotation, j.line);
                let turns = |spin: Vector3<f64>| (spin.cross(&(origin - anchor)), spin);
                let (by, spin) = match j.kind {
                    JointKind::Free => {
                        (Vector3::from_column_slice(&rate[..3]), r * Vector3::from_column_slice(&rate[3..]))
                    }
                    JointKind::Ball => turns(r * Vector3::from_column_slice(rate)),
                    JointKind::Hinge => turns(rate[0] * axis),
                    JointKind::Slide => (rate[0] * axis, Vector3::zeros()),
                };
                (linear, angular) = (linear + by, angular + spin);
                if let Some((body, _)) = self.readout.between.iter().find(|o| o.1 == i) {
                    let motion = Motion { pose: motions[b].pose, linear, angular };
                    self.set_velocity(*body, &motion, &mut x);
                }
            }
            (motions[b].linear, motions[b].angular) = (linear, angular);
        }
        for ((body, _), motion) in self.readout.frames.iter().zip(&motions) {
            if let Some(body) = body {
                self.set_velocity(*body, motion, &mut x);
            }
        }
        Ok(x)
    }

    /// Gives an affine body the motion of a rigid one.
    fn set_velocity(&self, body: usize, motion: &Motion, x: &mut State) {
        let Some(at) = self.system.coordinates_of(body) else { return };
        let of: &AffineBody = &self.system.bodies()[body];
        let q = &x.q[at..at + N];
        let linear = motion.at(&Vector3::from_column_slice(&q[..3]));
        let velocity = of.velocity(q, &linear, &motion.angular);
        x.v[at..at + N].copy_from_slice(&velocity);
    }
}
