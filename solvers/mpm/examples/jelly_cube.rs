//! A jelly cube falls on a plane; nothing is read from files.
use signorini_core::na::{Isometry3, Vector3};
use signorini_core::{ContactMaterial, OneStep, State};
use signorini_geometry::Shape;
use signorini_icf::IcfSolver;
use signorini_integrators::ContactStep;
use signorini_mpm::{FixedCorotated, Lame, MpmOptions, MpmSystem, Obstacle, Particles};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (cube, jelly) =
        (Shape::Box { half_extents: Vector3::repeat(0.05) }, FixedCorotated(Lame::new(2e4, 0.4)?));
    let mut particles = Particles::default();
    particles.fill(&cube, &Isometry3::translation(0.0, 0.0, 0.07), 0.0125, 1000.0, 0)?;
    let surface = ContactMaterial { stiffness: 1e4, ..ContactMaterial::default() };
    let floor = Obstacle::new("floor", Shape::HalfSpace, Isometry3::identity(), surface);
    let law = signorini_laws::contact_pool("lagged")?;
    let options = MpmOptions { spacing: 0.025, ..MpmOptions::default() };
    let mut system = MpmSystem::new(particles, vec![Box::new(jelly)], vec![], vec![floor], law, options)?;
    let mut step = ContactStep::new(IcfSolver::default());
    let (mut x, mut next) = (system.initial_state(), State::default());
    for _ in 0..500 {
        step.step(&mut system, &x, 1e-3, false, &mut next)?;
        std::mem::swap(&mut x, &mut next);
    }
    let lowest = x.q.chunks_exact(3).map(|q| q[2]).fold(f64::INFINITY, f64::min);
    println!(
        "lowest particle {lowest:.5} m, force on the floor {:.3} N",
        system.impulses()[0][0].norm() / 1e-3
    );
    Ok(())
}
