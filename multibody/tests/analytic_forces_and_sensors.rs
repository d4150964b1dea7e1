//! Forces and readings whose values are known by hand, and the balance of power.

use crate::common;

use common::oracle::{case_scene, cases};
use common::{AtState, Random, body, joint, kinematics, random_scene, random_state, site, world};
use signorini_core::na::{Matrix3, Point3, Vector3};
use signorini_core::{Slot, System};
use signorini_geometry::{MassProperties, Shape};
use signorini_multibody::{
    ActuatorState, ContactWrench, Dynamics, Kinematics, Model, RigidOptions, RigidSystem, SensorInput,
    SensorScratch, TendonState, TreeFactor,
};
use signorini_scene::{JointKind, LoadOptions, Place, Pose, Scene, Sensor, SensorKind, SensorObject};

/// A block of 2 kg that lies on the ground (contact at its underside), with a block of 1 kg fixed on top of it.
fn blocks(sensors: &[(SensorKind, SensorObject)]) -> Model {
    let mass =
        |m: f64| MassProperties { mass: m, com: Point3::origin(), inertia: Matrix3::identity() * 0.01 };
    let mut s = world();
    s.bodies.push(body("low", 0, Pose::translation(0.0, 0.0, 0.1), Some(mass(2.0))));
    s.bodies.push(body("high", 1, Pose::translation(0.05, 0.0, 0.2), Some(mass(1.0))));
    s.joints.push(joint("free", 1, JointKind::Free, Vector3::zeros(), Vector3::z()));
    let foot = site(&mut s, 1, Vector3::new(0.0, 0.0, -0.1));
    s.sites[foot].shape = Shape::Box { half_extents: Vector3::new(0.05, 0.05, 0.01) };
    site(&mut s, 2, Vector3::new(0.0, 0.0, -0.1));
    for (i, (kind, object)) in sensors.iter().enumerate() {
        s.sensors.push(Sensor {
            name: format!("s{i}"),
            kind: *kind,
            object: *object,
            reference: None,
            cutoff: 0.0,
            place: Place::default(),
        });
    }
    Model::new(&s).unwrap()
}

fn read(m: &Model, contacts: &[ContactWrench], acceleration: &[f64]) -> Vec<Vec<f64>> {
    let (q, v) = (m.reference_q.clone(), vec![0.0; m.nv()]);
    let kin = kinematics(m, &q, &v);
    let mut s = SensorScratch::new(m);
    let input = SensorInput {
        t: 0.25,
        q: &q,
        v: &v,
        acceleration,
        kin: &kin,
        tendons: &TendonState::new(m),
        actuators: &ActuatorState::new(m),
        actuator_forces: &[],
        actuator_tau: &vec![0.0; m.nv()],
        contacts,
        limit_forces: &[],
    };
    m.read_sensors(input, &mut s);
    m.sensors.iter().map(|x| s.values[x.start..x.start + x.kind.dim()].to_vec()).collect()
}

#[test]
fn analytic_contact_sensors_of_a_resting_block() {
    use SensorKind::{Accelerometer, Clock, ContactForce, Force, FrameLinAcc, Torque, Touch};
    let m = blocks(&[
        (Touch, SensorObject::Site(0)),
        (ContactForce, SensorObject::BodyFrame(1)),
        (Force, SensorObject::Site(0)),
        (Force, SensorObject::Site(1)),
        (Torque, SensorObject::Site(1)),
        (Accelerometer, SensorObject::Site(1)),
        (FrameLinAcc, SensorObject::BodyFrame(2)),
        (Clock, SensorObject::World),
    ]);
    let weight = 3.0 * 9.81;
    let contact = |x: f64, share: f64| ContactWrench {
        bodies: [0, 1],
        geoms: [0, 1],
        gap: 0.0,
        point: Point3::new(x, 0.0, 0.0),
        normal: Vector3::z(),
        tangent: Vector3::x(),
        force: Vector3::new(0.0, 0.0, share * weight),
        torque: Vector3::zeros(),
    };
    // One contact under the foot's box, one beside it.
    let r = read(&m, &[contact(0.0, 0.75), contact(0.06, 0.25)], &[0.0; 6]);
    // All by hand; round-off.
    assert!((r[0][0] - 0.75 * weight).abs() < 1e-12, "{:?}", r[0]);
    assert!((r[1][2] - weight).abs() < 1e-12);
    // Nothing acts between the free block and the world but the contacts.
    assert!(r[2].iter().all(|x| x.abs() < 1e-12), "{:?}", r[2]);
    // The lower block carries the upper one, whose weight passes through the site.
    assert!((r[3][2] - 9.81).abs() < 1e-12 && r[4].iter().all(|x| x.abs() < 1e-12), "{r:?}");
    assert!((r[5][2] - 9.81).abs() < 1e-12 && (r[6][2] - 9.81).abs() < 1e-12);
    assert_eq!(r[7], [0.25]);
    // In free fall nothing is felt.
    let r = read(&m, &[], &[0.0, 0.0, -9.81, 0.0, 0.0, 0.0]);
    assert!(r[..7].iter().flatten().all(|x| x.abs() < 1e-12), "{r:?}");
}

