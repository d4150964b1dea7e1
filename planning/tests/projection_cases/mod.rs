//! Problems that several tests of the projection draw from.

#![allow(dead_code, reason = "each test file takes what it needs")]

use signorini_planning::Stream;
use signorini_planning::projection::{
    History, JointBounds, JointHistory, MotionBounds, Precision, ProjectionOptions, Projector,
};

/// Bounds of the paper's arms.
pub(crate) const ARM: JointBounds = JointBounds {
    position: [-std::f64::consts::PI, std::f64::consts::PI],
    velocity: 1.0,
    acceleration: 2.0,
    jerk: 4.0,
};
/// Step of its plans \[s\].
pub(crate) const DT: f64 = 0.1;

/// Random numbers of a seed.
pub(crate) struct Draw(Stream);

impl Draw {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Stream::new(seed, 0))
    }

    /// Uniform in (0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        self.0.uniform(0.0, 1.0)
    }

    /// Uniform in [−x, x).
    pub(crate) fn within(&mut self, x: f64) -> f64 {
        self.0.uniform(-x, x)
    }

    /// Standard normal.
    pub(crate) fn normal(&mut self) -> f64 {
        self.0.normal()
    }

    /// So many normal numbers of a deviation.
    pub(crate) fn normals(&mut self, count: usize, deviation: f64) -> Vec<f64> {
        (0..count).map(|_| deviation * self.normal()).collect()
    }

    /// A history of the arm, some of which no tape can continue.
    pub(crate) fn history(&mut self) -> JointHistory {
        JointHistory {
            position: self.within(3.0),
            velocity: self.within(1.0),
            acceleration: self.within(2.0),
        }
    }
}

/// Histories of all joints as one.
pub(crate) fn together(joints: &[JointHistory]) -> History {
    History {
        position: joints.iter().map(|h| h.position).collect(),
        velocity: joints.iter().map(|h| h.velocity).collect(),
        acceleration: joints.iter().map(|h| h.acceleration).collect(),
    }
}

/// A projector of arms.
pub(crate) fn projector(joints: usize, steps: usize, options: ProjectionOptions) -> Projector {
    Projector::new(MotionBounds::uniform(joints, ARM).unwrap(), steps, DT, options).unwrap()
}

/// To the end, in 64 bits, without the finish.
pub(crate) fn converged() -> ProjectionOptions {
    ProjectionOptions {
        iterations: 12_000,
        precision: Precision::Double,
        finish: false,
        ..ProjectionOptions::default()
    }
}

/// ‖a − b‖.
pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}
