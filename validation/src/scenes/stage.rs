//! Small scenes, piece by piece.

use signorini_core::na::{Matrix3, Point3, Unit, Vector3};
use signorini_geometry::{MassProperties, Shape};
use signorini_scene::{CollisionMask, JointKind, Pose, Scene, Surface};

use super::parts::{add_free_body, body, empty, free_joint, geom, surface};

const COLORS: [[f32; 4]; 5] = [
    [0.20, 0.45, 0.70, 1.0],
    [0.85, 0.40, 0.15, 1.0],
    [0.20, 0.60, 0.45, 1.0],
    [0.80, 0.60, 0.20, 1.0],
    [0.55, 0.40, 0.65, 1.0],
];

/// A surface of stiffness k \[N/m\], dissipation d \[s/m\] and one coefficient of friction.
pub fn soft(stiffness: f64, dissipation: f64, friction: f64) -> Surface {
    surface(stiffness, dissipation, [friction; 2])
}

/// A rigid surface: the compliance is that of the other side.
pub fn rigid(friction: f64) -> Surface {
    surface(f64::INFINITY, 0.0, [friction; 2])
}

/// A scene in the making. Surfaces combine in series; gravity is 9.81 m/s² along −z.
#[derive(Clone, Debug)]
pub struct Stage {
    scene: Scene,
}

impl Stage {
    /// An empty scene with the regularisation speed v_s \[m/s\].
    pub fn new(name: &str, stiction_speed: f64) -> Self {
        Self { scene: empty(name, stiction_speed) }
    }

    /// With another gravity \[m/s²\].
    #[must_use]
    pub fn with_gravity(mut self, gravity: Vector3<f64>) -> Self {
        self.scene.options.gravity = gravity;
        self
    }

    /// With the relaxation time τ_d \[s\] that the SAP law reads.
    #[must_use]
    pub fn with_relaxation(mut self, relaxation_time: f64) -> Self {
        self.scene.options.contact.relaxation_time = relaxation_time;
        self
    }

    /// A free body; inertia diagonal \[kg·m²\].
    pub fn free(&mut self, name: &str, pose: Pose, mass: f64, inertia: Vector3<f64>) -> usize {
        add_free_body(&mut self.scene, name, pose, mass, inertia)
    }

    /// A body without joints.
    fn bare(&mut self, name: &str, pose: Pose, properties: MassProperties) -> usize {
        self.scene.bodies.push(body(name, pose, Some(properties)));
        self.scene.bodies.len() - 1
    }

    fn joint(&mut self, name: String, body: usize, kind: JointKind, axis: Vector3<f64>) {
        let mut j = free_joint(&name, body);
        j.kind = kind;
        j.axis = Unit::new_normalize(axis);
        self.scene.joints.push(j);
    }

    /// A body that moves in the x–z plane: q = (x, z, angle about y), counted from `at`.
    pub fn planar(&mut self, name: &str, at: Vector3<f64>, mass: f64, inertia: f64) -> usize {
        let b = self.bare(name, Pose::from(at), balanced(mass, inertia));
        self.joint(format!("{name}.x"), b, JointKind::Slide, Vector3::x());
        self.joint(format!("{name}.z"), b, JointKind::Slide, Vector3::z());
        self.joint(format!("{name}.turn"), b, JointKind::Hinge, Vector3::y());
        b
    }

    /// A body that slides along an axis (of its own frame).
    pub fn slider(&mut self, name: &str, pose: Pose, axis: Vector3<f64>, mass: f64) -> usize {
        let b = self.bare(name, pose, balanced(mass, mass * 1e-2));
        self.joint(format!("{name}.slide"), b, JointKind::Slide, axis);
        b
    }

    /// A body on a ball joint at its frame's origin.
    pub fn ball(&mut self, name: &str, pose: Pose, properties: MassProperties) -> usize {
        let b = self.bare(name, pose, properties);
        self.joint(format!("{name}.ball"), b, JointKind::Ball, Vector3::z());
        b
    }

    /// A shape on a body (0: the world); returns the number of the geom.
    pub fn shape(&mut self, body: usize, pose: Pose, shape: Shape, s: &Surface) -> usize {
        let n = self.scene.geoms.len();
        let color = if body == 0 { [0.8, 0.8, 0.8, 1.0] } else { COLORS[(body - 1) % COLORS.len()] };
        self.scene.geoms.push(geom(&format!("geom{n}"), body, pose, shape, s.clone(), color));
        n
    }

    /// A half-space on the world through `at` with the outward normal `normal`.
    pub fn wall(&mut self, at: Vector3<f64>, normal: Vector3<f64>, s: &Surface) -> usize {
        self.shape(0, facing(at, normal), Shape::HalfSpace, s)
    }

    /// Sets the velocity of a geom's surface in its frame \[m/s\].
    pub fn belt(&mut self, geom: usize, velocity: [f64; 3]) {
        self.scene.geoms[geom].surface.velocity = velocity;
    }

    /// Lets a geom meet only those whose `of` bits overlap its `meets` bits.
    pub fn mask(&mut self, geom: usize, of: u32, meets: u32) {
        self.scene.geoms[geom].mask = CollisionMask { contype: of, conaffinity: meets };
    }

    /// The scene.
    pub fn scene(self) -> Scene {
        self.scene
    }
}

/// A frame at `at` whose z axis is `normal`, reached by the shortest turn from the world's z axis.
pub fn facing(at: Vector3<f64>, normal: Vector3<f64>) -> Pose {
    let turn = signorini_core::na::UnitQuaternion::rotation_between(&Vector3::z(), &normal);
    let flip = signorini_core::na::UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
    Pose::from_parts(at.into(), turn.unwrap_or(flip))
}

fn balanced(mass: f64, inertia: f64) -> MassProperties {
    MassProperties {
        mass,
        com: Point3::origin(),
        inertia: Matrix3::from_diagonal(&Vector3::new(inertia, inertia, inertia)),
    }
}
