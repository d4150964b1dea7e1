use std::path::Path;

use serde::Deserialize;
use signorini_planning::projection::{Precision, ProjectionOptions};

use super::projection_study::{BOUNDS, Case, DT, JOINTS, Measured, SAMPLES, bounds, infeasible, replans};
use super::published::PublishedRows;
use signorini_report::claim::number;
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};

/// Samples onto bounded motion.
pub(super) struct Projection;

/// Iterations that are looked at.
const ITERATIONS: [usize; 15] = [1, 2, 3, 4, 5, 7, 10, 14, 20, 30, 50, 70, 100, 140, 200];
/// Place of 5, 20 and 50 among them.
const FIVE: usize = 4;
const TWENTY: usize = 8;
const FIFTY: usize = 10;

/// Error asked for before the finish \[rad/s\]; after it, that of another implementation for covariances of 1 and 10 with a ray.
const ERROR: f64 = 0.02;
const FINISHED: [f64; 2] = [0.03, 0.11];
/// Excess that counts as none, of half the range of a bound: round-off.
const ZERO: f64 = 1e-9;
/// Part of the exploration that the published scheme keeps, measured before.
const KEEPS: [f64; 2] = [0.02, 0.36];
/// Iterations that count as converged, and their remaining error \[rad/s\]: less than 1e-9 of a bound, which counts as kept. 5000, which were taken first, leave 3·10⁻⁴ at H = 15, C = 10 I.
pub(super) const CONVERGED: usize = 20_000;
const END: f64 = 1e-7;

/// Results of one case, for each of [`ITERATIONS`].
struct Found {
    case: Case,
    /// Numbers of exact projections and of samples.
    exact: Measured,
    raw: Measured,
    iterates: Vec<Measured>,
    residuals: Vec<f64>,
    finished: Vec<Measured>,
    /// Largest difference of precisions after 20 iterations \[rad/s\].
    single: f64,
    /// Spread of exact projections and results of the scheme, on its rows and with the history.
    published: [(f64, Vec<Measured>); 2],
    warm: [f64; 2],
    idempotence: [f64; 2],
}

fn study(steps: usize, covariance: f64) -> Result<Found, PageError> {
    let case = Case::new(steps, covariance)?;
    let (mut iterates, mut residuals, mut finished) = (Vec::new(), Vec::new(), Vec::new());
    for iterations in ITERATIONS {
        let options = ProjectionOptions { iterations, ..ProjectionOptions::default() };
        let plain = ProjectionOptions { precision: Precision::Double, finish: false, ..options };
        let (tapes, projector) = case.run(plain)?;
        iterates.push(case.measure(&tapes)?);
        residuals.push(case.residual(&tapes, &projector)?);
        finished.push(case.measure(&case.run(options)?.0)?);
    }
    let twenty =
        |precision| case.run(ProjectionOptions { precision, finish: false, ..ProjectionOptions::default() });
    let (single, double) = (twenty(Precision::Single)?.0, twenty(Precision::Double)?.0);
    let single = single.iter().zip(&double).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    Ok(Found {
        exact: case.measure(&case.exact)?,
        raw: case.measure(&case.samples)?,
        published: [
            case.published(PublishedRows::Own, &ITERATIONS)?,
            case.published(PublishedRows::History, &ITERATIONS)?,
        ],
        warm: case.warm_start()?,
        idempotence: case.idempotence()?,
        case,
        iterates,
        residuals,
        finished,
        single,
    })
}

impl Found {
    /// Id of the case in claims.
    fn id(&self) -> String {
        format!("H{}_C{}", self.case.steps, self.case.covariance)
    }

    /// Values over iterations.
    fn curve(&self, of: &[Measured], value: impl Fn(&Measured) -> f64) -> Vec<(f64, f64)> {
        ITERATIONS.iter().zip(of).map(|(i, m)| (*i as f64, value(m))).collect()
    }

