//! Momentum of the solves that a step consists of, beside a recorder.

use signorini_core::na::{DMatrix, DVector, Vector3};
use signorini_core::{AcceptedStep, LastSolve, State, System, Tolerance};
use signorini_multibody::{Dynamics, Kinematics, Model, RigidSystem};
use signorini_run::Method;
use signorini_run::recording::StepPart;
use signorini_scene::{Pose, Scene};

/// A solve and the state that it starts from.
#[allow(dead_code, reason = "each test reads a part")]
pub(crate) struct Solve<'s> {
    pub t: f64,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    /// Velocity after it.
    pub v1: Vec<f64>,
    pub last: LastSolve<'s>,
    pub part: StepPart,
}

/// The state between two half steps. Which bodies fly depends on the first attempt of the step, whose length is not known: the one that leads to the end.
fn half_way(sys: &mut RigidSystem, step: &AcceptedStep<'_>, first: &LastSolve<'_>) -> State {
    let mut best = (f64::INFINITY, step.x0.clone());
    for longer in [1.0, 1.1, 1.3, 1.6, 2.0, 3.0, 5.0, 10.0, 30.0] {
        let mut half = step.x0.clone();
        sys.prepare(first.slot, step.x0, longer * step.report.dt).unwrap();
        sys.problem(first.slot, first.dt).unwrap();
        sys.advance_bodies(first.slot, step.x0, first.dt, first.solution, &mut half);
        let mut end = half.clone();
        sys.prepare(step.last.slot, &half, step.last.dt).unwrap();
        sys.problem(step.last.slot, step.last.dt).unwrap();
        sys.advance_bodies(step.last.slot, &half, step.last.dt, step.last.solution, &mut end);
        let off = sys.distance(&end, step.x1);
        if off < best.0 {
            best = (off, half);
        }
        if step.rejected == 0 {
            break;
        }
    }
    best.1
}

/// The solves of a step, in their order; `sys` makes the problem of the first half again.
pub(crate) fn solves<'s>(sys: &mut RigidSystem, step: &AcceptedStep<'s>) -> Vec<Solve<'s>> {
    let (t, q, v, v1) = (step.x0.t, step.x0.q.clone(), step.x0.v.clone(), step.x1.v.clone());
    let Some(first) = step.first else {
        return vec![Solve { t, q, v, v1, last: step.last, part: StepPart::Whole }];
    };
    let half = half_way(sys, step, &first);
    let before = Solve { t, q, v, v1: half.v.clone(), last: first, part: StepPart::FirstHalf };
    let (t, q, v) = (t + first.dt, half.q, half.v);
    vec![before, Solve { t, q, v, v1, last: step.last, part: StepPart::SecondHalf }]
}

/// Mass matrix and bias by kinematics of its own.
pub(crate) struct Inertial {
    pub kin: Kinematics,
    dynamics: Dynamics,
    pub gravity: Vector3<f64>,
}

impl Inertial {
    pub(crate) fn new(model: &Model, scene: &Scene) -> Self {
        Self { kin: Kinematics::new(model), dynamics: Dynamics::new(model), gravity: scene.options.gravity }
    }

    /// M and c at a state.
    pub(crate) fn at(
        &mut self,
        model: &Model,
        mocap: &[Pose],
        q: &[f64],
        v: &[f64],
    ) -> (DMatrix<f64>, DVector<f64>) {
        self.kin.set_positions(model, q, mocap);
        self.kin.set_velocities(model, v);
        let nv = model.nv();
        let (mut mass, mut bias) = (DMatrix::zeros(nv, nv), DVector::zeros(nv));
        self.dynamics.mass_matrix(model, &self.kin, |i, j, m| (mass[(i, j)], mass[(j, i)]) = (m, m));
        self.dynamics.inverse_dynamics(model, &self.kin, &self.gravity, None, bias.as_mut_slice());
        (mass, bias)
    }
}

/// Impulse of gravity and of Coriolis and centrifugal forces in a solve, by the mass matrix and the bias at its start. A body that floats freely alone has gravity, and the change of M v by its rotation, where a method carries momentum.
pub(crate) fn of_bias(
    inertial: &mut Inertial,
    sys: &RigidSystem,
    s: &Solve<'_>,
    (mass, bias): (&DMatrix<f64>, &DVector<f64>),
    carries: bool,
) -> DVector<f64> {
    let (model, dt, nv) = (sys.model(), s.last.dt, s.v.len());
    let mut out = -dt * bias;
    if !carries {
        return out;
    }
    let (_, weight) = inertial.at(model, sys.held().mocap, &s.q, &vec![0.0; nv]);
    // As it was.
    inertial.at(model, sys.held().mocap, &s.q, &s.v);
    let turned = mass * DVector::from_fn(nv, |i, _| s.v1[i] - s.last.solution.v[i]);
    // Trees that move freely go on from the velocity of the solve.
    out += &turned;
    for tree in &model.trees {
        let bodies = model.bodies.iter().filter(|b| b.tree == model.bodies[tree.root].tree).count();
        if bodies == 1 && tree.dofs.len() == 6 {
            tree.dofs.clone().for_each(|i| out[i] = turned[i] - dt * weight[i]);
        }
    }
    out
}

/// Tolerance of the solves of a method.
#[derive(Clone, Copy)]
pub(crate) struct Asked {
    tolerance: Tolerance,
    /// Least scale of a residual \[√J\], published as 1.
    least: f64,
}

/// Tolerance of the solves of a method; none of evaluations in closed form.
pub(crate) fn asked(method: &Method) -> Option<Asked> {
    let open = method.as_comfree().is_none();
    open.then(|| Asked {
        tolerance: method.controller().map_or_else(Tolerance::default, |c| c.solver_tolerance()),
        least: if method.is_published() { 1.0 } else { 0.0 },
    })
}

/// Residual that a solver may leave in each row: its tolerance is in a norm with the diagonal of A = M + δt D + δt² K, and no island has more momentum or impulse than all of them. Evaluations in closed form leave none.
pub(crate) fn left_by(
    model: &Model,
    [v0, bias, others]: [&DVector<f64>; 3],
    mass: &DMatrix<f64>,
    solve: &LastSolve<'_>,
    asked: Option<Asked>,
) -> DVector<f64> {
    let d = DVector::from_fn(model.nv(), |i, _| {
        let dof = &model.dofs[i];
        (mass[(i, i)] + solve.dt * (dof.damper.damping(0.0) + solve.dt * dof.spring.stiffness(0.0))).sqrt()
    });
    let size = |x: DVector<f64>| x.component_div(&d).norm();
    let v = DVector::from_column_slice(&solve.solution.v);
    // Impulses of laws are the change of momentum without those of bias and of other forces.
    let (momentum, impulse) =
        (size(mass * &v), size(mass * (&v - v0)) + solve.dt * size(bias.clone()) + size(others.clone()));
    let s = &solve.solution;
    let ratio = if s.residual > s.tolerance { s.residual / s.tolerance } else { 1.0 };
    // The published test of steps may end anywhere: then impulses are none that could be a scale, and nothing can be said.
    let ratio = if ratio > 10.0 { f64::INFINITY } else { ratio };
    // Squares of islands add up to at most those of both.
    let scale = |a: Asked| a.tolerance.residual(momentum.max(a.least), impulse, momentum + impulse);
    d * asked.map_or(0.0, |a| 2f64.sqrt() * ratio * scale(a))
}
