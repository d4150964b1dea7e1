use signorini_planning::Timing;

use signorini_report::claim::counted;
use signorini_report::trials::{Asked, FIRST, Ran, Tally, Trial, recorded, run, success};
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};

/// Planned with projected Gauss–Seidel over ComFree's impedance, executed with other engines and with plans that come late: success, and how far one control step of the plan model is from the plant's.
pub(super) struct Plants;

/// A task, its samples and starts in a quick run, which has none of some, whether affine bodies can be its plant, and the least success that is asked for \[%\].
struct Kind {
    name: &'static str,
    title: &'static str,
    quick: Option<(usize, u64)>,
    asked: f64,
}

/// Samples of larger runs.
const SAMPLES: usize = 32;
const KINDS: [Kind; 4] = [
    Kind { name: "cart_pole", title: "pole", quick: Some((20, 2)), asked: 100.0 },
    Kind { name: "cylinder_push", title: "cylinder", quick: Some((12, 2)), asked: 90.0 },
    Kind { name: "two_arm_ball", title: "ball", quick: None, asked: 90.0 },
    Kind { name: "hand_cube_yaw", title: "cube", quick: None, asked: 80.0 },
];

impl Kind {
    /// Samples and starts.
    fn size(&self, ctx: &Context) -> (usize, u64) {
        ctx.sized([self.quick.unwrap_or((SAMPLES, 1)), (SAMPLES, 3), (SAMPLES, 20)])
    }
}

/// Plants, and when plans can be used.
const PLANTS: [(&str, Timing, &str); 5] = [
    ("comfree", Timing::LockStep, "projected Gauss–Seidel"),
    ("icf", Timing::LockStep, "ICF"),
    ("icf", Timing::Delay(0.1), "ICF, late"),
    ("cenic", Timing::LockStep, "CENIC"),
    ("ipc", Timing::LockStep, "IPC"),
];

/// Mean position error after one control step, beside ICF under error control \[m or rad\].
const NEAR: f64 = 5e-3;

impl Page for Plants {
    fn id(&self) -> &'static str {
        "borse2026comfree/plants"
    }
    fn title(&self) -> &'static str {
        "Plans in other simulators: success and prediction error"
    }
    fn lead(&self) -> &'static str {
        "Plans that are made with one simulator drive other simulators, and the success rate and the prediction error of one control step are \
         measured."
    }
    fn cost(&self) -> [f64; 3] {
        [10.0, 25.0, 6000.0]
    }
    fn alone(&self) -> bool {
        true
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let rows = KINDS.iter().flat_map(|k| PLANTS.iter().map(move |p| (k, p)));
        let rows: Vec<_> = rows.filter(|(k, p)| k.quick.is_some() || p.0 != "ipc").collect();
        let trial = |k: &Kind, plant: &'static str, timing: Timing, seed: u64| Trial {
            plant,
            timing,
            gap: true,
            ..Trial::new(k.name, k.title, k.size(ctx).0, seed)
        };
        let tried = rows.iter().filter(|(k, _)| k.quick.is_some() || ctx.full());
        let seeds = |k: &Kind| FIRST..FIRST + k.size(ctx).1;
        let trials: Vec<Trial> =
            tried.flat_map(|(k, p)| seeds(k).map(move |seed| trial(k, p.0, p.1, seed))).collect();
        let mut out = PageOutput::new(text(ctx));
        let done = run(&trials, ctx)?;
        out.append(done.looks);
        out.plot(gaps(&done.runs));
        out.table(table("By task and plant", &done.runs));
        if let Some((title, runs)) = recorded(self, ctx)? {
            out.table(table(&title, &runs));
        }
        for (k, (plant, timing, name)) in rows {
            let runs = of(&done.runs, k, plant, *timing);
            let late = if matches!(timing, Timing::Delay(_)) { "_late" } else { "" };
            let id = format!("{}/{plant}{late}", k.title);
            let task = format!("{}, plant {name}", k.title);
            if runs.is_empty() {
                out.claim(Claim::skipped(
                    &id,
                    &format!("{task}: success rate"),
                    "it runs with the option --full",
                ));
                continue;
            }
            let count = k.size(ctx).1;
            let compared = format!("number of trials that succeed, over {}", counted(count, "seed"));
            let asked = Asked { rate: k.asked, of: "asked for by this project" };
            out.claim(success(&id, &task, &compared, &asked, &runs, count).required());
            if *plant == "cenic" {
                let near = format!(
                    "{}, plant {name}: mean prediction error of the positions after one control step",
                    k.title
                );
                out.claim(
                    Claim::at_most(&format!("{id}/gap"), &near, NEAR, gap(&runs)[0], "m or rad")
                        .required_since("Tasks end within 0.01 to 0.04 of their goal."),
                );
            }
        }
        Ok(out)
    }
}