    fn claims(&self) -> Vec<Claim> {
        let (id, name) = (self.id(), self.case.name());
        let claim = |what: &str| format!("{id}/{what}");
        let bound = FINISHED[usize::from(self.case.covariance > 1.0)];
        let worst = self.finished.iter().map(|m| m.excess).fold(0.0, f64::max);
        let kept = self.published.each_ref().map(|(exact, m)| m[FIVE].spread / exact);
        let own = self.finished[TWENTY].spread / self.exact.spread;
        vec![
            Claim::at_most(
                &claim("error"),
                &format!("{name}: RMS distance to the exact projection after 20 iterations, before the finish"),
                ERROR,
                self.iterates[TWENTY].error,
                "rad/s",
            ).required(),
            Claim::at_most(
                &claim("finished"),
                &format!("{name}: RMS distance to the exact projection after 20 iterations and the finish"),
                bound,
                self.finished[TWENTY].error,
                "rad/s",
            ),
            Claim::at_most(
                &claim("violation"),
                &format!("{name}: worst excess after the finish, from 1 to 200 iterations, of half the range of its bound (round-off counts as none)"),
                ZERO,
                worst,
                "–",
            ),
            Claim::at_most(
                &claim("idempotent"),
                &format!("{name}: projected again when converged, a tape moves by at most"),
                END,
                self.idempotence[0],
                "rad/s",
            ),
            Claim::at_most(
                &claim("non_expansive"),
                &format!("{name}: distance of two converged projections over that of the samples"),
                1.0 + 1e-6,
                self.idempotence[1],
                "–",
            ),
            Claim::at_least(
                &claim("warm_start"),
                &format!("{name}: error after five iterations, cold over going on, for samples that changed by a twentieth of their deviation"),
                5.0,
                self.warm[0] / self.warm[1],
                "–",
            ).required()
            .because(
                "the rule is half of a gain measured on a scheme whose cold start is ten times as far away (0.30 to 0.027 rad/s); five iterations from cold leave less than that here, \
                 and what is left when going on is a part of the change itself",
            ),
            Claim::at_most(
                &claim("single"),
                &format!("{name}: single and double precision after 20 iterations"),
                2e-5,
                self.single,
                "rad/s",
            )
            .rule("at most 2e-5: 20 iterations, a rounding of 6e-8 in each, velocities of 10 rad/s"),
            Claim::between(
                &claim("exploration"),
                &format!("{name}: spread of end displacements after 20 iterations and the finish, over that of exact projections"),
                [0.9, 1.1],
                own,
                "–",
            ).required(),
            Claim::decided(
                &claim("published"),
                &format!("{name}: the published scheme keeps after its 5 iterations of the spread of its own exact projection, on its rows and with those of the history"),
                kept.iter().all(|k| (KEEPS[0]..=KEEPS[1]).contains(k)),
            )
            .values("2 … 36".to_owned(), kept.map(|k| number(100.0 * k)).join(", "), "%")
            .rule("required: both in 2 … 36 %, as measured before"),
        ]
    }

    fn row(&self, table: &mut Table, name: &str, of: [&Measured; 3], exact: f64) {
        let numbers = of.iter().map(|m| number(m.error));
        let kept = of.iter().map(|m| number(m.spread / exact));
        let excess = of.iter().map(|m| number(m.excess));
        let head = [self.case.name(), name.to_owned(), number(exact)];
        table.row(head.into_iter().chain(numbers).chain(kept).chain(excess));
    }
}

fn three(m: &[Measured]) -> [&Measured; 3] {
    [&m[FIVE], &m[TWENTY], &m[FIFTY]]
}

fn error_plot(f: &Found) -> Plot {
    let mut plot = Plot::new(
        &format!("error_{}", f.id()),
        &format!(
            "{}: RMS distance of velocities to the exact projection; the published scheme's to that of its own rows",
            f.case.name()
        ),
        "iterations",
        "RMS error [rad/s]",
    )
    .log(true, true);
    plot.add("iterations", Mark::LinePoints, f.curve(&f.iterates, |m| m.error));
    plot.add("with the finish", Mark::LinePoints, f.curve(&f.finished, |m| m.error));
    plot.add("published, its rows", Mark::LinePoints, f.curve(&f.published[0].1, |m| m.error));
    plot.add("published, with history", Mark::LinePoints, f.curve(&f.published[1].1, |m| m.error));
    plot.add("asked for", Mark::Dashed, vec![(1.0, ERROR), (200.0, ERROR)]);
    plot
}

fn spread_plot(f: &Found) -> Plot {
    let mut plot = Plot::new(
        &format!("exploration_{}", f.id()),
        &format!(
            "{}: standard deviation of the end displacement over samples, over that of exact projections of the same rows",
            f.case.name()
        ),
        "iterations",
        "exploration kept",
    )
    .log(true, false);
    plot.y_range = Some([0.0, 1.6]);
    plot.add("iterations", Mark::LinePoints, f.curve(&f.iterates, |m| m.spread / f.exact.spread));
    plot.add("with the finish", Mark::LinePoints, f.curve(&f.finished, |m| m.spread / f.exact.spread));
    for (name, (exact, m)) in ["published, its rows", "published, with history"].into_iter().zip(&f.published)
    {
        plot.add(name, Mark::LinePoints, f.curve(m, |m| m.spread / exact));
    }
    plot
}

