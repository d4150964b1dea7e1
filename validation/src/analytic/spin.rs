use signorini_core::na::{Matrix3, Point3, UnitQuaternion, Vector3};
use signorini_geometry::{MassProperties, Shape};
use signorini_scene::{Pose, Scene};

use super::G;
use super::family::{Family, rule};
use crate::scenes::{Stage, rigid, soft};
use signorini_report::{Context, Mark, Page, PageError, PageOutput, Plot};
use signorini_run::Method;
use signorini_run::trace::{Run, Trace};

/// A heavy top that precesses, and a rod whose end slides while it falls.
pub(super) struct TopAndRod;

impl Page for TopAndRod {
    fn id(&self) -> &'static str {
        "analytic/top_and_rod"
    }
    fn title(&self) -> &'static str {
        "Heavy top and falling rod with a sliding end"
    }
    fn lead(&self) -> &'static str {
        "A heavy top precesses, and a rod falls while its lower end slides on a floor, and both are compared with the equations of rigid bodies."
    }
    fn cost(&self) -> [f64; 3] {
        [2.3, 2.3, 2.3]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut out = PageOutput::new([
            "The first scene is a heavy top on a ball joint without contact. The second scene is a thin rod in a plane whose lower end slides on a \
             floor with or without friction.",
        ]);
        top(ctx, &mut out)?;
        rod(ctx, &mut out)?;
        Ok(out)
    }
}

const MASS: f64 = 0.5;
const ARM: f64 = 0.05;
const TRANSVERSE: f64 = 0.002;
const AXIAL: f64 = 0.0008;

fn top_scene(tilt: f64) -> Scene {
    let mut s = Stage::new("heavy top", 1e-5);
    let across = TRANSVERSE - MASS * ARM * ARM;
    let properties = MassProperties {
        mass: MASS,
        com: Point3::new(0.0, 0.0, ARM),
        inertia: Matrix3::from_diagonal(&Vector3::new(across, across, AXIAL)),
    };
    let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), tilt);
    let b = s.ball("top", Pose::from_parts(Vector3::zeros().into(), turn), properties);
    let g = s.shape(
        b,
        Pose::translation(0.0, 0.0, ARM),
        Shape::Cylinder { radius: 0.04, half_length: 0.005 },
        &soft(1.0, 0.0, 0.0),
    );
    s.mask(g, 0, 0);
    s.scene()
}

/// Axis of the top in row `i`; q of a ball joint is relative to the drawn pose.
fn axis(trace: &Trace, i: usize, tilt: f64) -> Vector3<f64> {
    UnitQuaternion::from_axis_angle(&Vector3::y_axis(), tilt) * (trace.rotation(i, 0) * Vector3::z())
}

fn top(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    out.heading("Heavy top");
    let mut f = Family::new(
        ctx,
        "heavy_top_steady_precession",
        "Precession of a top of 0.5 kg on a ball joint. Its centre is 0.05 m above the joint, and its moments of inertia are I = 0.002 and 0.0008 \
         kg m². There is no contact.",
    );
    let mut plot = Plot::new(
        "sleeping",
        "Tilt of a top that starts 1° off the vertical, with spins above and below the critical spin.",
        "time [s]",
        "tilt [deg]",
    );
    let (dt, t_end) = (2e-6, 0.5);
    let critical = 2.0 * (MASS * G * ARM * TRANSVERSE).sqrt() / AXIAL;
    for (deg, spin) in [(30.0f64, 200.0f64), (20.0, 100.0), (10.0, 40.0)] {
        let tilt = deg.to_radians();
        let (a, b, c) = (TRANSVERSE * tilt.cos(), AXIAL * spin, MASS * G * ARM);
        let inputs = [("tilt_deg", deg), ("axial_angular_velocity", spin)];
        f.theory(&inputs, &[("critical_axial_spin_for_sleeping", critical), ("fast_top_estimate", c / b)]);
        let d = b * b - 4.0 * a * c;
        if d > 0.0 {
            let rates = [("slow", (b - d.sqrt()) / (2.0 * a)), ("fast", (b + d.sqrt()) / (2.0 * a))];
            f.theory(&inputs, &[("slow_precession", rates[0].1), ("fast_precession", rates[1].1)]);
            for (name, rate) in rates {
                let case = format!("tilt {deg}°, axial spin {spin} rad/s, {name}");
                ctx.say(case.clone());
                let scene = top_scene(tilt);
                let trace =
                    Run::new(&scene, &Method::icf().with_step(dt), t_end).keep_every(100).trace(|_, x| {
                        x.v[0] = -rate * tilt.sin();
                        x.v[2] = spin;
                    })?;
                let (mut turned, mut nod) = (0.0, 0.0f64);
                for i in 1..trace.len() {
                    let (p, q) = (axis(&trace, i - 1, tilt), axis(&trace, i, tilt));
                    turned += (p.x * q.y - p.y * q.x).atan2(p.x * q.x + p.y * q.y);
                    nod = nod.max((q.z.clamp(-1.0, 1.0).acos() - tilt).abs());
                }
                f.relative(&case, "precession", rate, turned / t_end);
                f.compare(&case, "nutation", [0.0, nod], tilt);
            }
        }
        let case = format!("almost upright, axial spin {spin} rad/s");
        ctx.say(case.clone());
        let start = 1f64.to_radians();
        let scene = top_scene(start);
        let trace = Run::new(&scene, &Method::icf().with_step(1e-5), 1.0)
            .until(|x| {
                let (i, j) = (x.q[1], x.q[2]);
                1.0 - 2.0 * (i * i + j * j) < 0.8
            })
            .keep_every(50)
            .trace(|_, x| x.v[2] = spin)?;
        let tilts = trace.curve(400, |r, i| axis(r, i, start).z.clamp(-1.0, 1.0).acos().to_degrees());
        let highest = tilts.iter().map(|p| p.1).fold(0.0, f64::max);
        let name = |x: bool| if x { "sleeps" } else { "falls" };
        f.event(&case, "sleeping", name(spin > critical), name(highest < 5.0));
        plot.add(&format!("{spin} rad/s"), Mark::Line, tilts);
    }
    out.prose(format!(
        "The steady precession starts with exactly the velocities of the closed form. The time steps are fixed with {dt:e} s, and with 1e-5 s for \
         the top that starts almost upright. They are short because the gyroscopic term is explicit and of first order. The critical spin is \
         {critical:.2} rad/s. Above it an upright top stays upright (it sleeps)."
    ));
    out.plot(plot);
    f.finish(
        out,
        &[
            rule(
                "precession",
                "rate of the steady precession, slow and fast, relative error",
                5e-3,
                "the gyroscopic term is explicit and of first order",
            ),
            rule(
                "nutation",
                "change of the tilt during steady precession, relative to the tilt",
                1e-2,
                "the explicit gyroscopic term excites the nutation",
            ),
            rule(
                "sleeping",
                "an upright top stays upright exactly when its spin is above the critical spin",
                0.0,
                "the result is yes or no",
            ),
        ],
    );
    Ok(())
}

