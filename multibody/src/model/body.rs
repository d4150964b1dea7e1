use std::ops::Range;

use signorini_core::na::{Matrix3, Point3, Unit, Vector3};
use signorini_geometry::Shape;
use signorini_scene::{JointKind, Place, Pose, SolParams};

use crate::{Damper, Spring};

/// A body as the dynamics need it. Fields that every step reads come first, so that they fill few lines of the cache.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct BodyModel {
    /// Parent body.
    pub parent: usize,
    /// Joints of the body.
    pub joints: Range<usize>,
    /// Tree of the body; None when it cannot move.
    pub tree: Option<usize>,
    /// Number among the mocap bodies.
    pub mocap: Option<usize>,
    /// Pose in the parent's frame at the reference configuration.
    pub pose: Pose,
    /// Centre of mass in the body frame \[m\].
    pub com: Point3<f64>,
    /// Mass \[kg\].
    pub mass: f64,
    /// Inertia about the centre of mass, body axes \[kg·m²\].
    pub inertia: Matrix3<f64>,
    /// Last degree of freedom between the world and this body; None when it cannot move.
    pub last_dof: Option<usize>,
    /// The nearest body with joints on the way to the root, itself included; the world when it cannot move.
    pub moved_by: usize,
    /// Fraction of its weight that is compensated.
    pub gravity_compensation: f64,
    /// Name.
    pub name: String,
}

/// A joint as the dynamics need it. Parts that the scene's switches turn off are zero or None here. Fields that every step reads come first, as in [`BodyModel`].
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct JointModel {
    /// Kind.
    pub kind: JointKind,
    /// Body that moves.
    pub body: usize,
    /// First position.
    pub q: usize,
    /// First velocity.
    pub v: usize,
    /// Coordinate at the drawn pose.
    pub reference: f64,
    /// Axis in the body frame.
    pub axis: Unit<Vector3<f64>>,
    /// Anchor in the body frame \[m\].
    pub anchor: Point3<f64>,
    /// Limits of the coordinate.
    pub range: Option<[f64; 2]>,
    /// Distance at which limits become active.
    pub limit_margin: f64,
    /// Spring \[N·m/rad or N/m\].
    pub spring: Spring,
    /// Rest coordinate of the spring.
    pub spring_reference: f64,
    /// Damper \[N·m·s/rad or N·s/m\].
    pub damper: Damper,
    /// Dry friction \[N·m or N\].
    pub dry_friction: f64,
    /// Inertia added on the diagonal of the mass matrix \[kg·m² or kg\].
    pub armature: f64,
    /// Limits of the total actuator force \[N·m or N\]; hinge and slide only.
    pub actuator_force_range: Option<[f64; 2]>,
    /// Gravity compensation counts as actuator force and is clamped with it.
    pub actuator_gravity_compensation: bool,
    /// MuJoCo's solref and solimp of the limit.
    pub limit_sol: SolParams,
    /// MuJoCo's solref and solimp of dry friction.
    pub friction_sol: SolParams,
    /// Name.
    pub name: String,
}

/// A degree of freedom.
#[derive(Clone, Copy, Debug)]
pub struct DofModel {
    /// Joint it belongs to.
    pub joint: usize,
    /// Body that moves.
    pub body: usize,
    /// Degree of freedom before it on the way to the root of its tree.
    pub parent: Option<usize>,
    /// Tree.
    pub tree: usize,
    /// Inertia added on the diagonal.
    pub armature: f64,
    /// Damper of the joint.
    pub damper: Damper,
    /// Spring of the joint.
    pub spring: Spring,
}

/// A kinematic tree: a clique of the contact problem.
#[derive(Clone, Debug)]
pub struct Tree {
    /// Degrees of freedom.
    pub dofs: Range<usize>,
    /// First moving body.
    pub root: usize,
}

/// A frame on a body: a geom or a site.
#[derive(Clone, Debug)]
pub struct FrameModel {
    /// Name.
    pub name: String,
    /// Body.
    pub body: usize,
    /// Pose in the body frame.
    pub pose: Pose,
    /// Shape; None when its mesh was not read.
    pub shape: Option<Shape>,
    /// Whether a rangefinder sees it: drawn, and no site.
    pub visible: bool,
    /// Place in the model file.
    pub place: Place,
}
