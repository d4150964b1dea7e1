use signorini_core::{NoObserver, State};

use super::failed;
use super::tables::clutter;
use crate::scenes::Clutter;
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};
use signorini_run::Method;

/// Hard clutter in default mode beside paper mode: overlap and error of the trajectory.
pub(super) struct Modes;

const ACCURACIES: [f64; 4] = [1e-1, 1e-2, 1e-3, 1e-4];
/// Accuracy of the run that others are compared with.
const REFERENCE: f64 = 1e-7;
/// Times at which positions are compared \[s\]: the lowest objects land at 0.14 s, and after about half a second of collisions any
/// two runs part company.
const TIMES: [f64; 2] = [0.2, 0.3];
/// Factor by which the default may come out worse at one accuracy: means over ten seeds of a chaotic scene scatter by about this much.
const SCATTER: f64 = 1.1;

/// State of the clutter at a time, reached in one interval so that no stop bounds the steps.
fn state_at(seed: u64, method: &Method, t: f64) -> Result<State, PageError> {
    let scene = Clutter::hard(seed).scene();
    let mut sys = method.system(&scene).map_err(failed)?;
    let mut integrator = method.integrator().map_err(failed)?;
    let mut x = sys.initial_state(None).map_err(failed)?;
    integrator.advance(&mut sys, &mut x, t, &mut NoObserver).map_err(failed)?;
    Ok(x)
}

/// Root mean square over the bodies of the distance between their positions \[m\].
fn distance(a: &State, b: &State) -> f64 {
    let squares = a.q.chunks_exact(7).zip(b.q.chunks_exact(7));
    let n = (a.q.len() / 7).max(1) as f64;
    let sum: f64 = squares.map(|(a, b)| (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>()).sum();
    (sum / n).sqrt()
}

/// Geometric mean.
fn mean(x: &[f64]) -> f64 {
    (x.iter().map(|x| x.ln()).sum::<f64>() / x.len().max(1) as f64).exp()
}

/// exp of the mean logarithm of the ratios b/a.
fn mean_ratio(a: &[(f64, f64)], b: &[(f64, f64)]) -> f64 {
    let logs = a.iter().zip(b).map(|(a, b)| (b.1 / a.1).ln());
    (logs.sum::<f64>() / a.len().max(1) as f64).exp()
}

impl Page for Modes {
    fn id(&self) -> &'static str {
        "kurtz2025cenic/modes"
    }
    fn title(&self) -> &'static str {
        "Hard clutter with the default settings and those of the paper"
    }
    fn lead(&self) -> &'static str {
        "A clutter of stiff bodies runs with the default settings of this project and with the settings of the paper, and overlap and error are \
         compared."
    }
    fn cost(&self) -> [f64; 3] {
        [9.0, 30.0, 120.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let (seeds, time) = ctx.sized([(2, 0.6), (10, 0.6), (10, 10.0)]);
        let mut references = Vec::new();
        for seed in 0..seeds {
            for t in TIMES {
                ctx.say(format!("reference to {t} s, seed {seed}"));
                references.push(state_at(seed, &Method::cenic(REFERENCE), t)?);
            }
        }
        let mut table = Table::new(
            &format!("Geometric means over {seeds} seeds. The overlap is that of a run of {time} s."),
            &[
                "accuracy",
                "paper mode: largest penetration depth [mm]",
                "default mode: largest penetration depth [mm]",
                "paper mode: error [mm]",
                "default mode: error [mm]",
            ],
        );
        let mut deepest = [Vec::new(), Vec::new()];
        let mut errors = [Vec::new(), Vec::new()];
        for accuracy in ACCURACIES {
            for mode in 0..2 {
                let method = Method::cenic(accuracy);
                let method = if mode == 0 { method.in_paper_mode()? } else { method };
                let (mut depths, mut distances) = (Vec::new(), Vec::new());
                for seed in 0..seeds {
                    ctx.say(format!("accuracy {accuracy:e}, {}, seed {seed}", method.describe()));
                    depths.push(clutter(seed, &method, time, None)?.deepest);
                    for (i, t) in TIMES.into_iter().enumerate() {
                        let x = state_at(seed, &method, t)?;
                        distances.push(distance(&x, &references[seed as usize * TIMES.len() + i]));
                    }
                }
                deepest[mode].push((accuracy, 1e3 * mean(&depths)));
                errors[mode].push((accuracy, 1e3 * mean(&distances)));
            }
            let last = |x: &[(f64, f64)]| x.last().map_or(f64::NAN, |p| p.1);
            let cells = [&deepest[0], &deepest[1], &errors[0], &errors[1]].map(|x| last(x));
            table.row(std::iter::once(format!("{accuracy:e}")).chain(cells.map(|x| format!("{x:.3}"))));
        }
        let mut out = PageOutput::new([
            "The scene is the hard clutter of table II. Two settings are compared. Paper mode has no speculative contacts, solves all bodies \
             together (one island) and reuses the Hessian. Default mode has speculative contacts and solves groups of bodies without contact to \
             each other (islands) separately.".to_owned(),
            format!("The error is the distance of a body from its position in a run of default mode at accuracy {REFERENCE:e}, as root mean square \
                over the bodies, at {TIMES:?} s. The scene is chaotic later, and the distance then says nothing."),
            "The overlap is the deepest penetration at any accepted step.".to_owned(),
        ]);
        out.table(table);
        let plot = |name: &str, caption: &str, y: &str, [paper, default]: &[Vec<(f64, f64)>; 2]| {
            let mut plot = Plot::new(name, caption, "accuracy [m or rad]", y).log(true, true);
            plot.add("paper mode", Mark::LinePoints, paper.clone());
            plot.add("default mode", Mark::LinePoints, default.clone());
            plot
        };
        let overlap = plot(
            "overlap",
            "Deepest overlap over the accuracy of the error control, as geometric mean over the seeds.",
            "largest penetration depth [mm]",
            &deepest,
        );
        let error = plot(
            "error",
            "Distance of the positions from a run at accuracy 1e-7, as geometric mean over the seeds and times.",
            "error of the trajectory [mm]",
            &errors,
        );
        for (plot, heading, what, [paper, default]) in [
            (overlap, "Penetration depth", "largest penetration depth", &deepest),
            (error, "Error of the trajectory", "error of the trajectory", &errors),
        ] {
            let id = plot.name.clone();
            out.heading(heading);
            out.plot(plot);
            let text =
                format!("{what}: ratio of default mode to paper mode, geometric mean over the accuracies");
            let claim = Claim::at_most(&id, &text, 1.0, mean_ratio(paper, default), "");
            out.claim(claim.rule("at most 1: the default may not be worse than the settings of the paper"));
            let worst = paper.iter().zip(default).map(|(p, d)| d.1 / p.1).fold(0.0, f64::max);
            let text = format!("{what}: ratio of default mode to paper mode at the worst accuracy");
            let claim = Claim::at_most(&format!("{id}_worst"), &text, SCATTER, worst, "");
            out.claim(claim.required_since("Means over ten seeds of this scene scatter by a tenth."));
        }
        Ok(out)
    }
}
