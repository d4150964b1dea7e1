use signorini_core::na::Point3;
use signorini_geometry::pressure::ContactSurface;

/// A triangle of the surface between two geoms that meet over an area. Pressure is linear in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PressureTriangle {
    /// The geoms A and B.
    pub geoms: [u32; 2],
    /// Corners in the world \[m\], counter-clockwise about the normal from A into B.
    pub corners: [Point3<f64>; 3],
    /// Pressure at the corners \[Pa\], ≥ 0.
    pub pressure: [f64; 3],
}

impl PressureTriangle {
    /// Adds those of a surface that has kept its corners.
    pub(crate) fn push_all(geoms: [usize; 2], surface: &ContactSurface, out: &mut Vec<Self>) {
        let geoms = geoms.map(|g| g as u32);
        for polygon in surface.polygons() {
            let Some((first, others)) = surface.corners(polygon).split_first() else { continue };
            out.extend(others.windows(2).map(|pair| {
                let corners = [*first, pair[0], pair[1]];
                // Rounding alone is below zero.
                Self { geoms, corners, pressure: corners.map(|x| polygon.pressure_at(&x).max(0.0)) }
            }));
        }
    }
}
