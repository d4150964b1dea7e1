use signorini_core::na::{Matrix3, Point3, Vector3};

use super::{MassError, MassProperties, check_density, symmetric};
use crate::{ConvexMesh, TriangleMesh};

/// Rule by which a triangle surface is weighed; the names are MuJoCo's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshInertia {
    /// The volume it encloses, by the divergence theorem; it must be closed and right side out.
    Exact,
    /// Pyramids over the triangles, each counted as positive, first from the area centroid for the centre of mass, then from that for
    /// the rest: exact for surfaces that are star-shaped about both points, too heavy for others; open surfaces are accepted.
    Legacy,
    /// The volume of its convex hull.
    Convex,
    /// The surface itself; `density` is per area \[kg/m²\]. Open surfaces are accepted.
    Shell,
}

/// Sums over elements: measure, first moment and second moment about one origin.
#[derive(Default)]
struct Moments {
    zeroth: f64,
    first: Vector3<f64>,
    second: Matrix3<f64>,
}

impl Moments {
    /// A simplex with `corners` (3 vertices of a triangle, or 3 of a tetrahedron whose fourth is the origin): `measure` is its
    /// area or volume, `n` the number of vertices. ∫x xᵀ = measure · (Σ v vᵀ + (Σv)(Σv)ᵀ) / (n(n + 1)).
    fn add(&mut self, corners: &[Vector3<f64>; 3], measure: f64, n: f64) {
        let [a, b, c] = corners;
        let sum = a + b + c;
        self.zeroth += measure;
        self.first += sum * (measure / n);
        let squares = a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose();
        self.second += squares * (measure / (n * (n + 1.0)));
    }

    /// Mass properties at `density`, the sums having been taken about `origin`.
    fn properties(&self, origin: &Point3<f64>, density: f64) -> Result<MassProperties, MassError> {
        let offset = self.first / self.zeroth;
        let central = symmetric(&(self.second - self.zeroth * offset * offset.transpose()));
        let inertia = Matrix3::from_diagonal_element(central.trace()) - central;
        MassProperties::new(self.zeroth * density, origin + offset, inertia * density)
    }
}

impl MassProperties {
    /// A triangle surface at `density` \[kg/m³\] (\[kg/m²\] for a shell), weighed as `how` says.
    ///
    /// # Errors
    /// [`MassError::NotWatertight`] or [`MassError::Inverted`] for [`MeshInertia::Exact`]; [`MassError::Hull`] for
    /// [`MeshInertia::Convex`]; otherwise as [`Self::validate`].
    pub fn of_mesh(mesh: &TriangleMesh, density: f64, how: MeshInertia) -> Result<Self, MassError> {
        check_density(density)?;
        match how {
            MeshInertia::Exact => {
                let topology = mesh.topology();
                if !topology.is_watertight() {
                    return Err(MassError::NotWatertight { topology });
                }
                let signed_volume = mesh.signed_volume();
                if signed_volume < 0.0 {
                    return Err(MassError::Inverted { signed_volume });
                }
                solid(mesh, density)
            }
            MeshInertia::Legacy => legacy(mesh, density),
            MeshInertia::Convex => {
                let hull =
                    ConvexMesh::from_points(mesh.vertices()).map_err(|source| MassError::Hull { source })?;
                Self::of_convex(&hull, density)
            }
            MeshInertia::Shell => shell(mesh, density),
        }
    }

    /// A convex polyhedron at `density` \[kg/m³\].
    ///
    /// # Errors
    /// [`MassError::Density`], or as [`Self::validate`].
    pub fn of_convex(hull: &ConvexMesh, density: f64) -> Result<Self, MassError> {
        check_density(density)?;
        let origin = hull.centroid_of_vertices();
        let mut sums = Moments::default();
        for face in &hull.faces {
            let at = |k: usize| hull.vertices[face[k] as usize] - origin;
            for k in 1..face.len() - 1 {
                add_tetrahedron(&mut sums, &[at(0), at(k), at(k + 1)], false);
            }
        }
        sums.properties(&origin, density)
    }
}

/// The tetrahedron from the origin to a triangle, signed by winding unless `positive`.
fn add_tetrahedron(sums: &mut Moments, corners: &[Vector3<f64>; 3], positive: bool) {
    let [a, b, c] = corners;
    let volume = a.dot(&b.cross(c)) / 6.0;
    sums.add(corners, if positive { volume.abs() } else { volume }, 4.0);
}

fn about(mesh: &TriangleMesh, origin: &Point3<f64>, mut add: impl FnMut(&[Vector3<f64>; 3])) {
    for i in 0..mesh.triangles().len() {
        add(&mesh.triangle(i).map(|p| p - origin));
    }
}

fn solid(mesh: &TriangleMesh, density: f64) -> Result<MassProperties, MassError> {
    let origin = mesh.aabb().center();
    let mut sums = Moments::default();
    about(mesh, &origin, |t| add_tetrahedron(&mut sums, t, false));
    sums.properties(&origin, density)
}

fn shell_sums(mesh: &TriangleMesh) -> (Moments, Point3<f64>) {
    let origin = mesh.aabb().center();
    let mut sums = Moments::default();
    about(mesh, &origin, |t| sums.add(t, 0.5 * (t[1] - t[0]).cross(&(t[2] - t[0])).norm(), 3.0));
    (sums, origin)
}

fn shell(mesh: &TriangleMesh, density: f64) -> Result<MassProperties, MassError> {
    let (sums, origin) = shell_sums(mesh);
    sums.properties(&origin, density)
}

/// Pyramids from the area centroid give the centre of mass, pyramids from that centre volume and inertia, both as MuJoCo does.
fn legacy(mesh: &TriangleMesh, density: f64) -> Result<MassProperties, MassError> {
    let (surface, origin) = shell_sums(mesh);
    let centroid = origin + surface.first / surface.zeroth;
    let pyramids = |apex: &Point3<f64>| {
        let mut sums = Moments::default();
        about(mesh, apex, |t| add_tetrahedron(&mut sums, t, true));
        let volume = sums.zeroth;
        if volume > 0.0 { Ok(sums) } else { Err(MassError::Mass { mass: volume * density }) }
    };
    let volume = pyramids(&centroid)?;
    let com = centroid + volume.first / volume.zeroth;
    let about_com = pyramids(&com)?;
    let second = symmetric(&about_com.second);
    let inertia = Matrix3::from_diagonal_element(second.trace()) - second;
    MassProperties::new(about_com.zeroth * density, com, inertia * density)
}
