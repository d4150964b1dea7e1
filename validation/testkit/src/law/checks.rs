use signorini_core::na::{DMatrix, SMatrix, SVector};
use signorini_core::{ContactLaw, LawEval, Smoothness};

use super::{LawReport, LawSuite, Scale};
use crate::Violation;
use crate::finite_difference::{gradient_deviation, jacobian_deviation};
use crate::rng::Rng;

const SCALES: [Scale; 4] = [
    Scale { mass: 3.0, time: 1.0, length: 1.0 },
    Scale { mass: 1.0, time: 0.7, length: 1.0 },
    Scale { mass: 1.0, time: 1.0, length: 0.6 },
    Scale { mass: 0.5, time: 2.3, length: 1.7 },
];

/// One state under test.
struct Bench<'a, 'b, L: ContactLaw<D>, const D: usize> {
    suite: &'a LawSuite<'b, L, D>,
    report: &'a mut LawReport,
    index: usize,
    seed: L::Seed,
    params: L::Params,
    v: SVector<f64, D>,
    e: LawEval<D>,
}

pub(super) fn run<L: ContactLaw<D>, const D: usize>(
    suite: &LawSuite<'_, L, D>,
) -> Result<LawReport, Violation> {
    let mut rng = Rng::new(suite.rng_seed);
    let mut report = LawReport { states: suite.states, ..LawReport::default() };
    for index in 0..suite.states {
        let (seed, v) = (suite.draw)(&mut rng);
        // A second velocity of the same kind; it may belong to another seed and lie outside the domain of this one.
        let (_, other) = (suite.draw)(&mut rng);
        let direction = rng.vector::<D>() * v.norm();
        let params = suite.law.prepare(&seed);
        let e = suite.law.eval(&params, v);
        report.active += usize::from(e.grad.amax() > 0.0);
        let mut b = Bench { suite, report: &mut report, index, seed, params, v, e };
        b.finite()?;
        b.derivatives()?;
        b.line(direction)?;
        b.pair(other)?;
        b.units()?;
        b.storage()?;
        b.contact()?;
        b.energy()?;
    }
    Ok(report)
}

fn ratio(deviation: f64, size: f64) -> f64 {
    if deviation == 0.0 { 0.0 } else { deviation / size }
}

impl<L: ContactLaw<D>, const D: usize> Bench<'_, '_, L, D> {
    fn claim(&mut self, check: &'static str, measured: f64, allowed: f64) -> Result<(), Violation> {
        // NaN fails.
        if measured <= allowed {
            self.report.record(check, measured);
            return Ok(());
        }
        Err(Violation::new(
            format!("{check} of law {}/{D}", L::KEY),
            format!(
                "found {measured:e}, allowed {allowed:e}, at state {}: seed {:?}, v_c {:?}",
                self.index,
                self.seed,
                self.v.as_slice()
            ),
        ))
    }

    fn eval(&self, v: SVector<f64, D>) -> LawEval<D> {
        self.suite.law.eval(&self.params, v)
    }

    /// A speed to measure steps by.
    fn size(&self) -> f64 {
        self.v.norm().max(1e-6)
    }

    fn finite(&mut self) -> Result<(), Violation> {
        let barrier = L::PROPERTIES.barrier;
        let mut probes = vec![self.v, SVector::zeros()];
        for scale in [-1.0, 1e-200, -1e-9, 1e6, -1e6] {
            probes.push(self.v * scale);
            probes.push(SVector::from_fn(|i, _| if i == 0 { self.v[0] } else { scale * self.v[i] }));
            probes.push(SVector::from_fn(|i, _| if i == 0 { scale * self.v[0] } else { 0.0 }));
        }
        let mut bad = 0.0;
        for v in probes {
            let e = self.eval(v);
            let dv = SVector::from_fn(|i, _| 1.0 + i as f64);
            let a = self.suite.law.along(&self.params, v, dv);
            let outside = barrier && e.cost == f64::INFINITY;
            let fine = outside
                || e.cost.is_finite()
                    && e.grad.iter().chain(e.hess.iter()).all(|x| x.is_finite())
                    && [a.value, a.slope, a.curvature].iter().all(|x| x.is_finite())
                    && self.suite.law.cost(&self.params, v).is_finite();
            if !fine {
                bad += 1.0;
            }
        }
        self.claim("finite", bad, 0.0)
    }

