use signorini_core::na::{UnitQuaternion, Vector3};
use signorini_geometry::Shape;
use signorini_scene::{Pose, Scene};

use super::G;
use super::family::{Family, rule};
use crate::scenes::{Stage, rigid, soft};
use signorini_report::{Context, Mark, Page, PageError, PageOutput, Plot};
use signorini_run::Method;
use signorini_run::trace::Run;

/// Spheres, cylinders and rings that slide into rolling, and that roll or slide down a slope.
pub(super) struct Rolling;

const STIFFNESS: f64 = 1e6;
const DISSIPATION: f64 = 20.0;
const STICTION: f64 = 1e-4;
const STEP: f64 = 2e-4;

/// A round body: kind, β = I/(m r²), radius, mass.
#[derive(Clone, Copy)]
struct Round {
    name: &'static str,
    beta: f64,
    radius: f64,
    mass: f64,
}

/// (body, μ, v₀, ω₀ in the rolling sense).
const SLIDES: [(Round, f64, f64, f64); 7] = [
    (Round { name: "solid sphere", beta: 0.4, radius: 0.1, mass: 1.0 }, 0.3, 2.0, 0.0),
    (Round { name: "solid sphere", beta: 0.4, radius: 0.05, mass: 0.2 }, 0.1, 1.0, 0.0),
    (Round { name: "solid sphere", beta: 0.4, radius: 0.1, mass: 1.0 }, 0.5, 0.0, 30.0),
    (Round { name: "solid sphere", beta: 0.4, radius: 0.1, mass: 1.0 }, 0.2, 1.0, -20.0),
    (Round { name: "hollow sphere", beta: 2.0 / 3.0, radius: 0.1, mass: 0.5 }, 0.3, 2.0, 0.0),
    (Round { name: "solid cylinder", beta: 0.5, radius: 0.08, mass: 1.0 }, 0.4, 1.5, 0.0),
    (Round { name: "thin ring", beta: 1.0, radius: 0.1, mass: 0.3 }, 0.25, 2.5, 0.0),
];

/// (body, slope \[deg\], μ).
const SLOPES: [(Round, f64, f64); 6] = [
    (Round { name: "solid sphere", beta: 0.4, radius: 0.1, mass: 1.0 }, 20.0, 0.5),
    (Round { name: "solid sphere", beta: 0.4, radius: 0.1, mass: 1.0 }, 45.0, 0.2),
    (Round { name: "hollow sphere", beta: 2.0 / 3.0, radius: 0.1, mass: 1.0 }, 30.0, 0.2),
    (Round { name: "solid cylinder", beta: 0.5, radius: 0.1, mass: 1.0 }, 30.0, 0.3),
    (Round { name: "thin ring", beta: 1.0, radius: 0.1, mass: 1.0 }, 25.0, 0.3),
    (Round { name: "thin ring", beta: 1.0, radius: 0.1, mass: 1.0 }, 25.0, 0.2),
];

/// The body at its static depth on a slope that falls along +x, its axis along y.
fn scene(r: Round, theta: f64, mu: f64) -> (Scene, Vector3<f64>) {
    let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), theta);
    let mut s = Stage::new("rolling", STICTION);
    let floor = Pose::from_parts(Vector3::zeros().into(), turn);
    s.shape(0, floor, Shape::HalfSpace, &rigid(mu));
    let long = r.name.ends_with("cylinder") || r.name.ends_with("ring");
    let points = if long { 2.0 } else { 1.0 };
    let depth = r.mass * G * theta.cos() / (points * STIFFNESS);
    let at = turn * Vector3::new(0.0, 0.0, r.radius - depth);
    let i = r.beta * r.mass * r.radius * r.radius;
    let half_length = 0.5 * r.radius;
    let across = if long { 0.5 * i + r.mass * half_length * half_length / 3.0 } else { i };
    let b = s.free("round", Pose::from_parts(at.into(), turn), r.mass, Vector3::new(across, i, across));
    let surface = soft(STIFFNESS, DISSIPATION, mu);
    let (pose, shape) = if long {
        let lying = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), 0.5 * std::f64::consts::PI);
        let shape = Shape::Cylinder { radius: r.radius, half_length };
        (Pose::from_parts(Vector3::zeros().into(), lying), shape)
    } else {
        (Pose::identity(), Shape::Sphere { radius: r.radius })
    };
    s.shape(b, pose, shape, &surface);
    (s.scene(), turn * Vector3::x())
}

