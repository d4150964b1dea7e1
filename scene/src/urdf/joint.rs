//! `<joint>`: kind, axis, dynamics, and the joint of the scene.

use signorini_core::na::{Unit, Vector3};

use super::Reader;
use super::topology::JointNode;
use crate::robot::plain;
use crate::xml::{Element, Read};
use crate::{BodyId, JointKind, NoteKind};

/// `type` of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JointType {
    Fixed,
    Revolute,
    Continuous,
    Prismatic,
    Floating,
    Planar,
    Ball,
}

const TYPES: [(&str, JointType); 8] = [
    ("fixed", JointType::Fixed),
    ("revolute", JointType::Revolute),
    ("continuous", JointType::Continuous),
    ("prismatic", JointType::Prismatic),
    ("floating", JointType::Floating),
    ("planar", JointType::Planar),
    ("ball", JointType::Ball),
    ("spherical", JointType::Ball),
];

impl JointType {
    /// Whether it has one coordinate.
    pub(super) fn is_scalar(self) -> bool {
        matches!(self, Self::Revolute | Self::Continuous | Self::Prismatic)
    }
}

/// A joint of the file and the coordinates that it became.
#[derive(Clone, Debug)]
pub(super) struct ReadJoint<'e> {
    pub(super) name: &'e str,
    pub(super) element: &'e Element,
    pub(super) kind: JointType,
    /// Joints of the scene.
    pub(super) joints: std::ops::Range<usize>,
}

/// Elements of `<joint>`.
const CHILDREN: [&str; 10] = [
    "origin",
    "parent",
    "child",
    "axis",
    "limit",
    "dynamics",
    "joint_properties",
    "mimic",
    "calibration",
    "safety_controller",
];

