use signorini_core::ContactSeed;
use signorini_core::na::SVector;

/// Factors of a change of units: x in the new units is x in the old ones times a product of powers of these.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// λ.
    pub mass: f64,
    /// τ.
    pub time: f64,
    /// ξ.
    pub length: f64,
}

impl Scale {
    /// Factor of a speed, ξ/τ.
    pub fn speed(&self) -> f64 {
        self.length / self.time
    }

    /// Factor of an impulse, λξ/τ.
    pub fn impulse(&self) -> f64 {
        self.mass * self.speed()
    }

    /// Factor of a force, λξ/τ².
    pub fn force(&self) -> f64 {
        self.impulse() / self.time
    }

    /// Factor of an energy, λξ²/τ².
    pub fn energy(&self) -> f64 {
        self.force() * self.length
    }

    /// Factor of a stiffness, λ/τ².
    pub fn stiffness(&self) -> f64 {
        self.mass / (self.time * self.time)
    }

    /// Factor of linear damping, λ/τ.
    pub fn damping(&self) -> f64 {
        self.mass / self.time
    }
}

/// A contact seed in other units; [`own`](signorini_core::ContactMaterial::own) parameters are left to the caller, who knows theirs.
pub fn rescale_contact(seed: &ContactSeed, s: Scale) -> ContactSeed {
    let mut out = *seed;
    out.dt *= s.time;
    out.gap *= s.length;
    out.preload *= s.mass * s.length / (s.time * s.time);
    out.velocity *= s.speed();
    out.curvature = out.curvature.map(|c| c.map(|c| c / s.length));
    for side in &mut out.sides {
        side.linear /= s.mass;
        side.coupling /= s.mass * s.length;
        side.angular /= s.mass * s.length * s.length;
        side.reference /= s.mass;
    }
    let m = &mut out.material;
    m.stiffness *= s.stiffness();
    m.dissipation /= s.speed();
    m.relaxation_time *= s.time;
    m.stiction_speed *= s.speed();
    m.friction_torsional *= s.length;
    m.friction_rolling *= s.length;
    if m.solref[0] > 0.0 {
        m.solref[0] *= s.time;
    } else {
        // (−k, −b) per unit mass.
        m.solref[0] /= s.time * s.time;
        m.solref[1] /= s.time;
    }
    m.solimp[2] *= s.length;
    out
}

/// A contact velocity in other units: three linear rows, then angular ones.
pub fn rescale_velocity<const D: usize>(v_c: &SVector<f64, D>, s: Scale) -> SVector<f64, D> {
    SVector::from_fn(|i, _| v_c[i] * if i < 3 { s.speed() } else { s.time.recip() })
}
