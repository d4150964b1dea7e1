//! Structures that stand by friction, and chains: cards, an arch, rings, a wrecking ball.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_3, PI};

use signorini_core::na::{Isometry3, Point3, UnitQuaternion, Vector3};
use signorini_geometry::{MeshDefect, TriangleMesh};
use signorini_ipc::{AffineBody, AffineSystem, IpcOptions, Joint, JointKind};

use super::scenes::{G, Placed, Settings, Track, at, block, solid};
use super::unit_row::{Curve, Row};
use signorini_report::claim::number;
use signorini_report::{Claim, Context, PageError};

/// All of them.
pub(super) fn rows(ctx: &Context) -> Result<Vec<Row>, PageError> {
    let mut rows = Vec::new();
    for mu in [0.5, 0.2] {
        ctx.say(format!("card house, μ = {mu}"));
        rows.push(cards(mu, if ctx.full() { 4.0 } else { 1.0 })?);
    }
    ctx.say("arch");
    rows.push(arch(25, 1e-5, if ctx.full() { 10.0 } else { 2.0 })?);
    if ctx.full() {
        rows.push(arch(25, 1e-3, 10.0)?);
        rows.push(arch(101, 1e-5, 10.0)?);
    }
    let (links, seconds) = if ctx.full() { (20, 10.0) } else { (8, 0.5) };
    ctx.say(format!("chain of {links}"));
    rows.push(chain(links, seconds)?);
    let (links, wide, seconds) = if ctx.full() { (20, 5, 3.0) } else { (6, 3, 1.0) };
    ctx.say("wrecking ball");
    rows.push(wrecking_ball(links, wide, seconds)?);
    Ok(rows)
}

const CARD: [f64; 3] = [1e-3, 0.063, 0.088];

/// Two tents of cards side by side, a card across, a tent on top.
fn cards(mu: f64, seconds: f64) -> Result<Row, PageError> {
    let [t, width, long] = CARD;
    let (lean, density) = (65f64.to_radians(), 800.0);
    let card = |name: &str| block(name, [0.5 * t, 0.5 * width, 0.5 * long], density, mu);
    let base = IpcOptions { range: 1e-4, stiction_speed: 1e-4, friction_passes: 20, ..IpcOptions::default() };
    let options = base.carrying(density * t * width * long * G);
    let settings = Settings { dt: 5e-3, tolerance: 1e-5, options };
    let gap = 0.5 * options.range;
    let (sin, cos) = (lean.cos(), lean.sin());
    // Highest and lowest point of a leaning card above and below its centre, and how far its inner edge is from it.
    let high = 0.5 * (long * cos + t * sin);
    let inner = 0.5 * (long * sin + t * cos);
    let mut bodies: Placed =
        vec![(block("floor", [0.3, 0.3, 0.02], density, mu)?.held(), at(0.05, 0.01, -0.02))];
    let mut tent = |x: f64, y: f64, z: f64| -> Result<(), PageError> {
        for side in [-1.0, 1.0] {
            let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -side * (FRAC_PI_2 - lean));
            // A millimetre along the edge, so that corners do not meet corners.
            let place = Vector3::new(x + side * (inner + 0.5 * gap), y + side * 5e-4, z + high + gap);
            bodies.push((card("card")?, Isometry3::from_parts(place.into(), turn)));
        }
        Ok(())
    };
    // A tent is four times that wide; a millimetre is left between two.
    let apart = 4.0 * inner + gap + 1e-3;
    tent(-0.5 * apart, 0.0, 0.0)?;
    tent(0.5 * apart, 2e-3, 0.0)?;
    let deck = 2.0 * high + 2.0 * gap;
    let lift = deck + t + gap;
    tent(0.0, 1e-3, lift)?;
    let flat = block("deck", [0.5 * apart + 0.02, 0.5 * width, 0.5 * t], density, mu)?;
    bodies.push((flat, at(0.0, 1e-3, deck + 0.5 * t)));
    let system = AffineSystem::new(bodies, &[], options).map_err(PageError::from_error)?;
    let mut track = Track::new(system, &settings);
    let start = track.center(5).z;
    let mut curve = Vec::new();
    track.run((seconds / settings.dt).round() as usize, |t| curve.push((t.time(), 1e3 * t.center(5).z)))?;
    let fall = start - track.center(5).z;
    let name = format!("card house of 7, lean 65°, μ = {mu}");
    let key = if mu > 0.4 { "stands" } else { "falls" };
    let claim = if mu > 0.4 {
        let bound = options.range + 2.0 * 0.3 * options.stiction_speed * seconds;
        Claim::at_most(
            "card_house/stands",
            &format!("{name}: downward displacement of the upper tent after {seconds} s"),
            bound,
            fall,
            "m",
        )
        .rule("at most a gap of d̂ plus the creep of its feet and the feet below at 0.3 ε_v, where friction needs 0.233 of 0.5")
    } else {
        Claim::at_least(
            "card_house/falls",
            &format!("{name}: downward displacement of the upper tent after {seconds} s"),
            0.02,
            fall,
            "m",
        )
        .rule("at least 2 cm, because two cards need μ ≥ 1/(2 tan 65°) = 0.233")
        .required()
    };
    Ok(Row {
        name: name.clone(),
        parameters: format!(
            "cards of {} × {} × {} mm, {density} kg/m³, horizontal card of {} mm; {}; {seconds} s",
            1e3 * long,
            1e3 * width,
            1e3 * t,
            number(1e3 * (apart + 0.04)),
            settings.sentence()
        ),
        result: format!("downward displacement of {} mm", number(1e3 * fall)),
        curves: vec![Curve { plot: "cards", label: format!("μ = {mu}"), points: curve }],
        claims: vec![claim, track.claim(&format!("card_house/{key}/intact"), &name)],
        track,
    })
}

