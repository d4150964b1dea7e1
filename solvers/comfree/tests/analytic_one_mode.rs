//! One contact under a constant load, iterated through the law and the solver, against the mode map of papers/borse2026comfree.

use signorini_comfree::ComfreeSolver;
use signorini_core::na::{DMatrix, DVector};
use signorini_core::{ContactMaterial, ContactSolver, DenseProblem, StepSolution, Tolerance};
use signorini_laws::PublishedDualCone;

const H: f64 = 0.002;
/// Change of velocity per step by the load \[m/s\].
const LOAD: f64 = 0.02;
/// R of r = 0.9, the same at any depth.
const R: f64 = 9.0;

/// (u, φ) after a step of a frictionless contact of unit mass with a = R m_c d, b = R m_c k h.
fn step((a, b): (f64, f64), (u, gap): (f64, f64)) -> (f64, f64) {
    // m_c is a third of the mass: the trace counts three translational rows.
    let (k, d) = (3.0 * b / (R * H), 3.0 * a / R);
    let material = ContactMaterial {
        condim: 1,
        friction_static: 0.0,
        friction_dynamic: 0.0,
        solimp: [0.9, 0.9, 0.001, 0.5, 2.0],
        ..ContactMaterial::default()
    };
    let p = DenseProblem {
        A: DMatrix::identity(3, 3),
        v_star: DVector::from_vec(vec![u - LOAD, 0.0, 0.0]),
        J: DMatrix::identity(3, 3),
        phi0: DVector::from_vec(vec![gap]),
        v0: DVector::from_vec(vec![u, 0.0, 0.0]),
        materials: vec![material],
        dt: H,
    };
    let law = PublishedDualCone::new(k, d);
    let mut out = StepSolution::default();
    let mut problem = p.build(law).unwrap();
    ComfreeSolver::default().solve(&mut problem, p.v0.as_slice(), Tolerance::default(), &mut out).unwrap();
    (out.v[0], gap + H * out.v[0])
}

/// Gap at rest: φ = −(1 − a − b) · load · h / b.
fn rest((a, b): (f64, f64)) -> f64 {
    -(1.0 - a - b) * LOAD * H / b
}

fn grid(n: u32, [a, b]: [f64; 2]) -> impl Iterator<Item = (f64, f64)> {
    let at = move |i: u32, x: f64| x * (f64::from(i) + 0.5) / f64::from(n);
    (0..n * n).map(move |i| (at(i / n, a), at(i % n, b)))
}

#[test]
fn analytic_one_mode_is_stable_exactly_below_four() {
    let (mut stable, mut unstable) = (0, 0);
    for (a, b) in grid(24, [2.4, 1.6]) {
        let number = 2.0 * a + 3.0 * b;
        // Nearer to the boundary the deviation changes too little in 300 steps to tell.
        if (number - 4.0).abs() < 0.1 {
            continue;
        }
        // So small that the facet stays active, far above the round-off of the load.
        let start = 1e-6 * LOAD;
        let (mut u, mut gap) = (start, rest((a, b)));
        let size = |u: f64, gap: f64| u.abs().max((gap - rest((a, b))).abs() / H);
        for _ in 0..300 {
            (u, gap) = step((a, b), (u, gap));
            if size(u, gap) > 1e3 * start {
                break;
            }
        }
        let decays = size(u, gap) < 0.5 * start;
        assert_eq!(decays, number < 4.0, "a {a}, b {b}: {}", size(u, gap) / start);
        if decays { stable += 1 } else { unstable += 1 }
    }
    assert!(stable > 150 && unstable > 150, "{stable} {unstable}");
}

#[test]
fn analytic_approach_without_overshoot() {
    let (mut with, mut without) = (0, 0);
    for (a, b) in grid(24, [1.2, 1.0]) {
        // Eigenvalues are real for `real` > 0 and then of one sign for `sign` > 0; of two signs this start does not show the oscillation. Off the
        // boundary: there the overshoot comes late and small.
        let (real, sign) = (a - (2.0 * b.sqrt() - 2.0 * b), 1.0 - a - b);
        if real.abs() < 0.08 || (real > 0.0 && sign < 0.0) {
            continue;
        }
        let start = 1e-4 * LOAD * H;
        let (mut u, mut gap) = (0.0, rest((a, b)) - start);
        let mut overshoot = 0.0f64;
        for _ in 0..100 {
            (u, gap) = step((a, b), (u, gap));
            overshoot = overshoot.max((gap - rest((a, b))) / start);
        }
        // Round-off of the gap at rest, 1e-16 of it, is 1e-11 of the start at most.
        let passes = overshoot > 1e-9;
        assert_eq!(passes, real < 0.0, "a {a}, b {b}: {overshoot:e}");
        if passes { with += 1 } else { without += 1 }
    }
    assert!(with > 50 && without > 50, "{with} {without}");
}

/// a = 0, b = 1: two steps to rest.
#[test]
fn analytic_deadbeat() {
    let (mut u, mut gap) = (0.0, rest((0.0, 1.0)) - 1e-3 * LOAD * H);
    for _ in 0..2 {
        (u, gap) = step((0.0, 1.0), (u, gap));
    }
    // Round-off of the load.
    assert!(u.abs() < 1e-15 && (gap - rest((0.0, 1.0))).abs() < 1e-17, "{u:e} {gap:e}");
}
