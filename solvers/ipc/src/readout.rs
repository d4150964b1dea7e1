use signorini_core::State;
use signorini_core::na::{Isometry3, Matrix3, Rotation3, Translation3, UnitQuaternion, Vector3};
use signorini_scene::{JointKind, Scene};

use crate::AffineSystem;
use crate::body::{axial, matrix, nearest_rotation};
use crate::joints::coordinates;
use crate::world::N;

/// A joint of the scene, for reading it.
#[derive(Clone, Debug)]
pub(crate) struct ReadJoint {
    pub(crate) kind: JointKind,
    pub(crate) body: usize,
    pub(crate) parent: usize,
    /// Pose of the body in its parent as drawn.
    pub(crate) drawn: Isometry3<f64>,
    pub(crate) anchor: Vector3<f64>,
    pub(crate) axis: Vector3<f64>,
    pub(crate) reference: f64,
    /// Anchor \[m\] and axis in the world at the start.
    pub(crate) line: [Vector3<f64>; 2],
    /// Among the joints of the system, and its number at the start, for those of several hinges and slides of one body.
    pub(crate) chained: Option<(usize, f64)>,
}

/// Map from positions and velocities of affine bodies to those of a scene, and velocities the other way.
#[derive(Clone, Debug)]
pub(crate) struct Readout {
    /// Affine body of each body of the scene: the one that it moves with, and its pose in the frame of that one's mesh; of a body that is fixed to the world, its pose there.
    pub(crate) frames: Vec<(Option<usize>, Isometry3<f64>)>,
    pub(crate) parents: Vec<usize>,
    pub(crate) joints: Vec<ReadJoint>,
    /// Bodies between joints of one body, with the joint above each.
    pub(crate) between: Vec<(usize, usize)>,
}

/// Affine bodies and joints made of a scene.
pub(crate) struct Made<'a> {
    /// Poses of all bodies of the scene at the start.
    pub world: &'a [Isometry3<f64>],
    /// Poses after each joint.
    pub after: &'a [Isometry3<f64>],
    /// Affine body of each body of the scene.
    pub bodies: &'a [Option<usize>],
    /// Body of the scene that each affine body has its mesh in.
    pub tops: &'a [usize],
    /// Numbers of the joints among those of the system.
    pub numbers: &'a [Option<usize>],
    /// Positions of the joints at the start; none: as drawn.
    pub starts: &'a [&'a [f64]],
    /// Bodies between joints of one body, with the joint above each.
    pub between: Vec<(usize, usize)>,
}

/// Rigid motion of a body: pose, velocity of the origin \[m/s\] and angular velocity \[rad/s\], world axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion {
    pub(crate) pose: Isometry3<f64>,
    pub(crate) linear: Vector3<f64>,
    pub(crate) angular: Vector3<f64>,
}

impl Motion {
    pub(crate) fn at(&self, point: &Vector3<f64>) -> Vector3<f64> {
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
    /// From the scene and the parts made of it.
    pub(crate) fn new(scene: &Scene, made: Made<'_>) -> Self {
        let Made { world, after, bodies, tops, numbers, starts, between } = made;
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
    pub(crate) fn turns_about(&self, body: usize) -> Option<Vector3<f64>> {
        let turns = |j: &&ReadJoint| matches!(j.kind, JointKind::Hinge | JointKind::Ball);
        self.joints.iter().filter(|j| j.body == body).find(turns).map(|j| j.anchor)
    }

    /// Motions of all bodies of the scene.
    pub(crate) fn motions(&self, system: &AffineSystem, x: &State) -> Vec<Motion> {
        let of = |(body, offset): &(Option<usize>, Isometry3<f64>)| {
            let Some(b) = *body else {
                return Motion { pose: *offset, linear: Vector3::zeros(), angular: Vector3::zeros() };
            };
            let frame = system.pose(x, b);
            let pose = frame * Translation3::from(-system.bodies()[b].com) * offset;
            let Some(at) = system.coordinates_of(b) else {
                return Motion { pose, linear: Vector3::zeros(), angular: Vector3::zeros() };
            };
            let (q, v) = (&x.q[at..at + N], &x.v[at..at + N]);
            let (centre, angular) = (frame.translation.vector, spin(&matrix(q), &matrix(v)));
            let linear =
                Vector3::from_column_slice(&v[..3]) + angular.cross(&(pose.translation.vector - centre));
            Motion { pose, linear, angular }
        };
        self.frames.iter().map(of).collect()
    }
}
