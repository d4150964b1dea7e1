//! Forces of a medium: MuJoCo's numbers, power, and what they do to a step.

use proptest::prelude::*;
use signorini_core::{Slot, System};
use signorini_multibody::{Kinematics, Model, RigidOptions, RigidSystem};
use signorini_scene::{LoadOptions, Scene};

fn read(text: &str) -> Scene {
    Scene::from_mjcf(text, "medium.xml", &LoadOptions::default()).unwrap()
}

/// Forces of the medium on the model at its reference, at velocities `v`.
fn forces(scene: &Scene, v: &[f64]) -> Vec<f64> {
    let m = Model::new(scene).unwrap();
    let mut kin = Kinematics::new(&m);
    kin.set_positions(&m, &m.reference_q, &m.mocap_poses);
    kin.set_velocities(&m, v);
    let mut tau = vec![0.0; m.nv()];
    m.add_medium_forces(&kin, &mut tau);
    tau
}

/// `qfrc_passive` of MuJoCo 4.0 on free bodies: a turned box and a capsule by the box of their inertia, one with stated moments, of which two are equal, and
/// ellipsoids of all shapes.
#[test]
fn conformance_forces_of_a_medium() {
    let cases = [
        (
            "<geom type='box' size='.1 .2 .3' pos='.05 0 .02' quat='1 .5 0 0'/>",
            [5.744863934848635, 25.605675508841784, -40.79783521723467, -0.6517213848880369, 2.979664833130716, -0.45636320095087113],
        ),
        (
            "<geom type='capsule' size='.05' fromto='0 0 0 .2 .1 .3'/>",
            [-3.1279393056551283, 17.898235876979186, -12.456632141643054, -1.9717992501072001, 3.78522930190334, 0.03747358749026937],
        ),
        (
            "<geom type='ellipsoid' size='.1 .2 .3' pos='.1 .2 .3' quat='1 .1 .2 .3' fluidshape='ellipsoid'/>
             <geom type='cylinder' size='.1 .2' fluidshape='ellipsoid' fluidcoef='.4 .3 1.2 .9 .8'/><geom size='.07' pos='-.3 0 0'/>",
            [43.0525920127887, 285.02402966566746, -42.13913231472651, -79.94324828305979, 103.72358910330418, -39.55182695447166],
        ),
        (
            "<geom type='capsule' size='.05 .1' fluidshape='ellipsoid' euler='20 30 0'/><geom type='sphere' size='.05' pos='0 .3 0' fluidshape='ellipsoid'/>
             <geom type='box' size='.05 .1 .02' pos='.2 0 0' fluidshape='ellipsoid' fluidcoef='.1 .2 .3 .4 .5'/>",
            [-0.45804447527040226, 11.708524304582534, -20.119920115354176, -2.1473292623597424, 0.9914313255313059, -0.7972635197463498],
        ),
        (
            "<inertial pos='.1 .2 .3' quat='1 .3 .2 .1' mass='2' diaginertia='.02 .02 .03'/>",
            [-8.606184863843527, 36.42552852608256, -54.62932582880979, -21.948005890228476, 3.005241516034157, 5.304712565755301],
        ),
    ];
    for (geoms, expected) in cases {
        let turn = if geoms.contains("inertial") { "" } else { "quat='1 .2 .3 .4'" };
        let scene = read(&format!(
            "<mujoco><option density='1000' viscosity='.8' wind='.3 -.2 .1'/><worldbody><body pos='0 0 1' {turn}><freejoint/>{geoms}</body></worldbody></mujoco>"
        ));
        for (a, b) in forces(&scene, &[0.5, -0.7, 0.9, 1.1, -1.3, 0.4]).iter().zip(expected) {
            assert!((a - b).abs() < 1e-12 * 300.0, "{geoms}: {a} for {b}");
        }
    }
}

