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
                &format!("{name}: RMS error to the exact projection after 20 iterations, before the final correction"),
                ERROR,
                self.iterates[TWENTY].error,
                "rad/s",
            )
            .required_since("a fiftieth of the bound on velocities"),
            Claim::at_most(
                &claim("finished"),
                &format!("{name}: RMS error to the exact projection after 20 iterations and the final correction"),
                bound,
                self.finished[TWENTY].error,
                "rad/s",
            )
            .rule(&format!("at most {bound}, the error of an independent implementation with a ray in place of the correction")),
            Claim::at_most(
                &claim("violation"),
                &format!("{name}: largest bound violation after the final correction for 1 to 200 iterations, relative to half the range of the bound \
                    (round-off counts as zero)"),
                ZERO,
                worst,
                "",
            )
            .rule("at most 1e-9, above round-off"),
            Claim::at_most(
                &claim("idempotent"),
                &format!("{name}: largest change of a converged projection that is projected again"),
                END,
                self.idempotence[0],
                "rad/s",
            )
            .rule("at most 1e-7, the error that 20 000 iterations leave"),
            Claim::at_most(
                &claim("non_expansive"),
                &format!("{name}: distance of two converged projections, relative to the distance of their samples"),
                1.0 + 1e-6,
                self.idempotence[1],
                "",
            )
            .rule("at most 1: a projection onto a convex set does not expand. The remaining error of the iterations is allowed."),
            Claim::at_least(
                &claim("warm_start"),
                &format!("{name}: error of a cold start over the error of a warm start after five iterations, for samples changed by a twentieth of their \
                    standard deviation"),
                5.0,
                self.warm[0] / self.warm[1],
                "",
            )
            .required_since("half of the gain of another scheme")
            .because(
                "The rule is half of a gain that was measured on a scheme with a ten times larger cold-start error (0.30 to 0.027 rad/s). \
                 Here five iterations from a cold start leave a smaller error. \
                 The error after a warm start is a part of the change of the samples itself.",
            ),
            Claim::at_most(
                &claim("single"),
                &format!("{name}: largest difference between single and double precision after 20 iterations"),
                2e-5,
                self.single,
                "rad/s",
            )
            .rule("at most 2e-5, from 20 iterations with a rounding error of 6e-8 each and velocities of 10 rad/s"),
            Claim::between(
                &claim("exploration"),
                &format!("{name}: spread of end displacements after 20 iterations and the final correction, relative to exact projections"),
                [0.9, 1.1],
                own,
                "",
            )
            .required_since("The published scheme keeps a tenth to a quarter."),
            Claim::decided(
                &claim("published"),
                &format!("{name}: spread after the 5 iterations of the published scheme, relative to the exact projection with the same rows (without and \
                    with history rows)"),
                kept.iter().all(|k| (KEEPS[0]..=KEEPS[1]).contains(k)),
            )
            .values("2 … 36".to_owned(), kept.map(|k| number(100.0 * k)).join(", "), "%")
            .rule("both in 2 … 36 %, the range measured before").required(),
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
            "{}: RMS error of the velocities to the exact projection. The published scheme is compared with the exact projection of its own rows.",
            f.case.name()
        ),
        "number of iterations [–]",
        "RMS error [rad/s]",
    )
    .log(true, true);
    plot.add("iterations only", Mark::LinePoints, f.curve(&f.iterates, |m| m.error));
    plot.add("corrected", Mark::LinePoints, f.curve(&f.finished, |m| m.error));
    plot.add("published, own rows", Mark::LinePoints, f.curve(&f.published[0].1, |m| m.error));
    plot.add("published, with history", Mark::LinePoints, f.curve(&f.published[1].1, |m| m.error));
    plot.add("required", Mark::Dashed, vec![(1.0, ERROR), (200.0, ERROR)]);
    plot
}

