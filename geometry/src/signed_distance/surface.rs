//! Closed triangle surfaces. The sign is that of the angle-weighted normal of the nearest feature (Bærentzen and Aanæs 2005), which is right at edges and corners too, as long as the surface does not cut through itself.

use std::collections::HashMap;

use signorini_core::na::{Point3, Vector3};

use super::result::SignedDistance;
use super::solid;
use crate::triangles::Triangles;
use crate::weld::weld_ids;
use crate::{Aabb, MeshDefect, StencilDistance};

type V = Vector3<f64>;

/// Cells of the coarse grid along the longest side of a surface.
const CELLS: f64 = 24.0;

/// Sides of a closed surface: inside and outside.
#[derive(Clone, Debug)]
pub(crate) struct MeshSides {
    /// Vertices of each triangle, those at equal positions taken as one.
    ids: Vec<[u32; 3]>,
    /// Unit normals of triangles, their sums at each edge k to k + 1, and those weighted with angles at each vertex. Zero at triangles without area, which leave the sign to all solid angles.
    faces: Vec<V>,
    edges: Vec<[V; 3]>,
    corners: Vec<V>,
    bounds: Aabb,
    /// Signed distances of the centres of cells \[m\], so that points far from the surface need no search.
    coarse: Vec<f64>,
    count: [usize; 3],
    cell: f64,
}

impl MeshSides {
    pub(crate) fn new(mesh: &Triangles) -> Result<Self, MeshDefect> {
        mesh.check_closed()?;
        let ids = weld_ids(&mesh.vertices, &mesh.triangles);
        let unit = |i: usize| mesh.double_area_vector(i).try_normalize(0.0).unwrap_or_default();
        let faces: Vec<V> = (0..ids.len()).map(unit).collect();
        let key = |t: &[u32; 3], k: usize| {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            [a.min(b), a.max(b)]
        };
        let mut sums: HashMap<[u32; 2], V> = HashMap::with_capacity(ids.len() * 3 / 2);
        for (t, n) in ids.iter().zip(&faces) {
            (0..3).for_each(|k| *sums.entry(key(t, k)).or_default() += n);
        }
        let flat = || ids.iter().zip(&faces).filter(|(_, n)| **n == V::zeros());
        for (t, _) in flat() {
            (0..3).for_each(|k| {
                sums.insert(key(t, k), V::zeros());
            });
        }
        let at = |t: &[u32; 3], k: usize| sums.get(&key(t, k)).copied().unwrap_or_default();
        let edges = ids.iter().map(|t| [at(t, 0), at(t, 1), at(t, 2)]).collect();
        let most = ids.iter().flatten().max().map_or(0, |m| *m as usize + 1);
        let mut corners = vec![V::zeros(); most];
        for (i, t) in ids.iter().enumerate() {
            let x = mesh.triangle(i);
            for k in 0..3 {
                let (a, b) = (x[(k + 1) % 3] - x[k], x[(k + 2) % 3] - x[k]);
                corners[t[k] as usize] += faces[i] * a.cross(&b).norm().atan2(a.dot(&b));
            }
        }
        flat().for_each(|(t, _)| t.iter().for_each(|v| corners[*v as usize] = V::zeros()));
        let mut out = Self {
            ids,
            faces,
            edges,
            corners,
            bounds: mesh.aabb(),
            coarse: Vec::new(),
            count: [0; 3],
            cell: 0.0,
        };
        out.sample(mesh);
        Ok(out)
    }

