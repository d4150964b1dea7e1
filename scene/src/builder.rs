//! Scenes built in Rust.

use std::sync::Arc;

use signorini_core::na::{Point3, Unit, UnitQuaternion, Vector3};
use signorini_geometry::{ConvexMesh, MassProperties, Shape};

use crate::{
    Actuator, ActuatorDynamics, ActuatorForce, Body, BodyId, CollisionMask, Equality, EqualityKind, Geom,
    GeomShape, Hydroelastic, Joint, JointKind, Keyframe, Options, Place, Pose, Scene, SceneError, Sensor,
    Site, SolParams, Surface, Tendon, Transmission,
};

/// Builds a scene step by step. Bodies, joints and geoms that are added become the current ones, which the methods after them refine;
/// the first mistake is kept and returned by [`SceneBuilder::build`].
///
/// ```
/// use signorini_scene::SceneBuilder;
/// let scene = SceneBuilder::new("drop")
///     .half_space()
///     .body("ball").at([0.0, 0.0, 1.0]).free_joint().sphere(0.05).density(1000.0).friction(0.5)
///     .build()?;
/// assert_eq!((scene.nq(), scene.nv()), (7, 6));
/// # Ok::<(), signorini_scene::SceneError>(())
/// ```
#[derive(Debug)]
pub struct SceneBuilder {
    scene: Scene,
    /// Per geom: density or mass; None for geoms that do not count.
    weights: Vec<Option<Weight>>,
    /// Per body: mass stated rather than summed over geoms.
    stated: Vec<bool>,
    body: BodyId,
    error: Option<SceneError>,
}

#[derive(Clone, Copy, Debug)]
enum Weight {
    Density(f64),
    Mass(f64),
}

/// Density of geoms that state none \[kg/m³\].
const WATER: f64 = 1000.0;

impl SceneBuilder {
    /// A scene with a world and nothing else.
    pub fn new(name: impl Into<String>) -> Self {
        let world = Body::massless("world", 0, Pose::identity(), Place::default());
        let scene = Scene { name: name.into(), bodies: vec![world], ..Scene::default() };
        Self { scene, weights: Vec::new(), stated: vec![false], body: 0, error: None }
    }

    fn wrong(&mut self, element: String, message: impl Into<String>, remedy: &str) {
        let place = Place { element, ..Place::default() };
        self.error.get_or_insert(SceneError::Invalid {
            place,
            message: message.into(),
            remedy: remedy.to_owned(),
        });
    }

    fn find(&mut self, kind: &str, name: &str, found: Option<usize>) -> usize {
        if found.is_none() {
            self.wrong(format!("{kind} '{name}'"), format!("{kind} '{name}' does not exist"), "add it first");
        }
        found.unwrap_or(0)
    }

    /// Gravity \[m/s²\].
    pub fn gravity(self, g: [f64; 3]) -> Self {
        self.options(|o| o.gravity = g.into())
    }

    /// Changes settings.
    pub fn options(mut self, change: impl FnOnce(&mut Options)) -> Self {
        change(&mut self.scene.options);
        self
    }

    /// Makes the world the current body.
    pub fn world(mut self) -> Self {
        self.body = 0;
        self
    }

    /// A body on the world.
    pub fn body(self, name: impl Into<String>) -> Self {
        self.add_body(name.into(), 0)
    }

    /// A body on another.
    pub fn body_on(mut self, parent: &str, name: impl Into<String>) -> Self {
        let found = self.scene.body(parent);
        let parent = self.find("body", parent, found);
        self.add_body(name.into(), parent)
    }

    fn add_body(mut self, name: String, parent: BodyId) -> Self {
        self.body = self.scene.bodies.len();
        self.scene.bodies.push(Body::massless(name, parent, Pose::identity(), Place::default()));
        self.stated.push(false);
        self
    }

    /// Changes the current body.
    pub fn body_with(mut self, change: impl FnOnce(&mut Body)) -> Self {
        change(&mut self.scene.bodies[self.body]);
        self
    }

    /// Position of the current body in its parent \[m\].
    pub fn at(self, x: [f64; 3]) -> Self {
        self.body_with(|b| b.pose.translation.vector = x.into())
    }

    /// Rotation of the current body in its parent.
    pub fn rotated(self, r: UnitQuaternion<f64>) -> Self {
        self.body_with(|b| b.pose.rotation = r)
    }

    /// The current body is moved from outside.
    pub fn mocap(self) -> Self {
        self.body_with(|b| b.mocap = true)
    }

    /// Mass properties of the current body, instead of the sum over its geoms.
    pub fn mass_properties(mut self, m: MassProperties) -> Self {
        self.stated[self.body] = true;
        self.body_with(|b| b.mass = Some(m))
    }

