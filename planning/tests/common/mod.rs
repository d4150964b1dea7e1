//! A toy engine, a toy task, and the robots of the project as batches.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "tests; each file uses a part")]

use std::path::Path;

use signorini_batch::{BatchOptions, CpuBatch};
use signorini_core::{
    BatchLayout, BatchStepper, LaneStatus, Observation, ObservationError, ObservationLayout, State, StepError,
};
use signorini_planning::tasks::by_name;
use signorini_planning::{
    EpisodeOptions, EpisodeRecord, JointStart, Outcome, Phase, Scenario, Step, Task, Term, TermWeights,
    Timing, View,
};
use signorini_run::Method;
use signorini_scene::{LoadOptions, Scene};

/// Points on a line that accelerations drive: x ← x + δt v + ½ δt² u, v ← v + δt u, exact. A control above 1000 is a failure of the lane, one below −1000 makes its position NaN.
pub struct PointBatch {
    lanes: Vec<(State, LaneStatus)>,
    watched: Vec<Observation>,
}

impl PointBatch {
    pub fn new(lanes: usize) -> Self {
        let x = State { q: vec![0.0], v: vec![0.0], ..State::default() };
        Self { lanes: vec![(x, LaneStatus::Running); lanes], watched: Vec::new() }
    }
}

impl BatchStepper for PointBatch {
    fn layout(&self) -> BatchLayout {
        BatchLayout { lanes: self.lanes.len(), nq: 1, nv: 1, nz: 0, nu: 1 }
    }
    fn load(&mut self, lane: usize, x: &State) -> Result<(), StepError> {
        self.layout().check_lane(lane)?;
        x.check_finite().map_err(|e| StepError::problem(x.t, 0.0, e))?;
        self.lanes[lane] = (x.clone(), LaneStatus::Running);
        Ok(())
    }
    fn store(&self, lane: usize, x: &mut State) -> Result<(), StepError> {
        self.layout().check_lane(lane)?;
        x.copy_from(&self.lanes[lane].0);
        Ok(())
    }
    fn copy_lane(&mut self, from: usize, to: usize) -> Result<(), StepError> {
        self.lanes[to] = self.lanes[from].clone();
        Ok(())
    }
    fn step(&mut self, control: &[f64], dt: f64, substeps: u32, active: &[bool]) -> Result<(), StepError> {
        self.layout().check_step(control, dt, active)?;
        for (i, (x, status)) in self.lanes.iter_mut().enumerate() {
            if *status != LaneStatus::Running || !active.get(i).is_none_or(|a| *a) {
                continue;
            }
            let u = control[i];
            if u > 1000.0 {
                *status = LaneStatus::Failed(StepError::Argument("too strong".into()));
            } else if u < -1000.0 {
                x.q[0] = f64::NAN;
            } else {
                for _ in 0..substeps {
                    x.q[0] += dt * x.v[0] + 0.5 * dt * dt * u;
                    x.v[0] += dt * u;
                    x.t += dt;
                }
            }
        }
        Ok(())
    }
    fn status(&self, lane: usize) -> Option<&LaneStatus> {
        self.lanes.get(lane).map(|l| &l.1)
    }
    fn engine(&self) -> String {
        "points".into()
    }
    fn watch(&mut self, wanted: &[Observation]) -> Result<ObservationLayout, ObservationError> {
        let mut layout = ObservationLayout::default();
        for w in wanted {
            match w {
                Observation::JointPosition(n) | Observation::JointVelocity(n) if n == "x" => layout.push(1),
                Observation::JointPosition(n) | Observation::JointVelocity(n) => {
                    return Err(ObservationError::unknown("points", w, "joint", n, ["x"].into_iter()));
                }
                _ => {
                    return Err(ObservationError::NotOffered {
                        engine: self.engine(),
                        wanted: w.to_string(),
                        offered: "positions and velocities of joints".into(),
                    });
                }
            }
        }
        self.watched = wanted.to_vec();
        Ok(layout)
    }
    fn observe(&self, lane: usize, out: &mut [f64]) -> Result<(), StepError> {
        self.layout().check_lane(lane)?;
        let x = &self.lanes[lane].0;
        for (o, w) in out.iter_mut().zip(&self.watched) {
            *o = if matches!(w, Observation::JointPosition(_)) { x.q[0] } else { x.v[0] };
        }
        Ok(())
    }
    fn start(&self, _: Option<&str>, x: &mut State) -> Result<(), ObservationError> {
        *x = State { q: vec![0.0], v: vec![0.0], ..State::default() };
        Ok(())
    }
    fn set_joint(&self, _: &str, q: &[f64], v: &[f64], x: &mut State) -> Result<(), ObservationError> {
        x.q.copy_from_slice(q);
        x.v.copy_from_slice(v);
        Ok(())
    }
}

