use signorini_core::na::Vector3;
use signorini_scene::Scene;

use super::G;
use super::family::{Family, rule};
use crate::scenes::{Stage, rigid, soft};
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot};
use signorini_run::trace::{Run, Trace};
use signorini_run::{Law, Method, MethodError};

/// Normal impact: Hunt–Crossley, and the linear spring and damper of the SAP law.
pub(super) struct Restitution;

/// Root of a rising function between `low` and `high`.
pub(super) fn bisect(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..200 {
        let mid = 0.5 * (low + high);
        if f(mid) < 0.0 { low = mid } else { high = mid }
    }
    0.5 * (low + high)
}

/// e of Hunt–Crossley: d v − ln(1 + d v) = −d v e − ln(1 − d v e).
pub(super) fn restitution(dv: f64) -> f64 {
    if dv == 0.0 {
        return 1.0;
    }
    let loading = dv - dv.ln_1p();
    bisect(0.0, dv.recip().min(1.0), |e| -dv * e - (-dv * e).ln_1p() - loading)
}

/// Restitution and largest penetration of a linear spring and damper that cannot pull: at damping ratio ζ < 1, ω, v.
pub(super) fn spring_damper(zeta: f64, omega: f64, v: f64) -> (f64, f64) {
    let root = (1.0 - zeta * zeta).sqrt();
    let damped = omega * root;
    let x = |t: f64| v / damped * (-zeta * omega * t).exp() * (damped * t).sin();
    let release = (std::f64::consts::PI - (2.0 * zeta * root).atan2(1.0 - 2.0 * zeta * zeta)) / damped;
    let speed =
        |t: f64| v * (-zeta * omega * t).exp() * ((damped * t).cos() - zeta / root * (damped * t).sin());
    let deepest = root.atan2(zeta) / damped;
    (-speed(release) / v, x(deepest))
}

/// A frictional ball of radius 0.1 m just above the floor.
pub(super) fn ball(
    mass: f64,
    radius: f64,
    height: f64,
    surface: [f64; 3],
    gravity: f64,
    relaxation: f64,
) -> Scene {
    let mut s =
        Stage::new("impact", 1e-5).with_gravity(Vector3::new(0.0, 0.0, -gravity)).with_relaxation(relaxation);
    let [k, d, mu] = surface;
    s.wall(Vector3::zeros(), Vector3::z(), &rigid(mu));
    let inertia = Vector3::repeat(0.4 * mass * radius * radius);
    let b = s.free("ball", Vector3::new(0.0, 0.0, radius + height).into(), mass, inertia);
    s.shape(
        b,
        signorini_scene::Pose::identity(),
        signorini_geometry::Shape::Sphere { radius },
        &soft(k, d, mu),
    );
    s.scene()
}

pub(super) const RADIUS: f64 = 0.1;
/// Steps per half period of the undamped contact.
const STEPS: f64 = 8000.0;

/// From touching at speed v until it has left; the step is a fraction of the contact time.
pub(super) fn impact(scene: &Scene, law: Law, omega: f64, start: [f64; 3]) -> Result<Trace, MethodError> {
    let time = std::f64::consts::PI / omega;
    let method = Method::icf().with_law(law)?.with_step(time / STEPS);
    let [v, vx, wy] = start;
    Run::new(scene, &method, 200.0 * time).until(|x| x.q[2] > RADIUS && x.v[2] > 0.0).trace(|_, x| {
        x.v[2] = -v;
        x.v[0] = vx;
        x.v[4] = wy;
    })
}

fn depth(trace: &Trace) -> f64 {
    trace.q.iter().map(|q| RADIUS - q[2]).fold(0.0, f64::max)
}

impl Page for Restitution {
    fn id(&self) -> &'static str {
        "analytic/impact"
    }
    fn title(&self) -> &'static str {
        "Normal impact: restitution and penetration depth"
    }
    fn lead(&self) -> &'static str {
        "A ball hits a floor, and its rebound speed and largest penetration depth are compared with the closed form of Hunt and Crossley."
    }
    fn cost(&self) -> [f64; 3] {
        [3.0, 3.0, 3.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut out = PageOutput::new([
            format!("A sphere of radius {RADIUS} m hits a rigid floor without gravity. The time steps are fixed with 1/{STEPS} of the undamped \
                contact time π/ω. The scheme is of first order, so that the measured restitution is too small by about π²/(4·{STEPS}) at e = 1."),
            "The bouncing ball has gravity, another radius and other time steps.".to_owned(),
            "The contact law of this project is linear in the penetration depth. Cases of the reference file with the exponent 1.5 (Hertz) \
             therefore do not apply.".to_owned(),
        ]);
        hunt_crossley(ctx, &mut out)?;
        drop(ctx, &mut out)?;
        linear(ctx, &mut out)?;
        Ok(out)
    }
}

