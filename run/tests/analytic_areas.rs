//! Bodies that meet over areas, against closed forms.

use std::f64::consts::PI;
use std::sync::Arc;

use signorini_core::na::{Isometry3, UnitQuaternion, Vector3};
use signorini_core::{AcceptedStep, NoObserver, State, StepObserver, System};
use signorini_geometry::{Shape, TriangleMesh};
use signorini_multibody::RigidSystem;
use signorini_run::areas::area_doubts;
use signorini_run::names::law;
use signorini_run::recorder::{Recorder, RecordingStart, RunLabels};
use signorini_run::{Method, Recording};
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

/// What rolls on an area keeps its speed: the surface is that of the end of the step, stepped back. One of the start would slow it at the rate δt ∫ g x² dA/(7/5 m r²), 1.4/s at 10 ms.
#[test]
fn analytic_a_ball_rolls_on() {
    let (r, modulus) = (0.05, 1e6);
    // It rolls on the radius that is left above the plane.
    let depth = 0.00179;
    let left = r - depth;
    for dt in [1e-3, 5e-3, 1e-2] {
        let scene = ball(modulus, left, [0.0, 0.5]);
        for v in [0.3, 1.0, 3.0] {
            let start = [v, 0.0, 0.0, 0.0, v / left, 0.0];
            let x = end(&scene, &Method::icf().with_step(dt), &start, 2.0);
            // Facets: their edges are 0.1 % off the round.
            assert!((x.v[0] / v - 1.0).abs() < 2e-3, "{dt} {v}: {:?}", x.v);
            assert!((x.v[4] * left / v - 1.0).abs() < 2e-3, "{dt} {v}: {:?}", x.v);
        }
    }
}

/// Energy of a bounce: at first, the largest and the last, and how often it turned.
struct Energies {
    sys: RigidSystem,
    first: f64,
    high: f64,
    last: f64,
    impacts: u32,
}

impl StepObserver for Energies {
    fn accepted(&mut self, step: &AcceptedStep<'_>) {
        let e = self.sys.energy(step.x1);
        self.last = e.kinetic + e.potential + e.contact;
        self.high = self.high.max(self.last);
        self.impacts += u32::from(step.x1.v[2] > 0.0 && step.x0.v[2] <= 0.0);
    }
}

fn bounce(method: &Method, modulus: f64, time: f64) -> Energies {
    let scene = ball(modulus, 0.25, [0.0, 0.5]);
    let mut sys = method.system(&scene).unwrap();
    let mut x = sys.initial_state(None).unwrap();
    let first = G * 0.25;
    let mut e = Energies { sys: method.system(&scene).unwrap(), first, high: 0.0, last: 0.0, impacts: 0 };
    method.integrator().unwrap().advance(&mut sys, &mut x, time, &mut e).unwrap();
    e
}

/// Without dissipation an impact loses energy by the order of the step alone, and gains none; the energy of areas is that of their columns.
#[test]
fn order_energy_of_a_bounce_is_one() {
    let lost = |dt: f64| {
        let e = bounce(&Method::icf().with_step(dt), 1e6, 0.3);
        assert_eq!(e.impacts, 1, "{dt}");
        // Columns of a surface at 13 mm of 50 hold 1 % more than the field below them.
        assert!(e.high < 1.015 * e.first, "{dt}: {} of {}", e.high, e.first);
        1.0 - e.last / e.first
    };
    let lost = [4e-4, 2e-4, 1e-4, 5e-5].map(lost);
    for pair in lost.windows(2) {
        assert!((pair[0] / pair[1]).log2() > 0.85 && pair[1] > 0.0, "{lost:?}");
    }
    assert!(lost[3] < 0.03, "{lost:?}");
}

/// Error control leaves an impact its rebound, as it does that of a point.
#[test]
fn analytic_error_control_leaves_a_bounce_its_height() {
    for (accuracy, part) in [(1e-3, 0.9), (1e-5, 0.9)] {
        let e = bounce(&Method::cenic(accuracy), 1e6, 0.3);
        // A thirty-second of the speed may be lost.
        assert!(e.last > part * e.first && e.high < 1.015 * e.first, "{accuracy}: {} of {}", e.last, e.first);
    }
}

