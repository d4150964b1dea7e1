use std::fmt;

/// A number for people: six significant digits at most, so that those of rounding are left out, and a power of ten below 1e-3 and from 1e5 on.
///
/// ```
/// use signorini_core::Shown;
///
/// assert_eq!(Shown(0.1 + 0.2).to_string(), "0.3");
/// assert_eq!(Shown(1e-3 * 1e-3).to_string(), "1e-6");
/// assert_eq!(Shown(f64::NAN).to_string(), "NaN");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shown(pub f64);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let x: f64 = format!("{:.5e}", self.0).parse().unwrap_or(self.0);
        match x == 0.0 || !x.is_finite() || (1e-3..1e5).contains(&x.abs()) {
            true => write!(f, "{x}"),
            false => write!(f, "{x:e}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Shown;

    #[test]
    fn conformance_numbers_are_shown_without_digits_of_rounding() {
        let shown = [1.0 - 0.9, 1e6, 2.0 * 0.15, 99999.0, 1.23456789e-7, -0.002, 0.0, f64::INFINITY, 1e300]
            .map(|x| Shown(x).to_string());
        assert_eq!(shown, ["0.1", "1e6", "0.3", "99999", "1.23457e-7", "-0.002", "0", "inf", "1e300"]);
    }
}
