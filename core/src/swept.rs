use std::any::Any;

use nalgebra::{SMatrix, SVector};

use crate::{BlockDiagonal, ContactLaw, Evals, FrozenMap, Pool, Pools, Span};

/// Closing speed at which every part of a law acts, whatever its multipliers and shift \[m/s\].
const CLOSING: f64 = 1e9;

/// Settings of one sweep over constraints, and its outcome: how far multipliers missed their conditions.
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
    /// Largest speed \[m/s\] by which a multiplier misses its condition at the velocity that it is given, min(u + s, λ/G) of a facet, before and after the sweep.
    pub residual: f64,
    /// Largest speed \[m/s\] at which a penetration asks to be undone, before and after the sweep.
    pub recovery: f64,
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
        }
    }
}

/// A law with multipliers that explicit methods move to their values at a contact velocity, constraint by constraint.
///
/// A law that implements it says so by [`ContactLaw::SWEPT`].
pub trait SweptLaw<const D: usize>: ContactLaw<D> {
    /// Number of multipliers of a constraint, > 0; kept during a step, and from step to step where the law has a memory.
    fn multiplier_count(&self) -> usize;
    /// Part of their change in a step that multipliers take into the next one, 0 to 1.
    fn memory(&self) -> f64 {
        0.0
    }
    /// Whether [`ContactSeed::sides`](crate::ContactSeed::sides) should count only the constraints that act at the velocity without contact ([`SweptLaw::acts`]), so that they share
    /// the mass of a tree; otherwise all of them are counted.
    fn shares_mass(&self) -> bool {
        false
    }
    /// Whether a constraint has an impulse at `v_c` \[m/s\], D, whatever its share of the mass.
    fn acts(&self, seed: &Self::Seed, v_c: SVector<f64, D>) -> bool {
        let _ = (seed, v_c);
        true
    }
    /// Sets the multipliers \[N·s\].
    fn remember(&self, p: &mut Self::Params, multipliers: &[f64]);
    /// Multipliers of the last sweep for the next step \[N·s\].
    fn multipliers<'p>(&self, p: &'p Self::Params) -> &'p [f64];
    /// Impulse of the multipliers as they are \[N·s\], D.
    fn recall(&self, p: &Self::Params) -> SVector<f64, D>;
    /// Moves the multipliers λ to their values at `v_c` \[m/s\], D, and returns their impulse \[N·s\], D.
    fn sweep(&self, p: &mut Self::Params, v_c: SVector<f64, D>, sweep: &mut Sweep) -> SVector<f64, D>;
    /// Σ of the gains of one of several sweeps ([`Sweep::several`]) over the rows \[kg\], D × D: the Hessian where all of the law acts, unless the law states another.
    fn sweep_curvature(&self, p: &Self::Params) -> SMatrix<f64, D, D> {
        closing_curvature(self, p)
    }
}

/// Hessian \[kg\], D × D, of a law at a closing speed at which all of it acts.
pub fn closing_curvature<L: ContactLaw<D>, const D: usize>(law: &L, p: &L::Params) -> SMatrix<f64, D, D> {
    let mut closing = SVector::<f64, D>::zeros();
    closing[0] = -CLOSING;
    law.eval(p, closing).hess
}

/// Access to a pool as one that can be swept over, for laws that are a [`SweptLaw`].
pub struct SweptAccess<L: ContactLaw<D>, const D: usize> {
    pub(crate) get: fn(&Pool<L, D>) -> &dyn SweptPool,
    pub(crate) get_mut: fn(&mut Pool<L, D>) -> &mut dyn SweptPool,
}

