use std::collections::BTreeSet;
use std::sync::Arc;

use signorini_core::na::{Isometry3, Matrix3, Point3, Translation3, UnitQuaternion, Vector3};
use signorini_core::{ContactMaterial, LawPool, ProblemError, check_count, check_finite};
use signorini_geometry::{MassProperties, Shape, TriangleMesh};
use signorini_scene::{CollisionFilter, Geom, GeomShape, JointKind as SceneJoint, Pose, Scene, Transmission};

use crate::readout::{Made, Readout};
use crate::scene_block::block;
use crate::scene_error::unsupported;
use crate::scene_joints::{SceneJoints, hold_welded, turned};
use crate::scene_motors::{Driven, SceneMotor};
use crate::scene_places;
use crate::{
    AffineBody, AffineSystem, BodySurface, FromSceneError, IpcOptions, Joint, JointAction, JointKind,
    SkinLaw, SkinPair, SurfacePart,
};

/// Affine bodies made from a scene. A copy goes on from where the original is ([`AffineSystem`]).
#[derive(Clone)]
pub struct AffineScene {
    /// The system.
    pub system: AffineSystem,
    /// For each body of the scene, the affine body that it is part of; bodies that are fixed to each other are one. None for bodies that have neither mass nor shape.
    pub bodies: Vec<Option<usize>>,
    /// For each surface of the system ([`signorini_core::ContactGeometry::geoms`]), the geom of the scene that it is of.
    pub surfaces: Vec<Option<usize>>,
    /// For each joint of the scene, its number among the joints of the system; None for free joints and for those that make up a planar or a floating joint, but for the hinge of a planar one.
    pub joints: Vec<Option<usize>>,
    /// For each tendon of the scene, its number among joints and tendons that can be acted on ([`AffineSystem::tendon`]); None for those that are left out.
    pub tendons: Vec<Option<usize>>,
    /// For each equality of the scene, its number among the joints of the system; None for those that do not act or are left out.
    pub equalities: Vec<Option<usize>>,
    /// Parts of the scene that the system leaves out, one sentence each.
    pub left_out: Vec<String>,
    /// Actuators of the scene that are left out, by number, with the reason; they are among [`AffineScene::left_out`], too.
    pub undriven: Vec<(usize, &'static str)>,
    pub(crate) readout: Readout,
    rule: Rule,
    motors: Vec<SceneMotor>,
    controls: usize,
}

/// Half the edge of the cuboid that stands for a half-space \[m\].
const GROUND: f64 = 1000.0;
/// Refinement of ellipsoids, sides of cylinders.
const BALL: u32 = 2;
const SIDES: u32 = 24;

/// End of the sentence on a geom whose two coefficients of friction differ: the barrier knows one.
const STATIC_ONLY: &str = ": its dynamic friction is left out, the static one acts";

/// The surface of a shape at a pose: balls and capsules are round, ellipsoids and cylinders have facets.
fn surface(shape: &Shape, pose: &Isometry3<f64>, geom: &str) -> Result<BodySurface, FromSceneError> {
    let made = match shape {
        Shape::Sphere { radius } => {
            let centre = pose * Point3::origin();
            return Ok(BodySurface::Ball { centre, radius: *radius });
        }
        // One without an edge is a ball.
        Shape::Capsule { radius, half_length } if *half_length <= 1e-9 * radius => {
            return Ok(BodySurface::Ball { centre: pose * Point3::origin(), radius: *radius });
        }
        Shape::Capsule { radius, half_length } => {
            let ends = [-half_length, *half_length].map(|z| pose * Point3::new(0.0, 0.0, z));
            return Ok(BodySurface::Capsule { ends, radius: *radius });
        }
        Shape::Box { half_extents } => TriangleMesh::cuboid(half_extents),
        Shape::Ellipsoid { semi_axes } => {
            TriangleMesh::icosphere(1.0, BALL).and_then(|m| m.scaled(*semi_axes))
        }
        Shape::Cylinder { radius, half_length } => TriangleMesh::cylinder(*radius, *half_length, SIDES),
        Shape::HalfSpace => TriangleMesh::cuboid(&Vector3::new(GROUND, GROUND, 0.5))
            .map(|m| m.transformed(&Isometry3::translation(0.0, 0.0, -0.5))),
        Shape::Convex(hull) => hull.to_triangle_mesh(),
        Shape::Mesh(mesh) => Ok((**mesh).clone()),
        Shape::HeightField(_) => {
            let what = "a height field is no closed surface".to_owned();
            return Err(unsupported(geom, what, "give it as a closed mesh"));
        }
    };
    let mesh = made.map_err(|source| FromSceneError::Mesh { geom: geom.to_owned(), source })?;
    Ok(mesh.transformed(pose).into())
}

/// Poses of all bodies in the world, and of each body after each of its joints: as they are drawn, or at joint positions `q`.
fn poses(scene: &Scene, q: Option<&[f64]>) -> (Vec<Pose>, Vec<Pose>) {
    let (mut out, mut after): (Vec<Pose>, Vec<Pose>) = Default::default();
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
                pose = match j.kind {
                    SceneJoint::Hinge => {
                        pose * turn(UnitQuaternion::from_axis_angle(&j.axis, q[0] - j.reference))
                    }
                    SceneJoint::Slide => {
                        pose * Translation3::from(j.axis.into_inner() * (q[0] - j.reference))
                    }
                    SceneJoint::Ball => pose * turn(turned(q)),
                    SceneJoint::Free => {
                        Isometry3::from_parts(Translation3::new(q[0], q[1], q[2]), turned(&q[3..]))
                    }
                };
            }
            at += n;
            after.push(pose);
        }
        out.push(pose);
    }
    (out, after)
}

