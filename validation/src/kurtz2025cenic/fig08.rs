use super::failed;
use crate::engine::{Engine, run};
use crate::scenes::SingleBody;
use crate::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};

/// Fig. 8: energy of a bouncing ball without dissipation.
pub(super) struct Fig08;

/// Relative energy error at t = 1 s of Drake's CENIC, (step [s], error), for the same ball.
const DRAKE_FIXED: [(f64, f64); 4] = [(1e-3, 0.25), (5e-4, 0.138), (1e-4, 0.030), (5e-5, 0.015)];
const DRAKE_ADAPTIVE: [(f64, f64); 4] = [(1e-4, 0.186), (1e-5, 0.060), (1e-6, 0.020), (1e-7, 0.0070)];

/// Least-squares slope of log y against log x.
pub(crate) fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let (mx, my) = points.iter().fold((0.0, 0.0), |(a, b), p| (a + p.0.ln() / n, b + p.1.ln() / n));
    let (num, den) = points
        .iter()
        .fold((0.0, 0.0), |(a, b), p| (a + (p.0.ln() - mx) * (p.1.ln() - my), b + (p.0.ln() - mx).powi(2)));
    num / den
}

impl Page for Fig08 {
    fn id(&self) -> &'static str {
        "kurtz2025cenic/fig08"
    }
    fn title(&self) -> &'static str {
        "Energy of an elastic ball: fixed steps and step doubling"
    }
    fn cost(&self) -> (f64, f64) {
        (3.0, 20.0)
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let ball = SingleBody::ball(1.0, 0.05, 1e4, 0.0, 1.05);
        let scene = ball.scene("elastic ball");
        let relative_loss = |engine: &Engine| -> Result<(f64, u64), PageError> {
            let mut x = engine.system(&scene).map_err(failed)?.model().state_at(None, 0).map_err(failed)?;
            let (r, report) = run(&scene, engine, &mut x, 1.0).map_err(failed)?;
            let total = |i: usize| r.energy[3 * i..3 * i + 3].iter().sum::<f64>();
            // Energy is counted from the ball resting on the floor.
            let rest = 9.81 * 0.05;
            Ok(((total(r.len() - 1) - total(0)).abs() / (total(0) - rest), report.steps))
        };
        let mut plot = Plot::new(
            "energy",
            "Relative energy error at t = 1 s against the step (mean step under error control).",
            "step [s]",
            "relative energy error",
        )
        .log(true, true);
        let mut table = Table::new("Energy error", &["setting", "steps", "ours", "Drake 1.51.1"]);
        let (mut fixed, mut adaptive) = (Vec::new(), Vec::new());
        let mut worse: f64 = 0.0;
        for (dt, drake) in DRAKE_FIXED {
            ctx.say(format!("fixed step {dt:e} s"));
            let (e, steps) = relative_loss(&Engine::fixed(dt).in_paper_mode())?;
            table.row([format!("fixed {dt:e} s"), steps.to_string(), format!("{e:.4}"), format!("{drake}")]);
            worse = worse.max(e / drake);
            fixed.push((dt, e));
        }
        let finest = if ctx.full() { 4 } else { 3 };
        for (accuracy, drake) in &DRAKE_ADAPTIVE[..finest] {
            ctx.say(format!("accuracy {accuracy:e}"));
            let (e, steps) = relative_loss(&Engine::cenic(*accuracy).in_paper_mode())?;
            table.row([
                format!("accuracy {accuracy:e}"),
                steps.to_string(),
                format!("{e:.4}"),
                format!("{drake}"),
            ]);
            adaptive.push((1.0 / steps as f64, e));
        }
        let order = slope(&fixed[1..]);
        plot.add("fixed step", Mark::LinePoints, fixed.clone());
        plot.add("step doubling", Mark::LinePoints, adaptive);
        plot.add("Drake CENIC, fixed", Mark::Points, DRAKE_FIXED.to_vec());
        let anchor = fixed[3].1 / fixed[3].0;
        plot.add("O(h)", Mark::Dashed, fixed.iter().map(|p| (p.0, anchor * p.0)).collect());
        Ok(PageOutput {
            text: vec![
                "Ball: 1 kg, radius 0.05 m, k = 1e4 N/m, d = 0, dropped from 1 m above contact; total energy includes the elastic energy ½ k φ². \
                 Paper mode. The trapezoid of the paper's figure (an ablation, 5–20 times slower) is not implemented."
                    .into(),
            ],
            plots: vec![plot],
            tables: vec![table],
            claims: vec![
                Claim::between("order", "energy error of fixed steps is O(h): slope", [0.85, 1.15], order, ""),
                Claim::at_most("drake", "largest ratio of our fixed-step error to Drake's at the same step", 1.15, worse, ""),
                Claim::skipped("trapezoid", "the trapezoid's energy error is O(h²)", "the trapezoid is not implemented"),
            ],
            ..PageOutput::default()
        })
    }
}
