use signorini_core::na::{Matrix3, Vector3};

use super::lame::Lame;
use super::polar::Stretches;
use super::stiffness::{PAIRS, Stiffness};
use super::{LaneLaw, Material};
use crate::error::MpmError;

/// Rubber: the fixed corotated energy.
///
/// ```text
/// ψ = μ |F − R|² + ½ λ (J − 1)²,   τ = 2 μ (F − R) Fᵀ + λ J (J − 1) 1        F = R S,  J = det F
/// ```
/// Source: yu2025mpm, its elastic bodies. Deviates: none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FixedCorotated(pub Lame);

impl FixedCorotated {
    /// τ along the axes of the stretches σ \[Pa\]: 2 μ (F − R) Fᵀ = U 2 μ (σ − 1) σ Uᵀ.
    fn along(&self, sigma: &Vector3<f64>) -> Vector3<f64> {
        let (Lame { lambda, mu }, j) = (self.0, sigma.product());
        sigma.map(|x| 2.0 * mu * (x - 1.0) * x + lambda * j * (j - 1.0))
    }
}

impl Material for FixedCorotated {
    fn energy(&self, f: &Matrix3<f64>) -> f64 {
        let Lame { lambda, mu } = self.0;
        let s = Stretches::of(f).sigma;
        let j = s.product();
        mu * s.map(|s| (s - 1.0).powi(2)).sum() + 0.5 * lambda * (j - 1.0).powi(2)
    }
    fn stress(&self, f: &Matrix3<f64>) -> Matrix3<f64> {
        let s = Stretches::of(f);
        s.u * Matrix3::from_diagonal(&self.along(&s.sigma)) * s.u.transpose()
    }
    /// The second derivative of its energy, as far as it is positive.
    fn stiffness(&self, f: &Matrix3<f64>) -> Option<Stiffness> {
        let Lame { lambda, mu } = self.0;
        let Stretches { u, sigma, .. } = Stretches::of(f);
        let j = sigma.product();
        let stretching = Matrix3::from_fn(|a, b| match a == b {
            true => 2.0 * mu * sigma[a] * sigma[a] + lambda * j * j,
            false => lambda * j * (2.0 * j - 1.0),
        });
        let shearing = PAIRS.map(|(a, b)| 2.0 * mu * (1.0 - 1.0 / (sigma[a] + sigma[b])));
        Some(Stiffness::principal(&u, &sigma, &self.along(&sigma), &stretching, &shearing.into()))
    }
    fn wave_modulus(&self) -> f64 {
        self.0.wave_modulus()
    }
    fn check(&self) -> Result<(), MpmError> {
        self.0.check()
    }
    fn lanes(&self) -> LaneLaw {
        LaneLaw::FixedCorotated(self.0)
    }
    fn name(&self) -> &'static str {
        "fixed corotated"
    }
}

/// The linear energy in the frame that turns with the material; quadratic in F while the rotation is kept.
///
/// ```text
/// ψ = μ |ε|² + ½ λ (tr ε)²,   τ = R (2 μ ε + λ tr ε 1) S Rᵀ,   ε = S − 1
/// ```
/// Source: the strongly coupled reference of yu2025mpm. Deviates: none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearCorotated(pub Lame);

impl Material for LinearCorotated {
    fn energy(&self, f: &Matrix3<f64>) -> f64 {
        let Lame { lambda, mu } = self.0;
        let strain = Stretches::of(f).sigma.add_scalar(-1.0);
        mu * strain.norm_squared() + 0.5 * lambda * strain.sum().powi(2)
    }
    fn stress(&self, f: &Matrix3<f64>) -> Matrix3<f64> {
        let Lame { lambda, mu } = self.0;
        let s = Stretches::of(f);
        let trace = s.sigma.sum() - 3.0;
        let along = s.sigma.map(|x| (2.0 * mu * (x - 1.0) + lambda * trace) * x);
        s.u * Matrix3::from_diagonal(&along) * s.u.transpose()
    }
    /// Stiffness of the energy with the rotation kept, but for the spin of the step.
    fn stiffness(&self, f: &Matrix3<f64>) -> Option<Stiffness> {
        let s = Stretches::of(f);
        let stretch = s.u * Matrix3::from_diagonal(&s.sigma) * s.u.transpose();
        Some(Stiffness::linear(&self.0, &stretch))
    }
    fn wave_modulus(&self) -> f64 {
        self.0.wave_modulus()
    }
    fn check(&self) -> Result<(), MpmError> {
        self.0.check()
    }
    fn lanes(&self) -> LaneLaw {
        LaneLaw::LinearCorotated(self.0)
    }
    fn name(&self) -> &'static str {
        "linear corotated"
    }
}
