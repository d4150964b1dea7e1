use signorini_core::na::{Cholesky, DMatrix, DVector, Dyn, UnitQuaternion, Vector3};
use signorini_core::{
    ContactSolver, Pool, ProblemError, Slot, SolveError, State, StepProblem, StepSolution, SweptLaw, System,
    Tolerance,
};
use signorini_geometry::Shape;
use signorini_laws::{ContactTangent, DualCone, DualConeLaw, PublishedDualCone};
use signorini_scene::{JointKind, Transmission};

use super::contact::{Contact, seed_tangent, side_tangents};
use super::flow::{FlowChange, FlownTrees};
use super::motion::MotionTangent;
use super::{DerivativeError, StepDerivative};
use crate::dynamics::free_bodies::FreeBodies;
use crate::step::contact_problem::ContactProblem;
use crate::step::joints_first::JointsFirst;
use crate::step::pools::CONTACT;
use crate::step::prepared::Prepared;
use crate::step::rigid_problem::RigidProblem;
use crate::{Model, RigidSystem};

/// One direction in which a step is differentiated.
#[derive(Clone, Copy)]
enum Direction {
    Position(usize),
    Velocity(usize),
    Control(usize),
    Gain(usize),
}

/// Steps without a derivative here, and the remedy.
const TOGETHER: &str = "a step that solves joints with contacts";
const FIRST: &str = "set RigidOptions::joints_first";

/// Change of state, controls and gains.
struct Change {
    dq: DVector<f64>,
    dv: DVector<f64>,
    /// The control that changes by one.
    du: Option<usize>,
    gains: [f64; 2],
}

impl Change {
    fn none(model: &Model) -> Self {
        let zero = DVector::zeros(model.nv());
        Self { dq: zero.clone(), dv: zero, du: None, gains: [0.0; 2] }
    }
}

fn unsupported(what: impl Into<String>, remedy: &'static str) -> DerivativeError {
    DerivativeError::Unsupported { what: what.into(), remedy }
}

impl RigidSystem {
    /// The derivative of one step of one evaluation with respect to position, velocity, controls and gains, for
    /// a system with [`RigidLaws::dual_cone`](crate::RigidLaws::dual_cone), or the published one, and `joints_first`. `solver` makes the
    /// evaluation: `ComfreeSolver::default()` of `signorini-comfree`, as under `ContactStep`.
    ///
    /// Analytic: every part of the step is differentiated along each direction (papers/borse2026comfree, "Derivative of a step"). Exact where the step is
    /// differentiable: everywhere with `DualCone::smoothing` > 0, but for gaps at zero, contacts that come into reach, motors at the edge of their effort and, with
    /// `DualCone::acting`, contacts that begin to act.
    ///
    /// # Errors
    /// [`DerivativeError`] with the part of the scene that is not differentiated; as [`System::prepare`].
    pub fn comfree_derivative(
        &mut self,
        solver: &mut dyn ContactSolver,
        x0: &State,
        dt: f64,
    ) -> Result<StepDerivative, DerivativeError> {
        self.check_differentiable()?;
        self.prepare(Slot::Start, x0, dt)?;
        let solution = settle(self.problem(Slot::Start, dt)?, solver)?;
        let mut end = x0.clone();
        self.commit(Slot::Start, x0, dt, &solution, &mut end)?;
        let made = self.derivative_under::<DualCone>(dt);
        made.or_else(|| self.derivative_under::<PublishedDualCone>(dt)).unwrap_or_else(|| {
            Err(unsupported("this contact law", "make the system with RigidLaws::dual_cone"))
        })
    }

    /// The derivative where contacts have a law `L`.
    fn derivative_under<L: DualConeLaw>(&self, dt: f64) -> Option<Result<StepDerivative, DerivativeError>> {
        let pool = self.frozen_problem(Slot::Start).pools().members()[CONTACT].as_any();
        if let Some(p) = pool.downcast_ref::<Pool<L, 1>>() {
            return Some(self.derivative_of::<L, 1>(*p.law(), dt));
        }
        if let Some(p) = pool.downcast_ref::<Pool<L, 3>>() {
            return Some(self.derivative_of::<L, 3>(*p.law(), dt));
        }
        if let Some(p) = pool.downcast_ref::<Pool<L, 4>>() {
            return Some(self.derivative_of::<L, 4>(*p.law(), dt));
        }
        let p = pool.downcast_ref::<Pool<L, 6>>()?;
        Some(self.derivative_of::<L, 6>(*p.law(), dt))
    }

