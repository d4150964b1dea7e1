use signorini_core::na::{Point3, Vector2, Vector3};

use crate::Obstacle;

/// Point at which a tendon leaves the straight line between two points, in the frame of the obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wrap {
    /// First point of contact \[m\].
    pub first: Point3<f64>,
    /// Last point of contact \[m\].
    pub last: Point3<f64>,
    /// Length along the surface between them \[m\]; 0 when the tendon touches from outside (inverse wrapping).
    pub length: f64,
}

/// The shortest path from `a` to `b` past an obstacle; None when it is the straight line. All points in the obstacle's frame.
///
/// Without `side`, the path wraps when the segment meets the obstacle, along the shorter arc. A `side` outside the obstacle, between
/// the ends as seen from the obstacle, picks the arc whose middle is nearest to it, and makes the path wrap also when the segment
/// passes on the far side. A `side` with both ends on one side of the line through it and the obstacle has no effect, so that a path
/// that leaves this range lets go of the obstacle and its length jumps, as in MuJoCo. A `side` nearer to the origin than the radius, on
/// cylinders too, inverts the wrapping: the path is the shortest one that touches the obstacle. There is no wrapping when `a` or `b` is
/// inside.
pub fn wrap(
    obstacle: Obstacle,
    a: &Point3<f64>,
    b: &Point3<f64>,
    side: Option<&Point3<f64>>,
) -> Option<Wrap> {
    let (radius, e0, e1) = match obstacle {
        Obstacle::Sphere { radius } => {
            let (e0, e1) = plane_through(&a.coords, &b.coords, side.map(|s| s.coords))?;
            (radius, e0, e1)
        }
        Obstacle::Cylinder { radius } => (radius, Vector3::x(), Vector3::y()),
    };
    let flat = |p: &Point3<f64>| Vector2::new(p.coords.dot(&e0), p.coords.dot(&e1));
    let (p, q) = (flat(a), flat(b));
    if p.norm() <= radius || q.norm() <= radius {
        return None;
    }
    let inside = side.is_some_and(|s| s.coords.norm() < radius);
    let (from, to, arc) = match inside {
        true => {
            let touch = touch_circle(&p, &q, radius)?;
            (touch, touch, 0.0)
        }
        false => {
            let left_of = |s: &Vector2<f64>, p: &Vector2<f64>| s.perp(p) >= 0.0;
            let between = side.map(flat).filter(|s| left_of(s, &p) != left_of(s, &q));
            around_circle(&p, &q, radius, between)?
        }
    };
    let lift = |t: &Vector2<f64>| Point3::from(e0 * t.x + e1 * t.y);
    let mut w = Wrap { first: lift(&from), last: lift(&to), length: arc };
    if let Obstacle::Cylinder { .. } = obstacle {
        // The unrolled path is a straight line: height grows in proportion to the distance travelled.
        let (l0, l1) = ((from - p).norm(), (to - q).norm());
        let slope = (b.z - a.z) / (l0 + arc + l1);
        w.first.z = a.z + slope * l0;
        w.last.z = a.z + slope * (l0 + arc);
        w.length = arc.hypot(slope * arc);
    }
    Some(w)
}

/// Orthonormal axes of the plane through the origin, `a` and `b`; when these are parallel, the plane also contains `side` or is any.
fn plane_through(
    a: &Vector3<f64>,
    b: &Vector3<f64>,
    side: Option<Vector3<f64>>,
) -> Option<(Vector3<f64>, Vector3<f64>)> {
    let e0 = a.try_normalize(1e-15)?;
    let across = |x: &Vector3<f64>| (x - e0 * e0.dot(x)).try_normalize(1e-12 * a.norm());
    let any = || {
        let mut x = Vector3::zeros();
        x[e0.iamin()] = 1.0;
        across(&x)
    };
    let e1 = across(b).or_else(|| side.as_ref().and_then(across)).or_else(any)?;
    Some((e0, e1))
}

/// The point of the segment nearest to the origin.
fn nearest_on_segment(p: &Vector2<f64>, q: &Vector2<f64>) -> Vector2<f64> {
    let d = q - p;
    let s = if d.norm_squared() > 0.0 { (-p.dot(&d) / d.norm_squared()).clamp(0.0, 1.0) } else { 0.0 };
    p + d * s
}

/// Tangent points and arc length of the path from `p` to `q` around the circle.
fn around_circle(
    p: &Vector2<f64>,
    q: &Vector2<f64>,
    radius: f64,
    side: Option<Vector2<f64>>,
) -> Option<(Vector2<f64>, Vector2<f64>, f64)> {
    let near = nearest_on_segment(p, q);
    if near.norm() > radius && side.is_none_or(|s| s.dot(&near) >= 0.0) {
        return None;
    }
    let turn = std::f64::consts::TAU;
    let (angle_p, angle_q) = (p.y.atan2(p.x), q.y.atan2(q.x));
    // Tangent points lie at these angles from p and q towards the arc.
    let reach = [(radius / p.norm()).acos(), (radius / q.norm()).acos()];
    let between = (angle_q - angle_p).rem_euclid(turn);
    let mut best: Option<(f64, Vector2<f64>, Vector2<f64>, f64)> = None;
    for (sense, angle) in [(1.0, between), (-1.0, turn - between)] {
        let arc = angle - reach[0] - reach[1];
        if arc < 0.0 {
            continue;
        }
        let at = |t: f64| Vector2::new(t.cos(), t.sin());
        let start = angle_p + sense * reach[0];
        let score = match side {
            Some(s) => at(start + sense * 0.5 * arc).dot(&s),
            None => -arc,
        };
        if best.is_none_or(|(b, ..)| score > b) {
            let end = angle_q - sense * reach[1];
            best = Some((score, at(start) * radius, at(end) * radius, arc * radius));
        }
    }
    best.map(|(_, from, to, length)| (from, to, length))
}

/// The point of the circle through which the path from `p` to `q` is shortest; None when the segment meets the circle.
fn touch_circle(p: &Vector2<f64>, q: &Vector2<f64>, radius: f64) -> Option<Vector2<f64>> {
    if nearest_on_segment(p, q).norm() <= radius {
        return None;
    }
    let (lp, lq) = (p.norm(), q.norm());
    let cross = p.x * q.y - p.y * q.x;
    let gap = cross.abs().atan2(p.dot(q));
    // Derivative of |p − t| + |t − q| with the angle of t from p; it grows where both points see t.
    let slope = |g: f64| {
        let h = gap - g;
        let dp = (lp * lp + radius * radius - 2.0 * lp * radius * g.cos()).sqrt();
        let dq = (lq * lq + radius * radius - 2.0 * lq * radius * h.cos()).sqrt();
        lp * g.sin() / dp - lq * h.sin() / dq
    };
    let mut low = (gap - (radius / lq).acos()).max(0.0);
    let mut high = gap.min((radius / lp).acos());
    for _ in 0..60 {
        let mid = 0.5 * (low + high);
        if slope(mid) > 0.0 {
            high = mid;
        } else {
            low = mid;
        }
    }
    let t = p.y.atan2(p.x) + cross.signum() * 0.5 * (low + high);
    Some(Vector2::new(t.cos(), t.sin()) * radius)
}
