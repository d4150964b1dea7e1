//! Many worlds of a scene, timed by turns in several engines.

use std::path::{Path, PathBuf};
use std::time::Instant;

use cpu_time::ProcessTime;

use signorini_batch::{BatchOptions, CpuBatch};
use signorini_core::{BatchStepper, LaneStatus, Slot, State, StepProblem, System};
use signorini_run::{MassScale, Method};
use signorini_scene::{LoadOptions, Scene};

use crate::mujoco_worlds::MujocoWorlds;
use crate::random::Random;
use signorini_report::PageError;

/// Deviation of the noise on velocities at the start.
const NOISE: f64 = 1e-3;

fn failed(e: impl std::fmt::Display) -> PageError {
    PageError::from_error(e)
}

/// Name of an engine and its method.
pub(super) type Engine = (&'static str, fn() -> Method);

/// One evaluation, and sweeps as plans take them: the engines that claims are about.
pub(super) const ONE: Engine =
    ("ComFree, one evaluation of this project's law", || Method::comfree_sweeping(1));
pub(super) const PLANNING: Engine = ("projected Gauss–Seidel, up to 12 sweeps", || {
    Method::comfree_sweeping(signorini_planning::tasks::SWEEPS)
});
/// Ours.
pub(super) const ENGINES: [Engine; 5] = [
    ("ComFree, one evaluation as published (mean mass)", || {
        Method::comfree_paper(0.1, 0.001, MassScale::Mean)
    }),
    ONE,
    PLANNING,
    ("projected Gauss–Seidel, up to 64 sweeps", Method::comfree),
    ("ICF", Method::icf),
];
/// The engine beside ours.
pub(super) const MUJOCO: &str = "MuJoCo";

/// A scene of many worlds, and how they are driven.
pub(super) struct Case {
    /// Short name, in identifiers.
    pub short: &'static str,
    /// Description.
    pub what: &'static str,
    /// Model file.
    pub file: PathBuf,
    /// Keyframe of the start, whose controls are the middle of those drawn.
    pub keyframe: Option<&'static str>,
    /// Step \[s\].
    pub dt: f64,
    /// Steps under one draw of controls, and draws.
    pub hold: u32,
    pub draws: u32,
    /// Half the range of controls about their middle.
    pub spread: f64,
    /// The body that is to stay within so much of its place \[m\].
    pub held: Option<(&'static str, f64)>,
}

/// States and controls of the worlds of a case, the same for every engine.
pub(super) struct Start {
    pub scene: Scene,
    worlds: usize,
    /// Numbers of positions and velocities.
    sizes: [usize; 2],
    /// Worlds × (positions, velocities, activations).
    states: Vec<f64>,
    /// Per draw, worlds × nu.
    controls: Vec<Vec<f64>>,
    /// Place of the held body in a state, and how far it may go.
    held: Option<(usize, f64)>,
}

/// How a run of all worlds went.
pub(super) struct Outcome {
    /// Steps of one world per second of processor time over all threads, which other work on the machine changes least.
    pub rate: f64,
    /// Steps of one world per second.
    pub wall_rate: f64,
    /// Worlds frozen by an error.
    pub frozen: usize,
    ends: Vec<f64>,
}

/// What the ends of a run look like.
pub(super) struct Ends {
    /// Mean and largest depth of the contacts that penetrate \[m\].
    pub depth: [f64; 2],
    /// Contacts that penetrate, per world.
    pub contacts: f64,
    /// Share of the worlds in which the body is where it was; NaN where there is none.
    pub held: f64,
}

impl Case {
    /// Worlds at the keyframe with noise on their velocities.
    pub(super) fn start(&self, worlds: usize) -> Result<Start, PageError> {
        let scene = Scene::load(&self.file, &LoadOptions::default()).map_err(failed)?;
        let batch = CpuBatch::new(&scene, 1, Method::icf(), BatchOptions { threads: 1 }).map_err(failed)?;
        let mut x = State::default();
        batch.start(self.keyframe, &mut x).map_err(failed)?;
        let layout = batch.layout();
        let mut random = Random::new(2);
        let mut states = Vec::with_capacity(worlds * (layout.nq + layout.nv + layout.nz));
        for _ in 0..worlds {
            states.extend_from_slice(&x.q);
            states.extend(x.v.iter().map(|v| v + NOISE * random.normal()));
            states.extend_from_slice(&x.z);
        }
        let middle = self.keyframe.and_then(|k| scene.keyframe(k)).map(|k| k.control.clone());
        let middle = middle.filter(|m| !m.is_empty()).unwrap_or_else(|| vec![0.0; layout.nu]);
        let mut draw = |c: &f64| c + self.spread * (2.0 * random.uniform() - 1.0);
        let controls = (0..self.draws)
            .map(|_| (0..worlds).flat_map(|_| middle.iter().map(&mut draw).collect::<Vec<_>>()).collect())
            .collect();
        let place = |name: &str| {
            let mut at = 0;
            for j in &scene.joints {
                if scene.bodies[j.body].name == name {
                    return Some(at);
                }
                at += j.kind.nq();
            }
            None
        };
        let held = match self.held {
            Some((body, within)) => {
                Some((place(body).ok_or_else(|| failed(format!("no body '{body}'")))?, within))
            }
            None => None,
        };
        Ok(Start { worlds, sizes: [layout.nq, layout.nv], states, controls, held, scene })
    }

    fn steps(&self, worlds: usize) -> f64 {
        worlds as f64 * f64::from(self.hold * self.draws)
    }

    /// All worlds under a method, on all threads.
    pub(super) fn run(&self, start: &Start, method: Method) -> Result<Outcome, PageError> {
        let mut batch =
            CpuBatch::new(&start.scene, start.worlds, method, BatchOptions::default()).map_err(failed)?;
        let mut x = State::default();
        batch.store(0, &mut x).map_err(failed)?;
        for (lane, row) in start.rows().enumerate() {
            start.write(row, &mut x);
            batch.load(lane, &x).map_err(failed)?;
        }
        let (clock, used) = (Instant::now(), ProcessTime::now());
        for control in &start.controls {
            batch.step(control, self.dt, self.hold, &[]).map_err(failed)?;
        }
        let steps = self.steps(start.worlds);
        let rate = steps / used.elapsed().as_secs_f64();
        let wall_rate = steps / clock.elapsed().as_secs_f64();
        let (mut frozen, mut ends) = (0, Vec::with_capacity(start.states.len()));
        for lane in 0..start.worlds {
            frozen += usize::from(!matches!(batch.status(lane), Some(LaneStatus::Running)));
            let x = batch.state(lane).map_err(failed)?;
            ends.extend_from_slice(&x.q);
            ends.extend_from_slice(&x.v);
            ends.extend_from_slice(&x.z);
        }
        Ok(Outcome { rate, wall_rate, frozen, ends })
    }

    /// All worlds in MuJoCo.
    pub(super) fn run_beside(&self, start: &Start, worlds: &mut MujocoWorlds) -> Result<Outcome, PageError> {
        let (mut ends, mut used, mut wall) = (start.states.clone(), 0.0, 0.0);
        for control in &start.controls {
            let time = worlds.step(&mut ends, control, self.dt, self.hold).map_err(failed)?;
            used += time.processor_s;
            wall += time.wall_s;
        }
        let steps = self.steps(start.worlds);
        Ok(Outcome { rate: steps / used, wall_rate: steps / wall, frozen: 0, ends })
    }

    /// MuJoCo with the model of the case.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) fn beside(&self, root: &Path) -> Result<MujocoWorlds, String> {
        MujocoWorlds::start(root, &self.file, rayon::current_num_threads())
    }
}

impl Start {
    fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.states.chunks_exact(self.states.len() / self.worlds)
    }

    fn write(&self, row: &[f64], x: &mut State) {
        let [nq, nv] = self.sizes;
        x.q.copy_from_slice(&row[..nq]);
        x.v.copy_from_slice(&row[nq..nq + nv]);
        x.z.copy_from_slice(&row[nq + nv..]);
    }

    /// Depths at the ends of a run, by the collision detection of this project whatever the engine, and whether the body is held.
    pub(super) fn ends(&self, outcome: &Outcome) -> Result<Ends, PageError> {
        let mut sys = Method::icf().system(&self.scene).map_err(failed)?;
        let mut x = sys.initial_state(None).map_err(failed)?;
        let (mut deepest, mut sum, mut contacts, mut held) = (0.0f64, 0.0, 0usize, 0usize);
        let width = self.states.len() / self.worlds;
        for (end, first) in outcome.ends.chunks_exact(width).zip(self.rows()) {
            self.write(end, &mut x);
            sys.prepare(Slot::Start, &x, 1e-6).map_err(failed)?;
            for c in sys.frozen_problem(Slot::Start).contacts().iter().filter(|c| c.gap < 0.0) {
                (deepest, sum, contacts) = (deepest.max(-c.gap), sum - c.gap, contacts + 1);
            }
            if let Some((at, within)) = self.held {
                let away = (at..at + 3).map(|i| (end[i] - first[i]).powi(2)).sum::<f64>().sqrt();
                held += usize::from(away < within);
            }
        }
        Ok(Ends {
            depth: [sum / contacts.max(1) as f64, deepest],
            contacts: contacts as f64 / self.worlds as f64,
            held: if self.held.is_some() { held as f64 / self.worlds as f64 } else { f64::NAN },
        })
    }
}

/// The middle one.
pub(super) fn median(mut of: Vec<f64>) -> f64 {
    of.sort_by(f64::total_cmp);
    of.get(of.len() / 2).copied().unwrap_or(f64::NAN)
}
