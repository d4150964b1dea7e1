//! Results so far of pages that take hours, kept in the report, so that a suite that was stopped goes on there.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::PageError;

/// Results of a page, a line of JSON each, and until when it may add to them.
#[derive(Clone, Debug, Default)]
pub struct KeptResults {
    /// Folder of the page in the report.
    pub folder: PathBuf,
    /// Revision of the code: results of another one do not count.
    pub revision: String,
    /// Processor of the machine.
    pub processor: String,
    /// Day of the run.
    pub date: String,
    /// Whether results that are there count; otherwise the page begins anew.
    pub resume: bool,
    /// Time after which no result is begun; None: all that the page has are made.
    pub until: Option<Instant>,
}

#[derive(Serialize, Deserialize)]
struct Line<T> {
    revision: String,
    /// Day.
    #[serde(default)]
    date: String,
    #[serde(default)]
    processor: String,
    result: T,
}

impl<T> Line<T> {
    fn origin(&self) -> String {
        let known = [&self.date, &self.processor].into_iter().filter(|t| !t.is_empty());
        known.fold(format!("revision {}", self.revision), |all, t| format!("{all}, {t}"))
    }
}

impl KeptResults {
    /// The results in a file that count. Lines that cannot be read, as a run that was killed leaves them, do not.
    ///
    /// # Errors
    /// A file that cannot be read or removed.
    pub fn take<T: DeserializeOwned>(&self, file: &str) -> Result<Vec<T>, PageError> {
        let path = self.folder.join(file);
        let io = |source| PageError::Io { path: path.display().to_string(), source };
        if !path.is_file() {
            return Ok(Vec::new());
        }
        if !self.resume {
            fs::remove_file(&path).map_err(io)?;
            return Ok(Vec::new());
        }
        let text = fs::read_to_string(&path).map_err(io)?;
        let lines = text.lines().filter_map(|l| serde_json::from_str::<Line<T>>(l).ok());
        Ok(lines.filter(|l| l.revision == self.revision).map(|l| l.result).collect())
    }

    /// Results that were kept with the code, of any revision, with revisions, days and processors in order; none without a file.
    ///
    /// # Errors
    /// A file that cannot be read, and a line in it, named by its number.
    pub fn recorded<T: DeserializeOwned>(path: &Path) -> Result<(Vec<String>, Vec<T>), PageError> {
        let name = path.display();
        let io = |source| PageError::Io { path: name.to_string(), source };
        let text = if path.is_file() { fs::read_to_string(path).map_err(io)? } else { String::new() };
        let (mut origins, mut all) = (Vec::new(), Vec::new());
        for (n, line) in text.lines().enumerate() {
            let line: Line<T> = serde_json::from_str(line)
                .map_err(|e| PageError::Run(format!("{name}, line {}: {e}", n + 1)))?;
            let origin = line.origin();
            if !origins.contains(&origin) {
                origins.push(origin);
            }
            all.push(line.result);
        }
        Ok((origins, all))
    }

    /// Adds a result.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn add<T: Serialize>(&self, file: &str, result: &T) -> Result<(), PageError> {
        let path = self.folder.join(file);
        let Self { revision, processor, date, .. } = self.clone();
        let line = Line { revision, date, processor, result };
        let line = serde_json::to_string(&line).map_err(PageError::from_error)?;
        let write = || {
            fs::create_dir_all(&self.folder)?;
            // A line that was cut off ends here.
            let cut = fs::read(&path).is_ok_and(|t| t.last().is_some_and(|c| *c != b'\n'));
            let mut f = OpenOptions::new().create(true).append(true).open(&path)?;
            writeln!(f, "{}{line}", if cut { "\n" } else { "" })
        };
        write().map_err(|source| PageError::Io { path: path.display().to_string(), source })
    }

    /// Whether time is up.
    pub fn over(&self) -> bool {
        self.until.is_some_and(|t| Instant::now() >= t)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn conformance_results_of_this_revision_are_kept() {
        let folder = std::env::temp_dir().join(format!("signorini-kept-{}", std::process::id()));
        let kept = |revision: &str, resume| KeptResults {
            folder: folder.clone(),
            revision: revision.into(),
            processor: String::new(),
            date: String::new(),
            resume,
            until: None,
        };
        kept("a", true).add("x", &1).unwrap();
        kept("b", true).add("x", &2).unwrap();
        fs::OpenOptions::new().append(true).open(folder.join("x")).unwrap().write_all(b"{\"revi").unwrap();
        kept("a", true).add("x", &3).unwrap();
        assert_eq!(kept("a", true).take::<i32>("x").unwrap(), [1, 3]);
        let (revisions, all) = KeptResults::recorded::<i32>(&folder.join("y")).unwrap();
        assert_eq!((revisions.len(), all.len()), (0, 0));
        let cut = KeptResults::recorded::<i32>(&folder.join("x")).unwrap_err().to_string();
        assert!(cut.contains("line 3"), "{cut}");
        fs::write(folder.join("z"), "{\"revision\":\"a\",\"result\":1}\n{\"revision\":\"b\",\"date\":\"2026-01-02\",\"processor\":\"c\",\"result\":2}\n")
            .unwrap();
        let found = KeptResults::recorded::<i32>(&folder.join("z")).unwrap();
        assert_eq!(
            found,
            (vec!["revision a".to_owned(), "revision b, 2026-01-02, c".to_owned()], vec![1, 2])
        );
        assert_eq!(kept("a", true).take::<i32>("y").unwrap(), [0; 0]);
        assert_eq!(kept("a", false).take::<i32>("x").unwrap(), [0; 0]);
        assert_eq!(kept("a", true).take::<i32>("x").unwrap(), [0; 0]);
        fs::remove_dir_all(&folder).unwrap();
    }
}
