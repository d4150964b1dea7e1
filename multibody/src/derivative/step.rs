use signorini_comfree::ComfreeSolver;
use signorini_core::na::{Cholesky, DMatrix, DVector, Dyn, UnitQuaternion, Vector3};
use signorini_core::{
    ContactLaw, ContactSolver, Pool, ProblemError, Slot, SolveError, State, StepProblem, StepSolution,
    System, Tolerance,
};
use signorini_geometry::Shape;
use signorini_laws::{ContactTangent, DualCone};
use signorini_scene::{JointKind, Transmission};

use super::contact::{Contact, seed_tangent, side_tangents};
use super::motion::MotionTangent;
use super::{DerivativeError, StepDerivative};
use crate::step::pools::CONTACT;
use crate::step::prepared::Prepared;
use crate::{Model, RigidSystem};

/// One direction in which a step is differentiated.
#[derive(Clone, Copy)]
enum Direction {
    Position(usize),
    Velocity(usize),
    Control(usize),
    Gain(usize),
}

fn unsupported(what: impl Into<String>, remedy: &'static str) -> DerivativeError {
    DerivativeError::Unsupported { what: what.into(), remedy }
}

impl RigidSystem {
    /// The derivative of one step of one evaluation (`ComfreeSolver::default()` under `ContactStep`) with respect to position, velocity, controls and gains, for
    /// a system with [`RigidLaws::dual_cone`](crate::RigidLaws::dual_cone) and `joints_first`.
    ///
    /// Analytic: every part of the step is differentiated along each direction (papers/borse2026comfree, "Derivative of a step"). Exact where the step is
    /// differentiable: everywhere with `DualCone::smoothing` > 0, but for gaps at zero, contacts that come into reach, motors at the edge of their effort and, with
    /// `DualCone::acting`, contacts that begin to act.
    ///
    /// # Errors
    /// [`DerivativeError`]: what the scene holds that is not differentiated; as [`System::prepare`].
    pub fn comfree_derivative(&mut self, x0: &State, dt: f64) -> Result<StepDerivative, DerivativeError> {
        self.check_differentiable()?;
        self.prepare(Slot::Start, x0, dt)?;
        self.problem(Slot::Start, dt)?;
        settle(&mut self.slots[Slot::Start as usize])?;
        let pool = self.slots[Slot::Start as usize].problem.pools().members()[CONTACT].as_any();
        if let Some(p) = pool.downcast_ref::<Pool<DualCone, 1>>() {
            let law = *p.law();
            return self.derivative_of::<1>(law, x0, dt);
        }
        if let Some(p) = pool.downcast_ref::<Pool<DualCone, 3>>() {
            let law = *p.law();
            return self.derivative_of::<3>(law, x0, dt);
        }
        if let Some(p) = pool.downcast_ref::<Pool<DualCone, 4>>() {
            let law = *p.law();
            return self.derivative_of::<4>(law, x0, dt);
        }
        if let Some(p) = pool.downcast_ref::<Pool<DualCone, 6>>() {
            let law = *p.law();
            return self.derivative_of::<6>(law, x0, dt);
        }
        Err(unsupported("this contact law", "make the system with RigidLaws::dual_cone"))
    }

    /// Refuses what is not differentiated.
    fn check_differentiable(&self) -> Result<(), DerivativeError> {
        let model = &self.model;
        if !self.options.joints_first {
            return Err(unsupported(
                "a step that solves joints with contacts",
                "set RigidOptions::joints_first",
            ));
        }
        if self.force_field.is_some() {
            return Err(unsupported("a force field", "remove it, or pass its forces as applied forces"));
        }
        if self.contact_model.is_some() {
            return Err(unsupported("a contact model", "remove it; its own derivative is not known"));
        }
        if let Some(e) = model.equalities.iter().find(|e| e.active) {
            return Err(unsupported(format!("equality '{}'", e.name), "switch it off"));
        }
        let springy = |t: &&crate::TendonModel| {
            t.stiffness > 0.0 || t.damping > 0.0 || t.dry_friction > 0.0 || t.range.is_some()
        };
        if let Some(t) = model.tendons.iter().find(springy) {
            return Err(unsupported(
                format!("tendon '{}' with spring, damper, friction or limits", t.name),
                "remove these",
            ));
        }
        for a in &model.actuators {
            let scalar = |j: usize| matches!(model.joints[j].kind, JointKind::Hinge | JointKind::Slide);
            let simple = match a.transmission {
                Transmission::Joint(j) | Transmission::JointInParent(j) => scalar(j),
                _ => false,
            };
            let constant = a.gain[1] == 0.0 && a.gain[2] == 0.0;
            if !simple || !constant || a.activation.is_some() || a.shares_limit {
                return Err(unsupported(
                    format!("actuator '{}'", a.name),
                    "use actuators of hinges and slides with a constant gain, no activation and limits of their own",
                ));
            }
        }
        for j in &model.joints {
            let turns = matches!(j.kind, JointKind::Ball | JointKind::Free);
            if turns && (j.stiffness > 0.0 || (j.kind == JointKind::Ball && j.range.is_some())) {
                return Err(unsupported(
                    format!("the spring or limit of joint '{}'", j.name),
                    "use hinges, or remove it",
                ));
            }
        }
        if let Some(b) = model.bodies.iter().find(|b| b.gravity_compensation != 0.0) {
            return Err(unsupported(format!("gravity compensation of body '{}'", b.name), "remove it"));
        }
        if self.surface_velocity.iter().any(|v| *v != Vector3::zeros()) {
            return Err(unsupported("a moving surface", "set the surface velocity to zero"));
        }
        Ok(())
    }

