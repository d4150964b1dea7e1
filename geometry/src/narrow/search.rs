//! Penetration of overlapping cores: the unit normal of largest separation, by branch and bound over all directions.
//!
//! The depth of two overlapping convex sets along n is f(n) = h_A(n) + h_B(−n) = max w·n over w ∈ A − B, and the signed distance
//! is −min f. The sphere is cut into spherical triangles. With points w_j of A − B, any convex combination p of them bounds
//! f(n) ≥ n·p, and over a triangle n·p is least at a corner n_i: so the value of the 3 × 3 matrix game n_i·w_j bounds f below. Triangles
//! that cannot beat the best normal known are dropped, the others are halved, the most promising first. Nothing is built on
//! a topology that symmetric or coplanar poses could break.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

use signorini_core::na::{Matrix3, Vector3};

use wide::f64x4;

use super::core::{Core, Pair, unit};
use super::polish::{Direction, polish};

type V = Vector3<f64>;

/// Support evaluations before the best normal so far is taken.
const MAX_EVALUATIONS: usize = 600;
/// Faces of a hull whose normals are tried first.
const MAX_FACES: usize = 64;

#[derive(Clone, Copy, Debug)]
struct Cell {
    bound: f64,
    corners: [u32; 3],
}

impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Cell {}
impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Cell {
    fn cmp(&self, other: &Self) -> Ordering {
        // The heap gives the largest first: the least bound.
        other.bound.total_cmp(&self.bound).then_with(|| other.corners.cmp(&self.corners))
    }
}

/// A direction and the point of A − B farthest along it.
#[derive(Clone, Copy, Debug)]
struct Probe {
    n: V,
    w: V,
}

#[derive(Default)]
struct Scratch {
    probes: Vec<Probe>,
    cells: BinaryHeap<Cell>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

fn probe(pair: &Pair<'_>, n: V) -> Probe {
    let (a, b) = pair.support(&n);
    Probe { n, w: a - b }
}

/// The normal of largest separation.
pub(super) fn largest_separation(pair: &Pair<'_>) -> Direction {
    SCRATCH.with(|s| match s.try_borrow_mut() {
        Ok(mut s) => search(pair, &mut s),
        Err(_) => search(pair, &mut Scratch::default()),
    })
}

/// Separating axes of two cuboids: the six face normals and the nine products of edges hold the best normal. With it the number of the axis, if it is normal to a face:
/// 0 to 2 of A, 3 to 5 of B.
pub(super) fn box_box(pair: &Pair<'_>, h: &V, k: &V) -> (Direction, Option<usize>) {
    let (r, t) = (&pair.r, &pair.t);
    let abs = r.abs();
    // The separation along ±n is |n·t| minus both extents.
    let (on_b, in_b) = (r.tr_mul(t), abs.tr_mul(h));
    let in_a = abs * k;
    let mut best = (Direction { n: V::z(), s: f64::NEG_INFINITY }, None);
    // An edge–edge normal must beat the faces by more than roundoff: near a face normal the face is meant.
    let slack = 1e-13 * pair.scale;
    let mut offer = |n: V, along: f64, s: f64, face: usize| {
        if s > best.0.s + slack {
            best = (Direction { n: if along < 0.0 { -n } else { n }, s }, Some(face));
        }
    };
    for i in 0..3 {
        let mut n = V::zeros();
        n[i] = 1.0;
        offer(n, t[i], t[i].abs() - h[i] - in_a[i], i);
    }
    for i in 0..3 {
        let s = on_b[i].abs() - k[i] - in_b[i];
        offer(r.column(i).into_owned(), on_b[i], s, 3 + i);
    }
    // e_i × r_j for all j at once.
    let row = |m: &Matrix3<f64>, i: usize, [j, k, l]: [usize; 3]| {
        f64x4::new([m[(i, j)], m[(i, k)], m[(i, l)], 0.0])
    };
    let (k1, k2) = (f64x4::new([k[1], k[2], k[0], 0.0]), f64x4::new([k[2], k[0], k[1], 0.0]));
    let rows = [0, 1, 2].map(|i| row(r, i, [0, 1, 2]));
    for i in 0..3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        let (x, y) = (-rows[i2], rows[i1]);
        let len = (x * x + y * y).sqrt();
        let along = x * t[i1] + y * t[i2];
        let extent =
            x.abs() * h[i1] + y.abs() * h[i2] + k1 * row(&abs, i, [2, 0, 1]) + k2 * row(&abs, i, [1, 2, 0]);
        let s = ((along.abs() - extent) / len).to_array();
        let (x, y, len, along) = (x.to_array(), y.to_array(), len.to_array(), along.to_array());
        for j in 0..3 {
            if len[j] > 1e-7 && s[j] > best.0.s + slack {
                let mut n = V::zeros();
                (n[i1], n[i2]) = (x[j] / len[j], y[j] / len[j]);
                best = (Direction { n: if along[j] < 0.0 { -n } else { n }, s: s[j] }, None);
            }
        }
    }
    let (Direction { n, .. }, face) = best;
    (Direction { n, s: pair.separation(&n) }, face)
}

