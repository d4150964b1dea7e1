//! Velocity of a ball after one step by its state: the derivative of a ComFree step.

use std::error::Error;

use signorini_comfree::ComfreeSolver;
use signorini_icf::IcfSolver;
use signorini_laws::DualCone;
use signorini_multibody::{RigidLaws, RigidOptions, RigidSystem};
use signorini_scene::SceneBuilder;

fn main() -> Result<(), Box<dyn Error>> {
    let scene = SceneBuilder::new("ball").half_space().body("ball").at([0.0, 0.0, 0.0495]).free_joint();
    let scene = scene.sphere(0.05).build()?;
    let law = DualCone { smoothing: 0.01, acting: false, ..DualCone::default() };
    let options = RigidOptions { joints_first: Some(IcfSolver::boxed), ..RigidOptions::default() };
    let mut system = RigidSystem::with_laws(&scene, &RigidLaws::dual_cone(&scene, law), options)?;
    let mut x = system.initial_state(None)?;
    x.v[0] = 0.1;
    let d = system.comfree_derivative(&mut ComfreeSolver::default(), &x, 2e-3)?;
    println!("v after the step: {:.4?}", d.velocity);
    println!("d(v_z)/d(z) = {:.2} 1/s, d(v_z)/d(v_z) = {:.4}", d.by_position[(8, 2)], d.by_velocity[(8, 2)]);
    println!(
        "d(v_x)/d(v_x) = {:.4}, d(spin about y)/d(v_x) = {:.3} 1/m",
        d.by_velocity[(6, 0)],
        d.by_velocity[(10, 0)]
    );
    println!("d(v_z)/d(recovery) = {:.4} m/s", d.by_gains[(8, 0)]);
    Ok(())
}
