//! Errors of predicted tosses.

use signorini_core::na::Vector3;

use super::toss::{Motion, Pose7, Tosses, rotation};

/// Errors of predicted motions of the tosses `which`.
pub(super) fn errors_of(all: &Tosses, which: &[usize], motions: &[Motion]) -> Vec<TossErrors> {
    let of = |(i, motion): (&usize, &Motion)| {
        let recorded = all.tosses[*i].iter().filter_map(|row| row.first_chunk());
        TossErrors::between(motion, recorded, 2.0 * all.half_width)
    };
    which.iter().zip(motions).map(of).collect()
}

/// Errors of a toss at each frame.
#[derive(Default)]
pub(super) struct TossErrors {
    /// Position in block widths.
    pub position: Vec<f64>,
    /// Rotation \[rad\].
    pub rotation: Vec<f64>,
}

impl TossErrors {
    /// Of a motion beside another of a cube of this width \[m\].
    pub(super) fn between<'a>(
        motion: &[Pose7],
        other: impl IntoIterator<Item = &'a Pose7>,
        width: f64,
    ) -> Self {
        let mut errors = Self::default();
        for (a, b) in motion.iter().zip(other) {
            let off = Vector3::from_fn(|i, _| a[i] - b[i]);
            errors.position.push(off.norm() / width);
            errors.rotation.push(rotation(a).angle_to(&rotation(b)));
        }
        errors
    }
}

/// Mean errors over time and tosses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mean {
    /// Position in block widths.
    pub position: f64,
    /// Rotation \[rad\].
    pub rotation: f64,
}

impl Mean {
    pub(super) fn of(tosses: &[TossErrors]) -> Self {
        let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
        let over = |of: fn(&TossErrors) -> &[f64]| {
            tosses.iter().map(|t| mean(of(t))).sum::<f64>() / tosses.len() as f64
        };
        Self { position: over(|t| &t.position), rotation: over(|t| &t.rotation) }
    }

    /// Cost of the search.
    pub(super) fn cost(self) -> f64 {
        self.position + self.rotation
    }

    /// Per cent of the width, and degrees.
    pub(super) fn shown(self) -> [f64; 2] {
        [100.0 * self.position, self.rotation.to_degrees()]
    }
}
