use signorini_core::na::Vector3;
use signorini_scene::Scene;

use super::G;
use super::family::{Family, rule};
use crate::engine::Engine;
use crate::scenes::{Stage, rigid, soft};
use crate::trace::{Run, Trace};
use crate::{Claim, Context, Mark, Page, PageError, PageOutput, Plot};

/// Normal impact: Hunt–Crossley, and the linear spring and damper of the SAP law.
pub(super) struct Restitution;
/// Repeated bounces with a constant restitution, and oblique impacts with friction.
pub(super) struct Bounces;

/// Root of a rising function between `low` and `high`.
fn bisect(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..200 {
        let mid = 0.5 * (low + high);
        if f(mid) < 0.0 { low = mid } else { high = mid }
    }
    0.5 * (low + high)
}

/// e of Hunt–Crossley: d v − ln(1 + d v) = −d v e − ln(1 − d v e).
fn restitution(dv: f64) -> f64 {
    if dv == 0.0 {
        return 1.0;
    }
    let loading = dv - dv.ln_1p();
    bisect(0.0, dv.recip().min(1.0), |e| -dv * e - (-dv * e).ln_1p() - loading)
}

/// Restitution and largest penetration of a linear spring and damper that cannot pull: at damping ratio ζ < 1, ω, v.
fn spring_damper(zeta: f64, omega: f64, v: f64) -> (f64, f64) {
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
fn ball(mass: f64, radius: f64, height: f64, surface: [f64; 3], gravity: f64, relaxation: f64) -> Scene {
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

const RADIUS: f64 = 0.1;
/// Steps per half period of the undamped contact.
const STEPS: f64 = 8000.0;

/// From touching at speed v until it has left; the step is a fraction of the contact time.
fn impact(scene: &Scene, law: &str, omega: f64, start: [f64; 3]) -> Result<Trace, PageError> {
    let time = std::f64::consts::PI / omega;
    let engine = Engine { law: law.into(), ..Engine::fixed(time / STEPS) };
    let [v, vx, wy] = start;
    Run::new(scene, &engine, 200.0 * time).until(|x| x.q[2] > RADIUS && x.v[2] > 0.0).trace(|_, x| {
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
        "Normal impact: restitution, depth and a bouncing ball"
    }
    fn cost(&self) -> (f64, f64) {
        (3.0, 3.0)
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut out = PageOutput {
            text: vec![format!(
                "A sphere of radius {RADIUS} m meets a rigid floor without gravity. Fixed steps of 1/{STEPS} of the undamped contact time π/ω; the scheme is of \
                 first order, so the restitution lacks about π²/(4·{STEPS}) at e = 1. The law here is linear in penetration: the cases of the file with exponent \
                 1.5 (Hertz) do not apply."
            )],
            ..PageOutput::default()
        };
        hunt_crossley(ctx, &mut out)?;
        drop(ctx, &mut out)?;
        linear(ctx, &mut out)?;
        Ok(out)
    }
}

fn hunt_crossley(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    let mut f = Family::new(ctx, "hunt_crossley_restitution", "Hunt–Crossley impact, exponent 1");
    let mut plot = Plot::new(
        "restitution",
        "Restitution against d·v for all stiffnesses and masses: one curve, the closed form.",
        "dissipation × impact speed",
        "coefficient of restitution",
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
                let trace = impact(&scene, "lagged", (k / m).sqrt(), [v, 0.0, 0.0])?;
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
    out.plots.push(plot);
    f.finish(
        out,
        &[
            rule(
                "restitution",
                "coefficient of restitution, relative",
                1e-3,
                "first-order steps, 1/8000 of the contact time",
            ),
            rule("penetration", "largest penetration, relative", 1e-3, "as the restitution"),
        ],
    );
    Ok(())
}

fn drop(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    let mut f = Family::new(ctx, "hunt_crossley_drop", "A ball drops and bounces under gravity, exponent 1");
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
        "Height of the centre; dashed: the same law integrated by Runge–Kutta steps of 1e-6 s.",
        "time [s]",
        "height [m]",
    );
    let mut errors = Vec::new();
    let runs = [
        ("fixed step of 2e-5 s", Engine::fixed(2e-5), 2e-5),
        ("fixed step of 1e-5 s", Engine::fixed(1e-5), 1e-5),
        ("fixed step of 5e-6 s", Engine::fixed(5e-6), 5e-6),
        ("accuracy 1e-9", Engine::cenic(1e-9), 0.0),
    ];
    for (name, engine, step) in runs {
        ctx.say(name);
        let trace = Run::new(&scene, &engine, t_end).trace(|_, _| {})?;
        let times = (0..=2000).map(|i| 1e-3 * f64::from(i));
        let worst = times.map(|t| (trace.q_at(t, 2) - at(t)).abs()).fold(0.0, f64::max);
        let case = format!("{name}, {} steps: largest difference of height", trace.report.steps);
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
    out.claims.push(
        Claim::between(
            "hunt_crossley_drop/order",
            "order of the height's error in a fixed step",
            [0.85, 1.15],
            order,
            "",
        )
        .rule("in 0.85 … 1.15: the scheme is of first order; the largest error moves between bounces"),
    );
    out.plots.push(plot);
    f.finish(
        out,
        &[rule(
            "height",
            "height over 2 s of bouncing at accuracy 1e-9, largest difference relative to the drop height",
            1e-2,
            "first-order steps; the error grows with every bounce",
        )],
    );
    Ok(())
}

fn linear(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    let mut f =
        Family::new(ctx, "linear_spring_damper_impact", "Linear spring and damper: SAP with τ_d = c/k");
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
        let trace = impact(&scene, "sap", omega, [v, 0.0, 0.0])?;
        f.relative(&case, "restitution", e, trace.v[trace.len() - 1][2] / v);
        f.relative(&case, "penetration", deepest, depth(&trace));
    }
    f.finish(
        out,
        &[
            rule(
                "restitution",
                "restitution without adhesion, relative",
                1e-3,
                "first-order steps, 1/8000 of the contact time",
            ),
            rule("penetration", "largest penetration, relative", 1e-3, "as the restitution"),
        ],
    );
    Ok(())
}

impl Page for Bounces {
    fn id(&self) -> &'static str {
        "analytic/bounces"
    }
    fn title(&self) -> &'static str {
        "Newton's bouncing ball, and oblique impact with friction"
    }
    fn cost(&self) -> (f64, f64) {
        (4.0, 4.0)
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut out = PageOutput {
            text: vec![
                "A compliant law has no coefficient of restitution of its own. Where the closed form asks for a constant one, the SAP law's linear spring and damper gives \
                 it (its damping ratio is found from e); where it asks for one impact, the dissipation of Hunt and Crossley is chosen so that their closed form gives e \
                 at that speed; e = 0 becomes 0.002."
                    .into(),
            ],
            ..PageOutput::default()
        };
        newton(ctx, &mut out)?;
        oblique(ctx, &mut out)?;
        Ok(out)
    }
}

fn newton(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    let mut f = Family::new(ctx, "newton_bounces", "Bounces with constant restitution");
    let (m, k, accuracy) = (1.0f64, 1e8f64, 3e-10);
    let mut plot =
        Plot::new("bounces", "Height of the lowest point; dots: Newton's apexes.", "time [s]", "height [m]");
    let mut apex_points = Vec::new();
    for (h, e, bounces) in [(1.0f64, 0.7f64, 9usize), (0.5, 0.3, 6)] {
        let zeta = bisect(0.0, 0.99, |z| e - spring_damper(z, 1.0, 1.0).0);
        let omega = (k / m).sqrt();
        let case = format!("drop from {h} m, e = {e}");
        ctx.say(case.clone());
        let v = (2.0 * G * h).sqrt();
        let first = v / G;
        let (mut times, mut apexes) = (vec![first], vec![h]);
        for i in 1..bounces {
            let power = e.powi(i as i32);
            times.push(times[i - 1] + 2.0 * power * first);
            apexes.push(h * power * power);
        }
        if let Some(entry) = f.entry(&[("drop_height", h), ("restitution", e)]) {
            let list = |key: &str| -> Vec<f64> {
                entry["outputs"][key]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(serde_json::Value::as_f64)
                    .collect()
            };
            let pairs: Vec<_> = list("impact_times").into_iter().zip(times.clone()).collect();
            let heights: Vec<_> = list("apex_heights").into_iter().zip(apexes.clone()).collect();
            let worst = pairs.iter().chain(&heights).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            if !pairs.is_empty() && !heights.is_empty() {
                f.theory_difference(worst);
            }
        }
        let scene = ball(m, RADIUS, h, [k, 0.0, 0.0], G, 2.0 * zeta / omega);
        let engine = Engine { law: "sap".into(), ..Engine::cenic(accuracy) };
        let t_end = times[bounces - 1] + 0.5 * e.powi(bounces as i32) * first;
        let trace = Run::new(&scene, &engine, t_end).trace(|_, _| {})?;
        let gap = |i: usize| trace.q[i][2] - RADIUS;
        let (mut found_times, mut found_apexes) = (Vec::new(), vec![h]);
        let mut top = 0.0f64;
        for i in 1..trace.len() {
            top = top.max(gap(i));
            if gap(i - 1) > 0.0 && gap(i) <= 0.0 {
                let w = gap(i - 1) / (gap(i - 1) - gap(i));
                found_times.push(trace.t[i - 1] + w * (trace.t[i] - trace.t[i - 1]));
                if found_times.len() > 1 {
                    found_apexes.push(top);
                }
                top = 0.0;
            }
        }
        let mut flight = 0.0;
        for (i, t) in times.iter().enumerate() {
            let label = format!("{case}, impact {}", i + 1);
            f.compare(&label, "impact time", [*t, found_times.get(i).copied().unwrap_or(f64::NAN)], *t);
            if i > 0 {
                let found = found_apexes.get(i).copied().unwrap_or(f64::NAN);
                f.compare(&label, "apex before it", [apexes[i], found], h);
                flight = 2.0 * e.powi(i as i32) * first;
            }
            apex_points.push((if i == 0 { 0.0 } else { t - 0.5 * flight }, apexes[i]));
        }
        plot.add(&case, Mark::Line, trace.curve(3000, |r, k| r.q[k][2] - RADIUS));
    }
    plot.add("Newton's apexes", Mark::Points, apex_points);
    out.plots.push(plot);
    out.text.push(format!("Bounces: k = {k:e} N/m, 1 kg, accuracy {accuracy:e}; a contact lasts 0.3 ms where Newton's impact takes no time."));
    f.finish(
        out,
        &[
            rule(
                "impact time",
                "time of every impact, relative",
                1e-2,
                "duration of contacts, 0.3 ms each, and accuracy",
            ),
            rule(
                "apex before it",
                "apex before every impact, relative to the drop height",
                5e-3,
                "first-order steps within the contact",
            ),
        ],
    );
    Ok(())
}

fn oblique(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    let mut f =
        Family::new(ctx, "oblique_sphere_impact", "Oblique impact of a sphere with friction and spin");
    let (m, r, k) = (1.0f64, RADIUS, 1e7f64);
    let mut plot = Plot::new(
        "oblique",
        "Slip of the contact point during the impact; dashed: closed form after it.",
        "time / contact time of the undamped spring",
        "slip [m/s]",
    );
    for (mu, e, v, vt, w) in [
        (0.3, 0.5, 2.0, 1.0, 0.0),
        (0.05, 0.8, 1.0, 3.0, 0.0),
        (0.5, 0.0, 1.0, 1.0, -20.0),
        (0.2, 0.6, 2.0, 1.0, 30.0),
    ] {
        let case = format!("μ = {mu}, e = {e}, v = ({vt}, −{v}) m/s, ω = {w} rad/s");
        ctx.say(case.clone());
        let slip: f64 = vt - r * w;
        let normal = (1.0 + e) * m * v;
        let tangential = slip.signum() * (mu * normal).min(2.0 / 7.0 * m * slip.abs());
        let (vt1, w1) = (vt - tangential / m, w + tangential * r / (0.4 * m * r * r));
        f.theory(
            &[("mu", mu), ("restitution", e), ("approach_speed", v), ("tangential_speed", vt)],
            &[
                ("tangential_speed_after", vt1),
                ("omega_after", w1),
                ("normal_impulse", normal),
                ("tangential_impulse", tangential),
            ],
        );
        let wanted = f64::max(e, 2e-3);
        let d = bisect(-3.0, 6.0, |x| wanted - restitution(10f64.powf(x) * v));
        let d = 10f64.powf(d);
        let scene = ball(m, r, 0.0, [k, d, mu], 0.0, 0.0);
        let omega = (k / m).sqrt();
        let trace = impact(&scene, "lagged", omega, [v, vt, w])?;
        let last = &trace.v[trace.len() - 1];
        f.relative(&case, "normal impulse", normal, m * (v + last[2]));
        f.compare(&case, "tangential impulse", [tangential, m * (vt - last[0])], m * slip.abs());
        f.compare(&case, "speed after", [vt1, last[0]], slip.abs());
        f.compare(&case, "rim speed after", [r * w1, r * last[4]], slip.abs());
        let color = plot.series.len() / 2;
        let unit = std::f64::consts::PI / omega;
        let curve = trace.curve(300, |t, k| t.v[k][0] - r * t.v[k][4]);
        let curve: Vec<_> = curve.into_iter().map(|p| (p.0 / unit, p.1)).filter(|p| p.0 < 2.0).collect();
        let end = curve.last().map_or(1.0, |p| p.0);
        plot.add_colored(&case, Mark::Line, color, curve);
        plot.add_colored("", Mark::Dashed, 6, vec![(0.0, vt1 - r * w1), (end, vt1 - r * w1)]);
    }
    out.plots.push(plot);
    f.finish(
        out,
        &[
            rule("normal impulse", "normal impulse, relative", 3e-3, "e = 0 stands for 0.002; steps"),
            rule(
                "tangential impulse",
                "tangential impulse, relative to m × slip",
                3e-3,
                "friction falls off in the last v_s; steps",
            ),
            rule("speed after", "tangential speed after, relative to the slip", 3e-3, "as the impulse"),
            rule("rim speed after", "r ω after, relative to the slip", 3e-3, "as the impulse"),
        ],
    );
    Ok(())
}
