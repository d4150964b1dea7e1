//! Problems that several tests of the projection draw from.

#![allow(dead_code, reason = "each test file takes what it needs")]

use signorini_planning::projection::{
    History, JointBounds, JointHistory, MotionBounds, Precision, ProjectionOptions, Projector,
};

/// Bounds of the paper's arms.
pub const ARM: JointBounds = JointBounds {
    position: [-std::f64::consts::PI, std::f64::consts::PI],
    velocity: 1.0,
    acceleration: 2.0,
    jerk: 4.0,
};
/// Step of its plans \[s\].
pub const DT: f64 = 0.1;

/// SplitMix64.
pub struct Draw(pub u64);

impl Draw {
    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in [−x, x).
    pub fn within(&mut self, x: f64) -> f64 {
        x * (2.0 * self.uniform() - 1.0)
    }

    /// Standard normal, by twelve uniform numbers.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }

    /// So many normal numbers of a deviation.
    pub fn normals(&mut self, count: usize, deviation: f64) -> Vec<f64> {
        (0..count).map(|_| deviation * self.normal()).collect()
    }

    /// A history of the arm, some of which no tape can continue.
    pub fn history(&mut self) -> JointHistory {
        JointHistory {
            position: self.within(3.0),
            velocity: self.within(1.0),
            acceleration: self.within(2.0),
        }
    }
}

/// Histories of all joints as one.
pub fn together(joints: &[JointHistory]) -> History {
    History {
        position: joints.iter().map(|h| h.position).collect(),
        velocity: joints.iter().map(|h| h.velocity).collect(),
        acceleration: joints.iter().map(|h| h.acceleration).collect(),
    }
}

/// A projector of arms.
pub fn projector(joints: usize, steps: usize, options: ProjectionOptions) -> Projector {
    Projector::new(MotionBounds::uniform(joints, ARM).unwrap(), steps, DT, options).unwrap()
}

/// To the end, in 64 bits, without the finish.
pub fn converged() -> ProjectionOptions {
    ProjectionOptions {
        iterations: 4000,
        precision: Precision::Double,
        finish: false,
        ..ProjectionOptions::default()
    }
}

/// ‖a − b‖.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}
