use signorini_core::na::SVector;
use signorini_core::{BlockDiagonal, FrozenMap, FrozenProblem, Pools, State};
use signorini_laws::{DryFrictionSeed, GainSeed, LimitSeed, NearRigidSeed};
use signorini_scene::JointKind;

use crate::actuation::gains::{GainRow, drives, gain};
use crate::actuation::inputs::Inputs;
use crate::actuation::transmission::straight;
use crate::kinematics::rotation::quaternion_at;
use crate::step::joints_first::{self, JointsFirst};
use crate::step::pools::{EQUALITY_1, EQUALITY_3, FRICTION, GAIN};
use crate::{
    ActuatorState, DofModel, EqualityInput, JointModel, Kinematics, Model, SparseRow, TendonModel,
    TendonState,
};

/// Largest speed at which a violated limit or equality is undone \[m/s or rad/s\].
const RECOVERY_SPEED: f64 = 1.0;

/// Everything beside contacts that is a law: limits, dry friction, effort-limited actuators, tendon springs, equality constraints.
pub(crate) struct JointRows {
    pub limits: Vec<LimitSeed>,
    pub frictions: Vec<DryFrictionSeed>,
    gains: Vec<GainRow>,
    gain_seeds: Vec<GainSeed>,
    equalities_1: Vec<NearRigidSeed<1>>,
    equalities_3: Vec<NearRigidSeed<3>>,
    /// Jacobian of one equality, rows × nv, column-major.
    scratch: Vec<f64>,
    forces: Vec<f64>,
    tau: Vec<f64>,
    /// Some actuators share the limit of a joint or tendon, or count gravity compensation within it: these act explicitly.
    shared: bool,
    /// Limits and rows of gains are all there is, and gains are solved before contacts: no row needs to be weighed by M.
    pub lean: bool,
    /// Rows of gains are the same in all states.
    stay: bool,
    limited: Vec<LimitedJoint>,
}

/// A joint with limits, what is looked at in every step.
#[derive(Clone, Copy, Debug)]
struct LimitedJoint {
    joint: usize,
    q: usize,
    v: usize,
    /// None: a ball.
    range: Option<[f64; 2]>,
    margin: f64,
}

impl LimitedJoint {
    fn new((joint, of): (usize, &JointModel)) -> Option<Self> {
        let range = of.range?;
        let range = match of.kind {
            JointKind::Hinge | JointKind::Slide => Some(range),
            JointKind::Ball => None,
            JointKind::Free => return None,
        };
        Some(Self { joint, q: of.q, v: of.v, range, margin: of.limit_margin })
    }
}

impl JointRows {
    pub(crate) fn new(model: &Model, joints_first: bool) -> Self {
        let acts = |t: &TendonModel| t.stiffness > 0.0 || t.damping > 0.0 || t.dry_friction > 0.0;
        let compensated = model.joints.iter().any(|j| j.actuator_gravity_compensation);
        Self {
            limits: Vec::new(),
            frictions: Vec::new(),
            gains: Vec::new(),
            gain_seeds: Vec::new(),
            equalities_1: Vec::new(),
            equalities_3: Vec::new(),
            scratch: vec![0.0; 6 * model.nv()],
            forces: vec![0.0; model.actuators.len()],
            tau: vec![0.0; model.nv()],
            lean: joints_first && model.equalities.iter().all(|e| !e.active),
            limited: model.joints.iter().enumerate().filter_map(LimitedJoint::new).collect(),
            stay: model.actuators.iter().all(|a| straight(model, &a.transmission).is_some())
                && !model.tendons.iter().any(acts),
            shared: compensated || model.actuators.iter().any(|a| a.shares_limit),
        }
    }

    /// Forces of the actuators that share limits, at x₀, added to `force`.
    pub(crate) fn set_explicit_actuators(
        &mut self,
        i: &Inputs<'_>,
        kin: &Kinematics,
        actuators: &ActuatorState,
        z: &[f64],
        force: &mut [f64],
    ) {
        if !self.shared {
            return;
        }
        i.model.actuator_forces(kin, actuators, (z, i.control, 0.0), &mut self.forces, &mut self.tau);
        for (a, actuator) in i.model.actuators.iter().enumerate().filter(|(_, a)| !a.shares_limit) {
            let f = self.forces[a].clamp(actuator.effort[0], actuator.effort[1]);
            actuators.row(i.model, a).add_scaled(-f, &mut self.tau);
        }
        force.iter_mut().zip(&self.tau).for_each(|(f, t)| *f += t);
    }

