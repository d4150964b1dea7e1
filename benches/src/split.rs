use std::error::Error;
use std::time::{Duration, Instant};

use serde::Serialize;
use signorini_comfree::{ComfreeSolver, Sweeps};
use signorini_core::{ContactSolver, Slot, State, StepSolution, System, Tolerance};
use signorini_multibody::{Kinematics, RigidSystem};

/// Times of the parts of a complementarity-free step \[µs\], mean over the steps of one thread.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Split {
    /// Poses and velocities of bodies.
    pub kinematics: f64,
    /// Contact queries, speculative ones among them.
    pub collision: f64,
    /// The rest of the preparation: inertia, forces, rows of contacts and joints.
    pub rows: f64,
    /// Velocity without contact, masses that contacts feel, parameters of the laws.
    pub laws: f64,
    /// Evaluation of the laws and the response of the bodies.
    pub evaluation: f64,
    /// The new state, and the memory of contacts.
    pub integration: f64,
}

/// Steps a world under controls that are held for `hold` steps each and times the parts of each step; kinematics and contact queries are timed on
/// their own beside the step.
///
/// # Errors
/// A step that fails.
pub fn split(
    system: &mut RigidSystem,
    sweeps: Sweeps,
    x0: &State,
    (steps, dt): (usize, f64),
    (controls, hold): (&[Vec<f64>], usize),
) -> Result<Split, Box<dyn Error>> {
    let mut solver = ComfreeSolver::with_sweeps(sweeps);
    let mut kin = Kinematics::new(system.model());
    let mocap = system.model().mocap_poses.clone();
    let (mut x, mut x1, mut solution) = (x0.clone(), x0.clone(), StepSolution::default());
    let mut parts = [Duration::ZERO; 6];
    for step in 0..steps {
        if let Some(row) = controls.get(step / hold.max(1)) {
            system.control_mut().copy_from_slice(row);
        }
        let mut last = Instant::now();
        let mut lap = |part: usize| {
            let now = Instant::now();
            parts[part] += now - last;
            last = now;
        };
        kin.set_positions(system.model(), &x.q, &mocap);
        kin.set_velocities(system.model(), &x.v);
        lap(0);
        system.prepare(Slot::Start, &x, dt)?;
        lap(2);
        system.repeat_contact_queries(Slot::Start)?;
        lap(1);
        let problem = system.problem(Slot::Start, dt)?;
        lap(3);
        solver.solve(problem, &x.v, Tolerance::default(), &mut solution)?;
        lap(4);
        system.commit(Slot::Start, &x, dt, &solution, &mut x1)?;
        lap(5);
        std::mem::swap(&mut x, &mut x1);
    }
    let [kinematics, collision, prepare, laws, evaluation, integration] =
        parts.map(|d| d.as_secs_f64() * 1e6 / steps.max(1) as f64);
    let rows = (prepare - kinematics - collision).max(0.0);
    Ok(Split { kinematics, collision, rows, laws, evaluation, integration })
}
