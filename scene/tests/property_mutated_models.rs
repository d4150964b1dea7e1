//! Mutated model files are read or refused, never a panic; a scene that was read is valid.

use std::path::Path;

use proptest::prelude::*;
use signorini_scene::{LoadOptions, Scene};
use signorini_testkit::{data, mutation::mutated};

/// Model files rich in different parts of the format.
const FILES: [&str; 7] = [
    "humanoid/humanoid.xml",
    "panda/panda.xml",
    "robotiq_2f85/2f85.xml",
    "leap_hand/scene.xml",
    "four_bar/four_bar.xml",
    "mjcf_zoo/tetheria_aero_hand_open/right_hand.xml",
    "mjcf_zoo/toddlerbot_2xc/toddlerbot_2xc.xml",
];

/// A model with parts that are repeated, sensors of all kinds and a keyframe.
const OWN: &str = "<mujoco><compiler eulerseq='zyx'/><option magnetic='1 2 3'/><default><default class='c'><geom type='box' size='.1 .2 .3'/></default></default>
    <asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody><geom name='floor' type='plane' size='1 1 1'/>
    <replicate count='3' offset='1 0 0' euler='0 0 30' sep='-'><frame pos='0 0 1'><body name='b'><freejoint/><geom class='c' name='g'/><site name='s'/>
      <camera name='cam' pos='0 0 1'/><replicate count='2' offset='0 1 0'><body name='leg' pos='0 0 .3'><joint name='j' range='-10 10'/><geom type='mesh' mesh='m'/>
      </body></replicate></body></frame></replicate></worldbody><contact><exclude body1='b' body2='leg'/></contact>
    <tendon><fixed name='t'><joint joint='j' coef='1'/></fixed></tendon><actuator><motor name='a' joint='j'/></actuator>
    <sensor><rangefinder site='s'/><distance geom1='floor' geom2='g'/><framepos objtype='camera' objname='cam-0'/><user dim='3'/>
      <contact geom1='g' num='2' data='found force'/><insidesite site='s' objtype='geom' objname='g'/><jointlimitpos joint='j'/></sensor></mujoco>";

/// An SDFormat world rich in different parts, and model directives.
const SDF: &str = "<sdf version='1.10' xmlns:drake='http://drake.mit.edu'><world name='w'><gravity>0 0 -9</gravity><frame name='f'><pose>0 0 1 0 0 0</pose></frame>
    <model name='m' placement_frame='g' canonical_link='b'><pose relative_to='f'>1 0 0 0 0 1</pose><frame name='g' attached_to='b'><pose relative_to='h'/></frame>
      <frame name='h'><pose degrees='true'>0 0 1 0 90 0</pose></frame><link name='a'/><link name='b'><pose relative_to='g' rotation_format='quat_xyzw'>0 0 1 0 0 0 1</pose>
      <inertial><pose>0 0 1 0 0 0</pose><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz><ixy>0.1</ixy></inertia></inertial>
      <collision name='c'><geometry><box><size>1 2 3</size></box></geometry><surface><friction><ode><mu>0.5</mu><mu2>0.4</mu2></ode></friction></surface></collision>
      <visual name='v'><geometry><plane><normal>0 1 0</normal></plane></geometry></visual></link>
      <joint name='j' type='universal'><parent>a</parent><child>b</child><axis><xyz expressed_in='h'>1 0 0</xyz><limit><lower>-1</lower></limit></axis><axis2><dynamics>
      <damping>1</damping></dynamics></axis2></joint><model name='n'><link name='a'><collision name='c'><geometry><drake:ellipsoid><a>1</a><b>2</b><c>3</c></drake:ellipsoid>
      </geometry><drake:proximity_properties><drake:rigid_hydroelastic/><drake:mu_static>0.3</drake:mu_static></drake:proximity_properties></collision></link></model>
      <joint name='k' type='screw'><parent>n::a</parent><child>b</child><axis/><screw_thread_pitch>2</screw_thread_pitch></joint><link name='d'/>
      <drake:joint name='p' type='planar'><drake:parent>b</drake:parent><drake:child>d</drake:child></drake:joint>
      <drake:ball_constraint><drake:ball_constraint_body_A>a</drake:ball_constraint_body_A><drake:ball_constraint_body_B>d</drake:ball_constraint_body_B>
      </drake:ball_constraint></model><include><uri>finger.sdf</uri><name>i</name></include></world></sdf>";

/// Files of SDFormat and of model directives in the tests of `multibody`.
const WITNESSES: [&str; 6] =
    ["arm.sdf", "hand.sdf", "puck.sdf", "finger.sdf", "station.dmd.yaml", "boxes.dmd.yaml"];

/// Number of mutations: 1500, or that of the environment variable `SIGNORINI_MUTATIONS`, for long runs in release.
fn cases() -> u32 {
    std::env::var("SIGNORINI_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(1500)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn property_mutated_models_never_panic(
        file in 0..=FILES.len(),
        seeds in proptest::collection::vec(any::<u64>(), 1..5),
    ) {
        let Some(models) = data::models() else { return Ok(()) };
        let path = models.join(FILES.get(file).unwrap_or(&"own.xml"));
        let text = if file < FILES.len() { std::fs::read_to_string(&path).unwrap() } else { OWN.to_owned() };
        let text = seeds.iter().fold(text, |t, seed| mutated(t, *seed));
        let options = LoadOptions { without_meshes: true, ..LoadOptions::default() };
        match Scene::from_mjcf(&text, &path, &options) {
            Ok(s) => prop_assert!(s.validate().is_ok()),
            Err(e) => {
                let message = e.to_string();
                let named = message.contains(".xml") || message.contains("key '");
                prop_assert!(named, "no file in: {message}");
            }
        }
    }

    #[test]
    fn property_mutated_sdformat_and_directives_never_panic(
        file in 0..=WITNESSES.len(),
        seeds in proptest::collection::vec(any::<u64>(), 1..5),
    ) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../multibody/tests/data/drake_witnesses");
        let path = folder.join(WITNESSES.get(file).unwrap_or(&"own.sdf"));
        let text = if file < WITNESSES.len() { std::fs::read_to_string(&path).unwrap() } else { SDF.to_owned() };
        let text = seeds.iter().fold(text, |t, seed| mutated(t, *seed));
        let options = LoadOptions { without_meshes: true, ..LoadOptions::default() };
        let is_yaml = path.extension().is_some_and(|e| e == "yaml");
        let read = match is_yaml {
            true => Scene::from_directives(&text, &path, &options),
            false => Scene::from_sdf(&text, &path, &options),
        };
        if let Err(e) = read {
            let message = e.to_string();
            let named = [".sdf", ".yaml", ".urdf", "key '"].iter().any(|n| message.contains(n));
            prop_assert!(named, "no file in: {message}");
        }
    }

    #[test]
    fn property_any_text_is_refused_or_read(text in "\\PC{0,200}") {
        let _ = Scene::from_mjcf(&text, "any.xml", &LoadOptions::default());
        let _ = Scene::from_mjcf(&format!("<mujoco>{text}</mujoco>"), "any.xml", &LoadOptions::default());
        let sdf = format!("<sdf version='1.9'><model name='m'>{text}</model></sdf>");
        let _ = Scene::from_sdf(&sdf, "any.sdf", &LoadOptions::default());
        let _ = Scene::from_directives(&text, "any.dmd.yaml", &LoadOptions::default());
        let _ = Scene::from_directives(&format!("directives:\n- {text}"), "any.dmd.yaml", &LoadOptions::default());
    }
}
