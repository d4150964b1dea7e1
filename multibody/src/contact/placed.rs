use signorini_core::ProblemError;
use signorini_core::na::Vector3;
use signorini_geometry::{Apart, Approach, ContactPoint, Shape, contacts, time_apart};
use signorini_scene::Pose;

use crate::contact::bounds::Bounds;
use crate::contact::collider::{Collider, place};
use crate::contact::motion::Motion;
use crate::contact::pairs::Pair;
use crate::{Kinematics, Model};

/// Part of the thinner of two geoms, beyond the gap of the nearest points, up to which contacts of triangle meshes are sought: a mesh may have as many as triangles.
const NEAR: f64 = 0.05;

/// Colliders at one state, and how their bodies may move from there.
pub(crate) struct Placed<'a> {
    pub(crate) model: &'a Model,
    pub(crate) colliders: &'a [Collider],
    pub(crate) kin: &'a Kinematics,
    pub(crate) motion: &'a Motion,
    /// The law of contacts glides: [`LawProperties::glides`](signorini_core::LawProperties::glides).
    pub(crate) glides: bool,
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

    /// Shortest side of the boxes around two geoms \[m\].
    pub(crate) fn thickness(&self, p: &Pair) -> f64 {
        let of = |i: u32| self.colliders[i as usize].bounds.map_or(f64::INFINITY, |b| b.thickness());
        of(p.a).min(of(p.b))
    }

    /// Time for which a pair with a triangle mesh stays farther apart than `least` \[m\] from the poses on ([`time_apart`]).
    pub(crate) fn time_apart(
        &self,
        p: &Pair,
        pose: impl Fn(&Collider) -> Pose,
        approach: &Approach,
        [least, horizon]: [f64; 2],
    ) -> Option<Apart> {
        let [a, b] = [p.a, p.b].map(|i| &self.colliders[i as usize]);
        if ![a, b].iter().any(|c| matches!(c.shape, Shape::Mesh(_))) {
            return None;
        }
        time_apart([&a.shape, &b.shape], [&pose(a), &pose(b)], approach, least, horizon)
    }

    /// Adds the contacts of a pair below `margin`; of triangle meshes those that are not much farther apart than the nearest.
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
        let beyond = NEAR * self.thickness(p);
        let mut margin = margin;
        if margin > beyond {
            // At a speed of one the time is the distance.
            let still = Approach { velocity: Vector3::zeros(), spin: 1.0 };
            if let Some(apart) = self.time_apart(p, &pose, &still, [0.0, margin]) {
                // Where no part faces the other, one may be in the other.
                let gap = if apart.gap.is_finite() { apart.gap.max(0.0) } else { 0.0 };
                margin = margin.min(gap + beyond);
            }
        }
        contacts(&a.shape, &pose(a), &b.shape, &pose(b), margin, points)
            .map_err(|e| ProblemError::Unsupported(format!("geoms '{}' and '{}': {e}", a.name, b.name)))
    }
}