fn hunt_crossley(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    out.heading("Restitution of Hunt and Crossley");
    let mut f = Family::new(
        ctx,
        "hunt_crossley_restitution",
        "Restitution and penetration depth of a Hunt–Crossley impact with exponent 1",
    );
    let mut plot = Plot::new(
        "restitution",
        "Coefficient of restitution over the product of dissipation and impact speed. The points of all stiffnesses and masses lie on one curve, \
         the closed form.",
        "dissipation × impact speed [–]",
        "coefficient of restitution [–]",
    )
    .log(true, false);
    let mut points = Vec::new();
    for (m, k) in [(1.0f64, 1e5f64), (0.1, 1e6)] {
        for d in [0.0, 0.1, 0.5, 2.0] {
            for v in [0.05, 0.2, 1.0, 3.0] {
                let case = format!("m = {m} kg, k = {k:e} N/m, d = {d} s/m, v = {v} m/s");
                ctx.say(case.clone());
                let e = restitution(d * v);
                let energy = if d == 0.0 { 0.5 * v * v } else { v / d - (d * v).ln_1p() / (d * d) };
                let deepest = (2.0 * m * energy / k).sqrt();
                f.theory(
                    &[
                        ("mass", m),
                        ("stiffness", k),
                        ("exponent", 1.0),
                        ("dissipation", d),
                        ("impact_speed", v),
                    ],
                    &[("restitution", e), ("max_penetration", deepest)],
                );
                let scene = ball(m, RADIUS, 0.0, [k, d, 0.0], 0.0, 0.0);
                let trace = impact(&scene, Law::Lagged, (k / m).sqrt(), [v, 0.0, 0.0])?;
                let measured = trace.v[trace.len() - 1][2] / v;
                f.relative(&case, "restitution", e, measured);
                f.relative(&case, "penetration", deepest, depth(&trace));
                if d > 0.0 {
                    points.push((d * v, measured));
                }
            }
        }
    }
    let curve = (0..=100).map(|i| 10f64.powf(-2.4 + 3.3 * f64::from(i) / 100.0)).map(|x| (x, restitution(x)));
    plot.add("closed form", Mark::Dashed, curve.collect());
    plot.add("measured", Mark::Points, points);
    out.plot(plot);
    f.finish(
        out,
        &[
            rule(
                "restitution",
                "coefficient of restitution, relative error",
                1e-3,
                "the error comes from time steps of first order, 1/8000 of the contact time",
            ),
            rule(
                "penetration",
                "largest penetration depth, relative error",
                1e-3,
                "the error comes from time steps of first order, as for the restitution",
            ),
        ],
    );
    Ok(())
}

