//! Bodies that meet over areas, against closed forms.

use std::f64::consts::PI;

use signorini_core::na::{UnitQuaternion, Vector3};
use signorini_core::{AcceptedStep, NoObserver, State, StepObserver, System};
use signorini_run::Method;
use signorini_run::names::law;
use signorini_scene::{Hydroelastic, Scene, SceneBuilder};

const G: f64 = 9.81;

fn compliant(modulus: f64) -> Hydroelastic {
    Hydroelastic::compliant(modulus)
}

/// A rigid floor and a body on it, of given dissipation and friction.
fn on_floor(kind: Hydroelastic, body: impl FnOnce(SceneBuilder) -> SceneBuilder, surface: [f64; 2]) -> Scene {
    let [dissipation, friction] = surface;
    let b = SceneBuilder::new("area").half_space().hydroelastic(Hydroelastic::rigid()).friction(friction);
    body(b)
        .hydroelastic(kind)
        .friction(friction)
        .surface(|s| s.dissipation = Some(dissipation))
        .build()
        .unwrap()
}

fn end(scene: &Scene, method: &Method, v: &[f64], time: f64) -> State {
    let mut sys = method.system(scene).unwrap();
    let mut x = sys.initial_state(None).unwrap();
    x.v[..v.len()].copy_from_slice(v);
    method.integrator().unwrap().advance(&mut sys, &mut x, time, &mut NoObserver).unwrap();
    x
}

/// Depth at which a box of half extents (a, b, c) on a plane carries F: F = E/c ∫ min(d, s) dA with the distance s from its sides.
fn box_depth(force: f64, modulus: f64, [a, b, c]: [f64; 3]) -> f64 {
    // ∫ min(d, s) dA = 4 a b d − 2 (a + b) d² + 4 d³/3 for d ≤ min(a, b).
    let of = |d: f64| modulus / c * (4.0 * a * b * d - 2.0 * (a + b) * d * d + 4.0 / 3.0 * d * d * d);
    let (mut low, mut high) = (0.0, a.min(b));
    for _ in 0..200 {
        let d = 0.5 * (low + high);
        if of(d) < force { low = d } else { high = d }
    }
    0.5 * (low + high)
}

#[test]
fn analytic_a_box_rests_where_its_pressure_carries_it() {
    let half = [0.05, 0.08, 0.04];
    for law_name in ["lagged", "similar"] {
        for (modulus, turn) in [(1e5, 0.0), (1e5, 0.7), (1e6, 2.0)] {
            let scene = on_floor(
                compliant(modulus),
                |b| {
                    let turned = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn);
                    b.body("box").at([0.0, 0.0, 0.04]).rotated(turned).free_joint().cuboid(half).mass(2.0)
                },
                [40.0, 0.5],
            );
            let depth = box_depth(2.0 * G, modulus, half);
            for dt in [1e-3, 1e-2] {
                let method = Method::icf().with_law(law(law_name, false).unwrap()).unwrap().with_step(dt);
                let x = end(&scene, &method, &[], 3.0);
                // It creeps towards rest: Hunt–Crossley dissipation vanishes with speed.
                assert!(
                    (0.04 - x.q[2] - depth).abs() < 1e-6 * half[2],
                    "{law_name} {modulus} {dt}: {} of {depth}",
                    0.04 - x.q[2]
                );
                assert!(x.v.iter().all(|v| v.abs() < 1e-5), "{:?}", x.v);
            }
        }
    }
}

/// A ball of radius r on a rigid plane has f = 2π E/r ∫ (r − ρ) ρ dρ over the ρ from the depth to the radius, within the disc.
fn ball_force(depth: f64, modulus: f64, r: f64) -> f64 {
    let low = r - depth;
    // With x² + low² = ρ² on the disc: ∫ 2π x dx = ∫ 2π ρ dρ.
    2.0 * PI * modulus / r * (r * (r * r - low * low) / 2.0 - (r.powi(3) - low.powi(3)) / 3.0)
}

fn ball(modulus: f64, height: f64, surface: [f64; 2]) -> Scene {
    on_floor(
        compliant(modulus),
        |b| b.body("ball").at([0.0, 0.0, height]).free_joint().sphere(0.05).mass(1.0),
        surface,
    )
}

