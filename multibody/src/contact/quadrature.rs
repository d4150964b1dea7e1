//! Points that stand for polygons of a surface.

use std::f64::consts::{SQRT_2, TAU};

use signorini_core::ContactGeometry;
use signorini_core::na::{Cholesky, Matrix2, Point3, Vector2, Vector3};
use signorini_geometry::pressure::{ContactPolygon, ContactSurface};

/// Surfaces of at most as many polygons have three points for each: of many, one mostly tells as much.
const FEW: usize = 48;
/// Part of the spread of polygons about the middle of their surface that those of polygons about their own centres may be.
const OWN: f64 = 1.0 / 6.0;

/// Whether polygons of a surface need three points each: they are few, or large parts of it, so that points at their centres have too little stiffness against turning. With the second moments under the stiffnesses k
/// ```text
/// own = Σ k cov(polygon),   spread = Σ k (c − c̄)(c − c̄)ᵀ,     tr own > tr spread/6 along the surface
/// ```
/// The number of polygons does not tell: faces that are flush with each other have polygons of next to no area along their sides.
pub(crate) fn is_coarse(surface: &ContactSurface) -> bool {
    if surface.polygons().len() <= FEW {
        return true;
    }
    let Some(n) = surface.force().try_normalize(0.0) else { return false };
    let frame = ContactGeometry::frame(&n);
    let axes = [frame.column(1).into(), frame.column(2).into()];
    let flat = |v: Vector3<f64>| Vector2::from(axes.map(|t: Vector3<f64>| v.dot(&t)));
    let origin = surface.polygons()[0].centroid;
    let (mut stiffness, mut first, mut second, mut own) =
        (0.0, Vector2::zeros(), Matrix2::zeros(), Matrix2::zeros());
    for polygon in surface.polygons() {
        let (k, c) = (polygon.stiffness(), flat(polygon.center_of_pressure - origin));
        stiffness += k;
        first += k * c;
        second += k * c * c.transpose();
        if let Some(covariance) = covariance(surface, polygon, &axes) {
            own += k * covariance;
        }
    }
    own.trace() > OWN * (second - first * first.transpose() / stiffness).trace()
}

/// Mean of x xᵀ over a polygon about its centroid, along two axes \[m²\]; None without area there.
fn covariance(
    surface: &ContactSurface,
    polygon: &ContactPolygon,
    axes: &[Vector3<f64>; 2],
) -> Option<Matrix2<f64>> {
    let corners = surface.corners(polygon);
    let at = |i: usize| {
        let x = corners[i] - polygon.centroid;
        Vector2::new(x.dot(&axes[0]), x.dot(&axes[1]))
    };
    let (mut area, mut moment) = (0.0, Matrix2::zeros());
    for i in 0..corners.len() {
        // Triangles about the centroid: ∫ x xᵀ = A/12 (a aᵀ + b bᵀ + (a + b)(a + b)ᵀ).
        let (a, b) = (at(i), at((i + 1) % corners.len()));
        let part = 0.5 * a.perp(&b);
        area += part;
        let sum = a + b;
        moment += part / 12.0 * (a * a.transpose() + b * b.transpose() + sum * sum.transpose());
    }
    (area != 0.0).then(|| moment / area)
}

/// A point that stands for a part of a polygon.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quadrature {
    pub(crate) place: Point3<f64>,
    pub(crate) pressure: f64,
}

impl Quadrature {
    /// One point.
    pub(crate) fn at(place: Point3<f64>, pressure: f64) -> ([Self; 3], usize) {
        ([Self { place, pressure }; 3], 1)
    }

    /// The centre of pressure alone.
    pub(crate) fn one(polygon: &ContactPolygon) -> ([Self; 3], usize) {
        Self::at(polygon.center_of_pressure, polygon.pressure)
    }

    /// Three points of equal weight with the second moments of a polygon, so that force, moment and stiffness against turning are those of the whole polygon: with the covariance L Lᵀ of its points
    /// ```text
    /// x_k = c + L ξ_k,   p_k = p (1 + η·ξ_k),   c_p − c = L η,    |ξ_k| = √2, a third of a turn apart
    /// ```
    /// One where the polygon is too thin, or a pressure would be negative.
    pub(crate) fn of(surface: &ContactSurface, polygon: &ContactPolygon) -> ([Self; 3], usize) {
        let one = Self::one(polygon);
        let frame = ContactGeometry::frame(&polygon.normal);
        let axes = [frame.column(1).into(), frame.column(2).into()];
        let [t1, t2] = axes;
        let flat = |v: Vector3<f64>| Vector2::new(v.dot(&t1), v.dot(&t2));
        let moment = covariance(surface, polygon, &axes);
        let Some(l) = moment.and_then(Cholesky::new).map(|c| c.l()) else { return one };
        let Some(eta) = l.solve_lower_triangular(&flat(polygon.center_of_pressure - polygon.centroid)) else {
            return one;
        };
        let mut points = one.0;
        for (k, point) in points.iter_mut().enumerate() {
            let (sin, cos) = (TAU * k as f64 / 3.0).sin_cos();
            let xi = SQRT_2 * Vector2::new(cos, sin);
            let x = l * xi;
            point.place = polygon.centroid + x.x * t1 + x.y * t2;
            point.pressure = polygon.pressure * (1.0 + eta.dot(&xi));
        }
        let fits = points.iter().all(|p| p.pressure >= 0.0);
        if fits { (points, 3) } else { one }
    }
}
