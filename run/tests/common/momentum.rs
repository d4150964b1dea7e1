//! Momentum of the solves that a step consists of, beside a recorder.

use signorini_core::na::{DMatrix, DVector, Vector3};
use signorini_core::{AcceptedStep, LastSolve};
use signorini_multibody::{Dynamics, Kinematics, Model};
use signorini_run::recording::StepPart;
use signorini_scene::{Pose, Scene};

/// A solve and the state that it starts from.
#[allow(dead_code, reason = "each test reads a part")]
pub(crate) struct Solve<'s> {
    pub t: f64,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub last: LastSolve<'s>,
    pub part: StepPart,
}

/// The solves of a step, in their order.
pub(crate) fn solves<'s>(model: &Model, step: &AcceptedStep<'s>) -> Vec<Solve<'s>> {
    let (t, q, v) = (step.x0.t, step.x0.q.clone(), step.x0.v.clone());
    let Some(first) = step.first else {
        return vec![Solve { t, q, v, last: step.last, part: StepPart::Whole }];
    };
    let mut half = q.clone();
    model.integrate(&q, first.solution.position_velocity(), first.dt, &mut half);
    let after = Solve {
        t: t + first.dt,
        q: half,
        v: first.solution.v.clone(),
        last: step.last,
        part: StepPart::SecondHalf,
    };
    vec![Solve { t, q, v, last: first, part: StepPart::FirstHalf }, after]
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

/// Residual that a solver may leave in each row: its tolerance and residual are in a norm with the diagonal of A = M + δt D + δt² K. Evaluations in closed form leave none.
pub(crate) fn left_by(
    model: &Model,
    mass: &DMatrix<f64>,
    solve: &LastSolve<'_>,
    closed: bool,
) -> DVector<f64> {
    let left = if closed { 0.0 } else { solve.solution.tolerance.max(solve.solution.residual) };
    DVector::from_fn(model.nv(), |i, _| {
        let dof = &model.dofs[i];
        left * (mass[(i, i)] + solve.dt * (dof.damping + solve.dt * dof.stiffness)).sqrt()
    })
}
