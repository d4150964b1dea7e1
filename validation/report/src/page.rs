//! Pages, and the context they run in.

use std::path::{Path, PathBuf};
use std::time::Instant;

use indicatif::ProgressBar;

use crate::{KeptResults, PageError, PageOutput};

/// Sizes of the runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Budget {
    /// Seconds for a page, three minutes for the whole suite.
    #[serde(alias = "Quick")]
    Quick,
    /// An hour at most for the whole suite.
    Standard,
    /// The sizes of the papers.
    #[serde(alias = "Full")]
    Full,
}

impl Budget {
    /// The one of three that is for this size: quick, standard, full.
    pub fn of<T>(self, [quick, standard, full]: [T; 3]) -> T {
        match self {
            Self::Quick => quick,
            Self::Standard => standard,
            Self::Full => full,
        }
    }

    /// The name.
    pub fn word(self) -> &'static str {
        self.of(["quick", "standard", "full"])
    }
}

/// Surroundings of a page while it runs: sizes, models, reference numbers, time.
pub struct Context {
    /// Sizes of the runs.
    pub budget: Budget,
    /// Robot models of other projects, when present (`SIGNORINI_MODELS`).
    pub models: Option<PathBuf>,
    /// Reference numbers, when present (`SIGNORINI_ORACLES`).
    pub oracles: Option<PathBuf>,
    /// Recorded cases, when present (`SIGNORINI_CASES`).
    pub cases: Option<PathBuf>,
    /// The repository (or the folder the binary runs in).
    pub root: PathBuf,
    /// Results that the page has so far, and until when it may add to them.
    pub kept: KeptResults,
    progress: ProgressBar,
    started: Instant,
}

impl Context {
    /// A context with models, oracles and cases found through the environment, else beside the repository.
    pub fn new(budget: Budget, root: &Path) -> Self {
        let find = |key: &str, fallback: &str| {
            let p = std::env::var_os(key).map_or_else(|| root.join(fallback), PathBuf::from);
            p.is_dir().then_some(p)
        };
        Self {
            budget,
            models: find("SIGNORINI_MODELS", "../shared/models"),
            oracles: find("SIGNORINI_ORACLES", "../shared/oracles"),
            cases: find("SIGNORINI_CASES", "../shared/cases"),
            root: root.to_owned(),
            kept: KeptResults::default(),
            progress: ProgressBar::hidden(),
            started: Instant::now(),
        }
    }

    /// The context of one page, showing messages on `progress`.
    pub fn for_page(&self, progress: ProgressBar, kept: KeptResults) -> Self {
        Self {
            budget: self.budget,
            models: self.models.clone(),
            oracles: self.oracles.clone(),
            cases: self.cases.clone(),
            root: self.root.clone(),
            kept,
            progress,
            started: Instant::now(),
        }
    }

    /// Shows a message: the run that begins.
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

    /// The one of three that is for the size of this run: quick, standard, full.
    pub fn sized<T>(&self, each: [T; 3]) -> T {
        self.budget.of(each)
    }
}

/// One figure or table of a paper, a cross-check or a closed form.
pub trait Page: Sync {
    /// Id: `<key>/figNN`, `<key>/tableN`, `cross/<name>`, `analytic/<name>`. It is the folder of the page in the report.
    fn id(&self) -> &'static str;
    /// Title, one line.
    fn title(&self) -> &'static str;
    /// One sentence for a reader who sees the page for the first time: the scene, and what is to be seen of it.
    fn lead(&self) -> &'static str;
    /// Rough wall time on one thread of a desktop \[s\]: quick, standard, full.
    fn cost(&self) -> [f64; 3];
    /// Whether it runs by itself, after the others: it measures wall time, or tells times that others measured.
    fn alone(&self) -> bool {
        false
    }
    /// Output of a run.
    ///
    /// # Errors
    /// A crash of a run; a claim that fails is no error.
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError>;
}
