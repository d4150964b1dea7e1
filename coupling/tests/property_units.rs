//! No number of the coupling has a scale of its own: bodies and points in other units of length, mass and time move alike, by the splitting, iterated, in one step of both, and as a scene file has them.
//!
//! Units are powers of 2¹², so that a run in them is that in others, bit for bit but for functions that are no products.

use std::path::Path;

use proptest::prelude::*;
use signorini_core::na::{Isometry3, Vector3};
use signorini_core::{OneStep, State};
use signorini_coupling::{
    Asynchronous, EnginePoints, Iteration, MonolithicSystem, PointScene, SceneFile, obstacles,
};
use signorini_geometry::Shape;
use signorini_icf::IcfSolver;
use signorini_integrators::ContactStep;
use signorini_laws::contact_pool;
use signorini_mpm::{FixedCorotated, Lame, Material, MpmEngine, MpmOptions, MpmSystem, Particles, Real};
use signorini_multibody::{RigidOptions, RigidSystem};
use signorini_scene::{LoadOptions, Scene};
use signorini_testkit::units::{SCALES, Units};

#[derive(Clone, Debug)]
struct Family {
    /// Mass of the plate on the block \[kg\], its turn \[rad\], its speed \[m/s\].
    mass: f64,
    turn: [f64; 3],
    speed: f64,
    friction: f64,
}

fn family() -> impl Strategy<Value = Family> {
    (0.1..0.5, prop::array::uniform3(-0.1..0.1), -0.3..0.0, 0.1..0.9)
        .prop_map(|(mass, turn, speed, friction)| Family { mass, turn, speed, friction })
}

/// A block of points on a table, and above it a plate that a spring holds aside.
fn model(f: &Family, u: &Units) -> Scene {
    let l = u.length;
    let three = |x: [f64; 3], unit: f64| x.map(|x| (x * unit).to_string()).join(" ");
    let text = format!(
        "<mujoco><option gravity='0 0 {}'/>
         <custom><text name='signorini:default' data='stiffness={} dissipation={} relaxation_time={} stiction_speed={} recovery_speed={} shortest_step={}'/></custom>
         <default><geom friction='{}'/></default><worldbody>
         <geom name='table' type='plane' size='{}'/>
         <body name='plate' pos='{}'><joint type='slide' axis='0 0 1'/><joint type='slide' axis='1 0 0' stiffness='{}' damping='{}'/>
         <geom name='plate' type='box' size='{}' mass='{}'/></body></worldbody>
         <keyframe><key qpos='0 0' qvel='{} 0'/></keyframe></mujoco>",
        -9.81 * u.speed() / u.time,
        2e4 * u.force() / l,
        2.0 / u.speed(),
        0.01 * u.time,
        1e-3 * u.speed(),
        u.speed(),
        1e-4 * u.time,
        f.friction,
        three([1.0; 3], l),
        three([0.0, 0.0, 0.096], l),
        50.0 * u.force() / l,
        u.force() / u.speed(),
        three([0.06, 0.06, 0.01], l),
        f.mass * u.mass,
        f.speed * u.speed(),
    );
    Scene::from_mjcf(&text, "units.xml", &LoadOptions::default()).unwrap()
}

fn particles(f: &Family, u: &Units) -> Particles {
    let l = u.length;
    let (block, mut p) = (Shape::Box { half_extents: Vector3::repeat(0.04 * l) }, Particles::default());
    let at = Isometry3::new(Vector3::new(0.0, 0.0, 0.044 * l), Vector3::from(f.turn));
    p.fill(&block, &at, 0.01 * l, 1000.0 * u.density(), 0).unwrap();
    p
}

const STEP: f64 = 2e-3;
const STEPS: usize = 60;

/// Places of particles and the state of the bodies, in m and m/s, and the iterations.
type Ran = (Vec<f64>, u64);

fn told(x: &[Vector3<f64>], bodies: &State, u: &Units, work: u64) -> Ran {
    let l = u.length;
    let places = x.iter().flat_map(|x| [x.x / l, x.y / l, x.z / l]);
    (
        places.chain(bodies.q.iter().map(|q| q / l)).chain(bodies.v.iter().map(|v| v / u.speed())).collect(),
        work,
    )
}

/// What either way of coupling starts from.
struct Start {
    scene: Scene,
    rigid: RigidSystem,
    bodies: State,
    material: Vec<Box<dyn Material>>,
    options: MpmOptions,
}

impl Start {
    fn new(f: &Family, u: &Units) -> Self {
        let scene = model(f, u);
        let law = contact_pool("lagged").unwrap();
        let mut rigid = RigidSystem::new(&scene, &*law, RigidOptions::default()).unwrap();
        let bodies = rigid.initial_state(Some(&scene.keyframes[0])).unwrap();
        let material: Vec<Box<dyn Material>> =
            vec![Box::new(FixedCorotated(Lame::new(3e4 * u.pressure(), 0.3).unwrap()))];
        let gravity = Vector3::new(0.0, 0.0, -9.81) * u.speed() / u.time;
        let options = MpmOptions { spacing: 0.02 * u.length, gravity, ..MpmOptions::default() };
        Self { scene, rigid, bodies, material, options }
    }
}