/// The runs of a task on a plant.
fn of<'a>(runs: &'a [Ran], k: &Kind, plant: &'static str, timing: Timing) -> Vec<&'a Ran> {
    runs.iter().filter(|r| (&*r.task, &*r.plant, r.timing) == (k.name, plant, timing)).collect()
}

/// Table of the tasks and plants that have any runs.
fn table(title: &str, runs: &[Ran]) -> Table {
    let mut table = Table::new(
        &format!(
            "{title}. The prediction error is the largest difference of a position (m, rad) and of a velocity (m/s, rad/s) between planning model \
             and plant after one control step from one state. Its mean and its largest value are over all steps."
        ),
        &[
            "task",
            "plant",
            "success",
            "time of the task [s]",
            "position error, mean",
            "position error, largest",
            "velocity error, mean",
            "velocity error, largest",
            "failed runs",
        ],
    );
    for (k, (plant, timing, name)) in KINDS.iter().flat_map(|k| PLANTS.iter().map(move |p| (k, p))) {
        let own = of(runs, k, plant, *timing);
        if !own.is_empty() {
            table.row(cells(k.title, name, &own, gap(&own)));
        }
    }
    table
}

/// A point per run: how far one control step of the plan model is off.
fn gaps(runs: &[Ran]) -> Plot {
    let mut plot = Plot::new(
        "gap",
        "Prediction error of the planning model over one control step of the plant. Each point is the mean over one run, and the colours are plants. Smaller \
         points lie on larger ones where plants have equal errors. Errors of round-off (below 1e-9) are not drawn.",
        "position error [m or rad]",
        "velocity error [m/s or rad/s]",
    )
    .log(true, true);
    for (plant, timing, name) in PLANTS {
        let own = runs.iter().filter(|r| (&*r.plant, r.timing) == (plant, timing));
        let mean = own.filter_map(|r| r.gap).map(|[mean, _]| (mean[0], mean[1]));
        // A plant that is the plan model itself, with its steps, is off by round-off.
        plot.add(name, Mark::Points, mean.filter(|g| g.0 > 1e-9 && g.1 > 1e-9).collect());
    }
    plot
}

/// Positions, mean over runs and largest, and velocities.
fn gap(runs: &[&Ran]) -> [f64; 4] {
    let all: Vec<[[f64; 2]; 2]> = runs.iter().filter_map(|r| r.gap).collect();
    let mean = |i: usize| all.iter().map(|g| g[0][i]).sum::<f64>() / all.len() as f64;
    let most = |i: usize| all.iter().map(|g| g[1][i]).fold(0.0, f64::max);
    [mean(0), most(0), mean(1), most(1)]
}

fn cells(task: &str, plant: &str, runs: &[&Ran], gap: [f64; 4]) -> Vec<String> {
    let tally = Tally::of(runs);
    let Tally { runs, good, ref failed, .. } = tally;
    let gap = gap.map(|x| format!("{x:.1e}"));
    let first = [task.into(), plant.into(), format!("{good} of {runs}"), tally.time_cell()];
    [&first[..], &gap, std::slice::from_ref(failed)].concat()
}

fn text(ctx: &Context) -> Vec<String> {
    let starts = KINDS.iter().filter(|k| k.quick.is_some() || ctx.full()).map(|k| {
        let (samples, count) = k.size(ctx);
        format!("{} ({}, {samples} samples)", k.title, counted(count, "start"))
    });
    let starts: Vec<String> = starts.collect();
    vec![
        "Plans are made with one simulation model, the planning model. It is projected Gauss–Seidel over ComFree's impedance with fixed steps. The \
         plans drive several other simulation models, the plants.".to_owned(),
        "The plants are: the planning model itself with the time step of the plant (projected Gauss–Seidel), ICF with fixed steps (ICF), ICF with fixed steps \
         and plans that are used 0.1 s after the state from which they were made (ICF, late), ICF under error control with an accuracy of 10⁻⁴ \
         (`cenic`), and affine bodies that never intersect (`ipc`).".to_owned(),
        "The plant IPC executes the cart-pole and the cylinder alone. Its bodies may not touch at the start and its actuators have no state, so \
         that it cannot execute a robot's grip.".to_owned(),
        format!("The tasks are: {}. Starts are drawn from seed {FIRST} on. The rules of the tasks decide on success. At every state of the \
            plant, its control step is repeated on the planning model, and the difference is the prediction error (`PredictionGap`).",
            starts.join(", ")),
    ]
}
