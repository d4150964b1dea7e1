//! Settings, steps and shapes that the pages share.

use signorini_core::na::{Isometry3, Vector3};
use signorini_core::{OneStep, State, Tolerance};
use signorini_geometry::{MeshDefect, TriangleMesh};
use signorini_integrators::ContactStep;
use signorini_ipc::{AffineBody, AffineSystem, Invariants, IpcOptions, IpcSolver};

use super::film::Film;
use signorini_report::claim::{counted, length, number};
use signorini_report::{Claim, PageError, Table};

/// Size of gravity \[m/s²\].
pub(super) const G: f64 = 9.81;
/// Most Newton iterations of a solve.
const ITERATIONS: u32 = 300;

/// Settings of a run besides its bodies.
#[derive(Clone, Copy)]
pub(super) struct Settings {
    /// Step \[s\].
    pub dt: f64,
    /// Newton ends when no point changes its speed by more \[m/s\].
    pub tolerance: f64,
    /// Barrier, friction, gravity.
    pub options: IpcOptions,
}

impl Settings {
    /// All parameters but coefficients of friction.
    pub(super) fn sentence(&self) -> String {
        let o = &self.options;
        let weights = if o.area_weights { " with area weights" } else { "" };
        let (d, k) = (length(o.range), number(o.stiffness));
        format!("d̂ = {d}, κ = {k} J/m⁴{weights}, {}", self.without_barrier())
    }

    /// All parameters but those of the barrier and coefficients of friction.
    pub(super) fn without_barrier(&self) -> String {
        let o = &self.options;
        let passes = match o.friction_passes {
            1 => "once".into(),
            n => format!("up to {n} times"),
        };
        format!(
            "time step h = {} ms, orthogonality stiffness k = {} Pa, ε_v = {} m/s, friction solved {passes} per step, Newton tolerance {} m/s",
            number(1e3 * self.dt),
            number(o.orthogonality),
            number(o.stiction_speed),
            number(self.tolerance),
        )
    }
}

/// A system on its way, with its observations.
pub(super) struct Track {
    /// The bodies.
    pub system: AffineSystem,
    /// State of the bodies.
    pub x: State,
    /// Newton iterations of each step, all passes of friction together.
    pub iterations: Vec<u32>,
    /// Solves that did not converge.
    pub unconverged: u32,
    /// The worst of the ends of all steps.
    pub worst: Invariants,
    /// Film of the motion.
    pub film: Film,
    step: ContactStep<IpcSolver>,
    next: State,
    dt: f64,
}

impl Track {
    /// At the start, at rest.
    pub(super) fn new(system: AffineSystem, settings: &Settings) -> Self {
        let tolerance = Tolerance { relative: settings.tolerance, max_iterations: ITERATIONS };
        let x = system.initial_state();
        Self {
            film: Film::new(&system, &x),
            x,
            system,
            iterations: Vec::new(),
            unconverged: 0,
            worst: Invariants::default(),
            step: ContactStep::new(IpcSolver::default()).with_tolerance(tolerance).with_max_relags(40),
            next: State::default(),
            dt: settings.dt,
        }
    }

    /// One step.
    pub(super) fn advance(&mut self) -> Result<(), PageError> {
        let r = self
            .step
            .step(&mut self.system, &self.x, self.dt, false, &mut self.next)
            .map_err(PageError::from_error)?;
        std::mem::swap(&mut self.x, &mut self.next);
        self.film.see(&self.system, &self.x);
        self.iterations.push(r.stats.iterations);
        self.unconverged += r.unconverged;
        // Builds with debug assertions look at every state themselves.
        let seen =
            if cfg!(debug_assertions) { *self.system.observed() } else { self.system.invariants(&self.x) };
        self.worst.add(&seen);
        Ok(())
    }

    /// Many steps; `each` sees the track after each.
    pub(super) fn run(&mut self, steps: usize, mut each: impl FnMut(&mut Self)) -> Result<(), PageError> {
        for _ in 0..steps {
            self.advance()?;
            each(self);
        }
        Ok(())
    }

    /// The time \[s\].
    pub(super) fn time(&self) -> f64 {
        self.x.t
    }

    /// Position of the centre of mass of a body \[m\].
    pub(super) fn center(&self, body: usize) -> Vector3<f64> {
        self.part(body, &self.x.q)
    }

    /// Velocity of the centre of mass of a body \[m/s\].
    pub(super) fn velocity(&self, body: usize) -> Vector3<f64> {
        self.part(body, &self.x.v)
    }

