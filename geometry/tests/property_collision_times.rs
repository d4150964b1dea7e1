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
    // Misses that are held to be hits.
    let mut alarms = [0; 2];
    let touches = |s: Stencil, x: &Points, dx: &Points| Ccd::default().touches(s, x, dx);
    for _ in 0..200_000 {
        let (x, way) = (points(&mut r), r.log_uniform(1e-2, 3.0) * r.vector::<3>());
        // A point moves, a triangle stands: it crosses if its way does.
        let dx = [way, Vector3::zeros(), Vector3::zeros(), Vector3::zeros()];
        let Some(t) = free(Stencil::PointTriangle, &x, &dx) else { continue };
        let ends = |t: f64| [x[0], x[0] + t * way];
        let triangle = [x[1], x[2], x[3]];
        assert!(t > 0.0 && !segment_crosses_triangle(&ends(t), &triangle), "{x:?} {way:?}");
        let hit = segment_crosses_triangle(&ends(1.0), &triangle);
        let told = touches(Stencil::PointTriangle, &x, &dx);
        assert!(told || !hit, "{x:?} {way:?}");
        hits[0] += u32::from(hit);
        alarms[0] += u32::from(told && !hit);
        // An edge moves, another stands: the other crosses the parallelogram that the first sweeps.
        let dx = [way, way, Vector3::zeros(), Vector3::zeros()];
        let Some(t) = free(Stencil::EdgeEdge, &x, &dx) else { continue };
        let swept = |t: f64| {
            let (c, d) = (x[0] + t * way, x[1] + t * way);
            [[x[0], x[1], d], [x[0], d, c]].iter().any(|f| segment_crosses_triangle(&[x[2], x[3]], f))
        };
        assert!(t > 0.0 && !swept(t), "{x:?} {way:?}");
        let (hit, told) = (swept(1.0), touches(Stencil::EdgeEdge, &x, &dx));
        assert!(told || !hit, "{x:?} {way:?}");
        hits[1] += u32::from(hit);
        alarms[1] += u32::from(told && !hit);
    }
    // Enough of them would have met. None is a miss by round-off.
    assert!(hits.iter().all(|h| *h > 2000) && alarms == [0; 2], "{hits:?} {alarms:?}");
}

/// Parts of the distance of the start: those left where collision detection stops, and between two places at which it looks (it goes nine tenths of the rest at the first).
const LEFT: f64 = 0.1;
const BETWEEN: f64 = LEFT * LEFT;

/// Distance of two sides along a direction: at most their distance, whatever direction it is, so that one above zero proves that they do not meet. NaN where there is none.
fn apart(stencil: Stencil, x: &Points, direction: &Vector3<f64>) -> f64 {
    let first = if stencil == Stencil::PointTriangle { 1 } else { 2 };
    let pairs = x[..first].iter().flat_map(|a| x[first..].iter().map(move |b| a - b));
    let n = direction.normalize();
    pairs.map(|d| d.dot(&n)).reduce(f64::min).unwrap_or(f64::NAN)
}

/// Precision of differences of places on the way: each coordinate is rounded.
fn places(x: &Points) -> f64 {
    2.0 * f64::EPSILON * x.iter().map(|p| p.norm()).fold(0.0, f64::max)
}

/// Directions that may part the sides: that of the nearest points, also without its round-off along each edge, and the normal of plane or edges.
fn directions(stencil: Stencil, x: &Points) -> [Vector3<f64>; 5] {
    let r = stencil.distance(x).r;
    let edges = match stencil {
        Stencil::PointTriangle => [x[2] - x[1], x[3] - x[2], x[1] - x[3]],
        Stencil::EdgeEdge => [x[1] - x[0], x[3] - x[2], Vector3::zeros()],
    };
    let across = edges.map(|e| r - r.dot(&e) / e.norm_squared() * e);
    let n = edges[0].cross(&edges[1]);
    [r, across[0], across[1], across[2], n * n.dot(&r).signum()]
}

