//! Tables, plots and claims of the runs of fig. 4.

use super::{
    ALONG, DENSITY, DEPTH, ELASTIC, FINER, LOOSE, MOST, PIN, PRESSING, Rolled, SPACING, SPEED, STEP,
    SUBSTEPS, SURFACE, Size, TOLERANCES, Way, YIELD, angle,
};
use signorini_report::claim::number;
use signorini_report::{Claim, Mark, PageOutput, Plot, Table};

/// Slip |ω r/v − 1| of a pin that rolls.
const SLIP: f64 = 0.1;

/// Error of the way that the pin rolls, root mean square over the roll, as a part of its length.
fn way(r: &Rolled, reference: &Rolled) -> f64 {
    let end = r.turned.last().map_or(0.0, |p| p.0);
    let squares = (1..=WAY).map(|k| {
        let t = PRESSING + (end - PRESSING) * f64::from(k) / f64::from(WAY);
        (PIN.0 * (angle(&r.turned, t) - angle(&reference.turned, t))).powi(2)
    });
    (squares.sum::<f64>() / f64::from(WAY)).sqrt() / (SPEED * (end - PRESSING))
}

/// The paper's time of strong coupling over that of weak coupling, by tolerance.
const PAPER_SPEEDUP: [(f64, f64); 2] = [(1e-1, 500.0), (1e-5, 10.0)];

/// Times at which the ways are compared.
const WAY: u32 = 100;

/// The larger of the errors of the way that the pin rolls and of the height, the one of the depth pressed.
fn error(r: &Rolled, reference: &Rolled) -> f64 {
    let height = (r.height - reference.height).abs() / DEPTH;
    height.max(way(r, reference))
}

/// Strong coupling beside a run of weak coupling.
struct Rival {
    /// Error of the way, and the processor time that [`STEP`] of the motion takes \[s\].
    error: f64,
    cost: f64,
    /// Description of the way.
    what: String,
}

/// The fastest that strong coupling is at an error: a run with no more error, or the line of log time over log error between runs whose steps follow each other and whose errors have this one between them. Its most accurate run where all have more error.
fn rival(own: &[&Rolled], at: f64, reference: &Rolled) -> Option<Rival> {
    let of = |r: &Rolled| error(r, reference);
    let steps = |r: &Rolled| format!("{} ms, ε = {}", number(1e3 * r.run.dt), number(r.run.tolerance));
    let run =
        |r: &&Rolled, note: &str| Rival { error: of(r), cost: r.cost, what: format!("{}: {note}", steps(r)) };
    let as_good = own.iter().filter(|r| of(r) <= at).map(|r| run(r, "smaller or equal error"));
    let mut ladder: Vec<&Rolled> = own.iter().copied().filter(|r| r.run.tolerance == LOOSE).collect();
    ladder.sort_by(|a, b| a.run.dt.total_cmp(&b.run.dt));
    let between = ladder.windows(2).filter_map(|w| {
        let (low, high) = (of(w[0]), of(w[1]));
        let part = (at / low).ln() / (high / low).ln();
        (low < at && at < high).then(|| Rival {
            error: at,
            cost: w[0].cost * (w[1].cost / w[0].cost).powf(part),
            what: format!(
                "between {} and {} ms, ε = {}",
                number(1e3 * w[0].run.dt),
                number(1e3 * w[1].run.dt),
                number(LOOSE)
            ),
        })
    });
    let best = || own.iter().min_by(|a, b| of(a).total_cmp(&of(b))).map(|r| run(r, "larger error"));
    as_good.chain(between).min_by(|a, b| a.cost.total_cmp(&b.cost)).or_else(best)
}

