use std::collections::HashMap;
use std::sync::OnceLock;

use signorini_core::na::{Point3, Vector3};

use crate::weld::weld;
use crate::{Aabb, Bvh, MeshDefect, MeshTopology};

/// Part of the size of a surface within which it is flat but for rounding.
const FLAT: f64 = 1e-12;

/// Vertices and triangles of a surface, and the tree over them.
#[derive(Clone, Debug)]
pub(crate) struct Triangles {
    pub(crate) vertices: Vec<Point3<f64>>,
    pub(crate) triangles: Vec<[u32; 3]>,
    bvh: OnceLock<Bvh>,
}

impl Triangles {
    /// Not validated.
    pub(crate) fn new(vertices: Vec<Point3<f64>>, triangles: Vec<[u32; 3]>) -> Self {
        Self { vertices, triangles, bvh: OnceLock::new() }
    }

    /// Corners of triangle `i` \[m\].
    pub(crate) fn triangle(&self, i: usize) -> [Point3<f64>; 3] {
        self.triangles[i].map(|v| self.vertices[v as usize])
    }

    /// (b − a) × (c − a) of triangle `i` \[m²\], outward by winding.
    pub(crate) fn double_area_vector(&self, i: usize) -> Vector3<f64> {
        let [a, b, c] = self.triangle(i);
        (b - a).cross(&(c - a))
    }

    /// The box about all vertices.
    pub(crate) fn aabb(&self) -> Aabb {
        Aabb::from_points(&self.vertices)
    }

    /// Surface area \[m²\].
    pub(crate) fn area(&self) -> f64 {
        (0..self.triangles.len()).map(|i| 0.5 * self.double_area_vector(i).norm()).sum()
    }

    /// Enclosed volume by the divergence theorem \[m³\]: negative if the surface is inside out, meaningless if it is open.
    pub(crate) fn signed_volume(&self) -> f64 {
        let origin = self.aabb().center();
        let six: f64 = (0..self.triangles.len())
            .map(|i| {
                let [a, b, c] = self.triangle(i).map(|p| p - origin);
                a.dot(&b.cross(&c))
            })
            .sum();
        six / 6.0
    }

    /// The tree over the triangles' boxes; built on the first call, then kept.
    pub(crate) fn bvh(&self) -> &Bvh {
        self.bvh.get_or_init(|| {
            let boxes: Vec<Aabb> =
                (0..self.triangles.len()).map(|i| Aabb::from_points(&self.triangle(i))).collect();
            Bvh::build(&boxes)
        })
    }

    /// Checks that the surface encloses a solid: closed, wound alike, not flat and not inside out.
    ///
    /// # Errors
    /// [`MeshDefect::Open`] with the number of open edges, [`MeshDefect::Flat`], or [`MeshDefect::InsideOut`].
    pub(crate) fn check_closed(&self) -> Result<(), MeshDefect> {
        let topology = self.topology();
        let volume = self.signed_volume();
        let size = self.aabb().half_extents().norm();
        match topology.is_watertight() {
            true if volume > FLAT * self.area() * size => Ok(()),
            _ if self.is_flat() => Err(MeshDefect::Flat),
            true => Err(MeshDefect::InsideOut { volume }),
            false => Err(MeshDefect::Open { topology }),
        }
    }

    /// Whether all vertices lie in a plane, to rounding.
    fn is_flat(&self) -> bool {
        let size = self.aabb().half_extents().norm();
        let largest = (0..self.triangles.len()).max_by(|i, j| {
            let area = |i: usize| self.double_area_vector(i).norm_squared();
            area(*i).total_cmp(&area(*j))
        });
        let Some(i) = largest else { return false };
        let (Some(n), [a, ..]) = (self.double_area_vector(i).try_normalize(0.0), self.triangle(i)) else {
            return false;
        };
        self.vertices.iter().all(|p| n.dot(&(p - a)).abs() <= FLAT * size)
    }

    /// Topology of the triangles; see [`MeshTopology`].
    pub(crate) fn topology(&self) -> MeshTopology {
        let (vertices, triangles) = weld(&self.vertices, &self.triangles);
        let mut edges: HashMap<[u32; 2], [u32; 2]> = HashMap::with_capacity(triangles.len() * 3 / 2);
        for t in &triangles {
            for k in 0..3 {
                let (a, b) = (t[k], t[(k + 1) % 3]);
                let count = edges.entry([a.min(b), a.max(b)]).or_default();
                count[usize::from(a > b)] += 1;
            }
        }
        let mut out = MeshTopology {
            boundary_edges: 0,
            non_manifold_edges: 0,
            inconsistent_edges: 0,
            euler_characteristic: vertices.len() as i64 - edges.len() as i64 + triangles.len() as i64,
        };
        for count in edges.values() {
            match (count[0], count[1]) {
                (1, 1) => {}
                (1, 0) | (0, 1) => out.boundary_edges += 1,
                (2, 0) | (0, 2) => out.inconsistent_edges += 1,
                _ => out.non_manifold_edges += 1,
            }
        }
        out
    }
}