    /// Free joint, named as its body with `_free` appended.
    pub fn free_joint(self) -> Self {
        let name = format!("{}_free", self.scene.bodies[self.body].name);
        self.joint(name, JointKind::Free, [0.0, 0.0, 1.0])
    }

    /// Ball joint.
    pub fn ball_joint(self, name: impl Into<String>) -> Self {
        self.joint(name, JointKind::Ball, [0.0, 0.0, 1.0])
    }

    /// Hinge about an axis in the body frame.
    pub fn hinge(self, name: impl Into<String>, axis: [f64; 3]) -> Self {
        self.joint(name, JointKind::Hinge, axis)
    }

    /// Slide along an axis in the body frame.
    pub fn slide(self, name: impl Into<String>, axis: [f64; 3]) -> Self {
        self.joint(name, JointKind::Slide, axis)
    }

    fn joint(mut self, name: impl Into<String>, kind: JointKind, axis: [f64; 3]) -> Self {
        let name = name.into();
        let axis = Unit::try_new(Vector3::from(axis), 1e-14).unwrap_or_else(|| {
            self.wrong(format!("joint '{name}'"), "its axis has no length", "give an axis that is not zero");
            Vector3::z_axis()
        });
        self.scene.joints.push(Joint::new(name, self.body, kind, axis));
        self
    }

    /// Changes the joint added last.
    pub fn joint_with(mut self, change: impl FnOnce(&mut Joint)) -> Self {
        match self.scene.joints.last_mut() {
            Some(j) => change(j),
            None => self.wrong("joint".to_owned(), "there is no joint to change", "add a joint first"),
        }
        self
    }

    /// Anchor of the last joint in the body frame \[m\].
    pub fn anchor(self, p: [f64; 3]) -> Self {
        self.joint_with(|j| j.anchor = p.into())
    }

    /// Limits of the last joint \[rad or m\].
    pub fn range(self, low: f64, high: f64) -> Self {
        self.joint_with(|j| j.range = Some([low, high]))
    }

    /// Viscous damping of the last joint \[N·m·s/rad or N·s/m\].
    pub fn damping(self, d: f64) -> Self {
        self.joint_with(|j| j.damping = d)
    }

    /// Inertia added at the last joint \[kg·m² or kg\].
    pub fn armature(self, a: f64) -> Self {
        self.joint_with(|j| j.armature = a)
    }

    /// Ball shape; `radius` \[m\].
    pub fn sphere(self, radius: f64) -> Self {
        self.shape(Shape::Sphere { radius })
    }

    /// Box; half edge lengths \[m\].
    pub fn cuboid(self, half_extents: [f64; 3]) -> Self {
        self.shape(Shape::Box { half_extents: half_extents.into() })
    }

    /// Capsule along z; radius and half length without the caps \[m\].
    pub fn capsule(self, radius: f64, half_length: f64) -> Self {
        self.shape(Shape::Capsule { radius, half_length })
    }

    /// Cylinder along z; radius and half height \[m\].
    pub fn cylinder(self, radius: f64, half_length: f64) -> Self {
        self.shape(Shape::Cylinder { radius, half_length })
    }

    /// Ellipsoid; semi-axes \[m\].
    pub fn ellipsoid(self, semi_axes: [f64; 3]) -> Self {
        self.shape(Shape::Ellipsoid { semi_axes: semi_axes.into() })
    }

    /// Everything below z = 0 of the current body, which must not move.
    pub fn half_space(self) -> Self {
        self.shape(Shape::HalfSpace)
    }

    /// Convex hull of points in the body frame \[m\].
    pub fn convex(mut self, points: &[Point3<f64>]) -> Self {
        match ConvexMesh::from_points(points) {
            Ok(hull) => self.shape(Shape::Convex(Arc::new(hull))),
            Err(e) => {
                let body = self.scene.bodies[self.body].name.clone();
                self.wrong(
                    format!("body '{body}'"),
                    format!("a convex geom: {e}"),
                    "give points that enclose a volume",
                );
                self
            }
        }
    }

    /// Any shape on the current body, named as the body with a number appended.
    pub fn shape(mut self, shape: Shape) -> Self {
        let count = self.scene.geoms.iter().filter(|g| g.body == self.body).count();
        let body = &self.scene.bodies[self.body];
        let weightless = matches!(shape, Shape::HalfSpace | Shape::HeightField(_));
        self.weights.push((!weightless).then_some(Weight::Density(WATER)));
        self.scene.geoms.push(Geom {
            name: format!("{}_geom{count}", body.name),
            body: self.body,
            pose: Pose::identity(),
            shape: GeomShape::Solid(shape),
            mask: CollisionMask::default(),
            surface: Surface::default(),
            group: 0,
            rgba: [0.5, 0.5, 0.5, 1.0],
            place: Place::default(),
        });
        self
    }