fn spread_plot(f: &Found) -> Plot {
    let mut plot = Plot::new(
        &format!("exploration_{}", f.id()),
        &format!(
            "{}: standard deviation of the end displacement over the samples, relative to exact projections with the same rows",
            f.case.name()
        ),
        "number of iterations [–]",
        "relative spread [–]",
    )
    .log(true, false);
    plot.y_range = Some([0.0, 1.6]);
    plot.add("iterations only", Mark::LinePoints, f.curve(&f.iterates, |m| m.spread / f.exact.spread));
    plot.add("corrected", Mark::LinePoints, f.curve(&f.finished, |m| m.spread / f.exact.spread));
    for (name, (exact, m)) in ["published, own rows", "published, with history"].into_iter().zip(&f.published)
    {
        plot.add(name, Mark::LinePoints, f.curve(m, |m| m.spread / exact));
    }
    plot
}

fn residual_plots(all: &[Found]) -> [Plot; 2] {
    let mut stationary = Plot::new(
        "residual",
        "RMS residual v − s + Aᵀ λ with the multipliers λ at the end of the iterations. The multipliers always have the signs of their bounds.",
        "number of iterations [–]",
        "residual [rad/s]",
    )
    .log(true, true);
    let mut excess = Plot::new(
        "excess",
        "Largest bound violation before the final correction, relative to half the range of the bound. Most of the largest violations are of the jerk \
         bound. The final correction leaves no violation.",
        "number of iterations [–]",
        "relative bound violation [–]",
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
            "This time was recorded and is not from this run. The projection of 500 samples of 12 joints and 15 steps takes {} ms (median). \
             It takes 20 iterations and the final correction on one thread in single precision. The processor is {}, and the date is {}. \
             The required limit is 5 ms.",
            signorini_report::claim::number(t.median_ms),
            t.cpu,
            t.date
        ),
        None => format!("The file {file} contains no recorded time of a projection."),
    })
}

impl Page for Projection {
    fn id(&self) -> &'static str {
        "hurova2025bimanual/projection"
    }
    fn title(&self) -> &'static str {
        "Projection of samples onto bounds of position, velocity, acceleration and jerk"
    }
    fn lead(&self) -> &'static str {
        "Random joint velocities are projected onto bounds of position, velocity, acceleration and jerk, and errors and bound violations are drawn against \
         the number of iterations."
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
        let mut out = PageOutput::new(text());
        let mut table = Table::new(
            "Results after 5, 20 and 50 iterations. The error is the RMS error to the exact projection with the same rows. \
             The spread is the standard deviation of the end displacement of exact projections, and the relative spread refers to it. \
             The violation is the largest bound violation, relative to half the range of the bound.",
            &[
                "case",
                "scheme",
                "spread (exact) [rad]",
                "error, 5 it. [rad/s]",
                "error, 20 it. [rad/s]",
                "error, 50 it. [rad/s]",
                "relative spread, 5 it. [–]",
                "relative spread, 20 it. [–]",
                "relative spread, 50 it. [–]",
                "violation, 5 it. [–]",
                "violation, 20 it. [–]",
                "violation, 50 it. [–]",
            ],
        );
        for f in &all {
            out.heading(f.case.name());
            out.plot(error_plot(f));
            out.plot(spread_plot(f));
            out.extend(f.claims());
            f.row(&mut table, "iterations only", three(&f.iterates), f.exact.spread);
            f.row(&mut table, "corrected", three(&f.finished), f.exact.spread);
            f.row(&mut table, "published, own rows", three(&f.published[0].1), f.published[0].0);
            f.row(&mut table, "published, with history", three(&f.published[1].1), f.published[1].0);
        }
        out.heading("All cases");
        out.extend(residual_plots(&all));
        out.table(table);
        let mut table = Table::new(
            "Spread of the samples before projection, errors of cold and warm starts after five iterations, properties of converged projections (20 000 \
             iterations), and the effect of single precision. \
             A warm start continues from samples that differ by a twentieth of a standard deviation.",
            &[
                "case",
                "spread of samples [rad]",
                "error, cold start, 5 it. [rad/s]",
                "error, warm start, 5 it. [rad/s]",
                "change by a second projection [rad/s]",
                "distance ratio after/before [–]",
                "difference of single and double [rad/s]",
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
        out.heading("Infeasible history and computing time");
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
                "Replanning with {count} plans, of which one step each is executed (single precision, 20 iterations). \
                 The table compares the spread of exact projections, of the final correction and of a ray for all rows. \
                 The maxima of velocity, acceleration and jerk of the motion are relative to their bounds."
            ),
            &[
                "H",
                "C",
                "spread, exact [rad]",
                "relative spread, corrected [–]",
                "relative spread, ray [–]",
                "RMS error, corrected [rad/s]",
                "maximum velocity [–]",
                "maximum acceleration [–]",
                "maximum jerk [–]",
                "violation of the motion [–]",
                "violation of the plans [–]",
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
                &format!("{count} plans of {steps} steps, covariance {covariance} I: largest bound violation of the executed motion{kind} and of all plans, relative \
                    to half the range of the bound"),
                ZERO,
                r.executed.max(r.planned),
                "",
            )
            .rule("at most 1e-9, above round-off"));
            claims.push(Claim::between(
                &format!("{id}/exploration"),
                &format!("{count} plans of {steps} steps, covariance {covariance} I: spread of corrected samples, relative to exact projections"),
                [0.9, 1.1],
                finish / exact,
                "",
            )
            .required_since("A ray for all rows keeps 0.55 to 0.69."));
        }
        out.heading("Replanning");
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
    // The rest of the message is the row that is against it, and the remedy.
    let said = said.split(" (against it").next().unwrap_or_default().to_owned();
    Ok(Claim::decided(
        "refusal",
        "the projection refuses joint 3 at 1.5 rad/s and names a row of this joint, because the jerk bound prevents a speed below 1 rad/s within a step",
        named,
    )
    .values("a row of joint 3".into(), said, "")
    .rule("the error names a row of joint 3"))
}