impl AffineScene {
    /// The bodies of a scene as they are drawn. Bodies fixed to each other become one, those fixed to the world are held; balls and capsules are round ([`BodySurface`]), other curved shapes get facets (ellipsoids 320, cylinders 24 sides), a half-space is
    /// a cuboid of 2 km. Hinges, balls and slides along axes of the world are eliminated exactly. Gravity is that of the scene. Each geom is a part of the surface of its body: which of them collide, and with which coefficient of friction, follows the scene's rules (masks, pairs, excludes, priorities, combination), as in generalised coordinates, but bodies that are welded do not; friction about normals and of rolling is left out.
    ///
    /// Limits, springs, damping, dry friction and armature of hinges and slides and limits of balls become [`JointAction`]s, with numbers counted from the start; motors, position and velocity servos on hinges and slides get
    /// [`AffineScene::set_controls`]. Two slides and a hinge across them on one body are a planar joint (its hinge has the number), three slides and a ball none at all: that is how a URDF's planar and floating joints are read. Between other hinges and slides of one body stand bodies of a thousandth of its mass, which weigh nothing.
    ///
    /// Equalities become joints that hold from the start on: linear couplings of joints (a URDF's mimic joints) [`crate::JointKind::Mimic`], connections points, welds fixed joints, distances distances. Bodies that are welded to the world are held. Couplings that are not linear, springs and the like of balls and of the slides of planar joints, other actuators and tendons through sites are left out, and listed.
    ///
    /// # Errors
    /// Bodies without shape or mass, height fields, other joints on one body; as [`AffineSystem::articulated`].
    pub fn new(scene: &Scene, options: IpcOptions) -> Result<Self, FromSceneError> {
        Self::placed(scene, None, options, false)
    }

    /// A scene at joint positions `q`, nq, of a keyframe for one.
    ///
    /// # Errors
    /// As [`AffineScene::new`]; positions of another number.
    pub fn at(scene: &Scene, q: &[f64], options: IpcOptions) -> Result<Self, FromSceneError> {
        Self::placed(scene, Some(q), options, false)
    }

