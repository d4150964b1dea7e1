//! Tables, plots and claims of the runs of fig. 4.

use super::{
    ALONG, DENSITY, DEPTH, ELASTIC, FINER, LOOSE, MOST, PIN, PRESSING, Rolled, SPACING, SPEED, STEP,
    SUBSTEPS, SURFACE, Size, Way, YIELD, angle,
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
    let steps =
        |r: &Rolled| format!("steps of {} ms, ε = {}", number(1e3 * r.run.dt), number(r.run.tolerance));
    let run =
        |r: &&Rolled, note: &str| Rival { error: of(r), cost: r.cost, what: format!("{}: {note}", steps(r)) };
    let as_good = own.iter().filter(|r| of(r) <= at).map(|r| run(r, "at no more error"));
    let mut ladder: Vec<&Rolled> = own.iter().copied().filter(|r| r.run.tolerance == LOOSE).collect();
    ladder.sort_by(|a, b| a.run.dt.total_cmp(&b.run.dt));
    let between = ladder.windows(2).filter_map(|w| {
        let (low, high) = (of(w[0]), of(w[1]));
        let part = (at / low).ln() / (high / low).ln();
        (low < at && at < high).then(|| Rival {
            error: at,
            cost: w[0].cost * (w[1].cost / w[0].cost).powf(part),
            what: format!(
                "between steps of {} and {} ms, ε = {}",
                number(1e3 * w[0].run.dt),
                number(1e3 * w[1].run.dt),
                number(LOOSE)
            ),
        })
    });
    let best = || own.iter().min_by(|a, b| of(a).total_cmp(&of(b))).map(|r| run(r, "at more error"));
    as_good.chain(between).min_by(|a, b| a.cost.total_cmp(&b.cost)).or_else(best)
}

