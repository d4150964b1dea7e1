//! The part of the tangent plane that two facing features share.

use std::cell::RefCell;

use signorini_core::na::Vector3;

use super::core::tangents;
use super::face::{Face, MAX_CORNERS, edge_code};

type V = Vector3<f64>;

/// Most corners of an intersection of two polygons.
const MAX_SHARED: usize = 2 * MAX_CORNERS;

/// A corner of the shared region: where it lies in the tangent plane, and the features it comes from.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Corner {
    pub(super) x: f64,
    pub(super) y: f64,
    /// Feature code on A and on B.
    pub(super) codes: [u32; 2],
    /// Owner (0: A, 1: B) and index of the edge that leaves this corner.
    edge: (u8, u8),
}

/// The corners shared by the projections of two features along `n`.
pub(super) struct Shared {
    corners: [Corner; MAX_SHARED],
    len: usize,
    t1: V,
    t2: V,
}

/// Tangent-plane coordinates of the corners of a feature.
struct Flat {
    x: [f64; MAX_CORNERS],
    y: [f64; MAX_CORNERS],
    len: usize,
}

impl Flat {
    const fn empty() -> Self {
        Self { x: [0.0; MAX_CORNERS], y: [0.0; MAX_CORNERS], len: 0 }
    }

    fn set(&mut self, f: &Face, t1: &V, t2: &V) {
        self.len = f.len;
        for k in 0..f.len {
            self.x[k] = t1.dot(&f.corners[k]);
            self.y[k] = t2.dot(&f.corners[k]);
        }
    }

    /// Edge k: where it starts, and the unit vector along it; zero for an edge without length.
    fn edge(&self, k: usize) -> Edge {
        let j = if k + 1 == self.len { 0 } else { k + 1 };
        let (ex, ey) = (self.x[j] - self.x[k], self.y[j] - self.y[k]);
        let len = (ex * ex + ey * ey).sqrt();
        let scale = if len > 0.0 { 1.0 / len } else { 0.0 };
        Edge { x: self.x[k], y: self.y[k], ex: ex * scale, ey: ey * scale }
    }
}

#[derive(Clone, Copy)]
struct Edge {
    x: f64,
    y: f64,
    ex: f64,
    ey: f64,
}

impl Edge {
    /// Signed distance of a point to the left.
    fn left(&self, x: f64, y: f64) -> f64 {
        self.ex * (y - self.y) - self.ey * (x - self.x)
    }
}

/// Two facing features and their overlap; kept between queries, for it is large.
pub(super) struct Workspace {
    pub(super) a: Face,
    pub(super) b: Face,
    pub(super) shared: Shared,
    flats: [Flat; 2],
    next: [Corner; MAX_SHARED],
}

impl Workspace {
    const fn new() -> Self {
        let corner = Corner { x: 0.0, y: 0.0, codes: [0; 2], edge: (0, 0) };
        let zero = V::new(0.0, 0.0, 0.0);
        Self {
            a: Face::empty(),
            b: Face::empty(),
            shared: Shared { corners: [corner; MAX_SHARED], len: 0, t1: zero, t2: zero },
            flats: [Flat::empty(), Flat::empty()],
            next: [corner; MAX_SHARED],
        }
    }
}

thread_local! {
    static WORKSPACE: RefCell<Workspace> = const { RefCell::new(Workspace::new()) };
}

/// Calls `f` with this thread's workspace, whose contents are left over from earlier calls.
pub(super) fn with_workspace<R>(f: impl FnOnce(&mut Workspace) -> R) -> R {
    WORKSPACE.with(|w| match w.try_borrow_mut() {
        Ok(mut w) => f(&mut w),
        Err(_) => f(&mut Workspace::new()),
    })
}

impl Shared {
    pub(super) fn corners(&self) -> &[Corner] {
        &self.corners[..self.len]
    }

    /// The tangent-plane position of a corner as a vector normal to n.
    pub(super) fn lift(&self, c: &Corner) -> V {
        self.t1 * c.x + self.t2 * c.y
    }

    fn push(&mut self, c: Corner) {
        if self.len < MAX_SHARED {
            self.corners[self.len] = c;
            self.len += 1;
        }
    }
}