    /// A scene as drawn or at joint positions `q`; bodies that overlap there do not collide, ever, and are listed in [`AffineScene::left_out`]. Files of robots often have such pairs: links that pass through
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
        let (groups, (world, after)) = (scene.weld_groups(), poses(scene, q));
        let mut bodies = vec![None; scene.bodies.len()];
        let (mut placed, mut tops, mut geoms) = (Vec::new(), Vec::new(), Vec::new());
        let filter = CollisionFilter::new(scene);
        let paired: BTreeSet<usize> = scene.pairs.iter().flat_map(|p| [p.geom_a, p.geom_b]).collect();
        // A mesh that was not read does not collide.
        let solid = |g: &usize| matches!(scene.geoms[*g].shape, GeomShape::Solid(_));
        let meets = |g: &usize| !scene.geoms[*g].mask.is_empty() || paired.contains(g);
        for top in 0..scene.bodies.len() {
            if groups[top] != top {
                continue;
            }
            let own: Vec<usize> = (0..scene.geoms.len())
                .filter(|g| groups[scene.geoms[*g].body] == top && solid(g) && meets(g))
                .collect();
            let Some(body) = body(scene, top, &own, &groups, &world)? else { continue };
            tops.push(top);
            geoms.push(own);
            let frame = if top == 0 { Isometry3::identity() } else { world[top] };
            placed.push((body, frame));
        }
        for &top in &tops {
            let of = |b: &usize| groups[*b] == top && scene.bodies[*b].mass.is_some();
            let mut parts = (0..groups.len()).filter(of).map(|b| scene.bodies[b].gravity_compensation);
            let first = parts.next();
            if parts.any(|p| Some(p) != first) {
                let body = &scene.bodies[top];
                let body = scene_places::element(&body.place, "body", &body.name);
                left_out.push(format!("{body}: its parts have different compensations of gravity, which act at its centre of mass"));
            }
        }
        for (b, group) in groups.iter().enumerate() {
            bodies[b] = tops.iter().position(|t| t == group);
        }
        hold_welded(scene, &groups, &bodies, &mut placed);
        for g in geoms.iter().flatten().map(|g| &scene.geoms[*g]) {
            let (geom, surface) = (scene_places::geom(g), &g.surface);
            if surface.friction_dynamic.is_some_and(|d| d != surface.friction) {
                left_out.push(format!("{geom}{STATIC_ONLY}"));
            }
            if surface.condim > 3 {
                let left =
                    if surface.condim == 4 { "about the normal" } else { "about the normal and of rolling" };
                left_out.push(format!(
                    "{geom}: its friction {left} (condim {}) is left out; take the solver comfree, whose dual cone has it, or write condim=\"3\"",
                    surface.condim
                ));
            }
        }
        // Numbers of joints are counted from the start.
        let mut at = 0;
        let start: Vec<&[f64]> = scene
            .joints
            .iter()
            .map(|j| {
                at += j.kind.nq();
                q.and_then(|q| q.get(at - j.kind.nq()..at)).unwrap_or_default()
            })
            .collect();
        let starts: Vec<f64> = scene
            .joints
            .iter()
            .zip(&start)
            .map(|(j, q)| q.first().map_or(0.0, |q| q - j.reference))
            .collect();
        let ground = bodies[0];
        let mut made = SceneJoints {
            scene,
            groups: &groups,
            world: &world,
            after: &after,
            bodies: &bodies,
            placed: &mut placed,
            left_out: &mut left_out,
            ground,
            joints: Vec::new(),
            between: Vec::new(),
        };
        let numbers = made.all()?;
        let equalities = made.equalities(&numbers, &starts)?;
        let (joints, between) = (made.joints, made.between);
        let gravity = if scene.options.switches.gravity { scene.options.gravity } else { Vector3::zeros() };
        let options = IpcOptions { gravity, ..options };
        let one = |j: &&Joint| matches!(j.kind, JointKind::Fixed);
        let glued = joints.iter().filter(one).map(|j| j.bodies).collect();
        let rule =
            Rule { scene: scene.clone(), filter, geoms: Arc::new(geoms), glued, apart: BTreeSet::new() };
        let make = |rule: Rule| {
            let of = move |a: SurfacePart, b: SurfacePart| rule.friction(a, b);
            AffineSystem::with_rule(placed.clone(), &joints, of, options)
        };
        let mut system = make(rule.clone())?;
        if without_overlaps {
            let x = system.initial_state();
            let apart = system.overlapping(&x);
            for pair in &apart {
                let [a, b] = pair.map(|s| rule.name(s));
                left_out.push(format!("{a} and {b} overlap at the start: they do not collide"));
            }
            if !apart.is_empty() {
                system = make(Rule { apart: apart.into_iter().collect(), ..rule.clone() })?;
            }
        }
        let of = |(b, body): (usize, &AffineBody)| {
            (0..body.parts.len())
                .map(|p| rule.geoms.get(b).and_then(|g| g.get(p)).copied())
                .collect::<Vec<_>>()
        };
        let surfaces = system.bodies().iter().enumerate().flat_map(of).collect();
        let mut driven = Vec::new();
        let on = scene.options.switches;
        for (i, j) in scene.joints.iter().enumerate() {
            let Some(number) = numbers[i] else { continue };
            let refused =
                |e: ProblemError| unsupported(&j.name, e.to_string(), "correct the numbers of the joint");
            let range = j.range.filter(|_| on.limits);
            if j.kind == SceneJoint::Ball {
                if let [_, _, _, _] = start[i] {
                    system.count_from(number, &turned(start[i])).map_err(refused)?;
                }
                // An angle is below half a turn anyway.
                let range = range.filter(|r| r[1] < std::f64::consts::PI).map(|r| [0.0, r[1]]);
                system.act(number, JointAction { range, ..JointAction::default() }).map_err(refused)?;
                continue;
            }
            let from = start[i].first().copied().unwrap_or(j.reference);
            let action = JointAction {
                range: range.map(|r| r.map(|r| r - from)),
                spring: if on.springs { [j.stiffness, j.spring_reference - from] } else { [0.0; 2] },
                damping: if on.dampers { j.damping } else { 0.0 },
                dry_friction: if on.dry_friction { j.dry_friction } else { 0.0 },
                armature: j.armature,
                ..JointAction::default()
            };
            system.act(number, action).map_err(refused)?;
            let beyond = scene_places::beyond_first(
                if on.springs { j.higher_order.stiffness } else { [0.0; 2] },
                if on.dampers { j.higher_order.damping } else { [0.0; 2] },
            );
            left_out.extend(beyond.map(|what| format!("{}: {what}", scene_places::joint(j))));
            if let Some([low, high]) = action.range.filter(|[low, high]| *low > 1e-6 || *high < -1e-6) {
                let (by, unit) = (low.max(-high), if j.kind == SceneJoint::Slide { "m" } else { "rad" });
                left_out.push(format!(
                    "{} starts {by:.3} {unit} outside its range: it is let back slowly",
                    scene_places::joint(j)
                ));
            }
            driven.push(Driven {
                transmission: Transmission::Joint(i),
                number,
                action,
                start: from,
                force_range: j.actuator_force_range,
            });
        }
        let tendons = crate::scene_tendons::tendons(scene, &mut system, &mut driven, &mut left_out);
        let on = scene.options.switches.actuation;
        let mut undriven = Vec::new();
        let motors = if on { SceneMotor::all(scene, &driven, &mut undriven) } else { Vec::new() };
        let actuator = |(i, why): &(usize, &str)| {
            let a = &scene.actuators[*i];
            format!("{} is left out: {why}", scene_places::element(&a.place, "actuator", &a.name))
        };
        left_out.extend(undriven.iter().map(actuator));
        let controls = scene.actuators.len();
        let made = Made {
            world: &world,
            after: &after,
            bodies: &bodies,
            tops: &tops,
            numbers: &numbers,
            starts: &start,
            between,
        };
        let readout = Readout::new(scene, made);
        Ok(Self {
            system,
            bodies,
            surfaces,
            joints: numbers,
            tendons,
            equalities,
            left_out,
            undriven,
            readout,
            rule,
            motors,
            controls,
        })
    }

    /// This scene with a contact law on the skin of its bodies, which begins at the distance `skin` \[m\]; see [`SkinLaw`]. Materials are those of the scene, curvatures those of its spheres.
    ///
    /// # Errors
    /// As [`AffineSystem::with_law`].
    pub fn with_law(mut self, law: &dyn LawPool, skin: f64) -> Result<Self, FromSceneError> {
        let rule = self.rule.clone();
        if law.properties().reads_curvature {
            self.left_out.extend(rule.untold_curvatures());
        }
        let law = SkinLaw::new(law, skin, ContactMaterial::default()).with_pairs(move |a, b| rule.skin(a, b));
        self.system = self.system.with_law(law)?;
        self.left_out.retain(|w| !w.ends_with(STATIC_ONLY));
        Ok(self)
    }

    /// The geom that a part of the surface of a body is of; None for surfaces without one.
    pub fn geom(&self, at: SurfacePart) -> Option<usize> {
        let before = self.system.bodies().iter().take(at.body).map(|b| b.parts.len());
        self.surfaces.get(before.sum::<usize>() + at.part).copied().flatten()
    }

    /// Sets the controls of all actuators, one each, held until they are set again. Before that no actuator acts.
    ///
    /// # Errors
    /// Another number of controls; controls that are not finite.
    pub fn set_controls(&mut self, u: &[f64]) -> Result<(), ProblemError> {
        check_count("controls", self.controls, u.len())?;
        check_finite("controls", u)?;
        self.motors.iter().try_for_each(|m| m.act(u, &mut self.system))
    }
}

