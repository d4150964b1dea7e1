use signorini_core::ContactGeometry;
use signorini_core::na::{Matrix3, Point3, Vector3};

use crate::map::{Near, Sliding};
use crate::skin_points::SkinPoint;
use crate::world::World;

/// Bit of [`ContactGeometry::feature`] of entries that are of friction.
pub const FRICTION: u64 = 1 << 63;

/// Bit of [`ContactGeometry::feature`] of entries that are of a [`crate::SkinLaw`]: three rows (n, t₁, t₂) each.
pub const SKIN: u64 = 1 << 62;

/// Where the points of each side that a distance joins are: Σ |wᵢ| xᵢ.
fn ends(sides: &[u8; 4], weights: &[f64; 4], x: impl Fn(usize) -> Vector3<f64>) -> [Vector3<f64>; 2] {
    let at = |i: &usize| weights[*i].abs() * x(*i);
    [0, 1].map(|side| (0..4).filter(|i| usize::from(sides[*i]) == side).map(|i| at(&i)).sum())
}

/// Where a near pair is.
pub(crate) fn barrier(world: &World, k: usize, near: &Near) -> ContactGeometry {
    // The first point of the pair may be of either body.
    let n = if near.sides[0] == 0 { -1.0 } else { 1.0 } * near.normal_to_first();
    let [p, other] = ends(&near.sides, &near.distance.weights, |i| near.x[i]);
    ContactGeometry {
        constraint: k as u32,
        bodies: world.bodies_of(near.pair.surfaces),
        geoms: near.pair.surfaces,
        p_wc: Point3::from(p),
        arms: [Vector3::zeros(), other - p],
        r_wc: ContactGeometry::frame(&n),
        gap: near.start,
        feature: k as u64,
    }
}

/// Where friction acts: an entry of its own, whose frame begins with its two directions. Points were at `x` when the step began.
pub(crate) fn friction(world: &World, x: &[Vector3<f64>], k: usize, s: &Sliding) -> ContactGeometry {
    let sides = world.sides(&s.pair);
    let [t1, t2] = s.tangents.map(|t| if sides[0] == 0 { -t } else { t });
    let x = |i: usize| x[s.pair.points[i] as usize];
    let between: Vector3<f64> = (0..4).map(|i| s.weights[i] * x(i)).sum();
    let [p, other] = ends(&sides, &s.weights, x);
    ContactGeometry {
        constraint: k as u32,
        bodies: world.bodies_of(s.pair.surfaces),
        geoms: s.pair.surfaces,
        p_wc: Point3::from(p),
        arms: [Vector3::zeros(), other - p],
        r_wc: Matrix3::from_columns(&[t1, t2, t1.cross(&t2)]),
        gap: between.norm(),
        feature: FRICTION | k as u64,
    }
}

/// Where the law of the skin acts. Points were at `x` when the step began.
pub(crate) fn skin(world: &World, x: &[Vector3<f64>], k: usize, s: &SkinPoint) -> ContactGeometry {
    let [p, other] = ends(&world.sides(&s.pair), &s.weights, |i| x[s.pair.points[i] as usize]);
    ContactGeometry {
        constraint: k as u32,
        bodies: world.bodies_of(s.pair.surfaces),
        geoms: s.pair.surfaces,
        p_wc: Point3::from(p),
        arms: [Vector3::zeros(), other - p],
        r_wc: s.frame,
        gap: s.gap,
        feature: SKIN | k as u64,
    }
}
