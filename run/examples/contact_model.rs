//! Stiffness and damping of each contact by a function of one's own, here of the closing speed; a learned impedance goes in the same place.

use signorini_core::{NoObserver, System};
use signorini_laws::{DualCone, Gains};
use signorini_run::Method;
use signorini_scene::{LoadOptions, Scene};

const BALL: &str = "<mujoco><worldbody><geom type='plane' size='5 5 .1'/><body pos='0 0 .3'><freejoint/>\
                    <geom type='sphere' size='.05'/></body></worldbody></mujoco>";

/// Drops a ball, prints how high it stands.
pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = Scene::from_mjcf(BALL, "ball.xml", &LoadOptions::default())?;
    let law = DualCone { gains: Gains::Material, ..DualCone::default() };
    let engine = Method::comfree_with(law, 1).with_step(0.002);
    let mut sys = engine.system(&scene)?;
    sys.set_contact_model(Some(Box::new(|contact, velocity, material| {
        material.stiffness = 2e3 * (1.0 + 1e3 * contact.gap.min(0.0).abs()); // [N/m]
        material.relaxation_time = if velocity[0] < 0.0 { 0.02 } else { 0.005 }; // D = τ K [N·s/m]
    })));
    let mut x = sys.initial_state(None)?;
    engine.integrator()?.advance(&mut sys, &mut x, 2.0, &mut NoObserver)?;
    println!("t = {} s, z = {:.6} m, energy {:.3e} J", x.t, x.q[2], sys.energy(&x).total());
    Ok(())
}