/// Normals that are exact for poses with aligned faces.
fn likely(core: &Core<'_>, mut offer: impl FnMut(V)) {
    let mut both = |v: V| {
        offer(v);
        offer(-v);
    };
    match core {
        Core::Point => {}
        Core::Segment(_) | Core::Cylinder(..) => both(V::z()),
        Core::Box(_) | Core::Ellipsoid(_) => {
            both(V::x());
            both(V::y());
            both(V::z());
        }
        Core::Hull(m) => m.normals.iter().take(MAX_FACES).for_each(|n| offer(*n)),
        Core::Triangle(t) => {
            if let Some(n) = unit(&(t[1] - t[0]).cross(&(t[2] - t[0])), 0.0) {
                both(n);
            }
        }
    }
}

fn search(pair: &Pair<'_>, scratch: &mut Scratch) -> Direction {
    let Scratch { probes, cells } = scratch;
    probes.clear();
    cells.clear();
    let up = Direction { n: V::z(), s: pair.separation(&V::z()) };
    let mut first = up;
    let mut offer = |n: V| {
        let s = pair.separation(&n);
        // Strictly better, so that the first of equal normals stays.
        if s > first.s + 1e-13 * pair.scale {
            first = Direction { n, s };
        }
    };
    if let Some(n) = unit(&pair.t, 1e-9 * pair.scale) {
        offer(n);
    }
    likely(&pair.a, &mut offer);
    likely(&pair.b, |n| offer(-(pair.r * n)));
    for n in [V::x(), V::y(), V::z()] {
        for n in [n, -n] {
            probes.push(probe(pair, n));
        }
    }
    for p in probes.iter() {
        offer(p.n);
    }
    let mut best = polish(pair, first, 0.3, 4);
    let mut star = deepest_point(pair, &best);
    for x in 0..2 {
        for y in 2..4 {
            for z in 4..6 {
                let corners = [x, y, z];
                cells.push(Cell { bound: bound(probes, corners, &star), corners });
            }
        }
    }
    while let Some(cell) = cells.pop() {
        let depth = -best.s;
        let enough = depth - 1e-6 * depth.abs() - 1e-10 * pair.scale;
        if cell.bound >= enough || cell.bound.is_nan() || probes.len() >= MAX_EVALUATIONS {
            break;
        }
        // The bound may be old: a better normal is known since.
        let [i, j, k] = split_order(probes, cell.corners);
        let Some(n) = unit(&(probes[i as usize].n + probes[j as usize].n), 0.0) else { continue };
        let p = probe(pair, n);
        let m = probes.len() as u32;
        probes.push(p);
        if n.dot(&p.w) < depth {
            let d = polish(pair, Direction { n, s: -n.dot(&p.w) }, 0.1, 4);
            if d.s > best.s {
                best = d;
                star = deepest_point(pair, &best);
            }
        }
        for corners in [[i, m, k], [m, j, k]] {
            let bound = bound(probes, corners, &star).max(cell.bound);
            if bound < enough {
                cells.push(Cell { bound, corners });
            }
        }
    }
    best
}

/// f·n for the best normal, if that is a point of A − B: then f(m) ≥ f·(n·m) for every m, which is tight about n.
fn deepest_point(pair: &Pair<'_>, best: &Direction) -> V {
    let (w_a, w_b) = super::facing::witness_over(pair, &best.n);
    let w = w_a - w_b;
    let want = best.n * -best.s;
    if (w - want).norm() <= 1e-9 * pair.scale { want } else { V::zeros() }
}

/// The corners with the longest side first.
fn split_order(p: &[Probe], [i, j, k]: [u32; 3]) -> [u32; 3] {
    let c = |a: u32, b: u32| p[a as usize].n.dot(&p[b as usize].n);
    let (ij, jk, ki) = (c(i, j), c(j, k), c(k, i));
    if ij <= jk && ij <= ki {
        [i, j, k]
    } else if jk <= ki {
        [j, k, i]
    } else {
        [k, i, j]
    }
}

/// A lower bound of the depth over a spherical triangle.
fn bound(p: &[Probe], corners: [u32; 3], star: &V) -> f64 {
    let c = corners.map(|i| p[i as usize]);
    let least = |w: &V| c[0].n.dot(w).min(c[1].n.dot(w)).min(c[2].n.dot(w));
    let m = Matrix3::from_fn(|i, j| c[i].n.dot(&c[j].w));
    let mut best = if *star == V::zeros() { f64::NEG_INFINITY } else { least(star) };
    for j in 0..3 {
        best = best.max(m[(0, j)].min(m[(1, j)]).min(m[(2, j)]));
    }
    for (j, k) in [(0, 1), (1, 2), (2, 0)] {
        for (a, b) in [(0, 1), (1, 2), (2, 0)] {
            // λ m_aj + (1 − λ) m_ak = λ m_bj + (1 − λ) m_bk
            let (u, v) = (m[(a, j)] - m[(b, j)], m[(b, k)] - m[(a, k)]);
            let l = v / (u + v);
            if l > 0.0 && l < 1.0 {
                best = best.max(least(&(c[j].w * l + c[k].w * (1.0 - l))));
            }
        }
    }
    if let Some(inv) = m.try_inverse() {
        let l = inv * V::repeat(1.0);
        let sum = l.sum();
        if l.min() >= 0.0 && sum > 0.0 {
            let l = l / sum;
            best = best.max(least(&(c[0].w * l.x + c[1].w * l.y + c[2].w * l.z)));
        }
    }
    // Inside the triangle a unit vector is up to √3 times the convex combination of the corners.
    if best < 0.0 { best * 1.75 } else { best }
}
