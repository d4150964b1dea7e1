//! Mass of a mesh by MuJoCo's `inertia="legacy"`, its default: pyramids over the triangles, each counted as positive.

use signorini_core::na::{Matrix3, Point3, Vector3};
use signorini_geometry::{MassProperties, TriangleMesh};

/// Mass properties at density 1; None for a surface whose pyramids have no volume.
///
/// The apex is the area centroid while the centre of mass is sought, then that centre while volume and inertia are summed, both as
/// MuJoCo does. For a closed surface that is star-shaped about both points this is the exact result.
pub(super) fn legacy(mesh: &TriangleMesh) -> Option<MassProperties> {
    let triangles = || (0..mesh.triangles().len()).map(|i| mesh.triangle(i).map(|p| p.coords));
    let (mut area, mut centroid) = (0.0, Vector3::zeros());
    for [a, b, c] in triangles() {
        let share = (b - a).cross(&(c - a)).norm();
        area += share;
        centroid += (a + b + c) * (share / 3.0);
    }
    if area <= 0.0 {
        return None;
    }
    let apex = centroid / area;
    let (mut volume, mut com) = (0.0, Vector3::zeros());
    for t in triangles() {
        let v = pyramid(&t, &apex);
        volume += v;
        com += (apex + t[0] + t[1] + t[2]) * (v / 4.0);
    }
    if volume <= 0.0 {
        return None;
    }
    com /= volume;
    let (mut mass, mut second) = (0.0, Matrix3::zeros());
    for t in triangles() {
        let v = pyramid(&t, &com);
        let [a, b, c] = t.map(|p| p - com);
        let s = a + b + c;
        mass += v;
        second +=
            (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose()) * (v / 20.0);
    }
    if mass <= 0.0 {
        return None;
    }
    let inertia = Matrix3::from_diagonal_element(second.trace()) - second;
    Some(MassProperties { mass, com: Point3::from(com), inertia })
}

/// Volume of the pyramid from `apex` to a triangle, never negative.
fn pyramid([a, b, c]: &[Vector3<f64>; 3], apex: &Vector3<f64>) -> f64 {
    (a - apex).dot(&(b - apex).cross(&(c - apex))).abs() / 6.0
}
