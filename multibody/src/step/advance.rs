//! State of the bodies after a step.

use signorini_core::{ContactMap, Slot, State, StepProblem, StepSolution};

use crate::actuation::inputs::Inputs;
use crate::dynamics::free_trees::FreeTrees;
use crate::step::pools::{CONTACT, LIMIT};
use crate::step::prepared::Prepared;

/// Coordinates and velocities of the bodies at the end of a step of `dt` \[s\] from `x0` with a solution, of the prepared problem where bodies fly.
pub(crate) fn bodies(i: &Inputs<'_>, p: &Prepared, x0: &State, dt: f64, s: &StepSolution, x1: &mut State) {
    x1.q.clone_from(&x0.q);
    i.model.integrate(&x0.q, s.position_velocity(), dt, &mut x1.q);
    x1.v.clone_from(&s.v);
    let moves = [&s.v[..], &s.v_position, p.lag(dt, s)];
    i.settings.free_bodies.advance(&x0.q, moves, dt, [&mut x1.q, &mut x1.v]);
}

/// Moves the trees on which no contact and no limit acts in a solution of the prepared problem, beyond [`bodies`].
pub(crate) fn free_trees(
    i: &Inputs<'_>,
    p: &Prepared,
    (free, slot): (&mut FreeTrees, Slot),
    dt: f64,
    s: &StepSolution,
    x1: &mut State,
) {
    free.begin(slot);
    let frozen = &p.problem.contacts().frozen;
    let (pools, map) = (frozen.pools(), frozen.frozen_map());
    if free.is_empty() || !p.ready || frozen.dt() != dt || s.gamma.len() != pools.row_count() {
        return;
    }
    for pool in [CONTACT, LIMIT] {
        let first = pools.first_constraint(pool);
        for k in first..first + pools.members()[pool].len() {
            let (row, dim) = map.rows_of(k);
            if s.gamma[row..row + dim].iter().any(|g| *g != 0.0) {
                map.blocks_of(k).iter().for_each(|t| free.touch(*t as usize));
            }
        }
    }
    let mut impulses = std::mem::take(&mut free.impulses);
    impulses.fill(i.model.nv(), 0.0);
    p.problem.add_joint_impulses(i.model, &p.at, s, &mut impulses);
    impulses.actuators.iter_mut().zip(&p.motion.field).for_each(|(a, f)| *a = *a / dt + f);
    let moved = |d: usize| !s.v_position.is_empty() && s.v_position[d] != s.v[d];
    let x0 = [&p.at.x0.q[..], &p.at.x0.v];
    for k in 0..free.list().len() {
        if !free.list()[k].dofs.clone().any(moved) {
            let forces = [&p.motion.force[..], &impulses.actuators];
            free.advance(i.model, (slot, k), x0, forces, dt, [&mut x1.q, &mut x1.v]);
        }
    }
    free.impulses = impulses;
}
