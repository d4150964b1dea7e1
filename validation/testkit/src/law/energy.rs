use signorini_core::na::{SVector, Vector3};
use signorini_core::{ContactLaw, ContactSeed};

/// Step at which a law counts as one at rest in the limit δt → 0 \[s\].
const SHORT: f64 = 1e-7;

/// Part of a depth over which energies are differentiated.
const PART: f64 = 1e-4;

/// Largest deviation of −dE/dφ, E of [`ContactLaw::stored_energy`], from the force γₙ/δt of the law at rest, over depths from a tenth of that of `seed` to all of it, relative to the force at the whole depth.
///
/// The seed is taken without preload, velocity, dissipation and impedance, its gap as a depth. A law that states no energy though it pushes has a deviation of 1; a seed without a gap none.
pub(super) fn stored_energy_deviation<L, const D: usize>(law: &L, seed: &ContactSeed) -> f64
where
    L: ContactLaw<D, Seed = ContactSeed>,
{
    let depth = seed.gap.abs();
    if depth == 0.0 {
        return 0.0;
    }
    let at = |d: f64| {
        let mut s = ContactSeed { preload: 0.0, dt: SHORT, gap: -d, velocity: Vector3::zeros(), ..*seed };
        let m = &mut s.material;
        (m.dissipation, m.relaxation_time, m.impedance) = (0.0, 0.0, 0.0);
        s
    };
    let force = |d: f64| -law.eval(&law.prepare(&at(d)), SVector::zeros()).grad[0] / SHORT;
    let most = force(depth).abs();
    let deviation = |i: u32| {
        let d = depth * f64::from(i) / 10.0;
        let h = PART * d;
        let slope = (law.stored_energy(&at(d + h)) - law.stored_energy(&at(d - h))) / (2.0 * h);
        (slope - force(d)).abs() / most
    };
    (1..=10).map(deviation).fold(0.0, f64::max)
}