/// Features can only meet where their four points are in one plane: a root of the cubic polynomial f(t) = u·(v × w). Its roots in [low, high] are enclosed by halving intervals: where all Bernstein coefficients of f
/// have one sign, by more than their round-off, there is none. In an interval that may have one, some direction must part the sides at both ends, and so all the way between: any will do, some
/// of the middle are tried. Gives the first place where neither can be said of an interval in which features go no further than `resolution`.
fn contact(stencil: Stencil, x: &Points, dx: &Points, high: f64, resolution: f64) -> Option<f64> {
    let relative = [1, 2, 3].map(|i| (x[i] - x[0], dx[i] - dx[0]));
    // Two sides that each go at most so far against their first point.
    let speed = 2.0 * relative.iter().map(|(_, d)| d.norm()).fold(0.0, f64::max);
    let scale = |i: usize| relative[i].0.norm() + high * relative[i].1.norm();
    // Three vectors known to 4 ε of their scale, a product of nine terms.
    let lost = 32.0 * f64::EPSILON * scale(0) * scale(1) * scale(2);
    let far = places(x);
    let mut pending = vec![(0.0, high)];
    while let Some((from, to)) = pending.pop() {
        let ends = relative.map(|(x, d)| [x + from * d, x + to * d]);
        let f = |i: usize, j: usize, k: usize| ends[0][i].dot(&ends[1][j].cross(&ends[2][k]));
        let bernstein = [
            f(0, 0, 0),
            (f(1, 0, 0) + f(0, 1, 0) + f(0, 0, 1)) / 3.0,
            (f(1, 1, 0) + f(1, 0, 1) + f(0, 1, 1)) / 3.0,
            f(1, 1, 1),
        ];
        if bernstein.iter().all(|b| *b > lost) || bernstein.iter().all(|b| *b < -lost) {
            continue;
        }
        let middle = 0.5 * (from + to);
        let directions = directions(stencil, &along(x, dx, middle));
        let ends = [from, to].map(|t| along(x, dx, t));
        if directions.iter().any(|n| ends.iter().all(|x| apart(stencil, x, n) > far)) {
            continue;
        }
        if speed * (to - from) <= resolution {
            return Some(middle);
        }
        // The first half on top.
        pending.extend([(middle, to), (from, middle)]);
    }
    None
}

/// Families of queries.
const FAMILIES: [&str; 6] =
    ["anywhere", "aimed", "near contact", "near contact, short way", "near parallel", "sliver"];

/// Four points and their ways; every fourth query is 100 m from the origin.
fn query(r: &mut Rng, stencil: Stencil, family: usize) -> (Points, Points) {
    let mut x = points(r);
    let random = |r: &mut Rng, way: f64| -> Points { std::array::from_fn(|_| way * r.vector::<3>()) };
    let size = (x[1] - x[0]).norm();
    let gap = r.log_uniform(1e-9, 1e-3);
    match (family, stencil) {
        (4, Stencil::EdgeEdge) => {
            // The second edge along the first, shifted along and across.
            let angle = r.log_uniform(1e-9, 1e-2);
            let across = gap * r.vector::<3>() + r.uniform(-0.5, 0.5) * (x[1] - x[0]);
            let along = (x[1] - x[0]) + angle * size * r.vector::<3>();
            (x[2], x[3]) = (x[0] + across, x[0] + across + along);
        }
        (4, Stencil::PointTriangle) => {
            // A point beside the triangle, nearly in its plane.
            let (s, t) = (r.uniform(-0.5, 1.5), r.uniform(-0.5, 1.5));
            x[0] = x[1] + s * (x[2] - x[1]) + t * (x[3] - x[1]) + gap * r.vector::<3>();
        }
        (5, Stencil::PointTriangle) => {
            let thin = r.log_uniform(1e-9, 1e-2) * size;
            x[3] = x[1] + r.unit() * (x[2] - x[1]) + thin * r.vector::<3>();
        }
        (5, Stencil::EdgeEdge) => x[3] = x[2] + r.log_uniform(1e-6, 1e-2) * (x[3] - x[2]),
        _ => {}
    }
    if family == 2 || family == 3 {
        // The first side is put beside a point of the second.
        let (s, t) = (r.unit(), r.unit());
        let from = match stencil {
            Stencil::PointTriangle => x[1] + s * (x[2] - x[1]) + t * (1.0 - s) * (x[3] - x[1]) - x[0],
            Stencil::EdgeEdge => x[2] + s * (x[3] - x[2]) - x[0] - t * (x[1] - x[0]),
        };
        let n = match stencil {
            Stencil::PointTriangle => (x[2] - x[1]).cross(&(x[3] - x[1])),
            Stencil::EdgeEdge => (x[1] - x[0]).cross(&(x[3] - x[2])),
        };
        let shift = from + gap * n.normalize();
        x[0] += shift;
        if stencil == Stencil::EdgeEdge {
            x[1] += shift;
        }
    }
    let mut dx = match family {
        3 => {
            let way = gap * r.log_uniform(1e-1, 1e2);
            random(r, way)
        }
        _ => {
            let way = r.log_uniform(1e-3, 3.0);
            random(r, way)
        }
    };
    if family == 1 {
        // The first side goes where the second is.
        let to = 1.5 * ((x[2] + x[3]) * 0.5 - x[0]);
        dx.iter_mut().for_each(|d| *d *= 0.1);
        dx[0] += to;
        if stencil == Stencil::EdgeEdge {
            dx[1] += to;
        }
    }
    if r.chance(0.25) {
        let far = 100.0 * r.vector::<3>();
        x.iter_mut().for_each(|p| *p += far);
    }
    (x, dx)
}

