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
    [("grip", 20), ("lift", 60), ("hold", 20), ("lower", 60), ("open", 40), ("go up", 40)];

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
            "lift" | "go up" => SPEED,
            "lower" => -SPEED,
            _ => 0.0,
        };
        carry(&mut track, 0, up * Vector3::z())?;
        match phase {
            "open" => open(&mut track, 0.05)?,
            "go up" => open(&mut track, 1e-3)?,
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
        "A cup with a wall of 2 mm is picked, placed and released, at one and ten times the force"
    }
    fn lead(&self) -> &'static str {
        "A gripper picks up a cup with a wall of 2 mm, places it and lets go; the grip holds at one and at ten times the force."
    }
    fn cost(&self) -> [f64; 3] {
        [1.0, 1.0, 1.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut table = seen(
            "Cup at one and ten times the force",
            &[
                "force of each jaw [N]",
                "lifted by [mm]",
                "off its place at the end [mm]",
                "tilt at the end [mrad]",
            ],
        );
        let mut plot =
            Plot::new("height", "Height of the cup above its place at the start.", "time [s]", "height [mm]");
        let mut newton =
            Plot::new("newton", "Newton iterations of each step.", "time [s]", "Newton iterations per step");
        let (mut claims, mut films) = (Vec::new(), Vec::new());
        let mut mass = 0.0;
        for times in [1.0, 10.0] {
            let force = times * FORCE;
            ctx.say(format!("{force} N"));
            let o = pick(force)?;
            mass = o.mass;
            let page = o.track.film.attachment(&format!("cup at {force} N"));
            films.push((page, format!("The cup, pressed with {force} N, is lifted and put down")));
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
                    &format!("{what}: lifted by"),
                    [1e3 * (way - 1e-4 - creep / 5.6), 1e3 * (way + 1e-4)],
                    1e3 * lifted,
                    "mm",
                )
                .rule("the way of the palm to 0.1 mm, less what it creeps, at most ε_v t/5.6: the jaws press with 5.6 times what the weight needs"),
            );
            claims.push(
                Claim::at_most(
                    &format!("force{times}/placed"),
                    &format!("{what}: off its place after it was let go"),
                    1e3 * creep / 5.6,
                    1e3 * off,
                    "mm",
                )
                .rule("ε_v t/5.6, its creep in the jaws"),
            );
            claims.push(
                Claim::at_most(
                    &format!("force{times}/upright"),
                    &format!("{what}: tilt after it was let go"),
                    1e-3,
                    tilt,
                    "rad",
                )
                .rule("at most 1e-3: a twentieth of d̂ over half its width; all around its foot gaps carry alike"),
            );
            let speed = o.track.velocity(3).norm();
            claims.push(
                Claim::at_most(
                    &format!("force{times}/released"),
                    &format!("{what}: speed of the cup at the end, while the jaws go up"),
                    settings().tolerance,
                    speed,
                    "m/s",
                )
                .rule("the tolerance of Newton's iterations: it stands, implicit steps have damped what letting go left"),
            );
            claims.push(o.track.claim(&format!("force{times}/intact"), &what));
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
                "A cup, {} mm wide, {} mm high, wall and ground of {} mm, one closed mesh of revolution with {SIDES} sides; {DENSITY} kg/m³, {} g. Two jaws of 10 × 24 × 20 mm on rails of a palm press with {FORCE} N each, 5.6 times what the weight needs, \
                 or ten times that; the palm is driven. {}; up and down at {SPEED} m/s, jaws open at 0.05 m/s with 5 N. The paper states the wall, a force motor and ten times the force.",
                2e3 * RADIUS,
                1e3 * HEIGHT,
                1e3 * WALL,
                number(1e3 * mass),
                phases.join(", ")
            ),
            format!(
                "μ = {MU} everywhere, {G} m/s², {}. d̂ is a quarter of the wall. Distances and overlaps are looked at after every step.",
                settings().sentence()
            ),
        ]);
        out.heading("Motion");
        out.plot(plot);
        out.extend(claims);
        out.table(table);
        films.into_iter().for_each(|(page, caption)| out.film(page, caption));
        out.heading("Work");
        out.plot(newton);
        Ok(out)
    }
}
