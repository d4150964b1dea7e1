use signorini_core::na::Vector3;
use signorini_geometry::{Mollifier, StencilDistance, StencilPair};

use crate::world::gather;

/// A pair of features that may come within reach.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub pair: StencilPair,
    /// Mollifier of edge–edge pairs.
    pub mollifier: Option<Mollifier>,
    pub sides: [u8; 4],
    /// One, or the area that the pair stands for \[m²\].
    pub weight: f64,
    /// Radii of both surfaces, added \[m\].
    pub thickness: f64,
    /// Gap at the start of the step, at most the reach \[m\]; NaN until somebody needs it.
    pub start: f64,
    /// Gap when it was last worked out \[m\], NaN before, and the odometers of both bodies then, added.
    pub gap: f64,
    pub odometer: f64,
}

impl Candidate {
    /// Gap where points are at `x` \[m\].
    pub(crate) fn gap_at(&self, x: &[Vector3<f64>]) -> f64 {
        self.pair.stencil.distance(&gather(&self.pair, x)).distance() - self.thickness
    }
}

/// A pair within reach.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reached {
    /// Number of the candidate.
    pub candidate: u32,
    /// Distance of the features, or of a part of them.
    pub distance: StencilDistance,
    /// Distance less both radii \[m\].
    pub gap: f64,
    /// Square of the gap, negative where surfaces overlap \[m²\].
    pub squared: f64,
    /// How often it counts.
    pub count: f64,
}

impl Reached {
    pub(crate) fn new(candidate: u32, distance: StencilDistance, thickness: f64) -> Self {
        let gap = distance.distance() - thickness;
        // Points and triangles keep all digits.
        let squared = if thickness > 0.0 { gap * gap.abs() } else { distance.squared };
        Self { candidate, distance, gap, squared, count: 1.0 }
    }
}