/// Times of weak coupling at the loosest tolerance beside those of strong coupling.
fn ratios(runs: &[Rolled], reference: &Rolled) -> Table {
    let caption = format!(
        "Computing time of weak and strong coupling at equal error, at ε = {LOOSE}. The error is the larger one of two errors: the rolled path (root mean \
         square, relative to its length) and the height (relative to the depth). \
         The time of strong coupling is interpolated between two of its runs with neighbouring time steps (log time against log error) if the error lies \
         between theirs. \
         A run of strong coupling with a smaller or equal error replaces the interpolation if it takes less time. \
         Times are processor times of all threads per 10 ms of simulated time. The quasi-Newton method is left out, because its solves do not converge.",
    );
    let mut table = Table::new(
        &caption,
        &[
            "weak coupling",
            "time step [ms]",
            "error (weak) [–]",
            "time (weak) [ms]",
            "strong coupling",
            "time step and tolerance (strong)",
            "error (strong) [–]",
            "time (strong) [ms]",
            "time ratio strong/weak [–]",
        ],
    );
    let shown = |r: &&Rolled| !r.run.way.strong() && r.run.way != Way::WeakQuasi && r.run.tolerance == LOOSE;
    for w in runs.iter().filter(shown) {
        for strong in [Way::StrongSparse, Way::StrongDense] {
            let own: Vec<&Rolled> = runs.iter().filter(|r| r.run.way == strong).collect();
            let Some(s) = rival(&own, error(w, reference), reference) else { continue };
            table.row([
                w.run.name(),
                number(1e3 * w.run.dt),
                number(error(w, reference)),
                number(1e3 * w.cost),
                strong.name().to_owned(),
                s.what,
                number(s.error),
                number(1e3 * s.cost),
                format!("{:.1}", s.cost / w.cost),
            ]);
        }
    }
    table
}

