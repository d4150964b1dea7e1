use std::collections::HashMap;
use std::sync::OnceLock;

use signorini_core::na::{Isometry3, Point3, Vector3};

use crate::mesh_links::MeshLinks;
use crate::signed_distance::MeshSides;
use crate::{Aabb, Bvh, MeshDefect};

/// A triangle surface, counter-clockwise seen from outside. Validated: not empty, finite, indices in range, some area.
#[derive(Clone, Debug)]
pub struct TriangleMesh {
    pub(crate) vertices: Vec<Point3<f64>>,
    pub(crate) triangles: Vec<[u32; 3]>,
    bvh: OnceLock<Bvh>,
    links: OnceLock<MeshLinks>,
    sides: OnceLock<Result<MeshSides, MeshDefect>>,
}

/// How the triangles of a surface hang together, vertices at equal positions taken as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MeshTopology {
    /// Edges with one triangle.
    pub boundary_edges: usize,
    /// Edges with three or more triangles.
    pub non_manifold_edges: usize,
    /// Edges with two triangles that run through them in the same direction.
    pub inconsistent_edges: usize,
    /// Vertices in use − edges + triangles.
    pub euler_characteristic: i64,
}

impl MeshTopology {
    /// Whether every edge has exactly two triangles, wound alike.
    #[must_use]
    pub fn is_watertight(&self) -> bool {
        self.boundary_edges == 0 && self.non_manifold_edges == 0 && self.inconsistent_edges == 0
    }
}

impl TriangleMesh {
    /// A surface from vertices \[m\] and vertex triples.
    ///
    /// # Errors
    /// A [`MeshDefect`] if it is empty, not finite, names a vertex that does not exist, or has no area at all.
    pub fn new(vertices: Vec<Point3<f64>>, triangles: Vec<[u32; 3]>) -> Result<Self, MeshDefect> {
        if vertices.is_empty() || triangles.is_empty() {
            return Err(MeshDefect::Empty { vertices: vertices.len(), triangles: triangles.len() });
        }
        if u32::try_from(vertices.len()).is_err() {
            return Err(MeshDefect::TooLarge { vertices: vertices.len() });
        }
        for (i, p) in vertices.iter().enumerate() {
            if !p.coords.iter().all(|x| x.is_finite()) {
                return Err(MeshDefect::NonFinite { vertex: i, value: p.coords.into() });
            }
        }
        for (i, t) in triangles.iter().enumerate() {
            for &v in t {
                if v as usize >= vertices.len() {
                    let (index, vertices) = (u64::from(v), vertices.len());
                    return Err(MeshDefect::IndexOutOfRange { triangle: i, index, vertices });
                }
            }
        }
        let mesh = Self {
            vertices,
            triangles,
            bvh: OnceLock::new(),
            links: OnceLock::new(),
            sides: OnceLock::new(),
        };
        if !(0..mesh.triangles.len()).any(|i| mesh.double_area_vector(i) != Vector3::zeros()) {
            return Err(MeshDefect::Degenerate { triangles: mesh.triangles.len() });
        }
        Ok(mesh)
    }

    /// Vertices \[m\].
    #[must_use]
    pub fn vertices(&self) -> &[Point3<f64>] {
        &self.vertices
    }

    /// Vertex indices of each triangle.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Corners of triangle `i` \[m\].
    ///
    /// # Panics
    /// If there is no triangle `i`.
    #[must_use]
    pub fn triangle(&self, i: usize) -> [Point3<f64>; 3] {
        self.triangles[i].map(|v| self.vertices[v as usize])
    }

    /// (b − a) × (c − a) of triangle `i` \[m²\], outward by winding.
    pub(crate) fn double_area_vector(&self, i: usize) -> Vector3<f64> {
        let [a, b, c] = self.triangle(i);
        (b - a).cross(&(c - a))
    }

    /// The box about all vertices.
    #[must_use]
    pub fn aabb(&self) -> Aabb {
        Aabb::from_points(&self.vertices)
    }

    /// Surface area \[m²\].
    #[must_use]
    pub fn area(&self) -> f64 {
        (0..self.triangles.len()).map(|i| 0.5 * self.double_area_vector(i).norm()).sum()
    }

