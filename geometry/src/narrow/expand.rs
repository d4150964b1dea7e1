//! Penetration of overlapping cores by an expanding polytope that certifies its answer.
//!
//! The polytope lies in C = A − B and holds the origin, so along no direction does C reach less far than the polytope's nearest face:
//! a lower bound of the depth. Each support point of C bounds the depth from above. The nearest face is pushed out until both meet.
//! Roundoff (a sliver, a horizon that is no loop) ends it without an answer, and the search over all directions
//! takes over.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

use signorini_core::na::Vector3;

use super::core::{Core, Pair, tangents, unit};
use super::gjk::{Corner, Simplex};
use super::polish::{Direction, polish};

type V = Vector3<f64>;

/// Corners before the polytope gives up.
const MAX_CORNERS: usize = 400;
/// Sine below which a triangle counts as a sliver.
const SLIVER: f64 = 1e-9;
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Side {
    corners: [u32; 3],
    /// Side beyond the edge from corner k to corner k + 1.
    across: [u32; 3],
    normal: V,
    offset: f64,
    alive: bool,
    /// Round in which it was last seen to face the new corner.
    seen: u32,
}

/// A side in the queue, nearest first.
#[derive(Clone, Copy, Debug)]
struct Near {
    offset: f64,
    side: u32,
}

impl PartialEq for Near {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Near {}
impl PartialOrd for Near {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Near {
    fn cmp(&self, other: &Self) -> Ordering {
        other.offset.total_cmp(&self.offset).then_with(|| other.side.cmp(&self.side))
    }
}

/// An edge between a side that faces the new corner and one that does not.
#[derive(Clone, Copy, Debug)]
struct Rim {
    from: u32,
    to: u32,
    beyond: u32,
}

#[derive(Default)]
struct Polytope {
    corners: Vec<Corner>,
    sides: Vec<Side>,
    queue: BinaryHeap<Near>,
    rim: Vec<Rim>,
    open: Vec<u32>,
    /// For each corner the new side that starts there, and its round.
    starts: Vec<(u32, u32)>,
    round: u32,
    scale: f64,
}

thread_local! {
    static POLYTOPE: RefCell<Polytope> = RefCell::default();
}

/// The normal of largest separation, given a simplex about the origin; None where roundoff stands in the way.
pub(super) fn expand(pair: &Pair<'_>, simplex: &Simplex) -> Option<Direction> {
    POLYTOPE.with(|p| match p.try_borrow_mut() {
        Ok(mut p) => p.run(pair, simplex),
        Err(_) => Polytope::default().run(pair, simplex),
    })
}

fn probe(pair: &Pair<'_>, n: &V) -> Corner {
    let (a, b) = pair.support(n);
    Corner { w: a - b, a, b }
}

impl Polytope {
    fn run(&mut self, pair: &Pair<'_>, simplex: &Simplex) -> Option<Direction> {
        self.corners.clear();
        self.sides.clear();
        self.queue.clear();
        self.starts.clear();
        self.round = 0;
        self.scale = pair.scale;
        self.enclose(pair, simplex)?;
        if pair.a.is_curved() || pair.b.is_curved() { self.smooth(pair) } else { self.flat(pair) }
    }

    /// Cores without curved parts: the nearest side of the polytope becomes a face of C.
    fn flat(&mut self, pair: &Pair<'_>) -> Option<Direction> {
        let tol = 1e-13 * self.scale;
        loop {
            let side = self.nearest()?;
            let Side { normal, offset, corners, .. } = self.sides[side as usize];
            let c = probe(pair, &normal);
            let s = -normal.dot(&c.w);
            let beyond = -s - offset;
            // A support point that is there already: its excess is the roundoff of a thin triangle.
            let known = corners.iter().any(|k| self.corners[*k as usize].w == c.w);
            if beyond <= tol || known && beyond <= 1e-9 * self.scale {
                let corners = corners.map(|k| self.corners[k as usize]);
                return Some(snap(pair, Direction { n: normal, s }, &corners));
            }
            if known {
                return None;
            }
            self.push_out(side, c)?;
        }
    }

