//! Primitives fitted to a mesh: `<geom type="capsule" mesh="..."/>`.

use signorini_core::na::{Matrix3, Rotation3, SymmetricEigen, UnitQuaternion, Vector3};

use super::Reader;
use super::asset::MeshAsset;
use super::geom::{GeomSpec, GeomType};
use super::mesh_data::MeshData;
use crate::Pose;
use crate::xml::{Element, Read};

impl MeshAsset {
    /// Pose of the principal axes of inertia, the smallest moment along z, and the moments in that order, at unit density.
    fn principal(&self) -> Read<(Pose, Vector3<f64>, f64)> {
        let m = self.unit_mass()?;
        let eigen = SymmetricEigen::new(m.inertia);
        let mut order = [0, 1, 2];
        order.sort_by(|a, b| eigen.eigenvalues[*b].total_cmp(&eigen.eigenvalues[*a]));
        let [x, y] = [order[0], order[1]].map(|i| eigen.eigenvectors.column(i).into_owned());
        let axes = Rotation3::from_matrix_unchecked(Matrix3::from_columns(&[x, y, x.cross(&y)]));
        let pose = Pose::from_parts(m.com.coords.into(), UnitQuaternion::from_rotation_matrix(&axes));
        Ok((pose, Vector3::from(order.map(|i| eigen.eigenvalues[i])), m.mass))
    }

    /// Pose of the principal axes and the largest distances \[m\] of a vertex along them from the centre of mass: the size that MuJoCo gives
    /// a mesh geom.
    pub(super) fn ellipsoid_about_centre(&self) -> Read<(Pose, Vector3<f64>)> {
        let pose = self.principal()?.0;
        let sizes = self.surface()?.vertices().iter().map(|v| pose.inverse_transform_point(v).coords.abs());
        Ok((pose, sizes.fold(Vector3::zeros(), |a, b| a.sup(&b))))
    }
}

impl Reader<'_> {
    /// Whether the geom is a primitive fitted to a mesh that is not read.
    pub(super) fn fits_missing(&self, e: &Element, g: &GeomSpec) -> Read<Option<std::path::PathBuf>> {
        Ok(match &self.mesh_of(e, g)?.data {
            MeshData::File { path, .. } if self.options.without_meshes => Some(path.clone()),
            _ => None,
        })
    }

    /// Pose of the fitted primitive in the geom's frame, and its size.
    pub(super) fn fit(&self, e: &Element, g: &GeomSpec) -> Read<(Pose, [f64; 3])> {
        let asset = self.mesh_of(e, g)?;
        let (mut pose, moments, mass) = asset.principal()?;
        let half = if self.compilers[e.origin].fit_aabb {
            let mut low = Vector3::from_element(f64::INFINITY);
            let mut high = -low;
            for v in asset.surface()?.vertices() {
                let p = pose.inverse_transform_point(v).coords;
                (low, high) = (low.inf(&p), high.sup(&p));
            }
            pose *= signorini_core::na::Translation3::from((low + high) * 0.5);
            (high - low) * 0.5
        } else {
            // The box with the same mass and moments: b_x² = 3 (I_y + I_z − I_x)/(2 m).
            let total = moments.sum();
            moments.map(|i| (1.5 * (total - 2.0 * i).max(0.0) / mass).sqrt())
        };
        let across =
            if self.compilers[e.origin].fit_aabb { half.x.max(half.y) } else { 0.5 * (half.x + half.y) };
        let size = match (g.kind, self.compilers[e.origin].fit_aabb) {
            (GeomType::Sphere, true) => [half.max(), 0.0, 0.0],
            (GeomType::Sphere, false) => [half.mean(), 0.0, 0.0],
            (GeomType::Capsule, true) => [across, half.z - across, 0.0],
            (GeomType::Capsule, false) => [across, half.z - 0.5 * across, 0.0],
            (GeomType::Cylinder, _) => [across, half.z, 0.0],
            _ => half.into(),
        };
        Ok((pose, size.map(|s| s.max(0.0) * g.fit_scale)))
    }
}
