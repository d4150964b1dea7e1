use signorini_core::na::{Matrix3, RealField};

use super::hencky::{HenckyFlow, norm, num, strain};
use super::lame::Lame;
use super::polar::Stretches;
use super::stiffness::Stiffness;
use crate::error::{MpmError, value};

/// Dough: Hencky elasticity with von Mises flow.
///
/// ```text
/// |2 μ dev ε| ≤ √(2/3) σ_y,   beyond it dev ε is scaled back and tr ε kept
/// ```
/// Source: yu2025mpm, its dough. Deviates: the authors run the stress of another energy beside this flow, which agree at small strains only; here both have one energy, so that flow is exactly radial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VonMises {
    lame: Lame,
    yield_stress: f64,
}

impl VonMises {
    /// With a yield stress in tension \[Pa\].
    ///
    /// # Errors
    /// [`MpmError::Value`] for one that is not positive.
    pub fn new(lame: Lame, yield_stress: f64) -> Result<Self, MpmError> {
        value("the yield stress", yield_stress, yield_stress > 0.0, "Pa > 0")?;
        Ok(Self { lame, yield_stress })
    }

    /// √(2/3) σ_y, the largest norm of the deviator of τ \[Pa\].
    pub fn largest_deviator(&self) -> f64 {
        (2.0f64 / 3.0).sqrt() * self.yield_stress
    }
}

impl HenckyFlow for VonMises {
    const NAME: &'static str = "von Mises";

    fn lame(&self) -> &Lame {
        &self.lame
    }

    /// That at rest.
    fn tangent(&self, _: &Stretches) -> Stiffness {
        Stiffness::linear(&self.lame, &Matrix3::identity())
    }

    #[inline(always)]
    fn return_map<T: RealField + Copy>(&self, (shape, sum): ([T; 3], T), _: &mut T, _: T) -> Option<[T; 3]> {
        let most = num::<T>(self.largest_deviator());
        let norm = norm(shape) * num(2.0 * self.lame.mu);
        (norm > most).then(|| strain(shape, most / norm, sum))
    }
}
