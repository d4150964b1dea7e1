use signorini_core::State;
use signorini_core::na::Vector3;
use signorini_geometry::Shape;
use signorini_scene::{Pose, Scene};

use super::G;
use super::family::{Family, rule};
use crate::scenes::{Stage, rigid, soft};
use signorini_report::{Context, Mark, Page, PageError, PageOutput, Plot};
use signorini_run::Method;
use signorini_run::trace::{ContactForce, Run, Trace};

/// Loads of a stack, a pyramid and a plank; onset of toppling and of sliding.
pub(super) struct Statics;

const DISSIPATION: f64 = 20.0;
const STICTION: f64 = 1e-5;

impl Page for Statics {
    fn id(&self) -> &'static str {
        "analytic/statics"
    }
    fn title(&self) -> &'static str {
        "Static loads of a stack, a pyramid and a plank, and toppling"
    }
    fn lead(&self) -> &'static str {
        "Stacks, a pyramid and a plank rest with the contact forces of statics, and a block topples or slides at the predicted slope and push."
    }
    fn cost(&self) -> [f64; 3] {
        [0.5, 0.5, 0.5]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut out = PageOutput::new([format!(
            "The floor is rigid. The dissipation is {DISSIPATION} s/m, and the regularisation speed of friction is v_s = {STICTION:e} m/s. The \
             stiffness and the time steps are stated with each table."
        )]);
        stack(ctx, &mut out)?;
        pyramid(ctx, &mut out)?;
        plank(ctx, &mut out)?;
        toppling(ctx, &mut out)?;
        Ok(out)
    }
}

fn cuboid_inertia(m: f64, h: &Vector3<f64>) -> Vector3<f64> {
    let s = h.component_mul(h);
    m / 3.0 * Vector3::new(s.y + s.z, s.x + s.z, s.x + s.y)
}

fn between(c: &ContactForce, a: usize, b: usize) -> bool {
    let [x, y] = c.geoms.map(|g| g as usize);
    (x, y) == (a, b) || (x, y) == (b, a)
}

fn stack(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    out.heading("Stack of boxes");
    let mut f = Family::new(
        ctx,
        "stack_of_boxes",
        "Loads in a stack of boxes of 0.2 × 0.2 × 0.1 m with 1e6 N/m per surface. The boxes start just touching each other, and the loads are those \
         after 1 s with time steps of 1e-3 s.",
    );
    let k = 1e6;
    for masses in [vec![1.0; 5], vec![1.0, 10.0, 100.0], vec![100.0, 10.0, 1.0]] {
        let case = format!("masses {masses:?} kg, bottom to top");
        ctx.say(case.clone());
        let loads: Vec<f64> = (0..masses.len()).map(|i| G * masses[i..].iter().sum::<f64>()).collect();
        let file = f.find(|e| {
            let listed = e["inputs"]["masses_bottom_to_top"].as_array();
            listed.is_some_and(|l| l.iter().filter_map(serde_json::Value::as_f64).eq(masses.iter().copied()))
        });
        if let Some(e) = file {
            let listed = e["outputs"]["normal_force_below_each"].as_array().cloned().unwrap_or_default();
            let pairs = listed.iter().filter_map(serde_json::Value::as_f64).zip(&loads);
            let worst = pairs.map(|(a, b)| (a - b).abs() / b).fold(0.0, f64::max);
            f.theory_difference(if listed.len() == loads.len() { worst } else { f64::INFINITY });
        }
        let mut s = Stage::new("stack", STICTION);
        s.wall(Vector3::zeros(), Vector3::z(), &rigid(0.5));
        let h = Vector3::new(0.1, 0.1, 0.05);
        for (i, m) in masses.iter().enumerate() {
            let at = Vector3::new(0.0, 0.0, 0.05 + 0.1 * i as f64);
            let b = s.free(&format!("box{i}"), at.into(), *m, cuboid_inertia(*m, &h));
            s.shape(b, Pose::identity(), Shape::Box { half_extents: h }, &soft(k, DISSIPATION, 0.5));
        }
        let scene = s.scene();
        let trace = Run::new(&scene, &Method::icf().with_step(1e-3), 1.0).trace(|_, _| {})?;
        let last = trace.len() - 1;
        for (i, load) in loads.iter().enumerate() {
            let measured = trace.force(last, |c| between(c, i, i + 1)).z.abs();
            f.relative(&format!("{case}: below box {}", i + 1), "load", *load, measured);
        }
        let drift = (0..masses.len())
            .map(|i| trace.q[last][7 * i].hypot(trace.q[last][7 * i + 1]))
            .fold(0.0, f64::max);
        f.compare(&case, "sideways drift [m]", [0.0, drift], 1.0);
    }
    f.finish(
        out,
        &[
            rule(
                "load",
                "load below each box, relative error",
                1e-5,
                "the error is the settling that remains after 1 s",
            ),
            rule(
                "sideways drift [m]",
                "largest sideways displacement of a box [m]",
                1e-12,
                "the stack is symmetric, and the error is the round-off of 1000 steps",
            ),
        ],
    );
    Ok(())
}

