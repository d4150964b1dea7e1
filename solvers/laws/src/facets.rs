use std::array::{from_mut, from_ref};

use serde::{Deserialize, Serialize};
use signorini_core::na::{SMatrix, SVector};
use signorini_core::{ContactSeed, ContactSide, LawEval, Sweep};

use crate::directions::{COS, HALF_4, HALF_8, HALF_16};
use crate::facet_masses::FacetMasses;
use crate::facet_pairs::{FacetPairs, Opposite, PAIRS, PairSweep};
use crate::facet_rows::{FACETS, FacetRows, facet_count};
use crate::facet_sums::{sum_of_tangents, tell};
use crate::friction::friction_coefficient;
use crate::ramp::Ramp;

/// Facets of the dual cone of one contact, each a spring and damper in closed form: parameters of [`DualCone`](crate::DualCone) and
/// [`PublishedDualCone`](crate::PublishedDualCone), and of laws with gains of their own.
///
/// ```text
/// γ = Σ_f (λ_f + G_f (−u_f − s))₊ a_f,   u_f = a_f·v_c,   a_f = n − μ d_f          borse2026comfree, eq. (8)
/// ```
/// λ_f are multipliers, which sweeps move; zero after [`Facets::reset`]. Facets are those of the directions of sliding (half of them, then their opposites in the same
/// order), then each spin and roll with its opposite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Facets {
    pub(crate) rows: FacetRows,
    /// G of each facet \[kg\]; zero beyond those in use, as the multipliers.
    gains: [f64; FACETS],
    /// Multipliers of the facets \[N·s\]; without momentum, and in the end without the part that undid a penetration.
    multipliers: [f64; FACETS],
    last: [f64; FACETS],
    shift: f64,
    /// Opening speed above which friction is Coulomb's, μ v_s; f64::MAX for never.
    slow: f64,
    smoothing: f64,
    /// Steps \[1/kg\] of sums and differences of opposite facets: inverse masses of the normal, of the tangents (11, 12, 22), of spin and rolls, over the gain that they share; zeros where they have none.
    steps: [f64; 7],
    /// Gains that follow from the steps, once they are needed.
    pairs: FacetPairs,
}

/// Smallest inverse mass of the normal beside μ² that of the tangents, for steps of sums.
const LEAST_NORMAL: f64 = 0.1;

impl Facets {
    /// Rows of a contact of at most `dim` dimensions with 4, 8 or 16 directions (other numbers count as 16); friction at the slip speed of the start. Gains, multipliers, shift and smoothing
    /// become zero.
    #[inline(always)]
    pub fn reset(&mut self, seed: &ContactSeed, dim: usize, directions: u8) {
        let m = &seed.material;
        let before = self.rows.count();
        self.rows.directions = known(directions);
        self.rows.condim = if m.condim as usize > dim { dim as u8 } else { m.condim };
        let used = before.max(self.rows.count());
        self.gains[..used].fill(0.0);
        self.multipliers[..used].fill(0.0);
        self.last[..used].fill(0.0);
        let sliding = if m.friction_static == m.friction_dynamic {
            m.friction_static
        } else {
            let slip = seed.velocity[1].hypot(seed.velocity[2]);
            friction_coefficient(m.friction_static, m.friction_dynamic, slip / m.stiction_speed)
        };
        self.rows.mu = [sliding, m.friction_torsional, m.friction_rolling];
        (self.shift, self.smoothing, self.slow) = (0.0, 0.0, f64::MAX);
        self.steps = [0.0; 7];
        self.pairs.sum = 0.0;
    }

