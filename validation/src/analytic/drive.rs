use signorini_core::na::Vector3;
use signorini_geometry::Shape;
use signorini_scene::Pose;

use super::G;
use super::family::{Family, rule};
use crate::scenes::{Stage, rigid, soft};
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot};
use signorini_run::Method;
use signorini_run::trace::Run;

/// A block on a block, a block on a belt, bodies that spin down on their patch.
pub(super) struct Drive;

const STIFFNESS: f64 = 1e6;
const DISSIPATION: f64 = 20.0;
const STICTION: f64 = 1e-5;
const STEP: f64 = 2e-4;

impl Page for Drive {
    fn id(&self) -> &'static str {
        "analytic/drive"
    }
    fn title(&self) -> &'static str {
        "Bodies driven and braked by friction"
    }
    fn lead(&self) -> &'static str {
        "A block on a pulled block, a block on a conveyor belt and bodies that spin on a floor move as Coulomb's closed forms give."
    }
    fn cost(&self) -> [f64; 3] {
        [0.2, 0.2, 0.2]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut out = PageOutput::new([format!(
            "The stiffness is {STIFFNESS:e} N/m per contact point unless stated otherwise, and the dissipation is {DISSIPATION} s/m. The \
             regularisation speed of friction is v_s = {STICTION:e} m/s. The time steps are fixed with {STEP} s."
        )]);
        block_on_block(ctx, &mut out)?;
        conveyor(ctx, &mut out)?;
        spin_down(ctx, &mut out)?;
        out.heading("Rolling resistance");
        let why = "rolling friction is a moment, and the contact law of this page has no rolling friction";
        out.claim(Claim::skipped(
            "rolling_resistance",
            "rolling resistance: deceleration and stopping distance",
            why,
        ));
        Ok(out)
    }
}

fn cuboid(s: &mut Stage, name: &str, at: Vector3<f64>, h: Vector3<f64>, m: f64, mu: f64) -> usize {
    let q = h.component_mul(&h);
    let b = s.free(name, at.into(), m, m / 3.0 * Vector3::new(q.y + q.z, q.x + q.z, q.x + q.y));
    s.shape(b, Pose::identity(), Shape::Box { half_extents: h }, &soft(STIFFNESS, DISSIPATION, mu))
}

fn block_on_block(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    out.heading("Block on block");
    let mut f = Family::new(
        ctx,
        "block_on_block",
        "Mean acceleration over 0.3 s of a block of 1 kg (0.1 × 0.1 × 0.04 m) that lies on a block of 2 kg (0.6 × 0.2 × 0.04 m). A force pulls the \
         lower block over a frictionless floor.",
    );
    let mut plot = Plot::new(
        "block_on_block",
        "Speed of the upper block (lines) and of the lower block (points). The dashed lines are the closed form.",
        "time [s]",
        "speed [m/s]",
    );
    let (top, bottom, mu, t_end) = (1.0, 2.0, 0.4, 0.3);
    for pull in [8.0, 11.7, 11.8, 20.0] {
        let case = format!("pulled by {pull} N");
        ctx.say(case.clone());
        let critical = mu * (top + bottom) * G;
        let together = pull <= critical;
        let a_top = if together { pull / (top + bottom) } else { mu * G };
        let a_bottom = if together { a_top } else { (pull - mu * top * G) / bottom };
        f.theory(
            &[("force_on_bottom", pull)],
            &[("top_acceleration", a_top), ("bottom_acceleration", a_bottom), ("critical_force", critical)],
        );
        let mut s = Stage::new("block on block", STICTION);
        let floor = s.wall(Vector3::zeros(), Vector3::z(), &rigid(0.0));
        s.mask(floor, 1, 0);
        let below = Vector3::new(0.3, 0.1, 0.02);
        let above = Vector3::new(0.05, 0.05, 0.02);
        let depth = [(top + bottom) * G / (4.0 * STIFFNESS), 0.5 * top * G / STIFFNESS];
        let z = below.z - depth[0];
        let lower = cuboid(&mut s, "lower", Vector3::new(0.0, 0.0, z), below, bottom, mu);
        s.mask(lower, 2, 1);
        let at = Vector3::new(0.0, 0.0, z + below.z + above.z - depth[1]);
        let upper = cuboid(&mut s, "upper", at, above, top, mu);
        s.mask(upper, 0, 2);
        let scene = s.scene();
        let trace = Run::new(&scene, &Method::icf().with_step(STEP), t_end)
            .trace(|sys, _| sys.applied_force_mut()[0] = pull)?;
        let last = trace.len() - 1;
        f.relative(&case, "upper", a_top, trace.v[last][6] / t_end);
        f.relative(&case, "lower", a_bottom, trace.v[last][0] / t_end);
        if !(9.0..=19.0).contains(&pull) {
            let color = plot.series.len() / 3;
            plot.add_colored(
                &format!("{pull} N, upper"),
                Mark::Line,
                color,
                trace.curve(60, |r, i| r.v[i][6]),
            );
            plot.add_colored(
                &format!("{pull} N, lower"),
                Mark::Points,
                color,
                trace.curve(12, |r, i| r.v[i][0]),
            );
            plot.add_closed_form(vec![(t_end, a_top * t_end), (0.0, 0.0), (t_end, a_bottom * t_end)]);
        }
    }
    out.plot(plot);
    f.finish(
        out,
        &[
            rule(
                "upper",
                "acceleration of the upper block, relative error",
                2e-3,
                "the error comes from the regularised friction and from the shift of the load within the contact patch",
            ),
            rule("lower", "acceleration of the lower block, relative error", 2e-3, "the error has the causes given for the upper block"),
        ],
    );
    Ok(())
}

