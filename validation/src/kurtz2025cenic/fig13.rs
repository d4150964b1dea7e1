use signorini_core::na::{Point3, Vector3};
use signorini_core::{AcceptedStep, State, StepObserver};
use signorini_geometry::{Shape, SignedDistance};
use signorini_multibody::{ForceField, Kinematics, Model};
use signorini_report::claim::number;
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};
use signorini_run::Method;
use signorini_scene::Scene;

use super::failed;
use crate::motion::{Filmed, Motion};
use crate::scenes::areas::load;

/// Fig. 13: a vacuum gripper.
pub(super) struct Fig13;

/// Suction of a bellows at contact \[N\], and the distance at which it ends \[m\].
const SUCTION: f64 = 50.0;
const REACH: f64 = 0.04;
/// Bellows, and half the height of one \[m\].
const CUPS: usize = 6;
const HALF: f64 = 0.0075;
/// Half extents of the box \[m\] and its mass \[kg\].
const BOX: [f64; 3] = [0.079, 0.1037, 0.0329];
const MASS: f64 = 0.411;
const GRAVITY: f64 = 9.81;
/// Height of the lower face of the base \[m\].
const BASE: f64 = 0.49;
/// Length of a run \[s\], and the time from which on the box counts as held.
const TIME: [f64; 2] = [1.0, 0.5];
const FILMED: f64 = 1e-3;
/// Reason for which the box squeezes the bellows in paper mode.
const MISSED: &str = "The settings of the paper have no speculative margin: the box runs over the bellows in one step, before their geometry is asked for (page cross/thin_floor).";

/// Distance of a point from the box, with the normal in the frame of that.
fn from_box(box_pose: &signorini_scene::Pose, p: &Point3<f64>) -> Option<SignedDistance> {
    let shape = Shape::Box { half_extents: Vector3::from(BOX) };
    shape.signed_distance(&box_pose.inverse_transform_point(p).coords)
}

/// Suction of one bellows whose tip is at `tip`: the point of the box nearest to it and the force there.
fn suction(box_pose: &signorini_scene::Pose, tip: &Point3<f64>) -> Option<(Point3<f64>, Vector3<f64>)> {
    let d = from_box(box_pose, tip)?;
    let outward = box_pose.rotation * d.normal;
    // Where the tip is within the box, as far as its softness goes, suction is that at contact.
    let size = SUCTION * (1.0 - d.distance / REACH).clamp(0.0, 1.0);
    (size > 0.0).then(|| (tip - outward * d.distance, outward * size))
}

/// Middle of the lower face of a bellows.
fn tip(kin: &Kinematics, body: usize) -> Point3<f64> {
    kin.x_wb[body] * Point3::new(0.0, 0.0, -HALF)
}

/// Suction of all bellows on the box, whose reaction the base takes.
fn field(cups: Vec<usize>, packet: usize) -> ForceField {
    Box::new(move |model, kin, _, _, f| {
        for cup in &cups {
            let Some((at, force)) = suction(&kin.x_wb[packet], &tip(kin, *cup)) else { continue };
            kin.for_columns(model, packet, &at, |i, l, _| f[i] += l.dot(&force));
        }
    })
}

/// What is seen of the accepted states.
struct Watch {
    model: Model,
    kin: Kinematics,
    packet: usize,
    cups: Vec<usize>,
    /// Time, height of the box, largest distance of a tip from it \[m\], tilt \[rad\].
    rows: Vec<[f64; 4]>,
}

impl Watch {
    fn see(&mut self, x: &State) {
        self.kin.set_positions(&self.model, &x.q, &[]);
        let pose = self.kin.x_wb[self.packet];
        let gap = |cup: &usize| from_box(&pose, &tip(&self.kin, *cup)).map_or(f64::NAN, |d| d.distance);
        let far = self.cups.iter().map(gap).fold(f64::NEG_INFINITY, f64::max);
        self.rows.push([x.t, pose.translation.vector.z, far, pose.rotation.angle()]);
    }
}

impl StepObserver for Watch {
    fn accepted(&mut self, step: &AcceptedStep<'_>) {
        self.see(step.x1);
    }
}

/// A run from the start, and the force of contact on the box at its end \[N\].
struct Held {
    rows: Vec<[f64; 4]>,
    steps: u64,
    rejected: u64,
    iterations: u64,
    /// Suction at the end \[N\].
    pull: f64,
    /// Vertical speed of the box \[m/s\].
    speed: f64,
}

fn hold(scene: &Scene, method: &Method, motion: Option<&mut Motion>) -> Result<Held, PageError> {
    let mut sys = method.system(scene).map_err(failed)?;
    let body = |name: &str| {
        scene.bodies.iter().position(|b| b.name == name).ok_or_else(|| failed(format!("no body '{name}'")))
    };
    let packet = body("box")?;
    let cups = (0..CUPS).map(|i| body(&format!("cup{}{}", i % 3, i / 3))).collect::<Result<Vec<_>, _>>()?;
    sys.set_force_field(Some(field(cups.clone(), packet)));
    let mut x = sys.initial_state(scene.keyframes.first()).map_err(failed)?;
    let model = sys.model().clone();
    let mut watch = Watch { kin: Kinematics::new(&model), model, packet, cups, rows: Vec::new() };
    watch.see(&x);
    let mut integrator = method.integrator().map_err(failed)?;
    let mut observer = Filmed { observer: &mut watch, motion };
    let report = integrator.advance(&mut sys, &mut x, TIME[0], &mut observer).map_err(failed)?;
    let pulls = watch.cups.iter().filter_map(|c| suction(&watch.kin.x_wb[packet], &tip(&watch.kin, *c)));
    Ok(Held {
        pull: pulls.map(|(_, f)| f.z).sum(),
        speed: x.v[CUPS + 2],
        steps: report.steps,
        rejected: report.rejected,
        iterations: report.iterations,
        rows: watch.rows,
    })
}

