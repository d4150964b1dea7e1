//! Masses and moments of inertia that a body can have.

use signorini_core::na::{Matrix3, SymmetricEigen};
use signorini_geometry::MassProperties;

use super::check::{Check, fail, finite};
use crate::Place;

/// Moments of inertia that exceed the sum of the others by this share are put down to rounding in files.
const TRIANGLE_TOLERANCE: f64 = 1e-6;

/// Refuses mass properties with which there are no equations of motion.
pub(super) fn check_mass(place: &Place, m: &MassProperties) -> Check {
    finite(place, "the mass properties", m.com.iter().chain(m.inertia.iter()).copied().chain([m.mass]))?;
    if m.mass <= 0.0 {
        return fail(place, format!("the mass is {} kg", m.mass), "give a positive mass, or none");
    }
    let asymmetry = (m.inertia - m.inertia.transpose()).norm();
    if asymmetry > TRIANGLE_TOLERANCE * m.inertia.norm() {
        return fail(place, "the inertia is not symmetric", "give a symmetric matrix");
    }
    let symmetric: Matrix3<f64> = (m.inertia + m.inertia.transpose()) * 0.5;
    let d = SymmetricEigen::new(symmetric).eigenvalues;
    let shown = format!("({}, {}, {})", d.x, d.y, d.z);
    if d.min() < -TRIANGLE_TOLERANCE * d.max().abs() {
        return fail(
            place,
            format!("the principal moments of inertia are {shown}: one is negative"),
            "correct the inertia",
        );
    }
    Ok(())
}

/// Refuses moments of inertia that no rigid body has, though the equations of motion would take them.
pub(super) fn check_triangle(place: &Place, m: &MassProperties) -> Check {
    let d = m.principal().0;
    if 2.0 * d.max() - d.sum() > TRIANGLE_TOLERANCE * d.max() {
        return fail(
            place,
            format!(
                "the principal moments of inertia ({}, {}, {}) violate A + B >= C: no body has them",
                d.x, d.y, d.z
            ),
            "correct the inertia",
        );
    }
    Ok(())
}
