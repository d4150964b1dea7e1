use std::error::Error;
use std::time::Instant;

use clap::Args;
use signorini_core::{AdvanceReport, State, StepError, System};
use signorini_run::affine::{RunWatch, run_affine};
use signorini_run::areas::Areas;
use signorini_run::recorder::Recorder;
use signorini_run::recording::Recording;
use signorini_run::{Method, MethodError, Stepping, names};
use signorini_scene::{JointKind, Scene};

use crate::dual_cone::has_cone;
use crate::model::{ModelArguments, warn_of_overlap, warn_of_relations};

/// Arguments of `compare`.
#[derive(Args)]
#[command(allow_negative_numbers = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Solvers, separated by commas.
    #[arg(long, value_delimiter = ',', default_value = "icf")]
    solvers: Vec<String>,
    /// Contact laws, separated by commas; affine bodies (ipc) keep their barrier. When left out lagged, similar and sap, and for comfree the dual_cone of `run`: with fixed steps sweeps and beside them ComFree's one evaluation, under
    /// error control one evaluation.
    #[arg(long, value_delimiter = ',')]
    laws: Option<Vec<String>>,
    /// Accuracies of error control, separated by commas.
    #[arg(long, value_delimiter = ',', default_value = "1e-2,1e-3")]
    accuracies: Vec<f64>,
    /// Fixed steps (s), separated by commas.
    #[arg(long, value_delimiter = ',', default_value = "0.002")]
    steps: Vec<f64>,
    /// Simulated time (s).
    #[arg(long, default_value_t = 1.0)]
    time: f64,
}

/// Unit of the position coordinates of a scene; both where it has lengths and angles.
fn unit_of_positions(scene: &Scene) -> &'static str {
    let all = |kind: JointKind| scene.joints.iter().all(|j| j.kind == kind);
    if all(JointKind::Slide) {
        "m"
    } else if all(JointKind::Hinge) {
        "rad"
    } else {
        "m, rad"
    }
}

/// Laws of solvers that have none of their own, the first as reference.
const LAWS: [&str; 3] = ["lagged", "similar", "sap"];

/// Whether a law takes contact over areas.
fn takes_areas(law: &str) -> bool {
    names::law(law, false).is_ok_and(|law| law.pool().properties().reads_preload)
}

/// Methods of a solver: under the laws that are given, otherwise under those that `run` has for it. ComFree's one evaluation stands beside its sweeps.
fn methods(
    solver: &str,
    (laws, areas): (Option<&[String]>, bool),
    steppings: &[Stepping],
) -> Result<Vec<Method>, MethodError> {
    let own = names::by_name(solver)?;
    let comfree = own.as_comfree().is_some();
    let laws: Vec<Option<&str>> = match laws {
        _ if own.is_affine() => vec![None],
        Some(laws) => laws.iter().map(|l| Some(l.as_str())).collect(),
        None if comfree => vec![None],
        None => LAWS.into_iter().filter(|law| !areas || takes_areas(law)).map(Some).collect(),
    };
    let mut all = Vec::new();
    for law in laws {
        for stepping in steppings {
            all.push(names::method(solver, law, *stepping)?);
            if comfree && law.is_none() && !stepping.is_controlled() {
                all.push(Method::comfree_sweeping(1).with_stepping(*stepping));
            }
        }
    }
    Ok(all)
}

/// A hundredth of an accuracy, with its decimal digits: a product with 1e-2 has digits that nobody wrote.
fn two_decades_finer(accuracy: f64) -> f64 {
    let text = format!("{accuracy:e}");
    let shifted = text.split_once('e').and_then(|(digits, exponent)| {
        let exponent: i32 = exponent.parse().ok()?;
        format!("{digits}e{}", exponent - 2).parse().ok()
    });
    // NaN and infinity have no digits.
    shifted.unwrap_or(accuracy)
}