/// Geoms, settings of the compiler, and `qfrc_passive` of MuJoCo 4.0: meshes as ellipsoids, and boxes of inertias that bounds have changed.
#[rustfmt::skip]
const OF_MESHES: [(&str, &str, [f64; 6]); 7] = [
        ("<geom type='mesh' mesh='m' pos='.1 .2 0' quat='1 .2 .3 .1' fluidshape='ellipsoid'/>", "",
            [-69.66708996886987, 34.31545670455651, -42.96363895919241, -24.518685883504546, 4.327955993332695, 2.139532905251464]),
        ("<geom type='mesh' mesh='m' pos='.1 .2 0' quat='1 .2 .3 .1' fluidshape='ellipsoid' fluidcoef='.4 .3 1.2 .9 .8'/><geom size='.05'/>", "",
            [-60.378991871131156, 31.626321793366518, -32.667392778127116, -20.986209051100744, 3.0044403190977067, 1.9535188116540279]),
        ("<geom type='mesh' mesh='m' pos='.1 .2 0' quat='1 .2 .3 .1'/>", "boundinertia='.02'",
            [-10.774632370459114, 22.42414736986631, -37.76971617749371, -9.747472036209352, 4.180050082290042, -5.252953297055432]),
        ("<geom type='mesh' mesh='m' pos='.1 .2 0' quat='1 .2 .3 .1'/>", "boundinertia='.007'",
            [-5.380590860172705, 8.914433507695364, -14.226286554083963, -3.8807951995373333, 1.612541648412911, -1.7656702055029703]),
        ("<geom type='mesh' mesh='m' pos='.1 .2 0' quat='1 .2 .3 .1'/><geom type='box' size='.05 .1 .02' pos='.2 0 0' euler='10 20 30'/>", "boundinertia='.07'",
            [-43.8651006983454, 38.8291447195281, -76.82030697333326, -16.453966068965386, 12.669658645982556, -3.2513680625606813]),
        ("<inertial pos='.1 0 0' mass='1' fullinertia='.01 .02 .025 .001 .002 .003'/>", "boundinertia='.04'",
            [-18.659843912516905, 26.87337944171466, -85.96984842960097, -1.4191122547638149, 10.18297659706047, -2.0873380311051353]),
        ("<inertial pos='.1 0 0' mass='1' fullinertia='.01 .05 .025 .001 .002 .003'/>", "balanceinertia='true'",
            [-29.361143961408818, 32.256852475012536, -62.20445637725106, -0.6140917130785246, 7.893474547181903, 0.5603760834514]),
];

#[test]
fn conformance_meshes_and_bounded_inertias_in_a_medium() {
    for (geoms, compiler, expected) in OF_MESHES {
        let scene = read(&format!(
            "<mujoco><compiler {compiler}/><option density='1000' viscosity='.8' wind='.3 -.2 .1'/><asset><mesh name='m' vertex='-.15 .02 -.02 .06 -.03 .01
             .01 .17 .09 .06 -.08 .03 -.03 .12 -.11 .12 -.07 .02'/></asset><worldbody><body pos='0 0 1' quat='1 .2 .3 .4'><freejoint/>{geoms}</body></worldbody></mujoco>"
        ));
        for (a, b) in forces(&scene, &[0.5, -0.7, 0.9, 1.1, -1.3, 0.4]).iter().zip(expected) {
            // MuJoCo keeps the vertices of meshes in single precision.
            assert!((a - b).abs() < 1e-6 * b.abs().max(1.0), "{geoms} {compiler}: {a} for {b}");
        }
    }
}

const SHAPES: [&str; 5] = ["sphere", "capsule", "cylinder", "ellipsoid", "box"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Drag takes energy away; lift and the medium that moves along turn the motion and do no work.
    #[test]
    fn property_a_medium_at_rest_takes_energy(
        shape in 0..5usize, size in [0.01f64..0.5, 0.01f64..0.5, 0.01f64..0.5], v in prop::collection::vec(-5.0f64..5.0, 6),
        fluid in [0.0f64..2000.0, 0.0f64..2.0], coefficients in prop::collection::vec(0.0f64..2.0, 5), ellipsoid in any::<bool>(),
    ) {
        let word = if ellipsoid { "ellipsoid" } else { "none" };
        let ([a, b, c], [density, viscosity]) = (size, fluid);
        let coefficients: Vec<String> = coefficients.iter().map(f64::to_string).collect();
        let scene = read(&format!(
            "<mujoco><option density='{density}' viscosity='{viscosity}'/><worldbody><body><freejoint/><geom type='{}' size='{a} {b} {c}' pos='.1 .2 .3' euler='10 20 30'
             fluidshape='{word}' fluidcoef='{}'/></body></worldbody></mujoco>", SHAPES[shape], coefficients.join(" "),
        ));
        let tau = forces(&scene, &v);
        let power: f64 = tau.iter().zip(&v).map(|(f, v)| f * v).sum();
        let size: f64 = tau.iter().zip(&v).map(|(f, v)| (f * v).abs()).sum();
        prop_assert!(power <= 1e-12 * size, "{} of {}", power, size);
    }
}

/// A ball that sinks at 3 m/s in oil: the box of its inertia has sides √2.4 r, and Stokes' drag of the sphere of their mean acts.
#[test]
fn analytic_a_step_feels_the_medium() {
    let scene = read(
        "<mujoco><option viscosity='.5'/><worldbody><body name='b' pos='0 0 5'><freejoint/><geom size='.1' mass='3'/></body></worldbody></mujoco>",
    );
    let law = signorini_laws::contact_pool("lagged").unwrap();
    let mut sys = RigidSystem::new(&scene, law.as_ref(), RigidOptions::default()).unwrap();
    let mut x = sys.initial_state(None).unwrap();
    x.v[2] = -3.0;
    let dt = 0.01;
    sys.prepare(Slot::Start, &x, dt).unwrap();
    let v = sys.problem(Slot::Start, dt).unwrap().free_velocity()[2];
    let drag = 3.0 * std::f64::consts::PI * 0.1 * 2.4_f64.sqrt() * 0.5 * 3.0;
    assert!((v - (-3.0 + dt * (drag / 3.0 - 9.81))).abs() < 1e-14, "{v}");
}
