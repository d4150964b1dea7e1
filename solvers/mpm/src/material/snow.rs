use signorini_core::na::{Matrix3, RealField};

use super::hencky::{HenckyFlow, norm, num, strain};
use super::lame::Lame;
use super::polar::Stretches;
use crate::error::{MpmError, value};

/// Snow: Hencky elasticity, an ellipse of stresses that it bears, hardening where it is pressed together and softening where it comes apart.
///
/// ```text
/// q² (1 + 2β) + M² (p + β p₀) (p − p₀) ≤ 0,   p₀ = κ sinh(ξ (e + e₀)₊)        p = −tr τ/3,   q = √(3/2) |dev τ|
/// ```
/// e is the logarithm of the volume lost for good, κ the bulk modulus, and e₀ makes p₀ the strength at the start. Flow is associated: stresses come back to the nearest of the ellipse in elastic energy, with p₀ of the step before. Snow that has come apart, p₀ = 0, bears nothing until as much volume is lost again.
/// Source: Gaume et al. 2018 (cohesive Cam clay). Deviates: they take q alone back and harden as if p came with it, which jumps at the tips; the softening of weak layers is left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Snow {
    lame: Lame,
    strength: SnowStrength,
    /// e₀.
    offset: f64,
}

/// Constants of the ellipse of [`Snow`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SnowStrength {
    /// p₀ at the start: the pressure that it bears \[Pa\].
    pub compression: f64,
    /// β: the tension that it bears over the pressure.
    pub cohesion: f64,
    /// M: slope of the line from the origin to the top of the ellipse.
    pub friction: f64,
    /// ξ: hardening.
    pub hardening: f64,
}

impl Snow {
    /// Snow of these constants.
    ///
    /// # Errors
    /// [`MpmError::Value`] for strengths out of range, or without a shear modulus.
    pub fn new(lame: Lame, strength: SnowStrength) -> Result<Self, MpmError> {
        let SnowStrength { compression, cohesion, friction, hardening } = strength;
        value("the shear modulus μ of snow", lame.mu, lame.mu > 0.0, "Pa > 0")?;
        value("the bulk modulus of snow", lame.bulk(), lame.bulk() > 0.0, "Pa > 0")?;
        value("the pressure that snow bears", compression, compression > 0.0, "Pa > 0")?;
        value("the cohesion of snow", cohesion, cohesion >= 0.0, "a number ≥ 0")?;
        value("the friction of snow", friction, friction > 0.0, "a number > 0")?;
        value("the hardening of snow", hardening, hardening > 0.0, "a number > 0")?;
        let offset = (compression / lame.bulk()).asinh() / hardening;
        Ok(Self { lame, strength, offset })
    }

    /// p₀ \[Pa\] where snow has lost e^−e of its volume for good, `e` the memory of a particle.
    #[inline(always)]
    pub fn bears<T: RealField + Copy>(&self, e: T) -> T {
        let arm = num::<T>(self.strength.hardening) * (e + num(self.offset)).max(T::zero());
        num::<T>(self.lame.bulk()) * arm.sinh()
    }

    /// q² (1 + 2β) + M² (p + β p₀) (p − p₀) \[Pa²\] at a gradient and memory: not positive where snow bears it.
    pub fn excess(&self, f: &Matrix3<f64>, memory: f64) -> f64 {
        let strain = Stretches::of(f).hencky();
        let (sum, most) = (strain.sum(), self.bears(memory));
        let q = 6f64.sqrt() * self.lame.mu * strain.add_scalar(-sum / 3.0).norm();
        let (p, beta) = (-self.lame.bulk() * sum, self.strength.cohesion);
        q * q * (1.0 + 2.0 * beta) + self.strength.friction.powi(2) * (p + beta * most) * (p - most)
    }
}

/// Most steps of Newton's method for the nearest stress; it takes five where stresses are twice as far from the middle as the ellipse.
const MOST_STEPS: usize = 30;

impl HenckyFlow for Snow {
    const NAME: &'static str = "snow";

    fn lame(&self) -> &Lame {
        &self.lame
    }

    /// ```text
    /// x²/(1 + g)² + y²/(1 + r g)² = 1,   r = 3 μ (1 + 2β)/(κ M²)
    /// ```
    /// x and y are p from the middle of the ellipse and q, over its half axes. The root of 1/√S = 1, S the left side, which is nearly straight in g.
    #[inline(always)]
    fn return_map<T: RealField + Copy>(
        &self,
        (shape, sum): ([T; 3], T),
        memory: &mut T,
        _: T,
    ) -> Option<[T; 3]> {
        let (Lame { mu, .. }, kappa) = (self.lame, self.lame.bulk());
        let SnowStrength { cohesion, friction, .. } = self.strength;
        let high = self.bears(*memory);
        if high <= T::zero() {
            *memory -= sum;
            return Some([T::zero(); 3]);
        }
        let wide = 1.0 + 2.0 * cohesion;
        let [middle, arm] = [1.0 - cohesion, 1.0 + cohesion].map(|part| num::<T>(0.5 * part) * high);
        let x = (-num::<T>(kappa) * sum - middle) / arm;
        let y = num::<T>((6.0 * wide).sqrt() * mu / friction) * norm(shape) / arm;
        if x * x + y * y <= T::one() {
            return None;
        }
        let r = num::<T>(3.0 * mu * wide / (kappa * friction * friction));
        let mut g = T::zero();
        for _ in 0..MOST_STEPS {
            let (a, b) = (T::one() / (T::one() + g), T::one() / (T::one() + r * g));
            let (across, along) = ((y * b).powi(2), (x * a).powi(2));
            let s = across + along;
            let step = s * (s.sqrt() - T::one()) / (r * b * across + a * along);
            g += step;
            if step <= num::<T>(4.0) * T::default_epsilon() * (T::one() + g) {
                break;
            }
        }
        let kept = -(middle + arm * x / (T::one() + g)) / num(kappa);
        *memory += kept - sum;
        Some(strain(shape, T::one() / (T::one() + r * g), kept))
    }
}
