//! Bodies that are thrown at others meet them, and are left alone where they fly past: whatever the shapes, the speed, the spin, the step and the solver.

use std::collections::BTreeMap;
use std::fmt::Write;

use proptest::prelude::*;
use signorini_core::na::{Translation3, UnitQuaternion, Vector3};
use signorini_core::{AcceptedStep, NoObserver, State, StepObserver};
use signorini_geometry::{Shape, contacts};
use signorini_multibody::Kinematics;
use signorini_run::Method;
use signorini_run::names::law;
use signorini_scene::{GeomShape, LoadOptions, Pose, Scene};
use signorini_testkit::data;
use signorini_testkit::rng::Rng;

/// Part of the thinner body that a flight overlaps where it hits for certain.
const HITS: f64 = 0.2;
/// Gap from which bodies fly past each other \[m\].
const PAST: f64 = 1e-3;
/// Part of the speed that contact changes at least.
const TOUCHED: f64 = 1e-4;
/// Throws of a case.
const THROWS: u64 = 20;

/// A body thrown at one that stands still.
struct Throw {
    scene: Scene,
    /// The flight without contact.
    free: Scene,
    v: [f64; 6],
    time: f64,
    /// Thinner side of the two, and the overlap of a flight that hits for certain \[m\].
    thin: f64,
    hits: f64,
    /// Sum of the radii \[m\].
    radius: f64,
    kinds: [usize; 2],
}

/// A mesh of a box without its corner towards +x and +y, or whole where the corner is all of it, as MJCF.
fn angle(name: &str, half: [f64; 3], cut: f64) -> String {
    let [x, y, z] = half;
    let ring = [(-x, -y), (x, -y), (x, y * cut), (x * cut, y * cut), (x * cut, y), (-x, y)];
    let vertices: String = [-z, z].iter().flat_map(|z| ring.map(|(x, y)| format!("{x} {y} {z} "))).collect();
    // Convex parts of the ring share corners 0 and 3.
    let cap = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]];
    let sides = (0..6).flat_map(|k| {
        let l = (k + 1) % 6;
        [[k, l, l + 6], [k, l + 6, k + 6]]
    });
    let caps = cap.iter().flat_map(|[a, b, c]| [[*a, *c, *b], [a + 6, b + 6, c + 6]]);
    let faces: String = caps.chain(sides).map(|[a, b, c]| format!("{a} {b} {c} ")).collect();
    format!("<mesh name='{name}' vertex='{vertices}' face='{faces}'/>")
}

/// Kinds of geoms, in the order in which they are drawn.
const KINDS: [&str; 10] =
    ["sphere", "capsule", "cylinder", "ellipsoid", "box", "plate", "needle", "angle", "thin angle", "hull"];

/// A geom as MJCF, its radius and its thinnest side \[m\], and its kind; `surfaces`: also meshes whose triangles collide.
fn geom(rng: &mut Rng, asset: &mut String, name: &str, surfaces: bool) -> (String, f64, f64, usize) {
    let s = rng.log_uniform(0.03, 0.15);
    let [x, y, z] = [0; 3].map(|_| rng.uniform(0.3, 1.0) * s);
    let far = |x: f64, y: f64, z: f64| Vector3::new(x, y, z).norm();
    let drawn = rng.below(if surfaces { 14 } else { 8 });
    let kind = match drawn {
        k @ 0..=6 => k,
        8..=9 => 7,
        10..=11 => 8,
        _ => 9,
    };
    let (text, radius, thin) = match drawn {
        0 => (format!("type='sphere' size='{s}'"), s, 2.0 * s),
        1 => (format!("type='capsule' size='{x} {s}'"), s + x, 2.0 * x),
        2 => (format!("type='cylinder' size='{x} {y}'"), x.hypot(y), 2.0 * x.min(y)),
        3 => (format!("type='ellipsoid' size='{x} {y} {z}'"), s, 2.0 * x.min(y).min(z)),
        4 => (format!("type='box' size='{x} {y} {z}'"), far(x, y, z), 2.0 * x.min(y).min(z)),
        // A thin plate, a needle and a hull.
        5 => (format!("type='box' size='{s} {x} {}'", 0.03 * s), s.hypot(x), 0.06 * s),
        6 => (format!("type='capsule' size='{} {}'", 0.05 * s, 2.0 * s), 2.05 * s, 0.1 * s),
        // An angle, a plate and a needle of triangles.
        8..=9 => {
            let cut = rng.uniform(-0.4, 0.4);
            asset.push_str(&angle(name, [x, y, z], cut));
            (format!("type='mesh' mesh='{name}'"), far(x, y, z), (1.0 + cut) * x.min(y).min(z))
        }
        10 => {
            asset.push_str(&angle(name, [s, x, 0.03 * s], 0.2));
            (format!("type='mesh' mesh='{name}'"), s.hypot(x), 0.06 * s)
        }
        11 => {
            asset.push_str(&angle(name, [0.05 * s, 0.05 * s, 2.0 * s], 0.2));
            (format!("type='mesh' mesh='{name}'"), 2.05 * s, 0.06 * s)
        }
        _ => {
            let mut vertices = String::new();
            for _ in 0..12 {
                let x = rng.vector::<3>().normalize() * s;
                write!(vertices, "{} {} {} ", x[0], x[1], x[2]).unwrap();
            }
            write!(asset, "<mesh name='{name}' vertex='{vertices}'/>").unwrap();
            (format!("type='mesh' mesh='{name}'"), 1.5 * s, s)
        }
    };
    (text, radius, thin, kind)
}

