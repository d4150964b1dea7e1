//! The model, constant while the scene moves: bodies, joints, tendons, actuators, equalities and sensors.

pub(crate) mod actuator;
pub(crate) mod body;
mod build;
pub(crate) mod equality;
pub(crate) mod error;
pub(crate) mod medium;
pub(crate) mod muscle;
pub(crate) mod passive_law;
pub(crate) mod sensor;
mod state;
pub(crate) mod tendon;

use std::ops::Range;

use signorini_core::na::Vector3;
use signorini_scene::{JointKind, Keyframe, Pose};

use self::medium::MediumModel;
use crate::{
    ActuatorModel, BodyModel, DofModel, EqualityModel, FrameModel, JointModel, SensorModel, TendonModel, Tree,
};

/// A scene in generalised coordinates; does not change while it moves. Its fields are there to be read: parameters are changed in the scene, of which a new model is made.
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
    /// Frames of the scene's geoms.
    pub geoms: Vec<FrameModel>,
    /// Frames of the scene's sites.
    pub sites: Vec<FrameModel>,
    /// Tendons.
    pub tendons: Vec<TendonModel>,
    /// Actuators; empty when the scene's switches turn actuation off.
    pub actuators: Vec<ActuatorModel>,
    /// Equality constraints; none is active when the scene's switches turn them off.
    pub equalities: Vec<EqualityModel>,
    /// Sensors.
    pub sensors: Vec<SensorModel>,
    /// Stored configurations.
    pub keyframes: Vec<Keyframe>,
    /// Gravity \[m/s²\].
    pub gravity: Vector3<f64>,
    /// Number of positions.
    pub nq: usize,
    /// Number of activations.
    pub nz: usize,
    /// Drawn poses of the mocap bodies.
    pub mocap_poses: Vec<Pose>,
    /// Positions at the drawn configuration.
    pub reference_q: Vec<f64>,
    /// Positions at which the joint springs are at rest.
    pub spring_q: Vec<f64>,
    /// Controls are clamped to their ranges.
    pub clamp_control: bool,
    /// Fluid around bodies.
    pub(crate) medium: Option<Box<MediumModel>>,
    /// Some body's weight is compensated; some joint has a spring.
    pub(crate) lifts: bool,
    pub(crate) springs: bool,
}

impl Model {
    /// Number of velocities.
    pub fn nv(&self) -> usize {
        self.dofs.len()
    }

    /// Joint that position `index` belongs to.
    pub fn joint_of_q(&self, index: usize) -> Option<&JointModel> {
        self.joints.iter().rev().find(|j| j.q <= index)
    }

    /// Name of the motion of velocity `index`: a joint and its body, for a free joint the body and the axis.
    pub fn velocity_name(&self, index: usize) -> String {
        let Some(dof) = self.dofs.get(index) else { return format!("velocity {index}") };
        let (joint, body) = (&self.joints[dof.joint], &self.bodies[dof.body].name);
        let axis = |k: usize| ["x", "y", "z"][k % 3];
        match (joint.kind, index - joint.v) {
            (JointKind::Free, k @ 0..3) => format!("body '{body}' along {}", axis(k)),
            (JointKind::Free, k) => format!("body '{body}' about {}", axis(k)),
            (JointKind::Ball, k) => format!("joint '{}' of body '{body}' about {}", joint.name, axis(k)),
            (JointKind::Hinge | JointKind::Slide, _) => format!("joint '{}' of body '{body}'", joint.name),
        }
    }

    /// A geom in a sentence: its name, its body and, where it has one, its place in the model file.
    ///
    /// # Panics
    /// If there is no geom of this number.
    pub fn told_geom(&self, geom: usize) -> String {
        let g = &self.geoms[geom];
        format!("geom '{}' of body '{}'{}", g.name, self.bodies[g.body].name, g.place.aside())
    }

    /// Whether a body is a mocap body or hangs on one.
    pub(crate) fn is_carried(&self, body: usize) -> bool {
        let parent = |b: &usize| (*b > 0).then(|| self.bodies[*b].parent);
        std::iter::successors(Some(body), parent).any(|b| self.bodies[b].mocap.is_some())
    }

    /// Total mass \[kg\].
    pub fn total_mass(&self) -> f64 {
        self.bodies.iter().map(|b| b.mass).sum()
    }

    /// Degrees of freedom of the body's own joints.
    pub(crate) fn dofs_of(&self, body: &BodyModel) -> Range<usize> {
        match body.joints.is_empty() {
            true => 0..0,
            false => {
                let last = &self.joints[body.joints.end - 1];
                self.joints[body.joints.start].v..last.v + last.kind.nv()
            }
        }
    }

    /// Degrees of freedom that move a body, from the last one to the root of its tree.
    pub fn supporting_dofs(&self, body: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.bodies[body].last_dof, |&i| self.dofs[i].parent)
    }

    /// Mass of the bodies that any of these degrees of freedom moves \[kg\].
    pub(crate) fn moved_mass(&self, dofs: &[usize]) -> f64 {
        let moved = (0..self.bodies.len()).filter(|b| self.supporting_dofs(*b).any(|i| dofs.contains(&i)));
        moved.map(|b| self.bodies[b].mass).sum()
    }

    /// Body by name.
    pub fn body(&self, name: &str) -> Option<usize> {
        self.bodies.iter().position(|b| b.name == name)
    }

    /// Joint by name.
    pub fn joint(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|j| j.name == name)
    }

    /// Tendon by name.
    pub fn tendon(&self, name: &str) -> Option<usize> {
        self.tendons.iter().position(|t| t.name == name)
    }

    /// Actuator by name.
    pub fn actuator(&self, name: &str) -> Option<usize> {
        self.actuators.iter().position(|a| a.name == name)
    }

    /// Keyframe by name.
    pub fn keyframe(&self, name: &str) -> Option<&Keyframe> {
        self.keyframes.iter().find(|k| k.name == name)
    }

    /// Trees that a set of degrees of freedom touches, ascending and without repetition.
    pub(crate) fn trees_of(&self, dofs: &[usize]) -> Vec<usize> {
        let mut trees: Vec<usize> = dofs.iter().map(|&i| self.dofs[i].tree).collect();
        trees.sort_unstable();
        trees.dedup();
        trees
    }

    /// Union of the degrees of freedom that move some bodies, ascending.
    pub(crate) fn support_union(&self, bodies: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let mut dofs: Vec<usize> = bodies.into_iter().flat_map(|b| self.supporting_dofs(b)).collect();
        dofs.sort_unstable();
        dofs.dedup();
        dofs
    }
}
