use serde::{Deserialize, Serialize};
use signorini_core::na::{Matrix2, Matrix3, SMatrix, SVector, Vector2, Vector3};
use signorini_core::{ContactLaw, ContactSeed, LawEval, LawProperties, Smoothness};

/// Point contact with Hunt–Crossley dissipation and lagged, regularised friction: the lagged potential without frills.
///
/// ```text
/// ℓ = μ n₀ ‖v_t‖_s − N(v_n),   N′ = δt (f₀ − δt k v_n)₊ (1 − d v_n)₊,   f₀ = −k φ₀
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SoftContact;

/// Parameters of [`SoftContact`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SoftContactParams {
    dt: f64,
    stiffness: f64,
    dissipation: f64,
    force: f64,
    friction_impulse: f64,
    stiction_speed: f64,
}

impl ContactLaw<3> for SoftContact {
    type Seed = ContactSeed;
    type Params = SoftContactParams;
    const KEY: &'static str = "toy_soft_contact";
    const PROPERTIES: LawProperties = LawProperties::CONVEX;
    const PAPER: &'static str = "kurtz2025cenic";

    fn prepare(&self, seed: &ContactSeed) -> Self::Params {
        let m = &seed.material;
        let force = -m.stiffness * seed.gap;
        let n0 = seed.dt * force.max(0.0) * (1.0 - m.dissipation * seed.velocity[0]).max(0.0);
        SoftContactParams {
            dt: seed.dt,
            stiffness: m.stiffness,
            dissipation: m.dissipation,
            force,
            friction_impulse: m.friction_dynamic * n0,
            stiction_speed: m.stiction_speed,
        }
    }

    fn stored_energy(&self, seed: &ContactSeed) -> f64 {
        seed.spring_energy()
    }

    fn eval(&self, p: &Self::Params, v_c: SVector<f64, 3>) -> LawEval<3> {
        let (h, k, d, f, v_n) = (p.dt, p.stiffness, p.dissipation, p.force, v_c[0]);
        let v_open = if d > 0.0 { (f / (h * k)).min(1.0 / d) } else { f / (h * k) };
        let v = v_n.min(v_open);
        let normal_cost = -h * (v * (f - 0.5 * h * k * v) - 0.5 * d * v * v * (f - 2.0 / 3.0 * h * k * v));
        let (impulse, slope) = if v_n < v_open {
            let (elastic, damping) = (f - h * k * v, 1.0 - d * v);
            (h * elastic * damping, -h * (h * k * damping + d * elastic))
        } else {
            (0.0, 0.0)
        };
        let v_t = Vector2::new(v_c[1], v_c[2]);
        let root = v_t.norm().hypot(p.stiction_speed);
        let t = v_t / root;
        let tangent = (Matrix2::identity() - t * t.transpose()) / root;
        let mut hess = Matrix3::zeros();
        hess[(0, 0)] = -slope;
        hess.fixed_view_mut::<2, 2>(1, 1).copy_from(&(p.friction_impulse * tangent));
        LawEval {
            cost: normal_cost + p.friction_impulse * (root - p.stiction_speed),
            grad: Vector3::new(-impulse, p.friction_impulse * t.x, p.friction_impulse * t.y),
            hess,
        }
    }
}

/// A spring and damper that act while a gap is closed: f = (−k φ − c φ̇)₊, one row.
///
/// ```text
/// ℓ = ½ (b − a v)²₊ / a,   a = δt (δt k + c),   b = −δt k φ₀
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stop;

/// Seed of [`Stop`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StopSeed {
    /// Step size \[s\], > 0.
    pub dt: f64,
    /// Gap φ₀ at the start \[m\].
    pub gap: f64,
    /// Stiffness k \[N/m\], > 0.
    pub stiffness: f64,
    /// Damping c \[N·s/m\], ≥ 0.
    pub damping: f64,
}

impl ContactLaw<1> for Stop {
    type Seed = StopSeed;
    /// (a, b).
    type Params = (f64, f64);
    const KEY: &'static str = "toy_stop";
    const PROPERTIES: LawProperties = LawProperties::CONVEX;
    const PAPER: &'static str = "kurtz2025cenic";

    fn prepare(&self, s: &StopSeed) -> (f64, f64) {
        (s.dt * (s.dt * s.stiffness + s.damping), -s.dt * s.stiffness * s.gap)
    }

    fn eval(&self, &(a, b): &(f64, f64), v_c: SVector<f64, 1>) -> LawEval<1> {
        let y = (b - a * v_c[0]).max(0.0);
        let stiff = if y > 0.0 { a } else { 0.0 };
        LawEval { cost: 0.5 * y * y / a, grad: SVector::from([-y]), hess: SMatrix::from([[stiff]]) }
    }
}

/// Logarithmic barrier of a gap, as a law of the secant gap rate v = (φ − φ₀)/δt: impulse −δt·b′(φ).
///
/// ```text
/// b(φ) = −κ (φ − d̂)² ln(φ/d̂) for φ < d̂, else 0;    +∞ for φ ≤ 0
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LogBarrier;

/// Seed of [`LogBarrier`]; its parameters as well.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogBarrierSeed {
    /// Step size \[s\], > 0.
    pub dt: f64,
    /// Gap φ₀ at the start \[m\], > 0.
    pub gap: f64,
    /// Range d̂ \[m\], > 0.
    pub range: f64,
    /// Stiffness κ \[N/m\], > 0.
    pub stiffness: f64,
}

impl ContactLaw<1> for LogBarrier {
    type Seed = LogBarrierSeed;
    type Params = LogBarrierSeed;
    const KEY: &'static str = "toy_log_barrier";
    const PROPERTIES: LawProperties =
        LawProperties { barrier: true, smoothness: Smoothness::C2, ..LawProperties::CONVEX };
    const PAPER: &'static str = "chen2022midas";

    fn prepare(&self, seed: &LogBarrierSeed) -> LogBarrierSeed {
        *seed
    }

    fn eval(&self, p: &LogBarrierSeed, v_c: SVector<f64, 1>) -> LawEval<1> {
        let (h, k, range) = (p.dt, p.stiffness, p.range);
        let gap = p.gap + h * v_c[0];
        if gap >= range {
            return LawEval::zero();
        }
        if gap <= 0.0 {
            return LawEval { cost: f64::INFINITY, ..LawEval::zero() };
        }
        let (e, log) = (gap - range, (gap / range).ln());
        let slope = -(2.0 * e * log + e * e / gap);
        let curvature = -(2.0 * log + 4.0 * e / gap - e * e / (gap * gap));
        LawEval {
            cost: -k * e * e * log,
            grad: SVector::from([h * k * slope]),
            hess: SMatrix::from([[h * h * k * curvature]]),
        }
    }
}
