use signorini_core::na::Vector3;
use signorini_report::claim::number;
use signorini_report::{Claim, Context, Mark, PageError, PageOutput, Plot, Table};
use signorini_run::Method;
use signorini_scene::Scene;

use super::paper_scenes::gripper_lowest;
use super::{ACCURACIES, GRAVITY, Path, modes};
use crate::scenes::areas::{held_peg, rotation, slip};

/// Overlap per side \[m\].
const OVERLAP: f64 = 0.11e-3;
/// Normal force of one finger \[N\]: two fields in series with 5 mm each and 1e7 Pa, over 10 mm × 10 mm.
const SQUEEZE: f64 = 1e7 * OVERLAP / 0.01 * 1e-4;
const FRICTION: f64 = 0.5;
/// Mass of the peg \[kg\].
const MASS: f64 = 1000.0 * 8.0 * 0.00501 * 0.005 * 0.04;
/// Height of the fall \[m\].
const FALL: f64 = 0.18;
/// Time after which a grip counts as settled \[s\].
const SETTLED: f64 = 0.5;
/// Distances above the middle of the peg at which it is held \[m\].
const HELD: [f64; 3] = [0.0, 0.01, 0.03];
/// Height of the fingers before the fall \[m\].
const GRIP: f64 = 0.39;
/// Angle by which the peg leans \[rad\].
const LEAN: f64 = 10.0 / 180.0 * std::f64::consts::PI;
const STICTION: f64 = 1e-4;
/// Width of fingers and peg \[m\].
const WIDTH: f64 = 0.01;
/// Most turn of a grip at rest in 10 s \[°\].
const TURN: f64 = 0.1;

/// Most way along the fingers that friction leaves \[m\]: the gripper rebounds with the speed of its fall at most.
fn most_slip() -> f64 {
    let relative = 2.0 * (2.0 * GRAVITY * FALL).sqrt();
    let deceleration = 2.0 * FRICTION * SQUEEZE / MASS - GRAVITY;
    relative * relative / (2.0 * deceleration)
}

pub(super) fn run(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    out.heading("Peg that the converged solution holds");
    let bound = most_slip();
    out.prose(format!(
        "The gap between the fingers is 9.8 mm in place of 10 mm, so that the overlap is {} mm per side and each finger presses with {} N. Friction of two fingers \
         stops the peg of {} g after {} mm if the gripper rebounds with the speed of its fall, which it does not.",
        number(1e3 * OVERLAP),
        number(SQUEEZE),
        number(1e3 * MASS),
        number(1e3 * bound)
    ));
    let scene = held_peg(ctx)?;
    let mut table = Table::new(
        "The gripper with a gap of 9.8 mm: 2 s from its fall",
        &[
            "mode",
            "accuracy",
            "accepted steps",
            "rejected",
            "Newton iterations",
            "slip of the peg [mm]",
            "turn of the peg [°]",
            "lowest point over the middle of the table [mm]",
        ],
    );
    let mut plot = Plot::new(
        "held_peg",
        "Gap of 9.8 mm: way of the peg down along the fingers, in default mode.",
        "time [s]",
        "slip [mm]",
    );
    let mut film = None;
    for accuracy in ACCURACIES.into_iter().chain([1e-5]) {
        for (mode, method) in modes(accuracy)? {
            ctx.say(format!("held peg, {mode}, {accuracy:e}"));
            let default = mode == "default";
            let mut path = Path::run(&scene, &method, 2.0, default && accuracy == 1e-3, |_| {})?;
            film = film.or(path.motion.take());
            let first = path.q[0].clone();
            let most = path.q.iter().map(|q| slip(&first, q).abs()).fold(0.0, f64::max);
            let turn = rotation(&first[1..]).angle_to(&rotation(&path.q[path.last()][1..]));
            table.row([
                mode.to_owned(),
                format!("{accuracy:e}"),
                path.report.steps.to_string(),
                path.report.rejected.to_string(),
                path.report.iterations.to_string(),
                number(1e3 * most),
                number(turn.to_degrees()),
                format!("{:.1}", 1e3 * path.lowest(gripper_lowest)),
            ]);
            let id = format!("wedged/{}/{accuracy:e}", if default { "default" } else { "paper" });
            let text = format!(
                "peg with a gap of 9.8 mm, accuracy {accuracy:e}, {mode}: it stays wedged through the impact (largest way along the fingers)"
            );
            out.claim(
                Claim::at_most(&id, &text, bound, most, "m")
                    .rule(&format!(
                        "at most {} mm, (2 v)²/(2 a) with the speed v of the fall and the deceleration a by friction",
                        number(1e3 * bound)
                    ))
                    .required(),
            );
            if default {
                let curve = path.curve(|q, _| 1e3 * slip(&first, q));
                plot.add(&format!("accuracy {accuracy:e}"), Mark::Line, curve);
            }
        }
    }
    if let Some(film) = film {
        out.film(film.attachment("held_peg"), "The gripper with a gap of 9.8 mm, accuracy 1e-3");
    }
    out.plot(plot);
    out.table(table);
    rest(ctx, &scene, out)
}

