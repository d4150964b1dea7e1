//! The run of a suite as it stands on disk: a run that was killed goes on when it is started again.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::record::write;
use crate::{Budget, PageError};

/// Files in the folder of the report: the run, and one that a running suite holds.
const FILE: &str = "suite.json";
const LOCK: &str = "suite.lock";

/// What a suite does with results that are there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Resume {
    /// A run that was stopped goes on, if revision, sizes and pages are those of that run; otherwise all begins anew.
    #[default]
    Stopped,
    /// Finished pages of this revision and size are kept, whichever run made them, and pages that time was up for go on.
    Finished,
    /// All begins anew.
    Nothing,
}

/// A run of the suite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunState {
    /// Id of the run, which its pages carry: when it began and by which process.
    pub run: String,
    /// Revision that it runs.
    pub revision: String,
    /// Sizes of its pages.
    pub budget: Budget,
    /// Pages that it has to make.
    pub pages: Vec<String>,
    /// Whether all of them were made.
    pub ended: bool,
    /// Runs of other pages or sizes of this revision that were stopped before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stopped: Vec<RunState>,
}

/// Holds the folder of a report until it is dropped, or the process ends in any way.
///
/// # Errors
/// Another suite that writes there; the file system.
pub(crate) fn hold(dir: &Path) -> Result<File, PageError> {
    let path = dir.join(LOCK);
    let io = |source| PageError::Io { path: path.display().to_string(), source };
    std::fs::create_dir_all(dir).map_err(io)?;
    let file = File::create(&path).map_err(io)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(PageError::Run(format!(
            "another suite writes to {}; wait for its end, or name another folder",
            dir.display()
        ))),
        // A file system without locks.
        Err(TryLockError::Error(e)) if e.kind() == std::io::ErrorKind::Unsupported => Ok(file),
        Err(TryLockError::Error(e)) => Err(io(e)),
    }
}

impl RunState {
    /// The run that goes on in this folder, or a new one; true where it goes on. The folder has it from now on.
    ///
    /// # Errors
    /// The file system.
    pub(crate) fn begin(
        dir: &Path,
        revision: &str,
        budget: Budget,
        pages: &[&str],
        resume: Resume,
    ) -> Result<(Self, bool), PageError> {
        let last = std::fs::read_to_string(dir.join(FILE)).ok();
        let last = last.and_then(|text| serde_json::from_str::<Self>(&text).ok());
        let mut stopped = last.map_or_else(Vec::new, Self::with_stopped);
        stopped.retain(|s| !s.ended && s.revision == revision);
        let alike = |s: &Self| s.budget == budget && s.pages.iter().eq(pages.iter());
        let own = stopped.iter().position(alike).map(|i| stopped.remove(i));
        if let Some(own) = own.filter(|_| resume != Resume::Nothing) {
            let state = Self { stopped, ..own };
            state.write(dir)?;
            return Ok((state, true));
        }
        let state = Self {
            run: format!("{} {}", humantime::format_rfc3339_nanos(SystemTime::now()), std::process::id()),
            revision: revision.to_owned(),
            budget,
            pages: pages.iter().map(|p| (*p).to_owned()).collect(),
            ended: false,
            stopped,
        };
        state.write(dir)?;
        Ok((state, false))
    }

    /// This run and those that were stopped before.
    fn with_stopped(mut self) -> Vec<Self> {
        let mut all = std::mem::take(&mut self.stopped);
        all.push(self);
        all
    }

    /// Notes that all pages were made.
    ///
    /// # Errors
    /// The file system.
    pub(crate) fn end(mut self, dir: &Path) -> Result<(), PageError> {
        self.ended = true;
        self.write(dir)
    }

    fn write(&self, dir: &Path) -> Result<(), PageError> {
        let json = serde_json::to_string_pretty(self).map_err(PageError::from_error)?;
        write(&dir.join(FILE), &json)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn conformance_a_run_goes_on_where_nothing_else_was_asked_for() {
        let dir = std::env::temp_dir().join(format!("signorini-state-{}", std::process::id()));
        let begin = |revision: &str, budget, pages: &[&str], resume| {
            RunState::begin(&dir, revision, budget, pages, resume).unwrap()
        };
        let (first, goes_on) = begin("a", Budget::Quick, &["p", "q"], Resume::Stopped);
        assert!(!goes_on);
        let again = begin("a", Budget::Quick, &["p", "q"], Resume::Stopped);
        assert_eq!(again, (first.clone(), true));
        first.end(&dir).unwrap();
        assert!(!begin("a", Budget::Quick, &["p", "q"], Resume::Stopped).1, "it had ended");
        for (revision, budget, pages, resume) in [
            ("b", Budget::Quick, &["p", "q"][..], Resume::Stopped),
            ("b", Budget::Full, &["p", "q"], Resume::Stopped),
            ("b", Budget::Full, &["p"], Resume::Stopped),
            ("b", Budget::Full, &["p"], Resume::Nothing),
        ] {
            assert!(!begin(revision, budget, pages, resume).1, "{revision} {budget:?} {pages:?}");
        }
        let part = begin("b", Budget::Full, &["p"], Resume::Nothing).0;
        let other = begin("b", Budget::Quick, &["q"], Resume::Stopped).0;
        let (again, goes_on) = begin("b", Budget::Full, &["p"], Resume::Stopped);
        assert!(goes_on && again.run == part.run, "a run of other pages lay between");
        again.end(&dir).unwrap();
        let (again, goes_on) = begin("b", Budget::Quick, &["q"], Resume::Stopped);
        assert!(goes_on && again.run == other.run, "a run of other pages ended between");
        std::fs::write(dir.join(FILE), "{").unwrap();
        assert!(!begin("b", Budget::Full, &["p"], Resume::Stopped).1, "cut off");
        std::fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn conformance_a_folder_is_of_one_suite_at_a_time() {
        let dir = std::env::temp_dir().join(format!("signorini-lock-{}", std::process::id()));
        let first = hold(&dir).unwrap();
        let second = hold(&dir).unwrap_err().to_string();
        assert!(second.contains("another suite"), "{second}");
        drop(first);
        assert!(hold(&dir).is_ok());
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