impl Page for Rolling {
    fn id(&self) -> &'static str {
        "analytic/rolling"
    }
    fn title(&self) -> &'static str {
        "Transition from sliding to rolling, and rolling down a slope"
    }
    fn lead(&self) -> &'static str {
        "Sliding round bodies begin to roll, and round bodies roll or slide down a slope, at the times and speeds of the closed form."
    }
    fn cost(&self) -> [f64; 3] {
        [0.2, 0.2, 0.2]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut out = PageOutput::new([
            "Spheres touch the floor at a point. Cylinders and rings touch it along a line with two contact points. The rings are cylinders with \
             the inertia of a ring.".to_owned(),
            format!("The stiffness is {STIFFNESS:e} N/m per contact point and the dissipation is {DISSIPATION} s/m. The regularisation speed of \
                friction is v_s = {STICTION:e} m/s. The time steps are fixed with {STEP} s. All bodies start at their static depth."),
            "A body counts as rolling when its slip speed falls below 10 v_s.".to_owned(),
        ]);
        slides(ctx, &mut out)?;
        slopes(ctx, &mut out)?;
        Ok(out)
    }
}

fn slides(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    out.heading("From sliding to rolling");
    let mut f = Family::new(
        ctx,
        "sliding_to_rolling",
        "Times, speeds and energy loss of the transition from sliding to rolling",
    );
    let mut plot = Plot::new(
        "speed",
        "Speed of the centre over time. The dashed lines are the closed form.",
        "time [s]",
        "speed [m/s]",
    );
    for (body, mu, v0, w0) in SLIDES {
        let case = format!("{}, r = {} m, μ = {mu}, v₀ = {v0} m/s, ω₀ = {w0} rad/s", body.name, body.radius);
        ctx.say(case.clone());
        let (beta, r) = (body.beta, body.radius);
        let slip = v0 - r * w0;
        let time = slip.abs() * beta / ((1.0 + beta) * mu * G);
        let a = -mu * G * slip.signum();
        let speed = v0 + a * time;
        let distance = v0 * time + 0.5 * a * time * time;
        let lost = 0.5 * body.mass * beta / (1.0 + beta) * slip * slip;
        f.theory(
            &[("radius", r), ("mu", mu), ("v0", v0), ("omega0_rolling_sense", w0), ("beta", beta)],
            &[
                ("time_to_roll", time),
                ("rolling_speed", speed),
                ("rolling_omega", speed / r),
                ("distance_while_sliding", distance),
                ("energy_lost", lost),
            ],
        );
        let (scene, _) = scene(body, 0.0, mu);
        let t_end = 1.5 * time;
        let trace = Run::new(&scene, &Method::icf().with_step(STEP), t_end).trace(|_, x| {
            x.v[0] = v0;
            x.v[4] = w0;
        })?;
        let row = (0..trace.len())
            .find(|&k| (trace.v[k][0] - r * trace.v[k][4]).abs() < 10.0 * STICTION)
            .unwrap_or(trace.len() - 1);
        let last = trace.len() - 1;
        f.relative(&case, "time to roll", time, trace.t[row]);
        f.relative(&case, "rolling speed", speed, trace.v[last][0]);
        f.relative(&case, "rolling spin", speed / r, trace.v[last][4]);
        f.relative(&case, "distance", distance, trace.q[row][0]);
        let energy =
            |k: usize| 0.5 * body.mass * (trace.v[k][0].powi(2) + beta * (r * trace.v[k][4]).powi(2));
        f.relative(&case, "energy lost", lost, energy(0) - energy(last));
        // Colour 6 is that of the closed form.
        let color = plot.series.len() / 2 + plot.series.len() / 12;
        plot.add_colored(
            &format!("{}, v₀ = {v0} m/s, ω₀ = {w0} rad/s", body.name),
            Mark::Line,
            color,
            trace.curve(150, |r, k| r.v[k][0]),
        );
        plot.add_closed_form(vec![(0.0, v0), (time, speed), (t_end, speed)]);
    }
    plot.caption += " Each body is shown until 1.5 times the time at which it begins to roll.";
    out.plot(plot);
    f.finish(
        out,
        &[
            rule(
                "time to roll",
                "time until the body rolls, relative error",
                5e-3,
                "the error comes from the regularised friction, which falls off in the last 10 v_s of slip",
            ),
            rule(
                "rolling speed",
                "final speed, relative error",
                2e-3,
                "the speed follows from the angular momentum about the contact, and the error comes from time steps of 2e-4 s",
            ),
            rule("rolling spin", "final spin, relative error", 2e-3, "the error comes from the time steps, as for the speed"),
            rule("distance", "distance while the body slides, relative error", 5e-3, "the error comes from the regularised friction, as for the time"),
            rule(
                "energy lost",
                "energy lost to friction, relative error",
                1e-3,
                "the error is twice the relative error of the speed, 4e-4",
            ),
        ],
    );
    Ok(())
}

