use std::f64::consts::FRAC_PI_2;

use signorini_core::na::{Matrix3, Matrix6, RealField};

use super::hencky::{HenckyFlow, norm, num, stiffness, strain};
use super::lame::Lame;
use super::polar::Stretches;
use super::stiffness::Stiffness;
use crate::error::{MpmError, value};

/// Strain below which sand that is open counts as such: round-off of the strain that flow leaves.
const OPEN: f64 = 1e-12;

/// Sand: Hencky elasticity with Drucker–Prager flow, and no tension.
///
/// ```text
/// |dev ε| + (3λ + 2μ)/(2μ) tr(ε) α ≤ 0,   α = √(2/3) 2 sin φ/(3 − sin φ)
/// ```
/// In stresses: τ̄ ≤ m p with τ̄ = |dev τ|/√2, p = −tr τ/3 and the coefficient of friction m = 3α/√2. Flow keeps volume, and m is one number, unless [`DruckerPrager::with_rate`] or [`DruckerPrager::with_dilatancy`] say more.
///
/// Where it is pulled apart all strain is let go, and its volume is kept in mind: the volume gained then is taken off the trace before it can press again.
/// Source: Klár et al. 2016, named by yu2025mpm. Deviates: no hardening. Under dilatancy volume that tension gave counts as gained by shear, up to the critical one: sand that was pulled apart comes back loose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DruckerPrager {
    lame: Lame,
    /// m at rest, and how much it grows at high rates.
    friction: f64,
    growth: f64,
    /// I₀ μ/(d √ρ_s) \[√Pa/s\]: ξ over δt √p.
    rate: Option<f64>,
    dilatancy: Option<Dilatancy>,
}

/// Friction of grains that grows with the rate of shear: the rheology μ(I).
///
/// ```text
/// m(I) = m₁ + (m₂ − m₁)/(I₀/I + 1),   I = γ̇ d √(ρ_s/p)
/// ```
/// m₁ and m₂ are those of the angle of friction at rest and of `limit_angle`. Source: Jop, Forterre and Pouliquen 2006.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InertialFriction {
    /// Angle of friction at high rates \[rad\].
    pub limit_angle: f64,
    /// I₀.
    pub inertial_number: f64,
    /// d: diameter of grains \[m\].
    pub diameter: f64,
    /// ρ_s: density of grains \[kg/m³\], above that of the sand.
    pub density: f64,
}

/// Growth of the volume of dense sand that is sheared, up to a critical one.
///
/// ```text
/// d(ln J)/dγ = β = tan ψ (1 − e/e_c)₊,   m ← m + β
/// ```
/// with γ the plastic shear, e = ln J of the volume gained since the start and e_c that at which it ends, the loosest that bears load. Source: Roux and Radjai 1998.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dilatancy {
    /// ψ: angle of dilatancy at the start \[rad\].
    pub angle: f64,
    /// e_c: logarithm of the volume at the end over that at the start.
    pub expansion: f64,
}

/// m of an angle of friction \[rad\].
fn coefficient(angle: f64) -> f64 {
    let sin = angle.sin();
    3f64.sqrt() * 2.0 * sin / (3.0 - sin)
}

impl DruckerPrager {
    /// With an angle of friction φ \[rad\].
    ///
    /// # Errors
    /// [`MpmError::Value`] for one outside [0, π/2), or without a shear modulus.
    pub fn new(lame: Lame, friction_angle: f64) -> Result<Self, MpmError> {
        value("the shear modulus μ of sand", lame.mu, lame.mu > 0.0, "Pa > 0")?;
        let within = (0.0..FRAC_PI_2).contains(&friction_angle);
        value("the angle of friction", friction_angle, within, "rad in [0, π/2)")?;
        Ok(Self { lame, friction: coefficient(friction_angle), growth: 0.0, rate: None, dilatancy: None })
    }

    /// With friction that grows with the rate.
    ///
    /// # Errors
    /// [`MpmError::Value`] for a limit angle below that at rest, and numbers that are not positive.
    pub fn with_rate(mut self, of: InertialFriction) -> Result<Self, MpmError> {
        let growth = coefficient(of.limit_angle) - self.friction;
        let within = growth >= 0.0 && of.limit_angle < FRAC_PI_2;
        value("the angle of friction at high rates", of.limit_angle, within, "rad from that at rest to π/2")?;
        let number = of.inertial_number;
        value("the inertial number I₀", number, number > 0.0, "a number > 0")?;
        value("the diameter of grains", of.diameter, of.diameter > 0.0, "m > 0")?;
        value("the density of grains", of.density, of.density > 0.0, "kg/m³ > 0")?;
        self.growth = growth;
        self.rate = Some(of.inertial_number * self.lame.mu / (of.diameter * of.density.sqrt()));
        Ok(self)
    }

