//! `<mimic>`: q = multiplier · q_other + offset, as an equality between coordinates.

use std::collections::HashMap;

use super::Reader;
use super::joint::{JointType, ReadJoint};
use crate::NoteKind;
use crate::robot::{Follower, refuse_loops};
use crate::xml::{Element, Read, did_you_mean};

impl Reader<'_> {
    /// Adds an equality for each joint that follows another.
    pub(super) fn read_mimics(&mut self, joints: &[ReadJoint<'_>]) -> Read<()> {
        let index: HashMap<&str, usize> = joints.iter().enumerate().map(|(i, j)| (j.name, i)).collect();
        let mut follows: Vec<Option<(usize, &Element)>> = vec![None; joints.len()];
        for (i, j) in joints.iter().enumerate() {
            let Some(e) = j.element.only("mimic")? else { continue };
            e.no_children()?;
            let name = e.required("joint")?;
            let multiplier = e.number("multiplier")?.unwrap_or(1.0);
            let offset = e.number("offset")?.unwrap_or(0.0);
            self.finish(e)?;
            let Some(&leader) = index.get(name) else {
                let mut known: Vec<&str> = index.keys().copied().collect();
                known.sort_unstable();
                return Err(e.invalid_at(
                    "joint",
                    format!("joint '{name}' does not exist"),
                    format!("name a joint of the robot{}", did_you_mean(name, &known)),
                ));
            };
            follows[i] = Some((leader, e));
            self.add_mimic(j, &joints[leader], e, [offset, multiplier])?;
        }
        let names: Vec<&str> = joints.iter().map(|j| j.name).collect();
        refuse_loops(&names, &follows)?;
        self.start_on_relations();
        Ok(())
    }

    fn add_mimic(
        &mut self,
        j: &ReadJoint<'_>,
        leader: &ReadJoint<'_>,
        e: &Element,
        [offset, multiplier]: [f64; 2],
    ) -> Read<()> {
        if j.kind == JointType::Fixed {
            self.notes.add(NoteKind::Warning, e, "<mimic> of a fixed joint has no effect");
            return Ok(());
        }
        if !j.kind.is_scalar() || !(leader.kind.is_scalar() || leader.kind == JointType::Fixed) {
            return Err(e.unsupported(
                "mimic between joints with several coordinates",
                "use revolute, continuous and prismatic joints",
            ));
        }
        let joint_2 = (leader.kind != JointType::Fixed).then_some(leader.joints.start);
        if joint_2.is_none() {
            let text = format!("joint '{}' is fixed: what follows it is held at the offset", leader.name);
            self.notes.add(NoteKind::Warning, e, text);
        }
        self.add_follower(&Follower {
            element: e,
            joint: j.joints.start,
            name: j.name,
            leader: joint_2,
            offset,
            multiplier,
        });
        Ok(())
    }
}