fn conveyor(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    out.heading("Conveyor");
    let mut f =
        Family::new(ctx, "conveyor", "Block of 1 kg (0.1 × 0.1 × 0.04 m) that is put on a moving belt");
    let (speed, mu) = (1.0, 0.3);
    let time = speed / (mu * G);
    let travel = 0.5 * speed * time;
    f.theory(
        &[("belt_speed", speed), ("mu", mu)],
        &[("time_to_belt_speed", time), ("travel_while_slipping", travel), ("slip_distance", travel)],
    );
    let mut s = Stage::new("conveyor", STICTION);
    let belt = s.wall(Vector3::zeros(), Vector3::z(), &rigid(mu));
    s.belt(belt, [speed, 0.0, 0.0]);
    let h = Vector3::new(0.05, 0.05, 0.02);
    cuboid(&mut s, "block", Vector3::new(0.0, 0.0, h.z - G / (4.0 * STIFFNESS)), h, 1.0, mu);
    let scene = s.scene();
    let trace = Run::new(&scene, &Method::icf().with_step(STEP), 2.0 * time).trace(|_, _| {})?;
    let row = (0..trace.len()).find(|&i| trace.v[i][0] > speed - 10.0 * STICTION).unwrap_or(trace.len() - 1);
    let case = format!("belt {speed} m/s, μ = {mu}");
    f.relative(&case, "time to belt speed", time, trace.t[row]);
    f.relative(&case, "travel while slipping", travel, trace.q[row][0]);
    f.relative(&case, "final speed", speed, trace.v[trace.len() - 1][0]);
    f.finish(
        out,
        &[
            rule(
                "time to belt speed",
                "time until the block has the speed of the belt within 10 v_s, relative error",
                7e-4,
                "the error is a time step of 2e-4 s in 0.34 s, and 10 v_s of 1 m/s",
            ),
            rule(
                "travel while slipping",
                "distance that the block travels until then, relative error",
                2e-3,
                "the error is the distance of a time step of 2e-4 s at the speed of the belt, out of 0.17 m",
            ),
            rule(
                "final speed",
                "speed at the end, relative error",
                1e-8,
                "the block sticks to the belt within the tolerance of the solver",
            ),
        ],
    );
    Ok(())
}

/// Contact points of a ring, or of annuli of equal area at their centroids: (radius, angle).
fn patch(ring: bool, radius: f64) -> Vec<(f64, f64)> {
    if ring {
        return (0..16).map(|i| (radius, std::f64::consts::TAU * f64::from(i) / 16.0)).collect();
    }
    let (annuli, around) = (8, 12);
    let mut points = Vec::new();
    for j in 0..annuli {
        let edge = |i: i32| f64::sqrt(f64::from(i) / f64::from(annuli));
        let (a, b) = (edge(j), edge(j + 1));
        let centroid = 2.0 / 3.0 * (b.powi(3) - a.powi(3)) / (b * b - a * a);
        for i in 0..around {
            let angle = std::f64::consts::TAU * (f64::from(i) + 0.5 * f64::from(j % 2)) / f64::from(around);
            points.push((radius * centroid, angle));
        }
    }
    points
}

