use signorini_core::{BatchLayout, BatchStepper, LaneStatus, OneStep, State, StepError};

use super::FreeBodies;

/// Toy: many worlds of one [`FreeBodies`] scene; each lane has a system and a scheme of its own, so that lane i equals a
/// single run bit for bit. The control is the force on the slider.
pub struct ToyBatch {
    lanes: Vec<Lane>,
}

struct Lane {
    sys: FreeBodies,
    scheme: Box<dyn OneStep>,
    x: State,
    x1: State,
    status: LaneStatus,
}

impl Lane {
    fn step(&mut self, control: f64, dt: f64, substeps: u32) -> Result<(), StepError> {
        self.sys.control = control;
        for _ in 0..substeps {
            self.scheme.step(&mut self.sys, &self.x, dt, false, &mut self.x1)?;
            std::mem::swap(&mut self.x, &mut self.x1);
        }
        Ok(())
    }
}

impl ToyBatch {
    /// As many lanes as asked for, all at `x`; the closure makes the world and the scheme of a lane.
    pub fn new(lanes: usize, x: &State, mut make: impl FnMut() -> (FreeBodies, Box<dyn OneStep>)) -> Self {
        let lane =
            |(sys, scheme)| Lane { sys, scheme, x: x.clone(), x1: x.clone(), status: LaneStatus::Running };
        Self { lanes: (0..lanes).map(|_| lane(make())).collect() }
    }
}

fn fit(what: &str, expected: usize, found: usize) -> Result<(), StepError> {
    if expected == found {
        Ok(())
    } else {
        Err(StepError::Argument(format!("{what}: expected length {expected}, found {found}")))
    }
}

impl BatchStepper for ToyBatch {
    fn layout(&self) -> BatchLayout {
        let (nq, nv) = self.lanes.first().map_or((0, 0), |l| (l.x.q.len(), l.x.v.len()));
        BatchLayout { lanes: self.lanes.len(), nq, nv, nz: 0, nu: 1 }
    }

    fn load(&mut self, lane: usize, x: &State) -> Result<(), StepError> {
        let layout = self.layout();
        if lane >= layout.lanes {
            return Err(StepError::Argument(format!("lane {lane} of {} does not exist", layout.lanes)));
        }
        fit("q", layout.nq, x.q.len())?;
        fit("v", layout.nv, x.v.len())?;
        x.check_finite().map_err(|e| StepError::problem(x.t, 0.0, e))?;
        self.lanes[lane].x.copy_from(x);
        self.lanes[lane].status = LaneStatus::Running;
        Ok(())
    }

    fn store(&self, lane: usize, x: &mut State) {
        x.copy_from(&self.lanes[lane].x);
    }

    fn copy_lane(&mut self, from: usize, to: usize) {
        let (x, status) = (self.lanes[from].x.clone(), self.lanes[from].status.clone());
        self.lanes[to].x = x;
        self.lanes[to].status = status;
    }

    fn step(&mut self, control: &[f64], dt: f64, substeps: u32, active: &[bool]) -> Result<(), StepError> {
        fit("control", self.lanes.len(), control.len())?;
        fit("active", self.lanes.len(), active.len())?;
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(StepError::Argument(format!(
                "the step size must be positive and finite, not {dt} s"
            )));
        }
        for (i, lane) in self.lanes.iter_mut().enumerate() {
            if active[i]
                && lane.status == LaneStatus::Running
                && let Err(e) = lane.step(control[i], dt, substeps)
            {
                lane.status = LaneStatus::Failed(e);
            }
        }
        Ok(())
    }

    fn status(&self, lane: usize) -> &LaneStatus {
        &self.lanes[lane].status
    }
}
