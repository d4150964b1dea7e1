use serde::{Deserialize, Serialize};
use signorini_core::na::{SMatrix, SVector};
use signorini_core::{ContactLaw, LawEval, LawProperties, Sweep, SweptAccess, SweptLaw};

use crate::dual_cone::single_row;
use crate::ramp::Ramp;
use crate::{DualCone, LimitSeed};

/// A joint or tendon limit as one facet of [`DualCone`]: v_c is the rate at which the gap opens.
///
/// ```text
/// γ = G (−v_c − s)₊          borse2026comfree, eq. (8)
/// ```
/// G and s as there, with the inverse mass of the row. [`Gains::Material`](crate::Gains::Material), which joints do not have, becomes the recovery of the default.
///
/// Lagged: the gap.
///
/// Not read: the recovery speed, the stated spring (the impedance of the limit's solimp takes its place).
///
/// Deviates: nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DualConeLimit {
    /// Gains and switches.
    pub law: DualCone,
}

/// Parameters of [`DualConeLimit`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DualConeLimitParams {
    gain: f64,
    shift: f64,
    smoothing: f64,
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

impl ContactLaw<1> for DualConeLimit {
    type Seed = LimitSeed;
    type Params = DualConeLimitParams;
    const KEY: &'static str = "dual_cone_limit";
    const PROPERTIES: LawProperties = LawProperties::CONVEX;
    const PAPER: &'static str = "borse2026comfree";
    const SWEPT: Option<SweptAccess<Self, 1>> = Some(SweptAccess::new());

    fn prepare(&self, s: &LimitSeed) -> DualConeLimitParams {
        let masses = (s.inverse_mass, s.reference, s.contacts);
        let (gain, shift) = single_row(&self.law, s.dt, s.gap, &s.solimp, masses);
        DualConeLimitParams { gain, shift, smoothing: self.law.smoothing, multiplier: 0.0, last: 0.0 }
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

impl SweptLaw<1> for DualConeLimit {
    fn shares_mass(&self) -> bool {
        self.law.counts_acting()
    }

    fn multiplier_count(&self) -> usize {
        1
    }

    fn acts(&self, seed: &LimitSeed, v_c: SVector<f64, 1>) -> bool {
        if !self.law.counts_acting() {
            return true;
        }
        let p = self.prepare(seed);
        p.gain > 0.0 && 40.0 * p.smoothing + p.excess(v_c[0]) > 0.0
    }

    fn remember(&self, p: &mut DualConeLimitParams, multipliers: &[f64]) {
        (p.multiplier, p.last) = (multipliers[0], multipliers[0]);
    }

    fn multipliers<'p>(&self, p: &'p DualConeLimitParams) -> &'p [f64] {
        std::slice::from_ref(&p.multiplier)
    }

    fn recall(&self, p: &DualConeLimitParams) -> SVector<f64, 1> {
        SVector::from([p.multiplier])
    }

    fn sweep(&self, p: &mut DualConeLimitParams, v_c: SVector<f64, 1>, sweep: &mut Sweep) -> SVector<f64, 1> {
        let undo = if sweep.recover { 0.0 } else { p.shift.min(0.0) };
        let gain = sweep.scale * p.gain;
        sweep.recovery = sweep.recovery.max(-p.shift);
        let lift = if gain > 0.0 { p.multiplier / gain } else { 0.0 };
        let next = gain * Ramp { width: p.smoothing }.value(lift - v_c[0] - p.shift + undo);
        let change = next - p.last;
        if gain > 0.0 {
            sweep.uphill += (p.multiplier - next) * change / gain;
            sweep.residual = sweep.residual.max((p.multiplier - next).abs() / gain);
        }
        (p.multiplier, p.last) = (next + sweep.momentum * change, if sweep.remember { next } else { p.last });
        SVector::from([p.multiplier])
    }
}
