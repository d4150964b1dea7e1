//! Mutated model files are read or refused, never a panic; a scene that was read is valid.

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
    fn property_any_text_is_refused_or_read(text in "\\PC{0,200}") {
        let _ = Scene::from_mjcf(&text, "any.xml", &LoadOptions::default());
        let _ = Scene::from_mjcf(&format!("<mujoco>{text}</mujoco>"), "any.xml", &LoadOptions::default());
    }
}
