use std::sync::{Arc, OnceLock};

use signorini_core::na::{Isometry3, Point3, Vector3};

use crate::mesh_links::MeshLinks;
use crate::signed_distance::MeshSides;
use crate::solids::solids;
use crate::triangles::Triangles;
use crate::weld::weld;
use crate::{Aabb, Bvh, MeshDefect, MeshTopology, VolumeMesh};

/// A triangle surface, counter-clockwise seen from outside. Validated: not empty, finite, indices in range, some area.
#[derive(Clone, Debug)]
pub struct TriangleMesh {
    surface: Triangles,
    links: OnceLock<MeshLinks>,
    sides: OnceLock<Result<MeshSides, MeshDefect>>,
    /// Its solids; none where it is one part.
    solids: OnceLock<Result<Vec<TriangleMesh>, MeshDefect>>,
    /// Tetrahedra of which it is the surface.
    volume: Option<Arc<VolumeMesh>>,
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
        let surface = Triangles::new(vertices, triangles);
        let count = surface.triangles.len();
        if !(0..count).any(|i| surface.double_area_vector(i) != Vector3::zeros()) {
            return Err(MeshDefect::Degenerate { triangles: count });
        }
        Ok(Self::of(surface))
    }

    fn of(surface: Triangles) -> Self {
        Self {
            surface,
            links: OnceLock::new(),
            sides: OnceLock::new(),
            solids: OnceLock::new(),
            volume: None,
        }
    }

    /// The surface of a solid of tetrahedra, which it keeps.
    ///
    /// # Errors
    /// As [`TriangleMesh::new`].
    pub fn of_volume(volume: Arc<VolumeMesh>) -> Result<Self, MeshDefect> {
        let surface = Self::new(volume.vertices().to_vec(), volume.outer_faces())?.welded()?;
        Ok(surface.with_volume(Some(volume)))
    }

    /// With the tetrahedra of which it is the surface.
    pub(crate) fn with_volume(self, volume: Option<Arc<VolumeMesh>>) -> Self {
        Self { volume, ..self }
    }

    /// The tetrahedra of which it was made; None of a surface by itself.
    #[must_use]
    pub fn volume(&self) -> Option<&VolumeMesh> {
        self.volume.as_deref()
    }

    /// Vertices and triangles without what is kept beside them.
    pub(crate) fn surface(&self) -> &Triangles {
        &self.surface
    }

    /// Vertices \[m\].
    #[must_use]
    pub fn vertices(&self) -> &[Point3<f64>] {
        &self.surface.vertices
    }

    /// Vertex indices of each triangle.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.surface.triangles
    }

    /// Corners of triangle `i` \[m\].
    ///
    /// # Panics
    /// If there is no triangle `i`.
    #[must_use]
    pub fn triangle(&self, i: usize) -> [Point3<f64>; 3] {
        self.surface.triangle(i)
    }

    /// The box about all vertices.
    #[must_use]
    pub fn aabb(&self) -> Aabb {
        self.surface.aabb()
    }

    /// Surface area \[m²\].
    #[must_use]
    pub fn area(&self) -> f64 {
        self.surface.area()
    }

    /// Enclosed volume by the divergence theorem \[m³\]: negative if the surface is inside out, meaningless if it is open.
    #[must_use]
    pub fn signed_volume(&self) -> f64 {
        self.surface.signed_volume()
    }

    /// The tree over the triangles' boxes; built on the first call, then kept.
    pub fn bvh(&self) -> &Bvh {
        self.surface.bvh()
    }

    /// Links of the triangles; found on the first call, then kept.
    pub(crate) fn links(&self) -> &MeshLinks {
        self.links.get_or_init(|| MeshLinks::new(&self.surface))
    }

    /// Sides of a closed surface: inside and outside; found on the first call, then kept.
    pub(crate) fn sides(&self) -> Result<&MeshSides, &MeshDefect> {
        self.sides.get_or_init(|| MeshSides::new(&self.surface)).as_ref()
    }

    /// The solids that a closed surface bounds, parts that no edge joins, each with its hollows: itself where it is one part. Found on the first call, then kept.
    pub(crate) fn solids(&self) -> Result<&[Self], &MeshDefect> {
        let found = self.solids.get_or_init(|| {
            let solids = solids(&self.surface)?;
            Ok(solids.into_iter().map(Self::of).collect())
        });
        let found = found.as_ref();
        found.map(|s| if s.is_empty() { std::slice::from_ref(self) } else { &s[..] })
    }

    /// Checks that the surface encloses a solid: closed, wound alike, not flat and not inside out.
    ///
    /// # Errors
    /// [`MeshDefect::Open`] with the number of open edges, [`MeshDefect::Flat`], or [`MeshDefect::InsideOut`].
    pub fn check_closed(&self) -> Result<(), MeshDefect> {
        self.surface.check_closed()
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
        let vertices = self.vertices().iter().map(|p| Point3::from(p.coords.component_mul(&scale))).collect();
        let mirrored = scale.iter().filter(|s| **s < 0.0).count() % 2 == 1;
        let turn = |t: &[u32; 3]| if mirrored { [t[0], t[2], t[1]] } else { *t };
        let volume = self.volume().map(|v| v.scaled(&scale)).transpose()?;
        let surface = Self::new(vertices, self.triangles().iter().map(turn).collect())?;
        Ok(surface.with_volume(volume.map(Arc::new)))
    }

    /// The surface given in frame A; `x_ab` maps its own frame B to A.
    #[must_use]
    pub fn transformed(&self, x_ab: &Isometry3<f64>) -> Self {
        let vertices = self.vertices().iter().map(|p| x_ab * p).collect();
        let volume = self.volume().map(|v| Arc::new(v.transformed(x_ab)));
        Self::of(Triangles::new(vertices, self.triangles().to_vec())).with_volume(volume)
    }

    /// The surface inside out, without tetrahedra.
    #[must_use]
    pub fn flipped(&self) -> Self {
        let triangles = self.triangles().iter().map(|t| [t[0], t[2], t[1]]).collect();
        Self::of(Triangles::new(self.vertices().to_vec(), triangles))
    }

    /// The surface with vertices at equal positions made one, vertices without a triangle dropped, and triangles that
    /// name a vertex twice dropped (they have no area and no edge of their own). Keeps the order.
    ///
    /// # Errors
    /// [`MeshDefect::Empty`] if nothing is left.
    pub fn welded(&self) -> Result<Self, MeshDefect> {
        let (vertices, triangles) = weld(self.vertices(), self.triangles());
        Self::new(vertices, triangles)
    }

    /// Topology of the triangles; see [`MeshTopology`].
    #[must_use]
    pub fn topology(&self) -> MeshTopology {
        self.surface.topology()
    }

    /// Whether the surface encloses a volume: every edge has exactly two triangles, wound alike. The volume may still be
    /// negative (inside out); see [`Self::signed_volume`].
    #[must_use]
    pub fn is_watertight(&self) -> bool {
        self.topology().is_watertight()
    }
}
