use signorini_core::na::{DMatrix, DVector};

use crate::{CouplingError, Limit};

/// Iterates a step of two systems until each has met the other's motion.
///
/// ```text
/// u = v(u),   v(u): velocity of the bodies at the end of a step in which the points met them at velocity u
/// u ← u + ΔU c + ω (r + ΔR c),   r = v(u) − u,   c = argmin ‖ΔR c + r‖
/// ```
/// ΔU and ΔR are differences of iterates and of their residuals (interface quasi-Newton, Anderson mixing), those of earlier steps too; directions outside their span are relaxed by ω = 1/(1 + a), where a is
/// how much stiffer than the bodies the points are ([`Limit`]). The solution is implicit in the motion of bodies, as strong coupling is, and explicit in the stress still.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iteration {
    /// Part of the momentum that points give bodies that may be amiss, > 0.
    pub tolerance: f64,
    /// Most times that a step is taken, ≥ 1.
    pub most: u32,
}

impl Default for Iteration {
    fn default() -> Self {
        Self { tolerance: 1e-4, most: 30 }
    }
}

impl Iteration {
    pub(crate) fn check(&self) -> Result<(), CouplingError> {
        let bad = |what, value, range| Err(CouplingError::Iteration { what, value, range });
        if !(self.tolerance > 0.0 && self.tolerance.is_finite()) {
            return bad("a tolerance of", self.tolerance, "a number > 0");
        }
        if self.most == 0 {
            return bad("a limit of", 0.0, "1 or more");
        }
        Ok(())
    }
}

/// Least part of the largest difference that counts.
const INDEPENDENT: f64 = 1e-6;

/// Differences of iterates, newest last.
#[derive(Clone, Debug, Default)]
pub(crate) struct QuasiNewton {
    differences: Vec<(DVector<f64>, DVector<f64>)>,
    last: Option<(DVector<f64>, DVector<f64>)>,
}

impl QuasiNewton {
    /// A new step: its iterates are not those of the last one.
    pub(crate) fn begin(&mut self) {
        self.last = None;
    }

    /// Part that is taken of a residual that is not known.
    pub(crate) fn relaxation(limits: &[Limit], dt: f64) -> f64 {
        let stiffer = |l: &Limit| {
            let [stiff, rate, friction] = l.backed;
            let follows = (l.stiff * dt * dt + l.damping * dt / l.mass).min(l.surface / l.mass);
            follows.max(stiff * dt * dt + (rate + friction) * dt)
        };
        1.0 / (1.0 + limits.iter().filter(|l| l.mass > 0.0).map(stiffer).fold(0.0, f64::max))
    }

    /// The next iterate. Points resist motion, so that no change of it is larger than the residual: differences that ask for one are out of date, and forgotten.
    pub(crate) fn next(&mut self, u: DVector<f64>, r: DVector<f64>, relaxation: f64) -> DVector<f64> {
        if let Some((u0, r0)) = self.last.take() {
            self.differences.push((&u - u0, &r - r0));
            if self.differences.len() > u.len() {
                self.differences.remove(0);
            }
        }
        let mut next = &u + relaxation * &r;
        if !self.differences.is_empty() {
            let count = self.differences.len();
            let du = DMatrix::from_fn(u.len(), count, |i, j| self.differences[j].0[i]);
            let dr = DMatrix::from_fn(u.len(), count, |i, j| self.differences[j].1[i]);
            let svd = dr.clone().svd(true, true);
            let least = INDEPENDENT * svd.singular_values.max();
            if let Ok(c) = svd.solve(&-&r, least) {
                let change = du * &c + relaxation * (&r + dr * c);
                if change.norm() <= r.norm() {
                    next = &u + change;
                } else {
                    self.differences.clear();
                }
            }
        }
        self.last = Some((u, r));
        next
    }
}
