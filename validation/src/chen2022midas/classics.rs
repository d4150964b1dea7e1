//! Scenes with a closed form: impact at high speed, unequal masses, an incline, a turntable.

use signorini_core::na::{Isometry3, Vector3};
use signorini_geometry::TriangleMesh;
use signorini_ipc::{AffineSystem, IpcOptions};

use super::scenes::{G, Settings, Track, at, block, solid};
use super::unit_row::{Curve, Row};
use signorini_report::{Claim, Context, PageError};

/// All of them.
pub(super) fn rows(ctx: &Context) -> Result<Vec<Row>, PageError> {
    ctx.say("1000 m/s");
    let mut rows = vec![tunnelling()?];
    ctx.say("1000 : 1 in mass");
    rows.push(masses()?);
    for mu in [0.49, 0.51] {
        ctx.say(format!("incline, μ = {mu}"));
        rows.push(incline(mu)?);
    }
    for mu in [0.09, 0.10] {
        ctx.say(format!("turntable, μ = {mu}"));
        rows.push(turntable(mu)?);
    }
    Ok(rows)
}

fn tunnelling() -> Result<Row, PageError> {
    let options =
        IpcOptions { range: 0.01, stiffness: 1e8, gravity: Vector3::zeros(), ..IpcOptions::default() };
    // A hundred-thousandth of the speed: the impact squeezes the cube, and nothing finer is claimed.
    let settings = Settings { dt: 0.01, tolerance: 1e-2, options };
    let wall = block("wall", [0.5, 0.5, 0.005], 1000.0, 0.0)?.held();
    let cube = block("cube", [0.05; 3], 1000.0, 0.0)?;
    let turned = Isometry3::new(Vector3::new(0.01, 0.02, 1.0), Vector3::new(0.3, 0.2, 0.1));
    let bodies = vec![(wall, Isometry3::identity()), (cube, turned)];
    let system = AffineSystem::new(bodies, &[], options).map_err(PageError::from_error)?;
    let mut track = Track::new(system, &settings);
    track.throw(1, Vector3::new(0.0, 0.0, -1000.0), Vector3::zeros());
    // Points of the wall come first.
    let first = track.system.bodies()[0].points.len();
    let (mut lowest, mut center) = (f64::INFINITY, f64::INFINITY);
    track.run(10, |t| {
        let points = t.system.positions(&t.x);
        lowest = points[first..].iter().map(|p| p.z).fold(lowest, f64::min);
        center = center.min(t.center(1).z);
    })?;
    let claim = Claim::at_least(
        "tunnelling/side",
        "cube of 0.1 m that hits a wall of 1 cm at 1000 m/s (10 m per step): lowest position of a point of the cube",
        0.005,
        lowest,
        "m",
    )
    .rule("above the face of the wall at the end of every step");
    Ok(Row {
        name: "tunnelling: cube at 1000 m/s against a wall of 1 cm".into(),
        parameters: format!("no friction, no gravity, 1000 kg/m³; {}; 10 steps", settings.sentence()),
        result: format!(
            "The lowest point is at {lowest:.5} m and the lowest centre at {center:.5} m. The impact compresses the cube by more than its distance to the wall."
        ),
        curves: Vec::new(),
        claims: vec![claim, track.claim("tunnelling/intact", "cube at 1000 m/s")],
        track,
    })
}

fn masses() -> Result<Row, PageError> {
    let options = IpcOptions { stiffness: 1e12, ..IpcOptions::default() };
    let settings = Settings { dt: 0.01, tolerance: 1e-4, options };
    let bodies = vec![
        (block("floor", [2.0, 2.0, 0.05], 1000.0, 0.5)?.held(), at(0.5, 0.0, -0.05)),
        (block("small", [0.05; 3], 1000.0, 0.5)?, at(0.0, 0.6, 0.0508)),
        (block("large", [0.5; 3], 1000.0, 0.5)?, at(0.001, 0.602, 0.6016)),
    ];
    let system = AffineSystem::new(bodies, &[], options).map_err(PageError::from_error)?;
    let mut track = Track::new(system, &settings);
    track.run(50, |_| ())?;
    let moved = (track.center(1).z - 0.0508).abs().max((track.center(2).z - 0.6016).abs() / 2.0);
    let claim = Claim::at_most(
        "mass_ratio/stands",
        "cube of 1000 kg on a cube of 1 kg: displacement of each contact after 0.5 s",
        1e-3,
        moved,
        "m",
    )
    .rule("at most d̂, because the small cube carries the large cube");
    Ok(Row {
        name: "mass ratio 1000 : 1, large cube on small cube".into(),
        parameters: format!("μ = 0.5, cubes of 0.1 and 1 m, 1000 kg/m³; {}; 50 steps", settings.sentence()),
        result: format!("displacement of {:.2} mm per contact", 1e3 * moved),
        curves: Vec::new(),
        claims: vec![claim, track.claim("mass_ratio/intact", "cube of 1000 kg on a cube of 1 kg")],
        track,
    })
}