    /// Curved cores: the best normal is polished as soon as it is near, then the polytope grows until it leaves room for no better one.
    fn smooth(&mut self, pair: &Pair<'_>) -> Option<Direction> {
        let mut best = Direction { n: V::z(), s: f64::NEG_INFINITY };
        let mut polished = false;
        for _ in 0..2 * MAX_CORNERS {
            let side = self.nearest()?;
            let Side { normal, offset, .. } = self.sides[side as usize];
            let depth = -best.s;
            if offset >= depth - 1e-6 * depth.abs() - 1e-10 * self.scale {
                return Some(if polished { best } else { polish(pair, best, 0.1, 4) });
            }
            let c = probe(pair, &normal);
            let s = -normal.dot(&c.w);
            // By more than roundoff, or the polished normal would be replaced by itself.
            if s > best.s + 1e-14 * self.scale {
                best = Direction { n: normal, s };
                polished = false;
            }
            let near = -s - offset <= 0.1 * -s + 1e-10 * self.scale;
            if near && !polished {
                polished = true;
                best = polish(pair, best, 0.1, 4);
                // The point of C at that depth holds up the sides about it.
                let (a, b) = super::facing::witness_over(pair, &best.n);
                let w = best.n * -best.s;
                if (a - b - w).norm() <= 1e-9 * self.scale
                    && let Some(below) = self.below(&w)
                {
                    self.push_out(below, Corner { w, a, b })?;
                }
                if self.sides[side as usize].alive {
                    self.queue.push(Near { offset, side });
                }
                continue;
            }
            if -s - offset <= 1e-13 * self.scale {
                // The side lies in the surface of C: nothing is beyond it.
                return Some(if polished { best } else { polish(pair, best, 0.1, 4) });
            }
            self.push_out(side, c)?;
        }
        None
    }

    fn nearest(&mut self) -> Option<u32> {
        loop {
            let Near { side, .. } = self.queue.pop()?;
            if self.sides[side as usize].alive {
                return Some(side);
            }
        }
    }

    /// The side that `w` is farthest beyond.
    fn below(&self, w: &V) -> Option<u32> {
        let mut best = (1e-13 * self.scale, None);
        for (s, i) in self.sides.iter().zip(0..) {
            let over = s.normal.dot(w) - s.offset;
            if s.alive && over > best.0 {
                best = (over, Some(i));
            }
        }
        best.1
    }

    /// A tetrahedron about the origin.
    fn enclose(&mut self, pair: &Pair<'_>, simplex: &Simplex) -> Option<()> {
        let tiny = 1e-7 * self.scale;
        self.corners.extend(simplex.corners().iter().map(Corner::flipped));
        let mut tries = 0;
        while self.corners.len() < 4 {
            let c = &self.corners;
            // Directions that leave what there is: any, across a line, across a plane.
            let n = match c.len() {
                1 => [V::x(), -V::x(), V::y(), -V::y(), V::z(), -V::z()].get(tries).copied(),
                2 => {
                    let (t1, t2) = tangents(&unit(&(c[1].w - c[0].w), 0.0)?);
                    [t1, -t1, t2, -t2].get(tries).copied()
                }
                0 => return None,
                _ => {
                    let n = unit(&(c[1].w - c[0].w).cross(&(c[2].w - c[0].w)), 0.0)?;
                    [n, -n].get(tries).copied()
                }
            }?;
            let next = probe(pair, &n);
            let d = next.w - c[0].w;
            let leaves = match c.len() {
                1 => d.norm() > tiny,
                2 => {
                    let u = c[1].w - c[0].w;
                    u.cross(&d).norm() > tiny * u.norm()
                }
                _ => n.dot(&d).abs() > tiny,
            };
            tries = if leaves { 0 } else { tries + 1 };
            if leaves {
                self.corners.push(next);
            }
        }
        let c = &self.corners;
        let out = (c[1].w - c[0].w).cross(&(c[2].w - c[0].w)).dot(&(c[3].w - c[0].w));
        // Counter-clockwise seen from outside, and the sides beyond each edge.
        let sides = if out < 0.0 {
            [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]]
        } else {
            [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
        };
        for corners in sides {
            self.add(corners)?;
        }
        for i in 0..4 {
            for k in 0..3 {
                let (p, q) = (sides[i][k], sides[i][(k + 1) % 3]);
                let across = (0..4).find(|&j| (0..3).any(|l| sides[j][l] == q && sides[j][(l + 1) % 3] == p));
                self.sides[i].across[k] = across? as u32;
            }
        }
        Some(())
    }

    /// Adds a side, unless it is a sliver or the origin is outside of it.
    fn add(&mut self, corners: [u32; 3]) -> Option<u32> {
        let [p, q, r] = corners.map(|k| self.corners[k as usize].w);
        let (u, v) = (q - p, r - p);
        let n = u.cross(&v);
        let len2 = n.norm_squared();
        if len2 <= SLIVER * SLIVER * (u.norm_squared() * v.norm_squared()) {
            return None;
        }
        let normal = n / len2.sqrt();
        let offset = normal.dot(&p);
        if offset.is_nan() || offset < -1e-12 * self.scale {
            return None;
        }
        let side = self.sides.len() as u32;
        self.sides.push(Side { corners, across: [NONE; 3], normal, offset, alive: true, seen: 0 });
        self.queue.push(Near { offset, side });
        Some(side)
    }