    /// Number of facets.
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.rows.count()
    }

    /// Inverse masses aᵀ W a \[1/kg\] of the facets, W the sum of both sides times their shares; zeros beyond [`Facets::count`].
    #[inline(always)]
    pub fn inverse_masses(&self, sides: &[ContactSide; 2], shares: [f64; 2]) -> [f64; FACETS] {
        let mut out = [0.0; FACETS];
        FacetMasses { sides, shares, balanced: false }.of_facets(&self.rows, &mut out);
        out
    }

    /// [`Facets::inverse_masses`], where a facet and its opposite both have the larger of the two.
    #[inline(always)]
    pub fn balanced_inverse_masses(&self, sides: &[ContactSide; 2], shares: [f64; 2]) -> [f64; FACETS] {
        let mut out = [0.0; FACETS];
        FacetMasses { sides, shares, balanced: true }.of_facets(&self.rows, &mut out);
        out
    }

    /// Gains G of the facets \[kg\], [`Facets::count`].
    #[inline(always)]
    pub fn gains_mut(&mut self) -> &mut [f64] {
        &mut self.gains[..self.rows.count()]
    }

    /// Sets the shift s \[m/s\].
    #[inline(always)]
    pub fn set_shift(&mut self, shift: f64) {
        self.shift = shift;
    }

    /// Sets the width ε of the smooth maximum \[m/s\].
    #[inline(always)]
    pub(crate) fn set_smoothing(&mut self, smoothing: f64) {
        self.smoothing = smoothing;
    }

    /// Makes friction Coulomb's in several sweeps, above the slip `speed` \[m/s\].
    #[inline(always)]
    pub(crate) fn set_coulomb_slip(&mut self, speed: f64) {
        self.slow = self.rows.mu[0] * speed;
    }

    /// Gives sums and differences of opposite facets, where there are any, steps of their own, where facets share `sum` of the step that a contact may have, the sides of W times `shares`.
    #[inline(always)]
    pub(crate) fn set_pairs(&mut self, sides: &[ContactSide; 2], shares: [f64; 2], sum: f64) {
        if self.rows.condim < 3 {
            return;
        }
        // Shares of one: half for the normal, among the pairs; the rest for the other dimensions, that of both tangents among their pairs.
        let all = 2.0 / sum.min(1.0);
        let [a, b] = sides;
        let w = |i: usize, j: usize| all * (shares[0] * a.linear[(i, j)] + shares[1] * b.linear[(i, j)]);
        let t = |i: usize| all * (shares[0] * a.angular[(i, i)] + shares[1] * b.angular[(i, i)]);
        let (pairs, others) = (0.5 * self.rows.count() as f64, f64::from(self.rows.condim) - 1.0);
        let across = 0.25 * others * f64::from(self.rows.directions);
        // A normal that bodies can hardly move along takes no unbounded step: its impulse would be the limit of friction along directions in which they can.
        let least = LEAST_NORMAL * self.rows.mu[0] * self.rows.mu[0] * 0.5 * (w(1, 1) + w(2, 2));
        self.steps = [
            pairs * w(0, 0).max(least),
            across * w(1, 1),
            across * (w(1, 2) + w(2, 1)),
            across * w(2, 2),
            others * t(0),
            others * t(1),
            others * t(2),
        ];
    }

    /// Value, gradient and Hessian of ℓ = Σ_f ½ G_f (λ_f/G_f − u_f − s)₊² at `v_c` \[m/s\], D.
    #[inline(always)]
    pub fn eval<const D: usize>(&self, v_c: &SVector<f64, D>) -> LawEval<D> {
        let ramp = self.ramp();
        let mut e = LawEval::zero();
        self.for_active(v_c, |a, g, x| {
            let (value, slope, integral) = ramp.eval(x);
            e.cost += g * integral;
            let (impulse, stiffness) = (g * value, g * slope);
            for i in 0..D {
                e.grad[i] -= impulse * a[i];
                let x = stiffness * a[i];
                for j in 0..D {
                    e.hess[(j, i)] += x * a[j];
                }
            }
        });
        e
    }

    /// ℓ \[J\] alone.
    #[inline(always)]
    pub fn cost<const D: usize>(&self, v_c: &SVector<f64, D>) -> f64 {
        let ramp = self.ramp();
        let mut cost = 0.0;
        self.for_active(v_c, |_, g, x| cost += g * ramp.eval(x).2);
        cost
    }

    /// Whether any facet has an impulse at `v_c` \[m/s\], D.
    pub fn acts<const D: usize>(&self, v_c: &SVector<f64, D>) -> bool {
        // Beyond forty widths the smooth maximum is below the round-off of the normal impulse.
        let margin = 40.0 * self.smoothing;
        let mut acts = false;
        self.for_active(v_c, |_, _, x| acts |= x + margin > 0.0);
        acts
    }

    /// Most facets of a contact of `dim` dimensions with this number of directions.
    pub fn most(dim: usize, directions: u8) -> usize {
        facet_count(dim, known(directions))
    }

    /// Multipliers that sweeps have left for the next step \[N·s\], [`Facets::most`] of `dim`; zeros beyond [`Facets::count`].
    #[inline(always)]
    pub fn remembered(&self, dim: usize) -> &[f64] {
        &self.last[..facet_count(dim, self.rows.directions)]
    }

    /// Gains of sums and differences, the difference as μ d.
    #[inline(always)]
    fn pairs(&self) -> FacetPairs {
        let mut across = [0.0; PAIRS];
        match self.rows.directions {
            4 => self.of_pairs(&HALF_4, &mut across),
            8 => self.of_pairs(&HALF_8, &mut across),
            _ => self.of_pairs(&HALF_16, &mut across),
        }
        let half = usize::from(self.rows.directions) / 2;
        for axis in 3..usize::from(self.rows.condim) {
            let mu = self.rows.coefficient(axis);
            across[half + axis - 3] = mu * mu * self.steps[1 + axis];
        }
        FacetPairs::new(self.steps[0], &across)
    }

    #[inline(always)]
    fn of_pairs<const H: usize>(&self, half: &[[f64; 2]; H], across: &mut [f64; PAIRS]) {
        let square = self.rows.mu[0] * self.rows.mu[0];
        let [_, w11, w12, w22, ..] = self.steps;
        for (across, [c, n]) in across.iter_mut().zip(half) {
            *across = square * (c * c * w11 + c * n * w12 + n * n * w22);
        }
    }

    /// Whether sums and differences have steps of their own.
    fn is_paired(&self) -> bool {
        self.steps[0] > 0.0
    }

    /// Σ of the gains over the rows of sums and differences \[kg\], D × D; None where facets move one by one.
    pub(crate) fn pair_curvature<const D: usize>(&self) -> Option<SMatrix<f64, D, D>> {
        if D == 1 || !self.is_paired() {
            return None;
        }
        let mut h = SMatrix::zeros();
        let pairs = self.pairs();
        for j in 0..self.rows.count() / 2 {
            let d = pairs.difference[j];
            h[(0, 0)] += pairs.sum;
            let half = usize::from(self.rows.directions) / 2;
            if j < half {
                let i = j * (16 / usize::from(self.rows.directions));
                let a = [COS[i] * self.rows.mu[0], COS[(i + 12) % 16] * self.rows.mu[0]];
                for (i, x) in a.iter().enumerate() {
                    for (k, y) in a.iter().enumerate() {
                        h[(i + 1, k + 1)] += d * x * y;
                    }
                }
            } else {
                let axis = 3 + j - half;
                let mu = self.rows.coefficient(axis);
                h[(axis, axis)] += d * mu * mu;
            }
        }
        Some(h)
    }

    /// The pairs of tangents, for [`Facets::sweep_pairs`].
    #[inline(always)]
    fn sweep_tangent_pairs<const D: usize, const H: usize>(
        &mut self,
        half: &[[f64; 2]; H],
        v_c: &SVector<f64, D>,
        common: &PairSweep,
        sweep: &mut Sweep,
    ) -> [f64; 3] {
        let (x, y) = (self.rows.mu[0] * v_c[1], self.rows.mu[0] * v_c[2]);
        let mut slip = [0.0; H];
        slip.iter_mut().zip(half).for_each(|(slip, [c, s])| *slip = c * x + s * y);
        let over_mu = if self.rows.mu[0] > 0.0 { 1.0 / self.rows.mu[0] } else { 0.0 };
        let p = &self.pairs;
        let gains = [first(&p.difference), first(&p.inverse), first(&p.share)];
        let (plus, minus) = self.multipliers.split_at_mut(H);
        let (last_plus, last_minus) = self.last.split_at_mut(H);
        let (Some(plus), Some(minus)) = (plus.first_chunk_mut(), minus.first_chunk_mut()) else {
            return [0.0; 3];
        };
        let (Some(last_plus), Some(last_minus)) = (last_plus.first_chunk_mut(), last_minus.first_chunk_mut())
        else {
            return [0.0; 3];
        };
        let at = Opposite { plus, minus, last_plus, last_minus };
        sum_of_tangents(half, common.sweep(&slip, gains, at, over_mu, sweep))
    }

    /// Those of spin and rolls, whose impulses are added to `gamma`; the rate of a difference is a speed at the rim, μ ω.
    #[inline(always)]
    fn sweep_turn_pairs<const D: usize>(
        &mut self,
        v_c: &SVector<f64, D>,
        common: &PairSweep,
        sweep: &mut Sweep,
        gamma: &mut SVector<f64, D>,
    ) {
        let (n, half) = (usize::from(self.rows.directions), usize::from(self.rows.directions) / 2);
        for axis in 3..usize::from(self.rows.condim).min(D) {
            let mu = self.rows.coefficient(axis);
            let slip = [mu * v_c[axis]];
            let (j, at) = (half + axis - 3, n + 2 * (axis - 3));
            let p = &self.pairs;
            let gains = [&p.difference, &p.inverse, &p.share].map(|g| from_ref(&g[j]));
            let [plus, minus] = &mut self.multipliers[at..at + 2] else { continue };
            let [last_plus, last_minus] = &mut self.last[at..at + 2] else { continue };
            let [plus, minus, last_plus, last_minus] = [plus, minus, last_plus, last_minus].map(from_mut);
            let at = Opposite { plus, minus, last_plus, last_minus };
            let [[sum], [difference]] = common.sweep(&slip, gains, at, 1.0, sweep);
            gamma[0] += sum;
            gamma[axis] = -mu * difference;
        }
    }

    /// Calls `f(a_f, G_f, x_f)` for every facet with gain, γ_f = G_f x_f₊ with x_f = λ_f/G_f − u_f − s.
    #[inline(always)]
    fn for_active<const D: usize>(&self, v_c: &SVector<f64, D>, mut f: impl FnMut([f64; 6], f64, f64)) {
        self.rows.for_each(|i, a| {
            let g = self.gains[i];
            if g > 0.0 {
                f(a, g, self.multipliers[i] / g - dot(&a, v_c) - self.shift);
            }
        });
    }

    #[inline(always)]
    fn ramp(&self) -> Ramp {
        Ramp { width: self.smoothing }
    }

    /// Sets the multipliers \[N·s\].
    #[inline(always)]
    pub fn remember(&mut self, multipliers: &[f64]) {
        let n = self.rows.count().min(multipliers.len());
        self.multipliers[..n].copy_from_slice(&multipliers[..n]);
        self.last[..n].copy_from_slice(&multipliers[..n]);
    }

    /// Reduction of the opening of a contact that slides \[m/s\]: o³/(o² + (μ v_s)²), o the largest rate of a facet across the normal.
    #[inline(always)]
    fn opening<const D: usize>(&self, v_c: &SVector<f64, D>) -> f64 {
        if self.slow == f64::MAX || D < 3 || self.rows.condim < 3 {
            return 0.0;
        }
        let most = self.rows.largest_across(v_c);
        let square = most * most;
        if square > 0.0 { most * (square / (square + self.slow * self.slow)) } else { 0.0 }
    }

    /// Impulse of the multipliers \[N·s\], D.
    #[inline(always)]
    pub fn impulse<const D: usize>(&self) -> SVector<f64, D> {
        self.rows.impulse(&self.multipliers)
    }

    /// One sweep at `v_c` \[m/s\], D: see [`signorini_core::SweptLaw::sweep`]. Returns the impulse \[N·s\], D.
    #[inline(always)]
    pub fn sweep<const D: usize>(&mut self, v_c: &SVector<f64, D>, sweep: &mut Sweep) -> SVector<f64, D> {
        sweep.fastest = sweep.fastest.max(v_c[0].abs());
        if sweep.several && self.is_paired() {
            return self.sweep_pairs(v_c, sweep);
        }
        self.sweep_facets(v_c, sweep);
        self.impulse()
    }

    /// One sweep over sums and differences of the multipliers of opposite facets: borse2026comfree, *Pairs*. Returns their impulse.
    #[inline(always)]
    fn sweep_pairs<const D: usize>(&mut self, v_c: &SVector<f64, D>, sweep: &mut Sweep) -> SVector<f64, D> {
        if self.pairs.sum == 0.0 {
            self.pairs = self.pairs();
        }
        let undo = self.shift.min(0.0);
        sweep.recovery = sweep.recovery.max(-undo);
        let (shift, undo) = if sweep.recover { (self.shift, undo) } else { (self.shift - undo, 0.0) };
        let over_scale = 1.0 / sweep.scale;
        let gain = sweep.scale * self.pairs.sum;
        let common = PairSweep {
            scale: sweep.scale,
            momentum: sweep.momentum,
            undo,
            remember: sweep.remember,
            along: v_c[0] + shift + self.opening(v_c),
            gain: [gain, 1.0 / gain],
            over_scale,
        };
        let tangents = match self.rows.directions {
            4 => self.sweep_tangent_pairs(&HALF_4, v_c, &common, sweep),
            8 => self.sweep_tangent_pairs(&HALF_8, v_c, &common, sweep),
            _ => self.sweep_tangent_pairs(&HALF_16, v_c, &common, sweep),
        };
        let mut gamma = self.rows.of_tangents(tangents);
        self.sweep_turn_pairs(v_c, &common, sweep, &mut gamma);
        gamma
    }

    /// One sweep over the facets one by one.
    #[inline(always)]
    fn sweep_facets<const D: usize>(&mut self, v_c: &SVector<f64, D>, sweep: &mut Sweep) {
        let mut rates = [0.0; FACETS];
        self.rows.rates(v_c, &mut rates);
        if sweep.several {
            let opening = self.opening(v_c);
            rates.iter_mut().for_each(|r| *r += opening);
        }
        if self.smoothing == 0.0 {
            self.sweep_at(&rates, |x| x.max(0.0), sweep);
        } else {
            let ramp = self.ramp();
            self.sweep_at(&rates, |x| ramp.value(x), sweep);
        }
    }

    #[inline(always)]
    fn sweep_at(&mut self, rates: &[f64; FACETS], ramp: impl Fn(f64) -> f64 + Copy, sweep: &mut Sweep) {
        let undo = self.shift.min(0.0);
        sweep.recovery = sweep.recovery.max(-undo);
        let shift = if sweep.recover { self.shift } else { self.shift - undo };
        let undo = if sweep.recover { undo } else { 0.0 };
        let n = self.rows.count();
        let at = FacetSweep {
            scale: sweep.scale,
            momentum: sweep.momentum,
            shift,
            undo,
            remember: sweep.remember,
        };
        let (gains, more_gains) = self.gains[..n].as_chunks::<4>();
        let (rates, more_rates) = rates[..n].as_chunks::<4>();
        let (multipliers, more_multipliers) = self.multipliers[..n].as_chunks_mut::<4>();
        let (last, more_last) = self.last[..n].as_chunks_mut::<4>();
        for (((g, u), m), l) in gains.iter().zip(rates).zip(multipliers).zip(last) {
            at.sweep(g, u, m, l, ramp, sweep);
        }
        let rest = more_gains.iter().zip(more_rates).zip(more_multipliers).zip(more_last);
        for (((g, u), m), l) in rest {
            at.sweep(from_ref(g), from_ref(u), from_mut(m), from_mut(l), ramp, sweep);
        }
    }
}

