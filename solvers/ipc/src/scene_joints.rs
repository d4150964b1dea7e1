use signorini_core::largest;
use signorini_core::na::{self, Isometry3, Matrix3, Point3, UnitQuaternion, Vector3};
use signorini_geometry::{MassProperties, TriangleMesh};
use signorini_scene::{Equality, EqualityKind, JointKind as SceneJoint, Pose, Scene};

use crate::scene_block::block;
use crate::scene_error::unsupported;
use crate::scene_places;
use crate::{AffineBody, FromSceneError, Joint, JointKind};

/// Largest distance of points and angle of orientations at the start of a joint that makes them one \[m, rad\].
const CLOSED: f64 = 1e-6;
/// Distance up to which such a joint is closed halfway, with a note \[m, rad\]; beyond it the start is refused.
const NEARLY: f64 = 1e-3;
/// Cosine of directions that count as normal to each other.
const NORMAL: f64 = 1e-6;

/// Joints and equalities of a scene, as joints between affine bodies.
pub(crate) struct SceneJoints<'a> {
    pub scene: &'a Scene,
    pub groups: &'a [usize],
    /// Poses of the bodies of the scene.
    pub world: &'a [Pose],
    /// Pose of the body of each joint after it.
    pub after: &'a [Pose],
    /// The affine body of each.
    pub bodies: &'a [Option<usize>],
    pub placed: &'a mut Vec<(AffineBody, Isometry3<f64>)>,
    pub left_out: &'a mut Vec<String>,
    /// Body that stands for the world.
    pub ground: Option<usize>,
    pub joints: Vec<Joint>,
    /// Bodies between several joints of one body, with the joint above each.
    pub between: Vec<(usize, usize)>,
}

/// Part of the mass and inertia of a body that bodies between its joints have.
const BETWEEN: f64 = 1e-3;

/// Holds the bodies that welds fix to the world, or to one that is held: they do not move, and need no coordinates.
pub(crate) fn hold_welded(
    scene: &Scene,
    groups: &[usize],
    bodies: &[Option<usize>],
    placed: &mut [(AffineBody, Isometry3<f64>)],
) {
    if !scene.options.switches.equality {
        return;
    }
    let welds: Vec<[usize; 2]> = scene
        .equalities
        .iter()
        .filter(|e| e.active)
        .filter_map(|e| match e.kind {
            EqualityKind::Weld { body_a, body_b, .. } => Some([body_a, body_b]),
            _ => None,
        })
        .collect();
    loop {
        let held = |b: usize, placed: &[(AffineBody, _)]| {
            groups[b] == 0 || bodies[b].is_some_and(|b| placed[b].0.fixed)
        };
        let next = welds.iter().flat_map(|[a, b]| [[*a, *b], [*b, *a]]).find_map(|[fixed, other]| {
            let own = bodies[other]?;
            let moves = !placed[own].0.fixed && !placed[own].0.driven;
            (held(fixed, placed) && moves).then_some(own)
        });
        let Some(body) = next else { return };
        placed[body].0.fixed = true;
    }
}

