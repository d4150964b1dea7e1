//! `<transmission>`: motors.

use super::Reader;
use super::joint::ReadJoint;
use crate::NoteKind;
use crate::robot::reflected_inertia;
use crate::xml::{Element, Read, did_you_mean};

impl Reader<'_> {
    /// A motor for a transmission from one actuator to one joint with one coordinate: its control is the effort at the joint
    /// \[N·m or N\], bounded by the joint's effort limit. Rotor inertia J and gear ratio ρ (`drake:rotor_inertia`,
    /// `drake:gear_ratio`) add J ρ² to the joint's armature.
    pub(super) fn read_transmission(&mut self, e: &Element, joints: &[ReadJoint<'_>]) -> Read<()> {
        let own = e.nonempty("name").unwrap_or_default().to_owned();
        let named: Vec<_> = e.children.iter().filter(|c| c.name == "joint").collect();
        let motors: Vec<_> = e.children.iter().filter(|c| c.name == "actuator").collect();
        let (&[j], &[a]) = (&named[..], &motors[..]) else {
            let text = format!(
                "<transmission> with {} joints and {} actuators: no motor is made of it",
                named.len(),
                motors.len()
            );
            self.notes.add(NoteKind::Warning, e, text);
            e.skip();
            return Ok(());
        };
        let name = j.required("name")?;
        let Some(joint) = joints.iter().find(|x| x.name == name) else {
            let known: Vec<&str> = joints.iter().map(|x| x.name).collect();
            return Err(j.invalid_at(
                "name",
                format!("joint '{name}' does not exist"),
                format!(
                    "name a joint of the robot, or remove the <transmission>{}",
                    did_you_mean(name, &known)
                ),
            ));
        };
        if !joint.kind.is_scalar() {
            let text = "<transmission> to a joint without a single coordinate: no motor is made of it";
            self.notes.add(NoteKind::Warning, e, text);
            e.skip();
            return Ok(());
        }
        self.scene.joints[joint.joints.start].armature += reflected_inertia(a)?;
        let reduction = |p: &Element| {
            let c = p.children.iter().find(|c| c.name == "mechanicalReduction");
            c.is_some_and(|c| c.text.trim().parse::<f64>() != Ok(1.0))
        };
        if reduction(e) || reduction(a) || reduction(j) {
            let text = "mechanicalReduction is not used: the control of the motor is the effort at the joint";
            self.notes.add(NoteKind::Converted, e, text);
        }
        self.notes.add(
            NoteKind::Converted,
            e,
            "a motor is made of a <transmission>; its interface is not read",
        );
        let stem = a.nonempty("name").map_or(own, str::to_owned);
        let stem = if stem.is_empty() { format!("{name}_motor") } else { stem };
        self.push_motor(a, &stem, joint.joints.start);
        e.skip();
        Ok(())
    }
}