/// Each of its steps apart, `passes` times at most.
fn split<T: Real>(f: &Family, u: &Units, passes: u32) -> Ran {
    let Start { scene, rigid, mut bodies, material, options } = Start::new(f, u);
    let met = obstacles(&scene, &[0, 1], None).unwrap();
    let law = contact_pool("lagged").unwrap();
    let engine = MpmEngine::<T>::new(particles(f, u), material, vec![], met, law, options).unwrap();
    let step = ContactStep::new(IcfSolver::default());
    let mut both = Asynchronous::<EnginePoints<T>, _>::new(&scene, &[0, 1], engine, rigid, step, 2)
        .unwrap()
        .with_shorter_substeps();
    if passes > 1 {
        both = both.with_iteration(Iteration { most: passes, ..Iteration::default() }).unwrap();
    }
    let mut work = 0;
    for _ in 0..STEPS {
        let report = both.step(&mut (), &mut bodies, STEP * u.time).unwrap();
        work += u64::from(report.material.iterations + report.rigid.iterations);
    }
    let x = both.points_mut().engine_mut().particles().x.clone();
    told(&x, &bodies, u, work)
}

/// One step of both.
fn whole(f: &Family, u: &Units) -> Ran {
    let Start { scene, rigid, bodies, material, options } = Start::new(f, u);
    let met = obstacles(&scene, &[0, 1], None).unwrap();
    let law = contact_pool("lagged").unwrap();
    let points = MpmSystem::new(particles(f, u), material, vec![], met, law, options).unwrap();
    let start = points.initial_state();
    let mut system = MonolithicSystem::new(&scene, &[0, 1], points, rigid).unwrap();
    let mut step = ContactStep::new(IcfSolver::default());
    let (mut x, mut next, mut work) = (State::default(), State::default(), 0);
    system.join(&start, &bodies, &mut x);
    for _ in 0..STEPS / 4 {
        let report = step.step(&mut system, &x, STEP * u.time, false, &mut next).unwrap();
        std::mem::swap(&mut x, &mut next);
        work += u64::from(report.stats.iterations);
    }
    let (mut p, mut y) = (State::default(), State::default());
    system.split(&x, &mut p, &mut y).unwrap();
    let x = system.material().particles(&p).unwrap().x;
    told(&x, &y, u, work)
}

/// As a scene file has it, all that it leaves open chosen.
fn scene_file(f: &Family, u: &Units) -> Ran {
    let scene = model(f, u);
    let l = u.length;
    let text = format!(
        "model = 'units.xml'\nkeyframe = '{}'\ntime = {:e}\nstep = {:e}\n[contact]\ndissipation = {:e}\nstiction_speed = {:e}\n[[points]]\nname = 'block'\nshape = 'box'\nsize = [{s:e}, {s:e}, {s:e}]\nposition = [0, 0, {:e}]\nyoung = {:e}\ndensity = {:e}\n",
        scene.keyframes[0].name,
        STEPS as f64 * STEP * u.time,
        STEP * u.time,
        1.0 / u.speed(),
        1e-3 * u.speed(),
        0.0441 * l,
        3e4 * u.pressure(),
        1000.0 * u.density(),
        s = 0.08 * l,
    );
    let file = SceneFile::parse(&text, Path::new("units.toml")).unwrap();
    let (end, mut work) = (file.time, 0);
    let mut s = PointScene::new(file, &scene).unwrap();
    while s.state.t < end {
        let report = s.step(end).unwrap();
        work += u64::from(report.material.iterations + report.rigid.iterations);
    }
    let bodies = s.state.clone();
    let x = s.both_mut().points_mut().engine_mut().particles().x.clone();
    told(&x, &bodies, u, work)
}

fn unit() -> impl Strategy<Value = f64> {
    prop::sample::select(&SCALES[..])
}

type Way = (&'static str, fn(&Family, &Units) -> Ran, f64);

/// Ways of coupling, and how far motions are apart by round-off \[m and m/s\]: f32 keeps seven digits, which contact makes fewer.
const WAYS: [Way; 5] = [
    ("splitting", |f, u| split::<f64>(f, u, 1), 1e-9),
    ("splitting, f32", |f, u| split::<f32>(f, u, 1), 1e-4),
    ("iterated", |f, u| split::<f64>(f, u, 10), 1e-9),
    ("one step", whole, 1e-9),
    ("scene file", scene_file, 1e-4),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2))]

    #[test]
    fn property_coupled_motion_does_not_depend_on_units(f in family(), length in unit(), mass in unit(), time in unit()) {
        let u = Units { length, mass, time };
        for (name, run, apart) in WAYS {
            let [own, other] = [run(&f, &Units::SI), run(&f, &u)];
            let off = own.0.iter().zip(&other.0).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            prop_assert!(own.0.len() == other.0.len() && off < apart, "{name}: off by {off:e} in {u:?}");
            prop_assert!(own.1 > 10 && own.1.abs_diff(other.1) <= own.1 / 10, "{name}: {} and {} iterations", own.1, other.1);
        }
    }
}
