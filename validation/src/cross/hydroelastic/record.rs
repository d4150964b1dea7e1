//! The record that `benches/peers/areas.py` wrote.

use std::path::Path;

use serde::Deserialize;
use signorini_report::claim::number;
use signorini_report::{PageError, PageOutput, Table};

use crate::peer_record;

const FILE: &str = "benches/records/areas.json";
/// Said of claims that need the record.
pub(super) const ABSENT: &str = "there is no record benches/records/areas.json";

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

    /// Adds the tables.
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
        self.wrenches(out);
        self.times(out);
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
        out.prose(
            "Round shapes of Drake are polyhedra within the shape, those here have its volume. So forces of shallow contact with long edges are too small in Drake.",
        );
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
        for scene in ["cylinder", "gripper", "bunnies"] {
            let cpu = |engine: &str| self.run(scene, 1e-3, engine).map_or(f64::NAN, |r| r.cpu);
            let (name, take) = match scene {
                "bunnies" => ("three bunnies", "take"),
                _ => (scene, "takes"),
            };
            out.prose(format!(
                "At an accuracy of 1e-3 the {name} {take} {} of the processor time of Drake in default mode and {} in paper mode.",
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
