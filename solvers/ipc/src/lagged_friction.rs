use signorini_core::na::Vector3;

use crate::map::Sliding;
use crate::reached::{Candidate, Reached};
use crate::spread::{at_surface, spread};
use crate::world::{World, gather};

/// Sum of the changes of all friction forces, relative to their sum, below which no further pass is asked for.
pub(crate) const SETTLED: f64 = 1e-6;

/// Forces μ λ \[N\] and directions of friction at the near pairs where the free bodies are at `q` and points at `x`.
pub(crate) fn lag<'a>(
    world: &World,
    near: impl Iterator<Item = (&'a Candidate, &'a Reached)>,
    q: &[f64],
    x: &[Vector3<f64>],
    stiffness: f64,
    sliding: &mut Vec<Sliding>,
    friction: &mut Vec<f64>,
) {
    for (c, n) in near {
        let (d, mu) = (&n.distance, world.friction(&c.pair));
        let [_, slope, _] = world.barrier(1.0, n.gap, stiffness).potential(n.squared);
        // A place that counts less than nothing takes a part of the load of others away, and no friction.
        if mu == 0.0 || slope == 0.0 || n.count < 0.0 {
            continue;
        }
        let force = -2.0 * mu * c.weight * n.count * slope * n.gap;
        let m = c.mollifier.map_or(1.0, |m| m.value(&gather(&c.pair, x)));
        let n = d.r / d.distance();
        let t1 = n.cross(&Vector3::ith(n.iamin(), 1.0)).normalize();
        let own = spread(world, &c.pair, &c.sides, &d.weights);
        let spread = at_surface(world, q, &c.pair, own, &n);
        sliding.push(Sliding {
            pair: c.pair,
            weights: d.weights,
            spread,
            tangents: [t1, n.cross(&t1)],
            slides: false,
        });
        friction.push(force * m);
    }
}
