use std::array::{from_mut, from_ref};

use serde::{Deserialize, Serialize};
use signorini_core::na::{SMatrix, SVector};
use signorini_core::{ContactSeed, ContactSide, Sweep};

use crate::facet_pairs::{FacetPairs, Opposite, PAIRS, PairSweep};
use crate::facet_sums::{fastest, sum_of_tangents, tell};
use crate::friction::friction_coefficient;
use crate::ramp::Ramp;
use crate::{DualCone, Gains, MassScale};

/// Most facets of a contact: 16 directions, two spins, four rolls.
const FACETS: usize = 22;

/// Parameters of [`DualCone`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DualConeParams {
    /// G of each facet \[kg\]; zero beyond those in use, as the multipliers.
    gains: [f64; FACETS],
    /// Multipliers of the facets \[N·s\]; without momentum, and in the end without what undid a penetration.
    multipliers: [f64; FACETS],
    pub(crate) last: [f64; FACETS],
    pub(crate) shift: f64,
    /// Opening speed above which friction is Coulomb's, μ v_s; f64::MAX for never.
    slow: f64,
    /// Sliding, spin, rolling.
    mu: [f64; 3],
    pub(crate) directions: u8,
    condim: u8,
    smoothing: f64,
    /// Steps \[1/kg\] of sums and differences of opposite facets: inverse masses of the normal, of the tangents (11, 12, 22), of spin and rolls, over the gain that they share; zeros where they have none.
    steps: [f64; 7],
    /// What follows from them, once it is needed.
    pub(crate) pairs: FacetPairs,
}

/// Smallest inverse mass of the normal beside μ² that of the tangents, for steps of sums.
const LEAST_NORMAL: f64 = 0.1;

/// cos(π i/8), i = 0..16, written so that axes are exact.
const COS: [f64; 16] = {
    let (a, b, c) = (0.923_879_532_511_286_7, std::f64::consts::FRAC_1_SQRT_2, 0.382_683_432_365_089_8);
    [1.0, a, b, c, 0.0, -c, -b, -a, -1.0, -a, -b, -c, 0.0, c, b, a]
};

/// (cos, sin) of the first half of N directions; those of the other half are opposite.
const fn half_turn<const N: usize, const H: usize>() -> [[f64; 2]; H] {
    let mut out = [[0.0; 2]; H];
    let mut j = 0;
    while j < H {
        let i = j * (16 / N);
        out[j] = [COS[i], COS[(i + 12) % 16]];
        j += 1;
    }
    out
}

pub(crate) const HALF_4: [[f64; 2]; 2] = half_turn::<4, 2>();
pub(crate) const HALF_8: [[f64; 2]; 4] = half_turn::<8, 4>();
pub(crate) const HALF_16: [[f64; 2]; 8] = half_turn::<16, 8>();

/// aᵀ W a of facets from the parts of W.
struct InverseMass<'a> {
    sides: &'a [ContactSide; 2],
    /// What the parts of either side are multiplied by.
    shares: [f64; 2],
    /// Opposite facets have the larger of their two.
    balanced: bool,
}

