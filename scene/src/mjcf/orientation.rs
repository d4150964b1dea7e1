//! Poses: `pos` with `quat`, `axisangle`, `xyaxes`, `zaxis` or `euler`.

use signorini_core::na::{Matrix3, Quaternion, Rotation3, Translation3, Unit, UnitQuaternion, Vector3};

use super::compiler::Compiler;
use crate::Pose;
use crate::xml::{Element, Read};

/// Position and orientation as far as they were stated.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PoseSpec {
    pub(super) position: Option<Vector3<f64>>,
    pub(super) rotation: Option<UnitQuaternion<f64>>,
}

const ALTERNATIVES: [&str; 5] = ["quat", "axisangle", "xyaxes", "zaxis", "euler"];

impl PoseSpec {
    /// Reads the statements of the element over the present ones.
    pub(super) fn read(&mut self, e: &Element, c: &Compiler) -> Read<()> {
        if let Some(p) = e.vector::<3>("pos")? {
            self.position = Some(p.into());
        }
        if let Some(r) = rotation(e, c)? {
            self.rotation = Some(r);
        }
        Ok(())
    }

    /// The pose; parts that are not stated are zero.
    pub(super) fn pose(&self) -> Pose {
        Pose::from_parts(
            Translation3::from(self.position.unwrap_or_default()),
            self.rotation.unwrap_or_else(UnitQuaternion::identity),
        )
    }
}

/// Reads the pose of an element that has no class.
pub(super) fn read_pose(e: &Element, c: &Compiler) -> Read<Pose> {
    let mut spec = PoseSpec::default();
    spec.read(e, c)?;
    Ok(spec.pose())
}

/// The rotation that an element states in one of five ways.
fn rotation(e: &Element, c: &Compiler) -> Read<Option<UnitQuaternion<f64>>> {
    let stated: Vec<_> = ALTERNATIVES.iter().filter(|a| e.has(a)).collect();
    if let [first, second, ..] = stated[..] {
        return Err(e.invalid_at(
            second,
            format!("both '{first}' and '{second}' state an orientation"),
            "keep one of them",
        ));
    }
    if let Some(q) = e.vector::<4>("quat")? {
        return quaternion(q).map(Some).ok_or_else(|| {
            e.invalid_at(
                "quat",
                "the quaternion has no length",
                "write a quaternion w x y z, for example 1 0 0 0",
            )
        });
    }
    if let Some([x, y, z, angle]) = e.vector::<4>("axisangle")? {
        let axis = direction(e, "axisangle", Vector3::new(x, y, z))?;
        return Ok(Some(UnitQuaternion::from_axis_angle(&axis, c.radians(angle))));
    }
    if let Some([a, b, d, p, q, r]) = e.vector::<6>("xyaxes")? {
        let x = direction(e, "xyaxes", Vector3::new(a, b, d))?.into_inner();
        let y = Vector3::new(p, q, r);
        let y = direction(e, "xyaxes", y - x * x.dot(&y))?.into_inner();
        let m = Rotation3::from_matrix_unchecked(Matrix3::from_columns(&[x, y, x.cross(&y)]));
        return Ok(Some(UnitQuaternion::from_rotation_matrix(&m)));
    }
    if let Some(z) = e.vector::<3>("zaxis")? {
        return Ok(Some(z_to(direction(e, "zaxis", z.into())?)));
    }
    if let Some(angles) = e.vector::<3>("euler")? {
        return Ok(Some(euler(angles.map(|a| c.radians(a)), c.euler)));
    }
    Ok(None)
}

/// Normalised quaternion (w, x, y, z); None for one without length.
pub(super) fn quaternion([w, x, y, z]: [f64; 4]) -> Option<UnitQuaternion<f64>> {
    UnitQuaternion::try_new(Quaternion::new(w, x, y, z), 1e-12)
}

fn direction(e: &Element, attribute: &str, v: Vector3<f64>) -> Read<Unit<Vector3<f64>>> {
    Unit::try_new(v, 1e-12).ok_or_else(|| {
        e.invalid_at(
            attribute,
            format!("'{attribute}' has an axis without length, or parallel axes"),
            "write axes that are not zero and not parallel",
        )
    })
}

/// The smallest rotation that takes z to `to`.
pub(super) fn z_to(to: Unit<Vector3<f64>>) -> UnitQuaternion<f64> {
    let cross = Vector3::z().cross(&to);
    let sine = cross.norm();
    let axis = if sine < 1e-10 { Vector3::x_axis() } else { Unit::new_unchecked(cross / sine) };
    UnitQuaternion::from_axis_angle(&axis, sine.atan2(to.z))
}

/// Lower-case letters turn about axes that rotate along, upper-case ones about fixed axes.
pub(super) fn euler(angles: [f64; 3], sequence: [char; 3]) -> UnitQuaternion<f64> {
    let mut q = UnitQuaternion::identity();
    for (angle, letter) in angles.into_iter().zip(sequence) {
        let axis = match letter.to_ascii_lowercase() {
            'x' => Vector3::x_axis(),
            'y' => Vector3::y_axis(),
            _ => Vector3::z_axis(),
        };
        let turn = UnitQuaternion::from_axis_angle(&axis, angle);
        q = if letter.is_ascii_lowercase() { q * turn } else { turn * q };
    }
    q
}
