use serde::{Deserialize, Serialize};
use signorini_core::na::{Matrix3, SVector, Vector3};
use signorini_core::{Along, ContactLaw, ContactSeed, Impact, LawEval, LawProperties};

use crate::NormalPotential;
use crate::friction::LaggedFriction;
use crate::impact;

/// Hunt–Crossley normal force and friction from one potential of z = v_n − μ‖v_t‖_s: friction fully implicit.
///
/// ```text
/// ℓ(v_c) = P(z),   γ_n = n(z),   γ_t = −μ n(z) t_s,   n = −P′
/// ```
/// with P of [`NormalPotential`] and t_s of [`Lagged`](crate::Lagged): the "similar" potential of Castro and others (2023). P is convex and
/// falling, z concave, so ℓ is convex. A sliding contact glides: it rests at a depth smaller by about δt μ‖v_t‖, which vanishes with
/// δt. Lagged: μ, ε.
///
/// Spring and mass of a soft contact (`impedance`) and polygons of an area (`preload`) see v_n − μ (‖v_t‖_s − ‖v_t‖_s at the start), so that one that slides does not glide on its damper, and the polygons of one area, whose depth is a
/// small part of δt μ‖v_t‖, do not glide each by its own slip.
///
/// Not read: relaxation time beside a dissipation, torsional and rolling friction; solref and solimp as stiffness, relaxation time and impedance ([`Softness`](crate::Softness)).
///
/// Deviates: w in ε is the Delassus norm rather than 2.65/m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Similar {
    /// σ_R: relative size of the friction regularisation that round-off needs.
    pub sigma_r: f64,
}

impl Default for Similar {
    fn default() -> Self {
        Self { sigma_r: 1e-3 }
    }
}

/// Parameters of [`Similar`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimilarParams {
    normal: NormalPotential,
    mu: f64,
    /// ε \[m/s\].
    eps: f64,
}

impl SimilarParams {
    /// μ of this step.
    pub fn friction_coefficient(&self) -> f64 {
        self.mu
    }
}

impl ContactLaw<3> for Similar {
    type Seed = ContactSeed;
    type Params = SimilarParams;
    const KEY: &'static str = "similar";
    const PROPERTIES: LawProperties =
        LawProperties { glides: true, reads_preload: true, ..LawProperties::CONVEX };
    const PAPER: &'static str = "kurtz2025cenic";

    fn prepare(&self, seed: &ContactSeed) -> SimilarParams {
        let f = LaggedFriction::new(seed, self.sigma_r);
        let normal = NormalPotential::new(seed);
        let in_place = seed.material.impedance > 0.0 || seed.preload != 0.0;
        let slip = seed.velocity[1].hypot(seed.velocity[2]);
        let glide = if in_place { f.mu * slip * slip / (slip.hypot(f.eps) + f.eps) } else { 0.0 };
        SimilarParams { normal: normal.shifted(glide), mu: f.mu, eps: f.eps }
    }

    fn stored_energy(&self, seed: &ContactSeed) -> f64 {
        seed.spring_energy()
    }

    fn impact(&self, seed: &ContactSeed, speed: f64) -> Option<Impact> {
        Some(impact::of_dissipation(seed, speed))
    }

    #[inline]
    fn eval(&self, p: &SimilarParams, v_c: SVector<f64, 3>) -> LawEval<3> {
        let (a, b) = (v_c[1], v_c[2]);
        let vv = a * a + b * b;
        let root = (vv + p.eps * p.eps).sqrt();
        let inverse = root.recip();
        let (ta, tb, te) = (a * inverse, b * inverse, p.eps * inverse);
        let (cost, n, curvature) = p.normal.eval(v_c[0] - p.mu * vv / (root + p.eps));
        // dz = (1, −μ t_s); ∇ℓ = −n dz; ∇²ℓ = P″ dz dzᵀ + n μ ∇²‖v_t‖_s.
        let dz = Vector3::new(1.0, -p.mu * ta, -p.mu * tb);
        let mut hess: Matrix3<f64> = curvature * dz * dz.transpose();
        let g = p.mu * n * inverse;
        hess[(1, 1)] += g * (te * te + tb * tb);
        hess[(2, 2)] += g * (te * te + ta * ta);
        hess[(1, 2)] -= g * ta * tb;
        hess[(2, 1)] = hess[(1, 2)];
        LawEval { cost, grad: -n * dz, hess }
    }

    #[inline]
    fn cost(&self, p: &SimilarParams, v_c: SVector<f64, 3>) -> f64 {
        let vv = v_c[1] * v_c[1] + v_c[2] * v_c[2];
        p.normal.value(v_c[0] - p.mu * vv / ((vv + p.eps * p.eps).sqrt() + p.eps))
    }

    #[inline]
    fn along(&self, p: &SimilarParams, v_c: SVector<f64, 3>, dv: SVector<f64, 3>) -> Along {
        let vv = v_c[1] * v_c[1] + v_c[2] * v_c[2];
        let vd = v_c[1] * dv[1] + v_c[2] * dv[2];
        let dd = dv[1] * dv[1] + dv[2] * dv[2];
        let cross = v_c[1] * dv[2] - v_c[2] * dv[1];
        let root = (vv + p.eps * p.eps).sqrt();
        let inverse = root.recip();
        let (value, n, curvature) = p.normal.eval(v_c[0] - p.mu * vv / (root + p.eps));
        let rate = dv[0] - p.mu * vd * inverse;
        // d²‖v_t‖_s/dα² = (ε² ‖dv‖² + (v × dv)²)/root³, by Lagrange's identity.
        let bend = (p.eps * p.eps * dd + cross * cross) * (inverse * inverse * inverse);
        Along { value, slope: -n * rate, curvature: curvature * rate * rate + p.mu * n * bend }
    }
}
