use signorini_core::na::{DMatrix, Point3, Vector3};

use crate::BodyError;
use crate::body::matrix;
use crate::world::{N, World};

/// Feature that two bodies have in common, in world coordinates at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// A point \[m\].
    Point {
        /// The point.
        at: Point3<f64>,
    },
    /// Two points of an axis, so that one turns about it.
    Hinge {
        /// A point of the axis \[m\].
        at: Point3<f64>,
        /// Direction of the axis.
        axis: Vector3<f64>,
        /// Distance of the two points from `at` \[m\], > 0; about the size of the bodies.
        half_length: f64,
    },
    /// Orientation; the second body moves along an axis of the first. Where the first moves, that is not linear: two springs as stiff as the bodies keep the second on the axis.
    Sliding {
        /// Direction of the axis.
        axis: Vector3<f64>,
    },
    /// Everything.
    Fixed,
    /// A direction, so that the second body moves in a plane of the first and turns about its normal. Where both move, the plane is not linear: a spring as stiff as the bodies keeps the second body in it.
    Planar {
        /// Direction of the normal.
        normal: Vector3<f64>,
    },
    /// The distance of two points, by a spring of k V/r² \[N/m\] (k of [`crate::IpcOptions::orthogonality`], V and r volume and radius of the second body, of the first where the second is held): it gives way by force over that. The bodies
    /// collide.
    Distance {
        /// A point of each body \[m\].
        at: [Point3<f64>; 2],
        /// The distance \[m\], > 0.
        length: f64,
    },
    /// Bounds of the distance of two points, which it never reaches: the barrier of contacts, over a range of d̂ or a quarter of the room between the bounds, as stiff at half its range as a spring of k V/r² \[N/m\] that begins there. The bodies
    /// collide.
    BoundedDistance {
        /// A point of each body \[m\].
        at: [Point3<f64>; 2],
        /// Least and largest distance \[m\]: 0 ≤ least < largest; the largest may be infinite.
        range: [f64; 2],
    },
    /// The number of one joint follows that of another, s_b = ratio · s_a + offset, numbers as [`crate::JointAction`] has them; by a spring as stiff as the limits of the follower.
    Mimic {
        /// Leader a and follower b, by their numbers among the joints of the system.
        joints: [usize; 2],
        /// Ratio, in the unit of the follower over that of the leader.
        ratio: f64,
        /// \[m or rad\]; zero where both start at zero.
        offset: f64,
    },
}

/// A joint that is linear in the coordinates of affine bodies holds exactly: it is eliminated, not penalised. The two bodies do not collide. Distances, joints along an axis or a plane that moves, and joints that follow others are not linear:
/// [`JointKind`] names their constraint and its accuracy. A body without joints floats.
///
/// Source: chen2022midas, eq. (1), under K q = c with the constant matrix K.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Name.
    pub name: String,
    /// The two bodies; not read where the kind names joints.
    pub bodies: [usize; 2],
    /// Feature that they have in common.
    pub kind: JointKind,
}

/// Rows of a joint: coefficients of the coordinates of both bodies.
#[derive(Clone, Debug)]
pub(crate) struct JointRows {
    /// rows × 24, those of held bodies included.
    pub k: DMatrix<f64>,
    /// K q at the start.
    pub c: Vec<f64>,
}

impl Joint {
    /// A joint with a name.
    pub fn new(name: &str, bodies: [usize; 2], kind: JointKind) -> Self {
        Self { name: name.to_owned(), bodies, kind }
    }

    /// Joint `follower` follows `leader`: s_b = ratio · s_a + offset, see [`JointKind::Mimic`].
    pub fn mimic(name: &str, [leader, follower]: [usize; 2], ratio: f64, offset: f64) -> Self {
        Self::new(name, [0; 2], JointKind::Mimic { joints: [leader, follower], ratio, offset })
    }

    pub(crate) fn refuse(&self, why: &str) -> BodyError {
        BodyError::Joint { name: self.name.clone(), why: why.to_owned() }
    }

