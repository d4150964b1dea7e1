use signorini_core::{BlockDiagonal, FrozenMap};
use signorini_laws::LimitSeed;
use signorini_scene::JointKind;

use crate::actuation::inputs::Inputs;
use crate::actuation::state_kinematics::StateKinematics;
use crate::kinematics::rotation::{quaternion_at, rotation_vector};
use crate::step::row_mass::mean_delassus;
use crate::{JointModel, Model, SparseRow};

/// A joint with limits.
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
    fn new(joint: usize, of: &JointModel) -> Option<Self> {
        let range = of.range?;
        let range = match of.kind {
            JointKind::Hinge | JointKind::Slide => Some(range),
            JointKind::Ball => None,
            JointKind::Free => return None,
        };
        Some(Self { joint, q: of.q, v: of.v, range, margin: of.limit_margin })
    }
}

/// Limits of joints and tendons.
pub(crate) struct LimitRows {
    /// Seeds of limits that may be met.
    pub seeds: Vec<LimitSeed>,
    limited: Vec<LimitedJoint>,
}

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
        let limited = model.joints.iter().enumerate().filter_map(|(joint, of)| LimitedJoint::new(joint, of));
        Self { seeds: Vec::new(), limited: limited.collect() }
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
        // Rows that cannot be reached are left out: by twice the present rate and its drive, plus a tenth for other accelerations.
        let reach =
            |margin: f64, rate: f64, drive: f64| margin + horizon * (2.0 * rate.abs() + drive.abs()) + 0.1;
        let mut push = |gaps: &[(f64, f64)], rate: f64, (margin, reference, solimp), row: SparseRow<'_>| {
            let reach = reach(margin, rate, row.dot(change));
            for &(gap, sign) in gaps.iter().filter(|(gap, _)| *gap < reach) {
                row.push_onto(map, sign);
                let w = mass.map_or(0.0, |m| mean_delassus(m, map, map.constraint_count() - 1));
                self.seeds.push(LimitSeed {
                    dt: 0.0,
                    gap,
                    inverse_mass: w,
                    recovery_speed: i.settings.constraints.recovery_speed,
                    shortest_step: i.settings.constraints.shortest_step,
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
                if (q - low).min(high - q) < reach(margin, rate, change[v]) {
                    let about = (margin, reference.dofs[v], joint.limit_sol.solimp);
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
                    let about = (margin, reference.dofs[v], joint.limit_sol.solimp);
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
            let about = (tendon.limit_margin, reference.tendons[t], tendon.limit_sol.solimp);
            push(&[(l - low, 1.0), (high - l, -1.0)], rate, about, row);
        }
    }
}
