use signorini_core::na::Point3;

use super::plan_model;
use crate::snapshot::Camera;
use crate::trials::{FIRST, PlanModel, Ran, Trial, run};
use crate::{Claim, Context, Page, PageError, PageOutput, Table};

/// Table II: a humanoid follows five motions; simulation to simulation.
pub(super) struct Table2;

/// A motion.
struct Row {
    name: &'static str,
    title: &'static str,
    /// File among models by others; none: made for this project.
    file: Option<&'static str>,
    /// What stands for the motion of the paper.
    substitute: &'static str,
    /// Quick runs have it.
    quick: bool,
    camera: Camera,
}

/// From the front and from the right of what faces along x.
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
        substitute: "a cartwheel of another collection (MimicKit) for the paper's",
        quick: true,
        camera: front(0.0, 0.8, 3.2),
    },
    Row {
        name: "g1_snap_kick",
        title: "martial arts",
        file: Some("karate_snap_kick_29dof.csv"),
        substitute: "karate snap kicks of another collection (G1 Moves) for the paper's",
        quick: false,
        camera: front(0.0, -0.15, 2.4),
    },
    Row {
        name: "g1_dance",
        title: "dance",
        file: Some("dance_jazz_walk_29dof.csv"),
        substitute: "a jazz walk of another collection (G1 Moves) for the paper's",
        quick: false,
        camera: front(0.7, 0.0, 3.2),
    },
    Row {
        name: "g1_get_up",
        title: "get-up",
        file: None,
        substitute: "a motion made for this project, from hands and knees, for the paper's; none from lying with a free licence was found",
        quick: false,
        camera: right(0.1),
    },
    Row {
        name: "g1_box_push",
        title: "box push",
        file: None,
        substitute: "a motion made for this project, a box of 3 kg on a table pushed by 0.18 m while standing, for the paper's",
        quick: true,
        camera: right(0.3),
    },
];

/// Errors of position in the paper lie between these, over all motions \[m\]; plans take between these with ComFree and with MJWarp \[s\].
const PUBLISHED: [f64; 2] = [0.036, 0.103];
const PLANS: [[f64; 2]; 2] = [[0.47, 1.17], [0.57, 0.77]];
/// Samples of a plan: quick and full; one is the motion itself, without plans.
const SAMPLES: [usize; 2] = [32, 64];
const ALONE: usize = 1;

