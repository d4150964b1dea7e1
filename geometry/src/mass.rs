mod mesh;
mod shapes;

use signorini_core::Shown;
use signorini_core::na::{Isometry3, Matrix3, Point3, Rotation3, SymmetricEigen, Vector3};

pub use mesh::MeshInertia;

use crate::MeshTopology;

/// Largest relative violation of symmetry and of the triangle inequality that is put down to rounding in a file.
const TOLERANCE: f64 = 1e-6;

/// Mass, centre of mass and rotational inertia of a rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass \[kg\].
    pub mass: f64,
    /// Centre of mass in the body frame \[m\].
    pub com: Point3<f64>,
    /// Rotational inertia about the centre of mass, body axes \[kg·m²\], 3 × 3 symmetric.
    pub inertia: Matrix3<f64>,
}

/// Why mass properties were refused or could not be computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MassError {
    /// NaN or infinity in mass, centre or inertia.
    #[error("{quantity} is not finite ({value}); give a finite value")]
    NonFinite {
        /// Name of the quantity.
        quantity: &'static str,
        /// First value that is not finite.
        value: f64,
    },
    /// Mass is zero or negative.
    #[error("the mass must be positive, got {mass} kg; give a mass, or a density and a shape with volume")]
    Mass {
        /// The mass \[kg\].
        mass: f64,
    },
    /// Density is zero, negative or not finite.
    #[error("the density must be positive and finite, got {density}")]
    Density {
        /// The density \[kg/m³\], or \[kg/m²\] for a shell.
        density: f64,
    },
    /// The inertia matrix is not symmetric.
    #[error(
        "the inertia is not symmetric: entries ({row}, {col}) and ({col}, {row}) are {} and {} kg m^2",
        Shown(*upper), Shown(*lower)
    )]
    Asymmetric {
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        col: usize,
        /// Entry above the diagonal \[kg·m²\].
        upper: f64,
        /// Entry below the diagonal \[kg·m²\].
        lower: f64,
    },
    /// A principal moment is zero or negative.
    #[error(
        "the inertia is not positive definite: its principal moments are {} kg m^2; all must be positive",
        shown(moments)
    )]
    NotPositiveDefinite {
        /// Principal moments, largest first \[kg·m²\].
        moments: [f64; 3],
    },
    /// One principal moment exceeds the sum of the other two.
    #[error(
        "the inertia violates the triangle inequality, so no body has it: of the principal moments {} kg m^2, \
         the largest exceeds the sum of the others by {} kg m^2",
        shown(moments), Shown(*excess)
    )]
    TriangleInequality {
        /// Principal moments, largest first \[kg·m²\].
        moments: [f64; 3],
        /// Largest − (middle + smallest) \[kg·m²\].
        excess: f64,
    },
    /// A size of a shape is zero, negative or not finite.
    #[error("{name} of the {shape} must be positive and finite, got {value} m")]
    Size {
        /// The shape.
        shape: &'static str,
        /// The size.
        name: &'static str,
        /// Value that was given \[m\].
        value: f64,
    },
    /// The shape has no volume to weigh.
    #[error("a {shape} has no mass; give mass and inertia, or use it on a static body")]
    NoVolume {
        /// The shape.
        shape: &'static str,
    },
    /// The surface is not closed, so it encloses no volume.
    #[error(
        "the mesh is not watertight ({} boundary, {} non-manifold, {} inconsistently wound edges); close it, or take the \
         inertia of its convex hull or its shell",
        topology.boundary_edges, topology.non_manifold_edges, topology.inconsistent_edges
    )]
    NotWatertight {
        /// Defects of its edges.
        topology: MeshTopology,
    },
    /// The surface is inside out.
    #[error("the mesh is inside out: its signed volume is {signed_volume:.3e} m^3; flip its triangles")]
    Inverted {
        /// The volume by the divergence theorem \[m³\].
        signed_volume: f64,
    },
    /// The convex hull of the surface cannot be built.
    #[error("the mesh has no convex hull with volume: {source}")]
    Hull {
        /// Why.
        source: crate::HullError,
    },
    /// Nothing was given to combine.
    #[error("there is nothing to combine; give at least one body")]
    Nothing,
}

/// Three numbers in parentheses.
fn shown(numbers: &[f64; 3]) -> String {
    let [a, b, c] = numbers.map(Shown);
    format!("({a}, {b}, {c})")
}

impl MassProperties {
    /// Mass \[kg\], centre of mass \[m\], inertia about it \[kg·m²\], validated.
    ///
    /// # Errors
    /// As [`Self::validate`].
    pub fn new(mass: f64, com: Point3<f64>, inertia: Matrix3<f64>) -> Result<Self, MassError> {
        let out = Self { mass, com, inertia };
        out.validate()?;
        Ok(out)
    }

