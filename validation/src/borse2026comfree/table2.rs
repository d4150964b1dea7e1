use signorini_core::na::Point3;

use super::{MODELS, plan_model};
use signorini_report::claim::counted;
use signorini_report::trials::{FIRST, PlanModel, Ran, Trial, Trials, recorded, run};
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};
use signorini_run::snapshot::Camera;

/// Table II: a humanoid follows five motions; simulation to simulation.
pub(super) struct Table2;

/// A motion.
struct Row {
    name: &'static str,
    title: &'static str,
    /// File among models by others; none: made for this project.
    file: Option<&'static str>,
    /// Stand-in for the motion of the paper.
    substitute: &'static str,
    /// Quick and standard runs have it.
    small: [bool; 2],
    camera: Camera,
}

/// From the front and from the right of a body that faces along x.
const fn front(x: f64, y: f64, width: f64) -> Camera {
    Camera { eye: Point3::new(x + 3.0, y - 1.5, 1.3), target: Point3::new(x, y, 0.65), width }
}
const fn right(x: f64) -> Camera {
    Camera { eye: Point3::new(x - 0.6, -3.0, 1.3), target: Point3::new(x, 0.0, 0.65), width: 2.0 }
}

const ROWS: [Row; 5] = [
    Row {
        name: "g1_cartwheel",
        title: "cartwheel",
        file: Some("cartwheel_29dof.csv"),
        substitute: "a cartwheel of another collection (MimicKit) instead of that of the paper",
        small: [false, true],
        camera: front(0.0, 0.8, 3.2),
    },
    Row {
        name: "g1_snap_kick",
        title: "martial arts",
        file: Some("karate_snap_kick_29dof.csv"),
        substitute: "karate snap kicks of another collection (G1 Moves) instead of the motion of the paper",
        small: [false, false],
        camera: front(0.0, -0.15, 2.4),
    },
    Row {
        name: "g1_dance",
        title: "dance",
        file: Some("dance_jazz_walk_29dof.csv"),
        substitute: "a jazz walk of another collection (G1 Moves) instead of the dance of the paper",
        small: [false, false],
        camera: front(0.7, 0.0, 3.2),
    },
    Row {
        name: "g1_get_up",
        title: "get-up",
        file: None,
        substitute: "a motion made for this project that starts on hands and knees, instead of that of the paper; no motion with a free licence \
            that starts from lying was found",
        small: [false, false],
        camera: right(0.1),
    },
    Row {
        name: "g1_box_push",
        title: "box push",
        file: None,
        substitute: "a motion made for this project, instead of that of the paper: the humanoid stands and pushes a box of 3 kg on a table by 0.18 m",
        small: [true, true],
        camera: right(0.3),
    },
];

/// Errors of position in the paper lie between these, over all motions \[m\].
const PUBLISHED: [f64; 2] = [0.036, 0.103];
/// Times of a plan in the paper lie between these \[s\], and that of the box push: with ComFree and with MJWarp.
const PLANS: [(&str, [f64; 2], f64); 2] = [("ComFree", [0.47, 0.59], 1.17), ("MJWarp", [0.57, 0.77], 0.72)];
/// Samples of a plan, quick, standard and full; one is the motion itself, without plans.
const SAMPLES: [usize; 3] = [12, 64, 64];
const ALONE: usize = 1;
/// Runs of each with plans, by the seed of the planner alone, for all start the same: quick, standard and full.
const RUNS: [u64; 3] = [1, 1, 3];

