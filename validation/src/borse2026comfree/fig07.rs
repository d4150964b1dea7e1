use std::time::Instant;

use signorini_core::{ContactSolver, Slot, State, StepSolution, System, Tolerance};
use signorini_laws::DualCone;

use super::scenes::{arrays, spheres};
use crate::random::Random;
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};
use signorini_run::Method;

/// Fig. 7: time of a step against the number of contacts.
pub(super) struct Fig07;

const STEP: f64 = 2e-3;
/// Repetitions of the quick form, of which each step counts with the least time: other work on the processor only adds.
const REPEATS: u32 = 4;
/// Worlds start higher by up to this \[m\], so that their contacts do not come all at once.
const LIFT: f64 = 0.2;
/// Largest growth of the time per contact from 10³ to 10⁵ contacts.
const GROWTH: f64 = 2.5;

fn failed(e: impl std::fmt::Display) -> PageError {
    PageError::from_error(e)
}

/// (contacts of all worlds, least time of a step of all worlds \[s\]) for every step of worlds that differ by noise in their velocities, the same in each repetition.
fn worlds(method: &Method, count: usize, steps: usize, repeats: u32) -> Result<Vec<(f64, f64)>, PageError> {
    let mut least = run_worlds(method, count, steps)?;
    for _ in 1..repeats {
        let again = run_worlds(method, count, steps)?;
        for (a, b) in least.iter_mut().zip(again) {
            if a.0 != b.0 {
                return Err(PageError::Run(format!("a repetition has {} contacts instead of {}", b.0, a.0)));
            }
            a.1 = a.1.min(b.1);
        }
    }
    Ok(least)
}

fn run_worlds(method: &Method, count: usize, steps: usize) -> Result<Vec<(f64, f64)>, PageError> {
    let mut sys = method.system(&arrays()?).map_err(failed)?;
    let mut random = Random::new(1);
    let mut states = Vec::new();
    for _ in 0..count {
        let mut x = sys.initial_state(None).map_err(failed)?;
        x.v.iter_mut().for_each(|v| *v += 1e-3 * random.normal());
        let lift = LIFT * random.uniform();
        x.q.chunks_exact_mut(7).for_each(|pose| pose[2] += lift);
        states.push(x);
    }
    let mut scheme = method.single_step();
    let mut out = Vec::new();
    let mut next = State::default();
    for _ in 0..steps {
        let (started, mut contacts) = (Instant::now(), 0);
        for x in &mut states {
            let r = scheme.step(&mut sys, x, STEP, false, &mut next).map_err(failed)?;
            contacts += r.contacts;
            x.copy_from(&next);
        }
        out.push((f64::from(contacts), started.elapsed().as_secs_f64()));
    }
    Ok(out)
}

/// (laws, rows and evaluation; geometry and dynamics) per contact \[s\] for n spheres at rest on a plane, the best of some repetitions.
fn phases(n: usize) -> Result<[f64; 2], PageError> {
    let method = Method::comfree_with(DualCone::default(), 1).with_step(STEP);
    let mut sys = method.system(&spheres(n)?).map_err(failed)?;
    let x = sys.initial_state(None).map_err(failed)?;
    let mut solver = method.contact_solver().ok_or_else(|| failed("no solver"))?;
    let mut out = StepSolution::default();
    let mut best = [f64::INFINITY; 2];
    for _ in 0..5 {
        let started = Instant::now();
        sys.prepare(Slot::Start, &x, STEP).map_err(failed)?;
        let prepared = started.elapsed().as_secs_f64();
        let started = Instant::now();
        let p = sys.problem(Slot::Start, STEP).map_err(failed)?;
        let found = p.contacts().len();
        solver.solve(p, &x.v, Tolerance::default(), &mut out).map_err(failed)?;
        let solved = started.elapsed().as_secs_f64();
        if found != n {
            return Err(PageError::Run(format!("{found} contacts instead of {n}")));
        }
        best = [best[0].min(solved / n as f64), best[1].min(prepared / n as f64)];
    }
    Ok(best)
}