fn incline(mu: f64) -> Result<Row, PageError> {
    let slope = 0.5f64.atan();
    let gravity = G * Vector3::new(slope.sin(), 0.0, -slope.cos());
    let base = IpcOptions { stiction_speed: 1e-4, friction_passes: 20, gravity, ..IpcOptions::default() };
    // Each of four vertices carries its part at d̂/2, where the cube starts.
    let options = base.carrying(0.25 * G * slope.cos());
    let settings = Settings { dt: 0.01, tolerance: 1e-6, options };
    let bodies = vec![
        (block("slope", [2.0, 2.0, 0.05], 1000.0, mu)?.held(), at(0.5, 0.0, -0.05)),
        (block("cube", [0.05; 3], 1000.0, mu)?, at(0.0, 0.6, 0.05 + 0.5 * options.range)),
    ];
    let system = AffineSystem::new(bodies, &[], options).map_err(PageError::from_error)?;
    let mut track = Track::new(system, &settings);
    let mut curve = Vec::new();
    let start = track.center(1).x;
    let mut draw = |t: &mut Track| curve.push((t.time(), 1e3 * (t.center(1).x - start)));
    track.run(20, &mut draw)?;
    let (from, speed) = (track.center(1).x, track.velocity(1).x);
    track.run(40, &mut draw)?;
    let way = track.center(1).x - from;
    let (h, n) = (settings.dt, 40.0);
    let key = if mu < 0.5 { "slips" } else { "sticks" };
    let (claim, result) = if mu < 0.5 {
        let expected = speed * n * h + (G * (slope.sin() - mu * slope.cos())) * h * h * n * (n + 1.0) / 2.0;
        let text = "cube with μ = 0.49 on an incline of tan α = 0.5: distance from 0.2 to 0.6 s, compared with implicit Euler from the speed at 0.2 s";
        (
            Claim::relative("incline/slips", text, expected, way, 0.002, "m"),
            format!("{way:.5} m, expected {expected:.5} m"),
        )
    } else {
        let creep = options.stiction_speed * n * h;
        let text = "cube with μ = 0.51 on an incline of tan α = 0.5: distance from 0.2 to 0.6 s";
        let claim = Claim::at_most("incline/sticks", text, creep, way.abs(), "m")
            .rule("at most ε_v t, the creep of smoothed friction");
        (claim, format!("{way:.2e} m, at most {creep:.0e} m"))
    };
    Ok(Row {
        name: format!("incline of tan α = 0.5, μ = {mu}"),
        parameters: format!(
            "cube of 0.1 m and 1 kg; {}; 60 steps without the first 20 steps, in which the contacts take up the load",
            settings.sentence()
        ),
        result,
        curves: vec![Curve { plot: "incline", label: format!("μ = {mu}"), points: curve }],
        claims: vec![claim, track.claim(&format!("incline/{key}/intact"), &format!("incline, μ = {mu}"))],
        track,
    })
}

fn turntable(mu: f64) -> Result<Row, PageError> {
    let (w, r, half) = (45f64.to_radians(), 1.5, 0.125);
    let cube = block("cube", [half; 3], 1000.0, mu)?;
    let base = IpcOptions { stiction_speed: 1e-4, friction_passes: 20, ..IpcOptions::default() };
    let options = base.carrying(0.25 * G * cube.mass);
    let settings = Settings { dt: 0.01, tolerance: 1e-6, options };
    let (sides, thick) = (24u32, 1.0 / 12.0);
    let disc = solid("disc", TriangleMesh::cylinder(2.0, thick, sides), 1000.0, mu)?.driven();
    // The cube in the middle of a sector of the fan of triangles, away from its edges.
    let middle = Isometry3::rotation(Vector3::z() * std::f64::consts::PI / f64::from(sides));
    let bodies = vec![(disc, at(0.0, 0.0, -thick) * middle), (cube, at(r, 0.0, half + 0.5 * options.range))];
    let system = AffineSystem::new(bodies, &[], options).map_err(PageError::from_error)?;
    let mut track = Track::new(system, &settings);
    let spin = w * Vector3::z();
    track.throw(0, Vector3::zeros(), spin);
    track.throw(1, Vector3::new(0.0, w * r, 0.0), spin);
    track.system.drive(0, Vector3::zeros(), spin).map_err(PageError::from_error)?;
    let mut curve = Vec::new();
    let radius = |t: &Track| t.center(1).x.hypot(t.center(1).y);
    track.run(200, |t| curve.push((t.time(), 1e3 * (radius(t) - r))))?;
    let end = track.center(1);
    let moved = end.x.hypot(end.y) - r;
    let needed = w * w * r / G;
    let (key, claim) = if mu < needed {
        let text = format!("turntable, μ = {mu} below ω² r/g = {needed:.4}: outward displacement in 2 s");
        // The lack of friction alone, before the radius grows: ½ (ω² r − μ g) t² = 0.084 m; sideways motion takes part of it.
        (
            "slips",
            Claim::at_least("turntable/slips", &text, 0.02, moved, "m").required_since(
                "a quarter of ½ (ω² r − μ g) t² = 84 mm, because sideways motion takes a part",
            ),
        )
    } else {
        let text = format!("turntable, μ = {mu} above ω² r/g = {needed:.4}: outward displacement in 2 s");
        let creep = 2.0 * options.stiction_speed;
        (
            "sticks",
            Claim::at_most("turntable/sticks", &text, creep, moved.abs(), "m")
                .rule("at most ε_v t, the creep of smoothed friction"),
        )
    };
    Ok(Row {
        name: format!("turntable at 45°/s, μ = {mu}"),
        parameters: format!(
            "disc of 2 m with {sides} sides and prescribed rotation; cube of 0.25 m and {:.1} kg at 1.5 m, which rotates with the disc at the start; \
             {}; 200 steps",
            1000.0 * (2.0 * half).powi(3),
            settings.sentence()
        ),
        result: format!("outward displacement of {:.2e} m", moved),
        curves: vec![Curve { plot: "turntable", label: format!("μ = {mu}"), points: curve }],
        claims: vec![claim, track.claim(&format!("turntable/{key}/intact"), &format!("turntable, μ = {mu}"))],
        track,
    })
}
