use signorini_core::na::{Matrix3, Vector3};

use super::recordings::{EXPERIMENTS, Experiment, Parameters, RATE, simulate, times};
use crate::random::Random;
use crate::search::{Simplex, nelder_mead};
use signorini_report::claim::number;
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};
use signorini_run::Method;

/// Friction, stiffness and dissipation of a box found from its recorded slides and drops.
pub(super) struct SlidingBox;

const TRUTH: Parameters = Parameters { friction: 0.35, stiffness: 2e4, dissipation: 0.4 };
const GUESS: Parameters = Parameters { friction: 0.2, stiffness: 6e4, dissipation: 1.0 };
/// Standard deviation of the noise of each coordinate \[m\].
const NOISE: f64 = 2e-4;
/// Accuracy of the runs that stand for the recording.
const FINE: f64 = 1e-9;

/// Residuals of the model with its parameters, in units of the noise.
fn residuals(recorded: &[Vec<f64>], logs: &[f64; 3]) -> Result<Vec<f64>, PageError> {
    let p = Parameters::from_logs(logs);
    let mut r = Vec::new();
    for (e, recorded) in EXPERIMENTS.iter().zip(recorded) {
        let simulated = simulate(&p, e, &e.method())?;
        r.extend(simulated.iter().zip(recorded).map(|(s, m)| (s - m) / NOISE));
    }
    Ok(r)
}

/// Mean square; 1 when only noise is left.
fn mean_square(r: &[f64]) -> f64 {
    r.iter().map(|x| x * x).sum::<f64>() / r.len() as f64
}

struct Found {
    logs: [f64; 3],
    cost: f64,
    /// Standard deviations of the logarithms.
    deviation: [f64; 3],
    /// Correlations μ–k, μ–d, k–d.
    correlation: [f64; 3],
    history: Vec<f64>,
    iterations: u64,
    /// Columns of J, the derivative of the residuals by the logarithms.
    columns: Vec<Vec<f64>>,
    /// (JᵀJ)⁻¹, the covariance of the estimate in units of the noise.
    covariance: Matrix3<f64>,
}

fn record(seed: u64, clean: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut noise = Random::new(seed);
    clean.iter().map(|c| c.iter().map(|x| x + NOISE * noise.normal()).collect()).collect()
}

fn identify(recorded: &[Vec<f64>]) -> Result<Found, PageError> {
    // A factor of 1.6 for each parameter. The search ends when the costs of the simplex agree to 1e-4 of the cost that the noise leaves: with 1800 residuals, 0.4 of a standard deviation.
    let simplex = Simplex { start: GUESS.logs(), edge: 0.47, tolerance: 1e-4, most: 200 };
    let found = nelder_mead(&simplex, |logs| Ok(mean_square(&residuals(recorded, logs)?)))?;
    let logs = found.logs;
    // Covariance of the least-squares estimate, (JᵀJ)⁻¹ in units of the noise; central differences of 2 %, wide enough to smooth contact events.
    let h = 0.02;
    let mut columns = Vec::new();
    for i in 0..3 {
        let shifted = |s: f64| {
            let mut p = logs;
            p[i] += s;
            residuals(recorded, &p)
        };
        let (a, b) = (shifted(-h)?, shifted(h)?);
        columns.push(a.iter().zip(&b).map(|(x, y)| (y - x) / (2.0 * h)).collect::<Vec<f64>>());
    }
    let normal = Matrix3::from_fn(|i, j| columns[i].iter().zip(&columns[j]).map(|(x, y)| x * y).sum::<f64>());
    let covariance = normal.try_inverse().ok_or_else(|| {
        PageError::Run(
            "the recording does not determine the parameters: the normal matrix is singular".into(),
        )
    })?;
    let deviation: [f64; 3] = std::array::from_fn(|i| covariance[(i, i)].sqrt());
    let correlation =
        [(0, 1), (0, 2), (1, 2)].map(|(i, j)| covariance[(i, j)] / (deviation[i] * deviation[j]));
    let cost = mean_square(&residuals(recorded, &logs)?);
    Ok(Found {
        logs,
        cost,
        deviation,
        correlation,
        history: found.history,
        iterations: found.iterations,
        columns,
        covariance,
    })
}

/// The fit to another recording of the motions of `near`, by one step of Gauss and Newton from there: δ = −(JᵀJ)⁻¹Jᵀr.
///
/// J does not depend on the recording, and both fits differ by the noise alone, δ of the size of the expected deviation. The step leaves out the curvature of the residuals over δ, of second order in the noise.
fn identify_near(near: &Found, recorded: &[Vec<f64>]) -> Result<Found, PageError> {
    let before = residuals(recorded, &near.logs)?;
    let slope = |column: &Vec<f64>| column.iter().zip(&before).map(|(j, r)| j * r).sum::<f64>();
    let gradient = Vector3::from_iterator(near.columns.iter().map(slope));
    let step = near.covariance * gradient;
    let logs = std::array::from_fn(|i| near.logs[i] - step[i]);
    let cost = mean_square(&residuals(recorded, &logs)?);
    Ok(Found {
        logs,
        cost,
        deviation: near.deviation,
        correlation: near.correlation,
        history: vec![mean_square(&before), cost],
        iterations: 1,
        columns: near.columns.clone(),
        covariance: near.covariance,
    })
}