fn residual_plots(all: &[Found]) -> [Plot; 2] {
    let mut stationary = Plot::new(
        "residual",
        "RMS of v − s + Aᵀ λ with the multipliers λ that iterations end with, which have the signs of their bounds always",
        "iterations",
        "residual [rad/s]",
    )
    .log(true, true);
    let mut excess = Plot::new(
        "excess",
        "Worst excess of a bound before the finish, of half its range (mostly jerk); after the finish there is none",
        "iterations",
        "excess",
    )
    .log(true, true);
    for f in all {
        let points = ITERATIONS.iter().zip(&f.residuals).map(|(i, r)| (*i as f64, *r)).collect();
        stationary.add(&f.case.name(), Mark::LinePoints, points);
        excess.add(&f.case.name(), Mark::LinePoints, f.curve(&f.iterates, |m| m.excess));
    }
    [stationary, excess]
}

/// A line that `projection` of the benchmarks printed.
#[derive(Deserialize)]
struct Timed {
    date: String,
    cpu: String,
    precision: String,
    samples: usize,
    joints: usize,
    steps: usize,
    iterations: usize,
    threads: usize,
    median_ms: f64,
}

/// The last recorded time of the case that was asked for, in single precision, in words: history, which no run of this page decides.
fn recorded_time(root: &Path) -> Result<String, PageError> {
    let file = "benches/records/projection.jsonl";
    let text = std::fs::read_to_string(root.join(file)).unwrap_or_default();
    let lines: Vec<Timed> = text
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()
        .map_err(|e| PageError::from_error(format!("{file}: {e}")))?;
    let case = |t: &&Timed| {
        (t.samples, t.joints, t.steps, t.iterations, t.threads) == (500, 12, 15, 20, 1)
            && t.precision == "f32"
    };
    Ok(match lines.iter().rev().find(case) {
        Some(t) => format!(
            "Recorded, not of this run: 500 samples of 12 joints and 15 steps take {} ms (median; 20 iterations, finish included, one thread, single precision; {}, {}). At most 5 ms were asked for.",
            signorini_report::claim::number(t.median_ms),
            t.cpu,
            t.date
        ),
        None => format!("No time of a projection is recorded in {file} beside this program."),
    })
}

impl Page for Projection {
    fn id(&self) -> &'static str {
        "hurova2025bimanual/projection"
    }
    fn title(&self) -> &'static str {
        "Samples onto bounded position, velocity, acceleration and jerk"
    }
    fn lead(&self) -> &'static str {
        "Random control tapes are projected onto bounds of position, velocity, acceleration and jerk; violations and times are drawn by horizon."
    }
    fn cost(&self) -> [f64; 3] {
        [8.0, 12.0, 60.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut all = Vec::new();
        for (steps, covariance) in [(10, 1.0), (10, 10.0), (15, 1.0), (15, 10.0)] {
            ctx.say(format!("H = {steps}, C = {covariance} I"));
            all.push(study(steps, covariance)?);
        }
        let mut out = PageOutput::new([text()]);
        let mut table = Table::new(
            "After 5, 20 and 50 iterations: RMS error to the exact projection of the same rows, exploration kept of its, worst excess of a bound of half its range. Spread: standard deviation of the end displacement of exact projections",
            &[
                "case",
                "scheme",
                "spread [rad]",
                "error 5 [rad/s]",
                "error 20",
                "error 50",
                "kept 5",
                "kept 20",
                "kept 50",
                "excess 5",
                "excess 20",
                "excess 50",
            ],
        );
        for f in &all {
            out.heading(f.case.name());
            out.plot(error_plot(f));
            out.plot(spread_plot(f));
            out.extend(f.claims());
            f.row(&mut table, "iterations", three(&f.iterates), f.exact.spread);
            f.row(&mut table, "with the finish", three(&f.finished), f.exact.spread);
            f.row(&mut table, "published, its rows", three(&f.published[0].1), f.published[0].0);
            f.row(&mut table, "published, with history", three(&f.published[1].1), f.published[1].0);
        }
        out.heading("All cases");
        out.extend(residual_plots(&all));
        out.table(table);
        let mut table = Table::new(
            "Samples as drawn; five iterations going on from those of samples a twentieth of a deviation away; 20 000 iterations; single precision",
            &[
                "case",
                "spread of samples [rad]",
                "cold, 5 iterations [rad/s]",
                "going on, 5 iterations [rad/s]",
                "projected twice [rad/s]",
                "distances after/before",
                "single to double [rad/s]",
            ],
        );
        for f in &all {
            let [cold, on] = f.warm;
            let [apart, ratio] = f.idempotence;
            let cells = [f.raw.spread, cold, on, apart, ratio, f.single].map(number);
            table.row([f.case.name()].into_iter().chain(cells));
        }
        out.table(table);
        self.replans(ctx, &mut out)?;
        out.heading("Refusal and time");
        out.claim(refusal()?);
        out.prose(recorded_time(&ctx.root)?);
        Ok(out)
    }
}

