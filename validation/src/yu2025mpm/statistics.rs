use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use rayon::ThreadPoolBuilder;
use serde::{Deserialize, Serialize};
use signorini_coupling::CouplingReport;
use signorini_mpm::{MpmEngine, Real};

use signorini_report::claim::number;
use signorini_report::{Context, KeptResults, Page, PageError, Table};

/// Statistics of a scene as in Table I of the paper, as they came out.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Statistics {
    scene: String,
    spacing: f64,
    step: f64,
    /// Most substeps of a step, and the sum of all.
    substeps: (u32, u64),
    particles: usize,
    /// Most nodes with mass at once.
    nodes: usize,
    steps: u32,
    /// Particles inside obstacles, counted once for each that they are in: their sum over substeps, and the most of a step's.
    contacts: (u64, u32),
    /// Newton iterations of the points, and solves of any that did not converge.
    iterations: u64,
    unconverged: u32,
    solves: u32,
    /// Seconds in steps.
    wall: f64,
}

/// Scenes that pages of this process ran, with whether at full size.
static KEPT: Mutex<Vec<(bool, Statistics)>> = Mutex::new(Vec::new());

/// Result of a work that has one thread: processor times of this are its own, whatever runs beside it.
pub(super) fn on_one_thread<T: Send>(
    work: impl FnOnce() -> Result<T, PageError> + Send,
) -> Result<T, PageError> {
    ThreadPoolBuilder::new().num_threads(1).build().map_err(PageError::from_error)?.install(work)
}

/// File of statistics in the folder of a page, for a suite that goes on in another process.
const FILE: &str = "statistics.jsonl";

/// Keeps the statistics of a page, for the table of all scenes.
///
/// # Errors
/// A file that cannot be written.
pub(super) fn keep(statistics: &Statistics, ctx: &Context) -> Result<(), PageError> {
    let key = (ctx.full(), statistics.clone());
    // Of a run that does not go on, old ones end here.
    ctx.kept.take::<(bool, Statistics)>(FILE)?;
    ctx.kept.add(FILE, &key)?;
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.retain(|(f, s)| (*f, &s.scene) != (key.0, &key.1.scene));
    kept.push(key);
    Ok(())
}

/// Statistics that the page of a scene kept, in this process or, where a suite goes on, in one before.
///
/// # Errors
/// A file that cannot be read.
pub(super) fn kept(page: &dyn Page, scene: &str, ctx: &Context) -> Result<Option<Statistics>, PageError> {
    let is_it = |(full, s): &(bool, Statistics)| (*full, &*s.scene) == (ctx.full(), scene);
    let own = KEPT.lock().unwrap_or_else(PoisonError::into_inner).iter().find(|k| is_it(k)).cloned();
    if let Some((_, own)) = own {
        return Ok(Some(own));
    }
    let folder = ctx.kept.folder.ancestors().nth(1 + page.id().matches('/').count());
    let (true, Some(folder)) = (ctx.kept.resume, folder) else { return Ok(None) };
    let before = KeptResults { folder: folder.join(page.id()), ..ctx.kept.clone() };
    Ok(before.take(FILE)?.into_iter().rfind(is_it).map(|k| k.1))
}

impl Statistics {
    /// Statistics of a scene with steps of the bodies \[s\].
    pub(super) fn new(scene: &str, step: f64) -> Self {
        Self {
            scene: scene.to_owned(),
            step,
            spacing: 0.0,
            substeps: (0, 0),
            particles: 0,
            nodes: 0,
            steps: 0,
            contacts: (0, 0),
            iterations: 0,
            unconverged: 0,
            solves: 0,
            wall: 0.0,
        }
    }

    /// Adds a step that began at `start`.
    pub(super) fn add<T: Real>(&mut self, engine: &MpmEngine<T>, report: &CouplingReport, start: Instant) {
        self.wall += start.elapsed().as_secs_f64();
        self.spacing = engine.options().spacing;
        self.particles = engine.len();
        self.nodes = self.nodes.max(engine.node_count());
        self.substeps = (self.substeps.0.max(report.substeps), self.substeps.1 + u64::from(report.substeps));
        self.steps += 1;
        let most = report.contacts.iter().sum();
        self.contacts = (self.contacts.0 + report.touching, self.contacts.1.max(most));
        self.iterations += u64::from(report.material.iterations);
        self.unconverged += report.unconverged;
        self.solves += report.substeps + 1;
    }

    /// Name of the scene.
    pub(super) fn scene(&self) -> &str {
        &self.scene
    }

    /// Part of the solves that did not converge.
    pub(super) fn unconverged(&self) -> f64 {
        f64::from(self.unconverged) / f64::from(self.solves.max(1))
    }

    /// Particles inside obstacles, mean over substeps.
    pub(super) fn contacts(&self) -> f64 {
        self.contacts.0 as f64 / self.substeps.1.max(1) as f64
    }

    /// Number of particles.
    pub(super) fn particles(&self) -> usize {
        self.particles
    }

    /// Time of a substep, that of the bodies included \[ms\].
    pub(super) fn milliseconds(&self) -> f64 {
        1e3 * self.wall / self.substeps.1.max(1) as f64
    }

    /// The columns of the paper's Table I for these scenes; times are of the machine that ran this.
    pub(super) fn table<'a>(scenes: impl IntoIterator<Item = &'a Self>) -> Table {
        let head = [
            "scene",
            "grid spacing h [m]",
            "particles",
            "grid nodes (max.)",
            "time step Δt [ms]",
            "substeps per step (max.)",
            "contacts (mean)",
            "contacts (max.)",
            "Newton iterations per substep (mean)",
            "time per step [ms]",
            "time per substep [ms]",
            "real time factor [–]",
        ];
        let mut table = Table::new(
            "Sizes and computing times of the scene, with the columns of Table I of the paper",
            &head,
        );
        for s in scenes {
            let steps = f64::from(s.steps.max(1));
            table.row([
                s.scene.clone(),
                number(s.spacing),
                s.particles.to_string(),
                s.nodes.to_string(),
                number(1e3 * s.step),
                s.substeps.0.to_string(),
                format!("{:.1}", s.contacts()),
                s.contacts.1.to_string(),
                format!("{:.1}", s.iterations as f64 / s.substeps.1.max(1) as f64),
                format!("{:.1}", 1e3 * s.wall / steps),
                number(s.milliseconds()),
                format!("{:.3}", s.step * steps / s.wall.max(1e-9)),
            ]);
        }
        table
    }
}