impl Page for SlidingBox {
    fn id(&self) -> &'static str {
        "identify/sliding_box"
    }
    fn title(&self) -> &'static str {
        "Identification of friction, stiffness and dissipation of a box"
    }
    fn lead(&self) -> &'static str {
        "A box slides and falls, and its friction, stiffness and dissipation are identified from the recorded motion alone."
    }
    fn cost(&self) -> [f64; 3] {
        [9.0, 12.0, 45.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        ctx.say("recording");
        let fine = Method::cenic(FINE);
        let clean: Vec<Vec<f64>> =
            EXPERIMENTS.iter().map(|e| simulate(&TRUTH, e, &fine)).collect::<Result<_, _>>()?;
        // Recordings, and how many of them are fitted by the search.
        let (seeds, searched): (&[u64], _) =
            ctx.sized([(&[1, 2, 3, 4, 5], 1), (&[1, 2, 3, 4, 5], 2), (&[1, 2, 3, 4, 5, 6, 7, 8], 8)]);
        let mut fits: Vec<Found> = Vec::new();
        for (n, s) in seeds.iter().enumerate() {
            ctx.say(format!("fit to recording {s}"));
            let recorded = record(*s, &clean);
            fits.push(match fits.first().filter(|_| n >= searched) {
                Some(near) => identify_near(near, &recorded)?,
                None => identify(&recorded)?,
            });
        }
        let first = &fits[0];
        let mut out = PageOutput::new(text());
        let others = "One step of Gauss and Newton from the first fit, −(JᵀJ)⁻¹Jᵀr, fits each of the others, because recordings differ by their noise alone.";
        out.prose(format!(
            "There are {} recordings of these motions, each with its own noise. The search fits {searched} of them. {}",
            seeds.len(),
            if searched < seeds.len() { others } else { "" },
        ));
        let [cost, slide, drop] = plots(&record(seeds[0], &clean), first)?;
        out.heading("Recorded, guessed and fitted motions");
        out.extend([slide, drop]);
        out.table(experiment_table(&clean, first)?);
        out.heading("Parameters");
        out.plot(cost);
        out.table(parameter_table(&fits));
        out.extend(claims(&fits));
        Ok(out)
    }
}

fn text() -> Vec<String> {
    vec![
        "A box of 1 kg with 0.2 × 0.2 × 0.1 m slides over a floor (three runs), falls flat on it (two runs), and does both (one run).".into(),
        format!("The centre of the box is recorded at {RATE} Hz with a noise of {NOISE:e} m in each coordinate. The recording is a substitute for a \
            recording of hardware: it is a simulation of this project at accuracy {FINE:e} with the parameters to be found, plus seeded noise."),
        "The fitted model has coarser time steps: steps of 5e-4 s for slides, and accuracy 1e-7 for drops. It therefore has an error of its own, as \
         any model of a real recording has.".into(),
        "The cost is the mean square of (simulated − recorded)/noise over all samples. The method of Nelder and Mead (library argmin) minimises it \
         over the logarithms of the parameters. The initial guess is off by factors of 1.75, 3 and 2.5. The expected deviation is that of \
         linearised least squares, (JᵀJ)⁻¹.".into(),
        "All three parameters can be identified. The slides give the friction coefficient. The duration and the depth of an impact give the \
         stiffness. The rebound gives the dissipation. Resting or sliding alone shows the stiffness only through a static depth of 0.12 mm, below \
         the noise of one sample, and says nothing about the dissipation.".into(),
        "The expected deviation accounts for the noise only. The remaining error of an estimate comes from the time steps of the fitted model. The \
         dissipation is most sensitive to it, because numerical damping looks like dissipation.".into(),
    ]
}

const NAMES: [&str; 3] = ["friction", "stiffness [N/m]", "dissipation [s/m]"];

fn parameter_table(fits: &[Found]) -> Table {
    let mut t = Table::new(
        "True and identified parameters",
        &[
            "parameter",
            "true value",
            "initial guess",
            "recording",
            "identified value",
            "error",
            "expected deviation",
            "cost",
            "iterations",
            "evaluations",
        ],
    );
    for (i, name) in NAMES.into_iter().enumerate() {
        for (n, f) in fits.iter().enumerate() {
            let (truth, guess) = (TRUTH.logs()[i].exp(), GUESS.logs()[i].exp());
            t.row([
                name.to_owned(),
                number(truth),
                number(guess),
                (n + 1).to_string(),
                number(f.logs[i].exp()),
                format!("{:+.2} %", 100.0 * (f.logs[i].exp() / truth - 1.0)),
                format!("± {:.2} %", 100.0 * f.deviation[i]),
                format!("{:.4}", f.cost),
                f.iterations.to_string(),
                f.history.len().to_string(),
            ]);
        }
    }
    // Two digits, and no sign of a zero.
    let c = fits[0].correlation.map(|c| (100.0 * c).round() / 100.0 + 0.0);
    t.caption += &format!(
        ". The correlations of the estimates are {:.2} for μ–k, {:.2} for μ–d and {:.2} for k–d.",
        c[0], c[1], c[2]
    );
    t
}

