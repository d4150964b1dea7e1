//! `<joint>`: kind, axes, dynamics, and the joints of the scene.

use signorini_core::na::{Point3, Unit, UnitQuaternion, Vector3};

use super::model::{Description, JointItem};
use super::{PLUGIN, Reader};
use crate::robot::{plain, reflected_inertia};
use crate::xml::{Element, Read};
use crate::{BodyId, Equality, EqualityKind, Joint, JointKind, NoteKind, Pose, SolParams};

/// `type` of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum JointType {
    Fixed,
    Revolute,
    Prismatic,
    Ball,
    Universal,
    Screw,
}

const TYPES: [(&str, JointType); 7] = [
    ("fixed", JointType::Fixed),
    ("revolute", JointType::Revolute),
    ("continuous", JointType::Revolute),
    ("prismatic", JointType::Prismatic),
    ("ball", JointType::Ball),
    ("universal", JointType::Universal),
    ("screw", JointType::Screw),
];

/// Elements of `<joint>`.
const CHILDREN: [&str; 14] = [
    "pose",
    "parent",
    "child",
    "axis",
    "axis2",
    "screw_thread_pitch",
    "thread_pitch",
    "physics",
    "sensor",
    "plugin",
    "drake:mimic",
    "drake:rotor_inertia",
    "drake:gear_ratio",
    "drake:controller_gains",
];

/// A joint on its way into the scene.
struct Making<'a, 'e> {
    d: &'a Description<'e>,
    item: &'a JointItem<'e>,
    body: BodyId,
    /// Pose of the body in the world.
    pose: Pose,
    reversed: bool,
}

impl Making<'_, '_> {
    /// A joint of the scene: its anchor on the body.
    fn joint(&self, suffix: &str, kind: JointKind, axis: Unit<Vector3<f64>>) -> Joint {
        let name = format!("{}{suffix}", self.item.name);
        let anchor = self.pose.inverse() * self.item.pose * Point3::origin();
        Joint { anchor, ..plain(name, self.body, kind, axis, self.item.element.place()) }
    }

    /// A direction of a frame as that of the body, opposite in a joint against the direction of the tree.
    fn on_body(&self, axis: Unit<Vector3<f64>>, turn: UnitQuaternion<f64>) -> Unit<Vector3<f64>> {
        let on_body = self.pose.rotation.inverse() * turn * axis;
        if self.reversed { -on_body } else { on_body }
    }
}

