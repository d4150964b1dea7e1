use signorini_core::{Evals, Part, StepProblem};

use crate::power::apply;

/// Steps of the Lanczos method before sweeps.
const STEPS: usize = 8;

/// Steps of Laguerre's method, of which three or four do.
const LAGUERRE: usize = 12;

/// Bounds on λ_max of the islands of a problem, and the factors ≥ 1 by which sweeps may raise gains.
#[derive(Debug, Default)]
pub(crate) struct SpectralBounds {
    /// Island of each block, then of each unknown.
    of_block: Vec<u32>,
    of_unknown: Vec<u32>,
    x: Vec<f64>,
    y: Vec<f64>,
    before: Vec<f64>,
    a_x: Vec<f64>,
    rows: Vec<f64>,
    islands: Vec<Island>,
    factors: Vec<f64>,
}

/// A tridiagonal matrix as it grows: αs, and βs of which the first stays zero.
#[derive(Clone, Copy, Debug, Default)]
struct Island {
    alpha: [f64; STEPS],
    beta: [f64; STEPS + 1],
    steps: usize,
    done: bool,
    sum: f64,
}

impl Island {
    /// Largest Ritz value plus the norm of its residual.
    fn bound(&self) -> f64 {
        let n = self.steps;
        if n == 0 {
            return 0.0;
        }
        // Above all eigenvalues (Gershgorin), from where Laguerre's method comes down to the largest without passing it.
        let reach = |k: usize| self.alpha[k] + self.beta[k] + if k + 1 < n { self.beta[k + 1] } else { 0.0 };
        let mut most = (0..n).map(reach).fold(0.0, f64::max);
        for _ in 0..LAGUERRE {
            let down = self.down(most);
            if down <= 1e-12 * most {
                break;
            }
            most -= down;
        }
        most + self.beta[n] * self.last_component(most)
    }

    /// Size of the last component of the unit eigenvector of λ: from the component at which the eliminations of λ 1 − T from both ends leave least, outwards (Dhillon's twisted factorisation). From one end
    /// on, round-off would grow to something where the matrix all but falls apart.
    ///
    /// ```text
    /// q_k = λ − α_k − β_k²/q_{k−1},   p_k = λ − α_k − β_{k+1}²/p_{k+1},   least q_k + p_k − (λ − α_k);   q_k x_k = β_{k+1} x_{k+1} before it,  p_k x_k = β_k x_{k−1} behind it
    /// ```
    fn last_component(&self, at: f64) -> f64 {
        let n = self.steps;
        // Not zero at a root.
        let least = f64::EPSILON * at;
        let (mut q, mut p) = ([0.0; STEPS], [0.0; STEPS]);
        for k in 0..n {
            let before = if k > 0 { self.beta[k] * self.beta[k] / q[k - 1] } else { 0.0 };
            q[k] = (at - self.alpha[k] - before).max(least);
        }
        for k in (0..n).rev() {
            let behind = if k + 1 < n { self.beta[k + 1] * self.beta[k + 1] / p[k + 1] } else { 0.0 };
            p[k] = (at - self.alpha[k] - behind).max(least);
        }
        let left = |k: &usize| (q[*k] + p[*k] - (at - self.alpha[*k])).abs();
        let twist = (0..n).min_by(|a, b| left(a).total_cmp(&left(b))).unwrap_or(0);
        let (mut x, mut sum) = (1.0, 1.0);
        for k in (0..twist).rev() {
            x *= self.beta[k + 1] / q[k];
            sum += x * x;
        }
        x = 1.0;
        for k in twist + 1..n {
            x *= self.beta[k] / p[k];
            sum += x * x;
        }
        x / sum.sqrt()
    }

    /// Laguerre's step for p(λ) = det(λ − T) = Π q_k down from a λ above all roots; zero at a root.
    ///
    /// ```text
    /// q_k = λ − α_k − β_k²/q_{k−1},   G = p'/p = Σ q_k'/q_k,   H = −G',   step = n/(G + √((n − 1)(n H − G²)))
    /// ```
    fn down(&self, at: f64) -> f64 {
        let n = self.steps as f64;
        // 1/q and its derivatives of the row before.
        let (mut f, mut f1, mut f2) = (0.0, 0.0, 0.0);
        let (mut g, mut h) = (0.0, 0.0);
        for k in 0..self.steps {
            let b = self.beta[k] * self.beta[k];
            let (q, q1, q2) = (at - self.alpha[k] - b * f, 1.0 - b * f1, -b * f2);
            f = 1.0 / q;
            let part = q1 * f;
            (f1, f2) = (-part * f, (2.0 * part * part - q2 * f) * f);
            g += part;
            h += part * part - q2 * f;
        }
        // Roundoff may have passed the root.
        if g > 0.0 { n / (g + ((n - 1.0) * (n * h - g * g)).max(0.0).sqrt()) } else { 0.0 }
    }
}