pub(crate) fn run(a: &Arguments) -> Result<bool, Box<dyn Error>> {
    let scene = a.model.load()?;
    let areas = Areas::of(&scene).any();
    if areas && a.laws.is_none() {
        for law in LAWS.into_iter().filter(|law| !takes_areas(law)) {
            say!("note: the law {law} is left out, which takes no contact over areas");
        }
    }
    let finest = two_decades_finer(a.accuracies.iter().copied().fold(1e-3, f64::min));
    let laws = a.laws.as_deref();
    let first = laws.and_then(|l| l.first()).map_or(LAWS[0], String::as_str);
    let controlled = a.accuracies.iter().map(|x| Stepping::accurate(*x));
    let steppings: Vec<Stepping> =
        controlled.chain(a.steps.iter().map(|h| Stepping::Fixed { dt: *h })).collect();
    let mut methods = vec![names::method("icf", Some(first), Stepping::accurate(finest))?];
    for solver in &a.solvers {
        methods.extend(self::methods(solver, (laws, areas), &steppings)?);
    }
    a.model.check_read(&scene, methods.iter().skip(1))?;
    let names: Vec<String> = methods.iter().map(Method::describe).collect();
    let width = names.iter().map(|n| n.chars().count()).max().unwrap_or_default();
    let difference = format!("difference {}", unit_of_positions(&scene));
    say!(
        "{:<width$} {:>17} {:>9} {:>8} {:>9} {:>12} {:>11} {:>11}",
        "method",
        difference,
        "wall s",
        "steps",
        "rejected",
        "iter./sweeps",
        "deepest mm",
        "energy J"
    );
    let (key, mut reference) = (scene.keyframe("home"), None);
    // Positions of every method are compared as those of one model.
    let mut model = methods[0].system(&scene)?;
    for (number, (method, name)) in methods.iter().zip(&names).enumerate() {
        let start = Instant::now();
        let is_first = number == 0;
        let warned = is_first.then(|| methods.iter().find(|m| has_cone(m)).unwrap_or(method));
        let (recording, report) = match run_one(a, &scene, method, warned) {
            Ok(done) => done,
            // Without the first row there is nothing to compare.
            Err(e) if is_first => return Err(e),
            Err(e) => {
                say!("{name:<width$} refused: {e}");
                continue;
            }
        };
        let wall = start.elapsed().as_secs_f64();
        for w in &recording.header.warnings {
            eprintln!("warning: {name}: {w}");
        }
        let r = match report {
            Ok(r) => r,
            Err(e) => {
                say!("{name:<width$} failed: {e}");
                continue;
            }
        };
        let of_end = (0..recording.contact_gap.len()).filter(|k| recording.is_of_end(*k));
        let deepest = of_end.map(|k| recording.contact_gap[k]).fold(0.0, f64::min);
        let [.., kinetic, potential, contact] = recording.energy[..] else { continue };
        let x =
            State { q: recording.q[recording.q.len() - scene.nq()..].to_vec(), ..model.initial_state(key)? };
        let x_reference = reference.get_or_insert_with(|| x.clone());
        say!(
            "{name:<width$} {:>17.3e} {wall:>9.3} {:>8} {:>9} {:>12} {:>11.3} {:>11.4e}",
            model.distance(&x, x_reference),
            r.steps,
            r.rejected,
            r.iterations,
            -1e3 * deepest,
            kinetic + potential + contact
        );
    }
    say!(
        "difference: largest difference of a position coordinate at t = {} s from the first row: m for places and slides, rad for hinges, no unit \
         for entries of unit quaternions (about half the angle). Laws differ in physics: compare rows of one law for the error of the integration. \
         Wall time includes recording.",
        a.time
    );
    Ok(true)
}

/// The run of a method, with its result. `warned`: the method of which warnings of the scene are told first.
fn run_one(
    a: &Arguments,
    scene: &Scene,
    method: &Method,
    warned: Option<&Method>,
) -> Result<(Recording, Result<AdvanceReport, StepError>), Box<dyn Error>> {
    let key = scene.keyframe("home");
    if method.is_affine() {
        let end = key.map_or(0.0, |k| k.time) + a.time;
        let run = run_affine(scene, method, key, end, RunWatch::default())?;
        return Ok((run.recording, run.report));
    }
    let mut sys = method.system(scene)?;
    let mut integrator = method.integrator()?;
    let mut x = sys.initial_state(key)?;
    if let Some(warned) = warned {
        a.model.warn_before_run(scene, &sys, warned);
        warn_of_overlap(scene, &mut sys, &x)?;
        warn_of_relations(scene, &x.q);
    }
    let end = x.t + a.time;
    let mut recorder = Recorder::new(scene, method, &x, sys.held())?;
    let report = integrator.advance(&mut sys, &mut x, end, &mut recorder);
    Ok((recorder.recording, report))
}

#[cfg(test)]
mod tests {
    use super::two_decades_finer;

    #[test]
    fn regression_a_finer_accuracy_keeps_its_digits() {
        for exponent in 0..12 {
            for digits in 1..1000 {
                let accuracy: f64 = format!("{digits}e-{exponent}").parse().unwrap_or_default();
                let expected: f64 = format!("{digits}e-{}", exponent + 2).parse().unwrap_or_default();
                assert_eq!(two_decades_finer(accuracy), expected);
            }
        }
        assert_eq!(format!("{:e}", two_decades_finer(1e-4)), "1e-6");
    }
}
