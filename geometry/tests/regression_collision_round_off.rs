//! Collision times of points that are round-off apart: a number or no way at all, never something that is no number.

use proptest::prelude::*;
use signorini_core::na::Vector3;
use signorini_geometry::{Ccd, Impact, Stencil};

proptest! {
    #[test]
    fn regression_what_is_left_of_no_distance(
        base in prop::array::uniform3(-10.0..10.0f64),
        exponent in -320.0..-14.0f64,
        way in prop::array::uniform3(-1.0..1.0f64),
        edges in any::<bool>(),
        far in any::<bool>(),
    ) {
        let at = |x: f64, y: f64, z: f64| if far { Vector3::from(base) } else { Vector3::zeros() } + Vector3::new(x, y, z);
        let d = 10f64.powf(exponent);
        let (stencil, x) = if edges {
            (Stencil::EdgeEdge, [at(-1.0, 0.1, d), at(1.0, 0.1, d), at(0.2, -1.0, 0.0), at(0.2, 1.0, 0.0)])
        } else {
            (Stencil::PointTriangle, [at(0.1, 0.1, d), at(0.0, 0.0, 0.0), at(1.0, 0.0, 0.0), at(0.0, 1.0, 0.0)])
        };
        let down = Vector3::from(way) - Vector3::z();
        let dx = if edges { [down, down, Vector3::zeros(), Vector3::zeros()] } else { [down, Vector3::zeros(), Vector3::zeros(), Vector3::zeros()] };
        match Ccd::default().impact(stencil, &x, &dx) {
            Impact::Before(t) => {
                prop_assert!(t > 0.0 && t <= 1.0);
                let then: [Vector3<f64>; 4] = std::array::from_fn(|i| x[i] + t * dx[i]);
                // Far from the origin positions are rounded by more than the rest of the distance.
                prop_assert!(far || stencil.distance(&then).squared > 0.0);
            }
            // It goes down: to be free is wrong.
            Impact::None => prop_assert!(false, "{x:?} {dx:?}"),
            Impact::AtStart => {}
        }
    }
}
