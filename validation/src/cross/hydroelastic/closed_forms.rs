use std::f64::consts::PI;

use signorini_core::na::{Isometry3, UnitQuaternion, Vector3};
use signorini_geometry::Shape;
use signorini_geometry::pressure::{ContactSurface, PressureField, RigidSurface, Side, SurfaceOptions};
use signorini_report::{Claim, Context, Mark, PageError, PageOutput, Plot, Table};
use signorini_run::Method;
use signorini_scene::{Hydroelastic, SceneBuilder};

use super::{GRAVITY, Path, failed};

pub(super) type Pose = Isometry3<f64>;

pub(super) const MODULUS: f64 = 1e7;
pub(super) const RADIUS: f64 = 0.05;
/// Lengths of edges \[m\].
const RESOLUTIONS: [f64; 4] = [0.02, 0.01, 0.005, 0.0025];
/// Key, name and closed form of the force.
type Kind = (&'static str, &'static str, fn(f64) -> f64);
/// Depths in parts of the radius.
const DEPTHS: [f64; 6] = [0.02, 0.03, 0.05, 0.1, 0.2, 0.3];
/// Steps of a path over an edge.
const PATHS: [usize; 6] = [50, 100, 200, 400, 800, 1600];

/// A body with a pressure field or a rigid surface.
pub(super) enum Body {
    Compliant(PressureField),
    Rigid(RigidSurface),
}

impl Body {
    pub(super) fn compliant(shape: &Shape, resolution: Option<f64>) -> Result<Self, PageError> {
        Ok(Self::Compliant(PressureField::new(shape, resolution).map_err(failed)?))
    }

    pub(super) fn plane() -> Result<Self, PageError> {
        Ok(Self::Rigid(RigidSurface::new(&Shape::HalfSpace, None).map_err(failed)?))
    }

    fn side(&self) -> Side<'_> {
        match self {
            Self::Compliant(field) => Side::Compliant { field, modulus: MODULUS },
            Self::Rigid(surface) => Side::Rigid(surface),
        }
    }
}

/// The surface on which a body in the world's frame and one at `x_wb` meet.
pub(super) fn meet(a: &Body, b: &Body, x_wb: &Pose) -> Result<ContactSurface, PageError> {
    let mut surface = ContactSurface::new();
    let options = SurfaceOptions::default();
    surface.find(&a.side(), &Pose::identity(), &b.side(), x_wb, &options).map_err(failed)?;
    Ok(surface)
}

fn force(a: &Body, b: &Body, x_wb: &Pose) -> Result<Vector3<f64>, PageError> {
    Ok(meet(a, b, x_wb)?.force())
}

/// Force of a ball pressed `d` into a rigid plane \[N\]: 2π E/r ∫ (r − ρ) ρ dρ from r − d to r.
pub(super) fn ball_on_plane(d: f64) -> f64 {
    let (r, low) = (RADIUS, RADIUS - d);
    2.0 * PI * MODULUS * ((r * r - low * low) / 2.0 - (r.powi(3) - low.powi(3)) / (3.0 * r))
}

/// Force of two equal balls that overlap by `d` \[N\]: the disc between them has the depth r − ρ of each, so that it is a ball on a plane at half of the overlap.
fn two_balls(d: f64) -> f64 {
    ball_on_plane(0.5 * d)
}

/// Orientations of the upper body, as rotation vectors.
pub(super) fn turns() -> impl Iterator<Item = Vector3<f64>> {
    (0..16).map(|k| Vector3::new(0.3, 1.1, -0.7) * (0.37 * f64::from(k)) + Vector3::new(0.0, 0.0, 0.11))
}

/// Largest relative error of a force over the turns.
fn worst(lower: &Body, ball: &Body, height: f64, exact: f64) -> Result<f64, PageError> {
    let mut worst = 0.0f64;
    for turn in turns() {
        let x =
            Pose::from_parts(Vector3::new(0.0, 0.0, height).into(), UnitQuaternion::from_scaled_axis(turn));
        worst = worst.max((force(lower, ball, &x)?.z / exact - 1.0).abs());
    }
    Ok(worst)
}

/// Least-squares slope of log y over log x.
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let (mx, my) = (logs.iter().map(|p| p.0).sum::<f64>() / n, logs.iter().map(|p| p.1).sum::<f64>() / n);
    let top: f64 = logs.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum();
    top / logs.iter().map(|p| (p.0 - mx).powi(2)).sum::<f64>()
}

