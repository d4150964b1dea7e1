//! Problems that several tests of the projection draw from.

#![allow(dead_code, reason = "each test file takes what it needs")]

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

/// SplitMix64.
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    /// Uniform in [0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in [−x, x).
    pub(crate) fn within(&mut self, x: f64) -> f64 {
        x * (2.0 * self.uniform() - 1.0)
    }

    /// Standard normal, by twelve uniform numbers.
    pub(crate) fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
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
