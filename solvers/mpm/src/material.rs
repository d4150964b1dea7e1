//! Materials of particles.

mod corotated;
mod dough;
mod hencky;
mod liquid;
mod polar;
mod sand;
mod snow;
mod viscous;

pub use corotated::{FixedCorotated, LinearCorotated};
pub use dough::VonMises;
pub(crate) use hencky::HenckyFlow;
pub use liquid::Liquid;
pub use sand::{Dilatancy, DruckerPrager, InertialFriction};
pub use snow::{Snow, SnowStrength};
pub use viscous::Viscous;

use signorini_core::na::{Matrix3, Matrix6, Vector3, Vector6};

use crate::error::{MpmError, value};

/// Stress and flow of a material from its elastic deformation gradient.
///
/// Energies are per volume at rest; the Kirchhoff stress τ = P Fᵀ is that of the energy: τ = (∂ψ/∂F) Fᵀ.
pub trait Material: Send + Sync {
    /// ψ(F) \[J/m³\].
    fn energy(&self, f: &Matrix3<f64>) -> f64;
    /// τ(F) \[Pa\], symmetric.
    fn stress(&self, f: &Matrix3<f64>) -> Matrix3<f64>;
    /// Takes a trial gradient back to one that the material can bear, once after each step, `elapsed` its length \[s\]; `memory` is its record of the past, one number per particle, 0 at the start. Elastic materials change nothing.
    fn flow(&self, f: &mut Matrix3<f64>, memory: &mut f64, elapsed: f64) {
        let _ = (f, memory, elapsed);
    }
    /// Viscosities η of shear and ζ of volume \[Pa·s\], ≥ 0, whose stress 2 η dev D + ζ tr D 1 per volume at rest, D = sym ∇v, acts beside τ. Steps are explicit in it:
    ///
    /// ```text
    /// δt ≤ ρ h²/(4 max(2η, 3ζ))
    /// ```
    fn viscosity(&self) -> [f64; 2] {
        [0.0; 2]
    }
    /// The stiffness with which a step that is implicit in the stress sees the material at a gradient; nothing where there is no such step.
    fn stiffness(&self, f: &Matrix3<f64>) -> Option<Stiffness> {
        let _ = f;
        None
    }
    /// λ + 2μ at rest \[Pa\]: the stiffness that the fastest wave has.
    fn wave_modulus(&self) -> f64;
    /// The closed form that runs for many particles at once in [`crate::MpmEngine`], if it has one; without it the functions above run, particle by particle.
    fn lanes(&self) -> LaneLaw {
        LaneLaw::Scalar
    }
    /// Refuses constants that no material has, before the first step.
    ///
    /// # Errors
    /// [`MpmError::Value`] naming the constant.
    fn check(&self) -> Result<(), MpmError> {
        Ok(())
    }
    /// Name in messages.
    fn name(&self) -> &'static str;
}

/// Lamé's constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lame {
    /// λ \[Pa\].
    pub lambda: f64,
    /// μ \[Pa\].
    pub mu: f64,
}

/// Closed forms that the engine runs for many particles at once; see [`Material::lanes`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LaneLaw {
    /// None: the functions of the material run, particle by particle.
    Scalar,
    /// [`FixedCorotated`].
    FixedCorotated(Lame),
    /// [`LinearCorotated`].
    LinearCorotated(Lame),
    /// [`VonMises`].
    VonMises(VonMises),
    /// [`DruckerPrager`].
    DruckerPrager(DruckerPrager),
    /// [`Snow`].
    Snow(Snow),
    /// [`Liquid`].
    Liquid(Liquid),
}

/// Growth of the energy of a material with strain rates D = sym ∇v over a step, in the frame that turns with it.
///
/// ```text
/// ψ(v) − ψ(0) = δt τ : D + ½ δt² D : C : D
/// ```
/// C is symmetric and positive semi-definite, as a matrix over (xx, yy, zz, √2 yz, √2 xz, √2 xy): [`Stiffness::strain`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stiffness(pub Matrix6<f64>);

impl Stiffness {
    /// The components of a symmetric tensor over which C is a matrix: products are those of the tensors.
    pub fn strain(d: &Matrix3<f64>) -> Vector6<f64> {
        let root = std::f64::consts::SQRT_2;
        Vector6::new(d.m11, d.m22, d.m33, root * d.m23, root * d.m13, root * d.m12)
    }

    /// Stiffness of an energy μ |E|² + ½ λ (tr E)² with E = sym(D B): B is the left stretch where strains are stretches, 1 where they are logarithms.
    pub fn linear(lame: &Lame, b: &Matrix3<f64>) -> Self {
        let column = |k: usize| {
            let d = basis(k) * b;
            Self::strain(&(0.5 * (d + d.transpose())))
        };
        let e = Matrix6::from_columns(&[0, 1, 2, 3, 4, 5].map(column));
        let mut c = 2.0 * lame.mu * e.transpose() * e;
        let trace = e.row(0) + e.row(1) + e.row(2);
        c += lame.lambda * trace.transpose() * trace;
        Self(c)
    }