/// Three equal cylinders of radius 0.1 m in the plane; the lower two do not touch each other.
fn three_cylinders(top: f64, mu_top: f64, mu_ground: f64) -> Scene {
    let (r, k) = (0.1, 1e7);
    let mut s = Stage::new("pyramid", STICTION);
    let floor = s.wall(Vector3::zeros(), Vector3::z(), &rigid(mu_ground));
    s.mask(floor, 1, 0);
    let ball = |s: &mut Stage, b: usize, mu: f64| {
        s.shape(b, Pose::identity(), Shape::Sphere { radius: r }, &soft(k, DISSIPATION, mu))
    };
    for (name, x) in [("left", -r), ("right", r)] {
        let b = s.planar(name, Vector3::new(x, 0.0, r), 1.0, 0.5 * r * r);
        let g = ball(&mut s, b, mu_ground);
        s.mask(g, 0, 1);
        let g = ball(&mut s, b, mu_top);
        s.mask(g, 2, 0);
    }
    let b = s.planar("top", Vector3::new(0.0, 0.0, r * (1.0 + 3f64.sqrt())), top, 0.5 * top * r * r);
    let g = ball(&mut s, b, mu_top);
    s.mask(g, 0, 2);
    s.scene()
}

fn pyramid(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    out.heading("Pyramid of cylinders");
    let mut f = Family::new(
        ctx,
        "cylinder_pyramid",
        "Forces and stability of a pyramid of three cylinders that move in a plane, with 1e7 N/m per contact and time steps of 2e-4 s. The friction \
         is 5 % above and below the needed friction.",
    );
    let method = Method::icf().with_step(2e-4);
    for top in [1.0, 5.0] {
        let case = format!("top {top} kg");
        ctx.say(case.clone());
        let (w, tan15) = (top * G, 15f64.to_radians().tan());
        let normal = 0.5 * w;
        let friction = normal * tan15;
        let ground = G + 0.5 * w;
        let least = [tan15, friction / ground];
        f.theory(
            &[("top_mass", top)],
            &[
                ("normal_top_contact", normal),
                ("friction_top_contact", friction),
                ("normal_ground", ground),
                ("friction_ground", friction),
                ("minimum_mu_between_cylinders", least[0]),
                ("minimum_mu_ground", least[1]),
            ],
        );
        let scene = three_cylinders(top, 0.5, 0.5);
        let trace = Run::new(&scene, &method, 0.5).trace(|_, _| {})?;
        let last = trace.len() - 1;
        for c in &trace.contacts[last] {
            let (expected, name) =
                if c.geoms.contains(&0) { (ground, "ground") } else { (normal, "cylinders") };
            f.relative(&format!("{case}, {name}"), "normal force", expected, c.local.x);
            let tangent = c.local.y.hypot(c.local.z);
            f.relative(&format!("{case}, {name}"), "friction", friction, tangent);
        }
        for (i, name) in ["between the cylinders", "on the ground"].into_iter().enumerate() {
            for (factor, expected) in [(0.95, "falls"), (1.05, "stands")] {
                let mut mu = [0.5, 0.5];
                mu[i] = factor * least[i];
                let scene = three_cylinders(top, mu[0], mu[1]);
                let trace = Run::new(&scene, &method, 0.7).trace(|_, _| {})?;
                let dropped = -trace.q[trace.len() - 1][7];
                let measured = if dropped > 0.02 { "falls" } else { "stands" };
                let label = format!("{case}, μ {name} is {factor} of the needed μ");
                f.event(&label, "standing", expected, measured);
            }
        }
    }
    f.finish(
        out,
        &[
            rule("normal force", "normal forces, relative error", 1e-5, "the compliance, N/k over the radius, and the creep at v_s change the \
                angles by at most 1e-4"),
            rule(
                "friction",
                "friction forces, relative error",
                5e-4,
                "the error comes from the compliance, N/k over the radius, which is 3e-5, and from creep: the lower cylinders drift apart at about \
                 v_s, by 5e-5 of the radius",
            ),
            rule(
                "standing",
                "the pyramid stands with 5 % more friction than needed and falls with 5 % less",
                0.0,
                "the result is yes or no",
            ),
        ],
    );
    Ok(())
}

