use signorini_laws::GainSeed;

use crate::actuation::inputs::Inputs;
use crate::actuation::state_kinematics::StateKinematics;
use crate::{ActuatorModel, Model, SparseRow, TendonModel};

/// Origin of a row of the gain pool.
#[derive(Clone, Copy, Debug)]
pub(crate) enum GainRow {
    /// An actuator.
    Actuator(usize),
    /// Spring and damper of a tendon.
    Tendon(usize),
    /// Dry friction of a degree of freedom, where joints are solved before contacts.
    Friction(usize),
    /// Dry friction of a tendon, where joints are solved before contacts.
    TendonFriction(usize),
}

impl GainRow {
    pub(crate) fn row<'a>(&'a self, model: &'a Model, at: &'a StateKinematics) -> SparseRow<'a> {
        match *self {
            GainRow::Actuator(a) => at.actuators.row(model, a),
            GainRow::Tendon(t) | GainRow::TendonFriction(t) => at.tendons.row(model, t),
            GainRow::Friction(ref dof) => SparseRow { dofs: std::slice::from_ref(dof), values: &[1.0] },
        }
    }
}

/// Actuators that act and share no limit with others, and tendons with spring or damper.
pub(crate) fn drives<'a>(i: &'a Inputs<'_>) -> impl Iterator<Item = GainRow> + 'a {
    let alone = |a: &ActuatorModel| i.settings.actuation && !a.shares_limit && !a.dofs.is_empty();
    let number = move |(a, m)| alone(m).then_some(GainRow::Actuator(a));
    let spring = |t: &TendonModel| t.pulls() && !t.dofs.is_empty();
    let tendon = move |(t, m)| spring(m).then_some(GainRow::Tendon(t));
    let tendons = i.model.tendons.iter().enumerate().filter_map(tendon);
    i.model.actuators.iter().enumerate().filter_map(number).chain(tendons)
}

/// The gain of an actuator or tendon in a step. Inlined: a result written number by number and copied as a whole costs a wait.
#[inline(always)]
pub(crate) fn gain(row: &GainRow, i: &Inputs<'_>, at: &StateKinematics, dt: f64) -> GainSeed {
    let StateKinematics { x0, tendons, actuators, .. } = at;
    match *row {
        GainRow::Actuator(a) => {
            let actuator = &i.model.actuators[a];
            let law = actuator.law(
                actuators.length[a],
                actuators.rate[a],
                actuator.input(&x0.z, i.held.control[a], dt),
            );
            let gain = -(dt * law.by_length + law.by_rate);
            let [low, high] = law.effort;
            let limits =
                (low.is_finite() || high.is_finite()).then(|| [low.max(-f64::MAX), high.min(f64::MAX)]);
            // A gain that would feed energy in acts explicitly.
            if gain > 0.0 {
                let bias = law.force - law.by_rate * actuators.rate[a];
                GainSeed { dt, gain, bias, limits }
            } else {
                GainSeed { dt, gain: 0.0, bias: law.force, limits }
            }
        }
        GainRow::Tendon(t) => {
            let tendon = &i.model.tendons[t];
            let (l, rate) = (tendons.length[t], tendons.rate[t]);
            let damping = tendon.damper.damping(rate);
            let gain = damping + dt * tendon.spring_stiffness(l);
            let bias = tendon.spring_force(l) + tendon.damper.force(rate) + damping * rate;
            GainSeed { dt, gain, bias, limits: None }
        }
        GainRow::Friction(dof) => {
            dry(dt, i.model.joints[i.model.dofs[dof].joint].dry_friction, i.settings.stiction_speed)
        }
        GainRow::TendonFriction(t) => dry(dt, i.model.tendons[t].dry_friction, i.settings.stiction_speed),
    }
}

/// Dry friction as a damper with a force limit: γ = δt clamp(−f v/v_s, ±f), where [`DryFriction`](signorini_laws::DryFriction) rounds the corner.
fn dry(dt: f64, force: f64, stiction_speed: f64) -> GainSeed {
    GainSeed { dt, gain: force / stiction_speed, bias: 0.0, limits: Some([-force, force]) }
}

/// Calls `f(row, force, gain)` for motors and tendon springs: the force at x₀ and v₀ \[N or N·m\], and the gain K with which it falls with speed in a step of `dt`, 0 at its limits.
pub(crate) fn for_drives(
    i: &Inputs<'_>,
    at: &StateKinematics,
    dt: f64,
    mut f: impl FnMut(SparseRow<'_>, f64, f64),
) {
    for of in drives(i) {
        let row = of.row(i.model, at);
        let seed = gain(&of, i, at, dt);
        let [low, high] = seed.limits.unwrap_or([-f64::MAX, f64::MAX]);
        let force = seed.bias - seed.gain * row.dot(&at.x0.v);
        let held = force.max(low).min(high);
        f(row, held, if held == force { seed.gain } else { 0.0 });
    }
}
