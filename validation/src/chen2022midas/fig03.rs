use signorini_core::na::{Isometry3, Vector3};
use signorini_geometry::TriangleMesh;
use signorini_ipc::{AffineSystem, IpcOptions};

use super::gripper::{Gripper, carry, open, press};
use super::scenes::{G, Settings, Track, at, block, seen, solid};
use signorini_report::claim::number;
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot};

/// A thin cup is gripped, lifted, put down and let go.
pub(super) struct Fig03;

const RADIUS: f64 = 0.03;
const HEIGHT: f64 = 0.08;
const WALL: f64 = 2e-3;
const SIDES: u32 = 24;
const DENSITY: f64 = 1000.0;
const MU: f64 = 0.5;
const FORCE: f64 = 2.0;
const SPEED: f64 = 0.1;
const DT: f64 = 5e-3;

/// Phases of the gripper, with their numbers of steps.
const PHASES: [(&str, usize); 6] =
    [("grip", 20), ("lift", 60), ("hold", 20), ("lower", 60), ("open", 40), ("retreat", 40)];

/// Profile of the cup from the middle of its underside to the middle of its ground: radius and height \[m\].
const PROFILE: [[f64; 2]; 4] =
    [[RADIUS, 0.0], [RADIUS, HEIGHT], [RADIUS - WALL, HEIGHT], [RADIUS - WALL, WALL]];

fn settings() -> Settings {
    let options = IpcOptions { range: 5e-4, ..IpcOptions::default() };
    Settings { dt: DT, tolerance: 1e-4, options: options.carrying(5.0) }
}

struct Outcome {
    track: Track,
    /// Height of the cup's ground above the start over time \[s, mm\].
    heights: Vec<(f64, f64)>,
    mass: f64,
    /// Rise of the cup at the end of each phase \[m\].
    rise: Vec<f64>,
}

fn pick(force: f64) -> Result<Outcome, PageError> {
    let settings = settings();
    let gap = 0.5 * settings.options.range;
    // Near where the barrier carries the cup.
    let rest = 0.95 * settings.options.range;
    let cup = solid("cup", TriangleMesh::revolved(SIDES, &PROFILE, [0.0, WALL]), DENSITY, MU)?;
    let mass = cup.mass;
    let flat = RADIUS * (std::f64::consts::PI / f64::from(SIDES)).cos();
    let gripper = Gripper {
        center: Vector3::new(0.0, 1e-3, 0.5 * HEIGHT),
        closing: Vector3::x(),
        opening: flat + gap,
        jaw: [0.005, 0.012, 0.01],
        palm: Vector3::new(0.0, 0.0, 0.1),
        friction: MU,
    };
    let (mut bodies, rails, excluded) = gripper.make(0)?;
    bodies.push((cup, Isometry3::identity()));
    bodies.push((block("table", [0.15, 0.15, 0.02], 1000.0, MU)?.held(), at(0.01, 0.02, -rest - 0.02)));
    let system = AffineSystem::articulated(bodies, &rails, &excluded, settings.options)
        .map_err(PageError::from_error)?;
    let mut track = Track::new(system, &settings);
    let start = track.center(3).z;
    let (mut heights, mut rise) = (Vec::new(), Vec::new());
    for (phase, steps) in PHASES {
        let up = match phase {
            "lift" | "retreat" => SPEED,
            "lower" => -SPEED,
            _ => 0.0,
        };
        carry(&mut track, 0, up * Vector3::z())?;
        match phase {
            "open" => open(&mut track, 0.05)?,
            "retreat" => open(&mut track, 1e-3)?,
            _ => press(&mut track, force)?,
        }
        track.run(steps, |t| heights.push((t.time(), 1e3 * (t.center(3).z - start))))?;
        rise.push(track.center(3).z - start);
    }
    Ok(Outcome { track, heights, mass, rise })
}