fn describe(e: &Experiment) -> String {
    format!("start at a height of {} m with {} m/s, duration {} s", e.height, e.speed, e.duration)
}

fn experiment_table(clean: &[Vec<f64>], f: &Found) -> Result<Table, PageError> {
    let mut t = Table::new(
        "Root mean square distance from the true motion without noise [mm]",
        &["experiment", "samples", "with the initial guess", "with the fitted parameters"],
    );
    for (e, c) in EXPERIMENTS.iter().zip(clean) {
        let far = |p: &Parameters| -> Result<String, PageError> {
            let s = simulate(p, e, &e.method())?;
            let square: f64 = s.iter().zip(c).map(|(a, b)| (a - b).powi(2)).sum();
            Ok(format!("{:.3}", 1e3 * (square / c.len() as f64).sqrt()))
        };
        t.row([describe(e), (c.len() / 2).to_string(), far(&GUESS)?, far(&Parameters::from_logs(&f.logs))?]);
    }
    Ok(t)
}

/// Cost, a slide, a drop.
fn plots(recorded: &[Vec<f64>], f: &Found) -> Result<[Plot; 3], PageError> {
    let mut cost = Plot::new(
        "cost",
        "Cost of every evaluation, and the smallest cost so far. The noise alone leaves a cost of 1.",
        "evaluation [–]",
        "mean square residual over noise² [–]",
    )
    .log(false, true);
    let all: Vec<_> = f.history.iter().enumerate().map(|(i, c)| (i as f64 + 1.0, *c)).collect();
    let mut best = f64::INFINITY;
    let least = all.iter().map(|p| {
        best = best.min(p.1);
        (p.0, best)
    });
    let least = least.collect();
    cost.add("evaluation", Mark::Points, all.clone());
    cost.add("smallest so far", Mark::Line, least);
    cost.add_colored("noise alone", Mark::Dashed, 6, vec![(1.0, 1.0), (all.len() as f64, 1.0)]);
    let fitted = Parameters::from_logs(&f.logs);
    let figure = |name: &str, caption: &str, label: &str, which: usize, coordinate: usize, offset: f64| {
        let e = &EXPERIMENTS[which];
        let mut p = Plot::new(name, caption, "time [s]", label);
        let t = times(e);
        let curve = |v: &[f64]| {
            t.iter()
                .enumerate()
                .map(|(i, t)| (*t, 1e3 * (v[2 * i + coordinate] - offset)))
                .collect::<Vec<_>>()
        };
        p.add("recorded", Mark::Points, curve(&recorded[which]));
        p.add("initial guess", Mark::Dashed, curve(&simulate(&GUESS, e, &e.method())?));
        p.add("fitted", Mark::Line, curve(&simulate(&fitted, e, &e.method())?));
        Ok::<_, PageError>(p)
    };
    let slide = figure(
        "slide",
        "Travel of the box in a slide at 1 m/s: recorded, with the initial guess and with the fitted \
            parameters.",
        "travel [mm]",
        1,
        0,
        0.0,
    )?;
    let drop = figure(
        "drop",
        "Height of the lower face in a drop from 0.04 m: recorded, with the initial guess and with the fitted parameters.",
        "height of the lower face [mm]",
        4,
        1,
        0.05,
    )?;
    Ok([cost, slide, drop])
}

fn claims(fits: &[Found]) -> Vec<Claim> {
    let substitute =
        "a simulation of this project at accuracy 1e-9 plus seeded noise, instead of a recording of hardware";
    let mut claims = Vec::new();
    let bounds = [0.02, 0.05, 0.10];
    let truth = Vector3::from_column_slice(&TRUTH.logs());
    for (i, (name, bound)) in ["friction", "stiffness", "dissipation"].into_iter().zip(bounds).enumerate() {
        let worst = fits.iter().map(|f| (f.logs[i].exp() / truth[i].exp() - 1.0).abs()).fold(0.0, f64::max);
        claims.push(
            Claim::at_most(
                name,
                &format!("{name}: largest relative error of the identified value over the recordings"),
                bound,
                worst,
                "",
            )
            .required_since("chosen before the first fit; the dissipation is the hardest to see")
            .with_substitute(substitute),
        );
    }
    let costs = fits.iter().map(|f| f.cost);
    let worst = costs.fold(0.0, f64::max);
    claims.push(
        Claim::at_most("cost", "mean square residual after the fit, in units of the noise", 1.2, worst, "")
            .rule("at most 1.2. The noise alone leaves 1 ± 0.04. The rest is the error of the time steps of the fitted model.")
            .with_substitute(substitute),
    );
    let largest = fits.iter().flat_map(|f| f.deviation).fold(0.0, f64::max);
    claims.push(
        Claim::at_most(
            "identifiable",
            "largest expected relative deviation of a parameter",
            0.1,
            largest,
            "",
        )
        .required_since("so that these experiments determine all three parameters")
        .with_substitute(substitute),
    );
    claims
}