/// A stone between two planes through the axis, less half a gap on each side.
fn stone(
    from: f64,
    to: f64,
    gap: f64,
    [inside, outside, half]: [f64; 3],
) -> Result<TriangleMesh, MeshDefect> {
    let corner = |angle: f64, side: f64, r: f64, y: f64| {
        let (out, along) = ((angle.cos(), angle.sin()), (-angle.sin(), angle.cos()));
        Point3::new(r * out.0 + side * 0.5 * gap * along.0, y, r * out.1 + side * 0.5 * gap * along.1)
    };
    let ring = |y: f64| {
        [
            corner(from, 1.0, inside, y),
            corner(from, 1.0, outside, y),
            corner(to, -1.0, outside, y),
            corner(to, -1.0, inside, y),
        ]
    };
    let points: Vec<Point3<f64>> = ring(-half).into_iter().chain(ring(half)).collect();
    let quads = [[0, 1, 2, 3], [4, 7, 6, 5], [0, 4, 5, 1], [1, 5, 6, 2], [2, 6, 7, 3], [3, 7, 4, 0]];
    let triangles = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    let mesh = TriangleMesh::new(points, triangles)?;
    Ok(if mesh.signed_volume() < 0.0 { mesh.flipped() } else { mesh })
}

/// A half circle of stones on a floor.
fn arch(count: u32, stiction_speed: f64, seconds: f64) -> Result<Row, PageError> {
    let (inside, outside, mu, density) = (0.85, 1.15, 0.5, 1000.0);
    let (range, half) = (1e-3, 0.15);
    let base = IpcOptions { range, stiction_speed, orthogonality: 1e9, ..IpcOptions::default() };
    // The foot carries half the arch on four corners.
    let weight = density * 0.5 * PI * (outside * outside - inside * inside) * 2.0 * half * G;
    let options = base.carrying(weight / 8.0);
    let settings = Settings { dt: 0.01, tolerance: 0.1 * stiction_speed, options };
    // Near where a joint carries.
    let gap = 0.8 * range;
    let mut bodies: Placed =
        vec![(block("floor", [2.0, 1.0, 0.05], density, mu)?.held(), at(0.1, 0.0, -0.05 - 0.5 * gap))];
    let each = PI / f64::from(count);
    for i in 0..count {
        // Every other one a little narrower, so that corners do not meet corners.
        let half = if i % 2 == 0 { half } else { half - 0.01 };
        let mesh = stone(each * f64::from(i), each * f64::from(i + 1), gap, [inside, outside, half]);
        bodies.push((solid("stone", mesh, density, mu)?, Isometry3::identity()));
    }
    let system = AffineSystem::new(bodies, &[], options).map_err(PageError::from_error)?;
    let mut track = Track::new(system, &settings);
    let crown = (count as usize).div_ceil(2);
    let start = track.center(crown).z;
    let mut curve = Vec::new();
    let mut draw = |t: &mut Track| curve.push((t.time(), 1e3 * (t.center(crown).z - start)));
    let settling = 1.0;
    track.run((settling / settings.dt).round() as usize, &mut draw)?;
    let settled = track.center(crown).z;
    let creeping = seconds - settling;
    track.run((creeping / settings.dt).round() as usize, &mut draw)?;
    let fall = settled - track.center(crown).z;
    let bound = 0.5 * f64::from(count + 1) * options.stiction_speed * creeping;
    let name = format!("arch of {count} stones, ε_v = {} m/s", number(stiction_speed));
    let id = format!("arch{count}_{stiction_speed:e}");
    let claim = Claim::at_most(
        &format!("{id}/stands"),
        &format!("{name}: downward displacement of the crown from 1 to {seconds} s"),
        1e3 * bound,
        1e3 * fall.abs(),
        "mm",
    )
    .rule("each joint creeps at most at ε_v, and half of n + 1 joints are on each side of the crown");
    Ok(Row {
        name: name.clone(),
        parameters: format!(
            "half circle between radii of {inside} and {outside} m, {} m wide, μ = {mu}, {density} kg/m³; {}; {seconds} s without the first second, in \
             which the joints settle from 0.8 d̂ to the distance that carries the load",
            2.0 * half,
            settings.sentence()
        ),
        result: format!(
            "downward displacement of the crown by {} mm in {creeping} s, {} mm/s",
            number(1e3 * fall),
            number(1e3 * fall / creeping)
        ),
        curves: vec![Curve {
            plot: "arch",
            label: format!("{count} stones, ε_v = {} m/s", number(stiction_speed)),
            points: curve,
        }],
        claims: vec![claim, track.claim(&format!("{id}/intact"), &name)],
        track,
    })
}

