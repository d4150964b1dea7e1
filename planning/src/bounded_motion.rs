use crate::options::range;
use crate::projection::{History, JointBounds, ProjectionReport, Projector, Softened};
use crate::{PlanError, ReplanView, SampleProjection, Samples};

/// Projects samples that are velocities of joints, one channel per joint and one knot per step, onto motion with bounded position, velocity, acceleration and jerk.
///
/// The motion before a plan is that of the commands: the control of the last step as velocity, its difference to the one before as acceleration, and the positions that are seen. So bounds hold from plan to plan for the
/// commands, with a delay too: plans then begin where they will be used, and the rest of those that come later is projected once more ([`crate::Timing`]).
pub struct BoundedMotion {
    projector: Projector,
    positions: Vec<usize>,
    history: History,
    mean: Vec<f64>,
    report: ProjectionReport,
}

impl BoundedMotion {
    /// `positions` are the numbers, in [`Task::observations`](crate::Task::observations), of the positions of the joints, in the order of the channels.
    ///
    /// # Errors
    /// [`PlanError::Length`] for another number of joints than the projector has.
    pub fn new(projector: Projector, positions: Vec<usize>) -> Result<Self, PlanError> {
        let (found, expected) = (positions.len(), projector.bounds().joints().len());
        if found != expected {
            return Err(PlanError::Length { what: "the list of joint positions", found, expected });
        }
        let history = History::at_rest(&vec![0.0; expected]);
        Ok(Self { projector, positions, history, mean: Vec::new(), report: ProjectionReport::default() })
    }

    /// Report of the last projection.
    pub fn report(&self) -> &ProjectionReport {
        &self.report
    }

    /// The projector.
    pub fn projector(&self) -> &Projector {
        &self.projector
    }
}

impl SampleProjection for BoundedMotion {
    fn begin(&mut self, at: &ReplanView<'_>) -> Result<(), PlanError> {
        for (j, i) in self.positions.iter().enumerate() {
            self.history.position[j] = at.seen.scalar(*i);
        }
        let [last, before] = at.past;
        if last.len() != self.positions.len() {
            let (found, expected) = (last.len(), self.positions.len());
            return Err(PlanError::Length {
                what: "the channels, one per joint of the projection",
                found,
                expected,
            });
        }
        self.history.velocity.copy_from_slice(last);
        let change = last.iter().zip(before).map(|(v, w)| (v - w) / at.dt);
        self.history.acceleration.iter_mut().zip(change).for_each(|(a, x)| *a = x);
        Ok(())
    }

    fn project(&mut self, samples: &mut Samples<'_>) -> Result<(), PlanError> {
        let steps = self.projector.rows().steps;
        if samples.knots != steps {
            let what = "the knots, one per step of the projection";
            return Err(PlanError::Length { what, found: samples.knots, expected: steps });
        }
        self.mean.clear();
        self.mean.extend_from_slice(&samples.values[..samples.knots * samples.channels]);
        self.report = self.projector.project(&self.history, &self.mean, samples.values)?;
        Ok(())
    }

    fn describe(&self) -> String {
        let joints = self.projector.bounds().joints();
        let all = |of: fn(&JointBounds) -> f64| range(joints.iter().map(of));
        format!(
            "motion of {} joints within their angles, {} rad/s, {} rad/s² and {} rad/s³, across plans ({} iterations)",
            joints.len(),
            all(|j| j.velocity),
            all(|j| j.acceleration),
            all(|j| j.jerk),
            self.projector.options().iterations
        )
    }

    fn softened(&self) -> &[Softened] {
        &self.report.softened
    }
}
