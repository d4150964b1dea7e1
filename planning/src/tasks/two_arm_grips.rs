use super::TwoArmMotion;
use crate::projection::Softened;
use crate::{Phase, PlanError, ReplanView, SampleProjection, Samples};

/// Commands of the grippers in a phase.
pub type GripCommands = fn(&Phase) -> Vec<f64>;

/// Samples of two arms with grippers: the joints move as in [`TwoArmMotion`], and grippers, whose channels come behind, follow the phase in all samples.
pub struct TwoArmGrips {
    motion: TwoArmMotion,
    commands: GripCommands,
    now: Vec<f64>,
    joints: Vec<f64>,
    count: usize,
}

impl TwoArmGrips {
    /// Motion of the arms, and commands of the grippers.
    pub fn new(motion: TwoArmMotion, commands: GripCommands) -> Self {
        let count = motion.arms().count();
        Self { motion, commands, now: Vec::new(), joints: Vec::new(), count }
    }

    fn check(&self, found: usize) -> Result<(), PlanError> {
        let expected = self.count + self.now.len();
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
        self.motion.begin(&ReplanView { past: [&last[..self.count], &before[..self.count]], ..*at })
    }

    fn project(&mut self, samples: &mut Samples<'_>) -> Result<(), PlanError> {
        self.check(samples.channels)?;
        self.joints.clear();
        for knot in samples.values.chunks_exact(samples.channels) {
            self.joints.extend_from_slice(&knot[..self.count]);
        }
        self.motion.project(&mut Samples { values: &mut self.joints, channels: self.count, ..*samples })?;
        for (knot, joints) in
            samples.values.chunks_exact_mut(samples.channels).zip(self.joints.chunks_exact(self.count))
        {
            knot[..self.count].copy_from_slice(joints);
            knot[self.count..].copy_from_slice(&self.now);
        }
        Ok(())
    }

    fn describe(&self) -> String {
        format!("grippers as the stage has them; {}", self.motion.describe())
    }

    fn softened(&self) -> &[Softened] {
        self.motion.softened()
    }
}
