use signorini_core::na::Vector3;
use signorini_geometry::ContactPoint;

use crate::{Kinematics, Model};

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
    moves: Vec<bool>,
}

impl Motion {
    pub(crate) fn new(model: &Model) -> Self {
        let n = model.bodies.len();
        let moves = model.bodies.iter().map(|b| b.tree.is_some()).collect();
        Self { horizon: 0.0, fall: 0.0, velocity: vec![Vector3::zeros(); n], spin: vec![0.0; n], moves }
    }

    /// No motion: contacts are found where they are.
    pub(crate) fn rest(&mut self) {
        self.horizon = 0.0;
    }

    /// How much nearer points of two bodies may come \[m\]: each by its present velocity, when something else stops the other, and by free fall.
    pub(crate) fn approach(&self, a: usize, b: usize) -> f64 {
        if self.horizon == 0.0 {
            return 0.0;
        }
        self.reach(a) + self.reach(b)
    }

    /// Distance that gravity may take two bodies towards each other \[m\].
    pub(crate) fn falls(&self, bodies: [usize; 2]) -> f64 {
        bodies.iter().filter(|b| self.moves[**b]).count() as f64 * self.fall
    }

    /// How far points of a body may move \[m\]: those of two bodies come no nearer than the sum, [`Motion::approach`].
    pub(crate) fn reach(&self, body: usize) -> f64 {
        if self.horizon == 0.0 || !self.moves[body] {
            return 0.0;
        }
        self.horizon * (self.velocity[body].norm() + self.spin[body]) + self.fall
    }

    /// Whether a contact can close within the step: by twice the present approach of its points, or by that of one when something else stops the other,
    /// plus free fall.
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
        let (a, b) = (a.dot(&c.normal), -b.dot(&c.normal));
        let closing = (2.0 * (a + b)).max(a.max(0.0) + b.max(0.0));
        gap < self.horizon * closing + self.fall
    }
}
