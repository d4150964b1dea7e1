use signorini_core::na::{Point3, Unit, Vector3};
use signorini_geometry::MassProperties;

use crate::{BodyId, Place, Pose, SolParams};

/// A rigid body. Bodies are ordered so that a parent comes before its children; body 0 is the world.
#[derive(Clone, Debug)]
pub struct Body {
    /// Unique name; made up as `body<N>` when the file gives none.
    pub name: String,
    /// Parent body; the world's parent is itself.
    pub parent: BodyId,
    /// Pose in the parent's frame at the reference configuration.
    pub pose: Pose,
    /// Mass, centre of mass and inertia in the body frame; None for a body without mass.
    pub mass: Option<MassProperties>,
    /// Pose prescribed from outside rather than by dynamics (mocap); child of the world, without joints.
    pub mocap: bool,
    /// Fraction of its weight that is compensated, 0 for none.
    pub gravity_compensation: f64,
    /// Place in the model file.
    pub place: Place,
}

impl Body {
    /// A body without mass that nothing holds up and nothing prescribes.
    pub fn massless(name: impl Into<String>, parent: BodyId, pose: Pose, place: Place) -> Self {
        Self { name: name.into(), parent, pose, mass: None, mocap: false, gravity_compensation: 0.0, place }
    }
}

/// Degrees of freedom between a body and its parent. A body may have several joints, applied in order; a body without joints is
/// fixed to its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// Six degrees of freedom: q = (x, y, z, qw, qx, qy, qz), v = (linear, world axes; angular, body axes).
    Free,
    /// Three rotations: q = unit quaternion (w, x, y, z), v = angular velocity in the child's axes.
    Ball,
    /// Rotation about `axis` through `anchor` \[rad\].
    Hinge,
    /// Translation along `axis` \[m\].
    Slide,
}

impl JointKind {
    /// Positions.
    pub fn nq(self) -> usize {
        match self {
            Self::Free => 7,
            Self::Ball => 4,
            Self::Hinge | Self::Slide => 1,
        }
    }
    /// Velocities.
    pub fn nv(self) -> usize {
        match self {
            Self::Free => 6,
            Self::Ball => 3,
            Self::Hinge | Self::Slide => 1,
        }
    }
}

/// Second and third coefficients of a spring and a damper beside its stiffness k₁ and damping c₁ (MuJoCo 4.0): the forces are −(k₁ x + k₂ x² + k₃ x³) and
/// −(c₁ + c₂ |v| + c₃ v²) v. Where x is a turn or a displacement in space it acts along it, by its length.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HigherOrder {
    /// k₂ \[N/m² or N·m/rad²\] and k₃ \[N/m³ or N·m/rad³\].
    pub stiffness: [f64; 2],
    /// c₂ \[N·s²/m² or N·m·s²/rad²\] and c₃ \[N·s³/m³ or N·m·s³/rad³\].
    pub damping: [f64; 2],
}

impl HigherOrder {
    /// k₂, k₃, c₂ and c₃.
    pub fn all(&self) -> [f64; 4] {
        let ([k2, k3], [c2, c3]) = (self.stiffness, self.damping);
        [k2, k3, c2, c3]
    }
}

/// A joint of a body to its parent.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Unique name.
    pub name: String,
    /// The body that moves. Joints are ordered by body; several joints of one body in the order in which they act.
    pub body: BodyId,
    /// Kind.
    pub kind: JointKind,
    /// Anchor in the body frame \[m\].
    pub anchor: Point3<f64>,
    /// Axis in the body frame (hinge, slide).
    pub axis: Unit<Vector3<f64>>,
    /// Position coordinate at which the body has its drawn pose \[rad or m\] (MJCF `ref`).
    pub reference: f64,
    /// Limits of the coordinate \[rad or m\]; for a ball joint (0, largest angle).
    pub range: Option<[f64; 2]>,
    /// Distance from the limit at which it becomes active \[rad or m\] (MJCF `margin`).
    pub limit_margin: f64,
    /// Spring stiffness \[N·m/rad or N/m\], ≥ 0.
    pub stiffness: f64,
    /// Coordinate at which the spring is at rest \[rad or m\].
    pub spring_reference: f64,
    /// Viscous damping \[N·m·s/rad or N·s/m\], ≥ 0.
    pub damping: f64,
    /// Coefficients of the spring and the damper beyond the first.
    pub higher_order: HigherOrder,
    /// Inertia added on the diagonal of the mass matrix \[kg·m² or kg\], ≥ 0.
    pub armature: f64,
    /// Dry friction \[N·m or N\], ≥ 0.
    pub dry_friction: f64,
    /// Limits of the total actuator force at this joint \[N·m or N\].
    pub actuator_force_range: Option<[f64; 2]>,
    /// Gravity compensation counts as actuator force (and is clamped with it).
    pub actuator_gravity_compensation: bool,
    /// MuJoCo's solref and solimp for the limit, for the laws that use them.
    pub limit_sol: SolParams,
    /// MuJoCo's solref and solimp for dry friction.
    pub friction_sol: SolParams,
    /// Place in the model file.
    pub place: Place,
}

impl Joint {
    /// A joint through the origin of its body with nothing but its motion: no limits, springs, damping, friction or armature.
    pub fn new(name: impl Into<String>, body: BodyId, kind: JointKind, axis: Unit<Vector3<f64>>) -> Self {
        Self {
            name: name.into(),
            body,
            kind,
            anchor: Point3::origin(),
            axis,
            reference: 0.0,
            range: None,
            limit_margin: 0.0,
            stiffness: 0.0,
            spring_reference: 0.0,
            damping: 0.0,
            higher_order: HigherOrder::default(),
            armature: 0.0,
            dry_friction: 0.0,
            actuator_force_range: None,
            actuator_gravity_compensation: false,
            limit_sol: SolParams::default(),
            friction_sol: SolParams::default(),
            place: Place::default(),
        }
    }
}

/// A named frame on a body.
#[derive(Clone, Debug)]
pub struct Site {
    /// Unique name.
    pub name: String,
    /// Body.
    pub body: BodyId,
    /// Pose in the body frame.
    pub pose: Pose,
    /// Volume for touch sensors; sphere, capsule, ellipsoid, cylinder or box.
    pub shape: signorini_geometry::Shape,
    /// Place in the model file.
    pub place: Place,
}