    /// Refuses scenes with parts that are not differentiated.
    fn check_differentiable(&self) -> Result<(), DerivativeError> {
        let model = &self.model;
        if self.options.joints_first.is_none() {
            return Err(unsupported(TOGETHER, FIRST));
        }
        if self.force_field.is_some() {
            return Err(unsupported("a force field", "remove it, or pass its forces as applied forces"));
        }
        if model.has_medium() {
            return Err(unsupported("a medium", "set density and viscosity to zero"));
        }
        if self.contact_model.is_some() {
            return Err(unsupported("a contact model", "remove it; its own derivative is not known"));
        }
        if let Some(e) = model.equalities.iter().find(|e| e.active) {
            return Err(unsupported(format!("equality '{}'", e.name), "switch it off"));
        }
        let springy = |t: &&crate::TendonModel| {
            t.pulls() || t.dry_friction > 0.0 || t.armature > 0.0 || t.range.is_some()
        };
        if let Some(t) = model.tendons.iter().find(springy) {
            return Err(unsupported(
                format!("tendon '{}' with spring, damper, friction, armature or limits", t.name),
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
            if turns && (j.spring.acts() || (j.kind == JointKind::Ball && j.range.is_some())) {
                return Err(unsupported(
                    format!("the spring or limit of joint '{}'", j.name),
                    "use hinges, or remove it",
                ));
            }
            if j.spring.is_curved() || j.damper.is_curved() {
                return Err(unsupported(
                    format!("the spring or damper of joint '{}' with more than one coefficient", j.name),
                    "give one stiffness and one damping",
                ));
            }
        }
        if let Some(b) = model.bodies.iter().find(|b| b.gravity_compensation != 0.0) {
            return Err(unsupported(format!("gravity compensation of body '{}'", b.name), "remove it"));
        }
        if self.settings.surface_velocity.iter().any(|v| *v != Vector3::zeros()) {
            return Err(unsupported("a moving surface", "set the surface velocity to zero"));
        }
        Ok(())
    }

    fn derivative_of<L: DualConeLaw, const D: usize>(
        &self,
        law: L,
        dt: f64,
    ) -> Result<StepDerivative, DerivativeError> {
        if SweptLaw::<1>::memory(&law) > 0.0 {
            return Err(unsupported("memory of contacts", "set DualCone::memory to 0"));
        }
        let place = |g: usize| {
            let collider = self.search.collision.collider(g)?;
            let x_wb = &self.slots[Slot::Start as usize].at.kin.x_wb[collider.body];
            Some((&collider.shape, x_wb * collider.pose, collider.name.as_str()))
        };
        let mut contacts = Vec::new();
        for (k, c) in self.search.found.iter().enumerate() {
            let [Some(a), Some(b)] = c.geoms.map(place) else { continue };
            // Corners of a patch are where edges cross; those on a half-space are corners of the body.
            let plane = [&a, &b].iter().any(|g| matches!(g.0, Shape::HalfSpace));
            let next = self.search.found.get(k + 1);
            if !plane && next.is_some_and(|n| n.geoms == c.geoms) {
                return Err(unsupported(
                    format!("the patch over which geoms '{}' and '{}' touch", a.2, b.2),
                    "tilt one so that they touch in a point, or let one be a half-space",
                ));
            }
            contacts.push(Contact::new(*c, [a, b])?);
        }
        let slot = &self.slots[Slot::Start as usize];
        let RigidProblem::JointsFirst(first) = &slot.problem else {
            return Err(unsupported(TOGETHER, FIRST));
        };
        let step =
            Step::<L, D>::new(&self.model, slot, first, &self.settings.free_bodies, law, contacts, dt)?;
        let mut flown = FlownTrees::of(&self.model, &slot.at.x0, &self.free_trees, dt);
        let (nv, nu) = (self.model.nv(), self.model.actuators.len());
        let mut table = |n: usize, direction: fn(usize) -> Direction| {
            let mut out = DMatrix::zeros(2 * nv, n);
            for i in 0..n {
                let mut column = step.along(direction(i), &self.held.control)?;
                flown.along(&step.change(direction(i), &self.held.control), &mut column);
                out.set_column(i, &column);
            }
            Ok::<_, DerivativeError>(out)
        };
        let by_position = table(nv, Direction::Position)?;
        let by_velocity = table(nv, Direction::Velocity)?;
        let by_control = table(nu, Direction::Control)?;
        let by_gains = table(2, Direction::Gain)?;
        let mut velocity = step.velocity();
        flown.set_velocity(&mut velocity);
        Ok(StepDerivative { by_position, by_velocity, by_control, by_gains, velocity })
    }
}

/// Most evaluations of a step after which its joints are solved again.
const EVALUATIONS: u32 = 20;

/// Takes joints as the contacts of one evaluation leave them; the solution.
fn settle(p: &mut dyn StepProblem, solver: &mut dyn ContactSolver) -> Result<StepSolution, ProblemError> {
    let mut out = StepSolution::default();
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
    Ok(out)
}

/// A step with all that its derivatives share.
struct Step<'a, L, const D: usize> {
    model: &'a Model,
    slot: &'a Prepared,
    first: &'a JointsFirst,
    free_bodies: &'a FreeBodies,
    law: L,
    contacts: Vec<Contact>,
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

impl<'a, L: DualConeLaw, const D: usize> Step<'a, L, D> {
    fn new(
        model: &'a Model,
        slot: &'a Prepared,
        first: &'a JointsFirst,
        free_bodies: &'a FreeBodies,
        law: L,
        contacts: Vec<Contact>,
        dt: f64,
    ) -> Result<Self, DerivativeError> {
        let factor = |a: DMatrix<f64>| {
            let singular = ProblemError::NotPositiveDefinite { block: 0, pivot: 0.0 };
            Cholesky::new(a).ok_or(DerivativeError::Problem(singular))
        };
        let problem = &first.contacts.frozen;
        let inertia = problem.block_inertia().to_dense();
        let v_free = DVector::from_column_slice(problem.free_velocity());
        let jac = problem.frozen_map().to_dense();
        let mut step = Self {
            model,
            slot,
            first,
            free_bodies,
            law,
            contacts,
            dt,
            v_end: v_free.clone(),
            gamma: DVector::zeros(jac.nrows()),
            v_free,
            jac,
            inertia: factor(inertia)?,
        };
        let still = vec![(0.0, DMatrix::zeros(D, model.nv())); step.contacts.len()];
        let none = DMatrix::zeros(model.nv(), model.nv());
        let (gamma, _) = step.impulses(&still, &none, &Change::none(model), &DVector::zeros(model.nv()));
        step.v_end += step.inertia.solve(&(step.jac.transpose() * &gamma));
        step.gamma = gamma;
        Ok(step)
    }

    /// Impulses of all rows and their change; `geometry` holds changes of gaps and Jacobians, `d_inertia` that of the inertia, `dv_free` that of v*.
    fn impulses(
        &self,
        geometry: &[(f64, DMatrix<f64>)],
        d_inertia: &DMatrix<f64>,
        change: &Change,
        dv_free: &DVector<f64>,
    ) -> (DVector<f64>, DVector<f64>) {
        let d_lag = self.lag_tangent(change, dv_free);
        let Change { dq, dv, gains, .. } = change;
        let ContactProblem { frozen, seeds, limits, .. } = &self.first.contacts;
        let (map, inertia) = (frozen.frozen_map(), frozen.block_inertia());
        let v0 = DVector::from_column_slice(&self.slot.at.x0.v);
        let (mut gamma, mut change) = (DVector::zeros(self.jac.nrows()), DVector::zeros(self.jac.nrows()));
        let lag = self.slot.flight.lag();
        for (k, (gap, d_jac)) in geometry.iter().enumerate() {
            let rows = self.jac.rows(D * k, D);
            let mut v_c = rows * &self.v_free;
            v_c.iter_mut().zip(&map.bias()[D * k..]).for_each(|(v, b)| *v += b);
            let dv_c = d_jac * &self.v_free + rows * dv_free;
            let slip = d_jac * &v0 + rows * dv;
            let velocity = Vector3::from_fn(|i, _| if i < D { slip[i] } else { 0.0 });
            let sides = side_tangents(inertia, map, k, d_jac, d_inertia);
            let mut gap = *gap;
            if !lag.is_empty() {
                let normal = DVector::from_column_slice(lag).dot(&d_jac.row(0).transpose());
                gap -= self.dt * (normal + (rows.row(0) * &d_lag)[0]);
            }
            let tangent: ContactTangent = seed_tangent(gap, velocity, sides);
            let array = |x: &DVector<f64>| std::array::from_fn::<f64, D, _>(|i| x[i]);
            let seed = &seeds[k];
            let (g, d) = self.law.impulse_tangent::<D>(seed, &tangent, (&array(&v_c), &array(&dv_c)), *gains);
            gamma.rows_mut(D * k, D).copy_from_slice(&g);
            change.rows_mut(D * k, D).copy_from_slice(&d);
        }
        let from = D * geometry.len();
        for (k, seed) in limits.seeds.iter().enumerate() {
            let row = self.jac.row(from + k);
            let y = self.inertia.solve(&row.transpose());
            let tangent = [(row * dq)[0], -y.dot(&(d_inertia * &y))];
            let v = ((row * &self.v_free)[0], (row * dv_free)[0]);
            let (g, d) = self.law.limit_tangent(seed, tangent, v, *gains);
            (gamma[from + k], change[from + k]) = (g, d);
        }
        (gamma, change)
    }

    /// δw of the bodies that fly, nv.
    fn lag_tangent(&self, Change { dq, dv, .. }: &Change, dv_free: &DVector<f64>) -> DVector<f64> {
        let x0 = &self.slot.at.x0;
        let mut out = DVector::zeros(dv.len());
        let changes = [dq.as_slice(), dv_free.as_slice(), dv.as_slice()];
        for b in self.slot.flight.bodies() {
            let v = [self.v_free.as_slice(), &x0.v];
            self.free_bodies.set_lag_tangent(*b, &x0.q, v, changes, out.as_mut_slice());
        }
        out
    }

    /// Change of state and of forces \[N or N·m\] along a direction: trees that move freely have motors of constant force alone.
    fn change(&self, direction: Direction, control: &[f64]) -> FlowChange {
        let nv = self.model.nv();
        let unit = |i: usize| DVector::from_fn(nv, |j, _| f64::from(i == j));
        let mut out = FlowChange { dq: DVector::zeros(nv), dv: DVector::zeros(nv), df: DVector::zeros(nv) };
        match direction {
            Direction::Position(i) => out.dq = unit(i),
            Direction::Velocity(i) => out.dv = unit(i),
            Direction::Control(i) => {
                let change = Change { du: Some(i), ..Change::none(self.model) };
                self.add_joint_laws(&mut out.df, &change, control);
                out.df /= -self.dt;
            }
            Direction::Gain(_) => {}
        }
        out
    }

    /// δq₁ above δv₁ along a direction.
    fn along(&self, direction: Direction, control: &[f64]) -> Result<DVector<f64>, DerivativeError> {
        let (model, slot, dt) = (self.model, self.slot, self.dt);
        let nv = model.nv();
        let unit = |n: usize, i: usize| DVector::from_fn(n, |j, _| f64::from(i == j));
        let mut change = Change::none(model);
        match direction {
            Direction::Position(i) => change.dq = unit(nv, i),
            Direction::Velocity(i) => change.dv = unit(nv, i),
            Direction::Control(i) => change.du = Some(i),
            Direction::Gain(i) => change.gains[i] = 1.0,
        }
        let Change { dq, dv, .. } = &change;
        let moved = matches!(direction, Direction::Position(_));
        let motion = MotionTangent::new(
            model,
            &slot.at.kin,
            &slot.at.x0.v,
            moved.then_some(dq.as_slice()),
            Some(dv.as_slice()),
        );
        // The residual A v* − M v₀ − δt (τ − c − K x) + Σ Jᵀ ∇ℓ at v*.
        let v0 = DVector::from_column_slice(&slot.at.x0.v);
        let acceleration = (&self.v_free - &v0) / dt;
        let d_force = motion.inverse_dynamics(model, &slot.at.kin, acceleration.as_slice(), true, &|b| {
            self.free_bodies.has(b)
        });
        let mut residual = DVector::from_vec(d_force) * dt - slot.motion.mass.to_dense() * dv;
        for (dof, d) in model.dofs.iter().enumerate() {
            residual[dof] += dt * d.spring.stiffness(0.0) * dq[dof];
        }
        let d_mass = if moved { self.mass_tangent(&motion) } else { DMatrix::zeros(nv, nv) };
        self.add_joint_laws(&mut residual, &change, control);
        let dv_free = -self.inertia.solve(&residual);
        let still = || Ok((0.0, DMatrix::zeros(D, nv)));
        let geometry: Vec<(f64, DMatrix<f64>)> = self
            .contacts
            .iter()
            .map(|c| if moved { c.tangent(model, &slot.at.kin, &motion, D) } else { still() })
            .collect::<Result<_, _>>()?;
        let (_, d_gamma) = self.impulses(&geometry, &d_mass, &change, &dv_free);
        let mut push = self.jac.transpose() * d_gamma - &d_mass * (&self.v_end - &self.v_free);
        for (k, (_, d_jac)) in geometry.iter().enumerate() {
            push += d_jac.transpose() * self.gamma.rows(D * k, D);
        }
        let dv_end = &dv_free + self.inertia.solve(&push);
        let mut out = DVector::zeros(2 * nv);
        self.integrated(dq, &dv_end, |i, x| out[i] = x);
        out.rows_mut(nv, nv).copy_from(&dv_end);
        let d_lag = self.lag_tangent(&change, &dv_free);
        let (end, change) = (self.v_end.as_slice(), [dq.as_slice(), dv_end.as_slice(), d_lag.as_slice()]);
        self.free_bodies.advance_tangent(&slot.at.x0.q, end, change, dt, |i, x, v| {
            (out[i], out[nv + i]) = (x, v);
        });
        Ok(out)
    }

    /// v₁.
    fn velocity(&self) -> Vec<f64> {
        let mut out = self.v_end.as_slice().to_vec();
        let (q0, end) = (&self.slot.at.x0.q, self.v_end.as_slice());
        self.free_bodies.advance(q0, [end, &[], &[]], self.dt, [&mut q0.clone(), &mut out]);
        out
    }

    /// δM along the displacement, column by column.
    fn mass_tangent(&self, motion: &MotionTangent) -> DMatrix<f64> {
        let nv = self.model.nv();
        let mut out = DMatrix::zeros(nv, nv);
        let mut unit = vec![0.0; nv];
        for i in 0..nv {
            unit[i] = 1.0;
            let column = motion.inverse_dynamics(self.model, &self.slot.at.kin, &unit, false, &|_| true);
            out.set_column(i, &DVector::from_vec(column));
            unit[i] = 0.0;
        }
        out
    }

    /// Adds the change of Jᵀ ∇ℓ of motors at a held velocity; dry friction has none.
    fn add_joint_laws(&self, residual: &mut DVector<f64>, change: &Change, control: &[f64]) {
        let (Change { dq, dv, du, .. }, rows) = (change, &self.first.joints.rows);
        let driven = self.model.actuators.iter().enumerate().filter(|(_, a)| !a.dofs.is_empty());
        for (k, (i, a)) in driven.enumerate() {
            if !rows.is_linear(k) {
                continue;
            }
            let row = rows.row(k);
            let [_, by_length, by_rate] = a.bias;
            let implicit = -(self.dt * by_length + by_rate) > 0.0;
            let mut bias = by_length * row.dot(dq.as_slice());
            if !implicit {
                bias += by_rate * row.dot(dv.as_slice());
            }
            let free = a.control_range.is_none_or(|[l, h]| l < control[i] && control[i] < h);
            if *du == Some(i) && free {
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
