use signorini_core::na::{Isometry3, Matrix3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};
use signorini_core::{ProblemError, check_finite};
use signorini_geometry::{MassProperties, MeshDefect, Shape, TriangleMesh};
use signorini_scene::{CollisionFilter, GeomShape, JointKind as SceneJoint, Pose, Scene};

use crate::readout::Readout;
use crate::scene_motors::SceneMotor;
use crate::{AffineBody, AffineSystem, BodyError, IpcOptions, Joint, JointAction, JointKind};

/// Why a scene has no affine bodies.
#[derive(Debug, thiserror::Error)]
pub enum FromSceneError {
    /// A body or a joint.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// A shape that has no mesh.
    #[error("geom '{geom}': {source}; change its sizes")]
    Mesh {
        /// The geom.
        geom: String,
        /// What is wrong.
        source: MeshDefect,
    },
    /// Something that affine bodies do not have.
    #[error("'{name}': {what}; {remedy}")]
    Unsupported {
        /// The body, joint or geom.
        name: String,
        /// What it is.
        what: String,
        /// What to do.
        remedy: &'static str,
    },
}

/// Affine bodies made from a scene.
pub struct AffineScene {
    /// The system.
    pub system: AffineSystem,
    /// For each body of the scene, the affine body that it is part of; bodies that are fixed to each other are one. None for what has neither mass nor shape.
    pub bodies: Vec<Option<usize>>,
    /// For each joint of the scene, its number among the joints of the system; None for free joints.
    pub joints: Vec<Option<usize>>,
    /// What the scene has and the system leaves out, one sentence each.
    pub left_out: Vec<String>,
    pub(crate) readout: Readout,
    motors: Vec<SceneMotor>,
    controls: usize,
}

/// Half the edge of the cuboid that stands for a half-space \[m\].
const GROUND: f64 = 20.0;
/// Refinement of balls, sides of cylinders.
const BALL: u32 = 2;
const SIDES: u32 = 24;

fn unsupported(name: &str, what: String, remedy: &'static str) -> FromSceneError {
    FromSceneError::Unsupported { name: name.to_owned(), what, remedy }
}

/// The surface of a shape, curved ones by facets.
fn surface(shape: &Shape, geom: &str) -> Result<TriangleMesh, FromSceneError> {
    let ball = || TriangleMesh::icosphere(1.0, BALL);
    let made = match shape {
        Shape::Box { half_extents } => TriangleMesh::cuboid(half_extents),
        Shape::Sphere { radius } => TriangleMesh::icosphere(*radius, BALL),
        Shape::Ellipsoid { semi_axes } => ball().and_then(|m| m.scaled(*semi_axes)),
        Shape::Cylinder { radius, half_length } => TriangleMesh::cylinder(*radius, *half_length, SIDES),
        Shape::Capsule { radius, half_length } => ball().and_then(|m| capsule(&m, *radius, *half_length)),
        Shape::HalfSpace => TriangleMesh::cuboid(&Vector3::new(GROUND, GROUND, 0.5))
            .map(|m| m.transformed(&Isometry3::translation(0.0, 0.0, -0.5))),
        Shape::Convex(hull) => hull.to_triangle_mesh(),
        Shape::Mesh(mesh) => Ok((**mesh).clone()),
        Shape::HeightField(_) => {
            let what = "a height field is no closed surface".to_owned();
            return Err(unsupported(geom, what, "give it as a closed mesh"));
        }
    };
    made.map_err(|source| FromSceneError::Mesh { geom: geom.to_owned(), source })
}

/// A ball cut in two and drawn apart along z: points of the upper half go up, the others down.
fn capsule(ball: &TriangleMesh, radius: f64, half_length: f64) -> Result<TriangleMesh, MeshDefect> {
    let apart = |p: &Point3<f64>| {
        let shift = if p.z >= 0.0 { half_length } else { -half_length };
        Point3::new(radius * p.x, radius * p.y, radius * p.z + shift)
    };
    TriangleMesh::new(ball.vertices().iter().map(apart).collect(), ball.triangles().to_vec())
}

