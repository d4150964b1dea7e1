//! Two cubes fall onto a held slab; nothing is read from files.
use signorini_core::{OneStep, State, Tolerance, na::Isometry3, na::Vector3};
use signorini_geometry::TriangleMesh;
use signorini_integrators::ContactStep;
use signorini_ipc::{AffineBody, AffineSystem, IpcOptions, IpcSolver};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let slab = TriangleMesh::cuboid(&Vector3::new(1.0, 1.0, 0.05))?;
    let cube =
        AffineBody::solid("cube", &TriangleMesh::cuboid(&Vector3::repeat(0.05))?, 1000.0)?.with_friction(0.5);
    let bodies = vec![
        (AffineBody::solid("slab", &slab, 1000.0)?.held(), Isometry3::translation(0.0, 0.0, -0.05)),
        (cube.clone(), Isometry3::translation(0.0, 0.0, 0.06)),
        (cube, Isometry3::new(Vector3::new(0.01, 0.0, 0.17), Vector3::new(0.0, 0.0, 0.3))),
    ];
    let mut system = AffineSystem::new(bodies, &[], IpcOptions::default())?;
    let mut step = ContactStep::new(IpcSolver::default())
        .with_tolerance(Tolerance { relative: 1e-4, max_iterations: 100 });
    let (mut x, mut next) = (system.initial_state(), State::default());
    for _ in 0..100 {
        step.step(&mut system, &x, 0.01, false, &mut next)?;
        std::mem::swap(&mut x, &mut next);
    }
    println!("heights {:.5} m, {:.5} m, smallest gap {:?}", x.q[2], x.q[14], system.smallest_distance(&x));
    Ok(())
}
