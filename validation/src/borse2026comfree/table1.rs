use std::path::Path;

use signorini_core::BatchStepper;
use signorini_core::na::Point3;
use signorini_planning::Timing;
use signorini_scene::Scene;

use super::{MODELS, plan_model};
use crate::mujoco_worlds::{MujocoBatch, MujocoWorlds};
use signorini_report::claim::counted;
use signorini_report::trials::{
    Asked, COLUMNS, FIRST, PUBLISHED_HAND, PlanModel, Ran, Tally, Trial, Trials, difference, recorded,
    recorded_success, run_with, success,
};
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};
use signorini_run::snapshot::Camera;

/// Table I: a hand turns four objects about the vertical and about level axes; simulation to simulation.
pub(super) struct Table1;

/// A row: task, object, axis.
struct Row(&'static str, &'static str, &'static str);

const ROWS: [Row; 8] = [
    Row("hand_cube_yaw", "cube", "yaw"),
    Row("hand_cube_tilt", "cube", "roll, pitch"),
    Row("hand_cylinder_yaw", "cylinder", "yaw"),
    Row("hand_cylinder_tilt", "cylinder", "roll, pitch"),
    Row("hand_tin_yaw", "tin", "yaw"),
    Row("hand_tin_tilt", "tin", "roll, pitch"),
    Row("hand_toy_yaw", "toy", "yaw"),
    Row("hand_toy_tilt", "toy", "roll, pitch"),
];

/// Rows in which the hand does not wait for plans either, but goes on with the last one, for these parts of the time that a plan takes: as on this machine, and as on one four times as fast, on which those of ComFree take about as
/// long as the published ones.
const CUBE: &[Row] = ROWS.split_at(2).0;
const CHARGED: [f64; 2] = [1.0, 0.25];

/// Published success of the cube \[%\] and time of a plan \[ms\]: yaw, and roll or pitch; with ComFree and with MJWarp.
const PUBLISHED: [[[f64; 2]; 2]; 2] = [[[80.0, 28.2], [65.0, 54.6]], [[55.0, 27.8], [30.0, 56.4]]];
/// Published times of a plan with ComFree over all other rows \[ms\].
const PUBLISHED_OTHERS: [f64; 2] = [13.9, 21.0];
/// Plan models where the hand waits, in the order of the table.
const WAITING: [PlanModel; 4] =
    [PlanModel::ComFree, PlanModel::OneEvaluation, PlanModel::Icf, PlanModel::Other];
/// Rows of a quick run; all others stand there as recorded.
const QUICK: &[Row] = ROWS.split_at(1).0;
/// Samples of a plan, and trials of a row: quick and full.
const SAMPLES: [usize; 2] = [12, 64];
const TRIALS: [u64; 2] = [3, 30];
/// Trials of a row planned with one evaluation in a quick run: tasks take five times as long.
const ONE_EVALUATION: u64 = 2;
/// Mass of the object and friction differ by up to this part.
const VARY: f64 = 0.2;
/// The hand, from its finger tips and above.
const CAMERA: Camera =
    Camera { eye: Point3::new(0.4, -0.45, 0.75), target: Point3::new(0.0, 0.03, 0.36), width: 0.56 };

impl Page for Table1 {
    fn id(&self) -> &'static str {
        "borse2026comfree/table1"
    }
    fn title(&self) -> &'static str {
        "Object rotation by a planned hand: success and planning time"
    }
    fn lead(&self) -> &'static str {
        "A simulated robot hand turns objects to a goal by sampling-based planning, and the success rate and the planning time are compared with those \
            of the paper."
    }
    fn cost(&self) -> [f64; 3] {
        [7.0, 7.0, 7200.0]
    }
    fn alone(&self) -> bool {
        true
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let size = usize::from(ctx.full());
        let (samples, count) = (SAMPLES[size], TRIALS[size]);
        let rows = if ctx.full() { &ROWS } else { QUICK };
        // One that is loaded says whether there is any.
        let absent = beside(&ctx.root, &ctx.root.join("models/leap_hand/cube.xml")).err();
        let here = |m: &PlanModel| match m {
            PlanModel::Other => absent.is_none(),
            PlanModel::Icf => ctx.full(),
            _ => true,
        };
        let models: Vec<PlanModel> = WAITING.into_iter().filter(here).collect();
        let charged: &[f64] = if ctx.full() { &CHARGED } else { &[] };
        let mut out = PageOutput::new(text(samples, count));
        absent
            .into_iter()
            .for_each(|why| out.prose(format!("MuJoCo is not used as a planning model in this run. {why}")));
        let mut trials = Vec::new();
        for seed in FIRST..FIRST + count {
            let trial = |row: &Row, model, timing| {
                let film = seed == FIRST && model == PlanModel::ComFree && timing == Timing::LockStep;
                let camera = film.then_some(CAMERA);
                Trial { model, timing, vary: VARY, camera, ..Trial::new(row.0, row.1, samples, seed) }
            };
            for (row, model) in with(rows, &models).filter(|(_, m)| seed < FIRST + many(*m, count)) {
                trials.push(trial(row, model, Timing::LockStep));
            }
            for (factor, (row, model)) in
                charged.iter().flat_map(|f| with(CUBE, &MODELS).map(move |r| (f, r)))
            {
                trials.push(trial(row, model, Timing::Measured(*factor)));
            }
        }
        // Where time is short: trials of the cube, which the paper has numbers of, come before the others, and of each those that claims are about before those beside them.
        trials.sort_by_key(|t| match (t.timing, t.model, CUBE.iter().any(|row| row.0 == t.task)) {
            (Timing::LockStep, PlanModel::ComFree | PlanModel::OneEvaluation, true) => 0,
            (Timing::LockStep, _, true) => 1,
            (Timing::LockStep, PlanModel::ComFree | PlanModel::OneEvaluation, false) => 2,
            (Timing::LockStep, _, false) => 4,
            _ => 3,
        });
        let other =
            |file: &Path, scene: &Scene, samples: usize| -> Result<Box<dyn BatchStepper>, PageError> {
                let worlds = beside(&ctx.root, file).map_err(PageError::Run)?;
                Ok(Box::new(MujocoBatch::new(worlds, scene, samples)?))
            };
        let Trials { runs: mut done, looks } = run_with(&trials, ctx, &other)?;
        out.heading(if ctx.full() { "One trial of each task" } else { "One trial" });
        out.append(looks);
        out.heading("The hand waits for plans");
        done.retain(|r| r.samples == samples);
        let of = |row: &Row, model: PlanModel, timing: Timing| of(&done, row, model, timing);
        let title = "Trials by object, axis and planning model. Times of the task are means over the successful trials.";
        if ctx.full() {
            out.plot(rates("success", "Trials of this run", &done));
        }
        out.table(table(title, rows, &models, &done));
        if let Some((title, runs)) = recorded(self, ctx)? {
            let kept = WAITING.into_iter().filter(|m| runs.iter().any(|r| r.model == *m));
            out.plot(rates("recorded_success", &title, &runs));
            out.table(table(&title, &ROWS, &kept.collect::<Vec<_>>(), &runs));
            out.prose(
                "Recorded plans were timed on days of different load. Times of one row compare with each other only where one day has them.",
            );
            not_recorded(&runs).into_iter().for_each(|line| out.prose(line));
            let own = self::of(&runs, &ROWS[0], PlanModel::ComFree, Timing::LockStep);
            let task = format!("{}, {}, {}", ROWS[0].1, ROWS[0].2, plan_model(PlanModel::ComFree));
            out.recorded = recorded_success(&task, &format!("{} % on hardware", PUBLISHED[0][0][0]), &own);
        }
        let columns = columns();
        let mut paper = Table::new(
            "Results of the paper on hardware, with 20 trials each. Success rates are those of the cube.",
            &["axis", "planning model", "success [%]", "time of a plan [ms]"],
        );
        for (axis, both) in ["yaw", "roll, pitch"].iter().zip(PUBLISHED) {
            for (plans, [success, time]) in ["ComFree", "MJWarp"].iter().zip(both) {
                paper.row([(*axis).to_owned(), (*plans).to_owned(), success.to_string(), time.to_string()]);
            }
        }
        let [least, most] = PUBLISHED_OTHERS;
        paper.row(["all, other objects", "ComFree", "–", &format!("{least} to {most}")]);
        out.table(paper);
        for (n, row) in ROWS.iter().enumerate() {
            let published = PUBLISHED[n % 2][0][0];
            let beside = if CUBE.len() > n { "of the paper" } else { "of the cube in the paper" };
            let id = row.0.trim_start_matches("hand_");
            for (model, id) in [
                (PlanModel::ComFree, id.to_owned()),
                (PlanModel::OneEvaluation, format!("{id}/one_evaluation")),
            ] {
                let task = format!("{}, {}, {}", row.1, row.2, plan_model(model));
                let count = many(model, count);
                let compared = format!(
                    "number of trials that succeed, over {}, compared with the rate {beside} on hardware",
                    counted(count, "seed")
                );
                out.claim(if ctx.full() || n < QUICK.len() {
                    let asked = Asked { rate: published, of: beside };
                    let made =
                        success(&id, &task, &compared, &asked, &of(row, model, Timing::LockStep), count);
                    // Other objects are not the cube.
                    if n < CUBE.len() { made.published(&format!("{published} % of 20 trials")) } else { made }
                } else {
                    let claim = format!("{task}: {compared}");
                    Claim::skipped(&id, &claim, "This trial runs with the option --full.")
                });
            }
        }
        out.heading("The hand does not wait");
        if !charged.is_empty() {
            let mut table = Table::new(
                "Trials in which the hand does not wait: plans are used when they are ready, on this machine and on a machine that is four times as \
                    fast",
                &columns,
            );
            for factor in charged {
                for (row, model) in with(CUBE, &MODELS) {
                    let plans = format!("{}, used after {factor} of the planning time", plan_model(model));
                    table.row(cells(row, &plans, &of(row, model, Timing::Measured(*factor))));
                }
            }
            out.table(table);
        }
        for (factor, row) in CHARGED.iter().flat_map(|f| CUBE.iter().map(move |r| (f, r))) {
            let [ours, theirs] = MODELS.map(|m| of(row, m, Timing::Measured(*factor)));
            let id = format!("charged/{}_{factor}", row.0.trim_start_matches("hand_"));
            let claim = format!(
                "{}, {}, plans used when they are ready ({factor} of the planning time): difference of the success rates with sweeps and with ICF, \
                    upper end of its 95 % interval (below zero, ICF is better beyond chance)",
                row.1, row.2
            );
            out.claim(match ours.len().min(theirs.len()) as u64 {
                _ if !ctx.full() => Claim::skipped(&id, &claim, "it runs with the option --full"),
                n if n < count => Claim::skipped(&id, &claim, "time was up before all runs were made"),
                _ => {
                    let [a, b] = [&ours, &theirs].map(|r| (Tally::of(r).good, r.len()));
                    let [low, high] = difference(a, b).map(|p| 100.0 * p);
                    let why =
                        format!("The numbers of successes are {} and {} of {count}. A difference of {low:.0} to {high:.0} points is \
                            likely.", a.0, b.0);
                    Claim::at_least(&id, &claim, 0.0, high, "points").because(&why)
                }
            });
        }
        let what = "a simulated hand and objects of round and box shapes instead of the hardware, the duck and the tin of the paper";
        out.claims_mut().for_each(|c| c.substitute = Some(what.to_owned()));
        Ok(out)
    }
}