    /// Checks that a body can have these: finite, mass > 0, inertia symmetric (to 1e-6 of its largest entry), positive
    /// definite, largest principal moment at most the sum of the others (to 1e-6 of it).
    ///
    /// # Errors
    /// The first check that fails, with the numbers.
    pub fn validate(&self) -> Result<(), MassError> {
        let finite = |quantity, value: f64| {
            if value.is_finite() { Ok(()) } else { Err(MassError::NonFinite { quantity, value }) }
        };
        finite("the mass", self.mass)?;
        self.com.iter().try_for_each(|x| finite("the centre of mass", *x))?;
        self.inertia.iter().try_for_each(|x| finite("the inertia", *x))?;
        if self.mass <= 0.0 {
            return Err(MassError::Mass { mass: self.mass });
        }
        let largest = self.inertia.amax();
        for (row, col) in [(0, 1), (0, 2), (1, 2)] {
            let (upper, lower) = (self.inertia[(row, col)], self.inertia[(col, row)]);
            if (upper - lower).abs() > TOLERANCE * largest {
                return Err(MassError::Asymmetric { row, col, upper, lower });
            }
        }
        let m = self.principal().0;
        let moments = [m.x, m.y, m.z];
        if m.z <= 0.0 {
            return Err(MassError::NotPositiveDefinite { moments });
        }
        let excess = m.x - (m.y + m.z);
        if excess > TOLERANCE * m.x {
            return Err(MassError::TriangleInequality { moments, excess });
        }
        Ok(())
    }

    /// Principal moments \[kg·m²\], largest first, and the rotation from principal axes to body axes:
    /// `inertia = R · diag(moments) · Rᵀ`. NaN moments and no rotation if the inertia is not finite.
    #[must_use]
    pub fn principal(&self) -> (Vector3<f64>, Rotation3<f64>) {
        let scale = self.inertia.amax();
        if !self.inertia.iter().all(|x| x.is_finite()) {
            return (Vector3::repeat(f64::NAN), Rotation3::identity());
        }
        if scale == 0.0 {
            return (Vector3::zeros(), Rotation3::identity());
        }
        let unit = self.inertia / scale;
        let eigen = SymmetricEigen::new((unit + unit.transpose()) * 0.5);
        let mut order = [0, 1, 2];
        order.sort_by(|a, b| eigen.eigenvalues[*b].total_cmp(&eigen.eigenvalues[*a]));
        let moments = Vector3::from(order.map(|k| eigen.eigenvalues[k] * scale));
        let x = eigen.eigenvectors.column(order[0]).into_owned();
        let y = eigen.eigenvectors.column(order[1]).into_owned();
        let axes = Matrix3::from_columns(&[x, y, x.cross(&y)]);
        (moments, Rotation3::from_matrix_unchecked(axes))
    }

    /// The properties in frame A; `x_ab` maps the body's frame B to A.
    #[must_use]
    pub fn transformed(&self, x_ab: &Isometry3<f64>) -> Self {
        let r = *x_ab.rotation.to_rotation_matrix().matrix();
        Self {
            mass: self.mass,
            com: x_ab * self.com,
            inertia: symmetric(&(r * self.inertia * r.transpose())),
        }
    }

    /// Several bodies, all in one frame, welded into one.
    ///
    /// # Errors
    /// [`MassError::Nothing`] for none; [`MassError::Mass`] if the masses do not sum to a positive number.
    pub fn combine(parts: &[Self]) -> Result<Self, MassError> {
        if parts.is_empty() {
            return Err(MassError::Nothing);
        }
        let mass: f64 = parts.iter().map(|p| p.mass).sum();
        if mass.is_nan() || mass <= 0.0 {
            return Err(MassError::Mass { mass });
        }
        let moment: Vector3<f64> = parts.iter().map(|p| p.com.coords * p.mass).sum();
        let com = Point3::from(moment / mass);
        let inertia = parts.iter().map(|p| p.inertia + p.mass * point_inertia(&(p.com - com))).sum();
        Ok(Self { mass, com, inertia })
    }

    /// Inertia about `point` of the body frame \[kg·m²\] (parallel-axis theorem).
    #[must_use]
    pub fn inertia_about(&self, point: &Point3<f64>) -> Matrix3<f64> {
        self.inertia + self.mass * point_inertia(&(self.com - point))
    }

    /// The body with another mass \[kg\], its inertia in proportion.
    ///
    /// # Errors
    /// [`MassError::Mass`] unless the mass is positive and finite.
    pub fn with_mass(&self, mass: f64) -> Result<Self, MassError> {
        if !(mass > 0.0 && mass.is_finite()) {
            return Err(MassError::Mass { mass });
        }
        let ratio = mass / self.mass;
        Ok(Self { mass, com: self.com, inertia: self.inertia * ratio })
    }

    /// Properties computed at density 1, at `density` \[kg/m³\], or \[kg/m²\] for a shell.
    ///
    /// # Errors
    /// [`MassError::Density`] unless it is positive and finite.
    pub fn with_density(&self, density: f64) -> Result<Self, MassError> {
        check_density(density)?;
        Ok(Self { mass: self.mass * density, com: self.com, inertia: self.inertia * density })
    }
}

fn check_density(density: f64) -> Result<(), MassError> {
    if density > 0.0 && density.is_finite() { Ok(()) } else { Err(MassError::Density { density }) }
}

/// Inertia of a unit point mass at `r`: r·r I − r rᵀ.
fn point_inertia(r: &Vector3<f64>) -> Matrix3<f64> {
    Matrix3::from_diagonal_element(r.norm_squared()) - r * r.transpose()
}

fn symmetric(m: &Matrix3<f64>) -> Matrix3<f64> {
    (m + m.transpose()) * 0.5
}
