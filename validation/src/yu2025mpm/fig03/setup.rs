//! Text on the scene of fig. 3.

use super::rubber::{CLOSED, ELASTIC, LOSS, RUBBER, Rubber, SIDE};
use super::{CONTACT, COURANT, GAINS, HEAVY, Plan, STEP, THICK, TOLERANCE, WAVE};
use signorini_mpm::Material;
use signorini_report::claim::number;

/// Paragraphs on the scene; `aside`: the plan of shaking to the sides.
pub(super) fn text(plan: &Plan, aside: &Plan, rubber: &Rubber) -> [String; 5] {
    let mass = HEAVY * SIDE.powi(3);
    let sound = ((rubber.elastic.wave_modulus() + rubber.forgets.wave_modulus()) / RUBBER).sqrt();
    [
        format!(
            "Two rubber cubes of {SIDE} m and {} kg lie on either side of a rigid cube of {mass:.0} kg (the heavy cube). \
             Rigid panels of {} kg on slides press from outside. Their position control has gains of {} N/m and {} N·s/m.",
            number(RUBBER * SIDE.powi(3)),
            number(HEAVY * THICK * 0.14 * SIDE),
            number(GAINS.0),
            GAINS.1,
        ),
        format!(
            "Each rubber cube has {}³ elastic particles in single precision (f32). The elastic material is fixed corotated with E = {} Pa and ν = {}. \
             Between them lie {}³ further particles, whose stress relaxes in {:.0} ms. \
             These particles give the rubber a loss factor tan δ = {} in shear at {:.1} Hz. The paper does not state a loss factor.",
            plan.along,
            number(ELASTIC.0),
            ELASTIC.1,
            plan.along - 1,
            1e3 * rubber.forgets.time(),
            LOSS.0,
            LOSS.1 / std::f64::consts::TAU,
        ),
        format!(
            "Each panel closes by {} mm. The panels lift by {} m and then follow a vertical triangle wave of ±{} mm. \
             One quarter of the wave takes {} s, and the run has {} quarters. The paper has 16 quarters after a lift of 0.2 m, and 12 particles along a \
             cube. The full size (--full) runs these values. \
             A second run starts from the lifted state and shakes from one panel to the other for {} quarters. \
             The full size also shakes along the faces of the panels. \
             The paper states neither the closing distance of the panels nor the direction of the wave. Here the panels close by a tenth of a cube, and the \
             main wave is along gravity.",
            1e3 * CLOSED,
            plan.height,
            1e3 * WAVE.0,
            WAVE.1,
            plan.quarters,
            aside.quarters,
        ),
        format!(
            "Each contact of a particle has {} N/m and {} s/m if 12 particles lie along a cube. Fewer particles have the same stiffness per area. \
             The friction coefficient is {}. Contact is solved to a relative tolerance of {:.0e}, as in the paper.",
            number(CONTACT.stiffness),
            CONTACT.dissipation,
            CONTACT.friction,
            TOLERANCE,
        ),
        format!(
            "The grid spacing is {:.4} m. Bodies take time steps of {} s, and the particles take {} substeps (paper and full size: 10). \
             Stretched rubber may need more substeps, because a substep is at most {COURANT} of h/(c + |v|). \
             A wave of {sound:.0} m/s crosses a grid cell in {:.1e} s. \
             The table of the paper lists a grid spacing of 0.01 m, 3456 particles and 1576 nodes. These particles and nodes belong to 12 particles along a \
             cube and to the grid spacing used here for them. With a spacing of 0.01 m the first rubber layer on the heavy cube is torn off during shaking, \
             and the cube falls.",
            rubber.spacing(),
            STEP,
            plan.substeps,
            rubber.spacing() / sound,
        ),
    ]
}