#[test]
fn property_nothing_meets_before_the_reported_time() {
    let mut r = Rng::new(7);
    // Of each family: queries, hits that were reported, starts that touch up to round-off.
    let mut counts = [[0u32; 3]; FAMILIES.len()];
    for k in 0..600_000 {
        let stencil = if k % 2 == 0 { Stencil::PointTriangle } else { Stencil::EdgeEdge };
        let family = k / 2 % FAMILIES.len();
        let (x, dx) = query(&mut r, stencil, family);
        counts[family][0] += 1;
        let Some(t) = free(stencil, &x, &dx) else {
            counts[family][2] += 1;
            continue;
        };
        counts[family][1] += u32::from(t < 1.0);
        assert!(t < 1.0 || !Ccd::default().touches(stencil, &x, &dx), "{stencil:?} {x:?} {dx:?}");
        let what = || format!("{} {stencil:?} {x:?} {dx:?}: {t:e}", FAMILIES[family]);
        let start = stencil.distance(&x).distance();
        assert!(t > 0.0 && t <= 1.0, "{}", what());
        // Places must tell the rest of the distance apart from nothing.
        if BETWEEN * start < 5.0 * places(&x) {
            counts[family][2] += 1;
            continue;
        }
        // A tenth of the part that is left: far below what must be, and a way that can be halved to.
        if let Some(at) = contact(stencil, &x, &dx, t, 0.1 * BETWEEN * start) {
            panic!("{}: meets at {at:e}", what());
        }
        if t < 1.0 {
            let d = stencil.distance(&along(&x, &dx, t)).distance();
            assert!(d >= LEFT * start * (1.0 - 1e-9) - places(&x), "{}: {d:e} of {start:e}", what());
        }
    }
    println!("{counts:?}");
    for (name, [queries, hits, touching]) in FAMILIES.iter().zip(counts) {
        // Enough would have met, and hardly any touches.
        assert!(hits > queries / 50 && touching < queries / 100, "{name}: {hits} hits, {touching} touch");
    }
}

#[test]
fn property_the_cap_on_steps_is_safe() {
    // A point slides at 1e-9 over half a metre, and the triangle turns below it by more than the distance: more steps than the cap allows.
    let x = [
        Vector3::new(-0.25, 0.0, 1e-9),
        Vector3::new(-1.0, -1.0, 0.0),
        Vector3::new(1.0, -1.0, 0.0),
        Vector3::new(0.0, 1.0, 0.0),
    ];
    // At t it is 1 + 2 t² nm above the plane.
    let dx = x.map(|p| Vector3::new(0.0, 0.0, -4e-9 * p.x));
    let dx = [Vector3::new(0.5, 0.0, 1e-9), dx[1], dx[2], dx[3]];
    let few = Ccd { max_steps: 100, ..Ccd::default() };
    match few.impact(Stencil::PointTriangle, &x, &dx) {
        Impact::Before(t) => {
            // A hundred steps of nine tenths of the distance, which stays what it is: 1e-9 m up to the round-off of a metre.
            let expected = 100.0 * 0.9 * 1e-9 / 0.5;
            assert!((t - expected).abs() < 1e-6 * expected, "{t:e} {expected:e}");
            assert!(Stencil::PointTriangle.distance(&along(&x, &dx, t)).distance() > 0.0);
        }
        other => panic!("the cap was not reached: {other:?}"),
    }
}
