//! Constants that cannot be, laws that do not fit, steps that turn particles inside out, waves in stretched material, error control.

use signorini_core::na::{Isometry3, Matrix3, Vector3};
use signorini_core::{ContactMaterial, Integrator, NoObserver, OneStep, State, System};
use signorini_geometry::Shape;
use signorini_integrators::{ContactStep, cenic};
use signorini_laws::contact_pool;
use signorini_mpm::{
    FixedCorotated, Kept, Lame, Material, MpmEngine, MpmOptions, MpmSolver, MpmSystem, Obstacle, Particles,
};

fn block() -> Particles {
    let mut p = Particles::default();
    p.lattice(Vector3::new(0.01, 0.01, 0.01), 0.02, [6; 3], 1000.0, 8e-6, 0);
    p
}

fn floor() -> Obstacle {
    let material = ContactMaterial::compliant(1e4, 10.0, 0.5);
    Obstacle::new("floor", Shape::HalfSpace, Isometry3::identity(), material)
}

fn options() -> MpmOptions {
    MpmOptions { spacing: 0.04, ..MpmOptions::default() }
}

fn system(p: Particles, lame: Lame, law: &str) -> Result<MpmSystem, String> {
    let materials: Vec<Box<dyn Material>> = vec![Box::new(FixedCorotated(lame))];
    MpmSystem::new(p, materials, vec![], vec![floor()], contact_pool(law).unwrap(), options())
        .map_err(|e| e.to_string())
}

fn engine(p: Particles, lame: Lame, law: &str, options: MpmOptions) -> Result<MpmEngine<f32>, String> {
    let materials: Vec<Box<dyn Material>> = vec![Box::new(FixedCorotated(lame))];
    MpmEngine::new(p, materials, vec![], vec![floor()], contact_pool(law).unwrap(), options)
        .map_err(|e| e.to_string())
}

fn soft() -> Lame {
    Lame::new(1e5, 0.3).unwrap()
}

#[test]
fn regression_moduli_and_laws_that_cannot_be_are_refused() {
    for lame in [Lame { lambda: f64::NAN, mu: 1.0 }, Lame { lambda: -5e5, mu: 1e5 }] {
        for e in [system(block(), lame, "lagged").err(), engine(block(), lame, "lagged", options()).err()] {
            assert!(e.unwrap().contains("λ + 2μ of material 0"));
        }
    }
    // λ + 2μ > 0, but shear or pressure gives energy away.
    for (lame, what) in [
        (Lame { lambda: 5e5, mu: -1e5 }, "μ of material 0"),
        (Lame { lambda: -9e4, mu: 1e5 }, "3λ + 2μ of material 0"),
    ] {
        for e in [system(block(), lame, "lagged").err(), engine(block(), lame, "lagged", options()).err()] {
            assert!(e.unwrap().contains(what));
        }
    }
    for e in [
        system(block(), soft(), "frictionless").err(),
        engine(block(), soft(), "frictionless", options()).err(),
    ] {
        let e = e.unwrap();
        assert!(e.contains("frictionless") && e.contains("friction of zero"), "{e}");
    }
}

#[test]
fn regression_obstacles_changed_into_what_cannot_be_are_refused() {
    let mut e = engine(block(), soft(), "lagged", options()).unwrap();
    e.obstacles_mut()[0].shape = Shape::Box { half_extents: Vector3::new(0.1, f64::NAN, 0.1) };
    let why = e.step(1e-4).unwrap_err().to_string();
    assert!(why.contains("a size of the box of obstacle 'floor'"), "{why}");
}

#[test]
fn regression_a_state_of_another_grid_is_refused() {
    let mut kept = Kept::default();
    engine(block(), soft(), "lagged", options()).unwrap().keep(&mut kept);
    let other = MpmOptions { spacing: 0.05, ..options() };
    let why = engine(block(), soft(), "lagged", other).unwrap().restore(&kept).unwrap_err().to_string();
    assert!(why.contains("0.04 m") && why.contains("0.05 m"), "{why}");
}

#[test]
fn regression_a_step_that_turns_particles_inside_out_is_none() {
    // One alone keeps its affine velocity.
    let mut p = Particles::default();
    p.push(Vector3::repeat(0.5), 1.0, 1e-3, 0);
    p.c[0] = Matrix3::from_diagonal(&Vector3::new(-1500.0, 0.0, 0.0));
    let mut s = system(p, soft(), "lagged").unwrap();
    let x = s.initial_state();
    let mut next = x.clone();
    let mut step = ContactStep::new(MpmSolver::default());
    let why = step.step(&mut s, &x, 1e-3, false, &mut next).unwrap_err().to_string();
    assert!(why.contains("inside out") && why.contains("particle"), "{why}");
    // A shorter one is.
    step.step(&mut s, &x, 1e-4, false, &mut next).unwrap();
    assert!(s.particles(&next).unwrap().f.iter().all(|f| f.determinant() > 0.0));
}

#[test]
fn regression_waves_on_what_is_stretched_are_faster() {
    let mut p = block();
    for n in 0..p.len() {
        p.f[n] = Matrix3::from_diagonal(&Vector3::new(3.0, 1.0, 1.0));
    }
    let [rest, pulled] = [block(), p].map(|p| {
        let s = system(p.clone(), soft(), "lagged").unwrap();
        let e = engine(p, soft(), "lagged", options()).unwrap();
        let limits = [s.longest_step(&s.initial_state()).unwrap(), e.longest_step()];
        assert!((limits[0] / limits[1] - 1.0).abs() < 1e-6);
        limits[0]
    });
    assert!((rest / pulled - 3.0).abs() < 1e-9);
    // As seen after a step too.
    let mut e =
        engine(block(), soft(), "lagged", MpmOptions { gravity: Vector3::zeros(), ..options() }).unwrap();
    e.step(1e-4).unwrap();
    assert!((e.longest_step() / rest - 1.0).abs() < 1e-6);
}

#[test]
fn property_error_control_finds_steps_that_points_can_take() {
    let mut s = system(block(), soft(), "lagged").unwrap();
    let mut x: State = s.initial_state();
    let mut integrator = cenic(signorini_icf::IcfSolver::default(), 1e-3);
    integrator.advance(&mut s, &mut x, 0.02, &mut NoObserver).unwrap();
    assert!((x.t - 0.02).abs() < 1e-12);
    let fall = s.particles(&x).unwrap();
    assert!(fall.f.iter().all(|f| f.determinant() > 0.0));
    assert!(s.energy(&x).kinetic.is_finite());
}