/// Rule of contact between the geoms of a scene.
#[derive(Clone)]
struct Rule {
    scene: Scene,
    filter: CollisionFilter,
    /// Geoms of each body, one for each part of its surface.
    geoms: Arc<Vec<Vec<usize>>>,
    /// Bodies that do not move past each other.
    glued: BTreeSet<[usize; 2]>,
    /// Pairs that do not collide whatever the scene says.
    apart: BTreeSet<[SurfacePart; 2]>,
}

impl Rule {
    fn geom(&self, at: SurfacePart) -> Option<usize> {
        self.geoms.get(at.body)?.get(at.part).copied()
    }

    fn name(&self, at: SurfacePart) -> String {
        self.geom(at).map_or_else(String::new, |g| self.scene.told_geom(g))
    }

    /// Coefficient of friction of two parts; None where they do not collide.
    fn friction(&self, a: SurfacePart, b: SurfacePart) -> Option<f64> {
        let material = self.material(a, b)?;
        Some(if material.condim == 1 { 0.0 } else { material.friction_static })
    }

    /// A note for each geom whose curvature a law on the skin does not see.
    fn untold_curvatures(&self) -> Vec<String> {
        let round = |shape: &GeomShape| {
            use Shape::{Capsule, Cylinder, Ellipsoid};
            matches!(shape, GeomShape::Solid(Capsule { .. } | Cylinder { .. } | Ellipsoid { .. }))
        };
        let round_geoms =
            self.geoms.iter().flatten().map(|g| &self.scene.geoms[*g]).filter(|g| round(&g.shape));
        let note = |g: &Geom| {
            let geom = scene_places::geom(g);
            format!("{geom}: its curvature is left out, the contact law takes it for flat; use spheres")
        };
        round_geoms.map(note).collect()
    }