fn spin_down(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    out.heading("Spin-down by torsional friction");
    let mut f = Family::new(
        ctx,
        "torsional_spin_down",
        "Stop of a spinning ring on 16 points and of a spinning disk of uniform pressure on 96 points of equal area. The points are small spheres \
         of equal stiffness, with 1e6 N/m in total.",
    );
    let mut plot = Plot::new(
        "spin_down",
        "Spin of the disk and of the ring. The dashed lines are the closed form.",
        "time [s]",
        "spin [rad/s]",
    );
    let (r, m, w0, mu) = (0.1, 1.0, 10.0, 0.4);
    for (ring, kind, inertia, arm) in
        [(false, "disk", 0.5 * m * r * r, 2.0 / 3.0 * r), (true, "ring", m * r * r, r)]
    {
        ctx.say(kind);
        let torque = mu * m * G * arm;
        let time = w0 * inertia / torque;
        let angle = 0.5 * w0 * time;
        if let Some(e) = f.find(|e| e["inputs"]["kind"].as_str().is_some_and(|k| k.starts_with(kind))) {
            let get = |key: &str| e["outputs"][key].as_f64().unwrap_or(f64::NAN);
            let pairs =
                [("torque", torque), ("stop_time", time), ("stop_angle", angle), ("inertia", inertia)];
            let worst = pairs
                .iter()
                .map(|(k, x)| (get(k) - x).abs() / x)
                .fold(0.0, |a: f64, b| if b > a { b } else { a });
            f.theory_difference(worst);
        }
        let points = patch(ring, r);
        let k = 1e6 / points.len() as f64;
        let small = 0.002;
        let mut s = Stage::new("spin down", STICTION);
        s.wall(Vector3::zeros(), Vector3::z(), &rigid(mu));
        let depth = m * G / 1e6;
        let b = s.free(
            kind,
            Vector3::new(0.0, 0.0, small - depth).into(),
            m,
            Vector3::new(0.5 * inertia, 0.5 * inertia, inertia),
        );
        for (radius, a) in points {
            let at = Vector3::new(radius * a.cos(), radius * a.sin(), 0.0);
            s.shape(b, at.into(), Shape::Sphere { radius: small }, &soft(k, DISSIPATION, mu));
        }
        let scene = s.scene();
        let trace = Run::new(&scene, &Method::icf().with_step(STEP), 1.2 * time).trace(|_, x| x.v[5] = w0)?;
        let row = (0..trace.len()).find(|&i| trace.v[i][5] * r < 10.0 * STICTION).unwrap_or(trace.len() - 1);
        let turned: f64 = (1..=row)
            .map(|i| 0.5 * (trace.v[i][5] + trace.v[i - 1][5]) * (trace.t[i] - trace.t[i - 1]))
            .sum();
        f.relative(kind, "stop time", time, trace.t[row]);
        f.relative(kind, "stop angle", angle, turned);
        let color = plot.series.len() / 2;
        plot.add_colored(kind, Mark::Line, color, trace.curve(150, |t, i| t.v[i][5]));
        plot.add_closed_form(vec![(0.0, w0), (time, 0.0)]);
    }
    out.plot(plot);
    f.finish(
        out,
        &[
            rule(
                "stop time",
                "time until the spin has stopped, relative error",
                5e-3,
                "the error comes from the time steps, and from the regularised friction, which falls off below a slip speed of v_s",
            ),
            rule(
                "stop angle",
                "angle of rotation until then, relative error",
                5e-6,
                "the error is half the deceleration times the square of a time step, 1e-6",
            ),
        ],
    );
    let why = "a sphere touches at a point, where only a contact law with torsional friction has a moment, and the contact law of this page has none";
    out.claim(Claim::skipped("torsional_spin_down/sphere", "spin of a sphere under torsional friction", why));
    Ok(())
}
