//! `<replicate>` and `<attach>`: names, places and order as MuJoCo 4.0 has them.

use std::path::PathBuf;

use proptest::prelude::*;
use signorini_core::na::{Quaternion, Rotation3, Vector3};
use signorini_geometry::Shape;
use signorini_scene::{GeomShape, LoadOptions, NoteKind, Scene};
use signorini_testkit::data;

fn read(text: &str) -> Result<Scene, String> {
    Scene::from_mjcf(text, "robot.xml", &LoadOptions::default()).map_err(|e| e.to_string())
}

fn names<'a>(list: impl Iterator<Item = &'a String>) -> Vec<&'a str> {
    list.map(String::as_str).collect()
}

fn near(a: Vector3<f64>, b: [f64; 3]) {
    assert!((a - Vector3::from(b)).norm() < 1e-12, "{a} is not {b:?}");
}

#[test]
fn conformance_replicate_places_and_names() {
    let s = read(
        "<mujoco><compiler eulerseq='zyx'/><worldbody><replicate count='2' euler='10 20 30' offset='1 2 3'>
           <body name='b' pos='1 0 0'><geom size='.2'/></body></replicate></worldbody></mujoco>",
    )
    .unwrap();
    assert_eq!(names(s.bodies.iter().map(|b| &b.name)), ["world", "b0", "b1"]);
    // MuJoCo's own places.
    let (p, r) = (s.bodies[2].pose.translation.vector, s.bodies[2].pose.rotation);
    assert!((p - Vector3::new(1.925417, 2.163176, 2.65798)).norm() < 1e-6, "{p}");
    assert!((r.w - 0.951549).abs() < 1e-6 && (r.i - 0.239298).abs() < 1e-6 && (r.k - 0.038135).abs() < 1e-6);
    let s = read(
        "<mujoco><worldbody><body name='base'><frame pos='0 0 1'><replicate count='3' euler='0 90 0' offset='1 0 0'>
           <frame pos='0 1 0'><geom name='g' size='.1'/></frame><site name='s'/></replicate></frame></body></worldbody></mujoco>",
    )
    .unwrap();
    assert_eq!(names(s.geoms.iter().map(|g| &g.name)), ["g0", "g1", "g2"]);
    let at = |i: usize| s.sites[i].pose.translation.vector;
    near(at(0), [0.0, 0.0, 1.0]);
    near(at(1), [1.0, 0.0, 1.0]);
    near(at(2), [1.0, 0.0, 0.0]);
    near(s.geoms[1].pose.translation.vector, [1.0, 1.0, 1.0]);
    let s = read(
        "<mujoco><worldbody><replicate count='2' sep='-'><replicate count='2' sep='_'><body name='b'><joint name='j'/>
           <geom size='.1'/></body></replicate></replicate></worldbody><sensor><jointpos name='s' joint='j'/></sensor></mujoco>",
    )
    .unwrap();
    assert_eq!(names(s.joints.iter().map(|j| &j.name)), ["j_0-0", "j_1-0", "j_0-1", "j_1-1"]);
    assert_eq!(names(s.sensors.iter().map(|x| &x.name)), ["s_0-0", "s_1-0", "s_0-1", "s_1-1"]);
    let s = read("<mujoco><worldbody><replicate count='10'><body name='b'><geom size='1'/></body></replicate></worldbody></mujoco>").unwrap();
    assert_eq!((s.bodies[1].name.as_str(), s.bodies[10].name.as_str()), ("b00", "b09"));
}

