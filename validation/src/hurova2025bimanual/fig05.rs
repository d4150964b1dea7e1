use signorini_core::na::Point3;

use super::CAMERA;
use signorini_report::claim::counted;
use signorini_report::trials::{
    Asked, COLUMNS, FIRST, PlanModel, Ran, Tally, Trial, recorded, recorded_success, run, success,
};
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};
use signorini_run::snapshot::Camera;

/// Fig. 5: success, time of the task and time of planning, by batch size; and pictures of one run of each, as in fig. 4.
pub(super) struct Fig05;

/// From the side of the table that the high wall of the tray does not hide.
const BEHIND: Camera = Camera { eye: Point3::new(-0.25, 2.4, 1.5), ..CAMERA };

/// A task of the paper.
struct Kind {
    name: &'static str,
    title: &'static str,
    /// From where pictures are taken.
    camera: Camera,
    /// Whether the published sampler is tried on it.
    sampler: bool,
    /// Success \[%\], time of the task \[s\] and of a plan \[ms\] at [`PUBLISHED`] batch sizes; nothing where the paper has none.
    published: Option<[[f64; 7]; 3]>,
}

/// Batch sizes of the paper. Success as the authors print it, times read from their figure, to one unit.
const PUBLISHED: [f64; 7] = [250.0, 500.0, 750.0, 1000.0, 1250.0, 1500.0, 1750.0];
const KINDS: [Kind; 4] = [
    Kind {
        name: "two_arm_ball",
        title: "ball",
        camera: CAMERA,
        sampler: true,
        published: Some([
            [25.0, 65.0, 70.0, 85.0, 100.0, 95.0, 100.0],
            [38.0, 26.0, 21.0, 18.0, 18.0, 17.0, 17.0],
            [27.0, 37.0, 42.0, 52.0, 59.0, 68.0, 77.0],
        ]),
    },
    Kind {
        name: "two_arm_tray",
        title: "tray",
        camera: BEHIND,
        sampler: true,
        published: Some([
            [85.0, 95.0, 70.0, 75.0, 90.0, 90.0, 90.0],
            [39.0, 26.0, 24.0, 15.0, 16.0, 16.0, 14.0],
            [28.0, 38.0, 44.0, 51.0, 59.0, 67.0, 77.0],
        ]),
    },
    Kind {
        name: "two_arm_handover",
        title: "handover",
        camera: CAMERA,
        sampler: false,
        published: Some([
            [80.0, 90.0, 70.0, 75.0, 85.0, 85.0, 95.0],
            [94.0, 88.0, 91.0, 87.0, 90.0, 87.0, 85.0],
            [27.0, 33.0, 39.0, 44.0, 50.0, 52.0, 57.0],
        ]),
    },
    Kind {
        name: "two_arm_ball_wall",
        title: "ball over a wall",
        camera: CAMERA,
        sampler: false,
        published: None,
    },
];

/// Samples of a plan: those of a quick run, which has the first task alone, of a standard and of a full one, and those on which remaining time is spent.
const QUICK: [usize; 1] = [16];
const STANDARD: [usize; 1] = [32];
const FULL: [usize; 3] = [32, 64, 128];
const LARGER: [usize; 3] = [250, 500, 1000];
/// Samples and runs of the published sampler, in a full run.
const SAMPLER: (usize, u64) = (128, 5);
/// Runs for each: quick, standard and full.
const RUNS: [u64; 3] = [2, 3, 20];

/// Runs of a task with so many samples.
struct Group<'a> {
    kind: &'a Kind,
    model: PlanModel,
    samples: usize,
    runs: Vec<&'a Ran>,
    tally: Tally,
}

