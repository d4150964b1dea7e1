//! A task of one's own, on a robot with its file: an arm pushes a box across a table. Planned with projected Gauss–Seidel over ComFree's impedance, executed with ICF.
use std::path::Path;

use signorini_batch::{BatchOptions, CpuBatch};
use signorini_core::na::Vector3;
use signorini_core::{Frame, Observation};
use signorini_planning::{
    Episode, EpisodeOptions, Mppi, MppiOptions, Outcome, Phase, Scenario, Step, Task, Temperature, Term,
    TermWeights, Update, View,
};
use signorini_run::Method;
use signorini_scene::{LoadOptions, Scene};

/// Place of the box on the table that is asked for \[m\].
struct Push {
    target: Vector3<f64>,
}

/// Terms of the cost with their weights, which users change by name; [`Task::running`] adds them up without.
const TERMS: [Term; 3] = [
    Term { name: "box", weight: 20.0 },
    Term { name: "tool", weight: 10.0 },
    Term { name: "speed", weight: 0.05 },
];

/// Places of the observations, in the order of [`Task::observations`].
const BOX: usize = 0;
const TOOL: usize = 1;
const TOOL_SPEED: usize = 2;

impl Push {
    fn missing(&self, seen: &View<'_>) -> Vector3<f64> {
        let way = self.target - seen.vector(BOX);
        Vector3::new(way.x, way.y, 0.0)
    }
}

impl Task for Push {
    fn name(&self) -> &'static str {
        "push"
    }
    // Names of bodies and sites of the scene: one that is missing is an error before the run.
    fn observations(&self) -> Vec<Observation> {
        let tool = || Frame::Site("tcp".into());
        vec![
            Observation::Position(Frame::Body("box".into())),
            Observation::Position(tool()),
            Observation::Velocity(tool()),
        ]
    }
    fn terms(&self) -> &'static [Term] {
        &TERMS
    }
    fn rule(&self) -> String {
        "Success when the box is within 0.01 m of its target and the tool slower than 0.1 m/s; over after 15 s.".into()
    }
    fn running(&self, step: &Step<'_>, _: &Phase, terms: &mut [f64]) {
        let seen = &step.after;
        let missing = self.missing(seen);
        // The tool goes behind the box, half way up.
        let behind = seen.vector(BOX) - 0.05 * missing.try_normalize(1e-3).unwrap_or_default();
        terms[0] += missing.norm();
        terms[1] += (seen.vector(TOOL) - behind).norm();
        terms[2] += seen.vector(TOOL_SPEED).norm_squared();
    }
    fn judge(&self, seen: &View<'_>, _: &Phase) -> Outcome {
        match (self.missing(seen).norm() < 0.01 && seen.vector(TOOL_SPEED).norm() < 0.1, seen.time) {
            (true, _) => Outcome::Success,
            (_, t) if t >= 15.0 => Outcome::Timeout,
            _ => Outcome::Running,
        }
    }
    fn reset(&self, _: u64) -> Scenario {
        // Servos hold the arm at home, its fingers closed.
        let control = vec![0.0, -0.0251, 0.0, -2.3446, 0.0, 2.3196, 0.0, 0.0];
        Scenario { keyframe: Some("home".into()), control, ..Scenario::default() }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/arm_gripper/arm_gripper.xml");
    let scene = Scene::load(path, &LoadOptions::default())?;
    let bounds = scene.actuators.iter().map(|a| a.control_range.unwrap_or([-3.0, 3.0]));
    let settings = MppiOptions {
        samples: 32,
        knots: 4,
        // Angles that servos are sent to \[rad\], fine enough for the last centimetre; the gripper stays closed.
        sigma: vec![0.06, 0.06, 0.06, 0.06, 0.06, 0.06, 0.06, 1e-6],
        update: Update::Information {
            temperature: Temperature::Standardised { temperature: 0.1, share: 1.0 },
            control_cost: false,
        },
        seed: 1,
        ..MppiOptions::new(12, 0.05, bounds.collect())
    };
    let mut model = CpuBatch::new(&scene, settings.samples, Method::comfree(), BatchOptions::default())?;
    let mut plant = CpuBatch::new(&scene, 1, Method::icf(), BatchOptions::default())?;
    let task = Push { target: Vector3::new(0.5, 0.1, 0.0) };
    let (mut planner, mut weights) = (Mppi::new(settings)?, TermWeights::new(&task));
    weights.set("speed", 0.1)?;
    let options = EpisodeOptions { model_substeps: 10, plant_substeps: 25, ..EpisodeOptions::default() };
    let r = Episode::new(&mut planner, &mut model, &mut plant, &task, &weights).run(1, &options)?;
    for step in r.steps.iter().step_by(10) {
        println!("{:5.2} s: the box is {:.3} m from its target", step.time, step.terms[0]);
    }
    println!("{:?} at {:.2} s; {:.0} ms per plan", r.outcome, r.time, 1e3 * r.mean_planning_time());
    Ok(())
}