#[test]
fn analytic_a_ball_rests_at_its_depth() {
    let scene = ball(1e5, 0.05, [40.0, 0.5]);
    for method in [Method::icf().with_step(1e-2), Method::icf().with_step(1e-3), Method::cenic(1e-3)] {
        let x = end(&scene, &method, &[], 3.0);
        let force = ball_force(0.05 - x.q[2], 1e5, 0.05);
        // Discretisation of the field: 0.14 % of the force at these depths.
        assert!((force / G - 1.0).abs() < 5e-3, "{}: {force} at {}", method.describe(), 0.05 - x.q[2]);
    }
}

/// What rolls on an area keeps its speed: the surface is that of the end of the step, stepped back.
#[test]
fn analytic_a_ball_rolls_on() {
    for dt in [1e-3, 5e-3, 1e-2] {
        let scene = ball(1e6, 0.0482, [0.0, 0.5]);
        for v in [0.3, 1.0, 3.0] {
            let x = end(&scene, &Method::icf().with_step(dt), &[v, 0.0, 0.0, 0.0, v / 0.05, 0.0], 1.0);
            println!("{dt} {v}: {} {} {}", x.v[0] / v, x.v[4] * 0.05 / v, x.q[2]);
        }
    }
}

/// Heights and energies of a run.
struct Energies<'a> {
    sys: signorini_multibody::RigidSystem,
    model: &'a Scene,
    low: f64,
    high: f64,
    top: f64,
    deepest: f64,
    last: f64,
}

impl StepObserver for Energies<'_> {
    fn accepted(&mut self, step: &AcceptedStep<'_>) {
        let e = self.sys.energy(step.x1);
        let total = e.kinetic + e.potential + e.contact;
        (self.low, self.high, self.last) = (self.low.min(total), self.high.max(total), total);
        self.deepest = self.deepest.min(step.x1.q[2]);
        if step.x1.v[2] < 0.0 && step.x0.v[2] >= 0.0 {
            self.top = step.x1.q[2];
        }
        let _ = self.model;
    }
}

#[test]
fn analytic_a_ball_bounces_back() {
    let scene = ball(1e6, 0.25, [0.0, 0.5]);
    for (name, method) in [
        ("1e-4", Method::icf().with_step(1e-4)),
        ("1e-3", Method::icf().with_step(1e-3)),
        ("cenic 1e-2", Method::cenic(1e-2)),
        ("cenic 1e-3", Method::cenic(1e-3)),
        ("cenic 1e-5", Method::cenic(1e-5)),
    ] {
        let mut sys = method.system(&scene).unwrap();
        let mut x = sys.initial_state(None).unwrap();
        let mut e = Energies {
            sys: method.system(&scene).unwrap(),
            model: &scene,
            low: f64::INFINITY,
            high: 0.0,
            top: 0.0,
            deepest: 1.0,
            last: 0.0,
        };
        method.integrator().unwrap().advance(&mut sys, &mut x, 0.65, &mut e).unwrap();
        println!("{name}: {} {} last {} top {} deepest {}", e.low, e.high, e.last, e.top, e.deepest);
    }
}

#[test]
fn analytic_areas_throw() {
    for v in [1.0, 5.0, 20.0] {
        for modulus in [1e6, 1e7] {
            for (name, method) in [
                ("1e-2", Method::icf().with_step(1e-2)),
                ("1e-3", Method::icf().with_step(1e-3)),
                ("cenic 1e-1", Method::cenic(1e-1)),
                ("cenic 1e-2", Method::cenic(1e-2)),
                ("cenic 1e-3", Method::cenic(1e-3)),
            ] {
                let scene = ball(modulus, 0.3, [0.0, 0.5]);
                let mut sys = method.system(&scene).unwrap();
                let mut x = sys.initial_state(None).unwrap();
                x.v[2] = -v;
                let mut e = Energies {
                    sys: method.system(&scene).unwrap(),
                    model: &scene,
                    low: f64::INFINITY,
                    high: 0.0,
                    top: 0.0,
                    deepest: 1.0,
                    last: 0.0,
                };
                let r = method.integrator().unwrap().advance(&mut sys, &mut x, 0.3, &mut e);
                println!(
                    "{v} {modulus:e} {name}: energy {:.3}..{:.3} z {:.3} deepest {:.4} {}",
                    e.low,
                    e.high,
                    x.q[2],
                    e.deepest,
                    r.is_ok()
                );
            }
        }
    }
}
