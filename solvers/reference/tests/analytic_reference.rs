//! The reference solver against closed forms and scalar equations solved on their own.

use signorini_core::na::{DMatrix, DVector};
use signorini_core::{ContactMaterial, ContactSolver, DenseProblem, SolveStatus, StepSolution, Tolerance};
use signorini_laws::{Lagged, Sap, Similar};
use signorini_reference::ReferenceSolver;

const TIGHT: Tolerance = Tolerance { relative: 1e-12, max_iterations: 100 };

fn block(
    mass: f64,
    dt: f64,
    material: ContactMaterial,
    gap: f64,
    v0: [f64; 3],
    force: [f64; 3],
) -> DenseProblem {
    let v0 = DVector::from_column_slice(&v0);
    DenseProblem {
        A: DMatrix::identity(3, 3) * mass,
        v_star: &v0 + dt / mass * DVector::from_column_slice(&force),
        J: DMatrix::identity(3, 3),
        phi0: DVector::from_element(1, gap),
        v0,
        materials: vec![material],
        dt,
    }
}

/// Root of a rising function.
fn root(f: impl Fn(f64) -> f64, mut lo: f64, mut hi: f64) -> f64 {
    for _ in 0..200 {
        let mid = 0.5 * (lo + hi);
        if f(mid) > 0.0 { hi = mid } else { lo = mid }
    }
    0.5 * (lo + hi)
}

#[test]
fn analytic_one_contact_solves_the_scalar_cubic() {
    // m (v − v*) = δt (−k φ₀ − δt k v)₊ (1 − d v)₊, kurtz2025cenic, eq. (13), and m (v_t − v_t*) = −μ n₀ v_t/√(v_t² + ε²).
    let (mass, dt) = (1.3, 5e-3);
    let material = ContactMaterial { stiffness: 5e4, dissipation: 8.0, ..ContactMaterial::default() };
    let (k, d, mu) = (5e4, 8.0, material.friction_static);
    for (gap, v_n, v_t) in
        [(-1e-3, -0.5, 0.3), (-1e-4, 0.01, 0.0), (-2e-3, -3.0, -1.0), (3e-3, -1.0, 0.2), (1e-3, 2.0, 1.0)]
    {
        let p = block(mass, dt, material, gap, [v_n, v_t, 0.0], [-9.81 * mass, 0.0, 0.0]);
        let mut out = StepSolution::default();
        let status = ReferenceSolver::default().solve(
            &mut p.build(Lagged::default()).unwrap(),
            &[0.0; 3],
            TIGHT,
            &mut out,
        );
        assert_eq!(status, Ok(SolveStatus::Converged));
        let force = |v: f64| dt * (-k * gap - dt * k * v).max(0.0) * (1.0 - d * v).max(0.0);
        let normal = root(|v| mass * (v - p.v_star[0]) - force(v), -10.0, 10.0);
        let n0 = dt * (-k * gap).max(0.0) * (1.0 - d * v_n).max(0.0);
        // ‖W‖_F/√3 of W = 1/m.
        let eps = material.stiction_speed.max(mu * 1e-3 * n0 / mass);
        let tangent = root(|v| mass * (v - p.v_star[1]) + mu * n0 * v / v.hypot(eps), -10.0, 10.0);
        // The solver's tolerance.
        assert!((out.v[0] - normal).abs() < 1e-11, "gap {gap}: {} against {normal}", out.v[0]);
        assert!((out.v[1] - tangent).abs() < 1e-11, "gap {gap}: {} against {tangent}", out.v[1]);
        assert!((out.gamma[0] - force(normal)).abs() < 1e-10 && out.v[2].abs() < 1e-15);
    }
}