/// Poses of all bodies in the world: as they are drawn, or at joint positions `q`.
fn poses(scene: &Scene, q: Option<&[f64]>) -> Vec<Pose> {
    let mut out: Vec<Pose> = Vec::new();
    let mut joints = scene.joints.iter().peekable();
    let mut at = 0;
    for (b, body) in scene.bodies.iter().enumerate() {
        let mut pose = if b == 0 { body.pose } else { out[body.parent] * body.pose };
        while let Some(j) = joints.next_if(|j| j.body == b) {
            let n = j.kind.nq();
            if let Some(q) = q.and_then(|q| q.get(at..at + n)) {
                let turn = |r: UnitQuaternion<f64>| {
                    let anchor = Translation3::from(j.anchor.coords);
                    Isometry3::from(anchor) * r * anchor.inverse()
                };
                let quaternion =
                    |q: &[f64]| UnitQuaternion::from_quaternion(Quaternion::new(q[0], q[1], q[2], q[3]));
                pose = match j.kind {
                    SceneJoint::Hinge => {
                        pose * turn(UnitQuaternion::from_axis_angle(&j.axis, q[0] - j.reference))
                    }
                    SceneJoint::Slide => {
                        pose * Translation3::from(j.axis.into_inner() * (q[0] - j.reference))
                    }
                    SceneJoint::Ball => pose * turn(quaternion(q)),
                    SceneJoint::Free => {
                        Isometry3::from_parts(Translation3::new(q[0], q[1], q[2]), quaternion(&q[3..]))
                    }
                };
            }
            at += n;
        }
        out.push(pose);
    }
    out
}

impl AffineScene {
    /// The bodies of a scene as they are drawn. Bodies fixed to each other become one, those fixed to the world are held; curved shapes get facets (balls 320, cylinders 24 sides), a half-space is
    /// a cuboid of 40 m. Hinges, balls and slides along axes of the world are eliminated exactly. Gravity is that of the scene; two bodies have the larger of their coefficients of friction.
    ///
    /// Limits, springs, damping and dry friction of hinges and slides become [`JointAction`]s, with numbers counted from the start; motors, position and velocity servos on them get
    /// [`AffineScene::set_controls`]. Limits and the like of balls, armature, other actuators, tendons and equalities are left out, and listed.
    ///
    /// # Errors
    /// Bodies without shape or mass, height fields, several joints on one body; as [`AffineSystem::articulated`].
    pub fn new(scene: &Scene, options: IpcOptions) -> Result<Self, FromSceneError> {
        Self::placed(scene, None, options, false)
    }

    /// The same at joint positions `q`, nq, of a keyframe for one.
    ///
    /// # Errors
    /// As [`AffineScene::new`]; positions of another number.
    pub fn at(scene: &Scene, q: &[f64], options: IpcOptions) -> Result<Self, FromSceneError> {
        Self::placed(scene, Some(q), options, false)
    }

    /// The same as drawn or at joint positions `q`; bodies that overlap there do not collide, ever, and are listed in [`AffineScene::left_out`]. Files of robots often have such pairs: links that pass through
    /// each other at a joint.
    ///
    /// # Errors
    /// As [`AffineScene::at`].
    pub fn without_overlaps(
        scene: &Scene,
        q: Option<&[f64]>,
        options: IpcOptions,
    ) -> Result<Self, FromSceneError> {
        Self::placed(scene, q, options, true)
    }

