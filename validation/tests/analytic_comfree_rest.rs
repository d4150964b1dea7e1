//! Facets that remember their force: no depth at rest, no creep on a slope, and a linear map that is stable for every mode.

use signorini_comfree::Sweeps;
use signorini_core::na::{Matrix3, Vector3};
use signorini_core::{NoObserver, State, System};
use signorini_laws::{DualCone, Gains};
use signorini_run::Method;
use signorini_validation::scenes::Heap;

/// A cube on the floor under gravity tilted by `angle`, for `time` under ComFree.
fn slope(law: DualCone, sweeps: Sweeps, angle: f64, time: f64) -> (Vec<f64>, Vec<f64>) {
    let mut scene = Heap::Stack(1).scene();
    scene.options.gravity = 9.81 * Vector3::new(angle.sin(), 0.0, -angle.cos());
    let method = Method::comfree_with(law, sweeps).with_step(2e-3);
    let mut sys = method.system(&scene).unwrap();
    let mut x = sys.initial_state(None).unwrap();
    method.integrator().unwrap().advance(&mut sys, &mut x, time, &mut NoObserver).unwrap();
    (x.q, x.v)
}

#[test]
fn analytic_remembered_facets_neither_sink_nor_creep() {
    let new = DualCone::remembering(1.0);
    let half = DualCone::remembering(0.5);
    for (new, sweeps) in [(half, Sweeps::exactly(1)), (new, Sweeps::exactly(16)), (new, Sweeps::default())] {
        for gains in [Gains::Recovery { beta: 0.3 }, Gains::Recovery { beta: 0.2 }] {
            let (q, v) = slope(DualCone { gains, ..new }, sweeps, 20f64.to_radians(), 6.0);
            // The remainder is round-off: slow modes have decayed by e^(-20) or more. Beyond it speeds up to the residual, and depths that would be undone at
            // less, φ β/h, count as nothing.
            let (depth, speed) = (1e-8 + sweeps.residual * 2e-3 / 0.2, 1e-8 + 2.0 * sweeps.residual);
            assert!((q[2] - 0.05).abs() < depth, "{gains:?}, {sweeps:?}: at {}", q[2]);
            assert!(v.iter().all(|v| v.abs() < speed), "{gains:?}, {sweeps:?}: {v:?}");
        }
    }
    // Without memory this cube creeps and sinks, by the law itself: borse2026comfree has no static friction.
    let (q, v) = slope(DualCone { memory: 0.0, ..half }, Sweeps::exactly(1), 20f64.to_radians(), 6.0);
    assert!(v[0] > 1e-3 && q[2] < 0.05 - 1e-4, "{v:?} {}", q[2]);
    // Beyond the cone of friction (μ = 1, half of it along a diagonal of four directions) it slides.
    let (_, v) = slope(new, Sweeps::exactly(8), 60f64.to_radians(), 0.5);
    assert!(v[0] > 0.5, "{v:?}");
}

/// u, w and y = φ/h after a step of one mode: a = G W, κ memory, β recovery, S sweeps, of which the last undoes the gap, of several in the position alone. Only the impulse that stops
/// the approach is remembered (papers/borse2026comfree).
fn mode(a: f64, kappa: f64, beta: f64, sweeps: i32, remember_gap: bool) -> Matrix3<f64> {
    let before = 1.0 - (1.0 - a).powi(sweeps - 1);
    let left = 1.0 - before;
    if sweeps > 1 {
        // p = u + w; u' = (1−A) p, w' = w − κ A p, y' = y + (1−a)(1−A) p − aβ y.
        let (kept, moved) = (kappa * before, (1.0 - a) * left);
        return Matrix3::new(left, left, 0.0, -kept, 1.0 - kept, 0.0, moved, moved, 1.0 - a * beta);
    }
    // p = u + w (gravity aside); u' = (1−a)(1−A) p − aβ y, w' = w − κ (A + a (1−A)) p.
    let u = Vector3::new((1.0 - a) * left, (1.0 - a) * left, -a * beta);
    let kept = kappa * (before + a * left);
    let gap = if remember_gap { -kappa * a * beta } else { 0.0 };
    let w = Vector3::new(-kept, 1.0 - kept, gap);
    let y = Vector3::new(u[0], u[1], 1.0 + u[2]);
    Matrix3::from_rows(&[u.transpose(), w.transpose(), y.transpose()])
}

