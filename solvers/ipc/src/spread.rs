use signorini_core::na::Vector3;
use signorini_geometry::StencilPair;

use crate::body::matrix;
use crate::world::{N, World};

/// Σ wᵢ (1, Xᵢ) over the points of one body: the factor before e of a vector w ⊗ e in its coordinates.
pub(crate) type Side = [f64; 4];

/// Σ wᵢ (1, Xᵢ) over the points of each side.
pub(crate) fn spread(world: &World, pair: &StencilPair, sides: &[u8; 4], weights: &[f64; 4]) -> [Side; 2] {
    let mut out = [[0.0; 4]; 2];
    for i in 0..4 {
        let (w, x) = (weights[i], &world.rest[pair.points[i] as usize]);
        let side = &mut out[sides[i] as usize];
        side[0] += w;
        side[1] += w * x[0];
        side[2] += w * x[1];
        side[3] += w * x[2];
    }
    out
}

/// The spread of the material points at which round surfaces touch, where the free bodies are at `q`: Σ wᵢ xᵢ leads along `n`, and −ρ A⁻¹ n to the surface on either side.
pub(crate) fn at_surface(
    world: &World,
    q: &[f64],
    pair: &StencilPair,
    mut spread: [Side; 2],
    n: &Vector3<f64>,
) -> [Side; 2] {
    for (side, surface) in spread.iter_mut().zip(pair.surfaces) {
        let (radius, free) = (world.radius_of(surface), world.free[world.part(surface).body]);
        let Some(f) = free.filter(|_| radius > 0.0) else { continue };
        if let Some(inverse) = matrix(&q[N * f as usize..]).try_inverse() {
            let arm = inverse * (radius * n);
            (0..3).for_each(|i| side[1 + i] -= arm[i]);
        }
    }
    spread
}

/// y += s ⊗ e in the coordinates of a body.
#[inline]
pub(crate) fn add_outer(y: &mut [f64], s: &Side, e: &Vector3<f64>) {
    for r in 0..3 {
        y[r] += s[0] * e[r];
        for c in 0..3 {
            y[3 + 3 * r + c] += s[1 + c] * e[r];
        }
    }
}

/// (s ⊗ 1)ᵀ v: the velocity Σ wᵢ ẋᵢ.
#[inline]
fn velocity_of(v: &[f64], s: &Side) -> Vector3<f64> {
    Vector3::from_fn(|r, _| s[0] * v[r] + s[1] * v[3 + 3 * r] + s[2] * v[4 + 3 * r] + s[3] * v[5 + 3 * r])
}

/// Numbers of the unknown blocks of both sides.
pub(crate) fn blocks(world: &World, pair: &StencilPair) -> [Option<usize>; 2] {
    world.bodies_of(pair.surfaces).map(|b| world.free[b as usize].map(|f| f as usize))
}

/// Σ wᵢ ẋᵢ over the points of a pair.
pub(crate) fn relative_velocity(
    world: &World,
    pair: &StencilPair,
    spread: &[Side; 2],
    v: &[f64],
) -> Vector3<f64> {
    let free = blocks(world, pair);
    let side = |s: usize| free[s].map_or(Vector3::zeros(), |b| velocity_of(&v[N * b..], &spread[s]));
    side(0) + side(1)
}
