//! Five hundred noisy velocity tapes of twelve joints, projected onto motion that arms can follow.

use std::error::Error;
use std::time::Instant;

use signorini_planning::projection::{History, JointBounds, MotionBounds, ProjectionOptions, Projector};

fn main() -> Result<(), Box<dyn Error>> {
    let (samples, joints, steps, dt) = (500, 12, 15, 0.1);
    let arm = JointBounds { position: [-3.1, 3.1], velocity: 1.0, acceleration: 2.0, jerk: 4.0 };
    let bounds = MotionBounds::uniform(joints, arm)?;
    let mut projector = Projector::new(bounds, steps, dt, ProjectionOptions::default())?;
    let mut history = History::at_rest(&vec![0.5; joints]);
    let mean = vec![0.0; steps * joints];
    for plan in 0..5 {
        // Waves of all lengths for noise.
        let mut tapes: Vec<f64> =
            (0..samples * steps * joints).map(|i| 1.4 * (0.7 * (i * i + plan) as f64).sin()).collect();
        let start = Instant::now();
        let report = projector.project(&history, &mean, &mut tapes)?;
        let excess = projector.bounds().worst(dt, &history, &tapes[..steps * joints]);
        println!("{:.2} ms: {report:?}", 1e3 * start.elapsed().as_secs_f64());
        println!("the first tape exceeds {excess:?}; it begins with {:.3?} rad/s", &tapes[..3]);
        history.advance(dt, &tapes[..joints]);
    }
    Ok(())
}