fn quaternion(rng: &mut Rng) -> String {
    let q = rng.vector::<4>().normalize();
    format!("{} {} {} {}", q[0], q[1], q[2], q[3])
}

/// A throw at 1 to 20 m/s, half of them with a spin of up to 100 rad/s and half of them under gravity, aimed at the body or beside it.
fn throw(seed: u64) -> Throw {
    let rng = &mut Rng::new(seed);
    let mut asset = String::new();
    let surfaces = rng.chance(0.5);
    let (a, of_a, thin_a, kind_a) = geom(rng, &mut asset, "a", surfaces);
    let (b, of_b, thin_b, kind_b) = geom(rng, &mut asset, "b", surfaces);
    let speed = rng.log_uniform(1.0, 20.0);
    let falls = rng.chance(0.5);
    let spin = if rng.chance(0.5) { rng.log_uniform(1.0, 100.0) } else { 0.0 };
    let d = rng.vector::<3>().normalize();
    let beside = rng.vector::<3>();
    let beside = (beside - d.dot(&beside) * d).normalize();
    let aim = beside * rng.uniform(0.0, 1.2) * (of_a.min(of_b) + 0.3 * of_a.max(of_b));
    let time = (of_a + of_b) * rng.uniform(1.5, 4.0) / speed;
    let g = if falls { Vector3::new(0.0, 0.0, -9.81) } else { Vector3::zeros() };
    let p = aim - time * speed * d + 0.5 * time * time * g;
    let v = speed * d - time * g;
    let w = spin * rng.vector::<3>().normalize();
    let turns = [0; 2].map(|_| quaternion(rng));
    let scene = |mask: u32| two_bodies(mask, g.z, &asset, surfaces, [&a, &b], &turns, &p);
    Throw {
        scene: scene(1),
        free: scene(0),
        v: [v.x, v.y, v.z, w.x, w.y, w.z],
        time: 2.0 * time,
        thin: thin_a.min(thin_b),
        hits: HITS * thin_a.min(thin_b),
        radius: of_a + of_b,
        kinds: [kind_a, kind_b],
    }
}

/// A fixed body at the origin and a free one at `p` \[m\], with their geoms and turns, under `gravity` along z \[m/s²\]; they meet where `mask` is not zero.
fn two_bodies(
    mask: u32,
    gravity: f64,
    asset: &str,
    surfaces: bool,
    [a, b]: [&str; 2],
    [qa, qb]: &[String; 2],
    p: &Vector3<f64>,
) -> Scene {
    let text = format!(
        "<mujoco><option gravity='0 0 {gravity}'/><asset>{asset}</asset><default><geom contype='{mask}' conaffinity='{mask}' density='1000'/></default>
         <worldbody><body quat='{qa}'><geom {a}/></body><body pos='{} {} {}' quat='{qb}'><freejoint/><geom {b}/></body></worldbody></mujoco>",
        p.x, p.y, p.z
    );
    let options = LoadOptions { keep_mesh_surfaces: surfaces, ..LoadOptions::default() };
    Scene::from_mjcf(&text, "throw.xml", &options).unwrap()
}

/// Overlap of sharp bodies at which one hits for certain \[m\].
const GLANCES: f64 = 2e-3;