fn radius(m: &Matrix3<f64>) -> f64 {
    m.complex_eigenvalues().iter().map(|z| z.norm()).fold(0.0, f64::max)
}

#[test]
fn analytic_the_map_with_memory_is_stable_for_every_mode() {
    for i in 1..=200 {
        let a = f64::from(i) / 200.0;
        for kappa in [0.01, 0.1, 0.3, 0.5, 1.0] {
            for beta in [0.01, 0.1, 0.2, 0.5, 1.0] {
                for sweeps in [1, 2, 8, 32] {
                    let r = radius(&mode(a, kappa, beta, sweeps, false));
                    // One only where nothing is left to decay: a = 1 with no recovery would be.
                    assert!(r < 1.0, "a {a}, κ {kappa}, β {beta}, {sweeps} sweeps: {r}");
                }
            }
        }
    }
    // Remembering the impulse that undoes the gap as well is a third integrator: slow modes grow.
    assert!(radius(&mode(0.02, 0.3, 0.2, 1, true)) > 1.01);
}

#[test]
fn regression_memory_is_part_of_the_state() {
    let method = Method::comfree().with_step(2e-3);
    let scene = Heap::Stack(3).scene();
    let mut sys = method.system(&scene).unwrap();
    let mut x = sys.initial_state(None).unwrap();
    let mut integrator = method.integrator().unwrap();
    integrator.advance(&mut sys, &mut x, 0.2, &mut NoObserver).unwrap();
    assert!(!x.memory.keys.is_empty());
    let text = serde_json::to_string(&x).unwrap();
    let mut y: State = serde_json::from_str(&text).unwrap();
    assert_eq!(x, y);
    integrator.advance(&mut sys, &mut x, 0.4, &mut NoObserver).unwrap();
    let mut fresh = method.system(&scene).unwrap();
    method.integrator().unwrap().advance(&mut fresh, &mut y, 0.4, &mut NoObserver).unwrap();
    assert_eq!(x, y, "a run restarted from a file goes on bit for bit");
    assert_eq!(sys.energy(&x), fresh.energy(&y));
}

/// Cubes that fall together have no relative velocity, but the one above comes on with its own when the one below is stopped.
#[test]
fn analytic_a_falling_stack_lands_without_pressing_into_itself() {
    for dt in [2e-3, 1e-2] {
        let method = Method::comfree().with_step(dt);
        let mut sys = method.system(&Heap::Stack(10).scene()).unwrap();
        let mut integrator = method.integrator().unwrap();
        let mut x = sys.initial_state(None).unwrap();
        let mut deepest = 0.0f64;
        for i in 1..=50 {
            integrator.advance(&mut sys, &mut x, 0.01 * f64::from(i), &mut NoObserver).unwrap();
            deepest = deepest.max(sys.deepest_penetration(&x).unwrap().map_or(0.0, |p| p.depth));
        }
        // The last cube falls 9 mm, to 0.42 m/s: a step of it is 0.8 or 4 mm. Evaluations leave a tenth of this step of the landing.
        assert!(deepest < 0.1 * 0.42 * dt, "{dt} s: {deepest} m");
    }
}

/// A body that starts inside another comes out soon, and not as a shot.
#[test]
fn analytic_a_deep_start_comes_out_without_speed() {
    for (dt, after) in [(2e-3, 0.1), (1e-2, 0.3)] {
        let method = Method::comfree().with_step(dt);
        let mut sys = method.system(&Heap::Stack(2).scene()).unwrap();
        let mut integrator = method.integrator().unwrap();
        let mut x = sys.initial_state(None).unwrap();
        (x.q[2], x.q[9]) = (0.03, 0.11);
        let mut fastest = 0.0f64;
        for i in 1..=30 {
            integrator.advance(&mut sys, &mut x, after * f64::from(i) / 30.0, &mut NoObserver).unwrap();
            fastest = fastest.max(x.v.iter().fold(0.0, |m, v| m.max(v.abs())));
        }
        let deepest = sys.deepest_penetration(&x).unwrap().map_or(0.0, |p| p.depth);
        // The cubes are pushed out by 1 m/s at most, 20 mm each, and by the part 0.2 of the remaining depth per step.
        assert!(deepest < 1e-3, "{dt} s: {deepest} m after {after} s");
        // Contacts may not have stopped one step of gravity yet.
        assert!(fastest < 9.81 * dt, "{dt} s: {fastest} m/s");
    }
}
