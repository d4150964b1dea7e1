use signorini_core::Shown;

use crate::MeshDefect;

/// Why there is no pressure field, or no contact surface.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PressureError {
    /// A length of the shape is not positive and finite.
    #[error("the {shape} has a length of {} m; give positive, finite lengths", Shown(*value))]
    Size {
        /// Kind of shape.
        shape: &'static str,
        /// The length \[m\].
        value: f64,
    },
    /// The resolution is not positive and finite.
    #[error(
        "the resolution must be a positive, finite length, got {} m; leave it out for that of the shape",
        Shown(*value)
    )]
    Resolution {
        /// The resolution given \[m\].
        value: f64,
    },
    /// The resolution is larger than the body.
    #[error(
        "a resolution of {} m is larger than the {shape}, which is {} m long; give at most that, or leave it out",
        Shown(*resolution), Shown(*size)
    )]
    CoarserThanBody {
        /// Kind of shape.
        shape: &'static str,
        /// The resolution given \[m\].
        resolution: f64,
        /// Longest side of the box about the shape \[m\].
        size: f64,
    },
    /// The lattice misses thin parts of a mesh.
    #[error(
        "at a resolution of {} m the field of the mesh holds {:.0} % of its volume of {volume:.3e} m³; {}make the mesh rigid",
        Shown(*resolution), 100.0 * held / volume, finer.map_or(String::new(), |f| format!("give a resolution of {f:.3e} m, or "))
    )]
    MissesParts {
        /// The resolution \[m\].
        resolution: f64,
        /// Volume of the tetrahedra \[m³\].
        held: f64,
        /// Volume of the mesh \[m³\].
        volume: f64,
        /// A resolution that holds more \[m\]; None where it would be too fine.
        finer: Option<f64>,
    },
    /// The field would have more tetrahedra than [`crate::pressure::MOST_TETRAHEDRA`].
    #[error(
        "at a resolution of {} m the field of the {shape} would have {tetrahedra:.0} tetrahedra, more than {most}; give at least {coarsest:.3e} m",
        Shown(*resolution)
    )]
    TooFine {
        /// Kind of shape.
        shape: &'static str,
        /// The resolution \[m\].
        resolution: f64,
        /// Tetrahedra that it would take, about.
        tetrahedra: f64,
        /// The most there may be.
        most: usize,
        /// A resolution that is allowed, about \[m\].
        coarsest: f64,
    },
    /// The mesh is not closed, inside out, or otherwise not the surface of a solid.
    #[error("no pressure field: {0}")]
    Mesh(#[from] MeshDefect),
    /// The mesh cuts through itself.
    #[error(
        "the mesh cuts through itself at triangles {} and {}; mend it, take its convex hull, or make it rigid",
        triangles[0], triangles[1]
    )]
    SelfCrossing {
        /// Two triangles that cross, from 0.
        triangles: [u32; 2],
    },
    /// A solid has more tetrahedra than a field may have.
    #[error(
        "the mesh has {tetrahedra} tetrahedra, more than {most}; give it fewer, or cut it into several geoms"
    )]
    TooManyTetrahedra {
        /// Tetrahedra of the mesh.
        tetrahedra: usize,
        /// The most there may be.
        most: usize,
    },
    /// A solid has no vertex inside its surface.
    #[error(
        "none of the {tetrahedra} tetrahedra of the mesh has a corner inside its surface, so that no pressure rises; refine the mesh, or make it rigid"
    )]
    NothingInside {
        /// Tetrahedra of the mesh.
        tetrahedra: usize,
    },
    /// The modulus is not positive and finite.
    #[error(
        "the modulus of a compliant body must be positive and finite, got {} Pa; 1e5 to 1e8 is usual, a body without one is rigid",
        Shown(*value)
    )]
    Modulus {
        /// The modulus given \[Pa\].
        value: f64,
    },
    /// The thickness of a compliant half-space is not positive and finite.
    #[error(
        "the thickness of a compliant half-space must be positive and finite, got {} m; give the depth at which its pressure is the modulus",
        Shown(*value)
    )]
    Thickness {
        /// The thickness given \[m\].
        value: f64,
    },
    /// The shape cannot be compliant.
    #[error("a {shape} has no pressure field of its own; {remedy}")]
    NoField {
        /// Kind of shape.
        shape: &'static str,
        /// The way out.
        remedy: &'static str,
    },
    /// Both sides are rigid.
    #[error(
        "both surfaces are rigid, so that no pressure tells their force; make one compliant, or take point contact for the pair"
    )]
    BothRigid,
    /// Both sides are half-spaces.
    #[error("two half-spaces overlap without bounds; give one of them a shape of finite size")]
    BothUnbounded,
    /// The grain or a pose cannot be used.
    #[error("{name} must be {wanted}, got {}", Shown(*value))]
    Option {
        /// Name of the number.
        name: &'static str,
        /// Allowed values.
        wanted: &'static str,
        /// The value given.
        value: f64,
    },
}
