use signorini_core::na::{Isometry3, Translation3, UnitQuaternion};
use signorini_geometry::{MassProperties, TriangleMesh};

use crate::{BodyError, FromSceneError};

/// The block of uniform density that has this mass and inertia: the extent of a body of which nothing collides.
pub(crate) fn block(name: &str, mass: &MassProperties) -> Result<TriangleMesh, FromSceneError> {
    let (moments, axes) = mass.principal();
    // m/3 (b² + c²) about the axis of a.
    let half = moments.map(|i| (1.5 * (moments.sum() - 2.0 * i) / mass.mass).sqrt());
    if !half.iter().all(|h| *h > 0.0) {
        return Err(BodyError::Flat { name: name.to_owned() }.into());
    }
    let turn = UnitQuaternion::from_rotation_matrix(&axes);
    let pose = Isometry3::from_parts(Translation3::from(mass.com.coords), turn);
    let made = TriangleMesh::cuboid(&half).map(|m| m.transformed(&pose));
    made.map_err(|source| FromSceneError::Mesh { geom: name.to_owned(), source })
}
