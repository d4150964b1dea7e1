use signorini_environments::{PegEnd, PegOptions, Vectorised, scripted};

use super::film::Film;
use super::scenes::short;
use signorini_report::claim::number;
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};

/// A peg in a hole: where it ends over many random starts.
pub(super) struct Fig09;

/// Key, name, settings.
fn cases() -> [(&'static str, &'static str, PegOptions); 3] {
    [
        ("easy", "clearance 5 mm", PegOptions::default()),
        ("hard", "clearance 1 mm", PegOptions::hard()),
        ("blind", "clearance 1 mm, seen 5 mm off", PegOptions { noise: 5e-3, ..PegOptions::hard() }),
    ]
}

/// Outcomes of the episodes of one case.
struct Outcome {
    inserted: usize,
    /// Steps, sum of rewards and last place of each.
    steps: Vec<u32>,
    rewards: Vec<f64>,
    ends: Vec<[f64; 3]>,
    /// Distance from the axis and height of the first few \[mm\].
    paths: Vec<Vec<(f64, f64)>>,
    least: f64,
    crossing: bool,
    unconverged: u32,
    /// The first.
    film: Film,
}

/// Paths that are drawn.
const DRAWN: usize = 6;

fn episodes(options: PegOptions, count: usize) -> Result<Outcome, PageError> {
    let failed = PageError::from_error;
    let mut pegs = Vectorised::new(count, options).map_err(failed)?;
    let seeds: Vec<u64> = (0..count as u64).collect();
    let mut at = pegs.reset(&seeds).map_err(failed)?;
    let mut film = Film::new(pegs.environments()[0].system(), pegs.environments()[0].state());
    let (mut rewards, mut paths) = (vec![0.0; count], vec![Vec::new(); DRAWN.min(count)]);
    while pegs.environments().iter().any(|e| e.ended().is_none()) {
        for (path, e) in paths.iter_mut().zip(pegs.environments()) {
            let [x, y, z] = e.position();
            path.push((1e3 * x.hypot(y), 1e3 * z));
        }
        let actions: Vec<_> = at.iter().map(|at| scripted(&options, *at)).collect();
        let steps = pegs.step(&actions).map_err(failed)?;
        film.see(pegs.environments()[0].system(), pegs.environments()[0].state());
        for ((at, sum), step) in at.iter_mut().zip(&mut rewards).zip(steps) {
            if let Some(step) = step {
                (*at, *sum) = (step.observation, *sum + step.reward);
            }
        }
    }
    let all = pegs.environments();
    Ok(Outcome {
        film,
        inserted: all.iter().filter(|e| e.ended() == Some(PegEnd::Inserted)).count(),
        steps: all.iter().map(|e| e.taken()).collect(),
        rewards,
        ends: all.iter().map(|e| e.position()).collect(),
        paths,
        least: all.iter().map(|e| e.invariants().smallest_distance).fold(f64::INFINITY, f64::min),
        crossing: all.iter().any(|e| e.invariants().crossing.is_some()),
        unconverged: all.iter().map(|e| e.unconverged()).sum(),
    })
}

fn circle(radius: f64) -> Vec<(f64, f64)> {
    (0..=72)
        .map(|k| (5.0 * f64::from(k)).to_radians())
        .map(|a| (radius * a.cos(), radius * a.sin()))
        .collect()
}