/// Friction of an even pressure brakes a disc that spins on its face by α = 4 μ g/(3 R), under laws of lagged and of implicit friction, and nothing lifts it.
#[test]
fn analytic_a_spinning_disc_is_braked() {
    let (r, half, mu, spin, time) = (0.1, 0.02, 0.3, 20.0, 0.3);
    let disc =
        |b: SceneBuilder| b.body("disc").at([0.0, 0.0, half]).free_joint().cylinder(r, half).density(1000.0);
    let scene = on_floor(compliant(1e7), disc, [20.0, mu]);
    let expected = spin - 4.0 * mu * G / (3.0 * r) * time;
    for name in ["lagged", "similar"] {
        let errors = [2e-3, 1e-3, 5e-4].map(|dt| {
            let method = Method::icf().with_step(dt).with_law(law(name, false).unwrap()).unwrap();
            let x = end(&scene, &method, &[0.0, 0.0, 0.0, 0.0, 0.0, spin], time);
            // Discretisation: implicit friction presses by the change of slip within the step, δt² μ² g.
            let lift = (x.q[2] - half).abs();
            assert!(lift < 2.0 * dt * dt * mu * mu * G + 1e-5, "{name} at {dt}: {lift}");
            (x.v[5] - expected).abs() / (spin - expected)
        });
        // Model: facets of the rim, and stiction below 1 mm/s; discretisation: order one in the step.
        assert!(errors.iter().all(|e| *e < 0.05) && errors[2] < 0.01, "{name}: {errors:?}");
    }
}

/// Two compliant boxes on each other, and a stack of ten, rest at long steps.
#[test]
fn analytic_stacks_rest() {
    for n in [2, 10] {
        let mut b = SceneBuilder::new("stack").half_space().hydroelastic(Hydroelastic::rigid());
        for i in 0..n {
            let z = 0.05 + 0.1 * f64::from(i);
            let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.3 * f64::from(i));
            b = b.body(format!("b{i}")).at([0.0, 0.0, z]).rotated(turn).free_joint();
            b = b.cuboid([0.05; 3]).mass(0.5).hydroelastic(compliant(1e6));
        }
        let scene = b.build().unwrap();
        for dt in [1e-3, 1e-2] {
            let x = end(&scene, &Method::icf().with_step(dt), &[], 2.0);
            for i in 0..n as usize {
                let [px, py, z] = [0, 1, 2].map(|k| x.q[7 * i + k]);
                let at = 0.05 + 0.1 * i as f64;
                // Friction creeps by its regularisation, over two seconds; surfaces of k = E A/2c carry up to n weights each.
                let sunk = 0.5 * f64::from(n * (n + 1)) * 0.5 * G / (1e6 / 0.1 * 0.01);
                let rests = px.hypot(py) < 1e-5 && z < at && at - z < 1.1 * sunk;
                assert!(rests, "{n} {dt} {i}: {px} {py} {z}");
            }
            assert!(x.v.iter().all(|v| v.abs() < 1e-4), "{n} {dt}: {:?}", x.v);
        }
    }
}

/// A tilted cylinder falls, lies down and rolls out; an edge does not catch.
#[test]
fn analytic_a_cylinder_comes_to_lie() {
    let tilt = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), 1.2);
    let scene = on_floor(
        compliant(1e6),
        |b| b.body("can").at([0.0, 0.0, 0.15]).rotated(tilt).free_joint().cylinder(0.05, 0.08).mass(1.0),
        [10.0, 0.5],
    );
    for method in [Method::icf().with_step(2e-3), Method::cenic(1e-2), Method::cenic(1e-3)] {
        let x = end(&scene, &method, &[], 3.0);
        let axis = UnitQuaternion::from_quaternion(signorini_core::na::Quaternion::new(
            x.q[3], x.q[4], x.q[5], x.q[6],
        )) * Vector3::z_axis();
        assert!(axis.z.abs() < 1e-2, "{}: {axis:?}", method.describe());
        assert!((x.q[2] - 0.05).abs() < 2e-3, "{}: {}", method.describe(), x.q[2]);
    }
}

/// Every thread makes the numbers of every other.
/// The polygons of coarse round shapes stand out of them, so that a body on their edges has a gap by its shapes. It rests all the same, and does not fly, which would give it the speed g δt/2.
#[test]
fn analytic_what_stands_on_edges_of_its_surface_rests() {
    let (r, half) = (0.01, 0.05);
    // Twelve sides; their first corner is along x of the cylinder, which is turned down.
    let rail = Hydroelastic::compliant(1e8).with_resolution(0.7 * r);
    let lying = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), PI / 2.0);
    let mut b = SceneBuilder::new("rails").half_space().hydroelastic(Hydroelastic::rigid()).friction(0.5);
    b = b.body("tray").at([0.0, 0.0, 0.012]).free_joint().cuboid([half, half, 2e-3]).mass(0.3);
    for y in [-0.04, 0.04] {
        let pose = Isometry3::from_parts(Vector3::new(0.0, y, 0.0).into(), lying);
        b = b.cylinder(r, half).geom_pose(pose).mass(0.05).hydroelastic(rail).friction(0.5);
        b = b.surface(|s| s.dissipation = Some(50.0));
    }
    let scene = b.build().unwrap();
    for dt in [1e-2, 5e-3] {
        let x = end(&scene, &Method::icf().with_step(dt), &[], 1.0);
        assert!(x.q[2] > 1.01 * r, "it stands on its edges: {:?}", x.q);
        // Round-off, and what is left of the fall by 2 mm: a thousandth of the speed of flight.
        assert!(x.v.iter().all(|v| v.abs() < 1e-3 * G * dt / 2.0), "{dt}: {:?}", x.v);
    }
}

