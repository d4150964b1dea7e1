use std::ops::Range;

use signorini_core::na::{Matrix3, Point3, Unit, UnitQuaternion, Vector3};
use signorini_core::{State, na};
use signorini_scene::{JointKind, Keyframe, Place, Pose, Scene};

use crate::ModelError;

/// A body as the dynamics need it.
#[derive(Clone, Debug)]
pub struct BodyModel {
    /// Name.
    pub name: String,
    /// Parent body.
    pub parent: usize,
    /// Pose in the parent's frame at the reference configuration.
    pub pose: Pose,
    /// Mass \[kg\].
    pub mass: f64,
    /// Centre of mass in the body frame \[m\].
    pub com: Point3<f64>,
    /// Inertia about the centre of mass, body axes \[kg·m²\].
    pub inertia: Matrix3<f64>,
    /// Its joints.
    pub joints: Range<usize>,
    /// Its tree; None when it cannot move.
    pub tree: Option<usize>,
    /// Last degree of freedom between the world and this body; None when it cannot move.
    pub last_dof: Option<usize>,
    /// Number among the mocap bodies.
    pub mocap: Option<usize>,
    /// Fraction of its weight that is compensated.
    pub gravity_compensation: f64,
}

/// A joint as the dynamics need it.
#[derive(Clone, Debug)]
pub struct JointModel {
    /// Name.
    pub name: String,
    /// Kind.
    pub kind: JointKind,
    /// Body that moves.
    pub body: usize,
    /// First position.
    pub q: usize,
    /// First velocity.
    pub v: usize,
    /// Anchor in the body frame \[m\].
    pub anchor: Point3<f64>,
    /// Axis in the body frame.
    pub axis: Unit<Vector3<f64>>,
    /// Coordinate at the drawn pose.
    pub reference: f64,
    /// Limits of the coordinate.
    pub range: Option<[f64; 2]>,
    /// Distance at which limits become active.
    pub limit_margin: f64,
    /// Spring stiffness.
    pub stiffness: f64,
    /// Rest coordinate of the spring.
    pub spring_reference: f64,
    /// Viscous damping.
    pub damping: f64,
    /// Dry friction.
    pub dry_friction: f64,
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
    /// Viscous damping.
    pub damping: f64,
}

/// A kinematic tree: a clique of the contact problem.
#[derive(Clone, Debug)]
pub struct Tree {
    /// Its degrees of freedom.
    pub dofs: Range<usize>,
    /// First moving body.
    pub root: usize,
}

/// A scene in generalised coordinates; does not change while it moves.
#[derive(Clone, Debug)]
pub struct Model {
    /// Bodies; 0 is the world.
    pub bodies: Vec<BodyModel>,
    /// Joints.
    pub joints: Vec<JointModel>,
    /// Degrees of freedom.
    pub dofs: Vec<DofModel>,
    /// Trees, in order of their degrees of freedom.
    pub trees: Vec<Tree>,
    /// Gravity \[m/s²\].
    pub gravity: Vector3<f64>,
    /// Number of positions.
    pub nq: usize,
    /// Drawn poses of the mocap bodies.
    pub mocap_poses: Vec<Pose>,
    /// Positions at the drawn configuration.
    pub reference_q: Vec<f64>,
}

fn element(place: &Place, message: impl Into<String>, remedy: &str) -> ModelError {
    ModelError::Element { place: Box::new(place.clone()), message: message.into(), remedy: remedy.into() }
}