impl InverseMass<'_> {
    #[inline(always)]
    fn sum(&self, part: impl Fn(&ContactSide) -> f64) -> f64 {
        self.shares[0] * part(&self.sides[0]) + self.shares[1] * part(&self.sides[1])
    }

    /// For every facet in use.
    #[inline(always)]
    fn of_facets(&self, p: &DualConeParams, out: &mut [f64; FACETS]) {
        let normal = self.sum(|s| s.linear[(0, 0)]);
        if p.condim == 1 {
            out[0] = normal;
            return;
        }
        match p.directions {
            4 => self.of_tangents(normal, p.mu[0], &HALF_4, out),
            8 => self.of_tangents(normal, p.mu[0], &HALF_8, out),
            _ => self.of_tangents(normal, p.mu[0], &HALF_16, out),
        }
        let turns = if p.condim < 4 { 0 } else { usize::from(p.condim) - 3 };
        for (axis, out) in out[usize::from(p.directions)..].chunks_exact_mut(2).take(turns).enumerate() {
            let a = p.mu[if axis == 0 { 1 } else { 2 }];
            let even = normal + a * a * self.sum(|s| s.angular[(axis, axis)]);
            let odd = 2.0 * a * self.sum(|s| s.coupling[axis]);
            out.copy_from_slice(&self.pair(even, odd));
        }
    }

    #[inline(always)]
    fn of_tangents<const H: usize>(
        &self,
        normal: f64,
        mu: f64,
        half: &[[f64; 2]; H],
        out: &mut [f64; FACETS],
    ) {
        let w = |i: usize, j: usize| self.sum(|s| s.linear[(i, j)]);
        let (w11, w12, w22) = (mu * mu * w(1, 1), mu * mu * (w(1, 2) + w(2, 1)), mu * mu * w(2, 2));
        let (w01, w02) = (mu * (w(0, 1) + w(1, 0)), mu * (w(0, 2) + w(2, 0)));
        for (j, [c, s]) in half.iter().enumerate() {
            let (even, odd) = (normal + c * c * w11 + c * s * w12 + s * s * w22, c * w01 + s * w02);
            [out[j], out[j + H]] = self.pair(even, odd);
        }
    }

    /// Of the facets a and its opposite, from the parts of aᵀ W a that are even and odd in the tangents.
    #[inline(always)]
    fn pair(&self, even: f64, odd: f64) -> [f64; 2] {
        if self.balanced { [even + odd.abs(); 2] } else { [even - odd, even + odd] }
    }
}