#[test]
fn analytic_threads_agree() {
    let scene = ball(1e6, 0.15, [1.0, 0.5]);
    let run = || end(&scene, &Method::cenic(1e-3), &[0.5, 0.0, 0.0, 1.0, 2.0, 3.0], 0.5);
    let alone = run();
    std::thread::scope(|s| {
        for other in [s.spawn(run), s.spawn(run), s.spawn(run)] {
            assert_eq!(other.join().unwrap().q, alone.q);
        }
    });
}

/// A recording has one contact for an area, whose wrench carries the body.
#[test]
fn analytic_recordings_have_one_wrench_for_an_area() {
    let scene = on_floor(
        compliant(1e6),
        |b| b.body("box").at([0.0, 0.0, 0.04]).free_joint().cuboid([0.05, 0.08, 0.04]).mass(2.0),
        [40.0, 0.5],
    );
    let method = Method::icf().with_step(1e-2);
    let mut sys = method.system(&scene).unwrap();
    let mut x = sys.initial_state(None).unwrap();
    let mut recorder = Recorder::new(&scene, &method, &x, sys.held()).unwrap();
    method.integrator().unwrap().advance(&mut sys, &mut x, 1.0, &mut recorder).unwrap();
    let r = recorder.recording;
    let last = r.contact_row.len() - 1;
    assert_eq!(r.contact_row.iter().filter(|row| **row == r.contact_row[last]).count(), 1);
    let [j, l] = [&r.contact_impulse[3 * last..], &r.contact_angular_impulse[3 * last..]];
    let weight = 2.0 * G * r.contact_dt[last];
    assert!((j[0] / weight - 1.0).abs() < 1e-6 && j[1].hypot(j[2]) < 1e-6 * weight, "{j:?}");
    // It acts under the middle of the box, so that nothing turns.
    assert!(l.iter().all(|l| l.abs() < 1e-8 * weight), "{l:?}");
    let p = &r.contact_point[3 * last..];
    assert!(p[0].hypot(p[1]) < 1e-8, "{p:?}");
}

/// Surfaces of a recording carry the weight of a body at rest, at the place of the wrench; none are recorded where nobody asks.
#[test]
fn analytic_recorded_surfaces_carry_the_weight() {
    let scene = on_floor(
        compliant(1e5),
        |b| b.body("drum").at([0.0, 0.0, 0.05]).free_joint().cylinder(0.06, 0.05).mass(2.0),
        [40.0, 0.5],
    );
    let method = Method::icf().with_step(5e-3);
    let of = |surfaces: bool| {
        let mut sys = method.system(&scene).unwrap();
        let mut x = sys.initial_state(None).unwrap();
        let labels = RunLabels::of(&method);
        let start = RecordingStart { scene: &scene, labels, x0: &x, held: sys.held(), surfaces };
        let mut recorder = Recorder::of_method(start, &method, Recording::default()).unwrap();
        method.integrator().unwrap().advance(&mut sys, &mut x, 2.0, &mut recorder).unwrap();
        recorder.recording
    };
    let r = of(true);
    let last = r.len() - 1;
    let (mut force, mut moment, mut highest) = (Vector3::zeros(), Vector3::zeros(), 0.0_f64);
    for i in r.surfaces.of_row(last) {
        let [(a, p), (b, q), (c, s)] =
            r.surfaces.triangle(i).map(|(x, p)| (Vector3::from(x.map(f64::from)), f64::from(p)));
        let area = 0.5 * (b - a).cross(&(c - a));
        force += area * ((p + q + s) / 3.0);
        // ∫ x p over a triangle: A/12 (Σ x Σ p + Σ x p).
        let middle = ((a + b + c) * (p + q + s) + a * p + b * q + c * s) / 12.0;
        moment += middle.cross(&area);
        highest = highest.max(p).max(q).max(s);
    }
    // Geom A is the floor: normals lead into the drum.
    assert!((force - Vector3::z() * 2.0 * G).norm() < 1e-3 * 2.0 * G, "{force}");
    assert!(moment.norm() < 1e-3 * 2.0 * G * 0.06, "{moment}");
    assert!((highest - f64::from(r.surfaces.highest(last))).abs() < 1e-9 * highest);
    assert!(r.surfaces.of_row(0).is_empty(), "it touches only");
    let without = of(false);
    assert!(without.surfaces.row.is_empty() && !without.header.has_surfaces);
    assert_eq!(without.q, r.q);
}