/// Names, places and rotations (w x y z) of the copies of copies below, in MuJoCo 4.0 (`body_pos`, `body_quat`).
#[rustfmt::skip]
const COPIES: [(&str, [f64; 3], [f64; 4]); 9] = [
    ("b_0-0", [1.0, 0.5, 0.0], [0.9833474432563558, 0.09115754934299071, 0.1435721750273919, 0.06407134770607116]),
    ("b_1-0", [0.6124988656304209, 0.783891847318261, -0.7912073600614354], [0.7494554148104685, 0.23541623477575804, 0.6016039905834858, -0.14480475174972315]),
    ("b_2-0", [0.2254601734460716, 1.6963434633584826, -0.6631367916770323], [0.2726613198095684, 0.4573116330765806, 0.8288318879685214, -0.1719289865586125]),
    ("b_0-1", [0.8098844889575023, 1.073885243411121, -0.4038757969613085], [0.7491064985924499, 0.33071186714903117, 0.49659984790750983, 0.2878501446093084]),
    ("b_1-1", [-0.0900090268825145, 1.2772081676233924, -0.47879071780980015], [0.3868795951729968, 0.20682436167875867, 0.8902738577791457, 0.1223123886202445]),
    ("b_2-1", [-0.4087551843197007, 1.6932663298361001, 0.3721296451641391], [-0.15968319128280445, 0.20675015735715563, 0.9646483590824124, -0.0347734694003917]),
    ("b_0-2", [-0.09461984983478666, 1.4338855868692064, -0.2067510271849748], [0.42123625921099234, 0.26845958480945387, 0.6166349195740984, 0.6084824083009389]),
    ("b_1-2", [-0.8337730398063417, 0.8841324289429564, -0.11628101098147525], [0.13988453535438986, -0.08963909460568925, 0.8993373199404094, 0.40446203091187755]),
    ("b_2-2", [-0.993228164023116, 0.698294296223739, 0.8526396375429206], [-0.29012629848723076, -0.24198764901308026, 0.9240850623120253, 0.057753841976108666]),
];

#[test]
fn conformance_replicate_multiplies_angles() {
    let s = read(
        "<mujoco><compiler angle='radian' eulerseq='zXy'/><worldbody>
         <replicate count='3' offset='.3 .1 -.2' euler='.2 .7 .9' sep='-'><replicate count='3' sep='_' offset='0 .5 .1' euler='-.4 0 1.1'>
         <body name='b' pos='1 .5 0' euler='.1 .2 .3'><geom size='.1'/></body></replicate></replicate></worldbody></mujoco>",
    )
    .unwrap();
    for (b, (name, place, [w, x, y, z])) in s.bodies[1..].iter().zip(COPIES) {
        assert_eq!(b.name, name);
        near(b.pose.translation.vector, place);
        // Round-off, of the cosine of the half angle.
        let r = b.pose.rotation.quaternion();
        assert!((r.dot(&Quaternion::new(w, x, y, z)).abs() - 1.0).abs() < 1e-14, "{name}");
    }
}

const REFERRING: &str = "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/>
    <body name='w'><joint name='wj'/><geom size='.1'/><site name='ws'/></body>
    <replicate count='2' offset='1 0 0'><body name='b'><joint name='j'/><geom name='g' size='.1'/><site name='s'/><site name='s2' pos='1 0 0'/></body></replicate>
    <body name='z'><joint name='zj'/><geom size='.1'/></body></worldbody>
    <contact><pair geom1='g' geom2='floor'/><exclude body1='b' body2='w'/><exclude name='ex' body1='w' body2='z'/></contact>
    <tendon><fixed name='tw'><joint joint='wj' coef='1'/></fixed><spatial name='t'><site site='s'/><site site='s2'/></spatial>
      <fixed name='f'><joint joint='j' coef='1'/></fixed><fixed name='tz'><joint joint='wj' coef='1'/></fixed></tendon>
    <actuator><motor name='w' joint='wj'/><motor name='m' joint='j'/><motor name='mt' tendon='t'/><motor name='z' joint='zj'/></actuator>
    <equality><joint name='e' joint1='j'/><joint name='ew' joint1='wj'/><joint name='e2' joint1='j' joint2='wj'/></equality>
    <sensor><jointpos name='w' joint='wj'/><framepos name='fp' objtype='site' objname='s'/><tendonpos name='tp' tendon='t'/>
      <actuatorpos name='ap' actuator='m'/><framepos name='fr' objtype='site' objname='s' reftype='site' refname='ws'/></sensor>
    <keyframe><key name='k' qpos='1 2 3 4'/></keyframe></mujoco>";