impl Workspace {
    /// Intersects the projections of the two features along `n` into `shared`; empty when they do not meet, or when both are
    /// lines that cross.
    ///
    /// `eps` \[m\]: points this far outside count as inside.
    pub(super) fn intersect(&mut self, n: &V, eps: f64) {
        let (t1, t2) = tangents(n);
        let Self { a, b, shared, flats: [fa, fb], next } = self;
        (shared.len, shared.t1, shared.t2) = (0, t1, t2);
        if a.len == 1 || b.len == 1 {
            return;
        }
        fa.set(a, &t1, &t2);
        fb.set(b, &t1, &t2);
        match (a.len, b.len) {
            (3.., 3..) => polygons([a, b], [fa, fb], eps, shared, next),
            (2, 3..) => segment_in_polygon([a, b], [fa, fb], 0, eps, shared),
            (3.., 2) => segment_in_polygon([b, a], [fb, fa], 1, eps, shared),
            _ => segments([a, b], [fa, fb], shared),
        }
    }
}

/// Sutherland and Hodgman, keeping track of which edges meet at each corner. A runs counter-clockwise seen along −n, B
/// clockwise.
fn polygons(
    [a, b]: [&Face; 2],
    [fa, fb]: [&Flat; 2],
    eps: f64,
    out: &mut Shared,
    next: &mut [Corner; MAX_SHARED],
) {
    for k in 0..b.len {
        // Reversed, so that it runs as A does; edge k then goes from corner j to corner j − 1.
        let j = b.len - 1 - k;
        let edge = if j == 0 { b.len - 1 } else { j - 1 };
        out.push(Corner { x: fb.x[j], y: fb.y[j], codes: [a.code, b.codes[j]], edge: (1, edge as u8) });
    }
    for k in 0..a.len {
        let line = fa.edge(k);
        let mut len = 0;
        let mut push = |c: Corner| {
            if len < MAX_SHARED {
                next[len] = c;
                len += 1;
            }
        };
        let count = out.len;
        let left = |c: &Corner| line.left(c.x, c.y);
        let first = left(&out.corners[0]);
        let mut dq = first;
        for i in 0..count {
            let last = i + 1 == count;
            let (p, q) = (&out.corners[i], &out.corners[if last { 0 } else { i + 1 }]);
            let dp = dq;
            dq = if last { first } else { left(q) };
            let (inside, next_inside) = (dp >= -eps, dq >= -eps);
            if inside {
                push(*p);
            }
            if inside != next_inside {
                let t = (dp / (dp - dq)).clamp(0.0, 1.0);
                let codes = if p.edge.0 == 1 {
                    [polygon_edge(a, k), polygon_edge(b, p.edge.1 as usize)]
                } else {
                    // Two edges of A: the corner of A between them.
                    [a.codes[common_corner(a.len, p.edge.1 as usize, k)], b.code]
                };
                let edge = if inside { (0, k as u8) } else { p.edge };
                push(Corner { x: p.x + t * (q.x - p.x), y: p.y + t * (q.y - p.y), codes, edge });
            }
        }
        out.corners[..len].copy_from_slice(&next[..len]);
        out.len = len;
        if len == 0 {
            return;
        }
    }
}

/// Edge k of a polygon goes from corner k to corner k + 1.
fn polygon_edge(f: &Face, k: usize) -> u32 {
    edge_code(f.codes[k], f.codes[if k + 1 == f.len { 0 } else { k + 1 }])
}

fn common_corner(len: usize, j: usize, k: usize) -> usize {
    if (j + 1) % len == k { k } else { j }
}

/// The part of a segment over a polygon; `owner` has the segment (0: A, 1: B).
fn segment_in_polygon([s, p]: [&Face; 2], [fs, fp]: [&Flat; 2], owner: usize, eps: f64, out: &mut Shared) {
    // A polygon of A has its inside on the left of its edges, one of B on the right.
    let side = if owner == 0 { -1.0 } else { 1.0 };
    let mut range = [0.0, 1.0];
    let mut by = [None, None];
    for k in 0..p.len {
        let line = fp.edge(k);
        let d0 = side * line.left(fs.x[0], fs.y[0]);
        let d1 = side * line.left(fs.x[1], fs.y[1]);
        if d0 < -eps && d1 < -eps {
            return;
        }
        if d0 < -eps || d1 < -eps {
            let t = (d0 / (d0 - d1)).clamp(0.0, 1.0);
            let end = usize::from(d0 >= -eps);
            if (end == 0 && t > range[0]) || (end == 1 && t < range[1]) {
                range[end] = t;
                by[end] = Some(k);
            }
        }
    }
    if range[0] > range[1] {
        return;
    }
    for end in 0..2 {
        let t = range[end];
        let (own, other) = match by[end] {
            None => (s.codes[end], p.code),
            Some(k) => (s.code, polygon_edge(p, k)),
        };
        let codes = if owner == 0 { [own, other] } else { [other, own] };
        out.push(Corner {
            x: fs.x[0] + t * (fs.x[1] - fs.x[0]),
            y: fs.y[0] + t * (fs.y[1] - fs.y[0]),
            codes,
            edge: (0, 0),
        });
        if range[0] == range[1] {
            return;
        }
    }
}

