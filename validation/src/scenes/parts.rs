//! Pieces that scenes are made of.

use signorini_core::na::{Matrix3, Point3, Vector3};
use signorini_geometry::{MassProperties, Shape};
use signorini_scene::{
    Body, CollisionMask, CombinationRule, ContactDefaults, Geom, GeomShape, Joint, JointKind, Place, Pose,
    Scene, Surface,
};

/// A body of a scene.
pub(crate) fn body(name: &str, pose: Pose, mass: Option<MassProperties>) -> Body {
    Body { mass, ..Body::massless(name, 0, pose, Place::default()) }
}

/// A free joint of a body.
pub(crate) fn free_joint(name: &str, body: usize) -> Joint {
    Joint::new(name, body, JointKind::Free, Vector3::z_axis())
}

/// A geom with masks that let everything meet.
pub(crate) fn geom(
    name: &str,
    body: usize,
    pose: Pose,
    shape: Shape,
    surface: Surface,
    rgba: [f32; 4],
) -> Geom {
    Geom {
        name: name.into(),
        body,
        pose,
        shape: GeomShape::Solid(shape),
        mask: CollisionMask::default(),
        surface,
        group: 0,
        rgba,
        place: Place::default(),
    }
}

/// An empty scene whose surfaces combine in series, with the world body.
pub(crate) fn empty(name: &str, stiction_speed: f64) -> Scene {
    let mut scene = Scene { name: name.into(), ..Scene::default() };
    scene.options.combination = CombinationRule::Series;
    scene.options.contact = ContactDefaults { stiction_speed, ..ContactDefaults::default() };
    scene.bodies.push(body("world", Pose::identity(), None));
    scene
}

/// A free body with the given diagonal inertia; returns its number.
pub(crate) fn add_free_body(
    scene: &mut Scene,
    name: &str,
    pose: Pose,
    mass: f64,
    inertia: Vector3<f64>,
) -> usize {
    let b = scene.bodies.len();
    let properties =
        MassProperties { mass, com: Point3::origin(), inertia: Matrix3::from_diagonal(&inertia) };
    scene.bodies.push(body(name, pose, Some(properties)));
    scene.joints.push(free_joint(name, b));
    b
}

/// A surface with SI parameters.
pub(crate) fn surface(stiffness: f64, dissipation: f64, friction: [f64; 2]) -> Surface {
    Surface {
        friction: friction[0],
        friction_dynamic: Some(friction[1]),
        stiffness: Some(stiffness),
        dissipation: Some(dissipation),
        ..Surface::default()
    }
}