impl SceneJoints<'_> {
    /// Whether neither body of a joint moves.
    fn stands(&self, joint: usize) -> bool {
        let child = self.scene.joints[joint].body;
        let parent = self.groups[self.scene.bodies[child].parent];
        let held = |b: usize| self.bodies[b].is_none_or(|b| self.placed[b].0.fixed);
        self.bodies[child].is_some_and(|b| self.placed[b].0.fixed) && held(parent)
    }

    /// The joints, in order; for each of the scene its number among those made.
    pub(crate) fn all(&mut self) -> Result<Vec<Option<usize>>, FromSceneError> {
        let mut numbers = vec![None; self.scene.joints.len()];
        let mut first = 0;
        while first < numbers.len() {
            let body = self.scene.joints[first].body;
            let own: Vec<usize> =
                (first..numbers.len()).take_while(|j| self.scene.joints[*j].body == body).collect();
            first += own.len();
            if self.stands(own[0]) {
                continue;
            }
            if self.is_chain(&own) {
                self.chain(&own, &mut numbers)?;
            } else if let Some((joint, kind)) = self.kind(&own)? {
                let ends = [self.parent(joint)?, self.child(joint)?];
                numbers[joint] = Some(self.joints.len());
                self.joints.push(Joint::new(&self.scene.joints[joint].name, ends, kind));
            }
            own.iter().for_each(|j| self.tell(*j, numbers[*j].is_some()));
        }
        Ok(numbers)
    }

    /// Whether several hinges and slides of a body act one after the other.
    fn is_chain(&self, own: &[usize]) -> bool {
        let joint = |i: usize| &self.scene.joints[own[i]];
        let kinds: Vec<SceneJoint> = own.iter().map(|j| self.scene.joints[*j].kind).collect();
        let normal = |i: usize, j: usize| joint(i).axis.dot(&joint(j).axis).abs() < NORMAL;
        let planar = kinds == [SceneJoint::Slide, SceneJoint::Slide, SceneJoint::Hinge]
            && normal(0, 1)
            && normal(0, 2)
            && normal(1, 2);
        let links = kinds.iter().all(|k| matches!(k, SceneJoint::Hinge | SceneJoint::Slide));
        kinds.len() > 1 && links && !planar
    }

    /// Joints one after the other, with light bodies between them.
    fn chain(&mut self, own: &[usize], numbers: &mut [Option<usize>]) -> Result<(), FromSceneError> {
        let (mut above, child) = (self.parent(own[0])?, self.child(own[0])?);
        for (i, &j) in own.iter().enumerate() {
            let below = if i + 1 == own.len() { child } else { self.between(j, child)? };
            numbers[j] = Some(self.joints.len());
            let kind = self.link(j)?;
            self.joints.push(Joint::new(&self.scene.joints[j].name, [above, below], kind));
            above = below;
        }
        Ok(())
    }

    /// A hinge or a slide where it is at the start.
    fn link(&self, joint: usize) -> Result<JointKind, FromSceneError> {
        let (j, pose) = (&self.scene.joints[joint], self.after[joint]);
        let axis = pose * j.axis.into_inner();
        if j.kind == SceneJoint::Slide {
            return Ok(JointKind::Sliding { axis });
        }
        let body = self.child(joint)?;
        let reach = self.placed[body].0.extent();
        Ok(JointKind::Hinge { at: pose * j.anchor, axis, half_length: 0.5 * reach })
    }

    /// A light body below a joint, as stiff as the one that the joints are of; it weighs nothing and collides with nothing.
    fn between(&mut self, joint: usize, child: usize) -> Result<usize, FromSceneError> {
        let (j, pose) = (&self.scene.joints[joint], self.after[joint]);
        let body = &self.placed[child].0;
        let (mass, volume) = (BETWEEN * body.mass, body.volume);
        let inertia = 2.0 / 3.0 * BETWEEN * body.second_moment.trace() * Matrix3::identity();
        let properties = MassProperties { mass, com: Point3::origin(), inertia };
        let mut light = AffineBody::assembled(&j.name, &[block(&j.name, &properties)?.into()], &properties)?;
        light.volume = volume;
        let at = Isometry3::from_parts((pose * j.anchor).into(), pose.rotation);
        self.placed.push((light.with_gravity_compensation(1.0), at));
        self.between.push((self.placed.len() - 1, joint));
        Ok(self.placed.len() - 1)
    }

    /// Joint to which the joints of one body amount, and which of them has its number; None for a floating body.
    fn kind(&mut self, own: &[usize]) -> Result<Option<(usize, JointKind)>, FromSceneError> {
        let of = |i: usize| &self.scene.joints[own[i]];
        let kinds: Vec<SceneJoint> = own.iter().map(|j| self.scene.joints[*j].kind).collect();
        let normal = |i: usize, j: usize| of(i).axis.dot(&of(j).axis).abs() < NORMAL;
        let (first, last) = (of(0), of(own.len() - 1));
        let world = self.world[first.body];
        let kind = match kinds[..] {
            [SceneJoint::Free] => return Ok(None),
            [SceneJoint::Hinge | SceneJoint::Slide] => self.link(own[0])?,
            [SceneJoint::Ball] => JointKind::Point { at: world * first.anchor },
            [SceneJoint::Slide, SceneJoint::Slide, SceneJoint::Hinge]
                if normal(0, 1) && normal(0, 2) && normal(1, 2) =>
            {
                JointKind::Planar { normal: world * last.axis.into_inner() }
            }
            [SceneJoint::Slide, SceneJoint::Slide, SceneJoint::Slide, SceneJoint::Ball]
                if normal(0, 1) && normal(0, 2) && normal(1, 2) =>
            {
                return Ok(None);
            }
            _ => {
                let what = format!("body '{}' has several joints", self.scene.bodies[first.body].name);
                return Err(unsupported(&of(1).name, what, "put bodies with mass between them"));
            }
        };
        Ok(Some((own[own.len() - 1], kind)))
    }

    /// Lists the features of a joint that are not made.
    fn tell(&mut self, joint: usize, made: bool) {
        let j = &self.scene.joints[joint];
        let whole = made && matches!(j.kind, SceneJoint::Hinge | SceneJoint::Slide);
        let limits = whole || made && j.kind == SceneJoint::Ball;
        let rest = [
            ("limits", j.range.is_some() && !limits),
            ("a spring", (j.stiffness > 0.0 || j.higher_order.stiffness != [0.0; 2]) && !whole),
            ("damping", (j.damping > 0.0 || j.higher_order.damping != [0.0; 2]) && !whole),
            ("dry friction", j.dry_friction > 0.0 && !whole),
            ("armature", j.armature > 0.0 && !whole),
        ];
        let told = rest
            .iter()
            .filter(|r| r.1)
            .map(|(what, _)| format!("{}: {what} left out", scene_places::joint(j)));
        self.left_out.extend(told);
    }

    fn child(&self, joint: usize) -> Result<usize, FromSceneError> {
        let j = &self.scene.joints[joint];
        let what = || "its body has neither mass nor shape".to_owned();
        self.bodies[j.body].ok_or_else(|| unsupported(&j.name, what(), "give it both"))
    }

    fn parent(&mut self, joint: usize) -> Result<usize, FromSceneError> {
        let above = self.groups[self.scene.bodies[self.scene.joints[joint].body].parent];
        match self.bodies[above] {
            Some(body) => Ok(body),
            None => self.ground(),
        }
    }

    /// Radius of a ball about the origin that all bodies are in \[m\].
    fn size(&self) -> f64 {
        let reach = |(body, at): &(AffineBody, Isometry3<f64>)| at.translation.vector.norm() + body.extent();
        largest(self.placed.iter().map(reach))
    }

    /// Body that stands for the world; where nothing of it collides, a small body far below.
    fn ground(&mut self) -> Result<usize, FromSceneError> {
        if let Some(ground) = self.ground {
            return Ok(ground);
        }
        let size = self.size();
        let mesh = TriangleMesh::cuboid(&Vector3::repeat(1e-3 * size))
            .map_err(|source| FromSceneError::Mesh { geom: "world".into(), source })?;
        let lowest = self.world.iter().map(|p| p.translation.z).fold(0.0, f64::min);
        let far = Isometry3::translation(0.0, 0.0, lowest - 10.0 * size);
        self.placed.push((AffineBody::solid("world", &mesh, 1000.0)?.held(), far));
        self.ground = Some(self.placed.len() - 1);
        Ok(self.placed.len() - 1)
    }

    /// The equalities that act, as joints; for each its number among those made. `numbers` are those of the joints, `starts` where they start, from `reference` on.
    pub(crate) fn equalities(
        &mut self,
        numbers: &[Option<usize>],
        starts: &[f64],
    ) -> Result<Vec<Option<usize>>, FromSceneError> {
        let scene = self.scene;
        let mut out = Vec::new();
        for e in &scene.equalities {
            out.push(None);
            if !e.active || !scene.options.switches.equality {
                continue;
            }
            let made = match self.equality(e, numbers, starts)? {
                Ok(Some((ends, kind))) => Joint::new(&e.name, ends, kind),
                Ok(None) => continue,
                Err(why) => {
                    self.left_out.push(format!("{} is left out: {why}", scene_places::equality(e)));
                    continue;
                }
            };
            if e.stiffness.is_some() || e.damping > 0.0 {
                self.left_out.push(format!(
                    "{}: its stiffness and damping are left out: it holds; take --solver icf, which has them",
                    scene_places::equality(e)
                ));
            }
            out.pop();
            out.push(Some(self.joints.len()));
            self.joints.push(made);
        }
        Ok(out)
    }

    /// Says that an equality is open a little at the start, and is held so; refuses one that is open by more.
    fn open(&mut self, e: &Equality, by: f64, what: String) -> Result<(), FromSceneError> {
        if by > NEARLY {
            return Err(unsupported(
                &e.name,
                what,
                "start from a keyframe in which it holds, or correct its points",
            ));
        }
        if by > CLOSED {
            self.left_out.push(format!(
                "{}: {what} at the start, and is held as it is there",
                scene_places::equality(e)
            ));
        }
        Ok(())
    }

    /// Bodies and kind of an equality, none where it says nothing; or why it is left out.
    #[allow(clippy::type_complexity, reason = "read in one place")]
    fn equality(
        &mut self,
        e: &Equality,
        numbers: &[Option<usize>],
        starts: &[f64],
    ) -> Result<Result<Option<([usize; 2], JointKind)>, String>, FromSceneError> {
        let (ends, anchors) = match e.kind {
            EqualityKind::Joint { joint_1, joint_2: Some(joint_2), polynomial: [c0, c1, higher @ ..] } => {
                if higher != [0.0; 3] {
                    return Ok(Err("it is not linear; keep the first two numbers of polycoef, which changes the motion, or take --solver icf".into()));
                }
                let (Some(follower), Some(leader)) = (numbers[joint_1], numbers[joint_2]) else {
                    return Ok(Err(
                        "one of its joints is neither a hinge nor a slide of its own; take --solver icf"
                            .into(),
                    ));
                };
                let offset = c0 + c1 * starts[joint_2] - starts[joint_1];
                if offset.abs() > NEARLY {
                    let unit = if self.scene.joints[joint_1].kind == SceneJoint::Slide { "m" } else { "rad" };
                    self.left_out.push(format!(
                        "{}: joint '{}' starts {:.3} {unit} off its relation to joint '{}': it is let onto it slowly; start from a keyframe in which the relation holds",
                        scene_places::equality(e), self.scene.joints[joint_1].name, -offset, self.scene.joints[joint_2].name
                    ));
                }
                let kind = JointKind::Mimic { joints: [leader, follower], ratio: c1, offset };
                return Ok(Ok(Some(([0; 2], kind))));
            }
            EqualityKind::Joint { joint_2: None, .. } => {
                return Ok(Err("it holds one joint; give that limits or a servo, or fix its body".into()));
            }
            EqualityKind::Tendon { .. } => {
                return Ok(Err("it couples tendons; couple joints by <joint>, or take --solver icf".into()));
            }
            EqualityKind::Connect { body_a, body_b, anchor_a, anchor_b }
            | EqualityKind::Weld { body_a, body_b, anchor_a, anchor_b, .. }
            | EqualityKind::Distance { body_a, body_b, anchor_a, anchor_b, .. } => {
                ([body_a, body_b], [anchor_a, anchor_b])
            }
        };
        if self.groups[ends[0]] == self.groups[ends[1]] {
            return Ok(Ok(None));
        }
        let at: [Point3<f64>; 2] = [0, 1].map(|s| self.world[ends[s]] * anchors[s]);
        let apart = (at[1] - at[0]).norm();
        let kind = match &e.kind {
            EqualityKind::Weld { rotation, .. } => {
                let [a, b] = ends.map(|b| self.world[b].rotation);
                let off = (a.inverse() * b).angle_to(rotation);
                self.open(e, apart.max(off), format!("it is open by {apart:.2e} m and {off:.2e} rad"))?;
                JointKind::Fixed
            }
            EqualityKind::Distance { length, .. } => {
                let off = (apart - length).abs();
                self.open(e, off, format!("its points are {apart} m apart, not {length} m"))?;
                JointKind::Distance { at, length: apart }
            }
            _ => {
                self.open(e, apart, format!("its points are {apart:.2e} m apart"))?;
                JointKind::Point { at: na::center(&at[0], &at[1]) }
            }
        };
        let mut own = [0; 2];
        for (own, body) in own.iter_mut().zip(ends) {
            *own = match self.bodies[body] {
                Some(b) => b,
                None if self.groups[body] == 0 => self.ground()?,
                None => return Ok(Err("one of its bodies has neither mass nor shape".into())),
            };
        }
        let held = own.map(|b| self.placed[b].0.fixed);
        Ok(if held == [true; 2] { Ok(None) } else { Ok(Some((own, kind))) })
    }
}

/// Orientation in a ball joint, of its positions.
pub(crate) fn turned(q: &[f64]) -> UnitQuaternion<f64> {
    UnitQuaternion::from_quaternion(signorini_core::na::Quaternion::new(q[0], q[1], q[2], q[3]))
}
