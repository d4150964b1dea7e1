//! Worlds of a model in MuJoCo, where Python and MuJoCo are installed: a process of `benches/peers/mujoco_worlds.py` at the other end of two pipes.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::Deserialize;
use serde_json::{Value, json};
use signorini_batch::{BatchOptions, CpuBatch};
use signorini_core::na::Isometry3;
use signorini_core::{
    BatchLayout, BatchStepper, LaneStatus, Observation, ObservationError, ObservationLayout, State, StepError,
};
use signorini_report::PageError;
use signorini_run::Method;
use signorini_scene::Scene;

/// The program at the other end, from the root of the repository.
const PROGRAM: &str = "benches/peers/mujoco_worlds.py";
/// Variable that names the interpreter; `python3` where it is not set.
const PYTHON: &str = "SIGNORINI_PYTHON";

/// First line of the program.
#[derive(Deserialize)]
struct Hello {
    missing: Option<String>,
    #[serde(default)]
    version: String,
    #[serde(default)]
    nq: usize,
    #[serde(default)]
    nv: usize,
    #[serde(default)]
    na: usize,
    #[serde(default)]
    nu: usize,
}

impl Hello {
    /// Numbers of a state: positions, velocities, activations.
    fn width(&self) -> usize {
        self.nq + self.nv + self.na
    }
}

/// Time that steps took.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Taken {
    /// By the clock \[s\].
    pub wall_s: f64,
    /// Of the processor, over all threads \[s\].
    pub processor_s: f64,
}

/// A model in MuJoCo. The process ends with it.
pub(crate) struct MujocoWorlds {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    hello: Hello,
}

impl MujocoWorlds {
    /// Loads a model.
    ///
    /// # Errors
    /// One line that says why there is no MuJoCo here.
    pub(crate) fn start(root: &Path, model: &Path, threads: usize) -> Result<Self, String> {
        let python = std::env::var_os(PYTHON).map_or_else(|| PathBuf::from("python3"), PathBuf::from);
        let absent = |why: String| {
            format!("MuJoCo is not installed ({why}). {PYTHON} names an interpreter that has MuJoCo.")
        };
        let mut command = Command::new(&python);
        command.arg(root.join(PROGRAM)).arg(model).arg(threads.to_string());
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut child = spawned.map_err(|e| absent(format!("{}: {e}", python.display())))?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(absent("no pipes".into()));
        };
        let mut from = BufReader::new(from);
        let hello =
            line(&mut from).and_then(|l| serde_json::from_str::<Hello>(&l).map_err(|e| e.to_string()));
        let hello = hello.unwrap_or_else(|e| Hello {
            missing: Some(e),
            version: String::new(),
            nq: 0,
            nv: 0,
            na: 0,
            nu: 0,
        });
        let worlds = Self { child, to, from, hello };
        match &worlds.hello.missing {
            Some(why) => Err(absent(why.clone())),
            None => Ok(worlds),
        }
    }

    /// Version of MuJoCo.
    pub(crate) fn version(&self) -> &str {
        &self.hello.version
    }

    /// Sends a request and numbers, and reads the line that answers.
    fn ask(&mut self, request: &Value, numbers: &[&[f64]]) -> Result<Value, String> {
        let mut bytes = format!("{request}\n").into_bytes();
        bytes.extend(numbers.iter().flat_map(|n| n.iter()).flat_map(|x| x.to_le_bytes()));
        self.to.write_all(&bytes).and_then(|()| self.to.flush()).map_err(|e| e.to_string())?;
        serde_json::from_str(&line(&mut self.from)?).map_err(|e| e.to_string())
    }

    /// Steps worlds from `states`, worlds × (nq + nv + na), under held controls, worlds × nu; the time that it took.
    ///
    /// # Errors
    /// A process that ended.
    pub(crate) fn step(
        &mut self,
        states: &mut [f64],
        control: &[f64],
        dt: f64,
        steps: u32,
    ) -> Result<Taken, String> {
        let worlds = states.len() / self.hello.width();
        let done = self.ask(&json!({ "step": steps, "worlds": worlds, "dt": dt }), &[states, control])?;
        let mut bytes = vec![0; 8 * states.len()];
        self.from.read_exact(&mut bytes).map_err(|e| e.to_string())?;
        for (x, chunk) in states.iter_mut().zip(bytes.chunks_exact(8)) {
            *x = f64::from_le_bytes(chunk.try_into().map_err(|_| "a number of eight bytes")?);
        }
        serde_json::from_value(done).map_err(|e| e.to_string())
    }

    /// (contacts of all worlds, time \[s\]) of every step from `states`, on one thread.
    ///
    /// # Errors
    /// A process that ended.
    pub(crate) fn count(&mut self, states: &[f64], dt: f64, steps: usize) -> Result<Vec<(f64, f64)>, String> {
        let worlds = states.len() / self.hello.width();
        let done = self.ask(&json!({ "count": steps, "worlds": worlds, "dt": dt }), &[states])?;
        serde_json::from_value(done["rows"].clone()).map_err(|e| e.to_string())
    }
}