impl Page for Fig03 {
    fn id(&self) -> &'static str {
        "chen2022midas/fig03"
    }
    fn title(&self) -> &'static str {
        "Pick and place of a thin-walled cup"
    }
    fn lead(&self) -> &'static str {
        "A gripper lifts, places and releases a cup with a wall of 2 mm at one and ten times the grip force."
    }
    fn cost(&self) -> [f64; 3] {
        [0.1, 0.1, 0.1]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut table = seen(
            "Motion of the cup at one and ten times the grip force",
            &[
                "force of each jaw [N]",
                "lift height [mm]",
                "position error at the end [mm]",
                "tilt at the end [mrad]",
            ],
        );
        let mut plot =
            Plot::new("height", "Height of the cup above its initial position", "time [s]", "height [mm]");
        let mut newton = Plot::new(
            "newton",
            "Newton iterations of each time step",
            "time [s]",
            "Newton iterations per step [–]",
        );
        let (mut claims, mut films) = (Vec::new(), Vec::new());
        let mut mass = 0.0;
        for times in [1.0, 10.0] {
            let force = times * FORCE;
            ctx.say(format!("{force} N"));
            let o = pick(force)?;
            mass = o.mass;
            let page = o.track.film.attachment(&format!("cup at {force} N"));
            films.push((page, format!("The gripper lifts and places the cup with {force} N per jaw")));
            let lifted = o.rise[2];
            let end = o.track.center(3);
            let off = end.x.hypot(end.y).max(o.rise[5].abs());
            let tilt = o.track.axis(3, 2);
            let tilt = tilt.x.hypot(tilt.y);
            let cells = [force, 1e3 * lifted, 1e3 * off, 1e3 * tilt].map(number);
            table.row(cells.into_iter().chain(o.track.cells()));
            let what = format!("{force} N");
            let way = SPEED * DT * PHASES[1].1 as f64;
            let creep = settings().options.stiction_speed * o.track.time();
            claims.push(
                Claim::between(
                    &format!("force{times}/lifted"),
                    &format!("{what}: lift height of the cup"),
                    [1e3 * (way - 1e-4 - creep / 5.6), 1e3 * (way + 1e-4)],
                    1e3 * lifted,
                    "mm",
                )
                .rule("path of the palm within 0.1 mm, minus a creep of at most ε_v t/5.6, because the jaws press with 5.6 times the force that the \
                    weight needs"),
            );
            claims.push(
                Claim::at_most(
                    &format!("force{times}/placed"),
                    &format!("{what}: position error of the cup after release"),
                    1e3 * creep / 5.6,
                    1e3 * off,
                    "mm",
                )
                .rule("at most ε_v t/5.6, the creep of the cup in the jaws"),
            );
            claims.push(
                Claim::at_most(
                    &format!("force{times}/upright"),
                    &format!("{what}: tilt of the cup after release"),
                    1e-3,
                    tilt,
                    "rad",
                )
                .rule("at most 1e-3, a twentieth of d̂ over half the width, because the gaps around the foot carry equal loads"),
            );
            let speed = o.track.velocity(3).norm();
            claims.push(
                Claim::at_most(
                    &format!("force{times}/released"),
                    &format!("{what}: speed of the cup at the end, while the jaws move up"),
                    settings().tolerance,
                    speed,
                    "m/s",
                )
                .rule("at most the Newton tolerance, because the cup stands and implicit steps damp the motion caused by the release")
                .published("released"),
            );
            claims.push(
                o.track
                    .claim(&format!("force{times}/intact"), &what)
                    .published("no penetration (Bullet: a jaw goes through)"),
            );
            newton.add(
                &what,
                Mark::Points,
                o.track.iterations.iter().zip(&o.heights).map(|(n, h)| (h.0, f64::from(*n))).collect(),
            );
            plot.add(&what, if times > 1.0 { Mark::Dashed } else { Mark::Line }, o.heights);
        }
        let phases: Vec<String> =
            PHASES.iter().map(|(name, n)| format!("{name} {} s", number(DT * *n as f64))).collect();
        let mut out = PageOutput::new([
            format!(
                "The cup is {} mm wide and {} mm high, with a wall and a bottom of {} mm. It is one closed mesh of revolution with {SIDES} sides, a density \
                 of {DENSITY} kg/m³ and a mass of {} g. \
                 Two jaws of 10 × 24 × 20 mm slide on rails of a palm. They press with {FORCE} N each, which is 5.6 times the force that the weight needs, \
                 or with ten times this force. The motion of the palm is prescribed. \
                 The phases are {}. The palm moves up and down at {SPEED} m/s. The jaws open at 0.05 m/s with 5 N. \
                 The paper states the wall thickness, a force motor and ten times the force.",
                2e3 * RADIUS,
                1e3 * HEIGHT,
                1e3 * WALL,
                number(1e3 * mass),
                phases.join(", ")
            ),
            format!(
                "All surfaces have μ = {MU}, and gravity is {G} m/s². The settings are {}. The barrier range d̂ is a quarter of the wall thickness. \
                 Distances and overlaps are measured after every step.",
                settings().sentence()
            ),
        ]);
        out.heading("Motion");
        out.plot(plot);
        out.extend(claims);
        out.table(table);
        films.into_iter().for_each(|(page, caption)| out.film(page, caption));
        out.heading("Newton iterations");
        out.plot(newton);
        Ok(out)
    }
}