/// The page; `failed`: runs that ended early, in words.
pub(super) fn output(size: &Size, reference: &Rolled, runs: &[Rolled], failed: &[String]) -> PageOutput {
    let (young, poisson) = ELASTIC;
    let depth = |r: &Rolled| (r.height - reference.height).abs() / DEPTH;
    let dough = format!(
        "The dough is a block of {} × {} × {} m on sticky ground. It has E = {} Pa, ν = {poisson}, a yield stress of {} Pa and a density of {DENSITY} kg/m³. \
         These values are from the authors' released code. An earlier release has E = 5·10⁴ Pa, ν = 0.49 and 2000 Pa. \
         The grid spacing is {SPACING} m, with {ALONG} particles per grid cell along each axis.",
        2.0 * size.half.x,
        2.0 * size.half.y,
        2.0 * size.half.z,
        number(young),
        number(YIELD),
    );
    let pin = format!(
        "A rolling pin with a radius of {} m and a mass of {} kg is pressed {DEPTH} m down within {PRESSING} s. \
         It then moves forward at a prescribed speed of {SPEED} m/s until {} s. The pin turns freely about its axis (damping 4·10⁻⁴ N·m·s). \
         Each particle contact has {} N/m and {} s/m, a friction coefficient of {} and a stiction speed of {} m/s.",
        PIN.0,
        PIN.2,
        size.end,
        number(SURFACE.stiffness),
        SURFACE.dissipation,
        SURFACE.friction,
        number(SURFACE.stiction_speed),
    );
    let steps = format!(
        "The time step is {STEP} s. Strong coupling solves dough and pin in one step that is implicit in the stress. \
         Dough is elastic within this step and flows after it. \
         Weak coupling takes {SUBSTEPS} substeps of the dough, which are explicit in the stress. The pin keeps its pose during the substeps, as in the \
         paper. In the runs \"moving pin\" the pin moves on within the step. \
         A solve ends as in the paper if ‖D∇‖ < ε max(‖D p‖, ‖D j‖) with momenta p and impulses j, or after {MOST} iterations."
    );
    let comparison = format!(
        "The reference is strong coupling with a time step of {} s. Strong coupling also runs with 2.5 (--full), 5, 20 and 40 ms (dense: 20 and 40 ms). \
         Weak coupling also runs with 5, 2 and 1 ms and unchanged substeps. These runs give computing times at equal error. \
         At ε = 0.1 the solves end with residuals of up to 0.1, so that the errors do not fall with the time step alone.",
        number(STEP / f64::from(FINER)),
    );
    let times = "Times are processor times, summed over all threads and averaged over the run. Other work on the machine changes them less than wall times, \
        which the table also lists. \
         The runs \"f32\" use vectorised code in single precision and all available threads. All other runs use double precision (f64) on one thread.";
    let mut out = PageOutput::new([dough, pin, steps, comparison, times.to_owned()]);
    let mut table = Table::new(
        "All runs and the reference. The residual is the largest one at the end of a solve, relative to max(‖D p‖, ‖D j‖). It is compared with ε. \
         Solves that do not converge stop at the iteration limit. \
         Newton's method with a factorisation also ends at a small step, so that its residual may exceed ε.",
        &[
            "method",
            "time step [ms]",
            "ε [–]",
            "processor time per 10 ms [ms]",
            "wall time per 10 ms [ms]",
            "iterations per solve (mean)",
            "solves not converged",
            "residual [–]",
            "ω r/v [–]",
            "error of the rolled path [–]",
            "error of the height, relative to the depth [–]",
        ],
    );
    for (name, r) in runs.iter().map(|r| (r.run.name(), r)).chain([("reference".to_owned(), reference)]) {
        table.row([
            name,
            number(1e3 * r.run.dt),
            number(r.run.tolerance),
            number(1e3 * r.cost),
            number(1e3 * r.wall),
            number(r.iterations),
            r.unconverged.to_string(),
            number(r.residual),
            number(r.spin),
            number(way(r, reference)),
            number(depth(r)),
        ]);
    }
    let weak = runs.iter().find(|r| r.run.way == Way::WeakNewton && r.run.tolerance == 1e-3);
    let mut times = Plot::new(
        "time",
        "Processor time per step of 10 ms against the solver tolerance",
        "tolerance ε [–]",
        "processor time per step [ms]",
    )
    .log(true, true);
    let mut errors = Plot::new(
        "error",
        "Error of the dough height, relative to the pressed depth, against the solver tolerance",
        "tolerance ε [–]",
        "relative error of the height [–]",
    )
    .log(true, true);
    let mut turns = Plot::new(
        "turned",
        "Rolled path of the pin (radius times rotation angle) at ε = 1e-3. Rolling without slip is the dashed closed form.",
        "time [s]",
        "rolled path r θ [m]",
    );
    for (color, way) in Way::ALL.into_iter().enumerate() {
        let own = || runs.iter().filter(move |r| r.run.way == way && r.run.dt == STEP && !r.run.moving);
        times.add_colored(
            way.name(),
            Mark::LinePoints,
            color,
            own().map(|r| (r.run.tolerance, 1e3 * r.cost)).collect(),
        );
        errors.add_colored(
            way.name(),
            Mark::LinePoints,
            color,
            own().map(|r| (r.run.tolerance, depth(r))).collect(),
        );
        if let Some(r) = own().find(|r| r.run.tolerance == 1e-3) {
            let path = r.turned.iter().map(|(t, a)| (*t, PIN.0 * a)).collect();
            turns.add_colored(way.name(), Mark::Line, color, path);
        }
    }
    let mut work = Plot::new(
        "work",
        "Error against processor time per 10 ms of simulated time, at ε = 0.1. The error is the larger one of the errors of the rolled path and of the height. \
         Strong coupling has time steps of 2.5 (--full, sparse only), 5 (sparse only), 10, 20 and 40 ms from below. \
         Weak coupling has 1, 2, 5 and 10 ms with equal substeps. Single points have 10 ms.",
        "processor time per 10 ms [ms]",
        "relative error [–]",
    )
    .log(true, true);
    let mut spins = Plot::new(
        "spin",
        "Error of the rolled path of the pin, relative to its length, against the solver tolerance",
        "tolerance ε [–]",
        "relative error of the path [–]",
    )
    .log(true, true);
    for (color, kind) in Way::ALL.into_iter().enumerate() {
        let own = |moving: bool| runs.iter().filter(move |r| r.run.way == kind && r.run.moving == moving);
        let at = |r: &Rolled| (1e3 * r.cost, error(r, reference));
        let mut line: Vec<&Rolled> = own(false).filter(|r| r.run.tolerance == LOOSE).collect();
        line.sort_by(|a, b| b.run.dt.total_cmp(&a.run.dt));
        let mark = if line.len() > 1 { Mark::LinePoints } else { Mark::Points };
        work.add_colored(kind.name(), mark, color, line.into_iter().map(at).collect());
        let by_tolerance = own(false).filter(|r| r.run.dt == STEP);
        let errors = by_tolerance.map(|r| (r.run.tolerance, way(r, reference))).collect();
        spins.add_colored(kind.name(), Mark::LinePoints, color, errors);
        if own(true).next().is_some() {
            let name = format!("{}, moving pin", kind.name());
            work.add_colored(&name, Mark::Points, color, own(true).map(at).collect());
        }
    }
    turns.add_closed_form(vec![(0.0, 0.0), (PRESSING, 0.0), (size.end, SPEED * (size.end - PRESSING))]);
    let study = Study { reference, runs };
    out.heading("Runs");
    failed.iter().for_each(|f| out.prose(f));
    out.table(table);
    out.claim(study.claim_of_solves());
    out.heading("Rolling");
    let slip = (reference.spin - 1.0).abs();
    out.prose(format!(
        "The reference rolls with ω r/v = {}. Its slip is {}, and the required limit is {SLIP}. {}",
        number(reference.spin),
        number(slip),
        match slip > 0.8 * SLIP {
            true => "The margin to the limit is smaller than the errors of weak coupling below. The claim on weak coupling therefore depends on this scene, \
                in which a small piece of dough shears along with the pin. \
                It proves nothing about larger pieces of dough.",
            false => "",
        }
    ));
    out.extend([turns, spins]);
    out.extend(study.claims_of_rolling());
    out.heading("Height of the dough");
    out.plot(errors);
    out.extend(study.claims_of_height());
    out.heading("Computing time");
    out.extend([times, study.speedups(), work]);
    out.table(ratios(runs, reference));
    out.extend(study.claims_of_time());
    out.heading("Limits of weak coupling");
    out.extend(weak.map(|r| r.bounds.table()));
    out
}