impl Model {
    /// From a scene.
    ///
    /// # Errors
    /// Bodies out of order, a free joint below the root, a joint that moves no mass.
    pub fn new(scene: &Scene) -> Result<Self, ModelError> {
        let mut m = Self {
            bodies: Vec::with_capacity(scene.bodies.len()),
            joints: Vec::with_capacity(scene.joints.len()),
            dofs: Vec::new(),
            trees: Vec::new(),
            gravity: if scene.options.switches.gravity { scene.options.gravity } else { Vector3::zeros() },
            nq: 0,
            mocap_poses: Vec::new(),
            reference_q: Vec::new(),
        };
        for b in 0..scene.bodies.len() {
            m.add_body(scene, b)?;
        }
        if m.joints.len() != scene.joints.len() {
            let place = scene.joints.last().map(|j| j.place.clone()).unwrap_or_default();
            return Err(element(
                &place,
                "joints are not ordered by body",
                "list the joints of body 1 first, then 2, ...",
            ));
        }
        m.check_mass(scene)?;
        Ok(m)
    }

    fn add_body(&mut self, scene: &Scene, b: usize) -> Result<(), ModelError> {
        let body = &scene.bodies[b];
        let parent = body.parent;
        if b > 0 && parent >= b {
            return Err(element(
                &body.place,
                "its parent comes after it",
                "order bodies so that parents come first",
            ));
        }
        let from = self.joints.len();
        let (mut tree, mut last) = match self.bodies.get(parent) {
            Some(p) => (p.tree, p.last_dof),
            None => (None, None),
        };
        for joint in scene.joints[from..].iter().take_while(|j| j.body == b) {
            if joint.kind == JointKind::Free && (parent != 0 || self.joints.len() > from) {
                let remedy = "make the body a child of the world with the free joint alone, or use ball and slide joints";
                return Err(element(
                    &joint.place,
                    "a free joint must be the only joint of a child of the world",
                    remedy,
                ));
            }
            let number = self.joints.len();
            let t = *tree.get_or_insert_with(|| {
                self.trees.push(Tree { dofs: self.dofs.len()..self.dofs.len(), root: b });
                self.trees.len() - 1
            });
            if self.trees[t].dofs.end != self.dofs.len() {
                let remedy = "order bodies depth-first, so that each tree is contiguous";
                return Err(element(&body.place, "the bodies of its tree are not contiguous", remedy));
            }
            self.joints.push(JointModel {
                name: joint.name.clone(),
                kind: joint.kind,
                body: b,
                q: self.nq,
                v: self.dofs.len(),
                anchor: joint.anchor,
                axis: joint.axis,
                reference: joint.reference,
                range: joint.range,
                limit_margin: joint.limit_margin,
                stiffness: joint.stiffness,
                spring_reference: joint.spring_reference,
                damping: joint.damping,
                dry_friction: joint.dry_friction,
            });
            match joint.kind {
                JointKind::Free => {
                    let (t, r) = (body.pose.translation.vector, body.pose.rotation);
                    self.reference_q.extend([t.x, t.y, t.z, r.w, r.i, r.j, r.k]);
                }
                JointKind::Ball => self.reference_q.extend([1.0, 0.0, 0.0, 0.0]),
                JointKind::Hinge | JointKind::Slide => self.reference_q.push(joint.reference),
            }
            self.nq += joint.kind.nq();
            for _ in 0..joint.kind.nv() {
                let dof = DofModel {
                    joint: number,
                    body: b,
                    parent: last,
                    tree: t,
                    armature: joint.armature,
                    damping: joint.damping,
                };
                last = Some(self.dofs.len());
                self.dofs.push(dof);
            }
            self.trees[t].dofs.end = self.dofs.len();
        }
        if body.mocap {
            self.mocap_poses.push(body.pose);
        }
        let mass = body.mass;
        self.bodies.push(BodyModel {
            name: body.name.clone(),
            parent,
            pose: body.pose,
            mass: mass.map_or(0.0, |m| m.mass),
            com: mass.map_or(Point3::origin(), |m| m.com),
            inertia: mass.map_or(Matrix3::zeros(), |m| m.inertia),
            joints: from..self.joints.len(),
            tree,
            last_dof: last,
            mocap: body.mocap.then(|| self.mocap_poses.len() - 1),
            gravity_compensation: body.gravity_compensation,
        });
        Ok(())
    }

