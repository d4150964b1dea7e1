use signorini_core::{BlockDiagonal, ContactMemory, FrozenMap, LawPool, LimitMemory};
use signorini_laws::{LimitSeed, Softness};
use signorini_scene::{JointKind, SolParams};

use crate::actuation::inputs::Inputs;
use crate::actuation::state_kinematics::StateKinematics;
use crate::kinematics::rotation::{quaternion_at, rotation_vector};
use crate::step::row_mass::mean_delassus;
use crate::{Model, SparseRow};

/// A joint with limits.
#[derive(Clone, Copy, Debug)]
struct LimitedJoint {
    joint: usize,
    q: usize,
    v: usize,
    /// None: a ball.
    range: Option<[f64; 2]>,
    margin: f64,
    moved_mass: f64,
}

impl LimitedJoint {
    fn new(model: &Model, joint: usize) -> Option<Self> {
        let of = &model.joints[joint];
        let range = of.range?;
        let range = match of.kind {
            JointKind::Hinge | JointKind::Slide => Some(range),
            JointKind::Ball => None,
            JointKind::Free => return None,
        };
        let moved_mass = model.moved_mass(&[of.v]);
        Some(Self { joint, q: of.q, v: of.v, range, margin: of.limit_margin, moved_mass })
    }
}

/// Limits of joints and tendons.
pub(crate) struct LimitRows {
    /// Seeds of limits that may be met.
    pub seeds: Vec<LimitSeed>,
    /// Their numbers: twice that of the degree of freedom, or of the tendon behind those, and one more for an upper limit.
    numbers: Vec<u32>,
    /// Forces that they started the step with \[N or N·m\].
    start: Vec<f64>,
    limited: Vec<LimitedJoint>,
    /// Mass that each tendon moves \[kg\].
    tendon_mass: Vec<f64>,
}

/// Limits of one coordinate.
struct About {
    /// Number of the degree of freedom, or of the tendon behind those.
    coordinate: usize,
    margin: f64,
    /// Part of the gap that accelerations by contact are left to close within a step.
    unforeseen: f64,
    moved_mass: f64,
    reference: f64,
    sol: SolParams,
}

impl About {
    /// Softness that the file states for this gap.
    fn softness(&self, gap: f64) -> Option<Softness> {
        let Self { sol, reference, .. } = self;
        let stated = sol.stated && *reference > 0.0;
        stated.then(|| Softness::new(sol.solref, &sol.solimp, gap.min(0.0), *reference))
    }
}

/// [`About::unforeseen`] of angles \[rad\]; of lengths it is the range.
const UNFORESEEN: f64 = 0.1;

/// Horizon of a preparation.
#[derive(Clone, Copy)]
pub(crate) struct Outlook<'a> {
    /// Change of velocities by the drive of the bodies, nv.
    pub change: &'a [f64],
    /// Length of the step \[s\].
    pub horizon: f64,
}

impl LimitRows {
    pub(crate) fn new(model: &Model) -> Self {
        let limited = (0..model.joints.len()).filter_map(|joint| LimitedJoint::new(model, joint));
        let tendon_mass =
            model.tendons.iter().map(|t| if t.range.is_some() { model.moved_mass(&t.dofs) } else { 0.0 });
        let (seeds, numbers, start) = (Vec::new(), Vec::new(), Vec::new());
        let (limited, tendon_mass) = (limited.collect(), tendon_mass.collect());
        Self { seeds, numbers, start, limited, tendon_mass }
    }

    /// Gives the limits of a step of `dt` \[s\] their multipliers of the last one, where their law has a memory.
    pub(crate) fn recall(&mut self, memory: &ContactMemory, dt: f64, pool: &mut dyn LawPool) {
        self.start.clear();
        let Some(pool) = pool.swept_mut().filter(|p| p.memory() > 0.0) else { return };
        for (k, number) in self.numbers.iter().enumerate() {
            let known = memory.limits.iter().find(|l| l.limit == *number);
            let force = known.map_or(0.0, |l| l.force);
            pool.remember(k, &[dt * force]);
            self.start.push(force);
        }
    }

