//! Parameters of contacts by a function of the user: the scene's own give equal bits, others obey the formula, bad ones an error.

use signorini_core::{ContactMaterial, NoObserver, ProblemError, Slot, State, System};
use signorini_laws::{DualCone, Gains};
use signorini_multibody::{ContactModel, RigidSystem};
use signorini_run::{Method, Stepping, names};
use signorini_scene::{LoadOptions, Scene};

const G: f64 = 9.81;
const H: f64 = 0.002;

/// Two cubes of 1 kg on a floor: geoms 0, 1, 2.
fn scene() -> Scene {
    let cube = |x: f64| {
        format!(
            "<body pos='{x} 0 .05'><freejoint/><geom type='box' size='.05 .05 .05' density='1000'/></body>"
        )
    };
    let world = format!("<geom type='plane' size='9 9 1'/>{}{}", cube(0.0), cube(1.0));
    let xml = format!("<mujoco><worldbody>{world}</worldbody></mujoco>");
    let mut scene = Scene::from_mjcf(&xml, "cubes.xml", &LoadOptions::default()).unwrap();
    scene.options.contact.relaxation_time = 0.01;
    scene
}

fn engine(law: &str) -> Method {
    match law {
        "dual_cone" => {
            let law = DualCone { gains: Gains::Material, ..DualCone::default() };
            Method::comfree_with(law, 1).with_step(H)
        }
        law => names::method("icf", Some(law), Stepping::Fixed { dt: H }).unwrap(),
    }
}

fn system(engine: &Method, model: Option<ContactModel>) -> (RigidSystem, State) {
    let mut sys = engine.system(&scene()).unwrap();
    sys.set_contact_model(model);
    let x = sys.initial_state(None).unwrap();
    (sys, x)
}

fn after(engine: &Method, t: f64, model: Option<ContactModel>) -> State {
    let (mut sys, mut x) = system(engine, model);
    x.v[0] = 0.3;
    engine.integrator().unwrap().advance(&mut sys, &mut x, t, &mut NoObserver).unwrap();
    x
}

#[test]
fn property_the_materials_of_the_scene_give_the_same_bits() {
    for law in ["dual_cone", "lagged", "sap"] {
        let engine = engine(law);
        let materials: Vec<ContactMaterial> =
            system(&engine, None).0.contact_pairs().map(|p| p.material).collect();
        let pairs: Vec<[usize; 2]> = system(&engine, None).0.contact_pairs().map(|p| p.geoms).collect();
        let plain = after(&engine, 0.5, None);
        let model: ContactModel = Box::new(move |c, _, m| {
            let geoms = c.geoms.map(|g| g as usize);
            let mut swapped = geoms;
            swapped.reverse();
            *m = materials[pairs.iter().position(|p| *p == geoms || *p == swapped).unwrap()];
        });
        assert_eq!(after(&engine, 0.5, Some(model)), plain, "{law}");
        let icy: ContactModel = Box::new(|_, _, m| (m.friction_static, m.friction_dynamic) = (0.0, 0.0));
        assert!(after(&engine, 0.5, Some(icy)).v[0] > plain.v[0] + 0.1, "{law}: the model has no effect");
    }
}

#[test]
fn property_stiffness_per_contact_sets_the_depth_at_rest() {
    // Soft enough that the cap stays out: λ_max Σ (h² K + h D) < 1.
    let (stiffness, tau) = (500.0, 0.005);
    let model: ContactModel = Box::new(move |c, _, m| {
        m.stiffness = if c.geoms.contains(&2) { 2.0 * stiffness } else { stiffness };
        m.relaxation_time = tau;
    });
    let x = after(&engine("dual_cone"), 6.0, Some(model));
    for (z, k) in [(x.q[2], stiffness), (x.q[9], 2.0 * stiffness)] {
        // Four contacts, each h (h K + D) g h + h K δ per step, carry m g h: δ = m g/(4 K) − g h (h + τ).
        let predicted = G / (4.0 * k) - G * H * (H + tau);
        // Remainder of the first swing after 6 s: round-off.
        assert!((0.05 - z - predicted).abs() < 1e-9, "K = {k}: depth {:e}, {predicted:e}", 0.05 - z);
    }
}

#[test]
fn property_the_energy_is_that_of_the_materials_that_the_model_sets() {
    // Stiffness by geom and by the speed of the contact, which the energy sees as a step does.
    let model: ContactModel = Box::new(|c, v, m| {
        m.stiffness = if c.geoms.contains(&2) { 1000.0 } else { 500.0 * (1.0 + v[0].abs()) };
    });
    let (mut sys, mut x) = system(&engine("lagged"), Some(model));
    (x.q[2], x.q[9], x.v[2]) = (0.0495, 0.0497, -0.1);
    let spring = |k: f64, depth: f64| 0.5 * k * depth * depth;
    let expected = 4.0 * (spring(550.0, 5e-4) + spring(1000.0, 3e-4));
    let told = sys.energy(&x).contact;
    // Round-off of 0.05 m beside a depth of 3e-4 m.
    assert!((told / expected - 1.0).abs() < 1e-12, "{told} J for {expected} J");
}

#[test]
fn property_the_model_sees_gap_velocity_and_geoms() {
    let engine = engine("dual_cone");
    let (sender, receiver) = std::sync::mpsc::channel();
    let (mut sys, mut x) = system(
        &engine,
        Some(Box::new(move |c, v, m| sender.send((c.geoms, c.gap, *v, c.r_wc, m.stiffness)).unwrap())),
    );
    (x.q[2], x.v[2]) = (0.0495, -0.1);
    sys.prepare(Slot::Start, &x, H).unwrap();
    let seen: Vec<_> = receiver.try_iter().filter(|s| s.0.contains(&1)).collect();
    assert_eq!(seen.len(), 4);
    for (_, gap, v, frame, stiffness) in seen {
        // Round-off of 0.05 m.
        assert!((gap + 5e-4).abs() < 1e-15 && stiffness > 0.0, "{gap}");
        let normal = frame.column(0)[2];
        assert!((v[0] * normal + 0.1).abs() < 1e-15 || (v[0] + 0.1).abs() < 1e-15, "{v}");
    }
}

#[test]
fn property_bad_parameters_name_the_contact() {
    type Spoil = fn(&mut ContactMaterial);
    let cases: [(&str, Spoil); 8] = [
        ("stiffness", |m| m.stiffness = f64::NAN),
        ("stiffness", |m| m.stiffness = -1.0),
        ("relaxation_time", |m| m.relaxation_time = -1.0),
        ("friction_static", |m| m.friction_static = f64::INFINITY),
        ("friction_dynamic", |m| m.friction_dynamic = -1.0),
        ("friction_rolling", |m| m.friction_rolling = f64::NAN),
        ("solimp", |m| m.solimp[2] = f64::NAN),
        ("condim", |m| m.condim = 6),
    ];
    for (name, spoil) in cases {
        let mut contact = 0;
        let model: ContactModel = Box::new(move |_, _, m| {
            if contact == 5 {
                spoil(m);
            }
            contact += 1;
        });
        let (mut sys, x) = system(&engine("dual_cone"), Some(model));
        let e = sys.prepare(Slot::Start, &x, H).unwrap_err();
        assert!(
            matches!(e, ProblemError::Material { contact: 5, field, .. } if field == name),
            "{name}: {e}"
        );
        // Nothing is left prepared, and the system goes on without the model.
        assert!(sys.problem(Slot::Start, H).is_err());
        sys.set_contact_model(None);
        sys.prepare(Slot::Start, &x, H).unwrap();
        sys.problem(Slot::Start, H).unwrap();
    }
}
