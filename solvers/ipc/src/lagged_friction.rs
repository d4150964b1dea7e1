use signorini_core::na::Vector3;
use signorini_geometry::StencilDistance;

use crate::candidates::Candidate;
use crate::map::Sliding;
use crate::spread::spread;
use crate::world::{World, gather};

/// Sum of the changes of all friction forces, relative to their sum, below which no further pass is asked for.
pub(crate) const SETTLED: f64 = 1e-6;

/// Forces μ λ \[N\] and directions of friction at the near pairs where points are at `x`.
pub(crate) fn lag<'a>(
    world: &World,
    near: impl Iterator<Item = (&'a Candidate, &'a StencilDistance)>,
    x: &[Vector3<f64>],
    stiffness: f64,
    sliding: &mut Vec<Sliding>,
    friction: &mut Vec<f64>,
) {
    for (c, d) in near {
        let length = d.distance();
        let mu = world.friction(&c.pair);
        let [_, slope, _] = world.barrier(1.0, length, stiffness).potential(d.squared);
        if mu == 0.0 || slope == 0.0 {
            continue;
        }
        let m = c.mollifier.map_or(1.0, |m| m.value(&gather(&c.pair, x)));
        let n = d.r / length;
        let t1 = n.cross(&Vector3::ith(n.iamin(), 1.0)).normalize();
        let spread = spread(world, &c.pair, &c.sides, &d.weights);
        sliding.push(Sliding {
            pair: c.pair,
            weights: d.weights,
            spread,
            tangents: [t1, n.cross(&t1)],
            slides: false,
        });
        friction.push(-2.0 * mu * c.weight * m * slope * length);
    }
}
