//! The scenes of the paper and of its authors' scripts, by their dimensions.

use std::fmt::Write;

use signorini_scene::{LoadOptions, Scene};

use signorini_report::PageError;

/// Gravity \[m/s²\].
pub(super) const G: f64 = 9.81;
/// MuJoCo's default curve.
pub(super) const SOLIMP: &str = "0.9 0.95 0.001 0.5 2";

/// A scene with the solimp width of the authors' release, which reads no other \[m\].
pub(super) fn with_width_of_release(scene: &Scene) -> Scene {
    let mut scene = scene.clone();
    scene.geoms.iter_mut().for_each(|g| g.surface.sol.solimp[2] = 0.01);
    scene
}

fn text(name: &str, world: &str) -> String {
    format!(
        "<mujoco model=\"{name}\"><option timestep=\"0.002\" cone=\"pyramidal\"/><worldbody>{world}</worldbody></mujoco>"
    )
}

fn read(name: &str, world: &str) -> Result<Scene, PageError> {
    Scene::from_mjcf(&text(name, world), format!("{name}.xml"), &LoadOptions::default())
        .map_err(PageError::from_error)
}

/// Fig. 3: 125 bodies of five shapes above a table of 1 × 2 m, half a metre above the floor; density 1000 kg/m³, μ = 1, condim 3.
pub(super) fn drop_test() -> Result<Scene, PageError> {
    let mut world = String::from(
        "<geom type=\"plane\" size=\"0 0 .05\"/><geom type=\"box\" pos=\".8 0 .5\" size=\".5 1 .01\"/>",
    );
    let shapes = [
        ("sphere", ".05", 0.8, ".2 .45 .7 1"),
        ("capsule", ".04 .05", 0.95, ".85 .4 .15 1"),
        ("ellipsoid", ".05 .04 .03", 1.1, ".2 .6 .45 1"),
        ("cylinder", ".04 .04", 1.2, ".8 .6 .2 1"),
        ("box", ".03 .03 .03", 1.4, ".55 .4 .65 1"),
    ];
    for (shape, size, z, color) in shapes {
        for i in 0..25 {
            let (x, y) = (0.6 + 0.1 * f64::from(i / 5), -0.4 + 0.2 * f64::from(i % 5));
            _ = write!(
                world,
                "<body pos=\"{x:.1} {y:.1} {z}\"><freejoint/><geom type=\"{shape}\" size=\"{size}\" rgba=\"{color}\"/></body>"
            );
        }
    }
    read("drop test", &world)
}

/// Figs. 2, 6: a cube of 1 kg and half edge 0.05 m with its centre at height `z` over a plane; `tilt` \[rad\] turns gravity about y. `solimp` as in MJCF.
pub(super) fn cube(z: f64, friction: f64, tilt: f64, solimp: &str) -> Result<Scene, PageError> {
    let (sin, cos) = tilt.sin_cos();
    let surface = format!("friction=\"{friction} 0.005 0.0001\" solimp=\"{solimp}\"");
    let mut scene = read(
        "cube",
        &format!(
            "<geom type=\"plane\" size=\"20 20 .1\" {surface}/>\
             <body pos=\"0 0 {z}\"><freejoint/><geom type=\"box\" size=\".05 .05 .05\" density=\"1000\" {surface}/></body>"
        ),
    )?;
    scene.options.gravity = signorini_core::na::Vector3::new(G * sin, 0.0, -G * cos);
    Ok(scene)
}

/// The cube over a plane, with contacts that exist from a distance \[m\] on and act below zero.
pub(super) fn cube_from_afar(z: f64, margin: f64) -> Result<Scene, PageError> {
    let surface = format!("gap=\"{margin}\" solimp=\"{SOLIMP}\"");
    read(
        "cube from afar",
        &format!(
            "<geom type=\"plane\" size=\"20 20 .1\" {surface}/>\
             <body pos=\"0 0 {z}\"><freejoint/><geom type=\"box\" size=\".05 .05 .05\" density=\"1000\" {surface}/></body>"
        ),
    )
}

