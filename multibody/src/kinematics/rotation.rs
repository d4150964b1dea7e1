use signorini_core::na::{Quaternion, UnitQuaternion, Vector3};

/// The rotation stored at q[at..at + 4], normalised.
pub(crate) fn quaternion_at(q: &[f64], at: usize) -> UnitQuaternion<f64> {
    UnitQuaternion::from_quaternion(Quaternion::new(q[at], q[at + 1], q[at + 2], q[at + 3]))
}

/// Rotation vector of a rotation, angle in [0, π].
pub(crate) fn rotation_vector(r: &UnitQuaternion<f64>) -> Vector3<f64> {
    let (w, v) = if r.w < 0.0 { (-r.w, -r.imag()) } else { (r.w, r.imag()) };
    let s = v.norm();
    // 2 atan2(s, w)/s, by its series where s is small.
    let k = if s < 1e-8 { 2.0 / w } else { 2.0 * s.atan2(w) / s };
    v * k
}