    /// Collects what acts between joints where it is solved before contacts: all but limits.
    pub(crate) fn set_first(
        &mut self,
        i: &Inputs<'_>,
        (kin, tendons, actuators): (&Kinematics, &TendonState, &ActuatorState),
        x0: &State,
        mass: &BlockDiagonal,
        first: &mut JointsFirst,
    ) {
        let model = i.model;
        if !self.stay || self.gains.is_empty() {
            self.set_gains(i);
            let stuck = |(dof, m): (usize, &DofModel)| {
                (model.joints[m.joint].dry_friction > 0.0).then_some(GainRow::Friction(dof))
            };
            self.gains.extend(model.dofs.iter().enumerate().filter_map(stuck));
            let stuck = |t: &TendonModel| t.dry_friction > 0.0 && !t.dofs.is_empty();
            let numbers = |(t, m)| stuck(m).then_some(GainRow::TendonFriction(t));
            self.gains.extend(model.tendons.iter().enumerate().filter_map(numbers));
            first.rows.clear();
            self.gains.iter().for_each(|g| first.rows.push(model, g.row(model, tendons, actuators)));
        }
        if !self.lean {
            let map = first.problem.parts_mut().map;
            map.clear();
            first.rows.push_onto(map);
            self.set_equalities(model, EqualityInput { q: &x0.q, kin, tendons }, mass, map);
        }
    }

    /// Pushes the rows of the map after those of limits, in the order of the pools, and collects what does not depend on the step size.
    pub(crate) fn set(
        &mut self,
        i: &Inputs<'_>,
        (kin, tendons, actuators): (&Kinematics, &TendonState, &ActuatorState),
        x0: &State,
        mass: &BlockDiagonal,
        map: &mut FrozenMap,
    ) {
        self.set_gains(i);
        self.set_frictions(i, tendons, mass, map);
        for gain in &self.gains {
            gain.row(i.model, tendons, actuators).push_onto(map, 1.0);
        }
        self.set_equalities(i.model, EqualityInput { q: &x0.q, kin, tendons }, mass, map);
    }

    fn set_gains(&mut self, i: &Inputs<'_>) {
        self.gains.clear();
        self.gains.extend(drives(i));
    }