impl Drop for MujocoWorlds {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn line(from: &mut BufReader<ChildStdout>) -> Result<String, String> {
    let mut text = String::new();
    match from.read_line(&mut text) {
        Ok(0) => Err("it ended without a word".into()),
        Ok(_) => Ok(text),
        Err(e) => Err(e.to_string()),
    }
}

/// MuJoCo as plan model: its worlds take the steps, worlds of this project beside them hold the states and make the observations, which know no forces of contacts.
pub(crate) struct MujocoBatch {
    beside: CpuBatch,
    worlds: MujocoWorlds,
    states: Vec<f64>,
}

impl MujocoBatch {
    /// `lanes` worlds of a model in a file and as a scene.
    ///
    /// # Errors
    /// One line that says why there is none; an error of the scene.
    pub(crate) fn new(worlds: MujocoWorlds, scene: &Scene, lanes: usize) -> Result<Self, PageError> {
        let beside = CpuBatch::new(scene, lanes, Method::icf(), BatchOptions { threads: 1 });
        let beside = beside.map_err(PageError::from_error)?;
        let (l, h) = (beside.layout(), &worlds.hello);
        if (l.nq, l.nv, l.nu, l.nz) != (h.nq, h.nv, h.nu, h.na) {
            return Err(PageError::Run("MuJoCo has other coordinates of this model".into()));
        }
        Ok(Self { states: vec![0.0; lanes * h.width()], beside, worlds })
    }
}

impl BatchStepper for MujocoBatch {
    fn layout(&self) -> BatchLayout {
        self.beside.layout()
    }
    fn load(&mut self, lane: usize, x: &State) -> Result<(), StepError> {
        self.beside.load(lane, x)
    }
    fn store(&self, lane: usize, x: &mut State) -> Result<(), StepError> {
        self.beside.store(lane, x)
    }
    fn copy_lane(&mut self, from: usize, to: usize) -> Result<(), StepError> {
        self.beside.copy_lane(from, to)
    }
    /// All lanes are stepped; those that are not active are put back.
    fn step(&mut self, control: &[f64], dt: f64, substeps: u32, active: &[bool]) -> Result<(), StepError> {
        let size = self.beside.layout();
        size.check_step(control, dt, active)?;
        let width = self.worlds.hello.width();
        let ends = [size.nq, size.nq + size.nv];
        for (lane, row) in self.states.chunks_exact_mut(width).enumerate() {
            let x = self.beside.state(lane)?;
            row[..ends[0]].copy_from_slice(&x.q);
            row[ends[0]..ends[1]].copy_from_slice(&x.v);
            row[ends[1]..].copy_from_slice(&x.z);
        }
        self.worlds.step(&mut self.states, control, dt, substeps).map_err(StepError::Argument)?;
        let mut next = State::default();
        for (lane, row) in self.states.chunks_exact(width).enumerate() {
            if active.get(lane).is_none_or(|a| *a) {
                self.beside.store(lane, &mut next)?;
                next.t += dt * f64::from(substeps);
                next.q.copy_from_slice(&row[..ends[0]]);
                next.v.copy_from_slice(&row[ends[0]..ends[1]]);
                next.z.copy_from_slice(&row[ends[1]..]);
                self.beside.load(lane, &next)?;
            }
        }
        Ok(())
    }
    fn status(&self, lane: usize) -> Option<&LaneStatus> {
        self.beside.status(lane)
    }
    fn engine(&self) -> String {
        "mujoco".into()
    }
    fn watch(&mut self, wanted: &[Observation]) -> Result<ObservationLayout, ObservationError> {
        self.beside.watch(wanted)
    }
    fn observe(&self, lane: usize, out: &mut [f64]) -> Result<(), StepError> {
        self.beside.observe(lane, out)
    }
    fn start(&self, keyframe: Option<&str>, x: &mut State) -> Result<(), ObservationError> {
        self.beside.start(keyframe, x)
    }
    fn set_joint(&self, joint: &str, q: &[f64], v: &[f64], x: &mut State) -> Result<(), ObservationError> {
        self.beside.set_joint(joint, q, v, x)
    }
    fn set_mocap(&mut self, lane: usize, body: &str, pose: &Isometry3<f64>) -> Result<(), ObservationError> {
        self.beside.set_mocap(lane, body, pose)
    }
}
