//! Scene files of points that are wrong are refused by line and key.

use std::path::{Path, PathBuf};

use signorini_coupling::{PointScene, SceneFile};
use signorini_scene::{LoadOptions, Scene};

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../models")
}

fn made(file: SceneFile) -> Result<PointScene, String> {
    let scene = Scene::load(&file.model, &LoadOptions::default()).map_err(|e| e.to_string())?;
    PointScene::new(file, &scene).map_err(|e| e.to_string())
}

const JELLY: &str = r#"model = "arm_roller/arm_roller.xml"
keyframe = "above"
[[points]]
name = "jelly"
shape = "box"
size = [0.1, 0.1, 0.02]
position = [0.44, 0.0, 0.01]
young = 2e4
density = 1000
[contact]
depth = 1e-3
"#;

fn read(text: &str) -> Result<PointScene, String> {
    made(SceneFile::parse(text, &models().join("scene.toml")).map_err(|e| e.to_string())?)
}

#[test]
fn regression_entries_are_refused_by_line_and_key() {
    read(JELLY).unwrap();
    for (from, to, words) in [
        ("young", "yuong", &["scene.toml:8", "points 'jelly'", "'yuong'", "did you mean 'young'"][..]),
        ("young = 2e4", "young = -3", &[":8", "young", "Pa > 0"]),
        ("young = 2e4", "young = nan", &[":8", "young", "Pa > 0"]),
        ("density = 1000", "", &[":3", "density is missing", "kg/m³"]),
        ("size = [0.1, 0.1, 0.02]", "size = [0.1, 0.0, 0.02]", &[":6", "size", "three edges > 0 m"]),
        ("size = [0.1, 0.1, 0.02]", "size = [0.1, 0.1]", &[":6", "size", "three edges > 0 m"]),
        ("shape = \"box\"", "shape = \"boxx\"", &[":5", "'boxx'", "did you mean 'box'"]),
        ("shape = \"box\"", "mesh = \"none.obj\"", &[":6", "size", "beside a mesh"]),
        ("young = 2e4", "young = 2e4\nyield_stress = 10", &[":9", "yield_stress", "plastic"]),
        ("young = 2e4", "young = 2e24", &[":3", "of 'jelly' ask for short steps", "softer"]),
        (
            "young = 2e4",
            "young = 2e4\nviscosity = 1e12",
            &[":3", "of 'jelly' ask for short steps", "less viscous"],
        ),
        (
            "[contact]",
            "[[cloth]]\nsize = [0.1, 0.1]\nedge = 0.01\nposition = [0, 0, 1]\nyoung = 1e4\ndensity = 1000\nthickness = 1e-3\nfriction = 0.1\n[[cloth]]\nsize = [0.1, 0.1]\nedge = 0.01\nposition = [0, 0, 2]\nyoung = 1e4\ndensity = 1000\nthickness = 1e-3\n[contact]",
            &[":18", "all cloth has one"],
        ),
        ("young = 2e4", "young = 2e4\nbulk_modulus = 1e5", &[":9", "bulk_modulus", "liquid"]),
        (
            "young = 2e4",
            "material = \"liquid\"\nbulk_modulus = 1e5\nyoung = 2e4",
            &[":10", "young", "leave it out"],
        ),
        ("young = 2e4", "young = 2e4\nmaterial = \"liquide\"", &[":9", "'liquide'", "did you mean 'liquid'"]),
        ("young = 2e4", "young = 2e4\nviscosity = -1", &[":9", "viscosity", "Pa·s ≥ 0"]),
        ("young = 2e4", "young = 2e4\nfriction = -1", &[":9", "friction", "0 to 1000"]),
        (
            "young = 2e4",
            "young = 2e4\nmaterial = \"sand\"\nfriction_angle = 30\nlimit_angle = 40",
            &[":3", "grain_diameter is missing"],
        ),
        (
            "young = 2e4",
            "young = 2e4\nmaterial = \"sand\"\nfriction_angle = 30\nexpansion = 0.1",
            &[":3", "dilatancy_angle is missing"],
        ),
        ("young = 2e4", "young = 2e4\nmaterial = \"snow\"", &[":3", "compression is missing"]),
        ("young = 2e4", "young = 2e4\npoisson = 0.5", &[":9", "poisson", "below ½"]),
        ("\"above\"", "\"abov\"", &[":2", "no keyframe 'abov'", "did you mean 'above'"]),
        ("keyframe", "keyfram", &[":2", "'keyfram'", "did you mean 'keyframe'"]),
        ("keyframe = \"above\"", "motion = [[1, \"above\"], [0.5, \"press\"]]", &[":2", "rising times"]),
        ("model = \"arm_roller/arm_roller.xml\"", "", &["model is missing"]),
        ("model = \"arm_roller/arm_roller.xml\"", "model = \"$NO_SUCH_NAME/a.xml\"", &[":1", "NO_SUCH_NAME"]),
        (
            "[contact]",
            "[keyframes.low]\nroler = 0.1\n[contact]",
            &[":11", "keyframes.low", "no joint or actuator 'roler'"],
        ),
        (
            "[contact]",
            "[keyframes.low]\nlift = \"up\"\n[contact]",
            &[":11", "keyframes.low", "lift: give a number"],
        ),
        ("[contact]", "[keyframes]\nlow = 3\n[contact]", &[":11", "keyframes.low", "as [keyframes.cup]"]),
        ("[contact]", "[contact]\nwith = [\"tabel\"]", &[":11", "tabel", "did you mean 'table'"]),
        ("depth = 1e-3", "depth = 0", &[":11", "depth", "m > 0"]),
        ("depth = 1e-3", "depth = 1e-3\nstiffness = 1e7", &[":11", "depth", "beside a stiffness"]),
        ("name = \"jelly\"", "name = 3", &[":4", "name", "in quotes"]),
        ("name = \"jelly\"", "name = \"\"", &[":4", "name", "in quotes"]),
        ("keyframe", "step = 0.2\ntime = 0.1\nkeyframe", &[":2", "step", "longer than the run"]),
        ("keyframe", "spacing = 0.5\nkeyframe", &[":4", "'jelly' is 2.000e-2 m thin", "a smaller spacing"]),
        ("young = 2e4", "young = 2e4\nvelocity = [2e3, 0, 0]", &[":9", "velocity", "a slower start"]),
        (
            "[contact]",
            "[[cloth]]\nsize = [1, 1]\nedge = 1e-4\nposition = [0, 0, 1]\nyoung = 1e4\ndensity = 1000\nthickness = 1e-3\n[contact]",
            &[":12", "edge", "3.0e8 particles"],
        ),
        (
            "[contact]",
            "[[cloth]]\nsize = [1, 1]\nedge = 0.1\nposition = [0, 0, 1]\nyoung = 1e4\ndensity = 1000\nthickness = 1\n[contact]",
            &[":16", "thickness", "more than a tenth", "metres"],
        ),
        ("[contact]", "[contact", &[":10"]),
        ("depth = 1e-3", "depth = 0.05", &[":10", "depth", "more than a cell of the grid"]),
        ("depth = 1e-3", "stiffness = 1e30", &[":10", "stiffness", "more than solves bear"]),
        ("depth = 1e-3", "friction = 1e5", &[":11", "friction", "0 to 1000"]),
        ("young = 2e4", "young = 2e4\nangular_velocity = [0, 1e4, 0]", &[":9", "angular_velocity", "rad/s"]),
        ("depth = 1e-3", "depth = 1e-30", &[":10", "depth", "less than a millionth of a cell"]),
        ("young = 2e4", "young = 2e4\nscale = 2", &[":9", "scale", "without a mesh"]),
        ("young = 2e4", "young = 2e4\nloss_factor = 0.2", &[":3", "loss_frequency is missing"]),
        ("young = 2e4", "young = 2e4\nloss_factor = 1.2", &[":9", "loss_factor", "below 1"]),
        ("keyframe", "floating = 1\nkeyframe", &[":2", "floating", "true or false"]),
        ("keyframe", "rate = 0\nkeyframe", &[":2", "rate", "1/s > 0"]),
        (
            "[contact]",
            "[keyframes.low]\nelbow = -1\n[contact]",
            &[":11", "keyframes.low", "-1 is outside of the range of joint 'elbow', [0.0000, 2.8000]"],
        ),
        (
            "[contact]",
            "[[pins]]\nof = \"jelly\"\ncenter = [0, 0, 0]\nradius = 1\nuntil = 0\n[contact]",
            &[":14", "until", "s > 0"],
        ),
        (
            "[contact]",
            "[[cloth]]\nsize = [0.1, 0.1]\nedge = 0.2\nyoung = 1e4\ndensity = 1000\nthickness = 1e-3\n[contact]",
            &[":12", "edge", "longer than a side"],
        ),
        // Half of the box is below the table.
        ("0.0, 0.01]", "0.0, 0.0]", &[":3", "'jelly'", "mm inside geom 'table'"]),
        // In the roller.
        ("[0.44, 0.0, 0.01]", "[0.37, 0.0, 0.06]", &[":3", "mm inside geom 'roller'"]),
        (
            "[contact]",
            "[[points]]\nname = \"other\"\nshape = \"sphere\"\nsize = [0.05]\nposition = [0.44, 0.0, 0.03]\nyoung = 1e4\ndensity = 1000\n[contact]",
            &["'jelly' starts", "mm inside 'other'"],
        ),
        (
            "[contact]",
            "[[points]]\nname = \"jelly\"\nshape = \"sphere\"\nsize = [0.05]\nposition = [0.44, 0.0, 0.3]\nyoung = 1e4\ndensity = 1000\n[contact]",
            &["the name 'jelly'"],
        ),
        (
            "[contact]",
            "[[cloth]]\nname = \"sheet\"\nsize = [0.1, 0.1]\nedge = 0.05\nposition = [0, 0, 1]\nyoung = 1e4\ndensity = 1000\nthickness = 1e-3\n[contact]",
            &[":3", "'jelly' is 2.000e-2 m thin", "shorter edges of cloth"],
        ),
        (
            "[contact]",
            "[[pins]]\nof = \"jely\"\ncenter = [0, 0, 0]\nradius = 1\n[contact]",
            &[":11", "'jely'", "'jelly'"],
        ),
        (
            "[contact]",
            "[[pins]]\nof = \"jelly\"\nto = \"rollr\"\ncenter = [0, 0, 0]\nradius = 1\n[contact]",
            &[":12", "no geom or body that points meet 'rollr'", "did you mean 'roller'"],
        ),
        ("[contact]", "[[pins]]\nof = \"jelly\"\nradius = 1\n[contact]", &[":10", "center is missing"]),
        ("[contact]", "[[pins]]\ncenter = [0, 0, 0]\nradius = 1\n[contact]", &[":10", "of is missing"]),
        (
            "[contact]",
            "[[pins]]\nof = \"jelly\"\ncenter = [9, 0, 0]\nradius = 1\n[contact]",
            &[":10", "pins of 'jelly'", "no particle is chosen", "choose some"],
        ),
        (
            "[contact]",
            "[[pins]]\nof = \"jelly\"\ncenter = [0, 0, 0]\nradius = 1\ndamping = 1\n[contact]",
            &[":14", "damping", "give a stiffness"],
        ),
        (
            "[contact]",
            "[[cloth]]\nsize = [0.1, 0.1]\nedge = 0.05\nyoung = 1e4\ndensity = 1000\nthickness = 1e-3\nbending = -1\n[contact]",
            &[":16", "bending", "N·m ≥ 0"],
        ),
        (
            "[contact]",
            "[[walls]]\npoint = [0, 0, 0]\nnormal = [0, 0, 0]\nborder = \"slip\"\n[contact]",
            &[":12", "walls", "normal", "it is zero"],
        ),
        (
            "[contact]",
            "[[walls]]\npoint = [0, 0, 0]\nnormal = [0, 0, 1]\nborder = \"slipp\"\n[contact]",
            &[":13", "border", "'slip'"],
        ),
        (
            "[contact]",
            "[[walls]]\npoint = [0, 0, 0]\nnormal = [0, 0, 1]\nborder = \"slip\"\nfriction = 1\n[contact]",
            &[":14", "friction", "take rubbing"],
        ),
        (
            "[contact]",
            "[[walls]]\npoint = [0, 0, 0]\nnormal = [0, 0, 1]\nborder = \"rubbing\"\n[contact]",
            &[":10", "friction is missing"],
        ),
        (
            "[contact]",
            "[[walls]]\npoint = [0, 0, 0]\nnormal = [0, 0, -1]\nborder = \"slip\"\n[contact]",
            &[":3", "'jelly' starts", "behind the wall of line 10"],
        ),
    ] {
        assert!(JELLY.contains(from), "{from}");
        let result = read(&JELLY.replacen(from, to, 1));
        let Err(e) = result else { panic!("{to} was taken") };
        assert!(words.iter().all(|w| e.contains(w)), "{to}: {e}");
    }
}

