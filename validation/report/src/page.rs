//! Pages, and the context they run in.

use std::path::{Path, PathBuf};
use std::time::Instant;

use indicatif::ProgressBar;

use signorini_run::MethodError;

use crate::{Claim, Plot, Stock};

/// How much to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Budget {
    /// Minutes for the whole suite.
    Quick,
    /// The sizes of the papers.
    Full,
}

/// Why a page could not be made.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// A run failed.
    #[error("{0}")]
    Run(String),
    /// A file could not be written or read.
    #[error("{path}: {source}")]
    Io {
        /// File.
        path: String,
        /// Reason.
        source: std::io::Error,
    },
}

impl PageError {
    /// From any error.
    pub fn from_error(e: impl std::fmt::Display) -> Self {
        Self::Run(e.to_string())
    }
}

impl From<MethodError> for PageError {
    fn from(e: MethodError) -> Self {
        Self::from_error(e)
    }
}

/// What a page may use while it runs.
pub struct Context {
    /// How much to run.
    pub budget: Budget,
    /// Robot models of other projects, when present (`SIGNORINI_MODELS`).
    pub models: Option<PathBuf>,
    /// Reference numbers, when present (`SIGNORINI_ORACLES`).
    pub oracles: Option<PathBuf>,
    /// The repository (or the folder the binary runs in).
    pub root: PathBuf,
    /// What the page has done so far, and until when it may go on.
    pub stock: Stock,
    progress: ProgressBar,
    started: Instant,
}

impl Context {
    /// With models and oracles found through the environment, else beside the repository.
    pub fn new(budget: Budget, root: &Path) -> Self {
        let find = |key: &str, fallback: &str| {
            let p = std::env::var_os(key).map_or_else(|| root.join(fallback), PathBuf::from);
            p.is_dir().then_some(p)
        };
        Self {
            budget,
            models: find("SIGNORINI_MODELS", "../shared/models"),
            oracles: find("SIGNORINI_ORACLES", "../shared/oracles"),
            root: root.to_owned(),
            stock: Stock::default(),
            progress: ProgressBar::hidden(),
            started: Instant::now(),
        }
    }

    /// The context of one page, showing messages on `progress`.
    pub fn for_page(&self, progress: ProgressBar, stock: Stock) -> Self {
        Self {
            budget: self.budget,
            models: self.models.clone(),
            oracles: self.oracles.clone(),
            root: self.root.clone(),
            stock,
            progress,
            started: Instant::now(),
        }
    }

    /// Shows what is being done.
    pub fn say(&self, message: impl Into<String>) {
        self.progress.set_message(message.into());
        self.progress.tick();
    }

    /// Seconds since the page began.
    pub fn elapsed(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// True when the sizes of the paper are asked for.
    pub fn full(&self) -> bool {
        self.budget == Budget::Full
    }
}

/// A table of text cells.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Table {
    /// Caption.
    pub caption: String,
    /// Column heads.
    pub head: Vec<String>,
    /// Rows.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table.
    pub fn new(caption: &str, head: &[&str]) -> Self {
        Self { caption: caption.into(), head: head.iter().map(|s| (*s).into()).collect(), rows: Vec::new() }
    }
    /// Adds a row.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }
}

/// A picture, beside the figures.
#[derive(Clone, Debug)]
pub struct Picture {
    /// File name without extension.
    pub name: String,
    /// Caption below it.
    pub caption: String,
    /// The picture.
    pub svg: String,
}

/// What a page gives.
#[derive(Default)]
pub struct PageOutput {
    /// What was run, with every parameter; paragraphs.
    pub text: Vec<String>,
    /// Figures.
    pub plots: Vec<Plot>,
    /// Pictures.
    pub pictures: Vec<Picture>,
    /// Tables.
    pub tables: Vec<Table>,
    /// Statements that can fail.
    pub claims: Vec<Claim>,
    /// Further self-contained HTML files: (file name, content).
    pub attachments: Vec<(String, String)>,
    /// Time was up before all was done: a suite that resumes goes on.
    pub unfinished: bool,
}

/// One figure or table of a paper, a cross-check or a closed form.
pub trait Page: Sync {
    /// `<key>/figNN`, `<key>/tableN`, `cross/<name>`, `analytic/<name>`.
    fn id(&self) -> &'static str;
    /// One line.
    fn title(&self) -> &'static str;
    /// Rough wall time in seconds: (quick, full).
    fn cost(&self) -> (f64, f64);
    /// Runs it.
    ///
    /// # Errors
    /// A crash of a run; a claim that fails is not an error.
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError>;
}