/// A sliding rod: half length, mass, friction, angle \[rad\], its rate, speed of the centre.
#[derive(Clone, Copy)]
struct Rod {
    l: f64,
    m: f64,
    mu: f64,
    theta: f64,
    rate: f64,
    vx: f64,
}

impl Rod {
    /// Slip of the end for (x, vx, θ, θ′).
    fn slip(&self, y: &[f64; 4]) -> f64 {
        y[1] + self.l * y[2].sin() * y[3]
    }

    /// Normal force for slip direction `s`.
    fn normal(&self, y: &[f64; 4], s: f64) -> f64 {
        let (sin, cos) = y[2].sin_cos();
        self.m * (G - self.l * sin * y[3] * y[3]) / (1.0 + 3.0 * cos * (cos + s * self.mu * sin))
    }

    fn derivative(&self, y: &[f64; 4], s: f64) -> [f64; 4] {
        let n = self.normal(y, s);
        let (sin, cos) = y[2].sin_cos();
        [y[1], -s * self.mu * n / self.m, y[3], -3.0 * n * (cos + s * self.mu * sin) / (self.m * self.l)]
    }

    /// States every 1e-5 s until the slip turns or 0.2 s have passed (Runge–Kutta); the slip direction.
    fn exact(&self) -> (Vec<[f64; 4]>, f64) {
        let h = 1e-5;
        let mut y = [0.0, self.vx, self.theta, self.rate];
        let s = self.slip(&y).signum();
        let add = |a: [f64; 4], w: f64, b: [f64; 4]| std::array::from_fn(|i| a[i] + w * b[i]);
        let mut states = vec![y];
        for _ in 0..20_000 {
            let k1 = self.derivative(&y, s);
            let k2 = self.derivative(&add(y, 0.5 * h, k1), s);
            let k3 = self.derivative(&add(y, 0.5 * h, k2), s);
            let k4 = self.derivative(&add(y, h, k3), s);
            y = std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
            if self.slip(&y) * s <= 0.0 {
                break;
            }
            states.push(y);
        }
        (states, s)
    }
}