    fn derivative_of<const D: usize>(
        &self,
        law: DualCone,
        x0: &State,
        dt: f64,
    ) -> Result<StepDerivative, DerivativeError>
    where
        DualCone: ContactLaw<D>,
    {
        if law.memory > 0.0 {
            return Err(unsupported("memory of contacts", "set DualCone::memory to 0"));
        }
        let place = |g: usize| {
            let frame = self.collision.geom(g);
            frame.map(|(shape, body, pose, name)| {
                (shape, self.slots[Slot::Start as usize].kin.x_wb[body] * pose, name)
            })
        };
        let mut contacts = Vec::new();
        for (k, c) in self.found.iter().enumerate() {
            let [Some(a), Some(b)] = c.geoms.map(place) else { continue };
            // Corners of a patch are where edges cross; those on a half-space are corners of the body.
            let plane = [&a, &b].iter().any(|g| matches!(g.0, Shape::HalfSpace));
            let next = self.found.get(k + 1);
            if !plane && next.is_some_and(|n| n.geoms == c.geoms) {
                return Err(unsupported(
                    format!("the patch over which geoms '{}' and '{}' touch", a.2, b.2),
                    "tilt one so that they touch in a point, or let one be a half-space",
                ));
            }
            contacts.push(Contact::new(*c, [a, b])?);
        }
        let step = Step::<D>::new(&self.model, &self.slots[Slot::Start as usize], (law, contacts), (x0, dt))?;
        let (nv, nu) = (self.model.nv(), self.model.actuators.len());
        let table = |n: usize, direction: fn(usize) -> Direction| {
            let mut out = DMatrix::zeros(2 * nv, n);
            for i in 0..n {
                let column = step.along(direction(i), &self.control)?;
                out.set_column(i, &column);
            }
            Ok::<_, DerivativeError>(out)
        };
        Ok(StepDerivative {
            by_position: table(nv, Direction::Position)?,
            by_velocity: table(nv, Direction::Velocity)?,
            by_control: table(nu, Direction::Control)?,
            by_gains: table(2, Direction::Gain)?,
            velocity: step.v_end.iter().copied().collect(),
        })
    }
}

/// Most evaluations of a step after which its joints are solved again.
const EVALUATIONS: u32 = 20;

/// Takes joints as the contacts of one evaluation leave them.
fn settle(p: &mut Prepared) -> Result<(), ProblemError> {
    let (mut solver, mut out) = (ComfreeSolver::default(), StepSolution::default());
    for _ in 0..EVALUATIONS {
        let start = p.free_velocity().to_vec();
        solver.solve(p, &start, Tolerance::default(), &mut out).map_err(|e| match e {
            SolveError::Problem(e) => e,
            other => ProblemError::Unsupported(other.to_string()),
        })?;
        if !p.relag(&out.gamma)? {
            break;
        }
    }
    Ok(())
}

/// A step with all that its derivatives share.
struct Step<'a, const D: usize> {
    model: &'a Model,
    slot: &'a Prepared,
    law: DualCone,
    contacts: Vec<Contact>,
    x0: &'a State,
    dt: f64,
    /// Without contact, and at the end.
    v_free: DVector<f64>,
    v_end: DVector<f64>,
    /// Rows of contacts, then of limits.
    jac: DMatrix<f64>,
    gamma: DVector<f64>,
    /// A with the slopes of all joint laws.
    inertia: Cholesky<f64, Dyn>,
}

