//! `<origin>`: where a frame stands in another.

use signorini_core::na::{Quaternion, Translation3, UnitQuaternion};

use crate::Pose;
use crate::xml::{Element, Read};

/// The pose that the `<origin>` of an element states; the identity without one.
pub(super) fn read_origin(parent: &Element) -> Read<Pose> {
    let Some(e) = parent.only("origin")? else { return Ok(Pose::identity()) };
    e.no_children()?;
    let pose = read_pose(e)?;
    e.finish()?;
    Ok(pose)
}

/// Attributes `xyz` \[m\] and `rpy` \[rad\] (turns about the fixed axes x, y, z in this order), or `quat_xyzw`.
pub(super) fn read_pose(e: &Element) -> Read<Pose> {
    let [x, y, z] = e.vector::<3>("xyz")?.unwrap_or_default();
    let rotation = match (e.vector::<3>("rpy")?, e.vector::<4>("quat_xyzw")?) {
        (Some(_), Some(_)) => {
            return Err(e.invalid_at("quat_xyzw", "both rpy and quat_xyzw are given", "keep one of them"));
        }
        (Some([r, p, y]), None) => UnitQuaternion::from_euler_angles(r, p, y),
        (None, Some([x, y, z, w])) => UnitQuaternion::try_new(Quaternion::new(w, x, y, z), 1e-12)
            .ok_or_else(|| {
                e.invalid_at("quat_xyzw", "the quaternion has no length", "write a unit quaternion")
            })?,
        (None, None) => UnitQuaternion::identity(),
    };
    Ok(Pose::from_parts(Translation3::new(x, y, z), rotation))
}
