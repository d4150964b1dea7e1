use super::G;
use super::family::{Family, rule};
use super::impact::{RADIUS, ball, bisect, impact, restitution, spring_damper};
use signorini_report::{Context, Mark, Page, PageError, PageOutput, Plot};
use signorini_run::trace::Run;
use signorini_run::{Law, Method};

/// Repeated bounces with a constant restitution, and oblique impacts with friction.
pub(super) struct Bounces;

impl Page for Bounces {
    fn id(&self) -> &'static str {
        "analytic/bounces"
    }
    fn title(&self) -> &'static str {
        "Newton's bouncing ball and oblique impact with friction"
    }
    fn lead(&self) -> &'static str {
        "A ball bounces with constant restitution, and spheres hit a floor obliquely with friction, and both are compared with closed forms."
    }
    fn cost(&self) -> [f64; 3] {
        [1.7, 1.7, 1.7]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut out = PageOutput::new([
            "A compliant contact law has no coefficient of restitution e of its own. The parameters of the law are therefore chosen so that the law \
             gives the restitution of the closed form.",
            "The bouncing ball needs a constant restitution. The linear spring and damper of the SAP law gives it, and its damping ratio is found \
             from e.",
            "The oblique impact needs the restitution of one impact. The dissipation of Hunt and Crossley is chosen so that their closed form gives \
             e at the impact speed. The value e = 0 is replaced by 0.002.",
        ]);
        newton(ctx, &mut out)?;
        oblique(ctx, &mut out)?;
        Ok(out)
    }
}

fn newton(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    out.heading("Newton's bouncing ball");
    let mut f = Family::new(
        ctx,
        "newton_bounces",
        "Impact times and apex heights of a ball that bounces with constant restitution",
    );
    let (m, k, accuracy) = (1.0f64, 1e8f64, 3e-10);
    let mut plot = Plot::new(
        "bounces",
        "Height of the ball's lowest point over time. The points are the apexes of Newton's closed \
            form.",
        "time [s]",
        "height [m]",
    );
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
        let method = Method::cenic(accuracy).with_law(Law::Sap)?;
        let t_end = times[bounces - 1] + 0.5 * e.powi(bounces as i32) * first;
        let trace = Run::new(&scene, &method, t_end).trace(|_, _| {})?;
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
    out.prose(format!("The ball has a mass of 1 kg and a stiffness of k = {k:e} N/m. The accuracy of the error control is {accuracy:e}. A contact \
        lasts 0.3 ms, while an impact of Newton's closed form takes no time."));
    out.plot(plot);
    f.finish(
        out,
        &[
            rule(
                "impact time",
                "time of every impact, relative error",
                1e-2,
                "the error comes from the duration of the contacts, 0.3 ms each, and from the accuracy",
            ),
            rule(
                "apex before it",
                "height of the apex before every impact, error relative to the drop height",
                5e-3,
                "the error comes from the time steps of first order within the contact",
            ),
        ],
    );
    Ok(())
}

fn oblique(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    out.heading("Oblique impact of a sphere");
    let mut f = Family::new(
        ctx,
        "oblique_sphere_impact",
        "Impulses and speeds of a sphere after an oblique impact with friction and spin",
    );
    let (m, r, k) = (1.0f64, RADIUS, 1e7f64);
    let mut plot = Plot::new(
        "oblique",
        "Slip speed of the contact point during the impact. The dashed lines are the closed form after the impact.",
        "time over the contact time of the undamped spring [–]",
        "slip speed [m/s]",
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
        let trace = impact(&scene, Law::Lagged, omega, [v, vt, w])?;
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
        plot.add_closed_form(vec![(0.0, vt1 - r * w1), (end, vt1 - r * w1)]);
    }
    out.plot(plot);
    f.finish(
        out,
        &[
            rule("normal impulse", "normal impulse, relative error", 3e-3, "the error comes from the time steps, and from the replacement of e = 0 \
                by 0.002"),
            rule(
                "tangential impulse",
                "tangential impulse, error relative to mass × slip speed",
                3e-3,
                "the error comes from the time steps, and from the regularised friction, which falls off below a slip speed of v_s",
            ),
            rule("speed after", "tangential speed after the impact, error relative to the slip speed", 3e-3, "the error has the causes given for the tangential impulse"),
            rule("rim speed after", "speed of the rim r ω after the impact, error relative to the slip speed", 3e-3, "the error has the causes given for the tangential impulse"),
        ],
    );
    Ok(())
}