/// dE/dt along the free motion equals the power of the dampers; with gravity compensation its potential is missing from E.
#[test]
fn property_power_is_balanced() {
    let scenes: Vec<Scene> = (0..40u64)
        .map(|seed| {
            let mut r = Random(seed);
            let mut s = random_scene(seed);
            for j in &mut s.joints {
                j.stiffness = 5.0 * r.unit().max(0.0);
                j.damping = r.unit().max(0.0);
                j.spring_reference = 0.2 * r.unit();
            }
            s
        })
        .chain(cases("tendons").iter().map(|c| {
            let mut s = case_scene(c);
            for t in &mut s.tendons {
                t.stiffness = 30.0;
                t.damping = 2.0;
            }
            s
        }))
        .collect();
    for (k, s) in scenes.iter().enumerate() {
        let m = Model::new(s).unwrap();
        let (q, v) = random_state(&m, &mut Random(k as u64));
        let state = |q: &[f64], v: &[f64]| -> (Kinematics, TendonState) {
            let kin = kinematics(&m, q, v);
            let mut t = TendonState::new(&m);
            t.set_positions(&m, &kin, q);
            t.set_velocities(&m, v);
            (kin, t)
        };
        let energy = |q: &[f64], v: &[f64]| {
            let (kin, t) = state(q, v);
            let armature: f64 = m.dofs.iter().zip(v).map(|(d, v)| 0.5 * d.armature * v * v).sum();
            Dynamics::kinetic_energy(&m, &kin)
                + armature
                + Dynamics::gravity_energy(&m, &kin, &m.gravity)
                + m.spring_energy(q, &t)
        };
        let (kin, t) = state(&q, &v);
        let mut damping = vec![0.0; m.nv()];
        m.add_damping_forces(&v, &t, &mut damping);
        let power: f64 = damping.iter().zip(&v).map(|(f, v)| f * v).sum();
        let mut acc = damping.clone();
        m.add_spring_forces(&q, &t, &mut acc);
        let mut factor = TreeFactor::new(&m);
        Dynamics::new(&m).forward_dynamics(&m, &kin, &m.gravity, &mut factor, &mut acc).unwrap();
        let h = 1e-6;
        let at = |dt: f64| {
            let mid: Vec<f64> = v.iter().zip(&acc).map(|(v, a)| v + 0.5 * dt * a).collect();
            let end: Vec<f64> = v.iter().zip(&acc).map(|(v, a)| v + dt * a).collect();
            let mut q1 = q.clone();
            m.integrate(&q, &mid, dt, &mut q1);
            energy(&q1, &end)
        };
        let rate = (at(h) - at(-h)) / (2.0 * h);
        let scale = 1.0 + acc.iter().zip(&v).map(|(a, v)| (a * v).abs()).sum::<f64>();
        // Central differences of E: round-off 1e-16 E/h, and h² times third derivatives that grow with the accelerations.
        assert!((rate - power).abs() < 1e-6 * scale, "scene {k}: {rate} {power} ({scale})");
    }
}

/// Activations follow their closed forms, within their ranges.
#[test]
fn analytic_activations() {
    let xml = r#"<mujoco><worldbody><body><joint name="j"/><geom size="0.1"/></body></worldbody><actuator>
        <general joint="j" dyntype="integrator" actlimited="true" actrange="-1 0.3"/>
        <general joint="j" dyntype="filter" dynprm="0.2"/>
        <general joint="j" dyntype="filterexact" dynprm="0.2" ctrllimited="true" ctrlrange="-1 0.5"/>
        <motor joint="j"/></actuator></mujoco>"#;
    let options = signorini_scene::LoadOptions::default();
    let m = Model::new(&Scene::from_mjcf(xml, "act.xml", &options).unwrap()).unwrap();
    assert_eq!(m.nz, 3);
    let mut z = [0.0; 3];
    m.advance_activations(&[0.1, 0.1, 0.1], &[0.7; 4], 0.1, &mut z);
    // a + u δt, a + (u − a) δt/τ, and u + (a − u) e^(−δt/τ) with u held at 0.5 by its range.
    let expected = [0.17, 0.1 + 0.6 * 0.5, 0.5 - 0.4 * (-0.5f64).exp()];
    assert!(common::apart(&z, &expected) < 1e-15, "{z:?}");
    m.advance_activations(&[0.1, 0.1, 0.1], &[0.7; 4], 1.0, &mut z);
    assert_eq!(z[0], 0.3, "held by its range");
}

