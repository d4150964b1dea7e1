use signorini_core::na::{UnitQuaternion, Vector3};
use signorini_geometry::Shape;
use signorini_scene::{Pose, Scene};

use super::G;
use super::family::{Family, rule};
use crate::scenes::{Stage, rigid, soft};
use signorini_report::{Context, Mark, Page, PageError, PageOutput, Plot};
use signorini_run::Method;
use signorini_run::trace::Run;

/// A block on a slope: sticks, slides, stops, turns.
pub(super) struct BlockOnIncline;

const STIFFNESS: f64 = 1e6;
const DISSIPATION: f64 = 20.0;
const STICTION: f64 = 1e-5;
const STEP: f64 = 5e-4;
const HALF: [f64; 3] = [0.1, 0.1, 0.02];

/// (slope \[deg\], μ, initial speed downhill \[m/s\]).
const CASES: [(f64, f64, f64); 13] = [
    (20.0, 0.5, 0.0),
    (30.0, 0.5, 0.0),
    (26.0, 0.5, 0.0),
    (27.0, 0.5, 0.0),
    (30.0, 0.577, 0.0),
    (45.0, 0.8, 0.0),
    (0.0, 0.3, 2.0),
    (10.0, 0.4, 1.5),
    (20.0, 0.6, 3.0),
    (35.0, 0.2, 1.0),
    (20.0, 0.6, -2.0),
    (30.0, 0.3, -3.0),
    (15.0, 0.0, 0.0),
];

/// Displacement and velocity after `t` seconds of constant friction with sticking, positive downhill.
fn slide(theta: f64, mu: f64, v0: f64, t: f64) -> (f64, f64) {
    let (s, c) = (theta.sin(), theta.cos());
    let holds = mu * c >= s;
    if v0 < 0.0 {
        let brake = G * (s + mu * c);
        let turn = -v0 / brake;
        if t < turn {
            return (v0 * t + 0.5 * brake * t * t, v0 + brake * t);
        }
        let (x, v) = slide(theta, mu, 0.0, t - turn);
        return (x + 0.5 * v0 * turn, v);
    }
    if v0 == 0.0 && holds {
        return (0.0, 0.0);
    }
    let a = G * (s - mu * c);
    let stop = if a < 0.0 { -v0 / a } else { f64::INFINITY };
    let t = t.min(stop);
    (v0 * t + 0.5 * a * t * t, if t == stop { 0.0 } else { v0 + a * t })
}

/// A block of 1 kg on a slope that falls along +x, resting at its static depth; the downhill direction.
pub(super) fn block(theta: f64, mu: f64, half: [f64; 3]) -> (Scene, Vector3<f64>) {
    let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), theta);
    let mut s = Stage::new("block on incline", STICTION);
    let floor = Pose::from_parts(Vector3::zeros().into(), turn);
    s.shape(0, floor, Shape::HalfSpace, &rigid(mu));
    let h = Vector3::from(half);
    let depth = G * theta.cos() / (4.0 * STIFFNESS);
    let at = turn * Vector3::new(0.0, 0.0, h.z - depth);
    let sq = h.component_mul(&h);
    let inertia = Vector3::new(sq.y + sq.z, sq.x + sq.z, sq.x + sq.y) / 3.0;
    let b = s.free("block", Pose::from_parts(at.into(), turn), 1.0, inertia);
    let surface = soft(STIFFNESS, DISSIPATION, mu);
    s.shape(b, Pose::identity(), Shape::Box { half_extents: h }, &surface);
    (s.scene(), turn * Vector3::x())
}

