//! Along paths: the force has no jumps, and, where no polygon is left out, no work is done in a circle.

use std::f64::consts::TAU;
use std::sync::{Arc, OnceLock};

use proptest::prelude::*;
use signorini_core::na::{Translation3, UnitQuaternion};
use signorini_geometry::pressure::{ContactSurface, PressureField, SurfaceOptions};
use signorini_geometry::{Neighbours, Shape};

use crate::pressure_common::{Body, DROP, FADE, KEEP, P, Pose, V, angle_iron, soft_shapes};

fn bodies() -> &'static Vec<Body> {
    static BODIES: OnceLock<Vec<Body>> = OnceLock::new();
    BODIES.get_or_init(|| {
        let mut out = soft_shapes(3, |s| {
            let parts = if matches!(s, Shape::Mesh(_)) { 3.0 } else { 2.0 };
            Some(parts * PressureField::default_resolution(s))
        });
        out.push(Body::rigid(&Shape::Mesh(Arc::new(angle_iron()))));
        out.push(Body::rigid(&Shape::Box { half_extents: V::new(0.1, 0.07, 0.05) }));
        out.push(Body::rigid(&Shape::HalfSpace));
        out.push(Body::ground(0.1, 1e6));
        out
    })
}

/// A closed path of B about A: place and turn run about ellipses.
#[derive(Clone, Debug)]
struct Path {
    place: [V; 3],
    turn: [V; 3],
}

fn path(reach: f64, swing: f64) -> impl Strategy<Value = Path> {
    let vector = |size: f64| prop::array::uniform3(-size..size).prop_map(V::from);
    let spread = |size: f64| (vector(size), vector(size), vector(0.5 * size)).prop_map(|(a, b, c)| [a, b, c]);
    (spread(reach), spread(swing)).prop_map(|(place, turn)| Path { place, turn })
}

impl Path {
    fn at(&self, s: f64) -> Pose {
        let wave = |w: &[V; 3]| w[0] + w[1] * (TAU * s).sin() + w[2] * (TAU * s).cos();
        Pose::from_parts(
            Translation3::from(wave(&self.place)),
            UnitQuaternion::from_scaled_axis(wave(&self.turn)),
        )
    }
}

/// A step of a walk: place, turn, and the digits by which it is smaller than the body.
fn step() -> impl Strategy<Value = (V, V, f64)> {
    let vector = || prop::array::uniform3(-1.0..1.0).prop_map(V::from);
    (vector(), vector(), 1.0..6.0)
}

/// Force \[N\] and moment about the origin over 0.1 m \[N\] along a path in `n` steps.
fn wrenches(a: &Body, b: &Body, path: &Path, n: usize, options: &SurfaceOptions) -> Vec<[V; 2]> {
    let mut s = ContactSurface::new();
    (0..=n)
        .map(|k| {
            s.find(&a.side(), &Pose::identity(), &b.side(), &path.at(k as f64 / n as f64), options).unwrap();
            [s.force(), s.moment(&P::origin()) / 0.1]
        })
        .collect()
}

fn largest_jump(w: &[[V; 2]]) -> f64 {
    w.windows(2).map(|p| (p[1][0] - p[0][0]).norm().max((p[1][1] - p[0][1]).norm())).fold(0.0, f64::max)
}