impl<L: SweptLaw<D>, const D: usize> SweptAccess<L, D> {
    /// The pool itself.
    #[allow(clippy::new_without_default, reason = "a constant of a trait cannot call `default`")]
    pub const fn new() -> Self {
        Self { get: |pool| pool, get_mut: |pool| pool }
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
    /// Largest speed along the first row of a constraint that was asked for, before and after the sweep \[m/s\].
    pub fastest: f64,
}

/// Pool of a [`SweptLaw`]; object-safe. `span` says where the pool lies in the flat arrays.
pub trait SweptPool {
    /// [`SweptLaw::multiplier_count`].
    fn multiplier_count(&self) -> usize;
    /// [`SweptLaw::memory`].
    fn memory(&self) -> f64;
    /// [`SweptLaw::shares_mass`].
    fn shares_mass(&self) -> bool;
    /// Pushes whether each seed of a `Vec` of the law's seeds acts at `v_c` \[m/s\], the rows of this pool; false, with nothing pushed, when it holds others.
    fn acts(&self, seeds: &dyn Any, v_c: &[f64], out: &mut Vec<bool>) -> bool;
    /// Sets the multipliers of the constraint with this number in the pool \[N·s\].
    fn remember(&mut self, local: usize, multipliers: &[f64]);
    /// Multipliers of the constraint with this number in the pool \[N·s\].
    fn multipliers(&self, local: usize) -> &[f64];
    /// Writes the impulses of the multipliers \[N·s\].
    fn recall(&self, span: Span, gamma: &mut [f64]);
    /// Writes [`SweptLaw::sweep_curvature`] in the place of the Hessians.
    fn sweep_curvatures(&self, span: Span, out: &mut Evals);
    /// Moves the multipliers to their values at `v_c` \[m/s\] and writes their impulses \[N·s\]; `scales` are [`Sweep::scale`] of all constraints, or nothing for that of `sweep`.
    fn sweep(&mut self, span: Span, v_c: &[f64], sweep: &mut Sweep, scales: &[f64], gamma: &mut [f64]);
    /// Moves the multipliers of one constraint after the other, each at the velocity that those before it left, and writes their impulses \[N·s\].
    fn sweep_in_turn(&mut self, span: Span, turns: &mut Turns<'_>, sweep: &mut Sweep, gamma: &mut [f64]);
}

impl<L: SweptLaw<D>, const D: usize> SweptPool for Pool<L, D> {
    fn multiplier_count(&self) -> usize {
        self.law.multiplier_count()
    }
    fn memory(&self) -> f64 {
        self.law.memory()
    }
    fn shares_mass(&self) -> bool {
        self.law.shares_mass()
    }
    fn acts(&self, seeds: &dyn Any, v_c: &[f64], out: &mut Vec<bool>) -> bool {
        let Some(seeds) = seeds.downcast_ref::<Vec<L::Seed>>() else { return false };
        let rows = v_c.as_chunks::<D>().0;
        out.extend(seeds.iter().zip(rows).map(|(s, v)| self.law.acts(s, SVector::from(*v))));
        true
    }
    fn remember(&mut self, local: usize, multipliers: &[f64]) {
        self.law.remember(&mut self.params[local], multipliers);
    }
    fn multipliers(&self, local: usize) -> &[f64] {
        self.law.multipliers(&self.params[local])
    }
    fn recall(&self, span: Span, gamma: &mut [f64]) {
        let rows = gamma[span.row..].as_chunks_mut::<D>().0;
        for (p, g) in self.params.iter().zip(rows) {
            *g = self.law.recall(p).into();
        }
    }
    fn sweep_curvatures(&self, span: Span, out: &mut Evals) {
        for (p, h) in self.params.iter().zip(out.hess[span.hess..].chunks_exact_mut(D * D)) {
            h.copy_from_slice(self.law.sweep_curvature(p).as_slice());
        }
    }
    fn sweep(&mut self, span: Span, v_c: &[f64], sweep: &mut Sweep, scales: &[f64], gamma: &mut [f64]) {
        let rows = v_c[span.row..].as_chunks::<D>().0.iter().zip(gamma[span.row..].as_chunks_mut::<D>().0);
        let scales = scales.get(span.first as usize..).unwrap_or(&[]);
        for (k, (p, (v, g))) in self.params.iter_mut().zip(rows).enumerate() {
            if let Some(scale) = scales.get(k) {
                sweep.scale = *scale;
            }
            *g = self.law.sweep(p, SVector::from(*v), sweep).into();
        }
    }
    fn sweep_in_turn(&mut self, span: Span, turns: &mut Turns<'_>, sweep: &mut Sweep, gamma: &mut [f64]) {
        let rows = gamma[span.row..].as_chunks_mut::<D>().0;
        let count = self.params.len();
        for i in 0..count {
            let i = if turns.backward { count - 1 - i } else { i };
            let (k, p, gamma) = (span.first as usize + i, &mut self.params[i], &mut rows[i]);
            let v_c = turns.map.velocity_of::<D>(k, turns.w);
            turns.fastest = turns.fastest.max(v_c[0].abs());
            sweep.scale = turns.scales[k];
            let next = self.law.sweep(p, v_c, sweep);
            let change = next - SVector::from(*gamma);
            if change != SVector::<f64, D>::zeros() {
                turns.map.push::<D>(k, &change, turns.w);
            }
            *gamma = next.into();
        }
    }
}

/// A map and its inertia where constraints can be taken in turn, and their laws.
pub struct Whitened<'a> {
    /// Y_kᵀ and b_k as in [`Turns::map`].
    pub map: &'a FrozenMap,
    /// A, factored.
    pub inertia: &'a BlockDiagonal,
    /// The laws.
    pub pools: &'a mut Pools,
}

/// A step problem of affine map whose multipliers can be moved, by methods that sweep over its constraints.
pub trait SweptProblem {
    /// The laws, and contact velocities of the last [`StepProblem::relinearize`](crate::StepProblem::relinearize), all rows \[m/s\].
    fn laws(&mut self) -> (&mut Pools, &[f64]);
    /// Brings the map to coordinates in which the inertia is the identity; false where the inertia couples blocks or the map is not made of blocks.
    fn whiten(&mut self) -> bool;
    /// The map in these coordinates, as [`SweptProblem::whiten`] left it; None where it cannot be had.
    fn whitened(&mut self) -> Option<Whitened<'_>>;
}