    /// Numbers of the rows.
    pub(crate) fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// Writes the memory of limits with which the next step starts.
    pub(crate) fn store(&self, dt: f64, pool: &dyn LawPool, out: &mut ContactMemory) {
        let Some(pool) = pool.swept() else { return };
        for (k, (number, start)) in self.numbers.iter().zip(&self.start).enumerate() {
            let Some(end) = pool.multipliers(k).first().filter(|m| **m != 0.0) else { continue };
            let force = start + pool.memory() * (end / dt - start);
            out.limits.push(LimitMemory { limit: *number, force });
        }
    }

    /// Pushes the rows of limits that may be met, the first after contacts. They are weighed by `mass`, factored; where there is none, that is done later.
    pub(crate) fn set(
        &mut self,
        i: &Inputs<'_>,
        at: &StateKinematics,
        outlook: Outlook<'_>,
        mass: Option<&BlockDiagonal>,
        map: &mut FrozenMap,
    ) {
        self.seeds.clear();
        self.numbers.clear();
        if !i.settings.limits {
            return;
        }
        let (model, reference) = (i.model, &i.settings.reference);
        let StateKinematics { x0, tendons, .. } = at;
        let Outlook { change, horizon } = outlook;
        // Rows that cannot be reached are left out: by twice the present rate and its drive, and a part for other accelerations.
        let reach = |margin: f64, unforeseen: f64, rate: f64, drive: f64| {
            margin + horizon * (2.0 * rate.abs() + drive.abs()) + unforeseen
        };
        let mut push = |gaps: &[(f64, f64)], rate: f64, about: About, row: SparseRow<'_>| {
            let reach = reach(about.margin, about.unforeseen, rate, row.dot(change));
            for &(gap, sign) in gaps.iter().filter(|(gap, _)| *gap < reach) {
                row.push_onto(map, sign);
                self.numbers.push(2 * about.coordinate as u32 + u32::from(sign < 0.0));
                let w = mass.map_or(0.0, |m| mean_delassus(m, map, map.constraint_count() - 1));
                self.seeds.push(LimitSeed {
                    dt: 0.0,
                    gap,
                    inverse_mass: w,
                    moved_mass: about.moved_mass,
                    recovery_speed: i.settings.constraints.recovery_speed,
                    shortest_step: i.settings.constraints.shortest_step,
                    spring: None,
                    softness: about.softness(gap),
                    velocity: sign * rate,
                    reference: about.reference,
                    solimp: about.sol.solimp,
                    contacts: 1,
                });
            }
        };
        for limited in &self.limited {
            let LimitedJoint { joint, q, v, range, margin, moved_mass } = *limited;
            let joint = &model.joints[joint];
            let unforeseen = match (joint.kind, range) {
                (JointKind::Slide, Some([low, high])) => high - low,
                _ => UNFORESEEN,
            };
            let (reference, sol) = (reference.dofs[v], joint.limit_sol);
            let about = About { coordinate: v, margin, unforeseen, moved_mass, reference, sol };
            if let Some([low, high]) = range {
                let (q, rate) = (x0.q[q], x0.v[v]);
                if (q - low).min(high - q) < reach(margin, unforeseen, rate, change[v]) {
                    let row = SparseRow { dofs: &[v], values: &[1.0] };
                    push(&[(q - low, 1.0), (high - q, -1.0)], rate, about, row);
                }
            } else if let Some([_, high]) = joint.range {
                // The rate of the angle is the angular velocity along the rotation axis, which is the same in both frames.
                let turn = rotation_vector(&quaternion_at(&x0.q, q));
                let angle = turn.norm();
                if angle > 1e-6 {
                    let axis = turn / angle;
                    let row = SparseRow { dofs: &[v, v + 1, v + 2], values: axis.as_slice() };
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
            let about = About {
                coordinate: model.nv() + t,
                margin: tendon.limit_margin,
                unforeseen: high - low,
                moved_mass: self.tendon_mass[t],
                reference: reference.tendons[t],
                sol: tendon.limit_sol,
            };
            push(&[(l - low, 1.0), (high - l, -1.0)], rate, about, row);
        }
    }
}
