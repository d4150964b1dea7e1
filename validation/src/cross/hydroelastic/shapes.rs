use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI, SQRT_2};
use std::sync::Arc;

use signorini_core::na::{Point3, UnitQuaternion, Vector3};
use signorini_geometry::{Shape, TriangleMesh};
use signorini_report::{Claim, Context, PageError, PageOutput, Table};

use super::closed_forms::{Body, MODULUS, Pose, RADIUS, ball_on_plane, meet, roof, turns};
use super::failed;

/// Number of parts in the integrals of the lying cylinder and of the tilted box.
const PARTS: usize = 200_000;

/// Key of a mesh with a lattice, and the reason why its force is off.
const BRIDGE: &str = "mesh_bridge";
const LATTICE: &str = "Tetrahedra of the lattice along a rim have corners on two faces, and less pressure than their depth says. The force is too small by that. The lattice of the default has edges of a \
                       fifth of the half side; finer ones come nearer (test `order_of_the_lattice` of `geometry`).";

/// A placement with the closed form of its force, and the line of the force.
struct Placement {
    /// Key and name.
    names: [&'static str; 2],
    lower: Body,
    upper: Body,
    poses: Vec<Pose>,
    /// Force along z \[N\].
    force: f64,
    /// Where the force acts in the plane z = 0, x and y \[m\].
    centre: [f64; 2],
    /// Half the width of the area \[m\], of which the offset of the force is told in parts.
    width: f64,
}

pub(super) fn run(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    ctx.say("boxes and cylinders");
    out.prose(format!(
        "Boxes and cylinders with a modulus of {MODULUS:e} Pa at the default resolution, pressed together. Faces of boxes meet where the pressures are \
         equal, at E min(δ, s)/c, with the depth δ of the plane in the field and the distance s from the rim. A standing cylinder has a round \
         rim. A lying one meets a plane on a strip, with the distance from its round side as depth. A tilted box has a depth that grows along its \
         face; its centre of force is the ratio of two integrals over the face. Meshes are a cube of triangles, two such cubes side by side in one mesh, \
         two that a bar joins, whose field is on a lattice, and an icosphere of the volume of its ball. Each number is the worst of all turns about the normal, or of all \
         rolls of the lying cylinder."
    ));
    let mut table = Table::new(
        "Force and line of force of boxes and cylinders",
        &[
            "placement",
            "force, closed form [N]",
            "largest relative error",
            "largest offset [µm]",
            "in parts of the half width",
        ],
    );
    for placement in placements()? {
        let Placement { names: [id, name], lower, upper, poses, force, centre, width } = placement;
        let (mut error, mut offset) = (0.0f64, 0.0f64);
        for pose in &poses {
            let surface = meet(&lower, &upper, pose)?;
            let f = surface.force();
            // The force acts where its moment about an axis in the plane is nil.
            let m = surface.moment(&Point3::new(centre[0], centre[1], 0.0));
            error = error.max((f - Vector3::z() * force).norm() / force);
            offset = offset.max(m.xy().norm() / f.z);
        }
        let claim = Claim::at_most(
            &format!("shapes/{id}/force"),
            &format!("{name}: largest relative error of the force at the default resolution"),
            0.01,
            error,
            "",
        )
        .required();
        out.claim(if id == BRIDGE { claim.because(LATTICE) } else { claim });
        out.claim(
            Claim::at_most(
                &format!("shapes/{id}/centre"),
                &format!("{name}: largest distance of the line of force from that of the closed form, in parts of half the width of the area"),
                0.01,
                offset / width,
                "",
            )
            .required(),
        );
        let numbers = [
            format!("{force:.2}"),
            format!("{error:.1e}"),
            format!("{:.2}", 1e6 * offset),
            format!("{:.1e}", offset / width),
        ];
        table.row(std::iter::once(name.to_owned()).chain(numbers));
    }
    out.table(table);
    Ok(())
}

fn cuboid(half_extents: [f64; 3]) -> Result<Body, PageError> {
    Body::compliant(&Shape::Box { half_extents: half_extents.into() }, None)
}

fn turned(place: [f64; 3], turn: Vector3<f64>) -> Pose {
    Pose::from_parts(Vector3::from(place).into(), UnitQuaternion::from_scaled_axis(turn))
}

fn placements() -> Result<Vec<Placement>, PageError> {
    Ok(vec![
        turned_box()?,
        octagon()?,
        standing_cylinder()?,
        lying_cylinder()?,
        tilted_box()?,
        mesh_cube()?,
        mesh_cubes()?,
        mesh_bridge()?,
        mesh_ball()?,
    ])
}

fn turned_box() -> Result<Placement, PageError> {
    let ([small, large], d) = ([[0.05, 0.04, 0.03], [0.2, 0.2, 0.1]], 1e-3);
    // p c/E is the depth in each of the bodies, of half heights c.
    let depth = d * small[2] / (small[2] + large[2]);
    let centre = [0.01, 0.02];
    let height = large[2] + small[2] - d;
    Ok(Placement {
        names: ["turned_box", "small box on a large one, turned about the normal"],
        lower: cuboid(large)?,
        upper: cuboid(small)?,
        poses: (0..12)
            .map(|k| turned([centre[0], centre[1], height], Vector3::z() * (0.3 * f64::from(k))))
            .collect(),
        force: MODULUS / small[2] * roof(small[0], small[1], depth),
        centre,
        width: small[1],
    })
}

fn octagon() -> Result<Placement, PageError> {
    let (a, d) = (0.05, 1e-3);
    let pose = turned([0.0, 0.0, 2.0 * a - d], Vector3::z() * FRAC_PI_4);
    Ok(Placement {
        names: ["octagon", "equal cubes, turned by an eighth of a turn"],
        lower: cuboid([a; 3])?,
        upper: cuboid([a; 3])?,
        poses: vec![pose],
        force: MODULUS / a * round_roof(8.0 * (SQRT_2 - 1.0) * a * a, a, 0.5 * d),
        centre: [0.0; 2],
        width: a,
    })
}

fn standing_cylinder() -> Result<Placement, PageError> {
    let (r, h, d) = (0.05, 0.1, 1e-3);
    Ok(Placement {
        names: ["standing_cylinder", "standing cylinder on a rigid plane"],
        lower: Body::plane()?,
        upper: Body::compliant(&Shape::Cylinder { radius: r, half_length: h }, None)?,
        poses: (0..8).map(|k| turned([0.0, 0.0, h - d], Vector3::z() * (0.1 * f64::from(k)))).collect(),
        force: MODULUS / r * round_roof(PI * r * r, r, d),
        centre: [0.0; 2],
        width: r,
    })
}

fn lying_cylinder() -> Result<Placement, PageError> {
    let (r, h, d) = (0.05f64, 0.1, 5e-3);
    let z = r - d;
    let half = (r * r - z * z).sqrt();
    // Across the strip; along it the depth is less near the ends.
    let force = MODULUS / r
        * integral(-half, half, |y| {
            let q = r - y.hypot(z);
            2.0 * h * q - q * q
        });
    let lying = turned([0.0, 0.0, z], Vector3::y() * FRAC_PI_2);
    Ok(Placement {
        names: ["lying_cylinder", "lying cylinder on a rigid plane"],
        lower: Body::plane()?,
        upper: Body::compliant(&Shape::Cylinder { radius: r, half_length: h }, None)?,
        poses: (0..16).map(|k| lying * turned([0.0; 3], Vector3::z() * (0.03 * f64::from(k)))).collect(),
        force,
        centre: [0.0; 2],
        width: half,
    })
}

/// Force of a box on a rigid plane, turned about y, with its middle at a height, and the place x of the force, for a box that is `beside` the middle \[N, m\].
fn of_tilted([a, b, c]: [f64; 3], tilt: f64, height: f64, beside: f64) -> [f64; 2] {
    // At u along the face, in the frame of the box, the plane has the height w over the face. Across, ∫ min(m, b − |v|) dv with m = min(w, a − |u|).
    let w = |u: f64| (c + (tilt.sin() * u - height) / tilt.cos()).max(0.0);
    let line = |u: f64| {
        let m = f64::min(w(u), a - (u - beside).abs());
        MODULUS / c * (2.0 * b * m - m * m) / tilt.cos()
    };
    let place = |u: f64| tilt.cos() * u + tilt.sin() * (w(u) - c);
    let force = integral(beside - a, beside + a, line);
    [force, integral(beside - a, beside + a, |u| place(u) * line(u)) / force]
}

/// A body on a rigid plane, turned by a small angle about y.
fn tilted(
    names: [&'static str; 2],
    upper: Body,
    half: [f64; 3],
    beside: &[f64],
) -> Result<Placement, PageError> {
    let (tilt, sunk) = (0.002f64, 1e-3);
    let height = half[2] - sunk;
    let parts: Vec<[f64; 2]> = beside.iter().map(|x| of_tilted(half, tilt, height, *x)).collect();
    let force: f64 = parts.iter().map(|p| p[0]).sum();
    Ok(Placement {
        names,
        lower: Body::plane()?,
        upper,
        poses: vec![turned([0.0, 0.0, height], Vector3::y() * tilt)],
        force,
        centre: [parts.iter().map(|p| p[0] * p[1]).sum::<f64>() / force, 0.0],
        width: half[0],
    })
}

fn tilted_box() -> Result<Placement, PageError> {
    let half = [0.1, 0.1, 0.05];
    tilted(["tilted_box", "box on a rigid plane, tilted by 2 mrad"], cuboid(half)?, half, &[0.0])
}

/// Side of the cubes of meshes, halved \[m\], and the places of two in one mesh.
const CUBE: f64 = 0.05;
const APART: [f64; 2] = [-0.08, 0.08];

fn cube() -> Result<TriangleMesh, PageError> {
    TriangleMesh::cuboid(&Vector3::repeat(CUBE)).map_err(failed)
}

fn of_mesh(mesh: TriangleMesh) -> Result<Body, PageError> {
    Body::compliant(&Shape::Mesh(Arc::new(mesh)), None)
}

fn mesh_cube() -> Result<Placement, PageError> {
    let names = ["mesh_cube", "mesh of a cube on a rigid plane, tilted by 2 mrad"];
    tilted(names, of_mesh(cube()?)?, [CUBE; 3], &[0.0])
}

/// Two solids, each with a field of its own.
fn mesh_cubes() -> Result<Placement, PageError> {
    let one = cube()?;
    let at = |x: f64| one.vertices().iter().map(move |p| p + Vector3::x() * x);
    let second = one.triangles().iter().map(|t| t.map(|v| v + one.vertices().len() as u32));
    let triangles = one.triangles().iter().copied().chain(second).collect();
    let both = TriangleMesh::new(APART.into_iter().flat_map(at).collect(), triangles).map_err(failed)?;
    let names = ["mesh_cubes", "mesh of two cubes on a rigid plane, tilted by 2 mrad"];
    tilted(names, of_mesh(both)?, [CUBE; 3], &APART)
}

/// The two cubes as one solid, whose field is on a lattice: a bar joins them far from the plane, and no place in it is as deep as their middles.
fn mesh_bridge() -> Result<Placement, PageError> {
    let (inner, outer) = (APART[1] - CUBE, APART[1] + CUBE);
    let edges = [vec![-outer, -inner, inner, outer], vec![-CUBE, -0.02, 0.02, CUBE], vec![-CUBE, 0.03, CUBE]];
    let is_full = |[x, y, z]: [usize; 3]| x != 1 || (y == 1 && z == 1);
    let counts = [0, 1, 2].map(|k: usize| edges[k].len() - 1);
    let number = |[x, y, z]: [usize; 3]| ((z * edges[1].len() + y) * edges[0].len() + x) as u32;
    let mut vertices = Vec::new();
    for z in &edges[2] {
        for y in &edges[1] {
            vertices.extend(edges[0].iter().map(|x| Point3::new(*x, *y, *z)));
        }
    }
    let mut triangles = Vec::new();
    for cell in (0..counts.iter().product::<usize>())
        .map(|i| [i % counts[0], i / counts[0] % counts[1], i / counts[0] / counts[1]])
        .filter(|cell| is_full(*cell))
    {
        for axis in 0..3 {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            for side in 0..2 {
                let is_edge = if side == 0 { cell[axis] == 0 } else { cell[axis] + 1 == counts[axis] };
                let mut beside = cell;
                beside[axis] = if side == 0 { cell[axis].wrapping_sub(1) } else { cell[axis] + 1 };
                if !is_edge && is_full(beside) {
                    continue;
                }
                let corner = |a: usize, b: usize| {
                    let mut at = cell;
                    (at[axis], at[u], at[v]) = (cell[axis] + side, cell[u] + a, cell[v] + b);
                    number(at)
                };
                let [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                // The normal of a, b, c is along the axis.
                triangles.extend(if side == 1 { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] });
            }
        }
    }
    let mesh = TriangleMesh::new(vertices, triangles).map_err(failed)?.welded().map_err(failed)?;
    mesh.check_closed().map_err(failed)?;
    let names = [BRIDGE, "mesh of two cubes that a bar joins, on a rigid plane, tilted by 2 mrad"];
    tilted(names, of_mesh(mesh)?, [CUBE; 3], &APART)
}

fn mesh_ball() -> Result<Placement, PageError> {
    let ball = TriangleMesh::icosphere(RADIUS, 4).map_err(failed)?;
    let grown = (4.0 / 3.0 * PI * RADIUS.powi(3) / ball.signed_volume()).cbrt();
    let d = 0.1 * RADIUS;
    let low = RADIUS - d;
    Ok(Placement {
        names: ["mesh_ball", "mesh of a ball, of its volume, on a rigid plane"],
        lower: Body::plane()?,
        upper: of_mesh(ball.scaled(Vector3::repeat(grown)).map_err(failed)?)?,
        poses: turns().map(|turn| turned([0.0, 0.0, low], turn)).collect(),
        force: ball_on_plane(d),
        centre: [0.0; 2],
        width: (RADIUS * RADIUS - low * low).sqrt(),
    })
}

/// ∫ min(x, distance from the rim) over a circle, or a polygon about one, of area a and inner radius r.
fn round_roof(a: f64, r: f64, x: f64) -> f64 {
    a * (x - x * x / r + x.powi(3) / (3.0 * r * r))
}

/// By the rule of middles.
fn integral(from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
    let h = (to - from) / PARTS as f64;
    (0..PARTS).map(|k| f(from + (k as f64 + 0.5) * h)).sum::<f64>() * h
}
