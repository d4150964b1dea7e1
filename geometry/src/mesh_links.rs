use signorini_core::na::{Point3, Vector3};

use crate::hull::ascent::Rows;
use crate::surface_parts::SurfaceParts;
use crate::triangles::Triangles;
use crate::weld::weld_ids;
use crate::{Aabb, Bvh};

type V = Vector3<f64>;

/// Sine of the angle up to which two triangles at an edge count as one plane.
pub(crate) const LEVEL: f64 = 1e-6;
/// Part of the depth behind a triangle within which others are sought beside it, where the surface about it is hollow.
const BESIDE: f64 = 0.025;
/// Lengths of a triangle's longest side within which a surface looks for others behind it.
const SIDES: f64 = 2.0;

/// The part of a surface beyond an edge of a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Beyond {
    /// A triangle in the plane of this one: no edge at all.
    Level,
    /// A triangle that rises: the edge has no normal.
    Rises,
    /// None: the rim of an open surface.
    Rim,
    /// A triangle that falls away, by its corner that is not on the edge.
    Falls(V),
}

impl Beyond {
    /// The triangle beyond an edge of one with the normal `n`, by its corner `apex`, which is `e` from the edge.
    pub(crate) fn of(n: &V, e: &V, apex: V) -> Self {
        match n.dot(e) {
            h if h < -LEVEL * e.norm() => Self::Falls(apex),
            h if h > LEVEL * e.norm() => Self::Rises,
            _ => Self::Level,
        }
    }
}

/// A triangle of a surface, counter-clockwise seen from outside, with the parts of it that no earlier triangle has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tile {
    /// Corners \[m\].
    pub(crate) t: [V; 3],
    /// Unit normal, zero without area.
    pub(crate) n: V,
    /// The part of the surface beyond each edge k to k + 1.
    pub(crate) beyond: [Beyond; 3],
    /// Corners (bits 0 to 2) and edges (bits 3 to 5) of which the triangle is the first, those within a plane aside.
    pub(crate) owned: u8,
    /// A triangle beyond an edge of its own turns back under it.
    pub(crate) sharp: bool,
    /// Depth behind it to which others are sought: that of the solid at its centroid, or its own size where nothing is behind it; within twice its longest side \[m\].
    pub(crate) reach: f64,
}

/// Corners that triangles share, and the solid behind each.
#[derive(Clone, Debug)]
pub(crate) struct MeshLinks {
    /// Vertices of each triangle, those at equal positions taken as one.
    corners: Vec<[u32; 3]>,
    /// Triangles about each vertex.
    around: Rows,
    /// Vertices \[m\], and the sums of the normals about each, weighted with angles.
    points: Vec<V>,
    outward: Vec<V>,
    tiles: Vec<Tile>,
    /// Boxes about the triangles.
    boxes: Vec<Aabb>,
    /// Boxes about the triangles and the solid behind them, and the tree over these.
    thick_boxes: Vec<Aabb>,
    thick: Bvh,
    /// Corners by node of the tree over the triangles themselves.
    parts: SurfaceParts,
    /// No triangle has a rim.
    closed: bool,
}

