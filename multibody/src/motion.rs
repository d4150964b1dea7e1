use signorini_core::na::{Point3, Vector3};
use signorini_geometry::ContactPoint;

use crate::drive::Drive;
use crate::{Kinematics, Model, Spatial};

/// How bodies may move within a step: what speculative contacts are for.
#[derive(Clone, Debug)]
pub(crate) struct Motion {
    /// Length of the step \[s\]; 0 finds what touches now.
    pub horizon: f64,
    /// Distance that gravity covers in it \[m\].
    pub fall: f64,
    /// Velocity of the centre of each body's ball.
    pub velocity: Vec<Vector3<f64>>,
    /// Speed of the ball's surface about its centre.
    pub spin: Vec<f64>,
    /// What motors, springs and applied forces add to the twist of each body, about the reference point of its tree.
    drive: Vec<Spatial>,
    /// How far that may take points of its ball \[m\].
    pub push: Vec<f64>,
    /// Some of it is not zero.
    driven: bool,
    moves: Vec<bool>,
}

impl Motion {
    pub(crate) fn new(model: &Model) -> Self {
        let n = model.bodies.len();
        let moves = model.bodies.iter().map(|b| b.tree.is_some()).collect();
        Self {
            horizon: 0.0,
            fall: 0.0,
            velocity: vec![Vector3::zeros(); n],
            spin: vec![0.0; n],
            drive: vec![Spatial::default(); n],
            push: vec![0.0; n],
            driven: false,
            moves,
        }
    }

    /// Takes over what drives the bodies.
    pub(crate) fn set_drive(&mut self, kin: &Kinematics, model: &Model, drive: &Drive) {
        if drive.is_idle() && !self.driven {
            return;
        }
        self.driven = !drive.is_idle();
        for (b, body) in model.bodies.iter().enumerate() {
            let Some(t) = body.tree.filter(|t| drive.trees[*t]) else {
                self.drive[b] = Spatial::default();
                continue;
            };
            let from = if model.trees[t].root == b { Spatial::default() } else { self.drive[body.parent] };
            self.drive[b] = model.dofs_of(body).fold(from, |twist, i| twist + kin.axes[i] * drive.change[i]);
        }
    }

    /// What the drive adds to the velocity of the point of `body` at `p` (world) \[m/s\].
    pub(crate) fn driven_velocity(
        &self,
        kin: &Kinematics,
        model: &Model,
        body: usize,
        p: &Point3<f64>,
    ) -> Vector3<f64> {
        self.drive[body].at(&(p - kin.reference(model, body)))
    }

    /// Something is driven.
    pub(crate) fn driven(&self) -> bool {
        self.driven
    }

    /// And to its angular velocity \[rad/s\].
    pub(crate) fn driven_spin(&self, body: usize) -> Vector3<f64> {
        self.drive[body].angular
    }

    /// No motion: contacts are found where they are.
    pub(crate) fn rest(&mut self) {
        self.horizon = 0.0;
    }

    /// How much nearer points of two bodies may come \[m\]: each by its present velocity, when something else stops the other, by free fall and by what drives it.
    pub(crate) fn approach(&self, a: usize, b: usize) -> f64 {
        if self.horizon == 0.0 {
            return 0.0;
        }
        self.reach(a) + self.reach(b)
    }

    /// Distance that forces may take two bodies towards each other \[m\].
    pub(crate) fn pulls(&self, bodies: [usize; 2]) -> f64 {
        bodies.iter().filter(|b| self.moves[**b]).map(|b| self.fall + self.push[*b]).sum()
    }

    /// How far points of a body may move \[m\]: those of two bodies come no nearer than the sum, [`Motion::approach`].
    pub(crate) fn reach(&self, body: usize) -> f64 {
        if self.horizon == 0.0 || !self.moves[body] {
            return 0.0;
        }
        self.horizon * (self.velocity[body].norm() + self.spin[body]) + self.fall + self.push[body]
    }

    /// Whether a contact can close within the step: by twice the present approach of its points, or by that of one when something else stops the other,
    /// plus free fall and what drives them.
    pub(crate) fn reaches(
        &self,
        kin: &Kinematics,
        model: &Model,
        bodies: [usize; 2],
        c: &ContactPoint,
        gap: f64,
    ) -> bool {
        if gap <= 0.0 || self.horizon == 0.0 {
            return true;
        }
        let [a, b] = [(bodies[0], &c.p_a), (bodies[1], &c.p_b)].map(|(b, p)| kin.point_velocity(model, b, p));
        let (mut a, mut b) = (a.dot(&c.normal), -b.dot(&c.normal));
        if self.driven {
            let [of_a, of_b] = [(bodies[0], &c.p_a), (bodies[1], &c.p_b)]
                .map(|(b, p)| self.driven_velocity(kin, model, b, p).dot(&c.normal));
            (a, b) = (a + of_a.max(0.0), b + (-of_b).max(0.0));
        }
        let closing = (2.0 * (a + b)).max(a.max(0.0) + b.max(0.0));
        gap < self.horizon * closing + self.fall
    }
}
