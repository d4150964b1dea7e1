use signorini_core::na::{Isometry3, Matrix3, Point3, Vector3};
use signorini_geometry::{MassProperties, TriangleMesh};

/// Why a mesh is no affine body.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BodyError {
    /// Edges without a second triangle.
    #[error(
        "body '{name}': its mesh is not closed; close it or give it a thickness, or moments of inertia that a body of some thickness has"
    )]
    Open {
        /// The body.
        name: String,
    },
    /// Triangles turned inside out.
    #[error(
        "body '{name}': its mesh encloses {volume:e} m³; turn its triangles so that normals point outwards"
    )]
    Inverted {
        /// The body.
        name: String,
        /// Signed volume \[m³\].
        volume: f64,
    },
    /// A triangle or edge without extent.
    #[error("body '{name}': triangle {triangle} has no area; remove it")]
    Degenerate {
        /// The body.
        name: String,
        /// The triangle.
        triangle: usize,
    },
    /// A number out of its range.
    #[error("body '{name}': {what} is {value}; give {range}")]
    Value {
        /// The body.
        name: String,
        /// Name of the number.
        what: &'static str,
        /// Value that was given.
        value: f64,
        /// Range that it may have.
        range: &'static str,
    },
    /// An option of the system out of its range.
    #[error("the option '{what}' is {value}; give {range}")]
    Options {
        /// Name of the option: a field of [`crate::IpcOptions`].
        what: &'static str,
        /// Value that was given.
        value: f64,
        /// Range that it may have.
        range: &'static str,
    },
    /// A contact law that affine bodies cannot have.
    #[error("the law '{law}' {why}")]
    Law {
        /// [`signorini_core::LawPool::key`].
        law: &'static str,
        /// Reason, and the remedy.
        why: String,
    },
    /// A joint that cannot be made.
    #[error("joint '{name}': {why}")]
    Joint {
        /// The joint.
        name: String,
        /// Reason, and the remedy.
        why: String,
    },
    /// No surface.
    #[error("body '{name}': {why}; give it closed meshes with triangles")]
    Surface {
        /// The body.
        name: String,
        /// Defect of the surface.
        why: String,
    },
    /// Threads could not be started.
    #[error("the threads of the system could not be started ({why}); ask for fewer")]
    Threads {
        /// The reason.
        why: String,
    },
    /// No volume in some direction.
    #[error(
        "body '{name}': its second moment of mass is not positive definite; give it a thickness, or moments of inertia that a body of some thickness has"
    )]
    Flat {
        /// The body.
        name: String,
    },
}

/// A body whose points are x = p + A X: twelve coordinates (p, a₁, a₂, a₃), a_r the rows of A.
#[derive(Clone, Debug)]
pub struct AffineBody {
    /// Name.
    pub name: String,
    /// Points X of the surface about the centre of mass \[m\].
    pub points: Vec<Vector3<f64>>,
    /// Triangles, counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Edges, the lower point first.
    pub edges: Vec<[u32; 2]>,
    /// A third of the areas of the triangles at each point \[m²\].
    pub point_areas: Vec<f64>,
    /// A third of the areas of the two triangles at each edge \[m²\].
    pub edge_areas: Vec<f64>,
    /// Volume that the stiffness of orthogonality counts with \[m³\].
    pub volume: f64,
    /// Mass \[kg\].
    pub mass: f64,
    /// ∫ρ X Xᵀ \[kg·m²\].
    pub second_moment: Matrix3<f64>,
    /// Centre of mass in the frame of the mesh \[m\].
    pub com: Vector3<f64>,
    /// Coefficient of friction.
    pub friction: f64,
    /// Number of points up to the end of each part of the surface; see [`AffineBody::assembled`].
    pub parts: Vec<u32>,
    /// One point of each connected piece of the surface.
    pub pieces: Vec<u32>,
    /// Does not move.
    pub fixed: bool,
    /// Part of its weight that something carries; 0: none.
    pub gravity_compensation: f64,
    /// Moves as it is told, however hard others push: it counts with a million times its mass.
    pub driven: bool,
}