impl Page for Table2 {
    fn id(&self) -> &'static str {
        "borse2026comfree/table2"
    }
    fn title(&self) -> &'static str {
        "A humanoid follows motions: errors and time of planning"
    }
    fn cost(&self) -> (f64, f64) {
        (90.0, 1200.0)
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let full = ctx.full();
        let samples = SAMPLES[usize::from(full)];
        let models: &[PlanModel] =
            if full { &[PlanModel::ComFree, PlanModel::Icf] } else { &[PlanModel::ComFree] };
        let found = |row: &Row| {
            row.file
                .is_none_or(|f| ctx.models.as_ref().is_some_and(|m| m.join("g1_motions").join(f).is_file()))
        };
        let mut trials = Vec::new();
        for row in ROWS.iter().filter(|r| (full || r.quick) && found(r)) {
            let trial = |samples, model, camera| Trial {
                model,
                motion: row.file,
                camera,
                ..Trial::new(row.name, row.title, samples, FIRST)
            };
            trials.push(trial(ALONE, PlanModel::ComFree, None));
            for model in models {
                let film = *model == PlanModel::ComFree;
                trials.push(trial(samples, *model, film.then_some(row.camera)));
            }
        }
        let mut out = PageOutput { text: text(samples), ..PageOutput::default() };
        let done = run(&trials, ctx, &mut out)?;
        let of = |row: &Row, samples, model| {
            done.iter().find(|r| (&*r.task, r.samples, r.model) == (row.name, samples, model))
        };
        let mut table = Table::new(
            "Means over each motion, until its end or until it is lost",
            &[
                "motion",
                "plans",
                "end",
                "place of the pelvis [m]",
                "attitude [rad]",
                "joints, rms [rad]",
                "object [m]",
                "time of a plan [s]",
            ],
        );
        for row in &ROWS {
            let alone = of(row, ALONE, PlanModel::ComFree).map(|r| ("servos alone", r));
            let planned = models.iter().filter_map(|m| Some((plan_model(*m), of(row, samples, *m)?)));
            for (plans, r) in alone.into_iter().chain(planned) {
                table.row(cells(row, plans, r));
            }
        }
        let mut paper = Table::new(
            "The paper, over its five motions, planned with ComFree and with MJWarp, executed with MuJoCo",
            &["place [m]", "time of a plan, ComFree [s]", "MJWarp [s]"],
        );
        let range = |r: [f64; 2]| format!("{} to {}", r[0], r[1]);
        paper.row([PUBLISHED, PLANS[0], PLANS[1]].map(range));
        out.tables = vec![table, paper];
        for row in &ROWS {
            let claim = format!(
                "{}: followed to its end, the pelvis as close as in the paper's worst motion",
                row.title
            );
            let id = row.name.trim_start_matches("g1_");
            let (ran, alone) = (of(row, samples, PlanModel::ComFree), of(row, ALONE, PlanModel::ComFree));
            let made = match (ran, alone) {
                _ if !found(row) => Claim::skipped(id, &claim, "the motion is absent (set SIGNORINI_MODELS)"),
                _ if !full && !row.quick => Claim::skipped(id, &claim, "runs under --full"),
                (Some(r), Some(alone)) => {
                    let end =
                        |r: &Ran| if r.success { "reaches the end".to_owned() } else { r.outcome.clone() };
                    let why = format!("with plans: {}; servos alone: {}", end(r), end(alone));
                    let away = if r.success { r.terms[0] } else { f64::INFINITY };
                    Claim::at_most(id, &claim, PUBLISHED[1], away, "m").because(&why)
                }
                _ => Claim::skipped(id, &claim, "time was up before it was run"),
            };
            out.claims.push(made.with_substitute(row.substitute));
            if let Some(away) = ran.and_then(|r| r.terms.get(4)) {
                let claim = format!(
                    "{}: distance of the object from its place, mean, beside that which servos alone leave: half",
                    row.title
                );
                let id = format!("{id}_object");
                let made = match alone.and_then(|r| r.terms.get(4)) {
                    Some(left) => Claim::at_most(&id, &claim, 0.5, away / left, ""),
                    None => Claim::skipped(&id, &claim, "time was up before it was run with servos alone"),
                };
                out.claims.push(made.with_substitute(row.substitute));
            }
        }
        Ok(out)
    }
}

fn cells(row: &Row, plans: &str, r: &Ran) -> [String; 8] {
    let joints = r.terms[2] / 29f64.sqrt();
    [
        row.title.to_owned(),
        plans.to_owned(),
        r.outcome.clone(),
        format!("{:.4}", r.terms[0]),
        format!("{:.3}", r.terms[1]),
        format!("{joints:.3}"),
        r.terms.get(4).map_or_else(String::new, |x| format!("{x:.4}")),
        format!("{:.2}", r.planning),
    ]
}

fn text(samples: usize) -> Vec<String> {
    vec![
        format!(
            "A humanoid of 29 joints (models/g1; places, masses, ranges and torque limits of the Unitree G1, shapes and servo gains ours, links do not touch each other) follows motions that know no forces. Servos get the angles of the motion; plans are offsets to them, {samples} samples of nine knots over 0.8 s, four iterations with noise that shrinks to a tenth, every 0.1 s, the same for all motions. \
             Weights of the paper's method where it states them: 3 for the place of the pelvis, 1 for its attitude, 1 for the joints as one norm; ours: 0.3 for the squares of the offsets. Lost is what comes further than 0.5 m or 1 rad from the motion. Planned with ComFree at 8.3 ms, executed with ICF at 2.1 ms, in lock-step. The paper's method takes 2048 samples and up to 16 iterations."
        ),
        "What the same servos do with the angles of the motion alone stands beside it. A karate strike with a jump of 0.17 m was tried too and is lost at its landing, after 2.7 s: servos with these torque limits leave the ground by less than the motion asks for.".into(),
    ]
}
