//! Body inertias of small MJCF texts, inferred in every way the format has, against MuJoCo's.

use signorini_core::na::{Matrix3, Quaternion, SymmetricEigen, Vector3};
use signorini_scene::{LoadOptions, Scene};
use signorini_testkit::data;

/// Rounding of rotations and of MuJoCo's eigenvalue decomposition; the meshes have vertices that are exact in single precision.
const TOLERANCE: f64 = 1e-9;

/// MuJoCo gives the layer of an ellipsoid shell a small thickness, where the limit of zero thickness is taken here.
const LAYER: f64 = 2e-5;

#[test]
fn conformance_inertias_as_mujoco_infers_them() {
    let mut problems = Vec::new();
    let mut bodies = 0;
    for topic in ["inertia", "compiler"] {
        let file = format!("{}/../multibody/tests/data/mujoco_{topic}.json", env!("CARGO_MANIFEST_DIR"));
        let data = data::json(file);
        for case in data["cases"].as_array().unwrap() {
            let name = case["name"].as_str().unwrap();
            let Some(xml) = case["xml"].as_str() else { continue };
            let s = match Scene::from_mjcf(xml, format!("{name}.xml"), &LoadOptions::default()) {
                Ok(s) => s,
                Err(e) => {
                    problems.push(format!("{topic}/{e}"));
                    continue;
                }
            };
            for (body, want) in case["bodies"].as_object().unwrap() {
                bodies += 1;
                let Some(i) = s.body(body) else {
                    problems.push(format!("{topic}/{name}: no body {body}"));
                    continue;
                };
                let list = |key: &str| -> Vec<f64> {
                    let flat = |v: &serde_json::Value| match v.as_array() {
                        Some(row) => row.iter().map(|x| x.as_f64().unwrap()).collect(),
                        None => vec![v.as_f64().unwrap()],
                    };
                    want[key].as_array().unwrap_or(&Vec::new()).iter().flat_map(flat).collect()
                };
                let mass = want["mass"].as_f64().unwrap();
                let Some(m) = s.bodies[i].mass else {
                    if mass != 0.0 {
                        problems.push(format!("{topic}/{name}: {body} has no mass, {mass} expected"));
                    }
                    continue;
                };
                if (m.mass - mass).abs() > TOLERANCE * mass {
                    problems.push(format!("{topic}/{name}: mass of {body} is {}, {mass} expected", m.mass));
                }
                let com = Vector3::from_vec(list("com"));
                let full = Matrix3::from_row_slice(&list("inertia_body_axes"));
                let length = (full.norm() / mass).sqrt() + com.norm();
                if (m.com.coords - com).norm() > TOLERANCE * length {
                    problems.push(format!("{topic}/{name}: com of {body} is {}, {com} expected", m.com));
                }
                let tolerance = if name.starts_with("ellipsoid_shell") { LAYER } else { TOLERANCE };
                if (m.inertia - full).norm() > tolerance * full.norm() {
                    let have = SymmetricEigen::new(m.inertia).eigenvalues;
                    problems.push(format!(
                        "{topic}/{name}: inertia of {body}: {} {full}, moments {have}",
                        m.inertia
                    ));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(bodies > 50, "only {bodies} bodies were compared");
}

/// Settings of the compiler and of the free joint, geoms; place and quaternion of the body, which are `qpos0`, and places of its site and of its
/// first geom, in MuJoCo 4.0. A geom that is a mesh has no place there that could be compared.
type AlignedCase = (&'static str, &'static str, &'static str, [f64; 3], [f64; 4], [f64; 3], [f64; 3]);
#[rustfmt::skip]
const ALIGNED: [AlignedCase; 8] = [
    ("", "align='true'", "<geom type='box' size='.1 .2 .05' pos='.5 0 .1' euler='10 20 30'/><geom size='.1' pos='0 .2 0'/>", [0.2034099612098995, 0.27332298135392635, 0.9745709382266469], [-0.3210524376085936, 0.8121513310962254, -0.1934200937877211, 0.44712885729212604], [0.22238025612909018, -0.1545203733758823, -0.22559014959702292], [0.00304400974194477, -0.010003749040126075, 0.18793924030337728]),
    ("alignfree='true'", "", "<geom type='box' size='.1 .2 .05' pos='.5 0 .1' euler='10 20 30'/>", [0.3651162790697675, 0.344186046511628, 0.9093023255813953], [0.6755706049120662, 0.29850086454954494, 0.3745059970057263, 0.5605772469951542], [-0.2577262697838567, 0.41633226860571537, 0.01564007611609025], [0.0, 0.0, 0.0]),
    ("alignfree='true'", "align='auto'", "<geom type='mesh' mesh='m' mass='2' pos='.1 .2 0' quat='1 .2 .3 .1'/>", [-0.05918993548522027, 0.22905411832986944, 1.110834877958132], [-0.1757708237546845, 0.9374620818237783, -0.20934041582025792, 0.21551346353170503], [0.24785496355108763, -0.09364625820678824, -0.08587746071703688], [f64::NAN; 3]),
    ("", "align='true'", "<frame pos='.1 0 0' euler='0 40 0'><inertial pos='.1 0 .2' mass='1' fullinertia='.01 .02 .025 .001 .002 .003'/></frame><geom size='.1'/>", [0.23927507779440327, 0.20660479730577255, 0.9669199739032135], [-0.23984556983980526, 0.8464554665298406, 0.4536155538730881, 0.1421976620566762], [0.07215791108449876, -0.1664541459856923, -0.30615057824379727], [-0.26053295980583613, -0.11142244521219845, -0.14401391879810516]),
    ("", "align='true'", "<inertial pos='.1 0 .2' mass='1' euler='10 20 30' diaginertia='.01 .02 .025'/><geom size='.1'/>", [0.17906976744186048, 0.04651162790697676, 1.1255813953488372], [0.6755706049120662, 0.29850086454954494, 0.3745059970057263, 0.5605772469951542], [0.08828021562617891, 0.19651416668881697, 0.059906475606525345], [-0.040404942394364936, -0.016774524480138144, -0.21928533001223155]),
    ("", "align='true'", "<geom type='capsule' mass='2' fromto='.1 .2 .3 -.2 .3 .1' size='.05'/><geom type='capsule' mass='2' fromto='.3 .2 -.3 -.2 .3 .6' size='.05'/>", [-0.028682170542635665, 0.1507751937984496, 1.2637596899224808], [0.546728620395311, 0.17899824898014094, -0.12829711600715854, 0.8078287519808456], [-0.01910068577199306, -0.15817786019034358, 0.05234432489433577], [-0.011186706582100803, 0.028651672452784778, 0.046679109476342046]),
    ("alignfree='true'", "align='false'", "<geom size='.1' pos='0 .2 0'/>", [0.0, 0.0, 1.0], [0.8804509063256238, 0.1760901812651248, 0.26413527189768715, 0.3521803625302496], [0.1, 0.2, 0.3], [0.0, 0.2, 0.0]),
    ("", "align='true'", "<geom size='.1' pos='0 .2 0'/><body pos='1 0 0'><geom size='.1'/></body>", [0.0, 0.0, 1.0], [0.8804509063256238, 0.1760901812651248, 0.26413527189768715, 0.3521803625302496], [0.1, 0.2, 0.3], [0.0, 0.2, 0.0]),
];

#[test]
fn conformance_free_bodies_are_aligned_with_their_inertia() {
    for (compiler, joint, geoms, place, [w, x, y, z], site, geom) in ALIGNED {
        let text = format!(
            "<mujoco><compiler {compiler}/><asset><mesh name='m' vertex='-.15 .02 -.02 .06 -.03 .01 .01 .17 .09 .06 -.08 .03 -.03 .12 -.11 .12 -.07 .02'/></asset>
             <worldbody><body name='b' pos='0 0 1' quat='1 .2 .3 .4'><freejoint {joint}/>{geoms}<site name='s' pos='.1 .2 .3' euler='40 0 10'/></body></worldbody></mujoco>"
        );
        let s = Scene::from_mjcf(&text, "a.xml", &LoadOptions::default()).unwrap();
        // Rounding; vertices of meshes in single precision.
        let tolerance = if geom[0].is_nan() { 1e-6 } else { 1e-10 };
        let near = |a: Vector3<f64>, b: [f64; 3]| (a - Vector3::from(b)).norm() < tolerance;
        assert!(near(s.bodies[1].pose.translation.vector, place), "{geoms}: {}", s.bodies[1].pose);
        // The angle enters as its square: signs of axes are those of MuJoCo.
        let r = s.bodies[1].pose.rotation.quaternion();
        assert!(r.dot(&Quaternion::new(w, x, y, z)).abs() > 1.0 - 1e-12, "{geoms}: {r}");
        assert!(near(s.sites[0].pose.translation.vector, site), "{geoms}: {}", s.sites[0].pose);
        assert!(geom[0].is_nan() || near(s.geoms[0].pose.translation.vector, geom), "{geoms}");
        assert!(s.notes.is_empty(), "{:?}", s.notes);
    }
}

/// A turn about the centre of mass, half a metre off the drawn frame: the keyframe counts in the aligned frame, as in MuJoCo.
#[test]
fn analytic_keyframes_of_aligned_bodies() {
    let text = "<mujoco><worldbody><body pos='0 0 1'><freejoint align='true'/><geom type='box' size='.1 .2 .3' pos='.5 0 0'/></body></worldbody>
        <keyframe><key qpos='0 0 1 1 0 0 0' qvel='0 0 0 0 0 1'/></keyframe></mujoco>";
    let s = Scene::from_mjcf(text, "a.xml", &LoadOptions::default()).unwrap();
    assert_eq!(s.bodies[1].mass.unwrap().com.coords, Vector3::zeros());
    assert_eq!(s.keyframes[0].q, [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
    assert_eq!(s.bodies[1].pose.translation.vector, Vector3::new(0.5, 0.0, 1.0));
}