impl<'a, const D: usize> Step<'a, D>
where
    DualCone: ContactLaw<D>,
{
    fn new(
        model: &'a Model,
        slot: &'a Prepared,
        (law, contacts): (DualCone, Vec<Contact>),
        (x0, dt): (&'a State, f64),
    ) -> Result<Self, DerivativeError> {
        let factor = |a: DMatrix<f64>| {
            let singular = ProblemError::NotPositiveDefinite { block: 0, pivot: 0.0 };
            Cholesky::new(a).ok_or(DerivativeError::Problem(singular))
        };
        let problem = &slot.problem;
        let inertia = problem.block_inertia().to_dense();
        let v_free = DVector::from_column_slice(problem.free_velocity());
        let jac = problem.frozen_map().to_dense();
        let mut step = Self {
            model,
            slot,
            law,
            contacts,
            x0,
            dt,
            v_end: v_free.clone(),
            gamma: DVector::zeros(jac.nrows()),
            v_free,
            jac,
            inertia: factor(inertia)?,
        };
        let still = vec![(0.0, DMatrix::zeros(D, model.nv())); step.contacts.len()];
        let none = DMatrix::zeros(model.nv(), model.nv());
        let zero = DVector::zeros(model.nv());
        let (gamma, _) = step.impulses(&still, &none, (&zero, &zero, &zero), [0.0; 2]);
        step.v_end += step.inertia.solve(&(step.jac.transpose() * &gamma));
        step.gamma = gamma;
        Ok(step)
    }

    /// Impulses of all rows and their change; `geometry` holds changes of gaps and Jacobians, `d_inertia` that of the inertia, the vectors those of q₀, v₀ and v*.
    fn impulses(
        &self,
        geometry: &[(f64, DMatrix<f64>)],
        d_inertia: &DMatrix<f64>,
        (dq, dv, dv_free): (&DVector<f64>, &DVector<f64>, &DVector<f64>),
        gains: [f64; 2],
    ) -> (DVector<f64>, DVector<f64>) {
        let (map, inertia) = (self.slot.problem.frozen_map(), self.slot.problem.block_inertia());
        let v0 = DVector::from_column_slice(&self.x0.v);
        let (mut gamma, mut change) = (DVector::zeros(self.jac.nrows()), DVector::zeros(self.jac.nrows()));
        for (k, (gap, d_jac)) in geometry.iter().enumerate() {
            let rows = self.jac.rows(D * k, D);
            let v_c = rows * &self.v_free;
            let dv_c = d_jac * &self.v_free + rows * dv_free;
            let slip = d_jac * &v0 + rows * dv;
            let velocity = Vector3::from_fn(|i, _| if i < D { slip[i] } else { 0.0 });
            let sides = side_tangents(inertia, map, k, (d_jac, d_inertia));
            let tangent: ContactTangent = seed_tangent(*gap, velocity, sides);
            let array = |x: &DVector<f64>| std::array::from_fn::<f64, D, _>(|i| x[i]);
            let seed = &self.slot.contact_seeds[k];
            let (g, d) = self.law.impulse_tangent::<D>(seed, &tangent, (&array(&v_c), &array(&dv_c)), gains);
            gamma.rows_mut(D * k, D).copy_from_slice(&g);
            change.rows_mut(D * k, D).copy_from_slice(&d);
        }
        let from = D * geometry.len();
        for (k, seed) in self.slot.rows.limits.iter().enumerate() {
            let row = self.jac.row(from + k);
            let y = self.inertia.solve(&row.transpose());
            let tangent = [(row * dq)[0], -y.dot(&(d_inertia * &y))];
            let v = ((row * &self.v_free)[0], (row * dv_free)[0]);
            let (g, d) = self.law.limit_tangent(seed, tangent, v, gains);
            (gamma[from + k], change[from + k]) = (g, d);
        }
        (gamma, change)
    }

    /// δq₁ above δv₁ along a direction.
    fn along(&self, direction: Direction, control: &[f64]) -> Result<DVector<f64>, DerivativeError> {
        let (model, slot, dt) = (self.model, self.slot, self.dt);
        let nv = model.nv();
        let unit = |n: usize, i: usize| DVector::from_fn(n, |j, _| f64::from(i == j));
        let (mut dq, mut dv, mut gains, mut du) = (DVector::zeros(nv), DVector::zeros(nv), [0.0; 2], None);
        match direction {
            Direction::Position(i) => dq = unit(nv, i),
            Direction::Velocity(i) => dv = unit(nv, i),
            Direction::Control(i) => du = Some(i),
            Direction::Gain(i) => gains[i] = 1.0,
        }
        let moved = matches!(direction, Direction::Position(_));
        let motion = MotionTangent::new(
            model,
            &slot.kin,
            &self.x0.v,
            (moved.then_some(dq.as_slice()), Some(dv.as_slice())),
        );
        // The residual A v* − M v₀ − δt (τ − c − K x) + Σ Jᵀ ∇ℓ at v*.
        let v0 = DVector::from_column_slice(&self.x0.v);
        let acceleration = (&self.v_free - &v0) / dt;
        let d_force = motion.inverse_dynamics(model, &slot.kin, acceleration.as_slice(), false);
        let mut residual = DVector::from_vec(d_force) * dt - slot.mass.to_dense() * &dv;
        for (dof, d) in model.dofs.iter().enumerate() {
            residual[dof] += dt * model.joints[d.joint].stiffness * dq[dof];
        }
        let d_mass = if moved { self.mass_tangent(&motion) } else { DMatrix::zeros(nv, nv) };
        self.add_joint_laws(&mut residual, (&dq, &dv, du), control);
        let dv_free = -self.inertia.solve(&residual);
        let still = || Ok((0.0, DMatrix::zeros(D, nv)));
        let geometry: Vec<(f64, DMatrix<f64>)> = self
            .contacts
            .iter()
            .map(|c| if moved { c.tangent(model, &slot.kin, &motion, D) } else { still() })
            .collect::<Result<_, _>>()?;
        let (_, d_gamma) = self.impulses(&geometry, &d_mass, (&dq, &dv, &dv_free), gains);
        let mut push = self.jac.transpose() * d_gamma - &d_mass * (&self.v_end - &self.v_free);
        for (k, (_, d_jac)) in geometry.iter().enumerate() {
            push += d_jac.transpose() * self.gamma.rows(D * k, D);
        }
        let dv_end = dv_free + self.inertia.solve(&push);
        let mut out = DVector::zeros(2 * nv);
        self.integrated(&dq, &dv_end, |i, x| out[i] = x);
        out.rows_mut(nv, nv).copy_from(&dv_end);
        Ok(out)
    }

    /// δM along the displacement, column by column.
    fn mass_tangent(&self, motion: &MotionTangent) -> DMatrix<f64> {
        let nv = self.model.nv();
        let mut out = DMatrix::zeros(nv, nv);
        let mut unit = vec![0.0; nv];
        for i in 0..nv {
            unit[i] = 1.0;
            let column = motion.inverse_dynamics(self.model, &self.slot.kin, &unit, true);
            out.set_column(i, &DVector::from_vec(column));
            unit[i] = 0.0;
        }
        out
    }

    /// Adds the change of Jᵀ ∇ℓ of motors at a held velocity; dry friction has none.
    fn add_joint_laws(
        &self,
        residual: &mut DVector<f64>,
        (dq, dv, du): (&DVector<f64>, &DVector<f64>, Option<usize>),
        control: &[f64],
    ) {
        let Some(first) = self.slot.joints_first.as_deref() else { return };
        let driven = self.model.actuators.iter().enumerate().filter(|(_, a)| !a.dofs.is_empty());
        for (k, (i, a)) in driven.enumerate() {
            if !first.rows.is_linear(k) {
                continue;
            }
            let row = first.rows.row(k);
            let [_, by_length, by_rate] = a.bias;
            let implicit = -(self.dt * by_length + by_rate) > 0.0;
            let mut bias = by_length * row.dot(dq.as_slice());
            if !implicit {
                bias += by_rate * row.dot(dv.as_slice());
            }
            let free = a.control_range.is_none_or(|[l, h]| l < control[i] && control[i] < h);
            if du == Some(i) && free {
                bias += a.gain[0];
            }
            row.add_scaled(-self.dt * bias, residual.as_mut_slice());
        }
    }

    /// δq₁ of q₁ = q₀ ⊕ δt·v₁ in the coordinates of v.
    fn integrated(&self, dq: &DVector<f64>, dv: &DVector<f64>, mut set: impl FnMut(usize, f64)) {
        let dt = self.dt;
        for j in &self.model.joints {
            let (plain, turns) = match j.kind {
                JointKind::Hinge | JointKind::Slide => (j.v..j.v + 1, None),
                JointKind::Ball => (j.v..j.v, Some(j.v)),
                JointKind::Free => (j.v..j.v + 3, Some(j.v + 3)),
            };
            plain.for_each(|i| set(i, dq[i] + dt * dv[i]));
            if let Some(at) = turns {
                let three = |x: &DVector<f64>| Vector3::new(x[at], x[at + 1], x[at + 2]);
                let turn = dt * three(&self.v_end);
                let d = UnitQuaternion::from_scaled_axis(-turn) * three(dq)
                    + dt * right_jacobian(&turn, &three(dv));
                (0..3).for_each(|i| set(at + i, d[i]));
            }
        }
    }
}

/// J_r(θ) x: exp(θ + x) = exp(θ) exp(J_r(θ) x) to first order.
fn right_jacobian(theta: &Vector3<f64>, x: &Vector3<f64>) -> Vector3<f64> {
    let t = theta.norm();
    // (1 − cos t)/t² and (t − sin t)/t³; by their series where these lose digits.
    let (a, b) = if t < 1e-3 {
        (0.5 - t * t / 24.0, 1.0 / 6.0 - t * t / 120.0)
    } else {
        ((1.0 - t.cos()) / (t * t), (t - t.sin()) / (t * t * t))
    };
    let once = theta.cross(x);
    x - a * once + b * theta.cross(&once)
}