    /// Stiffness of an isotropic energy at stretches σ along the columns of U, where `stretching` is σ_i σ_j ∂²ψ/∂σ_i∂σ_j, `shearing` has (τ_i − τ_j)/(σ_i² − σ_j²) for the pairs (2, 3), (1, 3), (1, 2), and τ are the stresses. Parts that are not positive are left out.
    ///
    /// ```text
    /// d²ψ((1 + D) F)   D_ii, D_jj: σ_i σ_j ∂²ψ/∂σ_i∂σ_j,   √2 D_ij: (σ_i² + σ_j²)(τ_i − τ_j)/(σ_i² − σ_j²) − ½ (τ_i + τ_j)
    /// ```
    fn principal(
        u: &Matrix3<f64>,
        sigma: &Vector3<f64>,
        tau: &Vector3<f64>,
        stretching: &Matrix3<f64>,
        shearing: &Vector3<f64>,
    ) -> Self {
        let mut own = Matrix6::zeros();
        let mut eigen = stretching.symmetric_eigen();
        eigen.eigenvalues.apply(|x| *x = x.max(0.0));
        own.fixed_view_mut::<3, 3>(0, 0).copy_from(&eigen.recompose());
        for (k, (i, j)) in PAIRS.into_iter().enumerate() {
            let squares = sigma[i] * sigma[i] + sigma[j] * sigma[j];
            own[(k + 3, k + 3)] = (squares * shearing[k] - 0.5 * (tau[i] + tau[j])).max(0.0);
        }
        let turned = |k: usize| Self::strain(&(u * basis(k) * u.transpose()));
        let turn = Matrix6::from_columns(&[0, 1, 2, 3, 4, 5].map(turned));
        Self(turn * own * turn.transpose())
    }
}

/// τ with the stress of viscosity, where affine velocities are C \[Pa\].
pub(crate) fn loaded(material: &dyn Material, f: &Matrix3<f64>, c: &Matrix3<f64>) -> Matrix3<f64> {
    let [shear, bulk] = material.viscosity();
    let press = (bulk - 2.0 / 3.0 * shear) * c.trace();
    material.stress(f) + shear * (c + c.transpose()) + press * Matrix3::identity()
}

/// The pairs of axes behind the three axes themselves.
const PAIRS: [(usize, usize); 3] = [(1, 2), (0, 2), (0, 1)];

/// The tensor whose [`Stiffness::strain`] is 1 in one place.
fn basis(k: usize) -> Matrix3<f64> {
    let mut d = Matrix3::zeros();
    if k < 3 {
        d[(k, k)] = 1.0;
    } else {
        let (i, j) = PAIRS[k - 3];
        d[(i, j)] = std::f64::consts::FRAC_1_SQRT_2;
        d[(j, i)] = d[(i, j)];
    }
    d
}

impl Lame {
    /// Constants of Young's modulus \[Pa\] and Poisson's ratio.
    ///
    /// ```text
    /// λ = E ν/((1 + ν)(1 − 2ν)),   μ = E/(2 (1 + ν))
    /// ```
    ///
    /// # Errors
    /// [`MpmError::Value`].
    pub fn new(young: f64, poisson: f64) -> Result<Self, MpmError> {
        value("Young's modulus", young, young > 0.0, "Pa > 0")?;
        value("Poisson's ratio", poisson, poisson > -1.0 && poisson < 0.5, "a number above −1 and below ½")?;
        Ok(Self {
            lambda: young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)),
            mu: young / (2.0 * (1.0 + poisson)),
        })
    }

    /// Refuses constants under which shear or pressure gives energy away: μ ≥ 0 and 3λ + 2μ ≥ 0.
    ///
    /// # Errors
    /// [`MpmError::Value`].
    pub fn check(&self) -> Result<(), MpmError> {
        value("μ", self.mu, self.mu >= 0.0, "Pa ≥ 0")?;
        let bulk = 3.0 * self.lambda + 2.0 * self.mu;
        value("3λ + 2μ", bulk, bulk >= 0.0, "Pa ≥ 0")
    }

    /// λ + ⅔ μ, the bulk modulus \[Pa\].
    pub fn bulk(&self) -> f64 {
        self.lambda + 2.0 / 3.0 * self.mu
    }

    /// λ + 2μ \[Pa\].
    pub fn wave_modulus(&self) -> f64 {
        self.lambda + 2.0 * self.mu
    }
}
