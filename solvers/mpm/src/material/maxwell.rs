use signorini_core::na::RealField;

use super::hencky::{HenckyFlow, num, strain};
use super::lame::Lame;
use crate::error::{MpmError, value};

/// Shape that springs back and forgets: a spring of shear modulus μ₁ and a damper one after the other, with no resistance to changes of volume.
///
/// ```text
/// ψ = μ₁ |dev ε|²,   d(dev ε)/dt = dev D − dev ε/t₁
/// ```
/// Particles of it between those of an elastic solid, in the same place and so moved by the same nodes, make a solid with a loss factor (Zener), without the short steps of [`super::Viscous`]: see [`Maxwell::with_loss`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Maxwell {
    lame: Lame,
    time: f64,
}

impl Maxwell {
    /// With a shear modulus μ₁ \[Pa\] and the time t₁ \[s\] in which stress falls to 1/e.
    ///
    /// # Errors
    /// [`MpmError::Value`] for ones that are not positive.
    pub fn new(shear: f64, time: f64) -> Result<Self, MpmError> {
        value("the shear modulus of a Maxwell material", shear, shear > 0.0, "Pa > 0")?;
        value("the relaxation time", time, time > 0.0, "s > 0")?;
        Ok(Self { lame: Lame { lambda: -2.0 / 3.0 * shear, mu: shear }, time })
    }

    /// The material that gives an elastic solid of shear modulus μ \[Pa\] a loss factor tan δ in shear at an angular frequency ω \[rad/s\], and less at others, as it fills the same place. Slow motion does not feel it, fast motion as a stiffness of μ + μ₁.
    ///
    /// ```text
    /// t₁ = 1/ω,   μ₁ = 2 μ tan δ/(1 − tan δ)        μ(ω) = μ + μ₁ i ω t₁/(1 + i ω t₁)
    /// ```
    ///
    /// # Errors
    /// [`MpmError::Value`] for a loss factor that is not between 0 and 1, or others that are not positive.
    pub fn with_loss(shear: f64, loss: f64, frequency: f64) -> Result<Self, MpmError> {
        value("the shear modulus", shear, shear > 0.0, "Pa > 0")?;
        value("the loss factor", loss, loss > 0.0 && loss < 1.0, "a number above 0 and below 1")?;
        value("the angular frequency", frequency, frequency > 0.0, "rad/s > 0")?;
        Self::new(2.0 * shear * loss / (1.0 - loss), frequency.recip())
    }

    /// μ₁ \[Pa\].
    pub fn shear(&self) -> f64 {
        self.lame.mu
    }

    /// t₁ \[s\].
    pub fn time(&self) -> f64 {
        self.time
    }
}

impl HenckyFlow for Maxwell {
    const NAME: &'static str = "Maxwell";

    fn lame(&self) -> &Lame {
        &self.lame
    }

    #[inline(always)]
    fn return_map<T: RealField + Copy>(
        &self,
        (shape, sum): ([T; 3], T),
        _: &mut T,
        elapsed: T,
    ) -> Option<[T; 3]> {
        Some(strain(shape, (-elapsed / num(self.time)).exp(), sum))
    }
}
