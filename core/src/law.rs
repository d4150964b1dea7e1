use std::fmt::Debug;

use nalgebra::{SMatrix, SVector};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::ProblemError;

/// Value and derivatives of a law at one contact velocity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LawEval<const D: usize> {
    /// ℓ(v_c) \[J\].
    pub cost: f64,
    /// ∇ℓ = −γ \[N·s\], D.
    pub grad: SVector<f64, D>,
    /// ∇²ℓ \[kg\], D × D, symmetric; positive semidefinite when the law is convex.
    pub hess: SMatrix<f64, D, D>,
}

impl<const D: usize> LawEval<D> {
    /// The inactive contact: no cost, no impulse.
    pub fn zero() -> Self {
        Self { cost: 0.0, grad: SVector::zeros(), hess: SMatrix::zeros() }
    }
}

/// A law restricted to a line v_c + α·dv_c.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Along {
    /// ℓ \[J\].
    pub value: f64,
    /// dℓ/dα \[J\].
    pub slope: f64,
    /// d²ℓ/dα² \[J\].
    pub curvature: f64,
}

impl Along {
    /// Adds `w` times another.
    pub fn add_scaled(&mut self, w: f64, other: Along) {
        self.value += w * other.value;
        self.slope += w * other.slope;
        self.curvature += w * other.curvature;
    }
}

/// How many derivatives of ℓ are continuous.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Smoothness {
    /// The impulse is continuous, its derivative jumps.
    C1,
    /// The Hessian is continuous as well.
    C2,
}

/// What solvers and the conformance suite may rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LawProperties {
    /// ℓ is convex in v_c for every parameter set.
    pub convex: bool,
    /// ℓ is +∞ outside an open domain (a barrier): the solver must ask `max_step`.
    pub barrier: bool,
    /// Continuity of derivatives.
    pub smoothness: Smoothness,
}

/// A contact, limit, coupling or actuation law: a potential of the contact velocity with impulse γ = −∇ℓ.
///
/// Implementing this one trait is all it takes to run a new law under every solver that supports its properties.
/// `prepare` turns a seed into parameters once per step (everything lagged and everything that depends on δt);
/// `eval` is the inner loop.
pub trait ContactLaw<const D: usize>:
    Clone + Debug + Send + Sync + Serialize + DeserializeOwned + 'static
{
    /// What a step knows of one constraint; [`ContactSeed`] for contacts.
    type Seed: Copy + Debug + Send + Sync + 'static;
    /// Constants of one constraint during one solve.
    type Params: Copy + Debug + Send + Sync + Serialize + DeserializeOwned + 'static;
    /// Name in files and on the command line; unique together with D.
    const KEY: &'static str;
    /// What may be relied upon.
    const PROPERTIES: LawProperties;
    /// Key of the paper the law comes from (`papers/<key>`).
    const PAPER: &'static str;

    /// Whether [`ContactSeed::sides`] should count only the constraints that act at the velocity without contact ([`ContactLaw::acts`]), so that they share
    /// the mass of a tree; otherwise all of them are counted.
    fn shares_mass(&self) -> bool {
        false
    }

    /// Whether a constraint has an impulse at `v_c` \[m/s\], D, whatever its share of the mass.
    fn acts(&self, seed: &Self::Seed, v_c: SVector<f64, D>) -> bool {
        let _ = (seed, v_c);
        true
    }
    /// Everything lagged or dependent on the step size.
    fn prepare(&self, seed: &Self::Seed) -> Self::Params;
    /// The same in place of parameters that this law prepared before, for those so large that building them anew shows.
    fn prepare_again(&self, seed: &Self::Seed, p: &mut Self::Params) {
        *p = self.prepare(seed);
    }
    /// Offers the impulse of a solve \[N·s\], D, as a lagged value; true when the constants changed and want another solve. A law that accepts
    /// must come to an end: the step is solved again as long as any constraint says true.
    fn relag(&self, p: &mut Self::Params, gamma: SVector<f64, D>) -> bool {
        let _ = (p, gamma);
        false
    }
    /// Cost, gradient and Hessian at `v_c` \[m/s\], D.
    fn eval(&self, p: &Self::Params, v_c: SVector<f64, D>) -> LawEval<D>;
    /// Multipliers that a constraint keeps while explicit methods sweep over it, and from step to step where the system has a memory; 0: none.
    fn multiplier_count(&self) -> usize {
        0
    }
    /// The part of their change in a step that multipliers take into the next one, 0 to 1.
    fn memory(&self) -> f64 {
        0.0
    }
    /// Sets the multipliers \[N·s\].
    fn remember(&self, p: &mut Self::Params, multipliers: &[f64]) {
        let _ = (p, multipliers);
    }
    /// What the multipliers of the last sweep leave for the next step \[N·s\].
    fn multipliers<'p>(&self, p: &'p Self::Params) -> &'p [f64] {
        let _ = p;
        &[]
    }
    /// Impulse of the multipliers as they are \[N·s\], D.
    fn recall(&self, p: &Self::Params) -> SVector<f64, D> {
        let _ = p;
        SVector::zeros()
    }
    /// Moves the multipliers λ to their values at `v_c` and returns their impulse; laws without multipliers are evaluated.
    fn sweep(&self, p: &mut Self::Params, v_c: SVector<f64, D>, pace: &mut Pace) -> SVector<f64, D> {
        let _ = pace;
        -self.grad(p, v_c)
    }
    /// Σ of the gains of a paired sweep ([`Pace::several`]) over its rows, D × D; None where it is the Hessian with every facet in action.
    fn sweep_curvature(&self, p: &Self::Params) -> Option<SMatrix<f64, D, D>> {
        let _ = p;
        None
    }
    /// Gradient −γ alone, for explicit evaluation.
    fn grad(&self, p: &Self::Params, v_c: SVector<f64, D>) -> SVector<f64, D> {
        self.eval(p, v_c).grad
    }
    /// Cost \[J\] alone; +∞ outside the domain.
    fn cost(&self, p: &Self::Params, v_c: SVector<f64, D>) -> f64 {
        self.eval(p, v_c).cost
    }
    /// Value and two derivatives along `dv_c`, for the exact line search.
    fn along(&self, p: &Self::Params, v_c: SVector<f64, D>, dv_c: SVector<f64, D>) -> Along {
        let e = self.eval(p, v_c);
        Along { value: e.cost, slope: e.grad.dot(&dv_c), curvature: dv_c.dot(&(e.hess * dv_c)) }
    }
}

