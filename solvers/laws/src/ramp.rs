use std::f64::consts::PI;

/// The positive part x₊, or its smooth form ε ln(1 + exp(x/ε)) of width ε.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ramp {
    /// ε ≥ 0; 0 is the positive part itself.
    pub width: f64,
}

impl Ramp {
    /// Value alone.
    #[inline(always)]
    pub(crate) fn value(&self, x: f64) -> f64 {
        if self.width == 0.0 { x.max(0.0) } else { self.smooth(x) }
    }

    /// Value, slope and integral from −∞.
    #[inline(always)]
    pub(crate) fn eval(&self, x: f64) -> (f64, f64, f64) {
        if self.width == 0.0 {
            let value = x.max(0.0);
            return (value, if x > 0.0 { 1.0 } else { 0.0 }, 0.5 * value * value);
        }
        let (e, y) = (self.width, x / self.width);
        let slope = if y > 0.0 { 1.0 / (1.0 + (-y).exp()) } else { y.exp() / (1.0 + y.exp()) };
        (self.smooth(x), slope, e * e * integral(y))
    }

    fn smooth(&self, x: f64) -> f64 {
        let y = x / self.width;
        self.width * (y.max(0.0) + (-y.abs()).exp().ln_1p())
    }
}

/// ∫ ln(1 + eᵗ) from −∞ to y: −Li₂(−e^y), by the inversion formula above zero.
fn integral(y: f64) -> f64 {
    let tail = dilogarithm((-y.abs()).exp());
    if y > 0.0 { PI * PI / 6.0 + 0.5 * y * y - tail } else { tail }
}

/// −Li₂(−t) for t in \[0, 1\]: by Landen's identity a series in t/(1 + t) ≤ ½.
fn dilogarithm(t: f64) -> f64 {
    let x = t / (1.0 + t);
    let (mut sum, mut power) = (0.0, x);
    for n in 1..60 {
        let term = power / f64::from(n * n);
        sum += term;
        if term < 1e-17 * sum {
            break;
        }
        power *= x;
    }
    let log = t.ln_1p();
    sum + 0.5 * log * log
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn analytic_smooth_ramp_and_its_integral() {
        // −Li₂(−1) = π²/12.
        assert!((integral(0.0) - PI * PI / 12.0).abs() < 1e-15);
        let r = Ramp { width: 0.3 };
        for x in [-20.0, -3.0, -0.31, -1e-3, 0.0, 1e-3, 0.2, 1.7, 40.0] {
            let h = 1e-5;
            let (value, slope, integral) = r.eval(x);
            let (up, down) = (r.eval(x + h), r.eval(x - h));
            // Central differences: h² times third derivatives, plus round-off of the integral (up to 800) over h.
            assert!(((up.2 - down.2) / (2.0 * h) - value).abs() < 1e-7, "{x}");
            assert!(((up.0 - down.0) / (2.0 * h) - slope).abs() < 1e-8, "{x}");
            assert_eq!(value, r.value(x));
            assert!(value >= x.max(0.0) && integral >= 0.0);
        }
    }
}