/// What rests deep by its softness is told with the modulus that is needed, which is enough; no stiffness is asked for, which areas do not read.
#[test]
fn analytic_a_deep_rest_is_told_with_its_modulus() {
    let lines = |modulus: f64, face: bool| {
        let scene = on_floor(
            compliant(modulus),
            |b| {
                let b = b.body("soft").at([0.0, 0.0, 0.05]).free_joint();
                if face { b.cuboid([0.05; 3]).mass(2.0) } else { b.sphere(0.05).mass(2.0) }
            },
            [40.0, 0.5],
        );
        let method = Method::cenic(1e-3);
        let mut sys = method.system(&scene).unwrap();
        let mut x = sys.initial_state(None).unwrap();
        let mut recorder = Recorder::new(&scene, &method, &x, sys.held()).unwrap();
        method.integrator().unwrap().advance(&mut sys, &mut x, 3.0, &mut recorder).unwrap();
        recorder.recording.header.warnings
    };
    for face in [true, false] {
        let modulus = if face { 1e4 } else { 5e4 };
        let told = lines(modulus, face);
        let line = told.iter().find(|w| w.starts_with("depth at rest")).unwrap_or_else(|| panic!("{told:?}"));
        assert!(line.contains("hydroelastic_modulus") && !line.contains("--stiffness"), "{line}");
        let numbers: Vec<f64> = line
            .split(' ')
            .zip(line.split(' ').skip(1))
            .filter(|w| w.1 == "times")
            .filter_map(|w| w.0.parse().ok())
            .collect();
        let factor = numbers[usize::from(!face)];
        let after = lines(1.1 * factor * modulus, face);
        assert!(after.iter().all(|w| !w.starts_with("depth at rest")), "{factor}: {after:?}");
    }
}

/// Fields that are too soft for their walls are told of once for each shape and resolution, by a run too.
#[test]
fn analytic_soft_fields_are_told() {
    let cup = |t: f64| {
        let rings = [[0.04, 0.0], [0.04, 0.09], [0.04 - t, 0.09], [0.04 - t, t]];
        Shape::Mesh(Arc::new(TriangleMesh::revolved(24, &rings, [0.0, t]).unwrap()))
    };
    let (thin, thick) = (cup(0.006), cup(0.012));
    let mut b = SceneBuilder::new("cups");
    for (name, shape, resolution) in [("a", &thin, 0.006), ("b", &thin, 0.006), ("c", &thick, 0.005)] {
        let kind = compliant(1e6).with_resolution(resolution);
        b = b.body(name).free_joint().shape(shape.clone()).hydroelastic(kind).mass(0.2);
    }
    let scene = b.build().unwrap();
    let told = area_doubts(&scene);
    assert_eq!(told.len(), 1, "{told:?}");
    for part in ["geom 'a_geom0' (and 1 more): ", "6.000e-3 m", "mesh_resolution_hint"] {
        assert!(told[0].contains(part), "{part}: {told:?}");
    }
    let method = Method::icf().with_step(1e-3);
    let mut x = method.system(&scene).unwrap().initial_state(None).unwrap();
    let recording = signorini_run::run(&scene, &method, &mut x, 1e-3).unwrap().0;
    assert!(recording.header.warnings.contains(&told[0]));
}

/// Rigid meshes that are open or cut through themselves are told of, and bodies that are sound are not.
#[test]
fn analytic_doubtful_rigid_meshes_are_told() {
    let cube = TriangleMesh::cuboid(&Vector3::repeat(0.1)).unwrap();
    let open = TriangleMesh::new(cube.vertices().to_vec(), cube.triangles()[1..].to_vec()).unwrap();
    let moved = cube.transformed(&Isometry3::translation(0.05, 0.03, 0.02));
    let both = [cube.vertices(), moved.vertices()].concat();
    let shift = cube.vertices().len() as u32;
    let second = moved.triangles().iter().map(|t| t.map(|i| i + shift));
    let crossing = TriangleMesh::new(both, cube.triangles().iter().copied().chain(second).collect()).unwrap();
    let told = |mesh: TriangleMesh| {
        let b = SceneBuilder::new("meshes")
            .shape(Shape::Mesh(Arc::new(mesh)))
            .hydroelastic(Hydroelastic::rigid());
        let b = b.body("ball").at([0.0, 0.0, 1.0]).free_joint().sphere(0.05).mass(0.1);
        area_doubts(&b.hydroelastic(compliant(1e6)).build().unwrap())
    };
    assert_eq!(told(cube), Vec::<String>::new());
    for (mesh, words) in [
        (open, ["3 open", "none where it has a gap"]),
        (crossing, ["cuts through itself at triangles", "mend it"]),
    ] {
        let told = told(mesh);
        assert!(told.len() == 1 && words.iter().all(|w| told[0].contains(w)), "{told:?}");
    }
}