const RING: [f64; 2] = [0.05, 0.01];
/// From ring to ring at the start \[m\].
const PITCH: f64 = 0.0775;

fn ring(density: f64) -> Result<AffineBody, PageError> {
    solid("ring", TriangleMesh::torus(RING[0], RING[1], 16, 8), density, 0.0)
}

/// Rings along x, each turned by a quarter against the one before; the first is held.
fn rings(count: u32, density: f64, turn: &Isometry3<f64>) -> Result<Placed, PageError> {
    let one = ring(density)?;
    let place = |i: u32| {
        let own =
            Isometry3::new(Vector3::x() * PITCH * f64::from(i), Vector3::x() * FRAC_PI_2 * f64::from(i % 2));
        (if i == 0 { one.clone().held() } else { one.clone() }, turn * own)
    };
    Ok((0..count).map(place).collect())
}

/// The largest distance of neighbours: linked rings cannot be further apart than twice the inner radius.
fn longest(t: &Track, count: u32, first: Vector3<f64>) -> f64 {
    let center = |i: u32| if i == 0 { first } else { t.center(i as usize) };
    (1..count).map(|i| (center(i) - center(i - 1)).norm()).fold(0.0, f64::max)
}

fn linked(id: &str, what: &str, longest: f64) -> Claim {
    Claim::at_most(
        &format!("{id}/linked"),
        &format!("{what}: largest distance between the centres of neighbouring rings"),
        2.0 * (RING[0] - RING[1]),
        longest,
        "m",
    )
    .rule("at most twice the inner radius, so that the rings are still linked")
}

fn chain(count: u32, seconds: f64) -> Result<Row, PageError> {
    let settings = Settings { dt: 0.01, tolerance: 1e-3, options: IpcOptions::default() };
    let bodies = rings(count, 1000.0, &Isometry3::identity())?;
    let system = AffineSystem::new(bodies, &[], settings.options).map_err(PageError::from_error)?;
    let mut track = Track::new(system, &settings);
    let mut most = 0.0f64;
    track.run((seconds / settings.dt).round() as usize, |t| {
        most = most.max(longest(t, count, Vector3::zeros()))
    })?;
    let name = format!("chain of {count} rings");
    let low = track.center(count as usize - 1).z;
    Ok(Row {
        name: name.clone(),
        parameters: format!(
            "rings with a radius of 50 mm and a tube radius of 10 mm, horizontal at the start, first ring fixed, no friction, 1000 kg/m³; {}; {seconds} s",
            settings.sentence()
        ),
        result: format!(
            "neighbouring rings at most {} mm apart, last ring {} m below the first ring",
            number(1e3 * most),
            number(-low)
        ),
        curves: Vec::new(),
        claims: vec![linked("chain", &name, most), track.claim("chain/intact", &name)],
        track,
    })
}

