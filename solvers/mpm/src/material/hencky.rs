use signorini_core::na::{Matrix3, RealField, Vector3, convert};

use super::lame::Lame;
use super::polar::Stretches;
use super::stiffness::{PAIRS, Stiffness};

/// ψ = μ |ε|² + ½ λ (tr ε)² with ε = ln σ: stresses are linear in logarithmic strains, so that plastic flow is radial.
pub(super) fn energy(lame: &Lame, f: &Matrix3<f64>) -> f64 {
    let strain = Stretches::of(f).hencky();
    lame.mu * strain.norm_squared() + 0.5 * lame.lambda * strain.sum().powi(2)
}

/// τ along the axes of the stretches \[Pa\]: 2 μ ε + λ tr ε.
fn along(lame: &Lame, s: &Stretches) -> Vector3<f64> {
    let strain = s.hencky();
    strain.map(|e| 2.0 * lame.mu * e + lame.lambda * strain.sum())
}

/// τ = U (2 μ ε + λ tr ε 1) Uᵀ.
pub(super) fn stress(lame: &Lame, f: &Matrix3<f64>) -> Matrix3<f64> {
    let s = Stretches::of(f);
    s.u * Matrix3::from_diagonal(&along(lame, &s)) * s.u.transpose()
}

/// The second derivative of the energy, as far as it is positive.
pub(super) fn stiffness(lame: &Lame, s: &Stretches) -> Stiffness {
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

/// Strain rule of a material with Hencky's energy, in numbers of either kind.
pub(crate) trait HenckyFlow {
    /// Name in messages.
    const NAME: &'static str;

    /// Constants of the elastic part.
    fn lame(&self) -> &Lame;

    /// Stiffness at stretches: elastic, as flow follows after the step.
    fn tangent(&self, s: &Stretches) -> Stiffness {
        stiffness(self.lame(), s)
    }

    /// The strains along the axes that are left of trial ones, given as their deviator and their sum, after `elapsed` > 0 \[s\]; none where nothing changes.
    fn return_map<T: RealField + Copy>(
        &self,
        trial: ([T; 3], T),
        memory: &mut T,
        elapsed: T,
    ) -> Option<[T; 3]>;

    /// Takes a trial gradient back.
    fn flow_gradient(&self, f: &mut Matrix3<f64>, memory: &mut f64, elapsed: f64) {
        let s = Stretches::of(f);
        let strain = s.hencky();
        let sum = strain.sum();
        let shape = strain.add_scalar(-sum / 3.0);
        if let Some(kept) = self.return_map((shape.into(), sum), memory, elapsed) {
            *f = s.with(&Vector3::from(kept).map(f64::exp));
        }
    }
}

/// A constant.
#[inline(always)]
pub(crate) fn num<T: RealField>(x: f64) -> T {
    convert(x)
}

/// |a|.
#[inline(always)]
pub(super) fn norm<T: RealField + Copy>(a: [T; 3]) -> T {
    (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt()
}

/// `part` of a deviator with a sum.
#[inline(always)]
pub(super) fn strain<T: RealField + Copy>(shape: [T; 3], part: T, sum: T) -> [T; 3] {
    let mean = sum * num(1.0 / 3.0);
    shape.map(|s| part * s + mean)
}
