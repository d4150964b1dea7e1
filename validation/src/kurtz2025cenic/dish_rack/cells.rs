use signorini_run::Method;

use super::runs::Run;

/// Stepping of a run, and the row of Table I.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub id: &'static str,
    /// Error control; else a fixed step.
    pub controlled: bool,
    /// Accuracy, or step \[s\].
    pub value: f64,
    /// Whether the quick suite runs it, and whether only the full one does.
    pub quick: bool,
    pub fine: bool,
    /// Whether the paper has artefacts, and its real-time rate \[%\].
    pub paper: Option<(bool, f64)>,
    /// Whether the value that the paper's row belongs to is known.
    pub known: bool,
}

const fn control(id: &'static str, value: f64, paper: (bool, f64)) -> Cell {
    Cell { id, controlled: true, value, quick: true, fine: false, paper: Some(paper), known: true }
}

const fn fixed(id: &'static str, value: f64, paper: (bool, f64)) -> Cell {
    Cell { id, controlled: false, value, quick: true, fine: false, paper: Some(paper), known: false }
}

/// Rows in the order of the table.
pub(super) const CELLS: [Cell; 8] = [
    control("1e-1", 1e-1, (true, 218.0)),
    control("1e-2", 1e-2, (true, 463.0)),
    control("1e-3", 1e-3, (false, 342.0)),
    Cell { quick: false, fine: true, ..control("1e-4", 1e-4, (false, 132.0)) },
    fixed("10ms", 1e-2, (true, 102.0)),
    Cell { quick: false, ..fixed("5ms", 5e-3, (true, 180.0)) },
    Cell { quick: false, ..fixed("2ms", 2e-3, (true, 43.0)) },
    Cell { quick: false, known: true, ..fixed("1ms", 1e-3, (false, 21.0)) },
];

impl Cell {
    pub(super) fn words(&self) -> String {
        if self.controlled {
            format!("error control, accuracy {:e}", self.value)
        } else {
            format!("fixed steps of {} ms", 1e3 * self.value)
        }
    }

    pub(super) fn method(&self) -> Method {
        if self.controlled { Method::cenic(self.value) } else { Method::icf().with_step(self.value) }
    }
}

/// Runs of one cell: sums over the runs, where it is not said otherwise.
pub(super) struct Summary {
    pub cell: Cell,
    pub runs: u64,
    pub passings: Vec<String>,
    pub rattling: usize,
    /// Dishes in the sink at the end.
    pub in_sink: usize,
    /// Largest mean speed of a dish in the last second of a run \[m/s\].
    pub liveliest: f64,
    pub steps: f64,
    pub rejected: f64,
    pub iterations: f64,
    pub contacts: f64,
    time: f64,
    /// Length of one run \[s\].
    length: f64,
}

impl Summary {
    pub(super) fn new(cell: Cell, length: f64) -> Self {
        Self {
            cell,
            runs: 0,
            passings: Vec::new(),
            rattling: 0,
            in_sink: 0,
            liveliest: 0.0,
            steps: 0.0,
            rejected: 0.0,
            iterations: 0.0,
            contacts: 0.0,
            time: 0.0,
            length,
        }
    }

    pub(super) fn add(&mut self, run: &Run) {
        self.runs += 1;
        let told = run.watch.passings().iter().map(|p| format!("{} at {:.2} s", p.what, p.t));
        self.passings.extend(told);
        self.rattling += run.watch.rattling();
        self.in_sink += run.watch.in_sink();
        self.liveliest = self.liveliest.max(run.watch.liveliest().speed[0]);
        self.steps += run.report.steps as f64;
        self.rejected += run.report.rejected as f64;
        self.iterations += run.report.iterations as f64;
        self.contacts += run.contacts_per_step;
        self.time += run.cpu_s;
    }

    pub(super) fn shows_artefacts(&self) -> bool {
        !self.passings.is_empty() || self.rattling > 0
    }

    /// Simulated time over processor time.
    pub(super) fn rate(&self) -> f64 {
        self.runs as f64 * self.length / self.time
    }

    /// Reason of a verdict that differs from the paper's.
    pub(super) fn reason(&self) -> String {
        if self.shows_artefacts() {
            format!("Found: {}; {} dishes rattle.", self.passings.join("; "), self.rattling)
        } else {
            "No passing and no rattling is found. Contact is looked for along the way of a step, and each surface is that of the expected end of the step, so that coarse steps see thin walls too; the scene is not the paper's either."
                .to_owned()
        }
    }
}
