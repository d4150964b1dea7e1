use signorini_core::na::{SVector, Vector3};
use signorini_core::{BlockDiagonal, FrozenMap, GeneralizedImpulses, Pools};
use signorini_laws::{DryFrictionSeed, GainSeed, NearRigidSeed, Softness};
use signorini_scene::{ConstraintDefaults, EqualityKind};

use crate::actuation::gains::{GainRow, drives, gain};
use crate::actuation::inputs::Inputs;
use crate::actuation::state_kinematics::StateKinematics;
use crate::actuation::transmission::straight;
use crate::step::joint_solve::{self, JointSolve};
use crate::step::pools::{EQUALITY_1, EQUALITY_3, FRICTION, GAIN};
use crate::step::row_mass::mean_delassus;
use crate::{DofModel, EqualityModel, Model, SparseRow, TendonModel, TendonState};

/// Up to three rows of an equality.
struct EqualityRow<'a> {
    gap: &'a [f64],
    rates: &'a [f64],
    inverse_mass: f64,
    spring: Option<[f64; 2]>,
    softness: Option<Softness>,
}

impl EqualityRow<'_> {
    /// Seed of its law without the step size.
    fn seed<const D: usize>(&self, defaults: &ConstraintDefaults) -> NearRigidSeed<D> {
        NearRigidSeed {
            dt: 0.0,
            gap: SVector::from_column_slice(self.gap),
            inverse_mass: self.inverse_mass,
            recovery_speed: defaults.recovery_speed,
            shortest_step: defaults.shortest_step,
            spring: self.spring,
            softness: self.softness,
            velocity: SVector::from_column_slice(self.rates),
        }
    }
}

/// Softness of the rows of a group of an equality whose solref the file states, by their inverse mass at the reference configuration; `w` is that of now,
/// for rows that have none there. Rotations of welds count as twice the vector part of a quaternion, MuJoCo's rows: four times its inverse inertia,
/// half its residual in the impedance.
fn softness(
    i: &Inputs<'_>,
    equality: &EqualityModel,
    group: usize,
    residual: &[f64; 6],
    w: f64,
) -> Option<Softness> {
    if !equality.is_soft() {
        return None;
    }
    let (model, reference) = (i.model, &i.settings.reference);
    let of_joint = |j: usize| reference.dofs[model.joints[j].v];
    let known = match &equality.kind {
        EqualityKind::Connect { body_a, body_b, .. }
        | EqualityKind::Weld { body_a, body_b, .. }
        | EqualityKind::Distance { body_a, body_b, .. } => {
            reference.bodies[*body_a] + reference.bodies[*body_b]
        }
        EqualityKind::Joint { joint_1, joint_2, .. } => of_joint(*joint_1) + joint_2.map_or(0.0, of_joint),
        EqualityKind::Tendon { tendon_1, tendon_2, .. } => {
            reference.tendons[*tendon_1] + tendon_2.map_or(0.0, |t| reference.tendons[t])
        }
    };
    let known = match &equality.kind {
        EqualityKind::Weld { body_a, body_b, .. } if group == 1 => {
            4.0 * (reference.rotations[*body_a] + reference.rotations[*body_b])
        }
        _ => known,
    };
    let w = if known > 0.0 { known } else { w };
    let gap =
        residual.iter().zip([1.0, 1.0, 1.0, 0.5, 0.5, 0.5]).map(|(x, s)| (x * s).powi(2)).sum::<f64>().sqrt();
    Some(Softness::new(equality.sol.solref, &equality.sol.solimp, gap, w))
}

/// Laws between joints, but for limits: dry friction, effort-limited actuators, tendon springs, equality constraints.
pub(crate) struct JointRows {
    frictions: Vec<DryFrictionSeed>,
    gains: Vec<GainRow>,
    gain_seeds: Vec<GainSeed>,
    equalities_1: Vec<NearRigidSeed<1>>,
    equalities_3: Vec<NearRigidSeed<3>>,
    /// Of each of the latter: J v₀ and J̇ v₀, which is zero where the equality is not soft.
    motion_3: Vec<[Vector3<f64>; 2]>,
    /// Jacobian of one equality, rows × nv, column-major.
    scratch: Vec<f64>,
    /// Some equality acts.
    pub equalities: bool,
    /// Rows of gains are the same in all states.
    stay: bool,
}

impl JointRows {
    pub(crate) fn new(model: &Model) -> Self {
        let acts = |t: &TendonModel| t.pulls() || t.dry_friction > 0.0;
        Self {
            frictions: Vec::new(),
            gains: Vec::new(),
            gain_seeds: Vec::new(),
            equalities_1: Vec::new(),
            equalities_3: Vec::new(),
            motion_3: Vec::new(),
            scratch: vec![0.0; 6 * model.nv()],
            equalities: model.equalities.iter().any(|e| e.active),
            stay: model.actuators.iter().all(|a| straight(model, &a.transmission).is_some())
                && !model.tendons.iter().any(acts),
        }
    }