    /// Distances on the coarse grid.
    fn sample(&mut self, mesh: &Triangles) {
        let size = self.bounds.max - self.bounds.min;
        self.cell = size.max() / CELLS;
        self.count = [0, 1, 2].map(|k| (size[k] / self.cell).ceil().max(1.0) as usize);
        let mut values = Vec::with_capacity(self.count.iter().product());
        for i in 0..self.count[0] {
            for j in 0..self.count[1] {
                let mut bound = f64::INFINITY;
                for k in 0..self.count[2] {
                    let at = V::new(i as f64 + 0.5, j as f64 + 0.5, k as f64 + 0.5) * self.cell;
                    let found = self.search(mesh, &(self.bounds.min.coords + at), bound);
                    // The next is one cell farther at most.
                    let d = found.map_or(0.0, |s| s.distance);
                    bound = (d.abs() + self.cell) * (1.0 + 1e-9);
                    values.push(d);
                }
            }
        }
        self.coarse = values;
    }

    /// As [`crate::Shape::signed_distance_within`].
    pub(crate) fn signed_distance(&self, mesh: &Triangles, p: &V, reach: f64) -> Option<SignedDistance> {
        let at = Point3::from(*p);
        if reach.is_finite() && !self.coarse.is_empty() {
            let outside = self.bounds.squared_distance(&at);
            if outside > 0.0 && outside >= reach * reach {
                return None;
            }
            // Distances change no faster than points move.
            let place = |k: usize| {
                let cell = ((p[k] - self.bounds.min[k]) / self.cell) as usize;
                cell.min(self.count[k] - 1)
            };
            let cell = [place(0), place(1), place(2)];
            let center = V::from(cell.map(|c| (c as f64 + 0.5) * self.cell)) + self.bounds.min.coords;
            let known = self.coarse[(cell[0] * self.count[1] + cell[1]) * self.count[2] + cell[2]];
            let away = (p - center).norm();
            if known - away >= reach {
                return None;
            }
            return self.search(mesh, p, known.abs() + away);
        }
        self.search(mesh, p, f64::INFINITY)
    }

    /// The signed distance where it is not more than `bound` \[m\].
    fn search(&self, mesh: &Triangles, p: &V, bound: f64) -> Option<SignedDistance> {
        let mut best: Option<(StencilDistance, u32)> = None;
        // Round-off of the bound, and of the distance itself where it is short.
        let slack = 1e-9 * self.cell;
        mesh.bvh().nearest(&Point3::from(*p), (bound * (1.0 + 1e-9) + slack).powi(2), |i| {
            let found = solid::nearest(p, mesh.triangle(i as usize).map(|v| v.coords));
            if best.is_none_or(|b| found.squared < b.0.squared) {
                best = Some((found, i));
            }
            best.map_or(f64::INFINITY, |b| b.0.squared)
        });
        let (found, i) = best?;
        let size = p.norm() + self.cell;
        Some(match self.normal(&found, i as usize).try_normalize(0.0) {
            Some(normal) => solid::signed(&found.r, &normal, size),
            None if is_around(mesh, p) => solid::signed(&found.r, &-found.r, size),
            None => solid::signed(&found.r, &found.r, size),
        })
    }

    /// Normal of the nearest feature of triangle `i`: the corners with a share in the nearest point span it.
    fn normal(&self, found: &StencilDistance, i: usize) -> V {
        let on = [1, 2, 3].map(|k| found.weights[k] != 0.0);
        match on {
            [true, true, true] => self.faces[i],
            [true, true, false] => self.edges[i][0],
            [false, true, true] => self.edges[i][1],
            [true, false, true] => self.edges[i][2],
            _ => {
                let k = on.iter().position(|o| *o).unwrap_or(0);
                self.corners[self.ids[i][k] as usize]
            }
        }
    }
}

/// Whether the solid angles of all triangles add up to 4π.
fn is_around(mesh: &Triangles, p: &V) -> bool {
    let angle = |i: usize| {
        let [a, b, c] = mesh.triangle(i).map(|v| v.coords - p);
        let (x, y, z) = (a.norm(), b.norm(), c.norm());
        2.0 * a.dot(&b.cross(&c)).atan2(x * y * z + a.dot(&b) * z + b.dot(&c) * x + c.dot(&a) * y)
    };
    (0..mesh.triangles.len()).map(angle).sum::<f64>() > 2.0 * std::f64::consts::PI
}
