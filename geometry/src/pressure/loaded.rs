//! Tetrahedra with pressures.

use signorini_core::na::{Isometry3, Point3, Vector3};

use super::field::{Linear, PressureField};
use crate::Aabb;

/// Places in [`PlacedElements`].
const PLACES: usize = 256;
const EMPTY: u32 = u32::MAX;

/// A tetrahedron with pressures.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loaded {
    pub(super) corners: [Point3<f64>; 4],
    pub(super) nodal: [f64; 4],
    pub(super) pressure: Linear,
}

impl Loaded {
    #[inline]
    pub(super) fn new(field: &PressureField, modulus: f64, i: u32) -> Self {
        let i = i as usize;
        let [a, b, c, d] = field.corner_extents(i);
        Self {
            corners: field.tetrahedron(i),
            nodal: [a * modulus, b * modulus, c * modulus, d * modulus],
            pressure: field.linear(i).times(modulus),
        }
    }

    #[inline]
    fn placed(self, x_cs: &Isometry3<f64>) -> Self {
        let [a, b, c, d] = &self.corners;
        Self {
            corners: [x_cs * a, x_cs * b, x_cs * c, x_cs * d],
            nodal: self.nodal,
            pressure: placed(&self.pressure, x_cs),
        }
    }

    /// Pressures at the corners less those of another function; differences up to `tolerance` are zero.
    #[inline]
    pub(super) fn above(&self, other: &Linear, tolerance: f64) -> [f64; 4] {
        let h = |k: usize| leveled(self.nodal[k] - other.at(&self.corners[k]), tolerance);
        [h(0), h(1), h(2), h(3)]
    }

    /// A function less the pressures at the corners, likewise.
    #[inline]
    pub(super) fn below(&self, other: &Linear, tolerance: f64) -> [f64; 4] {
        let h = |k: usize| leveled(other.at(&self.corners[k]) - self.nodal[k], tolerance);
        [h(0), h(1), h(2), h(3)]
    }

    /// Heights of the corners over the plane through `p` with the normal `n`, likewise.
    #[inline]
    pub(super) fn heights(&self, n: &Vector3<f64>, p: &Point3<f64>, tolerance: f64) -> [f64; 4] {
        let h = |k: usize| leveled(n.dot(&(self.corners[k] - p)), tolerance);
        [h(0), h(1), h(2), h(3)]
    }
}

/// Zero where it is zero but for rounding.
#[inline]
pub(super) fn leveled(h: f64, tolerance: f64) -> f64 {
    if h.abs() <= tolerance { 0.0 } else { h }
}

/// A linear function of one frame in another: `x_cs` maps the former to the latter.
pub(super) fn placed(f: &Linear, x_cs: &Isometry3<f64>) -> Linear {
    let gradient = x_cs.rotation * f.gradient;
    Linear { gradient, origin: f.origin - gradient.dot(&x_cs.translation.vector) }
}

/// Tetrahedra of a field in the frame of another body, as far as a query has placed them: pairs ask for one several times.
#[derive(Clone, Debug, Default)]
pub(super) struct PlacedElements {
    /// Which tetrahedron is at a place, by the number of the place, which is its own modulo [`PLACES`].
    numbers: Vec<u32>,
    elements: Vec<Placed>,
}

/// A tetrahedron with pressures and the box about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub(super) element: Loaded,
    pub(super) bounds: Aabb,
}

impl PlacedElements {
    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.numbers.clear();
        self.numbers.resize(PLACES, EMPTY);
    }

    /// Tetrahedron `j` of a field that `x_cs` places, one and the same since the last [`Self::clear`].
    #[inline]
    pub(super) fn get(
        &mut self,
        field: &PressureField,
        modulus: f64,
        x_cs: &Isometry3<f64>,
        j: u32,
    ) -> &Placed {
        let place = j as usize % PLACES;
        if self.numbers[place] != j {
            let element = Loaded::new(field, modulus, j).placed(x_cs);
            let placed = Placed { bounds: Aabb::from_points(&element.corners), element };
            if self.elements.len() < PLACES {
                self.elements.resize(PLACES, placed);
            }
            self.elements[place] = placed;
            self.numbers[place] = j;
        }
        &self.elements[place]
    }
}
