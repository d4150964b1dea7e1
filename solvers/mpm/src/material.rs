use signorini_core::na::Matrix3;

use crate::engine::LaneLaw;
use crate::error::{MpmError, value};

/// What a material makes of its elastic deformation gradient.
///
/// Energies are per volume at rest; the Kirchhoff stress τ = P Fᵀ is that of the energy: τ = (∂ψ/∂F) Fᵀ.
pub trait Material: Send + Sync {
    /// ψ(F) \[J/m³\].
    fn energy(&self, f: &Matrix3<f64>) -> f64;
    /// τ(F) \[Pa\], symmetric.
    fn stress(&self, f: &Matrix3<f64>) -> Matrix3<f64>;
    /// Takes a trial gradient back to what the material can bear; `memory` is what it keeps of its past, one number per particle, 0 at the start. Elastic materials change nothing.
    fn flow(&self, f: &mut Matrix3<f64>, memory: &mut f64) {
        let _ = (f, memory);
    }
    /// The stiffness with which a step that is implicit in the stress sees the material at a gradient; nothing where there is no such step.
    fn stiffness(&self, f: &Matrix3<f64>) -> Option<Stiffness> {
        let _ = f;
        None
    }
    /// λ + 2μ at rest \[Pa\]: the stiffness that the fastest wave has.
    fn wave_modulus(&self) -> f64;
    /// The closed form that runs for many particles at once in [`crate::MpmEngine`], if it has one; without it the functions above run, particle by particle.
    fn lanes(&self) -> LaneLaw {
        LaneLaw::Scalar
    }
    /// Name in messages.
    fn name(&self) -> &'static str;
}

/// Lamé's constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lame {
    /// λ \[Pa\].
    pub lambda: f64,
    /// μ \[Pa\].
    pub mu: f64,
}

/// How the energy of a material grows with strain rates D = sym ∇v over a step, in the frame that turns with it.
///
/// ```text
/// ψ(v) − ψ(0) = δt τ : D + δt² (μ |sym(D B)|² + ½ λ tr(D B)²)
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stiffness {
    /// λ and μ.
    pub lame: Lame,
    /// B, symmetric: the left stretch where the energy is one of stretches, 1 where it is one of their logarithms.
    pub stretch: Matrix3<f64>,
}

impl Lame {
    /// Of Young's modulus \[Pa\] and Poisson's ratio.
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

    /// λ + 2μ \[Pa\].
    pub fn wave_modulus(&self) -> f64 {
        self.lambda + 2.0 * self.mu
    }
}
