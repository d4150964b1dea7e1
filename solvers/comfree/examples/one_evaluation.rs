//! ComFree on five arrays: a 1 kg block sliding on the floor. No scene, no files.

use signorini_comfree::ComfreeSolver;
use signorini_core::na::{DMatrix, DVector};
use signorini_core::{ContactMaterial, ContactSolver, DenseProblem, StepSolution, Tolerance};
use signorini_laws::PublishedDualCone;

/// Builds, evaluates, prints.
pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dt = 0.002;
    let p = DenseProblem {
        A: DMatrix::identity(3, 3),                            // mass [kg]
        v_star: DVector::from_vec(vec![-9.81 * dt, 0.1, 0.0]), // velocity without contact [m/s]
        J: DMatrix::identity(3, 3),                            // (n, t1, t2)
        phi0: DVector::from_vec(vec![-1e-4]),                  // gap [m]
        v0: DVector::from_vec(vec![0.0, 0.1, 0.0]),            // velocity at the start [m/s]
        materials: vec![ContactMaterial::default()],
        dt,
    };
    let mut solution = StepSolution::default();
    let mut problem = p.build(PublishedDualCone::new(0.2, 0.001))?;
    ComfreeSolver::default().solve(&mut problem, p.v0.as_slice(), Tolerance::default(), &mut solution)?;
    println!("v = {:?} m/s, impulse = {:?} N·s", solution.v, solution.gamma);
    Ok(())
}