fn text() -> [String; 5] {
    let b = BOUNDS;
    [
        format!(
            "The page projects {SAMPLES} samples of joint velocities onto bounds. A sample has {JOINTS} joints, H time steps of {DT} s and velocities with \
             covariance C around zero. The joints already move with up to 0.5 rad/s and 0.35 rad/s² before the first step (the history). \
             The bounds are |v| ≤ {} rad/s, |a| ≤ {} rad/s², |jerk| ≤ {} rad/s³ and |θ| ≤ π.",
            number(b.velocity),
            number(b.acceleration),
            number(b.jerk)
        ),
        "A dual active set method computes the exact projections. It agrees with Clarabel in the tests of `planning`. \
         The iterations of this project alternate between two blocks (ADMM). Each row of the bounds is divided by the square root of its norm. \
         The penalty is ρ = 1 and the relaxation is 1.6. \
         The iterations start from the sample, clipped to its bounds, in double precision. A final correction makes the result satisfy all bounds. \
         Runs with this correction use single precision."
            .to_owned(),
        "The published scheme is implemented from its description. It is an augmented Lagrangian method with slack variables and ρ = 5. \
         Slack and multipliers start at zero, and v₀ is set to the measured velocity. The authors use 5 iterations. \
         The rows of the published scheme leave acceleration and jerk at the start free, so that it has no bound across replans. \
         A second run therefore adds these history rows. Each run is compared with the exact projection with its own rows."
            .to_owned(),
        "The spread (exploration) is the standard deviation over the samples of the displacement at the end of the horizon, averaged \
         over the joints."
            .to_owned(),
        "In replanning, 24 samples are drawn around the last plan. Each joint takes the sample that leads furthest in its desired direction. \
         The desired direction reverses every two seconds. \
         The ray is an alternative to the final correction. It shortens the sample toward the exact projection of the mean until all rows hold."
            .to_owned(),
    ]
}
