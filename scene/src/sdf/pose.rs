//! `<pose>`: place and turn of a frame in another.

use signorini_core::na::{Quaternion, Translation3, UnitQuaternion};

use crate::Pose;
use crate::xml::{Element, Read};

/// A pose and the frame that it is stated in, by name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stated<'e> {
    pub(super) pose: Pose,
    /// The element and the name, where one is given.
    pub(super) relative_to: Option<(&'e Element, &'e str)>,
}

/// The `<pose>` of an element; the identity without one.
pub(super) fn read_pose(parent: &Element) -> Read<Stated<'_>> {
    let Some(e) = parent.only("pose")? else {
        return Ok(Stated { pose: Pose::identity(), relative_to: None });
    };
    // Called `frame` before version 1.7.
    let relative_to = e.nonempty("relative_to").or(e.nonempty("frame")).map(|n| (e, n));
    let degrees = e.boolean("degrees")?.unwrap_or(false);
    let quaternion =
        e.word("rotation_format", &[("euler_rpy", false), ("quat_xyzw", true)])?.unwrap_or(false);
    let (place, rotation) = if quaternion {
        if degrees {
            return Err(e.invalid_at(
                "degrees",
                "a quaternion has no degrees",
                "remove the attribute 'degrees'",
            ));
        }
        let [x, y, z, i, j, k, w] = e.vector::<7>("value")?.unwrap_or([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        let rotation = UnitQuaternion::try_new(Quaternion::new(w, i, j, k), 1e-12);
        let unit = "write a unit quaternion, its real part last";
        ([x, y, z], rotation.ok_or_else(|| e.invalid("the quaternion has no length", unit))?)
    } else {
        let [x, y, z, roll, pitch, yaw] = e.vector::<6>("value")?.unwrap_or_default();
        let unit = if degrees { std::f64::consts::PI / 180.0 } else { 1.0 };
        ([x, y, z], UnitQuaternion::from_euler_angles(roll * unit, pitch * unit, yaw * unit))
    };
    e.finish()?;
    Ok(Stated { pose: Pose::from_parts(Translation3::from(place), rotation), relative_to })
}