/// Trials of a row with a planning model, of a run with so many of the others.
fn many(model: PlanModel, count: u64) -> u64 {
    if model == PlanModel::OneEvaluation && count == TRIALS[0] { ONE_EVALUATION } else { count }
}

/// Rows and their plan models.
fn with<'a>(rows: &'a [Row], models: &'a [PlanModel]) -> impl Iterator<Item = (&'a Row, PlanModel)> {
    rows.iter().flat_map(|r| models.iter().map(move |m| (r, *m)))
}

/// The trials of a row.
fn of<'a>(runs: &'a [Ran], row: &Row, model: PlanModel, timing: Timing) -> Vec<&'a Ran> {
    runs.iter().filter(|r| (&*r.task, r.model, r.timing) == (row.0, model, timing)).collect()
}

fn columns() -> Vec<&'static str> {
    [&["object", "axis", "planning model"][..], &COLUMNS].concat()
}

/// MuJoCo with a model, on the threads of the page.
fn beside(root: &Path, file: &Path) -> Result<MujocoWorlds, String> {
    MujocoWorlds::start(root, file, rayon::current_num_threads())
}

/// Success with the cube over the time of a plan, for planning models with ten trials and more, beside the paper's.
fn rates(name: &str, of_runs: &str, runs: &[Ran]) -> Plot {
    let mut plot = Plot::new(
        name,
        &format!(
            "{of_runs}. Success rate with the cube against the time of a plan. A line joins rotation about yaw and about roll or pitch. \
             Open squares are the rates of the paper on hardware, with plans on a graphics processor, and dashed lines join them."
        ),
        "time of a plan [ms]",
        "success rate [%]",
    )
    .log(true, false);
    plot.y_range = Some([0.0, 105.0]);
    for model in WAITING {
        let tallies = CUBE.iter().map(|row| Tally::of(&of(runs, row, model, Timing::LockStep)));
        let many = tallies.filter(|t| t.runs >= 10);
        let points = many.map(|t| (1e3 * t.planning, 100.0 * t.good as f64 / t.runs as f64)).collect();
        plot.add(plan_model(model), Mark::LinePoints, points);
    }
    for (i, plans) in ["ComFree", "MJWarp"].iter().enumerate() {
        let points = PUBLISHED.map(|axis| (axis[i][1], axis[i][0]));
        plot.add(&format!("paper, {plans}"), Mark::Dashed, points.to_vec());
        plot.add_paper("", points.to_vec());
    }
    plot
}

