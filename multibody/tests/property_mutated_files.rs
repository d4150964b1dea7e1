//! Mutated model files are refused or become models that work; nothing panics, nothing hangs.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use signorini_multibody::Model;
use signorini_scene::{LoadOptions, Scene};
use signorini_testkit::mutation::{files_below, mutated};

use crate::common::work;

/// Files that the mutations start from: those of this project, or those below the folder of `SIGNORINI_MUTATION_FILES`.
static FILES: LazyLock<Vec<PathBuf>> = LazyLock::new(|| {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = match std::env::var_os("SIGNORINI_MUTATION_FILES") {
        Some(folder) => vec![PathBuf::from(folder)],
        None => vec![own.join("../models"), own.join("tests/data/drake_witnesses")],
    };
    let below = |f: &PathBuf| files_below(f, &["xml", "mjcf", "urdf", "sdf", "world", "yaml"], 200_000);
    folders.iter().flat_map(below).filter(|p| p.file_name().is_none_or(|n| n != "package.xml")).collect()
});

/// Number of mutations: 300, or that of `SIGNORINI_MUTATIONS`, for long runs.
fn cases() -> u32 {
    std::env::var("SIGNORINI_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(300)
}

/// Time above which a file counts as one that hangs.
const LONGEST: Duration = Duration::from_secs(10);

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn property_mutated_files_never_panic(
        file in any::<prop::sample::Index>(),
        seeds in prop::collection::vec(any::<u64>(), 1..5),
    ) {
        let path = file.get(&FILES[..]);
        let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
        let text = seeds.iter().fold(text, |t, seed| mutated(t, *seed));
        let options = LoadOptions { without_meshes: true, ..LoadOptions::default() };
        let start = Instant::now();
        let is_yaml = path.extension().is_some_and(|e| e == "yaml");
        // The root element decides on the format of the others.
        let read = |text: &str| match is_yaml {
            true => Scene::from_directives(text, path, &options),
            false => Scene::from_mjcf(text, path, &options),
        };
        let result = std::panic::catch_unwind(|| match read(&text) {
            Ok(s) => {
                // Files of robots in use have masses that no body has; they are read with a warning, but for MJCF.
                assert!(!text.contains("<mujoco") || is_yaml || s.validate().is_ok());
                Model::new(&s).is_ok_and(|m| work(&m))
            }
            Err(e) => e.to_string().is_empty(),
        });
        prop_assert!(result.is_ok(), "{} with seeds {seeds:?}", path.display());
        prop_assert!(start.elapsed() < LONGEST, "{} with seeds {seeds:?} takes {:?}", path.display(), start.elapsed());
    }
}