impl SpectralBounds {
    /// Bounds of a problem and the factors that follow from them; `evals` is scratch.
    pub(crate) fn update(&mut self, p: &dyn StepProblem, part: Part<'_>, evals: &mut Evals) {
        let pools = p.pools();
        self.factors.clear();
        self.factors.resize(pools.constraint_count(), 1.0);
        self.rows.clear();
        self.rows.resize(pools.row_count(), 0.0);
        if !pools.all_swept() {
            return;
        }
        pools.size_evals(evals);
        for (pool, span) in pools.spans() {
            if let Some(pool) = pool.swept() {
                pool.sweep_gains(span, evals);
            }
        }
        self.find_islands(p);
        self.lanczos(p, part, evals);
        self.islands.iter_mut().for_each(|i| i.sum = i.bound());
        for (k, factor) in self.factors.iter_mut().enumerate() {
            if let Some(b) = p.map().blocks_of(k).first() {
                let bound = self.islands[self.of_block[*b as usize] as usize].sum;
                *factor = if bound > 0.0 { (1.0 / bound).max(1.0) } else { 1.0 };
            }
        }
    }

    fn lanczos(&mut self, p: &dyn StepProblem, part: Part<'_>, evals: &mut Evals) {
        let r = self;
        let n = p.velocity_count();
        r.x.clear();
        // Alike in all units: velocities of one energy.
        r.x.extend(p.inertia().scaling().iter().enumerate().map(|(i, d)| scattered(i) * d));
        apply(p, part, evals, &r.x, &mut r.rows, &mut r.y);
        std::mem::swap(&mut r.x, &mut r.y);
        p.inertia().solve_in_place(part, &mut r.x);
        r.before.clear();
        r.before.resize(n, 0.0);
        r.a_x.resize(n, 0.0);
        for k in 0..=STEPS {
            p.inertia().apply(part, &r.x, &mut r.a_x);
            r.sum_of_products();
            for i in r.islands.iter_mut().filter(|i| !i.done) {
                let norm = i.sum.sqrt();
                // An invariant subspace: the Ritz values are exact.
                i.done = norm.is_nan() || norm == 0.0 || (k > 0 && norm <= 1e-12 * i.alpha[0]);
                if k > 0 && !i.done {
                    i.beta[k] = norm;
                }
                i.sum = if i.done { 0.0 } else { norm.recip() };
                i.steps = if i.done { i.steps } else { k };
            }
            if k == STEPS {
                break;
            }
            for (x, at) in r.x.iter_mut().zip(&r.of_unknown) {
                let i = &r.islands[*at as usize];
                *x = if i.done { 0.0 } else { *x * i.sum };
            }
            apply(p, part, evals, &r.x, &mut r.rows, &mut r.y);
            std::mem::swap(&mut r.a_x, &mut r.y);
            r.sum_of_products();
            for i in r.islands.iter_mut().filter(|i| !i.done) {
                i.alpha[k] = i.sum;
                i.steps = k + 1;
            }
            std::mem::swap(&mut r.a_x, &mut r.y);
            p.inertia().solve_in_place(part, &mut r.y);
            for (((y, x), b), at) in r.y.iter_mut().zip(&r.x).zip(&r.before).zip(&r.of_unknown) {
                let i = &r.islands[*at as usize];
                *y -= i.alpha[k] * x + i.beta[k] * b;
            }
            std::mem::swap(&mut r.before, &mut r.x);
            std::mem::swap(&mut r.x, &mut r.y);
        }
    }

    /// Factors of the last problem, one per constraint.
    pub(crate) fn factors(&self) -> &[f64] {
        &self.factors
    }

