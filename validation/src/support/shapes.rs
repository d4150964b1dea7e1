//! Shape against shape: how a pair is answered, and how many points its patches have at most.

use std::f64::consts::FRAC_PI_2;
use std::fmt::Write;
use std::sync::Arc;

use signorini_core::na::{Isometry3, Translation3, UnitQuaternion, Vector3};
use signorini_geometry::{ConvexMesh, HeightField, QuerySupport, Shape, contacts, support, support_table};

use crate::random::Random;
use signorini_report::PageError;

/// One shape of every kind, about 0.2 m large.
pub(super) fn samples() -> Result<Vec<Shape>, PageError> {
    let half = Vector3::new(0.1, 0.12, 0.08);
    let hull = ConvexMesh::cuboid(&half).map_err(PageError::from_error)?;
    let mesh = hull.to_triangle_mesh().map_err(PageError::from_error)?;
    let field = HeightField::new(2, 2, [0.3, 0.3], vec![0.0; 4], 0.1).map_err(PageError::from_error)?;
    Ok(vec![
        Shape::HalfSpace,
        Shape::Sphere { radius: 0.1 },
        Shape::Box { half_extents: half },
        Shape::Capsule { radius: 0.08, half_length: 0.1 },
        Shape::Cylinder { radius: 0.1, half_length: 0.08 },
        Shape::Ellipsoid { semi_axes: half },
        Shape::Convex(Arc::new(hull)),
        Shape::HeightField(Arc::new(field)),
        Shape::Mesh(Arc::new(mesh)),
    ])
}

/// Most points of the patch of A below B over many placements: lying, standing and leaning, along each other and across, shifted.
fn most_points(a: &Shape, b: &Shape) -> usize {
    let mut random = Random::new(7);
    let (mut most, mut out) = (0, Vec::new());
    let quarter = |axis: Vector3<f64>, turns: usize| UnitQuaternion::new(axis * FRAC_PI_2 * turns as f64);
    for i in 0..600 {
        let pose = |random: &mut Random| {
            let upright = match i % 4 {
                0 => UnitQuaternion::identity(),
                1 => quarter(Vector3::x(), 1),
                2 => quarter(Vector3::y(), 1),
                _ => return random.rotation(),
            };
            let yaw = if i % 8 < 4 {
                quarter(Vector3::z(), i / 8)
            } else {
                UnitQuaternion::new(Vector3::z() * random.uniform())
            };
            yaw * upright
        };
        // Half-spaces and height fields stay the floor.
        let fixed = support(a, &Vector3::z()).is_none() || matches!(a, Shape::HeightField(_));
        let turn_a = if fixed { UnitQuaternion::identity() } else { pose(&mut random) };
        let turn_b = pose(&mut random);
        let reach = |s: &Shape, turn: &UnitQuaternion<f64>, direction: f64| {
            let along = turn.inverse_transform_vector(&(Vector3::z() * direction));
            support(s, &along).map_or(0.0, |p| (turn * p.coords).z)
        };
        let shift = |r: f64| 0.03 * (2.0 * r - 1.0);
        let height = reach(a, &turn_a, 1.0) - reach(b, &turn_b, -1.0) - 1e-4;
        let at = Translation3::new(shift(random.uniform()), shift(random.uniform()), height);
        let x_wa = Isometry3::from_parts(Translation3::identity(), turn_a);
        out.clear();
        if contacts(a, &x_wa, b, &Isometry3::from_parts(at, turn_b), 0.0, &mut out).is_ok() {
            most = most.max(out.len());
        }
    }
    most
}

/// The table: a triangle, each cell the kind of answer and the most points.
pub(super) fn table() -> Result<String, PageError> {
    let shapes = samples()?;
    let mut out = String::from("|  |");
    for s in &shapes {
        _ = write!(out, " {} |", s.name());
    }
    out += "\n|---|";
    out += &"---|".repeat(shapes.len());
    let pairs = support_table();
    for (i, a) in shapes.iter().enumerate() {
        _ = write!(out, "\n| **{}** |", a.name());
        for (j, b) in shapes.iter().enumerate() {
            let pair = pairs.iter().find(|p| p.a == a.name() && p.b == b.name());
            let cell = match pair.map(|p| p.support) {
                _ if j < i => String::new(),
                None => "?".into(),
                Some(QuerySupport::Unsupported) => "refused".into(),
                Some(QuerySupport::Surface) => "contacts only".into(),
                Some(how) => format!("{how}, {}", most_points(a, b)),
            };
            _ = write!(out, " {cell} |");
        }
    }
    out.push('\n');
    Ok(out)
}
