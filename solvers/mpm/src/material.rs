//! Materials of particles.

mod closed_forms;
mod corotated;
mod dough;
mod hencky;
mod lame;
mod liquid;
mod maxwell;
mod polar;
mod sand;
mod snow;
mod stiffness;
mod viscous;

pub use corotated::{FixedCorotated, LinearCorotated};
pub use dough::VonMises;
pub(crate) use hencky::num;
pub use lame::Lame;
pub use liquid::Liquid;
pub use maxwell::Maxwell;
pub(crate) use polar::LEAST;
pub use sand::{Dilatancy, DruckerPrager, InertialFriction};
pub use snow::{Snow, SnowStrength};
pub use stiffness::Stiffness;
pub use viscous::Viscous;

use signorini_core::na::Matrix3;

use crate::error::MpmError;

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

/// Closed forms that the engine runs for many particles at once; see [`Material::lanes`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LaneLaw {
    /// None: the functions of the material run, particle by particle.
    Scalar,
    /// [`FixedCorotated`].
    FixedCorotated(Lame),
    /// [`LinearCorotated`].
    LinearCorotated(Lame),
    /// [`Liquid`].
    Liquid(Liquid),
    /// Laws with Hencky's energy.
    Hencky(HenckyLaw),
}

/// Laws with Hencky's energy and a flow of their own, which the engine runs for many particles at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HenckyLaw {
    /// [`VonMises`].
    VonMises(VonMises),
    /// [`DruckerPrager`].
    DruckerPrager(DruckerPrager),
    /// [`Snow`].
    Snow(Snow),
    /// [`Maxwell`].
    Maxwell(Maxwell),
}

/// τ with the stress of viscosity, where affine velocities are C \[Pa\].
pub(crate) fn loaded(material: &dyn Material, f: &Matrix3<f64>, c: &Matrix3<f64>) -> Matrix3<f64> {
    let [shear, bulk] = material.viscosity();
    let press = (bulk - 2.0 / 3.0 * shear) * c.trace();
    material.stress(f) + shear * (c + c.transpose()) + press * Matrix3::identity()
}