impl Page for Table2 {
    fn id(&self) -> &'static str {
        "borse2026comfree/table2"
    }
    fn title(&self) -> &'static str {
        "Motion tracking by a planned humanoid: errors and planning time"
    }
    fn lead(&self) -> &'static str {
        "A simulated humanoid follows reference motions by sampling-based planning, and the tracking errors and planning times are compared with the \
         ranges of the paper."
    }
    fn cost(&self) -> [f64; 3] {
        [8.0, 60.0, 3600.0]
    }
    fn alone(&self) -> bool {
        true
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let full = ctx.full();
        let (count, samples) = (ctx.sized(RUNS), ctx.sized(SAMPLES));
        let models = if full { &MODELS[..] } else { &MODELS[..1] };
        let found = |row: &Row| {
            row.file
                .is_none_or(|f| ctx.models.as_ref().is_some_and(|m| m.join("g1_motions").join(f).is_file()))
        };
        let runs = |row: &Row| ctx.sized([row.small[0], row.small[1], true]);
        let mut trials = Vec::new();
        for row in ROWS.iter().filter(|r| runs(r) && found(r)) {
            let trial = |samples, model, seed, camera| Trial {
                model,
                motion: row.file,
                camera,
                ..Trial::new(row.name, row.title, samples, seed)
            };
            trials.push(trial(ALONE, PlanModel::ComFree, FIRST, None));
            for (model, seed) in models.iter().flat_map(|m| (FIRST..FIRST + count).map(move |s| (m, s))) {
                let film = *model == PlanModel::ComFree && seed == FIRST;
                trials.push(trial(samples, *model, seed, film.then_some(row.camera)));
            }
        }
        let mut out = PageOutput::new(text(count, samples));
        let Trials { runs: done, looks } = run(&trials, ctx)?;
        let of = |row: &Row, samples, model| of(&done, row, samples, model);
        out.heading("One run of each motion");
        out.append(looks);
        out.heading("All runs");
        out.table(table("Means over each motion, until its end or until the humanoid has lost it", &done));
        out.plot(errors("errors", "Runs with plans", &done));
        if let Some((title, runs)) = recorded(self, ctx)? {
            out.plot(errors("recorded_errors", &title, &runs));
            out.table(table(&title, &runs));
        }
        let range = |r: [f64; 2]| format!("{} to {}", r[0], r[1]);
        let caption = format!(
            "Times of the paper over its five motions, executed with MuJoCo. Its position errors are {} m.",
            range(PUBLISHED)
        );
        let mut paper =
            Table::new(&caption, &["planning model", "time of a plan [s]", "time of a plan, box push [s]"]);
        for (plans, times, box_push) in PLANS {
            paper.row([plans.to_owned(), range(times), box_push.to_string()]);
        }
        out.table(paper);
        let worst = if count > 1 { format!(" (worst of {count} runs)") } else { String::new() };
        for row in &ROWS {
            let claim = format!(
                "{}: the humanoid follows the motion to its end, and the position error of the pelvis is at most that of the worst motion in the \
                 paper{worst}",
                row.title
            );
            let id = row.name.trim_start_matches("g1_");
            let (ran, alone) = (of(row, samples, PlanModel::ComFree), of(row, ALONE, PlanModel::ComFree));
            let made = match alone.first() {
                _ if !found(row) => Claim::skipped(id, &claim, "the motion is absent (set SIGNORINI_MODELS)"),
                _ if !runs(row) => Claim::skipped(id, &claim, "it runs with larger sizes"),
                Some(alone) if ran.len() as u64 >= count => {
                    let end =
                        |r: &Ran| if r.success { "reaches the end".to_owned() } else { r.outcome.clone() };
                    let ends: Vec<String> = ran.iter().map(|r| end(r)).collect();
                    let why = format!(
                        "The runs with plans ended so: {}. The run with servos alone ended so: {}.",
                        ends.join(", "),
                        end(alone)
                    );
                    let away = ran.iter().map(|r| if r.success { r.terms[0] } else { f64::INFINITY });
                    Claim::at_most(id, &claim, PUBLISHED[1], away.fold(0.0, f64::max), "m")
                        .rule("at most the error of the worst motion in the paper")
                        .published(&format!("{} to {} m", PUBLISHED[0], PUBLISHED[1]))
                        .because(&why)
                }
                _ => Claim::skipped(id, &claim, "time was up before it was run"),
            };
            out.claim(made.with_substitute(row.substitute));
            let object =
                |runs: &[&Ran]| runs.iter().filter_map(|r| r.terms.get(OBJECT).copied()).reduce(f64::max);
            if let Some(away) = object(&ran) {
                let claim = format!(
                    "{}: mean distance of the object from its reference position, over the distance with servos alone",
                    row.title
                );
                let id = format!("{id}_object");
                let made = match object(&alone) {
                    Some(left) => Claim::at_most(&id, &claim, 0.5, away / left, "")
                        .rule("at most half of the distance with servos alone")
                        .required(),
                    None => Claim::skipped(&id, &claim, "time was up before it was run with servos alone"),
                };
                out.claim(made.with_substitute(row.substitute));
            }
        }
        Ok(out)
    }
}

/// Places of errors among the terms of a task.
const PLACE: usize = 0;
const TURN: usize = 1;
const JOINTS: usize = 2;
const OBJECT: usize = 4;

/// The runs of a motion.
fn of<'a>(runs: &'a [Ran], row: &Row, samples: usize, model: PlanModel) -> Vec<&'a Ran> {
    runs.iter().filter(|r| (&*r.task, r.samples, r.model) == (row.name, samples, model)).collect()
}

/// The runs of a motion with plans.
fn planned<'a>(runs: &'a [Ran], row: &Row, model: PlanModel) -> Vec<&'a Ran> {
    runs.iter().filter(|r| (&*r.task, r.model) == (row.name, model) && r.samples > ALONE).collect()
}