fn slopes(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    out.heading("Down a slope");
    let mut f = Family::new(
        ctx,
        "rolling_down_incline",
        "Motion of round bodies down a slope from rest over T = 1 s",
    );
    let mut plot = Plot::new(
        "slope",
        "Speed of the rim r ω over the speed of the centre during 1 s. Rolling bodies lie on the diagonal. The dashed lines are the closed form.",
        "speed of the centre [m/s]",
        "speed of the rim r ω [m/s]",
    );
    for (body, deg, mu) in SLOPES {
        let case = format!("{}, {deg}°, μ = {mu}", body.name);
        ctx.say(case.clone());
        let (beta, r, theta) = (body.beta, body.radius, deg.to_radians());
        let least = theta.tan() * beta / (1.0 + beta);
        let (a, alpha) = if mu >= least {
            let a = G * theta.sin() / (1.0 + beta);
            (a, a / r)
        } else {
            (G * (theta.sin() - mu * theta.cos()), mu * G * theta.cos() / (beta * r))
        };
        f.theory(
            &[("beta", beta), ("theta_deg", deg), ("mu", mu)],
            &[("minimum_mu_for_rolling", least), ("acceleration", a), ("angular_acceleration", alpha)],
        );
        let (scene, down) = scene(body, theta, mu);
        let trace = Run::new(&scene, &Method::icf().with_step(STEP), 1.0).trace(|_, _| {})?;
        let last = trace.len() - 1;
        let moved = (trace.q3(1.0, 0) - trace.q3(0.0, 0)).dot(&down);
        f.relative(&case, "displacement", 0.5 * a, moved);
        f.relative(&case, "speed", a, trace.v3(1.0, 0).dot(&down));
        f.relative(&case, "spin", alpha, trace.v[last][4]);
        let color = plot.series.len() / 2;
        let curve = (0..=40).map(|k| {
            let t = f64::from(k) / 40.0;
            (trace.v3(t, 0).dot(&down), r * trace.v_at(t, 4))
        });
        plot.add_colored(&case, Mark::Line, color, curve.collect());
        plot.add_closed_form(vec![(0.0, 0.0), (a, alpha * r)]);
    }
    out.plot(plot);
    f.finish(
        out,
        &[
            rule("displacement", "displacement after 1 s, relative error", 2e-3, "the error comes from time steps of first order, δt/T = 2e-4"),
            rule(
                "speed",
                "speed after 1 s, relative error",
                5e-4,
                "implicit time steps give the exact speed, and the error is a slip of the order of v_s, 1e-4 m/s of 2 m/s",
            ),
            rule("spin", "spin after 1 s, relative error", 2e-3, "the error comes from time steps of first order, as for the displacement"),
        ],
    );
    Ok(())
}