    fn placed(
        scene: &Scene,
        q: Option<&[f64]>,
        options: IpcOptions,
        without_overlaps: bool,
    ) -> Result<Self, FromSceneError> {
        if let Some(q) = q.filter(|q| q.len() != scene.nq() || q.iter().any(|q| !q.is_finite())) {
            let what = format!("{} positions were given", q.len());
            return Err(unsupported(&scene.name, what, "give finite numbers, as many as Scene::nq"));
        }
        let mut left_out = Vec::new();
        let (groups, world) = (scene.weld_groups(), poses(scene, q));
        let mut bodies = vec![None; scene.bodies.len()];
        let (mut placed, mut tops, mut geoms) = (Vec::new(), Vec::new(), Vec::new());
        for top in 0..scene.bodies.len() {
            if groups[top] != top {
                continue;
            }
            let own: Vec<usize> = (0..scene.geoms.len())
                .filter(|g| groups[scene.geoms[*g].body] == top && !scene.geoms[*g].mask.is_empty())
                .collect();
            let Some(body) = body(scene, top, &own, &groups, &world)? else { continue };
            tops.push(top);
            geoms.push(own);
            let frame = if top == 0 { Isometry3::identity() } else { world[top] };
            placed.push((body, frame));
        }
        for (b, group) in groups.iter().enumerate() {
            bodies[b] = tops.iter().position(|t| t == group);
        }
        let filter = CollisionFilter::new(scene);
        let mut excluded = Vec::new();
        for a in 0..tops.len() {
            for b in a + 1..tops.len() {
                let meet = |g: &usize| geoms[b].iter().any(|h| filter.collides(scene, *g, *h));
                if !scene.options.switches.contact || !geoms[a].iter().any(meet) {
                    excluded.push([a, b]);
                }
            }
        }
        let (joints, numbers) = joints(scene, &groups, &world, &bodies, &mut placed, &mut left_out)?;
        let others = [("tendons", scene.tendons.len()), ("equalities", scene.equalities.len())];
        let told = others.iter().filter(|o| o.1 > 0).map(|(what, n)| format!("{n} {what} are left out"));
        left_out.extend(told);
        let gravity = if scene.options.switches.gravity { scene.options.gravity } else { Vector3::zeros() };
        let floats = scene.bodies.iter().filter(|b| b.gravity_compensation != 0.0);
        left_out.extend(floats.map(|b| format!("body '{}': compensation of gravity is left out", b.name)));
        let options = IpcOptions { gravity, ..options };
        let make =
            |excluded: &[[usize; 2]]| AffineSystem::articulated(placed.clone(), &joints, excluded, options);
        let mut system = make(&excluded)?;
        if without_overlaps {
            let x = system.initial_state();
            while let Some(pair) = system.overlapping(&x) {
                let [a, b] = pair.map(|b| system.bodies()[b as usize].name.clone());
                left_out.push(format!("bodies '{a}' and '{b}' overlap at the start: they do not collide"));
                excluded.push(pair.map(|b| b as usize));
                system = make(&excluded)?;
            }
        }
        let (mut at, mut actions) = (0, Vec::new());
        for (j, number) in scene.joints.iter().zip(&numbers) {
            // Numbers of joints are counted from the start.
            let start = q.and_then(|q| q.get(at)).copied().unwrap_or(j.reference);
            at += j.kind.nq();
            let Some(number) = number.filter(|_| matches!(j.kind, SceneJoint::Hinge | SceneJoint::Slide))
            else {
                continue;
            };
            let on = scene.options.switches;
            let action = JointAction {
                range: j.range.filter(|_| on.limits).map(|r| r.map(|r| r - start)),
                spring: if on.springs { [j.stiffness, j.spring_reference - start] } else { [0.0; 2] },
                damping: if on.dampers { j.damping } else { 0.0 },
                dry_friction: if on.dry_friction { j.dry_friction } else { 0.0 },
                ..JointAction::default()
            };
            let refused =
                |e: ProblemError| unsupported(&j.name, e.to_string(), "correct the numbers of the joint");
            system.act(number, action).map_err(refused)?;
            actions.push((number, action, start));
        }
        let on = scene.options.switches.actuation;
        let motors = if on { SceneMotor::all(scene, &numbers, &actions, &mut left_out) } else { Vec::new() };
        let controls = scene.actuators.len();
        let readout = Readout::new(scene, &world, &bodies, &tops);
        Ok(Self { system, bodies, joints: numbers, left_out, readout, motors, controls })
    }

    /// Sets the controls of all actuators, one each, held until they are set again. Before that no actuator acts.
    ///
    /// # Errors
    /// Another number of controls; controls that are not finite.
    pub fn set_controls(&mut self, u: &[f64]) -> Result<(), ProblemError> {
        if u.len() != self.controls {
            return Err(ProblemError::Shape { what: "controls", expected: self.controls, found: u.len() });
        }
        check_finite("controls", u)?;
        self.motors.iter().try_for_each(|m| m.act(u, &mut self.system))
    }
}

/// The affine body of everything that is fixed to body `top`; None where there is neither mass nor shape.
fn body(
    scene: &Scene,
    top: usize,
    own: &[usize],
    groups: &[usize],
    world: &[Pose],
) -> Result<Option<AffineBody>, FromSceneError> {
    let (mut surfaces, mut friction) = (Vec::new(), 0.0f64);
    let to_top = |b: usize| if top == 0 { world[b] } else { world[top].inv_mul(&world[b]) };
    for g in own {
        let geom = &scene.geoms[*g];
        let GeomShape::Solid(shape) = &geom.shape else {
            let what = "its mesh was not read".to_owned();
            return Err(unsupported(&geom.name, what, "load the scene with its meshes"));
        };
        surfaces.push(surface(shape, &geom.name)?.transformed(&(to_top(geom.body) * geom.pose)));
        friction = friction.max(geom.surface.friction);
    }
    let name = &scene.bodies[top].name;
    let members = (0..scene.bodies.len()).filter(|b| groups[*b] == top);
    let parts: Vec<MassProperties> =
        members.filter_map(|b| scene.bodies[b].mass.as_ref().map(|m| m.transformed(&to_top(b)))).collect();
    if surfaces.is_empty() && (top == 0 || parts.is_empty()) {
        return Ok(None);
    }
    if top == 0 {
        // Held: its mass counts for nothing.
        let mass = MassProperties { mass: 1.0, com: Point3::origin(), inertia: Matrix3::identity() };
        return Ok(Some(AffineBody::assembled(name, &surfaces, &mass)?.held().with_friction(friction)));
    }
    let mass = MassProperties::combine(&parts).map_err(|e| {
        unsupported(name, format!("its mass: {e}"), "give every moving body a mass and an inertia")
    })?;
    if surfaces.is_empty() {
        surfaces.push(block(name, &mass)?);
    }
    let made = AffineBody::assembled(name, &surfaces, &mass)?.with_friction(friction);
    Ok(Some(if scene.bodies[top].mocap { made.driven() } else { made }))
}

