use signorini_core::na::RealField;

use super::hencky::num;
use crate::error::{MpmError, value};

/// Liquid: pressure alone, by the volume that is missing, and no tension.
///
/// ```text
/// ψ = ½ K (J − 1)²,   τ = K J (J − 1) 1        J ≤ 1
/// ```
/// The speed of sound is √(K/ρ): at ten times the largest speed of the motion volumes stay within about a hundredth. Shape is forgotten in each step. Volume gained where it is pulled apart is kept in mind, as that of sand, and has to be lost before it presses again. [`super::Viscous`] gives it a viscosity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Liquid {
    bulk: f64,
}

impl Liquid {
    /// With a bulk modulus \[Pa\].
    ///
    /// # Errors
    /// [`MpmError::Value`] for one that is not positive.
    pub fn new(bulk: f64) -> Result<Self, MpmError> {
        value("the bulk modulus of the liquid", bulk, bulk > 0.0, "Pa > 0")?;
        Ok(Self { bulk })
    }

    /// K \[Pa\].
    pub fn bulk(&self) -> f64 {
        self.bulk
    }

    /// ∛J and K J (J − 1) that are left of a trial volume.
    #[inline(always)]
    pub(crate) fn press<T: RealField + Copy>(&self, volume: T, memory: &mut T) -> (T, T) {
        let sum = volume.ln() + *memory;
        *memory = sum.max(T::zero());
        let kept = sum.min(T::zero());
        ((kept * num(1.0 / 3.0)).exp(), self.pressing(kept.exp()))
    }

    /// K J (J − 1) \[Pa\].
    #[inline(always)]
    pub(crate) fn pressing<T: RealField + Copy>(&self, j: T) -> T {
        num::<T>(self.bulk) * j * (j - T::one())
    }
}
