use crate::{BodyId, Place};

/// Object that a sensor is attached to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SensorObject {
    /// Body frame at its centre of mass with inertial axes (MJCF `body`).
    Body(BodyId),
    /// Body frame at its origin (MJCF `xbody`).
    BodyFrame(BodyId),
    /// A geom.
    Geom(usize),
    /// A site.
    Site(usize),
    /// A joint.
    Joint(usize),
    /// A tendon.
    Tendon(usize),
    /// An actuator.
    Actuator(usize),
    /// The whole scene.
    World,
}

/// Quantity that a sensor measures. Values in parentheses: dimension and unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are MuJoCo's, documented in the table of the crate")]
pub enum SensorKind {
    Touch,
    Accelerometer,
    Velocimeter,
    Gyro,
    Force,
    Torque,
    JointPos,
    JointVel,
    JointActuatorForce,
    TendonPos,
    TendonVel,
    TendonActuatorForce,
    ActuatorPos,
    ActuatorVel,
    ActuatorForce,
    BallQuat,
    BallAngVel,
    FramePos,
    FrameQuat,
    FrameXAxis,
    FrameYAxis,
    FrameZAxis,
    FrameLinVel,
    FrameAngVel,
    FrameLinAcc,
    FrameAngAcc,
    SubtreeCom,
    SubtreeLinVel,
    SubtreeAngMom,
    Clock,
    PotentialEnergy,
    KineticEnergy,
    /// Total contact force on a body, world axes (3, N): a sensor of this project.
    ContactForce,
}

impl SensorKind {
    /// Number of values.
    pub fn dim(self) -> usize {
        match self {
            Self::FrameQuat | Self::BallQuat => 4,
            Self::Accelerometer
            | Self::Velocimeter
            | Self::Gyro
            | Self::Force
            | Self::Torque
            | Self::BallAngVel
            | Self::FramePos
            | Self::FrameXAxis
            | Self::FrameYAxis
            | Self::FrameZAxis
            | Self::FrameLinVel
            | Self::FrameAngVel
            | Self::FrameLinAcc
            | Self::FrameAngAcc
            | Self::SubtreeCom
            | Self::SubtreeLinVel
            | Self::SubtreeAngMom
            | Self::ContactForce => 3,
            _ => 1,
        }
    }
}

/// A measurement.
#[derive(Clone, Debug)]
pub struct Sensor {
    /// Unique name.
    pub name: String,
    /// Quantity.
    pub kind: SensorKind,
    /// Where it is measured.
    pub object: SensorObject,
    /// Frame it is measured in; None: the world.
    pub reference: Option<SensorObject>,
    /// Readings are clamped to ± this; 0: not clamped.
    pub cutoff: f64,
    /// Where it was read.
    pub place: Place,
}

impl Sensor {
    /// In the world frame, not clamped.
    pub fn new(name: impl Into<String>, kind: SensorKind, object: SensorObject) -> Self {
        Self { name: name.into(), kind, object, reference: None, cutoff: 0.0, place: Place::default() }
    }
}
