use signorini_core::largest;
use signorini_core::na::{Isometry3, Matrix3, Point3, Vector3};
use signorini_geometry::{MassProperties, Shape, TriangleMesh};

use crate::surface::{BodyPart, BodySurface, Moments, moments, pieces};

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
        "body '{name}': its mesh encloses {volume:.3e} m³; turn its triangles so that normals point outwards"
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
    /// Points X of the surface, of balls and capsules those within, about the centre of mass \[m\].
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
    /// Parts of the surface; see [`AffineBody::assembled`].
    pub parts: Vec<BodyPart>,
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
        Ok(Self::bare(name, &[mesh.clone().into()], Vector3::zeros())?.held())
    }

    /// A ball of uniform density \[kg/m³\] about the origin of its frame: round, not of facets.
    ///
    /// # Errors
    /// [`BodyError::Surface`]: a radius \[m\] or density that is not positive.
    pub fn ball(name: &str, radius: f64, density: f64) -> Result<Self, BodyError> {
        let surface = BodySurface::Ball { centre: Point3::origin(), radius };
        Self::round(name, surface, &Shape::Sphere { radius }, density)
    }

    /// A capsule of uniform density \[kg/m³\] about the z axis of its frame, round as a ball is; its edge is from −`half_length` to `half_length` \[m\].
    ///
    /// # Errors
    /// [`BodyError::Surface`]: a radius \[m\], half length or density that is not positive.
    pub fn capsule(name: &str, radius: f64, half_length: f64, density: f64) -> Result<Self, BodyError> {
        let ends = [-half_length, half_length].map(|z| Point3::new(0.0, 0.0, z));
        let surface = BodySurface::Capsule { ends, radius };
        Self::round(name, surface, &Shape::Capsule { radius, half_length }, density)
    }

    fn round(name: &str, surface: BodySurface, shape: &Shape, density: f64) -> Result<Self, BodyError> {
        let mass = MassProperties::of_shape(shape, density)
            .map_err(|e| BodyError::Surface { name: name.to_owned(), why: e.to_string() })?;
        Self::assembled(name, &[surface], &mass)
    }

    /// Solid that a closed surface encloses.
    fn enclosed(name: &str, mesh: &TriangleMesh, density: f64) -> Result<Self, BodyError> {
        let own = || name.to_owned();
        let Moments { volume, centre, second } = moments(mesh);
        let bare = Self::bare(name, &[mesh.clone().into()], centre)?;
        if volume <= 0.0 {
            return Err(BodyError::Inverted { name: own(), volume });
        }
        let second_moment = density * second;
        if second_moment.cholesky().is_none() {
            return Err(BodyError::Flat { name: own() });
        }
        Ok(Self { volume, mass: density * volume, second_moment, ..bare })
    }

    /// The surface alone about `com` \[m\], with a mass and a volume of one.
    fn bare(name: &str, surfaces: &[BodySurface], com: Vector3<f64>) -> Result<Self, BodyError> {
        let mut out = Self {
            name: name.to_owned(),
            point_areas: Vec::new(),
            edge_areas: Vec::new(),
            points: Vec::new(),
            triangles: Vec::new(),
            edges: Vec::new(),
            volume: 1.0,
            mass: 1.0,
            second_moment: Matrix3::identity(),
            com,
            friction: 0.0,
            parts: Vec::new(),
            pieces: Vec::new(),
            fixed: false,
            gravity_compensation: 0.0,
            driven: false,
        };
        surfaces.iter().try_for_each(|s| out.add(s))?;
        Ok(out)
    }

    /// Adds a part to the surface.
    fn add(&mut self, surface: &BodySurface) -> Result<(), BodyError> {
        let (first, before) = (self.points.len() as u32, self.triangles.len());
        let x: Vec<Vector3<f64>> = surface.points().iter().map(|p| p.coords).collect();
        let edges = surface.edges();
        let (mut point_areas, mut edge_areas) = (vec![0.0; x.len()], vec![0.0; edges.len()]);
        for (triangle, t) in surface.triangles().iter().enumerate() {
            let [a, b, c] = t.map(|i| x[i as usize]);
            let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
            let area = (b - a).cross(&(c - a)).norm();
            if area <= 1e-14 * longest * longest {
                return Err(BodyError::Degenerate { name: self.name.clone(), triangle: before + triangle });
            }
            for (i, j) in [(0, 1), (1, 2), (2, 0)].map(|(i, j)| (t[i], t[j])) {
                point_areas[i as usize] += area / 6.0;
                if let Ok(e) = edges.binary_search(&[i.min(j), i.max(j)]) {
                    edge_areas[e] += area / 6.0;
                }
            }
        }
        self.point_areas.append(&mut point_areas);
        self.edge_areas.append(&mut edge_areas);
        self.pieces.extend(pieces(surface).iter().map(|i| first + i));
        self.points.extend(x.iter().map(|x| x - self.com));
        self.triangles.extend(surface.triangles().iter().map(|t| t.map(|i| first + i)));
        self.edges.extend(edges.iter().map(|e| e.map(|i| first + i)));
        self.parts.push(BodyPart { end: self.points.len() as u32, radius: surface.radius() });
        Ok(())
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
        Self::assembled(name, &[mesh.clone().into()], mass)
    }

    /// A body with a surface of several closed parts, which may touch or overlap: bodies do not collide with themselves. A rule for each two parts that meet is possible: [`crate::AffineSystem::with_rule`].
    ///
    /// # Errors
    /// As [`AffineBody::with_inertia`], for any of the parts.
    pub fn assembled(name: &str, parts: &[BodySurface], mass: &MassProperties) -> Result<Self, BodyError> {
        let own = || name.to_owned();
        if !(mass.mass > 0.0 && mass.mass.is_finite()) {
            return Err(BodyError::Value { name: own(), what: "mass", value: mass.mass, range: "kg > 0" });
        }
        if parts.is_empty() {
            return Err(BodyError::Surface { name: own(), why: "it has no part".into() });
        }
        let round = parts.iter().filter(|p| p.triangles().is_empty());
        if let Some(value) = round.map(BodySurface::radius).find(|r| !(*r > 0.0 && r.is_finite())) {
            return Err(BodyError::Value { name: own(), what: "radius", value, range: "a length above 0 m" });
        }
        let short = |p: &&BodySurface| matches!(p, BodySurface::Capsule { ends: [a, b], radius } if (b - a).norm() <= 1e-9 * radius);
        if parts.iter().any(|p| short(&p)) {
            let range = "a length above 0 m, or a ball in its place";
            return Err(BodyError::Value { name: own(), what: "edge of a capsule", value: 0.0, range });
        }
        if parts.iter().any(|p| !p.is_closed()) {
            return Err(BodyError::Open { name: own() });
        }
        let bare = Self::bare(name, parts, mass.com.coords)?;
        let volume: f64 = parts.iter().map(BodySurface::volume).sum();
        if volume <= 0.0 {
            return Err(BodyError::Inverted { name: own(), volume });
        }
        let second_moment = 0.5 * mass.inertia.trace() * Matrix3::identity() - mass.inertia;
        if second_moment.cholesky().is_none() {
            return Err(BodyError::Flat { name: own() });
        }
        // The colliding surface may be small beside the body that it stands for.
        let volume = volume.max(LEAST * ellipsoid(mass.mass, &second_moment));
        Ok(Self { volume, mass: mass.mass, second_moment, ..bare })
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

    /// Distance of the surface from the centre of mass at its furthest point \[m\].
    pub fn extent(&self) -> f64 {
        largest(self.by_parts().map(|(points, radius)| largest(points.iter().map(Vector3::norm)) + radius))
    }

    /// Points of each part, and its radius \[m\].
    pub(crate) fn by_parts(&self) -> impl Iterator<Item = (&[Vector3<f64>], f64)> {
        let mut start = 0;
        self.parts.iter().map(move |part| {
            let points = &self.points[start..part.end as usize];
            start = part.end as usize;
            (points, part.radius)
        })
    }

    /// Radius of the part that a point is of \[m\].
    pub(crate) fn radius_at(&self, point: u32) -> f64 {
        self.parts.get(self.parts.partition_point(|p| p.end <= point)).map_or(0.0, |p| p.radius)
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
