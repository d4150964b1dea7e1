use serde::{Deserialize, Serialize};
use signorini_core::na::SVector;
use signorini_core::{Along, ContactLaw, ContactSeed, Impact, LawEval, LawProperties};

use crate::friction::LaggedFriction;
use crate::{NormalPotential, SlipPotential, impact};

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
/// A soft contact (`impedance`) takes over a part of the load that its gap does not show: where the impulse found is another one by a tenth, it becomes n₀ likewise.
///
/// Not read: relaxation time beside a dissipation, torsional and rolling friction; solref and solimp as stiffness, relaxation time and impedance ([`Softness`](crate::Softness)).
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
    slip: SlipPotential,
    /// μ and ε/n₀ \[m/s per N·s\] for an impulse that the start does not tell, of a contact that is open or soft, until it is found.
    open: Option<[f64; 2]>,
}

impl LaggedParams {
    /// μ n₀, the bound on the friction impulse \[N·s\].
    pub fn friction_bound(&self) -> f64 {
        self.slip.bound()
    }

    /// ε, the slip speed at which friction reaches 0.71 of its bound \[m/s\].
    pub fn regularization_speed(&self) -> f64 {
        self.slip.regularization_speed()
    }
}

impl ContactLaw<3> for Lagged {
    type Seed = ContactSeed;
    type Params = LaggedParams;
    const KEY: &'static str = "lagged";
    const PROPERTIES: LawProperties = LawProperties { reads_preload: true, ..LawProperties::CONVEX };
    const PAPER: &'static str = "kurtz2025cenic";

    fn prepare(&self, seed: &ContactSeed) -> LaggedParams {
        let f = LaggedFriction::new(seed, self.sigma_r);
        let unknown = seed.elastic_force() < 0.0 || seed.material.impedance > 0.0;
        let open = unknown.then(|| [f.mu, f.mu * self.sigma_r * seed.inverse_mass()]);
        let slip = SlipPotential::new(f.mu * f.n0, f.eps);
        LaggedParams { normal: NormalPotential::new(seed), slip, open }
    }

    fn relag(&self, p: &mut LaggedParams, gamma: SVector<f64, 3>) -> bool {
        match p.open {
            Some([mu, spread]) if (mu * gamma[0] - p.slip.bound()).abs() > 0.1 * mu * gamma[0].max(0.0) => {
                p.open = None;
                let n0 = gamma[0].max(0.0);
                let eps = p.slip.regularization_speed().max(spread * n0);
                p.slip = SlipPotential::new(mu * n0, eps);
                true
            }
            _ => false,
        }
    }

    fn stored_energy(&self, seed: &ContactSeed) -> f64 {
        seed.spring_energy()
    }

    fn impact(&self, seed: &ContactSeed, speed: f64) -> Option<Impact> {
        Some(impact::of_dissipation(seed, speed))
    }

    #[inline]
    fn is_idle(&self, p: &LaggedParams, v_c: SVector<f64, 3>, way: SVector<f64, 3>) -> bool {
        v_c[0].min(v_c[0] + way[0]) >= p.normal.opening_speed() && p.slip.bound() == 0.0
    }

    #[inline]
    fn eval(&self, p: &LaggedParams, v_c: SVector<f64, 3>) -> LawEval<3> {
        let (value, impulse, curvature) = p.normal.eval(v_c[0]);
        let mut e = LawEval::normal(value, impulse, curvature);
        p.slip.add(&v_c, &mut e);
        e
    }

    #[inline]
    fn along(&self, p: &LaggedParams, v_c: SVector<f64, 3>, dv: SVector<f64, 3>) -> Along {
        let (value, impulse, curvature) = p.normal.eval(v_c[0]);
        let mut l = Along { value, slope: -impulse * dv[0], curvature: curvature * dv[0] * dv[0] };
        p.slip.add_along(&v_c, &dv, &mut l);
        l
    }

    #[inline]
    fn cost(&self, p: &LaggedParams, v_c: SVector<f64, 3>) -> f64 {
        p.normal.value(v_c[0]) + p.slip.value(&v_c)
    }
}