/// The largest jump of a path with the step that has it halved `halvings` times: a jump stays, a slope does not.
fn bisected(a: &Body, b: &Body, path: &Path, n: usize, halvings: u32, options: &SurfaceOptions) -> [f64; 2] {
    let w = wrenches(a, b, path, n, options);
    let size = |p: &[[V; 2]]| largest_jump(p);
    let Some(k) = (0..n).max_by(|i, j| size(&w[*i..i + 2]).total_cmp(&size(&w[*j..j + 2]))) else {
        return [0.0; 2];
    };
    let first = size(&w[k..k + 2]);
    let mut s = ContactSurface::new();
    let mut at = |t: f64| {
        s.find(&a.side(), &Pose::identity(), &b.side(), &path.at(t), options).unwrap();
        [s.force(), s.moment(&P::origin()) / 0.1]
    };
    let (mut low, mut high) = (k as f64 / n as f64, (k + 1) as f64 / n as f64);
    let (mut from, mut to) = (w[k], w[k + 1]);
    for _ in 0..halvings {
        let middle = 0.5 * (low + high);
        let between = at(middle);
        if size(&[from, between]) >= size(&[between, to]) {
            (high, to) = (middle, between);
        } else {
            (low, from) = (middle, between);
        }
    }
    [first, size(&[from, to])]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn property_force_is_continuous_along_paths(i in 0usize..18, j in 0usize..14, path in path(0.07, 1.0), fades in any::<bool>()) {
        let (a, b) = (&bodies()[i], &bodies()[j]);
        let options = if fades { FADE } else { KEEP };
        let [first, last] = bisected(a, b, &path, 100, 12, &options);
        // A slope falls by 4096; where it is steepest within the step by less.
        prop_assert!(last <= first / 100.0 + 1e-4, "{first} N, then {last} N");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn property_no_work_in_a_circle(i in 0usize..18, j in 0usize..14, path in path(0.07, 0.5)) {
        let (a, b) = (&bodies()[i], &bodies()[j]);
        let [work, turnover] = circle(a, b, &path, 200, &KEEP);
        // The trapezoid rule: of second order in the steps, with kinks where contact begins.
        prop_assert!(work.abs() < 2e-3 * turnover + 1e-6, "{work} J of {turnover} J");
    }
}

/// Work around a closed path and the sum of its magnitudes \[J\].
fn circle(a: &Body, b: &Body, path: &Path, n: usize, options: &SurfaceOptions) -> [f64; 2] {
    let w = wrenches(a, b, path, n, options);
    let (mut work, mut turnover) = (0.0, 0.0);
    for k in 0..n {
        let (from, to) = (path.at(k as f64 / n as f64), path.at((k + 1) as f64 / n as f64));
        // Force and moment about the body's origin, halfway.
        let turn = (to.rotation * from.rotation.inverse()).scaled_axis();
        let way = to.translation.vector - from.translation.vector;
        let about = |s: usize, x: &Pose| w[s][1] * 0.1 - x.translation.vector.cross(&w[s][0]);
        let (force, moment) = (0.5 * (w[k][0] + w[k + 1][0]), 0.5 * (about(k, &from) + about(k + 1, &to)));
        let part = force.dot(&way) + moment.dot(&turn);
        work += part;
        turnover += part.abs();
    }
    [work, turnover]
}

/// The rule of the paper leaves polygons out at 5π/8 to a gradient, where their pressure is not zero.
#[test]
fn property_the_rule_of_the_paper_jumps_and_does_work() {
    // A thin plate deep in a softer block, turned about an edge and back.
    let plate = Body::soft(&Shape::Box { half_extents: V::new(0.05, 0.05, 0.01) }, 1e7);
    let block = Body::soft(&Shape::Box { half_extents: V::repeat(0.2) }, 1e6);
    let path = Path {
        place: [V::new(0.0, 0.0, 0.14), V::new(0.01, 0.0, 0.02), V::new(0.0, 0.01, 0.01)],
        turn: [V::x() * 0.7, V::new(0.9, 0.3, 0.0), V::new(0.0, 0.4, 0.3)],
    };
    let mut left = Vec::new();
    for (name, options) in [("keep", KEEP), ("fade", FADE), ("drop", DROP)] {
        let [first, last] = bisected(&block, &plate, &path, 100, 30, &options);
        let [work, turnover] = circle(&block, &plate, &path, 2000, &options);
        println!(
            "{name}: largest jump {first:.3} N, after 30 halvings {last:.1e} N; work in a circle {work:.2e} J of {turnover:.2e} J"
        );
        left.push((last / first, work.abs() / turnover));
    }
    assert!(left[0].0 < 1e-4 && left[1].0 < 1e-4, "{left:?}");
    assert!(left[2].0 > 0.1, "the published rule jumps: {left:?}");
    assert!(left[0].1 < 1e-4, "an energy: {left:?}");
    assert!(left[2].1 > 10.0 * left[0].1, "no energy: {left:?}");
}

/// Sliding over an edge, and making and breaking contact.
#[test]
fn property_force_is_continuous_over_an_edge() {
    let table = Body::soft(&Shape::Box { half_extents: V::new(0.2, 0.2, 0.05) }, 1e7);
    let hard = Body::rigid(&Shape::Box { half_extents: V::new(0.2, 0.2, 0.05) });
    for body in [
        Body::soft(&Shape::Box { half_extents: V::repeat(0.05) }, 1e7),
        Body::soft(&Shape::Sphere { radius: 0.05 }, 1e7),
        Body::soft(&Shape::Cylinder { radius: 0.05, half_length: 0.05 }, 1e7),
    ] {
        for base in [&table, &hard] {
            let slide =
                Path { place: [V::new(0.2, 0.0, 0.099), V::x() * 0.1, V::zeros()], turn: [V::zeros(); 3] };
            let dip =
                Path { place: [V::new(0.2, 0.0, 0.1), V::z() * 0.004, V::zeros()], turn: [V::zeros(); 3] };
            for path in [slide, dip] {
                let w = |n| largest_jump(&wrenches(base, &body, &path, n, &FADE));
                let jumps = [200, 400, 800, 1600].map(w);
                println!("largest steps {jumps:.2?} N");
                // Halved steps: within the roughness of a mesh half the change.
                assert!(jumps[0] > 1.0 && jumps.windows(2).all(|j| j[1] < 0.7 * j[0]), "{jumps:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn property_surfaces_are_those_without_a_past(
        i in 0usize..18,
        j in 0usize..18,
        flush in any::<bool>(),
        start in path(0.06, 1.0),
        steps in prop::collection::vec((step(), 1usize..8), 5),
    ) {
        let all = bodies();
        let (a, b) = (&all[i % all.len()], &all[j % all.len()]);
        let (mut near, mut x) = (Neighbours::default(), if flush { Pose::identity() } else { start.at(0.0) });
        let [mut kept, mut fresh] = [ContactSurface::new(), ContactSurface::new()];
        let options = SurfaceOptions { keeps_vertices: true, ..FADE };
        for ((place, turn, digits), times) in steps {
            for _ in 0..times {
                let size = 0.1 * 10f64.powf(-digits);
                let turn = UnitQuaternion::from_scaled_axis(turn * size * 5.0);
                x = Pose::from_parts(Translation3::from(x.translation.vector + place * size), turn * x.rotation);
                let at = Pose::identity();
                let found = near.surface([&a.side(), &b.side()], [&at, &x], &options, &mut kept);
                let expected = fresh.find(&a.side(), &at, &b.side(), &x, &options);
                prop_assert_eq!(found.is_ok(), expected.is_ok());
                prop_assert_eq!(kept.polygons(), fresh.polygons());
                prop_assert_eq!(kept.vertices(), fresh.vertices());
            }
        }
    }
}
