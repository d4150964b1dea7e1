use nalgebra::{SMatrix, SVector};
use serde::{Deserialize, Serialize};

use crate::ProblemError;

/// The physical parameters of a contact between two surfaces, the same for every law.
///
/// A law that has no use for a field says so in its documentation; `inspect` prints what each law reads.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactMaterial {
    /// Stiffness k \[N/m\], > 0.
    pub stiffness: f64,
    /// Hunt–Crossley dissipation d \[s/m\], ≥ 0.
    pub dissipation: f64,
    /// Relaxation time τ_d \[s\] of a linear spring and damper, ≥ 0.
    pub relaxation_time: f64,
    /// Coefficient of static friction μ_s, ≥ 0.
    pub friction_static: f64,
    /// Coefficient of dynamic friction μ_d, 0 ≤ μ_d ≤ μ_s.
    pub friction_dynamic: f64,
    /// Regularisation speed v_s of friction \[m/s\], > 0.
    pub stiction_speed: f64,
    /// Torsional friction coefficient \[m\], ≥ 0 (laws with D ≥ 4).
    pub friction_torsional: f64,
    /// Rolling friction coefficient \[m\], ≥ 0 (laws with D = 6).
    pub friction_rolling: f64,
    /// Contact dimension asked for by the scene: 1, 3, 4 or 6.
    pub condim: u8,
    /// Impedance I of MuJoCo's constraints, 0 ≤ I < 1: part of the acceleration by other forces that a closed contact takes over, as if a mass I/((1 − I) w)
    /// moved with it; 0 for a spring and damper alone.
    #[serde(default)]
    pub impedance: f64,
    /// The scene states solref: systems of rigid bodies take stiffness, relaxation time and impedance from it.
    #[serde(default)]
    pub solref_stated: bool,
    /// MuJoCo's solref: (time constant \[s\], damping ratio) or (−k, −b); for the laws that use it.
    pub solref: [f64; 2],
    /// MuJoCo's solimp: (dmin, dmax, width \[m\], midpoint, power); for the laws that use it.
    pub solimp: [f64; 5],
    /// Parameters of a law of one's own, in units of its own; no law of this workspace reads them. Systems of rigid bodies take them from a `ContactModel`, affine bodies from the materials of their skin, particles from those of obstacles.
    #[serde(default)]
    pub own: [f64; 4],
}

impl Default for ContactMaterial {
    fn default() -> Self {
        Self {
            stiffness: 2.0e5,
            dissipation: 20.0,
            relaxation_time: 0.0,
            friction_static: 0.5,
            friction_dynamic: 0.5,
            stiction_speed: 1.0e-4,
            friction_torsional: 0.0,
            friction_rolling: 0.0,
            condim: 3,
            impedance: 0.0,
            solref_stated: false,
            solref: [0.02, 1.0],
            solimp: [0.9, 0.95, 0.001, 0.5, 2.0],
            own: [0.0; 4],
        }
    }
}

impl ContactMaterial {
    /// Stiffness k \[N/m\], Hunt–Crossley dissipation d \[s/m\] and one coefficient of friction at rest and in motion; the rest as by default.
    pub fn compliant(stiffness: f64, dissipation: f64, friction: f64) -> Self {
        Self {
            stiffness,
            dissipation,
            friction_static: friction,
            friction_dynamic: friction,
            ..Self::default()
        }
    }

    /// Fails on a value that no law can take: NaN, infinite, negative, or zero where a division needs more.
    ///
    /// # Errors
    /// [`ProblemError::Material`] naming the field, its value and its range. `contact` is the number to report.
    pub fn check(&self, contact: usize) -> Result<(), ProblemError> {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        let not_negative = |x: f64| x >= 0.0 && x.is_finite();
        let own = self.own.iter().copied().find(|x| !x.is_finite()).unwrap_or(0.0);
        let fields = [
            ("stiffness", self.stiffness, positive(self.stiffness), "positive [N/m]"),
            ("dissipation", self.dissipation, not_negative(self.dissipation), "at least 0 [s/m]"),
            ("relaxation_time", self.relaxation_time, not_negative(self.relaxation_time), "at least 0 [s]"),
            ("impedance", self.impedance, (0.0..1.0).contains(&self.impedance), "at least 0 and below 1"),
            ("friction_static", self.friction_static, not_negative(self.friction_static), "at least 0"),
            (
                "friction_dynamic",
                self.friction_dynamic,
                (0.0..=self.friction_static).contains(&self.friction_dynamic),
                "between 0 and friction_static",
            ),
            ("stiction_speed", self.stiction_speed, positive(self.stiction_speed), "positive [m/s]"),
            (
                "friction_torsional",
                self.friction_torsional,
                not_negative(self.friction_torsional),
                "at least 0 [m]",
            ),
            (
                "friction_rolling",
                self.friction_rolling,
                not_negative(self.friction_rolling),
                "at least 0 [m]",
            ),
            ("own", own, own.is_finite(), "finite"),
        ];
        match fields.into_iter().find(|&(_, _, fits, _)| !fits) {
            Some((field, value, _, range)) => Err(ProblemError::Material { contact, field, value, range }),
            None => Ok(()),
        }
    }
}