/// To a target on the line: ½ (x − target)², ½ v², ½ u².
pub struct Reach;

pub const TERMS: [Term; 3] = [
    Term { name: "miss", weight: 1.0 },
    Term { name: "speed", weight: 0.1 },
    Term { name: "effort", weight: 0.01 },
];

impl Task for Reach {
    fn name(&self) -> &'static str {
        "reach"
    }
    fn observations(&self) -> Vec<Observation> {
        vec![Observation::JointPosition("x".into()), Observation::JointVelocity("x".into())]
    }
    fn terms(&self) -> &'static [Term] {
        &TERMS
    }
    fn stages(&self) -> &'static [&'static str] {
        &["going", "there"]
    }
    fn rule(&self) -> String {
        "Success within 0.02 m of the target at less than 0.1 m/s; over after 10 s.".into()
    }
    fn running(&self, step: &Step<'_>, phase: &Phase, terms: &mut [f64]) {
        terms[0] += 0.5 * (step.after.scalar(0) - phase.values[0]).powi(2);
        terms[1] += 0.5 * step.after.scalar(1).powi(2);
        terms[2] += 0.5 * step.control[0].powi(2);
    }
    fn transition(&self, seen: &View<'_>, phase: &mut Phase) {
        let there = (seen.scalar(0) - phase.values[0]).abs() < 0.02 && seen.scalar(1).abs() < 0.1;
        phase.enter(usize::from(there), seen.time);
    }
    fn judge(&self, seen: &View<'_>, phase: &Phase) -> Outcome {
        match phase.stage {
            1 => Outcome::Success,
            _ if seen.time >= 10.0 => Outcome::Timeout,
            _ => Outcome::Running,
        }
    }
    fn reset(&self, seed: u64) -> Scenario {
        let target = if seed.is_multiple_of(2) { 1.0 } else { -1.0 };
        Scenario {
            joints: vec![JointStart { joint: "x".into(), q: vec![0.0], v: vec![0.0] }],
            phase: Phase { values: vec![target], ..Phase::default() },
            control: vec![0.0],
            ..Scenario::default()
        }
    }
}

/// A model of the project.
pub fn scene(name: &str) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models").join(name).join(format!("{name}.xml"));
    Scene::load(path, &LoadOptions::default()).unwrap()
}

/// A file below the models of the project.
pub fn scene_of(file: &str) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models").join(file);
    Scene::load(path, &LoadOptions::default()).unwrap()
}

pub fn batch(scene: &Scene, lanes: usize, method: Method, threads: usize) -> CpuBatch {
    CpuBatch::new(scene, lanes, method, BatchOptions { threads }).unwrap()
}

/// Steps of a task by its name, planned with projected Gauss–Seidel over ComFree's impedance, executed with ICF.
pub fn episode(name: &str, seed: u64, samples: usize, threads: usize, steps: u32) -> EpisodeRecord {
    timed_episode(name, seed, (samples, threads), steps, Timing::LockStep)
}

/// [`episode`] with plans that may be used later.
pub fn timed_episode(
    name: &str,
    seed: u64,
    (samples, threads): (usize, usize),
    steps: u32,
    timing: Timing,
) -> EpisodeRecord {
    let mut setup = by_name(name, seed).unwrap();
    setup.planner.samples = samples;
    let scene = scene_of(setup.scene);
    let method = Method::comfree_sweeping(setup.sweeps.unwrap());
    let mut model = batch(&scene, samples, method, threads);
    let mut plant = batch(&scene, 1, Method::icf(), 1);
    let weights = TermWeights::new(&*setup.task);
    let options = EpisodeOptions { steps, timing, keep_states: true, ..setup.options() };
    setup.run(&mut model, &mut plant, &weights, None, seed, &options).unwrap()
}