    fn part(&self, body: usize, of: &[f64]) -> Vector3<f64> {
        let at = self.system.coordinates_of(body);
        at.map_or_else(Vector3::zeros, |at| Vector3::from_column_slice(&of[at..at + 3]))
    }

    /// Column of A: where the body's own axis points.
    pub(super) fn axis(&self, body: usize, axis: usize) -> Vector3<f64> {
        let at = self.system.coordinates_of(body);
        at.map_or_else(
            || Vector3::ith(axis, 1.0),
            |at| Vector3::from_fn(|r, _| self.x.q[at + 3 + 3 * r + axis]),
        )
    }

    /// Starts a body with a velocity of its centre and an angular velocity.
    pub(super) fn throw(&mut self, body: usize, linear: Vector3<f64>, angular: Vector3<f64>) {
        if let Some(at) = self.system.coordinates_of(body) {
            let v = self.system.bodies()[body].velocity(&self.x.q[at..at + 12], &linear, &angular);
            self.x.v[at..at + 12].copy_from_slice(&v);
        }
    }

    /// Mean and largest number of Newton iterations of a step.
    pub(super) fn newton(&self) -> (f64, u32) {
        let sum: u32 = self.iterations.iter().sum();
        let count = self.iterations.len().max(1);
        (f64::from(sum) / count as f64, self.iterations.iter().copied().max().unwrap_or(0))
    }

    /// Cells of [`seen`].
    pub(super) fn cells(&self) -> [String; 5] {
        let (mean, most) = self.newton();
        let w = &self.worst;
        let least =
            if w.smallest_distance.is_finite() { number(1e6 * w.smallest_distance) } else { "> d̂".into() };
        [
            least,
            if w.crossing.is_some() { "yes".into() } else { "none".into() },
            format!("{mean:.1} ({most})"),
            self.unconverged.to_string(),
            number(w.orthogonality_error),
        ]
    }

    /// Nothing crossed, every distance was above zero, and every solve converged.
    pub(super) fn is_intact(&self) -> bool {
        self.worst.crossing.is_none() && self.worst.smallest_distance > 0.0 && self.unconverged == 0
    }

    /// The claim that nothing intersects and every solve converges.
    pub(super) fn claim(&self, id: &str, what: &str) -> Claim {
        let text = format!("{what}: no bodies intersect and every solve converges");
        let w = &self.worst;
        intact(id, &text, w.smallest_distance, w.crossing.is_some(), u64::from(self.unconverged)).rule(
            "smallest distance above zero and no overlap at the end of every step, and no unconverged solve",
        )
    }
}

/// The claim that a smallest distance \[m\] is above zero, that nothing overlaps, and that every solve converged.
pub(super) fn intact(id: &str, text: &str, least: f64, overlaps: bool, unconverged: u64) -> Claim {
    let distance = if least.is_finite() { length(least) } else { "> d̂".into() };
    let overlap = if overlaps { "overlap" } else { "no overlap" };
    let solves = counted(unconverged, "unconverged solve");
    Claim::decided(id, text, least > 0.0 && !overlaps && unconverged == 0).values(
        "distance > 0, no overlap, 0 unconverged solves".into(),
        format!("distance {distance}, {overlap}, {solves}"),
        "",
    )
}

/// A table of runs whose last columns are [`Track::cells`].
pub(super) fn seen(caption: &str, head: &[&str]) -> Table {
    let common = [
        "smallest distance [µm]",
        "overlaps",
        "Newton iterations per step, mean (max.)",
        "unconverged solves",
        "largest |A Aᵀ − 1| [–]",
    ];
    let all: Vec<&str> = head.iter().copied().chain(common).collect();
    Table::new(caption, &all)
}

/// Bodies with the poses of their meshes.
pub(super) type Placed = Vec<(AffineBody, Isometry3<f64>)>;

/// A solid of a mesh.
pub(super) fn solid(
    name: &str,
    mesh: Result<TriangleMesh, MeshDefect>,
    density: f64,
    friction: f64,
) -> Result<AffineBody, PageError> {
    let mesh = mesh.map_err(PageError::from_error)?;
    let body = AffineBody::solid(name, &mesh, density).map_err(PageError::from_error)?;
    Ok(body.with_friction(friction))
}

/// A cuboid by half its sides \[m\].
pub(super) fn block(
    name: &str,
    half: [f64; 3],
    density: f64,
    friction: f64,
) -> Result<AffineBody, PageError> {
    solid(name, TriangleMesh::cuboid(&Vector3::from(half)), density, friction)
}

/// A translation.
pub(super) fn at(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::translation(x, y, z)
}
