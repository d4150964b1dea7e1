//! Environment of a run: machine and revision.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};

/// Machine and revision of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    /// Processor name.
    pub processor: String,
    /// Number of logical processors.
    pub cores: usize,
    /// Operating system and architecture.
    pub system: String,
    /// Revision of the repository, with `+` and a hash of the program when it has changes; `unknown+` and that hash where the folder is not the one that the program was built in.
    pub revision: String,
    /// Version of the crates.
    pub version: String,
    /// Whether debug assertions were on.
    pub debug: bool,
}

impl Environment {
    /// Reads the environment of this run.
    pub fn read(root: &Path) -> Self {
        let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let name = cpu.lines().find(|l| l.starts_with("model name")).and_then(|l| l.split(": ").nth(1));
        Self {
            processor: name.unwrap_or("unknown processor").trim().to_owned(),
            cores: std::thread::available_parallelism().map_or(1, Into::into),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            revision: revision(root),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            debug: cfg!(debug_assertions),
        }
    }
}

/// The commit of the workspace that this program was built in, where that is `root`; where files were changed since, and where there is none, with a hash of this program, so that results of other programs do not pass for its own.
fn revision(root: &Path) -> String {
    // A folder of another project has another revision than this program.
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().ok();
    if built_in.is_none() || built_in != root.canonicalize().ok() {
        return format!("unknown+{}", program());
    }
    let git = |args: &[&str]| {
        let out = Command::new("git").arg("-C").arg(root).args(args).output().ok()?;
        out.status.success().then(|| String::from_utf8_lossy(&out.stdout).trim().to_owned())
    };
    let changed = || git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|s| !s.is_empty());
    match git(&["rev-parse", "--short=12", "HEAD"]) {
        Some(hash) if changed() => format!("{hash}+{}", program()),
        Some(hash) => hash,
        None => format!("unknown+{}", program()),
    }
}

/// Hash of the file of this program.
fn program() -> String {
    let mut hasher = DefaultHasher::new();
    std::env::current_exe().and_then(std::fs::read).unwrap_or_default().hash(&mut hasher);
    format!("{:08x}", hasher.finish() as u32)
}