    /// Changes the geom added last.
    pub fn geom_with(mut self, change: impl FnOnce(&mut Geom)) -> Self {
        match self.scene.geoms.last_mut() {
            Some(g) => change(g),
            None => self.wrong("geom".to_owned(), "there is no geom to change", "add a shape first"),
        }
        self
    }

    /// Name of the last geom.
    pub fn geom_name(self, name: impl Into<String>) -> Self {
        let name = name.into();
        self.geom_with(|g| g.name = name)
    }

    /// Pose of the last geom in the body frame.
    pub fn geom_pose(self, x: Pose) -> Self {
        self.geom_with(|g| g.pose = x)
    }

    /// Friction of the last geom, static and dynamic.
    pub fn friction(self, mu: f64) -> Self {
        self.geom_with(|g| (g.surface.friction, g.surface.friction_dynamic) = (mu, None))
    }

    /// Stiffness \[N/m\] and Hunt–Crossley dissipation \[s/m\] of the last geom.
    pub fn compliance(self, stiffness: f64, dissipation: f64) -> Self {
        self.geom_with(|g| {
            (g.surface.stiffness, g.surface.dissipation) = (Some(stiffness), Some(dissipation));
        })
    }

    /// Changes the surface of the last geom.
    pub fn surface(self, change: impl FnOnce(&mut Surface)) -> Self {
        self.geom_with(|g| change(&mut g.surface))
    }

    /// Contact of the last geom over areas, or in points.
    ///
    /// ```
    /// use signorini_scene::{Hydroelastic, SceneBuilder};
    /// let scene = SceneBuilder::new("drop")
    ///     .half_space().hydroelastic(Hydroelastic::rigid())
    ///     .body("ball").at([0.0, 0.0, 1.0]).free_joint()
    ///     .sphere(0.05).hydroelastic(Hydroelastic::compliant(1e6).with_resolution(0.01))
    ///     .build()?;
    /// # Ok::<(), signorini_scene::SceneError>(())
    /// ```
    pub fn hydroelastic(self, kind: Hydroelastic) -> Self {
        self.geom_with(|g| {
            g.surface.hydroelastic = kind;
            g.surface.stays_in_points = kind == Hydroelastic::Point;
        })
    }

    /// The last geom does not collide.
    pub fn visual(self) -> Self {
        self.geom_with(|g| g.mask = CollisionMask { contype: 0, conaffinity: 0 })
    }

    /// Density of the last geom \[kg/m³\]; 0 leaves it out of the body's mass.
    pub fn density(self, density: f64) -> Self {
        self.weigh(Weight::Density(density))
    }

    /// Mass of the last geom \[kg\]; 0 leaves it out of the body's mass.
    pub fn mass(self, mass: f64) -> Self {
        self.weigh(Weight::Mass(mass))
    }

    fn weigh(mut self, w: Weight) -> Self {
        let (Weight::Density(x) | Weight::Mass(x)) = w;
        if !(x >= 0.0 && x.is_finite()) {
            let name = self.scene.geoms.last().map_or_else(String::new, |g| g.name.clone());
            self.wrong(
                format!("geom '{name}'"),
                format!("its mass or density is {x}"),
                "give a positive number",
            );
        }
        match self.weights.last_mut() {
            Some(slot) => *slot = (x > 0.0).then_some(w),
            None => self.wrong("geom".to_owned(), "there is no geom to weigh", "add a shape first"),
        }
        self
    }

    /// A named frame on the current body.
    pub fn site(mut self, name: impl Into<String>, pose: Pose) -> Self {
        self.scene.sites.push(Site {
            name: name.into(),
            body: self.body,
            pose,
            shape: Shape::Sphere { radius: 0.005 },
            place: Place::default(),
        });
        self
    }

    /// An equality between two-sided things.
    pub fn equality(mut self, name: impl Into<String>, kind: EqualityKind) -> Self {
        self.scene.equalities.push(Equality {
            name: name.into(),
            kind,
            active: true,
            stiffness: None,
            damping: 0.0,
            sol: SolParams::default(),
            place: Place::default(),
        });
        self
    }

    /// Ties a point of body A, given in A's frame \[m\], to the point of body B where it lies as drawn.
    pub fn connect(
        mut self,
        name: impl Into<String>,
        body_a: &str,
        anchor_a: [f64; 3],
        body_b: &str,
    ) -> Self {
        let found = [body_a, body_b].map(|b| self.scene.body(b));
        let [a, b] = [self.find("body", body_a, found[0]), self.find("body", body_b, found[1])];
        let drawn = |mut body: BodyId| {
            let mut x = Pose::identity();
            while body != 0 {
                x = self.scene.bodies[body].pose * x;
                body = self.scene.bodies[body].parent;
            }
            x
        };
        let anchor_a = Point3::from(anchor_a);
        let anchor_b = drawn(b).inverse() * (drawn(a) * anchor_a);
        self.equality(name, EqualityKind::Connect { body_a: a, body_b: b, anchor_a, anchor_b })
    }

