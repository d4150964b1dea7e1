//! Climbing a convex polyhedron: its farthest vertex and its best facing polygon in a few steps from a table of starts.

use std::cell::RefCell;

use signorini_core::na::{Point3, Vector3};

use crate::Aabb;

type V = Vector3<f64>;

/// Below this many vertices or polygons all are tried.
const TRY_ALL: usize = 12;
/// Most cells along the edge of one side of the table of starts.
const MOST_CELLS: usize = 12;

/// Vertices met by a flood, marked with its number.
#[derive(Default)]
struct Visited {
    marks: Vec<u32>,
    flood: u32,
    open: Vec<u32>,
}

impl Visited {
    fn start(&mut self, n: usize) {
        if self.marks.len() < n || self.flood == u32::MAX {
            self.marks.clear();
            self.marks.resize(n, 0);
            self.flood = 0;
        }
        self.flood += 1;
        self.open.clear();
    }

    fn take(&mut self, v: u32) {
        let mark = &mut self.marks[v as usize];
        if *mark != self.flood {
            *mark = self.flood;
            self.open.push(v);
        }
    }
}

thread_local! {
    static VISITED: RefCell<Visited> = RefCell::default();
}

/// Rows of numbers of different lengths, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rows {
    start: Vec<u32>,
    items: Vec<u32>,
}

impl Rows {
    /// `n` rows; each pair is a row and an item of it, which keep their order within a row.
    pub(crate) fn new(n: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut start = vec![0u32; n + 1];
        for (row, _) in pairs.clone() {
            start[row as usize + 1] += 1;
        }
        for i in 0..n {
            start[i + 1] += start[i];
        }
        let mut fill = start.clone();
        let mut items = vec![0; start[n] as usize];
        for (row, item) in pairs {
            let slot = &mut fill[row as usize];
            items[*slot as usize] = item;
            *slot += 1;
        }
        Self { start, items }
    }

    #[inline]
    pub(crate) fn row(&self, i: usize) -> &[u32] {
        &self.items[self.start[i] as usize..self.start[i + 1] as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    /// The neighbours of each of `n` vertices along the sides of closed, consistently wound triangles.
    pub(crate) fn of_triangles(n: usize, triangles: &[[u32; 3]]) -> Self {
        Self::new(n, triangles.iter().flat_map(|t| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])]))
    }

    /// The vertex farthest along `d` and its height, climbing from vertex `from` by rows of neighbours.
    pub(crate) fn climb(&self, points: &[Point3<f64>], d: &V, from: u32) -> (u32, f64) {
        let height = |v: u32| points[v as usize].coords.dot(d);
        let (mut best, mut top) = (from, height(from));
        loop {
            let at = best;
            for &v in self.row(at as usize) {
                let h = height(v);
                if h > top {
                    (best, top) = (v, h);
                }
            }
            if best == at {
                return (best, top);
            }
        }
    }
}

/// Neighbours along the edges of a triangulation whose orientation tests are exact, so that a local maximum of height is the global
/// one; merged polygons, which are flat and convex to a tolerance only, do not promise that.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ascent {
    pub(crate) neighbors: Rows,
    /// Polygons about each vertex.
    pub(crate) faces: Rows,
    /// A vertex to start from for each cell of directions: six sides of a cube, `cells` × `cells` each.
    starts: Vec<u32>,
    cells: usize,
    /// A ball that holds all vertices: centre and radius \[m\].
    pub(crate) ball: (V, f64),
    /// Largest distance of a vertex from the origin \[m\].
    pub(crate) extent: f64,
}

impl Ascent {
    /// `triangles` over `points`; polygons by their corners.
    pub(crate) fn new(points: &[Point3<f64>], triangles: &[[u32; 3]], faces: &[Vec<u32>]) -> Self {
        let n = points.len();
        let corners = faces.iter().zip(0..).flat_map(|(f, i)| f.iter().map(move |v| (*v, i)));
        let mut out = Self {
            neighbors: Rows::of_triangles(n, triangles),
            faces: Rows::new(n, corners),
            starts: Vec::new(),
            cells: 0,
            ball: ball(points),
            extent: points.iter().map(|p| p.coords.norm()).fold(0.0, f64::max),
        };
        if n <= TRY_ALL {
            return out;
        }
        let cells = (((n as f64 / 3.0).sqrt().ceil()) as usize).clamp(2, MOST_CELLS);
        let mut starts = Vec::with_capacity(6 * cells * cells);
        let mut at = 0;
        let center = |i: usize| (2 * i + 1) as f64 / cells as f64 - 1.0;
        for side in 0..6 {
            for i in 0..cells {
                for j in 0..cells {
                    let axis = side / 2;
                    let mut d = V::zeros();
                    d[axis] = if side % 2 == 0 { 1.0 } else { -1.0 };
                    d[(axis + 1) % 3] = center(i);
                    d[(axis + 2) % 3] = center(j);
                    at = out.neighbors.climb(points, &d, at).0;
                    starts.push(at);
                }
            }
        }
        (out.starts, out.cells) = (starts, cells);
        out
    }

