use signorini_core::na::{Matrix3, Matrix6, Vector3};

use crate::error::{MpmError, value};
use crate::material::{Lame, LaneLaw, Material, PAIRS, Stiffness};
use crate::polar::Stretches;

/// ψ = μ |ε|² + ½ λ (tr ε)² with ε = ln σ: stresses are linear in logarithmic strains, so that plastic flow is radial.
fn energy(lame: &Lame, f: &Matrix3<f64>) -> f64 {
    let strain = Stretches::of(f).hencky();
    lame.mu * strain.norm_squared() + 0.5 * lame.lambda * strain.sum().powi(2)
}

/// τ along the axes of the stretches \[Pa\]: 2 μ ε + λ tr ε.
fn along(lame: &Lame, s: &Stretches) -> Vector3<f64> {
    let strain = s.hencky();
    strain.map(|e| 2.0 * lame.mu * e + lame.lambda * strain.sum())
}

/// τ = U (2 μ ε + λ tr ε 1) Uᵀ.
fn stress(lame: &Lame, f: &Matrix3<f64>) -> Matrix3<f64> {
    let s = Stretches::of(f);
    s.u * Matrix3::from_diagonal(&along(lame, &s)) * s.u.transpose()
}

/// The second derivative of the energy, as far as it is positive.
fn stiffness(lame: &Lame, s: &Stretches) -> Stiffness {
    let tau = along(lame, s);
    let stretching = Matrix3::from_diagonal(&tau.map(|t| 2.0 * lame.mu - t)).add_scalar(lame.lambda);
    let shearing = PAIRS.map(|(a, b)| {
        // (ln σ_a − ln σ_b)/(σ_a² − σ_b²), where both may be the same.
        let (x, y) = (s.sigma[a], s.sigma[b]);
        let apart = (x - y) / y;
        let slope = if apart == 0.0 { 1.0 } else { apart.ln_1p() / apart };
        2.0 * lame.mu * slope / (y * (x + y))
    });
    Stiffness::principal(&s.u, &s.sigma, &tau, &stretching, &shearing.into())
}

/// ε less its mean, and its sum.
fn deviator(strain: &Vector3<f64>) -> (Vector3<f64>, f64) {
    let sum = strain.sum();
    (strain.add_scalar(-sum / 3.0), sum)
}

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

impl Material for VonMises {
    fn energy(&self, f: &Matrix3<f64>) -> f64 {
        energy(&self.lame, f)
    }
    fn stress(&self, f: &Matrix3<f64>) -> Matrix3<f64> {
        stress(&self.lame, f)
    }
    fn flow(&self, f: &mut Matrix3<f64>, _: &mut f64) {
        let s = Stretches::of(f);
        let (shape, sum) = deviator(&s.hencky());
        let norm = 2.0 * self.lame.mu * shape.norm();
        if norm > self.largest_deviator() {
            let kept = (self.largest_deviator() / norm * shape).add_scalar(sum / 3.0);
            *f = s.with(&kept.map(f64::exp));
        }
    }
    /// Elastic: flow follows after the step.
    fn stiffness(&self, _: &Matrix3<f64>) -> Option<Stiffness> {
        Some(Stiffness::linear(&self.lame, &Matrix3::identity()))
    }
    fn wave_modulus(&self) -> f64 {
        self.lame.wave_modulus()
    }
    fn check(&self) -> Result<(), MpmError> {
        self.lame.check()
    }
    fn lanes(&self) -> LaneLaw {
        LaneLaw::VonMises(self.lame, self.largest_deviator())
    }
    fn name(&self) -> &'static str {
        "von Mises"
    }
}

/// Strain below which sand that is open counts as such: round-off of the strain that flow leaves.
const OPEN: f64 = 1e-12;

/// Sand: Hencky elasticity with Drucker–Prager flow that keeps volume, and no tension.
///
/// ```text
/// |dev ε| + (3λ + 2μ)/(2μ) tr(ε) α ≤ 0,   α = √(2/3) 2 sin φ/(3 − sin φ)
/// ```
/// Where it is pulled apart all strain is let go, and its volume is kept in mind: the volume gained then is taken off the trace before it can press again.
/// Source: Klár et al. 2016, named by yu2025mpm. Deviates: no hardening.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DruckerPrager {
    lame: Lame,
    slope: f64,
}

impl DruckerPrager {
    /// With an angle of friction φ \[rad\].
    ///
    /// # Errors
    /// [`MpmError::Value`] for one outside [0, π/2), or without a shear modulus.
    pub fn new(lame: Lame, friction_angle: f64) -> Result<Self, MpmError> {
        value("the shear modulus μ of sand", lame.mu, lame.mu > 0.0, "Pa > 0")?;
        let within = (0.0..std::f64::consts::FRAC_PI_2).contains(&friction_angle);
        value("the angle of friction", friction_angle, within, "rad in [0, π/2)")?;
        let sin = friction_angle.sin();
        Ok(Self { lame, slope: (2.0f64 / 3.0).sqrt() * 2.0 * sin / (3.0 - sin) })
    }

    /// Distance of a strain beyond the cone, as a strain; negative inside.
    pub fn excess(&self, f: &Matrix3<f64>) -> f64 {
        let (shape, sum) = deviator(&Stretches::of(f).hencky());
        shape.norm() + self.steepness() * sum
    }

    fn steepness(&self) -> f64 {
        let Lame { lambda, mu } = self.lame;
        (3.0 * lambda + 2.0 * mu) / (2.0 * mu) * self.slope
    }
}

impl Material for DruckerPrager {
    fn energy(&self, f: &Matrix3<f64>) -> f64 {
        energy(&self.lame, f)
    }
    fn stress(&self, f: &Matrix3<f64>) -> Matrix3<f64> {
        stress(&self.lame, f)
    }
    fn flow(&self, f: &mut Matrix3<f64>, memory: &mut f64) {
        let s = Stretches::of(f);
        let strain = s.hencky().add_scalar(*memory / 3.0);
        let (shape, sum) = deviator(&strain);
        let norm = shape.norm();
        let kept = if sum >= 0.0 {
            // Apart: nothing is left, and its growth is remembered.
            *memory = sum;
            Vector3::zeros()
        } else {
            *memory = 0.0;
            let excess = norm + self.steepness() * sum;
            if excess <= 0.0 { strain } else { strain - excess / norm * shape }
        };
        *f = s.with(&kept.map(f64::exp));
    }
    /// Elastic where it is pressed: flow and opening follow after the step. None where it is open.
    fn stiffness(&self, f: &Matrix3<f64>) -> Option<Stiffness> {
        let s = Stretches::of(f);
        let pressed = s.hencky().sum() < -OPEN;
        Some(if pressed { stiffness(&self.lame, &s) } else { Stiffness(Matrix6::zeros()) })
    }
    fn wave_modulus(&self) -> f64 {
        self.lame.wave_modulus()
    }
    fn check(&self) -> Result<(), MpmError> {
        self.lame.check()
    }
    fn lanes(&self) -> LaneLaw {
        LaneLaw::DruckerPrager(self.lame, self.steepness())
    }
    fn name(&self) -> &'static str {
        "Drucker–Prager"
    }
}