/// Mean time per step of the steps whose contacts lie in each of some equal ranges.
fn binned(points: &[(f64, f64)], bins: usize) -> Vec<(f64, f64)> {
    let most = points.iter().map(|p| p.0).fold(1.0, f64::max);
    let of = |i: usize| {
        let inside = |p: &&(f64, f64)| ((p.0 / most * bins as f64) as usize).min(bins - 1) == i;
        let found: Vec<_> = points.iter().filter(inside).collect();
        let n = found.len() as f64;
        let mean = |f: fn(&(f64, f64)) -> f64| found.iter().map(|p| f(p)).sum::<f64>() / n;
        (n > 0.0).then(|| (mean(|p| p.0), mean(|p| p.1)))
    };
    (0..bins).filter_map(of).collect()
}

impl Page for Fig07 {
    fn id(&self) -> &'static str {
        "borse2026comfree/fig07"
    }
    fn title(&self) -> &'static str {
        "Time of a step against the number of contacts"
    }
    fn lead(&self) -> &'static str {
        "The time of a step against the number of contacts, on logarithmic axes."
    }
    fn cost(&self) -> [f64; 3] {
        [8.0, 8.0, 90.0]
    }
    fn alone(&self) -> bool {
        true
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let (count, steps, repeats) = if ctx.full() { (512, 750, 2) } else { (32, 150, REPEATS) };
        let mut plot = Plot::new(
            "worlds",
            "Worlds with three 2 × 2 arrays, one thread: time of a step of all worlds, the least of the repetitions.",
            "contacts of all worlds",
            "time [ms]",
        );
        let paper_mode = Method::comfree_paper(0.1, 0.001).with_step(STEP);
        let methods = [
            ("comfree, paper mode", paper_mode),
            ("comfree, 1 evaluation", Method::comfree_sweeping(1).with_step(STEP)),
            ("comfree, default mode", Method::comfree().with_step(STEP)),
            ("icf", Method::icf().with_step(STEP)),
        ];
        for (name, method) in methods {
            ctx.say(format!("{count} worlds, {name}"));
            let points = worlds(&method, count, steps, repeats)?;
            let points = binned(&points, 12).into_iter().map(|p| (p.0, 1e3 * p.1)).collect();
            plot.add(name, Mark::LinePoints, points);
        }
        let mut growth = Plot::new(
            "growth",
            "Spheres at rest on a plane, one contact each: time per contact.",
            "contacts",
            "time per contact [ns]",
        )
        .log(true, true);
        let mut table = Table::new(
            "Time per contact, spheres at rest on a plane",
            &["contacts", "laws, evaluation, response [ns]", "kinematics, collision, rows [ns]"],
        );
        let (mut contact, mut rest) = (Vec::new(), Vec::new());
        for n in [1_000, 10_000, 100_000] {
            ctx.say(format!("{n} spheres"));
            let [a, b] = phases(n)?.map(|t| 1e9 * t);
            table.row([n.to_string(), format!("{a:.0}"), format!("{b:.0}")]);
            contact.push((n as f64, a));
            rest.push((n as f64, b));
        }
        let last = contact[contact.len() - 1].1 / contact[0].1;
        let claim = if ctx.full() {
            let text = "contact phase: time per contact at 1e5 contacts over that at 1e3";
            Claim::at_most("growth", text, GROWTH, last, "").required()
        } else {
            Claim::skipped(
                "growth",
                "time per contact at 1e5 contacts over that at 1e3",
                &format!("judged under --full on a quiet machine; here {last:.2}"),
            )
        };
        growth.add("laws, evaluation, response", Mark::LinePoints, contact);
        growth.add("kinematics, collision, rows", Mark::LinePoints, rest);
        let mut out = PageOutput::new([format!(
            "Three 2 × 2 arrays of cubes, capsules and spheres that fall by a centimetre; {count} worlds that start up to 20 cm higher, with noise of 1e-3 on their velocities, {steps} steps of 2 ms, {repeats} times, of which each step counts with the least time. The paper \
             steps 512 worlds on a device; here one thread of this processor. MuJoCo beside it: benches/peers/throughput.py."
        )]);
        out.heading("Many worlds");
        out.plot(plot);
        out.heading("Many contacts in one world");
        out.plot(growth);
        out.table(table);
        out.claim(claim);
        Ok(out)
    }
}
