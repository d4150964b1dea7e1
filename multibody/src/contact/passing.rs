use signorini_core::ProblemError;
use signorini_core::na::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use signorini_geometry::{ContactPoint, Shape, support};
use signorini_scene::Pose;

use crate::contact::pairs::Pair;
use crate::contact::placed::Placed;

/// Advances before a pair counts as one that meets.
const ADVANCES: u32 = 16;

/// Part of the approach beyond the gap that may overlap where a pair only grazes.
const OVERLAP: f64 = 0.1;

/// Two geoms that come nearer, at the start of the step.
struct Approach {
    bodies: [usize; 2],
    /// The nearest contact.
    near: ContactPoint,
    /// Speed at which its points come nearer \[m/s\].
    closing: f64,
    /// Largest gap that matters \[m\].
    far: f64,
    /// Gap down to which forces may take the pair within the step \[m\].
    clear: f64,
}

/// Encounter of two geoms within the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Ahead {
    /// The contacts of its start.
    Start,
    /// Contacts of its end.
    End,
    /// No contact: they pass each other.
    Nothing,
}

fn nearest(points: &[ContactPoint]) -> Option<ContactPoint> {
    points.iter().min_by(|a, b| a.gap.total_cmp(&b.gap)).copied()
}

impl Placed<'_> {
    /// Looks along the motion of two geoms that come nearer; `found` becomes the contacts that hold within the step. `moved` is scratch.
    ///
    /// Passing is asked only of pairs that graze: that slide along each other by more than half their gap while it closes. The normal of the start of the step would stop and turn them
    /// instead. Pairs that come nearer than forces may take them count as meeting.
    pub(crate) fn look_along(
        &self,
        p: &Pair,
        found: &mut Vec<ContactPoint>,
        moved: &mut Vec<ContactPoint>,
    ) -> Result<Ahead, ProblemError> {
        let motion = self.motion;
        let Some(near) = nearest(found).filter(|_| motion.horizon > 0.0) else { return Ok(Ahead::Start) };
        let bodies = [p.a, p.b].map(|i| self.colliders[i as usize].body);
        let relative = self.relative(bodies, &near);
        let closing = -relative.dot(&near.normal);
        if closing <= 0.0 {
            return Ok(Ahead::Start);
        }
        let along = (relative + closing * near.normal).norm();
        let far = near.gap + motion.approach(bodies[0], bodies[1]);
        let clear = p.active.max(0.0) + motion.pulls(bodies);
        let approach = Approach { bodies, near, closing, far, clear };
        let may_pass = near.gap > clear && along >= 0.5 * closing;
        let h = motion.horizon;
        if may_pass && self.stays_apart(p, &near.normal, clear) {
            return Ok(Ahead::Nothing);
        }
        let gap = near.gap - p.active;
        let meets_the_end = gap > -OVERLAP * h * closing && gap < h * closing;
        if !may_pass && !meets_the_end {
            return Ok(Ahead::Start);
        }
        let at_end =
            |ends: &mut Vec<ContactPoint>| self.query_at(p, |c| self.moved(c.body, h) * c.pose, far, ends);
        at_end(moved)?;
        if may_pass {
            let end = nearest(moved);
            if end.is_none_or(|end| end.gap > clear) {
                if end.is_some_and(|end| self.stays_apart(p, &end.normal, clear))
                    || self.advances_to_the_end(p, &approach, moved)?
                {
                    return Ok(Ahead::Nothing);
                }
                if meets_the_end {
                    at_end(moved)?;
                }
            }
        }
        let taken = meets_the_end && self.take_ends(p, &approach, found, moved);
        Ok(if taken { Ahead::End } else { Ahead::Start })
    }

    /// Velocity of B relative to A at the points of a contact \[m/s\].
    fn relative(&self, [a, b]: [usize; 2], c: &ContactPoint) -> Vector3<f64> {
        self.kin.point_velocity(self.model, b, &c.p_b) - self.kin.point_velocity(self.model, a, &c.p_a)
    }

    /// Whether the direction `n` from A to B separates two convex geoms by more than `clear` \[m\] throughout the step, of length h, at the velocities of their bodies.
    ///
    /// It does at both ends, by the difference of their support points. Between these, the height along a fixed direction of a point at the distance ρ from the centre about which its body turns is
    /// within |ω|² ρ h²/8 of a straight line.
    fn stays_apart(&self, p: &Pair, n: &Vector3<f64>, clear: f64) -> bool {
        let h = self.motion.horizon;
        let (mut gaps, mut bent) = ([0.0; 2], 0.0);
        for (i, n) in [(p.a, -n), (p.b, *n)] {
            let c = &self.colliders[i as usize];
            let (Some(bounds), false) =
                (&c.bounds, matches!(c.shape, Shape::Mesh(_) | Shape::HeightField(_)))
            else {
                return false;
            };
            for (gap, x) in gaps.iter_mut().zip([self.kin.x_wb[c.body], self.moved(c.body, h)]) {
                let x = x * c.pose;
                let Some(lowest) = support(&c.shape, &x.rotation.inverse_transform_vector(&-n)) else {
                    return false;
                };
                *gap += (x * lowest).coords.dot(&n);
            }
            let turn = h * h * self.kin.twist[c.body].angular.norm_squared();
            bent += 0.125 * turn * (bounds.center.coords.norm() + bounds.radius);
        }
        gaps[0].min(gaps[1]) - bent > clear
    }

    /// Whether two geoms pass each other, whatever turns on the way: conservative advancement (Mirtich 1996), in which a gap φ with normal n cannot close before φ over the closing
    /// speed along n.
    fn advances_to_the_end(
        &self,
        p: &Pair,
        &Approach { bodies, mut near, far, clear, .. }: &Approach,
        points: &mut Vec<ContactPoint>,
    ) -> Result<bool, ProblemError> {
        let motion = self.motion;
        let spin = motion.spin[bodies[0]] + motion.spin[bodies[1]];
        let centre = motion.velocity[bodies[1]] - motion.velocity[bodies[0]];
        let mut t = 0.0;
        for _ in 0..ADVANCES {
            let closing = -centre.dot(&near.normal) + spin;
            if closing <= 0.0 {
                return Ok(true);
            }
            t += (near.gap - clear) / closing;
            if t >= motion.horizon {
                return Ok(true);
            }
            self.query_at(p, |c| self.moved(c.body, t) * c.pose, far, points)?;
            let Some(now) = nearest(points) else { return Ok(true) };
            if now.gap <= clear + 1e-3 * far {
                return Ok(false);
            }
            near = now;
        }
        Ok(false)
    }

    /// Takes the contacts `ends` of the end of the step, by the velocities of the bodies, for those of two geoms that do not touch, but would within it, when that hardly overlaps: a geom that
    /// slides over a seam or an edge meets its top, though the nearest point of the start of the step is at its side.
    ///
    /// ```text
    /// φ_h + h (u − u₀)·n_h ≥ 0     in place of φ₀ + h u·n₀ ≥ 0
    /// ```
    /// with gap and normal of the end, at the points of the bodies that meet there. Geoms that overlap there by more than forces and a part of the approach explain, or have come out on the
    /// other side, keep the contacts of the start.
    fn take_ends(
        &self,
        p: &Pair,
        &Approach { bodies, near, closing, .. }: &Approach,
        found: &mut Vec<ContactPoint>,
        ends: &mut Vec<ContactPoint>,
    ) -> bool {
        let motion = self.motion;
        let h = motion.horizon;
        let gap = near.gap - p.active;
        let most = motion.pulls(bodies) + OVERLAP * (h * closing - gap);
        let grazes = |c: &ContactPoint| c.gap - p.active > -most && c.normal.dot(&near.normal) > -OVERLAP;
        if ends.is_empty() || !ends.iter().all(grazes) {
            return false;
        }
        let [way_a, way_b] = bodies.map(|b| h * self.origin_velocity(b));
        for c in ends.iter_mut() {
            (c.p_a, c.p_b) = (c.p_a - way_a, c.p_b - way_b);
            c.gap -= h * self.relative(bodies, c).dot(&c.normal);
        }
        std::mem::swap(found, ends);
        true
    }

    /// Pose of a body after `t` at its velocity.
    fn moved(&self, body: usize, t: f64) -> Pose {
        let x = &self.kin.x_wb[body];
        let end = x.translation.vector + t * self.origin_velocity(body);
        let turn = UnitQuaternion::from_scaled_axis(t * self.kin.twist[body].angular);
        Isometry3::from_parts(Translation3::from(end), turn * x.rotation)
    }

    fn origin_velocity(&self, body: usize) -> Vector3<f64> {
        self.kin.point_velocity(self.model, body, &Point3::from(self.kin.x_wb[body].translation.vector))
    }
}