impl Page for Fig09 {
    fn id(&self) -> &'static str {
        "chen2022midas/fig09"
    }
    fn title(&self) -> &'static str {
        "Peg in hole: a scripted policy over random starts (figs. 6 to 9)"
    }
    fn lead(&self) -> &'static str {
        "A scripted gripper puts pegs into holes from random starts; the share of successes falls with the clearance."
    }
    fn cost(&self) -> [f64; 3] {
        [6.0, 6.0, 30.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        // The paper tests 200 starts.
        let count = if ctx.full() { 200 } else { 40 };
        let mut table = Table::new(
            "Episodes",
            &[
                "case",
                "inserted",
                "steps, mean",
                "reward, mean",
                "largest distance from the axis at the end [mm]",
                "smallest distance [m]",
                "overlaps",
                "unconverged solves",
            ],
        );
        let mut paths = Plot::new(
            "paths",
            "Lower end of the peg on its way in, the first starts of the easy peg and of the one that is seen 5 mm off; the hole begins at 0, the funnel at 50 mm.",
            "distance from the axis [mm]",
            "height above the hole [mm]",
        );
        let mut ends = Plot::new(
            "ends",
            "Where the axis of the peg is when it is in, clearance 1 mm. Circle: the clearance.",
            "x [mm]",
            "y [mm]",
        );
        ends.equal_scales = true;
        ends.add("clearance", Mark::Dashed, circle(1.0));
        let (mut claims, mut films) = (Vec::new(), Vec::new());
        for (n, (key, name, options)) in cases().into_iter().enumerate() {
            ctx.say(name);
            let o = episodes(options, count)?;
            films.push((o.film.attachment(&format!("peg {key}")), format!("The first start, {name}")));
            let away: Vec<f64> = o.ends.iter().map(|e| e[0].hypot(e[1])).collect();
            let furthest = away.iter().copied().fold(0.0, f64::max);
            let mean = |sum: f64| sum / count as f64;
            let (steps, reward) =
                (mean(o.steps.iter().map(|s| f64::from(*s)).sum()), mean(o.rewards.iter().sum()));
            let least = if o.least.is_finite() { number(o.least) } else { "> d̂".into() };
            table.row([
                name.into(),
                format!("{} of {count}", o.inserted),
                format!("{steps:.1}"),
                format!("{reward:.1}"),
                format!("{:.3}", 1e3 * furthest),
                least.clone(),
                if o.crossing { "yes".into() } else { "none".into() },
                o.unconverged.to_string(),
            ]);
            claims.push(
                Claim::at_least(
                    &format!("{key}/inserted"),
                    &format!("{name}: part of the episodes that end in the hole"),
                    1.0,
                    o.inserted as f64 / count as f64,
                    "",
                )
                .rule("every one within 100 steps: the policy is written for it")
                .with_substitute("a scripted policy in place of one that was learned; the paper's has above 0.9, and 0.85 with the hard peg"),
            );
            claims.push(
                Claim::at_most(
                    &format!("{key}/inside"),
                    &format!("{name}: largest distance from the axis at the end, over the clearance"),
                    if key == "blind" { 1.0 } else { 1e-2 },
                    furthest / options.clearance(),
                    "",
                )
                .rule("inside the circle, as in fig. 9; at most a hundredth of it where the policy sees the axis, which the tolerance of 1 mm/s leaves open in one step of 10 ms"),
            );
            claims.push(
                Claim::decided(
                    &format!("{key}/intact"),
                    &format!("{name}: nothing intersects, every solve converges"),
                    o.least > 0.0 && !o.crossing && o.unconverged == 0,
                )
                .values("> 0, 0".into(), format!("{least}, {}", o.unconverged), "m; solves that did not converge")
                .rule("smallest distance above zero and no overlap at the end of every step of the environment, no unconverged solve"),
            );
            if key != "easy" {
                let points = o.ends.iter().map(|e| (1e3 * e[0], 1e3 * e[1])).collect();
                ends.add(name, Mark::Points, points);
            }
            if key != "hard" {
                for (i, path) in o.paths.into_iter().enumerate() {
                    paths.add_colored(if i == 0 { name } else { "" }, Mark::Line, n, path);
                }
            }
        }
        let o = PegOptions::default();
        let mut out = PageOutput::new([
            format!(
                "A peg of radius 35 mm (39 mm: the hard one) and length 200 mm over a hole of radius 40 mm, moved by three velocity motors, as the paper states. Ours: the hole is {} mm deep under a funnel that opens to {} mm over {} mm; \
                 {} sides; starts up to {} mm off the axis in x and y, lower end {} to {} mm above the hole, drawn until nothing is within d̂; an action holds for {} ms ({} steps), speeds to {} m/s, gain {} N·s/m, at most {} N; μ = {}; d̂ an eighth \
                 of the clearance, a pair carries {} N at half of it; Newton tolerance 1 mm/s. The gantry keeps the peg upright.",
                1e3 * o.hole_depth,
                1e3 * o.funnel[0],
                1e3 * o.funnel[1],
                o.sides,
                1e3 * o.start_radius,
                1e3 * o.start_height[0],
                1e3 * o.start_height[1],
                1e3 * o.period,
                (o.period / o.dt).round(),
                o.speed,
                o.motor[0],
                o.motor[1],
                o.friction,
                short(o.motor[1])
            ),
            format!(
                "The policy goes towards the axis and down as soon as the funnel catches the peg. In the third case every number that it sees is up to 5 mm off, five times the clearance: the funnel and the hole lead the peg in, in contact. {count} starts \
                 each (200 under --full, as in the paper). Learning a policy (figs. 7 and 8) is left to the Python bindings; the environment is the crate signorini-environments."
            ),
        ]);
        out.plot(paths);
        out.plot(ends);
        out.table(table);
        out.extend(claims);
        films.into_iter().for_each(|(page, caption)| out.film(page, caption));
        Ok(out)
    }
}
