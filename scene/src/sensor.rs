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
    /// A body and those below it, as a side of contacts.
    Subtree(BodyId),
    /// The whole scene.
    World,
}

/// A value of a contact that a contact sensor tells, in the order in which it tells them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum ContactValue {
    /// Number of contacts of the sensor (1).
    Found = 1,
    /// Force on the second side, in the contact frame (3, N).
    Force = 2,
    /// Moment of friction on the second side about the contact point, in the contact frame (3, N·m).
    Torque = 4,
    /// Gap (1, m).
    Gap = 8,
    /// Contact point, world (3, m).
    Point = 16,
    /// Normal from the first side into the second, world axes (3).
    Normal = 32,
    /// First tangent of the contact frame, world axes (3).
    Tangent = 64,
    /// Velocity of the second side relative to the first at the contact point, in the contact frame (3, m/s).
    Velocity = 128,
    /// Angular velocity of the second side relative to the first, in the contact frame (3, rad/s).
    AngularVelocity = 256,
}

impl ContactValue {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Found,
        Self::Force,
        Self::Torque,
        Self::Gap,
        Self::Point,
        Self::Normal,
        Self::Tangent,
        Self::Velocity,
        Self::AngularVelocity,
    ];

    /// Number of numbers.
    pub fn dim(self) -> usize {
        if matches!(self, Self::Found | Self::Gap) { 1 } else { 3 }
    }
}

/// Contacts of a sensor that it tells of, where there are more than it has room for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContactChoice {
    /// The first.
    #[default]
    First,
    /// Those with the least gap.
    Nearest,
    /// Those with the largest force.
    Strongest,
    /// All as one: their force in world axes at the mean of their points by force.
    Sum,
}

/// What a contact sensor tells of contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactReport {
    /// Sum of the numbers of the [`ContactValue`]s that it tells.
    pub values: u16,
    /// Number of contacts that it has room for; others are zeros.
    pub count: usize,
    /// Which of them.
    pub choice: ContactChoice,
}

impl ContactReport {
    /// The values of each contact, in their order.
    pub fn values(self) -> impl Iterator<Item = ContactValue> {
        ContactValue::ALL.into_iter().filter(move |v| self.values & *v as u16 != 0)
    }
}

