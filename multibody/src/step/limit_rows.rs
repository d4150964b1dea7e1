use signorini_core::{BlockDiagonal, FrozenMap};
use signorini_laws::LimitSeed;
use signorini_scene::JointKind;

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
    limited: Vec<LimitedJoint>,
    /// Mass that each tendon moves \[kg\].
    tendon_mass: Vec<f64>,
}

/// Limits of one coordinate.
struct About {
    margin: f64,
    /// Part of the gap that accelerations by contact are left to close within a step.
    unforeseen: f64,
    moved_mass: f64,
    reference: f64,
    solimp: [f64; 5],
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
        Self { seeds: Vec::new(), limited: limited.collect(), tendon_mass: tendon_mass.collect() }
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
                let w = mass.map_or(0.0, |m| mean_delassus(m, map, map.constraint_count() - 1));
                self.seeds.push(LimitSeed {
                    dt: 0.0,
                    gap,
                    inverse_mass: w,
                    moved_mass: about.moved_mass,
                    recovery_speed: i.settings.constraints.recovery_speed,
                    shortest_step: i.settings.constraints.shortest_step,
                    spring: None,
                    reference: about.reference,
                    solimp: about.solimp,
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
            let (reference, solimp) = (reference.dofs[v], joint.limit_sol.solimp);
            let about = About { margin, unforeseen, moved_mass, reference, solimp };
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
                margin: tendon.limit_margin,
                unforeseen: high - low,
                moved_mass: self.tendon_mass[t],
                reference: reference.tendons[t],
                solimp: tendon.limit_sol.solimp,
            };
            push(&[(l - low, 1.0), (high - l, -1.0)], rate, about, row);
        }
    }
}