/// The block of uniform density that has this mass and inertia: the extent of a body of which nothing collides.
fn block(name: &str, mass: &MassProperties) -> Result<TriangleMesh, FromSceneError> {
    let (moments, axes) = mass.principal();
    // m/3 (b² + c²) about the axis of a.
    let half = moments.map(|i| (1.5 * (moments.sum() - 2.0 * i) / mass.mass).sqrt());
    if !half.iter().all(|h| *h > 0.0) {
        return Err(BodyError::Flat { name: name.to_owned() }.into());
    }
    let turn = UnitQuaternion::from_rotation_matrix(&axes);
    let pose = Isometry3::from_parts(Translation3::from(mass.com.coords), turn);
    let made = TriangleMesh::cuboid(&half).map(|m| m.transformed(&pose));
    made.map_err(|source| FromSceneError::Mesh { geom: name.to_owned(), source })
}

type Joints = (Vec<Joint>, Vec<Option<usize>>);

fn joints(
    scene: &Scene,
    groups: &[usize],
    world: &[Pose],
    bodies: &[Option<usize>],
    placed: &mut Vec<(AffineBody, Isometry3<f64>)>,
    left_out: &mut Vec<String>,
) -> Result<Joints, FromSceneError> {
    let (mut joints, mut numbers) = (Vec::new(), Vec::new());
    let mut ground = bodies[0];
    for (i, j) in scene.joints.iter().enumerate() {
        if scene.joints[..i].iter().any(|o| o.body == j.body) {
            let what = format!("body '{}' has several joints", scene.bodies[j.body].name);
            return Err(unsupported(&j.name, what, "put bodies with mass between them"));
        }
        let has_number = matches!(j.kind, SceneJoint::Hinge | SceneJoint::Slide);
        let rest = [
            ("limits", j.range.is_some() && !has_number),
            ("a spring", j.stiffness > 0.0 && !has_number),
            ("damping", j.damping > 0.0 && !has_number),
            ("dry friction", j.dry_friction > 0.0 && !has_number),
            ("armature", j.armature > 0.0),
        ];
        left_out.extend(
            rest.iter().filter(|r| r.1).map(|(what, _)| format!("joint '{}': {what} left out", j.name)),
        );
        if j.kind == SceneJoint::Free {
            numbers.push(None);
            continue;
        }
        let Some(child) = bodies[j.body] else {
            let what = "its body has neither mass nor shape".to_owned();
            return Err(unsupported(&j.name, what, "give it both"));
        };
        let above = groups[scene.bodies[j.body].parent];
        let parent = match bodies[above] {
            Some(p) => p,
            // Nothing of the world collides: a small body far below stands for it.
            None => *ground.get_or_insert(placed.len()),
        };
        if parent == placed.len() {
            let mesh = TriangleMesh::cuboid(&Vector3::repeat(1e-3))
                .map_err(|source| FromSceneError::Mesh { geom: "world".into(), source })?;
            let lowest = world.iter().map(|p| p.translation.z).fold(0.0, f64::min);
            let far = Isometry3::translation(0.0, 0.0, lowest - 10.0);
            placed.push((AffineBody::solid("world", &mesh, 1000.0)?.held(), far));
        }
        let (at, axis) = (world[j.body] * j.anchor, world[j.body] * j.axis.into_inner());
        let half_length = 0.5 * placed[child].0.points.iter().map(Vector3::norm).fold(0.0, f64::max);
        let kind = match j.kind {
            SceneJoint::Hinge => JointKind::Hinge { at, axis, half_length },
            SceneJoint::Slide => JointKind::Sliding { axis },
            SceneJoint::Ball | SceneJoint::Free => JointKind::Point { at },
        };
        numbers.push(Some(joints.len()));
        joints.push(Joint::new(&j.name, [parent, child], kind));
    }
    Ok((joints, numbers))
}