#[test]
fn conformance_every_material_lies_on_the_table() {
    let grains = "limit_angle = 45\ngrain_diameter = 1e-3\ngrain_density = 2500\ndilatancy_angle = 5\nexpansion = 0.03";
    for material in [
        "young = 2e4\nviscosity = 1".to_owned(),
        "young = 2e4\nloss_factor = 0.2\nloss_frequency = 5".to_owned(),
        "young = 2e4\nmaterial = \"plastic\"\nyield_stress = 1e3\nfriction = 0.1".to_owned(),
        format!("young = 2e5\nmaterial = \"sand\"\nfriction_angle = 32\n{grains}"),
        "young = 2e5\nmaterial = \"snow\"\ncompression = 2e3\ncohesion = 0.3\nslope = 1.2\nhardening = 5"
            .to_owned(),
        "material = \"liquid\"\nbulk_modulus = 2e4\nviscosity = 0.5".to_owned(),
    ] {
        let mut s = read(&format!("spacing = 0.01\n{}", JELLY.replace("young = 2e4", &material))).unwrap();
        while s.state.t < 0.1 {
            s.step(0.1).unwrap();
        }
        let x = &s.both_mut().points_mut().engine_mut().particles().x;
        let lowest = x.iter().map(|x| x.z).fold(f64::INFINITY, f64::min);
        let middle = x.iter().map(|x| x.z).sum::<f64>() / x.len() as f64;
        // It was 20 mm high on two cells, and contact is pressed by a millimetre or two.
        assert!(lowest > -4e-3 && middle > 1e-3 && middle < 0.012, "{material}: {lowest} {middle}");
    }
}

