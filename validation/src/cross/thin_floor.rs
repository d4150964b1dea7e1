use signorini_core::na::Vector3;
use signorini_geometry::Shape;
use signorini_scene::{Pose, Scene};

use crate::scenes::{Stage, rigid, soft};
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};
use signorini_run::Method;
use signorini_run::trace::Run;

/// A ball dropped onto a thin floor: with the speculative margin no impact is missed.
pub(super) struct ThinFloor;

const RADIUS: f64 = 0.05;
const THICK: f64 = 0.1;
const HEIGHT: f64 = 1.0;
const STIFFNESS: f64 = 1e6;
const DISSIPATION: f64 = 10.0;
const SPEED: f64 = 4.429_446_918_070_02;

/// (accuracy, deepest accepted state of Drake 1.51.1 \[m\]; None: through the floor).
const ACCURACIES: [(f64, Option<f64>); 5] =
    [(1e-1, None), (1e-2, None), (1e-3, Some(3.5e-3)), (1e-4, Some(3.0e-3)), (1e-5, Some(0.95e-3))];

fn scene() -> Scene {
    let mut s = Stage::new("thin floor", 1e-4);
    let floor = Shape::Box { half_extents: Vector3::new(1.0, 1.0, 0.5 * THICK) };
    s.shape(0, Pose::translation(0.0, 0.0, -0.5 * THICK), floor, &rigid(0.5));
    let m = 1.0;
    let at = Vector3::new(0.0, 0.0, RADIUS + HEIGHT);
    let b = s.free("ball", at.into(), m, Vector3::repeat(0.4 * m * RADIUS * RADIUS));
    s.shape(b, Pose::identity(), Shape::Sphere { radius: RADIUS }, &soft(STIFFNESS, DISSIPATION, 0.5));
    s.scene()
}

impl Page for ThinFloor {
    fn id(&self) -> &'static str {
        "cross/thin_floor"
    }
    fn title(&self) -> &'static str {
        "Ball dropped onto a thin floor"
    }
    fn lead(&self) -> &'static str {
        "A ball falls fast onto a thin floor and must stay on top of it."
    }
    fn cost(&self) -> [f64; 3] {
        [0.1, 0.1, 0.1]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let scene = scene();
        // Depth at which the Hunt–Crossley contact has taken up the impact, gravity aside.
        let dv = DISSIPATION * SPEED;
        let physical = (2.0 / STIFFNESS * (SPEED / DISSIPATION - dv.ln_1p() / DISSIPATION.powi(2))).sqrt();
        let mut plot = Plot::new(
            "height",
            "Height of the ball's lowest point at every accepted state, with accuracy 1e-1 and 1e-3. The lower side of the floor is at −0.1 m.",
            "time [s]",
            "height [m]",
        );
        plot.y_range = Some([-1.2, 1.1]);
        let mut table = Table::new(
            "Largest penetration depth of the accepted states within 1 s",
            &[
                "accuracy",
                "depth with margin [mm]",
                "steps with margin",
                "depth without margin [mm]",
                "steps without margin",
                "depth in Drake 1.51.1 [mm]",
            ],
        );
        let mut claims = Vec::new();
        let mut without = Vec::new();
        for (accuracy, drake) in ACCURACIES {
            ctx.say(format!("accuracy {accuracy:e}"));
            let mut cells = vec![format!("{accuracy:e}")];
            for paper in [false, true] {
                let method = Method::cenic(accuracy);
                let method = if paper { method.in_paper_mode()? } else { method };
                let trace = Run::new(&scene, &method, 1.0).trace(|_, _| {})?;
                let deepest = trace.q.iter().map(|q| RADIUS - q[2]).fold(0.0, f64::max);
                let end = trace.q[trace.len() - 1][2] - RADIUS;
                let through = end < -THICK;
                cells.push(if through {
                    "through the floor".into()
                } else {
                    format!("{:.3}", 1e3 * deepest)
                });
                cells.push(trace.report.steps.to_string());
                if accuracy == 1e-1 || (accuracy == 1e-3 && !paper) {
                    let name = if paper { "without margin" } else { "with margin" };
                    let points = trace.curve(2000, |r, i| r.q[i][2] - RADIUS);
                    plot.add(&format!("{name}, accuracy {accuracy:e}"), Mark::LinePoints, points);
                }
                if paper {
                    without.push(through);
                    continue;
                }
                let id = format!("stays/{accuracy:e}");
                let claim = format!(
                    "the ball stays on top of the floor at accuracy {accuracy:e}: largest penetration depth of the accepted states"
                );
                claims.push(
                    Claim::decided(&id, &claim, !through && deepest < 0.5 * THICK)
                        .values("< 50".into(), format!("{:.3}", 1e3 * deepest), "mm")
                        .rule("the lowest point stays above the middle of the floor in every accepted state")
                        .required(),
                );
                if let Some(d) = drake {
                    let claim = format!(
                        "the largest penetration depth at accuracy {accuracy:e} is at most that of Drake 1.51.1"
                    );
                    let id = format!("depth/{accuracy:e}");
                    claims.push(Claim::at_most(&id, &claim, 1e3 * d, 1e3 * deepest, "mm"));
                }
            }
            cells.push(drake.map_or("through the floor".into(), |d| format!("{:.2}", 1e3 * d)));
            table.row(cells);
        }
        let name = |t: bool| if t { "through the floor" } else { "on top" };
        claims.push(
            Claim::decided("without", "the ball falls through the floor at accuracy 1e-1 when the margin is off", without[0])
                .values(name(true).into(), name(without[0]).into(), "")
                .rule("yes or no. Step doubling asks for the geometry only at the start and in the middle of a step, so that a long step may miss \
                    the floor. At 1e-2 the result depends on the times of the steps."),
        );
        let mut out = PageOutput::new([
            format!("The ball has a mass of 1 kg and a radius of {RADIUS} m. It is dropped from {HEIGHT} m above the floor, which is a box with a \
                thickness of {THICK} m. The stiffness is k = {STIFFNESS:e} N/m and the dissipation is d = {DISSIPATION} s/m."),
            "Error control by step doubling asks for the geometry at the start and in the middle of a step. If both show no contact, the full step \
             and the two half steps are one free flight. A long step may then run through the impact.".to_owned(),
            "The speculative margin keeps pairs of bodies whose gap can close within the step. The runs without margin have the settings of the \
             paper.".to_owned(),
            format!("The compliance of the contact alone gives a penetration depth of {:.2} mm.", 1e3 * physical),
        ]);
        out.plot(plot);
        out.extend(claims);
        out.table(table);
        Ok(out)
    }
}
