use signorini_core::ContactSeed;

use crate::Facets;

/// A law whose contacts are facets of the dual cone: it says how stiff they are, [`law_of_facets`] makes a contact law of it.
pub(crate) trait FacetLaw {
    /// Tangential directions: 4, 8 or 16.
    fn directions(&self) -> u8;
    /// Rows, gains and shift of a contact of at most `dim` dimensions; `out` may hold those of another contact.
    fn fill(&self, seed: &ContactSeed, dim: usize, out: &mut Facets);
    /// As [`signorini_core::SweptLaw::memory`].
    fn memory(&self) -> f64 {
        0.0
    }
    /// As [`signorini_core::SweptLaw::shares_mass`].
    fn shares_mass(&self) -> bool {
        false
    }
    /// As [`signorini_core::ContactLaw::stored_energy`].
    fn stored_energy(&self, seed: &ContactSeed) -> f64 {
        let _ = seed;
        0.0
    }
}

/// Contacts of these numbers of rows under a [`FacetLaw`], explicit and implicit.
macro_rules! law_of_facets {
    ($law:ty, $key:literal, [$($d:literal),*]) => {$(
        impl ContactLaw<$d> for $law {
            type Seed = ContactSeed;
            type Params = Facets;
            const KEY: &'static str = $key;
            const PROPERTIES: LawProperties = LawProperties::CONVEX;
            const PAPER: &'static str = "borse2026comfree";
            const SWEPT: Option<SweptAccess<Self, $d>> = Some(SweptAccess::new());

            fn prepare(&self, seed: &ContactSeed) -> Facets {
                let mut p = Facets::default();
                self.fill(seed, $d, &mut p);
                p
            }

            fn prepare_again(&self, seed: &ContactSeed, p: &mut Facets) {
                self.fill(seed, $d, p);
            }

            fn stored_energy(&self, seed: &ContactSeed) -> f64 {
                FacetLaw::stored_energy(self, seed)
            }

            #[inline]
            fn eval(&self, p: &Facets, v_c: SVector<f64, $d>) -> LawEval<$d> {
                p.eval(&v_c)
            }

            #[inline]
            fn cost(&self, p: &Facets, v_c: SVector<f64, $d>) -> f64 {
                p.cost(&v_c)
            }
        }

        impl SweptLaw<$d> for $law {
            fn shares_mass(&self) -> bool {
                FacetLaw::shares_mass(self)
            }

            fn acts(&self, seed: &ContactSeed, v_c: SVector<f64, $d>) -> bool {
                !FacetLaw::shares_mass(self) || <Self as ContactLaw<$d>>::prepare(self, seed).acts(&v_c)
            }

            fn multiplier_count(&self) -> usize {
                Facets::most($d, self.directions())
            }

            fn memory(&self) -> f64 {
                FacetLaw::memory(self)
            }

            fn remember(&self, p: &mut Facets, multipliers: &[f64]) {
                p.remember(multipliers);
            }

            fn multipliers<'p>(&self, p: &'p Facets) -> &'p [f64] {
                p.remembered($d)
            }

            fn sweep_gains(&self, p: &Facets) -> SMatrix<f64, $d, $d> {
                p.pair_curvature().unwrap_or_else(|| closing_hessian(self, p))
            }

            fn recall(&self, p: &Facets) -> SVector<f64, $d> {
                p.impulse()
            }

            #[inline]
            fn sweep(&self, p: &mut Facets, v_c: SVector<f64, $d>, sweep: &mut Sweep) -> SVector<f64, $d> {
                p.sweep(&v_c, sweep)
            }
        }
    )*};
}

pub(crate) use law_of_facets;
