//! A rod that a rigid box hits, by the stiffness of its contact.

use signorini_report::claim::number;
use signorini_report::{Claim, Context, Mark, PageError, PageOutput, Plot};

use super::runs::{Struck, hit};

/// Stiffness of the contact of each particle over E times their distance.
const STIFF: [f64; 5] = [0.1, 0.3, 1.0, 3.0, 10.0];
/// The one that is advised.
const ADVISED: f64 = 0.3;

/// Speed with which a rod and a box of twice its mass part over that with which they met.
///
/// A rod of mass m that a rigid M hits is left when the wave comes back, after 2 L/c: M has e^(−2m/M) of its speed then, the rod M/m (1 − e^(−2m/M)).
pub(super) fn parting() -> f64 {
    let left = (-1.0f64).exp();
    2.0 * (1.0 - left) - left
}

/// Contact of many stiffnesses, with `along` particles on an edge of the rod and substeps of `substep` \[s\]: the figure, and the claim of the advised one.
pub(super) fn sweep(
    ctx: &Context,
    (along, substep): (usize, f64),
    out: &mut PageOutput,
) -> Result<Claim, PageError> {
    let mut curve = Vec::new();
    for stiffness in STIFF {
        ctx.say(format!("a rod, k = {stiffness} E s"));
        let rod = Struck { along, poisson: 0.0, stiffness };
        curve.push((stiffness, hit(1, substep, 0.05, rod)?.restitution));
    }
    let mut plot = Plot::new(
        "impact",
        "Coefficient of restitution of a rigid box that hits a rod (ν = 0) against the contact stiffness of a particle. \
         E is Young's modulus, and s is the distance between particles. The closed form of a rod that is hit on its whole end is dashed.",
        "contact stiffness of a particle / (E s) [–]",
        "coefficient of restitution [–]",
    );
    plot.x_log = true;
    let ends = [STIFF[0], STIFF[STIFF.len() - 1]];
    plot.add_closed_form(ends.map(|k| (k, parting())).to_vec());
    plot.add("", Mark::LinePoints, curve.clone());
    out.plot(plot);
    let at = |k: f64| curve.iter().find(|c| c.0 == k).map_or(f64::NAN, |c| c.1);
    out.prose(format!(
        "A stiff contact stops the first layer of grid nodes within a substep, and the grid dissipates the energy of this layer. \
         The coefficient of restitution is {} at {} E s and {} at {ADVISED} E s. The contact of {ADVISED} E s has the half period of the layer. \
         Impacts that should rebound need contacts as soft as a layer of the material.",
        number(at(STIFF[4])),
        STIFF[4],
        number(at(ADVISED)),
    ));
    let name = format!(
        "rod with a contact stiffness of {ADVISED} E s: coefficient of restitution, compared with a rod that is hit on its whole end"
    );
    Ok(Claim::relative("rod/restitution", &name, parting(), at(ADVISED), 0.05, ""))
}
