//! Mutated model files are read or refused, never a panic; a scene that was read is valid.

use proptest::prelude::*;
use signorini_scene::{LoadOptions, Scene};
use signorini_testkit::data;

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

/// Values that readers may not expect.
const VALUES: [&str; 24] = [
    "",
    " ",
    "0",
    "-1",
    "nan",
    "inf",
    "-inf",
    "1e308",
    "1e-320",
    "1 2",
    "0 0 0",
    "1 2 3 4 5 6 7",
    "true",
    "none",
    "world",
    "99999999999999999999",
    "-9223372036854775808",
    "mesh",
    "free",
    "ball",
    "é\u{301}漢",
    "../../..",
    "1e3000",
    "0.1,0.2",
];

#[derive(Clone, Debug)]
enum Mutation {
    /// Replaces a byte.
    Byte(usize, u8),
    /// Removes a stretch of text.
    Cut(usize, usize),
    /// Doubles a stretch of text.
    Copy(usize, usize),
    /// Ends the file.
    Truncate(usize),
    /// Gives an attribute another value.
    Value(usize, usize),
    /// Gives an attribute the value of another.
    Exchange(usize, usize),
    /// Removes an attribute.
    Remove(usize),
    /// Gives an element the name of another.
    Rename(usize, usize),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let i = || 0usize..1 << 20;
    prop_oneof![
        (i(), any::<u8>()).prop_map(|(a, b)| Mutation::Byte(a, b)),
        (i(), 1usize..200).prop_map(|(a, b)| Mutation::Cut(a, b)),
        (i(), 1usize..200).prop_map(|(a, b)| Mutation::Copy(a, b)),
        i().prop_map(Mutation::Truncate),
        (i(), i()).prop_map(|(a, b)| Mutation::Value(a, b)),
        (i(), i()).prop_map(|(a, b)| Mutation::Value(a, b)),
        (i(), i()).prop_map(|(a, b)| Mutation::Exchange(a, b)),
        i().prop_map(Mutation::Remove),
        (i(), i()).prop_map(|(a, b)| Mutation::Rename(a, b)),
    ]
}

/// Byte ranges of attribute values, with the start of the name before each.
fn attributes(text: &str) -> Vec<(usize, usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(equals) = text[at..].find("=\"").map(|i| at + i) {
        let start = equals + 2;
        let Some(end) = text[start..].find('"').map(|i| start + i) else { break };
        let outside = |(_, c): &(usize, char)| !c.is_alphanumeric() && *c != '_';
        let name = text[..equals].char_indices().rev().find(outside).map_or(0, |(i, c)| i + c.len_utf8());
        found.push((name, start, end));
        at = end + 1;
    }
    found
}

fn elements(text: &str) -> Vec<(usize, usize)> {
    text.match_indices('<')
        .map(|(i, _)| i + 1)
        .map(|i| {
            (i, text[i..].find(|c: char| !c.is_alphanumeric() && c != '_').map_or(text.len(), |n| i + n))
        })
        .filter(|(a, b)| b > a)
        .collect()
}

fn floor(text: &str, i: usize) -> usize {
    (0..=i.min(text.len())).rev().find(|k| text.is_char_boundary(*k)).unwrap_or(0)
}

fn apply(text: String, m: &Mutation) -> String {
    let pick = |list: usize, i: usize| i % list.max(1);
    match *m {
        Mutation::Byte(i, b) => {
            let mut bytes = text.into_bytes();
            let n = bytes.len().max(1);
            if let Some(x) = bytes.get_mut(i % n) {
                *x = b;
            }
            String::from_utf8_lossy(&bytes).into_owned()
        }
        Mutation::Cut(i, n) | Mutation::Copy(i, n) => {
            let start = floor(&text, i % text.len().max(1));
            let end = floor(&text, start + n).max(start);
            let part =
                if matches!(m, Mutation::Copy(..)) { text[start..end].repeat(2) } else { String::new() };
            format!("{}{part}{}", &text[..start], &text[end..])
        }
        Mutation::Truncate(i) => text[..floor(&text, i % text.len().max(1))].to_owned(),
        Mutation::Value(i, v) => match attributes(&text) {
            a if a.is_empty() => text,
            a => {
                let (_, start, end) = a[pick(a.len(), i)];
                format!("{}{}{}", &text[..start], VALUES[v % VALUES.len()], &text[end..])
            }
        },
        Mutation::Exchange(i, j) => match attributes(&text) {
            a if a.is_empty() => text,
            a => {
                let ((_, start, end), (_, s, e)) = (a[pick(a.len(), i)], a[pick(a.len(), j)]);
                format!("{}{}{}", &text[..start], &text[s..e], &text[end..])
            }
        },
        Mutation::Remove(i) => match attributes(&text) {
            a if a.is_empty() => text,
            a => {
                let (name, _, end) = a[pick(a.len(), i)];
                // The character that closes a value may be damaged: one character, however long.
                let after = end + text[end..].chars().next().map_or(0, char::len_utf8);
                format!("{}{}", &text[..name], &text[after..])
            }
        },
        Mutation::Rename(i, j) => match elements(&text) {
            e if e.is_empty() => text,
            e => {
                let ((start, end), (s, t)) = (e[pick(e.len(), i)], e[pick(e.len(), j)]);
                format!("{}{}{}", &text[..start], &text[s..t], &text[end..])
            }
        },
    }
}

/// Number of mutations: 1500, or that of the environment variable `SIGNORINI_MUTATIONS`, for long runs in release.
fn cases() -> u32 {
    std::env::var("SIGNORINI_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(1500)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn property_mutated_models_never_panic(
        file in 0..=FILES.len(),
        mutations in proptest::collection::vec(mutation(), 1..5),
    ) {
        let Some(models) = data::models() else { return Ok(()) };
        let path = models.join(FILES.get(file).unwrap_or(&"own.xml"));
        let text = if file < FILES.len() { std::fs::read_to_string(&path).unwrap() } else { OWN.to_owned() };
        let text = mutations.iter().fold(text, apply);
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