fn read_text(text: &str) -> Scene {
    Scene::from_mjcf(text, "text.xml", &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// A muscle that states no range of lengths has that of the limits of its joints: a length that grows with an angle, and a tendon whose shortest
/// length lies within the limits.
#[test]
fn analytic_length_range_of_muscles() {
    let model = |first: &str, second: &str| {
        let text = format!(
            "<mujoco><compiler angle='radian'/><worldbody><site name='w' pos='1 0 0'/><body><joint name='j' axis='0 1 0' range='-1 2'/>\
             <geom size='.1' pos='.3 0 0'/><site name='s' pos='.3 0 0'/></body></worldbody>\
             <tendon><spatial name='t'><site site='w'/><site site='s'/></spatial></tendon>\
             <actuator><muscle joint='j' force='50' gear='-2' {first}/><muscle tendon='t' force='50' {second}/></actuator></mujoco>"
        );
        Model::new(&read_text(&text)).unwrap()
    };
    let farthest = (1.09 - 0.6 * 2.0_f64.cos()).sqrt();
    let (found, stated) =
        (model("", ""), model("lengthrange='-4 2'", &format!("lengthrange='0.7 {farthest}'")));
    for (a, b) in found.actuators.iter().zip(&stated.actuators) {
        for i in 0..20 {
            let (length, rate) = (0.1 * f64::from(i), 0.3 - 0.05 * f64::from(i));
            let (a, b) = (a.law(length, rate, 0.7), b.law(length, rate, 0.7));
            // The search stops within 1e-9 of the range; slopes of the curves are below 1e4 N per range.
            assert!((a.force - b.force).abs() < 1e-4, "{a:?} {b:?}");
        }
    }
    // The limits of a tendon bound the lengths, too; MuJoCo's force at this length is 46 N.
    let model = |range: &str| {
        let text = format!(
            "<mujoco><worldbody><site name='h' pos='0 0 .2'/><body pos='0 0 .1'><geom size='.01' mass='1'/><site name='l'/>\
             <joint type='slide' axis='0 0 1'/></body></worldbody><tendon><spatial name='t' limited='true' range='.075 .105'><site site='h'/><site site='l'/>\
             </spatial></tendon><actuator><muscle tendon='t' force='100' {range}/></actuator></mujoco>"
        );
        Model::new(&read_text(&text)).unwrap()
    };
    for range in ["", "lengthrange='.075 .105'"] {
        assert!((model(range).actuators[0].law(0.09, 0.0, 0.5).force + 46.0).abs() < 1e-12, "{range}");
    }
    let text = "<mujoco><worldbody><body><joint name='j' type='slide'/><geom size='.1'/></body></worldbody><actuator><muscle joint='j'/></actuator></mujoco>";
    let e = Model::new(&read_text(text)).unwrap_err().to_string();
    assert!(
        e.contains("text.xml:1:") && e.contains("joint 'j' has no range") && e.contains("state lengthrange"),
        "{e}"
    );
}

/// A ball that touches the ground with an adhesive actuator is pulled to it, one that does not touch is not.
#[test]
fn analytic_adhesion_pulls_at_contacts() {
    let text = "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='b' pos='0 0 .0995'><freejoint/><geom size='.1' mass='3'/></body></worldbody>\
                <actuator><adhesion body='b' ctrlrange='0 1' gain='2'/></actuator></mujoco>";
    let law = signorini_laws::contact_pool("lagged").unwrap();
    let mut sys = RigidSystem::new(&read_text(text), law.as_ref(), RigidOptions::default()).unwrap();
    sys.control_mut()[0] = 0.5;
    let mut x = sys.initial_state(None).unwrap();
    let dt = 0.01;
    for (height, pull) in [(0.0995, 1.0), (0.2, 0.0)] {
        x.q[2] = height;
        sys.prepare(Slot::Start, &x, dt).unwrap();
        let v = sys.problem(Slot::Start, dt).unwrap().free_velocity()[2];
        assert!((v + dt * (9.81 + pull / 3.0)).abs() < 1e-14, "{height}: {v}");
    }
}

/// Gravity compensation that counts as actuation, with and without an actuator in the model: `qfrc_actuator` of MuJoCo 4.0.
#[test]
fn conformance_compensation_as_actuation_needs_an_actuator() {
    let arm = "<worldbody><body gravcomp='1'><joint name='j' axis='0 1 0' actuatorgravcomp='true'/><geom type='capsule' fromto='0 0 0 .5 0 0' size='.03'/>
        <body gravcomp='.5' pos='.5 0 0'><joint name='k' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .5 0 0' size='.03'/></body></body></worldbody>";
    let at = |more: &str| {
        let text = format!("<mujoco>{arm}{more}</mujoco>");
        let scene = Scene::from_mjcf(&text, "a.xml", &LoadOptions::default()).unwrap();
        let m = Model::new(&scene).unwrap();
        (AtState::new(&m, &[0.0; 2], &[0.0; 2]).tau, scene.notes)
    };
    let (tau, notes) = at("<actuator><motor joint='k'/></actuator>");
    // The control is one half; round-off.
    assert!((tau[0] + 9.361278519258697).abs() < 1e-13 && tau[1] == 0.5, "{tau:?}");
    assert!(notes.is_empty(), "{notes:?}");
    let (tau, notes) = at("");
    assert_eq!(tau, [0.0; 2]);
    assert!(notes[0].text.contains("add an actuator") && notes[0].place.line == 1, "{notes:?}");
}