fn plank(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    out.heading("Plank on two supports");
    let mut f = Family::new(
        ctx,
        "plank_on_two_supports",
        "Reactions below a plank of 2 × 0.3 × 0.04 m on two pairs of fixed spheres, with 1e6 N/m per sphere. A point mass is rigidly attached to \
         the plank.",
    );
    let (mass, length, supports) = (2.0, 2.0, [0.2, 1.7]);
    for (point, at) in [(3.0, 0.5), (0.0, 0.0)] {
        let case = format!("point mass {point} kg at {at} m");
        ctx.say(case.clone());
        let total = mass + point;
        let com: f64 = (mass * 0.5 * length + point * at) / total;
        let second = total * G * (com - supports[0]) / (supports[1] - supports[0]);
        let first = total * G - second;
        f.theory(&[("point_mass", point)], &[("reaction1", first), ("reaction2", second)]);
        let mut s = Stage::new("plank", STICTION);
        let r = 0.05;
        for x in supports {
            for y in [-0.1, 0.1] {
                let ball = Shape::Sphere { radius: r };
                s.shape(0, Vector3::new(x, y, 0.0).into(), ball, &rigid(0.5));
            }
        }
        let h = Vector3::new(0.5 * length, 0.15, 0.02);
        let middle = 0.5 * length;
        let inertia = cuboid_inertia(mass, &h)
            + Vector3::new(0.0, 1.0, 1.0) * (mass * (middle - com).powi(2) + point * (at - com).powi(2));
        let b = s.free("plank", Vector3::new(com, 0.0, r + h.z).into(), total, inertia);
        let pose = Pose::translation(middle - com, 0.0, 0.0);
        s.shape(b, pose, Shape::Box { half_extents: h }, &soft(1e6, DISSIPATION, 0.5));
        let scene = s.scene();
        let trace = Run::new(&scene, &Method::icf().with_step(5e-4), 1.0).trace(|_, _| {})?;
        let last = trace.len() - 1;
        let reaction =
            |i: u32| trace.force(last, |c| c.geoms.iter().any(|g| *g == 2 * i || *g == 2 * i + 1)).z.abs();
        f.relative(&format!("{case}, left"), "reaction", first, reaction(0));
        f.relative(&format!("{case}, right"), "reaction", second, reaction(1));
    }
    f.finish(
        out,
        &[rule(
            "reaction",
            "reactions of the supports, relative error",
            1e-5,
            "the error is the settling that remains after 1 s",
        )],
    );
    Ok(())
}