impl AffineBody {
    /// A solid of uniform density \[kg/m³\] with this surface.
    ///
    /// # Errors
    /// [`BodyError`]: an open, inverted, degenerate or flat mesh; a density that is not positive.
    pub fn solid(name: &str, mesh: &TriangleMesh, density: f64) -> Result<Self, BodyError> {
        let own = || name.to_owned();
        if !(density > 0.0 && density.is_finite()) {
            return Err(BodyError::Value {
                name: own(),
                what: "density",
                value: density,
                range: "kg/m³ > 0",
            });
        }
        if !mesh.is_watertight() {
            return Err(BodyError::Open { name: own() });
        }
        Self::enclosed(name, mesh, density)
    }

    /// A held surface that need not be closed, as meshes of plates and nuts often are: others stay on the side of it on which they start.
    ///
    /// # Errors
    /// [`BodyError::Degenerate`].
    pub fn shell(name: &str, mesh: &TriangleMesh) -> Result<Self, BodyError> {
        Ok(Self::bare(name, mesh, Vector3::zeros())?.held())
    }

    /// Solid that a closed surface encloses.
    fn enclosed(name: &str, mesh: &TriangleMesh, density: f64) -> Result<Self, BodyError> {
        let own = || name.to_owned();
        let x: Vec<Vector3<f64>> = mesh.vertices().iter().map(|p| p.coords).collect();
        let (mut volume, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
        // Tetrahedra from a point of the mesh, so that far origins cost no digits.
        let origin = x.first().copied().unwrap_or_default();
        for t in mesh.triangles() {
            let [a, b, c] = t.map(|i| x[i as usize] - origin);
            let det = a.dot(&b.cross(&c));
            let sum = a + b + c;
            volume += det / 6.0;
            first += det / 24.0 * sum;
            let square = |v: &Vector3<f64>| v * v.transpose();
            second += det / 120.0 * (square(&a) + square(&b) + square(&c) + square(&sum));
        }
        let bare = Self::bare(name, mesh, first / volume + origin)?;
        if volume <= 0.0 {
            return Err(BodyError::Inverted { name: own(), volume });
        }
        let com = first / volume;
        let second_moment = density * (second - volume * com * com.transpose());
        if second_moment.cholesky().is_none() {
            return Err(BodyError::Flat { name: own() });
        }
        Ok(Self { volume, mass: density * volume, second_moment, ..bare })
    }

    /// The surface alone about `com` \[m\], with a mass and a volume of one.
    fn bare(name: &str, mesh: &TriangleMesh, com: Vector3<f64>) -> Result<Self, BodyError> {
        let x: Vec<Vector3<f64>> = mesh.vertices().iter().map(|p| p.coords).collect();
        for (triangle, t) in mesh.triangles().iter().enumerate() {
            let [a, b, c] = t.map(|i| x[i as usize]);
            let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
            if (b - a).cross(&(c - a)).norm() <= 1e-14 * longest * longest {
                return Err(BodyError::Degenerate { name: name.to_owned(), triangle });
            }
        }
        let mut edges: Vec<[u32; 2]> = mesh
            .triangles()
            .iter()
            .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
            .map(|[a, b]| [a.min(b), a.max(b)])
            .collect();
        edges.sort_unstable();
        edges.dedup();
        let (mut point_areas, mut edge_areas) = (vec![0.0; x.len()], vec![0.0; edges.len()]);
        for t in mesh.triangles() {
            let [a, b, c] = t.map(|i| x[i as usize]);
            let third = (b - a).cross(&(c - a)).norm() / 6.0;
            for (i, j) in [(0, 1), (1, 2), (2, 0)].map(|(i, j)| (t[i], t[j])) {
                point_areas[i as usize] += third;
                if let Ok(e) = edges.binary_search(&[i.min(j), i.max(j)]) {
                    edge_areas[e] += third;
                }
            }
        }
        Ok(Self {
            name: name.to_owned(),
            point_areas,
            edge_areas,
            points: x.iter().map(|x| x - com).collect(),
            triangles: mesh.triangles().to_vec(),
            edges,
            volume: 1.0,
            mass: 1.0,
            second_moment: Matrix3::identity(),
            com,
            friction: 0.0,
            parts: vec![x.len() as u32],
            pieces: pieces(mesh),
            fixed: false,
            gravity_compensation: 0.0,
            driven: false,
        })
    }

    /// A body with this surface whose mass, centre and inertia are given, as files have them.
    ///
    /// ```text
    /// ∫ρ X Xᵀ = ½ tr(I) 1 − I
    /// ```
    /// A volume is that of the surface, at least a tenth of that of the ellipsoid with its mass and inertia.
    ///
    /// # Errors
    /// As [`AffineBody::solid`]; [`BodyError::Flat`] where moments of inertia do not obey the triangle inequality strictly: no body of some thickness has them.
    pub fn with_inertia(name: &str, mesh: &TriangleMesh, mass: &MassProperties) -> Result<Self, BodyError> {
        Self::assembled(name, std::slice::from_ref(mesh), mass)
    }

    /// A body with a surface of several closed parts, which may touch or overlap: bodies do not collide with themselves. A rule for each two parts that meet is possible: [`crate::AffineSystem::with_rule`].
    ///
    /// # Errors
    /// As [`AffineBody::with_inertia`], for any of the parts.
    pub fn assembled(name: &str, parts: &[TriangleMesh], mass: &MassProperties) -> Result<Self, BodyError> {
        if !(mass.mass > 0.0 && mass.mass.is_finite()) {
            let value = mass.mass;
            return Err(BodyError::Value { name: name.to_owned(), what: "mass", value, range: "kg > 0" });
        }
        if parts.iter().any(|p| !p.is_watertight()) {
            return Err(BodyError::Open { name: name.to_owned() });
        }
        let (mut points, mut triangles, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        for part in parts {
            let first = points.len() as u32;
            points.extend_from_slice(part.vertices());
            ends.push(points.len() as u32);
            triangles.extend(part.triangles().iter().map(|t| t.map(|i| i + first)));
        }
        let whole = TriangleMesh::new(points, triangles)
            .map_err(|e| BodyError::Surface { name: name.to_owned(), why: e.to_string() })?;
        let solid = Self::enclosed(name, &whole, 1.0)?;
        let second_moment = 0.5 * mass.inertia.trace() * Matrix3::identity() - mass.inertia;
        if second_moment.cholesky().is_none() {
            return Err(BodyError::Flat { name: name.to_owned() });
        }
        let shift = solid.com - mass.com.coords;
        let points = solid.points.iter().map(|x| x + shift).collect();
        // The colliding surface may be small beside the body that it stands for.
        let volume = solid.volume.max(LEAST * ellipsoid(mass.mass, &second_moment));
        Ok(Self {
            points,
            parts: ends,
            volume,
            mass: mass.mass,
            second_moment,
            com: mass.com.coords,
            ..solid
        })
    }

    /// This body with a coefficient of friction; two bodies have the larger of theirs.
    #[must_use]
    pub fn with_friction(self, friction: f64) -> Self {
        Self { friction, ..self }
    }

    /// This body with a part of its weight carried at its centre of mass: 1 floats.
    #[must_use]
    pub fn with_gravity_compensation(self, part: f64) -> Self {
        Self { gravity_compensation: part, ..self }
    }

    /// This body, held.
    #[must_use]
    pub fn held(self) -> Self {
        Self { fixed: true, driven: false, ..self }
    }

    /// This body, moved from outside; see `AffineSystem::drive`.
    #[must_use]
    pub fn driven(self) -> Self {
        Self { driven: true, fixed: false, ..self }
    }

    /// Coordinates at a pose of the mesh's frame, 12.
    pub fn coordinates(&self, pose: &Isometry3<f64>) -> [f64; 12] {
        let p = pose * Point3::from(self.com);
        let r = pose.rotation.to_rotation_matrix();
        std::array::from_fn(|i| if i < 3 { p[i] } else { r.matrix()[((i - 3) / 3, (i - 3) % 3)] })
    }

    /// Velocity of the coordinates of a rigid motion: of the centre of mass \[m/s\] and angular \[rad/s\], world axes, 12.
    pub fn velocity(&self, q: &[f64], linear: &Vector3<f64>, angular: &Vector3<f64>) -> [f64; 12] {
        let rate = angular.cross_matrix() * matrix(q);
        std::array::from_fn(|i| if i < 3 { linear[i] } else { rate[((i - 3) / 3, (i - 3) % 3)] })
    }
}

/// Least volume of a surface beside the ellipsoid that has the body's mass and inertia: a smaller one is taken to be only a part of the body.
const LEAST: f64 = 0.1;

/// Volume of the uniform ellipsoid with this mass \[kg\] and second moment \[kg·m²\], S = m/5 diag(a², b², c²).
fn ellipsoid(mass: f64, second_moment: &Matrix3<f64>) -> f64 {
    4.0 / 3.0 * std::f64::consts::PI * (second_moment * (5.0 / mass)).determinant().sqrt()
}

/// The first point of each connected piece of a surface.
fn pieces(mesh: &TriangleMesh) -> Vec<u32> {
    let mut of: Vec<u32> = (0..mesh.vertices().len() as u32).collect();
    // Each point points to one before it, or to itself; chains are followed and shortened.
    fn root(of: &mut [u32], mut i: u32) -> u32 {
        while of[i as usize] != i {
            of[i as usize] = of[of[i as usize] as usize];
            i = of[i as usize];
        }
        i
    }
    for t in mesh.triangles() {
        let first = t.map(|i| root(&mut of, i));
        let low = first[0].min(first[1]).min(first[2]);
        first.iter().for_each(|f| of[*f as usize] = low);
    }
    let used = |i: &u32| mesh.triangles().iter().any(|t| t.contains(i));
    (0..of.len() as u32).filter(|i| of[*i as usize] == *i).filter(used).collect()
}

/// A of coordinates, or of a velocity.
pub(crate) fn matrix(q: &[f64]) -> Matrix3<f64> {
    Matrix3::from_fn(|r, c| q[3 + 3 * r + c])
}

/// Twice the axial vector of the skew part of a matrix: of [w]ₓ it is 2 w.
pub(crate) fn axial(m: &Matrix3<f64>) -> Vector3<f64> {
    Vector3::new(m[(2, 1)] - m[(1, 2)], m[(0, 2)] - m[(2, 0)], m[(1, 0)] - m[(0, 1)])
}

/// x = p + A X.
pub(crate) fn place(q: &[f64], x: &Vector3<f64>) -> Vector3<f64> {
    Vector3::from_fn(|r, _| q[r] + q[3 + 3 * r] * x[0] + q[4 + 3 * r] * x[1] + q[5 + 3 * r] * x[2])
}

/// The rotation nearest to A, det A > 0.
pub(crate) fn nearest_rotation(a: &Matrix3<f64>) -> Matrix3<f64> {
    // Newton's iteration for the polar decomposition: quadratic, and A is nearly a rotation.
    let mut r = *a;
    for _ in 0..20 {
        let Some(inverse) = r.try_inverse() else { return r };
        let next = 0.5 * (r + inverse.transpose());
        let done = (next - r).amax() <= 1e-15;
        r = next;
        if done {
            break;
        }
    }
    r
}