impl Reader<'_> {
    /// Reads a joint by which `body` hangs in the tree, and adds its coordinates.
    pub(super) fn read_joint(
        &mut self,
        d: &Description<'_>,
        number: usize,
        (body, pose): (BodyId, Pose),
        reversed: bool,
    ) -> Read<()> {
        let item = &d.joints[number];
        let e = item.element;
        let making = Making { d, item, body, pose, reversed };
        let from = self.scene.joints.len();
        if e.is_drake() {
            self.read_drake_joint(&making)?;
        } else {
            self.read_plain_joint(&making)?;
        }
        self.own.joints[number] = from..self.scene.joints.len();
        Ok(())
    }

    fn read_plain_joint(&mut self, m: &Making<'_, '_>) -> Read<()> {
        let e = m.item.element;
        e.required("type")?;
        let kind = match e.string("type").map(str::trim) {
            Some(t @ ("revolute2" | "gearbox")) => {
                return Err(e.unsupported_at(
                    "type",
                    format!("a joint of type '{t}'"),
                    "use revolute joints, one after the other, or a <mimic> between two",
                ));
            }
            _ => e.word("type", &TYPES)?.unwrap_or(JointType::Fixed),
        };
        if m.reversed && kind == JointType::Ball {
            return Err(e.unsupported(
                "a ball joint against the direction of the tree",
                "exchange its <parent> and <child>",
            ));
        }
        let from = self.scene.joints.len();
        self.add_coordinates(m, kind)?;
        self.read_drive(m, kind, from)?;
        for c in e.unread_children() {
            let (kind, text) = match c.name.as_str() {
                "mimic" if c.is_drake() => {
                    // Read with all joints, once these are known.
                    c.mark();
                    continue;
                }
                "physics" => (NoteKind::Visual, "<physics> of a joint: settings of a simulator, not read"),
                "sensor" => (NoteKind::Warning, "<sensor> is not read"),
                "plugin" => (NoteKind::Warning, PLUGIN),
                "controller_gains" => {
                    (NoteKind::Warning, "drake:controller_gains are those of a controller: not read")
                }
                _ => continue,
            };
            self.pass(c, kind, text);
        }
        self.others(e, &CHILDREN)
    }

    fn add_coordinates(&mut self, m: &Making<'_, '_>, kind: JointType) -> Read<()> {
        let e = m.item.element;
        let z = Vector3::z_axis();
        let with_axis = !matches!(kind, JointType::Fixed | JointType::Ball);
        let [first, second] = [e.only("axis")?, e.only("axis2")?];
        if second.is_some() && kind != JointType::Universal {
            return Err(e.invalid("a second axis", "remove <axis2>: only a universal joint has two"));
        }
        if first.is_none() && with_axis {
            return Err(e.invalid("<joint> has no <axis>", "add an <axis> to it"));
        }
        match (kind, first) {
            (JointType::Fixed, axis) => {
                if let Some(a) = axis {
                    self.pass(a, NoteKind::Converted, "the <axis> of a fixed joint has no effect");
                }
            }
            (JointType::Ball, axis) => {
                let at = self.scene.joints.len();
                self.scene.joints.push(m.joint("", JointKind::Ball, z));
                if let Some(a) = axis {
                    self.read_axis_of_ball(a, at)?;
                }
            }
            (JointType::Revolute | JointType::Prismatic, Some(a)) => {
                let joint = if kind == JointType::Revolute { JointKind::Hinge } else { JointKind::Slide };
                self.add_axis(m, a, "", joint)?;
            }
            (JointType::Universal, Some(a)) => {
                let b = second
                    .ok_or_else(|| e.invalid("a universal joint has no <axis2>", "add an <axis2> to it"))?;
                // The second axis is on the child: from there, it comes first.
                let order = if m.reversed { [(b, "_2"), (a, "_1")] } else { [(a, "_1"), (b, "_2")] };
                for (axis, suffix) in order {
                    self.add_axis(m, axis, suffix, JointKind::Hinge)?;
                }
                let text = "a universal joint is two hinges (_1, _2)";
                self.notes.add(NoteKind::Converted, e, text);
            }
            (JointType::Screw, Some(a)) => self.add_screw(m, a)?,
            (_, None) => {}
        }
        Ok(())
    }

    /// Adds the coordinate of an axis.
    fn add_axis(&mut self, m: &Making<'_, '_>, axis: &Element, suffix: &str, kind: JointKind) -> Read<()> {
        let direction = self.read_direction(m, axis)?;
        let at = self.scene.joints.len();
        self.scene.joints.push(m.joint(suffix, kind, direction));
        self.read_limit(axis, at)?;
        self.read_dynamics(axis, at)
    }

    /// A hinge and a slide along it that follows: one turn takes the pitch.
    fn add_screw(&mut self, m: &Making<'_, '_>, axis: &Element) -> Read<()> {
        let e = m.item.element;
        let pitch = match (e.number("screw_thread_pitch")?, e.number("thread_pitch")?) {
            (Some(p), _) => p,
            // The former value: radians per metre, left-handed.
            (None, Some(t)) if t != 0.0 => -std::f64::consts::TAU / t,
            _ => 1.0,
        };
        let hinge = self.scene.joints.len();
        self.add_axis(m, axis, "", JointKind::Hinge)?;
        let turning = self.scene.joints[hinge].clone();
        let name = format!("{}_slide", turning.name);
        self.scene.joints.push(m.joint("_slide", JointKind::Slide, turning.axis));
        self.scene.equalities.push(Equality {
            name: format!("{name}_follows"),
            kind: EqualityKind::Joint {
                joint_1: hinge + 1,
                joint_2: Some(hinge),
                polynomial: [0.0, pitch / std::f64::consts::TAU, 0.0, 0.0, 0.0],
            },
            active: true,
            stiffness: None,
            damping: 0.0,
            sol: SolParams::default(),
            place: e.place(),
        });
        let text = "a screw joint is a hinge and a slide (_slide) that follows it by an equality";
        self.notes.add(NoteKind::Converted, e, text);
        Ok(())
    }

    /// Direction of an axis on the body.
    fn read_direction(&mut self, m: &Making<'_, '_>, axis: &Element) -> Read<Unit<Vector3<f64>>> {
        let xyz = axis.only("xyz")?;
        let vector = match xyz {
            Some(x) => Vector3::from(x.vector::<3>("value")?.unwrap_or([0.0, 0.0, 1.0])),
            None => Vector3::z(),
        };
        let e = xyz.unwrap_or(axis);
        let Some(unit) = Unit::try_new(vector, 1e-9) else {
            return Err(e.invalid("the axis has no length", "write a unit vector, for example 0 0 1"));
        };
        let model = &m.d.models[m.item.model];
        // Version 1.4 states axes in the frame of the model; up to 1.6 a joint may ask for it.
        let of_model = axis.boolean("use_parent_model_frame")?.unwrap_or(model.version <= 4);
        let turn = match xyz.and_then(|x| Some((x, x.nonempty("expressed_in")?))) {
            Some((x, name)) => {
                let frame = m.d.find(m.item.model, x, "expressed_in", name)?;
                m.d.frames.pose(frame).rotation
            }
            None if of_model => m.d.frames.pose(model.frame).rotation,
            None => m.item.pose.rotation,
        };
        if let Some(x) = xyz {
            self.finish(x)?;
        }
        Ok(m.on_body(unit, turn))
    }

    /// `<dynamics>` of an axis.
    fn read_dynamics(&mut self, axis: &Element, at: usize) -> Read<()> {
        if let Some(e) = axis.only("dynamics")? {
            let j = &mut self.scene.joints[at];
            j.damping = e.nonnegative("damping")?.unwrap_or_default();
            j.dry_friction = e.nonnegative("friction")?.unwrap_or_default();
            j.stiffness = e.nonnegative("spring_stiffness")?.unwrap_or_default();
            j.spring_reference = e.number("spring_reference")?.unwrap_or_default();
            self.finish(e)?;
        }
        for c in axis.unread_children() {
            match c.name.as_str() {
                // Read with all joints, once these are known.
                "mimic" => c.mark(),
                "initial_position" => {
                    self.pass(c, NoteKind::Warning, "<initial_position> is not read: a joint starts at zero");
                }
                _ => self.leave_out(axis, c, &["xyz", "limit", "dynamics", "mimic"])?,
            }
        }
        self.finish(axis)
    }

    fn read_axis_of_ball(&mut self, axis: &Element, at: usize) -> Read<()> {
        if let Some(x) = axis.only("xyz")? {
            x.skip();
        }
        axis.boolean("use_parent_model_frame")?;
        if let Some(l) = axis.only("limit")? {
            self.pass(l, NoteKind::Warning, "<limit> of a ball joint: not enforced");
        }
        self.read_dynamics(axis, at)?;
        let j = &mut self.scene.joints[at];
        if std::mem::take(&mut j.stiffness) > 0.0 {
            return Err(axis.unsupported("a spring of a ball joint", "remove <spring_stiffness>"));
        }
        j.spring_reference = 0.0;
        Ok(())
    }

    /// Rotor and motor.
    fn read_drive(&mut self, m: &Making<'_, '_>, kind: JointType, at: usize) -> Read<()> {
        let e = m.item.element;
        let inertia = reflected_inertia(e)?;
        let scalar = matches!(kind, JointType::Revolute | JointType::Prismatic | JointType::Screw);
        if !scalar {
            if inertia > 0.0 {
                return Err(e.unsupported(
                    "a rotor on a joint without a single coordinate",
                    "remove drake:rotor_inertia",
                ));
            }
            return Ok(());
        }
        let j = &mut self.scene.joints[at];
        j.armature += inertia;
        if j.actuator_force_range == Some([0.0, 0.0]) {
            return Ok(());
        }
        let name = j.name.clone();
        self.push_motor(e, &name, at);
        let text =
            "a motor acts on each joint with one coordinate, as in Drake; <effort> 0 </effort> leaves it out";
        self.notes.add(NoteKind::Converted, e, text);
        Ok(())
    }

    /// `drake:joint`.
    fn read_drake_joint(&mut self, m: &Making<'_, '_>) -> Read<()> {
        let e = m.item.element;
        let kind = e.required("type")?;
        if kind != "planar" {
            return Err(e.unsupported_at(
                "type",
                format!("a drake:joint of type '{kind}'"),
                "use joints of SDFormat, or a drake:joint of type 'planar'",
            ));
        }
        if m.reversed {
            return Err(e.unsupported(
                "a planar joint against the direction of the tree",
                "exchange drake:parent and drake:child",
            ));
        }
        let damping = e.vector::<3>("damping")?.unwrap_or_default();
        if let Some(d) = damping.iter().find(|d| **d < 0.0) {
            return Err(e.invalid_at(
                "damping",
                format!("the damping is {d}"),
                "write numbers that are not negative",
            ));
        }
        let on_body = |axis| m.on_body(axis, m.item.pose.rotation);
        let at = self.scene.joints.len();
        let hinge = m.joint("", JointKind::Hinge, on_body(Vector3::z_axis()));
        self.add_plane(e, hinge, [on_body(Vector3::x_axis()), on_body(Vector3::y_axis())]);
        for (j, d) in self.scene.joints[at..].iter_mut().zip(damping) {
            j.damping = d;
        }
        self.others(e, &["drake:parent", "drake:child", "drake:damping"])
    }
}
