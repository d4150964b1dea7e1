//! No number has a scale of its own: a scene in other units of length, mass and time moves alike under every method.
//!
//! Units are powers of 2¹², so that all products, quotients, square and cube roots of a run are those of another one, bit for bit, and a difference of motions is no round-off.

use std::fmt::Write as _;

use proptest::prelude::*;
use signorini_comfree::Sweeps;
use signorini_ipc::{IpcOptions, weight};
use signorini_laws::{DualCone, Law, MassScale};
use signorini_run::affine::{RunWatch, run_affine};
use signorini_run::{ComFree, Evaluation, Ipc, Method, Recording, run};
use signorini_scene::{LoadOptions, Scene};
use signorini_testkit::units::{SCALES, Units};

/// A body of the random scene: kind of shape, half sizes, place, axis of its rotation, velocity.
#[derive(Clone, Debug)]
struct Body {
    kind: usize,
    half: [f64; 3],
    place: [f64; 2],
    turn: [f64; 3],
    v: [f64; 6],
}

#[derive(Clone, Debug)]
struct Family {
    bodies: Vec<Body>,
    /// Angles of the arm, and the target of its motor.
    arm: [f64; 3],
    friction: f64,
    /// The floor is a half-space, not a box.
    plane: bool,
}

fn family() -> impl Strategy<Value = Family> {
    let between = |low: f64, high: f64| low..high;
    let body = (
        0usize..4,
        prop::array::uniform3(between(0.03, 0.08)),
        prop::array::uniform2(between(-0.02, 0.02)),
        prop::array::uniform3(between(-1.5, 1.5)),
        prop::array::uniform6(between(-0.5, 0.5)),
    );
    let body = body.prop_map(|(kind, half, place, turn, v)| Body { kind, half, place, turn, v });
    (
        prop::collection::vec(body, 1..3),
        prop::array::uniform3(between(-0.4, 0.4)),
        between(0.1, 0.9),
        any::<bool>(),
    )
        .prop_map(|(bodies, arm, friction, plane)| Family { bodies, arm, friction, plane })
}

const STEP: f64 = 2e-3;
const END: f64 = 0.3;

fn numbers(x: &[f64], unit: f64) -> String {
    x.iter().map(|x| (x * unit).to_string()).collect::<Vec<_>>().join(" ")
}

/// Bodies that fall onto each other and a floor beside an arm that a motor drives against the limits of its joint and of a tendon and against them, and a weight that falls to the limit of its slide.
fn scene(f: &Family, u: &Units) -> Scene {
    let n = |x: &[f64], unit: f64| numbers(x, unit);
    let (l, torque) = (u.length, u.force() * u.length);
    let mut xml = format!(
        r#"<mujoco><compiler angle="radian"/><option timestep="{}" gravity="0 0 {}"/>
        <custom><text name="signorini:default" data="stiffness={} dissipation={} relaxation_time={} stiction_speed={} recovery_speed={} shortest_step={}"/></custom>
        <default><geom friction="{} {} {}" solref="{} 1" solimp="0.9 0.95 {} 0.5 2"/>
        <joint solreflimit="{} 1" damping="{}" armature="{}"/></default><worldbody><geom type="{}" size="{}" pos="{}"/>"#,
        STEP * u.time,
        -9.81 * u.speed() / u.time,
        2e4 * u.force() / l,
        2.0 / u.speed(),
        0.01 * u.time,
        1e-3 * u.speed(),
        u.speed(),
        1e-4 * u.time,
        f.friction,
        0.005 * l,
        0.0001 * l,
        0.02 * u.time,
        0.001 * l,
        0.02 * u.time,
        0.05 * torque * u.time,
        0.01 * u.mass * l * l,
        if f.plane { "plane" } else { "box" },
        n(&[2.0, 2.0, 0.1], l),
        n(&[0.0, 0.0, if f.plane { 0.0 } else { -0.1 }], l),
    );
    let (mut q, mut v) = (String::new(), String::new());
    let mut height = 0.2;
    for (i, b) in f.bodies.iter().enumerate() {
        let (kind, size) = match b.kind {
            0 => ("sphere", n(&b.half[..1], l)),
            1 => ("capsule", n(&b.half[..2], l)),
            2 => ("cylinder", n(&b.half[..2], l)),
            _ => ("box", n(&b.half, l)),
        };
        let turn = (1.0 + b.turn.iter().map(|x| x * x).sum::<f64>()).sqrt();
        let turn: Vec<f64> = [1.0].iter().chain(&b.turn).map(|x| x / turn).collect();
        let _ = write!(
            xml,
            r#"<body name="b{i}"><freejoint/><geom name="b{i}" type="{kind}" size="{size}" mass="{}"/></body>"#,
            0.5 * u.mass
        );
        let _ = write!(q, "{} {} ", n(&[b.place[0], b.place[1], height], l), n(&turn, 1.0));
        let _ = write!(v, "{} {} ", n(&b.v[..3], u.speed()), n(&b.v[3..], 1.0 / u.time));
        height += 0.5;
    }
    let _ = write!(
        xml,
        r#"<body name="upper" pos="{}"><joint name="shoulder" axis="0 1 0" range="-0.5 0.5" limited="true"/>
        <geom name="upper" type="capsule" fromto="{}" size="{}" mass="{}"/><body name="lower" pos="{}"><joint name="elbow" axis="0 1 0" stiffness="{}"/>
        <geom name="lower" type="capsule" fromto="{}" size="{}" mass="{}"/></body></body>
        <body name="weight" pos="{}"><joint name="slide" type="slide" axis="0 0 1" range="{}" limited="true" damping="{}" armature="{}" solimplimit="0.9 0.95 {} 0.5 2"/><geom name="weight" type="sphere" size="{}" mass="{}"/></body></worldbody>
        <tendon><fixed name="both" limited="true" range="-0.65 0.65"><joint joint="shoulder" coef="1"/><joint joint="elbow" coef="-0.5"/></fixed></tendon>
        <actuator><position name="motor" joint="shoulder" kp="{}"/></actuator>
        <keyframe><key qpos="{q}{} 0" qvel="{v}0 0 0" ctrl="{}"/></keyframe></mujoco>"#,
        n(&[-0.65, 0.0, 0.35], l),
        n(&[0.0, 0.0, 0.0, 0.2, 0.0, 0.0], l),
        0.02 * l,
        0.4 * u.mass,
        n(&[0.25, 0.0, 0.0], l),
        2.0 * torque,
        n(&[0.0, 0.0, 0.0, 0.15, 0.0, 0.0], l),
        0.02 * l,
        0.3 * u.mass,
        n(&[0.6, 0.4, 0.4], l),
        n(&[-0.05, 0.1], l),
        0.5 * u.force() / u.speed(),
        0.02 * u.mass,
        0.001 * l,
        0.03 * l,
        0.2 * u.mass,
        10.0 * torque,
        n(&f.arm[..2], 1.0),
        f.arm[2],
    );
    Scene::from_mjcf(&xml, "units.xml", &LoadOptions::default()).unwrap()
}