/// 1 s of a block that starts at rest depth with a horizontal speed; returns speed and gap.
fn slide(law: &str, dt: f64, relaxation_time: f64) -> (f64, f64) {
    let material = ContactMaterial {
        stiffness: 1e5,
        dissipation: 0.0,
        relaxation_time,
        friction_static: 0.3,
        friction_dynamic: 0.3,
        ..ContactMaterial::default()
    };
    let mut gap = -9.81 / 1e5;
    let mut v = [0.0, 4.0, 0.0];
    for _ in 0..(1.0 / dt).round() as usize {
        let p = block(1.0, dt, material, gap, v, [-9.81, 0.0, 0.0]);
        let mut q = match law {
            "lagged" => p.build(Lagged::default()),
            "similar" => p.build(Similar::default()),
            _ => p.build(Sap { beta: 0.0, ..Sap::default() }),
        }
        .unwrap();
        let mut out = StepSolution::default();
        ReferenceSolver::default().solve(&mut q, &v, TIGHT, &mut out).unwrap();
        v.copy_from_slice(&out.v);
        gap += dt * v[0];
    }
    (v[1], gap)
}

#[test]
fn analytic_block_slides_v_minus_mu_g_t_under_every_law() {
    let rest = -9.81 / 1e5;
    for law in ["lagged", "similar", "sap"] {
        let (v, gap) = slide(law, 1e-2, 0.0);
        // Lagged: exact but for regularisation, ½ Σ μ g δt (ε/v)² < 1e-6. The others glide: as the slip decreases the block sinks by
        // δt μ Δ‖v_t‖, which loads the floor only by the inertia of that motion.
        let expected = 4.0 - 0.3 * 9.81;
        let allowed = if law == "lagged" { 1e-6 } else { 2e-2 };
        assert!((v - expected).abs() < allowed, "{law}: {v} against {expected}");
        let glide = if law == "lagged" { 0.0 } else { 1e-2 * 0.3 * v };
        // Gliding is a steady state up to the slow change of the slip.
        assert!((gap - rest - glide).abs() < 1e-4 + 0.05 * glide, "{law}: {gap} against {}", rest + glide);
    }
}

#[test]
fn order_gliding_vanishes_with_the_step_for_similar_and_not_for_sap() {
    let glide = |law, dt, tau| slide(law, dt, tau).1 + 9.81 / 1e5;
    let (a, b) = (glide("similar", 4e-3, 0.0), glide("similar", 2e-3, 0.0));
    // First order: μ‖v_t‖ δt, twice.
    assert!((a / b - 2.0).abs() < 0.1, "{a:e} {b:e}");
    // With relaxation time τ_d = 0.1 s: μ‖v_t‖ (δt + τ_d), nearly the same at both steps.
    let (a, b) = (glide("sap", 4e-3, 0.1), glide("sap", 2e-3, 0.1));
    assert!((a / b - 0.104 / 0.102).abs() < 0.01, "{a:e} {b:e}");
    // The lagged law does not glide: its gap is below a hundredth of that.
    assert!(glide("lagged", 4e-3, 0.1).abs() < 1e-2 * b, "{:e}", glide("lagged", 4e-3, 0.1));
}

#[test]
fn analytic_block_sticks_with_creep() {
    let material = ContactMaterial { stiffness: 1e5, dissipation: 10.0, ..ContactMaterial::default() };
    let (dt, r) = (1e-2, 0.6);
    let (mut gap, mut v) = (-9.81 / 1e5, [0.0; 3]);
    for _ in 0..100 {
        let p = block(1.0, dt, material, gap, v, [-9.81, 0.6 * 0.5 * 9.81, 0.0]);
        let mut out = StepSolution::default();
        let mut q = p.build(Lagged::default()).unwrap();
        ReferenceSolver::default().solve(&mut q, &v, TIGHT, &mut out).unwrap();
        v.copy_from_slice(&out.v);
        gap += dt * v[0];
    }
    let eps = material.stiction_speed.max(0.5 * 1e-3 * dt * 9.81);
    let expected = eps * r / (1.0_f64 - r * r).sqrt();
    // The solver's tolerance.
    assert!((v[1] - expected).abs() < 1e-10, "{:e} against {expected:e}", v[1]);
}