/// Position error over the time of a plan, by motion, and the ranges of the paper.
fn errors(name: &str, of_runs: &str, runs: &[Ran]) -> Plot {
    let mut plot = Plot::new(
        name,
        &format!(
            "{of_runs}. Position error of the pelvis over the time of a plan, a point for each run. The dashed box has the ranges of the paper with \
             ComFree on a graphics processor. The paper's plans of the box push take longer, 1.17 s."
        ),
        "time of a plan [s]",
        "position error of the pelvis [m]",
    )
    .log(true, true);
    for row in &ROWS {
        let own = MODELS.iter().flat_map(|m| planned(runs, row, *m)).filter(|r| r.success);
        let points: Vec<_> = own.filter_map(|r| Some((r.planning, *r.terms.get(PLACE)?))).collect();
        // Colours and sizes of marks count the motions that were run.
        if !points.is_empty() {
            plot.add(row.title, Mark::Points, points);
        }
    }
    let ([least, most], [short, long]) = (PUBLISHED, PLANS[0].1);
    let corners = vec![(short, least), (long, least), (long, most), (short, most), (short, least)];
    plot.add("paper, ranges over its motions", Mark::Dashed, corners);
    plot
}

/// Table of the motions that have any runs.
fn table(title: &str, runs: &[Ran]) -> Table {
    let mut table = Table::new(
        &format!(
            "{title}. Several runs are given by their mean, with the smallest and the largest value in parentheses."
        ),
        &[
            "motion",
            "planning model",
            "runs",
            "how the runs ended",
            "position error of the pelvis [m]",
            "orientation error [rad]",
            "joint error, rms [rad]",
            "position error of the object [m]",
            "time of a plan [s]",
        ],
    );
    for row in &ROWS {
        let alone = ("servos alone", of(runs, row, ALONE, PlanModel::ComFree));
        let planned = MODELS.map(|m| (plan_model(m), planned(runs, row, m)));
        for (plans, own) in [alone].into_iter().chain(planned).filter(|(_, own)| !own.is_empty()) {
            table.row(cells(row, plans, &own));
        }
    }
    table
}

fn cells(row: &Row, plans: &str, runs: &[&Ran]) -> [String; 9] {
    let spread = |of: &dyn Fn(&Ran) -> Option<f64>, digits: usize| {
        let all: Option<Vec<f64>> = runs.iter().map(|r| of(r)).collect();
        let Some(all) = all else { return String::new() };
        let [low, high] = [f64::min, f64::max].map(|pick| all.iter().copied().reduce(pick).unwrap_or(0.0));
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let range =
            if all.len() > 1 { format!(" ({low:.digits$} to {high:.digits$})") } else { String::new() };
        format!("{mean:.digits$}{range}")
    };
    let term = |i: usize| move |r: &Ran| r.terms.get(i).copied();
    let mut ends: Vec<&str> = runs.iter().map(|r| &*r.outcome).collect();
    ends.dedup();
    [
        row.title.to_owned(),
        plans.to_owned(),
        runs.len().to_string(),
        ends.join("; "),
        spread(&term(PLACE), 4),
        spread(&term(TURN), 3),
        spread(&|r| Some(r.terms.get(JOINTS)? / 29f64.sqrt()), 3),
        spread(&term(OBJECT), 4),
        spread(&|r| Some(r.planning), 2),
    ]
}

fn text(count: u64, samples: usize) -> Vec<String> {
    vec![
        "All runs are simulated: plans are made with one simulation model (the planning model) and executed in another (the plant). The humanoid \
         has 29 joints (models/g1). Its dimensions, masses, joint ranges and torque limits are those of the Unitree G1. Its shapes and servo gains \
         belong to this project. Its links do not touch each other.".to_owned(),
        "The humanoid follows reference motions that were made without regard to forces. Servos receive the joint angles of the motion, and a plan \
         adds offsets to these angles. A run is lost when the humanoid is further than 0.5 m or 1 rad from the motion.".to_owned(),
        format!("A new plan is made every 0.1 s, with {samples} samples of nine knots over 0.8 s and four iterations. The noise of the samples \
            shrinks to a tenth over the iterations. These settings are equal for all motions. Each motion has {} with plans, by \
            the seed of their noise. All runs start from one state.",
            counted(count, "run")),
        "The weights of the cost are those of the paper's method where the paper states them: 3 for the position of the pelvis, 1 for its \
         orientation, and 1 for the joints as one norm. This project adds 0.3 for the squares of the offsets. The paper's method takes 2048 samples \
         and up to 16 iterations.".to_owned(),
        "The planning model is projected Gauss–Seidel over ComFree's impedance (up to 12 sweeps) with steps of 8.3 ms. The plant is ICF with steps \
         of 2.1 ms. The plant waits until a plan is ready.".to_owned(),
        "Runs of the servos with the joint angles of the motion alone are shown for comparison. A karate strike with a jump of 0.17 m was \
         tried, too. It is lost at the landing after 2.7 s, because servos with these torque limits jump less high than the motion \
         demands.".to_owned(),
    ]
}
