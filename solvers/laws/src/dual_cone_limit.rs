use serde::{Deserialize, Serialize};
use signorini_core::na::{SMatrix, SVector};
use signorini_core::{ContactLaw, LawEval, LawProperties, Sweep, SweptAccess, SweptLaw};

use crate::ramp::Ramp;
use crate::{DualCone, DualConeLaw, LimitFacet, LimitSeed};

/// A joint or tendon limit as one facet of a dual cone: v_c is the rate at which the gap opens.
///
/// ```text
/// γ = G (−v_c − s)₊          borse2026comfree, eq. (8)
/// ```
/// G and s as in the law of the contacts, with the inverse mass of the row. [`Gains::Material`](crate::Gains::Material), which joints do not have, becomes the recovery of the default.
///
/// Lagged: the gap.
///
/// Not read: the recovery speed, the stated spring, softness (the impedance of the limit's solimp takes its place).
///
/// Deviates: as the law of the contacts; under [`DualCone`] the row has a share of the mass, a cap on its gain and the recovery of its gains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DualConeLimit<L = DualCone> {
    /// The law of the contacts.
    pub law: L,
}

/// Parameters of [`DualConeLimit`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DualConeLimitParams {
    gain: f64,
    shift: f64,
    smoothing: f64,
    /// [`LimitSeed::lever`].
    lever: f64,
    multiplier: f64,
    last: f64,
}

impl DualConeLimitParams {
    /// λ/G − v_c − s.
    fn excess(&self, v_c: f64) -> f64 {
        let lift = if self.gain > 0.0 { self.multiplier / self.gain } else { 0.0 };
        lift - v_c - self.shift
    }
}

impl<L: DualConeLaw> ContactLaw<1> for DualConeLimit<L> {
    type Seed = LimitSeed;
    type Params = DualConeLimitParams;
    const KEY: &'static str = L::LIMIT_KEY;
    const PROPERTIES: LawProperties = LawProperties::CONVEX;
    const PAPER: &'static str = "borse2026comfree";
    const SWEPT: Option<SweptAccess<Self, 1>> = Some(SweptAccess::new());

    fn prepare(&self, s: &LimitSeed) -> DualConeLimitParams {
        let LimitFacet { gain, shift, smoothing } = self.law.limit_facet(s);
        DualConeLimitParams { gain, shift, smoothing, lever: s.lever(), multiplier: 0.0, last: 0.0 }
    }

    #[inline]
    fn eval(&self, p: &DualConeLimitParams, v_c: SVector<f64, 1>) -> LawEval<1> {
        let (value, slope, integral) = Ramp { width: p.smoothing }.eval(p.excess(v_c[0]));
        LawEval {
            cost: p.gain * integral,
            grad: SVector::from([-p.gain * value]),
            hess: SMatrix::from([[p.gain * slope]]),
        }
    }
}

impl<L: DualConeLaw> SweptLaw<1> for DualConeLimit<L> {
    fn memory(&self) -> f64 {
        SweptLaw::<1>::memory(&self.law)
    }

    fn shares_mass(&self) -> bool {
        SweptLaw::<1>::shares_mass(&self.law)
    }

    fn multiplier_count(&self) -> usize {
        1
    }

    fn acts(&self, seed: &LimitSeed, v_c: SVector<f64, 1>) -> bool {
        if !self.shares_mass() {
            return true;
        }
        let p = self.prepare(seed);
        p.gain > 0.0 && 40.0 * p.smoothing + p.excess(v_c[0]) > 0.0
    }

    fn remember(&self, p: &mut DualConeLimitParams, multipliers: &[f64]) {
        (p.multiplier, p.last) = (multipliers[0], multipliers[0]);
    }

    fn multipliers<'p>(&self, p: &'p DualConeLimitParams) -> &'p [f64] {
        std::slice::from_ref(&p.last)
    }

    fn recall(&self, p: &DualConeLimitParams) -> SVector<f64, 1> {
        SVector::from([p.multiplier])
    }

    fn sweep_gains(&self, p: &DualConeLimitParams) -> SMatrix<f64, 1, 1> {
        SMatrix::from([[p.gain]])
    }

    fn sweep(&self, p: &mut DualConeLimitParams, v_c: SVector<f64, 1>, sweep: &mut Sweep) -> SVector<f64, 1> {
        let gap = p.shift.min(0.0);
        let undo = if sweep.recover { 0.0 } else { gap };
        let gain = sweep.scale * p.gain;
        sweep.fastest = sweep.fastest.max(v_c[0].abs() * p.lever);
        sweep.recovery = sweep.recovery.max(-p.shift * p.lever);
        let lift = if gain > 0.0 { p.multiplier / gain } else { 0.0 };
        let next = gain * Ramp { width: p.smoothing }.value(lift - v_c[0] - p.shift + undo);
        let change = next - p.last;
        if gain > 0.0 {
            sweep.uphill += (p.multiplier - next) * change / gain;
            sweep.residual = sweep.residual.max((p.multiplier - next).abs() / gain * p.lever);
        }
        // The part that undoes a gap is not remembered.
        let kept = if sweep.recover { (next + gain * gap).max(0.0) } else { next };
        (p.multiplier, p.last) = (next + sweep.momentum * change, if sweep.remember { kept } else { p.last });
        SVector::from([p.multiplier])
    }
}
