/// Why there is no such system of material points.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MpmError {
    /// A number out of its range.
    #[error("{what} is {value}; give {range}")]
    Value {
        /// Name of the number.
        what: String,
        /// Value that was given.
        value: f64,
        /// Range that the number may have.
        range: &'static str,
    },
    /// A particle of a material that does not exist.
    #[error("particle {particle} is of material {material}, but there are {count}; add the material first")]
    Material {
        /// The particle.
        particle: usize,
        /// Material that it names.
        material: u32,
        /// Number of those there are.
        count: usize,
    },
    /// A particle where no nodes are.
    #[error("particle {particle} is outside the grid, {distance:.3e} m away; keep particles near the origin")]
    Outside {
        /// The particle.
        particle: usize,
        /// Distance from the origin \[m\].
        distance: f64,
    },
    /// A mesh of which there is no cloth.
    #[error("cloth: {what}; {remedy}")]
    Cloth {
        /// Defect of the mesh.
        what: String,
        /// Remedy of the defect.
        remedy: &'static str,
    },
    /// A pin without its particle or obstacle.
    #[error("pins: {what}; {remedy}")]
    Pin {
        /// Defect of the pin.
        what: String,
        /// Remedy of the defect.
        remedy: &'static str,
    },
    /// A shape that is no solid.
    #[error("{name}: {why}")]
    Shape {
        /// Name of the obstacle, or of the body to be filled.
        name: String,
        /// Defect of the shape, and its remedy.
        why: String,
    },
}

impl MpmError {
    /// Names whose number it is.
    pub(crate) fn of(self, whose: &str) -> Self {
        match self {
            Self::Value { what, value, range } => {
                Self::Value { what: format!("{what} of {whose}"), value, range }
            }
            other => other,
        }
    }
}

/// Fails unless a number is in its range.
pub(crate) fn value(
    what: impl Into<String>,
    value: f64,
    within: bool,
    range: &'static str,
) -> Result<(), MpmError> {
    if within && value.is_finite() {
        Ok(())
    } else {
        Err(MpmError::Value { what: what.into(), value, range })
    }
}
