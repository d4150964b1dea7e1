//! Parts of long pages and states of long runs, kept in the report as they end: a suite that was killed goes on behind the last of them.

use std::fs;
use std::sync::{Mutex, PoisonError};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::record::write;
use crate::{KeptResults, PageError};

/// Parts of a page by name: each is kept as it ends, and a page that goes on takes it from there. Threads may make parts side by side.
pub struct KeptParts<'a, T> {
    kept: &'a KeptResults,
    file: &'static str,
    known: Mutex<Vec<(String, T)>>,
}

impl KeptResults {
    /// The parts in a file of the page.
    ///
    /// # Errors
    /// As [`KeptResults::take`].
    pub fn parts<T: DeserializeOwned>(&self, file: &'static str) -> Result<KeptParts<'_, T>, PageError> {
        Ok(KeptParts { kept: self, file, known: Mutex::new(self.take(file)?) })
    }

    /// The state in which a run of this name was last kept; none where the page begins anew, or for another revision or run.
    ///
    /// # Errors
    /// A file that cannot be removed.
    pub fn state<T: DeserializeOwned>(&self, file: &str, run: &str) -> Result<Option<T>, PageError> {
        let path = self.folder.join(file);
        if !self.resume {
            let io = |source| PageError::Io { path: path.display().to_string(), source };
            return if path.is_file() { fs::remove_file(&path).map_err(io).map(|()| None) } else { Ok(None) };
        }
        let text = fs::read_to_string(&path).unwrap_or_default();
        let last = serde_json::from_str::<State<T>>(&text).ok();
        Ok(last.filter(|s| s.revision == self.revision && s.run == run).map(|s| s.state))
    }

    /// Keeps the state of a run in place of the one before. A kill at any moment leaves one of the two.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn keep_state<T: Serialize>(&self, file: &str, run: &str, state: &T) -> Result<(), PageError> {
        let state = State { revision: self.revision.clone(), run: run.to_owned(), state };
        write(&self.folder.join(file), &serde_json::to_string(&state).map_err(PageError::from_error)?)
    }
}

#[derive(Serialize, Deserialize)]
struct State<T> {
    revision: String,
    run: String,
    state: T,
}

impl<T: Serialize + Clone> KeptParts<'_, T> {
    /// The part of this name: one that was kept, or the result of a work, which is kept.
    ///
    /// # Errors
    /// That of the work; a file that cannot be written.
    pub fn part(&self, name: &str, work: impl FnOnce() -> Result<T, PageError>) -> Result<T, PageError> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known().iter().find(|(n, _)| n == name).map(|(_, part)| part.clone());
        if let Some(part) = found {
            return Ok(part);
        }
        let part = (name.to_owned(), work()?);
        // One thread writes at a time.
        let mut all = known();
        self.kept.add(self.file, &part)?;
        all.push(part.clone());
        Ok(part.1)
    }
}

/// Any f64 in JSON, also one that is not finite: its bits.
pub mod any_number {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Writes a number.
    ///
    /// # Errors
    /// Those of the serialiser.
    pub fn serialize<S: Serializer>(x: &f64, s: S) -> Result<S::Ok, S::Error> {
        x.to_bits().serialize(s)
    }

    /// Reads a number.
    ///
    /// # Errors
    /// Those of the deserialiser.
    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<f64, D::Error> {
        u64::deserialize(d).map(f64::from_bits)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    fn kept(name: &str, resume: bool) -> KeptResults {
        let folder = std::env::temp_dir().join(format!("signorini-{name}-{}", std::process::id()));
        KeptResults { folder, revision: "a".into(), resume, ..KeptResults::default() }
    }

    /// A page of five parts is killed in each of them in turn: a restarted page runs each part once, whatever line the kill tore.
    #[test]
    fn conformance_a_page_killed_between_parts_goes_on_with_the_next() {
        for dies in 0..5u32 {
            let runs = AtomicU32::new(0);
            let page = |resume: bool, dies: u32| {
                let kept = kept("parts", resume);
                let parts = kept.parts::<u32>("parts.jsonl")?;
                let make = |i: u32| {
                    parts.part(&format!("part {i}"), || {
                        if i == dies {
                            return Err(PageError::Run("killed".into()));
                        }
                        runs.fetch_add(1, Ordering::Relaxed);
                        Ok(i * i)
                    })
                };
                (0..5).map(make).collect::<Result<Vec<u32>, _>>()
            };
            assert!(page(false, dies).is_err());
            let file = kept("parts", true).folder.join("parts.jsonl");
            if let Ok(mut text) = fs::read_to_string(&file) {
                text.push_str("{\"revision\":\"a\",\"resu");
                fs::write(&file, text).unwrap();
            }
            assert_eq!(page(true, 5).unwrap(), [0, 1, 4, 9, 16]);
            assert_eq!(runs.load(Ordering::Relaxed), 5, "killed in part {dies}");
            assert_eq!(page(true, 5).unwrap().len(), 5);
            assert_eq!(runs.load(Ordering::Relaxed), 5, "a third start runs none");
        }
        fs::remove_dir_all(kept("parts", true).folder).unwrap();
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Two {
        #[serde(with = "any_number")]
        x: f64,
        y: f64,
    }

    #[test]
    fn conformance_the_last_state_of_a_run_is_kept() {
        let (of, last) = (|resume| kept("state", resume), Two { x: f64::NEG_INFINITY, y: 0.1 + 0.2 });
        of(true).keep_state("state.json", "run", &Two { x: 0.0, y: 0.0 }).unwrap();
        of(true).keep_state("state.json", "run", &last).unwrap();
        assert_eq!(of(true).state("state.json", "run").unwrap(), Some(last));
        assert_eq!(of(true).state::<Two>("state.json", "another run").unwrap(), None);
        let other = KeptResults { revision: "b".into(), ..of(true) };
        assert_eq!(other.state::<Two>("state.json", "run").unwrap(), None);
        assert_eq!(of(false).state::<Two>("state.json", "run").unwrap(), None);
        assert_eq!(of(true).state::<Two>("state.json", "run").unwrap(), None, "a new run forgets it");
        fs::remove_dir_all(of(true).folder).unwrap();
    }
}