    /// Without neighbours: all vertices and polygons are tried.
    pub(crate) fn of_loose(points: &[Point3<f64>]) -> Self {
        let extent = points.iter().map(|p| p.coords.norm()).fold(0.0, f64::max);
        Self {
            ball: ball(points),
            extent,
            neighbors: Rows::default(),
            faces: Rows::default(),
            starts: Vec::new(),
            cells: 0,
        }
    }

    /// The vertex farthest along `d`.
    #[inline]
    pub(crate) fn support(&self, points: &[Point3<f64>], d: &V) -> u32 {
        if self.cells == 0 || self.neighbors.len() != points.len() {
            return farthest(points, d);
        }
        self.neighbors.climb(points, d, self.starts[self.cell(d)]).0
    }

    /// Calls `visit` with the vertices that lie lower than `level` along the unit vector `d`, in no order: they hang together along edges.
    pub(crate) fn below(&self, points: &[Point3<f64>], d: &V, level: f64, mut visit: impl FnMut(u32)) {
        let lower = |v: u32| points[v as usize].coords.dot(d) < level;
        if self.cells == 0 || self.neighbors.len() != points.len() {
            return (0..points.len() as u32).filter(|v| lower(*v)).for_each(visit);
        }
        let lowest = self.support(points, &-d);
        if !lower(lowest) {
            return;
        }
        VISITED.with(|v| {
            let mut own = Visited::default();
            let mut kept = v.try_borrow_mut();
            let visited = kept.as_deref_mut().unwrap_or(&mut own);
            visited.start(points.len());
            visited.take(lowest);
            while let Some(at) = visited.open.pop() {
                visit(at);
                for &next in self.neighbors.row(at as usize) {
                    if lower(next) {
                        visited.take(next);
                    }
                }
            }
        });
    }

    fn cell(&self, d: &V) -> usize {
        let axis = d.iamax();
        let largest = d[axis];
        let scale = 0.5 * self.cells as f64 / largest.abs();
        let index = |x: f64| (((x + largest.abs()) * scale) as usize).min(self.cells - 1);
        let side = 2 * axis + usize::from(largest < 0.0);
        (side * self.cells + index(d[(axis + 1) % 3])) * self.cells + index(d[(axis + 2) % 3])
    }

    /// The polygon whose normal has the largest component along `d`, climbing from those about the vertex farthest along `d`.
    ///
    /// Where polygons are large and thin another may be a little nearer; the one given always touches the climb's path.
    pub(crate) fn facing(&self, vertex: u32, faces: &[Vec<u32>], normals: &[V], d: &V) -> usize {
        let mut best = (0, f64::NEG_INFINITY);
        let offer = |best: &mut (usize, f64), i: usize| {
            let c = normals[i].dot(d);
            if c > best.1 {
                *best = (i, c);
            }
        };
        if normals.len() <= 2 * TRY_ALL || self.faces.len() <= vertex as usize {
            (0..normals.len()).for_each(|i| offer(&mut best, i));
            return best.0;
        }
        for &i in self.faces.row(vertex as usize) {
            offer(&mut best, i as usize);
        }
        loop {
            let at = best.0;
            for &v in &faces[at] {
                for &i in self.faces.row(v as usize) {
                    offer(&mut best, i as usize);
                }
            }
            if best.0 == at {
                return at;
            }
        }
    }
}

fn ball(points: &[Point3<f64>]) -> (V, f64) {
    let center = Aabb::from_points(points).center();
    (center.coords, points.iter().map(|p| (p - center).norm()).fold(0.0, f64::max))
}

fn farthest(points: &[Point3<f64>], d: &V) -> u32 {
    let mut best = (0, f64::NEG_INFINITY);
    for (p, i) in points.iter().zip(0..) {
        let h = p.coords.dot(d);
        if h > best.1 {
            best = (i, h);
        }
    }
    best.0
}