/// Trials in lock-step, those that there are.
fn table(title: &str, rows: &[Row], models: &[PlanModel], runs: &[Ran]) -> Table {
    let mut table = Table::new(title, &[&columns()[..], &PAPER].concat());
    for (row, model) in with(rows, models) {
        let own = of(runs, row, model, Timing::LockStep);
        if !own.is_empty() {
            table.row([&cells(row, plan_model(model), &own)[..], &paper(row, model)].concat());
        }
    }
    table
}

/// Columns of [`paper`].
const PAPER: [&str; 2] = ["paper, hardware: success [%]", "paper: time of a plan [ms]"];

/// Published success and time of a plan: of the cube, with ComFree and with the planning model that MuJoCo stands for.
fn paper(row: &Row, model: PlanModel) -> [String; 2] {
    let method = match model {
        PlanModel::OneEvaluation => Some(0),
        PlanModel::Other => Some(1),
        _ => None,
    };
    let axis = CUBE.iter().position(|r| r.0 == row.0);
    let known = axis.zip(method).map(|(a, m)| PUBLISHED[a][m].map(|x| x.to_string()));
    known.unwrap_or_else(|| ["–", "–"].map(str::to_owned))
}

/// One sentence on tasks and planning models that have no recorded trials.
fn not_recorded(runs: &[Ran]) -> Option<String> {
    let of_model = |model: PlanModel| {
        let none = ROWS.iter().filter(|row| of(runs, row, model, Timing::LockStep).is_empty());
        let tasks: Vec<String> = none.map(|row| format!("{} ({})", row.1, row.2)).collect();
        (!tasks.is_empty()).then(|| format!("{}: {}", plan_model(model), tasks.join(", ")))
    };
    let all: Vec<String> = WAITING.into_iter().filter_map(of_model).collect();
    (!all.is_empty())
        .then(|| format!("These planning models and tasks have no recorded trials. {}.", all.join(". ")))
}

