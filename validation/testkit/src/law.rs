//! Conformance suite of contact and constraint laws: everything that [`ContactLaw`] promises, tried on random states.

mod checks;
mod energy;
mod rescale;

use std::fmt;

use signorini_core::na::SVector;
use signorini_core::{ContactLaw, ContactSeed};

use crate::Violation;
use crate::rng::Rng;

use energy::stored_energy_deviation;
pub use rescale::{Scale, rescale_contact, rescale_velocity};

/// One draw: a seed and a contact velocity \[m/s\], D.
pub type LawDraw<L, const D: usize> = (<L as ContactLaw<D>>::Seed, SVector<f64, D>);

type Draw<'a, L, const D: usize> = Box<dyn Fn(&mut Rng) -> LawDraw<L, D> + 'a>;
type Rescale<'a, L, const D: usize> = Box<dyn Fn(&LawDraw<L, D>, Scale) -> LawDraw<L, D> + 'a>;
type RescaleLaw<'a, L> = Box<dyn Fn(&L, Scale) -> L + 'a>;
type Energy<'a, L, const D: usize> = Box<dyn Fn(&L, &<L as ContactLaw<D>>::Seed) -> f64 + 'a>;
type Bound<'a, L, const D: usize> = Box<dyn Fn(&<L as ContactLaw<D>>::Params, f64) -> f64 + 'a>;

/// The suite for one law. Random states come from a seeded generator, so that a failure can be run again.
///
/// | check | claim | allowed |
/// |---|---|---|
/// | `finite` | neither NaN nor infinity comes out of finite input, at zero, tiny and huge velocities as well | – |
/// | `gradient` | ∇ℓ equals differences of ℓ | 1e-6 |
/// | `hessian` | ∇²ℓ equals differences of ∇ℓ | 1e-6 |
/// | `kinks` | few states lie on a kink of a C1 law, where the two rows above have to be left out | 0.1 of all |
/// | `symmetry` | ∇²ℓ is symmetric | 1e-12 |
/// | `eigenvalue` | no eigenvalue of ∇²ℓ is negative, if the law is convex | 1e-10 |
/// | `convexity` | ℓ lies above its tangents, if the law is convex | 1e-11 |
/// | `cost` | `cost` agrees with `eval` | 1e-12 |
/// | `along` | `along` agrees with `eval` | 1e-10 |
/// | `jump` | ℓ and ∇ℓ (for C2 laws ∇²ℓ) have no jump on lines through activation | 1e-7 |
/// | `units` | ℓ is an energy: it scales as λξ²/τ² when masses scale by λ, times by τ, lengths by ξ | 1e-9 |
/// | `storage` | parameters survive JSON with every bit of ℓ | 0 |
/// | `adhesion` | γₙ ≥ 0, for contact laws | 0 |
/// | `friction` | γₜ is antiparallel to the slip and within the bound of the law, for contact laws | 1e-9 |
/// | `stored energy` | −dE/dφ of [`ContactLaw::stored_energy`] is the force at rest as δt → 0, for elastic contacts | 1e-7 |
///
/// All are relative to the size of the compared values. Differences are allowed 1e-6 because a random state may lie within 1e-4 of its own size
/// from a kink or from the bend of regularised friction, where steps must be short and round-off grows; the others are round-off.
pub struct LawSuite<'a, L: ContactLaw<D>, const D: usize> {
    law: L,
    states: usize,
    rng_seed: u64,
    draw: Draw<'a, L, D>,
    rescale: Rescale<'a, L, D>,
    rescale_law: Option<RescaleLaw<'a, L>>,
    bound: Option<Bound<'a, L, D>>,
    energy: Option<Energy<'a, L, D>>,
}

impl<'a, L: ContactLaw<D>, const D: usize> LawSuite<'a, L, D> {
    /// A suite of 4000 states.
    ///
    /// - `draw` — a random seed and contact velocity; velocities should spread over the decades in which the law changes, and must lie in
    ///   the domain of a barrier
    /// - `rescale` — the same state in other units; [`rescale_contact`] for contact seeds. Factors lie between ½ and 3.
    pub fn new(
        law: L,
        draw: impl Fn(&mut Rng) -> LawDraw<L, D> + 'a,
        rescale: impl Fn(&LawDraw<L, D>, Scale) -> LawDraw<L, D> + 'a,
    ) -> Self {
        Self {
            law,
            states: 4000,
            rng_seed: 1,
            draw: Box::new(draw),
            rescale: Box::new(rescale),
            rescale_law: None,
            bound: None,
            energy: None,
        }
    }

    /// For a law with dimensional constants of its own: the law in other units. Without it the law is taken as it is.
    pub fn rescale_law(mut self, rescale: impl Fn(&L, Scale) -> L + 'a) -> Self {
        self.rescale_law = Some(Box::new(rescale));
        self
    }

    /// Adds the checks for contacts: no adhesion; friction against the slip, at most `bound(params, γₙ)` \[N·s\].
    pub fn contact(mut self, bound: impl Fn(&L::Params, f64) -> f64 + 'a) -> Self {
        self.bound = Some(Box::new(bound));
        self
    }

    /// Adds the check of the stored energy, for contacts whose force at rest comes from a potential of the gap alone.
    pub fn elastic(mut self) -> Self
    where
        L: ContactLaw<D, Seed = ContactSeed>,
    {
        self.energy = Some(Box::new(|law, seed| stored_energy_deviation(law, seed)));
        self
    }

    /// Another number of states.
    pub fn states(mut self, states: usize) -> Self {
        self.states = states;
        self
    }

    /// Another seed of the generator.
    pub fn rng_seed(mut self, seed: u64) -> Self {
        self.rng_seed = seed;
        self
    }

    /// Runs all checks on all states.
    ///
    /// # Errors
    /// The first check that fails; the claim begins with its name.
    pub fn run(&self) -> Result<LawReport, Violation> {
        checks::run(self)
    }

    /// As [`LawSuite::run`], for tests.
    ///
    /// # Panics
    /// When a check fails.
    #[track_caller]
    #[allow(clippy::panic, reason = "an assertion for tests")]
    pub fn assert_conforms(&self) -> LawReport {
        match self.run() {
            Ok(report) => report,
            Err(violation) => panic!("{violation}"),
        }
    }
}

/// The worst deviation of each check over all states, relative as described at [`LawSuite`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LawReport {
    /// States tried.
    pub states: usize,
    /// States at which the law had an impulse.
    pub active: usize,
    /// States on a kink, whose derivatives were not tested by differences.
    pub kinks: usize,
    /// Check and worst deviation.
    pub worst: Vec<(&'static str, f64)>,
}

impl LawReport {
    /// Worst deviation of a check; None when it did not run.
    pub fn worst(&self, check: &str) -> Option<f64> {
        self.worst.iter().find(|(c, _)| *c == check).map(|(_, w)| *w)
    }

    fn record(&mut self, check: &'static str, measured: f64) {
        match self.worst.iter_mut().find(|(c, _)| *c == check) {
            Some((_, w)) => *w = w.max(measured),
            None => self.worst.push((check, measured)),
        }
    }
}

impl fmt::Display for LawReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} states, {} active", self.states, self.active)?;
        self.worst.iter().try_for_each(|(check, w)| write!(f, ", {check} {w:.1e}"))
    }
}