/// Quantity that a sensor measures. Values in parentheses: dimension and unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SensorKind {
    /// Sum of the normal forces of contacts of the site's body whose outward normal meets the site's shape (1, N).
    Touch,
    /// Acceleration of the site less gravity, in its axes (3, m/s²).
    Accelerometer,
    /// Velocity of the site, in its axes (3, m/s).
    Velocimeter,
    /// Angular velocity of the site's body, in the site's axes (3, rad/s).
    Gyro,
    /// Force on the site's body and those below it through the joints to its parent, in the site's axes (3, N).
    Force,
    /// Torque about the site on its body and those below it through the joints to its parent, in the site's axes (3, N·m).
    Torque,
    /// Position of a hinge or slide (1, rad or m).
    JointPos,
    /// Velocity of a hinge or slide (1, rad/s or m/s).
    JointVel,
    /// Force of all actuators on a hinge or slide, with gravity compensation that counts as actuation (1, N·m or N).
    JointActuatorForce,
    /// Length of a tendon (1, m).
    TendonPos,
    /// Rate of the length of a tendon (1, m/s).
    TendonVel,
    /// Sum of the forces of the actuators on a tendon (1, N).
    TendonActuatorForce,
    /// Length of an actuator's transmission (1, m or rad, times the gear).
    ActuatorPos,
    /// Rate of the length of an actuator's transmission (1, m/s or rad/s, times the gear).
    ActuatorVel,
    /// Force of an actuator, before the gear (1, N or N·m).
    ActuatorForce,
    /// Orientation of a ball joint, a quaternion (w, x, y, z) (4, 1).
    BallQuat,
    /// Angular velocity of a ball joint, in the child's axes (3, rad/s).
    BallAngVel,
    /// Position of a frame from the reference frame, in its axes (3, m).
    FramePos,
    /// Orientation of a frame in the reference frame, a quaternion (w, x, y, z) (4, 1).
    FrameQuat,
    /// x axis of a frame, in the axes of the reference frame (3, 1).
    FrameXAxis,
    /// y axis of a frame, in the axes of the reference frame (3, 1).
    FrameYAxis,
    /// z axis of a frame, in the axes of the reference frame (3, 1).
    FrameZAxis,
    /// Velocity of a frame's origin as seen from the reference frame, in its axes (3, m/s).
    FrameLinVel,
    /// Angular velocity of a frame against the reference frame, in its axes (3, rad/s).
    FrameAngVel,
    /// Acceleration of a frame's origin less gravity, world axes (3, m/s²).
    FrameLinAcc,
    /// Angular acceleration of a frame, world axes (3, rad/s²).
    FrameAngAcc,
    /// Centre of mass of a body and those below it, world axes (3, m).
    SubtreeCom,
    /// Velocity of the centre of mass of a body and those below it, world axes (3, m/s).
    SubtreeLinVel,
    /// Angular momentum of a body and those below it about their centre of mass, world axes (3, N·m·s).
    SubtreeAngMom,
    /// Time (1, s).
    Clock,
    /// Potential energy of gravity and springs (1, J).
    PotentialEnergy,
    /// Kinetic energy, armatures included (1, J).
    KineticEnergy,
    /// Total contact force on a body, world axes (3, N): a sensor of this project.
    ContactForce,
    /// Magnetic field at a site, in its axes (3, unit of [`crate::Options::magnetic_field`]).
    Magnetometer,
    /// Distance of a joint from its nearest limit less the margin, within the margin; else 0 (1, rad or m).
    JointLimitPos,
    /// Rate of that distance (1, rad/s or m/s).
    JointLimitVel,
    /// Distance of a tendon from its nearest limit less the margin, within the margin; else 0 (1, m).
    TendonLimitPos,
    /// Rate of that distance (1, m/s).
    TendonLimitVel,
    /// Force of the limit that a joint presses on, the lower one first (1, N·m or N).
    JointLimitForce,
    /// Force of the limit that a tendon presses on, the lower one first (1, N).
    TendonLimitForce,
    /// Contacts between two sides, each a geom, a body, a subtree or the whole scene, the first also the inside of the shape of a site. The second side is the reference.
    Contact(ContactReport),
    /// 1 when the origin of a frame lies in the shape of the site that is the reference, else 0 (1).
    InsideSite,
    /// Distance from a site along its z axis to the first visible geom of another body; −1 when there is none (1, m).
    Rangefinder,
    /// Signed distance between the geoms of two objects, at most the cutoff (1, m). The second object is the reference.
    Distance,
    /// Unit normal from the first object to the second where they are nearest; 0 beyond the cutoff (3).
    DistanceNormal,
    /// Nearest points of both objects, world axes; 0 beyond the cutoff (6, m).
    DistancePoints,
    /// Place of a site in the image of a camera, right and down from its upper left corner (2, pixels). The camera, which looks along −z, is the reference.
    CameraProjection {
        /// Focal lengths \[pixels\].
        focal: [f64; 2],
        /// Centre of the image \[pixels\].
        centre: [f64; 2],
    },
    /// So many values that nothing computes: zero (MJCF `user`, and sensors that MuJoCo has and this project has not).
    Zero(usize),
}

impl SensorKind {
    /// Number of values.
    pub fn dim(self) -> usize {
        match self {
            Self::Zero(n) => n,
            Self::Contact(report) => report.count * report.values().map(ContactValue::dim).sum::<usize>(),
            Self::DistancePoints => 6,
            Self::CameraProjection { .. } => 2,
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
            | Self::Magnetometer
            | Self::DistanceNormal
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
    /// Object at which it is measured.
    pub object: SensorObject,
    /// Frame it is measured in; None: the world.
    pub reference: Option<SensorObject>,
    /// Readings are clamped to ± this; 0: not clamped.
    pub cutoff: f64,
    /// Place in the model file.
    pub place: Place,
}

impl Sensor {
    /// In the world frame, not clamped.
    pub fn new(name: impl Into<String>, kind: SensorKind, object: SensorObject) -> Self {
        Self { name: name.into(), kind, object, reference: None, cutoff: 0.0, place: Place::default() }
    }
}