impl DualConeParams {
    /// Fills all but the multipliers, which become zero; what was here before was prepared too.
    pub(crate) fn prepare(&mut self, law: &DualCone, seed: &ContactSeed, dim: usize) {
        let m = &seed.material;
        let before = self.facets();
        self.directions = law.directions;
        self.condim = if m.condim as usize > dim { dim as u8 } else { m.condim };
        let facets = self.facets();
        let used = before.max(facets);
        self.gains[facets..used].fill(0.0);
        self.multipliers[..used].fill(0.0);
        self.last[..used].fill(0.0);
        let sliding = if m.friction_static == m.friction_dynamic {
            m.friction_static
        } else {
            let slip = seed.velocity[1].hypot(seed.velocity[2]);
            friction_coefficient(m.friction_static, m.friction_dynamic, slip / m.stiction_speed)
        };
        self.mu = [sliding, m.friction_torsional, m.friction_rolling];
        self.smoothing = law.smoothing;
        self.slow = law.coulomb_slip.map_or(f64::MAX, |slip| sliding * slip);
        let material = [m.stiffness, m.relaxation_time * m.stiffness];
        let (relative, shift) = law.relative(seed.dt, seed.gap, &m.solimp, material);
        self.shift = shift;
        let relative = if law.normalize { relative / facets as f64 } else { relative };

        let over = |x: f64| if x > 0.0 { 1.0 / x } else { 0.0 };
        let sides = &seed.sides;
        let [a, b] = sides;
        let shares = [a, b].map(|s| if law.split { f64::from(s.contacts.max(1)) } else { 1.0 });
        let sum = |of: fn(&ContactSide) -> f64| shares[0] * of(a) + shares[1] * of(b);
        let known = a.reference > 0.0 || b.reference > 0.0;
        let trace = |s: &ContactSide| s.linear.trace();
        let same = match (law.gains, law.mass) {
            (Gains::Material, _) => Some(relative),
            (_, MassScale::Exact) => None,
            (_, MassScale::Mean) if known => Some(relative * over(sum(|s| s.reference))),
            (_, MassScale::Mean) => Some(relative * 3.0 * over(sum(trace))),
            (_, MassScale::Trace) => Some(relative * over(sum(trace))),
        };
        let mut gains = [0.0; FACETS];
        match same {
            Some(gain) => gains[..facets].fill(gain),
            None => {
                InverseMass { sides, shares, balanced: law.balanced }.of_facets(self, &mut gains);
                gains[..facets].iter_mut().for_each(|g| *g = if *g > 0.0 { relative / *g } else { 0.0 });
            }
        }
        if law.cap {
            // Σ_f G_f a_fᵀ W a_f of this contact stays below its share 1/n of one, n the larger number of contacts on its two trees: then
            // λ_max(M⁻¹ Σ G aᵀa) ≤ 1 for the whole scene (papers/borse2026comfree). Shared exact masses have this built in.
            let sum = if law.split && same.is_none() {
                relative * facets as f64
            } else {
                let mut w = [0.0; FACETS];
                InverseMass { sides, shares: [1.0; 2], balanced: false }.of_facets(self, &mut w);
                let sum = gains.iter().zip(&w).map(|(g, w)| g * w).sum::<f64>();
                sum * f64::from(a.contacts.max(b.contacts).max(1))
            };
            if sum > 1.0 {
                gains[..facets].iter_mut().for_each(|g| *g /= sum);
            }
        }
        self.gains[..facets].copy_from_slice(&gains[..facets]);
        self.steps = [0.0; 7];
        self.pairs.sum = 0.0;
        if same.is_none()
            && law.split
            && law.normalize
            && law.cap
            && law.smoothing == 0.0
            && self.condim >= 3
            && relative > 0.0
        {
            // Shares of one: half for the normal, among the pairs; the rest for the other dimensions, that of both tangents among their pairs.
            let all = 2.0 / (relative * facets as f64).min(1.0);
            let w = |i: usize, j: usize| all * (shares[0] * a.linear[(i, j)] + shares[1] * b.linear[(i, j)]);
            let t = |i: usize| all * (shares[0] * a.angular[(i, i)] + shares[1] * b.angular[(i, i)]);
            let (pairs, others) = (0.5 * facets as f64, f64::from(self.condim) - 1.0);
            let across = 0.25 * others * f64::from(self.directions);
            // A normal that bodies can hardly move along takes no unbounded step: its impulse would be the limit of friction along directions in which they can.
            let least = LEAST_NORMAL * self.mu[0] * self.mu[0] * 0.5 * (w(1, 1) + w(2, 2));
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
    }

    /// Gains of sums and differences, the difference as μ d.
    #[inline(always)]
    pub(crate) fn pairs(&self) -> FacetPairs {
        let mut across = [0.0; PAIRS];
        match self.directions {
            4 => self.of_pairs(&HALF_4, &mut across),
            8 => self.of_pairs(&HALF_8, &mut across),
            _ => self.of_pairs(&HALF_16, &mut across),
        }
        let half = usize::from(self.directions) / 2;
        for axis in 3..usize::from(self.condim) {
            let mu = self.mu[if axis == 3 { 1 } else { 2 }];
            across[half + axis - 3] = mu * mu * self.steps[1 + axis];
        }
        FacetPairs::new(self.steps[0], &across)
    }

    #[inline(always)]
    fn of_pairs<const H: usize>(&self, half: &[[f64; 2]; H], across: &mut [f64; PAIRS]) {
        let square = self.mu[0] * self.mu[0];
        let [_, w11, w12, w22, ..] = self.steps;
        for (across, [c, n]) in across.iter_mut().zip(half) {
            *across = square * (c * c * w11 + c * n * w12 + n * n * w22);
        }
    }

    /// Whether sums and differences have steps of their own.
    pub(crate) fn is_paired(&self) -> bool {
        self.steps[0] > 0.0
    }

    /// Σ of the gains over the rows of sums and differences, D × D.
    pub(crate) fn pair_curvature<const D: usize>(&self) -> SMatrix<f64, D, D> {
        let mut h = SMatrix::zeros();
        let pairs = self.pairs();
        for j in 0..self.facets() / 2 {
            let d = pairs.difference[j];
            h[(0, 0)] += pairs.sum;
            let half = usize::from(self.directions) / 2;
            if j < half {
                let i = j * (16 / usize::from(self.directions));
                let a = [COS[i] * self.mu[0], COS[(i + 12) % 16] * self.mu[0]];
                for (i, x) in a.iter().enumerate() {
                    for (k, y) in a.iter().enumerate() {
                        h[(i + 1, k + 1)] += d * x * y;
                    }
                }
            } else {
                let axis = 3 + j - half;
                let mu = self.mu[if axis == 3 { 1 } else { 2 }];
                h[(axis, axis)] += d * mu * mu;
            }
        }
        h
    }

    /// The pairs of tangents, for [`DualConeParams::sweep_pairs`].
    #[inline(always)]
    pub(crate) fn sweep_tangent_pairs<const D: usize, const H: usize>(
        &mut self,
        half: &[[f64; 2]; H],
        v_c: &SVector<f64, D>,
        common: &PairSweep,
        sweep: &mut Sweep,
    ) -> [f64; 3] {
        let (x, y) = (self.mu[0] * v_c[1], self.mu[0] * v_c[2]);
        let mut slip = [0.0; H];
        slip.iter_mut().zip(half).for_each(|(slip, [c, s])| *slip = c * x + s * y);
        let over_mu = if self.mu[0] > 0.0 { 1.0 / self.mu[0] } else { 0.0 };
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
    pub(crate) fn sweep_turn_pairs<const D: usize>(
        &mut self,
        v_c: &SVector<f64, D>,
        common: &PairSweep,
        sweep: &mut Sweep,
        gamma: &mut SVector<f64, D>,
    ) {
        let (n, half) = (usize::from(self.directions), usize::from(self.directions) / 2);
        for axis in 3..usize::from(self.condim).min(D) {
            let mu = self.mu[if axis == 3 { 1 } else { 2 }];
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

    /// What is taken off the opening of a contact that slides \[m/s\]: o³/(o² + (μ v_s)²), o the largest rate of a facet across the normal.
    #[inline(always)]
    pub(crate) fn opening<const D: usize>(&self, v_c: &SVector<f64, D>) -> f64 {
        if self.slow == f64::MAX || D < 3 || self.condim < 3 {
            return 0.0;
        }
        let mut most = match self.directions {
            4 => fastest(&HALF_4, v_c[1], v_c[2]),
            8 => fastest(&HALF_8, v_c[1], v_c[2]),
            _ => fastest(&HALF_16, v_c[1], v_c[2]),
        } * self.mu[0];
        for axis in 3..usize::from(self.condim).min(D) {
            most = most.max((self.mu[if axis == 3 { 1 } else { 2 }] * v_c[axis]).abs());
        }
        let square = most * most;
        if square > 0.0 { most * (square / (square + self.slow * self.slow)) } else { 0.0 }
    }

    /// Facets in use.
    #[inline(always)]
    fn facets(&self) -> usize {
        facet_count(usize::from(self.condim), self.directions)
    }

    /// Calls `f(number, a_f)` for every facet; a_f as (normal, t₁, t₂, spin, roll₁, roll₂).
    #[inline(always)]
    fn for_facets(&self, mut f: impl FnMut(usize, [f64; 6])) {
        if self.condim == 1 {
            return f(0, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        }
        let [sliding, spin, rolling] = self.mu;
        let n = usize::from(self.directions);
        for j in 0..n {
            let i = j * (16 / n);
            f(j, [1.0, -sliding * COS[i], -sliding * COS[(i + 12) % 16], 0.0, 0.0, 0.0]);
        }
        if self.condim < 4 {
            return;
        }
        f(n, [1.0, 0.0, 0.0, -spin, 0.0, 0.0]);
        f(n + 1, [1.0, 0.0, 0.0, spin, 0.0, 0.0]);
        if self.condim < 6 {
            return;
        }
        f(n + 2, [1.0, 0.0, 0.0, 0.0, -rolling, 0.0]);
        f(n + 3, [1.0, 0.0, 0.0, 0.0, rolling, 0.0]);
        f(n + 4, [1.0, 0.0, 0.0, 0.0, 0.0, -rolling]);
        f(n + 5, [1.0, 0.0, 0.0, 0.0, 0.0, rolling]);
    }

    /// Calls `f(number, a_f, G_f, x_f)` for every facet with gain, γ_f = G_f x_f₊ with x_f = λ_f/G_f − u_f − `shift`.
    #[inline(always)]
    pub(crate) fn for_active<const D: usize>(
        &self,
        v_c: &SVector<f64, D>,
        shift: f64,
        mut f: impl FnMut(usize, [f64; 6], f64, f64),
    ) {
        self.for_facets(|i, a| {
            let g = self.gains[i];
            if g > 0.0 {
                f(i, a, g, self.multipliers[i] / g - dot(&a, v_c) - shift);
            }
        });
    }

    #[inline(always)]
    pub(crate) fn ramp(&self) -> Ramp {
        Ramp { width: self.smoothing }
    }

    /// Sets the multipliers.
    #[inline(always)]
    pub(crate) fn remember(&mut self, multipliers: &[f64]) {
        let n = self.facets().min(multipliers.len());
        self.multipliers[..n].copy_from_slice(&multipliers[..n]);
        self.last[..n].copy_from_slice(&multipliers[..n]);
    }

    /// u_f = a_f·v_c of the facets in use.
    #[inline(always)]
    fn rates<const D: usize>(&self, v_c: &SVector<f64, D>, out: &mut [f64; FACETS]) {
        if self.condim == 1 || D < 3 {
            out[0] = v_c[0];
            return;
        }
        match self.directions {
            4 => self.rates_of_tangents(v_c, &HALF_4, out),
            8 => self.rates_of_tangents(v_c, &HALF_8, out),
            _ => self.rates_of_tangents(v_c, &HALF_16, out),
        }
        for axis in 3..usize::from(self.condim).min(D) {
            let x = self.mu[if axis == 3 { 1 } else { 2 }] * v_c[axis];
            let at = usize::from(self.directions) + 2 * (axis - 3);
            (out[at], out[at + 1]) = (v_c[0] - x, v_c[0] + x);
        }
    }

    #[inline(always)]
    fn rates_of_tangents<const D: usize, const H: usize>(
        &self,
        v_c: &SVector<f64, D>,
        half: &[[f64; 2]; H],
        out: &mut [f64; FACETS],
    ) {
        let (x, y) = (self.mu[0] * v_c[1], self.mu[0] * v_c[2]);
        for (j, [c, s]) in half.iter().enumerate() {
            let t = c * x + s * y;
            (out[j], out[j + H]) = (v_c[0] - t, v_c[0] + t);
        }
    }

    /// One sweep over the facets: see [`signorini_core::SweptLaw::sweep`].
    #[inline(always)]
    pub(crate) fn sweep<const D: usize>(&mut self, v_c: &SVector<f64, D>, sweep: &mut Sweep) {
        let mut rates = [0.0; FACETS];
        self.rates(v_c, &mut rates);
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
        let n = self.facets();
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

    /// Σ λ_f a_f.
    #[inline(always)]
    pub(crate) fn impulse<const D: usize>(&self) -> SVector<f64, D> {
        if self.condim == 1 || D < 3 {
            return self.of_tangents([self.multipliers[0], 0.0, 0.0]);
        }
        let mut gamma = self.of_tangents(match self.directions {
            4 => sum_of_tangents(&HALF_4, self.opposite()),
            8 => sum_of_tangents(&HALF_8, self.opposite()),
            _ => sum_of_tangents(&HALF_16, self.opposite()),
        });
        for axis in 3..usize::from(self.condim).min(D) {
            let at = usize::from(self.directions) + 2 * (axis - 3);
            let (a, b) = (self.multipliers[at], self.multipliers[at + 1]);
            gamma[0] += a + b;
            gamma[axis] = self.mu[if axis == 3 { 1 } else { 2 }] * (b - a);
        }
        gamma
    }

    /// Sums and differences of the multipliers of opposite tangents.
    #[inline(always)]
    fn opposite<const H: usize>(&self) -> [[f64; H]; 2] {
        let mut out = [[0.0; H]; 2];
        for j in 0..H {
            let (a, b) = (self.multipliers[j], self.multipliers[j + H]);
            (out[0][j], out[1][j]) = (a + b, a - b);
        }
        out
    }

    /// The impulse of tangents, by [`sum_of_tangents`].
    #[inline(always)]
    pub(crate) fn of_tangents<const D: usize>(&self, [normal, x, y]: [f64; 3]) -> SVector<f64, D> {
        let mut gamma = SVector::zeros();
        gamma[0] = normal;
        if D >= 3 {
            (gamma[1], gamma[2]) = (-self.mu[0] * x, -self.mu[0] * y);
        }
        gamma
    }
}

/// What the facets of a contact have in common in a sweep.
struct FacetSweep {
    scale: f64,
    momentum: f64,
    shift: f64,
    /// What undoes a penetration \[m/s\], ≤ 0, in the last sweep.
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

/// Facets of a contact of this dimension.
#[inline(always)]
pub(crate) fn facet_count(condim: usize, directions: u8) -> usize {
    let n = usize::from(directions);
    match condim {
        0 | 2 => 0,
        1 => 1,
        3 => n,
        4 | 5 => n + 2,
        _ => n + 6,
    }
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
