use super::TwoArmMotion;
use super::two_arms::COUNT;
use crate::{Phase, PlanError, ReplanView, SampleProjection, Samples};

/// What grippers are told in a phase.
pub type GripCommands = fn(&Phase) -> Vec<f64>;

/// Samples of two arms with grippers: the joints move as in [`TwoArmMotion`], and grippers, whose channels come behind, do in all samples what the phase says.
pub struct TwoArmGrips {
    motion: TwoArmMotion,
    commands: GripCommands,
    now: Vec<f64>,
    joints: Vec<f64>,
}

impl TwoArmGrips {
    /// Motion of the arms, and what grippers are told.
    pub fn new(motion: TwoArmMotion, commands: GripCommands) -> Self {
        Self { motion, commands, now: Vec::new(), joints: Vec::new() }
    }

    fn check(&self, found: usize) -> Result<(), PlanError> {
        let expected = COUNT + self.now.len();
        if found == expected {
            return Ok(());
        }
        Err(PlanError::Length {
            what: "the channels, one per joint of two arms and one per gripper",
            found,
            expected,
        })
    }
}

impl SampleProjection for TwoArmGrips {
    fn begin(&mut self, at: &ReplanView<'_>) -> Result<(), PlanError> {
        self.now = (self.commands)(at.phase);
        let [last, before] = at.past;
        self.check(last.len())?;
        self.motion.begin(&ReplanView { past: [&last[..COUNT], &before[..COUNT]], ..*at })
    }

    fn project(&mut self, samples: &mut Samples<'_>) -> Result<(), PlanError> {
        self.check(samples.channels)?;
        self.joints.clear();
        for knot in samples.values.chunks_exact(samples.channels) {
            self.joints.extend_from_slice(&knot[..COUNT]);
        }
        self.motion.project(&mut Samples { values: &mut self.joints, channels: COUNT, ..*samples })?;
        for (knot, joints) in
            samples.values.chunks_exact_mut(samples.channels).zip(self.joints.chunks_exact(COUNT))
        {
            knot[..COUNT].copy_from_slice(joints);
            knot[COUNT..].copy_from_slice(&self.now);
        }
        Ok(())
    }
}