    /// Checks numbers and bodies.
    pub(crate) fn check(&self, world: &[bool]) -> Result<(), BodyError> {
        if matches!(self.kind, JointKind::Mimic { .. }) {
            return Ok(());
        }
        let [a, b] = self.bodies;
        let fixed = |b: usize| world.get(b).copied();
        let (Some(first), Some(second)) = (fixed(a), fixed(b)) else {
            return Err(self.refuse("it names a body that does not exist"));
        };
        if a == b || (first && second) {
            return Err(self.refuse("it needs two bodies of which one moves"));
        }
        let finite = |v: &Vector3<f64>| v.iter().all(|x| x.is_finite());
        let direction = |v: &Vector3<f64>| finite(v) && v.norm() > 0.0;
        match self.kind {
            JointKind::Point { at } if !finite(&at.coords) => Err(self.refuse("its point is not finite")),
            JointKind::Hinge { at, axis, half_length } => {
                if !finite(&at.coords) || !direction(&axis) {
                    return Err(self.refuse("its axis needs finite numbers and a length above zero"));
                }
                if !(half_length > 0.0 && half_length.is_finite()) {
                    return Err(self.refuse("its half length must be above zero"));
                }
                Ok(())
            }
            JointKind::Sliding { axis: d } | JointKind::Planar { normal: d } => {
                if !direction(&d) {
                    return Err(self.refuse("its direction needs finite numbers and a length above zero"));
                }
                Ok(())
            }
            JointKind::Distance { at, length } => {
                let apart = self.apart(&at)?;
                if !(length > 0.0 && length.is_finite() && apart > 0.0) {
                    return Err(self.refuse("its length and the distance of its points must be above zero; give a point joint for none"));
                }
                Ok(())
            }
            JointKind::BoundedDistance { at, range: [low, high] } => {
                let apart = self.apart(&at)?;
                if !(low >= 0.0 && low < high) {
                    return Err(self.refuse("its bounds must ascend from zero or more"));
                }
                if !(low < apart && apart < high) {
                    let why = format!(
                        "its points are {apart} m apart at the start, not within ({low}, {high}); move the bodies or widen the bounds"
                    );
                    return Err(self.refuse(&why));
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Distance of its points at the start.
    fn apart(&self, at: &[Point3<f64>; 2]) -> Result<f64, BodyError> {
        let apart = (at[1] - at[0]).norm();
        if apart.is_finite() { Ok(apart) } else { Err(self.refuse("its points need finite numbers")) }
    }

    /// Whether the bodies still collide.
    pub(crate) fn collides(&self) -> bool {
        matches!(
            self.kind,
            JointKind::Distance { .. } | JointKind::BoundedDistance { .. } | JointKind::Mimic { .. }
        )
    }

    /// Bodies of the joint, or those of the joints that it names.
    pub(crate) fn linked(&self, joints: &[Joint]) -> Vec<usize> {
        match self.kind {
            JointKind::Mimic { joints: ends, .. } => {
                ends.iter().filter_map(|j| joints.get(*j)).flat_map(|j| j.bodies).collect()
            }
            _ => self.bodies.to_vec(),
        }
    }

    /// Points of the joint, each in the rest frame of its body, where the bodies have the coordinates `q` of the start; centres of mass where it has none.
    pub(crate) fn rest_points(&self, q: [&[f64]; 2]) -> [Vector3<f64>; 2] {
        let at = match self.kind {
            JointKind::Point { at } | JointKind::Hinge { at, .. } => [at, at],
            JointKind::Distance { at, .. } | JointKind::BoundedDistance { at, .. } => at,
            _ => [Point3::from(Vector3::from_column_slice(&q[1][..3])); 2],
        };
        [0, 1].map(|s| rest(q[s], &at[s].coords))
    }

    /// Rows of the joint where the bodies have the coordinates `q` of the start.
    pub(crate) fn rows(&self, world: &World, q: [&[f64]; 2]) -> JointRows {
        let mut rows: Vec<([f64; 24], f64)> = Vec::new();
        let rest = |s: usize, x: &Vector3<f64>| rest(q[s], x);
        // Σ sign · direction · (p + A X), or A X alone.
        let mut push = |direction: &Vector3<f64>, x: [Vector3<f64>; 2], whole: bool| {
            let mut k = [0.0; 24];
            for (s, sign) in [(0, -1.0), (1, 1.0)] {
                for r in 0..3 {
                    if whole {
                        k[12 * s + r] = sign * direction[r];
                    }
                    for c in 0..3 {
                        k[12 * s + 3 + 3 * r + c] = sign * direction[r] * x[s][c];
                    }
                }
            }
            let c = (0..24).map(|i| k[i] * q[i / 12][i % 12]).sum();
            rows.push((k, c));
        };
        let mut point = |at: &Vector3<f64>| {
            let x = [rest(0, at), rest(1, at)];
            (0..3).for_each(|r| push(&Vector3::ith(r, 1.0), x, true));
        };
        match self.kind {
            JointKind::Point { at } => point(&at.coords),
            JointKind::Hinge { at, axis, half_length } => {
                // The constraint is the same for any two points; those too near each other would count as one.
                let size = world.radius[self.bodies[usize::from(!world.bodies[self.bodies[1]].fixed)]];
                let e = axis.normalize() * half_length.max(0.1 * size);
                point(&(at.coords + e));
                point(&(at.coords - e));
            }
            JointKind::Fixed => {
                let free = usize::from(world.bodies[self.bodies[1]].fixed);
                let moving = 1 - free;
                let centre = Vector3::from_column_slice(&q[moving][..3]);
                let size = world.radius[self.bodies[moving]];
                point(&centre);
                (0..3).for_each(|i| point(&(centre + Vector3::ith(i, size))));
            }
            JointKind::Sliding { axis } => {
                let size = world.radius[self.bodies[1]];
                for k in 0..3 {
                    let e = Vector3::ith(k, size);
                    let x = [matrix(q[0]).transpose() * e, matrix(q[1]).transpose() * e];
                    (0..3).for_each(|r| push(&Vector3::ith(r, 1.0), x, false));
                }
                if !world.bodies[self.bodies[0]].fixed {
                    let k = DMatrix::from_fn(rows.len(), 24, |i, j| rows[i].0[j]);
                    return JointRows { k, c: rows.iter().map(|r| r.1).collect() };
                }
                let axis = axis.normalize();
                let first = axis.cross(&Vector3::ith(axis.iamin(), 1.0)).normalize();
                let at = Vector3::from_column_slice(&q[1][..3]);
                let x = [rest(0, &at), Vector3::zeros()];
                push(&first, x, true);
                push(&axis.cross(&first), x, true);
            }
            JointKind::Planar { normal } => {
                let normal = normal.normalize();
                let e = normal * world.radius[self.bodies[1]];
                let x = [matrix(q[0]).transpose() * e, matrix(q[1]).transpose() * e];
                (0..3).for_each(|r| push(&Vector3::ith(r, 1.0), x, false));
                if self.bodies.iter().any(|b| world.bodies[*b].fixed) {
                    // The centre of the one that moves.
                    let moving = usize::from(!world.bodies[self.bodies[1]].fixed);
                    let at = Vector3::from_column_slice(&q[moving][..3]);
                    push(&normal, [rest(0, &at), rest(1, &at)], true);
                }
            }
            JointKind::Distance { .. } | JointKind::BoundedDistance { .. } | JointKind::Mimic { .. } => {}
        }
        let k = DMatrix::from_fn(rows.len(), 24, |i, j| rows[i].0[j]);
        JointRows { k, c: rows.iter().map(|r| r.1).collect() }
    }
}

/// A world point in the rest frame of a body.
fn rest(q: &[f64], x: &Vector3<f64>) -> Vector3<f64> {
    // The start is rigid: the inverse of A is its transpose.
    matrix(q).transpose() * (x - Vector3::from_column_slice(&q[..3]))
}

/// Coordinates of a body that may be held.
pub(crate) fn coordinates<'a>(world: &'a World, q: &'a [f64], body: usize) -> &'a [f64] {
    match world.free[body] {
        Some(f) => &q[N * f as usize..N * f as usize + N],
        None => &world.held_coordinates[body],
    }
}