/// First event of a block.
fn first_event(trace: &Trace, down: &Vector3<f64>) -> &'static str {
    let start = trace.rotation(0, 3);
    for i in 0..trace.len() {
        if trace.rotation(i, 3).angle_to(&start) > 0.02 {
            return "topples";
        }
        let p = Vector3::from_fn(|r, _| trace.q[i][r] - trace.q[0][r]);
        if p.dot(down).abs() > 0.02 {
            return "slides";
        }
    }
    "stays"
}

fn toppling(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    out.heading("Toppling");
    let mut f = Family::new(
        ctx,
        "toppling",
        "First event of a block of 1 kg with 1e6 N/m per corner. It is on slopes half a degree below and above the slope of the first event, or it \
         is pushed 5 % below and above the height at which it tips.",
    );
    let mut plot = Plot::new(
        "push",
        "Tilt of the block of 0.2 × 0.6 m. A rising force pushes it at two heights, below and above the critical height of 0.2 m.",
        "time [s]",
        "tilt [deg]",
    );
    let method = Method::icf().with_step(5e-4);
    for (width, height, mu) in [(0.2, 0.6, 0.5), (0.2, 0.2, 0.5), (0.1, 0.5, 0.15f64)] {
        let case = format!("{width} × {height} m, μ = {mu}");
        ctx.say(case.clone());
        let topple = f64::atan(width / height).to_degrees();
        let slide = mu.atan().to_degrees();
        let push = 0.5 * width / mu;
        f.theory(
            &[("width", width), ("height", height), ("mu", mu)],
            &[
                ("topple_angle_deg", topple),
                ("slide_angle_deg", slide),
                ("push_height_above_which_it_tips", push),
            ],
        );
        let half = [0.5 * width, 0.5 * width, 0.5 * height];
        let event = if topple < slide { "topples" } else { "slides" };
        let limit = topple.min(slide);
        for (angle, expected) in [(limit - 0.5, "stays"), (limit + 0.5, event)] {
            let (scene, down) = super::incline::block(angle.to_radians(), mu, half);
            let trace = Run::new(&scene, &method, 1.5).trace(|_, _| {})?;
            f.event(
                &format!("{case}, slope {angle:.2}°"),
                "on a slope",
                expected,
                first_event(&trace, &down),
            );
        }
        for (factor, expected) in [(0.95, "slides"), (1.05, "topples")] {
            let at = factor * push;
            if at > height {
                continue;
            }
            let (scene, down) = super::incline::block(0.0, mu, half);
            let pushed = move |t: f64| mu * G * (0.6 + 0.6 * t);
            let trace = Run::new(&scene, &method, 1.5).trace(|sys, _| {
                let field = move |_: &_, _: &_, x: &State, t: f64, f: &mut [f64]| {
                    f[0] += pushed(t);
                    f[4] += pushed(t) * (at - x.q[2]);
                };
                sys.set_force_field(Some(Box::new(field)));
            })?;
            f.event(&format!("{case}, pushed at {at:.3} m"), "pushed", expected, first_event(&trace, &down));
            if height > 0.55 {
                let start = trace.rotation(0, 3);
                let tilt = trace.curve(200, |r, i| r.rotation(i, 3).angle_to(&start).to_degrees());
                plot.add(&format!("pushed at {at:.2} m"), Mark::Line, tilt);
            }
        }
    }
    out.plot(plot);
    f.finish(
        out,
        &[
            rule(
                "on a slope",
                "the block stays on a slope half a degree below the limit, and shows the predicted first event (sliding or toppling) half a degree \
                 above it",
                0.0,
                "the result is yes or no",
            ),
            rule(
                "pushed",
                "the block tips when it is pushed 5 % above the critical height, and slides when it is pushed 5 % below it",
                0.0,
                "the result is yes or no",
            ),
        ],
    );
    Ok(())
}