fn groups(runs: &[Ran]) -> Vec<Group<'_>> {
    let mut out = Vec::new();
    for kind in &KINDS {
        let sizes = [&QUICK[..], &FULL, &LARGER].concat();
        let models = [PlanModel::ComFree, PlanModel::Published];
        for (model, samples) in models.into_iter().flat_map(|m| sizes.iter().map(move |s| (m, *s))) {
            let of = |r: &&Ran| (&*r.task, r.samples, r.model) == (kind.name, samples, model);
            let runs: Vec<&Ran> = runs.iter().filter(of).collect();
            if !runs.is_empty() {
                let tally = Tally::of(&runs);
                out.push(Group { kind, model, samples, runs, tally });
            }
        }
    }
    out
}

fn plots(groups: &[Group<'_>]) -> Vec<Plot> {
    let figure = |name: &str, caption: &str, label: &str| {
        Plot::new(name, caption, "number of samples [–]", label).log(true, name == "planning")
    };
    let mut out = vec![
        figure(
            "success",
            "Success rate against the number of samples, with the Wilson interval at 95 %. Open squares are the success rates of the paper (20 runs each), and dashed lines join them.",
            "success rate [%]",
        ),
        figure(
            "time",
            "Mean task time of successful runs against the number of samples. Open squares are the paper's times, read from its figure, and dashed lines join them.",
            "task time [s]",
        ),
        figure(
            "planning",
            "Mean planning time per plan on this machine against the number of samples. Open squares are the paper's times on a graphics processor, read from its figure, and dashed lines join them.",
            "planning time per plan [ms]",
        ),
    ];
    for (color, kind) in KINDS.iter().enumerate() {
        let of = |g: &&Group<'_>| g.kind.name == kind.name && g.model == PlanModel::ComFree;
        let own: Vec<&Group<'_>> = groups.iter().filter(of).collect();
        let values: [&dyn Fn(&Group<'_>) -> f64; 3] =
            [&|g| 100.0 * (g.tally.good as f64 / g.tally.runs as f64), &|g| g.tally.time, &|g| {
                1e3 * g.tally.planning
            }];
        for (i, (plot, value)) in out.iter_mut().zip(values).enumerate() {
            let points = own.iter().map(|g| (g.samples as f64, value(g)));
            let points: Vec<_> = points.filter(|p| p.1.is_finite()).collect();
            let ran = !points.is_empty();
            plot.add_colored(kind.title, Mark::LinePoints, color, points);
            // Numbers of the paper stand beside ours.
            if let Some(published) = kind.published.filter(|_| ran) {
                let points: Vec<_> = PUBLISHED.into_iter().zip(published[i]).collect();
                plot.add_colored("", Mark::Dashed, color, points.clone());
                plot.add_paper("", points);
            }
        }
        for g in own {
            let interval = g.tally.likely.map(|p| (g.samples as f64, p));
            out[0].add_colored("", Mark::Line, color, interval.to_vec());
        }
    }
    out[0].y_range = Some([0.0, 101.0]);
    out
}

fn table(title: &str, groups: &[Group<'_>]) -> Table {
    let mut t = Table::new(title, &[&["task", "sampler", "samples"][..], &COLUMNS].concat());
    for g in groups {
        let sampler = if g.model == PlanModel::Published { "published" } else { "ours" };
        let first = [g.kind.title.to_owned(), sampler.to_owned(), g.samples.to_string()];
        t.row([&first[..], &g.tally.cells()].concat());
    }
    t
}

/// Least and largest of published numbers.
fn ends(values: [f64; 7]) -> [f64; 2] {
    [f64::min, f64::max].map(|pick| values.into_iter().reduce(pick).unwrap_or(f64::NAN))
}

/// The middle of the published successes.
fn median(mut values: [f64; 7]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[3]
}

fn claims(groups: &[Group<'_>], most: usize, runs: u64) -> Vec<Claim> {
    let mut out = Vec::new();
    for kind in &KINDS {
        let id = kind.name.trim_start_matches("two_arm_");
        let over = format!(
            "number of trials that succeed, over {} with the largest number of samples of this size",
            counted(runs, "seed")
        );
        let asked = kind.published.map_or(90.0, |p| median(p[0]));
        let (claim, whose) = match kind.published {
            Some(_) => (
                format!("{over}, compared with the median of the paper over batch sizes of 250 to 1750"),
                "the median of the paper",
            ),
            None => (over, "asked for by this project: the paper has no such task"),
        };
        let of = |g: &&Group<'_>| (g.kind.name, g.samples, g.model) == (kind.name, most, PlanModel::ComFree);
        let own = groups.iter().find(of);
        out.push(match own {
            Some(g) => {
                let made = success(id, kind.title, &claim, &Asked { rate: asked, of: whose }, &g.runs, runs);
                let made = if kind.published.is_some() { made } else { made.required() };
                let [least, most] = kind.published.map_or([0.0; 2], |p| ends(p[0]));
                if most > 0.0 {
                    made.published(&format!("{asked} % (median of {least} to {most} %)"))
                } else {
                    made
                }
            }
            None => Claim::skipped(
                id,
                &format!("{}: {claim}", kind.title),
                "This task runs only with --standard and --full.",
            ),
        });
        if let (Some(g), Some(published)) = (own, kind.published) {
            let [least, most] = ends(published[1]);
            let text = format!("{}: mean time of the task over the successful seeds", kind.title);
            let time = Claim::at_most(&format!("{id}/time"), &text, most, g.tally.time, "s");
            out.push(
                time.rule("at most the longest time of the paper over its batch sizes")
                    .published(&format!("{least} to {most} s, read from the figure")),
            );
        }
    }
    out
}

impl Page for Fig05 {
    fn id(&self) -> &'static str {
        "hurova2025bimanual/fig05"
    }
    fn title(&self) -> &'static str {
        "Success rate and computing time of two-arm manipulation against batch size"
    }
    fn lead(&self) -> &'static str {
        "Two arms carry a ball. Success rate and times are drawn against the number of samples. Larger sizes of this page also carry a tray, pass a wall and hand over a cube."
    }
    fn cost(&self) -> [f64; 3] {
        [12.0, 480.0, 20000.0]
    }
    fn alone(&self) -> bool {
        true
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let full = ctx.full();
        let (sizes, count) = (ctx.sized([&QUICK[..], &STANDARD, &FULL]), ctx.sized(RUNS));
        let kinds = ctx.sized([&KINDS[..1], &KINDS, &KINDS]);
        // Larger ones as long as there is time, which wants an end.
        let larger = if full && ctx.kept.until.is_some() { &LARGER[..] } else { &[] };
        let trial = |k: &Kind, samples: usize, seed: u64, model: PlanModel| Trial {
            model,
            camera: (samples == sizes[0] && seed == FIRST).then_some(k.camera),
            ..Trial::new(k.name, k.title, samples, seed)
        };
        let ours = |sizes: &'static [usize]| {
            let each = sizes.iter().flat_map(|n| (FIRST..FIRST + count).map(move |seed| (*n, seed)));
            each.flat_map(move |(n, seed)| kinds.iter().map(move |k| trial(k, n, seed, PlanModel::ComFree)))
        };
        let mut trials: Vec<Trial> = ours(sizes).collect();
        if full {
            let kinds = KINDS.iter().filter(|k| k.sampler);
            let each = kinds.flat_map(|k| (FIRST..FIRST + SAMPLER.1).map(move |seed| (k, seed)));
            trials.extend(each.map(|(k, seed)| trial(k, SAMPLER.0, seed, PlanModel::Published)));
        }
        trials.extend(ours(larger));
        let done = run(&trials, ctx)?;
        let groups = groups(&done.runs);
        let mut out = PageOutput::new(text(count));
        out.heading("Results by batch size");
        out.extend(plots(&groups));
        out.table(table(
            "Results by task and batch size. Task times are means over the successful runs.",
            &groups,
        ));
        if let Some((title, runs)) = recorded(self, ctx)? {
            let groups = self::groups(&runs);
            for mut plot in plots(&groups) {
                plot.name = format!("recorded_{}", plot.name);
                plot.caption = format!("{title}. {}", plot.caption);
                out.plot(plot);
            }
            out.table(table(&title, &groups));
            let best = groups.iter().filter(|g| g.model == PlanModel::ComFree);
            out.recorded = best.max_by_key(|g| (g.kind.name == KINDS[0].name, g.samples)).and_then(|g| {
                let published = format!("{} % (median)", median(g.kind.published?[0]));
                recorded_success(g.kind.title, &published, &g.runs)
            });
        }
        out.extend(claims(&groups, sizes[sizes.len() - 1], count));
        out.heading("One run of each task");
        out.append(done.looks);
        Ok(out)
    }
}

fn text(count: u64) -> Vec<String> {
    vec![
        "Two six-axis arms stand on a table (models/two_arms). They have the lengths, masses and torque limits of the UR5e. \
         In the carrying tasks the arms lift an object between their palms, carry it to a target and hold it there for 0.2 s. \
         The ball has a radius of 0.11 m and a mass of 0.05 kg. The tray has a mass of 0.5 kg and upright ends. \
         The ball target lies within 0.05 m of a middle position in each direction, with or without a wall of 0.22 m in between. \
         The ball must reach it to within 0.04 m. \
         The tray must pass over a wall of 0.14 m and stop before a wall of 0.5 m. It is rotated by 0, 45 or 90° and must reach the target to within 0.02 m \
         and 0.05 rad."
            .to_owned(),
        "In the handover task the arms have grippers. One arm takes a cube of 0.06 m and 0.5 kg from the table and hands it to the other arm among three \
         spheres. The other arm brings it to within 0.02 m of a target. \
         The cube of the paper has 0.03 m and is not held by contact."
            .to_owned(),
        format!(
            "Each task has {} with seeds from {FIRST} on. The weights were chosen on other seeds. \
             Two rules were found on these seeds: a squeeze is opened again after 3 s, and the arms move around the ends of the tray. \
             The rules of the tasks decide success and failure (`TwoArmCarry::rule`, `TwoArmHandover::rule`). \
             A contact force between any two bodies in any simulation step of 2 ms is a failure, including self-contact of an arm. \
             Allowed contacts are the object with palms, grippers and its support, and a finger with its thumb. \
             Neighbouring links, and base and shoulder, cannot touch. A run without success for 60 s (handover: 120 s) is also a failure.",
            counted(count, "run")
        ),
        "The plans use projected Gauss–Seidel with ComFree's impedance and time steps of 5 ms. The simulation of the robot uses ICF with time steps of 2 ms \
         and waits for each plan. \
         A plan covers 1 s in steps of 0.1 s and takes two iterations. Each control step has one plan. The published sampler takes one iteration and 1.5 s \
         for the ball. Servos with limited torques drive the joints, and only contact holds the object."
            .to_owned(),
        "The paper writes joint velocities into the state at 0.1 s without substeps. It places the tray and the cube between the hands without contact. \
         Its plans take one iteration of a batch on a graphics processor."
            .to_owned(),
        format!(
            "The sampler has a noise shape for each stage of the task, weights samples by standard deviations of their costs and executes the mean \
             (`TwoArmMotion`). With --full the page also runs the sampler that the paper describes: an elite of 5 %, a full covariance and execution of the \
             best sample (`TwoArmCarry::published_planner`). \
             It runs with {} samples and {} seeds. It uses the costs and the projection of this project, an initial covariance of 0.5² instead of 10, and \
             elites of 6 samples. The paper has elites of 12 and more samples. Failures of this sampler are therefore failures of this setup.",
            SAMPLER.0, SAMPLER.1
        ),
    ]
}
