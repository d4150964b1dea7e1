//! URDF files of 24 robots, without their meshes, have the counts of Pinocchio and Drake.

use serde_json::Value;
use signorini_scene::{GeomShape, LoadOptions, Scene, SceneError};
use signorini_testkit::data;

/// Refused models, and the reasons. pr2 has prismatic joints without limits, which Pinocchio refuses; like Drake, it is read here, with a warning.
const REFUSED: [(&str, &str); 1] = [("husky", "$(optenv HUSKY_IMU_")];
/// Joints with a <limit> that states neither bound: Pinocchio takes zeros, Drake and this reader no bounds.
const UNBOUNDED: [(&str, &str); 2] = [("quadruped", "_KFE"), ("minitaur", "knee_")];

/// The list has six decimals.
const LISTED: f64 = 0.51e-6;

#[test]
fn conformance_urdf_zoo_has_the_listed_counts() {
    let Some(models) = data::models() else { return };
    let zoo = models.join("urdf_zoo");
    let list = data::json(zoo.join("zoo.json"));
    let options = LoadOptions { without_meshes: true, ..LoadOptions::default() };
    let mut failures = Vec::new();
    let mut compared = 0;
    for (name, want) in list.as_object().unwrap() {
        let path = zoo.join(name).join(format!("{name}.urdf"));
        let refused = REFUSED.iter().find(|r| r.0 == name);
        let s = match (Scene::load(&path, &options), refused) {
            (Ok(s), None) => s,
            (Err(SceneError::Unsupported { feature, place, .. }), Some((_, text)))
                if feature.contains(text) =>
            {
                assert!(place.line > 0 && place.element == "origin", "{place}");
                continue;
            }
            (Ok(_), Some(_)) => {
                failures.push(format!("{name}: is read, remove it from the table of refusals"));
                continue;
            }
            (Err(e), _) => {
                failures.push(e.to_string());
                continue;
            }
        };
        compared += 1;
        let count = |key: &str| want[key].as_u64().unwrap() as usize;
        let mut check = |what: &str, have: usize, want: usize| {
            if have != want {
                failures.push(format!("{name}: {what} is {have}, {want} expected"));
            }
        };
        let text = std::fs::read_to_string(&path).unwrap();
        let own_world = text.contains("link name=\"world\"");
        check("bodies", s.bodies.len(), count("links") + usize::from(!own_world));
        let types = want["joint_types"].as_object().unwrap();
        let of = |key: &str| types.get(key).and_then(|n| n.as_u64()).unwrap_or(0) as usize;
        let movable = count("joints") - of("fixed");
        check("joints", s.joints.len(), movable);
        check("mimic joints", s.equalities.len(), count("mimic"));
        // Pinocchio keeps continuous joints as points on a circle: two positions each.
        if want.get("nv").is_some() {
            check("nv", s.nv(), count("nv"));
            check("nq", s.nq() + of("continuous"), count("nq"));
        } else {
            check("nv", s.nv(), count("drake_num_velocities"));
        }
        check("motors", s.actuators.len(), count("drake_num_actuators"));
        let meshes = s.geoms.iter().filter(|g| matches!(g.shape, GeomShape::MissingMesh(_))).count();
        check("meshes", meshes, count("meshes"));
        let mass = want["mass"].as_f64().or(want["drake_mass"].as_f64()).unwrap();
        if (s.total_mass() - mass).abs() > LISTED {
            failures.push(format!("{name}: mass {} where {mass} is expected", s.total_mass()));
        }
        if let Some(movable) = want["movable"].as_array() {
            compare_joints(name, &s, movable, &want["limits"], &mut failures);
        }
    }
    assert!(failures.is_empty(), "{}\n{} problems", failures.join("\n"), failures.len());
    assert_eq!(compared, 23);
}

/// Names and limits of the joints; limits are listed in Pinocchio's order of positions.
fn compare_joints(name: &str, s: &Scene, movable: &[Value], limits: &Value, failures: &mut Vec<String>) {
    let mut at = 0;
    for w in movable {
        let joint = w["name"].as_str().unwrap();
        let Some(j) = s.joint(joint).map(|j| &s.joints[j]) else {
            failures.push(format!("{name}: no joint {joint}"));
            continue;
        };
        let kind = w["type"].as_str().unwrap();
        let circle = kind.contains("RUB") || kind.contains("Unbounded");
        // Bounds beyond 1e15 are listed as null.
        let bound = |i: usize, far: f64| limits[i][at].as_f64().unwrap_or(far);
        let listed = [bound(0, -1e16), bound(1, 1e16)];
        at += if circle { 2 } else { 1 };
        let unbounded = UNBOUNDED.iter().any(|(robot, part)| *robot == name && joint.contains(part));
        let expected = if circle || unbounded { None } else { Some(listed) };
        let same = match (j.range, expected) {
            (Some(a), Some(b)) => (0..2).all(|i| (a[i] - b[i]).abs() <= LISTED),
            (a, b) => a.is_none() && b.is_none(),
        };
        if !same {
            failures.push(format!("{name}: joint {joint} has range {:?}, {expected:?} expected", j.range));
        }
    }
}

#[test]
fn conformance_urdf_zoo_says_what_is_odd() {
    let Some(models) = data::models() else { return };
    let options = LoadOptions { without_meshes: true, ..LoadOptions::default() };
    let warned = |name: &str, text: &str| {
        let s =
            Scene::load(models.join("urdf_zoo").join(name).join(format!("{name}.urdf")), &options).unwrap();
        assert!(s.notes.iter().any(|n| n.text.contains(text) && n.place.line > 0), "{name}: {:#?}", s.notes);
    };
    warned("pr2", "should have a <limit>: its coordinate is not bounded");
    warned("bolt", "the mass is zero but the inertia is not");
    warned("cartpole", "the mass is zero but the inertia is not");
    warned("anymal_c", "violate A + B >= C");
    warned("jaco_j2s7s300", "a sphere of radius 0");
    warned("minitaur", "neither lower nor upper is given");
    warned("quadruped", "<restitution> of Bullet's <contact> is not read");
    warned("dual_iiwa14", "limits of acceleration are those of a controller");
}
