use std::any::Any;

use nalgebra::{SMatrix, SVector};

use crate::{ContactLaw, Evals, Pool, Span, Sweep, SweptAccess, SweptPool, Turns};

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
    /// Σ of the gains of one of several sweeps ([`Sweep::several`]) over the rows \[kg\], D × D, where all of the law acts.
    fn sweep_gains(&self, p: &Self::Params) -> SMatrix<f64, D, D>;
}

impl<L: SweptLaw<D>, const D: usize> SweptAccess<L, D> {
    /// The pool itself.
    #[allow(clippy::new_without_default, reason = "a constant of a trait cannot call `default`")]
    pub const fn new() -> Self {
        Self { get: |pool| pool, get_mut: |pool| pool }
    }
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
    fn sweep_gains(&self, span: Span, out: &mut Evals) {
        for (p, h) in self.params.iter().zip(out.hess[span.hess..].chunks_exact_mut(D * D)) {
            h.copy_from_slice(self.law.sweep_gains(p).as_slice());
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
