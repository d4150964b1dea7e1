use std::fmt::{Display, Formatter};
use std::ops::Range;
use std::sync::Arc;

/// A frame that a scene names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Frame {
    /// The frame of a body, at its origin.
    Body(String),
    /// A site.
    Site(String),
}

/// Something that can be asked of a world by the names of its scene, whatever the engine and its coordinates.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Observation {
    /// Coordinates of a joint \[rad or m\]: 1; ball 4, (w, x, y, z); free 7, position in the world and then (w, x, y, z).
    JointPosition(String),
    /// Velocities of a joint \[rad/s or m/s\]: 1; ball 3, axes of the child; free 6, of the origin in world axes and then the spin in body axes.
    JointVelocity(String),
    /// Origin of a frame, world \[m\]: 3.
    Position(Frame),
    /// Rotation of a frame as unit quaternion (w, x, y, z): 4.
    Rotation(Frame),
    /// Velocity of the origin of a frame, world axes \[m/s\]: 3. That of bodies moved from outside is zero.
    Velocity(Frame),
    /// Spin of a frame, world axes \[rad/s\]: 3.
    AngularVelocity(Frame),
    /// Signed distance of two geoms \[m\], touching or not: 1. Only pairs that are asked for are measured.
    Distance(String, String),
    /// Sum of the normal forces between two bodies in the last step \[N\]: 1; zero before the first.
    ContactForce(String, String),
    /// Collision that presses hardest of all pairs of geoms but these, in either order, over the steps of the last call: sum of the normal forces of the pair in a step \[N\], and the numbers of the two geoms ([`ObservationLayout::geom`]): 3. Zeros where none presses, and before
    /// the first step. Under error control each step that is accepted counts, by its last solve. In a call that fails the steps before count.
    Collision(Vec<(String, String)>),
    /// A sensor of the scene: as many values as it has.
    Sensor(String),
}

impl Display for Frame {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Body(name) => write!(f, "body '{name}'"),
            Self::Site(name) => write!(f, "site '{name}'"),
        }
    }
}

impl Display for Observation {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::JointPosition(name) => write!(f, "the position of joint '{name}'"),
            Self::JointVelocity(name) => write!(f, "the velocity of joint '{name}'"),
            Self::Position(frame) => write!(f, "the position of {frame}"),
            Self::Rotation(frame) => write!(f, "the rotation of {frame}"),
            Self::Velocity(frame) => write!(f, "the velocity of {frame}"),
            Self::AngularVelocity(frame) => write!(f, "the angular velocity of {frame}"),
            Self::Distance(a, b) => write!(f, "the distance of geoms '{a}' and '{b}'"),
            Self::ContactForce(a, b) => write!(f, "the contact force between bodies '{a}' and '{b}'"),
            Self::Collision(but) => {
                write!(f, "the hardest contact of geoms")?;
                for (k, (a, b)) in but.iter().enumerate() {
                    write!(f, "{} '{a}' with '{b}'", if k == 0 { " but" } else { "," })?;
                }
                Ok(())
            }
            Self::Sensor(name) => write!(f, "sensor '{name}'"),
        }
    }
}

/// Place of each observation of a list among the numbers of a lane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObservationLayout {
    ranges: Vec<Range<usize>>,
    geoms: Arc<[String]>,
}

impl ObservationLayout {
    /// Adds an observation of `width` numbers after the others.
    pub fn push(&mut self, width: usize) {
        let at = self.width();
        self.ranges.push(at..at + width);
    }

    /// Names the geoms that [`Observation::Collision`] numbers.
    pub fn name_geoms(&mut self, names: impl Iterator<Item = String>) {
        self.geoms = names.collect();
    }

    /// Name of a geom by the number that [`Observation::Collision`] gives; empty for one that does not exist.
    pub fn geom(&self, number: usize) -> &str {
        self.geoms.get(number).map_or("", String::as_str)
    }

    /// Numbers per lane.
    pub fn width(&self) -> usize {
        self.ranges.last().map_or(0, |r| r.end)
    }

    /// Range of observation `i` of the list; empty for one that does not exist.
    pub fn range(&self, i: usize) -> Range<usize> {
        self.ranges.get(i).cloned().unwrap_or(0..0)
    }

    /// Number of observations.
    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    /// True without observations.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }
}

/// Why something that was asked for by name is not there. Told before a run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ObservationError {
    /// The engine does not give it.
    #[error("engine '{engine}' does not give {wanted}; what it gives: {offered}")]
    NotOffered {
        /// The engine.
        engine: String,
        /// The request.
        wanted: String,
        /// Requests that it answers.
        offered: String,
    },
    /// A name that the scene does not have.
    #[error("{wanted}: the scene under engine '{engine}' has no {kind} '{name}'; it has {known}")]
    Unknown {
        /// The engine.
        engine: String,
        /// The request.
        wanted: String,
        /// Kind of element that the name stands for.
        kind: &'static str,
        /// The name.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// A request that does not fit the element of its name.
    #[error("{wanted} under engine '{engine}': {why}")]
    Unfit {
        /// The engine.
        engine: String,
        /// The request.
        wanted: String,
        /// The misfit, and the remedy.
        why: String,
    },
}

impl ObservationError {
    /// [`ObservationError::NotOffered`] of an engine that gives nothing by name.
    pub fn nothing(engine: String, wanted: impl Display) -> Self {
        Self::NotOffered { engine, wanted: wanted.to_string(), offered: "states alone".into() }
    }

    /// [`ObservationError::Unknown`] with the list of names.
    pub fn unknown<'a>(
        engine: &str,
        wanted: impl Display,
        kind: &'static str,
        name: &str,
        known: impl Iterator<Item = &'a str>,
    ) -> Self {
        let known: Vec<&str> = known.collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        let (engine, wanted) = (engine.to_owned(), wanted.to_string());
        Self::Unknown { engine, wanted, kind, name: name.to_owned(), known }
    }
}
