use std::ops::Range;

use signorini_core::na::{Point3, UnitQuaternion, Vector3};
use signorini_geometry::{ContactPoint, RigidMotion};
use signorini_scene::Pose;

use crate::actuation::drive::Drive;
use crate::contact::resting::Resting;
use crate::dynamics::free_bodies::FreeBodies;
use crate::{BodyModel, Kinematics, Model, Spatial};

/// Part of the way that gravity takes a body within a step below which a gap is none.
const REST: f64 = 1.0 / 256.0;
/// The same as a part of the thinner geom.
const REST_OF_THIN: f64 = 1e-3;

/// Motion of the bodies within a step as far as it can be bounded, for speculative contacts.
#[derive(Clone, Debug)]
pub(crate) struct Motion {
    /// Length of the step \[s\]; 0 finds pairs that touch now.
    pub horizon: f64,
    /// Distance that gravity covers in it \[m\].
    pub fall: f64,
    /// Velocity of the centre of each body's ball.
    pub velocity: Vec<Vector3<f64>>,
    /// Speed of the ball's surface about its centre.
    pub spin: Vec<f64>,
    /// Change of the twist of each body by motors, springs and applied forces, about the reference point of its tree.
    drive: Vec<Spatial>,
    /// Way that it may take points of the body's ball \[m\].
    pub push: Vec<f64>,
    /// Largest motion of points of the ball \[m\], 0 for bodies that cannot move.
    reach: Vec<f64>,
    /// Some of it is not zero.
    driven: bool,
    moves: Vec<bool>,
    /// Ways of bodies that are expected to rest \[m\].
    rests: Vec<Option<f64>>,
    /// Bodies that float freely, and those of them that nothing is near: they fly.
    free: FreeBodies,
    flies: Vec<bool>,
    gravity: Vector3<f64>,
    /// Contacts may be open at rest, or while they slide.
    rests_open: bool,
    links: Vec<Link>,
}

/// A body that moves, with the fields that every step reads.
#[derive(Clone, Debug)]
struct Link {
    body: usize,
    /// None: the first of its tree.
    parent: Option<usize>,
    tree: usize,
    dofs: Range<usize>,
}

impl Motion {
    /// Bodies float freely as `free` says; `rests_open`: contacts may be open at rest, or while they slide.
    pub(crate) fn new(model: &Model, free: &FreeBodies, rests_open: bool) -> Self {
        let n = model.bodies.len();
        let moves = model.bodies.iter().map(|b| b.tree.is_some()).collect();
        let link = |(body, of): (usize, &BodyModel)| {
            let tree = of.tree?;
            let parent = (model.trees[tree].root != body).then_some(of.parent);
            Some(Link { body, parent, tree, dofs: model.dofs_of(of) })
        };
        Self {
            horizon: 0.0,
            fall: 0.0,
            velocity: vec![Vector3::zeros(); n],
            spin: vec![0.0; n],
            drive: vec![Spatial::default(); n],
            push: vec![0.0; n],
            reach: vec![0.0; n],
            driven: false,
            moves,
            rests: vec![None; n],
            free: free.clone(),
            flies: vec![false; n],
            gravity: model.gravity,
            rests_open,
            links: model.bodies.iter().enumerate().filter_map(link).collect(),
        }
    }

    /// Begins the motion over a step of length `horizon` \[s\] from the velocities of `kin`, the drive of the bodies and the trees that rest.
    pub(crate) fn over(&mut self, kin: &Kinematics, drive: &Drive, horizon: f64, resting: &Resting) {
        self.horizon = horizon;
        self.fall = self.fall_in(horizon);
        self.set_drive(kin, drive);
        for link in &self.links {
            self.rests[link.body] = resting.way(link.tree);
        }
    }

    /// Distance that gravity covers in a step of `horizon` \[s\] \[m\]: it moves with its last velocity, unless in flight.
    pub(crate) fn fall_in(&self, horizon: f64) -> f64 {
        self.gravity.norm() * horizon * horizon
    }

    /// Contacts may be open at rest, or while they slide.
    pub(crate) fn rests_open(&self) -> bool {
        self.rests_open
    }

    fn set_drive(&mut self, kin: &Kinematics, drive: &Drive) {
        if drive.is_idle() && !self.driven {
            return;
        }
        self.driven = !drive.is_idle();
        for link in &self.links {
            let mut twist = Spatial::default();
            if drive.trees[link.tree] {
                let from = link.parent.map_or(twist, |p| self.drive[p]);
                twist = link.dofs.clone().fold(from, |twist, i| twist + kin.axes[i] * drive.change[i]);
            }
            self.drive[link.body] = twist;
        }
    }

    /// Takes over the motion of a body with a ball around its geoms: `center` in the world \[m\], `radius` \[m\].
    pub(crate) fn set_body(
        &mut self,
        kin: &Kinematics,
        model: &Model,
        body: usize,
        center: &Point3<f64>,
        radius: f64,
    ) {
        let h = self.horizon;
        let v = kin.point_velocity(model, body, center);
        let spin = kin.twist[body].angular.norm() * radius;
        self.push[body] = if self.driven {
            // At least |v| + |ω| r.
            let drive = &self.drive[body];
            let v = drive.at(&(center - kin.reference(model, body)));
            h * (2.0 * (v.norm_squared() + drive.angular.norm_squared() * radius * radius)).sqrt()
        } else {
            0.0
        };
        let far = h * (v.norm() + spin) + self.fall + self.push[body];
        self.reach[body] = self.rests[body].unwrap_or(far);
        (self.velocity[body], self.spin[body]) = (v, spin);
    }

    /// No motion: contacts are found where they are.
    pub(crate) fn rest(&mut self) {
        self.horizon = 0.0;
    }

