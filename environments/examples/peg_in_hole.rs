//! Ten pegs side by side under the scripted policy, which sees them 5 mm off beside 1 mm of clearance.

use signorini_environments::{EnvironmentError, PegOptions, Vectorised, scripted};

/// Runs all episodes to their ends.
fn main() -> Result<(), EnvironmentError> {
    let options = PegOptions { noise: 5e-3, ..PegOptions::hard() };
    let mut pegs = Vectorised::new(10, options)?;
    let mut at = pegs.reset(&(0..10).collect::<Vec<_>>())?;
    while pegs.environments().iter().any(|e| e.ended().is_none()) {
        let actions: Vec<_> = at.iter().map(|at| scripted(&options, *at)).collect();
        for (at, step) in at.iter_mut().zip(pegs.step(&actions)?) {
            *at = step.map_or(*at, |s| s.observation);
        }
    }
    for e in pegs.environments() {
        let [x, y, z] = e.position();
        let (end, steps, nearest) = (e.ended(), e.taken(), e.invariants().smallest_distance);
        println!(
            "{end:?} after {steps} steps at ({x:.5}, {y:.5}, {z:.4}) m, never nearer than {nearest:.2e} m"
        );
    }
    Ok(())
}
