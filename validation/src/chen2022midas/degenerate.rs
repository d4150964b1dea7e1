//! Contacts without a normal of their own: points on points, edges along edges, cliffs, edges inside a face.

use std::f64::consts::{FRAC_PI_4, PI};

use signorini_core::na::{Isometry3, Translation3, UnitQuaternion, Vector3};
use signorini_geometry::{MeshDefect, TriangleMesh};
use signorini_ipc::{AffineSystem, IpcOptions};

use super::fig02::notched;
use super::scenes::{Settings, Track, at, solid};
use super::unit_row::Row;
use signorini_report::{Claim, Context, PageError};

const MU: f64 = 0.3;
/// Half the side of spikes and wedges \[m\].
const HALF: f64 = 0.05;

fn drop_on(
    low: Result<TriangleMesh, MeshDefect>,
    high: Result<TriangleMesh, MeshDefect>,
    pose: Isometry3<f64>,
    velocity: Vector3<f64>,
) -> Result<(Track, Settings), PageError> {
    let settings = Settings { dt: 0.01, tolerance: 1e-4, options: IpcOptions::default() };
    let bodies = vec![
        (solid("held", low, 1000.0, MU)?.held(), Isometry3::identity()),
        (solid("loose", high, 1000.0, MU)?, pose),
    ];
    let system = AffineSystem::new(bodies, &[], settings.options).map_err(PageError::from_error)?;
    let mut track = Track::new(system, &settings);
    track.throw(1, velocity, Vector3::zeros());
    track.run(60, |_| ())?;
    Ok((track, settings))
}

/// All of them.
pub(super) fn rows(ctx: &Context) -> Result<Vec<Row>, PageError> {
    let cube = || TriangleMesh::cuboid(&Vector3::repeat(0.05));
    let upside_down = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), PI);
    let flipped = |z: f64, yaw: f64| {
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), yaw) * upside_down;
        Isometry3::from_parts(Translation3::new(0.0, 0.0, z), turn)
    };
    let edge =
        Isometry3::new(Vector3::new(0.0, 0.0, 0.05 + 0.05 * 2f64.sqrt() + 2e-3), Vector3::x() * FRAC_PI_4);
    let over = |z: f64| at(0.0, 0.0, z);
    let still = Vector3::zeros();
    let along = Vector3::x();
    let scenes = [
        (
            "spike_on_spike",
            "spike on spike, tip on tip",
            TriangleMesh::spike(HALF, 0.2),
            TriangleMesh::spike(HALF, 0.2),
            flipped(0.402, 0.0),
            still,
        ),
        (
            "wedge_along_wedge",
            "wedge on wedge, edge along edge",
            TriangleMesh::wedge(HALF, 0.1),
            TriangleMesh::wedge(HALF, 0.1),
            flipped(0.202, 0.0),
            still,
        ),
        (
            "wedge_nearly_along",
            "wedge on wedge, edges 1 mrad from parallel",
            TriangleMesh::wedge(HALF, 0.1),
            TriangleMesh::wedge(HALF, 0.1),
            flipped(0.202, 1e-3),
            still,
        ),
        (
            "wedge_across_wedge",
            "wedge on wedge, edge across edge",
            TriangleMesh::wedge(HALF, 0.1),
            TriangleMesh::wedge(HALF, 0.1),
            flipped(0.202, 1.5),
            still,
        ),
        (
            "spike_on_wedge",
            "spike on wedge, tip on edge",
            TriangleMesh::wedge(HALF, 0.1),
            TriangleMesh::spike(HALF, 0.2),
            flipped(0.302, 0.3),
            still,
        ),
        (
            "sliding_spike",
            "spike sliding on its tip over tiles at 1 m/s",
            TriangleMesh::tiles(8, 0.1),
            TriangleMesh::spike(HALF, 0.2),
            flipped(0.2008, 0.2) * at(0.3, 0.0, 0.0),
            along,
        ),
        (
            "sliding_wedge",
            "wedge sliding on its edge over tiles at 1 m/s",
            TriangleMesh::tiles(8, 0.1),
            TriangleMesh::wedge(HALF, 0.1),
            flipped(0.1008, 0.2) * at(0.3, 0.0, 0.0),
            along,
        ),
        (
            "spike_in_crack",
            "spike into a notch of 10 mm",
            notched(),
            TriangleMesh::spike(HALF, 0.2),
            at(1e-3, 1e-3, 0.1) * flipped(0.202, 0.1),
            still,
        ),
        ("cube_on_spike", "cube on a spike", TriangleMesh::spike(HALF, 0.2), cube(), over(0.252), still),
        ("cube_on_cube", "cube on cube, all edges aligned", cube(), cube(), over(0.102), still),
        ("cube_by_edge", "cube standing on its edge on a cube", cube(), cube(), edge, still),
        (
            "cliff",
            "cliff: half of the upper cube lies beyond the edge",
            cube(),
            cube(),
            at(0.05, 0.0, 0.1008),
            still,
        ),
    ];
    let mut rows = Vec::new();
    for (id, name, low, high, pose, velocity) in scenes {
        ctx.say(name);
        let (track, settings) = drop_on(low, high, pose, velocity)?;
        let met = track.worst.nearest.is_some();
        let claim = Claim::decided(
            id,
            &format!("{name}: the bodies touch and do not intersect in 0.6 s"),
            met && track.is_intact(),
        )
        .values(
            "touch, intact".into(),
            format!("{}, {}", yes(met, "touch"), yes(track.is_intact(), "intact")),
            "",
        )
        .rule(
            "a distance below d̂ occurs, no distance is zero, there is no overlap, and every solve converges",
        );
        let parameters = format!("μ = {MU}, 1000 kg/m³, lower body fixed; {}; 60 steps", settings.sentence());
        rows.push(Row {
            name: name.into(),
            parameters,
            result: "The bodies touch and do not intersect.".into(),
            curves: Vec::new(),
            claims: vec![claim],
            track,
        });
    }
    ctx.say("edges inside a face");
    let brick = TriangleMesh::cuboid(&Vector3::new(0.05, 0.04, 0.03));
    let speed = 1.5;
    let (track, settings) =
        drop_on(TriangleMesh::tiles(8, 0.1), brick, at(-0.3, 0.013, 0.03095), Vector3::new(speed, 0.0, 0.0))?;
    let way = track.center(1).x + 0.3;
    let expected = speed * speed / (2.0 * MU * 9.81) - 0.5 * speed * settings.dt;
    let claim = Claim::relative(
        "internal_edges",
        "brick that slides over tiles: stopping distance, compared with v²/(2 μ g) minus half a time step",
        expected,
        way,
        0.05,
        "m",
    )
    .rule("within 5 %, because the brick feels each tile edge, which takes 3 % of the distance in total at this d̂");
    rows.push(Row {
        name: "internal edges: a brick slides over tiles of 0.1 m".into(),
        parameters: format!(
            "μ = {MU}, 1000 kg/m³, 0.1 × 0.08 × 0.06 m at {speed} m/s; {}; 60 steps",
            settings.sentence()
        ),
        result: format!("stopping distance {way:.4} m, expected {expected:.4} m"),
        curves: Vec::new(),
        claims: vec![claim, track.claim("internal_edges/intact", "brick that slides over tiles")],
        track,
    });
    Ok(rows)
}

fn yes(holds: bool, what: &str) -> String {
    if holds { what.into() } else { format!("not {what}") }
}
