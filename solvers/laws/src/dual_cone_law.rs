use signorini_core::{ContactSeed, SweptLaw};

use crate::{ContactTangent, Facets, LimitSeed};

/// A dual cone for systems of bodies, [`DualCone`](crate::DualCone) or [`PublishedDualCone`](crate::PublishedDualCone): contacts of one to six rows, limits of joints and tendons, and the derivative of both.
pub trait DualConeLaw:
    SweptLaw<1, Seed = ContactSeed, Params = Facets>
    + SweptLaw<3, Seed = ContactSeed, Params = Facets>
    + SweptLaw<4, Seed = ContactSeed, Params = Facets>
    + SweptLaw<6, Seed = ContactSeed, Params = Facets>
    + Copy
    + PartialEq
{
    /// Name of the law of limits, [`DualConeLimit`](crate::DualConeLimit).
    const LIMIT_KEY: &'static str;

    /// The facet of a limit: γ = G (−v_c − s)₊.
    fn limit_facet(&self, seed: &LimitSeed) -> LimitFacet;

    /// The two gains as they are differentiated: (k, d), (κ, c), (β, 0) or, for [`Gains::Material`](crate::Gains::Material), factors (1, 1) of K and D.
    fn gain_parameters(&self) -> [f64; 2];

    /// This law with other values of [`DualConeLaw::gain_parameters`]; gains of the material stay as they are.
    #[must_use]
    fn with_gain_parameters(self, parameters: [f64; 2]) -> Self;

    /// The impulse γ of a contact without memory at the velocity `v_c` \[N·s\], and its change along a direction in which the seed changes by
    /// `tangent`, the velocity by `dv_c` and the gains by `gains` (as in [`DualConeLaw::gain_parameters`]): forward derivative of
    /// borse2026comfree, eq. (8). Exact where the law is differentiable.
    ///
    /// Numbers of contacts on a tree are held. Lengths are the law's D rows.
    fn impulse_tangent<const D: usize>(
        &self,
        seed: &ContactSeed,
        tangent: &ContactTangent,
        velocity: (&[f64; D], &[f64; D]),
        gains: [f64; 2],
    ) -> ([f64; D], [f64; D]);

    /// Impulse and derivative of a limit whose gap and inverse mass change by `tangent`.
    fn limit_tangent(
        &self,
        seed: &LimitSeed,
        tangent: [f64; 2],
        velocity: (f64, f64),
        gains: [f64; 2],
    ) -> (f64, f64);
}

/// The facet of a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitFacet {
    /// G \[kg\].
    pub gain: f64,
    /// s \[m/s\].
    pub shift: f64,
    /// Width of the smooth maximum \[m/s\].
    pub smoothing: f64,
}