/// ∫ min(d, distance from the rim) over a rectangle of sides 2a and 2b.
pub(super) fn roof(a: f64, b: f64, d: f64) -> f64 {
    4.0 * a * b * d - 2.0 * (a + b) * d * d + 4.0 / 3.0 * d * d * d
}

pub(super) fn run(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    out.heading("Closed forms");
    resting_box(ctx, out)?;
    balls(ctx, out)?;
    edge(ctx, out)
}

fn resting_box(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    let ([a, b, c], modulus, mass) = ([0.05, 0.08, 0.04], 1e5, 2.0);
    out.prose(format!(
        "Resting box: a compliant box of {mass} kg with half extents of {a} m, {b} m and {c} m and a modulus of {modulus:e} Pa rests on a rigid \
         plane. At the depth d the pressure is E min(d, s)/c at the distance s from the rim of the face. Its integral is \
         E/c (4 a b d − 2 (a + b) d² + 4 d³/3), which carries the weight."
    ));
    let mut table = Table::new(
        "A box at rest on a rigid plane after 3 s",
        &["method", "depth [mm]", "contact force from the depth [N]", "weight [N]"],
    );
    for (id, name, method) in [
        ("icf", "ICF, 10 ms", Method::icf().with_step(1e-2)),
        ("cenic", "error control, 1e-3", Method::cenic(1e-3)),
    ] {
        ctx.say(format!("resting box, {name}"));
        let scene = SceneBuilder::new("box").half_space().hydroelastic(Hydroelastic::rigid()).body("box");
        let scene = scene.at([0.0, 0.0, c]).free_joint().cuboid([a, b, c]).mass(mass);
        let scene = scene.hydroelastic(Hydroelastic::compliant(modulus)).build().map_err(failed)?;
        let path = Path::run(&scene, &method, 3.0, false, |_| {})?;
        let depth = c - path.q[path.last()][2];
        let carried = modulus / c * roof(a, b, depth);
        out.claim(
            Claim::relative(
                &format!("box/{id}"),
                &format!(
                    "box at rest on a rigid plane ({name}): the closed form at its depth carries the weight"
                ),
                mass * GRAVITY,
                carried,
                1e-3,
                "N",
            )
            .required_since("a thousandth, by which the motion may still creep"),
        );
        let cells = [1e3 * depth, carried, mass * GRAVITY].map(|x| format!("{x:.4}"));
        table.row(std::iter::once(name.to_owned()).chain(cells));
    }
    out.table(table);
    Ok(())
}

fn balls(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    out.prose(format!(
        "Balls: a compliant ball with a radius of {RADIUS} m and a modulus of {MODULUS:e} Pa is pressed into a rigid plane, and into an equal ball. \
         The force on the plane is 2π E/r ∫ (r − ρ) ρ dρ from r − d to r. Two equal balls meet on a disc, where each has half of the overlap. Each \
         number is the worst of 16 orientations of the ball."
    ));
    let ball = Shape::Sphere { radius: RADIUS };
    let (plane, own) = (Body::plane()?, Body::compliant(&ball, None)?);
    let mut plot = Plot::new(
        "balls",
        "Contact force of a ball on a rigid plane and on an equal ball, over the overlap, at the default resolution.",
        "overlap [m]",
        "force [N]",
    )
    .log(true, true);
    let mut errors = Plot::new(
        "balls_order",
        "Relative error of the contact force at a depth of a fifth of the radius, over the length of edges.",
        "length of edges [m]",
        "relative error",
    )
    .log(true, true);
    let kinds: [Kind; 2] =
        [("plane", "ball on a rigid plane", ball_on_plane), ("two", "two equal balls", two_balls)];
    let mut lines = Vec::new();
    for (i, (id, name, exact)) in kinds.into_iter().enumerate() {
        ctx.say(name);
        let place = |d: f64| if i == 0 { RADIUS - d } else { 2.0 * RADIUS - d };
        let (mut most, mut points, mut closed) = (0.0f64, Vec::new(), Vec::new());
        for part in DEPTHS {
            // Of two balls each has half of the overlap.
            let d = part * RADIUS * [1.0, 2.0][i];
            let lower = if i == 0 { &plane } else { &own };
            most = most.max(worst(lower, &own, place(d), exact(d))?);
            points.push((d, force(lower, &own, &Pose::translation(0.0, 0.0, place(d)))?.z));
            closed.push((d, exact(d)));
        }
        plot.add(name, Mark::Points, points);
        lines.push(closed);
        out.claim(
            Claim::at_most(
                &format!("ball/{id}"),
                &format!("{name}: largest relative error of the force at the default resolution"),
                0.01,
                most,
                "",
            )
            .required_since("for depths of 2 to 30 % of the radius"),
        );
        let d = 0.2 * RADIUS * [1.0, 2.0][i];
        let mut points = Vec::new();
        for h in RESOLUTIONS {
            let fine = Body::compliant(&ball, Some(h))?;
            let lower = if i == 0 { &plane } else { &fine };
            points.push((h, worst(lower, &fine, place(d), exact(d))?));
        }
        out.claim(
            Claim::at_least(
                &format!("order/{id}"),
                &format!("{name}: order of convergence of the force with the length of edges, 20 to 2.5 mm"),
                1.7,
                slope(&points),
                "",
            )
            .required_since("the order is 2 where edges are short beside the radius of 50 mm"),
        );
        errors.add(name, Mark::LinePoints, points);
    }
    for line in lines {
        plot.add_closed_form(line);
    }
    out.plot(plot);
    out.plot(errors);
    Ok(())
}

