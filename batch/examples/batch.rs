//! 64 worlds of a box on a slope, each with its own friction: how far it gets in a second.
use signorini_batch::{BatchOptions, CpuBatch, LaneParameters};
use signorini_core::BatchStepper;
use signorini_run::Method;
use signorini_scene::SceneBuilder;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = SceneBuilder::new("slide")
        .gravity([3.0, 0.0, -9.0])
        .half_space()
        .friction(0.0)
        .body("box")
        .at([0.0, 0.0, 0.05])
        .free_joint()
        .cuboid([0.1, 0.1, 0.05])
        .build()?;
    let mut batch = CpuBatch::new(&scene, 64, Method::comfree(), BatchOptions::default())?;
    for lane in 0..64 {
        let friction = vec![(1, [0.01 * lane as f64, 0.0, 0.0])];
        batch.set_parameters(lane, &LaneParameters { friction, ..LaneParameters::default() })?;
    }
    batch.step(&[], 2e-3, 500, &[])?;
    (0..64).step_by(8).try_for_each(|i| batch.state(i).map(|x| println!("lane {i}: {:.4} m", x.q[0])))?;
    Ok(())
}