impl MeshLinks {
    pub(crate) fn new(mesh: &Triangles) -> Self {
        let corners = weld_ids(&mesh.vertices, &mesh.triangles);
        let count = corners.iter().flatten().max().map_or(0, |m| *m as usize + 1);
        let about = corners.iter().zip(0..).flat_map(|(c, i)| c.map(|v| (v, i)));
        let around = Rows::new(count, about);
        let n = corners.len();
        let normals = (0..n).map(|i| mesh.double_area_vector(i).try_normalize(0.0).unwrap_or_default());
        let normals: Vec<V> = normals.collect();
        let (mut points, mut outward) = (vec![V::zeros(); count], vec![V::zeros(); count]);
        for (i, c) in corners.iter().enumerate() {
            let x = mesh.triangle(i);
            for k in 0..3 {
                let (a, b) = (x[(k + 1) % 3] - x[k], x[(k + 2) % 3] - x[k]);
                points[c[k] as usize] = x[k].coords;
                outward[c[k] as usize] += normals[i] * a.cross(&b).norm().atan2(a.dot(&b));
            }
        }
        let tile = |i: usize| Tile {
            t: mesh.triangle(i).map(|p| p.coords),
            n: normals[i],
            beyond: [Beyond::Rim; 3],
            owned: 0,
            sharp: false,
            reach: reach(mesh, i, &normals[i]),
        };
        let parts = SurfaceParts::new(mesh.bvh(), &corners, &normals, &points);
        let mut out = Self {
            parts,
            corners,
            around,
            points,
            outward,
            tiles: (0..n).map(tile).collect(),
            boxes: (0..n).map(|i| Aabb::from_points(&mesh.triangle(i))).collect(),
            thick_boxes: Vec::new(),
            thick: Bvh::default(),
            closed: true,
        };
        let mut ends = vec![false; count];
        for i in 0..n {
            let (beyond, owned) = out.look_around(i);
            for k in (0..3).filter(|k| beyond[*k] != Beyond::Level) {
                [k, (k + 1) % 3].iter().for_each(|k| ends[out.corners[i][*k] as usize] = true);
            }
            let tile = &mut out.tiles[i];
            out.closed &= tile.n == V::zeros() || !beyond.contains(&Beyond::Rim);
            (tile.beyond, tile.owned) = (beyond, owned);
        }
        for (tile, c) in out.tiles.iter_mut().zip(&out.corners) {
            for k in (0..3).filter(|k| !ends[c[*k] as usize]) {
                tile.owned &= !(1 << k);
            }
            tile.sharp = tile.turns_back();
        }
        // What is behind a hollow is beside the triangles about it.
        let beside = |t: &Tile| if t.beyond.contains(&Beyond::Rises) { BESIDE * t.reach } else { 0.0 };
        let thick = |t: &Tile| box_behind(&t.t, &t.n, t.reach).inflated(beside(t));
        out.thick_boxes = out.tiles.iter().map(thick).collect();
        out.thick = Bvh::build(&out.thick_boxes);
        out
    }

    /// Calls `visit` with the triangles that share a corner with triangle `i`, some of them twice, `i` itself left out.
    pub(crate) fn touching(&self, i: u32, mut visit: impl FnMut(u32)) {
        for v in self.corners[i as usize] {
            self.around.row(v as usize).iter().filter(|j| **j != i).for_each(|j| visit(*j));
        }
    }

    /// Triangle `i` among its neighbours; None for one without area.
    pub(crate) fn tile(&self, i: u32) -> Option<&Tile> {
        Some(&self.tiles[i as usize]).filter(|t| t.n != V::zeros())
    }

    /// Unit normal of triangle `i`, zero without area.
    pub(crate) fn normal(&self, i: u32) -> V {
        self.tiles[i as usize].n
    }

    /// Boxes about the triangles.
    pub(crate) fn boxes(&self) -> &[Aabb] {
        &self.boxes
    }

    /// Boxes about the triangles and the solid behind them.
    pub(crate) fn thick_boxes(&self) -> &[Aabb] {
        &self.thick_boxes
    }

    /// The tree over boxes about the triangles and the solid behind them.
    pub(crate) fn thick(&self) -> &Bvh {
        &self.thick
    }

    /// Corners by node of the tree over the triangles themselves.
    pub(crate) fn parts(&self) -> &SurfaceParts {
        &self.parts
    }

    /// Whether the surface has no rim.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    /// Vertices \[m\], those at equal positions taken as one.
    pub(crate) fn points(&self) -> &[V] {
        &self.points
    }

    /// The vertex at corner `k` of triangle `i`.
    pub(crate) fn vertex(&self, i: u32, k: usize) -> u32 {
        self.corners[i as usize][k]
    }

    /// Calls `visit` with the vertices that share a triangle with vertex `v`, and with itself, some of them several times.
    pub(crate) fn beside(&self, v: u32, visit: impl FnMut(u32)) {
        let triangles = self.around.row(v as usize).iter();
        triangles.flat_map(|t| self.corners[*t as usize]).for_each(visit);
    }

    /// Whether the surface about corner `k` of triangle `i` reaches farthest along the unit vector `d` there, outward: `d` is one of its normals.
    pub(crate) fn is_foremost(&self, i: u32, k: usize, d: &V) -> bool {
        let v = self.corners[i as usize][k] as usize;
        let p = self.points[v];
        let behind = |t: &u32| {
            self.corners[*t as usize].iter().all(|c| {
                let e = self.points[*c as usize] - p;
                d.dot(&e) <= LEVEL * e.norm()
            })
        };
        self.outward[v].dot(d) > -LEVEL * self.outward[v].norm() && self.around.row(v).iter().all(behind)
    }