impl Page for BlockOnIncline {
    fn id(&self) -> &'static str {
        "analytic/block_on_incline"
    }
    fn title(&self) -> &'static str {
        "Block on a slope"
    }
    fn lead(&self) -> &'static str {
        "A block on a slope sticks below the friction angle and slides above it, with the distance and time that Coulomb friction gives."
    }
    fn cost(&self) -> [f64; 3] {
        [0.3, 0.3, 5.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut f = Family::new(
            ctx,
            "block_on_incline",
            "Forces and motion of a block on a slope, over T = 1 s and over L = 2 m",
        );
        let mut plot = Plot::new(
            "displacement",
            "Displacement of the block downhill over time. The dashed lines are the closed form.",
            "time [s]",
            "displacement downhill [m]",
        );
        let method = Method::icf().with_step(STEP);
        for (i, (deg, mu, v0)) in CASES.into_iter().enumerate() {
            let theta = deg.to_radians();
            let case = format!("{deg}°, μ = {mu}, v₀ = {v0} m/s");
            ctx.say(case.clone());
            let (scene, down) = block(theta, mu, HALF);
            let trace =
                Run::new(&scene, &method, 1.0).trace(|_, x| (0..3).for_each(|k| x.v[k] = v0 * down[k]))?;
            let from = trace.q3(0.0, 0).dot(&down);
            let (x, v) = slide(theta, mu, v0, 1.0);
            let moved = trace.q3(1.0, 0).dot(&down) - from;
            let speed = trace.v3(1.0, 0).dot(&down);
            let force = trace.force(trace.len() - 1, |_| true);
            let normal = G * theta.cos();
            let holds = mu >= theta.tan();
            // A regularised stick creeps at the speed at which friction balances the slope.
            let ratio: f64 = if mu > 0.0 { theta.tan() / mu } else { 2.0 };
            let creep = if holds { STICTION * ratio / (1.0 - ratio * ratio).sqrt() } else { 0.0 };
            // Way of the block without friction.
            let free = v0.abs() + 0.5 * G * theta.sin();
            if v0 == 0.0 && holds {
                f.compare(&case, "stick", [0.0, moved], 1.0);
                f.compare(&case, "creep speed", [creep, speed], creep);
            } else {
                f.compare(&case, "displacement", [x, moved], free);
                let scale = v0.abs() + G * theta.sin();
                f.compare(&case, "speed", [v, speed], scale);
            }
            f.relative(&case, "normal force", normal, (force - force.dot(&down) * down).norm());
            if v0 == 0.0 {
                let friction = (mu * normal).min(G * theta.sin());
                f.compare(&case, "friction force", [friction, -force.dot(&down)], normal);
            }
            let inputs = [("theta_deg", deg), ("mu", mu), ("v0_downhill", v0)];
            f.theory(&inputs, &[("normal_force", normal), ("displacement_at_T", x)]);
            let a = G * (theta.sin() - mu * theta.cos());
            if v0 == 0.0 && !holds {
                let time = (4.0 / a).sqrt();
                f.theory(&inputs, &[("time_to_travel_L", time), ("speed_after_L", (4.0 * a).sqrt())]);
                if time < 10.0 || ctx.full() {
                    let d = down;
                    let far = Run::new(&scene, &method, 1.1 * time)
                        .until(move |x| x.q[0] * d.x + x.q[2] * d.z - from > 2.0)
                        .trace(|_, _| {})?;
                    f.relative(&case, "time to travel", time, far.t[far.len() - 1]);
                }
            }
            if matches!(i, 1 | 6 | 8 | 10 | 11) {
                let color = plot.series.len() / 2;
                let measured = trace.curve(200, |r, k| r.q3(r.t[k], 0).dot(&down) - from);
                let exact = measured.iter().map(|p| (p.0, slide(theta, mu, v0, p.0).0)).collect();
                plot.add_colored(&case, Mark::Line, color, measured);
                plot.add_closed_form(exact);
            }
        }
        let mut out = PageOutput::new([
            format!("The block has a mass of 1 kg and half extents of {HALF:?} m. It is a box on a half-space that is really tilted. It starts at \
                its static depth."),
            format!("The stiffness is {STIFFNESS:e} N/m per corner and the dissipation is {DISSIPATION} s/m. The regularisation speed of friction \
                is v_s = {STICTION:e} m/s. The time steps are fixed with {STEP} s."),
            "A block that sticks under regularised friction creeps at the speed v_s r/√(1 − r²), where r is the needed friction over the bound of \
             friction. The table compares the measured speed with this creep speed. Coulomb's law gives zero.".to_owned(),
            "At 30° and μ = 0.577 weight and friction cancel, but for 6e-4 of either. The block must first reach some 30 v_s before friction is \
             within 6e-4 of its bound. From then on it is 4e-4 m/s faster than the closed form.".to_owned(),
        ]);
        out.plot(plot);
        f.finish(
            &mut out,
            &[
                rule(
                    "displacement",
                    "displacement after 1 s, error relative to the displacement without friction",
                    5e-3,
                    "the error comes from time steps of first order, δt/T = 5e-4",
                ),
                rule(
                    "speed",
                    "speed after 1 s, error relative to the speed without friction",
                    3e-4,
                    "the error is 4e-4 of 5 m/s where the block needs 30 v_s before friction is near its bound, and a stopped block creeps at v_s",
                ),
                rule(
                    "stick",
                    "displacement of a block that sticks, less than 0.1 mm in 1 s [m]",
                    1e-4,
                    "the displacement is the creep of the regularised friction, 4.4 v_s at the edge of sticking",
                ),
                rule(
                    "creep speed",
                    "creep speed where a block sticks under Coulomb's law, v_s r/√(1 − r²), relative error",
                    3e-4,
                    "the expected value is the prediction of the regularised law itself, and the error is what remains of the approach to it after \
                     1 s",
                ),
                rule(
                    "normal force",
                    "normal force, relative error",
                    1e-7,
                    "the compliant contact is in static equilibrium, and the bound is ten times the solver's tolerance of 1e-8",
                ),
                rule(
                    "friction force",
                    "friction force, error relative to the normal force",
                    1e-5,
                    "the error of the regularised friction is ½ (v_s/v)², which is 4e-6 for the slowest block with 3.4 mm/s",
                ),
                rule(
                    "time to travel",
                    "time to slide 2 m, relative error",
                    if ctx.full() { 5e-3 } else { 5e-4 },
                    "the error is a time step of 5e-4 s in 1.3 s, and with the option --full it is 4e-4 m/s for 37 s in the case where weight and \
                     friction nearly cancel",
                ),
            ],
        );
        Ok(out)
    }
}