impl Reader<'_> {
    /// Reads a joint whose child link is `body`, and adds its coordinates.
    pub(super) fn read_joint<'e>(&mut self, node: &JointNode<'e>, body: BodyId) -> Read<ReadJoint<'e>> {
        let e = node.element;
        for c in e.children.iter().filter(|c| !CHILDREN.contains(&c.name.as_str())) {
            self.leave_out(e, c, &CHILDREN)?;
        }
        if e.nonempty("dont_collapse").is_some() {
            self.notes.add(NoteKind::Visual, e, "dont_collapse: links behind fixed joints are kept anyway");
        }
        e.required("type")?;
        let kind = match e.string("type").map(str::trim) {
            Some(t @ ("universal" | "screw" | "gearbox" | "revolute2")) => {
                return Err(e.unsupported_at(
                    "type",
                    format!("a joint of type '{t}'"),
                    "use revolute joints through massless links, or an <equality> of an MJCF file",
                ));
            }
            _ => e.word("type", &TYPES)?.unwrap_or(JointType::Fixed),
        };
        self.finish(e)?;
        let axis = self.read_axis(e, kind)?;
        let from = self.scene.joints.len();
        self.add_coordinates(node, kind, axis, body);
        let range = from..self.scene.joints.len();
        self.read_limit(e, kind, range.clone())?;
        self.read_dynamics(e, kind, range.clone())?;
        for c in &e.children {
            match c.name.as_str() {
                "calibration" => {
                    self.notes.add(
                        NoteKind::Visual,
                        c,
                        "<calibration> names reference positions of a sensor: not read",
                    );
                    c.skip();
                }
                "safety_controller" => {
                    let text = "<safety_controller> is that of a controller: its soft limits do not act here";
                    self.notes.add(NoteKind::Warning, c, text);
                    c.skip();
                }
                _ => {}
            }
        }
        Ok(ReadJoint { name: node.name, element: e, kind, joints: range })
    }

    fn add_coordinates(
        &mut self,
        node: &JointNode<'_>,
        kind: JointType,
        axis: Unit<Vector3<f64>>,
        body: BodyId,
    ) {
        let joint = |kind| plain(node.name.to_owned(), body, kind, axis, node.element.place());
        match kind {
            JointType::Fixed => {}
            JointType::Revolute | JointType::Continuous => self.scene.joints.push(joint(JointKind::Hinge)),
            JointType::Prismatic => self.scene.joints.push(joint(JointKind::Slide)),
            JointType::Ball => self.scene.joints.push(joint(JointKind::Ball)),
            JointType::Floating => self.add_floating(node.element, joint(JointKind::Free)),
            JointType::Planar => self.add_planar(node.element, joint(JointKind::Hinge)),
        }
    }

    /// `<axis>` in the joint frame; x without one.
    fn read_axis(&mut self, joint: &Element, kind: JointType) -> Read<Unit<Vector3<f64>>> {
        let Some(e) = joint.only("axis")? else { return Ok(Vector3::x_axis()) };
        e.no_children()?;
        if !kind.is_scalar() && kind != JointType::Planar {
            // The format gives it no meaning here, and exporters write zeros.
            e.skip_attributes(&["xyz", "rpy"]);
            e.finish()?;
            return Ok(Vector3::x_axis());
        }
        e.required("xyz")?;
        let v = Vector3::from(e.vector::<3>("xyz")?.unwrap_or_default());
        if e.vector::<3>("rpy")?.is_some_and(|r| r != [0.0; 3]) {
            return Err(e.unsupported_at(
                "rpy",
                "a rotation of the axis",
                "turn the axis itself and remove rpy",
            ));
        }
        self.finish(e)?;
        let Some(axis) = Unit::try_new(v, 1e-9) else {
            return Err(e.invalid_at(
                "xyz",
                "the axis has no length",
                "write a unit vector, for example \"0 0 1\"",
            ));
        };
        // Exporters write three or more digits.
        if (v.norm() - 1.0).abs() > 1e-2 {
            self.notes.add(NoteKind::Converted, e, "the axis is not a unit vector: it is normalised");
        }
        Ok(axis)
    }

    /// `<dynamics>`, or `<joint_properties>` as it was called first.
    fn read_dynamics(&mut self, joint: &Element, kind: JointType, range: std::ops::Range<usize>) -> Read<()> {
        let (new, old) = (joint.only("dynamics")?, joint.only("joint_properties")?);
        if let (Some(_), Some(o)) = (new, old) {
            return Err(o.invalid("both <dynamics> and <joint_properties> are given", "keep <dynamics>"));
        }
        let Some(e) = new.or(old) else { return Ok(()) };
        e.no_children()?;
        if old.is_some() {
            self.notes.add(
                NoteKind::Converted,
                e,
                "<joint_properties> is the former name of <dynamics>: read as such",
            );
        }
        let mut damping = [0.0; 3];
        let count = e.fill("damping", 1, &mut damping)?;
        let friction = e.nonnegative("friction")?.unwrap_or_default();
        if let Some(d) = damping.iter().find(|d| **d < 0.0) {
            return Err(e.invalid_at(
                "damping",
                format!("the damping is {d}"),
                "write a number that is not negative",
            ));
        }
        let foreign: Vec<&str> =
            ["K", "D", "mu_coulomb", "mu_viscous"].into_iter().filter(|n| e.has(n)).collect();
        if !foreign.is_empty() {
            e.skip_attributes(&["K", "D", "mu_coulomb", "mu_viscous"]);
            let text = format!("<dynamics> states {} of a controller: not read", foreign.join(", "));
            self.notes.add(NoteKind::Warning, e, text);
        }
        self.finish(e)?;
        if count > 1 && !(count == 3 && kind == JointType::Planar) {
            return Err(e.invalid_at("damping", format!("damping has {count} numbers"), "write one number"));
        }
        if range.is_empty() {
            if damping != [0.0; 3] || friction > 0.0 {
                self.notes.add(NoteKind::Warning, e, "<dynamics> of a fixed joint has no effect");
            }
            return Ok(());
        }
        if range.len() > 1 && (friction > 0.0 || (count == 1 && damping[0] > 0.0)) {
            let text = "the joint has several coordinates: damping and friction act on each, in its unit";
            self.notes.add(NoteKind::Converted, e, text);
        }
        for (k, j) in self.scene.joints[range].iter_mut().enumerate() {
            j.damping = if count == 3 { damping[k.min(2)] } else { damping[0] };
            j.dry_friction = friction;
        }
        Ok(())
    }
}