    /// Whether triangle `j` holds corner `k` of triangle `i`.
    pub(crate) fn holds(&self, j: u32, i: u32, k: usize) -> bool {
        self.corners[j as usize].contains(&self.corners[i as usize][k])
    }

    fn look_around(&self, i: usize) -> ([Beyond; 3], u8) {
        let (ids, n) = (self.corners[i], self.tiles[i].n);
        let (mut beyond, mut owned) = ([Beyond::Rim; 3], 0);
        if n == V::zeros() {
            return (beyond, owned);
        }
        let has_area = |j: &&u32| self.tiles[**j as usize].n != V::zeros();
        for k in 0..3 {
            let about = || self.around.row(ids[k] as usize).iter().filter(has_area);
            if about().all(|j| *j as usize >= i) {
                owned |= 1 << k;
            }
            let (a, b) = (ids[k], ids[(k + 1) % 3]);
            let across = |j: &&u32| **j as usize != i && self.corners[**j as usize].contains(&b);
            if about().filter(across).all(|j| *j as usize > i) {
                owned |= 8 << k;
            }
            let Some(j) = about().find(across) else { continue };
            let apex = self.corners[*j as usize].iter().find(|c| **c != a && **c != b);
            let Some(apex) = apex.map(|c| self.points[*c as usize]) else { continue };
            let e = apex - self.points[a as usize];
            beyond[k] = Beyond::of(&n, &e, apex);
        }
        (beyond, owned)
    }
}

/// The box about a triangle and the solid behind it, to the depth `reach` \[m\].
pub(crate) fn box_behind(t: &[V; 3], normal: &V, reach: f64) -> Aabb {
    let behind = normal * reach;
    let points = t.map(|p| [Point3::from(p), Point3::from(p - behind)]);
    Aabb::from_points(points.as_flattened())
}

fn reach(mesh: &Triangles, i: usize, n: &V) -> f64 {
    let t = mesh.triangle(i);
    let center = Point3::from((t[0].coords + t[1].coords + t[2].coords) / 3.0);
    let size = (t[1] - t[0]).norm().max((t[2] - t[0]).norm()).max((t[2] - t[1]).norm());
    if *n == V::zeros() {
        return 0.0;
    }
    first_hit(mesh, &center, &-n, i as u32).unwrap_or(size).min(SIDES * size)
}

/// Distance along the unit vector `d` from `origin` to the first triangle but `own`.
pub(crate) fn first_hit(mesh: &Triangles, origin: &Point3<f64>, d: &V, own: u32) -> Option<f64> {
    let nearest = std::cell::Cell::new(f64::INFINITY);
    mesh.bvh().visit(
        |b| is_crossed(b, origin, d, nearest.get()),
        |j| {
            if j != own
                && let Some(s) = hit(&mesh.triangle(j as usize), origin, d)
                && s < nearest.get()
            {
                nearest.set(s);
            }
        },
    );
    nearest.get().is_finite().then(|| nearest.get())
}

/// Whether the line from `origin` to `origin` + `to`·`d` enters a box.
pub(crate) fn is_crossed(b: &Aabb, origin: &Point3<f64>, d: &V, to: f64) -> bool {
    let (mut from, mut to) = (0.0f64, to);
    for k in 0..3 {
        if d[k] == 0.0 {
            if origin[k] < b.min[k] || origin[k] > b.max[k] {
                return false;
            }
            continue;
        }
        let (s, e) = ((b.min[k] - origin[k]) / d[k], (b.max[k] - origin[k]) / d[k]);
        (from, to) = (from.max(s.min(e)), to.min(s.max(e)));
    }
    from <= to
}

/// Where the ray from `origin` along `d` meets a triangle that it does not lie along, in lengths of `d`.
pub(crate) fn hit([a, b, c]: &[Point3<f64>; 3], origin: &Point3<f64>, d: &V) -> Option<f64> {
    let (u, v) = (b - a, c - a);
    let n = u.cross(&v);
    let along = n.dot(d);
    if along.abs() <= 1e-12 * n.norm() * d.norm() {
        return None;
    }
    let s = n.dot(&(a - origin)) / along;
    let x = origin + d * s - a;
    let n2 = n.norm_squared();
    let (l, m) = (x.cross(&v).dot(&n) / n2, u.cross(&x).dot(&n) / n2);
    (s >= 0.0 && l >= -1e-9 && m >= -1e-9 && l + m <= 1.0 + 1e-9).then_some(s)
}