/// A ball on a chain swings into a wall of cubes.
fn wrecking_ball(count: u32, wide: u32, seconds: f64) -> Result<Row, PageError> {
    let (radius, density, mu, edge) = (0.12, 7680.0, 0.5, 0.1);
    let options = IpcOptions { stiffness: 1e12, orthogonality: 1e9, ..IpcOptions::default() };
    let settings = Settings { dt: 5e-3, tolerance: 1e-3, options };
    // From the first ring to the centre of the ball, the ball 2 cm clear of the last ring.
    let reach = PITCH * f64::from(count - 1) + RING[0] + RING[1] + 0.02 + radius;
    let height = reach + radius + 0.05;
    // 60° from the plumb line.
    let turn = Isometry3::from_parts(
        Vector3::new(0.0, 0.0, height).into(),
        UnitQuaternion::from_axis_angle(&Vector3::y_axis(), FRAC_PI_2 + FRAC_PI_3),
    );
    let mut bodies = rings(count, density, &turn)?;
    let ball = solid("ball", TriangleMesh::icosphere(radius, 2), density, mu)?;
    bodies.push((ball, turn * at(reach, 0.0, 0.0)));
    let hook = turn * Point3::new(PITCH * f64::from(count - 1) + RING[0], 0.0, 0.0);
    let joint = Joint::new("hook", [count as usize - 1, count as usize], JointKind::Point { at: hook });
    bodies.push((block("floor", [3.0, 3.0, 0.05], density, mu)?.held(), at(0.7, 0.3, -0.05)));
    let gap = 0.8 * options.range;
    let wall = bodies.len();
    for i in 0..wide * 3 {
        let [y, z] = [i % wide, i / wide].map(f64::from);
        let y = (y - 0.5 * f64::from(wide - 1)) * (edge + 2e-3);
        // Each layer a little to the side, so that edges do not meet edges.
        let place =
            at(radius + 0.03 + 0.5 * edge + 1e-3 * z, y + 2e-3 * z, gap + 0.5 * edge + z * (edge + gap));
        bodies.push((block("cube", [0.5 * edge; 3], 1000.0, mu)?, place));
    }
    let cubes = bodies.len() - wall;
    let system = AffineSystem::articulated(bodies, &[joint], &[], options).map_err(PageError::from_error)?;
    let mut track = Track::new(system, &settings);
    let before: Vec<f64> = (wall..wall + cubes).map(|b| track.center(b).x).collect();
    let mut most = 0.0f64;
    let first = Vector3::new(0.0, 0.0, height);
    track.run((seconds / settings.dt).round() as usize, |t| most = most.max(longest(t, count, first)))?;
    let moved = (0..cubes).map(|i| track.center(wall + i).x - before[i]).fold(0.0, f64::max);
    let name = format!("wrecking ball on {count} rings, wall of {cubes} cubes");
    let struck = Claim::at_least(
        "wrecking_ball/struck",
        &format!("{name}: largest displacement of a cube"),
        0.1,
        moved,
        "m",
    )
    .rule("at least the side of the cube")
    .required();
    Ok(Row {
        name: name.clone(),
        parameters: format!(
            "ball with a radius of {radius} m and 320 triangles on a point joint of the last ring, {density} kg/m³, 60° from the vertical; cubes of {edge} \
             m, 1000 kg/m³; μ = {mu}, rings without friction; {}; {seconds} s",
            settings.sentence()
        ),
        result: format!(
            "largest displacement of a cube {} m, neighbouring rings at most {} mm apart",
            number(moved),
            number(1e3 * most)
        ),
        curves: Vec::new(),
        claims: vec![
            struck,
            linked("wrecking_ball", &name, most),
            track.claim("wrecking_ball/intact", &name),
        ],
        track,
    })
}
