use serde::{Deserialize, Serialize};
use signorini_core::na::Vector3;
use signorini_core::{ContactLaw, ContactSeed, LawEval, LawProperties};
use signorini_laws::SlipPotential;

/// Hertz's contact of balls with the dissipation of Hunt and Crossley: a law with a stiffness of its own, from the curvature of the surfaces.
///
/// Force 4/3 E* √R δ^{3/2} (1 + d δ̇)₊ at the depth δ, R = 1/√(κ₁κ₂); Coulomb friction with the normal impulse that the velocity of the start would give.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Hertz {
    /// Effective modulus E*, 1/E* = (1 − ν_a²)/E_a + (1 − ν_b²)/E_b \[Pa\], of pairs that have none of their own.
    pub modulus: f64,
}

/// Constants of a step: δt, φ₀, 4/3 E* √R, d, and friction.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Constants {
    dt: f64,
    gap: f64,
    k: f64,
    d: f64,
    /// Friction with the bound μ n₀.
    pub slip: SlipPotential,
}

impl Hertz {
    /// 4/3 E* √R \[N/m^{3/2}\], E* the first parameter of the pair's own where that is above zero; flat surfaces and those of unknown curvature count as a ball of 1 m.
    pub fn stiffness(&self, s: &ContactSeed) -> f64 {
        let [own, ..] = s.material.own;
        let modulus = if own > 0.0 { own } else { self.modulus };
        let square = s.curvature.map_or(0.0, |[a, b]| a * b);
        4.0 / 3.0 * modulus * if square > 0.0 { square.powf(-0.25) } else { 1.0 }
    }
}

impl ContactLaw<3> for Hertz {
    type Seed = ContactSeed;
    type Params = Constants;
    const KEY: &'static str = "hertz";
    const PROPERTIES: LawProperties = LawProperties { reads_curvature: true, ..LawProperties::CONVEX };
    const PAPER: &'static str = "own";

    fn prepare(&self, s: &ContactSeed) -> Constants {
        let (m, k) = (&s.material, self.stiffness(s));
        let slip = SlipPotential::new(0.0, m.stiction_speed);
        let p = Constants { dt: s.dt, gap: s.gap, k, d: m.dissipation, slip };
        let bound = m.friction_dynamic * normal(&p, s.velocity.x)[1];
        Constants { slip: SlipPotential::new(bound, m.stiction_speed), ..p }
    }

    fn stored_energy(&self, s: &ContactSeed) -> f64 {
        0.4 * self.stiffness(s) * (-s.gap).max(0.0).powf(2.5)
    }

    fn eval(&self, p: &Constants, v: Vector3<f64>) -> LawEval<3> {
        let [value, impulse, curvature] = normal(p, v.x);
        let mut e = LawEval::normal(value, impulse, curvature);
        p.slip.add(&v, &mut e);
        e
    }
}

/// ℓ(v), γ = −ℓ′ and −γ′ of γ = δt k s^{3/2} (1 − d v)₊, s = (−φ₀ − δt v)₊ the depth at the end of the step: ℓ = G(s) − G(s at 1/d) with G = k (a s^{5/2}/2.5 + (d/δt) s^{7/2}/3.5), a = 1 + d φ₀/δt.
fn normal(p: &Constants, v: f64) -> [f64; 3] {
    let Constants { dt, gap, k, d, .. } = *p;
    let (s, rate) = ((-gap - dt * v).max(0.0), 1.0 - d * v);
    if s == 0.0 || rate <= 0.0 {
        return [0.0; 3];
    }
    let potential = |s: f64| k * ((1.0 + d * gap / dt) * s.powf(2.5) / 2.5 + d / dt * s.powf(3.5) / 3.5);
    let open = if d > 0.0 { (-gap - dt / d).max(0.0) } else { 0.0 };
    let impulse = dt * k * s.powf(1.5);
    [potential(s) - potential(open), impulse * rate, dt * k * (1.5 * dt * s.sqrt() * rate + d * s.powf(1.5))]
}