#[test]
fn analytic_what_is_pinned_hangs() {
    // A box in the air, held by its uppermost points at the world, or at the table below it by springs.
    for (to, stiffness) in [("", ""), ("to = \"table\"\n", "stiffness = 500\ndamping = 2\n")] {
        let pins = format!(
            "[[pins]]\nof = \"jelly\"\n{to}center = [0.44, 0.0, 0.52]\nradius = 0.03\n{stiffness}[contact]"
        );
        let text = JELLY.replace("0.0, 0.01]", "0.0, 0.5]").replace("[contact]", &pins);
        let mut s = read(&format!("spacing = 0.01\ndamping_time = 5e-3\n{text}")).unwrap();
        assert!(s.choices().iter().any(|c| c.contains("points held by")), "{:?}", s.choices());
        let mut last = f64::NAN;
        while s.state.t < 0.3 {
            s.step(0.3).unwrap();
            let x = &s.both_mut().points_mut().engine_mut().particles().x;
            last = x.iter().map(|x| x.z).sum::<f64>() / x.len() as f64;
        }
        println!("{to}{last}");
        // Without pins it would have fallen by 0.44 m; the free parts of the slab hang down.
        assert!((last - 0.5).abs() < 0.03, "{last}");
    }
}

#[test]
fn analytic_a_slab_slides_on_a_wall_that_rubs() {
    let wall = |border: &str| {
        format!("[[walls]]\npoint = [0, 0, 0.5]\nnormal = [0, 0, 2]\nborder = \"{border}\n[contact]")
    };
    let start =
        JELLY.replace("0.0, 0.01]", "0.0, 0.51]\nvelocity = [1, 0, 0]").replace("young = 2e4", "young = 1e6");
    for (border, slows) in
        [("slip\"", 0.0), ("rubbing\"\nfriction = 0.3", 0.3 * 9.81), ("sticky\"", f64::INFINITY)]
    {
        let text = start.replace("[contact]", &wall(border));
        let mut s = read(&format!("spacing = 0.01\ndamping_time = 5e-3\n{text}")).unwrap();
        while s.state.t < 0.1 {
            s.step(0.1).unwrap();
        }
        let p = s.both_mut().points_mut().engine_mut().particles();
        let lowest = p.x.iter().map(|x| x.z).fold(f64::INFINITY, f64::min);
        let speed = p.v.iter().map(|v| v.x).sum::<f64>() / p.v.len() as f64;
        let expected = (1.0 - 0.1 * slows).max(0.0);
        println!("{border}: {speed} beside {expected}, lowest {lowest}");
        assert!(
            (speed - expected).abs() < 0.03 && lowest > 0.499,
            "{border}: {speed} beside {expected}, {lowest}"
        );
    }
}

#[test]
fn analytic_compliance_does_not_depend_on_the_distance_of_particles() {
    // A slab on the table is pressed by its own weight: ρ g H/k deep, whatever the spacing.
    let depth = |spacing: f64| {
        let text = JELLY
            .replace("young = 2e4", "young = 1e6")
            .replace("depth = 1e-3", "stiffness = 2e5\ndissipation = 100\nwith = [\"table\"]");
        let mut s = read(&format!("spacing = {spacing}\ndamping_time = 2e-3\nstep = 1e-3\n{text}")).unwrap();
        while s.state.t < 0.5 {
            s.step(0.5).unwrap();
        }
        let x = &s.both_mut().points_mut().engine_mut().particles().x;
        let pressed: Vec<f64> = x.iter().map(|x| -x.z).filter(|d| *d > 0.0).collect();
        pressed.iter().sum::<f64>() / pressed.len() as f64
    };
    let expected = 1000.0 * 9.81 * 0.02 / 2e5;
    let [coarse, fine] = [0.02, 0.01].map(depth);
    for found in [coarse, fine] {
        // Layers of particles are at rest to a part of the weight.
        assert!((found / expected - 1.0).abs() < 0.02, "{coarse:e} {fine:e} {expected:e}");
    }
}