    fn derivatives(&mut self) -> Result<(), Violation> {
        let (size, e) = (self.size(), self.e);
        let x = self.v.as_slice();
        if self.at_kink() {
            self.report.kinks += 1;
            let share = self.report.kinks as f64 / (self.report.states as f64).max(20.0);
            return self.claim("kinks", share, 0.1);
        }
        let cost = |x: &[f64]| self.eval(SVector::from_column_slice(x)).cost;
        let off = gradient_deviation(cost, x, e.grad.as_slice(), size);
        let slope = |x: &[f64], out: &mut [f64]| {
            out.copy_from_slice(self.eval(SVector::from_column_slice(x)).grad.as_slice());
        };
        let hess = DMatrix::from_column_slice(D, D, e.hess.as_slice());
        let off_hess = jacobian_deviation(slope, x, &hess, size);
        self.claim("gradient", ratio(off, e.grad.amax() + e.cost.abs() / size), 1e-6)?;
        self.claim("hessian", ratio(off_hess, e.hess.amax() + e.grad.amax() / size), 1e-6)?;
        self.claim("symmetry", ratio((e.hess - e.hess.transpose()).amax(), e.hess.amax()), 1e-12)?;
        if L::PROPERTIES.convex {
            let least = hess.symmetric_eigenvalues().min();
            self.claim("eigenvalue", ratio((-least).max(0.0), e.hess.amax()), 1e-10)?;
        }
        Ok(())
    }

    /// Whether the Hessian of a C1 law jumps so near that no difference can be taken.
    fn at_kink(&self) -> bool {
        let hess = |i: usize, s: f64| {
            let mut v = self.v;
            v[i] += s * 1e-7 * self.size();
            self.eval(v).hess
        };
        L::PROPERTIES.smoothness == Smoothness::C1
            && (0..D).any(|i| {
                let (below, above) = (hess(i, -1.0), hess(i, 1.0));
                (above - below).norm() > 0.1 * above.norm().max(below.norm())
            })
    }

    fn line(&mut self, dv: SVector<f64, D>) -> Result<(), Violation> {
        let e = self.e;
        let cost = self.suite.law.cost(&self.params, self.v);
        self.claim("cost", ratio((cost - e.cost).abs(), e.cost.abs()), 1e-12)?;
        let a = self.suite.law.along(&self.params, self.v, dv);
        let slope = e.grad.dot(&dv);
        let curvature = dv.dot(&(e.hess * dv));
        let length = dv.norm();
        let off = ratio((a.value - e.cost).abs(), e.cost.abs())
            .max(ratio((a.slope - slope).abs(), e.grad.norm() * length))
            .max(ratio((a.curvature - curvature).abs(), e.hess.norm() * length * length));
        self.claim("along", off, 1e-10)
    }

    /// Claims about the segment from v to another velocity.
    fn pair(&mut self, other: SVector<f64, D>) -> Result<(), Violation> {
        let (a, b) = (self.e, self.eval(other));
        if !b.cost.is_finite() {
            return Ok(());
        }
        if L::PROPERTIES.convex {
            let rise = a.grad.dot(&(other - self.v));
            let size = a.cost.abs() + b.cost.abs() + a.grad.norm() * (other - self.v).norm();
            self.claim("convexity", ratio((a.cost + rise - b.cost).max(0.0), size), 1e-11)?;
        }
        let jump = self.jump(other, |e| SVector::<f64, 1>::from([e.cost]));
        self.claim("jump", jump, 1e-7)?;
        let jump = self.jump(other, |e| e.grad);
        self.claim("jump", jump, 1e-7)?;
        if L::PROPERTIES.smoothness == Smoothness::C2 {
            let jump = self.jump(other, |e| e.hess);
            self.claim("jump", jump, 1e-7)?;
        }
        Ok(())
    }