    /// Collects the rows for `joints`, which solves them before contacts.
    pub(crate) fn set_first(
        &mut self,
        i: &Inputs<'_>,
        at: &StateKinematics,
        mass: &BlockDiagonal,
        joints: &mut JointSolve,
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
            joints.rows.clear();
            self.gains.iter().for_each(|g| joints.rows.push(model, g.row(model, at)));
        }
        if self.equalities {
            let map = joints.problem.parts_mut().map;
            map.clear();
            joints.rows.push_onto(map);
            self.set_equalities(i, at, mass, map);
        }
    }

    /// Pushes the rows of the map after those of limits, in the order of the pools, and collects their parts that do not depend on the step size.
    pub(crate) fn set(
        &mut self,
        i: &Inputs<'_>,
        at: &StateKinematics,
        mass: &BlockDiagonal,
        map: &mut FrozenMap,
    ) {
        self.set_gains(i);
        self.set_frictions(i, &at.tendons, mass, map);
        for gain in &self.gains {
            gain.row(i.model, at).push_onto(map, 1.0);
        }
        self.set_equalities(i, at, mass, map);
    }

    fn set_gains(&mut self, i: &Inputs<'_>) {
        self.gains.clear();
        self.gains.extend(drives(i));
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
                stiction_speed: i.settings.stiction_speed,
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
        i: &Inputs<'_>,
        at: &StateKinematics,
        mass: &BlockDiagonal,
        map: &mut FrozenMap,
    ) {
        let model = i.model;
        self.equalities_1.clear();
        self.equalities_3.clear();
        self.motion_3.clear();
        for wide in [false, true] {
            for (e, equality) in model.equalities.iter().enumerate() {
                let rows = equality.rows;
                if !equality.active || equality.trees.is_empty() || (rows > 1) != wide {
                    continue;
                }
                let mut residual = [0.0; 6];
                let jac = &mut self.scratch[..rows * model.nv()];
                jac.fill(0.0);
                model.equality(e, at.equality_input(), &mut residual, |dof, entries| {
                    jac[rows * dof..rows * (dof + 1)].iter_mut().zip(entries).for_each(|(j, x)| *j += x);
                });
                let drift = match equality.is_soft() {
                    true => model.equality_drift(e, &at.kin),
                    false => [0.0; 6],
                };
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
                    let mut rates = [0.0; 3];
                    for dof in &equality.dofs {
                        let column = &jac[rows * dof + from..rows * dof + from + dim];
                        rates.iter_mut().zip(column).for_each(|(r, x)| *r += x * at.x0.v[*dof]);
                    }
                    let row = EqualityRow {
                        gap: &residual[from..from + dim],
                        rates: &rates[..dim],
                        inverse_mass: w,
                        spring,
                        softness: softness(i, equality, group, &residual, w),
                    };
                    if dim == 1 {
                        self.equalities_1.push(row.seed(&i.settings.constraints));
                    } else {
                        self.equalities_3.push(row.seed(&i.settings.constraints));
                        let drift = Vector3::from_column_slice(&drift[from..from + dim]);
                        self.motion_3.push([rates.into(), drift]);
                    }
                }
            }
        }
    }

    /// Seeds for a step size.
    pub(crate) fn set_seeds(&mut self, i: &Inputs<'_>, at: &StateKinematics, dt: f64) {
        self.frictions.iter_mut().for_each(|s| s.dt = dt);
        self.equalities_1.iter_mut().for_each(|s| s.dt = dt);
        for (s, [rates, drift]) in self.equalities_3.iter_mut().zip(&self.motion_3) {
            s.dt = dt;
            // The mass of a soft row feels r̈ = J v̇ + J̇ v.
            s.velocity = rates - dt * drift;
        }
        self.gain_seeds.clear();
        self.gain_seeds.extend(self.gains.iter().map(|row| gain(row, i, at, dt)));
    }

    /// Adds the impulses of the rows of gains to `out`; `impulse(i)` is that of row `i` \[N·s\].
    pub(crate) fn add_gain_impulses(
        &self,
        model: &Model,
        at: &StateKinematics,
        impulse: impl Fn(usize) -> f64,
        out: &mut GeneralizedImpulses,
    ) {
        for (i, gain) in self.gains.iter().enumerate() {
            let source = match gain {
                GainRow::Actuator(_) => &mut out.actuators,
                GainRow::Tendon(_) => &mut out.passive,
                GainRow::Friction(_) | GainRow::TendonFriction(_) => &mut out.constraints,
            };
            gain.row(model, at).add_scaled(impulse(i), source);
        }
    }

    /// The laws.
    pub(crate) fn fill_pools(&self, pools: &mut Pools) {
        pools.member_mut(FRICTION).reset(&self.frictions);
        pools.member_mut(GAIN).reset(&self.gain_seeds);
        pools.member_mut(EQUALITY_1).reset(&self.equalities_1);
        pools.member_mut(EQUALITY_3).reset(&self.equalities_3);
    }

    /// The laws where joints are solved before contacts.
    pub(crate) fn fill_joints(&self, joints: &mut JointSolve) {
        joints.rows.set_seeds(&self.gain_seeds);
        let pools = joints.problem.parts_mut().pools;
        pools.member_mut(joint_solve::EQUALITY_1).reset(&self.equalities_1);
        pools.member_mut(joint_solve::EQUALITY_3).reset(&self.equalities_3);
    }
}