    /// Pushes the rows of limits that may be met, the first after contacts.
    pub(crate) fn set_limits(
        &mut self,
        i: &Inputs<'_>,
        tendons: &TendonState,
        (x0, drive, horizon): (&State, &[f64], f64),
        mass: &BlockDiagonal,
        map: &mut FrozenMap,
    ) {
        self.limits.clear();
        if !i.limits {
            return;
        }
        let model = i.model;
        // Rows that cannot be reached are left out: by twice the present rate and what drives it, plus a tenth for other accelerations.
        let reach =
            |margin: f64, rate: f64, drive: f64| margin + horizon * (2.0 * rate.abs() + drive.abs()) + 0.1;
        let mut push = |gaps: &[(f64, f64)], rate: f64, (margin, reference, solimp), row: SparseRow<'_>| {
            let reach = reach(margin, rate, row.dot(drive));
            for &(gap, sign) in gaps.iter().filter(|(gap, _)| *gap < reach) {
                row.push_onto(map, sign);
                // The inertia that gains are part of is known later.
                let w = if self.lean { 0.0 } else { mean_delassus(mass, map, map.constraint_count() - 1) };
                self.limits.push(LimitSeed {
                    dt: 0.0,
                    gap,
                    inverse_mass: w,
                    recovery_speed: RECOVERY_SPEED,
                    spring: None,
                    reference,
                    solimp,
                    contacts: 1,
                });
            }
        };
        for limited in &self.limited {
            let LimitedJoint { joint, q, v, range, margin } = *limited;
            let joint = &model.joints[joint];
            if let Some([low, high]) = range {
                let (q, rate) = (x0.q[q], x0.v[v]);
                if (q - low).min(high - q) < reach(margin, rate, drive[v]) {
                    let about = (margin, i.reference.dofs[v], joint.limit_sol.solimp);
                    let row = SparseRow { dofs: &[v], values: &[1.0] };
                    push(&[(q - low, 1.0), (high - q, -1.0)], rate, about, row);
                }
            } else if let Some([_, high]) = joint.range {
                // The rate of the angle is the angular velocity along the rotation axis, which is the same in both frames.
                let turn = crate::kinematics::rotation::rotation_vector(&quaternion_at(&x0.q, q));
                let angle = turn.norm();
                if angle > 1e-6 {
                    let axis = turn / angle;
                    let row = SparseRow { dofs: &[v, v + 1, v + 2], values: axis.as_slice() };
                    let about = (margin, i.reference.dofs[v], joint.limit_sol.solimp);
                    push(&[(high - angle, -1.0)], row.dot(&x0.v), about, row);
                }
            }
        }
        for (t, tendon) in model.tendons.iter().enumerate() {
            let Some([low, high]) = tendon.range else { continue };
            if tendon.dofs.is_empty() {
                continue;
            }
            let (l, rate, row) = (tendons.length[t], tendons.rate[t], tendons.row(model, t));
            let about = (tendon.limit_margin, i.reference.tendons[t], tendon.limit_sol.solimp);
            push(&[(l - low, 1.0), (high - l, -1.0)], rate, about, row);
        }
    }

    fn set_frictions(
        &mut self,
        i: &Inputs<'_>,
        tendons: &TendonState,
        mass: &BlockDiagonal,
        map: &mut FrozenMap,
    ) {
        self.frictions.clear();
        let model = i.model;
        let mut push = |force: f64, row: SparseRow<'_>| {
            row.push_onto(map, 1.0);
            let w = mean_delassus(mass, map, map.constraint_count() - 1);
            self.frictions.push(DryFrictionSeed {
                dt: 0.0,
                force,
                stiction_speed: i.stiction_speed,
                inverse_mass: w,
            });
        };
        for joint in model.joints.iter().filter(|j| j.dry_friction > 0.0) {
            for dof in joint.v..joint.v + joint.kind.nv() {
                push(joint.dry_friction, SparseRow { dofs: &[dof], values: &[1.0] });
            }
        }
        for (t, tendon) in model.tendons.iter().enumerate() {
            if tendon.dry_friction > 0.0 && !tendon.dofs.is_empty() {
                push(tendon.dry_friction, tendons.row(model, t));
            }
        }
    }

    /// One-row equalities first, then those of three rows; a weld is two of the latter, translation and rotation.
    fn set_equalities(
        &mut self,
        model: &Model,
        at: EqualityInput<'_>,
        mass: &BlockDiagonal,
        map: &mut FrozenMap,
    ) {
        self.equalities_1.clear();
        self.equalities_3.clear();
        for wide in [false, true] {
            for (e, equality) in model.equalities.iter().enumerate() {
                let rows = equality.rows;
                if !equality.active || equality.trees.is_empty() || (rows > 1) != wide {
                    continue;
                }
                let mut residual = [0.0; 6];
                let jac = &mut self.scratch[..rows * model.nv()];
                jac.fill(0.0);
                model.equality(e, at, &mut residual, |dof, entries| {
                    jac[rows * dof..rows * (dof + 1)].iter_mut().zip(entries).for_each(|(j, x)| *j += x);
                });
                let spring = equality.stiffness.map(|k| [k, equality.damping]);
                for group in 0..rows.div_ceil(3) {
                    let (from, dim) = (3 * group, rows.min(3));
                    map.push_constraint(&[0.0; 3][..dim]);
                    for &t in &equality.trees {
                        let dofs = model.trees[t].dofs.clone();
                        let block = map.push_block(t);
                        for (k, dof) in dofs.enumerate() {
                            let column = &jac[rows * dof + from..rows * dof + from + dim];
                            block[k * dim..(k + 1) * dim].copy_from_slice(column);
                        }
                    }
                    let k = map.constraint_count() - 1;
                    let w = mean_delassus(mass, map, k);
                    let gap = &residual[from..from + dim];
                    if dim == 1 {
                        let gap = SVector::from([gap[0]]);
                        self.equalities_1.push(NearRigidSeed {
                            dt: 0.0,
                            gap,
                            inverse_mass: w,
                            recovery_speed: RECOVERY_SPEED,
                            spring,
                        });
                    } else {
                        let gap = SVector::from([gap[0], gap[1], gap[2]]);
                        self.equalities_3.push(NearRigidSeed {
                            dt: 0.0,
                            gap,
                            inverse_mass: w,
                            recovery_speed: RECOVERY_SPEED,
                            spring,
                        });
                    }
                }
            }
        }
    }

    /// Seeds for a step size, of all rows but limits.
    pub(crate) fn set_seeds(
        &mut self,
        i: &Inputs<'_>,
        state: (&TendonState, &ActuatorState, &[f64]),
        dt: f64,
    ) {
        self.frictions.iter_mut().for_each(|s| s.dt = dt);
        self.equalities_1.iter_mut().for_each(|s| s.dt = dt);
        self.equalities_3.iter_mut().for_each(|s| s.dt = dt);
        self.gain_seeds.clear();
        self.gain_seeds.extend(self.gains.iter().map(|row| gain(row, i, state, dt)));
    }

    /// Laws of all rows but limits.
    pub(crate) fn fill_pools(&self, pools: &mut Pools) {
        pools.member_mut(FRICTION).reset(&self.frictions);
        pools.member_mut(GAIN).reset(&self.gain_seeds);
        pools.member_mut(EQUALITY_1).reset(&self.equalities_1);
        pools.member_mut(EQUALITY_3).reset(&self.equalities_3);
    }

    /// The same where joints are solved before contacts.
    pub(crate) fn fill_joints_first(&self, first: &mut JointsFirst) {
        first.rows.set_seeds(&self.gain_seeds);
        let pools = first.problem.parts_mut().pools;
        pools.member_mut(joints_first::EQUALITY_1).reset(&self.equalities_1);
        pools.member_mut(joints_first::EQUALITY_3).reset(&self.equalities_3);
    }
}

/// Floor of inverse masses \[1/kg\] that keeps rows without moment arm harmless.
pub(crate) const LIGHTEST: f64 = 1e-12;

/// Mean diagonal entry of J M⁻¹ Jᵀ of a constraint.
fn mean_delassus(mass: &BlockDiagonal, map: &FrozenMap, k: usize) -> f64 {
    let w = match map.rows_of(k).1 {
        1 => FrozenProblem::inverse_mass(mass, map, k),
        d => FrozenProblem::delassus(mass, map, k).trace() / d as f64,
    };
    w.max(LIGHTEST)
}
