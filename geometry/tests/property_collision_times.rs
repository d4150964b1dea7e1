//! Collision times over a million random queries: never late, never missed.

use signorini_core::na::Vector3;
use signorini_geometry::{Ccd, Impact, Stencil, segment_crosses_triangle};
use signorini_testkit::rng::Rng;

type Points = [Vector3<f64>; 4];

/// Sizes over three decades, near and far, long ways and short ones.
fn points(r: &mut Rng) -> Points {
    let size = r.log_uniform(1e-2, 1.0);
    std::array::from_fn(|_| size * r.vector::<3>())
}

/// The part of the way that is said to be free; None where the start touches.
fn free(stencil: Stencil, x: &Points, dx: &Points) -> Option<f64> {
    match Ccd::default().impact(stencil, x, dx) {
        Impact::None => Some(1.0),
        Impact::Before(t) => Some(t),
        Impact::AtStart => None,
    }
}

fn along(x: &Points, dx: &Points, t: f64) -> Points {
    std::array::from_fn(|i| x[i] + t * dx[i])
}

#[test]
fn property_translations_are_never_late_exactly() {
    let mut r = Rng::new(20_260_801);
    let mut hits = [0; 2];
    for _ in 0..200_000 {
        let (x, way) = (points(&mut r), r.log_uniform(1e-2, 3.0) * r.vector::<3>());
        // A point moves, a triangle stands: it crosses if its way does.
        let dx = [way, Vector3::zeros(), Vector3::zeros(), Vector3::zeros()];
        let Some(t) = free(Stencil::PointTriangle, &x, &dx) else { continue };
        let ends = |t: f64| [x[0], x[0] + t * way];
        let triangle = [x[1], x[2], x[3]];
        assert!(t > 0.0 && !segment_crosses_triangle(&ends(t), &triangle), "{x:?} {way:?}");
        hits[0] += u32::from(segment_crosses_triangle(&ends(1.0), &triangle));
        // An edge moves, another stands: the other crosses the parallelogram that the first sweeps.
        let dx = [way, way, Vector3::zeros(), Vector3::zeros()];
        let Some(t) = free(Stencil::EdgeEdge, &x, &dx) else { continue };
        let swept = |t: f64| {
            let (c, d) = (x[0] + t * way, x[1] + t * way);
            [[x[0], x[1], d], [x[0], d, c]].iter().any(|f| segment_crosses_triangle(&[x[2], x[3]], f))
        };
        assert!(t > 0.0 && !swept(t), "{x:?} {way:?}");
        hits[1] += u32::from(swept(1.0));
    }
    // Enough of them would have met.
    assert!(hits.iter().all(|h| *h > 2000), "{hits:?}");
}

#[test]
fn property_distances_on_the_way_stay_above_a_part() {
    let mut r = Rng::new(7);
    for k in 0..600_000 {
        let stencil = if k % 2 == 0 { Stencil::PointTriangle } else { Stencil::EdgeEdge };
        let x = points(&mut r);
        let way = r.log_uniform(1e-3, 3.0);
        let dx: Points = std::array::from_fn(|_| way * r.vector::<3>());
        let Some(t) = free(stencil, &x, &dx) else { continue };
        let least = 0.1 * stencil.distance(&x).distance();
        for i in 1..=6 {
            let d = stencil.distance(&along(&x, &dx, t * f64::from(i) / 6.0)).distance();
            // A tenth of the start is left where it stops; between the points that were looked at a tenth of that. Round-off of the distance.
            let bound = if t < 1.0 && i == 6 { least } else { 0.1 * least };
            assert!(d >= bound * (1.0 - 1e-9) - 1e-15, "{stencil:?} {x:?} {dx:?}: {d:e} of {least:e}");
        }
    }
}

#[test]
fn property_the_cap_on_steps_is_safe() {
    // Sliding at 1e-9 over half a metre takes more steps than the cap allows.
    let x = [
        Vector3::new(-0.25, 0.0, 1e-9),
        Vector3::new(-1.0, -1.0, 0.0),
        Vector3::new(1.0, -1.0, 0.0),
        Vector3::new(0.0, 1.0, 0.0),
    ];
    let dx = [Vector3::new(0.5, 0.0, 0.0), Vector3::zeros(), Vector3::zeros(), Vector3::zeros()];
    let few = Ccd { max_steps: 100, ..Ccd::default() };
    let Impact::Before(t) = few.impact(Stencil::PointTriangle, &x, &dx) else { return };
    assert!(t > 0.0 && Stencil::PointTriangle.distance(&along(&x, &dx, t)).distance() > 0.0);
}
