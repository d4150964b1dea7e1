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
        layout.check_lane(lane)?;
        fit("q", layout.nq, x.q.len())?;
        fit("v", layout.nv, x.v.len())?;
        x.check_finite().map_err(|e| StepError::problem(x.t, 0.0, e))?;
        self.lanes[lane].x.copy_from(x);
        self.lanes[lane].status = LaneStatus::Running;
        Ok(())
    }

    fn store(&self, lane: usize, x: &mut State) -> Result<(), StepError> {
        self.layout().check_lane(lane)?;
        x.copy_from(&self.lanes[lane].x);
        Ok(())
    }

    fn copy_lane(&mut self, from: usize, to: usize) -> Result<(), StepError> {
        self.layout().check_lane(from)?;
        self.layout().check_lane(to)?;
        let (x, status) = (self.lanes[from].x.clone(), self.lanes[from].status.clone());
        self.lanes[to].x = x;
        self.lanes[to].status = status;
        Ok(())
    }

    fn step(&mut self, control: &[f64], dt: f64, substeps: u32, active: &[bool]) -> Result<(), StepError> {
        self.layout().check_step(control, dt, active)?;
        for (i, lane) in self.lanes.iter_mut().enumerate() {
            if active.get(i).is_none_or(|a| *a)
                && lane.status == LaneStatus::Running
                && let Err(e) = lane.step(control[i], dt, substeps)
            {
                lane.status = LaneStatus::Failed(e);
            }
        }
        Ok(())
    }

    fn status(&self, lane: usize) -> Option<&LaneStatus> {
        self.lanes.get(lane).map(|l| &l.status)
    }
}
