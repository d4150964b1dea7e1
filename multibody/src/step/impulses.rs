//! Impulses of a solve by source.

use signorini_core::{FrozenMap, GeneralizedImpulses, Pools, Slot, StepProblem, StepSolution};

use crate::actuation::inputs::Inputs;
use crate::dynamics::free_trees::FreeTrees;
use crate::step::advance;
use crate::step::pools::{CONTACT, EQUALITY_1, EQUALITY_3, FRICTION, LIMIT};
use crate::step::prepared::Prepared;

/// Adds the impulses of the solution of a prepared problem to `out`: [`System::add_impulses`](signorini_core::System::add_impulses).
pub(crate) fn add(
    i: &Inputs<'_>,
    p: &Prepared,
    (free, slot): (&FreeTrees, Slot),
    dt: f64,
    s: &StepSolution,
    out: &mut GeneralizedImpulses,
) -> bool {
    if !is_of(p, dt, s) {
        return false;
    }
    let frozen = &p.problem.contacts().frozen;
    let (pools, map) = (frozen.pools(), frozen.frozen_map());
    p.motion.add_impulses(i, &p.at, dt, &s.v, out);
    add_motion(i, p, (free, slot), dt, s, out);
    add_pool(map, pools, CONTACT, &s.gamma, &mut out.contacts);
    for pool in [LIMIT, FRICTION, EQUALITY_1, EQUALITY_3] {
        add_pool(map, pools, pool, &s.gamma, &mut out.constraints);
    }
    p.problem.add_joint_impulses(i.model, &p.at, s, out);
    true
}

/// Whether a solution is one of the prepared problem.
fn is_of(p: &Prepared, dt: f64, s: &StepSolution) -> bool {
    let frozen = &p.problem.contacts().frozen;
    let sizes = [s.gamma.len(), s.v.len()];
    p.ready && frozen.dt() == dt && sizes == [frozen.pools().row_count(), frozen.free_velocity().len()]
}

/// Impulses of the limits of the solution of a prepared problem: [`System::limit_impulses`](signorini_core::System::limit_impulses).
pub(crate) fn of_limits(p: &Prepared, dt: f64, s: &StepSolution, out: &mut [f64]) -> bool {
    if !is_of(p, dt, s) {
        return false;
    }
    let contacts = p.problem.contacts();
    let (pools, map) = (contacts.frozen.pools(), contacts.frozen.frozen_map());
    let first = pools.first_constraint(LIMIT);
    out.fill(0.0);
    for (k, number) in contacts.limits.numbers().iter().enumerate() {
        if let Some(out) = out.get_mut(*number as usize) {
            *out = s.gamma[map.rows_of(first + k).0];
        }
    }
    true
}

/// Adds to the bias the change of M v in the step beyond that of the solution, as bodies and trees move freely.
fn add_motion(
    i: &Inputs<'_>,
    p: &Prepared,
    (free, slot): (&FreeTrees, Slot),
    dt: f64,
    s: &StepSolution,
    out: &mut GeneralizedImpulses,
) {
    if free.is_empty() && i.settings.free_bodies.is_empty() {
        return;
    }
    let (mut x1, mut free) = (p.at.x0.clone(), free.clone());
    advance::bodies(i, p, &p.at.x0, dt, s, &mut x1);
    advance::free_trees(i, p, (&mut free, slot), dt, s, &mut x1);
    x1.v.iter_mut().zip(&s.v).for_each(|(after, v)| *after -= v);
    let mut momentum = vec![0.0; x1.v.len()];
    p.motion.mass.multiply(&x1.v, &mut momentum);
    out.bias.iter_mut().zip(&momentum).for_each(|(b, m)| *b += m);
}

/// out += Jᵀγ of the constraints of a pool.
fn add_pool(map: &FrozenMap, pools: &Pools, pool: usize, gamma: &[f64], out: &mut [f64]) {
    let first = pools.first_constraint(pool);
    for k in first..first + pools.members()[pool].len() {
        let (row, dim) = map.rows_of(k);
        map.add_transposed(k, &gamma[row..row + dim], out);
    }
}
