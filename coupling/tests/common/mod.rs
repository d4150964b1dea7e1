//! Scenes and pairs of systems that several tests share.
#![allow(clippy::unwrap_used, dead_code, reason = "tests; none uses all")]

use signorini_core::na::{Quaternion, UnitQuaternion, Vector3};
use signorini_core::{ContactMaterial, ContactSolver, State, Tolerance};
use signorini_coupling::{Asynchronous, CouplingReport, Monolithic, SystemPoints, obstacles};
use signorini_icf::IcfSolver;
use signorini_integrators::ContactStep;
use signorini_laws::contact_pool;
use signorini_mpm::{Lame, LinearCorotated, Material, MpmOptions, MpmSolver, MpmSystem, Particles};
use signorini_multibody::{RigidOptions, RigidSystem};
use signorini_scene::{LoadOptions, Scene};

pub(crate) type Split = Asynchronous<SystemPoints<MpmSolver>, ContactStep<IcfSolver>>;

pub(crate) fn tight() -> Tolerance {
    Tolerance { relative: 1e-12, max_iterations: 200 }
}

pub(crate) fn surface(stiffness: f64, dissipation: f64, friction: f64) -> ContactMaterial {
    ContactMaterial { stiction_speed: 1e-3, ..ContactMaterial::compliant(stiffness, dissipation, friction) }
}

pub(crate) fn rubber(young: f64, poisson: f64) -> Vec<Box<dyn Material>> {
    vec![Box::new(LinearCorotated(Lame::new(young, poisson).unwrap()))]
}

/// `count`³ particles from a corner, those of the faces on the faces.
pub(crate) fn cube(low: Vector3<f64>, size: f64, count: usize, density: f64) -> Particles {
    let mut p = Particles::default();
    let (apart, volume) = (size / (count - 1) as f64, size.powi(3) / (count as f64).powi(3));
    p.lattice(low, apart, [count; 3], density, volume, 0);
    p
}

/// A scene with material points in it.
pub(crate) struct Setup {
    pub scene: Scene,
    pub geoms: Vec<usize>,
    pub points: MpmSystem,
    pub rigid: RigidSystem,
    pub x: State,
    pub y: State,
}

impl Setup {
    pub(crate) fn new(
        text: &str,
        (particles, materials): (Particles, Vec<Box<dyn Material>>),
        contact: ContactMaterial,
        options: MpmOptions,
    ) -> Self {
        let scene = Scene::from_mjcf(text, "scene.xml", &LoadOptions::default()).unwrap();
        let geoms: Vec<usize> = (0..scene.geoms.len()).collect();
        let met = obstacles(&scene, &geoms, contact).unwrap();
        let law = || contact_pool("lagged").unwrap();
        let points = MpmSystem::new(particles, materials, vec![], met, law(), options).unwrap();
        let x = points.initial_state();
        let mut rigid = RigidSystem::new(&scene, &*law(), RigidOptions::default()).unwrap();
        let y = rigid.initial_state(None).unwrap();
        Self { scene, geoms, points, rigid, x, y }
    }

    pub(crate) fn split(self, substeps: u32) -> (Split, State, State) {
        let point_step = ContactStep::new(MpmSolver::default()).with_tolerance(tight());
        let body_step = ContactStep::new(IcfSolver::default()).with_tolerance(tight());
        let c = Asynchronous::new(
            &self.scene,
            &self.geoms,
            (self.points, point_step),
            self.rigid,
            body_step,
            substeps,
        );
        // As published.
        (c.unwrap().with_moving_bodies(false), self.x, self.y)
    }

    pub(crate) fn strong<S: ContactSolver>(self, solver: S) -> (Monolithic<ContactStep<S>>, State, State) {
        let step = ContactStep::new(solver).with_tolerance(tight());
        let c = Monolithic::new(&self.scene, &self.geoms, self.points, self.rigid, step);
        (c.unwrap(), self.x, self.y)
    }
}

/// Two panels of `mass` \[kg\] on slides with motors, a touch inside the faces of a cube of 0.1 m between them.
pub(crate) fn panel_scene(mass: f64) -> String {
    let panel = |name: &str, x: f64, axis: f64| {
        format!(
            "<body name='{name}' pos='{x} 0 0'><joint name='{name}' type='slide' axis='{axis} 0 0'/>\
             <geom name='{name}' type='box' size='.07 .07 .07' mass='{mass}'/></body>"
        )
    };
    format!(
        "<mujoco><worldbody>{}{}</worldbody><actuator><motor joint='left'/><motor joint='right'/></actuator></mujoco>",
        panel("left", -0.12 + 8.3e-7, 1.0),
        panel("right", 0.12 - 8.3e-7, -1.0)
    )
}

