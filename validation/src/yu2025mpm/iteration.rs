mod panels;
mod report;

use panels::{Pressed, Way, press};
use signorini_coupling::Limit;

use signorini_report::{Context, Page, PageError, PageOutput, side_by_side};

/// Forces of light panels by ways of coupling and steps.
pub(super) struct CouplingIteration;

/// Longest step of the bodies \[s\], each one before it half as long, and how many of them, quick, standard and full.
const STEP: f64 = 2.56e-3;
const STEPS: [u32; 3] = [6, 6, 7];
/// Substeps of the points in a step.
const SUBSTEPS: u32 = 4;
/// Runs end after so many times the longest step, quick, standard and full; forces are of the second half, errors of the motion of so many at the start.
const LONGEST: [u32; 3] = [8, 10, 30];
const TRANSIENT: u32 = 3;
/// Substep of the points in the study of errors \[s\], the same for all steps.
const SUBSTEP: f64 = 2e-5;
/// The step at which forces are drawn over time \[s\].
const DRAWN: f64 = 0.25 * STEP;
/// Steps of which orders are fitted \[s\].
const FITTED: [f64; 2] = [STEP / 32.0, STEP / 8.0];
/// The longest step in one substep that points can do \[s\].
const WHOLE: f64 = 7e-4;

/// Steps of the bodies \[s\], the shortest first.
fn steps(count: u32) -> Vec<f64> {
    (0..count).rev().map(|k| STEP / f64::from(1 << k)).collect()
}

/// The longest step \[s\] of so many substeps that is within a limit, where contacts are soft.
fn longest_within(limit: &Limit) -> f64 {
    let (mut low, mut high) = (0.0, f64::from(SUBSTEPS) * limit.soft_substep());
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        let within = limit.used(middle, middle / f64::from(SUBSTEPS)) < 1.0;
        *(if within { &mut low } else { &mut high }) = middle;
    }
    low
}

/// The longest step \[s\] of so many substeps at which the iteration holds with bodies kept in place, λ δt² (1 − 2/N) − 2 μ δt < 4; infinite for one or two.
fn longest_kept(limit: &Limit) -> f64 {
    let rest = limit.stiff * (1.0 - 2.0 / f64::from(SUBSTEPS));
    if rest > 0.0 {
        (limit.rate + (limit.rate * limit.rate + 4.0 * rest).sqrt()) / rest
    } else {
        f64::INFINITY
    }
}

/// Results of all runs.
struct Study {
    /// Results of each way, by steps.
    runs: Vec<Pressed>,
    /// Printed limits of the splitting with bodies kept and bodies that move, and of the iteration with bodies kept \[s\].
    limits: [f64; 3],
    /// The transient at steps of one substep, of the splitting and iterated.
    references: [Pressed; 2],
    /// The transient with steps of more of the same substeps.
    alike: Vec<Pressed>,
    /// Iterated, the transient with steps that are one substep.
    whole: Vec<Pressed>,
    /// Steps of the bodies, and length of a run \[s\].
    steps: Vec<f64>,
    end: f64,
}

impl Study {
    fn of(&self, way: Way) -> impl Iterator<Item = &Pressed> {
        self.runs.iter().filter(move |r| r.way == way)
    }

    /// Mean force and root mean square of its distance from the pressing force, over the second half \[N\].
    fn force(&self, run: &Pressed) -> (f64, f64) {
        run.force(0.5 * self.end)
    }

    /// Steps \[s\] and errors of the way of the left panel with more of the same substeps, beside steps of one.
    fn errors(&self, way: Way) -> Vec<(f64, f64)> {
        let reference = &self.references[usize::from(way == Way::Iterated)];
        self.alike.iter().filter(|r| r.way == way).map(|r| (r.dt, apart(r, reference))).collect()
    }

    /// Steps \[s\] and how far the monolithic way of the left panel is from the iterated one, one substep each.
    fn between(&self) -> Vec<(f64, f64)> {
        let pairs = self.whole.iter().flat_map(|i| {
            self.of(Way::Monolithic).filter(|m| m.dt == i.dt).map(move |m| (i.dt, apart(m, i)))
        });
        pairs.collect()
    }
}

