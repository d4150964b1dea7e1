use signorini_core::na::Matrix3;

use super::stiffness::Stiffness;
use super::{LaneLaw, Material};
use crate::error::{MpmError, value};

/// Material with viscosity beside its own stress: a Newtonian [`super::Liquid`], rubber that dissipates (Kelvin and Voigt).
///
/// ```text
/// τ + 2 η dev D + ζ tr D 1,   D = sym ∇v
/// ```
/// It acts in open sand, loose snow and spray too: they stick together while they part.
/// An elastic body of shear modulus μ that is sheared at an angular frequency ω has the loss factor tan δ = ω η/μ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viscous<M> {
    material: M,
    /// η and ζ \[Pa·s\].
    viscosity: [f64; 2],
}

impl<M: Material> Viscous<M> {
    /// A material with viscosities η of shear and ζ of volume \[Pa·s\].
    ///
    /// # Errors
    /// [`MpmError::Value`] for negative ones.
    pub fn new(material: M, shear: f64, bulk: f64) -> Result<Self, MpmError> {
        value("the viscosity of shear", shear, shear >= 0.0, "Pa·s ≥ 0")?;
        value("the viscosity of volume", bulk, bulk >= 0.0, "Pa·s ≥ 0")?;
        Ok(Self { material, viscosity: [shear, bulk] })
    }
}

impl<M: Material> Material for Viscous<M> {
    fn energy(&self, f: &Matrix3<f64>) -> f64 {
        self.material.energy(f)
    }
    fn stress(&self, f: &Matrix3<f64>) -> Matrix3<f64> {
        self.material.stress(f)
    }
    fn flow(&self, f: &mut Matrix3<f64>, memory: &mut f64, elapsed: f64) {
        self.material.flow(f, memory, elapsed);
    }
    fn viscosity(&self) -> [f64; 2] {
        let [shear, bulk] = self.material.viscosity();
        [shear + self.viscosity[0], bulk + self.viscosity[1]]
    }
    fn stiffness(&self, f: &Matrix3<f64>) -> Option<Stiffness> {
        self.material.stiffness(f)
    }
    fn wave_modulus(&self) -> f64 {
        self.material.wave_modulus()
    }
    fn lanes(&self) -> LaneLaw {
        self.material.lanes()
    }
    fn check(&self) -> Result<(), MpmError> {
        self.material.check()
    }
    fn name(&self) -> &'static str {
        self.material.name()
    }
}
