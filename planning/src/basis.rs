use signorini_core::na::{DMatrix, DVector};

use crate::PlanError;

/// Basis that makes a control tape of few numbers: U = S Θ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BasisKind {
    /// Knots that are held, each for an equal share of the steps. With as many knots as steps Θ is the tape itself.
    #[default]
    ZeroOrder,
    /// Straight lines between knots, the first at the first step, the last at the last.
    Linear,
    /// Cubic splines through the knots, third derivatives continuous at the second and the last but one (not-a-knot): cubic polynomials are reproduced. A parabola with
    /// three knots, a line with two.
    Cubic,
    /// Coefficients of Bernstein polynomials of degree knots − 1: the tape stays between the smallest and the largest coefficient.
    Bernstein,
}

/// The linear map from knots to steps, in time.
#[derive(Clone, Debug, PartialEq)]
pub struct Basis {
    kind: BasisKind,
    knots: usize,
    steps: usize,
    /// steps × knots, row by row.
    map: Vec<f64>,
    /// Row by row: second derivatives of a spline from its knots, knots × knots; or Bernstein coefficients from values at the steps and at as many equal times as there are coefficients ([`fit`]), knots × (steps + knots).
    solve: Vec<f64>,
}

/// A time within this part of a step before a knot is at the knot.
const ROUNDING: f64 = 1e-9;

impl Basis {
    /// For a tape of `steps` steps.
    ///
    /// # Errors
    /// [`PlanError::Option`] without steps or knots, with more knots than steps, and for more than 24 Bernstein coefficients.
    pub fn new(kind: BasisKind, knots: usize, steps: usize) -> Result<Self, PlanError> {
        let refuse = |what, why: String| Err(PlanError::Option { what, why });
        if steps == 0 {
            return refuse("steps", "is 0; give 1 or more".into());
        }
        if knots == 0 || knots > steps {
            return refuse("knots", format!("is {knots}; give 1 to the number of steps, {steps}"));
        }
        // Beyond, coefficients of given values lose half of their digits.
        if kind == BasisKind::Bernstein && knots > 24 {
            return refuse("knots", format!("is {knots}; give at most 24 Bernstein coefficients"));
        }
        let mut basis = Self { kind, knots, steps, map: vec![0.0; steps * knots], solve: Vec::new() };
        let solve = match kind {
            BasisKind::ZeroOrder | BasisKind::Linear => None,
            BasisKind::Cubic => Some(second_derivatives(knots)),
            BasisKind::Bernstein => fit(knots, steps),
        };
        basis.solve = solve.map_or_else(Vec::new, |m| m.transpose().as_slice().to_vec());
        let mut map = std::mem::take(&mut basis.map);
        for (i, row) in map.chunks_exact_mut(knots).enumerate() {
            basis.row(i as f64, row);
        }
        basis.map = map;
        Ok(basis)
    }

    /// Kind.
    pub fn kind(&self) -> BasisKind {
        self.kind
    }

    /// Number of knots.
    pub fn knots(&self) -> usize {
        self.knots
    }

    /// Number of steps.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// S, steps × knots, row by row.
    pub fn map(&self) -> &[f64] {
        &self.map
    }

    /// The coefficients of the knots at a time in steps from the start, `out` one per knot. Before the start as at the start, after the last step as at the last.
    pub fn row(&self, time: f64, out: &mut [f64]) {
        out.fill(0.0);
        let (k, last) = (self.knots, (self.steps - 1) as f64);
        if self.kind == BasisKind::ZeroOrder {
            let at = (time + ROUNDING) * k as f64 / self.steps as f64;
            out[(at.max(0.0) as usize).min(k - 1)] = 1.0;
            return;
        }
        let x = if last > 0.0 { (time / last).clamp(0.0, 1.0) } else { 0.0 };
        if self.kind == BasisKind::Bernstein {
            return bernstein(x, out);
        }
        if k == 1 {
            out[0] = 1.0;
            return;
        }
        let u = x * (k - 1) as f64;
        let i = (u as usize).min(k - 2);
        let f = u - i as f64;
        out[i] = 1.0 - f;
        out[i + 1] = f;
        if self.kind == BasisKind::Cubic {
            let g = 1.0 - f;
            let rows = [(i, (g * g * g - g) / 6.0), (i + 1, (f * f * f - f) / 6.0)];
            for (row, c) in rows.into_iter().filter(|r| r.1 != 0.0) {
                out.iter_mut().zip(&self.solve[row * k..]).for_each(|(o, m)| *o += c * m);
            }
        }
    }