    /// Largest approach of points of two bodies \[m\]: each by its present velocity, when something else stops the other, by free fall and by its drive.
    pub(crate) fn approach(&self, a: usize, b: usize) -> f64 {
        self.reach(a) + self.reach(b)
    }

    /// Takes all bodies that may fly for ones that do, until they are told to touch something.
    pub(crate) fn fly(&mut self) {
        for (b, flies) in self.flies.iter_mut().enumerate() {
            *flies = self.free.may_fly(b);
        }
    }

    /// None flies from now on.
    pub(crate) fn ground(&mut self) {
        self.free.ground();
    }

    /// By body, whether it flies.
    pub(crate) fn flies(&self) -> &[bool] {
        &self.flies
    }

    /// Tells that two bodies touch each other, or are so near that they may rest on each other: [`Motion::rests_below`].
    pub(crate) fn touch(&mut self, bodies: [usize; 2]) {
        bodies.iter().for_each(|b| self.flies[*b] = false);
    }

    /// Gap below which bodies may rest on each other \[m\]: a part of the way that gravity takes them within the step, and of the `thickness` of the thinner geom; all of that way where contacts at rest may be open.
    pub(crate) fn rests_below(&self, thickness: f64) -> f64 {
        if self.rests_open { self.fall } else { (REST * self.fall).min(REST_OF_THIN * thickness) }
    }

    /// Whether a body can move.
    pub(crate) fn moves(&self, body: usize) -> bool {
        self.moves[body]
    }

    /// Distance that forces may take two bodies towards each other beyond their [`Motion::moved`] \[m\].
    pub(crate) fn pulls(&self, bodies: [usize; 2]) -> f64 {
        let of = |b: &usize| if self.flies[*b] { self.push[*b] } else { self.fall + self.push[*b] };
        bodies.iter().filter(|b| self.moves[**b]).map(of).sum()
    }

    /// Velocity that a body gains over `t` \[s\] of flight \[m/s\].
    pub(crate) fn gain(&self, body: usize, t: f64) -> Vector3<f64> {
        if self.flies[body] { t * self.gravity } else { Vector3::zeros() }
    }

    /// Pose of a body after `t` \[s\] at its velocity, in flight along its curve.
    pub(crate) fn moved(&self, kin: &Kinematics, model: &Model, body: usize, t: f64) -> Pose {
        if !self.moves[body] {
            return kin.x_wb[body];
        }
        let flown = self.free.flown(kin, model, body, t, &(0.5 * t * self.gain(body, t)));
        flown.unwrap_or_else(|| {
            let x = &kin.x_wb[body];
            let origin = Point3::from(x.translation.vector);
            let end = origin + t * kin.point_velocity(model, body, &origin);
            Pose::from_parts(
                end.into(),
                UnitQuaternion::from_scaled_axis(t * kin.twist[body].angular) * x.rotation,
            )
        })
    }

    /// Change of the angular velocity of a body over `t` \[s\] \[rad/s\].
    pub(crate) fn spin_change(&self, kin: &Kinematics, body: usize, t: f64) -> Vector3<f64> {
        self.free.spin_change(kin, body, t)
    }

    /// Pose of a body after `t` \[s\], as [`Motion::moved`], and how it moves on from there.
    pub(crate) fn rigid(&self, kin: &Kinematics, model: &Model, body: usize, t: f64) -> (Pose, RigidMotion) {
        let pose = self.moved(kin, model, body, t);
        let angular = kin.twist[body].angular + self.spin_change(kin, body, t);
        let (start, arm) = match self.free.centre(body) {
            Some(com) => (kin.com(model, body), com),
            None => (Point3::from(kin.x_wb[body].translation.vector), Vector3::zeros()),
        };
        let velocity = kin.point_velocity(model, body, &start) + self.gain(body, t);
        let acceleration = self.gain(body, 1.0);
        (pose, RigidMotion { center: pose * Point3::from(arm), velocity, acceleration, angular })
    }

    /// Whether a body is expected to rest.
    pub(crate) fn rests(&self, body: usize) -> bool {
        self.horizon > 0.0 && self.rests[body].is_some()
    }

    /// Largest motion of points of a body \[m\]: those of two bodies come no nearer than the sum, [`Motion::approach`].
    pub(crate) fn reach(&self, body: usize) -> f64 {
        if self.horizon == 0.0 { 0.0 } else { self.reach[body] }
    }

    /// Whether a contact can close within the step: by twice the present approach of its points, or by that of one when something else stops the other,
    /// plus free fall and their drive; `turning` is the speed by which turning adds to the approach until then.
    pub(crate) fn reaches(
        &self,
        kin: &Kinematics,
        model: &Model,
        (bodies, turning): ([usize; 2], f64),
        c: &ContactPoint,
        gap: f64,
    ) -> bool {
        // Two that rest are near if they are found at all.
        if gap <= 0.0
            || self.horizon == 0.0
            || bodies.iter().all(|b| self.rests[*b].is_some() || !self.moves[*b])
        {
            return true;
        }
        let a = kin.point_velocity(model, bodies[0], &c.p_a).dot(&c.normal);
        let b = -kin.point_velocity(model, bodies[1], &c.p_b).dot(&c.normal);
        let mut alone = [a, b];
        if self.driven {
            let of =
                |b: usize, p: &Point3<f64>| self.drive[b].at(&(p - kin.reference(model, b))).dot(&c.normal);
            let [of_a, of_b] = [of(bodies[0], &c.p_a), of(bodies[1], &c.p_b)];
            alone = [a + of_a.max(0.0), b - of_b.min(0.0)];
        }
        let closing = (2.0 * (a + b + turning)).max(alone[0].max(0.0) + alone[1].max(0.0));
        gap < self.horizon * closing + self.fall
    }
}
