//! Panics of pages, noted on disk before the program ends: the next run marks the page as failed and goes on with the others.

use std::panic::PanicHookInfo;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, PoisonError};

use serde::{Deserialize, Serialize};

/// File in the folder of a page.
const FILE: &str = "panic.json";

/// A page that runs: the name of its threads, its folder and the revision of the program.
struct Running {
    thread: String,
    folder: PathBuf,
    revision: String,
}

static RUNNING: Mutex<Vec<Running>> = Mutex::new(Vec::new());
static HOOK: Once = Once::new();

/// A panic as it stands on disk.
#[derive(Serialize, Deserialize)]
struct Noted {
    revision: String,
    message: String,
}

/// Notes panics of one page until it is dropped.
pub(crate) struct Watch {
    thread: String,
    folder: PathBuf,
}

impl Watch {
    /// Watches the page whose threads have this name.
    pub(crate) fn new(thread: &str, folder: &Path, revision: &str) -> Self {
        HOOK.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                note(panic);
                before(panic);
            }));
        });
        let (thread, folder) = (thread.to_owned(), folder.to_owned());
        let running =
            Running { thread: thread.clone(), folder: folder.clone(), revision: revision.to_owned() };
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).push(running);
        Self { thread, folder }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain(|r| (&r.thread, &r.folder) != (&self.thread, &self.folder));
    }
}

/// The message of a panic.
fn text<'a>(panic: &'a PanicHookInfo<'_>) -> Option<&'a str> {
    let payload = panic.payload();
    payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(|s| &**s))
}

/// Writes a panic beside the page on whose thread it is; that of a thread without a page beside all that run.
fn note(panic: &PanicHookInfo<'_>) {
    let current = std::thread::current();
    let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    let own = |r: &&Running| Some(&*r.thread) == current.name();
    let known = running.iter().any(|r| own(&r));
    for r in running.iter().filter(|r| !known || own(r)) {
        let text = text(panic).unwrap_or("without a message");
        let place = panic.location().map_or_else(String::new, |l| format!(", {}:{}", l.file(), l.line()));
        let noted = Noted { revision: r.revision.clone(), message: format!("{text}{place}") };
        // Nothing can be told to anybody from here.
        let _ = std::fs::create_dir_all(&r.folder);
        let _ = serde_json::to_string(&noted).map(|json| std::fs::write(r.folder.join(FILE), json));
    }
}

/// The panic of a page under this revision; none where there was none.
pub(crate) fn noted(folder: &Path, revision: &str) -> Option<String> {
    let text = std::fs::read_to_string(folder.join(FILE)).ok()?;
    let noted: Noted = serde_json::from_str(&text).ok()?;
    (noted.revision == revision).then_some(noted.message)
}

/// Forgets a panic of a page that runs anew.
pub(crate) fn forget(folder: &Path) {
    // A file that stays is overwritten by the next panic, and read by this revision alone.
    let _ = std::fs::remove_file(folder.join(FILE));
}