    /// U = S Θ for one sample: `theta` knots × channels, `tape` steps × channels.
    pub fn apply(&self, theta: &[f64], tape: &mut [f64]) {
        let channels = theta.len() / self.knots;
        for (row, u) in self.map.chunks_exact(self.knots).zip(tape.chunks_exact_mut(channels.max(1))) {
            u.fill(0.0);
            for (c, knot) in row.iter().zip(theta.chunks_exact(channels.max(1))).filter(|(c, _)| **c != 0.0) {
                u.iter_mut().zip(knot).for_each(|(u, x)| *u += c * x);
            }
        }
    }

    /// The controls at a time in steps from the start, `out` one per channel.
    pub fn evaluate(&self, theta: &[f64], time: f64, row: &mut [f64], out: &mut [f64]) {
        self.row(time, row);
        out.fill(0.0);
        for (c, knot) in row.iter().zip(theta.chunks_exact(out.len().max(1))).filter(|(c, _)| **c != 0.0) {
            out.iter_mut().zip(knot).for_each(|(u, x)| *u += c * x);
        }
    }

    /// Knots of the same controls for a tape that starts `shift` steps later, past the end the last value held.
    ///
    /// Knots that are held become the mean of the old controls over their time, which is exact when the shift is a multiple of a knot and moves the plan at
    /// any other (values at the new knot times would never move a plan that is renewed more often than its knots are apart). Knots of lines and splines become the old
    /// controls at their times.
    ///
    /// Bernstein coefficients are those of the least squares of the old controls U at the steps, S for their polynomials there, with a small weight on the shape, the old controls G at as many equal times as there are coefficients:
    ///
    /// ```text
    /// θ = argmin ‖S θ − U‖² + λ ‖θ − G‖²,  λ = 10⁻³
    /// ```
    ///
    /// Lines are reproduced before the end (G holds their coefficients). The polynomial through the old controls at equal times would grow without bound when plans are moved again and again: with 11 coefficients of 15 steps by 2.7·10⁵ in 30 moves of a step, this by 1.01 (row-sum norm).
    pub fn shifted(&self, theta: &[f64], shift: f64, out: &mut [f64]) {
        let (k, channels) = (self.knots, theta.len() / self.knots);
        if channels == 0 {
            return;
        }
        let mut row = vec![0.0; k];
        if self.kind == BasisKind::ZeroOrder {
            let s = shift * k as f64 / self.steps as f64;
            for (i, o) in out.chunks_exact_mut(channels).enumerate() {
                let at = (i as f64 + s).clamp(0.0, (k - 1) as f64);
                let (from, f) = (at as usize, at.fract());
                let next = (from + 1).min(k - 1);
                for c in 0..channels {
                    let [a, b] = [from, next].map(|j| theta[j * channels + c]);
                    o[c] = if f == 0.0 { a } else { (1.0 - f) * a + f * b };
                }
            }
            return;
        }
        let times = (0..k).map(|i| share(i, k) * (self.steps - 1) as f64);
        if self.kind != BasisKind::Bernstein {
            for (t, o) in times.zip(out.chunks_exact_mut(channels)) {
                self.evaluate(theta, t + shift, &mut row, o);
            }
            return;
        }
        let times = (0..self.steps).map(|i| i as f64).chain(times);
        let mut values = vec![0.0; (self.steps + k) * channels];
        for (t, y) in times.zip(values.chunks_exact_mut(channels)) {
            self.evaluate(theta, t + shift, &mut row, y);
        }
        for (m, o) in self.solve.chunks_exact(self.steps + k).zip(out.chunks_exact_mut(channels)) {
            o.fill(0.0);
            for (c, y) in m.iter().zip(values.chunks_exact(channels)) {
                o.iter_mut().zip(y).for_each(|(o, y)| *o += c * y);
            }
        }
    }
}

