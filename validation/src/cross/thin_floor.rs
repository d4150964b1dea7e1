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
        "A ball dropped onto a thin floor stays on top"
    }
    fn lead(&self) -> &'static str {
        "A ball falls fast onto a floor of 1 cm and must stay on top of it."
    }
    fn cost(&self) -> [f64; 3] {
        [0.5, 0.5, 0.5]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let scene = scene();
        // Depth at which the Hunt–Crossley contact has taken up the impact, gravity aside.
        let dv = DISSIPATION * SPEED;
        let physical = (2.0 / STIFFNESS * (SPEED / DISSIPATION - dv.ln_1p() / DISSIPATION.powi(2))).sqrt();
        let mut plot = Plot::new(
            "height",
            "Height of the ball's lowest point at accuracy 1e-1 and 1e-3, every accepted state. The floor ends 0.1 m below.",
            "time [s]",
            "height [m]",
        );
        plot.y_range = Some([-1.2, 1.1]);
        let mut table = Table::new(
            "Deepest accepted state within 1 s",
            &["accuracy", "with margin [mm]", "steps", "without margin [mm]", "steps", "Drake 1.51.1 [mm]"],
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
                let claim = format!("at accuracy {accuracy:e} the ball stays on top: deepest accepted state");
                claims.push(
                    Claim::decided(&id, &claim, !through && deepest < 0.5 * THICK)
                        .values("< 50".into(), format!("{:.3}", 1e3 * deepest), "mm")
                        .rule("required: above the middle of the floor in every accepted state"),
                );
                if let Some(d) = drake {
                    let claim = format!("at accuracy {accuracy:e} no deeper than Drake 1.51.1");
                    let id = format!("depth/{accuracy:e}");
                    claims.push(Claim::at_most(&id, &claim, 1e3 * d, 1e3 * deepest, "mm"));
                }
            }
            cells.push(drake.map_or("through the floor".into(), |d| format!("{:.2}", 1e3 * d)));
            table.row(cells);
        }
        let name = |t: bool| if t { "through the floor" } else { "on top" };
        claims.push(
            Claim::decided("without", "at accuracy 1e-1 the ball falls through when the margin is off", without[0])
                .values(name(true).into(), name(without[0]).into(), "")
                .rule("yes or no, as queries at the start and in the middle of a step imply; at 1e-2 it depends on where the steps happen to fall"),
        );
        let mut out = PageOutput::new([format!(
            "Ball: 1 kg, radius {RADIUS} m, dropped from {HEIGHT} m above the floor, a box {THICK} m thick; k = {STIFFNESS:e} N/m, d = {DISSIPATION} s/m. Step doubling asks for the \
             geometry at the start and in the middle of a step; when both show no contact, full and half steps are the same free flight, and a long step may run through the \
             impact. The speculative margin keeps pairs whose gap can close within the step. The contact alone would let the ball in by {:.2} mm.",
            1e3 * physical
        )]);
        out.plot(plot);
        out.extend(claims);
        out.table(table);
        Ok(out)
    }
}
