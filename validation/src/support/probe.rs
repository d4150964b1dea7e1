//! Asks the reader, with a small model each, for its answer to one element or attribute.

use signorini_scene::{LoadOptions, NoteKind, Scene, SceneError};

/// Answer of the reader to a model.
pub(super) enum Answer {
    /// Read.
    Read {
        /// The scene as text.
        scene: String,
        /// Remarks of the reader.
        notes: Vec<(NoteKind, String)>,
    },
    /// Known, and refused with a remedy.
    Refused(String),
    /// No such element or attribute.
    Unknown,
    /// A value that does not fit; the words that would, when the remedy lists them.
    BadValue { why: String, words: Vec<String> },
}

/// Reads a model.
pub(super) fn ask(text: &str) -> Answer {
    // The root element decides on the format.
    match Scene::from_mjcf(text, "model.xml", &LoadOptions::default()) {
        Ok(mut s) => {
            let notes = std::mem::take(&mut s.notes).into_iter().map(|n| (n.kind, n.text)).collect();
            s.options.unused.clear();
            Answer::Read { scene: format!("{s:?}"), notes }
        }
        Err(SceneError::Unsupported { feature, .. }) => Answer::Refused(feature),
        Err(SceneError::Invalid { message, .. })
            if message.starts_with("unknown attribute") || message.starts_with("unknown element") =>
        {
            Answer::Unknown
        }
        Err(SceneError::Invalid { message, remedy, .. }) => {
            let list = remedy.split_once("write one of: ").map_or("", |r| r.1);
            let list = list.split(&[';', '?'][..]).next().unwrap_or_default();
            let words =
                list.split([',', ' ']).map(|w| w.trim_matches(['"', '\'', ' '])).filter(|w| !w.is_empty());
            Answer::BadValue { why: message, words: words.map(str::to_owned).collect() }
        }
        Err(e) => Answer::BadValue { why: e.to_string(), words: Vec::new() },
    }
}