    /// Enclosed volume by the divergence theorem \[m³\]: negative if the surface is inside out, meaningless if it is open.
    #[must_use]
    pub fn signed_volume(&self) -> f64 {
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
    pub fn bvh(&self) -> &Bvh {
        self.bvh.get_or_init(|| {
            let boxes: Vec<Aabb> =
                (0..self.triangles.len()).map(|i| Aabb::from_points(&self.triangle(i))).collect();
            Bvh::build(&boxes)
        })
    }

    /// How the triangles touch; found on the first call, then kept.
    pub(crate) fn links(&self) -> &MeshLinks {
        self.links.get_or_init(|| MeshLinks::new(self))
    }

    /// Sides of a closed surface: inside and outside; found on the first call, then kept.
    pub(crate) fn sides(&self) -> Result<&MeshSides, &MeshDefect> {
        self.sides.get_or_init(|| MeshSides::new(self)).as_ref()
    }

    /// That the surface encloses a solid: closed, wound alike, and not inside out.
    ///
    /// # Errors
    /// [`MeshDefect::Open`] with the number of open edges, or [`MeshDefect::InsideOut`].
    pub fn check_closed(&self) -> Result<(), MeshDefect> {
        let topology = self.topology();
        if !topology.is_watertight() {
            return Err(MeshDefect::Open { topology });
        }
        let volume = self.signed_volume();
        if volume > 0.0 { Ok(()) } else { Err(MeshDefect::InsideOut { volume }) }
    }

    /// Appends to `out` the triangles whose boxes meet `aabb`, in ascending order; `out` is cleared first.
    pub fn triangles_in_aabb(&self, aabb: &Aabb, out: &mut Vec<u32>) {
        out.clear();
        self.bvh().query(aabb, out);
        out.sort_unstable();
    }

    /// The surface with its coordinates multiplied by `scale`; a reflection turns the triangles round, so that outside
    /// stays outside.
    ///
    /// # Errors
    /// [`MeshDefect::Scale`] for a factor that is zero or not finite; [`MeshDefect::NonFinite`] or
    /// [`MeshDefect::Degenerate`] where the result over- or underflows.
    pub fn scaled(&self, scale: Vector3<f64>) -> Result<Self, MeshDefect> {
        if !scale.iter().all(|s| s.is_finite() && *s != 0.0) {
            return Err(MeshDefect::Scale { scale: scale.into() });
        }
        let vertices = self.vertices.iter().map(|p| Point3::from(p.coords.component_mul(&scale))).collect();
        let mirrored = scale.iter().filter(|s| **s < 0.0).count() % 2 == 1;
        let turn = |t: &[u32; 3]| if mirrored { [t[0], t[2], t[1]] } else { *t };
        Self::new(vertices, self.triangles.iter().map(turn).collect())
    }

    /// The surface given in frame A; `x_ab` maps its own frame B to A.
    #[must_use]
    pub fn transformed(&self, x_ab: &Isometry3<f64>) -> Self {
        Self {
            vertices: self.vertices.iter().map(|p| x_ab * p).collect(),
            triangles: self.triangles.clone(),
            bvh: OnceLock::new(),
            links: OnceLock::new(),
            sides: OnceLock::new(),
        }
    }

    /// The surface inside out.
    #[must_use]
    pub fn flipped(&self) -> Self {
        let triangles = self.triangles.iter().map(|t| [t[0], t[2], t[1]]).collect();
        Self {
            vertices: self.vertices.clone(),
            triangles,
            bvh: OnceLock::new(),
            links: OnceLock::new(),
            sides: OnceLock::new(),
        }
    }

    /// The surface with vertices at equal positions made one, vertices without a triangle dropped, and triangles that
    /// name a vertex twice dropped (they have no area and no edge of their own). Keeps the order.
    ///
    /// # Errors
    /// [`MeshDefect::Empty`] if nothing is left.
    pub fn welded(&self) -> Result<Self, MeshDefect> {
        let (vertices, triangles) = weld(&self.vertices, &self.triangles);
        Self::new(vertices, triangles)
    }

    /// How the triangles hang together; see [`MeshTopology`].
    #[must_use]
    pub fn topology(&self) -> MeshTopology {
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

    /// Whether the surface encloses a volume: every edge has exactly two triangles, wound alike. The volume may still be
    /// negative (inside out); see [`Self::signed_volume`].
    #[must_use]
    pub fn is_watertight(&self) -> bool {
        self.topology().is_watertight()
    }
}

/// For each triangle its vertices, numbered in order of first use, those at equal positions as one.
pub(crate) fn weld_ids(points: &[Point3<f64>], triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut seen: HashMap<[u64; 3], u32> = HashMap::with_capacity(points.len());
    let mut id = |v: u32| {
        let next = seen.len() as u32;
        *seen.entry(position(&points[v as usize])).or_insert(next)
    };
    triangles.iter().map(|t| t.map(&mut id)).collect()
}

/// The bits of a position, 0 and −0 taken as equal.
fn position(p: &Point3<f64>) -> [u64; 3] {
    [p.x, p.y, p.z].map(|x| (x + 0.0).to_bits())
}

/// Vertices in use with equal positions merged, in order of first use, and the triangles that keep three corners.
pub(crate) fn weld(points: &[Point3<f64>], triangles: &[[u32; 3]]) -> (Vec<Point3<f64>>, Vec<[u32; 3]>) {
    let mut seen: HashMap<[u64; 3], u32> = HashMap::with_capacity(points.len());
    let mut vertices = Vec::new();
    let mut out = Vec::with_capacity(triangles.len());
    for t in triangles {
        let keys = t.map(|v| position(&points[v as usize]));
        if keys[0] == keys[1] || keys[1] == keys[2] || keys[2] == keys[0] {
            continue;
        }
        let mut ids = [0; 3];
        for k in 0..3 {
            ids[k] = *seen.entry(keys[k]).or_insert_with(|| {
                vertices.push(points[t[k] as usize]);
                vertices.len() as u32 - 1
            });
        }
        out.push(ids);
    }
    (vertices, out)
}
