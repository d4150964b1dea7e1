//! A bolt that turns down a nut by its own weight.

use std::f64::consts::TAU;

use signorini_core::na::Isometry3;
use signorini_geometry::TriangleMesh;
use signorini_ipc::{AffineSystem, IpcOptions};

use super::scenes::{G, Settings, Track, solid};
use super::shapes::Thread;
use super::unit_row::{Curve, Row};
use signorini_report::claim::number;
use signorini_report::{Claim, Context, PageError};

/// Rise per turn \[m\].
pub(crate) const PITCH: f64 = 4e-3;
/// Mean radius of the bolt's flank, half the depth of the thread, radial room \[m\].
const FLANK: [f64; 3] = [8e-3, 0.8e-3, 0.25e-3];
/// Points per turn of bolt and nut: no common factor, so that corners do not pass corners all at once.
const SIDES: [u32; 2] = [40, 47];
/// Turns of bolt and nut.
const TURNS: [u32; 2] = [5, 3];
/// Radius of the nut \[m\].
const OUTSIDE: f64 = 13e-3;
pub(crate) const DENSITY: f64 = 8050.0;
/// Range of the barrier \[m\].
pub(crate) const RANGE: f64 = 5e-5;
/// A flank gives way along the axis by the radial room times pitch over twice the depth of the thread, on one side; tilt and facets stay within that \[m\].
pub(crate) const PLAY: f64 = FLANK[2] * 0.5 * PITCH / (2.0 * FLANK[1]);

/// Bolt, or nut with its room: straight flanks between root and crest.
fn thread(which: usize, room: f64) -> Thread {
    let [flank, depth, _] = FLANK;
    let profile = [1.0, 0.0, -1.0, 0.0].map(|part| flank + part * depth + room);
    Thread { sides: SIDES[which], turns: TURNS[which], pitch: PITCH, profile }
}

/// Nut and bolt.
pub(crate) fn meshes() -> Result<[TriangleMesh; 2], PageError> {
    let [nut, bolt] = [thread(1, FLANK[2]).nut(OUTSIDE), thread(0, 0.0).bolt()];
    Ok([nut.map_err(PageError::from_error)?, bolt.map_err(PageError::from_error)?])
}

/// The scene.
pub(super) fn rows(ctx: &Context) -> Result<Vec<Row>, PageError> {
    let (seconds, dt) = if ctx.full() { (0.6, 1e-3) } else { (0.25, 1e-3) };
    ctx.say("bolt into nut");
    let options = IpcOptions { range: RANGE, ..IpcOptions::default() };
    let [nut, bolt] = meshes()?;
    let bolt = solid("bolt", Ok(bolt), DENSITY, 0.0)?;
    let options = options.carrying(0.1 * bolt.mass * G);
    let settings = Settings { dt, tolerance: 1e-4, options };
    let bodies = vec![
        (solid("nut", Ok(nut), DENSITY, 0.0)?.held(), Isometry3::identity()),
        // Two turns of it are in the nut.
        (bolt, Isometry3::translation(0.0, 0.0, PITCH)),
    ];
    let system = AffineSystem::new(bodies, &[], options).map_err(PageError::from_error)?;
    let mut track = Track::new(system, &settings);
    let start = track.center(1).z;
    let (mut angle, mut most, mut curve) = (0.0f64, 0.0f64, Vec::new());
    track.run((seconds / dt).round() as usize, |t| {
        let x = t.axis(1, 0);
        let now = x.y.atan2(x.x);
        angle += (now - angle + 0.5 * TAU).rem_euclid(TAU) - 0.5 * TAU;
        curve.push((-angle / TAU, 1e3 * (start - t.center(1).z)));
        most = most.max((t.center(1).z - start - PITCH * angle / TAU).abs());
    })?;
    let fall = start - track.center(1).z;
    let claims = vec![
        Claim::at_most(
            "bolt/pitch",
            "bolt that turns down a nut: largest difference between its displacement and pitch times turns",
            PLAY,
            most,
            "m",
        )
        .rule("at most the play of the thread along its axis"),
        Claim::at_least(
            "bolt/turns",
            "bolt that turns down a nut: number of turns",
            0.25,
            (angle / TAU).abs(),
            "",
        )
        .rule("at least a quarter, so that the flanks carry the bolt around")
        .required(),
        track.claim("bolt/intact", "bolt that turns down a nut"),
    ];
    Ok(vec![Row {
        name: "bolt that turns down a nut".into(),
        parameters: format!(
            "pitch {} mm, flanks with a radius of {} ± {} mm, radial clearance {} mm, bolt of {} turns with {} sides, fixed nut of {} turns with {} sides, \
             {DENSITY} kg/m³, no friction, {G} m/s²; {}; {seconds} s",
            number(1e3 * PITCH),
            number(1e3 * FLANK[0]),
            number(1e3 * FLANK[1]),
            number(1e3 * FLANK[2]),
            TURNS[0],
            SIDES[0],
            TURNS[1],
            SIDES[1],
            settings.sentence()
        ),
        result: format!(
            "{} turns, {} mm down, deviation from the pitch at most {} mm, play {} mm",
            number((angle / TAU).abs()),
            number(1e3 * fall),
            number(1e3 * most),
            number(1e3 * PLAY)
        ),
        curves: vec![
            Curve { plot: "bolt", label: "bolt".into(), points: curve },
            Curve {
                plot: "bolt",
                label: String::new(),
                points: vec![(0.0, 0.0), (-angle / TAU, -1e3 * PITCH * angle / TAU)],
            },
        ],
        claims,
        track,
    }])
}