/// Quantities common to the facets of a contact in a sweep.
struct FacetSweep {
    scale: f64,
    momentum: f64,
    shift: f64,
    /// Speed that undoes a penetration \[m/s\], ≤ 0, in the last sweep.
    undo: f64,
    remember: bool,
}

impl FacetSweep {
    /// W facets at a time, so that compilers find vectors; sums in the order of the facets.
    #[inline(always)]
    fn sweep<const W: usize>(
        &self,
        gains: &[f64; W],
        rates: &[f64; W],
        multipliers: &mut [f64; W],
        last: &mut [f64; W],
        ramp: impl Fn(f64) -> f64,
        sweep: &mut Sweep,
    ) {
        let (mut work, mut missed) = ([0.0; W], [0.0; W]);
        for i in 0..W {
            let g = self.scale * gains[i];
            // A facet without gain has no impulse.
            let acts = g > 0.0;
            let (g, over) = (if acts { g } else { 0.0 }, if acts { 1.0 / g } else { 0.0 });
            let next = g * ramp(multipliers[i] * over - rates[i] - self.shift);
            let change = next - last[i];
            let off = (multipliers[i] - next) * over;
            (work[i], missed[i]) = (off * change, off.abs());
            multipliers[i] = if acts { next + self.momentum * change } else { 0.0 };
            last[i] = if self.remember { (next + g * self.undo).max(0.0) } else { last[i] };
        }
        tell(sweep, work, missed);
    }
}

/// A number of directions that there is.
#[inline(always)]
fn known(directions: u8) -> u8 {
    if matches!(directions, 4 | 8) { directions } else { 16 }
}

/// The first H of them.
#[inline(always)]
fn first<const H: usize>(of: &[f64; PAIRS]) -> &[f64; H] {
    of.first_chunk().unwrap_or(&[0.0; H])
}

#[inline(always)]
fn dot<const D: usize>(a: &[f64; 6], v: &SVector<f64, D>) -> f64 {
    let mut s = 0.0;
    for i in 0..D {
        s += a[i] * v[i];
    }
    s
}
