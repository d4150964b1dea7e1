//! Sweeps over constraints, as a pool of any law takes them.

use std::any::Any;

use crate::{Evals, FrozenMap, Span};

/// Settings of one sweep over constraints, and its outcome: how far multipliers missed their conditions.
///
/// It stands here rather than beside an explicit solver because laws, which lie below all solvers, move their own multipliers by it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sweep {
    /// Factor on the gains, > 0: where they are smaller than the whole problem asks for, larger ones take fewer sweeps.
    pub scale: f64,
    /// θ of Nesterov's acceleration: after a sweep to λ, multipliers are carried on to λ + θ (λ − λ of the last sweep); 0 for a single sweep.
    pub momentum: f64,
    /// One of several sweeps of a step: sums and differences of opposite multipliers may move by steps of their own, and slip-dependent terms follow the slip.
    pub several: bool,
    /// The last sweep of a step undoes penetrations; those before it only stop the approach. The part that undoes them is not remembered: an integral of the gap
    /// beside the gap itself would be unstable in slow modes.
    pub recover: bool,
    /// A law remembers the multipliers that the sweep leaves, less the part that undoes penetrations; only a sweep without momentum may go without.
    pub remember: bool,
    /// Sum over the constraints of (λ before − λ)ᵀ G⁻¹ (λ − λ of the last sweep), before and after the sweep: positive when momentum points uphill.
    pub uphill: f64,
    /// Largest speed \[m/s\] by which a multiplier misses its condition at the velocity that it is given, min(u + s, λ/G) of a multiplier with gain G and shift s, before and after the sweep.
    pub residual: f64,
    /// Largest speed \[m/s\] at which a penetration asks to be undone, before and after the sweep.
    pub recovery: f64,
    /// Largest speed \[m/s\] along a normal, or at a limit, that the sweep met, before and after it.
    pub fastest: f64,
}

impl Default for Sweep {
    /// A single sweep that undoes nothing.
    fn default() -> Self {
        Self {
            scale: 1.0,
            momentum: 0.0,
            several: false,
            recover: false,
            remember: true,
            uphill: 0.0,
            residual: 0.0,
            recovery: 0.0,
            fastest: 0.0,
        }
    }
}

/// Velocity and map in coordinates in which the inertia is the identity, so that constraints can be taken one after the other, each at the velocity that the last one left.
///
/// ```text
/// A = U Uᵀ,   w = Uᵀ v,   Y_k = U⁻¹ J_kᵀ:   v_c = Y_kᵀ w + b_k,   an impulse γ_k adds Y_k γ_k to w
/// ```
pub struct Turns<'a> {
    /// Rows Y_kᵀ and b_k, all constraints.
    pub map: &'a FrozenMap,
    /// w, nv.
    pub w: &'a mut [f64],
    /// [`Sweep::scale`] of each constraint.
    pub scales: &'a [f64],
    /// From the last constraint to the first.
    pub backward: bool,
}

/// Pool of a [`SweptLaw`](crate::SweptLaw); object-safe. `span` says where the pool lies in the flat arrays.
pub trait SweptPool {
    /// [`SweptLaw::multiplier_count`](crate::SweptLaw::multiplier_count).
    fn multiplier_count(&self) -> usize;
    /// [`SweptLaw::memory`](crate::SweptLaw::memory).
    fn memory(&self) -> f64;
    /// [`SweptLaw::shares_mass`](crate::SweptLaw::shares_mass).
    fn shares_mass(&self) -> bool;
    /// Pushes whether each seed of a `Vec` of the law's seeds acts at `v_c` \[m/s\], the rows of this pool; false, with nothing pushed, when it holds others.
    fn acts(&self, seeds: &dyn Any, v_c: &[f64], out: &mut Vec<bool>) -> bool;
    /// Sets the multipliers of the constraint with this number in the pool \[N·s\].
    fn remember(&mut self, local: usize, multipliers: &[f64]);
    /// Multipliers of the constraint with this number in the pool \[N·s\].
    fn multipliers(&self, local: usize) -> &[f64];
    /// Writes the impulses of the multipliers \[N·s\].
    fn recall(&self, span: Span, gamma: &mut [f64]);
    /// Writes [`SweptLaw::sweep_gains`](crate::SweptLaw::sweep_gains) in the place of the Hessians.
    fn sweep_gains(&self, span: Span, out: &mut Evals);
    /// Moves the multipliers to their values at `v_c` \[m/s\] and writes their impulses \[N·s\]; `scales` are [`Sweep::scale`] of all constraints, or nothing for that of `sweep`.
    fn sweep(&mut self, span: Span, v_c: &[f64], sweep: &mut Sweep, scales: &[f64], gamma: &mut [f64]);
    /// Moves the multipliers of one constraint after the other, each at the velocity that those before it left, and writes their impulses \[N·s\].
    fn sweep_in_turn(&mut self, span: Span, turns: &mut Turns<'_>, sweep: &mut Sweep, gamma: &mut [f64]);
}
