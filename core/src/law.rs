use std::fmt::Debug;

use nalgebra::{SMatrix, SVector};
use serde::{Serialize, de::DeserializeOwned};

use crate::SweptAccess;

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

impl LawEval<3> {
    /// A potential of the normal velocity alone: its value \[J\], impulse γ_n \[N·s\] and curvature \[kg\].
    #[inline]
    pub fn normal(value: f64, impulse: f64, curvature: f64) -> Self {
        let mut e = Self { cost: value, ..Self::zero() };
        e.grad[0] = -impulse;
        e.hess[(0, 0)] = curvature;
        e
    }
}

/// An impact along the normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// Speed at which the sides part \[m/s\].
    pub rebound: f64,
    /// Depth at which an impact of that speed without dissipation comes to a stop \[m\].
    pub depth: f64,
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

/// Continuity of the derivatives of ℓ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Smoothness {
    /// The impulse is continuous, its derivative jumps.
    C1,
    /// The Hessian is continuous as well.
    C2,
}

/// Properties that solvers and the conformance suite may rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LawProperties {
    /// ℓ is convex in v_c for every parameter set.
    pub convex: bool,
    /// ℓ is +∞ outside an open domain (a barrier): the solver must ask `max_step`.
    pub barrier: bool,
    /// Continuity of derivatives.
    pub smoothness: Smoothness,
    /// `prepare` reads [`ContactSeed::curvature`](crate::ContactSeed::curvature), which systems then fill in.
    pub reads_curvature: bool,
    /// Sliding opens the contact: an impulse acts where φ₀ + δt (vₙ − μ‖vₜ‖) < 0, on bodies that slide past each other too. Systems leave such pairs without a contact.
    pub glides: bool,
    /// `prepare` reads [`ContactSeed::preload`](crate::ContactSeed::preload): the law takes contacts over areas, of which each polygon is one contact.
    pub reads_preload: bool,
}

impl LawProperties {
    /// Convex, finite everywhere, with a continuous impulse; of no curvature of surfaces and no preload.
    pub const CONVEX: Self = Self {
        convex: true,
        barrier: false,
        smoothness: Smoothness::C1,
        reads_curvature: false,
        glides: false,
        reads_preload: false,
    };
}

/// A contact, limit, coupling or actuation law: a potential of the contact velocity with impulse γ = −∇ℓ.
///
/// Implementing this one trait is all it takes to run a new law under every solver that supports its properties.
/// `prepare` turns a seed into parameters once per step (everything lagged and everything that depends on δt);
/// `eval` is the inner loop.
pub trait ContactLaw<const D: usize>:
    Clone + Debug + Send + Sync + Serialize + DeserializeOwned + 'static
{
    /// Knowledge of one constraint before the step; [`ContactSeed`](crate::ContactSeed) for contacts.
    type Seed: Copy + Debug + Send + Sync + 'static;
    /// Constants of one constraint during one solve.
    type Params: Copy + Debug + Send + Sync + Serialize + DeserializeOwned + 'static;
    /// Name in files and on the command line; unique together with D.
    const KEY: &'static str;
    /// Properties that may be relied upon.
    const PROPERTIES: LawProperties;
    /// Key of the paper the law comes from (`papers/<key>`).
    const PAPER: &'static str;
    /// Access to a pool of this law for methods that sweep over constraints; `Some(SweptAccess::new())` for a law that is a [`SweptLaw`](crate::SweptLaw).
    const SWEPT: Option<SweptAccess<Self, D>> = None;

    /// Everything lagged or dependent on the step size.
    fn prepare(&self, seed: &Self::Seed) -> Self::Params;
    /// [`ContactLaw::prepare`] in place of parameters that this law prepared before, for those so large that building them anew shows.
    fn prepare_again(&self, seed: &Self::Seed, p: &mut Self::Params) {
        *p = self.prepare(seed);
    }
    /// Offers the impulse of a solve \[N·s\], D, as a lagged value; true when the constants changed and want another solve. A law that accepts
    /// must come to an end: the step is solved again as long as any constraint says true.
    fn relag(&self, p: &mut Self::Params, gamma: SVector<f64, D>) -> bool {
        let _ = (p, gamma);
        false
    }
    /// Elastic energy \[J\] that the constraint holds at the gap of `seed`, whatever its velocity; 0 for a law that gives nothing back.
    ///
    /// ```text
    /// E(φ) = −∫ f dφ,   f = γₙ/δt of the law at rest as δt → 0
    /// ```
    fn stored_energy(&self, seed: &Self::Seed) -> f64 {
        let _ = seed;
        0.0
    }
    /// The impact of the sides of `seed` that meet at the normal speed `speed` \[m/s\] while nothing else pushes them; None for a law that gives nothing back.
    /// Error control resolves impacts by it: a law that is elastic and says None has impacts without rebound in long steps.
    fn impact(&self, seed: &Self::Seed, speed: f64) -> Option<Impact> {
        let _ = (seed, speed);
        None
    }
    /// Cost, gradient and Hessian at `v_c` \[m/s\], D.
    fn eval(&self, p: &Self::Params, v_c: SVector<f64, D>) -> LawEval<D>;
    /// Cost \[J\] alone; +∞ outside the domain.
    fn cost(&self, p: &Self::Params, v_c: SVector<f64, D>) -> f64 {
        self.eval(p, v_c).cost
    }
    /// Whether the potential and its impulse are zero from `v_c` to `v_c` + `way` \[m/s\], D: line searches and solvers leave the constraint out. False where the law does not know.
    fn is_idle(&self, p: &Self::Params, v_c: SVector<f64, D>, way: SVector<f64, D>) -> bool {
        let _ = (p, v_c, way);
        false
    }
    /// Value and two derivatives along `dv_c`, for the exact line search.
    fn along(&self, p: &Self::Params, v_c: SVector<f64, D>, dv_c: SVector<f64, D>) -> Along {
        let e = self.eval(p, v_c);
        Along { value: e.cost, slope: e.grad.dot(&dv_c), curvature: dv_c.dot(&(e.hess * dv_c)) }
    }
}
