use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use rayon::ThreadPoolBuilder;
use serde::{Deserialize, Serialize};
use signorini_coupling::CouplingReport;
use signorini_mpm::{MpmEngine, Real};

use signorini_report::claim::number;
use signorini_report::{Claim, Context, KeptResults, Mark, Page, PageError, Plot, Table};

/// A row of Table I of the paper: name of the scene here, h \[m\], particles, nodes, Δt \[ms\], substeps, contacts (mean and most), \[ms\] per step on an RTX 4090.
pub(super) struct Published {
    pub(super) scene: &'static str,
    pub(super) cells: [&'static str; 8],
}

/// Table I of the paper.
pub(super) const PUBLISHED: [Published; 5] = [
    Published { scene: "dough", cells: ["0.02", "5920", "2229", "10", "10", "17.8", "101", "21.7"] },
    Published { scene: "box bagging", cells: ["0.0156", "2582", "2975", "5", "10", "19.6", "45", "45.3"] },
    Published { scene: "laundry", cells: ["0.0078", "14904", "17296", "5", "5", "163", "617", "18.9"] },
    Published { scene: "T-shirt", cells: ["0.0078", "12160", "8300", "2", "4", "534", "1307", "21.5"] },
    Published {
        scene: "close, lift, shake",
        cells: ["0.01", "3456", "1576", "0.1", "10", "571", "576", "231"],
    },
];

impl Published {
    /// The row of a scene.
    pub(super) fn of(scene: &str) -> Option<&'static Self> {
        PUBLISHED.iter().find(|p| p.scene == scene)
    }

    fn number(&self, column: usize) -> f64 {
        self.cells[column].parse().unwrap_or(f64::NAN)
    }

    /// Number of particles.
    pub(super) fn particles(&self) -> f64 {
        self.number(1)
    }

    /// Particles inside bodies: mean, and most.
    pub(super) fn contacts(&self) -> [f64; 2] {
        [self.number(5), self.number(6)]
    }

    /// Time of a substep \[ms\].
    pub(super) fn milliseconds(&self) -> f64 {
        self.number(7) / self.number(4)
    }
}

/// Statistics of a scene as in Table I of the paper, as they came out.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Statistics {
    scene: String,
    spacing: f64,
    step: f64,
    /// Most substeps of a step, and the sum of all.
    substeps: (u32, u64),
    particles: usize,
    /// Particles that the paper has as well, where a scene here has others beside them.
    #[serde(default)]
    alike: Option<usize>,
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
    /// Particles inside obstacles in each step, mean over its substeps.
    #[serde(default)]
    each: Vec<f64>,
}

/// Why the bag has more contacts for each particle than the paper's.
const WHY_MORE: &str = "Most contacts are those of the eight plates, which hold the sheet by friction (table of fig05). A plate holds 12 particles of the quick sheet and 34 of a \
    sheet with the particles of the paper. Its corners and edges meet triangles besides, so that a plate has up to 34 and 72 contacts, and the whole bag 28 % and 21 % of the number of \
    particles. The paper has fewer contacts than one of these plates. Whether it counts corners and edges, and how its sheet is held, is not known.";

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
            alike: None,
            nodes: 0,
            steps: 0,
            contacts: (0, 0),
            iterations: 0,
            unconverged: 0,
            solves: 0,
            wall: 0.0,
            each: Vec::new(),
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
        self.each.push(report.touching as f64 / f64::from(report.substeps.max(1)));
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

    /// Most particles inside obstacles in a step.
    pub(super) fn most_contacts(&self) -> u32 {
        self.contacts.1
    }

    /// Of a scene whose first `alike` particles are those of the paper; shares of particles are of these.
    pub(super) fn beside_others(mut self, alike: usize) -> Self {
        self.alike = Some(alike);
        self
    }

    /// Part of the particles, in per cent.
    pub(super) fn share(&self, count: f64) -> f64 {
        100.0 * count / self.alike.unwrap_or(self.particles) as f64
    }

    /// Number of particles.
    pub(super) fn particles(&self) -> usize {
        self.particles
    }

    /// The claim that no smaller a part of the particles is inside bodies than in the paper: its times are of no harder contact. None for a scene with fewer particles than the paper's, which has a larger part of
    /// them at surfaces.
    pub(super) fn claim_of_contacts(&self, id: &str) -> Option<Claim> {
        let paper = Published::of(&self.scene).filter(|p| self.particles as f64 >= 0.9 * p.particles())?;
        let claim = format!("{}: mean number of contacts over the number of particles", self.scene);
        let bound = 100.0 * paper.contacts()[0] / paper.particles();
        let own = self.share(self.contacts());
        let made = Claim::at_least(id, &claim, bound, own, "%")
            .rule("at least the share of the paper, so that the scene has no fewer contacts to solve for each particle")
            .published(&format!("{} % ({} of {})", number(bound), paper.cells[5], paper.cells[1]));
        Some(made)
    }

    /// The claim that contacts of the bag are as many for each particle as in the paper: with more, its times are of another contact regime.
    pub(super) fn claim_of_no_more_contacts(&self, id: &str) -> Option<Claim> {
        let paper = Published::of(&self.scene)?;
        let of_paper = 100.0 * paper.contacts()[0] / paper.particles();
        let text =
            format!("{}: mean number of contacts over the number of particles, beside the paper", self.scene);
        let made = Claim::at_most(id, &text, 2.0 * of_paper, self.share(self.contacts()), "%")
            .required_since("twice the share of the paper: beyond it the contacts are of another regime")
            .published(&format!("{} % ({} of {})", number(of_paper), paper.cells[5], paper.cells[1]))
            .because(WHY_MORE);
        Some(made)
    }

    /// Particles inside bodies over time as a share of all, with the mean and the most of the paper.
    pub(super) fn contact_plot(&self) -> Plot {
        let mut plot = Plot::new(
            "contacts",
            "Contacts over the number of particles. Contacts are particles inside bodies, and triangles of cloth with corners and edges of bodies. Squares are the mean and the largest number of Table I of the paper over its number of \
             particles, at the end of the run. A scene that is smaller than the paper's has more of its particles at bodies.",
            "time [s]",
            "contacts [% of the particles]",
        );
        let share = |n: f64| self.share(n);
        let points = self.each.iter().enumerate().map(|(k, n)| ((k + 1) as f64 * self.step, share(*n)));
        plot.add("here, in each step", Mark::Line, points.collect());
        let end = self.each.len() as f64 * self.step;
        plot.add(
            "here, mean",
            Mark::Dashed,
            vec![(0.0, share(self.contacts())), (end, share(self.contacts()))],
        );
        if let Some(paper) = Published::of(&self.scene) {
            let [mean, most] = paper.contacts().map(|n| 100.0 * n / paper.particles());
            plot.add_paper("mean and most", vec![(end, mean), (end, most)]);
        }
        plot
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
            "Sizes and computing times here and in Table I of the paper, whose times are those of an RTX 4090",
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
            let Some(p) = Published::of(&s.scene) else { continue };
            let name = format!("{}, paper", p.scene);
            let cells = p.cells.map(str::to_owned);
            let [h, particles, nodes, step, substeps, mean, most, time] = cells;
            let factor = number(p.number(3) / p.number(7));
            let each = number(p.milliseconds());
            table.row([
                name,
                h,
                particles,
                nodes,
                step,
                substeps,
                mean,
                most,
                "–".into(),
                time,
                each,
                factor,
            ]);
        }
        table
    }
}