    /// A motor: force = gear · control on a joint.
    pub fn motor(self, name: impl Into<String>, joint: &str, gear: f64) -> Self {
        let force = ActuatorForce { gain: [1.0, 0.0, 0.0], ..ActuatorForce::default() };
        self.on_joint(name.into(), joint, gear, force)
    }

    /// A position servo on a joint: force = kp (control − q) − kv q̇.
    pub fn position_servo(self, name: impl Into<String>, joint: &str, kp: f64, kv: f64) -> Self {
        let force = ActuatorForce { gain: [kp, 0.0, 0.0], bias: [0.0, -kp, -kv], ..ActuatorForce::default() };
        self.on_joint(name.into(), joint, 1.0, force)
    }

    fn on_joint(mut self, name: String, joint: &str, gear: f64, force: ActuatorForce) -> Self {
        let found = self.scene.joint(joint);
        let joint = self.find("joint", joint, found);
        self.actuator(Actuator {
            name,
            transmission: Transmission::Joint(joint),
            gear: [gear, 0.0, 0.0, 0.0, 0.0, 0.0],
            dynamics: ActuatorDynamics::None,
            force,
            control_range: None,
            force_range: None,
            activation_range: None,
            act_early: false,
            place: Place::default(),
        })
    }

    /// Any actuator.
    pub fn actuator(mut self, a: Actuator) -> Self {
        self.scene.actuators.push(a);
        self
    }

    /// Changes the actuator added last.
    pub fn actuator_with(mut self, change: impl FnOnce(&mut Actuator)) -> Self {
        match self.scene.actuators.last_mut() {
            Some(a) => change(a),
            None => self.wrong("actuator".to_owned(), "there is no actuator to change", "add one first"),
        }
        self
    }

    /// A tendon.
    pub fn tendon(mut self, t: Tendon) -> Self {
        self.scene.tendons.push(t);
        self
    }

    /// A sensor.
    pub fn sensor(mut self, s: Sensor) -> Self {
        self.scene.sensors.push(s);
        self
    }

    /// A stored configuration; joints count in the order of their bodies.
    pub fn keyframe(mut self, k: Keyframe) -> Self {
        self.scene.keyframes.push(k);
        self
    }

    /// Two bodies do not collide.
    pub fn exclude(mut self, body_a: &str, body_b: &str) -> Self {
        let found = [body_a, body_b].map(|b| self.scene.body(b));
        let pair = (self.find("body", body_a, found[0]), self.find("body", body_b, found[1]));
        self.scene.excludes.push(pair);
        self
    }

    /// The scene, checked.
    ///
    /// # Errors
    /// The first mistake made while building, or the first that [`Scene::validate`] finds.
    pub fn build(mut self) -> Result<Scene, SceneError> {
        if let Some(e) = self.error {
            return Err(e);
        }
        self.weigh_bodies()?;
        self.scene.sort_by_body();
        self.scene.validate()?;
        Ok(self.scene)
    }

    fn weigh_bodies(&mut self) -> Result<(), SceneError> {
        let mut parts: Vec<Vec<MassProperties>> = vec![Vec::new(); self.scene.bodies.len()];
        for (g, w) in self.scene.geoms.iter().zip(&self.weights) {
            let (GeomShape::Solid(shape), Some(w)) = (&g.shape, w) else { continue };
            if g.body == 0 || self.stated[g.body] {
                continue;
            }
            let unit = MassProperties::of_shape(shape, 1.0).map_err(|e| SceneError::Invalid {
                place: Place { element: format!("geom '{}'", g.name), ..Place::default() },
                message: e.to_string(),
                remedy: "correct the shape, set density(0.0), or state mass_properties".to_owned(),
            })?;
            let factor = match w {
                Weight::Density(d) => *d,
                Weight::Mass(m) => m / unit.mass,
            };
            let r = g.pose.rotation.to_rotation_matrix();
            parts[g.body].push(MassProperties {
                mass: unit.mass * factor,
                com: g.pose * unit.com,
                inertia: r.matrix() * unit.inertia * r.matrix().transpose() * factor,
            });
        }
        for (b, parts) in self.scene.bodies.iter_mut().zip(&parts).filter(|(_, p)| !p.is_empty()) {
            b.mass = Some(MassProperties::combine(parts).map_err(|e| SceneError::Invalid {
                place: Place { element: format!("body '{}'", b.name), ..Place::default() },
                message: e.to_string(),
                remedy: "correct the masses of its geoms".to_owned(),
            })?);
        }
        Ok(())
    }
}
