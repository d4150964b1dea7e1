//! A sheet of cloth falls on a ball and hangs over it; nothing is read from files.
use signorini_core::na::Isometry3;
use signorini_core::{ContactMaterial, OneStep, State};
use signorini_geometry::Shape;
use signorini_integrators::ContactStep;
use signorini_mpm::{Cloth, ClothMaterial, MpmOptions, MpmSolver, MpmSystem, Obstacle, Particles, sheet};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mesh = sheet([0.3, 0.3], [32, 32])?.transformed(&Isometry3::translation(0.0, 0.0, 0.12));
    let mut particles = Particles::default();
    let cotton = ClothMaterial::new(1e5, 0.3, 500.0, 1e-3)?;
    let cloth = Cloth::new(&mut particles, mesh.vertices(), mesh.triangles(), cotton)?;
    let surface = ContactMaterial { stiffness: 50.0, ..ContactMaterial::default() };
    let ball = Obstacle::new("ball", Shape::Sphere { radius: 0.1 }, Isometry3::identity(), surface);
    let law = signorini_laws::contact_pool("lagged")?;
    let mut system = MpmSystem::new(particles, vec![], vec![], vec![ball], law, MpmOptions::default())?
        .with_cloth(cloth)?;
    let mut step = ContactStep::new(MpmSolver::default());
    let (mut x, mut next) = (system.initial_state(), State::default());
    for _ in 0..1000 {
        step.step(&mut system, &x, 2.5e-4, false, &mut next)?;
        std::mem::swap(&mut x, &mut next);
    }
    let deepest = x.q.chunks_exact(3).map(|q| q[0].hypot(q[1]).hypot(q[2])).fold(f64::INFINITY, f64::min);
    println!("nearest to the middle of the ball {deepest:.4} m, {} particles touch it", system.touching(0).0);
    Ok(())
}