fn cells(row: &Row, plans: &str, runs: &[&Ran]) -> Vec<String> {
    [&[row.1, row.2, plans].map(str::to_owned)[..], &Tally::of(runs).cells()].concat()
}

fn text(samples: usize, count: u64) -> Vec<String> {
    vec![
        "All trials are simulated: plans are made with one simulation model (the planning model) and executed in another (the plant). The paper \
            executes its plans on hardware. \
         The hand has the joints, masses and joint ranges of the LEAP hand (models/leap_hand). Its shapes and gains belong to this project. The palm is tilted by 28°."
            .into(),
        "The task is to turn an object that lies on the hand by 90° in either direction, about the vertical or about a level axis, and to keep it \
            in its place. \
         A trial succeeds when the object stays within 0.02 m of its place and within 1 − (q·q*)² < 0.04 (23°) of the goal for 0.2 s without a break. \
         The paper does not mention a holding time. Without it a tumbling object would count as a success. \
         An object is lost when it is further than 0.06 m from its place. The time limit is 20 s."
            .into(),
        format!(
            "The objects are a cube, a cylinder, a tin and a toy duck of four bodies. The paper has a cube, a cylinder, a tin and a duck as meshes. \
             {} of each task (quick: {ONE_EVALUATION} with one evaluation) run from seed {FIRST} on. The weights of the cost were chosen on other seeds.",
            counted(count, "trial")
        ),
        format!(
            "A plan has {samples} samples over 0.4 s in steps of 0.04 s, with four cubic knots and two iterations. The paper has 256 samples over \
                0.192 s. \
             The hand waits until a plan is ready, so that the planning time, which depends on this machine, has no effect. \
             With the option --full there are also trials with the cube in which the hand does not wait."
        ),
        format!(
            "The plant is ICF with steps of 2 ms. The planning models have steps of 4 ms. They are projected Gauss–Seidel sweeps over ComFree's \
                impedance (up to 12 sweeps), \
             ComFree with one evaluation (k = {}/s, d = {}, mass scale {}), ICF (with the option --full), and MuJoCo where it is installed.",
            PUBLISHED_HAND.0,
            PUBLISHED_HAND.1,
            PUBLISHED_HAND.2.name(),
        ),
        format!(
            "A plan starts from the pose of the object 40 ms ago with noise of 2 mm and 1°, from its velocity of that time without noise, and from \
                the present joint positions. \
             The mass of the object and the friction of all surfaces in the plant differ from those of the planning model by up to {} %.",
            100.0 * VARY
        ),
        "Where the hand does not wait, a plan begins at the state that the planning model predicts for the time at which the plan will be ready. \
         The planning time of the last plan gives this time. The hand follows the last plan until then. \
         ICF as planning model has the contact law of the plant with another time step. The other planning models have another contact law."
            .into(),
    ]
}
