//! Small MJCF texts, each rich in one part of the format, come out as MuJoCo compiles them.

use serde_json::Value;
use signorini_core::na::{Quaternion, UnitQuaternion};
use signorini_geometry::Shape;
use signorini_scene::{
    ActuatorDynamics, EqualityKind, GeomShape, LoadOptions, Pose, Scene, TendonPath, Transmission,
    WrapElement,
};
use signorini_testkit::data;

/// Rounding of a few rotations, relative to the largest entry of a list.
const ROUNDING: f64 = 1e-9;
/// MuJoCo keeps the vertices of meshes in single precision.
const SINGLE: f64 = 2e-6;

struct Check {
    case: String,
    problems: Vec<String>,
}

impl Check {
    fn near(&mut self, what: &str, have: &[f64], want: &Value, tolerance: f64) {
        let want: Vec<f64> = want.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        let scale = want.iter().fold(1e-3_f64, |m, x| m.max(x.abs()));
        let off = have.len() != want.len()
            || have.iter().zip(&want).any(|(a, b)| a.is_nan() || (a - b).abs() > tolerance * scale);
        if off {
            self.problems.push(format!("{} {what}: {have:?} where {want:?} is expected", self.case));
        }
    }
    fn number(&mut self, what: &str, have: f64, want: &Value, tolerance: f64) {
        self.near(what, &[have], &Value::Array(vec![want.clone()]), tolerance);
    }
    fn range(&mut self, what: &str, have: Option<[f64; 2]>, want: &Value) {
        match (have, want.is_null()) {
            (None, true) => {}
            (Some(r), false) => self.near(what, &r, want, ROUNDING),
            _ => self.problems.push(format!("{} {what}: {have:?} where {want} is expected", self.case)),
        }
    }
    fn equal(&mut self, what: &str, have: impl Into<Value>, want: &Value) {
        let have = have.into();
        if have != *want {
            self.problems.push(format!("{} {what}: {have} where {want} is expected", self.case));
        }
    }
    fn rotation(&mut self, what: &str, have: &UnitQuaternion<f64>, want: &[Value], tolerance: f64) {
        let q: Vec<f64> = want.iter().map(|x| x.as_f64().unwrap()).collect();
        let want = UnitQuaternion::from_quaternion(Quaternion::new(q[0], q[1], q[2], q[3]));
        if have.angle_to(&want) > tolerance {
            self.problems.push(format!("{} {what}: {have} where {want} is expected", self.case));
        }
    }
    fn pose(&mut self, what: &str, have: &Pose, want: &Value, tolerance: f64) {
        let w = want.as_array().unwrap();
        self.near(what, have.translation.vector.as_slice(), &Value::Array(w[..3].to_vec()), tolerance);
        // A difference of angles is resolved to the square root of rounding.
        self.rotation(what, &have.rotation, &w[3..], tolerance.max(1e-7));
    }
}