    /// Halves the segment to `other` down to neighbouring numbers, keeping the half over which `f` changes more: a jump stays, everything
    /// continuous shrinks to nothing.
    fn jump<const R: usize, const C: usize>(
        &self,
        other: SVector<f64, D>,
        f: impl Fn(&LawEval<D>) -> SMatrix<f64, R, C>,
    ) -> f64 {
        let at = |t: f64| f(&self.eval(self.v + t * (other - self.v)));
        let (mut lo, mut hi) = (0.0, 1.0);
        let (mut f_lo, mut f_hi) = (at(lo), at(hi));
        let mut size = f_lo.norm().max(f_hi.norm());
        for _ in 0..60 {
            let mid = 0.5 * (lo + hi);
            if mid <= lo || mid >= hi {
                break;
            }
            let f_mid = at(mid);
            size = size.max(f_mid.norm());
            if (f_mid - f_lo).norm() > (f_hi - f_mid).norm() {
                (hi, f_hi) = (mid, f_mid);
            } else {
                (lo, f_lo) = (mid, f_mid);
            }
        }
        ratio((f_hi - f_lo).norm(), size)
    }

    fn units(&mut self) -> Result<(), Violation> {
        for s in SCALES {
            let (seed, v) = (self.suite.rescale)(&(self.seed, self.v), s);
            let law = self.suite.rescale_law.as_ref().map(|rescale| rescale(&self.suite.law, s));
            let law = law.as_ref().unwrap_or(&self.suite.law);
            let scaled = law.eval(&law.prepare(&seed), v);
            // The factor of each row: a linear velocity or an angular one.
            let (_, row) = (self.suite.rescale)(&(self.seed, SVector::repeat(1.0)), s);
            let mut off = ratio((scaled.cost / s.energy() - self.e.cost).abs(), self.e.cost.abs());
            for i in 0..D {
                let grad = scaled.grad[i] * row[i] / s.energy();
                off = off.max(ratio((grad - self.e.grad[i]).abs(), self.e.grad.amax()));
                for j in 0..D {
                    let hess = scaled.hess[(i, j)] * row[i] * row[j] / s.energy();
                    off = off.max(ratio((hess - self.e.hess[(i, j)]).abs(), self.e.hess.amax()));
                }
            }
            self.claim("units", off, 1e-9)?;
        }
        Ok(())
    }

    fn storage(&mut self) -> Result<(), Violation> {
        let back = serde_json::to_string(&self.params)
            .and_then(|text| serde_json::from_str::<L::Params>(&text))
            .map(|p| self.suite.law.eval(&p, self.v));
        let same = back.is_ok_and(|e| e == self.e);
        self.claim("storage", f64::from(u8::from(!same)), 0.0)
    }

    fn energy(&mut self) -> Result<(), Violation> {
        match &self.suite.energy {
            // Differences over 1e-4 of a depth: 1e-8 of their own, and round-off of 1e-16/1e-4.
            Some(deviation) => self.claim("stored energy", deviation(&self.suite.law, &self.seed), 1e-7),
            None => Ok(()),
        }
    }

    fn contact(&mut self) -> Result<(), Violation> {
        let Some(bound) = &self.suite.bound else { return Ok(()) };
        let gamma = -self.e.grad;
        let allowed = bound(&self.params, gamma[0]);
        self.claim("adhesion", (-gamma[0]).max(0.0), 0.0)?;
        if D < 3 {
            return Ok(());
        }
        let (g, v) = ([gamma[1], gamma[2]], [self.v[1], self.v[2]]);
        let (size, slip) = (g[0].hypot(g[1]), v[0].hypot(v[1]));
        let excess = ratio((size - allowed).max(0.0), allowed);
        self.claim("friction", excess, 1e-9)?;
        // γ_t = −‖γ_t‖ v_t/‖v_t‖.
        let off = (g[0] * slip + size * v[0]).hypot(g[1] * slip + size * v[1]);
        self.claim("friction", ratio(off, size * slip), 1e-9)
    }
}
