use std::f64::consts::TAU;

use signorini_core::na::{Point3, Vector3};
use signorini_ipc::{AffineSystem, IpcOptions, Joint, JointAction, JointKind, Motor};

use super::scenes::{G, Placed, Settings, Track, at, block, seen};
use signorini_report::claim::number;
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};
use signorini_run::film::Attachment;

/// Joints, limits, motors.
pub(super) struct Fig01;

const TOLERANCE: f64 = 1e-8;

/// Table, claims and error that the page gathers.
struct Sheet {
    table: Table,
    claims: Vec<Claim>,
    joint_error: f64,
    /// Films with their captions.
    films: Vec<(Attachment, &'static str)>,
}

impl Sheet {
    fn add(&mut self, name: &str, parameters: &str, claim: Claim, track: &Track) {
        let cells = [
            name.to_owned(),
            parameters.to_owned(),
            claim.expected_text.clone(),
            claim.measured_text.clone(),
        ];
        self.table.row(cells.into_iter().chain(track.cells()));
        self.claims.push(claim);
        self.joint_error = self.joint_error.max(track.worst.joint_error);
    }
}

fn make(bodies: Placed, joint: Joint, gravity: f64, dt: f64) -> Result<Track, PageError> {
    let options = IpcOptions { gravity: Vector3::new(0.0, 0.0, -gravity), ..IpcOptions::default() };
    let system = AffineSystem::articulated(bodies, &[joint], &[], options).map_err(PageError::from_error)?;
    Ok(Track::new(system, &Settings { dt, tolerance: TOLERANCE, options }))
}

fn hinge() -> Joint {
    let kind = JointKind::Hinge { at: Point3::origin(), axis: Vector3::y(), half_length: 0.05 };
    Joint::new("hinge", [0, 1], kind)
}

/// A wheel on an axle through its centre, without gravity, and its moment of inertia \[kg·m²\].
fn wheel(dt: f64) -> Result<(Track, f64), PageError> {
    let wheel = block("wheel", [0.1, 0.02, 0.1], 1000.0, 0.0)?;
    let inertia = wheel.mass / 3.0 * (0.1f64.powi(2) + 0.1f64.powi(2));
    let base = block("base", [0.02; 3], 1000.0, 0.0)?.held();
    Ok((make(vec![(base, at(0.0, 0.5, 0.0)), (wheel, at(0.0, 0.0, 0.0))], hinge(), 0.0, dt)?, inertia))
}

/// A rod of 0.2 m on a hinge at its end, level at the start, with its weight \[N\]; the hinge counts downwards.
fn rod(dt: f64) -> Result<(Track, f64), PageError> {
    let rod = block("rod", [0.1, 0.02, 0.02], 1000.0, 0.0)?;
    let weight = rod.mass * G;
    let base = block("base", [0.02; 3], 1000.0, 0.0)?.held();
    Ok((make(vec![(base, at(0.0, 0.0, 0.0)), (rod, at(0.1, 0.0, 0.0))], hinge(), G, dt)?, weight))
}

/// A carriage of 0.1 m on an upright rail, with its mass \[kg\]; a wall above it on demand.
fn carriage(gravity: f64, wall: bool, dt: f64) -> Result<(Track, f64), PageError> {
    let carriage = block("carriage", [0.05; 3], 1000.0, 0.0)?;
    let mass = carriage.mass;
    let base = block("base", [0.02; 3], 1000.0, 0.0)?.held();
    let mut bodies = vec![(base, at(0.0, 0.5, 0.0)), (carriage, at(0.0, 0.0, 0.0))];
    if wall {
        bodies.push((block("wall", [0.2, 0.2, 0.05], 1000.0, 0.0)?.held(), at(0.03, 0.02, 0.2)));
    }
    let rail = Joint::new("rail", [0, 1], JointKind::Sliding { axis: Vector3::z() });
    Ok((make(bodies, rail, gravity, dt)?, mass))
}

fn act(track: &mut Track, action: JointAction) -> Result<(), PageError> {
    track.system.act(0, action).map_err(PageError::from_error)
}

fn motor(track: &mut Track, motor: Motor) -> Result<(), PageError> {
    act(track, JointAction { motor, ..JointAction::default() })
}

fn value(track: &Track) -> f64 {
    track.system.joint_value(&track.x, 0).unwrap_or(f64::NAN)
}

fn curve(track: &mut Track, steps: usize) -> Result<Vec<(f64, f64)>, PageError> {
    let mut points = Vec::new();
    track.run(steps, |t| points.push((t.time(), value(t))))?;
    Ok(points)
}

fn first_second(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    points.iter().copied().filter(|p| p.0 <= 1.0).collect()
}

/// A torque on a hinge, a force along a rail.
fn forces(sheet: &mut Sheet, angles: &mut Plot) -> Result<(), PageError> {
    let (dt, steps) = (1e-3, 500);
    let (mut track, inertia) = wheel(dt)?;
    let torque = 2e-2;
    motor(&mut track, Motor::Force { force: torque })?;
    let points = curve(&mut track, steps)?;
    let n = steps as f64;
    let expected = torque / inertia * dt * dt * n * (n + 1.0) / 2.0;
    // Implicit steps brake a spin by δt ω³ per second, which takes 4.4e-5 of the angle.
    let claim = Claim::relative(
        "hinge/force",
        "hinge with torque motor: angle after 0.5 s, compared with τ/I h² n (n + 1)/2",
        expected,
        value(&track),
        1e-4,
        "rad",
    );
    sheet.add(
        "hinge, torque motor",
        &format!("τ = {torque} N·m, I = {} kg·m², h = 1 ms", number(inertia)),
        claim,
        &track,
    );
    angles.add("torque motor", Mark::Line, points);
    angles.add_closed_form(
        (0..=50).map(|i| f64::from(i) * 0.01).map(|t| (t, 0.5 * torque / inertia * t * t)).collect(),
    );
    let (mut track, mass) = carriage(0.0, false, 5e-3)?;
    motor(&mut track, Motor::Force { force: 2.0 })?;
    track.run(100, |_| ())?;
    let expected = 2.0 / mass * 25e-6 * 100.0 * 101.0 / 2.0;
    // A hundred solves to 1e-8 m/s.
    let claim = Claim::relative(
        "slide/force",
        "slide with force motor: displacement after 0.5 s, compared with F/m h² n (n + 1)/2",
        expected,
        value(&track),
        1e-6,
        "m",
    );
    sheet.add("slide, force motor", "2 N on 1 kg, no gravity, h = 5 ms", claim, &track);
    Ok(())
}

/// Velocity motors: turns are counted; a wall feels the cap.
fn speeds(sheet: &mut Sheet, turns: &mut Plot, full: bool) -> Result<(), PageError> {
    let seconds = if full { 12.5 } else { 2.5 };
    let (dt, steps) = (1e-3, (seconds * 1e3) as usize);
    let (mut track, inertia) = wheel(dt)?;
    let (speed, ramp) = (10.0, 20.0);
    motor(&mut track, Motor::Velocity { speed, gain: 100.0 * inertia, cap: ramp * inertia })?;
    let points = curve(&mut track, steps)?;
    let rise = speed / ramp;
    let expected = speed * (seconds - 0.5 * rise);
    let what = format!(
        "hinge with velocity motor: angle after {seconds} s, {:.1} turns (half a second up to 10 rad/s at the torque limit, then constant speed)",
        expected / TAU
    );
    // Implicit steps brake by δt ω³ = 1 rad/s², which takes 0.01 rad/s at this gain, and some on the way up.
    let claim = Claim::relative("hinge/velocity", &what, expected, value(&track), 5e-3, "rad");
    sheet.add("hinge, velocity motor", "10 rad/s, gain 100 I, cap 20 I, h = 1 ms", claim, &track);
    let in_turns = |p: &(f64, f64)| (p.0, p.1 / TAU);
    turns.add("velocity motor", Mark::Line, points.iter().map(in_turns).collect());
    let form = |t: f64| if t < rise { 0.5 * ramp * t * t } else { speed * (t - 0.5 * rise) };
    let at = |i: u32| 0.01 * seconds * f64::from(i);
    turns.add_closed_form((0..=100).map(at).map(|t| (t, form(t) / TAU)).collect());
    let (mut track, _) = carriage(0.0, true, 5e-3)?;
    let cap = 50.0;
    motor(&mut track, Motor::Velocity { speed: 1.0, gain: 1e4, cap })?;
    track.run(60, |_| ())?;
    let wrenches =
        track.system.contact_wrenches(signorini_core::Slot::Start).map_err(PageError::from_error)?;
    let force = wrenches.get(2).map_or(f64::NAN, |w| w[0].z);
    let claim = Claim::relative(
        "slide/velocity_cap",
        "slide with velocity motor against a wall: force on the wall, compared with the force limit of the motor",
        cap,
        force,
        1e-3,
        "N",
    );
    sheet.add(
        "slide, velocity motor into a wall",
        "1 m/s, gain 1e4 N·s/m, cap 50 N, h = 5 ms",
        claim,
        &track,
    );
    sheet.claims.push(track.claim("slide/wall/intact", "slide with velocity motor against a wall"));
    Ok(())
}

/// Position motors: the deviation is load over stiffness.
fn positions(sheet: &mut Sheet, angles: &mut Plot) -> Result<(), PageError> {
    let (mut track, weight) = rod(5e-3)?;
    let (target, stiffness, damping) = (-0.5, 20.0, 1.0);
    motor(&mut track, Motor::Position { target, stiffness, damping, cap: f64::INFINITY })?;
    let points = curve(&mut track, 500)?;
    let mut rest = target;
    for _ in 0..100 {
        rest = target + 0.1 * weight * f64::cos(rest) / stiffness;
    }
    // At rest after a hundred time constants; the rod itself gives way by less than 1e-6 of its length.
    let claim = Claim::relative(
        "hinge/position",
        "hinge with position motor that lifts a rod: angle at rest, compared with −0.5 rad plus load over stiffness",
        rest,
        value(&track),
        1e-6,
        "rad",
    );
    sheet.add(
        "hinge, position motor",
        "−0.5 rad, 20 N·m/rad, 1 N·m·s/rad, rod of 0.2 m and 0.32 kg, h = 5 ms",
        claim,
        &track,
    );
    angles.add("position motor", Mark::Line, first_second(&points));
    sheet.films.push((track.film.attachment("lifted rod"), "A position motor lifts a rod on its hinge"));
    angles.add_closed_form(vec![(0.0, rest), (1.0, rest)]);
    let (mut track, mass) = carriage(G, false, 5e-3)?;
    motor(&mut track, Motor::Position { target: 0.1, stiffness: 2e3, damping: 50.0, cap: f64::INFINITY })?;
    track.run(300, |_| ())?;
    let rest = 0.1 - mass * G / 2e3;
    let claim = Claim::relative(
        "slide/position",
        "slide with position motor that lifts a carriage: displacement at rest, compared with 0.1 m minus load over stiffness",
        rest,
        value(&track),
        1e-4,
        "m",
    );
    sheet.add("slide, position motor", "0.1 m, 2000 N/m, 50 N·s/m, 1 kg, h = 5 ms", claim, &track);
    Ok(())
}

/// Limits are springs of the stiffness of the bodies.
fn limits(sheet: &mut Sheet, angles: &mut Plot) -> Result<(), PageError> {
    let (mut track, weight) = rod(5e-3)?;
    let high = 0.5;
    act(&mut track, JointAction { range: Some([-0.1, high]), ..JointAction::default() })?;
    let points = curve(&mut track, 500)?;
    let most = points.iter().map(|p| p.1).fold(f64::NEG_INFINITY, f64::max);
    // k V of the rod, which the load of the rod on its arm bends.
    let stiffness = 1e8 * 0.2 * 0.04 * 0.04;
    let rest = high + 0.1 * weight * f64::cos(high) / stiffness;
    let claim = Claim::near(
        "hinge/limit",
        "rod that falls into its hinge limit of 0.5 rad: angle at rest",
        rest,
        value(&track),
        1e-6,
        "rad",
    )
    .values(format!("{rest:.7}"), format!("{:.7}", value(&track)), "rad")
    .rule("within 1e-6 rad of the limit plus load over k V");
    sheet.add("hinge, limit", "−0.1 to 0.5 rad, k V = 32 kN·m/rad, h = 5 ms", claim, &track);
    sheet.claims.push(
        Claim::at_most(
            "hinge/limit_impact",
            "rod that falls into its hinge limit of 0.5 rad: largest angle during the impact",
            high + 0.01,
            most,
            "rad",
        )
        .rule("at most 1e-2 rad past the limit, because the impact load is up to a hundred times the load at rest"),
    );
    angles.add_colored("limit", Mark::Line, 3, first_second(&points));
    sheet.films.push((track.film.attachment("falling rod"), "A rod falls into the limit of its hinge"));
    angles.add_closed_form(vec![(0.0, high), (1.0, high)]);
    let (mut track, mass) = carriage(G, false, 5e-3)?;
    act(&mut track, JointAction { range: Some([-0.1, 0.1]), ..JointAction::default() })?;
    track.run(200, |_| ())?;
    // k V/r² with r half the diagonal of the cube.
    let stiffness = 1e8 * 1e-3 / (3.0 * 0.05 * 0.05);
    let rest = -0.1 - mass * G / stiffness;
    let claim = Claim::near(
        "slide/limit",
        "carriage that falls into its slide limit of −0.1 m: displacement at rest",
        rest,
        value(&track),
        1e-8,
        "m",
    )
    .values(format!("{rest:.9}"), format!("{:.9}", value(&track)), "m")
    .rule("within 1e-8 m of the limit plus load over k V/r²");
    sheet.add("slide, limit", "±0.1 m, k V/r² = 13 MN/m, h = 5 ms", claim, &track);
    Ok(())
}

impl Page for Fig01 {
    fn id(&self) -> &'static str {
        "chen2022midas/fig01"
    }
    fn title(&self) -> &'static str {
        "Joints, joint limits and motors compared with closed forms"
    }
    fn lead(&self) -> &'static str {
        "A wheel, rods and a carriage move on hinges and slides under motors and into limits, with the angles, displacements and forces of the closed forms."
    }
    fn cost(&self) -> [f64; 3] {
        [0.1, 0.1, 2.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let table = seen("Hinges and slides", &["joint", "parameters", "expected", "measured"]);
        let mut sheet = Sheet { table, claims: Vec::new(), joint_error: 0.0, films: Vec::new() };
        let mut angles = Plot::new(
            "angles",
            "Hinge angles of a wheel with a torque motor (no gravity), of a rod that a position motor lifts, and of a rod that falls into its limit. \
             The closed forms of the two rods are the angles at rest.",
            "time [s]",
            "angle [rad]",
        );
        let mut turns = Plot::new(
            "turns",
            "Angle of a wheel with a velocity motor. The motor is at its torque limit for half a second and then keeps its speed.",
            "time [s]",
            "angle [turns]",
        );
        forces(&mut sheet, &mut angles)?;
        ctx.say("velocity motors");
        speeds(&mut sheet, &mut turns, ctx.full())?;
        ctx.say("position motors");
        positions(&mut sheet, &mut angles)?;
        ctx.say("limits");
        limits(&mut sheet, &mut angles)?;
        // Round-off of one evaluation: both points follow from the joint's value.
        sheet.claims.push(
            Claim::at_most(
                "joint_error",
                "largest distance between two points that a joint holds together, all runs",
                5e-15,
                sheet.joint_error,
                "m",
            )
            .rule("at most 5e-15, the round-off of positions within a metre; joints are eliminated and not penalised, so that no error accumulates"),
        );
        let options = IpcOptions::default();
        let settings = Settings { dt: 1e-3, tolerance: TOLERANCE, options };
        let mut out = PageOutput::new([
            "The paper shows hinges and slides with their limits and motors. This page compares hinges and slides of this project with closed forms. \
             The paper limits the distances of two points. The limits here are springs with the stiffness of the bodies. \
             Position motors act on the angle, which has one solution and no range."
                .into(),
            format!(
                "All bodies are blocks of 1000 kg/m³ without friction. The wheel has 0.2 × 0.04 × 0.2 m, the rod has 0.2 × 0.04 × 0.04 m, and the carriage \
                 is a cube of 0.1 m. \
                 The settings are {}. The time step h of each run is in the table.",
                settings.sentence()
            ),
        ]);
        let (hinges, others): (Vec<_>, Vec<_>) =
            sheet.claims.into_iter().partition(|c| c.id.starts_with("hinge/"));
        let (slides, all): (Vec<_>, Vec<_>) = others.into_iter().partition(|c| c.id.starts_with("slide/"));
        out.heading("Hinges");
        sheet.films.into_iter().for_each(|(film, caption)| out.film(film, caption));
        out.plot(angles);
        out.plot(turns);
        out.extend(hinges);
        out.heading("Slides");
        out.extend(slides);
        out.heading("All runs");
        out.table(sheet.table);
        out.extend(all);
        Ok(out)
    }
}
