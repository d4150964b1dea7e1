use robust::{Coord3D, orient3d};
use signorini_core::na::Vector3;

/// Whether a segment and a triangle have a point in common, decided exactly. A segment in the plane of the triangle does not count: it touches, which distances tell.
pub fn segment_crosses_triangle(segment: &[Vector3<f64>; 2], triangle: &[Vector3<f64>; 3]) -> bool {
    let coordinates = |p: &Vector3<f64>| Coord3D { x: p.x, y: p.y, z: p.z };
    let side = |a: &Vector3<f64>, b: &Vector3<f64>, c: &Vector3<f64>, d: &Vector3<f64>| {
        orient3d(coordinates(a), coordinates(b), coordinates(c), coordinates(d))
    };
    let ([a, b, c], [p, q]) = (triangle, segment);
    let (s, t) = (side(a, b, c, p), side(a, b, c, q));
    if (s > 0.0 && t > 0.0) || (s < 0.0 && t < 0.0) || (s == 0.0 && t == 0.0) {
        return false;
    }
    let turns = [[a, b], [b, c], [c, a]].map(|[i, j]| side(p, q, i, j));
    turns.iter().all(|x| *x >= 0.0) || turns.iter().all(|x| *x <= 0.0)
}
