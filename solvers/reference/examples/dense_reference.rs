//! The reference solver on five arrays: a 1 kg block sliding on the floor. No scene, no files.

use signorini_core::na::{DMatrix, DVector};
use signorini_core::{ContactMaterial, ContactSolver, DenseProblem, StepSolution, Tolerance};
use signorini_laws::Lagged;
use signorini_reference::ReferenceSolver;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dt = 0.01;
    let mut p = DenseProblem {
        A: DMatrix::identity(3, 3),                            // mass [kg]
        v_star: DVector::from_vec(vec![-9.81 * dt, 1.0, 0.0]), // velocity without contact [m/s]
        J: DMatrix::identity(3, 3),                            // (n, t1, t2)
        phi0: DVector::from_vec(vec![-9.81 / 2.0e5]),          // gap [m]: the depth at rest
        v0: DVector::from_vec(vec![0.0, 1.0, 0.0]),            // velocity at the start [m/s]
        materials: vec![ContactMaterial::default()],
        dt,
    };
    p.materials[0].friction_static = 0.3;
    p.materials[0].friction_dynamic = 0.3;
    let mut solution = StepSolution::default();
    let mut problem = p.build(Lagged::default())?;
    let status = ReferenceSolver::default().solve(
        &mut problem,
        p.v0.as_slice(),
        Tolerance::default(),
        &mut solution,
    )?;
    println!("{status:?}: v = {:?} m/s, impulse = {:?} N·s", solution.v, solution.gamma);
    Ok(())
}