/// Knowledge of one contact before the step is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactSeed {
    /// Step size δt \[s\], > 0.
    pub dt: f64,
    /// Gap φ₀ at the start of the step \[m\]; negative when penetrating.
    pub gap: f64,
    /// Elastic force at φ₀ = 0 \[N\]: that of a polygon of a contact over an area, A p, whose stiffness A g may be zero; 0 for contacts at points. Read by laws whose [`LawProperties::reads_preload`](crate::LawProperties::reads_preload) says so.
    #[serde(default)]
    pub preload: f64,
    /// Contact velocity at the start of the step, contact frame (n, t₁, t₂) \[m/s\], 3.
    pub velocity: SVector<f64, 3>,
    /// Combined surface parameters.
    pub material: ContactMaterial,
    /// Principal curvatures of the gap between both surfaces at the contact \[1/m\], the larger first: (1/R, 1/R) for a ball of radius R on a plane, (1/R, 0) for a cylinder that
    /// lies on it, zeros for faces; None where a corner, an edge or a mesh touches, and under systems that do not know their shapes. A material point counts as a ball of its volume; affine bodies have what they are told. Filled for laws whose [`LawProperties::reads_curvature`](crate::LawProperties::reads_curvature) asks for it.
    #[serde(default)]
    pub curvature: Option<[f64; 2]>,
    /// Both sides as the contact feels them: one entry per tree (clique), the second of zeros when the contact touches one tree only.
    pub sides: [ContactSide; 2],
}

/// A tree (clique) as one contact feels it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactSide {
    /// Part of the Delassus block W = J A⁻¹ Jᵀ of this contact alone, rows (n, t₁, t₂), contact frame \[1/kg\], 3 × 3.
    pub linear: SMatrix<f64, 3, 3>,
    /// Block of the angular rows (spin about n, roll about t₁ and t₂) \[1/(kg·m²)\], 3 × 3; zero for laws with D ≤ 3.
    pub angular: SMatrix<f64, 3, 3>,
    /// Block between n and the angular rows \[1/(kg·m)\], 3; zero for laws with D ≤ 3.
    pub coupling: SVector<f64, 3>,
    /// Mean translational inverse mass of the body at the reference configuration (MuJoCo's `body_invweight0`) \[1/kg\]; zero when not known.
    pub reference: f64,
    /// Number of contacts and limits on the tree in this step, those that act where the law asks for it.
    pub contacts: u32,
}

impl ContactSide {
    /// A contact that one tree feels: `delassus` W \[1/kg\], `contacts` on that tree.
    pub fn single(delassus: SMatrix<f64, 3, 3>, contacts: u32) -> [Self; 2] {
        [Self { linear: delassus, contacts, ..Self::default() }, Self::default()]
    }
}

impl ContactSeed {
    /// Delassus block W = J A⁻¹ Jᵀ of this contact alone, contact frame \[1/kg\], 3 × 3.
    pub fn delassus(&self) -> SMatrix<f64, 3, 3> {
        self.sides[0].linear + self.sides[1].linear
    }

    /// Elastic force f₀ = f_p − k φ₀ at the start, with the preload f_p; negative where the contact is open \[N\].
    pub fn elastic_force(&self) -> f64 {
        self.preload - self.material.stiffness * self.gap
    }

    /// Energy ½ (1 − I) k φ₋² that a linear spring gives back; it acts while the gap is negative \[J\]. I is zero but for soft contacts of MuJoCo. A preloaded spring gives ½ (f₀)₊²/k, and nothing where k is zero.
    pub fn spring_energy(&self) -> f64 {
        let m = &self.material;
        if self.preload != 0.0 {
            let force = self.elastic_force().max(0.0);
            return if m.stiffness > 0.0 { 0.5 * force * force / m.stiffness } else { 0.0 };
        }
        0.5 * (1.0 - m.impedance) * m.stiffness * self.gap.min(0.0).powi(2)
    }

    /// Depth at which a linear spring stops an impact at `speed` \[m/s\] that nothing damps: v/√(k W_nn) \[m\].
    pub fn spring_depth(&self, speed: f64) -> f64 {
        let m = &self.material;
        speed / ((1.0 - m.impedance) * m.stiffness * self.delassus()[(0, 0)]).sqrt()
    }

    /// Effective inverse mass ‖W‖_F/√3 \[1/kg\].
    pub fn inverse_mass(&self) -> f64 {
        self.delassus().norm() / 3.0_f64.sqrt()
    }
}
