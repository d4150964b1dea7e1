//! Blocks and joints of tests.

use signorini_core::State;
use signorini_core::na::{Isometry3, Vector3};
use signorini_geometry::TriangleMesh;
use signorini_ipc::{AffineBody, AffineSystem};
use signorini_testkit::rng::Rng;

/// A cuboid of 1000 kg/m³ by half its sides \[m\].
pub(crate) fn block(name: &str, half: [f64; 3]) -> AffineBody {
    AffineBody::solid(name, &TriangleMesh::cuboid(&Vector3::from(half)).unwrap(), 1000.0).unwrap()
}

/// A place \[m\].
pub(crate) fn at(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::translation(x, y, z)
}

/// Throws six bodies, the first after the floor, at the middle of the heap.
pub(crate) fn throw_together(s: &AffineSystem, x: &mut State, r: &mut Rng) {
    for b in 1..7 {
        let at = s.coordinates_of(b).unwrap();
        let towards = -Vector3::new(x.q[at] - 0.1, x.q[at + 1] - 0.1, 0.5) * 5.0;
        let v = s.bodies()[b].velocity(&x.q[at..], &towards, &(3.0 * r.vector::<3>()));
        x.v[at..at + 12].copy_from_slice(&v);
    }
}