/// A hull of five points, a sphere or a capsule thrown at another of them where nothing falls: they glance off each other by a part of their size, and go apart again within a step.
/// `spins`: at 1 to 6 m/s with 40 to 100 rad/s, otherwise at 1 to 20 m/s with at most 5 rad/s.
fn sharp_throw(seed: u64, spins: bool) -> Throw {
    let rng = &mut Rng::new(seed ^ 0x5a5a);
    let mut asset = String::new();
    let mut geom = |rng: &mut Rng, name: &str| match rng.below(5) {
        0 => ("type='sphere' size='.05'".to_owned(), 0.05),
        1 => ("type='capsule' size='.03 .1'".to_owned(), 0.13),
        _ => {
            let corners: Vec<_> = (0..5).map(|_| rng.vector::<3>() * 0.08).collect();
            let text: String = corners.iter().map(|x| format!("{} {} {} ", x[0], x[1], x[2])).collect();
            write!(asset, "<mesh name='{name}' vertex='{text}'/>").unwrap();
            // About the middle, which the corners are not.
            let far = corners.iter().map(|x| x.norm()).fold(0.0, f64::max);
            (format!("type='mesh' mesh='{name}'"), 2.0 * far)
        }
    };
    let [(a, of_a), (b, of_b)] = ["a", "b"].map(|name| geom(rng, name));
    let speed = rng.log_uniform(1.0, if spins { 6.0 } else { 20.0 });
    let spin = match spins {
        true => rng.uniform(40.0, 100.0),
        false if rng.chance(0.5) => 5.0,
        false => 0.0,
    };
    let d = rng.vector::<3>().normalize();
    let beside = rng.vector::<3>();
    let aim = (beside - d.dot(&beside) * d).normalize() * rng.uniform(0.0, 0.2);
    let time = (of_a + of_b) * rng.uniform(1.1, 2.0) / speed;
    let (p, v) = (aim - time * speed * d, speed * d);
    let w = spin * rng.vector::<3>().normalize();
    let turns = [0; 2].map(|_| quaternion(rng));
    let scene = |mask: u32| two_bodies(mask, 0.0, &asset, false, [&a, &b], &turns, &p);
    Throw {
        scene: scene(1),
        free: scene(0),
        v: [v.x, v.y, v.z, w.x, w.y, w.z],
        time: 2.0 * time,
        thin: GLANCES,
        hits: GLANCES,
        radius: of_a + of_b,
        kinds: [0; 2],
    }
}

/// States after the steps of a run.
#[derive(Default)]
struct Path(Vec<State>);

impl StepObserver for Path {
    fn accepted(&mut self, step: &AcceptedStep<'_>) {
        self.0.push(step.x1.clone());
    }
}

fn fly(scene: &Scene, throw: &Throw, method: &Method) -> Path {
    let mut sys = method.system(scene).unwrap();
    let mut x = sys.initial_state(None).unwrap();
    x.v.copy_from_slice(&throw.v);
    let mut path = Path(vec![x.clone()]);
    method.integrator().unwrap().advance(&mut sys, &mut x, throw.time, &mut path).unwrap();
    path
}

/// Smallest gap along a flight without contact \[m\]: between steps bodies move as these do, in parts of a twentieth of the thinner body.
fn smallest_gap(throw: &Throw, path: &Path) -> f64 {
    let sys = Method::icf().system(&throw.free).unwrap();
    let mut kin = Kinematics::new(sys.model());
    let geoms = &throw.free.geoms;
    let shape = |g: usize| -> &Shape {
        match &geoms[g].shape {
            GeomShape::Solid(s) => s,
            GeomShape::MissingMesh(m) => unreachable!("{m:?}"),
        }
    };
    let mut pose = |x: &State, g: usize| {
        kin.set_positions(sys.model(), &x.q, &[]);
        kin.x_wb[geoms[g].body] * geoms[g].pose
    };
    let still = pose(&path.0[0], 0);
    let (mut points, mut least) = (Vec::new(), f64::INFINITY);
    for two in path.0.windows(2) {
        let [from, to] = [&two[0], &two[1]].map(|x| pose(x, 1));
        let turn = (to.rotation * from.rotation.inverse()).scaled_axis();
        let shift = to.translation.vector - from.translation.vector;
        let way = shift.norm() + turn.norm() * throw.radius;
        if from.translation.vector.norm() > throw.radius + way + PAST {
            continue;
        }
        let parts = (way / (0.05 * throw.thin)).ceil().max(1.0);
        for i in 0..=parts as u32 {
            let s = f64::from(i) / parts;
            let rotation = UnitQuaternion::from_scaled_axis(s * turn) * from.rotation;
            let at = Pose::from_parts(Translation3::from(from.translation.vector + s * shift), rotation);
            points.clear();
            contacts(shape(0), &still, shape(1), &at, 0.1, &mut points).unwrap();
            least = points.iter().fold(least, |l, c| l.min(c.gap));
        }
    }
    least
}