/// A place halfway between two lines, so that neither is favoured.
struct Halfway {
    x: f64,
    y: f64,
    /// Distance of B to the left of A there.
    aside: f64,
}

/// The overlap of two segments that are nearly parallel and lie over each other; nothing for others.
fn segments([a, b]: [&Face; 2], [fa, fb]: [&Flat; 2], out: &mut Shared) {
    let (ux, uy) = (fa.x[1] - fa.x[0], fa.y[1] - fa.y[0]);
    let (vx, vy) = (fb.x[1] - fb.x[0], fb.y[1] - fb.y[0]);
    let (u, v) = (ux.hypot(uy), vx.hypot(vy));
    if !(u > 0.0 && v > 0.0) || (ux * vy - uy * vx).abs() > PARALLEL * u * v {
        return;
    }
    let along = |x: f64, y: f64| ((x - fa.x[0]) * ux + (y - fa.y[0]) * uy) / (u * u);
    let (s0, s1) = (along(fb.x[0], fb.y[0]), along(fb.x[1], fb.y[1]));
    let (low, high) = if s0 < s1 { (0, 1) } else { (1, 0) };
    let (lo, hi) = (s0.min(s1), s0.max(s1));
    if lo > 1.0 || hi < 0.0 {
        return;
    }
    let halfway = |t: f64| {
        let (x, y) = (fa.x[0] + t * ux, fa.y[0] + t * uy);
        let r = if hi > lo { ((t - lo) / (hi - lo)).clamp(0.0, 1.0) } else { 0.0 };
        let (bx, by) = (fb.x[low] + r * (fb.x[high] - fb.x[low]), fb.y[low] + r * (fb.y[high] - fb.y[low]));
        let aside = ((by - y) * ux - (bx - x) * uy) / u;
        Halfway { x: 0.5 * (x + bx), y: 0.5 * (y + by), aside }
    };
    let start = if lo > 0.0 { (lo, [a.code, b.codes[low]]) } else { (0.0, [a.codes[0], b.code]) };
    let end = if hi < 1.0 { (hi, [a.code, b.codes[high]]) } else { (1.0, [a.codes[1], b.code]) };
    let (first, last) = (halfway(start.0), halfway(end.0));
    if first.aside * last.aside > 0.0 && first.aside.abs().min(last.aside.abs()) > BESIDE * (u + v) {
        return;
    }
    let mut push = |h: Halfway, codes: [u32; 2]| out.push(Corner { x: h.x, y: h.y, codes, edge: (0, 0) });
    push(first, start.1);
    if end.0 > start.0 {
        push(last, end.1);
    }
}

/// Sine of the angle within which two lines count as parallel.
pub(super) const PARALLEL: f64 = 0.05;

/// By how much two lines that do not cross may pass beside each other, relative to their lengths: lines of nearest features meet in the tangent plane, up to how well their normal is known.
const BESIDE: f64 = 1e-6;

/// The point of a feature above or below the tangent-plane position `q`, along `n`.
#[inline]
pub(super) fn point_over(f: &Face, q: &V, n: &V) -> V {
    match f.len {
        1 => f.corners[0],
        2 => {
            let (p, d) = (f.corners[0], f.corners[1] - f.corners[0]);
            let flat = d - n * n.dot(&d);
            let len2 = flat.norm_squared();
            let t = if len2 > 0.0 { ((q - p).dot(&flat) / len2).clamp(0.0, 1.0) } else { 0.5 };
            p + d * t
        }
        _ => q + n * (f.normal.dot(&(f.corners[0] - q)) / f.normal.dot(n)),
    }
}

/// Where the lines of two crossing segments are nearest, as a tangent-plane position; None when parallel.
pub(super) fn crossing(a: &Face, b: &Face, n: &V) -> Option<V> {
    let (u, v) = (a.corners[1] - a.corners[0], b.corners[1] - b.corners[0]);
    let m = v.cross(n);
    let d = u.dot(&m);
    if d.abs() <= 1e-12 * u.norm() * v.norm() {
        return None;
    }
    let t = ((b.corners[0] - a.corners[0]).dot(&m) / d).clamp(0.0, 1.0);
    let p = a.corners[0] + u * t;
    Some(p - n * n.dot(&p))
}
