use std::ops::Range;

use signorini_core::na::{Point3, Vector3};

use super::loaded::PlacedElements;
use super::near_elements::SearchRoom;

/// A flat part of the surface between two bodies, in the world frame.
///
/// As a contact it has the normal force [`Self::force`] and the stiffness [`Self::stiffness`] along its normal. In the words of kurtz2025cenic B is M and A is N.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ContactPolygon {
    /// Area \[m²\], > 0; under [`Folds::Fade`](super::Folds::Fade) times the weight of the polygon.
    pub area: f64,
    /// Centroid \[m\].
    pub centroid: Point3<f64>,
    /// Point at which the force of the whole polygon acts \[m\]; pressure rises over the polygon, so it is not the centroid.
    pub center_of_pressure: Point3<f64>,
    /// Unit normal from A into B.
    pub normal: Vector3<f64>,
    /// Pressure at the centroid, which is the mean \[Pa\], ≥ 0.
    pub pressure: f64,
    /// Growth of each side's pressure with depth along the normal, −∇p_A · n and ∇p_B · n \[Pa/m\]; infinite for a rigid side, negative where a surface folds. The sum of two compliant sides is positive.
    pub gradients: [f64; 2],
    /// Gradient of the pressure along the polygon \[Pa/m\], world axes; its part along the normal is that of one side.
    pub slope: Vector3<f64>,
    /// Tetrahedron of a compliant side or triangle of a rigid one, of A and of B; 0 for half-spaces. Polygons come in the order of these.
    pub elements: [u32; 2],
    /// Number among the pieces of one pair of elements.
    pub piece: u32,
    /// Its corners among the vertices of the surface, counter-clockwise about the normal; empty unless asked for.
    pub vertices: Range<u32>,
}

impl ContactPolygon {
    /// Normal force f₀ = A p \[N\].
    #[must_use]
    pub fn force(&self) -> f64 {
        self.area * self.pressure
    }

    /// Growth of pressure as the bodies come nearer, g = 1/(1/g_A + 1/g_B) \[Pa/m\]; negative where a surface folds.
    #[must_use]
    pub fn gradient(&self) -> f64 {
        let [a, b] = self.gradients;
        match (a.is_finite(), b.is_finite()) {
            (true, true) => a * b / (a + b),
            (true, false) => a,
            (false, _) => b,
        }
    }

    /// Pressure at a point of the polygon \[Pa\].
    #[must_use]
    pub fn pressure_at(&self, x: &Point3<f64>) -> f64 {
        self.pressure + self.slope.dot(&(x - self.centroid))
    }

    /// Stiffness k = max(A g, 0) \[N/m\].
    #[must_use]
    pub fn stiffness(&self) -> f64 {
        (self.area * self.gradient()).max(0.0)
    }
}

/// The surface between two bodies as polygons, and the room to find it: a query with one that has grown allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct ContactSurface {
    pub(super) polygons: Vec<ContactPolygon>,
    pub(super) vertices: Vec<Point3<f64>>,
    pub(super) room: SearchRoom,
    pub(super) placed: PlacedElements,
}

impl ContactSurface {
    /// No surface.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Polygons, by their elements.
    #[must_use]
    pub fn polygons(&self) -> &[ContactPolygon] {
        &self.polygons
    }

    /// Corners of all polygons \[m\]; empty unless asked for.
    #[must_use]
    pub fn vertices(&self) -> &[Point3<f64>] {
        &self.vertices
    }

    /// Corners of a polygon of this surface \[m\], counter-clockwise about its normal.
    #[must_use]
    pub fn corners(&self, polygon: &ContactPolygon) -> &[Point3<f64>] {
        let Range { start, end } = polygon.vertices;
        &self.vertices[start as usize..end as usize]
    }

    /// Area of all polygons \[m²\].
    #[must_use]
    pub fn area(&self) -> f64 {
        self.polygons.iter().map(|p| p.area).sum()
    }

    /// Force of the pressure on B \[N\], in the world frame.
    #[must_use]
    pub fn force(&self) -> Vector3<f64> {
        self.polygons.iter().map(|p| p.force() * p.normal).sum()
    }

    /// Moment of the pressure on B about a point \[m\], in the world frame \[N·m\].
    #[must_use]
    pub fn moment(&self, about: &Point3<f64>) -> Vector3<f64> {
        let of = |p: &ContactPolygon| (p.center_of_pressure - about).cross(&(p.force() * p.normal));
        self.polygons.iter().map(of).sum()
    }

    /// Removes all polygons.
    pub fn clear(&mut self) {
        self.polygons.clear();
        self.vertices.clear();
    }
}
