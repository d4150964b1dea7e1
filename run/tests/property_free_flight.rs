//! A body that floats freely keeps its energy and its momentum, whatever the solver, the step and the accuracy.

use proptest::prelude::*;
use signorini_core::na::Vector3;
use signorini_core::{NoObserver, State};
use signorini_multibody::{Dynamics, Kinematics};
use signorini_run::Method;
use signorini_scene::{LoadOptions, Scene};
use signorini_testkit::data;

/// Kinetic energy \[J\] and angular momentum about the centre of mass \[kg·m²/s\].
fn motion(scene: &Scene, method: &Method, x: &State) -> (f64, Vector3<f64>) {
    let sys = method.system(scene).unwrap();
    let mut kin = Kinematics::new(sys.model());
    kin.set_positions(sys.model(), &x.q, &[]);
    kin.set_velocities(sys.model(), &x.v);
    (Dynamics::kinetic_energy(sys.model(), &kin), Dynamics::momentum(sys.model(), &kin).angular)
}

/// Relative changes of both over a flight from the first keyframe or from `v`.
fn changes(scene: &Scene, method: &Method, v: Option<[f64; 6]>, time: f64) -> [f64; 2] {
    let mut sys = method.system(scene).unwrap();
    let mut x = sys.initial_state(scene.keyframes.first()).unwrap();
    if let Some(v) = v {
        x.v.copy_from_slice(&v);
    }
    let before = motion(scene, method, &x);
    method.integrator().unwrap().advance(&mut sys, &mut x, time, &mut NoObserver).unwrap();
    let after = motion(scene, method, &x);
    [(after.0 / before.0 - 1.0).abs(), (after.1 - before.1).norm() / before.1.norm()]
}

fn methods() -> Vec<Method> {
    let mut out: Vec<Method> = [1e-1, 1e-2, 1e-3, 1e-4].map(Method::cenic).into();
    for dt in [1e-3, 1e-2, 5e-2] {
        out.extend(
            [Method::icf(), Method::comfree(), Method::comfree_sweeping(1), Method::reference()]
                .map(|m| m.with_step(dt)),
        );
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    /// Round-off alone, with the centre of mass anywhere.
    #[test]
    fn property_flight_keeps_energy_and_momentum(
        sides in [0.02f64..0.3, 0.02f64..0.3, 0.02f64..0.3],
        at in [-0.2f64..0.2, -0.2f64..0.2, -0.2f64..0.2],
        spin in [-30f64..30.0, -30f64..30.0, -30f64..30.0],
        method in 0usize..16,
    ) {
        let text = format!(
            "<mujoco><option gravity='0 0 0'/><worldbody><body><freejoint/><geom type='box' size='{} {} {}' pos='{} {} {}'/></body></worldbody></mujoco>",
            sides[0], sides[1], sides[2], at[0], at[1], at[2]
        );
        let scene = Scene::from_mjcf(&text, "flight.xml", &LoadOptions::default()).unwrap();
        let method = &methods()[method];
        let v = [1.0, -2.0, 0.5, spin[0], spin[1], spin[2]];
        let [energy, momentum] = changes(&scene, method, Some(v), 2.0);
        prop_assert!(energy < 1e-8 && momentum < 1e-8, "{}: {energy:e}, {momentum:e}", method.describe());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    /// Under gravity and a constant force a body is where the parabola is, at any step.
    #[test]
    fn property_flight_follows_its_curve(
        v in [-5f64..5.0, -5f64..5.0, -5f64..5.0],
        spin in [-30f64..30.0, -30f64..30.0, -30f64..30.0],
        force in [-9f64..9.0, -9f64..9.0, -9f64..9.0],
        method in 0usize..16,
    ) {
        let text = "<mujoco><worldbody><body><freejoint/><geom type='box' size='.1 .05 .08' mass='2'/></body></worldbody></mujoco>";
        let scene = Scene::from_mjcf(text, "flight.xml", &LoadOptions::default()).unwrap();
        let method = &methods()[method];
        let mut sys = method.system(&scene).unwrap();
        let mut x = sys.initial_state(None).unwrap();
        x.v.copy_from_slice(&[v, spin].concat());
        sys.applied_force_mut()[..3].copy_from_slice(&force);
        method.integrator().unwrap().advance(&mut sys, &mut x, 1.3, &mut NoObserver).unwrap();
        for i in 0..3 {
            let a = 0.5 * force[i] - if i == 2 { 9.81 } else { 0.0 };
            let [q, u] = [v[i] * 1.3 + 0.5 * a * 1.3 * 1.3, v[i] + 1.3 * a];
            prop_assert!((x.q[i] - q).abs() < 1e-7 && (x.v[i] - u).abs() < 1e-7, "{}: {:?}", method.describe(), x.q);
        }
    }
}

/// The witness gained a third of its energy in 20 s at 1e-3.
#[test]
fn regression_tumbling_keeps_its_energy() {
    let Some(file) = data::case("rigid/tumble.xml") else { return };
    let scene = Scene::load(file, &LoadOptions::default()).unwrap();
    for method in methods() {
        let [energy, momentum] = changes(&scene, &method, None, 20.0);
        assert!(energy < 1e-8 && momentum < 1e-8, "{}: {energy:e}, {momentum:e}", method.describe());
    }
}
