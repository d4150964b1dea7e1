use serde::{Deserialize, Serialize};
use signorini_core::na::{Matrix3, SVector, Vector3};
use signorini_core::{Along, ContactLaw, ContactSeed, LawEval, LawProperties};

use crate::NormalPotential;
use crate::friction::LaggedFriction;

/// Hunt–Crossley normal force with regularised friction whose normal impulse is lagged: the law of CENIC.
///
/// ```text
/// ℓ(v_c) = P(v_n) + μ n₀ ‖v_t‖_s,    ‖v_t‖_s = √(‖v_t‖² + ε²) − ε         kurtz2025cenic, eq. (14)
/// γ_n = −P′(v_n),   γ_t = −μ n₀ t_s,   t_s = v_t/√(‖v_t‖² + ε²)
/// ```
/// No coupling between normal and tangent, hence no gliding; the friction bound lags by one step. Lagged: n₀, μ, ε.
///
/// A contact that is open at the start has n₀ = 0. When a solve closes it, the impulse found becomes n₀ and the step is solved once
/// more: an impact within one long step has friction too.
///
/// Not read: relaxation time, torsional and rolling friction, solref, solimp.
///
/// Deviates: w in ε = max(v_s, μ σ_R w n₀) is the Delassus norm rather than 2.65/m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lagged {
    /// σ_R: relative size of the friction regularisation that round-off needs.
    pub sigma_r: f64,
}

impl Default for Lagged {
    fn default() -> Self {
        Self { sigma_r: 1e-3 }
    }
}

/// Parameters of [`Lagged`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaggedParams {
    normal: NormalPotential,
    /// μ n₀ \[N·s\].
    friction: f64,
    /// ε \[m/s\].
    eps: f64,
    /// μ and ε/n₀ \[m/s per N·s\] for an impulse to come, while the contact is open.
    open: Option<[f64; 2]>,
}

impl LaggedParams {
    /// μ n₀, the bound on the friction impulse \[N·s\].
    pub fn friction_bound(&self) -> f64 {
        self.friction
    }

    /// ε, the slip speed at which friction reaches 0.71 of its bound \[m/s\].
    pub fn regularization_speed(&self) -> f64 {
        self.eps
    }
}

impl ContactLaw<3> for Lagged {
    type Seed = ContactSeed;
    type Params = LaggedParams;
    const KEY: &'static str = "lagged";
    const PROPERTIES: LawProperties = LawProperties::CONVEX;
    const PAPER: &'static str = "kurtz2025cenic";

    fn prepare(&self, seed: &ContactSeed) -> LaggedParams {
        let f = LaggedFriction::new(seed, self.sigma_r);
        let open = (seed.gap > 0.0).then(|| [f.mu, f.mu * self.sigma_r * seed.inverse_mass()]);
        LaggedParams { normal: NormalPotential::new(seed), friction: f.mu * f.n0, eps: f.eps, open }
    }

    fn relag(&self, p: &mut LaggedParams, gamma: SVector<f64, 3>) -> bool {
        match p.open {
            Some([mu, spread]) if gamma[0] > 0.0 => {
                p.open = None;
                p.friction = mu * gamma[0];
                p.eps = p.eps.max(spread * gamma[0]);
                p.friction > 0.0
            }
            _ => false,
        }
    }

    fn stored_energy(&self, seed: &ContactSeed) -> f64 {
        seed.spring_energy()
    }

    #[inline]
    fn eval(&self, p: &LaggedParams, v_c: SVector<f64, 3>) -> LawEval<3> {
        let (value, impulse, curvature) = p.normal.eval(v_c[0]);
        let mut e = LawEval { cost: value, grad: Vector3::new(-impulse, 0.0, 0.0), hess: Matrix3::zeros() };
        e.hess[(0, 0)] = curvature;
        if p.friction > 0.0 {
            let (a, b) = (v_c[1], v_c[2]);
            let vv = a * a + b * b;
            let root = (vv + p.eps * p.eps).sqrt();
            let inverse = root.recip();
            let (ta, tb) = (a * inverse, b * inverse);
            let g = p.friction * inverse;
            // √(x² + ε²) − ε without cancellation.
            e.cost += p.friction * vv / (root + p.eps);
            e.grad[1] = p.friction * ta;
            e.grad[2] = p.friction * tb;
            // 1 − t_a² = (ε² + v_b²)/root²: no cancellation in fast slip.
            let te = p.eps * inverse;
            e.hess[(1, 1)] = g * (te * te + tb * tb);
            e.hess[(2, 2)] = g * (te * te + ta * ta);
            e.hess[(1, 2)] = -g * ta * tb;
            e.hess[(2, 1)] = e.hess[(1, 2)];
        }
        e
    }

    #[inline]
    fn along(&self, p: &LaggedParams, v_c: SVector<f64, 3>, dv: SVector<f64, 3>) -> Along {
        let (value, impulse, curvature) = p.normal.eval(v_c[0]);
        let mut l = Along { value, slope: -impulse * dv[0], curvature: curvature * dv[0] * dv[0] };
        if p.friction > 0.0 {
            let vv = v_c[1] * v_c[1] + v_c[2] * v_c[2];
            let vd = v_c[1] * dv[1] + v_c[2] * dv[2];
            let dd = dv[1] * dv[1] + dv[2] * dv[2];
            let root = (vv + p.eps * p.eps).sqrt();
            let inverse = root.recip();
            let (slope, cross) = (vd * inverse, v_c[1] * dv[2] - v_c[2] * dv[1]);
            l.value += p.friction * vv / (root + p.eps);
            l.slope += p.friction * slope;
            // ‖dv‖² root² − (v·dv)² = ε² ‖dv‖² + (v × dv)², by Lagrange's identity.
            l.curvature += p.friction * (p.eps * p.eps * dd + cross * cross) * (inverse * inverse * inverse);
        }
        l
    }

    #[inline]
    fn cost(&self, p: &LaggedParams, v_c: SVector<f64, 3>) -> f64 {
        let vv = v_c[1] * v_c[1] + v_c[2] * v_c[2];
        p.normal.value(v_c[0]) + p.friction * vv / ((vv + p.eps * p.eps).sqrt() + p.eps)
    }
}