fn rod(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    out.heading("Sliding rod");
    let mut f = Family::new(
        ctx,
        "sliding_rod_no_painleve",
        "Largest errors of a thin rod that falls in a plane. Its lower end is a sphere of 10 µm with 1e7 N/m, d = 100 s/m and v_s = 1e-5 m/s. The \
         time steps are 1e-5 s. A run ends when the slip stops, or after 0.2 s.",
    );
    let mut plot = Plot::new(
        "rod",
        "Angle of the rod while its end slides. The dashed lines are the solution of the rigid rod's equation of motion.",
        "time [s]",
        "angle [deg]",
    );
    let (k, r, dt) = (1e7, 1e-5, 1e-5);
    for (l, m, mu, deg, rate, vx) in [
        (0.5, 1.0, 0.3, 45.0f64, 0.0, 1.0),
        (0.5, 1.0, 0.3, 45.0, 0.0, -1.0),
        (0.5, 1.0, 1.0, 63.4, 0.0, -2.0),
        (0.3, 0.5, 0.6, 60.0, -1.0, 0.8),
        (0.5, 1.0, 0.0, 60.0, 0.0, 0.5),
    ] {
        let case = format!("l = {l} m, μ = {mu}, θ = {deg}°, θ′ = {rate} rad/s, v = {vx} m/s");
        ctx.say(case.clone());
        let rod = Rod { l, m, mu, theta: deg.to_radians(), rate, vx };
        let (exact, s) = rod.exact();
        let n0 = rod.normal(&exact[0], s);
        let first = rod.derivative(&exact[0], s);
        let t_end = 1e-5 * (exact.len() - 1) as f64;
        let inputs = [("mu", mu), ("theta_deg", deg), ("com_velocity_x", vx), ("half_length", l)];
        f.theory(
            &inputs,
            &[
                ("slip_direction", s),
                ("contact_normal_force", n0),
                ("friction_force", -s * mu * n0),
                ("angular_acceleration", first[3]),
            ],
        );
        if let Some(e) = f.entry(&inputs).cloned() {
            let list = |key: &str| -> Vec<f64> {
                e["trajectory"][key]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(serde_json::Value::as_f64)
                    .collect()
            };
            let (t, x, th) = (list("t"), list("com_x"), list("theta"));
            let at = |t: f64, i: usize| {
                let (j, w) = ((t / 1e-5) as usize, (t / 1e-5).fract());
                let last = exact.len() - 1;
                exact[j.min(last)][i] * (1.0 - w) + exact[(j + 1).min(last)][i] * w
            };
            let inside = (0..t.len()).filter(|&i| t[i] <= t_end);
            let worst = inside
                .map(|i| (at(t[i], 0) - x[i]).abs().max((at(t[i], 2) - th[i]).abs()))
                .fold(0.0, f64::max);
            if !t.is_empty() {
                f.theory_difference(worst);
            }
        }
        let (sin, cos) = rod.theta.sin_cos();
        let mut stage = Stage::new("sliding rod", 1e-5);
        stage.wall(Vector3::zeros(), Vector3::z(), &rigid(mu));
        let at = Vector3::new(0.0, 0.0, l * sin + r - n0 / k);
        let b = stage.planar("rod", at, m, m * l * l / 3.0);
        let end = Pose::translation(-l * cos, 0.0, -l * sin);
        stage.shape(b, end, Shape::Sphere { radius: r }, &soft(k, 100.0, mu));
        let scene = stage.scene();
        // The hinge turns about +y, the angle grows the other way.
        let trace = Run::new(&scene, &Method::icf().with_step(dt), t_end).trace(|_, x| {
            x.v[0] = vx;
            x.v[1] = l * cos * rate;
            x.v[2] = -rate;
        })?;
        let (mut dx, mut dtheta, mut dn) = (0.0f64, 0.0f64, 0.0f64);
        for i in 0..trace.len() {
            let y = &exact[((trace.t[i] / 1e-5).round() as usize).min(exact.len() - 1)];
            dx = dx.max((trace.q[i][0] - y[0]).abs());
            dtheta = dtheta.max((rod.theta - trace.q[i][2] - y[2]).abs());
            if (0.1 * t_end..0.9 * t_end).contains(&trace.t[i]) {
                let n = rod.normal(y, s);
                dn = dn.max((trace.force(i, |_| true).z - n).abs() / n0);
            }
        }
        f.compare(&case, "path of the centre", [0.0, dx], vx.abs() * t_end);
        f.compare(&case, "angle", [0.0, dtheta], 1.0);
        f.compare(&case, "normal force", [0.0, dn], 1.0);
        let color = plot.series.len() / 2;
        plot.add_colored(
            &format!("μ = {mu}, θ = {deg}°, v = {vx} m/s"),
            Mark::Line,
            color,
            trace.curve(120, |q, i| (rod.theta - q.q[i][2]).to_degrees()),
        );
        let curve = exact
            .iter()
            .enumerate()
            .step_by(exact.len().div_ceil(60))
            .map(|(i, y)| (1e-5 * i as f64, y[2].to_degrees()));
        plot.add_closed_form(curve.collect());
    }
    out.plot(plot);
    f.finish(
        out,
        &[
            rule(
                "path of the centre",
                "path of the centre, largest error relative to speed × time",
                2e-3,
                "the error comes from time steps of \
                first order and from the size of the end",
            ),
            rule(
                "angle",
                "angle, largest error in radians",
                2e-3,
                "the error comes from time steps of first order and from the size of the end",
            ),
            rule(
                "normal force",
                "normal force between 10 % and 90 % of the time, largest error relative to its first value",
                1e-2,
                "the compliant \
                contact oscillates",
            ),
        ],
    );
    Ok(())
}
