use signorini_core::ProblemError;
use signorini_geometry::{ContactPoint, Shape, contacts};
use signorini_scene::Pose;

use crate::contact::bounds::Bounds;
use crate::contact::collider::{Collider, place};
use crate::contact::motion::Motion;
use crate::contact::pairs::Pair;
use crate::{Kinematics, Model};

/// Colliders at one state, and how their bodies may move from there.
pub(crate) struct Placed<'a> {
    pub(crate) model: &'a Model,
    pub(crate) colliders: &'a [Collider],
    pub(crate) kin: &'a Kinematics,
    pub(crate) motion: &'a Motion,
}

impl Placed<'_> {
    fn pose(&self, c: &Collider) -> Pose {
        self.kin.x_wb[c.body] * c.pose
    }

    /// Signed distance of two colliders, from below \[m\]; no closer than `enough`.
    pub(crate) fn distance(&self, p: &Pair, enough: f64) -> f64 {
        let [a, b] = [p.a, p.b].map(|i| &self.colliders[i as usize]);
        let at = |c| place(self.kin, c);
        match (&a.bounds, &b.bounds) {
            (Some(of_a), Some(of_b)) => of_a.distance(&at(a), of_b, &at(b), enough),
            (None, Some(bounds)) => self.height(a, b, bounds),
            (Some(bounds), None) => self.height(b, a, bounds),
            (None, None) => f64::NEG_INFINITY,
        }
    }

    /// Height of the second collider above the first, from below, when that is a half-space.
    fn height(&self, plane: &Collider, other: &Collider, bounds: &Bounds) -> f64 {
        match plane.shape {
            Shape::HalfSpace => {
                let at = place(self.kin, plane);
                bounds.height(&place(self.kin, other), &at.center, &at.normal())
            }
            _ => f64::NEG_INFINITY,
        }
    }

    /// Adds the contacts of a pair below `margin`.
    pub(crate) fn query(
        &self,
        p: &Pair,
        margin: f64,
        points: &mut Vec<ContactPoint>,
    ) -> Result<(), ProblemError> {
        self.query_at(p, |c| self.pose(c), margin, points)
    }

    /// [`Placed::query`] with the colliders at poses of their own.
    pub(crate) fn query_at(
        &self,
        p: &Pair,
        pose: impl Fn(&Collider) -> Pose,
        margin: f64,
        points: &mut Vec<ContactPoint>,
    ) -> Result<(), ProblemError> {
        let [a, b] = [p.a, p.b].map(|i| &self.colliders[i as usize]);
        contacts(&a.shape, &pose(a), &b.shape, &pose(b), margin, points)
            .map_err(|e| ProblemError::Unsupported(format!("geoms '{}' and '{}': {e}", a.name, b.name)))
    }
}
