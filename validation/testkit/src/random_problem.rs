//! Random contact problems.

use signorini_core::na::{DMatrix, DVector};
use signorini_core::{ContactMaterial, DenseProblem};

use crate::rng::Rng;

/// A dense contact problem with random inertia (condition number below 1e4), Jacobian, gaps of both signs and materials; equal seeds give
/// equal problems.
///
/// About a third of the contacts is open at the start; some of these close within the step. Rows may depend on each other when 3·`nc` > `nv`.
pub fn random_dense_problem(seed: u64, nv: usize, nc: usize) -> DenseProblem {
    let mut r = Rng::new(seed);
    let dt = r.log_uniform(1e-3, 2e-2);
    let g = DMatrix::from_fn(nv, nv, |_, _| r.normal());
    let mut a = &g * g.transpose() / nv.max(1) as f64;
    for i in 0..nv {
        a[(i, i)] += r.log_uniform(0.01, 10.0);
    }
    // Exactly symmetric, as the inertia is checked to be.
    a = 0.5 * (&a + a.transpose());
    let j = DMatrix::from_fn(3 * nc, nv, |_, _| r.normal());
    let v0 = DVector::from_fn(nv, |_, _| 0.5 * r.normal());
    let v_star = DVector::from_fn(nv, |i, _| v0[i] + 10.0 * dt * r.normal());
    let gap = |r: &mut Rng| {
        if r.chance(1.0 / 3.0) { r.log_uniform(1e-5, 1e-2) } else { -r.log_uniform(1e-6, 3e-3) }
    };
    let phi0 = DVector::from_fn(nc, |_, _| gap(&mut r));
    let materials = (0..nc).map(|_| random_material(&mut r)).collect();
    DenseProblem { A: a, v_star, J: j, phi0, v0, materials, dt }
}

/// A surface with values as people use them, over decades: stiffness 1e3 to 1e6 N/m, friction 0 to 1.5, some without damping.
pub fn random_material(r: &mut Rng) -> ContactMaterial {
    let friction_static = if r.chance(0.1) { 0.0 } else { r.uniform(0.05, 1.5) };
    ContactMaterial {
        stiffness: r.log_uniform(1e3, 1e6),
        dissipation: if r.chance(0.2) { 0.0 } else { r.log_uniform(0.1, 100.0) },
        relaxation_time: if r.chance(0.3) { 0.0 } else { r.log_uniform(1e-3, 0.1) },
        friction_static,
        friction_dynamic: friction_static * if r.chance(0.5) { 1.0 } else { r.uniform(0.3, 1.0) },
        stiction_speed: r.log_uniform(1e-4, 1e-2),
        ..ContactMaterial::default()
    }
}