    /// Material and curvature of two parts, for a law on the skin. Balls have the curvature of the geom, and so has the gap to a flat part.
    fn skin(&self, a: SurfacePart, b: SurfacePart) -> SkinPair {
        let curvature = |at: SurfacePart| match self.geom(at).map(|g| &self.scene.geoms[g].shape)? {
            GeomShape::Solid(Shape::Sphere { radius }) => Some(1.0 / radius),
            GeomShape::Solid(Shape::HalfSpace | Shape::Box { .. } | Shape::Convex(_) | Shape::Mesh(_)) => {
                Some(0.0)
            }
            _ => None,
        };
        let mut material = self.material(a, b).unwrap_or_default();
        if material.condim == 1 {
            (material.friction_static, material.friction_dynamic) = (0.0, 0.0);
        }
        SkinPair { material, curvature: curvature(a).zip(curvature(b)).map(|(a, b)| [a + b; 2]) }
    }

    /// Combined parameters of two parts; None where they do not collide.
    fn material(&self, a: SurfacePart, b: SurfacePart) -> Option<ContactMaterial> {
        let [g, h] = [self.geom(a)?, self.geom(b)?];
        let s = &self.scene;
        let glued = self.glued.contains(&[a.body, b.body]) || self.glued.contains(&[b.body, a.body]);
        if glued
            || !s.options.switches.contact
            || !self.filter.collides(s, g, h)
            || self.apart.contains(&[a, b])
        {
            return None;
        }
        Some(match self.filter.explicit_pair(g, h) {
            Some(pair) => s.pairs[pair].material,
            None => {
                s.options.combination.combine(&s.geoms[g].surface, &s.geoms[h].surface, &s.options.contact).0
            }
        })
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
    let mut surfaces = Vec::new();
    let to_top = |b: usize| if top == 0 { world[b] } else { world[top].inv_mul(&world[b]) };
    for g in own {
        let geom = &scene.geoms[*g];
        if let GeomShape::Solid(shape) = &geom.shape {
            surfaces.push(surface(shape, &(to_top(geom.body) * geom.pose), &geom.name)?);
        }
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
        return Ok(Some(AffineBody::assembled(name, &surfaces, &mass)?.held()));
    }
    let mass = MassProperties::combine(&parts).map_err(|e| {
        unsupported(name, format!("its mass: {e}"), "give every moving body a mass and an inertia")
    })?;
    if surfaces.is_empty() {
        surfaces.push(block(name, &mass)?.into());
    }
    let weighs = |b: &usize| groups[*b] == top && scene.bodies[*b].mass.is_some();
    let carried: f64 = (0..scene.bodies.len())
        .filter(weighs)
        .map(|b| scene.bodies[b].gravity_compensation * scene.bodies[b].mass.as_ref().map_or(0.0, |m| m.mass))
        .sum();
    let made = AffineBody::assembled(name, &surfaces, &mass)?.with_gravity_compensation(carried / mass.mass);
    Ok(Some(if scene.bodies[top].mocap { made.driven() } else { made }))
}