/// Times of weak coupling at the loosest tolerance beside those of strong coupling.
fn ratios(runs: &[Rolled], reference: &Rolled) -> Table {
    let caption = format!(
        "Weak coupling at ε = {LOOSE} beside strong coupling at equal error, the larger of those of the way that the pin rolls (root mean square, of its length) and of the height (of the depth): strong coupling in the steps of its runs, on the line of log time over log error between two that follow each other where the error is between theirs, or its cheapest run where that has no more error and takes less time. Times are those of the processor, of all threads together, that 10 ms of the motion take. The quasi-Newton is left out: its solves do not converge",
    );
    let mut table = Table::new(
        &caption,
        &["weak", "step [ms]", "error", "time [ms]", "strong", "run", "error", "time [ms]", "times as long"],
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
    let mut out = PageOutput::new([format!(
        "Dough of {} × {} × {} m on sticky ground (E = {} Pa, ν = {poisson}, yield stress {} Pa, {DENSITY} kg/m³: the numbers of the authors' release; those of an earlier one are E = 5·10⁴ Pa, ν = 0.49, 2000 Pa), grid of {SPACING} m, {ALONG} particles to it along each axis. \
         A pin of radius {} m and {} kg is pressed {DEPTH} m down within {PRESSING} s and led forward at {SPEED} m/s, up to {} s; it turns freely about its axis (damping 4·10⁻⁴ N·m·s). Contacts of {} N/m for each particle, {} s/m, friction {}, held below {} m/s. \
         Steps of {STEP} s. Strong coupling takes them for both, implicit in the stress (dough is elastic within a step and flows after it); weak coupling has {SUBSTEPS} substeps of the dough, explicit in the stress, and keeps the pin in place through them as the paper does, but for one run. \
         Solves end as in the paper, ‖D∇‖ < ε max(‖D p‖, ‖D j‖), with momenta p and impulses j, or after {MOST} iterations. \
         The reference is strong coupling at a step of {} s; strong coupling runs at 2.5 (--full), 5, 20 and 40 ms too (dense at 20 and 40), and weak coupling at 5, 2 and 1 ms with substeps as long as before, for times at equal error. At ε = 0.1 solves end with residuals of up to that part, so that errors there do not fall with the step alone. Times are those of the processor, all threads added up, means over the run: other work on the machine changes them less than the time on the wall, which stands beside them. All runs but those of the fast path take the plain path, in 64 bits on one thread; the fast path has 32 bits, vectors and all threads that it gets.",
        2.0 * size.half.x,
        2.0 * size.half.y,
        2.0 * size.half.z,
        number(young),
        number(YIELD),
        PIN.0,
        PIN.2,
        size.end,
        number(SURFACE.stiffness),
        SURFACE.dissipation,
        SURFACE.friction,
        number(SURFACE.stiction_speed),
        number(STEP / f64::from(FINER)),
    )]);
    let mut table = Table::new(
        "Runs beside the reference; the residual is the largest at the end of a solve, of max(‖D p‖, ‖D j‖), which ε is asked of: at the cap where solves did not converge. Newton's method with factors ends where its step is small too, with residuals that may be above ε",
        &[
            "way",
            "step [ms]",
            "ε",
            "time of 10 ms [ms]",
            "on the wall [ms]",
            "iterations of a solve",
            "not converged",
            "residual",
            "ω r/v",
            "error of the way",
            "error of the height, of the depth",
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
        "Processor time of a step of 10 ms against the tolerance",
        "tolerance ε",
        "time of a step [ms]",
    )
    .log(true, true);
    let mut errors = Plot::new(
        "error",
        "Error of the height of the dough, as a part of the depth pressed, against the tolerance",
        "tolerance ε",
        "error of the height",
    )
    .log(true, true);
    let mut turns = Plot::new(
        "turned",
        "Path that the pin rolls, r times its rotation, at ε = 1e-3; grey: rolling without slip",
        "time [s]",
        "r θ [m]",
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
        "The larger of the errors of the way that the pin rolls and of the height over the processor time that 10 ms of the motion take, at ε = 0.1: strong coupling with steps of 2.5 (--full, sparse only), 5 (sparse only), 10, 20 and 40 ms from below, weak coupling with 1, 2, 5 and 10 ms of equal substeps; single points have 10 ms",
        "time of 10 ms [ms]",
        "error",
    )
    .log(true, true);
    let mut spins = Plot::new(
        "spin",
        "Error of the way that the pin rolls, as a part of it, against the tolerance",
        "tolerance ε",
        "error of the way",
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
            let name = format!("{}, the pin goes on", kind.name());
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
        "The reference itself rolls with ω r/v = {}: a slip of {} beside the {SLIP} that is asked for. {}",
        number(reference.spin),
        number(slip),
        match slip > 0.8 * SLIP {
            true => "The rest up to the bound is less than the errors of weak coupling below: its claim stands on the choice of this scene, a small piece that shears along with the pin, and proves nothing about larger ones.",
            false => "",
        }
    ));
    out.extend([turns, spins]);
    out.extend(study.claims_of_rolling());
    out.heading("Height of the dough");
    out.plot(errors);
    out.extend(study.claims_of_height());
    out.heading("Time");
    out.extend([times, work]);
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
                "the pin rolls: |ω r/v − 1|, reference",
                SLIP,
                (self.reference.spin - 1.0).abs(),
                "",
            ).required(),
            Claim::at_most(
                "noslip_strong",
                "the pin rolls: |ω r/v − 1|, strong coupling at the long step",
                SLIP,
                self.slip(Way::StrongSparse),
                "",
            ).required(),
            Claim::at_most("noslip_weak", "the pin rolls: |ω r/v − 1|, weak coupling", SLIP, self.slip(Way::WeakPcg), "").required().because("the dough shears along with the pin, in the reference too (see the first claim); pose and spin of the pin that it meets are those of the start of a step, which costs a few hundredths more"),
        ]
    }

    fn claims_of_time(&self) -> [Claim; 2] {
        [
            Claim::at_most(
                "dense",
                "dense and sparse strong coupling end at the same height and spin",
                1e-9,
                self.both(|a, b| ((a.height - b.height) / DEPTH).abs().max((a.spin - b.spin).abs())),
                "",
            )
            .rule("at most 1e-9: the iterations are alike, and factors differ by round-off, which contact amplifies"),
            Claim::at_least(
                "sparse",
                "strong coupling is faster with a sparse factor than with a dense one",
                1.5,
                self.both(|a, b| a.cost / b.cost),
                "",
            )
            .required(),
        ]
    }

    fn claims_of_height(&self) -> [Claim; 4] {
        [
            Claim::at_most(
                "height_strong",
                "height of strong coupling at the long step, of the depth",
                0.1,
                self.far(Way::StrongSparse, 1e-5),
                "",
            )
            .required(),
            Claim::at_most(
                "height_weak",
                "height of weak coupling, of the depth",
                0.1,
                self.far(Way::WeakPcg, 1e-5),
                "",
            )
            .required(),
            Claim::at_most(
                "loose",
                "height of weak coupling with Newton–PCG at ε = 0.1, of the depth",
                0.1,
                self.far(Way::WeakPcg, 1e-1),
                "",
            )
            .required(),
            Claim::at_most(
                "loose_fast",
                "height of the fast path with Newton–PCG at ε = 0.1, of the depth",
                0.1,
                self.far(Way::WeakFast, 1e-1),
                "",
            )
            .required(),
        ]
    }

    fn claim_of_solves(&self) -> Claim {
        let left =
            |way: Way| self.runs.iter().filter(|r| r.run.way == way).map(|r| r.unconverged).sum::<u32>();
        Claim::at_most(
            "converged",
            "solves of Newton's method and Newton–PCG that did not converge",
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
