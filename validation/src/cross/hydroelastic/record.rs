//! The record that `benches/peers/areas.py` wrote.

use std::path::Path;

use serde::Deserialize;
use signorini_report::claim::number;
use signorini_report::{Claim, PageError, PageOutput, Table};

use crate::peer_record;

const FILE: &str = "benches/records/areas.json";
/// Scenes under error control, and their names in sentences with a verb.
const SCENES: [(&str, &str); 3] =
    [("cylinder", "cylinder takes"), ("gripper", "gripper takes"), ("bunnies", "three bunnies take")];
/// Said of claims that need the record.
pub(super) const ABSENT: &str = "there is no record benches/records/areas.json";

/// Key and name of a deviation of pairs, and the reason where it is large.
type Deviation = (&'static str, &'static str, fn(&Pair) -> f64, &'static str);

/// Reasons of goals that are not reached.
const ROUND: &str = "Round shapes of Drake are polyhedra within the shape, those here have its volume. So forces of shallow contact with long edges are too small in Drake.";
const CENTROIDS: &str = "Drake has the force of each polygon at its centroid, and it acts at the centre of pressure here. The moment of the linear pressure on Drake's polygons is in the next row.";
const DEFAULT_STEPS: &str = "Default mode looks ahead: the cylinder meets the table on its surface, and the turn and the rocking that follow take steps. In paper mode it stops 20 mm deep in the table and does not rock. \
     The peg slips out of the gripper and falls, as it does in Drake at 1e-4.";
const DEFAULT_TIME: &str =
    "Default mode takes more steps than paper mode, each with the search for surfaces and their polygons.";

/// Random pairs of shapes and scenes in Drake and here, as they were recorded.
#[derive(Default, Deserialize)]
pub(super) struct Record {
    date: String,
    /// Version of Drake.
    drake: String,
    pairs: Vec<Pair>,
    scenes: Vec<SceneRun>,
}

/// Two shapes that overlap; forces \[N\], deviations in parts of the force and of the moment.
#[derive(Deserialize)]
struct Pair {
    /// Length of edges \[m\].
    hint: f64,
    pair: String,
    depth: f64,
    /// In Drake.
    force: f64,
    ours: f64,
    force_off: f64,
    moment_off: f64,
    /// Of the moment of the linear pressure on Drake's polygons.
    pressure_moment_off: f64,
    /// Here and in Drake.
    polygons: [usize; 2],
}

/// A scene under error control.
#[derive(Deserialize)]
pub(super) struct SceneRun {
    scene: String,
    accuracy: f64,
    engine: String,
    /// Wall times and mean processor time \[s\].
    walls: Vec<f64>,
    cpu: f64,
    pub(super) steps: u64,
    rejected: u64,
    newton_iterations: Option<f64>,
    /// Of the last free body at the end \[m\].
    position: Vec<f64>,
    /// Kinetic energy at the end \[J\].
    kinetic: f64,
}

impl SceneRun {
    /// Median of the wall times \[s\].
    fn wall(&self) -> f64 {
        let mut walls = self.walls.clone();
        walls.sort_by(f64::total_cmp);
        walls.get(walls.len() / 2).copied().unwrap_or(f64::NAN)
    }

    /// The engine as tables name it.
    fn name(&self) -> &str {
        match &*self.engine {
            "ours" => "default",
            "paper" => "paper mode",
            other => other,
        }
    }
}

impl Record {
    /// The record; none without a file.
    pub(super) fn read(root: &Path) -> Result<Self, PageError> {
        peer_record::read(root, FILE)
    }

    /// A recorded run.
    pub(super) fn run(&self, scene: &str, accuracy: f64, engine: &str) -> Option<&SceneRun> {
        let same = |r: &&SceneRun| {
            r.scene == scene && r.engine == engine && (r.accuracy / accuracy - 1.0).abs() < 1e-9
        };
        self.scenes.iter().find(same)
    }

    fn is_absent(&self) -> bool {
        self.pairs.is_empty() && self.scenes.is_empty()
    }

    /// Lengths of edges of the recorded pairs \[m\].
    fn hints(&self) -> Vec<f64> {
        let mut hints: Vec<f64> = self.pairs.iter().map(|p| p.hint).collect();
        hints.sort_by(f64::total_cmp);
        hints.dedup();
        hints
    }

    /// Adds the goals and the tables.
    pub(super) fn show(&self, out: &mut PageOutput) {
        out.heading("Beside Drake (recorded)");
        if self.is_absent() {
            out.prose(
                "There is no record beside Drake: `benches/records/areas.json` is missing. `benches/peers/areas.py --record` writes it.",
            );
        } else {
            out.prose(format!(
                "The numbers of this section were recorded on {} with Drake {} and with the revision of that day, on one machine \
                 (`benches/peers/areas.py --record`). They were not measured in this run.",
                self.date, self.drake
            ));
        }
        self.goals(out);
        self.wrenches(out);
        self.times(out);
    }

    /// The goals beside Drake, each decided by a number of the record.
    fn goals(&self, out: &mut PageOutput) {
        out.prose(
            "The claims of this section read their numbers from the record. They tell whether the goals beside Drake were reached on that day, and are no verdict of this run.",
        );
        let told = |what: &str| format!("recorded, not of this run: {what}");
        let hints = self.hints();
        for (key, hint) in [("fine", hints.first()), ("coarse", hints.last())] {
            let edges = hint.map_or_else(String::new, |h| format!(", edges of {} mm", number(1e3 * h)));
            let at = || self.pairs.iter().filter(|p| Some(&p.hint) == hint);
            let parts: [Deviation; 3] = [
                ("force", "force", |p| p.force_off, ROUND),
                ("moment", "moment", |p| p.moment_off, CENTROIDS),
                (
                    "pressure_moment",
                    "moment from that of the linear pressure on Drake's polygons",
                    |p| p.pressure_moment_off,
                    ROUND,
                ),
            ];
            for (part, name, off, why) in parts {
                let id = format!("drake/{part}/{key}");
                let text = told(&format!(
                    "ten random pairs of shapes{edges}, largest deviation of the {name} from Drake"
                ));
                let why = if key == "coarse" { ROUND } else { why };
                out.claim(match at().map(off).reduce(f64::max) {
                    Some(worst) => Claim::at_most(&id, &text, 2.0, 100.0 * worst, "%")
                        .required_since("twice the 1 % that each may be off the closed form")
                        .because(why),
                    None => Claim::skipped(&id, &text, ABSENT),
                });
            }
        }
        for (scene, _) in SCENES {
            for (engine, mode) in [("ours", "default mode"), ("paper", "paper mode")] {
                let both = self.run(scene, 1e-3, engine).zip(self.run(scene, 1e-3, "Drake"));
                let id = format!("drake/steps/{scene}/{engine}");
                let text =
                    told(&format!("{scene}, accuracy 1e-3, {mode}: accepted steps beside those of Drake"));
                out.claim(match both {
                    Some((r, drake)) => {
                        Claim::relative(&id, &text, drake.steps as f64, r.steps as f64, 0.15, "")
                            .required_since("a goal of this project")
                            .because(if engine == "ours" { DEFAULT_STEPS } else { ROUND })
                    }
                    None => Claim::skipped(&id, &text, ABSENT),
                });
                let id = format!("drake/time/{scene}/{engine}");
                let text =
                    told(&format!("{scene}, accuracy 1e-3, {mode}: processor time over that of Drake"));
                out.claim(match both {
                    Some((r, drake)) => Claim::at_most(&id, &text, 0.5, r.cpu / drake.cpu, "")
                        .required_since("a goal of this project")
                        .because(DEFAULT_TIME)
                        .timed(),
                    None => Claim::skipped(&id, &text, ABSENT).timed(),
                });
            }
        }
    }

    fn wrenches(&self, out: &mut PageOutput) {
        if self.pairs.is_empty() {
            return;
        }
        for hint in self.hints() {
            let at = || self.pairs.iter().filter(move |p| p.hint == hint);
            let worst = |off: fn(&Pair) -> f64| 100.0 * at().map(off).fold(0.0, f64::max);
            out.prose(format!(
                "With edges of {} mm forces are at most {} % and moments at most {} % from those of Drake. From the moment of the linear pressure on Drake's polygons, which act at their centroids there, they are at most {} % off.",
                number(1e3 * hint),
                number(worst(|p| p.force_off)),
                number(worst(|p| p.moment_off)),
                number(worst(|p| p.pressure_moment_off))
            ));
        }
        out.prose(ROUND);
        let mut table = Table::new(
            &format!(
                "Recorded on {}: wrenches of random pairs of compliant shapes of 1e7 Pa in Drake {} and here",
                self.date, self.drake
            ),
            &[
                "length of edges [mm]",
                "pair",
                "overlap [mm]",
                "force in Drake [N]",
                "force here [N]",
                "force off [%]",
                "moment off [%]",
                "moment off that of the pressure [%]",
                "polygons in Drake",
                "polygons here",
            ],
        );
        for p in &self.pairs {
            table.row([
                number(1e3 * p.hint),
                p.pair.clone(),
                number(1e3 * p.depth),
                number(p.force),
                number(p.ours),
                format!("{:.2}", 100.0 * p.force_off),
                format!("{:.2}", 100.0 * p.moment_off),
                format!("{:.2}", 100.0 * p.pressure_moment_off),
                p.polygons[1].to_string(),
                p.polygons[0].to_string(),
            ]);
        }
        out.table(table);
    }

    fn times(&self, out: &mut PageOutput) {
        if self.scenes.is_empty() {
            return;
        }
        for (scene, takes) in SCENES {
            let cpu = |engine: &str| self.run(scene, 1e-3, engine).map_or(f64::NAN, |r| r.cpu);
            out.prose(format!(
                "At an accuracy of 1e-3 the {takes} {} of the processor time of Drake in default mode and {} in paper mode.",
                number(cpu("ours") / cpu("Drake")),
                number(cpu("paper") / cpu("Drake"))
            ));
        }
        out.prose(
            "The bunnies fall on a rigid floor for 10 s and meet as fields on a lattice of 56 321 tetrahedra, which Drake has too. At the end all rest.",
        );
        let mut table = Table::new(
            &format!(
                "Recorded on {}: cylinder (1 s), gripper (2 s) and three bunnies (10 s) in Drake {} and here",
                self.date, self.drake
            ),
            &[
                "scene",
                "accuracy",
                "engine and mode",
                "wall time [ms]",
                "processor time [ms]",
                "accepted steps",
                "rejected",
                "Newton iterations",
                "final position [mm]",
                "final kinetic energy [J]",
            ],
        );
        for r in &self.scenes {
            let place: Vec<String> = r.position.iter().map(|x| format!("{:.2}", 1e3 * x)).collect();
            table.row([
                r.scene.clone(),
                format!("{:e}", r.accuracy),
                r.name().to_owned(),
                number(1e3 * r.wall()),
                number(1e3 * r.cpu),
                r.steps.to_string(),
                r.rejected.to_string(),
                r.newton_iterations.map_or_else(|| "–".to_owned(), |n| format!("{n:.0}")),
                place.join(", "),
                format!("{:.1e}", r.kinetic),
            ]);
        }
        out.table(table);
    }
}
