use cpu_time::ThreadTime;
use signorini_core::{ContactSolver, Slot, State, StepSolution, System, Tolerance};
use signorini_laws::DualCone;

use super::scenes::{arrays_text, spheres};
use crate::mujoco_worlds::MujocoWorlds;
use crate::random::Random;
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};
use signorini_run::{MassScale, Method};
use signorini_scene::{LoadOptions, Scene};

/// Fig. 7: time of a step against the number of contacts.
pub(super) struct Fig07;

const STEP: f64 = 2e-3;
/// Repetitions of the quick form, of which each step counts with the least time: other work on the processor only adds.
const REPEATS: u32 = 3;
/// Worlds start higher by up to this \[m\], so that their contacts do not come all at once.
const LIFT: f64 = 0.2;
/// Numbers of contacts in one world: quick and full.
const CONTACTS: [&[usize]; 2] = [&[1_000, 3_000, 10_000, 30_000], &[1_000, 10_000, 100_000]];
/// Largest exponent of the time over the contacts: 1 is linear; 0.2 allows for contacts that fill one cache after the other, 1.6 times the time per contact from one power of ten to the next.
const EXPONENT: f64 = 1.2;
/// Ratio of the times of MJWarp and ComFree in the paper.
const FASTER: f64 = 3.0;

fn failed(e: impl std::fmt::Display) -> PageError {
    PageError::from_error(e)
}

/// (contacts of all worlds, least time of a step of all worlds \[s\]) for every step, the same contacts in each repetition.
fn least(
    repeats: u32,
    mut run: impl FnMut() -> Result<Vec<(f64, f64)>, PageError>,
) -> Result<Vec<(f64, f64)>, PageError> {
    let mut least = run()?;
    for _ in 1..repeats {
        let again = run()?;
        for (a, b) in least.iter_mut().zip(again) {
            if a.0 != b.0 {
                return Err(PageError::Run(format!("a repetition has {} contacts instead of {}", b.0, a.0)));
            }
            a.1 = a.1.min(b.1);
        }
    }
    Ok(least)
}

/// Worlds that differ by their height and by noise in their velocities.
fn starts(scene: &Scene, count: usize) -> Result<Vec<State>, PageError> {
    let mut sys = Method::icf().system(scene).map_err(failed)?;
    let mut random = Random::new(1);
    let mut states = Vec::new();
    for _ in 0..count {
        let mut x = sys.initial_state(None).map_err(failed)?;
        x.v.iter_mut().for_each(|v| *v += 1e-3 * random.normal());
        let lift = LIFT * random.uniform();
        x.q.chunks_exact_mut(7).for_each(|pose| pose[2] += lift);
        states.push(x);
    }
    Ok(states)
}

fn worlds(
    scene: &Scene,
    method: &Method,
    starts: &[State],
    steps: usize,
) -> Result<Vec<(f64, f64)>, PageError> {
    let mut sys = method.system(scene).map_err(failed)?;
    let mut states = Vec::new();
    for start in starts {
        // With the memory of contacts that the method has.
        let mut x = sys.initial_state(None).map_err(failed)?;
        (x.q, x.v) = (start.q.clone(), start.v.clone());
        states.push(x);
    }
    let mut scheme = method.single_step();
    let mut out = Vec::new();
    let mut next = State::default();
    for _ in 0..steps {
        let (started, mut contacts) = (ThreadTime::now(), 0);
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
        let started = ThreadTime::now();
        sys.prepare(Slot::Start, &x, STEP).map_err(failed)?;
        let prepared = started.elapsed().as_secs_f64();
        let started = ThreadTime::now();
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

/// Value of a curve at x, between its points; none outside.
fn interpolated(points: &[(f64, f64)], x: f64) -> Option<f64> {
    let inside = |p: &&[(f64, f64)]| (p[0].0..=p[1].0).contains(&x);
    points.windows(2).find(inside).map(|p| p[0].1 + (p[1].1 - p[0].1) * (x - p[0].0) / (p[1].0 - p[0].0))
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
        "Computing time of a step over the number of contacts"
    }
    fn lead(&self) -> &'static str {
        "The computing time of a step is measured against the number of contacts, for many contacts in one world and for many worlds."
    }
    fn cost(&self) -> [f64; 3] {
        [2.2, 2.2, 90.0]
    }
    fn alone(&self) -> bool {
        true
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let size = usize::from(ctx.full());
        let (count, steps, repeats) = [(16, 150, REPEATS), (512, 750, 2)][size];
        let mut out = PageOutput::new([
            "In the first part one world has many spheres at rest on a plane. The growth of the time of a step is fitted by a power of the number \
                of contacts. The second part has many worlds.".to_owned(),
            format!("A world of the second part has three 2 × 2 arrays of cubes, capsules and spheres that fall by a centimetre. There are {count} worlds. They start \
                up to 20 cm higher, with noise of 1e-3 on their velocities, so that their contacts do not begin at one time."),
            format!("Each world takes {steps} steps of 2 ms. A run is repeated {repeats} times, and each step counts with its least processor time."),
            "The paper steps 512 worlds on a GPU. A step of MJWarp takes about three times as long as a step of ComFree there. Here one thread of this processor steps the worlds. MuJoCo runs for comparison where it is \
                installed.".to_owned(),
            "The methods are ComFree (mean mass), ComFree with one evaluation of the law of this project, projected Gauss–Seidel sweeps, and the \
                implicit method ICF. The number of contacts of the falling bodies first grows with their impacts, and the time of a step of an \
                iterative method depends on the impacts as well.".to_owned(),
        ]);
        out.heading("Many contacts in one world");
        many_contacts(ctx, CONTACTS[size], &mut out)?;
        out.heading("Many worlds");
        many_worlds(ctx, [count, steps], repeats, &mut out)?;
        Ok(out)
    }
}