    /// Islands: blocks that constraints or the inertia tie together, in the order of their first block.
    fn find_islands(&mut self, p: &dyn StepProblem) {
        let starts = p.inertia().block_starts();
        let blocks = starts.len() - 1;
        let of = &mut self.of_block;
        of.clear();
        of.extend(0..blocks as u32);
        for k in 0..p.pools().constraint_count() {
            for pair in p.map().blocks_of(k).windows(2) {
                join(of, pair[0], pair[1]);
            }
        }
        p.inertia().for_couples(&mut |a, b| join(of, a as u32, b as u32));
        // Each block points at an earlier one or at itself.
        let mut islands = 0;
        for b in 0..blocks {
            of[b] = if of[b] as usize == b {
                islands += 1;
                islands - 1
            } else {
                of[of[b] as usize]
            };
        }
        self.islands.clear();
        self.islands.resize(islands as usize, Island::default());
        self.of_unknown.clear();
        for (b, w) in starts.windows(2).enumerate() {
            self.of_unknown.extend(std::iter::repeat_n(of[b], w[1] - w[0]));
        }
    }

    /// Σ x a_x of each island.
    fn sum_of_products(&mut self) {
        self.islands.iter_mut().for_each(|i| i.sum = 0.0);
        for ((x, a), at) in self.x.iter().zip(&self.a_x).zip(&self.of_unknown) {
            self.islands[*at as usize].sum += x * a;
        }
    }
}

fn root(of: &[u32], mut b: u32) -> u32 {
    while of[b as usize] != b {
        b = of[b as usize];
    }
    b
}

fn join(of: &mut [u32], a: u32, b: u32) {
    let (a, b) = (root(of, a), root(of, b));
    of[a.max(b) as usize] = a.min(b);
}

/// Numbers between −1 and 1 without order, the same in every run (splitmix64).
fn scattered(i: usize) -> f64 {
    let mut z = (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    2.0 * ((z ^ (z >> 31)) as f64 / u64::MAX as f64) - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use signorini_core::na::SMatrix;

    fn dense(i: &Island) -> f64 {
        // Rows that were not reached are zero, as an eigenvalue never the largest.
        let mut t = SMatrix::<f64, STEPS, STEPS>::zeros();
        for k in 0..i.steps {
            t[(k, k)] = i.alpha[k];
            if k > 0 {
                (t[(k, k - 1)], t[(k - 1, k)]) = (i.beta[k], i.beta[k]);
            }
        }
        let eigen = t.symmetric_eigen();
        let (at, most) = eigen.eigenvalues.argmax();
        most + i.beta[i.steps] * eigen.eigenvectors[(i.steps - 1, at)].abs()
    }

    proptest! {
        /// The bound is that of a dense decomposition; α and β are those of a positive semidefinite matrix.
        #[test]
        fn property_bound_is_the_dense_one(
            steps in 1usize..=STEPS,
            diagonal in prop::array::uniform8(1e-3f64..2.0),
            below in prop::array::uniform8(1e-2f64..2.0),
            last in 0f64..1.0,
        ) {
            // T = L Lᵀ of a bidiagonal L.
            let mut i = Island { steps, ..Island::default() };
            for k in 0..steps {
                i.alpha[k] = diagonal[k].powi(2) + if k > 0 { below[k].powi(2) } else { 0.0 };
                if k > 0 {
                    i.beta[k] = diagonal[k - 1] * below[k];
                }
            }
            i.beta[steps] = last;
            prop_assert!((i.bound() - dense(&i)).abs() <= 1e-7 * dense(&i), "{} {}", i.bound(), dense(&i));
        }
    }

    #[test]
    fn regression_bound_where_the_matrix_all_but_falls_apart() {
        // Between its first two rows and the rest 10⁻⁵: an eigenvector by one recursion grew to 3.8 for 3.3.
        let mut i = Island { steps: 6, ..Island::default() };
        let (diagonal, below) = ([0.357, 1.811, 1e-3, 1e-3, 1e-3, 1e-3], 1e-2);
        for k in 0..6 {
            i.alpha[k] = f64::powi(diagonal[k], 2) + if k > 0 { f64::powi(below, 2) } else { 0.0 };
            i.beta[k] = if k > 0 { diagonal[k - 1] * below } else { 0.0 };
        }
        i.beta[6] = 0.551;
        assert!((i.bound() - dense(&i)).abs() <= 1e-7 * dense(&i), "{} {}", i.bound(), dense(&i));
    }
}
