use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number with its derivative along one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Dual {
    pub x: f64,
    pub d: f64,
}

impl Dual {
    pub(crate) fn new(x: f64, d: f64) -> Self {
        Self { x, d }
    }
    pub(crate) fn constant(x: f64) -> Self {
        Self { x, d: 0.0 }
    }
    /// f(x) with slope f′(x).
    pub(crate) fn map(self, value: f64, slope: f64) -> Self {
        Self { x: value, d: slope * self.d }
    }
    /// 1/x; zero where x is not positive.
    pub(crate) fn over(self) -> Self {
        if self.x > 0.0 { Self::constant(1.0) / self } else { Self::default() }
    }
}

impl Add for Dual {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self { x: self.x + o.x, d: self.d + o.d }
    }
}
impl Sub for Dual {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self { x: self.x - o.x, d: self.d - o.d }
    }
}
impl Mul for Dual {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Self { x: self.x * o.x, d: self.d * o.x + self.x * o.d }
    }
}
impl Mul<f64> for Dual {
    type Output = Self;
    fn mul(self, s: f64) -> Self {
        Self { x: self.x * s, d: self.d * s }
    }
}
impl Div for Dual {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        let x = self.x / o.x;
        Self { x, d: (self.d - x * o.d) / o.x }
    }
}
impl Neg for Dual {
    type Output = Self;
    fn neg(self) -> Self {
        Self { x: -self.x, d: -self.d }
    }
}