/// The reference and the runs beside it.
struct Study<'a> {
    reference: &'a Rolled,
    runs: &'a [Rolled],
}

impl Study<'_> {
    /// The run of a way at a tolerance, with the usual step.
    fn of(&self, way: Way, tolerance: f64) -> Option<&Rolled> {
        let is = |r: &&Rolled| r.run.way == way && r.run.tolerance == tolerance && r.run.dt == STEP;
        self.runs.iter().find(|r| is(r) && !r.run.moving)
    }

    /// Error of the height, of the depth.
    fn far(&self, way: Way, tolerance: f64) -> f64 {
        self.of(way, tolerance).map_or(f64::NAN, |r| (r.height - self.reference.height).abs() / DEPTH)
    }

    /// A number of dense and sparse strong coupling at the loose tolerance.
    fn both(&self, f: fn(&Rolled, &Rolled) -> f64) -> f64 {
        match (self.of(Way::StrongDense, LOOSE), self.of(Way::StrongSparse, LOOSE)) {
            (Some(a), Some(b)) => f(a, b),
            _ => f64::NAN,
        }
    }

    /// |ω r/v − 1| at the tight tolerance.
    fn slip(&self, way: Way) -> f64 {
        self.of(way, 1e-5).map_or(f64::NAN, |r| (r.spin - 1.0).abs())
    }

    fn claims_of_rolling(&self) -> [Claim; 3] {
        [
            Claim::at_most(
                "noslip",
                "slip |ω r/v − 1| of the rolling pin, reference",
                SLIP,
                (self.reference.spin - 1.0).abs(),
                "",
            ).required_since("a pin that rolls slips by less than a tenth"),
            Claim::at_most(
                "noslip_strong",
                "slip |ω r/v − 1| of the rolling pin, strong coupling with the long time step",
                SLIP,
                self.slip(Way::StrongSparse),
                "",
            ).required_since("as for the reference"),
            Claim::at_most("noslip_weak", "slip |ω r/v − 1| of the rolling pin, weak coupling", SLIP, self.slip(Way::WeakPcg), "").required_since("as for the reference").because("The \
                dough shears along with the pin. This also happens in the reference (see the slip of the reference above). \
                In weak coupling the dough meets the pose and the spin of the pin at the start of a step. This adds a few hundredths to the slip."),
        ]
    }

    /// Times of strong coupling over those of weak coupling in the fast path against the tolerance, with the paper's.
    fn speedups(&self) -> Plot {
        let mut plot = Plot::new(
            "speedup",
            "Processor time of strong coupling over that of weak coupling in the fast path, both with time steps of 10 ms. \
             Squares are the numbers of the paper, at least 10 at ε = 1e-5: its strong coupling (dense, one thread of a processor) over its weak coupling on a graphics processor.",
            "tolerance ε [–]",
            "time ratio strong/weak [–]",
        )
        .log(true, true);
        for (color, way) in Way::ALL.into_iter().enumerate().filter(|w| w.1.strong()) {
            let at = |t: &f64| (*t, self.speedup(way, *t));
            let points = TOLERANCES.iter().map(at).filter(|p| p.1.is_finite()).collect();
            plot.add_colored(way.name(), Mark::LinePoints, color, points);
        }
        plot.add_paper("", PAPER_SPEEDUP.to_vec());
        plot
    }

    /// Time of strong coupling over that of weak coupling in the fast path; NaN where one was not run.
    fn speedup(&self, way: Way, tolerance: f64) -> f64 {
        match (self.of(way, tolerance), self.of(Way::WeakFast, tolerance)) {
            (Some(strong), Some(weak)) => strong.cost / weak.cost,
            _ => f64::NAN,
        }
    }

    fn claims_of_time(&self) -> [Claim; 3] {
        [
            Claim::at_least(
                "speedup",
                "processor time of dense strong coupling over that of weak coupling in the fast path, both with 10 ms and ε = 0.1",
                1.0,
                self.speedup(Way::StrongDense, LOOSE),
                "",
            )
            .required_since("The paper has up to 500, on a graphics processor and with a larger piece of dough, whose dense factor costs more than in proportion.")
            .timed(),
            Claim::at_most(
                "dense",
                "difference of dense and sparse strong coupling in final height (relative to the depth) and ω r/v",
                1e-9,
                self.both(|a, b| ((a.height - b.height) / DEPTH).abs().max((a.spin - b.spin).abs())),
                "",
            )
            .rule("at most 1e-9, because the iterations are equal and contact amplifies the round-off of the factorisation"),
            Claim::at_least(
                "sparse",
                "processor time of strong coupling with a dense factorisation over the time with a sparse factorisation",
                1.5,
                self.both(|a, b| a.cost / b.cost),
                "",
            )
            .required_since("the sparse factor saves at least a third of the time")
            .because("The quick piece of dough is small, and other work on the machine enters the times.")
            .timed(),
        ]
    }

    fn claims_of_height(&self) -> [Claim; 4] {
        [
            Claim::at_most(
                "height_strong",
                "height error of strong coupling with the long time step, relative to the depth",
                0.1,
                self.far(Way::StrongSparse, 1e-5),
                "",
            )
            .required_since("a tenth of the depth"),
            Claim::at_most(
                "height_weak",
                "height error of weak coupling, relative to the depth",
                0.1,
                self.far(Way::WeakPcg, 1e-5),
                "",
            )
            .required_since("a tenth of the depth"),
            Claim::at_most(
                "loose",
                "height error of weak coupling with Newton–PCG at ε = 0.1, relative to the depth",
                0.1,
                self.far(Way::WeakPcg, 1e-1),
                "",
            )
            .required_since("a tenth of the depth"),
            Claim::at_most(
                "loose_fast",
                "height error of weak coupling with Newton–PCG in f32 at ε = 0.1, relative to the depth",
                0.1,
                self.far(Way::WeakFast, 1e-1),
                "",
            )
            .required_since("a tenth of the depth"),
        ]
    }

    fn claim_of_solves(&self) -> Claim {
        let left =
            |way: Way| self.runs.iter().filter(|r| r.run.way == way).map(|r| r.unconverged).sum::<u32>();
        Claim::at_most(
            "converged",
            "number of solves of Newton's method and Newton–PCG that do not converge",
            0.0,
            f64::from(
                [Way::StrongSparse, Way::WeakNewton, Way::WeakPcg, Way::WeakFast]
                    .map(left)
                    .iter()
                    .sum::<u32>(),
            ),
            "",
        )
    }
}