impl Projection {
    fn replans(&self, ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
        let count = ctx.sized([40, 60, 200]);
        let mut table = Table::new(
            &format!(
                "{count} plans, a step of each executed, single precision, 20 iterations: spread of samples by exact projection, finish, and a ray for all rows; how much of the bounds the motion used"
            ),
            &[
                "H",
                "C",
                "exact [rad]",
                "finish/exact",
                "ray/exact",
                "finish to exact [rad/s]",
                "velocity",
                "acceleration",
                "jerk",
                "excess of the motion",
                "excess of plans",
            ],
        );
        let mut claims = Vec::new();
        for (steps, covariance) in [(10, 1.0), (15, 1.0), (15, 10.0)] {
            ctx.say(format!("replans, H = {steps}"));
            let r = replans(steps, count, covariance)?;
            let [exact, finish, ray] = r.spreads;
            let cells = [
                steps as f64,
                covariance,
                exact,
                finish / exact,
                ray / exact,
                r.error,
                r.reached[0],
                r.reached[1],
                r.reached[2],
                r.executed,
                r.planned,
            ];
            table.row(cells.map(number));
            let id = format!("replans_H{steps}_C{covariance}");
            let kind = r.row.map_or(String::new(), |k| format!(" ({k})"));
            claims.push(Claim::at_most(
                &format!("{id}/violation"),
                &format!("{count} plans, H = {steps}, C = {covariance} I: worst excess of the executed motion{kind} and of all plans, of half the range of its bound"),
                ZERO,
                r.executed.max(r.planned),
                "–",
            ));
            claims.push(Claim::between(
                &format!("{id}/exploration"),
                &format!("{count} plans, H = {steps}, C = {covariance} I: spread of finished samples over that of exact projections"),
                [0.9, 1.1],
                finish / exact,
                "–",
            ).required());
        }
        out.heading("Replans");
        out.table(table);
        out.extend(claims);
        Ok(())
    }
}

/// A history that cannot be continued is refused by the name of a row.
fn refusal() -> Result<Claim, PageError> {
    use signorini_planning::projection::{ProjectionError, Projector};
    let mut p =
        Projector::new(bounds()?, 15, DT, ProjectionOptions::default()).map_err(PageError::from_error)?;
    let found = p.project(&infeasible(), &[0.0; 15 * JOINTS], &mut [0.0; 15 * JOINTS]);
    let named = matches!(&found, Err(ProjectionError::Infeasible { row, .. }) if row.joint == 3);
    let said = found.err().map_or("nothing".to_owned(), |e| e.to_string());
    Ok(Claim::decided(
        "refusal",
        "joint 3 at 1.5 rad/s, which jerk cannot bring below 1 rad/s in a step, is refused by a row of its",
        named,
    )
    .values("a row of joint 3".into(), said, "")
    .rule("the error names a row of joint 3"))
}

fn text() -> String {
    let b = BOUNDS;
    format!(
        "{SAMPLES} samples of {JOINTS} joints, velocities with covariance C around zero at {DT} s, joints that move at up to 0.5 rad/s and 0.35 rad/s² before the first step; |v| ≤ {} rad/s, |a| ≤ {} rad/s², |jerk| ≤ {} rad/s³, |θ| ≤ π. \
         Exact projections are those of a dual active set method, which agrees with Clarabel in tests of `planning`. Iterations: two blocks, rows divided by the square root of their norm, ρ = 1, relaxation 1.6, from the sample within its bounds, in double precision; with the finish in single precision. \
         The published scheme beside it, written from its description: an augmented Lagrangian with slack, ρ = 5, zero slack and multipliers at the start, v₀ set to the measured velocity, 5 iterations where it is used; its rows leave acceleration and jerk at the start free, so that it has no bound across replans, and a second run has these rows too. Each is compared with the exact projection of its own rows. \
         Exploration is the standard deviation over samples of the displacement at the end of the horizon, mean over joints. \
         Replans: 24 samples around the last plan, of which each joint takes the one that leads furthest to where it should go, and every two seconds should turn; the ray is another finish, on the way to the exact projection of the mean until all rows hold.",
        number(b.velocity),
        number(b.acceleration),
        number(b.jerk)
    )
}
