//! Folders and commands that the tests of the command line share.

#![allow(dead_code, reason = "each test binary uses a part")]

use std::path::PathBuf;
use std::process::Command;

/// A folder of its own for a test, removed at the end.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("signorini-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Writes a file.
    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Runs a model with more arguments, for 0.2 s where they state no time: (succeeded, standard error).
    pub(crate) fn run(&self, model: &str, arguments: &str) -> (bool, String) {
        let path = self.file("model.xml", model);
        let recording = self.0.join("out.npz");
        let mut command = Command::new(env!("CARGO_BIN_EXE_signorini"));
        command.args(["run", path.to_str().unwrap(), "--out", recording.to_str().unwrap()]);
        if !arguments.contains("--time") {
            command.args(["--time", "0.2"]);
        }
        let out = command.args(arguments.split_whitespace()).output().unwrap();
        let text = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(!text.contains("panicked"), "{arguments}: {text}");
        (out.status.success(), text)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