/// How a sweep goes: Nesterov's momentum with the test that resets it, and whether penetrations are undone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Factor on the gains, > 0: where they are smaller than the whole problem asks for, larger ones take fewer sweeps.
    pub scale: f64,
    /// θ: after a sweep to λ, multipliers are carried on to λ + θ (λ − λ of the last sweep); 0 for a single sweep.
    pub momentum: f64,
    /// One of several sweeps of a step: sums and differences of opposite multipliers may move by steps of their own, and what depends on the slip follows it.
    pub several: bool,
    /// The last sweep of a step undoes penetrations; those before it only stop the approach. What undoes them is not remembered: an integral of the gap
    /// beside the gap itself would be unstable in slow modes.
    pub recover: bool,
    /// What the sweep leaves, less what undoes penetrations, is what a law remembers; only a sweep without momentum may go without.
    pub remember: bool,
    /// Sum over the constraints of (λ before − λ)ᵀ G⁻¹ (λ − λ of the last sweep), before and after the sweep: positive when momentum points uphill.
    pub uphill: f64,
    /// Largest speed \[m/s\] by which a multiplier misses its condition at the velocity that it is given, min(u + s, λ/G) of a facet, before and after the sweep.
    pub residual: f64,
    /// Largest speed \[m/s\] at which a penetration asks to be undone, before and after the sweep.
    pub recovery: f64,
}

impl Default for Pace {
    /// A single sweep that undoes nothing.
    fn default() -> Self {
        Self {
            scale: 1.0,
            momentum: 0.0,
            several: false,
            recover: false,
            remember: true,
            uphill: 0.0,
            residual: 0.0,
            recovery: 0.0,
        }
    }
}

/// The physical parameters of a contact between two surfaces, the same for every law.
///
/// A law that has no use for a field says so in its documentation; `inspect` prints what each law reads.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactMaterial {
    /// Stiffness k \[N/m\], > 0.
    pub stiffness: f64,
    /// Hunt–Crossley dissipation d \[s/m\], ≥ 0.
    pub dissipation: f64,
    /// Linear relaxation time τ_d \[s\], ≥ 0 (SAP).
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
    /// MuJoCo's solref: (time constant \[s\], damping ratio) or (−k, −b); for the laws that use it.
    pub solref: [f64; 2],
    /// MuJoCo's solimp: (dmin, dmax, width \[m\], midpoint, power); for the laws that use it.
    pub solimp: [f64; 5],
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
            solref: [0.02, 1.0],
            solimp: [0.9, 0.95, 0.001, 0.5, 2.0],
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
        let fields = [
            ("stiffness", self.stiffness, positive(self.stiffness), "positive [N/m]"),
            ("dissipation", self.dissipation, not_negative(self.dissipation), "at least 0 [s/m]"),
            ("relaxation_time", self.relaxation_time, not_negative(self.relaxation_time), "at least 0 [s]"),
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
        ];
        match fields.into_iter().find(|&(_, _, fits, _)| !fits) {
            Some((field, value, _, range)) => Err(ProblemError::Material { contact, field, value, range }),
            None => Ok(()),
        }
    }
}

/// What a step knows about one contact before solving.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactSeed {
    /// Step size δt \[s\], > 0.
    pub dt: f64,
    /// Gap φ₀ at the start of the step \[m\]; negative when penetrating.
    pub gap: f64,
    /// Contact velocity at the start of the step, contact frame (n, t₁, t₂) \[m/s\], 3.
    pub velocity: SVector<f64, 3>,
    /// Combined surface parameters.
    pub material: ContactMaterial,
    /// What moves on both sides: one entry per tree (clique), the second of zeros when the contact touches one tree only.
    pub sides: [ContactSide; 2],
}

/// A tree (clique) as one contact feels it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactSide {
    /// Its part of the Delassus block W = J A⁻¹ Jᵀ of this contact alone, rows (n, t₁, t₂), contact frame \[1/kg\], 3 × 3.
    pub linear: SMatrix<f64, 3, 3>,
    /// The same of the angular rows (spin about n, roll about t₁ and t₂) \[1/(kg·m²)\], 3 × 3; zero for laws with D ≤ 3.
    pub angular: SMatrix<f64, 3, 3>,
    /// The same between n and the angular rows \[1/(kg·m)\], 3; zero for laws with D ≤ 3.
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

    /// Effective inverse mass ‖W‖_F/√3 \[1/kg\].
    pub fn inverse_mass(&self) -> f64 {
        self.delassus().norm() / 3.0_f64.sqrt()
    }
}
