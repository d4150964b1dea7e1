use crate::error::{MpmError, value};

/// Lamé's constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lame {
    /// λ \[Pa\].
    pub lambda: f64,
    /// μ \[Pa\].
    pub mu: f64,
}

impl Lame {
    /// Constants of Young's modulus \[Pa\] and Poisson's ratio.
    ///
    /// ```text
    /// λ = E ν/((1 + ν)(1 − 2ν)),   μ = E/(2 (1 + ν))
    /// ```
    ///
    /// # Errors
    /// [`MpmError::Value`].
    pub fn new(young: f64, poisson: f64) -> Result<Self, MpmError> {
        value("Young's modulus", young, young > 0.0, "Pa > 0")?;
        value("Poisson's ratio", poisson, poisson > -1.0 && poisson < 0.5, "a number above −1 and below ½")?;
        Ok(Self {
            lambda: young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)),
            mu: young / (2.0 * (1.0 + poisson)),
        })
    }

    /// Refuses constants under which shear or pressure gives energy away: μ ≥ 0 and 3λ + 2μ ≥ 0.
    ///
    /// # Errors
    /// [`MpmError::Value`].
    pub fn check(&self) -> Result<(), MpmError> {
        value("μ", self.mu, self.mu >= 0.0, "Pa ≥ 0")?;
        let bulk = 3.0 * self.lambda + 2.0 * self.mu;
        // None at all is one, to round-off.
        value("3λ + 2μ", bulk, bulk >= -4.0 * f64::EPSILON * self.mu, "Pa ≥ 0")
    }

    /// λ + ⅔ μ, the bulk modulus \[Pa\].
    pub fn bulk(&self) -> f64 {
        self.lambda + 2.0 / 3.0 * self.mu
    }

    /// λ + 2μ \[Pa\].
    pub fn wave_modulus(&self) -> f64 {
        self.lambda + 2.0 * self.mu
    }
}