    /// Every joint must move some mass (or have armature), else the mass matrix is singular.
    fn check_mass(&self, scene: &Scene) -> Result<(), ModelError> {
        let mut moved: Vec<f64> = self.bodies.iter().map(|b| b.mass).collect();
        for b in (1..self.bodies.len()).rev() {
            moved[self.bodies[b].parent] += moved[b];
        }
        for (i, j) in self.joints.iter().enumerate() {
            if moved[j.body] <= 0.0 && scene.joints[i].armature <= 0.0 {
                let message = format!("joint '{}' moves no mass", j.name);
                return Err(element(&scene.joints[i].place, message, "give the body or a descendant a mass"));
            }
        }
        Ok(())
    }

    /// Number of velocities.
    pub fn nv(&self) -> usize {
        self.dofs.len()
    }

    /// Joint that position `index` belongs to.
    pub fn joint_of_q(&self, index: usize) -> Option<&JointModel> {
        self.joints.iter().rev().find(|j| j.q <= index)
    }

    /// Total mass \[kg\].
    pub fn total_mass(&self) -> f64 {
        self.bodies.iter().map(|b| b.mass).sum()
    }

    /// Fails on a state that does not fit: lengths, NaN, quaternions without direction.
    ///
    /// # Errors
    /// [`ModelError::Length`], [`ModelError::NonFinite`], [`ModelError::ZeroQuaternion`].
    pub fn check_state(&self, q: &[f64], v: &[f64]) -> Result<(), ModelError> {
        for (what, expected, found) in [("q", self.nq, q.len()), ("v", self.nv(), v.len())] {
            if expected != found {
                return Err(ModelError::Length { what, expected, found });
            }
        }
        if let Some(index) = q.iter().position(|x| !x.is_finite()) {
            let joint = self.joint_of_q(index).map_or(String::new(), |j| j.name.clone());
            return Err(ModelError::NonFinite { what: "q", index, joint });
        }
        if let Some(index) = v.iter().position(|x| !x.is_finite()) {
            let joint = self.joints[self.dofs[index].joint].name.clone();
            return Err(ModelError::NonFinite { what: "v", index, joint });
        }
        for j in &self.joints {
            let at = match j.kind {
                JointKind::Free => j.q + 3,
                JointKind::Ball => j.q,
                _ => continue,
            };
            if q[at..at + 4].iter().map(|x| x * x).sum::<f64>() < 1e-20 {
                return Err(ModelError::ZeroQuaternion { index: at, joint: j.name.clone() });
            }
        }
        Ok(())
    }

    /// The state of a keyframe; what it leaves out is the reference configuration at rest.
    ///
    /// # Errors
    /// As [`Model::check_state`].
    pub fn state_at(&self, key: Option<&Keyframe>, internal: usize) -> Result<State, ModelError> {
        let k = key.cloned().unwrap_or_default();
        let pick = |x: Vec<f64>, d: Vec<f64>| if x.is_empty() { d } else { x };
        let mut s = State {
            t: k.time,
            q: pick(k.q, self.reference_q.clone()),
            v: pick(k.v, vec![0.0; self.nv()]),
            z: pick(k.activation, vec![0.0; internal]),
        };
        self.check_state(&s.q, &s.v)?;
        self.normalize(&mut s.q);
        Ok(s)
    }

    /// Normalises all quaternions in place.
    pub fn normalize(&self, q: &mut [f64]) {
        for j in &self.joints {
            let at = match j.kind {
                JointKind::Free => j.q + 3,
                JointKind::Ball => j.q,
                _ => continue,
            };
            let n = q[at..at + 4].iter().map(|x| x * x).sum::<f64>().sqrt();
            q[at..at + 4].iter_mut().for_each(|x| *x /= n);
        }
    }
}

/// The rotation stored at q[at..at + 4], normalised.
pub(crate) fn quaternion_at(q: &[f64], at: usize) -> UnitQuaternion<f64> {
    UnitQuaternion::from_quaternion(na::Quaternion::new(q[at], q[at + 1], q[at + 2], q[at + 3]))
}