#[test]
fn conformance_replicate_copies_what_refers_to_it() {
    let s = read(REFERRING).unwrap();
    assert_eq!(names(s.tendons.iter().map(|x| &x.name)), ["tw", "tz", "t0", "f0", "t1", "f1"]);
    assert_eq!(names(s.actuators.iter().map(|x| &x.name)), ["w", "z", "m0", "mt0", "m1", "mt1"]);
    assert_eq!(names(s.equalities.iter().map(|x| &x.name)), ["ew", "e0", "e1"]);
    let sensors = ["w", "fp0", "tp0", "ap0", "fr0", "fp1", "tp1", "ap1", "fr1"];
    assert_eq!(names(s.sensors.iter().map(|x| &x.name)), sensors);
    assert_eq!((s.pairs.len(), s.excludes.len()), (2, 3));
    assert_eq!(s.keyframes[0].q, [1.0, 2.0, 3.0, 4.0]);
    assert!(
        s.notes.iter().any(|n| n.kind == NoteKind::Warning && n.text.contains("'wj'")),
        "e2 is left out, told"
    );
}

#[test]
fn regression_replicate_is_refused_with_a_remedy() {
    let in_world = |x: &str| format!("<mujoco>\n<worldbody><body>{x}</body></worldbody></mujoco>");
    for (text, part) in [
        ("<replicate/>", "write count"),
        ("<replicate count='-1'/>", "not negative"),
        ("<replicate count='999999999'><geom size='1'/></replicate>", "lower the count"),
        ("<replicate count='2'><joint/></replicate>", "put it into a body"),
        ("<replicate count='2' of='1'/>", "unknown attribute 'of'"),
        ("<attach model='m' prefix='p'/>", "define it in <asset>"),
    ] {
        let e = read(&in_world(text)).unwrap_err();
        assert!(e.contains("robot.xml:2:") && e.contains(part), "{text}: {e}");
    }
}

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("signorini-scene-{}-{name}", std::process::id()));
        std::fs::create_dir_all(path.join("sub")).unwrap();
        Self(path)
    }
    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }
    fn load(&self, text: &str) -> Result<Scene, String> {
        self.write("main.xml", text);
        Scene::load(self.0.join("main.xml"), &LoadOptions::default()).map_err(|e| e.to_string())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn conformance_witnesses_of_files() {
    for (file, geoms) in [("stray_text", 1), ("fluidcoef_after_fluidshape", 1)] {
        let Some(path) = data::case(format!("files/{file}.xml")) else { return };
        let s = Scene::load(path, &LoadOptions::default()).unwrap_or_else(|e| panic!("{file}: {e}"));
        assert_eq!((s.geoms.len(), s.nv()), (geoms, 6), "{file}");
    }
    // MuJoCo 4.0 refuses a position beside end points, unless it is zero.
    let Some(path) = data::case("files/geom_fromto_and_pos.xml") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    assert!(read(&text).unwrap_err().contains("both 'pos' and 'fromto'"));
    let s = read(&text.replace("1 2 3", "0 0 0")).unwrap();
    near(s.geoms[0].pose.translation.vector, [0.15, 0.0, 0.0]);
    // Meshes lie beside the main file, or beside the file that includes them.
    let f = Folder::new("meshes");
    f.write("sub/m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n");
    f.write("sub/p.xml", "<mujoco><asset><mesh name='m' file='m.obj'/></asset></mujoco>");
    let main = "<mujoco><include file='sub/p.xml'/><worldbody><body><freejoint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>";
    let s = f.load(main).unwrap();
    assert!((s.total_mass() - 1000.0 / 6.0).abs() < 1e-9, "vertices alone are their hull");
    let text = "<mujoco><worldbody><body><frame pos='1 0 0' euler='0 0 90'><inertial pos='0 1 0' mass='1' diaginertia='1 2 2.5'/></frame>
        <geom size='.1'/></body></worldbody></mujoco>";
    let m = read(text).unwrap().bodies[1].mass.unwrap();
    near(m.com.coords, [0.0; 3]);
    near(m.inertia.diagonal(), [2.0, 1.0, 2.5]);
}

#[test]
fn conformance_built_in_meshes() {
    let mesh = |kind: &str, params: &str| {
        read(&format!(
            "<mujoco><asset><mesh name='m' builtin='{kind}' params='{params}'/></asset>
             <worldbody><body><freejoint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>"
        ))
    };
    // Masses at 1000 kg/m³, of MuJoCo 4.0.
    for (kind, params, mass) in [
        ("sphere", "2", 4047.0446616510244),
        ("hemisphere", "3", 1909.7436909829885),
        ("cone", "7 .4", 2845.86657990609),
        ("cone", "5 0", 1585.094227875054),
        ("supersphere", "6 .5 .7", 4697.72515274797),
        ("supertorus", "5 .3 .5 .7", 2312.9595088470473),
        ("wedge", "3 4 60 80 0", 534.9643982928872),
        ("wedge", "4 5 170 60 .7", 1436.051656340799),
        ("box", "2 3 4 .1 .2 .3", 36.00000011920927),
        ("cylinder", "5 6 3 .1 .2 .3 3", 184.15453487294144),
        ("ellipsoid", "5 4 7 .1 .2 .3", 209.70151311718243),
    ] {
        let have = mesh(kind, params).unwrap().total_mass();
        // MuJoCo rounds the directions of a sphere to single precision at each subdivision.
        // Vertices that have no faces are hulled in single precision there.
        let tolerance =
            if matches!(kind, "hemisphere" | "cone" | "supersphere" | "supertorus") { 1e-9 } else { 1e-7 };
        assert!((have - mass).abs() < tolerance * mass, "{kind}: {have}, not {mass}");
    }
    for (kind, params, part) in [
        ("sphere", "5", "from 0 to 4"),
        ("cone", "5", "nvert radius"),
        ("supertorus", "2.5 .3 .5 .7", "a whole number first"),
        ("wedge", "10 10 0 60 .2", "fovx > 0, at most 180"),
        ("wedge", "3.5 4 60 80 0", "2 whole numbers first"),
        ("box", "2 2 2 .1 .2 .3 2", "dim 3"),
        ("prism", "3", "'prism'"),
        ("sphere", "", "subdivision"),
    ] {
        let e = mesh(kind, params).unwrap_err();
        assert!(e.contains("robot.xml:1:") && e.contains(part), "{e}");
    }
    // A plate is flat: it may stand in a file, and no geom has its shape.
    let flat = "<mujoco><asset><mesh name='m' builtin='plate' params='3 4'/></asset><worldbody/></mujoco>";
    assert!(read(flat).is_ok());
    let e = mesh("plate", "3 4").unwrap_err();
    assert!(e.contains("robot.xml:"), "{e}");
}

const CHILD: &str = "<mujoco model='child'><compiler angle='radian' meshdir='sub'/><option gravity='0 0 -1'/>
    <default><joint stiffness='7'/><geom size='.3'/><default class='c'><geom type='box' size='.1 .2 .3'/></default></default>
    <asset><mesh file='t.obj'/><material name='mat' rgba='1 0 0 1'/></asset>
    <worldbody><geom name='floor' type='plane' size='1 1 1'/><light/><body name='a' pos='1 0 0'><joint name='j' range='-1 1'/>
      <geom name='g' class='c' material='mat'/><geom name='gt' type='mesh' mesh='t' mass='1'/><site name='s'/>
      <body name='b'><joint name='j2' axis='1 0 0'/><geom name='gm'/></body></body><body name='o'><joint name='jo'/><geom/></body></worldbody>
    <contact><exclude body1='a' body2='b'/></contact><actuator><motor name='m' joint='j'/><motor name='mo' joint='jo'/></actuator>
    <sensor><jointpos name='sj' joint='j'/></sensor></mujoco>";
const MAIN: &str = "<mujoco model='main'><default><joint stiffness='9'/><geom size='.9'/></default><asset><model name='ch' file='child.xml'/></asset>
    <worldbody>BODY</worldbody>REST</mujoco>";

fn main_with(body: &str, rest: &str) -> String {
    MAIN.replace("BODY", body).replace("REST", rest)
}

/// Places of MuJoCo 4.0; the class that holds for a part in its own file stays.
#[test]
fn conformance_attached_frames() {
    let f = Folder::new("attach_frame");
    f.write(
        "child.xml",
        "<mujoco model='c'><default><default class='k'><joint stiffness='7'/></default></default>
         <worldbody><geom size='.1'/><body name='o' childclass='k' pos='1 0 0'><joint name='oj'/><geom size='.1'/><frame name='f' pos='0 1 0' euler='0 0 90'>
         <frame name='in' pos='0 0 .5'><body name='p' pos='.2 0 0'><joint name='q'/><geom name='g' size='.1'/></body></frame><geom name='h' size='.2' pos='.3 0 0'/></frame></body></worldbody>
         <actuator><motor joint='q' name='m'/><motor joint='oj' name='m2'/></actuator></mujoco>",
    );
    let with = |part: &str| {
        f.load(&main_with(
            &format!("<body name='k' pos='5 0 0'><joint/><geom size='.1'/><frame pos='0 0 2' euler='90 0 0'><attach model='ch' {part} prefix='n_'/></frame></body>"),
            "",
        ))
    };
    let s = with("frame='f'").unwrap();
    assert_eq!(names(s.geoms.iter().skip(1).map(|g| &g.name)), ["n_h", "n_g"]);
    assert_eq!(names(s.bodies.iter().map(|b| &b.name)), ["world", "k", "n_p"]);
    assert_eq!(names(s.actuators.iter().map(|a| &a.name)), ["n_m"]);
    assert_eq!(s.joints[1].stiffness, 7.0);
    near(s.bodies[2].pose.translation.vector, [0.0, -0.5, 3.2]);
    near(s.geoms[1].pose.translation.vector, [0.0, 0.0, 3.3]);
    let r = s.bodies[2].pose.rotation.quaternion();
    assert!((r - Quaternion::new(0.5, 0.5, -0.5, 0.5)).norm() < 1e-12, "{r}");
    let s = with("frame='in'").unwrap();
    assert_eq!(names(s.geoms.iter().skip(1).map(|g| &g.name)), ["n_g"]);
    near(s.bodies[2].pose.translation.vector, [0.2, -0.5, 2.0]);
    for (part, remedy) in [("frame='g'", "no frame 'g'"), ("frame='f' body='p'", "keep one")] {
        let e = with(part).unwrap_err();
        assert!(e.contains(":1") && e.contains(remedy), "{e}");
    }
}

#[test]
fn conformance_attached_models() {
    let f = Folder::new("attach");
    f.write("child.xml", CHILD);
    f.write("sub/t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n");
    let s = f
        .load(&main_with(
            "<body name='p' childclass='q'><joint name='pj' range='-10 10'/><geom/><frame pos='0 0 5'><attach model='ch' body='a' prefix='x_'/></frame></body>",
            "<default><default class='q'><joint stiffness='3'/></default></default><actuator><motor name='mm' joint='x_j'/></actuator>",
        ))
        .unwrap();
    assert_eq!(names(s.bodies.iter().map(|b| &b.name)), ["world", "p", "x_a", "x_b"]);
    assert_eq!(names(s.geoms.iter().skip(1).map(|g| &g.name)), ["x_g", "x_gt", "x_gm"]);
    let joints: Vec<_> = s.joints.iter().map(|j| (j.name.as_str(), j.range, j.stiffness)).collect();
    let turn = 10_f64.to_radians();
    // Each file's own unit of angles and classes.
    assert_eq!(
        joints,
        [("pj", Some([-turn, turn]), 3.0), ("x_j", Some([-1.0, 1.0]), 7.0), ("x_j2", None, 7.0)]
    );
    assert_eq!(names(s.actuators.iter().map(|a| &a.name)), ["mm", "x_m"]);
    assert_eq!(names(s.sensors.iter().map(|a| &a.name)), ["x_sj"]);
    assert_eq!((s.excludes.len(), s.options.gravity.z), (1, -9.81));
    assert!(
        matches!(s.geoms[1].shape, GeomShape::Solid(Shape::Box { half_extents: h }) if h == Vector3::new(0.1, 0.2, 0.3))
    );
    assert!(matches!(s.geoms[3].shape, GeomShape::Solid(Shape::Sphere { radius }) if radius == 0.3));
    near(s.bodies[2].pose.translation.vector, [1.0, 0.0, 5.0]);
    let bare = f.load(&main_with("<attach model='ch' body='a' prefix=''/>", "")).unwrap();
    assert_eq!(
        (names(bare.bodies.iter().map(|b| &b.name)), bare.joints[0].stiffness),
        (vec!["world", "a", "b"], 7.0)
    );
    let twice = f
        .load(&main_with(
            "<attach model='ch' body='a' prefix='x_'/><attach model='ch' body='a' prefix='y_'/>",
            "",
        ))
        .unwrap();
    assert_eq!(names(twice.actuators.iter().map(|a| &a.name)), ["x_m", "y_m"]);
    let whole = f.load(&main_with("<attach model='ch' prefix='x_'/>", "")).unwrap();
    assert_eq!(names(whole.bodies.iter().map(|b| &b.name)), ["world", "x_a", "x_b", "x_o"]);
    assert_eq!(names(whole.actuators.iter().map(|a| &a.name)), ["x_m", "x_mo"]);
    let repeated = f
        .load(&main_with(
            "<replicate count='2' offset='0 1 0'><attach model='ch' body='a' prefix='x_'/></replicate>",
            "",
        ))
        .unwrap();
    assert_eq!(names(repeated.joints.iter().map(|j| &j.name)), ["x_j0", "x_j20", "x_j1", "x_j21"]);
    assert_eq!(names(repeated.actuators.iter().map(|a| &a.name)), ["x_m0", "x_m1"]);
    // Keyframes of a whole model keep their numbers; MuJoCo gives `x_k` these.
    f.write(
        "child.xml",
        &CHILD
            .replace("</mujoco>", "<keyframe><key name='k' qpos='.1 .2 .3' ctrl='4 5'/></keyframe></mujoco>"),
    );
    let world = "<body name='p'><joint/><geom/></body><attach model='ch' prefix='x_'/>";
    let rest =
        "<actuator><motor joint='x_j'/></actuator><keyframe><key name='mk' qpos='1 2 3 4'/></keyframe>";
    let keys = f.load(&main_with(world, rest)).unwrap().keyframes;
    assert_eq!((keys[0].name.as_str(), keys[0].q.as_slice()), ("mk", &[1.0, 2.0, 3.0, 4.0][..]));
    assert_eq!((keys[1].name.as_str(), keys[1].q.as_slice()), ("x_k", &[0.0, 0.1, 0.2, 0.3][..]));
    assert_eq!(keys[1].control, [0.0, 4.0, 5.0]);
    let part = f.load(&main_with("<attach model='ch' body='a' prefix='x_'/>", "")).unwrap();
    assert!(part.keyframes.is_empty() && part.notes.iter().any(|n| n.text.contains("keyframes of a model")));
    f.write("child.xml", CHILD);
    f.write("mid.xml", "<mujoco><asset><model name='ch' file='child.xml'/></asset><worldbody><body name='mid'><geom size='.4'/><attach model='ch' body='a' prefix='n_'/></body></worldbody></mujoco>");
    let nested = f.load("<mujoco><asset><model name='mi' file='mid.xml'/></asset><worldbody><attach model='mi' body='mid' prefix='o_'/></worldbody></mujoco>").unwrap();
    assert_eq!(names(nested.bodies.iter().map(|b| &b.name)), ["world", "o_mid", "o_n_a", "o_n_b"]);
    assert_eq!(nested.joints[0].stiffness, 7.0);
    let class =
        f.load(&main_with("<attach model='ch' body='a' prefix='x_'/><geom class='x_c'/>", "")).unwrap();
    assert!(matches!(class.geoms[0].shape, GeomShape::Solid(Shape::Box { .. })));
    for (body, part) in [
        ("<attach model='ch' body='a'/>", "write prefix"),
        ("<attach model='hc' body='a' prefix=''/>", "define it in <asset>"),
        ("<attach model='ch' body='nope' prefix='x'/>", "no body 'nope'"),
        ("<attach model='ch' body='a' prefix=''/><attach model='ch' body='a' prefix=''/>", "twice"),
    ] {
        let e = f.load(&main_with(body, "")).unwrap_err();
        assert!(e.contains(".xml:") && e.contains(part), "{e}");
    }
    f.write("child.xml", "<mujoco><asset><model name='m' file='main.xml'/></asset></mujoco>");
    assert!(f.load(&main_with("", "")).unwrap_err().contains("break the cycle"));
    f.write("child.xml", "<robot name='r'/>");
    assert!(f.load(&main_with("", "")).unwrap_err().contains("convert it to MJCF"));
}

/// Without a prefix the classes of an attached model may be called as those of its surroundings; the numbers are MuJoCo's.
#[test]
fn conformance_classes_of_attached_models_are_their_own() {
    let f = Folder::new("classes");
    f.write(
        "child.xml",
        "<mujoco><default><geom mass='3'/><default class='v'><geom size='.2' group='2'/></default></default>
        <worldbody><body name='b'><freejoint/><geom class='v'/></body></worldbody></mujoco>",
    );
    for prefix in ["", "p_"] {
        let s = f
            .load(&format!(
                "<mujoco><default><default class='v'><geom size='.7' group='4'/></default></default><asset><model name='m' file='child.xml'/></asset>
                <worldbody><geom class='v'/><attach model='m' body='b' prefix='{prefix}'/></worldbody></mujoco>"
            ))
            .unwrap();
        let radius = |i: usize| match s.geoms[i].shape {
            GeomShape::Solid(Shape::Sphere { radius }) => radius,
            _ => panic!(),
        };
        assert_eq!(([radius(0), radius(1)], [s.geoms[0].group, s.geoms[1].group]), ([0.7, 0.2], [4, 2]));
        assert_eq!(s.bodies[1].mass.unwrap().mass, 3.0);
    }
}

/// Of `<inertial>` in several frames of a body the last one holds; the numbers are MuJoCo's.
#[test]
fn conformance_the_last_inertial_of_frames_holds() {
    let body = |inside: &str| {
        read(&format!("<mujoco><worldbody><body name='b'><freejoint/>{inside}</body></worldbody></mujoco>"))
    };
    let first = "<frame pos='1 0 0'><inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/></frame>";
    let s = body(&format!(
        "{first}<frame pos='0 1 0'><inertial pos='0 0 1' mass='3' diaginertia='1 2 2'/></frame>"
    ));
    let s = s.unwrap();
    let m = s.bodies[1].mass.unwrap();
    near(m.com.coords, [0.0, 1.0, 1.0]);
    assert_eq!((m.mass, m.inertia.diagonal()), (3.0, Vector3::new(1.0, 2.0, 2.0)));
    assert!(s.notes.iter().any(|n| n.text.contains("earlier <inertial>") && n.place.line > 0));
    let plain = "<inertial pos='0 0 1' mass='3' diaginertia='1 2 2'/>";
    for twice in [
        format!("{plain}{plain}"),
        format!(
            "<frame><inertial pos='0 0 0' quat='1 1 0 0' mass='2' diaginertia='1 1 1'/></frame><frame>{plain}</frame>"
        ),
    ] {
        let e = body(&twice).unwrap_err();
        assert!(e.contains("a second <inertial>") && e.contains("keep one"), "{e}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Copy i has the angles times i, its place is the sum of the offsets in the frames of the copies before it.
    #[test]
    fn property_replicate_is_frames_written_out(
        count in 1usize..6,
        offset in prop::array::uniform3(-2.0f64..2.0),
        euler in prop::array::uniform3(-180.0f64..180.0),
        pos in prop::array::uniform3(-1.0f64..1.0),
    ) {
        let list = |x: [f64; 3]| format!("{} {} {}", x[0], x[1], x[2]);
        let body = |name: &str| format!("<body name='{name}' pos='{}' euler='20 0 7'><geom size='.1'/></body>", list(pos));
        let world = |inner: &str| format!("<mujoco><worldbody>{inner}</worldbody></mujoco>");
        let copies = read(&world(&format!(
            "<replicate count='{count}' offset='{}' euler='{}'>{}</replicate>", list(offset), list(euler), body("b")
        ))).unwrap();
        let mut text = String::new();
        let mut place = Vector3::zeros();
        for i in 0..count {
            let angles = euler.map(|a| a * i as f64);
            text += &format!(
                "<frame pos='{}' euler='{}'>{}</frame>", list(place.into()), list(angles), body(&format!("b{i}"))
            );
            let [x, y, z] = [Vector3::x_axis(), Vector3::y_axis(), Vector3::z_axis()];
            let about = |k: usize, axis| Rotation3::from_axis_angle(&axis, angles[k].to_radians());
            place += about(0, x) * about(1, y) * about(2, z) * Vector3::from(offset);
        }
        let written = read(&world(&text)).unwrap();
        for (a, b) in copies.bodies.iter().zip(&written.bodies) {
            prop_assert_eq!(&a.name, &b.name);
            prop_assert!((a.pose.translation.vector - b.pose.translation.vector).norm() < 1e-12);
            prop_assert!(a.pose.rotation.angle_to(&b.pose.rotation) < 1e-7);
        }
        prop_assert_eq!(copies.bodies.len(), written.bodies.len());
    }
}