fn many_worlds(
    ctx: &Context,
    [count, steps]: [usize; 2],
    repeats: u32,
    out: &mut PageOutput,
) -> Result<(), PageError> {
    let mut plot = Plot::new(
        "worlds",
        "Time of a step of all worlds on one thread, over the number of contacts of all worlds. Each step counts with the least time of the \
            repetitions.",
        "contacts of all worlds [–]",
        "time of a step [ms]",
    );
    let methods = [
        (
            "ComFree, one evaluation as published (mean mass)",
            Method::comfree_paper(0.1, 0.001, MassScale::Mean),
        ),
        ("ComFree, one evaluation of this project's law", Method::comfree_sweeping(1)),
        ("projected Gauss–Seidel", Method::comfree()),
        ("ICF", Method::icf()),
    ];
    let drawn = |points: Vec<(f64, f64)>| -> Vec<(f64, f64)> {
        binned(&points, 12).into_iter().map(|p| (p.0, 1e3 * p.1)).collect()
    };
    let mut published = Vec::new();
    let text = arrays_text();
    let scene = Scene::from_mjcf(&text, "arrays.xml", &LoadOptions::default()).map_err(failed)?;
    let starts = starts(&scene, count)?;
    for (name, method) in methods {
        ctx.say(format!("{count} worlds, {name}"));
        let method = method.with_step(STEP);
        let points = drawn(least(repeats, || worlds(&scene, &method, &starts, steps))?);
        if published.is_empty() {
            published.clone_from(&points);
        }
        plot.add(name, Mark::LinePoints, points);
    }
    let file = std::env::temp_dir().join(format!("signorini-fig07-{}.xml", std::process::id()));
    std::fs::write(&file, text)
        .map_err(|source| PageError::Io { path: file.display().to_string(), source })?;
    let beside = MujocoWorlds::start(&ctx.root, &file, 1);
    let _ = std::fs::remove_file(&file);
    let text = "time of a step in MuJoCo over that of ComFree (mean mass) at as many contacts, mean over the numbers of contacts";
    let claim = match beside {
        Ok(mut beside) => {
            let states: Vec<f64> = starts.iter().flat_map(|x| x.q.iter().chain(&x.v)).copied().collect();
            let theirs = least(repeats, || beside.count(&states, STEP, steps).map_err(failed))?;
            let theirs = drawn(theirs);
            let ratios = theirs.iter().filter_map(|p| Some(p.1 / interpolated(&published, p.0)?));
            let (sum, n) = ratios.fold((0.0, 0.0), |(sum, n), r| (sum + r, n + 1.0));
            plot.add(&format!("MuJoCo {}", beside.version()), Mark::LinePoints, theirs);
            Claim::at_least("beside_mujoco", text, FASTER, sum / n, "")
                .rule("at least 3, as in the paper")
                .published("about 3 (MJWarp on a graphics processor)")
                .because("The paper compares programs of a graphics processor. Here both run on the processor, whose other work enters the times.")
                .timed()
        }
        Err(why) => Claim::skipped("beside_mujoco", text, &why),
    };
    out.plot(plot);
    out.claim(claim);
    Ok(())
}

/// Exponent of a power law through points, by least squares of logarithms.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(&|p| p.0.ln()), mean(&|p| p.1.ln()));
    mean(&|p| (p.0.ln() - x) * (p.1.ln() - y)) / mean(&|p| (p.0.ln() - x).powi(2))
}

fn many_contacts(ctx: &Context, sizes: &[usize], out: &mut PageOutput) -> Result<(), PageError> {
    let mut plot = Plot::new(
        "growth",
        "Time of a step with one evaluation, for spheres at rest on a plane with one contact each. The dashed line grows in proportion to the \
            number of contacts from the first point on.",
        "contacts [–]",
        "time of a step [ms]",
    )
    .log(true, true);
    let mut table = Table::new(
        "Time per contact for spheres at rest on a plane",
        &[
            "contacts",
            "contact laws, evaluation, response [ns]",
            "kinematics, collision detection, Jacobian rows [ns]",
        ],
    );
    let (mut contact, mut rest) = (Vec::new(), Vec::new());
    for &n in sizes {
        ctx.say(format!("{n} spheres"));
        let [a, b] = phases(n)?;
        table.row([n.to_string(), format!("{:.0}", 1e9 * a), format!("{:.0}", 1e9 * b)]);
        let all = n as f64;
        contact.push((all, 1e3 * a * all));
        rest.push((all, 1e3 * b * all));
    }
    let text = "spheres at rest in one world, one evaluation: exponent p of the computing time of the contact phase, which grows as (number of contacts)^p";
    let claim = Claim::at_most("exponent", text, EXPONENT, exponent(&contact), "")
        .required_since("It is 1 in the paper, and contacts fill one cache after the other here.")
        .published("1 (linear)")
        .timed();
    let ends = [contact[0], contact[contact.len() - 1]];
    plot.add("laws, evaluation, response", Mark::LinePoints, contact);
    plot.add("kinematics, collision, rows", Mark::LinePoints, rest);
    plot.add(
        "proportional to the number",
        Mark::Dashed,
        ends.iter().map(|e| (e.0, ends[0].1 * e.0 / ends[0].0)).collect(),
    );
    out.plot(plot);
    out.table(table);
    out.claim(claim);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn analytic_exponent_of_a_power_law() {
        let points: Vec<(f64, f64)> = [1.0, 3.0, 10.0, 70.0].map(|x: f64| (x, 4.0 * x.powf(1.3))).into();
        assert!((exponent(&points) - 1.3).abs() < 1e-12);
    }
}