/// Whether a method meets a body that is hit, and passes one that is not; None for grazes. With the smallest gap of the flight \[m\] and the change of velocity by contact over the speed.
fn is_right(throw: &Throw, method: &Method) -> (Option<bool>, f64, f64) {
    // Flights are exact at any step; between its ends a curve is taken as straight.
    let path = fly(&throw.free, throw, &Method::icf().with_step(2e-3));
    let gap = smallest_gap(throw, &path);
    let ends = [&path, &fly(&throw.scene, throw, method)]
        .map(|p| Vector3::from_column_slice(&p.0.last().unwrap().v[..3]));
    let change = (ends[1] - ends[0]).norm() / Vector3::from_column_slice(&throw.v[..3]).norm();
    let right = match gap {
        g if g < -throw.hits => Some(change > TOUCHED),
        g if g > PAST => Some(change <= TOUCHED),
        _ => None,
    };
    (right, gap, change)
}

fn method() -> impl Strategy<Value = Method> {
    let step = (-4.0f64..-1.7).prop_map(|e| 10f64.powf(e));
    let accuracy = (-4.0f64..-1.0).prop_map(|e| 10f64.powf(e));
    (0usize..5, step, accuracy).prop_map(|(kind, dt, accuracy)| match kind {
        0 | 1 => Method::icf().with_step(dt),
        2 => Method::comfree().with_step(dt),
        3 => Method::reference().with_step(dt),
        _ => Method::cenic(accuracy),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, ..ProptestConfig::default() })]

    /// Grazes aside, each throw is right.
    #[test]
    fn property_throws_meet(seed in any::<u64>(), method in method()) {
        let mut wrong = Vec::new();
        for n in 0..THROWS {
            let seed = seed.wrapping_add(n);
            let (right, gap, change) = is_right(&throw(seed), &method);
            if right == Some(false) {
                wrong.push((seed, gap, change));
            }
        }
        prop_assert!(wrong.is_empty(), "{}: throws (seed, gap [m], change) {wrong:?}", method.describe());
    }
}