/// Largest distance of two ways of the left panel at the ends of intervals that both have, beside the longest of the second.
fn apart(a: &Pressed, b: &Pressed) -> f64 {
    let (a, b) = (a.ways(STEP), b.ways(STEP));
    let size = b.iter().fold(0.0, |s: f64, x| s.max(x.abs()));
    a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / size
}

/// A run from rest.
struct Run {
    way: Way,
    /// Step of the bodies \[s\].
    dt: f64,
    substeps: u32,
    /// \[s\]
    end: f64,
}

/// Runs side by side, each on a thread of its own.
fn press_all(ctx: &Context, list: &[Run]) -> Result<Vec<Pressed>, PageError> {
    side_by_side(list, rayon::current_num_threads(), |run| {
        ctx.say(format!("{}, {} × {:.1e} s in a step", run.way.name(), run.substeps, run.dt));
        press(run.way, run.dt, run.substeps, run.end)
    })
}

impl Page for CouplingIteration {
    fn id(&self) -> &'static str {
        "yu2025mpm/iteration"
    }
    fn title(&self) -> &'static str {
        "Contact force of weak, iterated and monolithic coupling against the time step"
    }
    fn lead(&self) -> &'static str {
        "Two light panels press a rubber cube, and the contact force of each coupling method is drawn against the time step."
    }
    fn cost(&self) -> [f64; 3] {
        [9.0, 12.0, 100.0]
    }
    fn alone(&self) -> bool {
        true
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let end = f64::from(ctx.sized(LONGEST)) * STEP;
        let steps = steps(ctx.sized(STEPS));
        // The shortest shows where the splitting holds; the others hold before.
        let is_shown = |dt: f64| ctx.full() || dt > steps[0];
        let every = |way: Way| {
            let own = steps.iter().filter(move |dt| way.splits() || is_shown(**dt));
            own.map(move |dt| Run { way, dt: *dt, substeps: SUBSTEPS, end })
        };
        let runs = press_all(ctx, &Way::ALL.into_iter().flat_map(every).collect::<Vec<_>>())?;
        let limit = |way: Way| {
            let run = runs.iter().find(|r| r.way == way).and_then(|r| r.limit);
            run.ok_or_else(|| PageError::Run(format!("{}: no time step was completed", way.name())))
        };
        let (kept, moving) = (limit(Way::Kept)?, limit(Way::Moving)?);
        let limits = [longest_within(&kept), longest_within(&moving), longest_kept(&kept)];
        let end_of_start = f64::from(TRANSIENT) * STEP;
        let start = |way, dt, substeps| Run { way, dt, substeps, end: end_of_start };
        let mut list = vec![start(Way::Kept, SUBSTEP, 1), start(Way::Iterated, SUBSTEP, 1)];
        for way in [Way::Kept, Way::Moving, Way::Iterated] {
            // Longer ones are for the picture alone, shorter ones beyond those whose order is fitted too.
            let shortest = if ctx.full() || way.splits() { 0.0 } else { FITTED[0] };
            let is_drawn = |dt: &f64| ctx.full() || (shortest..=FITTED[1]).contains(dt);
            let holds = |dt: &f64| !way.splits() || *dt <= limits[usize::from(way == Way::Moving)];
            let own = self::steps(STEPS[2]).into_iter().filter(|dt| is_drawn(dt) && holds(dt));
            list.extend(own.map(|dt| start(way, dt, (dt / SUBSTEP).round() as u32)));
        }
        let whole = list.len();
        list.extend(
            steps.iter().filter(|dt| **dt < WHOLE && is_shown(**dt)).map(|dt| start(Way::Iterated, *dt, 1)),
        );
        let mut rest = press_all(ctx, &list)?;
        let whole = rest.split_off(whole);
        let alike = rest.split_off(2);
        let references = rest.try_into().map_err(|_| PageError::Run("no references of errors".into()))?;
        Ok(report::output(&Study { runs, limits, references, alike, whole, steps, end }))
    }
}
