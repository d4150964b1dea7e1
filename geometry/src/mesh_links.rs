use signorini_core::na::{Point3, Vector3};

use crate::Aabb;
use crate::hull::ascent::Rows;
use crate::triangles::Triangles;
use crate::weld::weld_ids;

/// Links of the triangles of a surface, and how far the solid behind each reaches.
#[derive(Clone, Debug)]
pub(crate) struct MeshLinks {
    /// Vertices of each triangle, those at equal positions taken as one.
    corners: Vec<[u32; 3]>,
    /// Triangles about each vertex.
    around: Rows,
    /// Height of the tallest pyramid on the inner side of each triangle, apex over the centroid, that stays within the solid: half the
    /// way to the surface behind it, and within half the angle between the triangle and its neighbours \[m\].
    depths: Vec<f64>,
}

impl MeshLinks {
    pub(crate) fn new(mesh: &Triangles) -> Self {
        let corners = weld_ids(&mesh.vertices, &mesh.triangles);
        let count = corners.iter().flatten().max().map_or(0, |m| *m as usize + 1);
        let about = corners.iter().zip(0..).flat_map(|(c, i)| c.map(|v| (v, i)));
        let mut out = Self { around: Rows::new(count, about), corners, depths: Vec::new() };
        out.depths = (0..mesh.triangles.len()).map(|i| out.measure(mesh, i)).collect();
        out
    }

    /// Calls `visit` with the triangles that share a corner with triangle `i`, some of them twice, `i` itself left out.
    pub(crate) fn touching(&self, i: u32, mut visit: impl FnMut(u32)) {
        for v in self.corners[i as usize] {
            self.around.row(v as usize).iter().filter(|j| **j != i).for_each(|j| visit(*j));
        }
    }

    /// Depth of the solid behind triangle `i`, for a pyramid \[m\].
    pub(crate) fn depth(&self, i: u32) -> f64 {
        self.depths[i as usize]
    }

    fn measure(&self, mesh: &Triangles, i: usize) -> f64 {
        let t = mesh.triangle(i);
        let n = mesh.double_area_vector(i);
        let Some(n) = n.try_normalize(0.0) else { return 0.0 };
        let center = Point3::from((t[0].coords + t[1].coords + t[2].coords) / 3.0);
        let size = (t[1] - t[0]).norm().max((t[2] - t[0]).norm()).max((t[2] - t[1]).norm());
        let mut depth = 0.5 * first_hit(mesh, &center, &-n, i as u32).unwrap_or(size);
        for k in 0..3 {
            let (p, q) = (t[k], t[(k + 1) % 3]);
            let Some(along) = (q - p).try_normalize(0.0) else { continue };
            // In the plane of the triangle, away from the edge.
            let inward = n.cross(&along);
            let ids = [self.corners[i][k], self.corners[i][(k + 1) % 3]];
            for &j in self.around.row(ids[0] as usize) {
                if j as usize == i || !self.corners[j as usize].contains(&ids[1]) {
                    continue;
                }
                let Some(m) = mesh.double_area_vector(j as usize).try_normalize(0.0) else { continue };
                // Interior angle: π − the turn of the normals, for a convex edge.
                let turn = m.dot(&-inward).atan2(m.dot(&n));
                if turn > 0.0 {
                    let half = 0.5 * (std::f64::consts::PI - turn);
                    depth = depth.min(inward.dot(&(center - p)) * half.tan());
                }
            }
        }
        depth.max(0.0)
    }
}

/// Distance along the unit vector `d` from `origin` to the first triangle but `own`.
pub(crate) fn first_hit(mesh: &Triangles, origin: &Point3<f64>, d: &Vector3<f64>, own: u32) -> Option<f64> {
    let nearest = std::cell::Cell::new(f64::INFINITY);
    let enter = |b: &Aabb| {
        let (mut from, mut to) = (0.0f64, nearest.get());
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
    };
    mesh.bvh().visit(enter, |j| {
        if j == own {
            return;
        }
        let [a, b, c] = mesh.triangle(j as usize);
        let (u, v) = (b - a, c - a);
        let n = u.cross(&v);
        let along = n.dot(d);
        if along.abs() <= 1e-12 * n.norm() {
            return;
        }
        let s = n.dot(&(a - origin)) / along;
        let x = origin + d * s - a;
        let n2 = n.norm_squared();
        let (l, m) = (x.cross(&v).dot(&n) / n2, u.cross(&x).dot(&n) / n2);
        if s >= 0.0 && s < nearest.get() && l >= -1e-9 && m >= -1e-9 && l + m <= 1.0 + 1e-9 {
            nearest.set(s);
        }
    });
    nearest.get().is_finite().then(|| nearest.get())
}