/// Methods under which sharp bodies are thrown: error control from coarse to fine, and steps within which spins of 100 rad/s turn by less than a right angle.
fn sharp_methods() -> [Method; 7] {
    let [a, b, c, d] = [1e-1, 1e-2, 1e-3, 1e-4].map(Method::cenic);
    let [e, f] = [1e-2, 5e-3].map(|dt| Method::icf().with_step(dt));
    [a, b, c, d, e, f, Method::comfree().with_step(1e-2)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// Sharp bodies that glance off each other are met: contacts of the end of the step, at which they have gone apart, would let them through.
    #[test]
    fn property_sharp_throws_meet(seed in any::<u64>(), method in 0usize..7) {
        let method = &sharp_methods()[method];
        let mut wrong = Vec::new();
        for n in 0..THROWS {
            let seed = seed.wrapping_add(n);
            let (right, gap, change) = is_right(&sharp_throw(seed, false), method);
            if right == Some(false) {
                wrong.push((seed, gap, change));
            }
        }
        prop_assert!(wrong.is_empty(), "{}: throws (seed, gap [m], change) {wrong:?}", method.describe());
    }
}

/// Misses and ghosts among the sharp throws whose numbers `THROWS` has, `from..to`, under each method.
#[test]
#[ignore = "tier 2"]
fn property_many_sharp_throws() {
    let range = std::env::var("THROWS").unwrap_or("0..1000".into());
    let (from, to) = range.split_once("..").unwrap();
    let methods = sharp_methods();
    let (mut hits, mut wrong) = (0, [0, 0]);
    for seed in from.parse::<u64>().unwrap()..to.parse().unwrap() {
        let (throw, method) =
            (sharp_throw(seed, seed % 2 == 0), &methods[(seed / 2) as usize % methods.len()]);
        let (right, gap, change) = is_right(&throw, method);
        hits += u32::from(gap < -throw.hits);
        if right == Some(false) {
            wrong[usize::from(seed % 2 == 0)] += 1;
            println!("{seed}: {}, gap {gap}, change {change}", method.describe());
        }
    }
    println!("{wrong:?} wrong without and with spin, {hits} hits");
    // With spin two of some 230 hits are missed yet, seeds 382 and 644: the bound is a measured one.
    assert!(wrong[0] == 0 && 100 * wrong[1] <= hits && hits > 0);
}

/// The witnesses flew through the bodies that they hit, each at the accuracy or the step of its name.
#[test]
fn regression_thrown_bodies_meet() {
    let mut seen = 0;
    for (name, method) in [
        ("0.01_w5_55", Method::icf().with_step(1e-2)),
        ("1e-2_w5_93", Method::cenic(1e-2)),
        ("1e-3_w0_24", Method::cenic(1e-3)),
        ("1e-3_w5_131", Method::cenic(1e-3)),
        ("1e-3_w5_48", Method::cenic(1e-3)),
        ("1e-4_w0_15", Method::cenic(1e-4)),
    ] {
        let Some(file) = data::case(format!("rigid/throw_miss_{name}.xml")) else { return };
        let scene = Scene::load(file, &LoadOptions::default()).unwrap();
        let end = |method: &Method, contact: bool| {
            let mut scene = scene.clone();
            scene.options.switches.contact = contact;
            let mut sys = method.system(&scene).unwrap();
            let mut x = sys.initial_state(scene.keyframes.first()).unwrap();
            let speed = Vector3::from_column_slice(&x.v[..3]).norm();
            let way = Vector3::from_column_slice(&x.q[..3]).norm();
            let time = 2.0 * way / speed;
            method.integrator().unwrap().advance(&mut sys, &mut x, time, &mut NoObserver).unwrap();
            (Vector3::from_column_slice(&x.v[..3]), speed)
        };
        let fine = Method::icf().with_step(2e-4);
        let change = |m: &Method| (end(m, true).0 - end(m, false).0).norm() / end(m, true).1;
        assert!(change(&fine) > TOUCHED, "{name}: the reference hits");
        assert!(change(&method) > TOUCHED, "{name}: {}", method.describe());
        seen += 1;
    }
    assert_eq!(seen, 6);
}

/// Modes of [`property_many_throws`] by name, with a step or an accuracy.
fn mode(rng: &mut Rng) -> (String, Method) {
    let dt = rng.log_uniform(1e-4, 2e-2);
    let law = |m: Method, name: &str| m.with_law(law(name, false).unwrap()).unwrap();
    let (name, method) = match rng.below(9) {
        0 => ("icf", Method::icf().with_step(dt)),
        1 => ("icf similar", law(Method::icf(), "similar").with_step(dt)),
        2 => ("icf sap", law(Method::icf(), "sap").with_step(dt)),
        3 => ("comfree", Method::comfree().with_step(dt)),
        4 => ("reference", Method::reference().with_step(dt)),
        k => {
            let accuracy = 10f64.powi(4 - k as i32);
            return (format!("icf at {accuracy:e}"), Method::cenic(accuracy));
        }
    };
    let band = if dt < 1e-3 {
        "0.1 to 1"
    } else if dt < 5e-3 {
        "1 to 5"
    } else {
        "5 to 20"
    };
    (format!("{name}, {band} ms"), method)
}

/// Misses and ghosts among the throws whose numbers `THROWS` has, `from..to`: none of the first, less than one in a thousand of the second.
#[test]
#[ignore = "tier 2"]
fn property_many_throws() {
    let range = std::env::var("THROWS").unwrap_or("0..10000".into());
    let (from, to) = range.split_once("..").unwrap();
    let mut by: BTreeMap<String, [u32; 5]> = BTreeMap::new();
    for seed in from.parse::<u64>().unwrap()..to.parse().unwrap() {
        let throw = throw(seed);
        let (name, method) = mode(&mut Rng::new(!seed));
        let (right, gap, change) = is_right(&throw, &method);
        let hits = gap < -throw.hits;
        let column = match (right, hits) {
            (None, _) => 4,
            (Some(true), true) => 0,
            (Some(false), true) => 1,
            (Some(true), false) => 2,
            (Some(false), false) => 3,
        };
        if right == Some(false) {
            println!(
                "{seed}: {:?} {name} {}, gap {gap}, change {change}",
                throw.kinds.map(|k| KINDS[k]),
                method.describe()
            );
        }
        for key in throw.kinds.map(|k| KINDS[k].to_owned()).into_iter().chain([name]) {
            by.entry(key).or_default()[column] += 1;
        }
    }
    println!("kind: hits met, missed, passed, ghosts, grazes");
    by.iter().for_each(|(name, n)| println!("{name}: {n:?}"));
    let sum =
        |i: usize| by.iter().filter(|(k, _)| !KINDS.contains(&k.as_str())).map(|(_, n)| n[i]).sum::<u32>();
    assert!(sum(1) == 0 && 1000 * sum(3) < sum(2), "{} missed, {} ghosts of {}", sum(1), sum(3), sum(2));
}

/// Throws that missed, or were thrown off the body that they pass, at one time: numbers of [`property_many_throws`].
#[test]
fn regression_throws_of_before() {
    for seed in [693, 696, 1132, 1419, 1538, 1589, 1913, 2246, 4128, 5539, 6534, 6861, 9209, 10882] {
        let (name, method) = mode(&mut Rng::new(!seed));
        let (right, gap, change) = is_right(&throw(seed), &method);
        assert!(right == Some(true), "{seed}, {name}: gap {gap} m, change {change}");
    }
}

/// Two that flew through each other under error control, with a contact 78 and 854 mm deep where they overlapped by 4.9 and 2.6 mm: a hull past a sphere, a capsule at 100 rad/s past a hull.
#[test]
fn regression_bodies_that_glance_off_each_other_meet() {
    let scene = |mesh: &str, quat: &str, a: &str, b: &str, q: &str, v: &str| {
        format!(
            "<mujoco><option gravity='0 0 0'/><asset><mesh name='H' vertex='{mesh}'/></asset><worldbody><body quat='{quat}'><geom {a}/></body>
             <body><freejoint/><geom {b} density='1000'/></body></worldbody><keyframe><key qpos='{q}' qvel='{v}'/></keyframe></mujoco>"
        )
    };
    let hull = "type='mesh' mesh='H'";
    let past_a_sphere = scene(
        "0.1171 -0.1061 0.1116 0.0031 -0.0079 0.0807 0.0243 -0.0069 0.0276 0.0329 -0.0494 0.1083 0.0155 0.0940 -0.0197",
        "0.238408667 0.318525494 0.284392266 0.872252175",
        "type='sphere' size='.05'",
        hull,
        "0.0648195934 -0.142383444 -0.433003568 -0.635579874 0.319030115 0.129560553 0.690993541",
        "0.235813202 0.867744922 2.00263335 0 -0 -0",
    );
    let past_a_hull = scene(
        "-0.0396 -0.0755 -0.0661 -0.0261 -0.0303 -0.0115 -0.0471 0.0054 0.1097 -0.0024 0.0454 0.0513 -0.0619 -0.0854 -0.0115 0.0585 -0.0925 -0.0387 0.0243 0.0029 0.0391 0.0265 0.0192 -0.0079 -0.0027 0.0343 -0.1163",
        "-0.121326579 -0.88505872 0.0818033498 -0.441881358",
        hull,
        "type='capsule' size='.03 .1'",
        "-0.325992596 0.0213805372 0.105902419 0.326941284 0.330751515 0.424190562 0.777029729",
        "0.830748946 -0.539964023 -0.565529574 8.21175786 -99.6597518 0.707752573",
    );
    for (text, time) in [(past_a_sphere, 0.27), (past_a_hull, 0.5)] {
        let scene = Scene::from_mjcf(&text, "throw.xml", &LoadOptions::default()).unwrap();
        for method in sharp_methods() {
            let mut sys = method.system(&scene).unwrap();
            let mut x = sys.initial_state(scene.keyframes.first()).unwrap();
            let before = Vector3::from_column_slice(&x.v[..3]);
            method.integrator().unwrap().advance(&mut sys, &mut x, time, &mut NoObserver).unwrap();
            let change = (Vector3::from_column_slice(&x.v[..3]) - before).norm() / before.norm();
            assert!(change > 0.02, "{}: {change}", method.describe());
        }
    }
}