/// [`panel_scene`], each panel pressed with 10 N against a cube of 0.4 kg that hangs on friction.
pub(crate) fn panels(mass: f64) -> Setup {
    let text = panel_scene(mass);
    let options = MpmOptions { spacing: 0.025, damping_time: 2e-3, ..MpmOptions::default() };
    let points = cube(Vector3::repeat(-0.05), 0.1, 11, 400.0);
    let mut s = Setup::new(&text, (points, rubber(1e5, 0.4)), surface(1e5, 10.0, 0.8), options);
    s.rigid.control_mut().copy_from_slice(&[10.0, 10.0]);
    s
}

/// Forces and work of a run of the panels over its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pressed {
    /// Mean force on each panel \[N\].
    pub force: [Vector3<f64>; 2],
    /// Largest distance of the force on the left panel from its mean \[N\].
    pub swing: f64,
    pub unconverged: u32,
    /// Mean iterations of a step.
    pub iterations: f64,
}

/// Steps of `dt` up to `end` \[s\]; means over the last part of it.
pub(crate) fn press(
    mut step: impl FnMut(&mut State, &mut State) -> Option<CouplingReport>,
    (mut x, mut y): (State, State),
    (dt, end, last): (f64, f64, f64),
) -> Option<Pressed> {
    let (mut all, mut unconverged, mut iterations) = (Vec::new(), 0, 0);
    let steps = (end / dt).round() as usize;
    for _ in 0..steps {
        let r = step(&mut x, &mut y)?;
        all.push([r.impulses[0][0] / dt, r.impulses[1][0] / dt]);
        unconverged += r.unconverged;
        iterations += r.iterations;
    }
    let kept = &all[steps - (last / dt).round() as usize..];
    let mean = |i: usize| kept.iter().map(|f| f[i]).sum::<Vector3<f64>>() / kept.len() as f64;
    let force = [mean(0), mean(1)];
    let swing = kept.iter().map(|f| (f[0] - force[0]).amax()).fold(0.0, f64::max);
    Some(Pressed { force, swing, unconverged, iterations: f64::from(iterations) / steps as f64 })
}

/// 10 N across, half the weight down, nothing sideways.
pub(crate) fn assert_pressed(p: &Pressed) {
    let weight = 0.5 * 0.4 * 9.81;
    for (f, side) in p.force.iter().zip([-1.0, 1.0]) {
        assert!((f.x - 10.0 * side).abs() < 0.1, "{p:?}");
        assert!((f.z + weight).abs() < 0.01 * weight, "{p:?}");
        assert!(f.y.abs() < 0.05, "{p:?}");
    }
}

/// Linear and angular momentum about the origin of the world, of points and one free ball of radius 0.06 m.
fn momenta(points: &MpmSystem, x: &State, y: &State, mass: f64) -> [Vector3<f64>; 2] {
    let p = points.particles(x).unwrap();
    let at = |v: &[f64]| Vector3::from_column_slice(&v[..3]);
    let turn = UnitQuaternion::new_normalize(Quaternion::new(y.q[3], y.q[4], y.q[5], y.q[6]));
    let spin = 0.4 * mass * 0.06 * 0.06 * (turn * at(&y.v[3..]));
    let h = points.options().spacing;
    [p.momentum() + mass * at(&y.v), p.angular_momentum(h) + mass * at(&y.q).cross(&at(&y.v)) + spin]
}

/// Steps for 0.1 s: the largest change in one of the momenta of points and a free ball of 0.5 kg, and the impulse that points gave the ball in all \[N·s\].
pub(crate) fn momenta_in_flight(
    c: &mut Monolithic<ContactStep<IcfSolver>>,
    (x, y): (&mut State, &mut State),
    dt: f64,
) -> (f64, f64) {
    let mut before = momenta(c.material(), x, y, 0.5);
    let (mut largest, mut met) = (0.0f64, 0.0);
    for _ in 0..(0.1 / dt) as u32 {
        let r = c.step(x, y, dt).unwrap();
        assert_eq!(r.unconverged, 0);
        met += r.impulses[0][0].norm();
        let after = momenta(c.material(), x, y, 0.5);
        for (a, b) in after.iter().zip(&before) {
            largest = largest.max((a - b).norm());
        }
        before = after;
    }
    (largest, met)
}
