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
    answer_of(Scene::from_mjcf(text, "model.xml", &LoadOptions::default()))
}

/// Answer of a reader.
pub(super) fn answer_of(read: Result<Scene, SceneError>) -> Answer {
    match read {
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

/// Answer of the reader to an example: the text that it has, and what it says to a model with it that it does not say without.
pub(super) fn answer(without: &str, with: &str) -> String {
    say(ask(without), ask(with))
}

/// As [`answer`], for answers at hand.
pub(super) fn say(without: Answer, with: Answer) -> String {
    let (base, remarks) = match without {
        Answer::Read { scene, notes } => (scene, notes),
        Answer::BadValue { why, .. } | Answer::Refused(why) => (why, Vec::new()),
        Answer::Unknown => (String::new(), Vec::new()),
    };
    let is_new = |n: &(NoteKind, String)| !remarks.contains(n);
    match with {
        Answer::Read { scene, .. } if scene != base => "read".to_owned(),
        Answer::Read { notes, .. } => match notes.into_iter().find(is_new) {
            Some((NoteKind::Warning, text)) => format!("left out with a warning: {text}"),
            Some((_, text)) => format!("noted: {text}"),
            None => "accepted, no effect".into(),
        },
        Answer::Refused(feature) => format!("refused: {feature}"),
        Answer::Unknown => "an error".to_owned(),
        Answer::BadValue { why, .. } if ["x.obj", "x.stl", "x.vtk"].iter().any(|file| why.contains(file)) => {
            "read".to_owned()
        }
        Answer::BadValue { why, .. } => format!("an error: {why}"),
    }
}
