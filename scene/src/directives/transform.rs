//! Poses: `translation`, `rotation`, `base_frame`.

use signorini_core::na::{Translation3, Unit, UnitQuaternion, Vector3};

use crate::Pose;
use crate::xml::{Element, Read};

/// A pose and the name of the frame that it is stated in.
pub(super) struct Transform<'e> {
    pub(super) pose: Pose,
    pub(super) base_frame: Option<&'e str>,
}

/// The transform that an element states.
pub(super) fn read_transform(e: &Element) -> Read<Transform<'_>> {
    let base_frame = e.nonempty("base_frame");
    let place = e.vector::<3>("translation")?.unwrap_or_default();
    let mut rotation = UnitQuaternion::identity();
    for c in &e.children {
        match c.name.as_str() {
            "rotation" => rotation = read_rotation(c)?,
            "translation" => return Err(random(c)),
            _ => return Err(e.unknown_child(c, &["base_frame", "translation", "rotation"])),
        }
    }
    if e.has("rotation") {
        return Err(e.invalid_at(
            "rotation",
            "the rotation is no mapping",
            "write rotation: !Rpy { deg: [0, 0, 90] }",
        ));
    }
    e.string("!");
    e.finish()?;
    Ok(Transform { pose: Pose::from_parts(Translation3::from(place), rotation), base_frame })
}

fn random(e: &Element) -> crate::SceneError {
    e.unsupported(
        "a pose drawn by chance",
        "write numbers: translation: [x, y, z], rotation: !Rpy { deg: [r, p, y] }",
    )
}

fn read_rotation(e: &Element) -> Read<UnitQuaternion<f64>> {
    let degrees = |x: f64| x.to_radians();
    let kind = e.nonempty("!").unwrap_or(if e.has("deg") { "Rpy" } else { "Identity" });
    if !e.children.is_empty() {
        return Err(random(e));
    }
    let rotation = match kind {
        "Identity" => UnitQuaternion::identity(),
        "Rpy" => {
            e.required("deg")?;
            let [r, p, y] = e.vector::<3>("deg")?.unwrap_or_default();
            UnitQuaternion::from_euler_angles(degrees(r), degrees(p), degrees(y))
        }
        "AngleAxis" => {
            e.required("angle_deg")?;
            e.required("axis")?;
            let angle = degrees(e.number("angle_deg")?.unwrap_or_default());
            let axis = Vector3::from(e.vector::<3>("axis")?.unwrap_or_default());
            let Some(axis) = Unit::try_new(axis, 1e-9) else {
                return Err(e.invalid_at(
                    "axis",
                    "the axis has no length",
                    "write three numbers that are not all zero",
                ));
            };
            UnitQuaternion::from_axis_angle(&axis, angle)
        }
        "Uniform" | "Gaussian" | "UniformDiscrete" => return Err(random(e)),
        other => {
            return Err(e.invalid_at(
                "!",
                format!("a rotation '!{other}' is not known"),
                "write !Rpy { deg: [r, p, y] } or !AngleAxis { angle_deg: a, axis: [x, y, z] }",
            ));
        }
    };
    e.finish()?;
    Ok(rotation)
}