    /// With volume that grows under shear.
    ///
    /// # Errors
    /// [`MpmError::Value`] for an angle outside [0, π/2), and an expansion that is not positive.
    pub fn with_dilatancy(mut self, of: Dilatancy) -> Result<Self, MpmError> {
        let within = (0.0..FRAC_PI_2).contains(&of.angle);
        value("the angle of dilatancy", of.angle, within, "rad in [0, π/2)")?;
        value("the expansion at the critical volume", of.expansion, of.expansion > 0.0, "a number > 0")?;
        self.dilatancy = Some(of);
        Ok(self)
    }

    /// Distance of a strain beyond the cone of sand at rest, as a strain; negative inside.
    pub fn excess(&self, f: &Matrix3<f64>) -> f64 {
        let strain = Stretches::of(f).hencky();
        let sum = strain.sum();
        strain.add_scalar(-sum / 3.0).norm() + self.friction * self.pressing() * sum
    }

    /// p/(√2 μ tr ε), so that |dev ε| ≤ −m · this · tr ε.
    fn pressing(&self) -> f64 {
        self.lame.bulk() / (std::f64::consts::SQRT_2 * self.lame.mu)
    }
}

impl HenckyFlow for DruckerPrager {
    const NAME: &'static str = "Drucker–Prager";

    fn lame(&self) -> &Lame {
        &self.lame
    }

    /// Elastic where it is pressed: flow and opening follow after the step. None where it is open.
    fn tangent(&self, s: &Stretches) -> Stiffness {
        let pressed = s.hencky().sum() < -OPEN;
        if pressed { stiffness(&self.lame, s) } else { Stiffness(Matrix6::zeros()) }
    }

    /// ```text
    /// S − x = (p + k x) (m₁ + Δm x/(x + ξ)),   k = κ β/μ,   ξ = I₀ μ δt √p/(d √ρ_s)
    /// ```
    /// S and p are τ̄ and p of the trial, x = μ γ is taken off τ̄: the positive root of a quadratic, x = (S − m₁ p)/(1 + k m₁) where the rate does not count, ξ → ∞. β and the p in ξ are those of the trial.
    #[inline(always)]
    fn return_map<T: RealField + Copy>(
        &self,
        (shape, sum): ([T; 3], T),
        memory: &mut T,
        elapsed: T,
    ) -> Option<[T; 3]> {
        let Lame { mu, .. } = self.lame;
        let kappa = num::<T>(self.lame.bulk());
        let before = *memory;
        let gained = self.dilatancy.map_or(T::zero(), |d| before.min(num(d.expansion)));
        let gap = before - gained;
        let sum = sum + gap;
        if sum >= T::zero() {
            // Apart: nothing is left, and its growth is remembered.
            *memory = gained + sum;
            return Some([T::zero(); 3]);
        }
        *memory = gained;
        let apart = norm(shape);
        let (s, p) = (num::<T>(std::f64::consts::SQRT_2 * mu) * apart, -kappa * sum);
        let slope = self.dilatancy.map_or(T::zero(), |d| {
            num::<T>(d.angle.tan()) * (T::one() - gained / num(d.expansion)).max(T::zero())
        });
        let rest = num::<T>(self.friction) + slope;
        let over = s - rest * p;
        if over <= T::zero() {
            return (gap != T::zero()).then(|| strain(shape, T::one(), sum));
        }
        let k = kappa * slope / num(mu);
        let x = match self.rate {
            None => over / (T::one() + k * rest),
            Some(rate) => {
                let xi = num::<T>(rate) * elapsed * p.sqrt();
                let most = rest + num(self.growth);
                let (a, b) = (T::one() + k * most, xi * (T::one() + k * rest) + p * most - s);
                let root = (b * b + num::<T>(4.0) * a * xi * over).sqrt();
                // Without the difference of numbers that are nearly the same.
                if b > T::zero() {
                    num::<T>(2.0) * xi * over / (b + root)
                } else {
                    (root - b) / (num::<T>(2.0) * a)
                }
            }
        };
        let wider = match self.dilatancy {
            Some(d) => (slope * x / num(mu)).min(num::<T>(d.expansion) - gained),
            None => T::zero(),
        };
        *memory = gained + wider;
        Some(strain(shape, (T::one() - x / s).max(T::zero()), sum - wider))
    }
}
