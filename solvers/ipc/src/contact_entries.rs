use signorini_core::ContactGeometry;
use signorini_core::na::{Matrix3, Point3, Vector3};
use signorini_geometry::StencilPair;

use crate::map::{Near, Sliding};
use crate::skin_points::SkinPoint;
use crate::world::World;

/// Bit of [`ContactGeometry::feature`] of entries that are of friction.
pub const FRICTION: u64 = 1 << 63;

/// Bit of [`ContactGeometry::feature`] of entries that are of a [`crate::SkinLaw`]: three rows (n, t₁, t₂) each.
pub const SKIN: u64 = 1 << 62;

/// The entry of constraint `k` between two points of a pair, whose points are at `x`: the first point, an arm to the other. `n` leads from the first body to the second.
fn entry(
    world: &World,
    k: usize,
    pair: &StencilPair,
    weights: &[f64; 4],
    n: &Vector3<f64>,
    x: impl Fn(usize) -> Vector3<f64>,
) -> ContactGeometry {
    let sides = world.sides(pair);
    // Where the points of each side that a distance joins are: Σ |wᵢ| xᵢ.
    let at = |i: &usize| weights[*i].abs() * x(*i);
    let end = |side| (0..4).filter(|i| usize::from(sides[*i]) == side).map(|i| at(&i)).sum();
    let [first, second]: [Vector3<f64>; 2] = [end(0), end(1)];
    let [near, far] = pair.surfaces.map(|s| world.radius_of(s));
    let (p, other) = (first + near * n, second - far * n);
    ContactGeometry {
        constraint: k as u32,
        bodies: world.bodies_of(pair.surfaces),
        geoms: pair.surfaces,
        p_wc: Point3::from(p),
        arms: [Vector3::zeros(), other - p],
        r_wc: Matrix3::identity(),
        gap: 0.0,
        feature: k as u64,
    }
}

/// Entry of a near pair.
pub(crate) fn barrier(world: &World, k: usize, near: &Near) -> ContactGeometry {
    // The first point of the pair may be of either body.
    let n = if near.sides[0] == 0 { -1.0 } else { 1.0 } * near.normal_to_first();
    ContactGeometry {
        r_wc: ContactGeometry::frame(&n),
        gap: near.start,
        ..entry(world, k, &near.pair, &near.distance.weights, &n, |i| near.x[i])
    }
}

/// Entry of friction, whose frame begins with its two directions. Points were at `x` when the step began.
pub(crate) fn friction(world: &World, x: &[Vector3<f64>], k: usize, s: &Sliding) -> ContactGeometry {
    let first = world.sides(&s.pair)[0];
    let [t1, t2] = s.tangents.map(|t| if first == 0 { -t } else { t });
    let x = |i: usize| x[s.pair.points[i] as usize];
    let between: Vector3<f64> = (0..4).map(|i| s.weights[i] * x(i)).sum();
    let n = if first == 0 { -between } else { between }.normalize();
    ContactGeometry {
        r_wc: Matrix3::from_columns(&[t1, t2, t1.cross(&t2)]),
        gap: between.norm() - world.thickness(&s.pair),
        feature: FRICTION | k as u64,
        ..entry(world, k, &s.pair, &s.weights, &n, x)
    }
}

/// Entry of the law of the skin. Points were at `x` when the step began.
pub(crate) fn skin(world: &World, x: &[Vector3<f64>], k: usize, s: &SkinPoint) -> ContactGeometry {
    ContactGeometry {
        r_wc: s.frame,
        gap: s.gap,
        feature: SKIN | k as u64,
        ..entry(world, k, &s.pair, &s.weights, &s.frame.column(0).into(), |i| x[s.pair.points[i] as usize])
    }
}