fn drop(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    out.heading("Bouncing ball");
    let mut f = Family::new(
        ctx,
        "hunt_crossley_drop",
        "Largest difference of height of a ball that drops and bounces under gravity, with exponent \
        1",
    );
    let (m, k, d, h0, r) = (0.5, 2e4, 0.2, 0.4, 0.05);
    let t_end = 2.0;
    // Classical Runge–Kutta; the kinks of the force make its error one of second order, about 1e-7 m.
    let rate = |y: [f64; 2]| {
        let x = r - y[0];
        let force = if x > 0.0 { (k * x * (1.0 - d * y[1])).max(0.0) } else { 0.0 };
        [y[1], force / m - G]
    };
    let h = 1e-6;
    let mut y = [h0, 0.0];
    let mut exact = vec![y[0]];
    let n = (t_end / h) as usize;
    for _ in 0..n {
        let add = |a: [f64; 2], s: f64, b: [f64; 2]| [a[0] + s * b[0], a[1] + s * b[1]];
        let k1 = rate(y);
        let k2 = rate(add(y, 0.5 * h, k1));
        let k3 = rate(add(y, 0.5 * h, k2));
        let k4 = rate(add(y, h, k3));
        y = std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
        exact.push(y[0]);
    }
    let at = |t: f64| {
        let (i, w) = ((t / h) as usize, (t / h).fract());
        exact[i.min(n)] * (1.0 - w) + exact[(i + 1).min(n)] * w
    };
    if let Some(e) = f.entry(&[("mass", m), ("stiffness", k), ("exponent", 1.0)]) {
        let list = |key: &str| -> Vec<f64> {
            e[key].as_array().into_iter().flatten().filter_map(serde_json::Value::as_f64).collect()
        };
        let pairs: Vec<_> = list("t").into_iter().zip(list("centre_height")).collect();
        let worst =
            pairs.iter().filter(|p| p.0 <= t_end).map(|p| (at(p.0) - p.1).abs() / h0).fold(0.0, f64::max);
        if !pairs.is_empty() {
            f.theory_difference(worst);
        }
    }
    let scene = ball(m, r, h0 - r, [k, d, 0.0], G, 0.0);
    let mut plot = Plot::new(
        "drop",
        "Height of the ball's centre. The dashed line is an integration of this contact law by Runge–Kutta steps of 1e-6 s.",
        "time [s]",
        "height [m]",
    );
    let mut errors = Vec::new();
    let runs = [
        ("fixed step of 2e-5 s", Method::icf().with_step(2e-5), 2e-5),
        ("fixed step of 1e-5 s", Method::icf().with_step(1e-5), 1e-5),
        ("fixed step of 5e-6 s", Method::icf().with_step(5e-6), 5e-6),
        ("accuracy 1e-9", Method::cenic(1e-9), 0.0),
    ];
    for (name, method, step) in runs {
        ctx.say(name);
        let trace = Run::new(&scene, &method, t_end).trace(|_, _| {})?;
        let times = (0..=2000).map(|i| 1e-3 * f64::from(i));
        let worst = times.map(|t| (trace.q_at(t, 2) - at(t)).abs()).fold(0.0, f64::max);
        let case = format!("{name}, {} steps", trace.report.steps);
        if step > 0.0 {
            errors.push((step, worst / h0));
        }
        let quantity = if step > 0.0 { "height, fixed steps" } else { "height" };
        f.compare(&case, quantity, [0.0, worst], h0);
        if step == 2e-5 || step == 0.0 {
            plot.add(name, Mark::Line, trace.curve(400, |r, k| r.q[k][2]));
        }
    }
    plot.add("reference", Mark::Dashed, (0..=400).map(|i| 5e-3 * f64::from(i)).map(|t| (t, at(t))).collect());
    let order = crate::kurtz2025cenic::slope(&errors);
    out.claim(
        Claim::between(
            "hunt_crossley_drop/order",
            "convergence order of the height error in a fixed time step",
            [0.85, 1.15],
            order,
            "",
        )
        .rule("in 0.85 … 1.15. The scheme is of first order. The largest error moves from one bounce to another."),
    );
    out.plot(plot);
    f.finish(
        out,
        &[rule(
            "height",
            "height over 2 s of bouncing at accuracy 1e-9, largest error relative to the drop height",
            1e-2,
            "the error comes from time steps of first order and grows with every bounce",
        )],
    );
    Ok(())
}

fn linear(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    out.heading("Linear spring and damper");
    let mut f = Family::new(
        ctx,
        "linear_spring_damper_impact",
        "Restitution and penetration depth of a linear spring and damper (law of SAP with τ_d = \
            c/k)",
    );
    for (m, k, c, v) in [
        (1.0f64, 1e4f64, 0.0f64, 1.0f64),
        (1.0, 1e4, 20.0, 1.0),
        (1.0, 1e4, 60.0, 1.0),
        (0.5, 4e4, 100.0, 2.0),
    ] {
        let case = format!("m = {m} kg, k = {k:e} N/m, c = {c} N·s/m, v = {v} m/s");
        ctx.say(case.clone());
        let omega = (k / m).sqrt();
        let (e, deepest) = spring_damper(0.5 * c / (k * m).sqrt(), omega, v);
        f.theory(
            &[("mass", m), ("stiffness", k), ("damping", c), ("impact_speed", v)],
            &[("restitution_no_adhesion", e), ("max_penetration", deepest)],
        );
        let scene = ball(m, RADIUS, 0.0, [k, 0.0, 0.0], 0.0, c / k);
        let trace = impact(&scene, Law::Sap, omega, [v, 0.0, 0.0])?;
        f.relative(&case, "restitution", e, trace.v[trace.len() - 1][2] / v);
        f.relative(&case, "penetration", deepest, depth(&trace));
    }
    f.finish(
        out,
        &[
            rule(
                "restitution",
                "coefficient of restitution without adhesion, relative error",
                1e-3,
                "the error comes from time steps of first order, 1/8000 of the contact time",
            ),
            rule(
                "penetration",
                "largest penetration depth, relative error",
                1e-3,
                "the error comes from time steps of first order, as for the restitution",
            ),
        ],
    );
    Ok(())
}
