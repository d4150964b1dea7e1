use std::error::Error;
use std::path::PathBuf;

use clap::Args;
use signorini_run::{Recording, view};

/// Arguments of `view`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Recording written by `run`.
    recording: PathBuf,
    /// Page to write; the recording's name with `.html` when left out.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

pub(crate) fn run(a: &Arguments) -> Result<bool, Box<dyn Error>> {
    let recording = Recording::read_npz(&a.recording)?;
    if recording.is_empty() {
        return Err(format!("{}: the recording has no rows", a.recording.display()).into());
    }
    let out = a.html.clone().unwrap_or_else(|| a.recording.with_extension("html"));
    let page = view::page(&recording);
    std::fs::write(&out, &page).map_err(|e| format!("{}: {e}", out.display()))?;
    say!("{} ({:.1} MB): open it in a browser", out.display(), page.len() as f64 / 1e6);
    Ok(true)
}
