//! Runs that keep every accepted state and the contact forces.

use signorini_core::na::{UnitQuaternion, Vector3};
use signorini_core::{AcceptedStep, AdvanceReport, State, StepObserver};
use signorini_multibody::RigidSystem;
use signorini_scene::Scene;

use crate::{Method, MethodError};

/// The force that one contact carried in the last part of a step.
#[derive(Clone, Copy, Debug)]
pub struct ContactForce {
    /// Geoms A and B.
    pub geoms: [u32; 2],
    /// Force on B, contact frame (n, t1, t2), n from A into B \[N\].
    pub local: Vector3<f64>,
    /// Force on B, world axes \[N\].
    pub world: Vector3<f64>,
}

/// All accepted states of a run.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Time \[s\], n.
    pub t: Vec<f64>,
    /// Positions, n.
    pub q: Vec<Vec<f64>>,
    /// Velocities, n.
    pub v: Vec<Vec<f64>>,
    /// Contacts that carry something, n.
    pub contacts: Vec<Vec<ContactForce>>,
    /// Work.
    pub report: AdvanceReport,
}

impl Trace {
    /// Number of states.
    pub fn len(&self) -> usize {
        self.t.len()
    }

    /// True without states.
    pub fn is_empty(&self) -> bool {
        self.t.is_empty()
    }

    /// Rows i, i + 1 and the weight of the second at a time.
    fn bracket(&self, t: f64) -> (usize, usize, f64) {
        let hi = self.t.partition_point(|s| *s < t).min(self.len() - 1);
        let lo = hi.saturating_sub(1);
        let span = self.t[hi] - self.t[lo];
        let w = if span > 0.0 { ((t - self.t[lo]) / span).clamp(0.0, 1.0) } else { 1.0 };
        (lo, hi, w)
    }

    /// A position coordinate at a time, linear between states.
    pub fn q_at(&self, t: f64, i: usize) -> f64 {
        let (a, b, w) = self.bracket(t);
        (1.0 - w) * self.q[a][i] + w * self.q[b][i]
    }

    /// A velocity coordinate at a time, linear between states.
    pub fn v_at(&self, t: f64, i: usize) -> f64 {
        let (a, b, w) = self.bracket(t);
        (1.0 - w) * self.v[a][i] + w * self.v[b][i]
    }

    /// Three position coordinates from `i` on, at a time.
    pub fn q3(&self, t: f64, i: usize) -> Vector3<f64> {
        Vector3::from_fn(|r, _| self.q_at(t, i + r))
    }

    /// Three velocity coordinates from `i` on, at a time.
    pub fn v3(&self, t: f64, i: usize) -> Vector3<f64> {
        Vector3::from_fn(|r, _| self.v_at(t, i + r))
    }

    /// Rotation stored at coordinate `i` in row `row`.
    pub fn rotation(&self, row: usize, i: usize) -> UnitQuaternion<f64> {
        let q = &self.q[row];
        UnitQuaternion::new_normalize(signorini_core::na::Quaternion::new(q[i], q[i + 1], q[i + 2], q[i + 3]))
    }

    /// Sum of the world forces on B of the contacts that `which` selects, in row `row` \[N\].
    pub fn force(&self, row: usize, which: impl Fn(&ContactForce) -> bool) -> Vector3<f64> {
        self.contacts[row].iter().filter(|c| which(c)).map(|c| c.world).sum()
    }

    /// (t, f(row)) of at most `most` rows.
    pub fn curve(&self, most: usize, f: impl Fn(&Self, usize) -> f64) -> Vec<(f64, f64)> {
        let stride = self.len().div_ceil(most).max(1);
        (0..self.len()).step_by(stride).map(|i| (self.t[i], f(self, i))).collect()
    }
}

/// Condition that ends a run.
type Condition = Box<dyn Fn(&State) -> bool>;

struct Tracer {
    trace: Trace,
    dim: usize,
    stop_when: Option<Condition>,
    stopped: bool,
    stride: usize,
    seen: usize,
}

impl StepObserver for Tracer {
    fn accepted(&mut self, step: &AcceptedStep<'_>) {
        self.stopped = self.stop_when.as_ref().is_some_and(|f| f(step.x1));
        self.seen += 1;
        if !self.seen.is_multiple_of(self.stride) && !self.stopped {
            return;
        }
        let gamma = &step.last.solution.gamma;
        let mut contacts = Vec::new();
        for c in step.last.contacts {
            // Contacts come first among the constraints, all of one dimension.
            let at = c.constraint as usize * self.dim;
            let local =
                Vector3::from_fn(|i, _| if i < self.dim { gamma[at + i] } else { 0.0 }) / step.last.dt;
            if local != Vector3::zeros() {
                contacts.push(ContactForce { geoms: c.geoms, local, world: c.r_wc * local });
            }
        }
        self.push(step.x1, contacts);
    }

    fn stop(&self) -> bool {
        self.stopped
    }
}

impl Tracer {
    fn push(&mut self, x: &State, contacts: Vec<ContactForce>) {
        self.trace.t.push(x.t);
        self.trace.q.push(x.q.clone());
        self.trace.v.push(x.v.clone());
        self.trace.contacts.push(contacts);
    }
}

/// One run of a scene from a state at rest that `start` changes.
pub struct Run<'a> {
    /// The scene.
    pub scene: &'a Scene,
    /// The method.
    pub method: &'a Method,
    /// End \[s\].
    pub t_end: f64,
    /// Stops the run early.
    pub stop_when: Option<Condition>,
    /// Keeps every so many steps.
    pub stride: usize,
}

impl<'a> Run<'a> {
    /// Until `t_end` \[s\].
    pub fn new(scene: &'a Scene, method: &'a Method, t_end: f64) -> Self {
        Self { scene, method, t_end, stop_when: None, stride: 1 }
    }

    /// Stops after the first state for which `f` holds.
    pub fn until(mut self, f: impl Fn(&State) -> bool + 'static) -> Self {
        self.stop_when = Some(Box::new(f));
        self
    }

    /// Keeps every n-th step.
    pub fn keep_every(mut self, n: usize) -> Self {
        self.stride = n;
        self
    }

    /// Runs it; `start` sets the initial state and the inputs of the system.
    ///
    /// # Errors
    /// As [`Method::system`] and [`Method::integrator`], or a run that stops early.
    pub fn trace(self, start: impl FnOnce(&mut RigidSystem, &mut State)) -> Result<Trace, MethodError> {
        let mut sys = self.method.system(self.scene)?;
        let mut x = sys.initial_state(None)?;
        start(&mut sys, &mut x);
        let mut integrator = self.method.integrator()?;
        let mut tracer = Tracer {
            trace: Trace::default(),
            dim: sys.contact_dim(),
            stop_when: self.stop_when,
            stopped: false,
            stride: self.stride.max(1),
            seen: 0,
        };
        tracer.push(&x, Vec::new());
        let report = integrator.advance(&mut sys, &mut x, self.t_end, &mut tracer)?;
        tracer.trace.report = report;
        Ok(tracer.trace)
    }
}
