use signorini_core::na::{Point3, UnitQuaternion};

use crate::{BodyId, HigherOrder, Place, SolParams};

/// A two-sided constraint.
#[derive(Clone, Debug)]
pub struct Equality {
    /// Unique name; made up when the file gives none.
    pub name: String,
    /// The quantities held equal.
    pub kind: EqualityKind,
    /// Whether it acts at the start.
    pub active: bool,
    /// Stiffness of the constraint \[N/m or N·m/rad\]; None: near-rigid.
    pub stiffness: Option<f64>,
    /// Damping \[N·s/m\]; used with `stiffness`.
    pub damping: f64,
    /// MuJoCo's solref and solimp, for the laws that use them.
    pub sol: SolParams,
    /// Place in the model file.
    pub place: Place,
}

/// Quantities that an equality holds equal.
#[derive(Clone, Debug)]
pub enum EqualityKind {
    /// A point of A and a point of B coincide (ball joint, loop closure).
    Connect {
        /// First body.
        body_a: BodyId,
        /// Second body.
        body_b: BodyId,
        /// Point in A's frame \[m\].
        anchor_a: Point3<f64>,
        /// Point in B's frame \[m\].
        anchor_b: Point3<f64>,
    },
    /// B keeps its pose relative to A.
    Weld {
        /// First body.
        body_a: BodyId,
        /// Second body.
        body_b: BodyId,
        /// Point in A's frame that coincides with `anchor_b` \[m\].
        anchor_a: Point3<f64>,
        /// Point in B's frame \[m\].
        anchor_b: Point3<f64>,
        /// Rotation of B's frame in A's.
        rotation: UnitQuaternion<f64>,
        /// Scale of the rotational rows \[m\].
        torque_scale: f64,
    },
    /// q_1 − ref_1 = Σ_k polynomial_k (q_2 − ref_2)^k, or q_1 − ref_1 = polynomial_0 without a second joint.
    Joint {
        /// First joint.
        joint_1: usize,
        /// Second joint.
        joint_2: Option<usize>,
        /// Coefficients of 1, x, …, x⁴.
        polynomial: [f64; 5],
    },
    /// As [`EqualityKind::Joint`], between tendon lengths measured from their lengths at the reference configuration.
    Tendon {
        /// First tendon.
        tendon_1: usize,
        /// Second tendon.
        tendon_2: Option<usize>,
        /// Coefficients of 1, x, …, x⁴.
        polynomial: [f64; 5],
    },
    /// The distance between a point of A and a point of B.
    Distance {
        /// First body.
        body_a: BodyId,
        /// Second body.
        body_b: BodyId,
        /// Point in A's frame \[m\].
        anchor_a: Point3<f64>,
        /// Point in B's frame \[m\].
        anchor_b: Point3<f64>,
        /// Distance \[m\], > 0.
        length: f64,
    },
}

/// A length along joints or through space, on which springs, limits and actuators act.
#[derive(Clone, Debug)]
pub struct Tendon {
    /// Unique name.
    pub name: String,
    /// Measure of its length.
    pub path: TendonPath,
    /// Limits of the length \[m\].
    pub range: Option<[f64; 2]>,
    /// Distance from the limit at which it becomes active \[m\].
    pub limit_margin: f64,
    /// Spring stiffness \[N/m\].
    pub stiffness: f64,
    /// Rest length, or dead band (low, high) \[m\]; None: the length with all joints at their spring references.
    pub spring_length: Option<[f64; 2]>,
    /// Viscous damping \[N·s/m\].
    pub damping: f64,
    /// Coefficients of the spring and the damper beyond the first.
    pub higher_order: HigherOrder,
    /// Dry friction \[N\].
    pub dry_friction: f64,
    /// Inertia associated with the rate of the length \[kg\].
    pub armature: f64,
    /// Limits of the total actuator force \[N\].
    pub actuator_force_range: Option<[f64; 2]>,
    /// MuJoCo's solref and solimp for the limit.
    pub limit_sol: SolParams,
    /// MuJoCo's solref and solimp for dry friction.
    pub friction_sol: SolParams,
    /// Place in the model file.
    pub place: Place,
}

/// Measure of the length of a tendon.
#[derive(Clone, Debug)]
pub enum TendonPath {
    /// Σ coefficient · joint coordinate.
    Fixed(Vec<(usize, f64)>),
    /// The shortest path through sites, around spheres and cylinders.
    Spatial(Vec<WrapElement>),
}

/// A part of a spatial tendon.
#[derive(Clone, Debug)]
pub enum WrapElement {
    /// Through a site.
    Site(usize),
    /// Around a geom (sphere or cylinder), between the sites before and after it.
    Geom {
        /// The geom.
        geom: usize,
        /// Site that picks the side around which it wraps; inside the geom: inverse wrapping.
        side_site: Option<usize>,
    },
    /// Lengths from here on count divided by this, and the path starts anew.
    Pulley {
        /// Divisor, > 0.
        divisor: f64,
    },
}