#[test]
fn conformance_small_texts_come_out_as_in_mujoco() {
    let data = data::json(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/mjcf_cases.json"));
    let mut problems = Vec::new();
    for case in data["cases"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let s =
            Scene::from_mjcf(case["xml"].as_str().unwrap(), format!("{name}.xml"), &LoadOptions::default())
                .unwrap_or_else(|e| panic!("{e}"));
        let mut c = Check { case: name.to_owned(), problems: Vec::new() };
        let tolerance = if name == "mesh" || name.starts_with("fit") { SINGLE } else { ROUNDING };
        bodies(&mut c, &s, case, tolerance);
        geoms(&mut c, &s, case, tolerance);
        equalities(&mut c, &s, case);
        tendons(&mut c, &s, case);
        actuators(&mut c, &s, case);
        let dims: Vec<usize> = s.sensors.iter().map(|x| x.kind.dim()).collect();
        c.equal("sensor dimensions", dims, &case["sensor_dims"]);
        for (k, w) in s.keyframes.iter().zip(case["keys"].as_array().unwrap()) {
            c.number("key time", k.time, &w["time"], ROUNDING);
            for (what, have) in [("q", &k.q), ("v", &k.v), ("control", &k.control)] {
                if !have.is_empty() {
                    c.near(what, have, &w[what], ROUNDING);
                }
            }
        }
        problems.extend(c.problems);
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn bodies(c: &mut Check, s: &Scene, case: &Value, tolerance: f64) {
    let want = case["bodies"].as_array().unwrap();
    c.equal("bodies", s.bodies.len() - 1, &want.len().into());
    for (b, w) in s.bodies.iter().skip(1).zip(want) {
        c.equal(&b.name, b.parent, &w["parent"]);
        c.pose(&b.name, &b.pose, &w["pose"], ROUNDING);
        let mass = b.mass.map_or(0.0, |m| m.mass);
        c.number(&b.name, mass, &w["mass"], tolerance);
        let Some(m) = b.mass else { continue };
        c.near("com", m.com.coords.as_slice(), &w["com"], tolerance);
        let i = m.inertia;
        let six = [i[(0, 0)], i[(1, 1)], i[(2, 2)], i[(0, 1)], i[(0, 2)], i[(1, 2)]];
        c.near("inertia", &six, &w["inertia"], tolerance);
    }
    let want = case["joints"].as_array().unwrap();
    c.equal("joints", s.joints.len(), &want.len().into());
    for (j, w) in s.joints.iter().zip(want) {
        c.equal("kind", format!("{:?}", j.kind), &w["kind"]);
        c.equal("body", j.body, &w["body"]);
        c.near("anchor", j.anchor.coords.as_slice(), &w["anchor"], ROUNDING);
        c.near("axis", j.axis.as_slice(), &w["axis"], ROUNDING);
        c.range("range", j.range, &w["range"]);
        c.range("force range", j.actuator_force_range, &w["force_range"]);
        for (key, have) in [
            ("reference", j.reference),
            ("spring_reference", j.spring_reference),
            ("stiffness", j.stiffness),
            ("damping", j.damping),
            ("armature", j.armature),
            ("dry_friction", j.dry_friction),
            ("margin", j.limit_margin),
        ] {
            c.number(key, have, &w[key], ROUNDING);
        }
    }
}

fn geoms(c: &mut Check, s: &Scene, case: &Value, tolerance: f64) {
    let want = case["geoms"].as_array().unwrap();
    c.equal("geoms", s.geoms.len(), &want.len().into());
    for (g, w) in s.geoms.iter().zip(want) {
        let GeomShape::Solid(shape) = &g.shape else { panic!("{} has no shape", g.name) };
        let (kind, size) = match shape {
            Shape::Sphere { radius } => ("sphere", vec![*radius]),
            Shape::Capsule { radius, half_length } => ("capsule", vec![*radius, *half_length]),
            Shape::Cylinder { radius, half_length } => ("cylinder", vec![*radius, *half_length]),
            Shape::Ellipsoid { semi_axes: h } => ("ellipsoid", h.as_slice().to_vec()),
            Shape::Box { half_extents: h } => ("box", h.as_slice().to_vec()),
            Shape::HalfSpace => ("plane", vec![]),
            Shape::HeightField(_) => ("hfield", vec![]),
            Shape::Convex(_) | Shape::Mesh(_) => ("mesh", vec![]),
        };
        c.equal("type", kind, &w["type"]);
        c.near("size", &size, &w["size"], tolerance);
        c.equal("body", g.body, &w["body"]);
        if kind == "sphere" {
            let at = Value::Array(w["pose"].as_array().unwrap()[..3].to_vec());
            c.near("position", g.pose.translation.vector.as_slice(), &at, tolerance);
        } else if kind == "capsule" || kind == "cylinder" {
            // The axis decides; the angle about it is free.
            let w = w["pose"].as_array().unwrap();
            let q: Vec<f64> = w[3..].iter().map(|x| x.as_f64().unwrap()).collect();
            let r = UnitQuaternion::from_quaternion(Quaternion::new(q[0], q[1], q[2], q[3]));
            let z = signorini_core::na::Vector3::z();
            let along = (g.pose.rotation * z).dot(&(r * z)).abs();
            c.number("axis", along, &1.0.into(), tolerance);
            c.near(
                "position",
                g.pose.translation.vector.as_slice(),
                &Value::Array(w[..3].to_vec()),
                tolerance,
            );
        } else if kind != "mesh" && !c.case.starts_with("fit") {
            c.pose("pose", &g.pose, &w["pose"], tolerance);
        }
        let u = &g.surface;
        c.near("friction", &[u.friction, u.friction_torsional, u.friction_rolling], &w["friction"], ROUNDING);
        c.equal("condim", u.condim, &w["condim"]);
        c.equal("priority", u.priority, &w["priority"]);
        c.equal("contype", g.mask.contype, &w["contype"]);
        c.equal("conaffinity", g.mask.conaffinity, &w["conaffinity"]);
        c.near("solref", &u.sol.solref, &w["solref"], ROUNDING);
        c.near("solimp", &u.sol.solimp, &w["solimp"], ROUNDING);
        c.number("margin", u.margin - u.inactive_gap, &w["margin"], ROUNDING);
        c.number("gap", u.inactive_gap, &w["gap"], ROUNDING);
    }
}

fn equalities(c: &mut Check, s: &Scene, case: &Value) {
    let want = case["equalities"].as_array().unwrap();
    c.equal("equalities", s.equalities.len(), &want.len().into());
    for (q, w) in s.equalities.iter().zip(want) {
        c.equal("active", q.active, &w["active"]);
        c.near("solref", &q.sol.solref, &w["solref"], ROUNDING);
        c.near("solimp", &q.sol.solimp, &w["solimp"], ROUNDING);
        match &q.kind {
            EqualityKind::Connect { body_a, body_b, anchor_a, anchor_b }
            | EqualityKind::Weld { body_a, body_b, anchor_a, anchor_b, .. } => {
                c.equal("bodies", vec![*body_a, *body_b], &w["bodies"]);
                let anchors: Vec<f64> = anchor_a.iter().chain(anchor_b.iter()).copied().collect();
                c.near("anchors", &anchors, &w["anchors"], ROUNDING);
            }
            EqualityKind::Joint { joint_1: a, joint_2: b, polynomial }
            | EqualityKind::Tendon { tendon_1: a, tendon_2: b, polynomial } => {
                c.equal("objects", vec![*a as i64, b.map_or(-1, |b| b as i64)], &w["objects"]);
                c.near("polynomial", polynomial, &w["polynomial"], ROUNDING);
            }
            EqualityKind::Distance { .. } => panic!("MJCF has no distance equality"),
        }
        if let EqualityKind::Weld { rotation, torque_scale, .. } = &q.kind {
            c.rotation("weld", rotation, w["rotation"].as_array().unwrap(), 1e-7);
            c.number("torque scale", *torque_scale, &w["torque_scale"], ROUNDING);
        }
    }
}

fn tendons(c: &mut Check, s: &Scene, case: &Value) {
    let want = case["tendons"].as_array().unwrap();
    c.equal("tendons", s.tendons.len(), &want.len().into());
    for (t, w) in s.tendons.iter().zip(want) {
        c.range("range", t.range, &w["range"]);
        c.range("force range", t.actuator_force_range, &w["force_range"]);
        for (key, have) in [
            ("stiffness", t.stiffness),
            ("damping", t.damping),
            ("dry_friction", t.dry_friction),
            ("armature", t.armature),
        ] {
            c.number(key, have, &w[key], ROUNDING);
        }
        if let Some(l) = t.spring_length {
            c.near("spring length", &l, &w["spring"], ROUNDING);
        }
        let wraps = w["wraps"].as_array().unwrap();
        let have: Vec<[f64; 2]> = match &t.path {
            TendonPath::Fixed(p) => p.iter().map(|(j, k)| [*j as f64, *k]).collect(),
            TendonPath::Spatial(p) => p
                .iter()
                .map(|x| match *x {
                    WrapElement::Site(i) => [i as f64, 0.0],
                    WrapElement::Geom { geom, side_site } => {
                        [geom as f64, side_site.map_or(-1.0, |s| s as f64)]
                    }
                    WrapElement::Pulley { divisor } => [-1.0, divisor],
                })
                .collect(),
        };
        let flat: Vec<f64> = have.into_iter().flatten().collect();
        let want: Vec<Value> = wraps.iter().flat_map(|x| x.as_array().unwrap()[1..].to_vec()).collect();
        c.near("path", &flat, &Value::Array(want), ROUNDING);
    }
}

fn actuators(c: &mut Check, s: &Scene, case: &Value) {
    let want = case["actuators"].as_array().unwrap();
    c.equal("actuators", s.actuators.len(), &want.len().into());
    for (a, w) in s.actuators.iter().zip(want) {
        c.near("gear", &a.gear, &w["gear"], ROUNDING);
        c.near("gain", &a.force.gain, &w["gain"], ROUNDING);
        let mut bias = a.force.bias;
        if a.force.damping_ratio.is_some() {
            // MuJoCo has put the damping in its place, which needs the mass matrix.
            bias[2] = w["bias"][2].as_f64().unwrap();
            assert!(bias[2] < 0.0, "{}: no damping ratio in MuJoCo", a.name);
        }
        c.near(&a.name, &bias, &w["bias"], ROUNDING);
        let (dynamics, time) = match a.dynamics {
            ActuatorDynamics::None => (0, None),
            ActuatorDynamics::Integrator => (1, None),
            ActuatorDynamics::Muscle { activation, .. } => (4, Some(activation)),
            ActuatorDynamics::Filter { time_constant, exact } => {
                (if exact { 3 } else { 2 }, Some(time_constant))
            }
        };
        c.equal("dynamics", dynamics, &w["dynamics"]);
        if let Some(t) = time {
            c.number("time constant", t, &w["time_constant"], ROUNDING);
        }
        c.range("control", a.control_range, &w["control"]);
        c.range("force", a.force_range, &w["force"]);
        c.range("activation", a.activation_range, &w["activation"]);
        let (kind, target) = match a.transmission {
            Transmission::Joint(j) => (0, j),
            Transmission::JointInParent(j) => (1, j),
            Transmission::SliderCrank { crank, .. } => (2, crank),
            Transmission::Tendon(t) => (3, t),
            Transmission::Site { site, .. } => (4, site),
            Transmission::Body(b) => (5, b),
        };
        c.equal("transmission", kind, &w["transmission"]);
        c.equal("target", target, &w["target"]);
    }
}