/// A method in given units.
type Make = fn(&Scene, &Units) -> Method;

const METHODS: [(&str, Make); 8] = [
    ("icf, lagged", |_, _| Method::icf()),
    ("icf, sap", |_, _| Method::icf().with_law(Law::Sap).unwrap()),
    ("icf, similar", |_, _| Method::icf().with_law(Law::Similar).unwrap()),
    ("reference", |_, _| Method::reference()),
    ("comfree", |_, u| comfree(Sweeps::default(), u)),
    ("comfree, one", |_, u| comfree(Sweeps::exactly(1), u)),
    ("comfree, published", |_, u| Method::comfree_paper(0.1 / u.time, 0.001, MassScale::Trace)),
    ("ipc", |s, u| {
        let options = IpcOptions { range: 1e-3 * u.length, ..IpcOptions::default() }.carrying(weight(s));
        let options = IpcOptions {
            orthogonality: 1e6 * u.force() / (u.length * u.length),
            stiction_speed: 1e-3 * u.speed(),
            ..options
        };
        Method::Ipc(Ipc { options: Some(options), ..Ipc::default() })
    }),
];

fn comfree(sweeps: Sweeps, u: &Units) -> Method {
    let law = DualCone::remembering(sweeps.memory());
    let law = DualCone {
        recovery_speed: law.recovery_speed * u.speed(),
        coulomb_slip: law.coulomb_slip.map(|v| v * u.speed()),
        ..law
    };
    let sweeps = Sweeps { residual: sweeps.residual * u.speed(), deep: sweeps.deep * u.speed(), ..sweeps };
    let evaluation = Evaluation::Swept { law: Law::DualCone(law), sweeps };
    Method::ComFree(ComFree { evaluation, ..ComFree::default() })
}

fn recording(f: &Family, make: Make, u: &Units) -> Recording {
    let scene = scene(f, u);
    let mut method = make(&scene, u);
    method = method.with_step(STEP * u.time);
    let (key, end) = (&scene.keyframes[0], END * u.time);
    if method.is_affine() {
        let run = run_affine(&scene, &method, Some(key), end, RunWatch::default()).unwrap();
        run.report.unwrap();
        return run.recording;
    }
    let mut x = method.system(&scene).unwrap().initial_state(Some(key)).unwrap();
    run(&scene, &method, &mut x, end).unwrap().0
}

/// Largest differences of times, places and rotations in their units, and iterations of both.
fn compare(a: &Recording, b: &Recording, u: &Units) -> (f64, [u64; 2], [usize; 2]) {
    let mut off = 0.0f64;
    for (s, t) in a.t.iter().zip(&b.t) {
        off = off.max((s - t / u.time).abs() / END);
    }
    for (i, (p, q)) in a.poses.iter().zip(&b.poses).enumerate() {
        // Places, then rotations.
        let unit = if i % 7 < 3 { u.length } else { 1.0 };
        off = off.max((p - q / unit).abs());
    }
    let work = |r: &Recording| r.iterations.iter().map(|i| u64::from(*i)).sum();
    (off, [work(a), work(b)], [a.len(), b.len()])
}

fn unit() -> impl Strategy<Value = f64> {
    prop::sample::select(&SCALES[..])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn property_motion_does_not_depend_on_units(f in family(), length in unit(), mass in unit(), time in unit()) {
        for (name, make) in METHODS {
            // A half-space is a plate of fixed size to affine bodies.
            let f = Family { plane: f.plane && name != "ipc", ..f.clone() };
            // Speeds above 10⁶ m/s are taken for runaways.
            let length = if length > time { time } else { length };
            let u = Units { length, mass, time };
            let (a, b) = (recording(&f, make, &Units::SI), recording(&f, make, &u));
            let (off, work, rows) = compare(&a, &b, &u);
            // Products of three and more factors in other orders, over a run with impacts.
            prop_assert!(off < 1e-9, "{}: off by {:e} in {:?}", name, off, u);
            let close = |[a, b]: [u64; 2]| a.abs_diff(b) <= a / 10;
            prop_assert!(close(work) && rows[0] == rows[1], "{}: {:?} iterations, {:?} rows", name, work, rows);
        }
    }
}