/// Fig. 2: a sphere of radius 0.1 m and 1000 kg/m³ that touches the plane.
pub(super) fn sphere(friction: f64) -> Result<Scene, PageError> {
    read(
        "sphere",
        &format!(
            "<geom type=\"plane\" size=\"20 20 .1\" friction=\"{friction} 0.005 0.0001\"/>\
             <body pos=\"0 0 .1\"><freejoint/><geom type=\"sphere\" size=\".1\" density=\"1000\" friction=\"{friction} 0.005 0.0001\"/></body>"
        ),
    )
}

/// Fig. 5a: a sphere of radius 0.1 m that turns about the vertical, condim 6; `weight`: it rests on the plane by its weight, otherwise its centre is held 1 mm too low.
pub(super) fn spinning_sphere(torsional: f64, weight: bool) -> Result<Scene, PageError> {
    let surface = format!("friction=\"1 {torsional} 0.001\" condim=\"6\"");
    let (z, slide) = if weight { (0.1, "<joint type=\"slide\" axis=\"0 0 1\"/>") } else { (0.099, "") };
    read(
        "spinning sphere",
        &format!(
            "<geom type=\"plane\" size=\"5 5 1\" {surface}/>\
             <body pos=\"0 0 {z}\">{slide}<joint type=\"hinge\" axis=\"0 0 1\"/><geom type=\"sphere\" size=\".1\" density=\"1000\" {surface}/></body>"
        ),
    )
}

/// Fig. 5b: a cylinder of radius and half length 0.1 m on its side, condim 6.
pub(super) fn rolling_cylinder(rolling: f64) -> Result<Scene, PageError> {
    let surface = format!("friction=\"1 0.01 {rolling}\" condim=\"6\"");
    read(
        "rolling cylinder",
        &format!(
            "<geom type=\"plane\" size=\"50 50 1\" {surface}/>\
             <body pos=\"0 0 .1\" quat=\"0.70710678118654752 0.70710678118654752 0 0\"><freejoint/><geom type=\"cylinder\" size=\".1 .1\" density=\"1000\" {surface}/></body>"
        ),
    )
}

/// A stack of `n` cubes of 1 kg and half edge 0.05 m, just apart.
pub(super) fn stack(n: usize) -> Result<Scene, PageError> {
    let mut world = String::from("<geom type=\"plane\" size=\"5 5 .1\"/>");
    for i in 0..n {
        let z = 0.0501 + 0.1001 * i as f64;
        _ = write!(
            world,
            "<body pos=\"0 0 {z}\"><freejoint/><geom type=\"box\" size=\".05 .05 .05\" density=\"1000\"/></body>"
        );
    }
    read("stack", &world)
}

/// Fig. 7: 2 × 2 cubes, capsules and spheres of 5 cm, a centimetre above a plane, as MJCF.
pub(super) fn arrays_text() -> String {
    let mut world = String::from("<geom type=\"plane\" size=\"5 5 .1\"/>");
    let shapes =
        [("box", ".05 .05 .05", ""), ("capsule", ".05 .05", "euler=\"90 0 0\""), ("sphere", ".05", "")];
    for (k, (shape, size, turn)) in shapes.into_iter().enumerate() {
        for i in 0..4 {
            let (x, y) = (0.5 * k as f64 + 0.13 * f64::from(i / 2), 0.25 * f64::from(i % 2));
            _ = write!(
                world,
                "<body pos=\"{x} {y} .06\" {turn}><freejoint/><geom type=\"{shape}\" size=\"{size}\"/></body>"
            );
        }
    }
    text("arrays", &world)
}

/// `n` spheres of 5 cm on a grid, each a tenth of a millimetre deep in a plane.
pub(super) fn spheres(n: usize) -> Result<Scene, PageError> {
    let mut world = String::from("<geom type=\"plane\" size=\"5 5 .1\"/>");
    let side = (n as f64).sqrt().ceil() as usize;
    for i in 0..n {
        let (x, y) = (0.2 * (i / side) as f64, 0.2 * (i % side) as f64);
        _ = write!(
            world,
            "\n<body pos=\"{x} {y} .0499\"><freejoint/><geom type=\"sphere\" size=\".05\"/></body>"
        );
    }
    read("spheres", &world)
}