/// A tilted box slides over the edge of another one.
fn edge(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    ctx.say("box over an edge");
    let [table, slider] = [[0.1, 0.1, 0.05], [0.04, 0.03, 0.02]];
    out.prose(
        "Edge: a compliant box with half extents of 40 mm, 30 mm and 20 mm slides over the edge of a compliant box of 0.2 m × 0.2 m × 0.1 m. It is \
         turned by 0.3 rad about the normal and tilted by 0.03 rad, and sunk by 1 mm. The path of 0.2 m is cut into more and more parts. \
         The largest change of the force between two places falls with the parts where the force is continuous, and stays where it jumps.",
    );
    let shape = |h: [f64; 3]| Shape::Box { half_extents: h.into() };
    let (lower, upper) = (Body::compliant(&shape(table), None)?, Body::compliant(&shape(slider), None)?);
    let turn = UnitQuaternion::from_scaled_axis(Vector3::y() * 0.03)
        * UnitQuaternion::from_scaled_axis(Vector3::z() * 0.3);
    let z = table[2] + slider[2] - 1e-3;
    let mut jumps = Vec::new();
    let mut plot = Plot::new(
        "edge",
        "Contact force on a box that slides over an edge at 0.1 m, over the place of its middle.",
        "place [m]",
        "force [N]",
    );
    let mut largest = 0.0f64;
    for parts in PATHS {
        let mut forces = Vec::new();
        for k in 0..=parts {
            let x = 0.2 * k as f64 / parts as f64;
            let pose = Pose::from_parts(Vector3::new(x, 0.01, z).into(), turn);
            forces.push((x, force(&lower, &upper, &pose)?));
        }
        largest = forces.iter().map(|f| f.1.norm()).fold(largest, f64::max);
        let jump = forces.windows(2).map(|w| (w[1].1 - w[0].1).norm()).fold(0.0, f64::max);
        jumps.push((0.2 / parts as f64, jump));
        if parts == 400 {
            for (name, axis) in [("along the normal", 2), ("along the path", 0)] {
                plot.add(name, Mark::Line, forces.iter().map(|f| (f.0, f.1[axis])).collect());
            }
        }
    }
    for jump in &mut jumps {
        jump.1 /= largest;
    }
    out.claim(
        Claim::at_least(
            "edge/order",
            "box over an edge: order at which the largest change of the force between two places falls with their distance",
            0.9,
            slope(&jumps),
            "",
        )
        .required_since("1 for a force that is continuous and has a bounded slope, 0 for one that jumps"),
    );
    out.claim(
        Claim::at_most(
            "edge/jump",
            "box over an edge: largest change of the force between two places 0.125 mm apart, in parts of the largest force",
            0.01,
            jumps[jumps.len() - 1].1,
            "",
        )
        .required_since("twice the mean slope of a force that goes to nothing over 25 mm"),
    );
    out.plot(plot);
    let mut plot = Plot::new(
        "edge_jumps",
        "Largest change of the contact force between two places, in parts of the largest force, over their distance.",
        "distance [m]",
        "change / largest force",
    )
    .log(true, true);
    plot.add("largest change", Mark::LinePoints, jumps);
    out.plot(plot);
    Ok(())
}