/// Creep of a grip \[rad/s\] whose peg hangs from a distance above its middle, while it leans by θ.
///
/// The area of a finger of width a and a peg of width a is a²/cos θ. Its normal force N = N₀/cos θ has ⟨r²⟩ = a²/(6 cos² θ), and the energy of both sides is N₀ δ/cos θ with the overlap δ. The moment is that of the weight and the slope
/// of the energy by θ; regularised friction balances it by 2 μ N ⟨r²⟩ ω/v_s.
fn creep(off: f64) -> f64 {
    let (sin, cos) = LEAN.sin_cos();
    let moment = MASS * GRAVITY * off * sin + SQUEEZE * OVERLAP * sin / (cos * cos);
    moment * STICTION * cos.powi(3) / (2.0 * FRICTION * SQUEEZE * WIDTH * WIDTH / 6.0)
}

/// The peg is held at rest at distances from its middle and turns by the creep of friction alone.
fn rest(ctx: &Context, scene: &Scene, out: &mut PageOutput) -> Result<(), PageError> {
    let time = ctx.sized([2.0, 10.0, 10.0]);
    out.heading("Grip at rest");
    out.prose(format!(
        "The gripper of the last section stands on the table. The peg leans by θ = 10° and is held at its middle, 10 mm above it and 30 mm above it, \
         which is the distance in the file. Regularised friction resists a slow turn with the moment 2 μ N ⟨r²⟩ ω/v_s, with the stiction speed \
         v_s = {STICTION:e} m/s and the mean square ⟨r²⟩ of the distance from the middle of the area, so that the grip creeps. Two moments drive it: that of the \
         weight, and that of the pinched area, whose energy grows with the area as 1/cos θ. \
         The turn is measured from {SETTLED} s on, over {time} s, and told per 10 s."
    ));
    let mut plot = Plot::new(
        "grip",
        "Turn of a held peg since 0.5 s, with accuracy 1e-3. Closed form: the creep of regularised friction.",
        "time [s]",
        "turn [°]",
    );
    let mut table = Table::new(
        "Turn of a held peg per 10 s",
        &["held above the middle [mm]", "method", "turn [°]", "closed form of the creep [°]"],
    );
    let methods = [
        ("1e-1", "error control, 1e-1", Method::cenic(1e-1)),
        ("1e-3", "error control, 1e-3", Method::cenic(1e-3)),
        ("icf", "ICF, 10 ms", Method::icf().with_step(1e-2)),
    ];
    let mut closed = Vec::new();
    for off in HELD {
        // Methods agree, so that one of them tells of the other distances.
        for (id, name, method) in methods.iter().filter(|m| off == 0.0 || m.0 == "1e-3") {
            ctx.say(format!("grip at rest, {} mm, {name}", 1e3 * off));
            let path = Path::run(scene, method, SETTLED + time, false, |x| {
                // The post stands on the table, and the fingers hold the peg.
                x.q[0] = -FALL;
                let down = rotation(&x.q[1..]) * Vector3::new(0.0, 0.0, -off);
                let place = Vector3::new(0.0, 0.045, GRIP - FALL) + down;
                x.q[1..4].copy_from_slice(place.as_slice());
            })?;
            let from = path.t.partition_point(|t| *t < SETTLED).min(path.last());
            let start = rotation(&path.q[from][1..]);
            let turn = |q: &[f64]| start.angle_to(&rotation(&q[1..])).to_degrees();
            let span = path.t[path.last()] - path.t[from];
            let most = path.q[from..].iter().map(|q| turn(q)).fold(0.0, f64::max) * 10.0 / span;
            let predicted = 10.0 * creep(off).to_degrees();
            table.row([number(1e3 * off), (*name).to_owned(), number(most), number(predicted)]);
            let key = format!("grip/{}mm/{id}", 1e3 * off);
            let text = format!(
                "grip at rest, held {} mm above its middle ({name}): turn of the peg, per 10 s",
                1e3 * off
            );
            let why = format!(
                "Regularised friction with the stiction speed of the file creeps by {}° in 10 s by its closed form.",
                number(predicted)
            );
            out.claim(
                Claim::at_most(&key, &text, TURN, most, "°")
                    .required_since("a tenth of a degree in 10 s")
                    .because(&why),
            );
            let text = format!(
                "grip at rest, held {} mm above its middle ({name}): turn by its creep, per 10 s",
                1e3 * off
            );
            out.claim(
                Claim::relative(&format!("{key}/creep"), &text, predicted, most, 0.05, "°")
                    .required_since("the closed form leaves out the rim of the area, about 1 % of it, and the change of the lean"),
            );
            if *id == "1e-3" {
                let first = path.t[from];
                let curve = path.curve(|q, _| turn(q));
                let late = curve.into_iter().filter(|p| p.0 >= first);
                plot.add(&format!("held {} mm above", number(1e3 * off)), Mark::Line, late.collect());
                let rate = creep(off).to_degrees();
                closed.push([first, path.t[path.last()]].map(|t| (t, rate * (t - first))).to_vec());
            }
        }
    }
    for line in closed {
        plot.add_closed_form(line);
    }
    out.plot(plot);
    out.table(table);
    Ok(())
}
