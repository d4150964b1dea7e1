//! Seeded random numbers, the same everywhere.

use std::f64::consts::TAU;

use signorini_core::na::{Quaternion, UnitQuaternion};

/// SplitMix64.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Uniform in [0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Zero mean, unit variance (Box and Muller's transform).
    pub(crate) fn normal(&mut self) -> f64 {
        let r = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        r * (TAU * self.uniform()).cos()
    }

    /// Uniform over all rotations (Shoemake).
    pub(crate) fn rotation(&mut self) -> UnitQuaternion<f64> {
        let (a, b, c) = (self.uniform(), self.uniform(), self.uniform());
        let (s, t) = (TAU * b, TAU * c);
        let (r1, r2) = ((1.0 - a).sqrt(), a.sqrt());
        UnitQuaternion::new_normalize(Quaternion::new(r2 * t.cos(), r1 * s.sin(), r1 * s.cos(), r2 * t.sin()))
    }
}