    /// Adds a corner beyond `side` and joins it to the rim of all that it sees.
    fn push_out(&mut self, side: u32, c: Corner) -> Option<()> {
        if self.corners.len() >= MAX_CORNERS {
            return None;
        }
        self.round += 1;
        self.rim.clear();
        self.open.clear();
        self.open.push(side);
        self.sides[side as usize].alive = false;
        let eps = 1e-14 * self.scale;
        while let Some(at) = self.open.pop() {
            let Side { corners, across, .. } = self.sides[at as usize];
            for k in 0..3 {
                let beyond = across[k];
                let s = &mut self.sides[beyond as usize];
                if !s.alive {
                    continue;
                }
                if s.seen != self.round && s.normal.dot(&c.w) - s.offset > eps {
                    s.alive = false;
                    self.open.push(beyond);
                } else {
                    s.seen = self.round;
                    self.rim.push(Rim { from: corners[k], to: corners[(k + 1) % 3], beyond });
                }
            }
        }
        let new = self.corners.len() as u32;
        self.corners.push(c);
        self.starts.resize(self.corners.len(), (0, 0));
        let first = self.sides.len() as u32;
        for k in 0..self.rim.len() {
            let Rim { from, to, beyond } = self.rim[k];
            let start = &mut self.starts[from as usize];
            if start.1 == self.round {
                return None;
            }
            let id = self.add([from, to, new])?;
            self.starts[from as usize] = (id, self.round);
            self.sides[id as usize].across[0] = beyond;
            let other = &mut self.sides[beyond as usize];
            let l = (0..3).find(|&l| other.corners[l] == to && other.corners[(l + 1) % 3] == from)?;
            other.across[l] = id;
        }
        for id in first..self.sides.len() as u32 {
            let to = self.sides[id as usize].corners[1];
            let (next, round) = self.starts[to as usize];
            if round != self.round {
                return None;
            }
            self.sides[id as usize].across[1] = next;
            self.sides[next as usize].across[2] = id;
        }
        Some(())
    }
}

/// The exact normal of the face of C near `d`, whose corners are given: that of a face of A or B, else of the edges that span it.
fn snap(pair: &Pair<'_>, d: Direction, corners: &[Corner; 3]) -> Direction {
    let slack = 1e-13 * pair.scale;
    let mut best: Option<Direction> = None;
    let mut offer = |n: V| {
        if n.dot(&d.n) > 0.0 && n.cross(&d.n).norm_squared() <= 1e-8 {
            let s = pair.separation(&n);
            if s >= d.s - slack && best.is_none_or(|b| s > b.s + slack) {
                best = Some(Direction { n, s });
            }
        }
    };
    if let Some(n) = face_normal(&pair.a, &d.n) {
        offer(n);
    }
    if let Some(n) = face_normal(&pair.b, &pair.opposite_in_b(&d.n)) {
        offer(-(pair.r * n));
    }
    if let Some(best) = best {
        return best;
    }
    let edge = |of: fn(&Corner) -> V| {
        let e = [
            of(&corners[1]) - of(&corners[0]),
            of(&corners[2]) - of(&corners[0]),
            of(&corners[2]) - of(&corners[1]),
        ];
        e.into_iter().find(|e| *e != V::zeros())
    };
    if let (Some(e), Some(f)) = (edge(|c| c.a), edge(|c| c.b))
        && let Some(n) = unit(&e.cross(&f), 0.0)
    {
        let n = if n.dot(&d.n) < 0.0 { -n } else { n };
        if n.cross(&d.n).norm_squared() <= 1e-8 {
            let s = pair.separation(&n);
            if s >= d.s {
                return Direction { n, s };
            }
        }
    }
    d
}

/// The normal of the face of a core that faces `d` best.
fn face_normal(core: &Core<'_>, d: &V) -> Option<V> {
    match core {
        Core::Box(_) => {
            let i = d.iamax();
            let mut n = V::zeros();
            n[i] = 1f64.copysign(d[i]);
            Some(n)
        }
        Core::Hull(m) => m.normals.get(m.facing(d)).copied(),
        Core::Triangle(t) => {
            let n = unit(&(t[1] - t[0]).cross(&(t[2] - t[0])), 0.0)?;
            Some(if n.dot(d) < 0.0 { -n } else { n })
        }
        _ => None,
    }
}
