use std::cell::RefCell;

use signorini_core::ProblemError;
use signorini_geometry::{Apart, ContactPoint, Facing, Neighbours, Shape};
use signorini_scene::Pose;

use crate::contact::bounds::{Bounds, PlacedBounds};
use crate::contact::collider::Collider;
use crate::contact::motion::Motion;
use crate::contact::pairs::Pair;
use crate::{Kinematics, Model};

/// Part of the thinner of two geoms, beyond the gap of the nearest points, up to which contacts of triangle meshes are sought: a mesh may have as many as triangles.
const NEAR: f64 = 0.05;

/// Rules of queries that do not depend on the scene.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueryRules {
    /// The law of contacts glides: [`LawProperties::glides`](signorini_core::LawProperties::glides).
    pub(crate) glides: bool,
    /// [`RigidOptions::area_moments`](crate::RigidOptions::area_moments).
    pub(crate) moments: bool,
}

/// Colliders at one state, and how their bodies may move from there; queries are of one pair.
pub(crate) struct Placed<'a> {
    pub(crate) model: &'a Model,
    pub(crate) colliders: &'a [Collider],
    /// Their bounds in the world.
    pub(crate) places: &'a [PlacedBounds],
    pub(crate) kin: &'a Kinematics,
    pub(crate) motion: &'a Motion,
    pub(crate) rules: QueryRules,
    /// Triangles of the pair that were near each other.
    pub(crate) neighbours: &'a RefCell<Neighbours>,
}

impl Placed<'_> {
    fn pose(&self, c: &Collider) -> Pose {
        self.kin.x_wb[c.body] * c.pose
    }

    /// Signed distance of two colliders, from below \[m\]; no closer than `enough`.
    pub(crate) fn distance(&self, of: [u32; 2], enough: f64) -> f64 {
        let [a, b] = of.map(|i| (&self.colliders[i as usize], &self.places[i as usize]));
        match (&a.0.bounds, &b.0.bounds) {
            (Some(of_a), Some(of_b)) => of_a.distance(a.1, of_b, b.1, enough),
            (None, Some(of_b)) => Self::height(a, of_b, b.1),
            (Some(of_a), None) => Self::height(b, of_a, a.1),
            (None, None) => f64::NEG_INFINITY,
        }
    }

    /// Height of bounds above a collider, from below, when that is a half-space.
    fn height((plane, at): (&Collider, &PlacedBounds), bounds: &Bounds, other: &PlacedBounds) -> f64 {
        match plane.shape {
            Shape::HalfSpace => bounds.height(other, &at.center, &at.normal()),
            _ => f64::NEG_INFINITY,
        }
    }

    /// Shortest side of the boxes around two geoms \[m\].
    pub(crate) fn thickness(&self, p: &Pair) -> f64 {
        let of = |i: u32| self.colliders[i as usize].bounds.map_or(f64::INFINITY, |b| b.thickness());
        of(p.a).min(of(p.b))
    }

    /// Time for which a pair with a triangle mesh stays farther apart than `least` \[m\] from the time `t` on ([`signorini_geometry::time_apart`]).
    pub(crate) fn time_apart(&self, p: &Pair, t: f64, [least, horizon]: [f64; 2]) -> Option<Apart> {
        let [a, b] = [p.a, p.b].map(|i| &self.colliders[i as usize]);
        let motion = |c: &Collider| {
            let (pose, motion) = self.motion.rigid(self.kin, self.model, c.body, t);
            (pose * c.pose, motion)
        };
        let ((x_wa, of_a), (x_wb, of_b)) = (motion(a), motion(b));
        let mut neighbours = self.neighbours.borrow_mut();
        neighbours.time_apart([&a.shape, &b.shape], [&x_wa, &x_wb], [&of_a, &of_b], least, horizon)
    }

    /// Adds what is near of a pair, within `margin`: its contacts, or the nearest points alone of a pair with a triangle mesh that is apart; whether these are its contacts.
    pub(crate) fn query(
        &self,
        p: &Pair,
        margin: f64,
        points: &mut Vec<ContactPoint>,
    ) -> Result<bool, ProblemError> {
        let (margin, facing) = self.sought(p, |c| self.pose(c), margin);
        if let Some(Facing::Apart(near)) = facing {
            points.push(near);
            return Ok(false);
        }
        self.contacts(p, |c| self.pose(c), margin, points).map(|()| true)
    }

    /// Adds the contacts below `margin` with the colliders at poses of their own; of triangle meshes those that are not much farther apart than the nearest.
    pub(crate) fn query_at(
        &self,
        p: &Pair,
        pose: impl Fn(&Collider) -> Pose,
        margin: f64,
        points: &mut Vec<ContactPoint>,
    ) -> Result<(), ProblemError> {
        let (margin, _) = self.sought(p, &pose, margin);
        self.contacts(p, pose, margin, points)
    }

    /// Adds the contacts of a pair whose nearest points are `gap` apart, of those below `margin`.
    pub(crate) fn contacts_about(
        &self,
        p: &Pair,
        [gap, margin]: [f64; 2],
        points: &mut Vec<ContactPoint>,
    ) -> Result<(), ProblemError> {
        self.contacts(p, |c| self.pose(c), margin.min(gap + NEAR * self.thickness(p)), points)
    }

    /// The margin within which contacts of a pair are sought, and how near triangle meshes are where that decides it.
    fn sought(&self, p: &Pair, pose: impl Fn(&Collider) -> Pose, margin: f64) -> (f64, Option<Facing>) {
        let [a, b] = [p.a, p.b].map(|i| &self.colliders[i as usize]);
        let beyond = NEAR * self.thickness(p);
        let mesh = [a, b].iter().any(|c| matches!(c.shape, Shape::Mesh(_)));
        if !mesh || margin <= beyond {
            return (margin, None);
        }
        let facing =
            self.neighbours.borrow_mut().facing_sides([&a.shape, &b.shape], [&pose(a), &pose(b)], margin);
        let gap = match facing {
            None => return (margin, None),
            Some(Facing::Apart(near)) => near.gap,
            // Where no part faces the other, one may be in the other.
            Some(Facing::Touching | Facing::Beyond) => 0.0,
        };
        (margin.min(gap + beyond), facing)
    }

    fn contacts(
        &self,
        p: &Pair,
        pose: impl Fn(&Collider) -> Pose,
        margin: f64,
        points: &mut Vec<ContactPoint>,
    ) -> Result<(), ProblemError> {
        let [a, b] = [p.a, p.b].map(|i| &self.colliders[i as usize]);
        let found =
            self.neighbours.borrow_mut().contacts([&a.shape, &b.shape], [&pose(a), &pose(b)], margin, points);
        found.map_err(|e| ProblemError::Unsupported(format!("geoms '{}' and '{}': {e}", a.name, b.name)))
    }
}