impl Page for Fig13 {
    fn id(&self) -> &'static str {
        "kurtz2025cenic/fig13"
    }
    fn title(&self) -> &'static str {
        "Vacuum gripper"
    }
    fn lead(&self) -> &'static str {
        "Six bellows on soft springs hold a packet by suction. The bellows weigh 47 mg each, and the packet is pressed on them with 300 N."
    }
    fn cost(&self) -> [f64; 3] {
        [3.0, 5.0, 5.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut out = PageOutput::new([
            "The scene is `models/areas/vacuum_gripper.xml`: a base, 3 × 2 bellows of radius 10 mm, length 15 mm and density 10 kg/m³, each on a \
             spring of 1 N/m with a damper of 1 N·s/m whose rest is 20 mm below the base, and a box of the size and mass of a packet of crackers. \
             Places of the bellows under the base are ours. All surfaces are compliant with a modulus of 1e7 Pa.",
            "Each bellows pulls at the nearest point of the box, with 50 N at contact and nothing from 40 mm on, linear in between. The text of the paper \
             names a force inverse to the distance; the numbers are those of the authors' code. The base takes the reaction. The force is one of the user's own \
             (`RigidSystem::set_force_field`), which a step takes at its start.",
        ]);
        let mut scene = load(ctx, "models/areas/vacuum_gripper.xml")?;
        for geom in scene.geoms.iter_mut().filter(|g| g.name.starts_with("cup")) {
            geom.rgba = [0.85, 0.40, 0.15, 1.0];
        }
        let mut table = Table::new(
            "One second from the start, box at rest 2 mm below the bellows",
            &[
                "mode",
                "accuracy",
                "accepted steps",
                "rejected",
                "Newton iterations",
                "height of the box at the end [mm]",
                "highest face of the box below the base, least [mm]",
                "suction at the end [N]",
                "tilt [°]",
            ],
        );
        let mut plot = Plot::new(
            "height",
            "Height of the middle of the box, in default mode.",
            "time [s]",
            "height [m]",
        );
        let mut film = None;
        for accuracy in [1e-1, 1e-2, 1e-3, 1e-4] {
            for paper in [false, true] {
                let mode = if paper { "paper mode" } else { "default" };
                ctx.say(format!("{mode}, {accuracy:e}"));
                let method = Method::cenic(accuracy);
                let method = if paper { method.in_paper_mode().map_err(failed)? } else { method };
                let filmed = !paper && accuracy == FILMED;
                let mut motion = filmed.then(|| Motion::of_keyframe(&scene, &method, TIME[0])).transpose()?;
                let held = hold(&scene, &method, motion.as_mut())?;
                film = film.or(motion);
                let late = || held.rows.iter().filter(|r| r[0] >= TIME[1]);
                let far = late().map(|r| r[2]).fold(f64::NEG_INFINITY, f64::max);
                let room = held.rows.iter().map(|r| BASE - r[1] - BOX[2]).fold(f64::INFINITY, f64::min);
                let last = held.rows[held.rows.len() - 1];
                table.row([
                    mode.to_owned(),
                    format!("{accuracy:e}"),
                    held.steps.to_string(),
                    held.rejected.to_string(),
                    held.iterations.to_string(),
                    format!("{:.3}", 1e3 * last[1]),
                    format!("{:.3}", 1e3 * room),
                    number(held.pull),
                    number(last[3].to_degrees()),
                ]);
                let id = format!("{}/{accuracy:e}", if paper { "paper" } else { "default" });
                let name = format!("{mode}, accuracy {accuracy:e}");
                out.claim(
                    Claim::at_most(
                        &format!("held/{id}"),
                        &format!("{name}: the box is held from 0.5 s on (largest distance of a tip from it)"),
                        1e-3,
                        far,
                        "m",
                    )
                    .required_since("a millimetre, where the suction ends at 40 mm"),
                );
                out.claim(
                    Claim::at_least(&format!("room/{id}"), &format!("{name}: the box does not squeeze the bellows flat (least room between box and base)"), HALF, room, "m")
                        .required_since("half the length of a bellows, in every accepted state")
                        .because(if paper { MISSED } else { "" }),
                );
                out.claim(
                    Claim::at_most(
                        &format!("rest/{id}"),
                        &format!("{name}: the box is at rest at the end (vertical speed)"),
                        1e-3,
                        held.speed.abs(),
                        "m/s",
                    )
                    .required_since("a tenth of a millimetre in a tenth of a second"),
                );
                if !paper {
                    plot.add(
                        &format!("accuracy {accuracy:e}"),
                        Mark::Line,
                        held.rows.iter().map(|r| (r[0], r[1])).collect(),
                    );
                }
            }
        }
        out.prose(format!("The weight of the box is {} N.", number(MASS * GRAVITY)));
        if let Some(film) = film {
            out.film(
                film.attachment("vacuum gripper"),
                "The packet is drawn to the bellows and held, accuracy 1e-3",
            );
        }
        out.plot(plot);
        out.table(table);
        Ok(out)
    }
}