/// Number `i` of `n` equal shares of 1, the first 0, the last 1.
fn share(i: usize, n: usize) -> f64 {
    if n > 1 { i as f64 / (n - 1) as f64 } else { 0.0 }
}

/// Bernstein polynomials of degree n − 1 at x, by their recurrence.
fn bernstein(x: f64, out: &mut [f64]) {
    out.fill(0.0);
    out[0] = 1.0;
    for degree in 1..out.len() {
        for j in (0..=degree).rev() {
            let below = if j > 0 { out[j - 1] } else { 0.0 };
            out[j] = (1.0 - x) * out[j] + x * below;
        }
    }
}

/// Bernstein coefficients from values at `steps` steps and at `knots` equal times ([`Basis::shifted`]): (SᵀS + λ 1)⁻¹ (Sᵀ, λ 1), knots × (steps + knots).
fn fit(knots: usize, steps: usize) -> Option<DMatrix<f64>> {
    const RIDGE: f64 = 1e-3;
    let (mut s, mut row) = (DMatrix::zeros(steps, knots), vec![0.0; knots]);
    for i in 0..steps {
        bernstein(share(i, steps), &mut row);
        s.row_mut(i).copy_from_slice(&row);
    }
    let normal = (s.tr_mul(&s) + RIDGE * DMatrix::identity(knots, knots)).cholesky()?;
    let mut rhs = s.transpose().resize_horizontally(steps + knots, 0.0);
    rhs.columns_mut(steps, knots).fill_diagonal(RIDGE);
    Some(normal.solve(&rhs))
}

/// Second derivatives at the knots of the not-a-knot spline with unit spacing, as a matrix on the values at the knots.
fn second_derivatives(k: usize) -> DMatrix<f64> {
    if k < 3 {
        return DMatrix::zeros(k, k);
    }
    if k == 3 {
        return DMatrix::from_fn(3, 3, |_, j| [1.0, -2.0, 1.0][j]);
    }
    let (mut a, mut b) = (DMatrix::zeros(k, k), DMatrix::zeros(k, k));
    for (row, first) in [(0, 0), (k - 1, k - 3)] {
        for (j, x) in [1.0, -2.0, 1.0].into_iter().enumerate() {
            a[(row, first + j)] = x;
        }
    }
    for i in 1..k - 1 {
        for (j, (x, y)) in [(1.0, 6.0), (4.0, -12.0), (1.0, 6.0)].into_iter().enumerate() {
            a[(i, i + j - 1)] = x;
            b[(i, i + j - 1)] = y;
        }
    }
    let lu = a.lu();
    let mut out = DMatrix::zeros(k, k);
    for j in 0..k {
        // Strictly dominant but for its first and last row, which differ from their neighbours: never singular.
        let column = lu.solve(&DVector::from(b.column(j))).unwrap_or_else(|| DVector::zeros(k));
        out.set_column(j, &column);
    }
    out
}

/// Controls of many samples: samples × steps × channels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ControlTape {
    /// Number of samples.
    pub samples: usize,
    /// Steps per sample.
    pub steps: usize,
    /// Channels per step, nu.
    pub channels: usize,
    /// The controls.
    pub values: Vec<f64>,
}

impl ControlTape {
    /// All zero.
    pub fn new(samples: usize, steps: usize, channels: usize) -> Self {
        Self { samples, steps, channels, values: vec![0.0; samples * steps * channels] }
    }

    /// Controls of a sample at a step.
    pub fn at(&self, sample: usize, step: usize) -> &[f64] {
        let from = (sample * self.steps + step) * self.channels;
        &self.values[from..from + self.channels]
    }

    /// All controls of a sample.
    pub fn sample(&self, sample: usize) -> &[f64] {
        let n = self.steps * self.channels;
        &self.values[sample * n..(sample + 1) * n]
    }
}
