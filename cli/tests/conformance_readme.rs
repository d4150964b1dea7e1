//! The commands of the README work as printed; of its pages one is run, for the suite runs them all.
#![allow(clippy::unwrap_used, reason = "tests stop at what they do not expect")]

use std::path::Path;
use std::process::Command;

/// Beginning of every command of the binary in the README.
const PREFIX: &str = "    cargo run --release -- ";

/// Page that is run.
const RUN: &str = "kurtz2025cenic/fig08";

#[test]
fn conformance_commands_of_the_readme_work() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let dir = std::env::temp_dir().join(format!("signorini_readme_{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let models = root.join("models").canonicalize().unwrap();
    let list = Command::new(env!("CARGO_BIN_EXE_signorini")).arg("list").output().unwrap();
    let list = String::from_utf8(list.stdout).unwrap();
    let mut run = 0;
    for line in readme.lines().filter_map(|l| l.strip_prefix(PREFIX)) {
        let line = line.split('#').next().unwrap();
        let mut args: Vec<String> = line
            .split_whitespace()
            .map(|a| a.strip_prefix("models/").map_or(a.to_owned(), |m| models.join(m).display().to_string()))
            .collect();
        if args[0] == "reproduce" {
            let named = args[1..].iter().find(|a| !a.starts_with("--"));
            let known = |name: &str| list.lines().any(|l| l.starts_with(name));
            assert!(named.is_none_or(|n| known(n)), "signorini {line}: no such page");
            if named.is_none_or(|n| n != RUN) {
                continue;
            }
            args.extend(["--out".to_owned(), dir.join("report").display().to_string()]);
        }
        let out =
            Command::new(env!("CARGO_BIN_EXE_signorini")).args(&args).current_dir(&dir).output().unwrap();
        let text = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "signorini {line}: {text}");
        run += 1;
    }
    assert!(run >= 6, "only {run} commands were found");
    assert!(dir.join("stand.html").metadata().unwrap().len() > 10_000);
    assert!(dir.join("report").join(RUN).join("index.html").is_file());
    std::fs::remove_dir_all(&dir).unwrap();
}
